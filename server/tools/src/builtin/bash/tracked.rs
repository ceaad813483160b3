//! What git commands may show of files that are not to be read: told by the names in the index and in the working tree, for
//! what the repository holds cannot be closed to git. Runs no git.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use ignore::WalkBuilder;

use crate::command::Shown;
use crate::lexical::normal;
use crate::permission::Unread;

mod index;

use index::Entry;

/// So many are told.
const MAX_TOLD: usize = 5;

/// What git commands may show.
#[derive(Debug, Default)]
pub(super) struct Unshown {
    /// Files of the index that are not to be read.
    pub(super) certain: Vec<PathBuf>,
    /// Whether there are any, or may be: history may hold what the working tree has, or had.
    pub(super) perhaps: bool,
}

/// What of these may show what is not to be read.
pub(super) fn unread(shown: &[Shown], unread: &Unread) -> Unshown {
    let mut found = Unshown::default();
    for one in shown {
        let has_repository = |folder: &&Path| folder.join(".git").symlink_metadata().is_ok();
        // Without a repository there is nothing to show.
        let Some(top) = one.folder.ancestors().find(has_repository) else {
            continue;
        };
        let scope = Scope::of(one, top);
        let index = index::read(top);
        let entries = index.as_deref().unwrap_or_default();
        let certain = entries
            .iter()
            .map(|entry| (entry, top.join(&entry.path)))
            .filter(|(_, path)| scope.contains(path) && unread.contains(path))
            .filter(|(entry, path)| scope.history || !one.changes || may_differ(entry, path));
        for (_, path) in certain.take(MAX_TOLD) {
            if !found.certain.contains(&path) {
                found.certain.push(path);
            }
        }
        // An index that cannot be read may have what the working tree has.
        let by_tree = scope.history || index.is_none();
        found.perhaps |= !found.certain.is_empty() || by_tree && is_in_tree(top, &scope, unread);
    }
    found.certain.truncate(MAX_TOLD);
    found
}

/// How much a command shows.
struct Scope {
    /// The files and folders; none: all.
    paths: Vec<PathBuf>,
    history: bool,
}

impl Scope {
    fn of(shown: &Shown, top: &Path) -> Scope {
        let is_plain =
            |path: &String| !path.starts_with(':') && !path.contains(['*', '?', '[', '\\']);
        let mut paths = Vec::new();
        if shown.paths.iter().all(is_plain) {
            for path in &shown.paths {
                // What stands behind a revision and a colon counts from the top.
                paths.extend([&shown.folder, top].map(|folder: &Path| normal(&folder.join(path))));
            }
        }
        let is_file = |word: &String| shown.folder.join(word).symlink_metadata().is_ok();
        Scope {
            paths,
            history: shown.history || !shown.operands.iter().all(is_file),
        }
    }

    fn contains(&self, path: &Path) -> bool {
        self.paths.is_empty() || self.paths.iter().any(|folder| path.starts_with(folder))
    }

    /// Whether a folder is part of it, or has parts of it.
    fn touches(&self, folder: &Path) -> bool {
        self.contains(folder) || self.paths.iter().any(|path| path.starts_with(folder))
    }
}

/// Whether a file may have another content than in the index, by what git compares first.
fn may_differ(entry: &Entry, path: &Path) -> bool {
    let Ok(now) = path.symlink_metadata() else {
        return true;
    };
    let changed = now.modified().ok();
    let changed = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let same = changed.is_some_and(|time| {
        let known = (u64::from(entry.seconds), entry.nanoseconds);
        known == (time.as_secs(), time.subsec_nanos())
            && u64::from(entry.size) == now.len() & u64::from(u32::MAX)
    });
    !same || entry.is_racy
}

/// Whether the working tree has such a file. What is in folders that git ignores (dependencies, builds) does not count;
/// ignored files do, for they may have been tracked once.
fn is_in_tree(top: &Path, scope: &Scope, unread: &Unread) -> bool {
    let counts = |path: &Path| scope.contains(path) && unread.contains(path);
    let walk = WalkBuilder::new(top)
        .hidden(false)
        .ignore(false)
        .follow_links(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    // What cannot be looked at here cannot be read by a command of the same user.
    walk.flatten()
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_dir()))
        .filter(|folder| scope.touches(folder.path()))
        .any(|folder| {
            let entries = folder.path().read_dir();
            let mut entries = entries.into_iter().flatten().flatten();
            entries.any(|entry| counts(&entry.path()))
        })
}
