//! [`super::Place`]'s folder as a path that is checked again, where the system offers no handles to work relative to.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// A folder whose path led to it when it was opened.
#[derive(Debug)]
pub(crate) struct Folder(PathBuf);

/// Told where a link stands in a path that had none.
#[derive(Debug, thiserror::Error)]
#[error("a link stands where none was")]
struct Link;

/// Whether an operation failed because a link stood where none may.
pub(crate) fn is_link(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<Link>())
}

impl Folder {
    /// Opens the folder at a real path.
    pub(crate) fn open(path: &Path) -> io::Result<Folder> {
        if path.is_absolute() && path.canonicalize()? != path {
            return Err(io::Error::other(Link));
        }
        Ok(Folder(path.to_owned()))
    }

    /// Opens the folder at a real path, and makes what is missing of it; each folder is announced before it is made.
    pub(crate) fn make(
        path: &Path,
        announce: &mut dyn FnMut(&Path) -> io::Result<()>,
    ) -> io::Result<Folder> {
        let missing = |folder: &&Path| folder.symlink_metadata().is_err();
        let mut missing: Vec<&Path> = path.ancestors().take_while(missing).collect();
        if let Some(present) = path.ancestors().nth(missing.len()) {
            Folder::open(present)?;
        }
        while let Some(folder) = missing.pop() {
            announce(folder)?;
            match fs::create_dir(folder) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
        }
        Folder::open(path)
    }

    /// What has a name, be it no file.
    pub(crate) fn metadata(&self, name: &OsStr) -> io::Result<Metadata> {
        fs::metadata(self.own(name)?)
    }

    /// Opens a file for reading.
    pub(crate) fn read(&self, name: &OsStr) -> io::Result<File> {
        File::open(self.own(name)?)
    }

    /// Opens a file for writing, as it is.
    pub(crate) fn write(&self, name: &OsStr) -> io::Result<File> {
        OpenOptions::new().write(true).open(self.own(name)?)
    }

    /// Makes a file; permissions are the system's affair here.
    pub(crate) fn create(&self, name: &OsStr, _: u32) -> io::Result<File> {
        File::create_new(self.own(name)?)
    }

    /// Gives a file another name, in the place of what has that name.
    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fs::rename(self.own(from)?, self.own(to)?)
    }

    /// Gives a file another name in this or another folder, where nothing may have that name.
    pub(crate) fn rename_new(&self, from: &OsStr, folder: &Folder, to: &OsStr) -> io::Result<()> {
        fs::hard_link(self.own(from)?, folder.own(to)?)?;
        self.remove(from)
    }

    /// Removes a file.
    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }

    /// Removes a folder that is empty.
    pub(crate) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_dir(self.0.join(name))
    }

    /// Nothing is to be done here.
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    /// A folder is no file here.
    pub(super) fn lockable(&self) -> io::Result<File> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// The path of what is in the folder, if it is no link.
    fn own(&self, name: &OsStr) -> io::Result<PathBuf> {
        let path = self.0.join(name);
        if path
            .symlink_metadata()
            .is_ok_and(|found| found.is_symlink())
        {
            return Err(io::Error::other(Link));
        }
        Ok(path)
    }
}
