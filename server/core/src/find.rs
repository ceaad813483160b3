//! Finds the text that an edit names: the match ladder.
//!
//! Knows one text and one needle: nothing of tools, of files, or of what a match is for.
//!
//! There are four rungs, see [`Rung`]. The next one is tried only if the one before found nothing, and only a single
//! candidate counts. Nothing is ever found by likeness: no threshold, no other case, no other white space inside a
//! line. A plausible guess would be a silent wrong edit, which is worse than a refusal.

mod fit;
mod fold;
mod lines;
mod loose;
mod nearest;
mod shift;

pub use shift::Shift;

use crate::diff::starts_line;
use crate::position::{ByteRange, LineIndex, LineRange};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use fit::Fit;
use lines::Lines;
use memchr::memmem::Finder;
use ropey::{Rope, RopeSlice};

/// No more occurrences than this are listed for a needle that stands in several places.
pub const MAX_OCCURRENCES: usize = 1000;

/// How much text is searched at a time, if the needle is not longer.
const WINDOW: usize = 64 * 1024;

/// How a needle was matched. Each rung forgives white space at the ends of lines, but for the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rung {
    /// Byte for byte.
    Exact,
    /// But for white space at the ends of lines, or for blank lines around whole lines.
    TrailingSpace,
    /// But for the indentation of whole lines: one shift for all of them, or tabs against spaces.
    Indentation,
    /// But for typographic punctuation (curly quotes, dashes, no-break spaces, …) and Unicode composition.
    Typography,
}

impl Rung {
    /// Its name in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::TrailingSpace => "trailing_space",
            Self::Indentation => "indentation",
            Self::Typography => "typography",
        }
    }
}

/// The one place where a needle stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// The bytes that match.
    pub range: ByteRange,
    /// How they match.
    pub rung: Rung,
    fit: Fit,
}

impl Match {
    /// New text, with LF as its line breaks, as it must be written in the place of the match: shifted like the needle
    /// and without the blank lines that only the needle has. None if it has less indentation than would have to go.
    pub fn fitted<'a>(&self, new: &'a str) -> Option<Cow<'a, str>> {
        self.fit.apply(new)
    }
}

/// The one place where whole lines stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineMatch {
    /// The lines that match, one for one.
    pub lines: LineRange,
    /// How they match.
    pub rung: Rung,
    /// How new lines must be shifted; none if as they are given.
    pub shift: Option<Shift>,
}

impl LineMatch {
    /// [`Match::fitted`] for new lines.
    pub fn fitted<'a>(&self, new: &'a str) -> Option<Cow<'a, str>> {
        match &self.shift {
            None => Some(Cow::Borrowed(new)),
            Some(shift) => shift.text(new),
        }
    }
}

/// The lines that are most like a needle that stands nowhere.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Nearest {
    /// Where they are.
    pub lines: LineRange,
    /// Their text, with its line breaks.
    pub text: String,
    /// The first difference, for the reader of an error message.
    pub differs: String,
}

/// Why a needle has no single place.
#[derive(Debug, Clone, PartialEq, Eq, Hash, thiserror::Error)]
pub enum FindError {
    /// It stands nowhere.
    #[error(
        "the text to be found is nowhere in the file; read the file again and copy the text exactly"
    )]
    NoMatch {
        /// What comes closest.
        nearest: Option<Nearest>,
    },
    /// It stands in several places.
    #[error(
        "the text to be found is in the file {} times; give more of the text around it",
        times(lines)
    )]
    Ambiguous {
        /// The line on which each occurrence starts, overlapping ones included; no more than [`MAX_OCCURRENCES`].
        lines: Vec<LineIndex>,
    },
}

fn times(lines: &[LineIndex]) -> String {
    let or_more = if lines.len() < MAX_OCCURRENCES {
        ""
    } else {
        " or more"
    };
    alloc::format!("{}{or_more}", lines.len())
}

/// Finds the one place where `needle` stands. CRLF in a needle means LF; an empty needle stands nowhere.
///
/// # Errors
/// [`FindError`], if there is no such place or more than one, overlapping ones included.
pub fn find_unique(rope: &Rope, needle: &str) -> Result<Match, FindError> {
    let needle = logical(needle);
    let mut starts = Vec::new();
    each_occurrence(rope.slice(..), &needle, 1, |start| {
        starts.push(start);
        starts.len() < MAX_OCCURRENCES
    });
    match starts[..] {
        [] if needle.is_empty() => Err(FindError::NoMatch { nearest: None }),
        [] => loose::find(
            &Lines::of(rope, LineRange::new(0, rope.len_lines())),
            &needle,
        ),
        [start] => Ok(Match {
            range: ByteRange::new(start, start + needle.len()),
            rung: Rung::Exact,
            fit: Fit::AsItIs,
        }),
        _ => Err(ambiguous(rope, &starts)),
    }
}

/// Finds the one place within some lines of a logical text where whole lines stand, line for line. The lines are given
/// without their line breaks; none stand nowhere. The rungs are the same, but blank lines are lines like any other.
///
/// # Errors
/// [`FindError`], if there is no such place or more than one, overlapping ones included.
pub fn find_lines(rope: &Rope, lines: &[&str], within: LineRange) -> Result<LineMatch, FindError> {
    if lines.is_empty() {
        return Err(FindError::NoMatch { nearest: None });
    }
    let needle = lines.join("\n") + "\n";
    let bytes = within.bytes(rope);
    let mut starts = Vec::new();
    // Only there: a caller may ask for many small parts of a large text.
    each_occurrence(rope.byte_slice(bytes.to_range()), &needle, 1, |start| {
        let start = bytes.start.0 + start;
        if starts_line(rope, start) {
            starts.push(start);
        }
        starts.len() < MAX_OCCURRENCES
    });
    match starts[..] {
        [] => loose::find_lines(&Lines::of(rope, within), lines),
        [start] => {
            let first = rope.byte_to_line(start);
            Ok(LineMatch {
                lines: LineRange::new(first, first + lines.len()),
                rung: Rung::Exact,
                shift: None,
            })
        }
        _ => Err(ambiguous(rope, &starts)),
    }
}

fn ambiguous(rope: &Rope, starts: &[usize]) -> FindError {
    FindError::Ambiguous {
        lines: (starts.iter())
            .map(|start| LineIndex(rope.byte_to_line(*start)))
            .collect(),
    }
}

/// All places where `needle` stands, from the start, without overlaps. An empty needle stands nowhere.
pub fn find_all(rope: &Rope, needle: &str) -> Vec<ByteRange> {
    let needle = logical(needle);
    let mut ranges = Vec::new();
    each_occurrence(rope.slice(..), &needle, needle.len(), |start| {
        ranges.push(ByteRange::new(start, start + needle.len()));
        true
    });
    ranges
}

/// A needle as it would stand in a logical text.
fn logical(needle: &str) -> Cow<'_, str> {
    if needle.contains("\r\n") {
        Cow::Owned(needle.replace("\r\n", "\n"))
    } else {
        Cow::Borrowed(needle)
    }
}

/// Calls `found` with the start of each occurrence, as long as it returns true. The next one is looked for `step`
/// bytes on.
fn each_occurrence(
    text: RopeSlice<'_>,
    needle: &str,
    step: usize,
    mut found: impl FnMut(usize) -> bool,
) {
    if needle.is_empty() || needle.len() > text.len_bytes() {
        return;
    }
    let finder = Finder::new(needle);
    let capacity = WINDOW.max(4 * needle.len()).min(text.len_bytes());
    let mut window: Vec<u8> = Vec::with_capacity(capacity);
    // Where the window starts, and where the next occurrence may start.
    let (mut window_start, mut next) = (0, 0);
    let mut chunks = text.chunks().map(str::as_bytes).peekable();
    while chunks.peek().is_some() {
        while let Some(chunk) = chunks
            .next_if(|chunk| window.len() + chunk.len() <= capacity || window.len() < needle.len())
        {
            window.extend_from_slice(chunk);
        }
        while let Some(offset) = window
            .get(next - window_start..)
            .and_then(|rest| finder.find(rest))
        {
            if !found(next + offset) {
                return;
            }
            next += offset + step;
        }
        // What may be the start of an occurrence stays for the next window.
        let done = window.len() - (needle.len() - 1).min(window.len());
        window.drain(..done);
        window_start += done;
        next = next.max(window_start);
    }
}

#[cfg(test)]
mod tests;
