//! Taking a file away from its path: removed, or moved to another one. Only if its text is the one that the caller
//! knows, so that nobody's change goes with it.

use std::io;
use std::path::Path;

use mewcode_core::hash::ContentHash;

use super::journal::Record;
use super::place::Place;
use super::step::{Digest, Owner, Step};
use super::write::{self, Expected, WriteError};

/// Removes a file whose logical text has this hash.
pub fn remove(path: &Path, text: ContentHash) -> Result<(), WriteError> {
    remove_recorded(path, text, &mut Record::none())
}

/// The same, recorded.
pub(crate) fn remove_recorded(
    path: &Path,
    text: ContentHash,
    record: &mut Record,
) -> Result<(), WriteError> {
    let place = Place::open(path).map_err(gone)?;
    let _turn = place.turn();
    let present = write::expect(&place, Expected::Text(text))?;
    // A folder's permission is enough to remove it; who may not write the file should not do that either.
    if present.metadata.permissions().readonly() {
        return Err(WriteError::ReadOnly);
    }
    if record.keeps_steps() {
        record.step(Step::Remove {
            path: path.to_owned(),
            old: present.bytes,
            owner: Owner::of(&present.metadata),
        })?;
    }
    write::check_still(&place, &present.metadata)?;
    place.remove().map_err(gone)?;
    write::sync(&place);
    Ok(())
}

/// Moves a file whose logical text has this hash to a path where nothing may be. Missing folders are made there. The
/// record must be one of several steps: across file systems a move is a copy and a removal.
pub(crate) fn move_recorded(
    from: &Path,
    to: &Path,
    text: ContentHash,
    record: &mut Record,
) -> Result<(), MoveError> {
    let source = Place::open(from).map_err(|error| MoveError::Source(gone(error)))?;
    let turn = source.turn();
    let present = write::expect(&source, Expected::Text(text)).map_err(MoveError::Source)?;
    let announce = &mut |folder: &Path| record.step_folder(folder);
    let target = Place::make(to, announce).map_err(|error| MoveError::Target(error.into()))?;
    let step = Step::Move {
        from: from.to_owned(),
        to: to.to_owned(),
        bytes: Digest::of(&present.bytes),
    };
    let in_target = |error: io::Error| MoveError::Target(error.into());
    record.step(step).map_err(in_target)?;
    write::check_still(&source, &present.metadata).map_err(MoveError::Source)?;
    let renamed = source
        .folder
        .rename_new(&source.name, &target.folder, &target.name);
    drop(turn);
    match renamed {
        Ok(()) => {
            write::sync(&target);
            write::sync(&source);
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            let owner = Owner::of(&present.metadata);
            write::create(to, &present.bytes, Some(&owner), record).map_err(MoveError::Target)?;
            remove_recorded(from, text, record).map_err(MoveError::Source)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(MoveError::Target(WriteError::Changed(None)))
        }
        Err(error) => Err(in_target(error)),
    }
}

/// At which end a move failed.
#[derive(Debug)]
pub(crate) enum MoveError {
    /// Where the file is.
    Source(WriteError),
    /// Where it is to go; [`WriteError::Changed`] tells that something is there.
    Target(WriteError),
}

fn gone(error: io::Error) -> WriteError {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => WriteError::Changed(None),
        _ => error.into(),
    }
}
