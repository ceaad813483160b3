//! Reads files one after the other into one buffer. A link that was put where a file or one of its folders was is not
//! followed. Knows nothing of what is searched.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use crate::disk::{Folder, Place, is_link};
use crate::search::{File, os_name};

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
            None => Place::open(&file.real()).and_then(|place| place.read()),
            Some((number, path, name)) => self
                .folder(number, path)
                .and_then(|folder| folder.read(os_name(name))),
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
            self.folder = Some((number, Folder::open(path)?));
        }
        let folder = self.folder.as_ref().map(|(_, folder)| folder);
        folder.ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

fn is_gone(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory
    ) || is_link(error)
}
