//! Finds the old lines of a hunk among the lines where it may start.
//!
//! What stands there just as it is written comes first, then the same with context lines that lack their leading space,
//! then what the match ladder finds; and the same once more without blank lines at the hunk's end.

use super::{Hunk, HunkLine};
use crate::diff::bytes_text;
use crate::find::{FindError, LineMatch, MAX_OCCURRENCES, Nearest, Rung, find_lines};
use crate::position::{LineIndex, LineRange};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use memchr::memmem::Finder;
use ropey::Rope;

/// The single place of a hunk.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// Its first line in the text.
    pub(super) start: usize,
    /// How many lines of the text it names.
    pub(super) height: usize,
    /// How they match.
    pub(super) rung: Rung,
    /// Whether context lines matched as lines without the leading space.
    pub(super) unmarked: bool,
    /// What the ladder found, if it was needed.
    matched: Option<LineMatch>,
}

impl Found {
    /// A place before a line that names no line.
    pub(super) fn between_lines(start: usize) -> Self {
        Self::exact(start, 0, false)
    }

    fn exact(start: usize, height: usize, unmarked: bool) -> Self {
        Self {
            start,
            height,
            rung: Rung::Exact,
            unmarked,
            matched: None,
        }
    }

    /// The new side of the hunk, its kept lines included, as it must be written at this place. None if a line has less
    /// indentation than would have to go.
    pub(super) fn fitted<'a>(&self, new: &'a str) -> Option<Cow<'a, str>> {
        match &self.matched {
            Some(matched) => matched.fitted(new),
            None => Some(Cow::Borrowed(new)),
        }
    }
}

/// Why old lines have no single place.
#[derive(Debug)]
pub(super) enum Unfound {
    /// They stand nowhere; this is closest.
    Nowhere(Option<Nearest>),
    /// They start on each of these lines.
    Several(Vec<LineIndex>),
}

/// The old lines of a hunk.
pub(super) struct Needle<'a> {
    lines: Vec<&'a str>,
    /// The same with the space that was taken for a mark; none, if there is no such line.
    unmarked: Option<Vec<String>>,
    /// Lines, by their number in the needle, that must stand in the text just so.
    bare: Vec<usize>,
    /// How many blank lines at the end perhaps only separate.
    separators: usize,
    end_of_file: bool,
}

impl<'a> Needle<'a> {
    pub(super) fn of(hunk: &Hunk<'a>) -> Self {
        let old: Vec<&HunkLine<'a>> = hunk.lines.iter().filter(|it| it.old().is_some()).collect();
        let is_context = |line: &&HunkLine<'_>| matches!(line, HunkLine::Context(_));
        let whole = |line: &&HunkLine<'_>| match line {
            HunkLine::Context(text) => alloc::format!(" {text}"),
            other => String::from(other.old().unwrap_or_default()),
        };
        let bare = (old.iter().enumerate())
            .filter(|(_, line)| matches!(line, HunkLine::Bare(_)) && !line.is_blank_separator());
        let separators = hunk
            .lines
            .iter()
            .rev()
            .take_while(|line| line.is_blank_separator());
        Self {
            unmarked: old
                .iter()
                .any(is_context)
                .then(|| old.iter().map(whole).collect()),
            bare: bare.map(|(index, _)| index).collect(),
            separators: separators.count(),
            lines: old.iter().filter_map(|line| line.old()).collect(),
            end_of_file: hunk.end_of_file,
        }
    }

    /// The single place of the lines that starts on one of `starts`.
    pub(super) fn find(
        &self,
        rope: &Rope,
        total: usize,
        starts: &[Range<usize>],
    ) -> Result<Found, Unfound> {
        let whole = self.find_height(rope, total, starts, self.lines.len());
        let (Err(Unfound::Nowhere(nearest)), true) = (&whole, self.separators > 0) else {
            return whole;
        };
        match self.find_height(rope, total, starts, self.lines.len() - self.separators) {
            Err(Unfound::Nowhere(closer)) => Err(Unfound::Nowhere(closer.or(nearest.clone()))),
            found => found,
        }
    }

    /// Where the lines start that stand in the text just as they are written, wherever that is.
    pub(super) fn exact_anywhere(&self, rope: &Rope, total: usize) -> Vec<LineIndex> {
        let starts = exact(rope, &self.lines, core::slice::from_ref(&(0..total)), total);
        starts.into_iter().map(LineIndex).collect()
    }

    fn find_height(
        &self,
        rope: &Rope,
        total: usize,
        starts: &[Range<usize>],
        height: usize,
    ) -> Result<Found, Unfound> {
        let lines = &self.lines[..height];
        let starts = self.allowed(starts, total, height);
        let unmarked = self.unmarked.as_ref();
        let unmarked = unmarked.map(|lines| lines[..height].iter().map(String::as_str).collect());
        let readings = [(Some(lines.to_vec()), false), (unmarked, true)];
        for (reading, unmarked) in readings {
            let found = reading.map(|lines| exact(rope, &lines, &starts, total));
            match found.as_deref() {
                None | Some([]) => {}
                Some([start]) => return Ok(Found::exact(*start, height, unmarked)),
                Some(several) => {
                    return Err(Unfound::Several(
                        several.iter().copied().map(LineIndex).collect(),
                    ));
                }
            }
        }
        self.climb(rope, lines, &starts, total)
    }

    /// The starts at which lines of this height fit, and end where the file does if they have to.
    fn allowed(&self, starts: &[Range<usize>], total: usize, height: usize) -> Vec<Range<usize>> {
        let Some(last) = total.checked_sub(height) else {
            return Vec::new();
        };
        let first = if self.end_of_file { last } else { 0 };
        (starts.iter())
            .map(|range| range.start.max(first)..range.end.min(last + 1))
            .filter(|range| !range.is_empty())
            .collect()
    }

    /// What the match ladder finds.
    fn climb(
        &self,
        rope: &Rope,
        lines: &[&str],
        starts: &[Range<usize>],
        total: usize,
    ) -> Result<Found, Unfound> {
        let mut matches: Vec<LineMatch> = Vec::new();
        let mut several: Vec<LineIndex> = Vec::new();
        let mut nearest = None;
        for range in starts {
            let within = LineRange::new(range.start, (range.end - 1 + lines.len()).min(total));
            match find_lines(rope, lines, within) {
                Ok(found) => matches.extend(self.is_just_so(rope, &found).then_some(found)),
                Err(FindError::Ambiguous { lines }) => several.extend(lines),
                Err(FindError::NoMatch { nearest: region }) => nearest = nearest.or(region),
            }
        }
        match (matches.pop(), several.is_empty()) {
            (None, true) => Err(Unfound::Nowhere(nearest)),
            (Some(found), true) if matches.is_empty() => Ok(Found {
                start: found.lines.start.0,
                height: lines.len(),
                rung: found.rung,
                unmarked: false,
                matched: Some(found),
            }),
            (last, _) => {
                several.extend(matches.iter().chain(&last).map(|found| found.lines.start));
                several.sort_unstable();
                several.dedup();
                Err(Unfound::Several(several))
            }
        }
    }

    /// Whether the lines that were written without a mark stand there to the letter.
    fn is_just_so(&self, rope: &Rope, found: &LineMatch) -> bool {
        self.bare.iter().all(|index| {
            let line = rope.line(found.lines.start.0 + index);
            let line = Cow::from(line);
            line.strip_suffix('\n') == Some(self.lines[*index])
        })
    }
}

/// The lines from `starts` on which these lines begin, character for character; no more than [`MAX_OCCURRENCES`].
fn exact(rope: &Rope, lines: &[&str], starts: &[Range<usize>], total: usize) -> Vec<usize> {
    let needle: String = lines.iter().flat_map(|line| [*line, "\n"]).collect();
    let finder = Finder::new(&needle);
    let mut found = Vec::new();
    for range in starts.iter().filter(|range| !range.is_empty()) {
        let reach = LineRange::new(range.start, (range.end - 1 + lines.len()).min(total));
        let bytes = reach.bytes(rope).to_range();
        let offset = bytes.start;
        let text = bytes_text(rope, bytes);
        let mut from = 0;
        while let Some(at) = text
            .as_bytes()
            .get(from..)
            .and_then(|rest| finder.find(rest))
        {
            let at = from + at;
            from = at + 1;
            if at > 0 && text.as_bytes()[at - 1] != b'\n' {
                continue;
            }
            found.push(rope.byte_to_line(offset + at));
            if found.len() == MAX_OCCURRENCES {
                return found;
            }
        }
    }
    // Ranges that lie close together reach into each other.
    found.sort_unstable();
    found.dedup();
    found
}
