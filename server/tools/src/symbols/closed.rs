//! Files that are not open: their outlines, kept as long as the file is the one that was read, within a bound of
//! memory. Reads files that the guard has judged; knows nothing of buffers.

use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::SystemTime;

use mewcode_core::outline::Outline;
use ropey::Rope;
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;
use tree_sitter::Parser;

use super::language::{self, Language};
use super::parse::{self, MAX_BYTES, Source, Unparsed};
use crate::disk::encoding;
use crate::search::{File as ListedFile, Stamp};

/// So many bytes of outlines are kept. What does not fit is parsed when it is asked for.
pub const MAX_MEMORY: usize = 256 * 1024 * 1024;

/// What an entry takes besides its path and its outline, about.
const ENTRY_BYTES: usize = 160;

/// The outlines of files on disk.
pub(super) struct Closed {
    state: RwLock<State>,
    max_memory: usize,
}

#[derive(Default)]
struct State {
    files: HashMap<PathBuf, Kept>,
    memory: usize,
    /// Counts searches, to tell what the last of them used.
    search: u64,
    /// In which of them what was not used was let go of.
    forgot: u64,
}

struct Kept {
    stamp: Stamp,
    /// Else it may have changed again since it was read, without a new stamp: its content is compared.
    settled: bool,
    content: [u8; 16],
    outline: Result<Arc<Outline>, Unparsed>,
    /// The search that used it last.
    search: AtomicU64,
}

/// Looks at files, many of one folder after the other.
#[derive(Default)]
pub(super) struct Probes {
    #[cfg(unix)]
    folder: Option<(u64, std::os::fd::OwnedFd)>,
}

impl Probes {
    /// What a file is known by now; none: it is gone, or is no file.
    #[cfg(unix)]
    pub(super) fn stamp(&mut self, file: &ListedFile<'_>, path: &Path) -> Option<Stamp> {
        use rustix::fs::{AtFlags, Mode, OFlags, open, statat};
        let Some((number, folder, name)) = file.listed() else {
            return stamp(path);
        };
        if self.folder.as_ref().is_none_or(|(open, _)| *open != number) {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            self.folder = Some((number, open(folder, flags, Mode::empty()).ok()?));
        }
        let (_, folder) = self.folder.as_ref()?;
        Stamp::of_file(&statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?)
    }

    /// What a file is known by now; none: it is gone, or is no file.
    #[cfg(not(unix))]
    pub(super) fn stamp(&mut self, _: &ListedFile<'_>, path: &Path) -> Option<Stamp> {
        stamp(path)
    }
}

/// What the file at a path is known by; none: there is no file.
fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::symlink_metadata(path).ok().filter(Metadata::is_file)?;
    Some(Stamp::of(&metadata))
}

/// What is known of a file.
pub(super) enum Known {
    /// Its outline, or why it has none.
    Outline(Result<Arc<Outline>, Unparsed>),
    /// Nothing, or nothing of what it is now.
    Nothing,
}

impl Default for Closed {
    fn default() -> Closed {
        Closed::within(MAX_MEMORY)
    }
}

impl Closed {
    /// Outlines that together take no more than so many bytes.
    pub(super) fn within(max_memory: usize) -> Closed {
        Closed {
            state: RwLock::default(),
            max_memory,
        }
    }

    /// A new search begins: what it does not use is what is let go of first.
    pub(super) fn begin_search(&self) {
        self.write().search += 1;
    }

    /// What is known of a file as it is now. Reads nothing but its metadata.
    pub(super) fn known(&self, path: &Path, stamp: &Stamp) -> Known {
        let state = self.read();
        match state.files.get(path) {
            Some(kept) if kept.settled && kept.stamp == *stamp => {
                kept.search.store(state.search, Ordering::Relaxed);
                Known::Outline(kept.outline.clone())
            }
            _ => Known::Nothing,
        }
    }

    /// Takes the outline of a file that was read: from what is kept if it has the same content, else by parsing.
    pub(super) fn take(
        &self,
        path: &Path,
        (stamp, settled): (Stamp, bool),
        bytes: &[u8],
        parser: &mut Parser,
        cancel: &CancellationToken,
    ) -> Result<Arc<Outline>, Unparsed> {
        let content = content(bytes);
        let same = self
            .read()
            .files
            .get(path)
            .filter(|kept| kept.content == content)
            .map(|kept| kept.outline.clone());
        let outline =
            same.unwrap_or_else(|| parse_bytes(path, bytes, parser, cancel).map(Arc::new));
        if outline != Err(Unparsed::Cancelled) {
            self.keep(path, (stamp, settled), content, &outline);
        }
        outline
    }

    fn keep(
        &self,
        path: &Path,
        (stamp, settled): (Stamp, bool),
        content: [u8; 16],
        outline: &Result<Arc<Outline>, Unparsed>,
    ) {
        let mut state = self.write();
        let kept = Kept {
            stamp,
            settled,
            content,
            outline: outline.clone(),
            search: AtomicU64::new(state.search),
        };
        let size = size(path, &kept);
        state.remove(path);
        // Once a search: it looks at all that is kept.
        if state.memory + size > self.max_memory && state.forgot != state.search {
            state.forgot = state.search;
            state.forget_unused();
        }
        if state.memory + size <= self.max_memory {
            state.memory += size;
            state.files.insert(path.to_owned(), kept);
        }
    }

    /// Whether the next outline may not be kept.
    pub(super) fn is_full(&self) -> bool {
        self.read().memory > self.max_memory / 10 * 9
    }

    /// How many bytes are kept, about.
    pub(super) fn memory(&self) -> usize {
        self.read().memory
    }

    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn remove(&mut self, path: &Path) {
        if let Some(kept) = self.files.remove(path) {
            self.memory -= size(path, &kept);
        }
    }

    /// Lets go of what the last search did not use: files that are gone, and those of other folders.
    fn forget_unused(&mut self) {
        let search = self.search;
        let mut freed = 0;
        self.files.retain(|path, kept| {
            let keep = kept.search.load(Ordering::Relaxed) == search;
            if !keep {
                freed += size(path, kept);
            }
            keep
        });
        self.memory -= freed;
    }
}

fn size(path: &Path, kept: &Kept) -> usize {
    let outline = kept.outline.as_ref().map_or(0, |outline| outline.memory());
    ENTRY_BYTES + path.as_os_str().len() + outline
}

fn content(bytes: &[u8]) -> [u8; 16] {
    let digest = Sha256::digest(bytes);
    let mut half = [0; 16];
    half.copy_from_slice(&digest[..16]);
    half
}

/// Reads a file of known length into a buffer that is used again. Too large is what is longer than is parsed.
pub(super) fn read_into(path: &Path, buffer: &mut Vec<u8>) -> Result<(Stamp, bool), Unparsed> {
    let unreadable = |error: io::Error| Unparsed::Unreadable(error.to_string());
    buffer.clear();
    let now = SystemTime::now();
    let file = open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    if metadata.len() > MAX_BYTES as u64 {
        return Err(Unparsed::TooLarge);
    }
    file.take(MAX_BYTES as u64 + 1)
        .read_to_end(buffer)
        .map_err(unreadable)?;
    if buffer.len() > MAX_BYTES {
        return Err(Unparsed::TooLarge);
    }
    let stamp = Stamp::of(&metadata);
    Ok((stamp, stamp.is_settled(now)))
}

/// The text of a file that was found; none if it cannot be read.
pub(crate) fn read_text(path: &Path) -> Option<Rope> {
    let mut bytes = Vec::new();
    read_into(path, &mut bytes).ok()?;
    plain(&bytes)
        .map(Rope::from_str)
        .or_else(|| decoded(&bytes))
}

/// Opens a file for reading; no link in its place.
fn open(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32);
    }
    options.read(true).open(path)
}

/// The outline of a file's bytes.
fn parse_bytes(
    path: &Path,
    bytes: &[u8],
    parser: &mut Parser,
    cancel: &CancellationToken,
) -> Result<Outline, Unparsed> {
    match plain(bytes) {
        Some(text) => parse_text(path, text, text.as_bytes(), parser, cancel),
        None => {
            let rope = decoded(bytes).ok_or(Unparsed::NotText)?;
            parse_text(
                path,
                &rope,
                language::head(&rope).as_bytes(),
                parser,
                cancel,
            )
        }
    }
}

fn parse_text<S: Source + ?Sized>(
    path: &Path,
    text: &S,
    head: &[u8],
    parser: &mut Parser,
    cancel: &CancellationToken,
) -> Result<Outline, Unparsed> {
    let language = Language::of(path, head).ok_or(Unparsed::UnknownLanguage)?;
    let tree = parse::parse(parser, language, text, None, cancel)?;
    parse::outline(&tree, language, text, cancel)
}

/// Bytes that are text as they stand, as nearly all are.
fn plain(bytes: &[u8]) -> Option<&str> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).ok()?;
    memchr::memchr(0, bytes).is_none().then_some(text)
}

/// Bytes in another encoding, if they are text.
fn decoded(bytes: &[u8]) -> Option<Rope> {
    let decoded = encoding::decode(bytes.to_vec()).ok()?;
    Some(decoded.text.rope().clone())
}

#[cfg(test)]
mod tests;
