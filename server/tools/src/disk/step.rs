//! What was done to one file, or is about to be, in a form that can be taken back byte by byte: at once, or by another
//! process after a crash. What somebody else changed since is left alone.

use std::fmt::Write;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::journal::Record;
use super::place::{self, Place};
use super::write::{self, Temporary, WriteError};

/// One thing done to a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Step {
    /// A folder was made.
    Folder {
        #[serde(with = "super::journal::path")]
        path: PathBuf,
    },
    /// A file was made where nothing was.
    Create {
        #[serde(with = "super::journal::path")]
        path: PathBuf,
        new: Digest,
    },
    /// The bytes of a file were replaced.
    Replace {
        #[serde(with = "super::journal::path")]
        path: PathBuf,
        #[serde(skip)]
        old: Vec<u8>,
        new: Digest,
        /// Not at once, for the file has several names.
        in_place: bool,
    },
    /// A file was removed.
    Remove {
        #[serde(with = "super::journal::path")]
        path: PathBuf,
        #[serde(skip)]
        old: Vec<u8>,
        owner: Owner,
    },
    /// A file got another path, and kept its bytes.
    Move {
        #[serde(with = "super::journal::path")]
        from: PathBuf,
        #[serde(with = "super::journal::path")]
        to: PathBuf,
        bytes: Digest,
    },
}

/// The bytes of a file, told by their sha256.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Digest(String);

impl Digest {
    pub(crate) fn of(bytes: &[u8]) -> Digest {
        let mut digits = String::with_capacity(64);
        for byte in Sha256::digest(bytes) {
            // Writing to a string does not fail.
            let _ = write!(digits, "{byte:02x}");
        }
        Digest(digits)
    }
}

/// Whose a file is and what may be done with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Owner {
    mode: u32,
    user: u32,
    group: u32,
}

impl Owner {
    #[cfg(unix)]
    pub(crate) fn of(metadata: &Metadata) -> Owner {
        use std::os::unix::fs::MetadataExt;
        Owner {
            mode: metadata.mode() & 0o7777,
            user: metadata.uid(),
            group: metadata.gid(),
        }
    }

    /// Gives a file to this owner, as far as the process may: a file that root edits stays its owner's.
    #[cfg(unix)]
    pub(crate) fn give(&self, file: &File) -> io::Result<()> {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
        let present = file.metadata()?;
        if (present.uid(), present.gid()) != (self.user, self.group)
            && fchown(file, Some(self.user), Some(self.group)).is_err()
        {
            // The group alone can often be kept by who is a member of it.
            let _ = fchown(file, None, Some(self.group));
        }
        file.set_permissions(std::fs::Permissions::from_mode(self.mode))
    }

    #[cfg(not(unix))]
    pub(crate) fn of(metadata: &Metadata) -> Owner {
        Owner {
            mode: u32::from(metadata.permissions().readonly()),
            user: 0,
            group: 0,
        }
    }

    #[cfg(not(unix))]
    pub(crate) fn give(&self, file: &File) -> io::Result<()> {
        let mut permissions = file.metadata()?.permissions();
        permissions.set_readonly(self.mode == 1);
        file.set_permissions(permissions)
    }
}

/// What taking back a step came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Undone {
    /// It was taken back.
    Now,
    /// It had not happened.
    Already,
}

/// Why a step was not taken back.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UndoError {
    /// Somebody changed the file since.
    #[error("it was changed since")]
    Changed,
    /// The system refused.
    #[error("{0}")]
    Refused(#[from] WriteError),
}

impl From<io::Error> for UndoError {
    fn from(error: io::Error) -> UndoError {
        UndoError::Refused(error.into())
    }
}

impl Step {
    /// The file that it is about.
    pub(crate) fn path(&self) -> &Path {
        match self {
            Step::Folder { path }
            | Step::Create { path, .. }
            | Step::Replace { path, .. }
            | Step::Remove { path, .. }
            | Step::Move { from: path, .. } => path,
        }
    }

    /// The bytes that are recorded beside it.
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Step::Replace { old, .. } | Step::Remove { old, .. } => old,
            _ => &[],
        }
    }

    /// The same step with the bytes that were recorded beside it.
    pub(crate) fn with_bytes(mut self, bytes: Vec<u8>) -> Step {
        if let Step::Replace { old, .. } | Step::Remove { old, .. } = &mut self {
            *old = bytes;
        }
        self
    }

    /// Makes it as if the step had not been taken, if its file is as it was before it or as the step left it.
    pub(crate) fn undo(&self, record: &mut Record) -> Result<Undone, UndoError> {
        match self {
            Step::Folder { path } => remove_folder(path),
            Step::Create { path, new } => remove_created(path, new),
            Step::Replace {
                path,
                old,
                new,
                in_place,
            } => restore_bytes(path, old, new, *in_place, record),
            Step::Remove { path, old, owner } => restore_file(path, old, owner, record),
            Step::Move { from, to, bytes } => move_back(from, to, bytes),
        }
    }

    /// Ends a step that was broken off in its middle, by going back to where it began; one that was taken or not is
    /// left as it is.
    pub(crate) fn settle(&self, record: &mut Record) -> Result<Undone, UndoError> {
        let Step::Replace {
            path,
            old,
            new,
            in_place: true,
        } = self
        else {
            return Ok(Undone::Already);
        };
        match open(path)?.map(|place| bytes_at(&place)).transpose()? {
            Some(Some(file)) if Digest::of(&file.bytes) == *new => Ok(Undone::Already),
            _ => restore_bytes(path, old, new, true, record),
        }
    }
}

/// A folder that holds something by now is somebody's.
fn remove_folder(path: &Path) -> Result<Undone, UndoError> {
    let Some(place) = open(path)? else {
        return Ok(Undone::Already);
    };
    match place.folder.remove_folder(&place.name) {
        Ok(()) => Ok(Undone::Now),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound
                    | io::ErrorKind::NotADirectory
                    | io::ErrorKind::DirectoryNotEmpty
            ) =>
        {
            Ok(Undone::Already)
        }
        Err(error) => Err(error.into()),
    }
}

fn remove_created(path: &Path, new: &Digest) -> Result<Undone, UndoError> {
    let Some(place) = open(path)? else {
        return Ok(Undone::Already);
    };
    let _turn = place.turn();
    match bytes_at(&place)? {
        None => Ok(Undone::Already),
        Some(file) if Digest::of(&file.bytes) == *new => {
            place.remove()?;
            write::sync(&place);
            Ok(Undone::Now)
        }
        Some(_) => Err(UndoError::Changed),
    }
}

fn restore_bytes(
    path: &Path,
    old: &[u8],
    new: &Digest,
    in_place: bool,
    record: &mut Record,
) -> Result<Undone, UndoError> {
    let place = open(path)?.ok_or(UndoError::Changed)?;
    let _turn = place.turn();
    let file = bytes_at(&place)?.ok_or(UndoError::Changed)?;
    if file.bytes == old {
        return Ok(Undone::Already);
    }
    let is_ours = Digest::of(&file.bytes) == *new
        || in_place && is_torn(&place, old, new, &file.bytes, record)?;
    if !is_ours {
        return Err(UndoError::Changed);
    }
    if write::has_other_names(&file.metadata) {
        write::write_in_place(place.folder.write(&place.name)?, old)?;
    } else {
        let owner = Owner::of(&file.metadata);
        let temporary = Temporary::filled(&place, old, &owner, record)?;
        write::check_still(&place, &file.metadata).map_err(|error| match error {
            WriteError::Changed(_) | WriteError::Unreadable(_) => UndoError::Changed,
            error => error.into(),
        })?;
        temporary.replace()?;
        write::sync(&place);
    }
    Ok(Undone::Now)
}

/// Whether bytes are what a write left that was broken off, or the writing back after it: at each place the old or the
/// new ones. The new ones are in the temporary file that stays until the write is done.
fn is_torn(
    place: &Place,
    old: &[u8],
    new: &Digest,
    present: &[u8],
    record: &Record,
) -> Result<bool, UndoError> {
    for temporary in record.temporaries() {
        if temporary.parent() != place.path.parent() {
            continue;
        }
        let Some(name) = temporary.file_name() else {
            continue;
        };
        let beside = Place::open(&place.path.with_file_name(name))?;
        let Some(file) = bytes_at(&beside)? else {
            continue;
        };
        if Digest::of(&file.bytes) != *new {
            continue;
        }
        let lengths = [old.len(), file.bytes.len()];
        let known = |(at, byte): (usize, &u8)| {
            old.get(at) == Some(byte) || file.bytes.get(at) == Some(byte)
        };
        return Ok(
            lengths.iter().min() <= Some(&present.len()) && present.iter().enumerate().all(known)
        );
    }
    Ok(false)
}

fn restore_file(
    path: &Path,
    old: &[u8],
    owner: &Owner,
    record: &mut Record,
) -> Result<Undone, UndoError> {
    // A folder that is gone by now was not removed by us.
    let place = open(path)?.ok_or(UndoError::Changed)?;
    match bytes_at(&place)? {
        Some(file) if file.bytes == old => Ok(Undone::Already),
        Some(_) => Err(UndoError::Changed),
        None => match write::create_at(&place, old, Some(owner), record) {
            Ok(()) => Ok(Undone::Now),
            Err(WriteError::Changed(_)) => Err(UndoError::Changed),
            Err(error) => Err(error.into()),
        },
    }
}

fn move_back(from: &Path, to: &Path, bytes: &Digest) -> Result<Undone, UndoError> {
    let source = open(from)?.ok_or(UndoError::Changed)?;
    let target = open(to)?;
    let moved = match &target {
        Some(target) => bytes_at(target)?,
        None => None,
    };
    let is_ours = |file: &Bytes| Digest::of(&file.bytes) == *bytes;
    match (bytes_at(&source)?, moved, target) {
        // Where a move is a second name and the removal of the first, it may have ended between the two.
        (Some(here), Some(there), Some(target)) if is_same(&here.metadata, &there.metadata) => {
            target.remove()?;
            Ok(Undone::Now)
        }
        (Some(here), _, _) if is_ours(&here) => Ok(Undone::Already),
        (None, Some(there), Some(target)) if is_ours(&there) => {
            let back = target
                .folder
                .rename_new(&target.name, &source.folder, &source.name);
            match back {
                Ok(()) => {}
                // It was a copy and a removal, which are steps of their own.
                Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                    return Err(UndoError::Changed);
                }
                Err(error) => return Err(error.into()),
            }
            write::sync(&source);
            write::sync(&target);
            Ok(Undone::Now)
        }
        _ => Err(UndoError::Changed),
    }
}

/// A file as it is, whatever it holds.
struct Bytes {
    bytes: Vec<u8>,
    metadata: Metadata,
}

/// The place of a path; none if its folder is not there, so that nothing is there.
fn open(path: &Path) -> Result<Option<Place>, UndoError> {
    match Place::open(path) {
        Ok(place) => Ok(Some(place)),
        Err(error) if is_absent(&error) => Ok(None),
        // What is there now is not what we wrote.
        Err(error) if place::is_link(&error) => Err(UndoError::Changed),
        Err(error) => Err(error.into()),
    }
}

fn bytes_at(place: &Place) -> Result<Option<Bytes>, UndoError> {
    let mut file = match place.read() {
        Ok(file) => file,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) if place::is_link(&error) => return Err(UndoError::Changed),
        Err(error) => return Err(error.into()),
    };
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(UndoError::Changed);
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(Some(Bytes { bytes, metadata }))
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same(_: &Metadata, _: &Metadata) -> bool {
    false
}
