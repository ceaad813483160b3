//! The last part of a call that changes files: through the editor, into the ledger, into words. One way for every
//! tool.

use std::fmt::Write;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use mewcode_core::diff;
use mewcode_core::position::LineRange;
use mewcode_core::text::Snapshot;

use crate::contract::Change;
use crate::disk::{self, Encoding};
use crate::error::ToolError;
use crate::guard::ResolvedPath;
use crate::ledger::Ledger;
use crate::names;
use crate::overlay::Workspace;
use crate::port::{ChangeOutcome, ChangeRequest, Destination, FileEdit};
use crate::result::{FileChange, Status, ToolResult};

/// Whether the files that the change writes to the disk can hold it in their encodings. What is open is the editor's to
/// write.
pub(crate) fn check_encodable(workspace: &Workspace, change: &Change) -> Result<(), ToolError> {
    let on_disk = |file: &&FileEdit| {
        file.destination != Destination::Removed && workspace.editor().buffer(&file.path).is_none()
    };
    // Every encoding has ASCII, and most edits are nothing else: the file need not be read for them. Where even that
    // would be mistaken for another encoding, it is found when it lands.
    let is_ascii = |file: &&FileEdit| {
        let mut texts = file.edit.replacements().iter().map(|it| &it.text);
        texts.all(|text| text.is_ascii() && !text.contains('\0'))
    };
    let to_check = |file: &&FileEdit| on_disk(file) && !is_ascii(file);
    for file in change.files.iter().filter(to_check) {
        let encoding = match file.existed {
            true => disk::encoding(&file.path).unwrap_or(Encoding::Utf8),
            false => Encoding::Utf8,
        };
        let mut replacements = file.edit.replacements().iter();
        let holds_all = encoding == Encoding::Utf8
            && replacements.all(|replacement| !replacement.text.contains('\0'));
        // One that does not fit its base is refused where it lands.
        if !holds_all && let Ok(after) = file.edit.apply(&file.base) {
            let written = encoding.encode(after.text());
            written.map_err(|fault| disk::unencodable(&file.display, &fault))?;
        }
    }
    Ok(())
}

/// Carries a change through the editor. Waits as long as a person takes to decide.
pub(crate) async fn carry_out(
    workspace: &Arc<Workspace>,
    ledger: Option<Arc<Ledger>>,
    request: ChangeRequest,
    notes: Vec<String>,
) -> ToolResult {
    let files = request.files.clone();
    let editor = Arc::clone(workspace.editor());
    let outcome = AssertUnwindSafe(editor.change(request))
        .catch_unwind()
        .await;
    let Ok(outcome) = outcome else {
        let paths: Vec<&str> = files.iter().map(|file| file.display.as_str()).collect();
        let paths = names::all(&paths);
        return ToolResult::unknown_outcome(
            ToolError::internal(format!("Applying the change of {paths} broke off.")).suggest(
                "Read the files again to see whether the change is there before you go on.",
            ),
        );
    };
    if let Some(ledger) = ledger {
        let (workspace, changes) = (Arc::clone(workspace), outcome.files.clone());
        // What is recorded is read from the disk; a record that fails costs a read later, and nothing else.
        let _ = tokio::task::spawn_blocking(move || record(&workspace, &ledger, &files, &changes))
            .await;
    }
    describe(outcome, notes)
}

/// Tells the ledger what the agent wrote.
fn record(workspace: &Workspace, ledger: &Ledger, files: &[FileEdit], changes: &[FileChange]) {
    for file in files {
        let Some(change) = changes.iter().find(|change| change.path == file.display) else {
            continue;
        };
        if change.sha256_after.is_none() {
            ledger.removed(&file.path);
            continue;
        }
        let path = now_at(file, change);
        if path.real != file.path {
            ledger.moved(&file.path, &path.real);
        }
        let Ok(expected) = file.edit.apply(&file.base) else {
            continue;
        };
        let landed_on_base = match &change.sha256_before {
            Some(before) => *before == file.base.hash().to_string(),
            None => true,
        };
        let present = workspace
            .find_text(&path)
            .ok()
            .flatten()
            .map(|text| text.snapshot);
        // The diff that the agent gets leads from the base to what landed, so that it knows all of it; unless the
        // edit landed on another text, or beside what the user typed meanwhile: then it knows only its own part.
        let landed = present.filter(|text| {
            landed_on_base
                && change.sha256_after == Some(text.hash().to_string())
                && is_part(&file.base, text, &expected)
        });
        let after = landed.unwrap_or(expected);
        if file.existed {
            ledger.wrote(&path.real, &file.base, &after);
        } else {
            ledger.created(&path.real, &after);
        }
    }
}

/// Where the text of a file is after its change.
fn now_at(file: &FileEdit, change: &FileChange) -> ResolvedPath {
    match (&file.destination, &change.moved_to) {
        (Destination::Moved { path, display }, Some(_)) => ResolvedPath {
            real: path.clone(),
            display: display.clone(),
        },
        _ => ResolvedPath {
            real: file.path.clone(),
            display: file.display.clone(),
        },
    }
}

/// Whether every change from `base` to `text` is one of those that lead to `expected`.
fn is_part(base: &Snapshot, text: &Snapshot, expected: &Snapshot) -> bool {
    let planned = diff::line_changes(base.rope(), expected.rope());
    let lines = |text: &Snapshot, range: LineRange| {
        let bytes = range.bytes(text.rope()).to_range();
        text.rope().byte_slice(bytes).to_string()
    };
    diff::line_changes(base.rope(), text.rope())
        .iter()
        .all(|change| {
            planned.iter().any(|own| {
                own.old == change.old && lines(expected, own.new) == lines(text, change.new)
            })
        })
}

/// The result in words: what landed, what else is to be known, then the diff, which is what may be cut.
fn describe(outcome: ChangeOutcome, notes: Vec<String>) -> ToolResult {
    let mut content = String::new();
    if let Some(error) = &outcome.error {
        let _ = writeln!(content, "{error}");
    } else if outcome.status == Status::Interrupted {
        content.push_str("The call was cancelled.\n");
    }
    if outcome.status != Status::Ok && !outcome.files.is_empty() {
        content.push_str("What stands nevertheless:\n");
    }
    for file in &outcome.files {
        let _ = writeln!(content, "{}", headline(file));
    }
    if !outcome.rejected.is_empty() {
        let _ = writeln!(
            content,
            "The user rejected these parts, and they are not in the file: {}.",
            outcome.rejected.join(", ")
        );
    }
    if let Some(feedback) = &outcome.feedback {
        let _ = writeln!(content, "The user says: {feedback}");
    }
    let notes = if outcome.files.is_empty() {
        Vec::new()
    } else {
        notes
    };
    for note in notes.iter().chain(&outcome.notes) {
        let _ = writeln!(content, "{note}");
    }
    if content.is_empty() {
        content.push_str("Nothing was changed.\n");
    }
    let several = outcome.files.len() > 1;
    for file in outcome.files.iter().filter(|file| shows_diff(file)) {
        if several {
            let path = file.moved_to.as_ref().unwrap_or(&file.path);
            let _ = writeln!(content, "{path}:");
        }
        content.push_str(&file.diff);
        if !file.diff.ends_with('\n') {
            content.push('\n');
        }
    }
    ToolResult {
        status: outcome.status,
        error: outcome.error,
        files: outcome.files,
        ..ToolResult::ok(content)
    }
}

/// Of a file that is gone, the diff says nothing that the headline does not.
fn shows_diff(file: &FileChange) -> bool {
    !file.diff.is_empty() && file.sha256_after.is_some()
}

fn headline(file: &FileChange) -> String {
    let counts = format!("+{} −{}", file.added, file.removed);
    let short = |hash: &str| hash.chars().take(12).collect::<String>();
    if let (Some(to), Some(after)) = (&file.moved_to, &file.sha256_after) {
        let edited = if file.diff.is_empty() {
            String::new()
        } else {
            format!(" and edited it: {counts}")
        };
        return format!(
            "Moved `{}` to `{to}`{edited}, sha256 {}.",
            file.path,
            short(after)
        );
    }
    match (&file.sha256_before, &file.sha256_after) {
        (None, Some(after)) => format!(
            "Created `{}`: {counts}, sha256 {}.",
            file.path,
            short(after)
        ),
        (Some(_), Some(after)) => {
            format!("Edited `{}`: {counts}, sha256 {}.", file.path, short(after))
        }
        (_, None) => format!("Removed `{}`: {counts}.", file.path),
    }
}

#[cfg(test)]
mod tests;
