//! A text buffer as an editor has it, in wire form, with the most naive implementation of positions and edits that the protocol's
//! text allows. It shares no code with the server, so that both being wrong in the same way is unlikely.

use std::ops::Range;

use serde_json::{Value, json};

/// What a column counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units.
    Utf16,
    /// Characters.
    Utf32,
}

impl Encoding {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Utf8, Self::Utf16, Self::Utf32];

    /// Its name in the protocol.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16 => "utf-16",
            Self::Utf32 => "utf-32",
        }
    }

    /// By its name in the protocol.
    pub fn named(name: &str) -> Self {
        Self::ALL
            .into_iter()
            .find(|encoding| encoding.name() == name)
            .unwrap_or_else(|| panic!("no encoding {name:?}"))
    }

    fn width(self, character: char) -> usize {
        match self {
            Self::Utf8 => character.len_utf8(),
            Self::Utf16 => character.len_utf16(),
            Self::Utf32 => 1,
        }
    }
}

/// The position of a byte offset.
pub fn position(text: &str, offset: usize, encoding: Encoding) -> Value {
    let before = &text[..offset];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.matches('\n').count();
    let column: usize = before[line_start..]
        .chars()
        .map(|character| encoding.width(character))
        .sum();
    json!({"line": line, "character": column})
}

/// The byte offset of a position that must exist: a server that answers with another is wrong, so it panics.
pub fn offset(text: &str, position: &Value, encoding: Encoding) -> usize {
    offset_in(text, &line_starts(text), position, encoding)
}

/// Where the lines begin.
fn line_starts(text: &str) -> Vec<usize> {
    let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(breaks).collect()
}

fn offset_in(text: &str, starts: &[usize], position: &Value, encoding: Encoding) -> usize {
    let number = |name: &str| {
        position[name]
            .as_u64()
            .unwrap_or_else(|| panic!("{name} is missing in the position {position}"))
            as usize
    };
    let (line, column) = (number("line"), number("character"));
    let start = *starts.get(line).unwrap_or_else(|| {
        panic!(
            "position {position} is on a line that does not exist: the text has {} lines",
            starts.len()
        )
    });
    let mut counted = 0;
    for (at, character) in text[start..].char_indices() {
        if counted == column {
            return start + at;
        }
        assert!(
            character != '\n',
            "position {position} is behind the end of its line"
        );
        counted += encoding.width(character);
        assert!(
            counted <= column,
            "position {position} is inside the character {character:?}"
        );
    }
    assert!(
        counted == column,
        "position {position} is behind the end of the text"
    );
    text.len()
}

/// The one definition of logical text, written down once more: without BOM, LF for CRLF, ending in LF.
pub fn logical(wire: &str) -> String {
    let mut text = wire.strip_prefix('\u{feff}').unwrap_or(wire).to_owned();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text.replace("\r\n", "\n")
}

/// The sha256 of a wire text's logical form.
pub fn sha256(wire: &str) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(logical(wire))
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// One text edit of the protocol, resolved in a text.
pub type Change = (Range<usize>, String);

/// Resolves the text edits of a server in `text`, and judges them: they must not overlap, and must not address the line after the
/// last, where clients disagree, except that an empty text is replaced from (0,0) to (1,0).
pub fn resolve(text: &str, edits: &[Value], encoding: Encoding) -> Vec<Change> {
    let (whole, starts) = (logical(text), line_starts(text));
    let (empty, last) = (whole == "\n", whole.matches('\n').count() as u64 - 1);
    let mut changes: Vec<Change> = edits
        .iter()
        .map(|edit| {
            let new_text = edit["newText"]
                .as_str()
                .unwrap_or_else(|| panic!("newText is missing in {edit}"))
                .to_owned();
            let (start, end) = (&edit["range"]["start"], &edit["range"]["end"]);
            if empty {
                assert!(
                    (start["line"].as_u64(), start["character"].as_u64()) == (Some(0), Some(0)),
                    "an edit of an empty text must start at (0,0): {edit}"
                );
                return (0..text.len(), new_text);
            }
            for place in [start, end] {
                assert!(
                    place["line"].as_u64() <= Some(last),
                    "{edit} addresses the line after the last, {last}"
                );
            }
            let at = |place| offset_in(text, &starts, place, encoding);
            let range = at(start)..at(end);
            assert!(range.start <= range.end, "{edit} is backwards");
            (range, new_text)
        })
        .collect();
    // Stable: insertions at one place keep the order in which they were given.
    changes.sort_by_key(|(range, _)| (range.start, range.end));
    for pair in changes.windows(2) {
        assert!(
            pair[0].0.end <= pair[1].0.start,
            "overlapping edits: {edits:?}"
        );
    }
    changes
}

/// Applies resolved changes at once.
pub fn apply(text: &str, changes: &[Change]) -> String {
    let mut result = text.to_owned();
    for (range, new_text) in changes.iter().rev() {
        result.replace_range(range.clone(), new_text);
    }
    result
}

/// An open file.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// The text in the form in which it goes over the wire.
    pub wire: String,
    /// The version of the text that the server has been sent.
    pub sent_version: i64,
    /// The version of the text as it is; greater than the one sent while a flush is due.
    pub version: i64,
    /// What the server was last told that the text is, for a full synchronisation without need and for judging.
    pub sent: String,
    /// Content changes not sent yet (incremental form).
    pub unsent: Vec<Value>,
    /// Equal to the disk, as the editor believes.
    pub clean: bool,
    /// The texts before each undo step, with whether they were clean.
    pub undo: Vec<(String, bool)>,
}

impl Buffer {
    /// A buffer as just opened.
    pub fn new(wire: String, version: i64, clean: bool) -> Self {
        Self {
            sent: wire.clone(),
            wire,
            sent_version: version,
            version,
            unsent: Vec::new(),
            clean,
            undo: Vec::new(),
        }
    }

    /// Changes one place, remembering the content change for the next flush.
    pub fn change(&mut self, range: Range<usize>, text: &str, encoding: Encoding) {
        self.unsent.push(json!({
            "range": {"start": position(&self.wire, range.start, encoding), "end": position(&self.wire, range.end, encoding)},
            "text": text,
        }));
        self.wire.replace_range(range, text);
        // Neovim opens with 0 and then counts its change ticks, some of which opening has used up.
        self.version += if self.version == 0 { 3 } else { 1 };
        self.clean = false;
    }

    /// Begins an undo step.
    pub fn mark(&mut self) {
        self.undo.push((self.wire.clone(), self.clean));
    }

    /// The only place where `needle` stands.
    pub fn find(&self, needle: &str) -> Range<usize> {
        let mut found = self.wire.match_indices(needle);
        let (start, _) = found
            .next()
            .unwrap_or_else(|| panic!("{needle:?} is not in the buffer: {:?}", self.wire));
        assert!(
            found.next().is_none(),
            "{needle:?} stands more than once in the buffer"
        );
        start..start + needle.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_and_offsets_are_each_other_s_inverse_in_every_encoding() {
        let text = "a😀é\r\nb\n\ne\u{301}";
        for encoding in Encoding::ALL {
            for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                assert_eq!(
                    offset(text, &position(text, at, encoding), encoding),
                    at,
                    "{encoding:?} {at}"
                );
            }
        }
        assert_eq!(
            position(text, 5, Encoding::Utf8),
            json!({"line": 0, "character": 5})
        );
        assert_eq!(
            position(text, 5, Encoding::Utf16),
            json!({"line": 0, "character": 3})
        );
        assert_eq!(
            position(text, 5, Encoding::Utf32),
            json!({"line": 0, "character": 2})
        );
    }

    #[test]
    fn edits_apply_to_the_text_as_it_was() {
        let edit = |from: (u32, u32), to: (u32, u32), text: &str| json!({"range": {"start": {"line": from.0, "character": from.1}, "end": {"line": to.0, "character": to.1}}, "newText": text});
        let changes = resolve(
            "one\ntwo\n",
            &[edit((1, 0), (1, 3), "zwei"), edit((0, 3), (0, 3), "!")],
            Encoding::Utf16,
        );
        assert_eq!(apply("one\ntwo\n", &changes), "one!\nzwei\n");
        let changes = resolve("", &[edit((0, 0), (1, 0), "x\n")], Encoding::Utf16);
        assert_eq!(apply("", &changes), "x\n");
    }

    #[test]
    #[should_panic(expected = "the line after the last")]
    fn the_line_after_the_last_is_refused() {
        let place = json!({"line": 1, "character": 0});
        resolve(
            "a\n",
            &[json!({"range": {"start": place, "end": place}, "newText": "b\n"})],
            Encoding::Utf8,
        );
    }

    #[test]
    #[should_panic(expected = "overlapping")]
    fn overlapping_edits_are_refused() {
        let edit = |from: u32, to: u32| json!({"range": {"start": {"line": 0, "character": from}, "end": {"line": 0, "character": to}}, "newText": ""});
        resolve("abcdef\n", &[edit(0, 3), edit(2, 4)], Encoding::Utf8);
    }

    #[test]
    fn changes_are_remembered_for_the_next_flush() {
        let mut buffer = Buffer::new("a😀b\n".to_owned(), 0, true);
        buffer.mark();
        buffer.change(5..6, "c", Encoding::Utf16);
        assert_eq!(buffer.wire, "a😀c\n");
        assert_eq!(
            buffer.unsent[0]["range"]["start"],
            json!({"line": 0, "character": 3})
        );
        assert_eq!(
            (buffer.version, buffer.sent_version, buffer.clean),
            (3, 0, false)
        );
        assert_eq!(buffer.undo, [("a😀b\n".to_owned(), true)]);
    }

    #[test]
    fn logical_text_is_the_one_definition() {
        for (wire, expected) in [
            ("", "\n"),
            ("\n", "\n"),
            ("a", "a\n"),
            ("\u{feff}a\r\nb", "a\nb\n"),
            ("a\r\r\nb\n", "a\r\nb\n"),
            ("a\r", "a\n"),
        ] {
            assert_eq!(logical(wire), expected, "{wire:?}");
        }
    }
}
