//! Writing a file: a temporary file beside it, fsync, rename. Checks right before the rename that the file is still
//! what the caller thinks it is.

use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use mewcode_core::hash::ContentHash;
use mewcode_core::text::Snapshot;

use super::journal::Record;
use super::place::{self, Place};
use super::step::{Digest, Owner, Step};
use super::{MAX_TEXT_BYTES, encoding, kind, never_possible};
use crate::error::ToolError;

/// How the name of a temporary file begins and ends.
const TEMPORARY: (&str, &str) = (".mewcode-", ".tmp");

/// How often another name is tried for a temporary file.
const MAX_NAMES: usize = 16;

/// What the writer expects to find at the path.
#[derive(Clone, Copy, Debug)]
pub enum Expected<'a> {
    /// Nothing.
    Absent,
    /// A file whose logical text has this hash.
    Text(ContentHash),
    /// The file as it was read, byte by byte: much less work to look at than to decode and to hash it.
    Read(&'a super::Present),
}

/// Why a file was not written, moved or removed. Unless the error says otherwise, the file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Something else is there than expected: this text, or nothing.
    #[error("the file is not what it was")]
    Changed(Option<ContentHash>),
    /// What is there now cannot be read as text, so it cannot be the text that was expected.
    #[error("{0}")]
    Unreadable(ToolError),
    /// A link stands where none was when the path was judged: it leads somewhere else now.
    #[error("the path leads through a link that was not there before")]
    Moved,
    /// Nobody may write it.
    #[error("the file is read-only")]
    ReadOnly,
    /// No file can be made in the folder, which is how a file is written.
    #[error("no file can be made in its folder: {0}")]
    Folder(io::Error),
    /// The system refused.
    #[error("{0}")]
    Io(io::Error),
    /// The system refused in the middle of a file that has several names, and which therefore cannot be swapped at
    /// once.
    #[error("{error}; the file may be half written, and the whole new text is in {kept:?}")]
    Torn {
        /// What the system said.
        error: io::Error,
        /// Where the whole of the new text is.
        kept: PathBuf,
    },
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> WriteError {
        if place::is_link(&error) {
            WriteError::Moved
        } else {
            WriteError::Io(error)
        }
    }
}

/// Writes the whole of a file at its real path. Missing folders are made. Keeps mode, owner and hard links of a file
/// that is there.
pub fn write_atomic(path: &Path, wire: &[u8], expected: Expected<'_>) -> Result<(), WriteError> {
    write(path, wire, expected, &mut Record::none())
}

/// The same, recorded.
pub(crate) fn write(
    path: &Path,
    wire: &[u8],
    expected: Expected<'_>,
    record: &mut Record,
) -> Result<(), WriteError> {
    match expected {
        Expected::Absent => create(path, wire, None, record),
        Expected::Text(_) | Expected::Read(_) => replace(path, wire, expected, record),
    }
}

/// Makes a file where nothing may be; with the owner and the mode of another one, or with those of any new file.
pub(super) fn create(
    path: &Path,
    wire: &[u8],
    owner: Option<&Owner>,
    record: &mut Record,
) -> Result<(), WriteError> {
    let place = Place::make(path, &mut |folder| record.step_folder(folder))?;
    if record.keeps_steps() {
        record.step(Step::Create {
            path: path.to_owned(),
            new: Digest::of(wire),
        })?;
    }
    create_at(&place, wire, owner, record)
}

/// The same in a folder that is there, without a step that takes it back.
pub(super) fn create_at(
    place: &Place,
    wire: &[u8],
    owner: Option<&Owner>,
    record: &mut Record,
) -> Result<(), WriteError> {
    // Lessened by the process' umask, as for any new file.
    let mode = if owner.is_some() { 0o600 } else { 0o666 };
    let mut temporary = Temporary::make(place, mode, record)?;
    temporary.file.write_all(wire)?;
    if let Some(owner) = owner {
        owner.give(&temporary.file)?;
    }
    temporary.file.sync_all()?;
    match temporary.become_new() {
        Ok(()) => {
            sync(place);
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(WriteError::Changed(present_hash(place)?))
        }
        Err(error) => Err(error.into()),
    }
}

fn replace(
    path: &Path,
    wire: &[u8],
    expected: Expected<'_>,
    record: &mut Record,
) -> Result<(), WriteError> {
    let place = Place::open(path).map_err(gone)?;
    let metadata = place.read().map_err(gone)?.metadata()?;
    if metadata.permissions().readonly() {
        return Err(WriteError::ReadOnly);
    }
    // A rename asks for the folder's permission only; who may not write the file must not replace it either.
    let in_place = place.folder.write(&place.name).map_err(gone)?;
    let temporary = Temporary::filled(&place, wire, &Owner::of(&metadata), record)?;
    let _turn = place.turn();
    if let Expected::Read(known) = expected
        && !record.keeps_steps()
    {
        let file = place.read().map_err(gone)?;
        let seen = file.metadata()?;
        if !has_other_names(&seen) {
            // What was there need not be held, for one rename does it all.
            if !known.is_in(file)? {
                return Err(WriteError::Changed(present_hash(&place)?));
            }
            check_still(&place, &seen)?;
            temporary.replace()?;
            sync(&place);
            return Ok(());
        }
    }
    let present = expect(&place, expected)?;
    if has_other_names(&present.metadata) {
        // A rename would leave the other names with the old text. The temporary file, which holds the new text, stays
        // until that is safe under all names.
        record.step(Step::Replace {
            path: path.to_owned(),
            old: present.bytes,
            new: Digest::of(wire),
            in_place: true,
        })?;
        check_still(&place, &present.metadata)?;
        if identity(&in_place.metadata()?) != identity(&present.metadata) {
            // What was opened has no name any more.
            return Err(WriteError::Changed(present_hash(&place)?));
        }
        return write_in_place(in_place, wire).map_err(|error| WriteError::Torn {
            error,
            kept: temporary.keep(),
        });
    }
    if record.keeps_steps() {
        record.step(Step::Replace {
            path: path.to_owned(),
            old: present.bytes,
            new: Digest::of(wire),
            in_place: false,
        })?;
    }
    check_still(&place, &present.metadata)?;
    temporary.replace()?;
    sync(&place);
    Ok(())
}

/// Writes over what is in a file, so that all its names have the new text.
pub(super) fn write_in_place(mut file: File, wire: &[u8]) -> io::Result<()> {
    file.write_all(wire)?;
    file.set_len(wire.len() as u64)?;
    file.sync_all()
}

/// A file as it is now.
pub(super) struct Present {
    pub(super) bytes: Vec<u8>,
    pub(super) metadata: Metadata,
}

impl Present {
    /// The hash of its text; an error if it is no text.
    fn hash(&self, place: &Place) -> Result<ContentHash, WriteError> {
        let decoded = encoding::decode(self.bytes.clone()).map_err(|fault| {
            let head = &self.bytes[..self.bytes.len().min(kind::HEAD_BYTES)];
            WriteError::Unreadable(kind::refusal(
                &place.path.display().to_string(),
                head,
                fault,
            ))
        })?;
        Ok(Snapshot::new(decoded.text).hash())
    }
}

/// What is at a place: none if nothing is there, an error if it is no file that could be text.
fn present(place: &Place) -> Result<Option<Present>, WriteError> {
    let file = match place.read() {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let metadata = file.metadata()?;
    let other = |what: &str| {
        let display = place.path.display();
        WriteError::Unreadable(never_possible(format!("`{display}` {what} by now.")))
    };
    if !metadata.is_file() {
        return Err(other("is no file"));
    }
    let mut bytes = Vec::with_capacity(metadata.len().min(MAX_TEXT_BYTES) as usize + 1);
    file.take(MAX_TEXT_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_TEXT_BYTES {
        return Err(other("is too large"));
    }
    Ok(Some(Present { bytes, metadata }))
}

/// The hash of the text at a place: none if nothing is there, an error if it is no text.
fn present_hash(place: &Place) -> Result<Option<ContentHash>, WriteError> {
    present(place)?.map(|file| file.hash(place)).transpose()
}

/// What is at a place, which must be what is expected.
pub(super) fn expect(place: &Place, expected: Expected<'_>) -> Result<Present, WriteError> {
    let Some(present) = present(place)? else {
        return Err(WriteError::Changed(None));
    };
    let is_expected = match expected {
        Expected::Absent => false,
        Expected::Read(known) => known.is(&present.bytes),
        Expected::Text(hash) => present.hash(place)? == hash,
    };
    match is_expected {
        true => Ok(present),
        false => Err(WriteError::Changed(Some(present.hash(place)?))),
    }
}

/// Reading and recording take their time: whether the file is still the one that was looked at before.
pub(super) fn check_still(place: &Place, seen: &Metadata) -> Result<(), WriteError> {
    let now = place.read().map_err(gone)?.metadata()?;
    if identity(&now) == identity(seen) {
        return Ok(());
    }
    Err(WriteError::Changed(present_hash(place)?))
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> impl PartialEq + use<> {
    use std::os::unix::fs::MetadataExt;
    (
        (metadata.dev(), metadata.ino(), metadata.size()),
        (metadata.mtime(), metadata.mtime_nsec()),
        (metadata.ctime(), metadata.ctime_nsec()),
    )
}

#[cfg(not(unix))]
fn identity(metadata: &Metadata) -> impl PartialEq + use<> {
    (metadata.len(), metadata.modified().ok())
}

/// A file beside the one that is written. Goes when it is dropped.
pub(super) struct Temporary<'place> {
    place: &'place Place,
    name: OsString,
    file: File,
    is_there: bool,
}

impl<'place> Temporary<'place> {
    fn make(place: &'place Place, mode: u32, record: &mut Record) -> Result<Self, WriteError> {
        let mut tried = 0;
        loop {
            let (begin, end) = TEMPORARY;
            let name = OsString::from(format!("{begin}{:016x}{end}", random()));
            record.temporary(&place.path.with_file_name(&name))?;
            match place.folder.create(&name, mode) {
                Ok(file) => {
                    return Ok(Temporary {
                        place,
                        name,
                        file,
                        is_there: true,
                    });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tried < MAX_NAMES => {
                    tried += 1;
                }
                Err(error) => return Err(WriteError::Folder(error)),
            }
        }
    }

    /// One that holds all of a text, safe on the disk, with the owner and the mode of another file.
    pub(super) fn filled(
        place: &'place Place,
        wire: &[u8],
        owner: &Owner,
        record: &mut Record,
    ) -> Result<Self, WriteError> {
        let mut temporary = Temporary::make(place, 0o600, record)?;
        temporary.file.write_all(wire)?;
        owner.give(&temporary.file)?;
        temporary.file.sync_all()?;
        Ok(temporary)
    }

    /// Takes the place of the file.
    pub(super) fn replace(mut self) -> io::Result<()> {
        let Place { folder, name, .. } = self.place;
        folder.rename(&self.name, name)?;
        self.is_there = false;
        Ok(())
    }

    /// Becomes the file, where nothing may be.
    fn become_new(mut self) -> io::Result<()> {
        let Place { folder, name, .. } = self.place;
        folder.rename_new(&self.name, folder, name)?;
        self.is_there = false;
        Ok(())
    }

    /// Stays, there.
    fn keep(mut self) -> PathBuf {
        self.is_there = false;
        self.place.path.with_file_name(&self.name)
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if self.is_there {
            // What cannot be removed now is as it was a moment ago; there is nobody to tell.
            let _ = self.place.folder.remove(&self.name);
        }
    }
}

/// Whether a name is that of a temporary file of ours.
pub(super) fn is_temporary(name: &str) -> bool {
    name.starts_with(TEMPORARY.0) && name.ends_with(TEMPORARY.1)
}

/// A number that nobody can foretell: the system's randomness seeds the hasher.
pub(super) fn random() -> u64 {
    RandomState::new().hash_one(std::process::id())
}

fn gone(error: io::Error) -> WriteError {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => WriteError::Changed(None),
        _ => error.into(),
    }
}

/// The folders that must be made before a file can be written there, outermost first.
pub(crate) fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let mut missing: Vec<PathBuf> = path
        .ancestors()
        .skip(1)
        .take_while(|folder| !folder.exists())
        .map(Path::to_owned)
        .collect();
    missing.reverse();
    missing
}

#[cfg(unix)]
pub(super) fn has_other_names(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) > 1
}

#[cfg(not(unix))]
pub(super) fn has_other_names(_: &Metadata) -> bool {
    false
}

/// Makes the new name survive a crash of the system, where that is offered. The file is written in any case.
pub(super) fn sync(place: &Place) {
    let _ = place.folder.sync();
}
