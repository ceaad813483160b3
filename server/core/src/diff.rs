//! What differs between two texts: by lines, by words inside changed lines, and as a unified diff.
//!
//! Knows ropes and byte ranges only: nothing of bases, line endings or who changed what.
//!
//! Work is bounded without a clock, see `lines` and `words`. A result is always correct; only its smallness
//! depends on the bounds.

pub(crate) mod ends;
mod lines;
pub(crate) mod search;
mod slide;
pub(crate) mod words;

use crate::edit::Replacement;
use crate::position::{ByteRange, LineRange};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;
use core::ops::Range;
use ropey::Rope;

/// A run of lines that stands differently in two texts. One side may be empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LineChange {
    /// The lines of the old text.
    pub old: LineRange,
    /// The lines of the new text that stand in their place.
    pub new: LineRange,
}

/// How many lines a diff adds and removes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct LineCounts {
    /// Lines of the new text that are not in the old one.
    pub added: usize,
    /// Lines of the old text that are not in the new one.
    pub removed: usize,
}

/// A changed run, as indices or byte offsets: where it was, and where it is now.
pub(crate) type Change = (Range<usize>, Range<usize>);

/// Whether two ropes hold the same text.
pub fn equal(left: &Rope, right: &Rope) -> bool {
    let bytes = left.len_bytes();
    bytes == right.len_bytes()
        && (left.is_instance(right)
            || ends::common_prefix(left.slice(..), right.slice(..)) == bytes)
}

/// The one run of bytes in which two texts differ, on `char` boundaries: where it was, and where it is now. None:
/// they are equal.
pub fn changed_bytes(old: &Rope, new: &Rope) -> Option<(ByteRange, ByteRange)> {
    let prefix = ends::common_prefix(old.slice(..), new.slice(..));
    if prefix == old.len_bytes() && prefix == new.len_bytes() {
        return None;
    }
    let prefix = old.char_to_byte(old.byte_to_char(prefix));
    let (old_rest, new_rest) = (old.byte_slice(prefix..), new.byte_slice(prefix..));
    let suffix = ends::common_suffix(old_rest, new_rest);
    // A common end may begin inside a character: the first boundary after that is common too.
    let from = old_rest.len_bytes() - suffix;
    let char = old_rest.byte_to_char(from);
    let boundary = old_rest.char_to_byte(char);
    let boundary = if boundary < from {
        old_rest.char_to_byte(char + 1)
    } else {
        boundary
    };
    let old_end = prefix + boundary;
    let new_end = prefix + new_rest.len_bytes() - (old_rest.len_bytes() - boundary);
    Some((
        ByteRange::new(prefix, old_end),
        ByteRange::new(prefix, new_end),
    ))
}

/// The changed runs of lines: ascending, disjoint, never adjacent, and none with a first or last line in common.
///
/// Where added or removed lines could stand at several places, because they repeat what is around them, the place
/// that reads best is taken.
pub fn line_changes(old: &Rope, new: &Rope) -> Vec<LineChange> {
    let mut changes = lines::changes(old, new, &lines::BOUNDS);
    slide::to_best_places(&mut changes, old, new);
    (changes.into_iter())
        .map(|(from, to)| LineChange {
            old: LineRange::new(from.start, from.end),
            new: LineRange::new(to.start, to.end),
        })
        .collect()
}

/// The smallest replacements that turn `old` into `new`: whole lines where lines come or go, words or parts of them
/// where lines change. Ascending, disjoint, on `char` boundaries.
pub fn replacements(old: &Rope, new: &Rope) -> Vec<Replacement> {
    let mut replacements = Vec::new();
    for change in line_changes(old, new) {
        let old_lines = change.old.bytes(old).to_range();
        let old_text = bytes_text(old, old_lines.clone());
        let new_text = bytes_text(new, change.new.bytes(new).to_range());
        for (from, to) in words::changes(&old_text, &new_text) {
            let start = old_lines.start;
            replacements.push(Replacement {
                range: ByteRange::new(start + from.start, start + from.end),
                text: String::from(&new_text[to]),
            });
        }
    }
    replacements
}

/// A unified diff with `context` lines around each change and without a file header; empty for equal texts.
pub fn unified(old: &Rope, new: &Rope, context: usize) -> String {
    let mut output = String::new();
    let changes = line_changes(old, new);
    let old_count = line_count(old);
    for hunk in changes.chunk_by(|a, b| b.old.start.0 - a.old.end.0 <= 2 * context) {
        // A chunk is never empty.
        let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else {
            continue;
        };
        let before = context.min(first.old.start.0);
        let after = context.min(old_count - last.old.end.0);
        let old_lines = first.old.start.0 - before..last.old.end.0 + after;
        let new_lines = first.new.start.0 - before..last.new.end.0 + after;
        push_header(&mut output, &old_lines, &new_lines);
        let mut next = old_lines.start;
        for change in hunk {
            push_lines(&mut output, ' ', old, next..change.old.start.0);
            push_lines(&mut output, '-', old, change.old.start.0..change.old.end.0);
            push_lines(&mut output, '+', new, change.new.start.0..change.new.end.0);
            next = change.old.end.0;
        }
        push_lines(&mut output, ' ', old, next..old_lines.end);
    }
    output
}

/// Counts the lines that changes add and remove.
pub fn counts(changes: &[LineChange]) -> LineCounts {
    changes
        .iter()
        .fold(LineCounts::default(), |counts, change| LineCounts {
            added: counts.added + change.new.len(),
            removed: counts.removed + change.old.len(),
        })
}

fn push_header(output: &mut String, old: &Range<usize>, new: &Range<usize>) {
    // Lines are counted from 1; an empty side names the line before it.
    let first = |lines: &Range<usize>| lines.start + usize::from(!lines.is_empty());
    // Writing to a String cannot fail.
    let _ = writeln!(
        output,
        "@@ -{},{} +{},{} @@",
        first(old),
        old.len(),
        first(new),
        new.len()
    );
}

fn push_lines(output: &mut String, mark: char, rope: &Rope, lines: Range<usize>) {
    for line in lines_text(rope, lines).split_inclusive('\n') {
        output.push(mark);
        output.push_str(line);
        if !line.ends_with('\n') {
            output.push('\n');
        }
    }
}

/// Whether a line starts at this byte.
pub(crate) fn starts_line(rope: &Rope, offset: usize) -> bool {
    offset == 0 || rope.byte(offset - 1) == b'\n'
}

/// How many lines a text has: a final LF ends the last line and starts no further one.
pub(crate) fn line_count(rope: &Rope) -> usize {
    rope.len_lines() - usize::from(starts_line(rope, rope.len_bytes()))
}

/// The text of whole lines, borrowed where it lies in one chunk.
pub(crate) fn lines_text(rope: &Rope, lines: Range<usize>) -> Cow<'_, str> {
    bytes_text(
        rope,
        rope.line_to_byte(lines.start)..rope.line_to_byte(lines.end),
    )
}

/// The text of a run of bytes, borrowed where it lies in one chunk.
pub(crate) fn bytes_text(rope: &Rope, bytes: Range<usize>) -> Cow<'_, str> {
    rope.byte_slice(bytes).into()
}

#[cfg(test)]
mod tests;
