//! Where in a file the definition stands that `symbol` names. Finds exactly one, or says why not; never guesses.

use std::ops::Range;

use mewcode_core::hash::ContentHash;
use mewcode_core::outline::{Definition, Kind, Outline, Pattern, Rank};

use super::answer::Read;
use crate::builtin::outline::refusal;
use crate::contract::CallScope;
use crate::error::ToolError;
use crate::guard::ResolvedPath;
use crate::names;
use crate::symbols::Unparsed;

/// So many places of one name are told.
const MAX_PLACES: usize = 20;

/// The lines of a definition, in the text with this hash.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// From 0.
    pub(super) lines: Range<usize>,
    pub(super) hash: ContentHash,
}

impl Place {
    /// Sees to it that what was read is what the definition was found in, and that its end counts as the end.
    pub(super) fn settle(&self, read: &mut Read, display: &str) -> Result<(), ToolError> {
        if read.hash != self.hash {
            let message = format!("`{display}` was changed while it was read.");
            return Err(ToolError::unavailable(message).suggest("Call again."));
        }
        if read
            .page
            .next
            .is_some_and(|(line, byte)| line >= self.lines.end && byte == 0)
        {
            read.page.next = None;
        }
        Ok(())
    }
}

/// Finds the definition with this name in a file, as it is in the editor or on disk. None: the call is to end.
pub(super) fn find(
    path: &ResolvedPath,
    name: &str,
    scope: &CallScope,
) -> Result<Option<Place>, ToolError> {
    let text = scope.workspace.text(path)?.snapshot;
    let outline = match scope
        .workspace
        .symbols()
        .outline(&path.real, &text, &scope.cancel)
    {
        Ok(outline) => outline,
        Err(Unparsed::Cancelled) => return Ok(None),
        Err(unparsed) => return Err(refusal(path, &unparsed)),
    };
    let found = only_one(&outline, name.trim(), &path.display)?;
    let lines = found.lines();
    Ok(Some(Place {
        lines: lines.start.0..lines.end.0,
        hash: text.hash(),
    }))
}

fn only_one<'a>(
    outline: &'a Outline,
    name: &str,
    display: &str,
) -> Result<Definition<'a>, ToolError> {
    let mut found = named(outline, name, None, display);
    if found.is_empty()
        && let Some((kind, name)) = name.split_once(' ')
        && let Some(kind) = Kind::parse(kind)
    {
        found = named(outline, name.trim(), Some(kind), display);
    }
    // What only declares or adds to it is not it, if it is there; nor is what it contains under its own name, as
    // the constructor of a class.
    if found.iter().any(|it| it.kind().defines()) {
        found.retain(|it| it.kind().defines());
    }
    let indices: Vec<usize> = found.iter().map(Definition::index).collect();
    found.retain(|it| {
        !it.containers()
            .any(|container| indices.contains(&container.index()))
    });
    match found.as_slice() {
        [] => Err(not_found(outline, name, display)),
        [only] => Ok(*only),
        [first, rest @ ..] if rest.iter().all(|it| it.lines() == first.lines()) => Ok(*first),
        several => Err(ambiguous(several, name, display)),
    }
}

/// The definitions with just this name, which may be qualified: by what contains them, else also by their file.
fn named<'a>(
    outline: &'a Outline,
    name: &str,
    kind: Option<Kind>,
    display: &str,
) -> Vec<Definition<'a>> {
    let (plain, qualified) = (Pattern::plain(name), Pattern::qualified(name));
    let in_place = |path: &str| -> Vec<Definition<'a>> {
        let fits = |it: &Definition<'_>| {
            let is_it = |pattern: &Pattern| pattern.rank(it.name()) == Some(Rank::Exact);
            kind.is_none_or(|kind| it.kind() == kind)
                && (is_it(&plain) || is_it(&qualified) && qualified.fits_place(it, path))
        };
        outline.definitions().filter(fits).collect()
    };
    let found = in_place("");
    if found.is_empty() {
        in_place(display)
    } else {
        found
    }
}

fn not_found(outline: &Outline, name: &str, display: &str) -> ToolError {
    let incomplete = if outline.is_incomplete() {
        " Parts of the file do not parse, so it may be there all the same."
    } else {
        ""
    };
    let message = format!("`{display}` defines no `{name}`.{incomplete}");
    let pattern = Pattern::qualified(name);
    let mut known: Vec<&str> = outline.definitions().map(|it| it.name()).collect();
    known.sort_unstable();
    known.dedup();
    let mut close: Vec<&str> = names::close(pattern.name(), known.iter().copied());
    if close.is_empty() {
        close = elsewhere(outline, &pattern);
    }
    let error = ToolError::not_found(message);
    if close.is_empty() {
        return error
            .suggest("See what it defines with outline, or look in all files with find_symbol.");
    }
    error
        .suggest(format!(
            "Did you mean {}? What the file defines, outline tells.",
            names::either(&close)
        ))
        .with("close", close)
}

/// Names that hold what is asked for, or are it at another place.
fn elsewhere<'a>(outline: &'a Outline, pattern: &Pattern) -> Vec<&'a str> {
    let mut found: Vec<(Rank, &str)> = outline
        .ranked(pattern)
        .filter(|(_, rank)| *rank <= Rank::Part)
        .map(|(definition, rank)| (rank, definition.name()))
        .collect();
    found.sort();
    found.dedup();
    found.into_iter().take(3).map(|(_, name)| name).collect()
}

fn ambiguous(found: &[Definition<'_>], name: &str, display: &str) -> ToolError {
    let line = |it: &Definition<'_>| it.line().0 + 1;
    let mut message = format!("`{display}` defines `{name}` {} times:", found.len());
    for it in found.iter().take(MAX_PLACES) {
        let lines = it.lines();
        message.push_str(&format!(
            "\n  lines {}-{}: {} {}",
            lines.start.0 + 1,
            lines.end.0,
            it.kind(),
            it.qualified_name()
        ));
    }
    if found.len() > MAX_PLACES {
        message.push_str(&format!("\n  and {} more", found.len() - MAX_PLACES));
    }
    ToolError::ambiguous_match(message)
        .suggest("Qualify the name (`Type::method`) or put its kind before it (`impl Type`); or read the lines with `offset` and `limit`.")
        .with("lines", found.iter().map(line).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests;
