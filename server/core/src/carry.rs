//! Where an edit stands in a text that has moved on since the edit was made.
//!
//! Knows texts and edits only: nothing of documents, versions, editors or who is asked.
//!
//! # Carrying
//!
//! [`carry`] brings an edit to a later text, by lines: the lines that a replacement touches must have come through the
//! change from base to current untouched, and an insertion between two lines needs that nothing was inserted or removed
//! there. Repeated lines make a change ambiguous: of three equal lines, which one was deleted? A change is then taken to
//! touch every line to which it could slide without the text becoming another. A refusal costs a second reading; a guess
//! could cost the user's text.
//!
//! # Standing
//!
//! [`standing`] answers, when an editor reports a change while an edit of ours is under way, whether that edit has landed.
//! The user may have typed meanwhile, on the same line too. The two mistakes differ in price: a wrong `Landed` loses the
//! agent's edit, a wrong `NotLanded` would apply it twice. So `NotLanded` needs proof, and doubt ends in `Neither`.
//!
//! The edit is first split into *marks*, its smallest changed runs with an old and a new text. Then two readings are tried:
//! the present text is the base with the edit, typed into; or it is the base, typed into.
//!
//! 1. *Typing only.* If a reading needs nothing but insertions outside its marks, that is decided exactly, without a diff:
//!    the text must be a subsequence of the present one with each mark's text in one piece. Matching each piece at its
//!    earliest place finds such a reading whenever there is one.
//! 2. *Any change.* Otherwise the changes of both readings are computed, by words inside lines, and a mark stands where no
//!    change meets it. A deletion of repeated text, and for the old reading an insertion too, meets all places to which it
//!    could slide.
//! 3. *The nearer text.* A mark that only deletes has nothing to look for: every text that holds the old words also holds
//!    the text without them. Therefore, where both readings are possible, the one that explains more of the present text
//!    wins, that is, the one that needs fewer changed bytes, and `NotLanded` is never said unless the base is strictly nearer.
//! 4. *Seams.* The old text of an insertion is an empty place and stands only if both neighbours still touch. The old text of
//!    a deletion stands surely only with its neighbours: text typed right beside it might as well be the user's own, typed
//!    after the deletion.
//!
//! Undoing an edit gives the base again; that is `NotLanded`, since no text can tell the two apart.

use alloc::vec::Vec;
use core::ops::Range;

use ropey::Rope;

use crate::diff::{self, LineChange, line_changes, line_count};
use crate::edit::{Edit, Replacement};
use crate::position::{ByteRange, LineRange};
use crate::text::Snapshot;

/// Where a range of lines stands in a later text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CarriedLines {
    /// The lines there.
    pub range: LineRange,
    /// Whether a change meets the range; it then covers the changed lines too.
    pub touched: bool,
}

/// An edit cannot be carried: the text that it changes was changed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("{} of the edit's places changed meanwhile; read them again", .base_lines.len())]
pub struct CarryConflict {
    /// The lines of the base that the edit and the other change both touch.
    pub base_lines: Vec<LineRange>,
    /// What stands in their place now, one for each.
    pub current_lines: Vec<LineRange>,
}

/// Whether an edit stands in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// All of its new text stands.
    Landed,
    /// All of the text that it was to replace stands.
    NotLanded,
    /// Some of its new text stands, and some of the old.
    Partial,
    /// It cannot be told; the places were changed by someone else.
    Neither,
}

/// Carries a range of old lines over changes, which are ascending and disjoint as [`line_changes`] gives them.
///
/// A non-empty range is touched by a change that meets one of its lines; not by an insertion directly before its first or
/// after its last line. An empty range, a place between lines, is touched by whatever was inserted or removed there.
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
    let mut carried = (start, end);
    let mut touched = false;
    // From old to new line numbers, behind the changes passed so far.
    let shifted = |line: usize, last: Option<&LineChange>| match last {
        Some(change) => line - change.old.end.0 + change.new.end.0,
        None => line,
    };
    let mut last = None;
    for change in changes {
        if meets(change) {
            if !touched {
                carried.0 = if change.old.start.0 <= start {
                    change.new.start.0
                } else {
                    shifted(start, last)
                };
            }
            touched = true;
            carried.1 = if change.old.end.0 >= end {
                change.new.end.0
            } else {
                shifted(end, Some(change))
            };
        } else if change.old.start.0 >= end {
            break;
        }
        last = Some(change);
    }
    if !touched {
        carried = (shifted(start, last), shifted(end, last));
    }
    CarriedLines {
        range: LineRange::new(carried.0, carried.1),
        touched,
    }
}

/// Carries an edit of `base` to `current`, if the change between them leaves alone every line that the edit touches.
///
/// # Errors
/// [`CarryConflict`] if it does not, or if the edit is for another base.
pub fn carry(edit: &Edit, base: &Snapshot, current: &Snapshot) -> Result<Edit, CarryConflict> {
    let whole = |rope: &Rope| LineRange::new(0, line_count(rope));
    let refused = || CarryConflict {
        base_lines: Vec::from([whole(base.rope())]),
        current_lines: Vec::from([whole(current.rope())]),
    };
    if edit.base() != base.hash() {
        return Err(refused());
    }
    if base.ptr_eq(current) || diff::equal(base.rope(), current.rope()) {
        return Ok(edit.clone());
    }
    let changes = line_changes(base.rope(), current.rope());
    let reach: Vec<LineChange> = changes
        .iter()
        .map(|change| reach(change, base.rope(), current.rope()))
        .collect();
    let mut conflict = CarryConflict {
        base_lines: Vec::new(),
        current_lines: Vec::new(),
    };
    let mut carried = Vec::new();
    for replacement in edit.replacements() {
        let replacement = at_line_start(replacement, base.rope());
        let lines = touched_lines(&replacement, base.rope());
        let place = carry_lines(lines, &changes);
        if place.touched
            || reach
                .iter()
                .any(|change| carry_lines(lines, &[*change]).touched)
        {
            conflict.base_lines.push(lines);
            conflict.current_lines.push(place.range);
            continue;
        }
        let from = base.rope().line_to_byte(lines.start.0);
        let to = current.rope().line_to_byte(place.range.start.0);
        carried.push(Replacement {
            range: ByteRange::new(
                replacement.range.start.0 - from + to,
                replacement.range.end.0 - from + to,
            ),
            text: replacement.text,
        });
    }
    if !conflict.base_lines.is_empty() {
        return Err(conflict);
    }
    // Places that were disjoint stay so, hence this holds; if not, nothing is safer than to refuse.
    Edit::new(current, carried).map_err(|_| refused())
}

/// All lines that a pure insertion or deletion could be said to be at: it slides over lines equal to its own.
fn reach(change: &LineChange, base: &Rope, current: &Rope) -> LineChange {
    let (rope, lines) = if change.old.is_empty() {
        (current, change.new)
    } else if change.new.is_empty() {
        (base, change.old)
    } else {
        return *change;
    };
    let (start, end) = (lines.start.0, lines.end.0);
    let total = line_count(rope);
    let mut up = 0;
    while up < start && rope.line(start - 1 - up) == rope.line(end - 1 - up) {
        up += 1;
    }
    let mut down = 0;
    while end + down < total && rope.line(start + down) == rope.line(end + down) {
        down += 1;
    }
    LineChange {
        old: LineRange::new(change.old.start.0 - up, change.old.end.0 + down),
        new: change.new,
    }
}

/// The same replacement, moved from the end of a line to the start of the next if it inserts or removes whole lines there.
fn at_line_start(replacement: &Replacement, rope: &Rope) -> Replacement {
    let Replacement { range, text } = replacement;
    let (start, end) = (range.start.0, range.end.0);
    let feeds = |offset: usize| offset + 1 < rope.len_bytes() && rope.byte(offset) == b'\n';
    let moves = if start == end {
        text.starts_with('\n') && feeds(end)
    } else {
        text.is_empty() && feeds(start) && feeds(end)
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

/// The lines of the base that do not come through a replacement as they are; empty for the insertion of whole lines.
fn touched_lines(replacement: &Replacement, rope: &Rope) -> LineRange {
    let Replacement { range, text } = replacement;
    let starts_line = |offset: usize| offset == 0 || rope.byte(offset - 1) == b'\n';
    let start = rope.byte_to_line(range.start.0);
    let end = rope.byte_to_line(range.end.0);
    // Does the line that holds the end still start where a line starts?
    let kept = starts_line(range.end.0)
        && (text.ends_with('\n') || text.is_empty() && starts_line(range.start.0));
    LineRange::new(start, if kept { end } else { end + 1 })
}

/// Whether `edit` stands in `current`, which is `base`, or `base` with the edit, changed further by the user.
pub fn standing(edit: &Edit, base: &Snapshot, current: &Rope) -> Standing {
    let base = base.rope();
    let Some(after) = applied(edit, base) else {
        return Standing::Neither;
    };
    if diff::equal(&after, current) {
        return Standing::Landed;
    }
    if diff::equal(base, current) {
        return Standing::NotLanded;
    }
    let marks = marks(edit, base);
    Readings {
        base,
        after: &after,
        current,
        marks: &marks,
    }
    .judge()
}

/// The rope with the edit in it; none if the edit does not fit.
fn applied(edit: &Edit, base: &Rope) -> Option<Rope> {
    let mut rope = base.clone();
    for replacement in edit.replacements().iter().rev() {
        let start = base.try_byte_to_char(replacement.range.start.0).ok()?;
        let end = base.try_byte_to_char(replacement.range.end.0).ok()?;
        rope.try_remove(start..end).ok()?;
        rope.try_insert(start, &replacement.text).ok()?;
    }
    Some(rope)
}

/// One smallest changed run of an edit.
#[derive(Clone, Debug)]
struct Mark {
    /// Its bytes in the base.
    old: Range<usize>,
    /// Its bytes in the base with the edit.
    new: Range<usize>,
}

fn marks(edit: &Edit, base: &Rope) -> Vec<Mark> {
    let mut marks = Vec::new();
    let (mut removed, mut added) = (0, 0);
    for replacement in edit.replacements() {
        let start = replacement.range.start.0;
        let old = diff::text(base.byte_slice(replacement.range.to_range()));
        for (from, to) in diff::word_changes(&old, &replacement.text) {
            marks.push(Mark {
                old: start + from.start..start + from.end,
                new: start - removed + added + to.start..start - removed + added + to.end,
            });
        }
        removed += old.len();
        added += replacement.text.len();
    }
    marks
}

/// The two readings of a text.
struct Readings<'a> {
    base: &'a Rope,
    after: &'a Rope,
    current: &'a Rope,
    marks: &'a [Mark],
}

impl Readings<'_> {
    fn judge(&self) -> Standing {
        let new: Vec<bool> = self.standing_in(self.after, |mark| mark.new.clone(), false);
        let old: Vec<bool> = self.standing_in(self.base, |mark| mark.old.clone(), true);
        let nearer_base = distance(self.base, self.current) < distance(self.after, self.current);
        if new.iter().all(|it| *it) && !(nearer_base && old.iter().all(|it| *it)) {
            Standing::Landed
        } else if old.iter().all(|it| *it) && nearer_base {
            Standing::NotLanded
        } else if new.iter().zip(&old).all(|(new, old)| new != old) {
            Standing::Partial
        } else {
            Standing::Neither
        }
    }

    fn standing_in(
        &self,
        text: &Rope,
        place: impl Fn(&Mark) -> Range<usize>,
        strict: bool,
    ) -> Vec<bool> {
        let changes = diff::replacements(text, self.current);
        self.marks
            .iter()
            .map(|mark| {
                let place = place(mark);
                !changes.iter().any(|change| {
                    let range = change.range.to_range();
                    if place.is_empty() && strict {
                        range.start <= place.start && place.start <= range.end
                    } else if place.is_empty() {
                        range.start < place.start && place.start < range.end
                    } else {
                        range.start < place.end && place.start < range.end
                    }
                })
            })
            .collect()
    }
}

/// How many bytes a change removes and adds.
fn distance(from: &Rope, to: &Rope) -> usize {
    diff::replacements(from, to)
        .iter()
        .map(|change| change.range.len() + change.text.len())
        .sum()
}

#[cfg(test)]
mod tests;
