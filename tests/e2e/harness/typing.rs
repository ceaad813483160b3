//! The person at the editor: opening, typing, saving and closing.

use std::ops::Range;
use std::path::Path;

use serde_json::json;

use super::Sync;
use super::buffer::{self, Buffer, Change};
use super::client::Echo;
use super::editor::Editor;
use super::uri::uri;

impl Editor {
    /// Opens a file with what is on disk.
    pub fn open(&mut self, path: &str) {
        let text = self.workspace.disk(path);
        self.open_buffer(path, text, true);
    }

    /// Opens a file with other text than the disk has: unsaved.
    pub fn open_with(&mut self, path: &str, text: &str) {
        self.open_buffer(path, text.to_owned(), false);
    }

    fn open_buffer(&mut self, path: &str, text: String, clean: bool) {
        let real = self.workspace.path(path);
        let version = self.client.first_version;
        self.server.notify(
            "textDocument/didOpen",
            json!({"textDocument": {"uri": uri(&real), "languageId": "text", "version": version, "text": text}}),
        );
        let before = self.buffers.insert(real, Buffer::new(text, version, clean));
        assert!(before.is_none(), "{path} is open already");
    }

    /// Closes a file, dropping what is unsaved.
    pub fn close(&mut self, path: &str) {
        let real = self.workspace.path(path);
        self.buffers.remove(&real).expect("an open file");
        self.server.notify(
            "textDocument/didClose",
            json!({"textDocument": {"uri": uri(&real)}}),
        );
    }

    /// `:e!`: the buffer is read from disk again.
    pub fn reload(&mut self, path: &str) {
        self.close(path);
        self.open(path);
    }

    /// The text of an open file, in wire form.
    pub fn text(&self, path: &str) -> &str {
        &self.buffer(path).wire
    }

    /// An open file.
    pub fn buffer(&self, path: &str) -> &Buffer {
        let real = self.workspace.path(path);
        self.buffers
            .get(&real)
            .unwrap_or_else(|| panic!("{path} is not open"))
    }

    pub(super) fn buffer_mut(&mut self, path: &Path) -> &mut Buffer {
        self.buffers
            .get_mut(path)
            .unwrap_or_else(|| panic!("{} is not open", path.display()))
    }

    /// The person replaces the only `old` by `new`, as one undo step.
    pub fn replace(&mut self, path: &str, old: &str, new: &str) {
        let range = self.buffer(path).find(old);
        self.change(path, range, new);
    }

    /// The person types `text` behind the only `needle`.
    pub fn insert_after(&mut self, path: &str, needle: &str, text: &str) {
        let end = self.buffer(path).find(needle).end;
        self.change(path, end..end, text);
    }

    /// The person types `text` before the only `needle`.
    pub fn insert_before(&mut self, path: &str, needle: &str, text: &str) {
        let start = self.buffer(path).find(needle).start;
        self.change(path, start..start, text);
    }

    /// The person changes a range of bytes. Sent at once, unless the client holds changes back.
    pub fn change(&mut self, path: &str, range: Range<usize>, text: &str) {
        let (real, encoding) = (self.workspace.path(path), self.encoding);
        self.server.note(&format!(
            "the person changes {path} at {range:?} to {text:?}"
        ));
        let buffer = self.buffer_mut(&real);
        buffer.mark();
        buffer.change(range, text, encoding);
        if self.client.echo != Echo::Held {
            self.flush_file(&real);
        }
    }

    /// Goes on counting versions from another number.
    pub fn renumber(&mut self, path: &str, version: i64) {
        let real = self.workspace.path(path);
        let buffer = self.buffer_mut(&real);
        (buffer.version, buffer.sent_version) = (version, version);
    }

    /// Takes back the last undo step.
    pub fn undo(&mut self, path: &str) {
        let (real, encoding) = (self.workspace.path(path), self.encoding);
        let buffer = self.buffer_mut(&real);
        let (before, clean) = buffer.undo.pop().expect("something to undo");
        let (range, text) = smallest_change(&buffer.wire, &before);
        buffer.change(range, &text, encoding);
        buffer.clean = clean;
        if self.client.echo != Echo::Held {
            self.flush_file(&real);
        }
    }

    /// Sends what the person and the agent changed in a file since the last time.
    pub fn flush(&mut self, path: &str) {
        let real = self.workspace.path(path);
        self.flush_file(&real);
    }

    pub(super) fn flush_file(&mut self, real: &Path) {
        let full = self.sync == Sync::Full;
        let buffer = self.buffer_mut(real);
        if buffer.version == buffer.sent_version {
            return;
        }
        let unsent = std::mem::take(&mut buffer.unsent);
        let changes = if full {
            json!([{"text": buffer.wire}])
        } else {
            json!(unsent)
        };
        buffer.sent_version = buffer.version;
        buffer.sent = buffer.wire.clone();
        let version = buffer.version;
        self.server.notify(
            "textDocument/didChange",
            json!({"textDocument": {"uri": uri(real), "version": version}, "contentChanges": changes}),
        );
    }

    /// The person saves.
    pub fn save(&mut self, path: &str) {
        let real = self.workspace.path(path);
        self.save_file(&real);
    }

    pub(super) fn save_file(&mut self, real: &Path) {
        let (formatter, encoding) = (self.formatter, self.encoding);
        let buffer = self.buffer_mut(real);
        if let Some(formatter) = formatter {
            let formatted = formatter(&buffer.wire);
            if formatted != buffer.wire {
                let (range, text) = smallest_change(&buffer.wire, &formatted);
                buffer.change(range, &text, encoding);
            }
        }
        self.flush_file(real);
        let with_text = self.capabilities["textDocumentSync"]["save"]["includeText"] == true;
        let buffer = self.buffer_mut(real);
        std::fs::write(real, &buffer.wire).expect("the file can be written");
        buffer.clean = true;
        let mut params = json!({"textDocument": {"uri": uri(real)}});
        if with_text {
            params["text"] = json!(buffer.wire);
        }
        self.server.notify("textDocument/didSave", params);
    }

    /// Compares hashes with the server, as the plugins do: true if both have the same text.
    pub fn same(&mut self, path: &str) -> bool {
        let params = {
            let buffer = self.buffer(path);
            json!({"uri": self.uri(path), "version": buffer.sent_version, "sha256": buffer::sha256(&buffer.wire)})
        };
        let answer = self
            .call("mewcode/checksum", params)
            .expect("a checksum is answered");
        answer["match"]
            .as_bool()
            .unwrap_or_else(|| panic!("no match in {answer}"))
    }

    /// Everything is sent, and the server has it exactly; on disk, too, if the buffer is clean.
    pub fn assert_same(&mut self, path: &str) {
        self.flush(path);
        assert!(
            self.same(path),
            "the server has another text of {path} than the editor: {:?}",
            self.text(path)
        );
        if self.buffer(path).clean {
            assert_eq!(
                self.workspace.disk(path),
                self.text(path),
                "{path} is clean, but not what is on disk"
            );
        }
    }
}

/// The one replacement that makes `new` of `old`.
fn smallest_change(old: &str, new: &str) -> Change {
    let prefix: usize = old
        .chars()
        .zip(new.chars())
        .take_while(|(left, right)| left == right)
        .map(|(character, _)| character.len_utf8())
        .sum();
    let (old_rest, new_rest) = (&old[prefix..], &new[prefix..]);
    let suffix: usize = old_rest
        .chars()
        .rev()
        .zip(new_rest.chars().rev())
        .take_while(|(left, right)| left == right)
        .map(|(character, _)| character.len_utf8())
        .sum();
    (
        prefix..old.len() - suffix,
        new_rest[..new_rest.len() - suffix].to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn the_smallest_change_is_the_difference() {
        assert_eq!(smallest_change("a😀b\n", "a😀c\n"), (5..6, "c".to_owned()));
        assert_eq!(smallest_change("aa", "aaa"), (2..2, "a".to_owned()));
        assert_eq!(smallest_change("x", "x"), (1..1, String::new()));
    }
}
