//! For which text of a file an edit is meant: for the present one, or for the one that the agent saw last, and then what
//! others changed since is not to be touched. Knows no way in which an edit may be described.

use std::ops::Range;

use mewcode_core::carry::carry;
use mewcode_core::edit::Edit;
use mewcode_core::position::ByteRange;
use mewcode_core::text::Snapshot;

use crate::error::{ErrorKind, ToolError};
use crate::guard::ResolvedPath;
use crate::ledger::{self, Basis, Ledger};
use crate::staleness;

/// What an edit makes of a text.
pub(super) struct Replaced {
    pub(super) edit: Edit,
    /// What is to be said of it.
    pub(super) notes: Vec<String>,
    /// Whether the text ends in a line break afterwards.
    pub(super) final_newline: bool,
}

/// An edit that is meant for some text of a file.
pub(super) struct Meant<'a> {
    pub(super) path: &'a ResolvedPath,
    /// The text of the file now.
    pub(super) current: &'a Snapshot,
    /// The text for which the caller says that it is meant.
    pub(super) base_hash: Option<&'a str>,
}

impl Meant<'_> {
    /// The edit for the present text; `replaced` makes it of any text of the file. Without a ledger the caller is no
    /// agent.
    pub(super) fn replaced(
        &self,
        ledger: Option<&Ledger>,
        replaced: impl Fn(&Snapshot) -> Result<Replaced, ToolError>,
    ) -> Result<Replaced, ToolError> {
        match ledger {
            Some(ledger) => self.replaced_seen(ledger, replaced),
            None => self.replaced_unseen(replaced),
        }
    }

    /// For a caller of whom nothing is known: the present text is meant.
    fn replaced_unseen(
        &self,
        replaced: impl Fn(&Snapshot) -> Result<Replaced, ToolError>,
    ) -> Result<Replaced, ToolError> {
        if let Some(digits) = self.base_hash
            && !ledger::hash_has_digits(&self.current.hash(), digits)
        {
            return Err(ledger::wrong_base(&self.path.display, digits, self.current));
        }
        replaced(self.current)
    }

    /// For an agent: the text that it saw last is meant. What others changed since is not to be touched.
    fn replaced_seen(
        &self,
        ledger: &Ledger,
        replaced: impl Fn(&Snapshot) -> Result<Replaced, ToolError>,
    ) -> Result<Replaced, ToolError> {
        let (path, current) = (self.path, self.current);
        let replaced = match ledger.basis(&path.real, &path.display, current, self.base_hash)? {
            Basis::Current => replaced(current)?,
            Basis::Earlier(seen) => match replaced(&seen) {
                Ok(replaced) => self.carried(replaced, &seen)?,
                // The agent may know the present text from elsewhere; then that is what it means.
                Err(error) if error.kind == ErrorKind::NoMatch => {
                    self.beside_changes(replaced(current)?, &seen)?
                }
                Err(error) => return Err(error),
            },
        };
        let replacements = replaced.edit.replacements().iter();
        let lines: Vec<Range<usize>> = replacements
            .map(|replacement| touched_lines(current, &replacement.range))
            .collect();
        ledger.check_lines(&path.real, &path.display, current, &lines)?;
        Ok(replaced)
    }

    /// What was made of the present text, if it touches nothing that others changed since the earlier one.
    fn beside_changes(&self, replaced: Replaced, seen: &Snapshot) -> Result<Replaced, ToolError> {
        let current = self.current;
        carry(&replaced.edit, current, seen).map_err(|conflict| {
            staleness::stale_lines(&self.path.display, seen, current, &conflict.base_lines)
        })?;
        Ok(replaced)
    }

    /// What was made of an earlier text, for the present one.
    fn carried(&self, replaced: Replaced, seen: &Snapshot) -> Result<Replaced, ToolError> {
        let current = self.current;
        let edit = carry(&replaced.edit, seen, current).map_err(|conflict| {
            staleness::stale_lines(&self.path.display, seen, current, &conflict.current_lines)
        })?;
        // Only what the edit itself brings: the end of the present text is the user's.
        let gains_newline = replaced.final_newline && !seen.text().final_newline();
        Ok(Replaced {
            edit,
            final_newline: gains_newline || current.text().final_newline(),
            ..replaced
        })
    }
}

/// The lines that a replacement touches; empty, between two lines, if it inserts whole lines.
fn touched_lines(text: &Snapshot, range: &ByteRange) -> Range<usize> {
    let rope = text.rope();
    let (start, end) = (
        rope.byte_to_line(range.start.0),
        rope.byte_to_line(range.end.0),
    );
    if rope.line_to_byte(end) == range.end.0
        && (end > start || rope.line_to_byte(start) == range.start.0)
    {
        start..end
    } else {
        start..end + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_that_a_replacement_touches() {
        let text = Snapshot::decode("ab\ncd\nef\n");
        for (start, end, lines) in [
            (0, 1, 0..1),
            (0, 3, 0..1),
            (0, 4, 0..2),
            (3, 3, 1..1),
            (2, 2, 0..1),
            (1, 7, 0..3),
            (2, 3, 0..1),
            (9, 9, 3..3),
        ] {
            assert_eq!(
                touched_lines(&text, &ByteRange::new(start, end)),
                lines,
                "{start}..{end}"
            );
        }
    }
}
