//! A list of the files of a folder and all below it, as they stand in order: by the bytes of their paths, in which a
//! folder's name ends in `/`. Never changes; a later state is another list that shares what is the same. Compact: a
//! path is held once a folder, and a file costs its name and 16 bytes. Reads no disk.

use std::ffi::OsStr;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::rules::{Present, RuleFile, Rules, Verdict};
use super::stamp::Stamp;
use crate::guard;

/// One folder and what is listed of it.
#[derive(Debug)]
pub(super) struct Folder {
    /// The real path.
    pub(super) path: PathBuf,
    /// Taken before the entries were read.
    pub(super) stamp: Stamp,
    /// Whether no later change can leave this very stamp.
    pub(super) settled: bool,
    /// Those in force here; none: ignore files do not count.
    pub(super) rules: Option<Arc<Rules>>,
    pub(super) present: Present,
    /// The files of its own rules.
    pub(super) rule_files: Vec<RuleFile>,
    /// The names of all entries, one after the other.
    pub(super) names: Box<[u8]>,
    /// In order.
    pub(super) entries: Box<[Entry]>,
    /// One for each entry that is a folder, in their order.
    pub(super) children: Vec<Arc<Folder>>,
    /// What could not be read, in sentences without a subject.
    pub(super) faults: Vec<String>,
}

/// One entry of a folder.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) start: u32,
    pub(super) length: u16,
    pub(super) is_folder: bool,
}

/// A place in a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileIndex {
    /// Among all folders of the list.
    pub(super) folder: u32,
    /// Among the entries of the folder.
    pub(super) entry: u32,
}

/// A folder's place in the list.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) folder: Arc<Folder>,
    /// The number of folders in it, with itself; they follow it.
    pub(super) size: u32,
    /// Where its files, and those of all folders in it, stand.
    pub(super) files: Range<u32>,
}

/// The whole list. Only the default one has not even a first folder.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// All folders, each before those in it.
    pub(super) places: Vec<Place>,
    pub(super) files: Vec<FileIndex>,
    /// Rules from above the tree.
    pub(super) above: Option<Arc<Rules>>,
    pub(super) above_files: Vec<RuleFile>,
    pub(super) above_faults: Vec<String>,
}

impl Folder {
    /// The name of an entry.
    pub(super) fn name(&self, entry: Entry) -> &[u8] {
        let start = entry.start as usize;
        &self.names[start..start + usize::from(entry.length)]
    }

    /// The folders among the entries, by name.
    pub(super) fn child(&self, name: &[u8]) -> Option<usize> {
        let folders = self.entries.iter().filter(|entry| entry.is_folder);
        folders
            .enumerate()
            .find(|(_, entry)| self.name(**entry) == name)
            .map(|(index, _)| index)
    }

    fn memory(&self) -> usize {
        size_of::<Folder>()
            + self.path.as_os_str().len()
            + self.names.len()
            + size_of_val::<[Entry]>(&self.entries)
            + size_of_val::<[Arc<Folder>]>(&self.children)
            + size_of_val::<[RuleFile]>(&self.rule_files)
    }
}

impl Tree {
    pub(super) fn new(
        root: Arc<Folder>,
        above: Option<Arc<Rules>>,
        above_files: Vec<RuleFile>,
        above_faults: Vec<String>,
    ) -> Tree {
        let mut tree = Tree {
            places: Vec::new(),
            files: Vec::new(),
            above,
            above_files,
            above_faults,
        };
        tree.add(root);
        tree.places.shrink_to_fit();
        tree.files.shrink_to_fit();
        tree
    }

    fn add(&mut self, folder: Arc<Folder>) {
        let index = self.places.len();
        let first = self.files.len() as u32;
        self.places.push(Place {
            folder: Arc::clone(&folder),
            size: 0,
            files: 0..0,
        });
        let mut children = folder.children.iter();
        for (entry, what) in folder.entries.iter().enumerate() {
            match what.is_folder {
                true => children
                    .by_ref()
                    .take(1)
                    .for_each(|child| self.add(Arc::clone(child))),
                false => self.files.push(FileIndex {
                    folder: index as u32,
                    entry: entry as u32,
                }),
            }
        }
        self.places[index].size = (self.places.len() - index) as u32;
        self.places[index].files = first..self.files.len() as u32;
    }

    /// The folder where the list begins.
    pub(super) fn start(&self) -> &Arc<Folder> {
        // No list is made without its first folder.
        &self.places[0].folder
    }

    /// The index of a listed folder among the places.
    pub(super) fn find(&self, path: &Path) -> Option<usize> {
        let index = self.nearest(path)?;
        Some(index).filter(|index| self.places[*index].folder.path == path)
    }

    /// The index of the listed folder that is nearest above a path, or is it.
    fn nearest(&self, path: &Path) -> Option<usize> {
        let relative = path.strip_prefix(&self.start().path).ok()?;
        let mut index = 0;
        for name in relative.components() {
            let folder = &self.places[index].folder;
            let Some(child) = folder.child(name.as_os_str().as_encoded_bytes()) else {
                break;
            };
            // Its children follow it, each with all that is in it.
            index = (0..child).fold(index + 1, |index, _| {
                index + self.places[index].size as usize
            });
        }
        Some(index)
    }

    /// Where a file stands in the list, or would.
    pub(super) fn position(&self, path: &Path) -> Result<u32, u32> {
        let path = path.as_os_str().as_encoded_bytes();
        let mut buffer = Vec::new();
        let found = self.files.binary_search_by(|index| {
            let folder = &self.places[index.folder as usize].folder;
            buffer.clear();
            buffer.extend_from_slice(folder.path.as_os_str().as_encoded_bytes());
            buffer.push(b'/');
            buffer.extend_from_slice(folder.name(folder.entries[index.entry as usize]));
            buffer.as_slice().cmp(path)
        });
        match found {
            Ok(index) => Ok(index as u32),
            Err(index) => Err(index as u32),
        }
    }

    /// Whether a file that is not on disk would be listed if it were: no rule and no hidden name leaves it or a folder
    /// above it out.
    pub(super) fn would_list(&self, path: &Path, hidden: bool) -> bool {
        let Ok(relative) = path.strip_prefix(&self.start().path) else {
            return false;
        };
        let Some(nearest) = self.nearest(path) else {
            return false;
        };
        let mut current = self.start().path.clone();
        let known = &self.places[nearest].folder;
        let count = relative.components().count();
        relative.components().enumerate().all(|(index, name)| {
            current.push(name);
            let is_folder = index + 1 < count;
            // What is listed needs no judging.
            (is_folder && known.path.starts_with(&current))
                || is_listed(
                    known.rules.as_deref(),
                    &current,
                    name.as_os_str(),
                    is_folder,
                    hidden,
                )
        })
    }

    /// Bytes that the list holds.
    pub(super) fn memory(&self) -> usize {
        let folders: usize = self.places.iter().map(|place| place.folder.memory()).sum();
        folders
            + self.places.capacity() * size_of::<Place>()
            + self.files.capacity() * size_of::<FileIndex>()
    }
}

/// Whether an entry is listed.
pub(super) fn is_listed(
    rules: Option<&Rules>,
    path: &Path,
    name: &OsStr,
    is_folder: bool,
    hidden: bool,
) -> bool {
    // No search looks into it.
    if guard::is_closed(name) {
        return false;
    }
    let verdict = rules.map_or(Verdict::None, |rules| rules.judge(path, is_folder));
    match verdict {
        Verdict::Ignored => false,
        Verdict::Kept => true,
        Verdict::None => hidden || !name.as_encoded_bytes().starts_with(b"."),
    }
}

/// A name as it was read.
#[cfg(unix)]
pub(crate) fn os_name(name: &[u8]) -> &OsStr {
    std::os::unix::ffi::OsStrExt::from_bytes(name)
}

/// A name as it was read: where names are not bytes, only those are kept that are text.
#[cfg(not(unix))]
pub(crate) fn os_name(name: &[u8]) -> &OsStr {
    OsStr::new(std::str::from_utf8(name).unwrap_or_default())
}
