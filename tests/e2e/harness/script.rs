//! Scripts for the scripted provider: the turns that the model plays, with what it expects of the results of its calls. A failed
//! expectation ends the run as failed, so a script judges what the model was told without the test having to see it.

use serde_json::{Value, json};

/// Turns of a scripted model.
#[derive(Clone, Default)]
pub struct Script {
    turns: Vec<Value>,
}

impl Script {
    /// No turns.
    pub fn new() -> Self {
        Self::default()
    }

    /// Any turn.
    pub fn turn(mut self, turn: Value) -> Self {
        self.turns.push(turn);
        self
    }

    /// One call and what its result must be.
    pub fn call(self, tool: &str, args: Value, expect: Value) -> Self {
        self.turn(json!({"calls": [{"tool": tool, "args": args}], "expect": [expect]}))
    }

    /// Reads a file, for an edit needs an earlier look.
    pub fn read(self, path: &str) -> Self {
        self.call("read_file", json!({"path": path}), json!({"status": "ok"}))
    }

    /// Replaces `old` by `new`, expecting success.
    pub fn edit(self, path: &str, old: &str, new: &str) -> Self {
        self.edit_expecting(path, old, new, json!({"status": "ok"}))
    }

    /// Replaces `old` by `new`, expecting something else.
    pub fn edit_expecting(self, path: &str, old: &str, new: &str, expect: Value) -> Self {
        self.call(
            "edit_file",
            json!({"path": path, "old_string": old, "new_string": new}),
            expect,
        )
    }

    /// Several replacements in one call.
    pub fn edits(self, path: &str, edits: &[(&str, &str)], expect: Value) -> Self {
        let edits: Vec<Value> = edits
            .iter()
            .map(|(old, new)| json!({"old_string": old, "new_string": new}))
            .collect();
        self.call("edit_file", json!({"path": path, "edits": edits}), expect)
    }

    /// Writes a whole file.
    pub fn write(self, path: &str, content: &str, expect: Value) -> Self {
        self.call(
            "write_file",
            json!({"path": path, "content": content}),
            expect,
        )
    }

    /// A patch of several files.
    pub fn patch(self, lines: &[&str], expect: Value) -> Self {
        let patch = format!("*** Begin Patch\n{}\n*** End Patch\n", lines.join("\n"));
        self.call("apply_patch", json!({"patch": patch}), expect)
    }

    /// A turn without calls: the end of a run.
    pub fn say(self, text: &str) -> Self {
        self.turn(json!({"text": text}))
    }

    /// The file's text. JSON is YAML, and `serde_json` quotes every string in a way that YAML reads back exactly.
    pub fn yaml(&self) -> String {
        let mut text = String::from("turns:\n");
        for turn in &self.turns {
            text.push_str("  - ");
            text.push_str(&turn.to_string());
            text.push('\n');
        }
        if self.turns.is_empty() {
            text = "turns: []\n".to_owned();
        }
        text
    }
}

/// A result that must be `ok`.
pub fn ok() -> Value {
    json!({"status": "ok"})
}

/// A result that must be `failed` with this kind of error.
pub fn failed(kind: &str) -> Value {
    json!({"status": "failed", "error_kind": kind})
}

/// A result that must be `denied` by the person.
pub fn rejected() -> Value {
    json!({"status": "denied", "error_kind": "rejected_by_user"})
}
