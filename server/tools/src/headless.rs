//! The editor of a host that has none: changes go to the disk, unasked. Also how a host with an editor lands changes
//! of files that are not open. Knows no buffers.

use std::path::{Path, PathBuf};

use mewcode_core::carry::carry;
use mewcode_core::edit::Edit;
use mewcode_core::text::Snapshot;

use crate::disk::{self, Encoding, Expected, WriteError};
use crate::error::ToolError;
use crate::port::{BoxFuture, ChangeOutcome, ChangeRequest, Editor, FileEdit};
use crate::result::{FileChange, Status};
use crate::staleness;

/// How often a change is made anew for a file that changes between being read and being written.
const MAX_TRIES: usize = 3;

/// The disk as an editor without buffers and without review.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiskEditor;

impl Editor for DiskEditor {
    fn buffer(&self, _: &Path) -> Option<Result<Snapshot, ToolError>> {
        None
    }

    fn buffers(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    fn change<'a>(&'a self, request: ChangeRequest) -> BoxFuture<'a, ChangeOutcome> {
        Box::pin(async move {
            let landed = tokio::task::spawn_blocking(move || land_all(&request)).await;
            landed.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
        })
    }
}

/// A change of one file that is on the disk.
#[derive(Clone, Debug)]
pub struct Landed {
    /// What happened to the file.
    pub change: FileChange,
    /// The text that the edit was applied to; none: there was no file.
    pub before: Option<Snapshot>,
    /// The edit, for that text.
    pub edit: Edit,
    /// The text that came of it.
    pub after: Snapshot,
    /// How it is written.
    pub encoding: Encoding,
}

/// Brings the change of one file to the disk: to its base, or carried to what is there now if that does not touch it.
/// Blocks.
pub fn land(file: &FileEdit) -> Result<Landed, ToolError> {
    if !file.existed {
        return create(file);
    }
    for _ in 0..MAX_TRIES {
        let (before, encoding) =
            disk::read_encoded(&file.path, &file.display)?.ok_or_else(|| gone(file))?;
        let before = Snapshot::new(before);
        let edit = for_text(file, &before)?;
        let after = result_of(&edit, &before, file)?;
        let bytes = bytes_of(file, &after, encoding)?;
        // The hash of what was read just now, not that of the base: line endings are kept as they are there.
        match disk::write_atomic(&file.path, &bytes, Expected::Text(before.hash())) {
            Err(WriteError::Changed(_)) => {}
            written => {
                written.map_err(|error| failure(file, error))?;
                let change = FileChange::between(&file.display, Some(&before), Some(&after));
                return Ok(Landed {
                    change,
                    before: Some(before),
                    edit,
                    after,
                    encoding,
                });
            }
        }
    }
    Err(ToolError::conflict(format!(
        "`{}` is being written by another program all the time; nothing was changed.",
        file.display
    )))
}

fn create(file: &FileEdit) -> Result<Landed, ToolError> {
    let after = result_of(&file.edit, &file.base, file)?;
    let bytes = bytes_of(file, &after, Encoding::Utf8)?;
    match disk::write_atomic(&file.path, &bytes, Expected::Absent) {
        Ok(()) => {
            let change = FileChange::between(&file.display, None, Some(&after));
            Ok(Landed {
                change,
                before: None,
                edit: file.edit.clone(),
                after,
                encoding: Encoding::Utf8,
            })
        }
        Err(WriteError::Changed(hash)) => {
            let actual = hash.map(|hash| hash.to_string());
            let message = format!(
                "`{}` was created by somebody else meanwhile. Nothing was changed.",
                file.display
            );
            Err(ToolError::stale_file(message, None, actual.as_deref()))
        }
        Err(error) => Err(failure(file, error)),
    }
}

fn land_all(request: &ChangeRequest) -> ChangeOutcome {
    let mut landed = Vec::new();
    for file in &request.files {
        let next = if request.cancel.is_cancelled() {
            Err(None)
        } else {
            land(file).map_err(Some)
        };
        match next {
            Ok(one) => landed.push((file, one)),
            Err(error) => return take_back(landed, error),
        }
    }
    ChangeOutcome::landed(landed.into_iter().map(|(_, one)| one.change).collect())
}

/// Several files land together or not at all: takes back those that landed, last first, and says what stands
/// nevertheless.
fn take_back(landed: Vec<(&FileEdit, Landed)>, error: Option<ToolError>) -> ChangeOutcome {
    let mut standing = Vec::new();
    let mut notes = Vec::new();
    for (file, one) in landed.into_iter().rev() {
        let taken_back = match &one.before {
            Some(before) => bytes_of(file, before, one.encoding)
                .map_err(WriteError::Unreadable)
                .and_then(|bytes| {
                    let expected = Expected::Text(one.after.hash());
                    disk::write_atomic(&file.path, &bytes, expected)
                }),
            None => remove(file, &one.after),
        };
        match taken_back {
            Ok(()) => notes.push(format!("The change of `{}` was taken back.", file.display)),
            Err(error) => {
                notes.push(format!(
                    "The change of `{}` could not be taken back: {error}.",
                    file.display
                ));
                standing.push(one.change);
            }
        }
    }
    let status = error
        .as_ref()
        .map_or(Status::Interrupted, |error| error.kind.status());
    ChangeOutcome {
        status,
        error,
        notes,
        ..ChangeOutcome::landed(standing)
    }
}

/// Removes a file that was created, if it is still as it was created.
fn remove(file: &FileEdit, created: &Snapshot) -> Result<(), WriteError> {
    let present = disk::read(&file.path, &file.display).map_err(WriteError::Unreadable)?;
    let hash = present.map(|text| Snapshot::new(text).hash());
    if hash != Some(created.hash()) {
        return Err(WriteError::Changed(hash));
    }
    Ok(std::fs::remove_file(&file.path)?)
}

/// The edit as it is for this text.
fn for_text(file: &FileEdit, text: &Snapshot) -> Result<Edit, ToolError> {
    if text.hash() == file.edit.base() {
        return Ok(file.edit.clone());
    }
    carry(&file.edit, &file.base, text).map_err(|conflict| {
        staleness::stale_lines(&file.display, &file.base, text, &conflict.current_lines)
    })
}

fn result_of(edit: &Edit, before: &Snapshot, file: &FileEdit) -> Result<Snapshot, ToolError> {
    let after = edit.apply(before).map_err(|error| {
        ToolError::internal(format!(
            "The change of `{}` does not fit its text: {error}.",
            file.display
        ))
    })?;
    if after.text().final_newline() == file.final_newline {
        return Ok(after);
    }
    Ok(Snapshot::new(
        after.text().clone().with_final_newline(file.final_newline),
    ))
}

fn bytes_of(file: &FileEdit, text: &Snapshot, encoding: Encoding) -> Result<Vec<u8>, ToolError> {
    encoding
        .encode(text.text())
        .map_err(|fault| disk::unencodable(&file.display, &fault))
}

fn gone(file: &FileEdit) -> ToolError {
    let message = format!(
        "`{}` was removed since it was read. Nothing was changed.",
        file.display
    );
    ToolError::stale_file(message, Some(&file.base.hash().to_string()), None)
        .suggest("Find out why it is gone before you write it anew.")
}

fn failure(file: &FileEdit, error: WriteError) -> ToolError {
    match error {
        WriteError::Unreadable(error) => error,
        error => disk::never_possible(format!("`{}` cannot be written: {error}.", file.display)),
    }
}

#[cfg(test)]
mod tests;
