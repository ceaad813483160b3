//! The files of the workspace as searches see them: walked once, kept, and brought up to date at each use; ignored and
//! hidden ones left out unless they are asked for; open buffers among them. Knows no tool, and reads no content but
//! that of ignore files.
//!
//! A kept list is compared with the disk whenever it is used: every folder in it is looked at, and those that changed
//! are read again. That costs a few milliseconds for thousands of folders, and nobody has to tell of a change. A file
//! that was made a moment ago is found; a file that was removed is not.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

use crate::error::ToolError;
use crate::guard::{PathGuard, ResolvedPath};
use crate::overlay::Workspace;

mod listing;
mod parallel;
mod pattern;
mod renew;
mod rules;
mod stamp;
mod tree;
mod walk;

pub use listing::{File, Listing, Problem};
pub(crate) use parallel::{in_parts, in_parts_with};
pub(crate) use pattern::PathPattern;
pub(crate) use stamp::Stamp;
use tree::Tree;
pub(crate) use tree::os_name;
use walk::{Cancelled, Walk};

/// As many lists are kept; the one that was longest not used goes first.
const MAX_LISTS: usize = 8;

/// A search waits for disks more than it computes: so many threads at least, whatever the processors.
const MIN_THREADS: usize = 8;

/// Many more wait for each other.
const MAX_THREADS: usize = 16;

/// Which files a search wants besides the usual ones. `.git` and `.mewcode` are in none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// Those whose name, or that of a folder above, begins with a dot.
    pub hidden: bool,
    /// Those that `.gitignore`, `.ignore` or global excludes leave out.
    pub ignored: bool,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SearchError {
    /// The call is to end.
    #[error("the search was cancelled")]
    Cancelled,
    /// It cannot be done.
    #[error(transparent)]
    Failed(#[from] ToolError),
}

impl From<Cancelled> for SearchError {
    fn from(_: Cancelled) -> SearchError {
        SearchError::Cancelled
    }
}

/// The lists of files that are kept for later searches.
#[derive(Debug)]
pub struct Search {
    kept: Mutex<Vec<Kept>>,
    threads: AtomicUsize,
}

#[derive(Debug)]
struct Kept {
    start: PathBuf,
    root: PathBuf,
    options: Options,
    tree: Arc<Tree>,
}

impl Default for Search {
    fn default() -> Search {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Search {
            kept: Mutex::default(),
            threads: AtomicUsize::new(processors.clamp(MIN_THREADS, MAX_THREADS)),
        }
    }
}

impl Search {
    /// How many threads a search uses.
    pub fn threads(&self) -> usize {
        self.threads.load(Ordering::Relaxed)
    }

    /// Sets how many threads a search uses, at least one.
    pub fn set_threads(&self, threads: usize) {
        self.threads.store(threads.max(1), Ordering::Relaxed);
    }

    /// Bytes that the kept lists hold.
    pub fn memory(&self) -> usize {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().map(|kept| kept.tree.memory()).sum()
    }

    /// Drops all kept lists.
    pub fn forget(&self) {
        self.kept
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }

    /// The list of a folder as it is now. It may begin further up, at the root.
    fn tree(
        &self,
        start: &Path,
        root: &Path,
        options: Options,
        closed: &[PathBuf],
        cancel: &CancellationToken,
    ) -> Result<Arc<Tree>, Cancelled> {
        let walk = Walk {
            options,
            closed,
            threads: self.threads(),
            cancel,
        };
        if let Some((known, begin)) = self.known(start, root, options) {
            let Some(renewed) = walk.renewed(&known, root)? else {
                return Ok(known);
            };
            let renewed = Arc::new(renewed);
            self.keep(&begin, root, options, Arc::clone(&renewed));
            if renewed.find(start).is_some() {
                return Ok(renewed);
            }
            // By now the list leaves the folder out that was asked for.
        }
        let tree = Arc::new(walk.tree(start, root)?);
        self.keep(start, root, options, Arc::clone(&tree));
        Ok(tree)
    }

    /// A kept list that has the folder, and where it begins.
    fn known(&self, start: &Path, root: &Path, options: Options) -> Option<(Arc<Tree>, PathBuf)> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |kept: &Kept| {
            kept.options == options && kept.root == root && kept.tree.find(start).is_some()
        };
        let index = kept.iter().rposition(fits)?;
        let found = kept.remove(index);
        let known = (Arc::clone(&found.tree), found.start.clone());
        kept.push(found);
        Some(known)
    }

    fn keep(&self, start: &Path, root: &Path, options: Options, tree: Arc<Tree>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        // A list of a part is not needed beside that of the whole.
        kept.retain(|old| {
            !(old.options == options && old.root == root && tree.find(&old.start).is_some())
        });
        kept.push(Kept {
            start: start.to_owned(),
            root: root.to_owned(),
            options,
            tree,
        });
        let excess = kept.len().saturating_sub(MAX_LISTS);
        kept.drain(..excess);
    }
}

impl Workspace {
    /// The files at a path, or in all roots, as a search sees them: those on disk and those that exist only as buffers,
    /// in the order of their paths. A file that is named by `path` is in the list whatever ignore files say.
    ///
    /// # Errors
    ///
    /// `Cancelled` soon after `cancel` is triggered; `not_found` if there is neither a file nor a folder nor an open document at `path`.
    pub fn files(
        &self,
        path: Option<&ResolvedPath>,
        options: Options,
        cancel: &CancellationToken,
    ) -> Result<Listing, SearchError> {
        Listing::new(self, path, options, cancel)
    }
}

/// Roots that are not inside another one.
fn outermost(guard: &PathGuard) -> Vec<&PathBuf> {
    let roots = guard.roots();
    let inside_another = |root: &PathBuf| {
        roots
            .iter()
            .any(|other| other != root && root.starts_with(other))
    };
    let mut outermost: Vec<&PathBuf> = Vec::with_capacity(roots.len());
    for root in roots {
        if !inside_another(root) && !outermost.contains(&root) {
            outermost.push(root);
        }
    }
    outermost
}

#[cfg(test)]
mod tests;
