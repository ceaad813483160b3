//! Folders that are held open while something is done in them, so that what is done happens there and nowhere else,
//! whoever swaps a folder for a link meanwhile. No link is ever followed: the paths are real ones. Knows no content.

use std::ffi::OsString;
use std::fs::{File, Metadata, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[cfg(not(unix))]
mod portable;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(crate) use portable::{Folder, is_link};
#[cfg(unix)]
pub(crate) use unix::{Folder, is_link};

/// How long another process is waited for that changes files in the same folder. Who takes longer does not go by our
/// rules, and is told only by the last look at the file.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// How long until the next try. The system tells of a lock that is free only those who wait for ever.
const TRY_AGAIN: Duration = Duration::from_millis(1);

/// Keeps other processes of MewCode, and other threads, from changing files in a folder, until it is dropped.
pub(crate) struct Turn {
    _locked: Option<File>,
}

/// A name in a folder that is held open; nothing need be there.
pub(crate) struct Place {
    pub(crate) folder: Folder,
    pub(crate) name: OsString,
    /// Where it was when it was opened; only to be told and recorded.
    pub(crate) path: PathBuf,
}

impl Place {
    /// The place at a real path. Fails if its folder is not there, and if a link is on the way (see [`is_link`]).
    pub(crate) fn open(path: &Path) -> io::Result<Place> {
        Place::within(path, Folder::open(folder_of(path))?)
    }

    /// The same, but makes the folders that are missing; each is announced before it is made.
    pub(crate) fn make(
        path: &Path,
        announce: &mut dyn FnMut(&Path) -> io::Result<()>,
    ) -> io::Result<Place> {
        Place::within(path, Folder::make(folder_of(path), announce)?)
    }

    fn within(path: &Path, folder: Folder) -> io::Result<Place> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        Ok(Place {
            folder,
            name: name.to_owned(),
            path: path.to_owned(),
        })
    }

    /// What is there, without opening it for anything.
    pub(crate) fn metadata(&self) -> io::Result<Metadata> {
        self.folder.metadata(&self.name)
    }

    /// Opens the file for reading. Does not wait for the other end of a pipe.
    pub(crate) fn read(&self) -> io::Result<File> {
        self.folder.read(&self.name)
    }

    /// Waits for its turn to look at the file and then change it: without it, of two that look at the same text, the
    /// second would go over what the first has written.
    pub(crate) fn turn(&self) -> Turn {
        let until = Instant::now() + MAX_WAIT;
        let locked = self.folder.lockable().ok().filter(|folder| {
            loop {
                match folder.try_lock() {
                    Ok(()) => return true,
                    Err(TryLockError::WouldBlock) if Instant::now() < until => {
                        std::thread::sleep(TRY_AGAIN);
                    }
                    // Where folders cannot be locked, there is no turn to wait for.
                    Err(_) => return false,
                }
            }
        });
        Turn { _locked: locked }
    }

    /// Removes the file.
    pub(crate) fn remove(&self) -> io::Result<()> {
        self.folder.remove(&self.name)
    }
}

/// The folder of a file's path.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

#[cfg(all(test, unix))]
mod tests;
