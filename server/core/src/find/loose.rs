//! The rungs above the exact match: what a needle may differ in and still be found.
//!
//! Knows the lines of one text and one needle. White space at the ends of lines counts on none of these rungs. All of
//! them need the needle's folded lines in the text's folded lines, so one search tells where to look closer.

use super::fit::Fit;
use super::fold::View;
use super::lines::Lines;
use super::shift::{Shift, is_blank, without_indentation};
use super::{FindError, LineMatch, MAX_OCCURRENCES, Match, Rung, fold, nearest};
use crate::position::{ByteRange, LineIndex, LineRange};
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use memchr::memmem;

/// How many bytes of places where a needle may stand are looked at. Only a needle of many lines that repeat, in a text
/// of the same lines, comes so far; it is refused then.
const MAX_LOOKED_AT: usize = if cfg!(test) { 1 } else { 64 } * 1024 * 1024;

/// Finds the one place of a needle that stands nowhere exactly.
pub(super) fn find(lines: &Lines<'_>, needle: &str) -> Result<Match, FindError> {
    let parts: Vec<&str> = needle.split('\n').collect();
    let ended = parts.len() > 1 && parts.last() == Some(&"");
    let wanted = Wanted::new(&parts);
    let whole_lines = Wanted::new(&parts[..parts.len() - usize::from(ended)]);
    let mut ladder = Ladder::default();
    for core in wanted.places(lines) {
        if !ladder.goes_on(wanted.key.len()) {
            break;
        }
        let found = wanted.fragments(lines, core, View::plain).pop();
        if let Some(found) = found.or_else(|| wanted.block(lines, core)) {
            ladder.add(Rung::TrailingSpace, found);
            continue;
        }
        if ladder.wants(Rung::Indentation)
            && let Some((place, shift)) = whole_lines.shifted(lines, core, &mut ladder.uneven)
        {
            let end = if ended {
                lines.start(place.end)
            } else {
                lines.end(place.end - 1)
            };
            let range = ByteRange::new(lines.start(place.start), end);
            ladder.add(Rung::Indentation, (range, Fit::Shifted(shift)));
            continue;
        }
        if ladder.wants(Rung::Typography) {
            for found in wanted.fragments(lines, core, View::folded) {
                ladder.add(Rung::Typography, found);
            }
        }
    }
    let line_of = |found: &(ByteRange, Fit)| {
        let byte = found.0.start.0 - lines.start(0);
        LineIndex(lines.number(lines.line_of(byte)))
    };
    let (rung, (range, fit)) = ladder.single(line_of, lines, whole_lines.parts)?;
    Ok(Match { range, rung, fit })
}

/// Finds the one place of whole lines that stand nowhere exactly, line for line.
pub(super) fn find_lines(lines: &Lines<'_>, wanted: &[&str]) -> Result<LineMatch, FindError> {
    let wanted = Wanted::new(wanted);
    let mut ladder = Ladder::default();
    for core in wanted.places(lines) {
        if !ladder.goes_on(wanted.key.len()) {
            break;
        }
        let Some(place) = wanted.place(lines, core) else {
            continue;
        };
        let mut pairs = wanted.pairs(lines, place.start);
        if (pairs.clone()).all(|(part, line)| part.trim_end() == line.trim_end()) {
            ladder.add(Rung::TrailingSpace, (place, None));
        } else if ladder.wants(Rung::Indentation)
            && let Some((place, shift)) = wanted.shifted(lines, core, &mut ladder.uneven)
        {
            ladder.add(Rung::Indentation, (place, Some(shift)));
        } else if ladder.wants(Rung::Typography)
            && pairs.all(|(part, line)| fold::fold(part.trim_end()) == fold::fold(line.trim_end()))
        {
            ladder.add(Rung::Typography, (place, None));
        }
    }
    let line_of = |found: &(Range<usize>, Option<Shift>)| LineIndex(lines.number(found.0.start));
    let (rung, (place, shift)) = ladder.single(line_of, lines, wanted.parts)?;
    Ok(LineMatch {
        lines: LineRange::new(lines.number(place.start), lines.number(place.end)),
        rung,
        shift,
    })
}

/// The candidates of the lowest rung that has any.
struct Ladder<T> {
    rung: Option<Rung>,
    found: Vec<T>,
    /// The first place where only the indentation differs, but not alike on every line.
    uneven: Option<usize>,
    looked_at: usize,
}

impl<T> Default for Ladder<T> {
    fn default() -> Self {
        Self {
            rung: None,
            found: Vec::new(),
            uneven: None,
            looked_at: 0,
        }
    }
}

impl<T> Ladder<T> {
    fn add(&mut self, rung: Rung, found: T) {
        if self.rung.is_none_or(|lowest| rung < lowest) {
            self.found.clear();
            self.rung = Some(rung);
        }
        if self.rung == Some(rung) {
            self.found.push(found);
        }
    }

    /// Whether a candidate of this rung would be of use: none of a lower one is known, and not too many of this.
    fn wants(&self, rung: Rung) -> bool {
        self.rung.is_none_or(|lowest| {
            rung < lowest || (rung == lowest && self.found.len() < MAX_OCCURRENCES)
        })
    }

    /// Whether one more place is to be looked at, of so many bytes.
    fn goes_on(&mut self, bytes: usize) -> bool {
        self.looked_at += bytes;
        self.looked_at <= MAX_LOOKED_AT && self.wants(Rung::TrailingSpace)
    }

    /// The only candidate.
    fn single(
        mut self,
        line_of: impl Fn(&T) -> LineIndex,
        lines: &Lines<'_>,
        wanted: &[&str],
    ) -> Result<(Rung, T), FindError> {
        if self.found.len() > 1 {
            let places = self.found.iter().take(MAX_OCCURRENCES);
            return Err(FindError::Ambiguous {
                lines: places.map(line_of).collect(),
            });
        }
        // Of places that were not looked at, one might be as good.
        let certain = self.looked_at <= MAX_LOOKED_AT;
        match (self.rung, self.found.pop()) {
            (Some(rung), Some(found)) if certain => Ok((rung, found)),
            _ => Err(FindError::NoMatch {
                nearest: match self.uneven {
                    Some(start) => Some(nearest::uneven(lines, wanted, start)),
                    None => nearest::nearest(lines, wanted),
                },
            }),
        }
    }
}

/// What is looked for, split at its line breaks.
struct Wanted<'a> {
    /// The lines. Of a needle the first and the last may be parts of lines.
    parts: &'a [&'a str],
    /// Those from the first to the last that are not blank.
    core: Range<usize>,
    /// The core, folded and without white space at the ends of its lines.
    key: String,
}

impl<'a> Wanted<'a> {
    fn new(parts: &'a [&'a str]) -> Self {
        let first = parts.iter().position(|part| !is_blank(part));
        let last = parts.iter().rposition(|part| !is_blank(part));
        let core = first.unwrap_or(0)..last.map_or(0, |last| last + 1);
        let mut key = String::new();
        for (index, part) in parts[core.clone()].iter().enumerate() {
            if index > 0 {
                key.push('\n');
            }
            fold::push(part.trim(), &mut key);
        }
        Self { parts, core, key }
    }

    /// The lines at which the core may stand.
    fn places(&self, lines: &Lines<'_>) -> impl Iterator<Item = usize> {
        // Nothing but white space is found exactly or not at all.
        (!self.key.is_empty())
            .then(|| lines.hits(&self.key))
            .into_iter()
            .flatten()
    }

    /// Where all lines are if the core begins at this line.
    fn place(&self, lines: &Lines<'_>, core: usize) -> Option<Range<usize>> {
        let start = core.checked_sub(self.core.start)?;
        let end = start + self.parts.len();
        (end <= lines.count()).then_some(start..end)
    }

    /// The lines, each with the one that it faces if the first stands there. All of them are in the text.
    fn pairs<'b>(
        &'b self,
        lines: &'b Lines<'_>,
        start: usize,
    ) -> impl Iterator<Item = (&'b str, &'b str)> + Clone {
        let faced = (start..).map(|index| lines.line(index));
        self.parts.iter().copied().zip(faced)
    }

    /// The places where the needle is, as they are seen through `view`, if white space at the ends of lines does not
    /// count. It may begin and end inside of lines.
    fn fragments<'b>(
        &self,
        lines: &'b Lines<'_>,
        core: usize,
        view: impl Fn(&'b str) -> View<'b>,
    ) -> Vec<(ByteRange, Fit)>
    where
        'a: 'b,
    {
        self.find_fragments(lines, core, view).unwrap_or_default()
    }

    fn find_fragments<'b>(
        &self,
        lines: &'b Lines<'_>,
        core: usize,
        view: impl Fn(&'b str) -> View<'b>,
    ) -> Option<Vec<(ByteRange, Fit)>>
    where
        'a: 'b,
    {
        let seen = |line: &'b str| view(line.trim_end());
        let start = core.checked_sub(self.core.start)?;
        let (first, rest) = self.parts.split_first()?;
        let first_line = seen(lines.line(start));
        let sought = seen(first);
        let Some((last, middle)) = rest.split_last() else {
            if *first != first.trim_end() {
                let at = first_line.text.strip_suffix(&*sought.text)?.len();
                let at = lines.start(start) + first_line.original(at)?;
                return Some(Vec::from([as_it_is(at, lines.end(start))]));
            }
            let occurrences = memmem::find_iter(first_line.text.as_bytes(), &*sought.text);
            let places = occurrences.filter_map(|at| {
                let from = first_line.original(at)?;
                let to = first_line.original(at + sought.text.len())?;
                let line = lines.start(start);
                Some(as_it_is(line + from, line + to))
            });
            return Some(places.collect());
        };
        let begin = if first.is_empty() {
            lines.end(start)
        } else {
            let at = first_line.text.strip_suffix(&*sought.text)?.len();
            lines.start(start) + first_line.original(at)?
        };
        for (part, index) in middle.iter().zip(start + 1..) {
            if index >= lines.count() || seen(part).text != seen(lines.line(index)).text {
                return None;
            }
        }
        let index = start + rest.len();
        if last.is_empty() {
            return (index <= lines.count())
                .then(|| Vec::from([as_it_is(begin, lines.start(index))]));
        }
        if index >= lines.count() {
            return None;
        }
        let (last_line, sought) = (seen(lines.line(index)), seen(last));
        let end = if *last == last.trim_end() {
            last_line.text.strip_prefix(&*sought.text)?;
            lines.start(index) + last_line.original(sought.text.len())?
        } else if last_line.text == sought.text {
            lines.end(index)
        } else {
            return None;
        };
        Some(Vec::from([as_it_is(begin, end)]))
    }

    /// The place where the needle's lines are but for blank lines around them. Of the blank lines around it, as many
    /// belong to the place as the needle has.
    fn block(&self, lines: &Lines<'_>, core: usize) -> Option<(ByteRange, Fit)> {
        let height = self.core.len();
        let (above, below) = (self.core.start, self.parts.len() - self.core.end);
        // A needle that goes on after its last line break ends inside of a line.
        let ended = below > 0 && self.parts.last() == Some(&"");
        if (below > 0 && !ended) || core + height > lines.count() {
            return None;
        }
        let below = below.saturating_sub(1);
        let same =
            |(index, part): (usize, &&str)| part.trim_end() == lines.line(core + index).trim_end();
        if (above, below) == (0, 0) || !self.parts[self.core.clone()].iter().enumerate().all(same) {
            return None;
        }
        let blank = |index: &usize| is_blank(lines.line(*index));
        let after = core + height;
        let found_above = (0..core).rev().take(above).take_while(blank).count();
        let found_below = (after..lines.count()).take(below).take_while(blank).count();
        let end = if ended {
            lines.start(after + found_below)
        } else {
            lines.end(after - 1)
        };
        let range = ByteRange::new(lines.start(core - found_above), end);
        let fit = Fit::BlankLines {
            above: above - found_above,
            below: below - found_below,
        };
        Some((range, fit))
    }

    /// The place where all lines are but for one shift of their indentation; blank ones have none.
    fn shifted(
        &self,
        lines: &Lines<'_>,
        core: usize,
        uneven: &mut Option<usize>,
    ) -> Option<(Range<usize>, Shift)> {
        let place = self.place(lines, core)?;
        let pairs = self.pairs(lines, place.start);
        // First what fails soon, where lines repeat.
        let shift = Shift::between(pairs.clone());
        if shift.is_none() && uneven.is_some() {
            return None;
        }
        let mut pairs = pairs;
        if !pairs.all(|(part, line)| without_indentation(part) == without_indentation(line)) {
            return None;
        }
        if shift.is_none() {
            *uneven = Some(place.start);
        }
        Some((place, shift?))
    }
}

fn as_it_is(start: usize, end: usize) -> (ByteRange, Fit) {
    (ByteRange::new(start, end), Fit::AsItIs)
}
