//! The hunks of one file: placed in a text of it, and in words what is to be said of that. Knows one file.

use mewcode_core::find::{Nearest, Rung};
use mewcode_core::patch::{self, Hunk, HunkLine, Located, PlaceError, PlaceFault};
use mewcode_core::position::LineIndex;
use mewcode_core::text::Snapshot;

use super::sections::SEND_AGAIN;
use crate::builtin::meant::Replaced;
use crate::builtin::nearest::with_nearest;
use crate::builtin::omission;
use crate::error::ToolError;
use crate::guard::ResolvedPath;
use crate::staleness::describe_lines;

/// As many line numbers as a refusal lists.
const MAX_LISTED: usize = 100;

/// What the hunks make of a text of the file.
pub(super) fn replaced(
    path: &ResolvedPath,
    hunks: &[Hunk<'_>],
    text: &Snapshot,
) -> Result<Replaced, ToolError> {
    let placed = patch::place(text, hunks).map_err(|error| refusal(path, hunks, error))?;
    Ok(Replaced {
        edit: placed.edit,
        notes: placed
            .hunks
            .iter()
            .filter_map(|hunk| note(path, hunk))
            .collect(),
        final_newline: placed.final_newline,
    })
}

/// A remark in place of code would be written just so.
pub(super) fn check_complete(path: &ResolvedPath, hunk: &Hunk<'_>) -> Result<(), ToolError> {
    let added = hunk.lines.iter().filter_map(|line| match line {
        HunkLine::Added(text) => Some(*text),
        _ => None,
    });
    let present = |line: &str| {
        let old = hunk.lines.iter().filter_map(HunkLine::old);
        old.into_iter().any(|old| old.trim() == line.trim())
    };
    let added: Vec<&str> = added.collect();
    let added = added.join("\n");
    let Some(line) = omission::first(&added, present) else {
        return Ok(());
    };
    Err(ToolError::patch_invalid(format!(
        "`{}`: the hunk on line {} of the patch has `{}` in place of code; it would be written just so.",
        path.display,
        hunk.line,
        line.trim()
    ))
    .suggest("Nothing was changed. Write out all new lines, leave out what stays, and send the whole patch again.")
    .with("patch_line", hunk.line))
}

/// What is not as the patch has it, so that nobody takes it for exact.
fn note(path: &ResolvedPath, hunk: &Located) -> Option<String> {
    let matched = match (hunk.rung, hunk.unmarked) {
        (Rung::Exact, false) => return None,
        (Rung::Exact, true) => "context lines without their leading space",
        (rung, _) => rung.as_str(),
    };
    Some(format!(
        "`{}`, {} (hunk on line {} of the patch): matched: {matched}.",
        path.display,
        describe_lines(&[hunk.lines]),
        hunk.hunk
    ))
}

/// Why a hunk has no single place, and what to do.
fn refusal(path: &ResolvedPath, hunks: &[Hunk<'_>], error: PlaceError) -> ToolError {
    let PlaceError { hunk, fault } = error;
    let tied = hunks.iter().any(|it| it.line == hunk && it.end_of_file);
    let place = format!("`{}`: the hunk on line {hunk} of the patch", path.display);
    let error = match fault {
        PlaceFault::NoAnchor { anchor, like } => no_anchor(&place, &anchor, like),
        PlaceFault::NoMatch { nearest, elsewhere } if elsewhere.is_empty() => {
            no_match(&place, nearest)
        }
        PlaceFault::NoMatch { elsewhere, .. } => only_elsewhere(&place, &elsewhere, tied),
        PlaceFault::Ambiguous { lines } => ToolError::ambiguous_match(format!(
            "{place} fits in {} places: on {}.",
            lines.len(),
            starts(&lines)
        ))
        .suggest(format!(
            "{SEND_AGAIN} Show more lines around the change, or put `@@ ` and a line above it, such as the head of its \
             function, before the hunk."
        ))
        .with("lines", numbers(&lines)),
        PlaceFault::Overlap { other, lines } => ToolError::patch_invalid(format!(
            "{place} meets the hunk on line {other} at {}: one changes what the other shows.",
            describe_lines(&[lines])
        ))
        .suggest(format!("{SEND_AGAIN} Make one hunk of the two.")),
        PlaceFault::Uneven { start } => ToolError::no_match(format!(
            "{place} stands on line {} with less indentation, and one of its new lines has less than would have to go.",
            start.0 + 1
        ))
        .suggest(format!("{SEND_AGAIN} Copy the indentation as it stands in the file.")),
        PlaceFault::NoEdit(error) => {
            ToolError::internal(format!("{place} makes no edit: {error}."))
        }
    };
    error.with("patch_line", hunk)
}

fn no_anchor(place: &str, anchor: &str, like: Option<(LineIndex, String)>) -> ToolError {
    let meant = like.map_or_else(String::new, |(line, text)| {
        format!(" Line {} is `{text}`.", line.0 + 1)
    });
    ToolError::no_match(format!(
        "{place} has `@@ {anchor}`, but no line of the file begins so, or none below the `@@` line before it.{meant}"
    ))
    .suggest(format!(
        "{SEND_AGAIN} Give the whole line after `@@`, or leave it out."
    ))
    .with("anchor", anchor)
}

/// Anchors or the end of the file keep a hunk from where its lines stand.
fn only_elsewhere(place: &str, lines: &[LineIndex], tied: bool) -> ToolError {
    let (kept_from, advice) = if tied {
        (
            "not at the end of the file, where `*** End of File` ties it",
            "Leave out `*** End of File`, or show the last lines of the file.",
        )
    } else {
        (
            "not below its `@@` line",
            "Give a line above it after `@@`, or leave that out.",
        )
    };
    ToolError::no_match(format!(
        "{place} stands on {}, but {kept_from}.",
        starts(lines)
    ))
    .suggest(format!("{SEND_AGAIN} {advice}"))
    .with("lines", numbers(lines))
}

fn no_match(place: &str, nearest: Option<Nearest>) -> ToolError {
    let message = format!("{place} does not stand in the file.");
    let advice = format!(
        "{SEND_AGAIN} Copy the lines exactly as they stand in the file; read it again if you are not sure."
    );
    let Some(nearest) = nearest else {
        return ToolError::no_match(message).suggest(advice);
    };
    let Nearest {
        lines,
        text,
        differs,
    } = nearest;
    with_nearest(
        format!("{message} What comes closest is"),
        lines,
        &text,
        &differs,
    )
    .suggest(advice)
}

/// "line 3", "lines 3, 9 and 12": where something starts.
fn starts(lines: &[LineIndex]) -> String {
    let listed: Vec<String> = (numbers(lines).iter())
        .take(MAX_LISTED)
        .map(usize::to_string)
        .collect();
    let more = match lines.len() - listed.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    match listed.as_slice() {
        [only] => format!("line {only}"),
        [head @ .., last] if more.is_empty() => format!("lines {} and {last}", head.join(", ")),
        listed => format!("lines {}{more}", listed.join(", ")),
    }
}

/// 1-based, as a reader counts.
fn numbers(lines: &[LineIndex]) -> Vec<usize> {
    lines.iter().map(|line| line.0 + 1).collect()
}
