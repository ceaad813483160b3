//! Edits on their way out: replacements of a logical text as changes of its wire form, in lines and columns.
//!
//! Clients disagree about the line after the last and about the final newline, so neither is ever addressed: an
//! appended line is a line break and its text at the end of the last line, and removed last lines take the line break
//! before them along.

use crate::edit::Replacement;
use crate::position::{ByteOffset, ByteRange, Position, PositionEncoding, position_of};
use crate::text::{LineEnding, Text};
use alloc::string::String;
use alloc::vec::Vec;

/// A change of the wire form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WireEdit {
    /// Where it starts.
    pub start: Position,
    /// Where it ends.
    pub end: Position,
    /// The new text. Its line breaks end like the line where it starts.
    pub text: String,
}

/// The replacements of an edit as changes of the wire form of `text`, in ascending order. They must be sorted,
/// disjoint, and leave an LF at the end, as [`crate::edit::Edit::replacements`] are.
pub fn wire_edits(
    text: &Text,
    replacements: &[Replacement],
    encoding: PositionEncoding,
) -> Vec<WireEdit> {
    let rope = text.rope();
    let mut replacements = keep_off_the_end(replacements, rope.len_bytes());
    // An empty last line has no wire form without a newline of its own.
    if !text.final_newline()
        && text.replaced(&replacements).final_newline()
        && let Some(last) = replacements.last_mut()
    {
        last.text.push('\n');
    }
    replacements
        .into_iter()
        .map(|Replacement { range, text: new }| {
            let start = position_of(rope, range.start, encoding);
            let end = position_of(rope, range.end, encoding);
            let new = match text.ending(start.line.0) {
                LineEnding::Lf => new,
                LineEnding::CrLf => new.replace('\n', LineEnding::CrLf.as_str()),
            };
            WireEdit {
                start,
                end,
                text: new,
            }
        })
        .collect()
}

/// The same change without touching the final LF, which is the last of `length` bytes.
fn keep_off_the_end(replacements: &[Replacement], length: usize) -> Vec<Replacement> {
    let mut replacements = replacements.to_vec();
    let Some(mut tail) = replacements.pop_if(|it| it.range.end.0 == length) else {
        return replacements;
    };
    while let Some(before) = replacements.pop_if(|it| it.range.end == tail.range.start) {
        tail.range.start = before.range.start;
        tail.text.insert_str(0, &before.text);
    }
    let last = length - 1;
    let start = tail.range.start.0;
    let (start, text) = match (start == length, tail.text.strip_suffix('\n')) {
        // Lines appended behind the final LF.
        (true, appended) => {
            let mut text = String::from("\n");
            text.push_str(appended.unwrap_or(&tail.text));
            (last, text)
        }
        (false, Some(text)) => (start, String::from(text)),
        // The last lines are removed: the LF before them goes instead of the final one.
        (false, None) => (start.saturating_sub(1), tail.text),
    };
    replacements.push(Replacement {
        range: ByteRange {
            start: ByteOffset(start),
            end: ByteOffset(last.max(start)),
        },
        text,
    });
    replacements
}

#[cfg(test)]
mod tests;
