//! Writing a file: a temporary file beside it, fsync, rename. Checks right before the rename that the file is still
//! what the caller thinks it is.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use mewcode_core::hash::ContentHash;
use mewcode_core::text::Snapshot;
use tempfile::{Builder, NamedTempFile};

use crate::error::ToolError;

/// What the writer expects to find at the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Nothing.
    Absent,
    /// A file whose logical text has this hash.
    Text(ContentHash),
}

/// Why a file was not written. Unless the error says otherwise, the file is as it was.
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
    /// The system refused.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The system refused in the middle of a file that has several names, and which therefore cannot be swapped at
    /// once.
    #[error("{error}; the file may be half written, and the whole new text is in {kept:?}")]
    Torn {
        /// What the system said.
        error: io::Error,
        /// Where the whole of the new text is.
        kept: Option<PathBuf>,
    },
}

/// Writes the whole of a file at its real path. Missing folders are made. Keeps mode, owner and hard links of a file
/// that is there.
pub fn write_atomic(path: &Path, wire: &[u8], expected: Expected) -> Result<(), WriteError> {
    check_real(path)?;
    match expected {
        Expected::Absent => create(path, wire),
        Expected::Text(hash) => replace(path, wire, hash),
    }
}

/// The path was made real and judged before, perhaps long before: a person may have looked at the change meanwhile.
fn check_real(path: &Path) -> Result<(), WriteError> {
    let present = path
        .ancestors()
        .find(|ancestor| ancestor.symlink_metadata().is_ok());
    match present {
        Some(present) if present.canonicalize().is_ok_and(|real| real == present) => Ok(()),
        Some(_) => Err(WriteError::Moved),
        None => Ok(()),
    }
}

fn create(path: &Path, wire: &[u8]) -> Result<(), WriteError> {
    let folder = folder_of(path);
    fs::create_dir_all(folder)?;
    let mut builder = temporary();
    // Lessened by the process' umask, as for any new file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let file = filled(&builder, folder, wire)?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        Ok(_) => {
            sync_folder(folder);
            Ok(())
        }
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
            Err(WriteError::Changed(present_hash(path)?))
        }
        Err(error) => Err(error.error.into()),
    }
}

fn replace(path: &Path, wire: &[u8], expected: ContentHash) -> Result<(), WriteError> {
    let metadata = fs::metadata(path).map_err(gone)?;
    if metadata.permissions().readonly() {
        return Err(WriteError::ReadOnly);
    }
    // A rename asks for the folder's permission only; who may not write the file must not replace it either.
    let mut in_place = OpenOptions::new().write(true).open(path)?;
    let folder = folder_of(path);
    let file = filled(&temporary(), folder, wire)?;
    keep_owner(file.as_file(), &metadata);
    file.as_file().set_permissions(metadata.permissions())?;
    file.as_file().sync_all()?;
    let present = present_hash(path)?;
    if present != Some(expected) {
        return Err(WriteError::Changed(present));
    }
    if has_other_names(&metadata) {
        // A rename would leave the other names with the old text. The temporary file, which holds the new text, stays
        // until that is safe under all names.
        let written = in_place
            .write_all(wire)
            .and_then(|()| in_place.set_len(wire.len() as u64))
            .and_then(|()| in_place.sync_all());
        return match written {
            Ok(()) => Ok(()),
            Err(error) => Err(WriteError::Torn {
                kept: file.keep().ok().map(|(_, path)| path),
                error,
            }),
        };
    }
    file.persist(path).map_err(|error| error.error)?;
    sync_folder(folder);
    Ok(())
}

fn temporary() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(".mewcode-").suffix(".tmp");
    builder
}

fn filled(builder: &Builder<'_, '_>, folder: &Path, wire: &[u8]) -> io::Result<NamedTempFile> {
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(wire)?;
    Ok(file)
}

fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

fn gone(error: io::Error) -> WriteError {
    if error.kind() == io::ErrorKind::NotFound {
        WriteError::Changed(None)
    } else {
        error.into()
    }
}

fn present_hash(path: &Path) -> Result<Option<ContentHash>, WriteError> {
    let text = super::read(path, &path.display().to_string()).map_err(WriteError::Unreadable)?;
    Ok(text.map(|text| Snapshot::new(text).hash()))
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
fn has_other_names(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) > 1
}

#[cfg(not(unix))]
fn has_other_names(_: &Metadata) -> bool {
    false
}

/// As far as the process may: a file that root edits stays its owner's.
#[cfg(unix)]
fn keep_owner(file: &File, like: &Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    if let Ok(own) = file.metadata()
        && (own.uid(), own.gid()) != (like.uid(), like.gid())
        && fchown(file, Some(like.uid()), Some(like.gid())).is_err()
    {
        // The group alone can often be kept by who is a member of it.
        let _ = fchown(file, None, Some(like.gid()));
    }
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) {}

/// Makes the rename itself survive a crash, on systems that offer it. The file is written in any case.
#[cfg(unix)]
fn sync_folder(folder: &Path) {
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) {}
