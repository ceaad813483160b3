//! Whether an edit that was sent to an editor stands in the text that the editor reports, though the user types
//! meanwhile.
//!
//! Knows the edit and three texts: nothing of messages or time.
//!
//! The two mistakes differ in price: a wrong `Landed` loses the agent's edit, a wrong `NotLanded` would apply it
//! twice. So `NotLanded` needs proof, and doubt ends in `Neither`, after which the agent reads again.
//!
//! An edit is split into *marks*, its smallest changed runs, each with an old and a new text. Two readings of the
//! present text are tried: it is the base with the edit, changed by the user; or it is the base, changed by the user.
//!
//! 1. *Only typing.* If a reading needs nothing but insertions, none of them inside a mark's text, that is decided
//!    exactly ([`typing`](super::typing)), wherever on the line the user typed.
//! 2. *Any change.* Else the changes of each reading are computed, by words inside lines, and a mark stands if none
//!    meets it. A deletion in repeated text meets all places to which it could slide; in the old reading an insertion
//!    does so too.
//! 3. *The nearer text.* Where both readings are possible, the one that explains more of the present text, and so
//!    needs fewer changed characters, is right. A mark that only deletes leaves nothing to look for, since a text
//!    that holds its old words also holds the text without them: it is not taken as landed where the old words could
//!    be found in its place. `NotLanded` is never said unless the base is nearer than the base with the edit.
//! 4. *Seams.* The old text of an insertion is an empty place; it stands only if what is around it still touches. The
//!    old text of a deletion stands only together with what is around it: with something typed right beside it, it
//!    might as well have been typed itself, after the deletion. In repeated text what is around begins where the
//!    repetition ends.
//!
//! Taking an edit back gives the base again. That is `NotLanded`: no text can tell the two apart.

use super::typing::{self, Framed, Pair};
use crate::diff::{self, ends, words};
use crate::edit::{Edit, Replacement};
use crate::text::Snapshot;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::Range;
use ropey::Rope;

/// Whether an edit stands in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Standing {
    /// All of its new text stands.
    Landed,
    /// All of the text that it was to replace stands, and the edit is not there.
    NotLanded,
    /// Some of its new text stands, and otherwise the old.
    Partial,
    /// It cannot be told, or someone else changed the places.
    Neither,
}

/// Whether `edit` stands in `current`, which is `base`, or `base` with the edit, and then perhaps changed by the user.
pub fn standing(edit: &Edit, base: &Snapshot, current: &Rope) -> Standing {
    if !edit.fits(base) {
        return Standing::Neither;
    }
    let base = base.rope();
    let after = applied(edit, base);
    let from_after = Pair::new(&after, current);
    if from_after.equal() {
        return Standing::Landed;
    }
    let from_base = Pair::new(base, current);
    if from_base.equal() {
        return Standing::NotLanded;
    }
    let readings = Readings {
        base,
        after: &after,
        current,
        from_base,
        from_after,
        marks: &marks(edit, base),
    };
    readings
        .by_typing()
        .unwrap_or_else(|| readings.by_changes())
}

/// The base with the edit, which must be for it.
fn applied(edit: &Edit, base: &Rope) -> Rope {
    let mut rope = base.clone();
    for Replacement { range, text } in edit.replacements().iter().rev() {
        let start = base.byte_to_char(range.start.0);
        rope.remove(start..base.byte_to_char(range.end.0));
        rope.insert(start, text);
    }
    rope
}

/// One smallest changed run of an edit.
struct Mark {
    /// Its bytes in the base.
    old: Range<usize>,
    /// Its bytes in the base with the edit.
    new: Range<usize>,
}

impl Mark {
    fn only_inserts(&self) -> bool {
        self.old.is_empty()
    }

    fn only_deletes(&self) -> bool {
        self.new.is_empty()
    }
}

fn marks(edit: &Edit, base: &Rope) -> Vec<Mark> {
    let mut marks = Vec::new();
    let (mut removed, mut added) = (0, 0);
    let runs = (edit.replacements()).chunk_by(|left, right| left.range.end == right.range.start);
    for run in runs {
        // Replacements that touch are one change, and may have more in common than each alone.
        let (Some(first), Some(last)) = (run.first(), run.last()) else {
            continue;
        };
        let start = first.range.start.0;
        let old = diff::bytes_text(base, start..last.range.end.0);
        let new: String = run.iter().map(|it| it.text.as_str()).collect();
        for (from, to) in words::changes(&old, &new) {
            let new_start = start + added - removed;
            marks.push(Mark {
                old: start + from.start..start + from.end,
                new: new_start + to.start..new_start + to.end,
            });
        }
        removed += old.len();
        added += new.len();
    }
    marks
}

/// How a mark stands by one reading of the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trace {
    New,
    Old,
    Unclear,
}

/// The texts to be compared.
struct Readings<'a> {
    base: &'a Rope,
    after: &'a Rope,
    current: &'a Rope,
    from_base: Pair<'a>,
    from_after: Pair<'a>,
    marks: &'a [Mark],
}

impl Readings<'_> {
    /// The answer if one of the readings needs only insertions.
    fn by_typing(&self) -> Option<Standing> {
        let new_pieces = self.marks.iter().map(|mark| Framed::range(&mark.new));
        let new_pieces: Vec<_> = new_pieces.collect();
        let new = self.from_after.places(&new_pieces);
        let new_fits = new.is_some() || self.from_after.fits();
        let old_stands = || self.from_base.places(&self.old_pieces()).is_some();
        // Where both fit, the longer of the two texts explains more of the present one.
        let nearer_base = self.base.len_chars() > self.after.len_chars();
        if new_fits && nearer_base && self.from_base.fits() {
            return Some(if old_stands() {
                Standing::NotLanded
            } else {
                Standing::Neither
            });
        }
        if let Some(places) = new {
            let traces: Vec<Trace> = (self.marks.iter().zip(places))
                .map(|(mark, place)| self.trace_in(mark, place))
                .collect();
            return Some(match summed_up(&traces) {
                Standing::NotLanded => Standing::Neither,
                Standing::Partial if old_stands() => Standing::Neither,
                standing => standing,
            });
        }
        if !old_stands() {
            return None;
        }
        // The new text was typed into at most, or something else happened to it.
        let typed = self.current.len_chars() - self.base.len_chars();
        let nearer_base = !new_fits && typed < distance(&self.from_after);
        Some(if nearer_base {
            Standing::NotLanded
        } else {
            Standing::Neither
        })
    }

    /// The parts of the base that must be unbroken for the old text of all marks to stand.
    fn old_pieces(&self) -> Vec<Range<usize>> {
        let base = Framed(self.base);
        let mut pieces: Vec<Range<usize>> = Vec::new();
        for (index, mark) in self.marks.iter().enumerate() {
            let piece = if mark.only_inserts() || mark.only_deletes() {
                base.with_neighbours(&self.reach(index))
            } else {
                Framed::range(&mark.old)
            };
            match pieces.last_mut() {
                Some(last) if last.end > piece.start => last.end = last.end.max(piece.end),
                _ => pieces.push(piece),
            }
        }
        pieces
    }

    /// The bytes of the base over which a mark that only inserts or deletes could slide, short of the other marks.
    fn reach(&self, index: usize) -> Range<usize> {
        let mark = &self.marks[index];
        let room_before = match index.checked_sub(1) {
            Some(before) => mark.old.start - self.marks[before].old.end,
            None => mark.old.start,
        };
        let room_behind = match self.marks.get(index + 1) {
            Some(behind) => behind.old.start - mark.old.end,
            None => self.base.len_bytes() - mark.old.end,
        };
        let (up, down) = if mark.only_inserts() {
            slides(self.after, &mark.new, room_before, room_behind)
        } else {
            slides(self.base, &mark.old, room_before, room_behind)
        };
        mark.old.start - up..mark.old.end + down
    }

    /// How a mark stands whose new text can have `place` to itself.
    fn trace_in(&self, mark: &Mark, place: Range<usize>) -> Trace {
        if place.len() <= mark.new.len() || mark.old.len() < mark.new.len() {
            return Trace::New;
        }
        let (old, around) = (
            diff::bytes_text(self.base, mark.old.clone()),
            self.from_after.current.text(place),
        );
        if around.contains(&*old) {
            Trace::Old
        } else if mark.old.len() > mark.new.len() && typing::is_within(&old, &around) {
            Trace::Unclear
        } else {
            Trace::New
        }
    }

    /// The answer by what changed.
    fn by_changes(&self) -> Standing {
        let from_after = changes(self.after, self.current);
        let from_base = changes(self.base, self.current);
        let nearness = distance(&self.from_after).cmp(&distance(&self.from_base));
        let traces: Vec<Trace> = (self.marks.iter())
            .map(|mark| {
                let new_stands = from_after.iter().all(|it| !self.breaks_new(mark, it));
                let old_stands = from_base.iter().all(|it| !breaks_old(mark, it));
                // An empty place stands everywhere; that alone proves nothing.
                let new = new_stands && (nearness.is_lt() || !mark.only_deletes());
                let old = old_stands && (nearness.is_gt() || !mark.only_inserts());
                match (new, old, nearness) {
                    (true, false, _) | (true, true, Ordering::Less) => Trace::New,
                    (false, true, _) | (true, true, Ordering::Greater) => Trace::Old,
                    _ => Trace::Unclear,
                }
            })
            .collect();
        match summed_up(&traces) {
            Standing::NotLanded if !nearness.is_gt() => Standing::Neither,
            Standing::Landed if nearness.is_gt() => Standing::Neither,
            standing => standing,
        }
    }

    /// Whether a change from the base with the edit leaves it open that a mark's new text stands.
    fn breaks_new(&self, mark: &Mark, change: &Changed) -> bool {
        let place = &mark.new;
        let deletes = change.text.is_empty();
        let range = if deletes {
            &change.reach
        } else {
            &change.range
        };
        if range.start < place.end && place.start < range.end {
            return true;
        }
        // The old text, typed in the place of the new: was the edit ever there?
        mark.old.len() >= mark.new.len()
            && !deletes
            && change.reach.start <= place.end
            && place.start <= change.reach.end
            && typing::is_within(
                &diff::bytes_text(self.base, mark.old.clone()),
                &change.text.repeat(2),
            )
    }
}

/// Whether a change from the base leaves it open that a mark's old text stands.
fn breaks_old(mark: &Mark, change: &Changed) -> bool {
    let (place, reach) = (&mark.old, &change.reach);
    if mark.only_inserts() || mark.only_deletes() {
        reach.start <= place.end && place.start <= reach.end
    } else {
        reach.start < place.end && place.start < reach.end
    }
}

fn summed_up(traces: &[Trace]) -> Standing {
    let all = |trace| traces.iter().all(|it| *it == trace);
    if all(Trace::New) {
        Standing::Landed
    } else if all(Trace::Old) {
        Standing::NotLanded
    } else if traces.contains(&Trace::Unclear) {
        Standing::Neither
    } else {
        Standing::Partial
    }
}

/// A change by words.
struct Changed {
    /// The bytes that went.
    range: Range<usize>,
    /// The same, with everything over which an insertion or a deletion could slide.
    reach: Range<usize>,
    /// The text that came.
    text: String,
}

fn changes(from: &Rope, to: &Rope) -> Vec<Changed> {
    let (mut removed, mut added) = (0, 0);
    (diff::replacements(from, to).into_iter())
        .map(|Replacement { range, text }| {
            let range = range.to_range();
            let new_start = range.start + added - removed;
            let (rope, run) = if range.is_empty() {
                (to, new_start..new_start + text.len())
            } else {
                (from, range.clone())
            };
            let reach = if range.is_empty() || text.is_empty() {
                let (up, down) = slides(rope, &run, run.start, rope.len_bytes() - run.end);
                range.start.saturating_sub(up)..range.end + down
            } else {
                range.clone()
            };
            removed += range.len();
            added += text.len();
            Changed { range, reach, text }
        })
        .collect()
}

/// Over how many bytes before and behind it a run could slide, because they repeat its own end or start; at most so
/// many.
fn slides(rope: &Rope, run: &Range<usize>, before: usize, behind: usize) -> (usize, usize) {
    let (top, bottom) = (run.start - before, run.end + behind);
    let (start, end) = (
        rope.byte_slice(top..run.start),
        rope.byte_slice(top..run.end),
    );
    let up = ends::common_suffix(start, end);
    let (start, end) = (
        rope.byte_slice(run.start..bottom),
        rope.byte_slice(run.end..bottom),
    );
    (up, ends::common_prefix(start, end))
}

/// How many characters must go and come to turn one text into the other; more than needed where the difference is
/// large.
fn distance(pair: &Pair<'_>) -> usize {
    let (from, to) = (pair.text.0, pair.current.0);
    let boundary = |offset: usize| from.char_to_byte(from.byte_to_char(offset));
    let start = boundary(pair.prefix);
    let suffix = pair
        .suffix
        .min(from.len_bytes().min(to.len_bytes()) - start);
    let suffix = match from.len_bytes() - suffix {
        end if boundary(end) == end => suffix,
        end => from.len_bytes() - from.char_to_byte(from.byte_to_char(end) + 1),
    };
    let (from_middle, to_middle) = (
        start..from.len_bytes() - suffix,
        start..to.len_bytes() - suffix,
    );
    if from_middle.len() + to_middle.len() <= words::MAX_CHARACTER_BYTES {
        let (from, to) = (
            diff::bytes_text(from, from_middle),
            diff::bytes_text(to, to_middle),
        );
        return words::distance(&from, &to);
    }
    (diff::replacements(from, to).iter())
        .map(|Replacement { range, text }| {
            words::distance(&diff::bytes_text(from, range.to_range()), text)
        })
        .sum()
}
