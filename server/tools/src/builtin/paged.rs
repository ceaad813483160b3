//! A long list as the text of an answer: those entries of it that are asked for, as far as they fit, and how many are left.
//! Knows no entry.

use std::fmt::Write;

use super::asked::MAX_BYTES;
use super::found::Window;
use crate::result::{Rest, Truncation};

/// Room for the first and the last lines of the answer.
const FRAME_BYTES: usize = 1024;

/// A list, and which part of it is shown.
pub(super) struct Paged<'a, T> {
    pub(super) entries: &'a [T],
    pub(super) window: Window,
    /// Whether the tool can be asked for the rest.
    pub(super) goes_on: bool,
}

impl<'a, T> Paged<'a, T> {
    /// Adds the entries to the text, each in the words that `write` has for it after the one before it, and says what is
    /// left.
    pub(super) fn add_to(
        &self,
        content: &mut String,
        mut write: impl FnMut(Option<&'a T>, &'a T) -> String,
    ) -> Option<Truncation> {
        let Window { offset, limit } = self.window;
        let (mut written, mut last) = (0, None);
        for entry in self.entries.iter().skip(offset).take(limit) {
            let text = write(last, entry);
            if content.len() + text.len() + FRAME_BYTES > MAX_BYTES && written > 0 {
                break;
            }
            content.push_str(&text);
            last = Some(entry);
            written += 1;
        }
        let (total, next) = (self.entries.len(), offset.saturating_add(written));
        let more = total.checked_sub(next).filter(|more| *more > 0)?;
        let shown_bytes = content.len();
        // Writing to a string does not fail.
        let (_, rest) = match self.goes_on {
            true => (
                writeln!(content, "[{more} more; go on with offset {next}]"),
                Rest::Next {
                    offset: next,
                    byte_offset: None,
                },
            ),
            false => (
                writeln!(content, "[{more} more are not shown]"),
                Rest::NotKept,
            ),
        };
        Some(Truncation {
            shown_lines: written,
            shown_bytes,
            total_lines: total,
            // Those that are not shown are not written out: as long as these, about.
            total_bytes: shown_bytes / written.max(1) * total,
            rest,
        })
    }
}
