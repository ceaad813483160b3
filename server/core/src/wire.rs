//! Edits on their way out: replacements of a logical text as changes of its wire form, in lines and columns; and places
//! in both directions.
//!
//! Clients disagree about the line after the last and about the final newline, so neither is ever addressed: an
//! appended line is a line break and its text at the end of the last line, and removed last lines take the line break
//! before them along. A BOM that the client sent counts in the columns of the first line.

use crate::edit::Replacement;
use crate::position::{ByteOffset, ByteRange, Position, PositionEncoding, locate, position_of};
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
    /// The new text. Its line breaks are like that of the line that it follows or replaces.
    pub text: String,
}

/// The replacements of an edit as changes of the wire form of `text`, in ascending order. They must be sorted,
/// disjoint, and leave an LF at the end, as [`crate::edit::Edit::replacements`] are.
pub fn wire_edits(
    text: &Text,
    replacements: &[Replacement],
    encoding: PositionEncoding,
) -> Vec<WireEdit> {
    let mut replacements = keep_off_the_end(text, replacements);
    // An empty last line has no wire form without a newline of its own, and a document in which nothing stands has no
    // last line that is to stay without one.
    let is_empty = text.rope().len_bytes() == 1 && text.tail().is_empty();
    if !text.final_newline()
        && (is_empty || text.replaced(&replacements).final_newline())
        && let Some(last) = replacements.last_mut()
    {
        last.text.push('\n');
    }
    replacements
        .into_iter()
        .map(|Replacement { range, text: new }| {
            let position = |offset| wire_position(text, offset, encoding);
            let (start, end) = (position(range.start), position(range.end));
            let new = match text.ending_of_new_lines(&range) {
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

/// Where a byte of the logical text is in the wire form.
pub fn wire_position(text: &Text, offset: ByteOffset, encoding: PositionEncoding) -> Position {
    let mut position = position_of(text.rope(), offset, encoding);
    position.column.0 += text.bom_units(position.line, encoding);
    position
}

/// The byte of the logical text at a position of the wire form. None: this text has no such place, so another is meant.
pub fn logical_offset(
    text: &Text,
    position: Position,
    encoding: PositionEncoding,
) -> Option<ByteOffset> {
    let mut position = position;
    let units = text.bom_units(position.line, encoding);
    position.column.0 = position.column.0.saturating_sub(units);
    let (offset, is_past) = locate(text.rope(), position, encoding);
    (!is_past).then_some(offset)
}

/// The same change without touching the final LF.
fn keep_off_the_end(text: &Text, replacements: &[Replacement]) -> Vec<Replacement> {
    let rope = text.rope();
    let length = rope.len_bytes();
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
    let (start, new) = match (start == length, tail.text.strip_suffix('\n')) {
        // Lines appended behind the final LF.
        (true, appended) => {
            let mut new = String::from("\n");
            new.push_str(appended.unwrap_or(&tail.text));
            (last, new)
        }
        (false, Some(new)) => (start, String::from(new)),
        // The last lines are removed: the LF before them goes instead of the final one. A CR before it would belong to
        // the final line break then, so it gets a second one.
        (false, None) => {
            let after_cr = start > 1 && rope.byte(start - 2) == b'\r';
            let new = if after_cr && !text.tail().starts_with('\r') {
                "\r"
            } else {
                ""
            };
            (start.saturating_sub(1), String::from(new))
        }
    };
    replacements.push(Replacement {
        range: ByteRange {
            start: ByteOffset(start),
            end: ByteOffset(last.max(start)),
        },
        text: new,
    });
    replacements
}

#[cfg(test)]
mod tests;
