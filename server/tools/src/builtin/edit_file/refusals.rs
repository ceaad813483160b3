//! Why a replacement finds no place, in words that say what to do instead. Decides nothing.

use mewcode_core::find::{self, Match, Nearest};
use mewcode_core::position::{ByteRange, LineIndex, LineRange};
use ropey::Rope;

use crate::builtin::nearest::with_nearest;
use crate::error::ToolError;
use crate::guard::ResolvedPath;

/// As many line numbers as a refusal lists.
const MAX_LISTED: usize = 100;

/// What was sought, and where.
pub(super) struct Refusals<'a> {
    pub(super) path: &'a ResolvedPath,
    /// The text as it is at this replacement's turn.
    pub(super) rope: &'a Rope,
    pub(super) old: &'a str,
    /// Whether other replacements were made before.
    pub(super) later: bool,
}

impl Refusals<'_> {
    pub(super) fn ambiguous(&self, lines: &[LineIndex]) -> ToolError {
        let numbers: Vec<usize> = lines.iter().map(|line| line.0 + 1).collect();
        let listed: Vec<String> = numbers
            .iter()
            .take(MAX_LISTED)
            .map(usize::to_string)
            .collect();
        let more = numbers.len().saturating_sub(MAX_LISTED);
        let more = if more == 0 {
            String::new()
        } else {
            format!(" and {more} more places")
        };
        let count = if numbers.len() < find::MAX_OCCURRENCES {
            numbers.len().to_string()
        } else {
            format!("{} or more", numbers.len())
        };
        let display = &self.path.display;
        let listed = listed.join(", ");
        let error = if find::find_all(self.rope, self.old).is_empty() {
            ToolError::ambiguous_match(format!(
                "`old_string` does not stand exactly in `{display}`, and what differs from it only in white space or \
                 typographic characters stands there {count} times: on lines {listed}{more}."
            ))
            .suggest(
                "Copy the text exactly as it stands, with lines around it until it is unique; `replace_all` takes \
                 exact text only.",
            )
        } else {
            ToolError::ambiguous_match(format!(
                "`old_string` stands {count} times in `{display}`: on lines {listed}{more}."
            ))
        };
        error.with("lines", numbers)
    }

    pub(super) fn no_match(&self, nearest: Option<Nearest>) -> ToolError {
        let message = self.nowhere("");
        let error = match nearest {
            None => ToolError::no_match(message),
            Some(nearest) => with_nearest(
                format!("{message} What comes closest is"),
                nearest.lines,
                &nearest.text,
                &nearest.differs,
            ),
        };
        if !self.stands_unescaped() {
            return error;
        }
        error.suggest(
            "It would stand there if its backslashes were no part of it: give line breaks, tabs and quotes as \
             themselves, escaped once as JSON needs it and not twice.",
        )
    }

    /// Every occurrence is replaced only where all of them are certain.
    pub(super) fn loose_replace_all(&self, found: &Match) -> ToolError {
        let message = self.nowhere(" exactly");
        self.close(
            found,
            format!("{message} `replace_all` takes exact text only. What comes closest is"),
            "white space or typographic characters",
        )
    }

    /// The place is found, but how deep the new text is meant to stand there is not known.
    pub(super) fn unfit(&self, found: &Match) -> ToolError {
        let message = self.nowhere(" exactly");
        self.close(
            found,
            format!("{message} What comes closest is"),
            "these lines are indented less, and lines of `new_string` have not enough indentation to be shifted alike",
        )
    }

    fn close(&self, found: &Match, message: String, differs: &str) -> ToolError {
        let text = self.rope.byte_slice(found.range.to_range()).to_string();
        with_nearest(message, lines_of(self.rope, &found.range), &text, differs)
    }

    fn nowhere(&self, how: &str) -> String {
        let after = if self.later {
            " after the edits before this one"
        } else {
            ""
        };
        format!(
            "`old_string` does not stand{how} in `{}`{after}.",
            self.path.display
        )
    }

    /// Whether it is escaped once too often.
    fn stands_unescaped(&self) -> bool {
        let plain = self
            .old
            .replace("\\r\\n", "\n")
            .replace("\\n", "\n")
            .replace("\\t", "\t")
            .replace("\\\"", "\"");
        plain != *self.old && !find::find_all(self.rope, &plain).is_empty()
    }
}

/// The lines that hold these bytes.
pub(super) fn lines_of(rope: &Rope, range: &ByteRange) -> LineRange {
    let start = rope.byte_to_line(range.start.0);
    let last = rope.byte_to_line(range.end.0.saturating_sub(1).max(range.start.0));
    LineRange::new(start, last + 1)
}
