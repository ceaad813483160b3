//! The editor of a host that has none: changes go to the disk, unasked. Also how a host with an editor lands changes
//! of files that are not open. Knows no buffers.

use std::path::{Path, PathBuf};

use mewcode_core::carry::carry;
use mewcode_core::edit::Edit;
use mewcode_core::text::Snapshot;

use crate::blocking::on_a_thread;
use crate::disk::{self, Encoding, Expected, Journal, MoveError, Record, Scope, WriteError};
use crate::error::ToolError;
use crate::port::{BoxFuture, ChangeOutcome, ChangeRequest, Destination, Editor, FileEdit};
use crate::result::{FileChange, Status};
use crate::staleness;

/// How often a change is made anew for a file that changes between being read and being written.
const MAX_TRIES: usize = 3;

/// The disk as an editor without buffers and without review.
#[derive(Clone, Debug, Default)]
pub struct DiskEditor {
    journal: Journal,
}

impl DiskEditor {
    /// The disk, with a journal that tells the next process what this one did not end.
    pub fn new(journal: Journal) -> DiskEditor {
        DiskEditor { journal }
    }

    /// Where changes are recorded while they are under way.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Brings the change of one file to the disk: to its base, or carried to what is there now if that does not touch
    /// it. All of it, or nothing. Blocks.
    pub fn land(&self, file: &FileEdit) -> Result<Landed, ToolError> {
        let mut record = self.journal.begin(scope_of(std::slice::from_ref(file)));
        let landed = land_recorded(file, &mut record);
        end(record);
        landed
    }
}

impl Editor for DiskEditor {
    fn buffer(&self, _: &Path) -> Option<Result<Snapshot, ToolError>> {
        None
    }

    fn buffers(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    fn change<'a>(&'a self, request: ChangeRequest) -> BoxFuture<'a, ChangeOutcome> {
        let journal = self.journal.clone();
        Box::pin(on_a_thread(move || land_all(&request, &journal)))
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
    /// The text that came of it; of a file that was removed, an empty one.
    pub after: Snapshot,
}

/// Like [`DiskEditor::land`], without a journal.
pub fn land(file: &FileEdit) -> Result<Landed, ToolError> {
    DiskEditor::default().land(file)
}

/// Brings the change of one file to the disk as a part of a change that is recorded; the record must be one of several
/// steps if the file is moved. An error leaves of this file nothing done. Blocks.
pub fn land_recorded(file: &FileEdit, record: &mut Record) -> Result<Landed, ToolError> {
    let mark = record.mark();
    let landed = match (&file.destination, file.existed) {
        (Destination::Same, true) => edit(file, record),
        (Destination::Same, false) => create(file, record),
        (Destination::Removed, _) => remove(file, record),
        (Destination::Moved { path, display }, _) => move_to(file, path, display, record),
    };
    landed.map_err(|error| {
        let faults = record.take_back_to(mark);
        faults.into_iter().fold(error, |mut error, (path, fault)| {
            error.message += &format!(
                " What was begun at `{}` could not be taken back: {fault}.",
                path.display()
            );
            error
        })
    })
}

/// What a change of these files needs to be recorded.
fn scope_of(files: &[FileEdit]) -> Scope {
    match files {
        [] => Scope::One,
        // One system call, or one rename.
        [only] if !matches!(only.destination, Destination::Moved { .. }) => Scope::One,
        _ => Scope::Several,
    }
}

fn edit(file: &FileEdit, record: &mut Record) -> Result<Landed, ToolError> {
    for _ in 0..MAX_TRIES {
        let present = present(file)?;
        let before = present.text.clone();
        let edit = for_text(file, &before)?;
        let after = result_of(&edit, &before, file)?;
        let bytes = bytes_of(file, &after, present.encoding)?;
        // What was read just now, not the base: line endings are kept as they are there.
        let expected = Expected::Read(&present);
        match disk::write_recorded(&file.path, &bytes, expected, record) {
            Err(WriteError::Changed(_)) => {}
            written => {
                written.map_err(|error| failure(file, error))?;
                return Ok(landed(file, Some(before), edit, after));
            }
        }
    }
    Err(always_written(file))
}

fn create(file: &FileEdit, record: &mut Record) -> Result<Landed, ToolError> {
    let after = result_of(&file.edit, &file.base, file)?;
    let bytes = bytes_of(file, &after, Encoding::Utf8)?;
    match disk::write_recorded(&file.path, &bytes, Expected::Absent, record) {
        Ok(()) => Ok(landed(file, None, file.edit.clone(), after)),
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

/// Whatever changed in the file meanwhile is somebody's, and would go with it.
fn remove(file: &FileEdit, record: &mut Record) -> Result<Landed, ToolError> {
    let before = present(file)?.text;
    let after = result_of(&file.edit, &file.base, file)?;
    if before.hash() != file.base.hash() {
        return Err(staleness::stale_text(&file.display, &file.base, &before));
    }
    match disk::remove_recorded(&file.path, before.hash(), record) {
        Ok(()) => {
            let mut landed = landed(file, Some(before), file.edit.clone(), after);
            landed.change = FileChange::between(&file.display, landed.before.as_ref(), None);
            Ok(landed)
        }
        Err(WriteError::Changed(_)) => Err(staleness::stale_text(
            &file.display,
            &file.base,
            &present(file)?.text,
        )),
        Err(error) => Err(failed(file, "removed", error)),
    }
}

fn move_to(
    file: &FileEdit,
    path: &Path,
    display: &str,
    record: &mut Record,
) -> Result<Landed, ToolError> {
    for _ in 0..MAX_TRIES {
        let present = present(file)?;
        let before = present.text.clone();
        let edit = for_text(file, &before)?;
        let after = result_of(&edit, &before, file)?;
        let bytes = bytes_of(file, &after, present.encoding)?;
        match disk::move_recorded(&file.path, path, before.hash(), record) {
            Ok(()) => {}
            Err(MoveError::Source(WriteError::Changed(_))) => continue,
            Err(MoveError::Source(error)) => return Err(failed(file, "moved", error)),
            Err(MoveError::Target(WriteError::Changed(_))) => {
                return Err(ToolError::conflict(format!(
                    "`{}` cannot be moved to `{display}`: something is there. Nothing was changed.",
                    file.display
                )));
            }
            Err(MoveError::Target(error)) => {
                return Err(disk::never_possible(format!(
                    "`{}` cannot be moved to `{display}`: {error}.",
                    file.display
                )));
            }
        }
        if before.text() != after.text() {
            let expected = Expected::Read(&present);
            let written = disk::write_recorded(path, &bytes, expected, record);
            written.map_err(|error| failure(file, error))?;
        }
        let mut landed = landed(file, Some(before), edit, after);
        landed.change.moved_to = Some(display.to_owned());
        return Ok(landed);
    }
    Err(always_written(file))
}

fn landed(file: &FileEdit, before: Option<Snapshot>, edit: Edit, after: Snapshot) -> Landed {
    Landed {
        change: FileChange::between(&file.display, before.as_ref(), Some(&after)),
        before,
        edit,
        after,
    }
}

fn land_all(request: &ChangeRequest, journal: &Journal) -> ChangeOutcome {
    let mut record = journal.begin(scope_of(&request.files));
    let mut landed = Vec::new();
    for file in &request.files {
        let mark = record.mark();
        let next = if request.cancel.is_cancelled() {
            Err(None)
        } else {
            land_recorded(file, &mut record).map_err(Some)
        };
        match next {
            Ok(one) => landed.push((mark, one.change)),
            Err(error) => {
                let outcome = take_back(landed, error, &mut record);
                end(record);
                return outcome;
            }
        }
    }
    let notes = end(record).into_iter().collect();
    let files = landed.into_iter().map(|(_, change)| change).collect();
    ChangeOutcome {
        notes,
        ..ChangeOutcome::landed(files)
    }
}

/// Several files land together or not at all: takes back those that landed, last first, and says what stands
/// nevertheless.
fn take_back(
    landed: Vec<(usize, FileChange)>,
    error: Option<ToolError>,
    record: &mut Record,
) -> ChangeOutcome {
    let mut standing = Vec::new();
    let mut notes = Vec::new();
    for (mark, change) in landed.into_iter().rev() {
        let faults = record.take_back_to(mark);
        if faults.is_empty() {
            notes.push(format!("The change of `{}` was taken back.", change.path));
            continue;
        }
        for (_, fault) in faults {
            notes.push(format!(
                "The change of `{}` could not be taken back: {fault}.",
                change.path
            ));
        }
        standing.push(change);
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

/// The end of a change: what was done stands. Says what a crash could have made of it, or still can.
fn end(record: Record) -> Option<String> {
    let unrecorded = record.fault().filter(|_| record.keeps_steps()).map(|fault| {
        format!(
            "No record of this change could be kept in MewCode's state folder ({fault}): had it been broken off, it \
             would have been left half done."
        )
    });
    match record.finish() {
        Ok(()) => unrecorded,
        Err(fault) => Some(format!(
            "The record of this change could not be ended in MewCode's state folder ({fault}): the next start may \
             take the change back."
        )),
    }
}

/// The file as it is now.
fn present(file: &FileEdit) -> Result<disk::Present, ToolError> {
    let present = disk::read_known(&file.path, &file.display, &file.base)?;
    present.ok_or_else(|| gone(file))
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
    // What is the user's at the end of the file stays, unless the edit is about it.
    let is_meant = file.final_newline != file.base.text().final_newline();
    if !is_meant || after.text().final_newline() == file.final_newline {
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

fn always_written(file: &FileEdit) -> ToolError {
    ToolError::conflict(format!(
        "`{}` is being written by another program all the time; nothing was changed.",
        file.display
    ))
}

fn failure(file: &FileEdit, error: WriteError) -> ToolError {
    failed(file, "written", error)
}

fn failed(file: &FileEdit, done: &str, error: WriteError) -> ToolError {
    match error {
        WriteError::Unreadable(error) => error,
        error => disk::never_possible(format!("`{}` cannot be {done}: {error}.", file.display)),
    }
}

#[cfg(test)]
mod tests;
