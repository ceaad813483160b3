//! Finds the text that an edit names: the place of the match ladder, which has its first rung so far, the exact match.
//!
//! Knows one text and one needle: nothing of tools, of files, or of what a match is for.

mod nearest;

use crate::position::{ByteRange, LineIndex, LineRange};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use memchr::memmem::Finder;
use ropey::Rope;

/// No more occurrences than this are listed for a needle that stands in several places.
pub const MAX_OCCURRENCES: usize = 1000;

/// How much text is searched at a time, if the needle is not longer.
const WINDOW: usize = 64 * 1024;

/// How a needle was matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rung {
    /// Byte for byte.
    Exact,
}

/// The one place where a needle stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Match {
    /// The bytes that match.
    pub range: ByteRange,
    /// How they match.
    pub rung: Rung,
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
    each_occurrence(rope, &needle, 1, |start| {
        starts.push(start);
        starts.len() < MAX_OCCURRENCES
    });
    match starts[..] {
        [] => Err(FindError::NoMatch {
            nearest: nearest::nearest(rope, &needle),
        }),
        [start] => Ok(Match {
            range: ByteRange::new(start, start + needle.len()),
            rung: Rung::Exact,
        }),
        _ => Err(FindError::Ambiguous {
            lines: (starts.iter())
                .map(|start| LineIndex(rope.byte_to_line(*start)))
                .collect(),
        }),
    }
}

/// All places where `needle` stands, from the start, without overlaps. An empty needle stands nowhere.
pub fn find_all(rope: &Rope, needle: &str) -> Vec<ByteRange> {
    let needle = logical(needle);
    let mut ranges = Vec::new();
    each_occurrence(rope, &needle, needle.len(), |start| {
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
fn each_occurrence(rope: &Rope, needle: &str, step: usize, mut found: impl FnMut(usize) -> bool) {
    if needle.is_empty() || needle.len() > rope.len_bytes() {
        return;
    }
    let finder = Finder::new(needle);
    let capacity = WINDOW.max(4 * needle.len());
    let mut window: Vec<u8> = Vec::with_capacity(capacity);
    // Where the window starts, and where the next occurrence may start.
    let (mut window_start, mut next) = (0, 0);
    let mut chunks = rope.chunks().map(str::as_bytes).peekable();
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
