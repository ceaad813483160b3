//! A text buffer of the demo's small editor: text, version, positions in UTF-16, as LSP has them by default.
//!
//! Written without the server's own text code, so that the two agree only if both are right.

use serde_json::{Value, json};

/// An open document.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// What stands in it.
    pub text: String,
    /// Goes up with each change.
    pub version: i64,
}

/// One replacement, in positions of the text before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    /// Line and UTF-16 column of the start.
    pub start: (usize, usize),
    /// Line and UTF-16 column of the end.
    pub end: (usize, usize),
    /// What stands there afterwards.
    pub text: String,
}

impl TextEdit {
    /// Reads a `TextEdit` of the protocol.
    pub fn from_json(edit: &Value) -> Option<TextEdit> {
        let position = |end: &str| {
            let position = edit.get("range")?.get(end)?;
            let number = |key: &str| usize::try_from(position.get(key)?.as_u64()?).ok();
            Some((number("line")?, number("character")?))
        };
        let text = edit.get("newText")?.as_str()?.to_owned();
        Some(TextEdit {
            start: position("start")?,
            end: position("end")?,
            text,
        })
    }

    fn to_change(&self) -> Value {
        let position =
            |(line, character): (usize, usize)| json!({ "line": line, "character": character });
        json!({ "range": { "start": position(self.start), "end": position(self.end) }, "text": self.text })
    }
}

impl Buffer {
    /// A buffer as it is when a file was just opened.
    pub fn new(text: &str) -> Self {
        Buffer {
            text: text.to_owned(),
            version: 1,
        }
    }

    /// Applies edits that address the present text and returns them as the content changes of one `didChange`.
    /// `None`, and nothing is changed, if one lies outside the text or two overlap.
    pub fn apply(&mut self, edits: &[TextEdit]) -> Option<Vec<Value>> {
        let mut places = Vec::new();
        for edit in edits {
            let (start, end) = (self.offset(edit.start)?, self.offset(edit.end)?);
            if start > end {
                return None;
            }
            places.push((start, end, edit));
        }
        // From the end of the text to its start, none moves the place of the next.
        places.sort_by_key(|(start, end, _)| (*start, *end));
        if places.windows(2).any(|pair| pair[0].1 > pair[1].0) {
            return None;
        }
        let mut changes = Vec::new();
        for (start, end, edit) in places.into_iter().rev() {
            self.text.replace_range(start..end, &edit.text);
            changes.push(edit.to_change());
        }
        self.version += 1;
        Some(changes)
    }

    /// Line and UTF-16 column where `needle` starts, if it stands in the text.
    pub fn find(&self, needle: &str) -> Option<(usize, usize)> {
        let offset = self.text.find(needle)?;
        let before = &self.text[..offset];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Some((
            before.matches('\n').count(),
            before[line_start..].encode_utf16().count(),
        ))
    }

    fn offset(&self, (line, column): (usize, usize)) -> Option<usize> {
        let start = match line {
            0 => 0,
            _ => self.text.match_indices('\n').nth(line - 1)?.0 + 1,
        };
        let mut units = 0;
        for (offset, character) in self.text[start..].char_indices() {
            if units >= column || character == '\n' {
                return Some(start + offset);
            }
            units += character.len_utf16();
        }
        Some(self.text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(start: (usize, usize), end: (usize, usize), text: &str) -> TextEdit {
        TextEdit {
            start,
            end,
            text: text.to_owned(),
        }
    }

    #[test]
    fn edits_address_the_text_before_them_whatever_their_order() {
        let mut buffer = Buffer::new("one\n🐈 two\nthree\n");
        let changes = buffer.apply(&[edit((0, 0), (0, 3), "1"), edit((1, 3), (1, 6), "2")]);
        assert_eq!(buffer.text, "1\n🐈 2\nthree\n");
        assert_eq!(buffer.version, 2);
        let starts: Vec<_> = changes
            .into_iter()
            .flatten()
            .map(|change| change["range"]["start"].clone())
            .collect();
        assert_eq!(
            starts,
            [
                json!({ "line": 1, "character": 3 }),
                json!({ "line": 0, "character": 0 })
            ]
        );
    }

    #[test]
    fn overlapping_and_outlying_edits_change_nothing() {
        let mut buffer = Buffer::new("abcdef\n");
        assert_eq!(
            buffer.apply(&[edit((0, 0), (0, 4), "x"), edit((0, 3), (0, 5), "y")]),
            None
        );
        assert_eq!(buffer.apply(&[edit((7, 0), (7, 0), "x")]), None);
        assert_eq!((buffer.text.as_str(), buffer.version), ("abcdef\n", 1));
    }

    #[test]
    fn a_place_is_found_in_utf16_columns() {
        let buffer = Buffer::new("a\n🐈 b\n");
        assert_eq!(buffer.find("b"), Some((1, 3)));
        assert_eq!(buffer.find("c"), None);
    }
}
