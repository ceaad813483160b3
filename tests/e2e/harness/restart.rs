//! An editor that outlives its server: the buffers and what is in them stay, everything that the server told is gone, and the next
//! server is told of every open document.

use std::time::Instant;

use serde_json::{Value, json};

use super::editor::Editor;
use super::handshake::shake;
use super::uri::uri;
use super::{Buffer, PATIENCE, Server};

impl Editor {
    /// Starts the next server after this one was killed or has ended, and opens the documents in it as they are now.
    pub fn restart(&mut self) {
        self.start_server();
        self.reopen();
    }

    /// The same, without a word about the documents yet.
    pub fn start_server(&mut self) {
        assert!(self.server.has_ended(), "the server still runs");
        self.server = Server::start(&self.workspace);
        let parent = std::process::id();
        let agreed = shake(
            &mut self.server,
            &self.workspace,
            &self.client,
            &self.options,
            parent,
        );
        assert_eq!((agreed.encoding, agreed.sync), (self.encoding, self.sync));
        self.forget();
    }

    /// Opens the documents in a new server.
    pub fn reopen(&mut self) {
        for (real, buffer) in &mut self.buffers {
            let (text, version) = (buffer.wire.clone(), self.client.first_version);
            self.server.notify(
                "textDocument/didOpen",
                json!({"textDocument": {"uri": uri(real), "languageId": "text", "version": version, "text": text}}),
            );
            *buffer = Buffer::new(text, version, buffer.clean);
        }
    }

    /// Does what the server asked for before it was killed, which this editor had not read yet.
    pub fn hear_out(&mut self) {
        assert!(self.server.has_ended(), "the server still runs");
        while let Some(message) = self.server.receive(Instant::now() + PATIENCE) {
            self.take(message);
        }
    }

    /// Closes every buffer without a word to a server, as an editor does that ends.
    pub fn quit(&mut self) {
        self.buffers.clear();
    }

    fn forget(&mut self) {
        self.diagnostics.clear();
        self.reviews.clear();
        self.events.clear();
        self.applies.clear();
        self.unread.clear();
        self.progress.clear();
        self.approvals.clear();
        self.status = Value::Null;
        self.forget_answers();
    }
}
