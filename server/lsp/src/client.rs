//! What the client at the other end can do: its declared capabilities, and one table of measured quirks.

use crate::protocol::ClientFeatures;
use mewcode_core::position::PositionEncoding;
use tower_lsp::ls_types::{
    ClientCapabilities, InitializeParams, PositionEncodingKind, ResourceOperationKind,
    TextDocumentSyncKind,
};

/// Facts about one client that no capability tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quirks {
    /// Incremental changes drift from the buffer in rare cases (an emptied buffer, no final newline).
    pub incremental_sync_drifts: bool,
    /// An edit for version 0 is applied whatever the buffer's version is; version 1 is checked, and means the same
    /// for a buffer that was never changed.
    pub version_zero_is_unchecked: bool,
    /// It takes `documentChanges`, which alone carry a version, without declaring it.
    pub takes_document_changes: bool,
    /// Asked to delete an open file it throws its buffer away, with keystrokes in it that it has not told anybody of.
    pub deletes_unsent_typing: bool,
    /// A message request takes the keyboard: keys typed as it appears answer it, and of two the wrong one may be answered.
    pub message_requests_block: bool,
}

/// What is known of no client.
const NONE: Quirks = Quirks {
    incremental_sync_drifts: false,
    version_zero_is_unchecked: false,
    takes_document_changes: false,
    deletes_unsent_typing: false,
    message_requests_block: false,
};

/// The table of quirks, by `clientInfo.name`. Measured with Neovim 0.11.4; those of Emacs and Helix are read in their clients.
const QUIRKS: &[(&str, Quirks)] = &[
    (
        "Neovim",
        Quirks {
            incremental_sync_drifts: true,
            version_zero_is_unchecked: true,
            takes_document_changes: true,
            deletes_unsent_typing: true,
            message_requests_block: true,
        },
    ),
    (
        "Eglot",
        Quirks {
            message_requests_block: true,
            ..NONE
        },
    ),
    (
        "emacs",
        Quirks {
            message_requests_block: true,
            ..NONE
        },
    ),
    (
        // A popup with its first answer selected, which takes Enter, Tab and the arrows.
        "helix",
        Quirks {
            message_requests_block: true,
            ..NONE
        },
    ),
];

/// By what questions are put to the person, besides code actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AsksBy {
    /// `mewcode/approval`: a plugin shows them.
    Plugin,
    /// `window/showMessageRequest`, which this client shows without taking the keyboard, as far as is known.
    MessageRequest,
    /// `window/showMessage`: nothing better is there.
    Message,
}

/// The client, as `initialize` described it.
#[derive(Debug, Clone)]
pub struct Profile {
    /// The agreed position encoding.
    pub encoding: PositionEncoding,
    /// What its MewCode plugin can do; nothing without one.
    pub features: ClientFeatures,
    /// Takes `workspace/applyEdit` with `documentChanges`.
    pub document_changes: bool,
    /// Takes `workspace/applyEdit` at all.
    pub apply_edit: bool,
    /// Removes files, open ones too, by `workspace/applyEdit`.
    pub deletes_files: bool,
    /// Moves files, open ones too, by `workspace/applyEdit`.
    pub renames_files: bool,
    /// Fills in a code action's command by `codeAction/resolve`.
    pub resolves_commands: bool,
    /// Takes `window/workDoneProgress/create`.
    pub progress: bool,
    /// Takes `window/showDocument`.
    pub show_document: bool,
    /// Takes `workspace/codeLens/refresh`.
    pub refreshes_lenses: bool,
    /// Its measured facts.
    pub quirks: Quirks,
}

impl Profile {
    /// Reads what the client said of itself.
    pub fn new(params: &InitializeParams) -> Self {
        let capabilities = &params.capabilities;
        let name = params.client_info.as_ref().map(|info| info.name.as_str());
        let quirks = QUIRKS
            .iter()
            .find(|(client, _)| name.is_some_and(|name| name.eq_ignore_ascii_case(client)))
            .map_or(NONE, |(_, quirks)| *quirks);
        let workspace = capabilities.workspace.as_ref();
        let window = capabilities.window.as_ref();
        let document_changes = quirks.takes_document_changes
            || workspace
                .and_then(|it| it.workspace_edit.as_ref()?.document_changes)
                .unwrap_or(false);
        let apply_edit = workspace.and_then(|it| it.apply_edit).unwrap_or(false);
        let operates = |kind: ResourceOperationKind| {
            let operations =
                workspace.and_then(|it| it.workspace_edit.as_ref()?.resource_operations.as_ref());
            apply_edit && document_changes && operations.is_some_and(|it| it.contains(&kind))
        };
        let resolves_commands = capabilities
            .text_document
            .as_ref()
            .and_then(|it| it.code_action.as_ref()?.resolve_support.as_ref())
            .is_some_and(|it| it.properties.iter().any(|name| name == "command"));
        Self {
            encoding: encoding(capabilities),
            features: features(capabilities),
            document_changes,
            apply_edit,
            deletes_files: operates(ResourceOperationKind::Delete),
            renames_files: operates(ResourceOperationKind::Rename),
            resolves_commands,
            progress: window.and_then(|it| it.work_done_progress).unwrap_or(false),
            show_document: window
                .and_then(|it| it.show_document.as_ref())
                .is_some_and(|it| it.support),
            refreshes_lenses: workspace
                .and_then(|it| it.code_lens.as_ref()?.refresh_support)
                .unwrap_or(false),
            quirks,
        }
    }

    /// How documents are to be synchronised: by whole texts where increments are known to drift and nothing would
    /// notice it.
    pub fn sync_kind(&self) -> TextDocumentSyncKind {
        if self.quirks.incremental_sync_drifts && !self.features.checksum {
            TextDocumentSyncKind::FULL
        } else {
            TextDocumentSyncKind::INCREMENTAL
        }
    }

    /// By what questions are put to the person.
    pub fn asks_by(&self) -> AsksBy {
        if self.features.approvals {
            AsksBy::Plugin
        } else if self.quirks.message_requests_block {
            AsksBy::Message
        } else {
            AsksBy::MessageRequest
        }
    }

    /// The agreed encoding in the protocol's words.
    pub fn encoding_kind(&self) -> PositionEncodingKind {
        match self.encoding {
            PositionEncoding::Utf8 => PositionEncodingKind::UTF8,
            PositionEncoding::Utf16 => PositionEncodingKind::UTF16,
            PositionEncoding::Utf32 => PositionEncodingKind::UTF32,
        }
    }
}

/// The best encoding on offer: UTF-8 needs no counting here, UTF-16 the most.
fn encoding(capabilities: &ClientCapabilities) -> PositionEncoding {
    let offered = capabilities
        .general
        .as_ref()
        .and_then(|it| it.position_encodings.as_deref())
        .unwrap_or_default();
    [
        (PositionEncodingKind::UTF8, PositionEncoding::Utf8),
        (PositionEncodingKind::UTF32, PositionEncoding::Utf32),
    ]
    .into_iter()
    .find(|(kind, _)| offered.contains(kind))
    .map_or(PositionEncoding::Utf16, |(_, encoding)| encoding)
}

/// `experimental.mewcode`; what cannot be read is as good as absent.
fn features(capabilities: &ClientCapabilities) -> ClientFeatures {
    capabilities
        .experimental
        .as_ref()
        .and_then(|it| serde_json::from_value(it.get("mewcode")?.clone()).ok())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn profile(params: serde_json::Value) -> Profile {
        Profile::new(&serde_json::from_value(params).unwrap())
    }

    #[test]
    fn encodings_are_preferred_utf8_then_utf32() {
        for (offered, expected) in [
            (json!(["utf-16", "utf-32", "utf-8"]), PositionEncoding::Utf8),
            (json!(["utf-16", "utf-32"]), PositionEncoding::Utf32),
            (json!(["utf-16"]), PositionEncoding::Utf16),
            (json!(null), PositionEncoding::Utf16),
        ] {
            let params = json!({"capabilities": {"general": {"positionEncodings": offered}}});
            assert_eq!(profile(params).encoding, expected);
        }
    }

    #[test]
    fn only_clients_that_show_messages_without_blocking_are_asked_by_them() {
        let asks = |name: Option<&str>, approvals: bool| {
            let client = name.map(|name| json!({"name": name}));
            let own = json!({"mewcode": {"approvals": approvals}});
            profile(json!({"clientInfo": client, "capabilities": {"experimental": own}})).asks_by()
        };
        for name in ["Neovim", "Eglot", "eglot", "emacs", "helix"] {
            assert_eq!(asks(Some(name), false), AsksBy::Message, "{name}");
            assert_eq!(asks(Some(name), true), AsksBy::Plugin, "{name}");
        }
        for name in [None, Some("Visual Studio Code")] {
            assert_eq!(asks(name, false), AsksBy::MessageRequest, "{name:?}");
            assert_eq!(asks(name, true), AsksBy::Plugin, "{name:?}");
        }
    }

    #[test]
    fn neovim_gets_full_sync_unless_its_plugin_checks_hashes() {
        let neovim = |features| {
            json!({"clientInfo": {"name": "Neovim"},
                   "capabilities": {"experimental": {"mewcode": features}}})
        };
        assert_eq!(
            profile(neovim(json!({}))).sync_kind(),
            TextDocumentSyncKind::FULL
        );
        assert_eq!(
            profile(neovim(json!({"checksum": true}))).sync_kind(),
            TextDocumentSyncKind::INCREMENTAL
        );
        assert_eq!(
            profile(json!({"clientInfo": {"name": "helix"}, "capabilities": {}})).sync_kind(),
            TextDocumentSyncKind::INCREMENTAL
        );
    }
}
