//! One open document: its text, its version, and whether both can be trusted.

use super::DocumentView;
use mewcode_core::position::{Position, PositionEncoding};
use mewcode_core::text::{Snapshot, Text};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Why a document's text may differ from the editor's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Untrusted {
    /// A change arrived that cannot be applied to the text as it is known here.
    #[error(
        "the text known for this document may differ from the editor's ({0}); it is taken anew when the editor opens, \
         saves or sends the whole document again"
    )]
    Desynchronised(String),
    /// A change arrived for a document that was never opened.
    #[error(
        "the editor changed this document without opening it; close and open it again (in Neovim: `:edit`)"
    )]
    NeverOpened,
}

/// A document as the single writer keeps it.
#[derive(Debug)]
pub struct Document {
    uri: String,
    path: Option<PathBuf>,
    text: Text,
    version: i32,
    untrusted: Option<Untrusted>,
    /// Made when somebody asks, dropped with the next change.
    snapshot: OnceLock<Snapshot>,
}

impl Document {
    pub(super) fn open(uri: String, path: Option<PathBuf>, text: &str, version: i32) -> Self {
        Self {
            uri,
            path,
            text: Text::decode(text),
            version,
            untrusted: None,
            snapshot: OnceLock::new(),
        }
    }

    /// A place for a document that changes without having been opened.
    pub(super) fn never_opened(uri: String, path: Option<PathBuf>) -> Self {
        Self {
            untrusted: Some(Untrusted::NeverOpened),
            ..Self::open(uri, path, "", 0)
        }
    }

    pub(super) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    pub(super) fn untrusted(&self) -> Option<&Untrusted> {
        self.untrusted.as_ref()
    }

    pub(super) fn set_version(&mut self, version: i32) {
        self.version = version;
    }

    /// Takes the whole text, which heals every doubt.
    pub(super) fn replace(&mut self, text: &str) {
        self.text = Text::decode(text);
        self.untrusted = None;
        self.snapshot = OnceLock::new();
    }

    /// One incremental change. A document that is in doubt stays as it is until the whole text comes.
    pub(super) fn change(
        &mut self,
        range: Range<Position>,
        text: &str,
        encoding: PositionEncoding,
    ) {
        if self.untrusted.is_some() {
            return;
        }
        self.snapshot = OnceLock::new();
        if let Err(error) = self.text.apply_change(range, text, encoding) {
            self.desynchronise(error.to_string());
        }
    }

    pub(super) fn desynchronise(&mut self, reason: String) {
        self.untrusted = Some(Untrusted::Desynchronised(reason));
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        self.snapshot
            .get_or_init(|| Snapshot::new(self.text.clone()))
            .clone()
    }

    pub(super) fn view(&self) -> DocumentView {
        DocumentView {
            uri: self.uri.clone(),
            version: self.version,
            snapshot: self.snapshot(),
            untrusted: self.untrusted.clone(),
        }
    }
}
