//! Trees of files, to be laid out and compared. Knows nothing of what is in them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// What stands at a path of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    File(Vec<u8>),
    Link(PathBuf),
}

pub type Tree = BTreeMap<PathBuf, Entry>;

/// Everything below a folder but the folders.
pub fn tree(root: &Path) -> Tree {
    let mut tree = Tree::new();
    walk(root, &mut |path, entry| {
        if let Some(entry) = entry {
            tree.insert(path.strip_prefix(root).unwrap().to_owned(), entry);
        }
    });
    tree
}

pub fn folders(root: &Path) -> BTreeSet<PathBuf> {
    let mut folders = BTreeSet::new();
    walk(root, &mut |path, entry| {
        if entry.is_none() {
            folders.insert(path.strip_prefix(root).unwrap().to_owned());
        }
    });
    folders
}

/// Calls `visit` with each path below a folder; without an entry for a folder. A folder that is not there is empty.
fn walk(folder: &Path, visit: &mut dyn FnMut(&Path, Option<Entry>)) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries {
        let path = entry.unwrap().path();
        let kind = fs::symlink_metadata(&path).unwrap().file_type();
        if kind.is_symlink() {
            visit(&path, Some(Entry::Link(fs::read_link(&path).unwrap())));
        } else if kind.is_dir() {
            visit(&path, None);
            walk(&path, visit);
        } else {
            visit(&path, Some(Entry::File(fs::read(&path).unwrap())));
        }
    }
}

pub fn copy(from: &Path, to: &Path) {
    for (path, entry) in tree(from) {
        let target = to.join(&path);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        match entry {
            // With its permissions.
            Entry::File(_) => drop(fs::copy(from.join(path), target).unwrap()),
            Entry::Link(link) => std::os::unix::fs::symlink(link, target).unwrap(),
        }
    }
}
