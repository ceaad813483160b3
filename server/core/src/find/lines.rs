//! The lines of a text, as they stand and as they are looked for: folded, without the white space at their ends.
//!
//! Folding keeps the number of lines, so that a place in the folded text is found again by its line.

use super::fold;
use crate::position::LineRange;
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use memchr::{memchr, memchr_iter, memmem};
use ropey::Rope;

/// The lines of a part of a text. They are numbered from the part's first.
pub(super) struct Lines<'a> {
    text: Cow<'a, str>,
    /// Where each line starts, and where the last one ends.
    starts: Vec<usize>,
    /// The folded lines, each with its LF.
    folded: String,
    /// The byte and the line of the text at which the part begins.
    byte: usize,
    line: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn of(rope: &'a Rope, within: LineRange) -> Self {
        let bytes = within.bytes(rope);
        let text: Cow<'a, str> = rope.byte_slice(bytes.to_range()).into();
        let mut starts = Vec::with_capacity(text.len() / 32 + 2);
        let mut folded = String::with_capacity(text.len() + 1);
        starts.push(0);
        let mut start = 0;
        while start < text.len() {
            let end = memchr(b'\n', &text.as_bytes()[start..]).map_or(text.len(), |at| start + at);
            fold::push(text[start..end].trim(), &mut folded);
            folded.push('\n');
            start = (end + 1).min(text.len());
            starts.push(start);
        }
        Self {
            text,
            starts,
            folded,
            byte: bytes.start.0,
            line: within.start.0,
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// A line without its LF.
    pub(super) fn line(&self, index: usize) -> &str {
        let line = &self.text[self.starts[index]..self.starts[index + 1]];
        line.strip_suffix('\n').unwrap_or(line)
    }

    /// Several lines with their LFs.
    pub(super) fn lines(&self, lines: core::ops::Range<usize>) -> &str {
        &self.text[self.starts[lines.start]..self.starts[lines.end]]
    }

    /// The byte of the text at which a line starts, or the part ends.
    pub(super) fn start(&self, index: usize) -> usize {
        self.byte + self.starts[index]
    }

    /// The byte of the text at which a line ends, before its LF.
    pub(super) fn end(&self, index: usize) -> usize {
        self.start(index) + self.line(index).len()
    }

    /// The line of the text.
    pub(super) fn number(&self, index: usize) -> usize {
        self.line + index
    }

    /// The line that holds a byte of [`Self::text`].
    pub(super) fn line_of(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte) - 1
    }

    /// All of them as they stand.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The folded lines.
    pub(super) fn folded(&self) -> impl Iterator<Item = &str> {
        let mut rest = self.folded.as_str();
        core::iter::from_fn(move || {
            let end = memchr(b'\n', rest.as_bytes())?;
            let line = &rest[..end];
            rest = &rest[end + 1..];
            Some(line)
        })
    }

    /// The lines in whose folded form `key` begins, each once. It may span several lines.
    pub(super) fn hits(&self, key: &str) -> impl Iterator<Item = usize> {
        let finder = memmem::Finder::new(key).into_owned();
        let folded = self.folded.as_bytes();
        // Up to here all is searched, and so many lines are before it.
        let (mut searched, mut line) = (0, 0);
        core::iter::from_fn(move || {
            let at = searched + finder.find(folded.get(searched..)?)?;
            let hit = line + memchr_iter(b'\n', &folded[searched..at]).count();
            searched = memchr(b'\n', &folded[at..]).map_or(folded.len(), |end| at + end + 1);
            line = hit + 1;
            Some(hit)
        })
    }
}
