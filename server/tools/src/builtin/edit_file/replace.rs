//! Makes an edit of literal replacements: each in the text that the ones before it left. Knows one text at a time;
//! which text is meant is decided by the caller.

use mewcode_core::edit::Edit;
use mewcode_core::find::{self, FindError, Match, Rung};
use mewcode_core::position::ByteRange;
use mewcode_core::text::Snapshot;
use ropey::Rope;

use super::refusals::{Refusals, lines_of};
use super::{Replacement, numbers, omission};
use crate::builtin::meant::Replaced;
use crate::error::ToolError;
use crate::guard::ResolvedPath;
use crate::staleness::describe_lines;

/// Replacements that make sense by themselves.
pub(super) struct Replacer<'a> {
    path: &'a ResolvedPath,
    replacements: Vec<Replacement>,
}

impl<'a> Replacer<'a> {
    /// Checks what can be checked without the text.
    pub(super) fn new(
        replacements: Vec<Replacement>,
        path: &'a ResolvedPath,
    ) -> Result<Replacer<'a>, ToolError> {
        let mut replacer = Replacer { path, replacements };
        for index in 0..replacer.replacements.len() {
            let place = replacer.place(index);
            let replacement = &mut replacer.replacements[index];
            // Line endings are compared as LF, and each line keeps its own when it is written.
            replacement.old_string = replacement.old_string.replace("\r\n", "\n");
            replacement.new_string = replacement.new_string.replace("\r\n", "\n");
            check(replacement).map_err(|error| at(&place, error))?;
        }
        Ok(replacer)
    }

    /// What the replacements make of a text.
    pub(super) fn replaced(&self, text: &Snapshot) -> Result<Replaced, ToolError> {
        let mut rope = text.rope().clone();
        let mut notes = Vec::new();
        for (index, replacement) in self.replacements.iter().enumerate() {
            let place = self.place(index);
            let noted = self
                .replace(&mut rope, replacement, index > 0)
                .map_err(|error| at(&place, error))?;
            notes.extend(noted.map(|note| {
                if place.is_empty() {
                    note
                } else {
                    format!("{place}: {note}")
                }
            }));
        }
        let gains_newline = settle_end(&mut rope, text);
        let edit = Edit::between(text, &rope).map_err(|error| {
            ToolError::internal(format!(
                "The change of `{}` makes no edit: {error}.",
                self.path.display
            ))
        })?;
        if edit.is_empty() {
            return Err(self.nothing_changes(gains_newline));
        }
        Ok(Replaced {
            edit,
            notes,
            final_newline: gains_newline || text.text().final_newline(),
        })
    }

    fn nothing_changes(&self, gains_newline: bool) -> ToolError {
        let why = if gains_newline {
            "only a line break at the end of the file would be new, which an edit alone cannot add"
        } else if self.replacements.len() == 1 {
            "the new text stands there already"
        } else {
            "the replacements undo each other"
        };
        ToolError::no_change(format!(
            "`{}` would be the same as before: {why}.",
            self.path.display
        ))
    }

    /// How a replacement is named when there are several.
    fn place(&self, index: usize) -> String {
        if self.replacements.len() == 1 {
            String::new()
        } else {
            format!("edits[{index}]")
        }
    }

    fn replace(
        &self,
        rope: &mut Rope,
        replacement: &Replacement,
        later: bool,
    ) -> Result<Option<String>, ToolError> {
        let Replacement {
            old_string,
            new_string,
            replace_all,
        } = replacement;
        let all = *replace_all == Some(true);
        if all {
            let found = find::find_all(rope, old_string);
            for range in found.iter().rev() {
                put(rope, range, new_string);
            }
            if !found.is_empty() {
                return Ok(Some(format!("Replaced {} occurrences.", found.len()))
                    .filter(|_| found.len() != 1));
            }
        }
        let refusals = Refusals {
            path: self.path,
            rope,
            old: old_string,
            later,
        };
        match find::find_unique(rope, old_string) {
            Ok(found) if all => Err(refusals.loose_replace_all(&found)),
            Ok(found) => {
                let new = (found.fitted(new_string)).ok_or_else(|| refusals.unfit(&found))?;
                let note = loose_note(rope, &found, *new == *new_string);
                put(rope, &found.range, &new);
                Ok(note)
            }
            Err(FindError::Ambiguous { lines }) => Err(refusals.ambiguous(&lines)),
            Err(FindError::NoMatch { nearest }) => match self.without_numbers(rope, replacement)? {
                Some((range, new_string)) => {
                    put(rope, &range, &new_string);
                    Ok(Some(
                        "The line numbers in `old_string` were left out.".to_owned(),
                    ))
                }
                None => Err(refusals.no_match(nearest)),
            },
        }
    }

    /// Where the text stands without the line numbers that were copied along with it, and the new text likewise.
    fn without_numbers(
        &self,
        rope: &Rope,
        replacement: &Replacement,
    ) -> Result<Option<(ByteRange, String)>, ToolError> {
        let Some(old) = numbers::strip(&replacement.old_string) else {
            return Ok(None);
        };
        // One liberty at a time: the bare text must stand there exactly, and where a line begins, as its number did.
        let starts_line = |at: usize| rope.line_to_byte(rope.byte_to_line(at)) == at;
        let Some(found) = find::find_unique(rope, &old)
            .ok()
            .filter(|found| found.rung == Rung::Exact && starts_line(found.range.start.0))
        else {
            return Ok(None);
        };
        let new = match numbers::strip(&replacement.new_string) {
            Some(new) => new,
            None if numbers::any(&replacement.new_string) => {
                return Err(ToolError::invalid_arguments(
                    "Some lines of `new_string` begin with line numbers, others do not.",
                )
                .suggest(
                    "Leave the line numbers out of both texts: they are not part of the file.",
                ));
            }
            None => replacement.new_string.clone(),
        };
        Ok(Some((found.range, new)))
    }
}

/// Makes a logical text of the rope: one that ends in a line break. Whether the file ends in one is kept beside it; a
/// file that did not gains one if the new text ends in one, and no file loses it.
fn settle_end(rope: &mut Rope, before: &Snapshot) -> bool {
    let length = rope.len_chars();
    let ends_in = |from_end: usize| length >= from_end && rope.char(length - from_end) == '\n';
    if !ends_in(1) {
        rope.insert_char(length, '\n');
        return false;
    }
    let gains = !before.text().final_newline() && ends_in(2);
    if gains {
        rope.remove(length - 1..);
    }
    gains
}

fn check(replacement: &Replacement) -> Result<(), ToolError> {
    let Replacement {
        old_string,
        new_string,
        ..
    } = replacement;
    if old_string.is_empty() {
        return Err(ToolError::invalid_arguments("`old_string` is empty: there is no place to put the new text.")
            .suggest("Name the text beside which the new one goes; for a new file or a whole rewrite use write_file."));
    }
    if old_string == new_string {
        return Err(ToolError::no_change(
            "`old_string` and `new_string` are the same.",
        ));
    }
    let present = |line: &str| old_string.lines().any(|old| old.trim() == line.trim());
    if let Some(line) = omission::first(new_string, present) {
        return Err(ToolError::invalid_arguments(format!(
            "`new_string` has `{}` in place of code; it would be written just so, and the code would be gone.",
            line.trim()
        ))
        .suggest("Write out all of the new text, or replace smaller parts and leave out what stays."));
    }
    Ok(())
}

/// What is said of a match that is not exact, so that nobody takes it for one.
fn loose_note(rope: &Rope, found: &Match, as_given: bool) -> Option<String> {
    let differs = match (found.rung, as_given) {
        (Rung::Exact, _) => return None,
        (Rung::TrailingSpace, _) => "in white space at line ends or in blank lines around it",
        (Rung::Indentation, true) => {
            "in its indentation; `new_string` was written as it is, at the depth of the file"
        }
        (Rung::Indentation, false) => {
            "in its indentation; `new_string` was shifted to the depth of the file"
        }
        (Rung::Typography, _) => {
            "in typographic characters, such as quotes, dashes and spaces, or in composed ones"
        }
    };
    let lines = describe_lines(&[lines_of(rope, &found.range)]);
    Some(format!(
        "matched: {} ({lines}): `old_string` differs from the file {differs}.",
        found.rung.as_str()
    ))
}

fn at(place: &str, error: ToolError) -> ToolError {
    if place.is_empty() {
        error
    } else {
        error.at(place)
    }
}

fn put(rope: &mut Rope, range: &ByteRange, text: &str) {
    let (start, end) = (
        rope.byte_to_char(range.start.0),
        rope.byte_to_char(range.end.0),
    );
    rope.remove(start..end);
    rope.insert(start, text);
}
