//! The editor's own hands: carrying out what the server asks for, edits, removals and moves of files, and saves, as clients of each
//! kind do it.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::buffer::{self, Buffer, Change};
use super::client::{Checking, Echo, Reply};
use super::editor::{Apply, Editor};
use super::uri::{path_of, uri};

impl Editor {
    pub(super) fn take_apply(&mut self, apply: Apply) {
        self.applies_seen += 1;
        match self.client.reply {
            Reply::ByHand => self.applies.push_back(apply),
            Reply::Honest | Reply::NeverButApplies => self.carry_out(&apply),
            Reply::TrueButNothing => self.server.respond(&apply.id, json!({"applied": true})),
            Reply::Refuses => {
                self.server.respond(
                    &apply.id,
                    json!({"applied": false, "failureReason": "not today", "reason": "failed"}),
                );
            }
            Reply::NeverAndNothing => {}
        }
    }

    /// Does what an edit request asks for, as this client does it.
    pub fn carry_out(&mut self, apply: &Apply) {
        if apply.method == "mewcode/applyEdit" {
            self.carry_out_hashed(apply);
        } else {
            self.carry_out_standard(apply);
        }
    }

    fn carry_out_standard(&mut self, apply: &Apply) {
        let changes = apply.params["edit"]["documentChanges"].as_array();
        let changes =
            changes.unwrap_or_else(|| panic!("an edit without documentChanges: {}", apply.params));
        if changes.iter().any(|change| change["kind"].is_string()) {
            let changes = changes.clone();
            return self.carry_out_operations(apply, &changes);
        }
        assert_eq!(
            changes.len(),
            1,
            "one request for each file: {}",
            apply.params
        );
        assert!(
            apply.params["label"].is_string(),
            "an edit without a label: {}",
            apply.params
        );
        let (document, edits) = (
            &changes[0]["textDocument"],
            changes[0]["edits"].as_array().expect("edits"),
        );
        let real = path_of(&document["uri"]);
        let (encoding, checking) = (self.encoding, self.client.checking);
        let buffer = self.buffer_mut(&real);
        let version = document["version"]
            .as_i64()
            .unwrap_or_else(|| panic!("an edit without a version: {document}"));
        match checking {
            Checking::Strict if buffer.version != version => {
                self.server.respond(
                    &apply.id,
                    json!({"applied": false, "failureReason": "the document has changed"}),
                );
                return;
            }
            // Version 0 is never checked.
            Checking::Skips if version > 0 && buffer.version > version => {
                self.server.respond(&apply.id, json!({"applied": true}));
                return;
            }
            _ => {}
        }
        let buffer = self.buffer_mut(&real);
        let resolved = buffer::resolve(&buffer.wire, edits, encoding);
        buffer.mark();
        let answered = self.client.reply != Reply::NeverButApplies;
        let steps = match self.client.echo {
            Echo::Three(_) => in_three(resolved),
            _ => vec![resolved],
        };
        let reply_at = match self.client.echo {
            Echo::Before => 1,
            Echo::After | Echo::Held => 0,
            Echo::Three(at) => at,
        };
        for (number, step) in steps.iter().enumerate() {
            if number == reply_at && answered {
                self.server.respond(&apply.id, json!({"applied": true}));
            }
            let buffer = self.buffer_mut(&real);
            for (range, text) in step.iter().rev() {
                buffer.change(range.clone(), text, encoding);
            }
            if self.client.echo != Echo::Held {
                self.flush_file(&real);
            }
        }
        if reply_at >= steps.len() && answered {
            self.server.respond(&apply.id, json!({"applied": true}));
        }
    }

    /// Deletes and renames files, one after the other, as real clients do it with no regard to what is unsaved.
    fn carry_out_operations(&mut self, apply: &Apply, changes: &[Value]) {
        let checking = self.client.checking;
        for change in changes.iter().filter(|change| change["kind"].is_null()) {
            let document = &change["textDocument"];
            let buffer = self.buffer_mut(&path_of(&document["uri"]));
            if checking == Checking::Strict && document["version"] != json!(buffer.version) {
                self.server.respond(
                    &apply.id,
                    json!({"applied": false, "failureReason": "the document has changed"}),
                );
                return;
            }
            assert_eq!(change["edits"], json!([]), "an edit beside an operation");
        }
        let answer = |applied: bool| json!({"applied": applied, "failureReason": "not possible"});
        let early = self.client.echo != Echo::Before;
        if early {
            self.server.respond(&apply.id, answer(true));
        }
        let mut done = true;
        for change in changes {
            match change["kind"].as_str() {
                Some("delete") => self.remove_file(&path_of(&change["uri"])),
                Some("rename") => {
                    let (from, to) = (path_of(&change["oldUri"]), path_of(&change["newUri"]));
                    // Neovim says that it did what it skips.
                    done = !to.exists() || checking == Checking::Skips;
                    if !to.exists() {
                        self.rename_file(&from, &to);
                    }
                }
                Some(other) => panic!("an operation that was not asked for: {other}"),
                None => {}
            }
        }
        if !early {
            self.server.respond(&apply.id, answer(done));
        }
    }

    fn remove_file(&mut self, real: &Path) {
        std::fs::remove_file(real).expect("the file can be removed");
        if !self.client.keeps_buffers {
            self.drop_buffer(real);
        }
    }

    fn rename_file(&mut self, from: &Path, to: &Path) {
        std::fs::create_dir_all(to.parent().expect("a folder")).expect("folders can be made");
        std::fs::rename(from, to).expect("the file can be renamed");
        if self.client.keeps_buffers {
            return;
        }
        let mut buffer = self.drop_buffer(from);
        if self.client.name == "Neovim" && !self.client.has("files") {
            // It does so by `:saveas!`.
            std::fs::write(to, &buffer.wire).expect("the file can be written");
            buffer.clean = true;
        }
        let version = self.client.first_version;
        (buffer.version, buffer.sent_version) = (version, version);
        buffer.sent = buffer.wire.clone();
        buffer.unsent.clear();
        self.server.notify(
            "textDocument/didOpen",
            json!({"textDocument": {"uri": uri(to), "languageId": "text", "version": version, "text": buffer.wire}}),
        );
        self.buffers.insert(to.to_owned(), buffer);
    }

    fn drop_buffer(&mut self, real: &Path) -> Buffer {
        let buffer = self.buffers.remove(real).expect("an open file");
        self.server.notify(
            "textDocument/didClose",
            json!({"textDocument": {"uri": uri(real)}}),
        );
        buffer
    }

    /// Is a file open?
    pub fn is_open(&self, path: &str) -> bool {
        self.buffers.contains_key(&self.workspace.path(path))
    }

    /// As a plugin does it: every hash is compared first, all files or none, then the change is sent, then the answer.
    fn carry_out_hashed(&mut self, apply: &Apply) {
        let documents = apply.params["documents"]
            .as_array()
            .expect("documents")
            .clone();
        assert!(
            apply.params["label"].is_string(),
            "an edit without a label: {}",
            apply.params
        );
        let mut plan: Vec<(PathBuf, Vec<Change>)> = Vec::new();
        for document in &documents {
            let real = path_of(&document["uri"]);
            let Some(buffer) = self.buffers.get(&real) else {
                self.server
                    .respond(&apply.id, json!({"applied": false, "reason": "not_open"}));
                return;
            };
            if json!(buffer::sha256(&buffer.wire)) != document["sha256"] {
                // Nobody answers any more.
                if self.server.has_ended() {
                    return;
                }
                self.flush_file(&real);
                let buffer = self.buffer_mut(&real);
                let params = json!({
                    "uri": uri(&real), "version": buffer.sent_version, "sha256": buffer::sha256(&buffer.wire), "text": buffer.wire,
                });
                let checked = self.server.request("mewcode/checksum", params);
                self.server
                    .respond(&apply.id, json!({"applied": false, "reason": "stale"}));
                assert_eq!(
                    self.answer(checked).expect("a checksum is answered")["match"],
                    true
                );
                return;
            }
            let refusal = match document["file"]["kind"].as_str() {
                Some("remove") if !buffer.clean => Some("it has unsaved changes"),
                Some("move") if path_of(&document["file"]["uri"]).exists() => {
                    Some("something is there")
                }
                _ => None,
            };
            if let Some(message) = refusal {
                self.server.respond(
                    &apply.id,
                    json!({"applied": false, "reason": "unavailable", "message": message}),
                );
                return;
            }
            let edits = document["edits"].as_array().expect("edits");
            plan.push((real, buffer::resolve(&buffer.wire, edits, self.encoding)));
        }
        let encoding = self.encoding;
        let mut after = Vec::new();
        for ((real, changes), document) in plan.into_iter().zip(&documents) {
            if document["file"]["kind"] == "remove" {
                assert!(changes.is_empty(), "edits of a removed file: {document}");
                self.remove_file(&real);
                continue;
            }
            let buffer = self.buffer_mut(&real);
            buffer.mark();
            for (range, text) in changes.iter().rev() {
                buffer.change(range.clone(), text, encoding);
            }
            let sha256 = buffer::sha256(&buffer.wire);
            self.flush_file(&real);
            let place = match document["file"]["kind"].as_str() {
                Some(_) => path_of(&document["file"]["uri"]),
                None => real.clone(),
            };
            if place != real {
                self.rename_file(&real, &place);
            }
            after.push(json!({"uri": uri(&place), "sha256": sha256}));
        }
        self.server
            .respond(&apply.id, json!({"applied": true, "documents": after}));
    }

    pub(super) fn take_save(&mut self, id: &Value, params: &Value) {
        let real = path_of(&params["uri"]);
        let buffer = self.buffer_mut(&real);
        if json!(buffer::sha256(&buffer.wire)) != params["sha256"] {
            self.server.respond(
                id,
                json!({"saved": false, "reason": "the text has changed"}),
            );
            return;
        }
        self.save_file(&real);
        self.saves += 1;
        let sha256 = buffer::sha256(&self.buffer_mut(&real).wire);
        if let Some((path, text)) = self.typed_after_save.take() {
            self.change(&path, 0..0, &text);
        }
        self.server
            .respond(id, json!({"saved": true, "sha256": sha256}));
    }
}

/// Cuts an edit into three steps, of which only the last leaves the whole: by its places where it has three, else each place into
/// what is removed and two halves of what is written.
fn in_three(changes: Vec<Change>) -> Vec<Vec<Change>> {
    let mut pieces: Vec<Change> = Vec::new();
    // From the end, so that the offsets of the places that follow stay right.
    for (range, text) in changes.iter().rev() {
        if changes.len() >= 3 {
            pieces.push((range.clone(), text.clone()));
            continue;
        }
        let middle = (0..=text.len() / 2)
            .rev()
            .find(|at| text.is_char_boundary(*at))
            .unwrap_or(0);
        let (at, first, second) = (range.start, &text[..middle], &text[middle..]);
        pieces.push((range.clone(), String::new()));
        pieces.push((at..at, first.to_owned()));
        pieces.push((at + first.len()..at + first.len(), second.to_owned()));
    }
    pieces.retain(|(range, text)| !(range.is_empty() && text.is_empty()));
    let last = pieces.split_off(pieces.len().min(2));
    let mut steps: Vec<Vec<Change>> = pieces.into_iter().map(|piece| vec![piece]).collect();
    // Within a step changes are applied from the back.
    steps.push(last.into_iter().rev().collect());
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Encoding;

    #[test]
    fn three_steps_make_the_same_text_as_one() {
        for changes in [
            vec![(1..3, "XY😀Z".to_owned())],
            vec![(0..0, "ab".to_owned()), (4..6, "cd".to_owned())],
            vec![
                (0..1, "1".to_owned()),
                (2..3, "2".to_owned()),
                (4..5, "3".to_owned()),
                (6..6, "4".to_owned()),
            ],
        ] {
            let expected = buffer::apply("abcdef\n", &changes);
            let steps = in_three(changes.clone());
            assert_eq!(steps.len(), 3, "{changes:?}");
            let mut buffer = Buffer::new("abcdef\n".to_owned(), 0, true);
            for step in steps {
                assert_ne!(buffer.wire, expected, "only the last step completes it");
                for (range, text) in step.iter().rev() {
                    buffer.change(range.clone(), text, Encoding::Utf8);
                }
            }
            assert_eq!(buffer.wire, expected);
        }
    }
}
