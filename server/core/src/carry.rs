//! Where an edit stands in a text that has moved on since the edit was made.
//!
//! Knows texts and edits only: nothing of documents, versions, editors, or who is asked.
//!
//! [`carry`] brings an edit to a later text, by lines: the lines that a replacement touches must have come through the
//! change from base to current untouched, and an insertion between two lines needs that nothing was inserted or removed
//! there. Repeated lines make a change ambiguous (of three equal lines, which one was deleted?), so a change counts as
//! touching every line over which it could slide without making another text. A refusal costs a second reading; a guess
//! could cost the user's text.
//!
//! [`standing`] tells whether an edit that was sent to an editor has arrived, though the user types meanwhile.

mod standing;
mod typing;

pub use standing::{Standing, standing};

use crate::diff::{self, LineChange, ends, line_changes, line_count, starts_line};
use crate::edit::{Edit, Replacement};
use crate::position::{ByteRange, LineRange};
use crate::text::Snapshot;
use alloc::vec::Vec;
use ropey::Rope;

/// Where a range of lines stands in a later text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CarriedLines {
    /// The lines there.
    pub range: LineRange,
    /// Whether a change meets the range, which then covers the changed lines too.
    pub touched: bool,
}

/// An edit cannot be carried: lines that it touches changed meanwhile.
#[derive(Debug, Clone, PartialEq, Eq, Hash, thiserror::Error)]
#[error("the text changed meanwhile in {} of the edit's places; read them again", base_lines.len())]
pub struct CarryConflict {
    /// The lines of the base that the edit and the other change both touch, ascending.
    pub base_lines: Vec<LineRange>,
    /// What stands in their place now, one range for each.
    pub current_lines: Vec<LineRange>,
}

/// Carries a range of old lines over changes, ascending and disjoint as [`line_changes`] gives them.
///
/// A range that holds lines is touched by a change that meets one of them, not by an insertion directly before its
/// first or after its last. An empty range, a place between lines, is touched by whatever was inserted or removed
/// there.
pub fn carry_lines(range: LineRange, changes: &[LineChange]) -> CarriedLines {
    let (start, end) = (range.start.0, range.end.0.max(range.start.0));
    let meets = |change: &LineChange| {
        let (from, to) = (change.old.start.0, change.old.end.0);
        if start == end {
            from <= start && start <= to
        } else {
            from < end && start < to
        }
    };
    // A line that no change covers moves with the end of the last change before it.
    let moved = |line: usize, before: Option<&LineChange>| match before {
        Some(change) => line - change.old.end.0 + change.new.end.0,
        None => line,
    };
    let first = changes.partition_point(|change| change.old.end.0 <= start && !meets(change));
    let before = first.checked_sub(1).and_then(|index| changes.get(index));
    let met = changes[first..].iter().take_while(|change| meets(change));
    let met = &changes[first..first + met.count()];
    let (carried_start, carried_end) = match (met.first(), met.last()) {
        (Some(first), Some(last)) => (
            if first.old.start.0 <= start {
                first.new.start.0
            } else {
                moved(start, before)
            },
            if last.old.end.0 >= end {
                last.new.end.0
            } else {
                moved(end, Some(last))
            },
        ),
        _ => (moved(start, before), moved(end, before)),
    };
    CarriedLines {
        range: LineRange::new(carried_start, carried_end),
        touched: !met.is_empty(),
    }
}

/// Carries an edit of `base` to `current`, if the change between them leaves every line alone that the edit touches.
///
/// # Errors
/// [`CarryConflict`] if it does not, or if the edit is for another base.
pub fn carry(edit: &Edit, base: &Snapshot, current: &Snapshot) -> Result<Edit, CarryConflict> {
    let refusal = || CarryConflict {
        base_lines: Vec::from([LineRange::new(0, line_count(base.rope()))]),
        current_lines: Vec::from([LineRange::new(0, line_count(current.rope()))]),
    };
    if !edit.fits(base) {
        return Err(refusal());
    }
    if base.ptr_eq(current) || diff::equal(base.rope(), current.rope()) {
        return Ok(edit.clone());
    }
    let changes = line_changes(base.rope(), current.rope());
    let reaches = reaches(&changes, base.rope(), current.rope());
    let mut conflict = CarryConflict {
        base_lines: Vec::new(),
        current_lines: Vec::new(),
    };
    let mut carried = Vec::new();
    for replacement in edit.replacements() {
        let replacement = at_line_start(replacement, base.rope());
        let lines = touched_lines(&replacement, base.rope());
        let place = carry_lines(lines, &changes);
        if place.touched || carry_lines(lines, &reaches).touched {
            conflict.base_lines.push(lines);
            conflict.current_lines.push(place.range);
            continue;
        }
        let from = base.rope().line_to_byte(lines.start.0);
        let to = current.rope().line_to_byte(place.range.start.0);
        let start = replacement.range.start.0 - from + to;
        carried.push(Replacement {
            range: ByteRange::new(start, start + replacement.range.len()),
            text: replacement.text,
        });
    }
    if !conflict.base_lines.is_empty() {
        return Err(conflict);
    }
    // Untouched places are as disjoint as they were. Should that ever fail, refusing is the safe answer.
    Edit::new(current, carried).map_err(|_| refusal())
}

/// The changes, each covering all lines over which it could slide.
fn reaches(changes: &[LineChange], base: &Rope, current: &Rope) -> Vec<LineChange> {
    let total = line_count(base);
    (changes.iter().enumerate())
        .map(|(index, change)| {
            let (rope, lines) = match (change.old.is_empty(), change.new.is_empty()) {
                (true, _) => (current, change.new),
                (_, true) => (base, change.old),
                _ => return *change,
            };
            // Only over lines in common, that is, up to the neighbouring changes.
            let above = match index.checked_sub(1) {
                Some(before) => change.old.start.0 - changes[before].old.end.0,
                None => change.old.start.0,
            };
            let below = match changes.get(index + 1) {
                Some(after) => after.old.start.0 - change.old.end.0,
                None => total - change.old.end.0,
            };
            LineChange {
                old: LineRange::new(
                    change.old.start.0 - slides_up(rope, lines, above),
                    change.old.end.0 + slides_down(rope, lines, below),
                ),
                new: change.new,
            }
        })
        .collect()
}

/// Over how many of the `most` lines above it a run of lines could slide: those that repeat the run's own end.
fn slides_up(rope: &Rope, lines: LineRange, most: usize) -> usize {
    let bytes = lines.bytes(rope).to_range();
    let top = rope.line_to_byte(lines.start.0 - most);
    let common = ends::common_suffix(
        rope.byte_slice(top..bytes.start),
        rope.byte_slice(top..bytes.end),
    );
    let (place, repeated) = (bytes.start - common, bytes.end - common);
    let whole = starts_line(rope, place) && starts_line(rope, repeated);
    lines.start.0 - (rope.byte_to_line(place) + usize::from(!whole))
}

/// Over how many of the `most` lines below it a run of lines could slide: those that repeat the run's own start.
fn slides_down(rope: &Rope, lines: LineRange, most: usize) -> usize {
    let bytes = lines.bytes(rope).to_range();
    let bottom = rope.line_to_byte(lines.end.0 + most);
    let common = ends::common_prefix(
        rope.byte_slice(bytes.start..bottom),
        rope.byte_slice(bytes.end..bottom),
    );
    rope.byte_to_line(bytes.end + common) - lines.end.0
}

/// The same replacement, moved from the end of a line to the start of the next if it adds or removes whole lines there.
fn at_line_start(replacement: &Replacement, rope: &Rope) -> Replacement {
    let Replacement { range, text } = replacement;
    let (start, end) = (range.start.0, range.end.0);
    let is_break = |offset: usize| offset < rope.len_bytes() && rope.byte(offset) == b'\n';
    let moves = if range.is_empty() {
        text.starts_with('\n') && is_break(end)
    } else {
        text.is_empty() && is_break(start) && is_break(end)
    };
    if !moves {
        return replacement.clone();
    }
    let mut text = text.clone();
    if !text.is_empty() {
        text.remove(0);
        text.push('\n');
    }
    Replacement {
        range: ByteRange::new(start + 1, end + 1),
        text,
    }
}

/// The lines of the base that a replacement does not leave as they are; none for the insertion of whole lines.
fn touched_lines(replacement: &Replacement, rope: &Rope) -> LineRange {
    let Replacement { range, text } = replacement;
    let start = rope.byte_to_line(range.start.0);
    let end = rope.byte_to_line(range.end.0);
    // Is the line behind the replacement still a line of its own?
    let whole = starts_line(rope, range.end.0)
        && (text.ends_with('\n') || (text.is_empty() && starts_line(rope, range.start.0)));
    LineRange::new(start, if whole { end } else { end + 1 })
}

#[cfg(test)]
mod tests;
