//! What a command must not read that it would find in the folders that it searches. Runs nothing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ignore::{DirEntry, WalkBuilder, WalkState};

use crate::blocking::on_a_thread;
use crate::contract::CallScope;
use crate::error::ToolError;
use crate::permission::{Denied, DeniedPaths, Unread};
use crate::sandbox::{Policy, Profile};

/// In a tree with more of them nothing is searched: each one is closed by itself.
const LIMIT: usize = 2000;

/// So many files and folders are looked at before it is said what a command may do.
const LOOKED_AT: usize = 50_000;

/// So many are named in the result.
const MAX_NAMED: usize = 5;

/// The files in these folders that hold secrets by their names, or are not to be read by the rules; hidden and ignored
/// ones included. Follows no link, as the commands do not that are proven.
pub(super) fn unread(folders: &[PathBuf], unread: &Unread) -> Result<Vec<PathBuf>, ToolError> {
    let mut found = gather(folders, |entry| {
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        match is_file && unread.contains(entry.path()) {
            true => Look::Take,
            false => Look::GoOn,
        }
    });
    if found.len() > LIMIT {
        return Err(ToolError::unavailable(format!(
            "More than {LIMIT} files that may hold secrets, or are not to be read, are where this would search. Nothing was run."
        ))
        .suggest("Search a smaller folder, or use grep."));
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// Adds to a policy what rules on paths deny to any command: what is not to be read is closed to it, and what is not to be
/// changed is protected from it, whichever program it runs. Costs nothing where there are no such rules.
pub(super) async fn keep_denied(policy: &mut Policy, scope: &CallScope) -> Result<(), ToolError> {
    if policy.profile == Profile::Off {
        return Ok(());
    }
    let denied = |to| {
        scope
            .host
            .policy
            .denied(to, scope.workspace.guard().roots())
    };
    for (to, kept) in [
        (Denied::Read, &mut policy.closed),
        (Denied::Change, &mut policy.protected),
    ] {
        if let Some(denied) = denied(to) {
            kept.extend(on_a_thread(move || found(&denied)).await?);
        }
    }
    Ok(())
}

/// The files and folders that there are and rules deny. Follows no link, and passes over what git itself keeps.
fn found(denied: &DeniedPaths) -> Result<Vec<PathBuf>, ToolError> {
    let found = gather(denied.starts(), |entry| {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        if is_folder && entry.file_name() == ".git" {
            return Look::Skip;
        }
        let is_whole = is_folder && denied.contains_all(entry.path());
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        match is_whole || is_file && denied.contains(entry.path()) {
            true => Look::Take,
            false => Look::GoOn,
        }
    });
    if found.len() > LIMIT {
        return Err(ToolError::unavailable(format!(
            "More than {LIMIT} files are denied by rules, each by itself. Nothing was run."
        ))
        .suggest("Tell the user: a rule for their folder (`folder/**`) closes them all at once."));
    }
    Ok(found)
}

/// What is done with an entry of a folder.
enum Look {
    /// It is one of those, with all that is in it.
    Take,
    /// It may have some of those in it.
    GoOn,
    /// It is passed over, with all that is in it.
    Skip,
}

/// What there is in these folders, hidden and ignored entries included, or the first so many more than [`LIMIT`].
fn gather(
    folders: impl IntoIterator<Item = impl AsRef<Path>>,
    look: impl Fn(&DirEntry) -> Look + Sync,
) -> Vec<PathBuf> {
    let found = Mutex::new(Vec::new());
    for folder in folders {
        let walk = WalkBuilder::new(folder)
            .standard_filters(false)
            .follow_links(false)
            .build_parallel();
        walk.run(|| {
            Box::new(|entry| {
                // What cannot be looked at here cannot be reached by a command of the same user.
                let Ok(entry) = entry else {
                    return WalkState::Continue;
                };
                match look(&entry) {
                    Look::GoOn => return WalkState::Continue,
                    Look::Skip => return WalkState::Skip,
                    Look::Take => {}
                }
                let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                found.push(entry.into_path());
                match found.len() > LIMIT {
                    true => WalkState::Quit,
                    false => WalkState::Skip,
                }
            })
        });
    }
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a link in these folders leads to what is in none of them, or may, because there is too much to be looked at.
pub(super) fn leads_out(folders: &BTreeSet<PathBuf>) -> bool {
    let mut seen = 0;
    folders.iter().any(|folder| {
        let walk = WalkBuilder::new(folder)
            .standard_filters(false)
            .follow_links(false)
            .build();
        // What cannot be looked at here cannot be read by a command of the same user.
        walk.flatten().any(|entry| {
            seen += 1;
            let leads_out = |place: &Path| {
                // A link that leads nowhere leads to nothing that could be read.
                let there = place.canonicalize();
                there.is_ok_and(|there| !folders.iter().any(|folder| there.starts_with(folder)))
            };
            seen > LOOKED_AT || entry.path_is_symlink() && leads_out(entry.path())
        })
    })
}

/// Says what was kept from a search.
pub(super) fn note(unread: &[PathBuf], scope: &CallScope) -> Option<String> {
    let named: Vec<String> = unread
        .iter()
        .take(MAX_NAMED)
        .map(|path| format!("`{}`", scope.workspace.guard().display(path)))
        .collect();
    let more = match unread.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let named = named.join(", ");
    (!unread.is_empty()).then(|| {
        format!(
            "Closed to this command, for it may hold secrets or is not to be read: {named}{more}. Name a file to ask for it."
        )
    })
}
