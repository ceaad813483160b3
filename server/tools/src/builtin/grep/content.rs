//! Reads files one after the other into one buffer. A link that was put where a file or one of its folders was is not
//! followed. Knows nothing of what is searched.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use crate::search::File;

/// A file up to this size is held whole: searching it cannot be broken off, and takes a few milliseconds at most.
const MAX_WHOLE: usize = 1024 * 1024;

/// The buffer to begin with.
const FIRST_BYTES: usize = 64 * 1024;

/// The content of a file.
pub(super) enum Content<'a> {
    /// All of it.
    Whole(&'a [u8]),
    /// Its beginning and what comes after it.
    Large(&'a [u8], fs::File),
}

/// Reads files of one listing.
pub(super) struct Reader {
    folder: Option<(u64, Folder)>,
    buffer: Vec<u8>,
    max_whole: usize,
}

impl Reader {
    /// Files up to `max_whole` bytes are held whole, if that is more than usual.
    pub(super) fn new(max_whole: usize) -> Reader {
        Reader {
            folder: None,
            buffer: vec![0; FIRST_BYTES],
            max_whole: max_whole.max(MAX_WHOLE),
        }
    }

    /// Reads a file. None: it is not there any more, or is no file any more.
    pub(super) fn read(&mut self, file: &File<'_>) -> io::Result<Option<Content<'_>>> {
        let opened = match file.listed() {
            None => open_at_path(&file.real()),
            Some((number, path, name)) => self
                .folder(number, path)
                .and_then(|folder| folder.open(name)),
        };
        let mut opened = match opened {
            Ok(opened) => opened,
            Err(error) if is_gone(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut length = 0;
        loop {
            match opened.read(&mut self.buffer[length..]) {
                Ok(0) => return Ok(Some(Content::Whole(&self.buffer[..length]))),
                Ok(read) => length += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            if length == self.buffer.len() {
                if length >= self.max_whole {
                    return Ok(Some(Content::Large(&self.buffer, opened)));
                }
                self.buffer.resize(length * 4, 0);
            }
        }
    }

    fn folder(&mut self, number: u64, path: &Path) -> io::Result<&Folder> {
        if self.folder.as_ref().is_none_or(|(open, _)| *open != number) {
            self.folder = Some((number, Folder::open_folder(path)?));
        }
        let folder = self.folder.as_ref().map(|(_, folder)| folder);
        folder.ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

fn is_gone(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory
    ) || became_a_link(error)
}

#[cfg(unix)]
use unix::{Folder, became_a_link, open_at_path};

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::io;
    use std::os::fd::OwnedFd;
    use std::path::Path;

    use rustix::fs::{CWD, Mode, OFlags, openat};
    use rustix::io::Errno;

    /// Opening a pipe that was put where a file was must not wait.
    const FILE: OFlags = OFlags::RDONLY
        .union(OFlags::NOFOLLOW)
        .union(OFlags::CLOEXEC)
        .union(OFlags::NONBLOCK)
        .union(OFlags::NOCTTY);

    const FOLDER: OFlags = OFlags::RDONLY
        .union(OFlags::DIRECTORY)
        .union(OFlags::NOFOLLOW)
        .union(OFlags::CLOEXEC);

    /// An open folder.
    pub(super) struct Folder(OwnedFd);

    impl Folder {
        pub(super) fn open_folder(path: &Path) -> io::Result<Folder> {
            Ok(Folder(open_without_links(path, FOLDER)?))
        }

        pub(super) fn open(&self, name: &[u8]) -> io::Result<File> {
            Ok(openat(&self.0, name, FILE, Mode::empty())?.into())
        }
    }

    pub(super) fn open_at_path(path: &Path) -> io::Result<File> {
        Ok(open_without_links(path, FILE)?.into())
    }

    /// The path is real: if there is a link in it now, somebody has just put it there.
    #[cfg(target_os = "linux")]
    fn open_without_links(path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        use rustix::fs::{ResolveFlags, openat2};
        match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
            // An old kernel, or a sandbox that does not know the call.
            Err(Errno::NOSYS | Errno::PERM) => Ok(openat(CWD, path, flags, Mode::empty())?),
            opened => Ok(opened?),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn open_without_links(path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        Ok(openat(CWD, path, flags, Mode::empty())?)
    }

    pub(super) fn became_a_link(error: &io::Error) -> bool {
        error.raw_os_error() == Some(Errno::LOOP.raw_os_error())
    }
}

#[cfg(not(unix))]
use other::{Folder, became_a_link, open_at_path};

#[cfg(not(unix))]
mod other {
    use std::fs::File;
    use std::io;
    use std::path::{Path, PathBuf};

    /// A folder.
    pub(super) struct Folder(PathBuf);

    impl Folder {
        pub(super) fn open_folder(path: &Path) -> io::Result<Folder> {
            Ok(Folder(path.to_owned()))
        }

        pub(super) fn open(&self, name: &[u8]) -> io::Result<File> {
            open_at_path(&self.0.join(crate::search::os_name(name)))
        }
    }

    pub(super) fn open_at_path(path: &Path) -> io::Result<File> {
        File::open(path)
    }

    pub(super) fn became_a_link(_: &io::Error) -> bool {
        false
    }
}
