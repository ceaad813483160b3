//! An editor with the plugin, as far as reviews need one: it holds the document, applies edits, echoes them as
//! changes, saves. The time that it takes for itself is counted apart.

use crate::child::{Program, Wire};
use crate::client::{Client, Introduction, WORKSPACE};
use mewcode_core::hash::ContentHash;
use mewcode_core::position::{Column, LineIndex, Position, PositionEncoding};
use mewcode_core::text::Text;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The editor's one document.
pub const FILE: &str = "large.rs";

/// An editor with one open document.
pub struct Editor {
    /// Its connection.
    pub client: Client,
    /// The document.
    pub uri: String,
    /// How long it was busy with answers of its own.
    pub busy: Duration,
    path: PathBuf,
    text: Text,
    version: i32,
}

impl Editor {
    /// Starts the server with a script for the model, and opens the document in the workspace of `home`.
    pub fn start(home: &Path, text: &str, script: &str) -> Self {
        let home = home.canonicalize().expect("a folder that exists");
        let path = home.join(WORKSPACE).join(FILE);
        std::fs::create_dir(home.join(WORKSPACE)).expect("a writable folder");
        std::fs::write(&path, text).expect("a writable folder");
        std::fs::write(home.join("script.yaml"), script).expect("a writable folder");
        let mut client = Client::start(Program::Mewcode, Wire::Pipes, &home);
        client.initialize(Introduction {
            capabilities: json!({
                "textDocument": {"codeAction": {"resolveSupport": {"properties": ["command"]}}},
                "workspace": {"applyEdit": true},
                "experimental": {"mewcode": {
                    "applyEdit": true, "save": true, "review": true, "event": true, "checksum": true,
                }},
            }),
            options: json!({"provider": "scripted", "script": home.join("script.yaml")}),
        });
        client.initialized();
        let uri = client.uri(FILE);
        client.open(&uri, text);
        Self {
            client,
            uri,
            busy: Duration::ZERO,
            path,
            text: Text::decode(text),
            version: 0,
        }
    }

    /// Runs a command.
    pub fn execute(&mut self, command: &str, argument: &Value) {
        self.client.ask(
            "workspace/executeCommand",
            &json!({"command": command, "arguments": [argument]}),
        );
    }

    /// Types a character.
    pub fn type_at(&mut self, line: usize) {
        let at = json!({"line": line, "character": 0});
        self.change(&[json!({"range": {"start": at, "end": at}, "newText": "x"})]);
    }

    /// Waits until the document's undecided hunks are shown and as many as `wanted`; returns them.
    pub fn hunks(&mut self, wanted: impl Fn(usize) -> bool) -> Vec<Value> {
        loop {
            let message = self.next();
            if message["method"] == "mewcode/event" {
                let event = &message["params"]["event"];
                let failed = event["kind"] == "call_ended" && event["status"] != "ok";
                assert!(!failed, "a call failed: {event}");
            }
            if message["method"] == "mewcode/review"
                && let Some(hunks) = message["params"]["hunks"].as_array()
                && wanted(hunks.len())
            {
                return hunks.clone();
            }
        }
    }

    /// The next message; the server's requests have been answered.
    fn next(&mut self) -> Value {
        let message = self.client.read();
        let started = Instant::now();
        let params = &message["params"];
        let result = match message["method"].as_str() {
            Some("mewcode/applyEdit") => self.apply(&params["documents"][0]),
            Some("mewcode/save") => {
                std::fs::write(&self.path, self.text.wire()).expect("a writable folder");
                json!({"saved": true})
            }
            _ => return message,
        };
        self.client
            .send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}));
        self.busy += started.elapsed();
        message
    }

    fn apply(&mut self, document: &Value) -> Value {
        let edits = document["edits"].as_array().expect("a list of edits");
        // From the last to the first, so that each one's position holds.
        let edits: Vec<Value> = edits.iter().rev().cloned().collect();
        self.change(&edits);
        let sha256 = ContentHash::of_rope(self.text.rope()).to_string();
        json!({"applied": true, "documents": [{"uri": self.uri, "sha256": sha256}]})
    }

    /// Changes the document and tells the server.
    fn change(&mut self, edits: &[Value]) {
        self.version += 1;
        let mut changes = Vec::with_capacity(edits.len());
        for edit in edits {
            let (range, text) = (&edit["range"], edit["newText"].as_str());
            let text = text.expect("an edit's new text");
            let place = position(&range["start"])..position(&range["end"]);
            self.text
                .apply_change(place, text, PositionEncoding::Utf16)
                .expect("an edit in order");
            changes.push(json!({"range": range, "text": text}));
        }
        self.client.notify(
            "textDocument/didChange",
            &json!({
                "textDocument": {"uri": self.uri, "version": self.version},
                "contentChanges": changes,
            }),
        );
    }
}

fn position(position: &Value) -> Position {
    let number = |key: &str| position[key].as_u64().expect("a number");
    Position {
        line: LineIndex(usize::try_from(number("line")).expect("a line")),
        column: Column(u32::try_from(number("character")).expect("a column")),
    }
}
