//! The client of all measurements: frames, requests and their answers, documents opened and changed.

use crate::child::{Child, Program, Wire};
use serde_json::{Value, json};
use std::io::{BufRead, Read, Write};
use std::path::Path;
use std::time::Duration;

/// The settings with which a client introduces itself.
#[derive(Debug, Default)]
pub struct Introduction {
    /// `capabilities`.
    pub capabilities: Value,
    /// `initializationOptions`.
    pub options: Value,
}

/// The workspace, in the home folder: a home itself is not opened to tools.
pub const WORKSPACE: &str = "work";

/// A client and the process at the other end of its wire.
pub struct Client {
    /// The process.
    pub child: Child,
    root: String,
    next_id: u64,
}

impl Client {
    /// Starts a program and says nothing yet.
    pub fn start(program: Program, wire: Wire, home: &Path) -> Self {
        Self {
            child: Child::start(program, wire, home),
            root: format!("file://{}/{WORKSPACE}", home.display()),
            next_id: 1,
        }
    }

    /// Starts a program over pipes and initialises it as a client without extras.
    pub fn ready(program: Program, home: &Path) -> Self {
        let mut client = Self::start(program, Wire::Pipes, home);
        client.initialize(Introduction::default());
        client.initialized();
        client
    }

    /// `initialize`, answered.
    pub fn initialize(&mut self, introduction: Introduction) {
        let capabilities = match introduction.capabilities {
            Value::Null => json!({}),
            capabilities => capabilities,
        };
        self.request(
            "initialize",
            &json!({
                "processId": std::process::id(),
                "clientInfo": {"name": "bench"},
                "rootUri": self.root,
                "workspaceFolders": [{"uri": self.root, "name": "bench"}],
                "capabilities": capabilities,
                "initializationOptions": introduction.options,
            }),
        );
    }

    /// `initialized`, and what the server does upon it.
    pub fn initialized(&mut self) {
        self.notify("initialized", &json!({}));
        self.settle();
    }

    /// The URI of a file in the workspace.
    pub fn uri(&self, name: &str) -> String {
        format!("{}/{name}", self.root)
    }

    /// Opens a document.
    pub fn open(&mut self, uri: &str, text: &str) {
        self.notify(
            "textDocument/didOpen",
            &json!({"textDocument": {"uri": uri, "languageId": "rust", "version": 0, "text": text}}),
        );
        self.settle();
    }

    /// Closes a document.
    pub fn close(&mut self, uri: &str) {
        self.notify(
            "textDocument/didClose",
            &json!({"textDocument": {"uri": uri}}),
        );
        self.settle();
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request and waits for its answer; other messages that come before it are passed over.
    pub fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.ask(method, params);
        loop {
            let message = self.read();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    /// Sends a request and returns its id.
    pub fn ask(&mut self, method: &str, params: &Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Sends any message.
    pub fn send(&mut self, message: &Value) {
        self.write(&frame(message));
    }

    /// Sends frames as they are.
    pub fn write(&mut self, frames: &[u8]) {
        let input = &mut self.child.input;
        input
            .write_all(frames)
            .and_then(|()| input.flush())
            .expect("a server that reads");
    }

    /// The next message.
    pub fn read(&mut self) -> Value {
        serde_json::from_slice(&self.read_body()).expect("a message in JSON")
    }

    /// The next message, unread.
    pub fn read_body(&mut self) -> Vec<u8> {
        let output = &mut self.child.output;
        let mut length = None;
        loop {
            let mut line = String::new();
            output.read_line(&mut line).expect("a server that answers");
            match line.trim_end().strip_prefix("Content-Length: ") {
                Some(value) => length = value.parse().ok(),
                None if line.trim_end().is_empty() => break,
                None => {}
            }
        }
        let mut body = vec![0; length.expect("a Content-Length before the body")];
        output.read_exact(&mut body).expect("a whole message");
        body
    }

    /// Waits until everything sent so far has been taken: requests are answered in order.
    pub fn settle(&mut self) {
        self.request("bench/settle", &Value::Null);
    }

    /// The CPU time that the process spends on `work` and on everything sent in it.
    pub fn cpu_of(&mut self, work: impl FnOnce(&mut Self)) -> Duration {
        self.settle();
        let before = self.child.cpu();
        work(self);
        self.settle();
        self.child.cpu() - before
    }
}

/// A message as it goes over the wire.
pub fn frame(message: &Value) -> Vec<u8> {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}
