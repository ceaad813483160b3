//! What the sections of a patch do with the files of the workspace. Changes nothing.

use std::path::PathBuf;

use mewcode_core::edit::Edit;
use mewcode_core::patch::{Hunk, Operation, Patch, Section};
use mewcode_core::text::{Snapshot, Text};
use ropey::Rope;

use super::hunks;
use crate::builtin::creation::{check_names_file, empty_text_like, folders_note};
use crate::builtin::meant::{Meant, Replaced};
use crate::contract::{CallScope, Change};
use crate::disk;
use crate::error::ToolError;
use crate::guard::{Access, ResolvedPath};
use crate::ledger::{Basis, Ledger};
use crate::overlay::Workspace;
use crate::port::{Destination, FileEdit};
use crate::staleness;

/// What is said in each refusal: the caller must not think that a part of the patch has landed.
pub(super) const SEND_AGAIN: &str =
    "Nothing was changed: correct the patch and send the whole of it again.";

/// A section with its paths made real.
pub(super) struct Target<'a> {
    section: &'a Section<'a>,
    path: ResolvedPath,
    /// Where the file is moved.
    destination: Option<ResolvedPath>,
}

impl Target<'_> {
    /// The 1-based line of the patch on which the section starts.
    pub(super) fn line(&self) -> usize {
        self.section.line
    }

    /// The file, where it is before the patch.
    pub(super) fn path(&self) -> &ResolvedPath {
        &self.path
    }

    /// Every path that the section touches.
    pub(super) fn paths(&self) -> impl Iterator<Item = &ResolvedPath> {
        std::iter::once(&self.path).chain(&self.destination)
    }

    /// Every path that leads to what the section touches.
    pub(super) fn ways(&self, workspace: &Workspace) -> Vec<PathBuf> {
        let mut ways = workspace.ways(self.section.path, &self.path);
        if let (
            Operation::Update {
                move_to: Some(to), ..
            },
            Some(destination),
        ) = (&self.section.operation, &self.destination)
        {
            ways.extend(workspace.ways(to, destination));
        }
        ways
    }
}

/// Makes the paths of a patch real and judges them, each by itself and all together.
pub(super) fn resolve<'a>(
    patch: &'a Patch<'a>,
    workspace: &Workspace,
) -> Result<Vec<Target<'a>>, ToolError> {
    let mut targets: Vec<Target<'a>> = Vec::with_capacity(patch.sections.len());
    for section in &patch.sections {
        if matches!(section.operation, Operation::Add(_)) {
            check_names_file(section.path)?;
        }
        let destination = match &section.operation {
            Operation::Update {
                move_to: Some(to), ..
            } => {
                check_names_file(to)?;
                Some(workspace.resolve(to, Access::Write)?)
            }
            _ => None,
        };
        let goes = destination.is_some() || section.operation == Operation::Delete;
        let path = if goes {
            workspace.guard().resolve_itself(section.path)?
        } else {
            workspace.resolve(section.path, Access::Write)?
        };
        let target = Target {
            section,
            path,
            destination,
        };
        for (index, path) in target.paths().enumerate() {
            let within = target
                .paths()
                .take(index)
                .map(|other| (section.line, other));
            let others = targets
                .iter()
                .flat_map(|other| other.paths().map(|path| (other.section.line, path)));
            for (line, other) in others.chain(within) {
                check_apart(section.line, path, line, other)?;
            }
        }
        targets.push(target);
    }
    Ok(targets)
}

/// Two paths of a patch must be two files, and none a folder of another.
fn check_apart(
    line: usize,
    path: &ResolvedPath,
    other_line: usize,
    other: &ResolvedPath,
) -> Result<(), ToolError> {
    let lines = if line == other_line {
        format!("The section on line {line} of the patch")
    } else {
        format!("The sections on lines {other_line} and {line} of the patch")
    };
    let message = if path.real == other.real {
        if line == other_line {
            format!("{lines} moves `{}` onto itself.", path.display)
        } else {
            format!("{lines} name the same file, `{}`.", path.display)
        }
    } else if path.real.starts_with(&other.real) || other.real.starts_with(&path.real) {
        format!(
            "{lines} would need `{}` or `{}` to be a folder as well as a file.",
            other.display, path.display
        )
    } else {
        return Ok(());
    };
    Err(ToolError::patch_invalid(message)
        .suggest(format!("{SEND_AGAIN} Each file has one section."))
        .with("patch_line", line))
}

/// The change of all files, in the order of the patch.
pub(super) fn change(targets: &[Target<'_>], scope: &CallScope) -> Result<Change, ToolError> {
    let mut files = Vec::with_capacity(targets.len());
    let mut notes = Vec::new();
    let mut created = Vec::new();
    for target in targets {
        let (path, workspace) = (&target.path, &*scope.workspace);
        let ledger = scope.ledger.as_deref();
        let file = match &target.section.operation {
            Operation::Add(lines) => {
                check_free(path, workspace, || {
                    ToolError::conflict(format!(
                        "`{}` exists already, so it cannot be added.",
                        path.display
                    ))
                    .suggest(format!(
                        "Nothing was changed. Use `*** Update File: {}` to change it.",
                        path.display
                    ))
                })?;
                created.push(path);
                add(path, lines)?
            }
            Operation::Delete => {
                let current = workspace.text(path)?.snapshot;
                check_known(path, &current, ledger)?;
                delete(path, current)?
            }
            Operation::Update { hunks, .. } => {
                if let Some(to) = &target.destination {
                    check_free(to, workspace, || {
                        ToolError::conflict(format!(
                            "`{}` exists already, so `{}` cannot be moved there.",
                            to.display, path.display
                        ))
                        .suggest("Nothing was changed. Move it to a path where nothing is.")
                    })?;
                    created.push(to);
                }
                let current = workspace.text(path)?.snapshot;
                if target.destination.is_some() {
                    check_known(path, &current, ledger)?;
                }
                let (file, noted) = update(target, hunks, current, ledger)?;
                notes.extend(noted);
                file
            }
        };
        files.push(file);
    }
    notes.extend(folders_note(&created));
    Ok(Change { files, notes })
}

/// Nothing may be at a path that is added or moved to, neither on disk nor in the editor.
fn check_free(
    path: &ResolvedPath,
    workspace: &Workspace,
    occupied: impl FnOnce() -> ToolError,
) -> Result<(), ToolError> {
    let open = workspace.editor().buffer(&path.real).is_some();
    if open || disk::probe(&path.real, &path.display)?.is_some() {
        return Err(occupied());
    }
    Ok(())
}

/// A file that goes away at this path goes with all that is in it: the agent must know of it, and of what others
/// changed in it.
fn check_known(
    path: &ResolvedPath,
    current: &Snapshot,
    ledger: Option<&Ledger>,
) -> Result<(), ToolError> {
    let Some(ledger) = ledger else {
        return Ok(());
    };
    match ledger.basis(&path.real, &path.display, current, None)? {
        Basis::Earlier(seen) => Err(staleness::stale_text(&path.display, &seen, current)),
        Basis::Current => {
            let lines = 0..current.text().line_count();
            ledger.check_lines(&path.real, &path.display, current, &[lines])
        }
    }
}

fn add(path: &ResolvedPath, lines: &[&str]) -> Result<FileEdit, ToolError> {
    let wire: String = lines.iter().flat_map(|line| [*line, "\n"]).collect();
    let content = Text::decode(&wire);
    let base = Snapshot::new(empty_text_like(&content));
    let edit = Edit::between(&base, content.rope()).map_err(|error| no_edit(path, &error))?;
    Ok(FileEdit {
        path: path.real.clone(),
        display: path.display.clone(),
        base,
        existed: false,
        edit,
        final_newline: content.final_newline(),
        destination: Destination::Same,
    })
}

fn delete(path: &ResolvedPath, current: Snapshot) -> Result<FileEdit, ToolError> {
    let edit = Edit::between(&current, &Rope::from_str("\n"));
    Ok(FileEdit {
        path: path.real.clone(),
        display: path.display.clone(),
        edit: edit.map_err(|error| no_edit(path, &error))?,
        base: current,
        existed: true,
        final_newline: false,
        destination: Destination::Removed,
    })
}

fn update(
    target: &Target<'_>,
    hunks: &[Hunk<'_>],
    current: Snapshot,
    ledger: Option<&Ledger>,
) -> Result<(FileEdit, Vec<String>), ToolError> {
    let path = &target.path;
    hunks
        .iter()
        .try_for_each(|hunk| hunks::check_complete(path, hunk))?;
    let meant = Meant {
        path,
        current: &current,
        base_hash: None,
    };
    let Replaced {
        edit,
        notes,
        final_newline,
    } = meant.replaced(ledger, |text| hunks::replaced(path, hunks, text))?;
    let destination = match &target.destination {
        Some(to) => Destination::Moved {
            path: to.real.clone(),
            display: to.display.clone(),
        },
        None if edit.is_empty() && final_newline == current.text().final_newline() => {
            return Err(ToolError::no_change(format!(
                "`{}` would be the same as before: its hunks put back what they take away.",
                path.display
            ))
            .suggest(SEND_AGAIN));
        }
        None => Destination::Same,
    };
    let file = FileEdit {
        path: path.real.clone(),
        display: path.display.clone(),
        base: current,
        existed: true,
        edit,
        final_newline,
        destination,
    };
    Ok((file, notes))
}

fn no_edit(path: &ResolvedPath, error: &dyn std::error::Error) -> ToolError {
    ToolError::internal(format!(
        "The change of `{}` makes no edit: {error}.",
        path.display
    ))
}
