//! Finds the text that an edit names. The place of the match ladder; so far it has its first rung: exact.
//!
//! Knows one text and one needle: nothing of tools, files or what the match is for.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use memchr::memmem::Finder;
use ropey::Rope;

use crate::diff::{line_count, lines_text};
use crate::position::{ByteOffset, ByteRange, LineIndex, LineRange};

/// How a needle was matched. Only a rung above the first needs to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rung {
    /// Byte for byte.
    Exact,
}

/// The one place where a needle stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Match {
    /// The bytes of the text that match.
    pub range: ByteRange,
    /// How they match.
    pub rung: Rung,
}

/// The lines most like a needle that stands nowhere.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Nearest {
    /// Where they are.
    pub lines: LineRange,
    /// Their text.
    pub text: String,
    /// The first difference, as a sentence.
    pub differs: String,
}

/// Why a needle has no single place.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum FindError {
    /// It stands nowhere.
    #[error("the text to be found does not stand in the file")]
    NoMatch {
        /// What comes closest.
        nearest: Option<Nearest>,
    },
    /// It stands in several places.
    #[error("the text to be found stands in {} places; give more of its surroundings", .lines.len())]
    Ambiguous {
        /// The line on which each occurrence starts, overlapping ones included; at most [`MAX_OCCURRENCES`].
        lines: Vec<LineIndex>,
    },
}

/// No more occurrences than this are listed for an ambiguous needle.
pub const MAX_OCCURRENCES: usize = 1000;

/// How much of the rope is searched as one piece.
const WINDOW: usize = 128 * 1024;

/// Finds the one occurrence of `needle`. A needle with CRLF line endings is read as logical text. An empty needle stands nowhere.
pub fn find_unique(rope: &Rope, needle: &str) -> Result<Match, FindError> {
    let needle = fold(needle);
    let starts = occurrences(rope, &needle, 1, MAX_OCCURRENCES);
    match starts.as_slice() {
        [] => Err(FindError::NoMatch {
            nearest: nearest(rope, &needle),
        }),
        [start] => Ok(Match {
            range: range(*start, needle.len()),
            rung: Rung::Exact,
        }),
        _ => Err(FindError::Ambiguous {
            lines: starts
                .iter()
                .map(|start| LineIndex(rope.byte_to_line(*start)))
                .collect(),
        }),
    }
}

/// All occurrences of `needle` that do not overlap, from the start. An empty needle has none.
pub fn find_all(rope: &Rope, needle: &str) -> Vec<ByteRange> {
    let needle = fold(needle);
    occurrences(rope, &needle, needle.len(), usize::MAX)
        .into_iter()
        .map(|start| range(start, needle.len()))
        .collect()
}

fn fold(needle: &str) -> Cow<'_, str> {
    if needle.contains("\r\n") {
        Cow::Owned(needle.replace("\r\n", "\n"))
    } else {
        Cow::Borrowed(needle)
    }
}

fn range(start: usize, length: usize) -> ByteRange {
    ByteRange {
        start: ByteOffset(start),
        end: ByteOffset(start + length),
    }
}

/// The starts of occurrences, each at least `step` bytes behind the one before.
fn occurrences(rope: &Rope, needle: &str, step: usize, limit: usize) -> Vec<usize> {
    let mut starts = Vec::new();
    if needle.is_empty() || needle.len() > rope.len_bytes() {
        return starts;
    }
    let finder = Finder::new(needle);
    let mut window: Vec<u8> = Vec::new();
    let mut window_start = 0;
    let mut next = 0;
    let mut chunks = rope.chunks().peekable();
    while chunks.peek().is_some() {
        while window.len() < WINDOW.max(2 * needle.len()) {
            match chunks.next() {
                Some(chunk) => window.extend_from_slice(chunk.as_bytes()),
                None => break,
            }
        }
        while let Some(found) = finder.find(&window[(next - window_start).min(window.len())..]) {
            let start = next + found;
            starts.push(start);
            if starts.len() == limit {
                return starts;
            }
            next = start + step;
        }
        // What may be the beginning of an occurrence goes into the next window.
        let keep = (needle.len() - 1).min(window.len());
        let drop = window.len() - keep;
        window.drain(..drop);
        window_start += drop;
        next = next.max(window_start);
    }
    starts
}

/// The lines most like the needle: the window with the most lines equal but for white space at their ends, among the
/// windows that hold the needle's rarest line.
fn nearest(rope: &Rope, needle: &str) -> Option<Nearest> {
    let wanted: Vec<&str> = needle.lines().map(str::trim).collect();
    let total = line_count(rope);
    let text = lines_text(rope, 0..total);
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let mut places: Vec<Vec<usize>> = alloc::vec![Vec::new(); wanted.len()];
    for (index, line) in lines.iter().enumerate() {
        for (number, wish) in wanted.iter().enumerate() {
            if !line.is_empty() && line == wish {
                places[number].push(index);
            }
        }
    }
    let anchor = (0..wanted.len())
        .filter(|number| !places[*number].is_empty())
        .min_by_key(|number| places[*number].len())?;
    let start = places[anchor]
        .iter()
        .filter_map(|place| place.checked_sub(anchor))
        .max_by_key(|start| {
            wanted
                .iter()
                .zip(&lines[*start..])
                .filter(|(wish, line)| wish == line)
                .count()
        })?;
    let end = (start + wanted.len()).min(total);
    Some(Nearest {
        lines: LineRange {
            start: LineIndex(start),
            end: LineIndex(end),
        },
        text: lines_text(rope, start..end).into_owned(),
        differs: String::from("the lines differ"),
    })
}

#[cfg(test)]
mod tests;
