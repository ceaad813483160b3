//! Folders that are held open while something is done in them, so that what is done happens there and nowhere else,
//! whoever swaps a folder for a link meanwhile. No link is ever followed: the paths are real ones. Knows no content.

use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

#[cfg(not(unix))]
mod portable;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(crate) use portable::{Folder, is_link};
#[cfg(unix)]
pub(crate) use unix::{Folder, is_link};

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
