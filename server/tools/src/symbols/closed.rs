//! Files that are not open: their outlines, kept as long as the file is the one that was read, within a bound of
//! memory. Reads files that the guard has judged; knows nothing of buffers.

use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, SystemTime};

use mewcode_core::outline::Outline;
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;
use tree_sitter::Parser;

use super::language::Language;
use super::parse::{self, MAX_BYTES, Unparsed};

/// So many bytes of outlines are kept. What does not fit is parsed when it is asked for.
pub const MAX_MEMORY: usize = 256 * 1024 * 1024;

/// What an entry takes besides its path and its outline, about.
const ENTRY_BYTES: usize = 160;

/// A file that changed so short before it was read may change again without a new time: its content is compared.
const UNSETTLED: Duration = Duration::from_secs(2);

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
}

struct Kept {
    identity: Identity,
    settled: bool,
    content: [u8; 16],
    outline: Result<Arc<Outline>, Unparsed>,
    search: u64,
}

/// What a file is known by without being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    length: u64,
    modified: Option<SystemTime>,
    /// Device, inode and the time of the last change of anything, where the system tells them.
    node: (u64, u64, i64, i64),
}

impl Identity {
    pub(super) fn of(metadata: &Metadata) -> Identity {
        #[cfg(unix)]
        let node = {
            use std::os::unix::fs::MetadataExt;
            (
                metadata.dev(),
                metadata.ino(),
                metadata.ctime(),
                metadata.ctime_nsec(),
            )
        };
        #[cfg(not(unix))]
        let node = (0, 0, 0, 0);
        Identity {
            length: metadata.len(),
            modified: metadata.modified().ok(),
            node,
        }
    }
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
    pub(super) fn known(&self, path: &Path, identity: &Identity) -> Known {
        match self.read().files.get(path) {
            Some(kept) if kept.settled && kept.identity == *identity => {
                Known::Outline(kept.outline.clone())
            }
            _ => Known::Nothing,
        }
    }

    /// Takes the outline of a file that was read: from what is kept if it has the same content, else by parsing.
    pub(super) fn take(
        &self,
        path: &Path,
        identity: Identity,
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
            self.keep(path, identity, content, &outline);
        }
        outline
    }

    fn keep(
        &self,
        path: &Path,
        identity: Identity,
        content: [u8; 16],
        outline: &Result<Arc<Outline>, Unparsed>,
    ) {
        let settled = identity.modified.is_some_and(|modified| {
            SystemTime::now()
                .duration_since(modified)
                .is_ok_and(|age| age > UNSETTLED)
        });
        let mut state = self.write();
        let kept = Kept {
            identity,
            settled,
            content,
            outline: outline.clone(),
            search: state.search,
        };
        let size = size(path, &kept);
        state.remove(path);
        if state.memory + size > self.max_memory {
            state.forget_unused();
        }
        if state.memory + size <= self.max_memory {
            state.memory += size;
            state.files.insert(path.to_owned(), kept);
        }
    }

    /// Marks files as used by the search that goes on.
    pub(super) fn used<'a>(&self, paths: impl Iterator<Item = &'a Path>) {
        let mut state = self.write();
        let search = state.search;
        for path in paths {
            if let Some(kept) = state.files.get_mut(path) {
                kept.search = search;
            }
        }
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
            let keep = kept.search == search;
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

/// Looks at a file; none: there is none, or nothing that can be read as a file.
pub(super) fn probe(path: &Path) -> Option<Metadata> {
    fs::symlink_metadata(path).ok().filter(Metadata::is_file)
}

/// Reads a file of known length into a buffer that is used again. Too large is what is longer than is parsed.
pub(super) fn read_into(path: &Path, buffer: &mut Vec<u8>) -> Result<Identity, Unparsed> {
    let unreadable = |error: io::Error| Unparsed::Unreadable(error.to_string());
    buffer.clear();
    let file = File::open(path).map_err(unreadable)?;
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
    Ok(Identity::of(&metadata))
}

/// The outline of a file's bytes. What is not UTF-8 is read as if each bad byte were a character: names are rarely
/// touched by it.
fn parse_bytes(
    path: &Path,
    bytes: &[u8],
    parser: &mut Parser,
    cancel: &CancellationToken,
) -> Result<Outline, Unparsed> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if memchr::memchr(0, bytes).is_some() {
        return Err(Unparsed::NotText);
    }
    let language = Language::of(path, bytes).ok_or(Unparsed::UnknownLanguage)?;
    let text = String::from_utf8_lossy(bytes);
    let tree = parse::parse(parser, language, &*text, None, cancel)?;
    parse::outline(&tree, language, &*text, cancel)
}

#[cfg(test)]
mod tests;
