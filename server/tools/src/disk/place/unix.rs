//! [`super::Place`]'s folder as a handle: everything is done relative to it.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, fsync, linkat, mkdirat, openat, renameat, unlinkat};
use rustix::io::Errno;

/// A handle that serves to reach what is in a folder; where the system has such, without leave to list it.
#[cfg(any(target_os = "linux", target_os = "android"))]
const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

/// What every file is opened with: no link, no wait for the other end of a pipe.
const FILE: OFlags = OFlags::NOFOLLOW
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC);

/// What a file is looked at with. A device or a pipe is not opened by it, where the system has such.
#[cfg(any(target_os = "linux", target_os = "android"))]
const LOOK: OFlags = OFlags::PATH;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const LOOK: OFlags = OFlags::RDONLY;

/// The permissions of a new folder, lessened by the process' umask.
const NEW_FOLDER: Mode = Mode::from_raw_mode(0o777);

/// A folder that is held open.
#[derive(Debug)]
pub(crate) struct Folder(OwnedFd);

/// Whether an operation failed because a link stood where none may.
pub(crate) fn is_link(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::LOOP.raw_os_error())
}

impl Folder {
    /// Opens the folder at a real path.
    pub(crate) fn open(path: &Path) -> io::Result<Folder> {
        match open_at_once(path, FOLDER) {
            Some(opened) => Ok(Folder(opened?)),
            None => walk(path, &mut |_| Err(Errno::NOENT.into())),
        }
    }

    /// Opens the folder at a real path, and makes what is missing of it; each folder is announced before it is made.
    pub(crate) fn make(
        path: &Path,
        announce: &mut dyn FnMut(&Path) -> io::Result<()>,
    ) -> io::Result<Folder> {
        match Folder::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => walk(path, announce),
            opened => opened,
        }
    }

    /// What has a name, be it no file.
    pub(crate) fn metadata(&self, name: &OsStr) -> io::Result<Metadata> {
        let metadata = self.file(name, LOOK, Mode::empty())?.metadata()?;
        if metadata.is_symlink() {
            return Err(Errno::LOOP.into());
        }
        Ok(metadata)
    }

    /// Opens a file for reading.
    pub(crate) fn read(&self, name: &OsStr) -> io::Result<File> {
        self.file(name, OFlags::RDONLY, Mode::empty())
    }

    /// Opens a file for writing, as it is.
    pub(crate) fn write(&self, name: &OsStr) -> io::Result<File> {
        self.file(name, OFlags::WRONLY, Mode::empty())
    }

    /// Makes a file with these permissions, lessened by the process' umask.
    pub(crate) fn create(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        self.file(name, flags, Mode::from_bits_truncate(mode as _))
    }

    /// Gives a file another name, in the place of what has that name.
    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(renameat(&self.0, from, &self.0, to)?)
    }

    /// Gives a file another name in this or another folder, where nothing may have that name.
    pub(crate) fn rename_new(&self, from: &OsStr, folder: &Folder, to: &OsStr) -> io::Result<()> {
        #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
        {
            use rustix::fs::{RenameFlags, renameat_with};
            match renameat_with(&self.0, from, &folder.0, to, RenameFlags::NOREPLACE) {
                // This file system, or this kernel, cannot say "if there is nothing".
                Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
                renamed => return Ok(renamed?),
            }
        }
        linkat(&self.0, from, &folder.0, to, AtFlags::empty())?;
        Ok(unlinkat(&self.0, from, AtFlags::empty())?)
    }

    /// Removes a file.
    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Removes a folder that is empty.
    pub(crate) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }

    /// Makes what was done to the names in it survive a crash of the system, as far as the file system can.
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(fsync(self.lockable()?)?)
    }

    /// The folder as a file that can be locked. The handle itself only serves to reach things.
    pub(super) fn lockable(&self) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(File::from(openat(&self.0, ".", flags, Mode::empty())?))
    }

    fn file(&self, name: &OsStr, flags: OFlags, mode: Mode) -> io::Result<File> {
        Ok(File::from(openat(&self.0, name, flags | FILE, mode)?))
    }
}

/// Opens a whole path in one step that refuses links; none where the system has no such step.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn open_at_once(path: &Path, flags: OFlags) -> Option<Result<OwnedFd, Errno>> {
    use rustix::fs::{ResolveFlags, openat2};
    match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        // Older than Linux 5.6, or forbidden by a sandbox that does not know it.
        Err(Errno::NOSYS | Errno::PERM) => None,
        opened => Some(opened),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn open_at_once(_: &Path, _: OFlags) -> Option<Result<OwnedFd, Errno>> {
    None
}

/// Opens a folder name by name. What is missing is announced and made; if the announcement fails, nothing is made.
fn walk(path: &Path, announce: &mut dyn FnMut(&Path) -> io::Result<()>) -> io::Result<Folder> {
    let start = if path.is_absolute() { "/" } else { "." };
    let mut here = openat(CWD, start, FOLDER, Mode::empty())?;
    let mut walked = PathBuf::new();
    for part in path.components() {
        walked.push(part);
        let name = match part {
            Component::Prefix(_) | Component::RootDir | Component::CurDir => continue,
            Component::ParentDir | Component::Normal(_) => part.as_os_str(),
        };
        here = match down(&here, name) {
            Err(Errno::NOENT) => {
                announce(&walked)?;
                match mkdirat(&here, name, NEW_FOLDER) {
                    // Somebody was faster.
                    Ok(()) | Err(Errno::EXIST) => down(&here, name)?,
                    Err(error) => return Err(error.into()),
                }
            }
            next => next?,
        };
    }
    Ok(Folder(here))
}

/// One name further. A link is told from a file, which the system does not.
fn down(here: &OwnedFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    let opened = openat(here, name, FOLDER | OFlags::NOFOLLOW, Mode::empty());
    if opened.as_ref().err() != Some(&Errno::NOTDIR) {
        return opened;
    }
    let found = rustix::fs::statat(here, name, AtFlags::SYMLINK_NOFOLLOW)?;
    if rustix::fs::FileType::from_raw_mode(found.st_mode).is_symlink() {
        return Err(Errno::LOOP);
    }
    Err(Errno::NOTDIR)
}

#[cfg(test)]
pub(super) mod testing {
    //! The way that is taken where the system has no step for a whole path.

    use super::*;

    pub(in super::super) fn walk_only(path: &Path) -> io::Result<Folder> {
        walk(path, &mut |_| Err(Errno::NOENT.into()))
    }
}
