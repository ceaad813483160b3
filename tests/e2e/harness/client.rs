//! Kinds of clients: what one says that it can do, and how far it keeps to the protocol. The differences are those measured in real
//! editors; a lying client is one that answers otherwise than it does.

use serde_json::{Value, json};

use super::buffer::Encoding;

/// How text is synchronised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sync {
    /// Ranges, where the server lets it.
    Incremental,
    /// The whole text each time, whatever the server offers.
    Full,
}

/// What the client does with the version of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checking {
    /// Refuses any other version than the buffer's (VS Code, Helix, eglot).
    Strict,
    /// Skips an edit for an older version, and says that it was applied (Neovim).
    Skips,
    /// Applies the edit to whatever there is (Zed, nearly).
    Never,
}

/// What it answers to an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// What it did.
    Honest,
    /// `applied: true`, having done nothing.
    TrueButNothing,
    /// `applied: false`, having done nothing.
    Refuses,
    /// Nothing at all, having done nothing.
    NeverAndNothing,
    /// Nothing at all, having applied the edit and sent its change.
    NeverButApplies,
    /// Takes the request and leaves it to the test (`Editor::await_apply`).
    ByHand,
}

/// When the change that an edit makes is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Echo {
    /// Before the reply.
    Before,
    /// After the reply.
    After,
    /// As three notifications, with the reply before the one of this number (0 to 3).
    Three(usize),
    /// When the test says so (`Editor::flush`): the debounce of Neovim without a clock. The user's keystrokes wait too.
    Held,
}

/// What it does with `window/showMessageRequest`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Messages {
    /// Shows it and leaves the answer to the test (`Editor::await_asked`).
    ByHand,
    /// Does not know it, and says so.
    Unknown,
}

/// A kind of client.
#[derive(Clone, Debug)]
pub struct Client {
    /// `clientInfo.name`.
    pub name: &'static str,
    /// Position encodings offered, best first; empty: the field is left out, which means UTF-16.
    pub encodings: Vec<Encoding>,
    /// How it synchronises.
    pub sync: Sync,
    /// What it checks.
    pub checking: Checking,
    /// What it answers.
    pub reply: Reply,
    /// When it sends changes.
    pub echo: Echo,
    /// Capabilities under `experimental.mewcode`.
    pub own: Vec<&'static str>,
    /// Does opening always say version 0 (Neovim), or 1?
    pub first_version: i64,
    /// Does it say that it knows `documentChanges`? Neovim knows them and does not say so.
    pub says_document_changes: bool,
    /// Can it ask again for lenses?
    pub refreshes: bool,
    /// Does it delete and rename files?
    pub operates: bool,
    /// What it does when it is asked by a message.
    pub messages: Messages,
    /// Does it leave the buffer of a deleted or renamed file open as it was (Helix, in some versions)?
    pub keeps_buffers: bool,
}

impl Client {
    /// A client that knows nothing of MewCode, except that it listens to its events so that tests can see them.
    pub fn bare() -> Self {
        Self {
            own: vec!["event"],
            ..Self::blind()
        }
    }

    /// A client that knows nothing of MewCode at all.
    pub fn blind() -> Self {
        Self {
            name: "test",
            encodings: vec![Encoding::Utf16],
            sync: Sync::Incremental,
            checking: Checking::Strict,
            reply: Reply::Honest,
            echo: Echo::Before,
            own: Vec::new(),
            first_version: 1,
            says_document_changes: true,
            refreshes: true,
            operates: true,
            messages: Messages::ByHand,
            keeps_buffers: false,
        }
    }

    /// A client with everything that MewCode offers, as the plugins are.
    pub fn full() -> Self {
        Self {
            own: vec![
                "applyEdit",
                "save",
                "review",
                "event",
                "status",
                "checksum",
                "transcript",
                "files",
                "approvals",
            ],
            encodings: vec![Encoding::Utf8, Encoding::Utf16, Encoding::Utf32],
            ..Self::blind()
        }
    }

    /// Neovim without a plugin, as measured.
    pub fn neovim() -> Self {
        Self {
            name: "Neovim",
            encodings: vec![Encoding::Utf8, Encoding::Utf16, Encoding::Utf32],
            checking: Checking::Skips,
            echo: Echo::Held,
            first_version: 0,
            says_document_changes: false,
            refreshes: false,
            ..Self::bare()
        }
    }

    /// With one encoding only.
    pub fn encoding(mut self, encoding: Encoding) -> Self {
        self.encodings = vec![encoding];
        self
    }

    /// With this synchronisation.
    pub fn sync(mut self, sync: Sync) -> Self {
        self.sync = sync;
        self
    }

    /// With this way of being asked by a message.
    pub fn messages(mut self, messages: Messages) -> Self {
        self.messages = messages;
        self
    }

    /// With these checks.
    pub fn checking(mut self, checking: Checking) -> Self {
        self.checking = checking;
        self
    }

    /// With these answers.
    pub fn reply(mut self, reply: Reply) -> Self {
        self.reply = reply;
        self
    }

    /// With changes sent then.
    pub fn echo(mut self, echo: Echo) -> Self {
        self.echo = echo;
        self
    }

    /// Without some of MewCode's own capabilities.
    pub fn without(mut self, names: &[&str]) -> Self {
        self.own.retain(|own| !names.contains(own));
        self
    }

    /// With more of MewCode's own capabilities.
    pub fn also(mut self, names: &[&'static str]) -> Self {
        self.own.extend(names);
        self
    }

    /// Has it this capability of MewCode's own?
    pub fn has(&self, name: &str) -> bool {
        self.own.contains(&name)
    }

    /// The capabilities as they are declared.
    pub fn capabilities(&self) -> Value {
        let mut capabilities = json!({
            "textDocument": {
                "synchronization": {"didSave": true},
                "publishDiagnostics": {"versionSupport": true, "dataSupport": true},
                "codeLens": {},
                "codeAction": {
                    "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["", "quickfix", "refactor", "source"]}},
                    "dataSupport": true,
                    "isPreferredSupport": true,
                    "resolveSupport": {"properties": ["command", "edit"]},
                },
            },
            "window": {"workDoneProgress": true, "showDocument": {"support": true}, "showMessage": {}},
            "workspace": {
                "applyEdit": true,
                "executeCommand": {},
                "workspaceFolders": true,
                "workspaceEdit": {"documentChanges": true},
                "didChangeWatchedFiles": {"dynamicRegistration": true},
            },
        });
        if !self.says_document_changes {
            capabilities["workspace"]["workspaceEdit"] = json!({});
        }
        if self.operates {
            capabilities["workspace"]["workspaceEdit"]["resourceOperations"] =
                json!(["rename", "create", "delete"]);
        }
        if self.refreshes {
            capabilities["workspace"]["codeLens"] = json!({"refreshSupport": true});
        }
        if !self.encodings.is_empty() {
            let names: Vec<&str> = self
                .encodings
                .iter()
                .map(|encoding| encoding.name())
                .collect();
            capabilities["general"] = json!({"positionEncodings": names});
        }
        if !self.own.is_empty() {
            let own: serde_json::Map<String, Value> = self
                .own
                .iter()
                .map(|name| ((*name).to_owned(), json!(true)))
                .collect();
            capabilities["experimental"] = json!({"mewcode": own});
        }
        capabilities
    }
}
