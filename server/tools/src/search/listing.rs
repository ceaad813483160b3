//! What one search looks through: the files of the kept lists and the open buffers, in one order. A moment's state that
//! never changes; reads no content.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mewcode_core::text::Snapshot;
use tokio_util::sync::CancellationToken;

use super::tree::{FileIndex, Folder, Tree, os_name};
use super::{Options, SearchError, outermost};
use crate::error::ToolError;
use crate::guard::{PathGuard, ResolvedPath};
use crate::overlay::Workspace;

/// The files that a search looks through.
#[derive(Debug)]
pub struct Listing {
    parts: Vec<Part>,
    items: Vec<Item>,
    apart: Vec<Apart>,
    problems: Vec<Problem>,
}

/// What could not be read while the files were listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The path as it is shown.
    pub display: String,
    /// What is wrong, without a subject and a full stop.
    pub reason: String,
}

/// What is searched of one root.
#[derive(Debug)]
struct Part {
    tree: Arc<Tree>,
    /// Where patterns with a slash start: the folder that is searched.
    base: PathBuf,
    /// How paths in `base` begin when they are shown.
    prefix: String,
}

/// One file: in a list, as a buffer, or both.
#[derive(Clone, Copy, Debug)]
struct Item {
    part: u32,
    index: FileIndex,
    /// One more than its index among those apart; 0: it is not among them.
    apart: u32,
}

/// What stands between the names of a path.
const SEPARATOR: [u8; 1] = [std::path::MAIN_SEPARATOR as u8];

/// For a file that is in no list.
const NOT_LISTED: FileIndex = FileIndex {
    folder: u32::MAX,
    entry: 0,
};

/// A file that is open, or that was named and is in no list.
#[derive(Debug)]
struct Apart {
    real: PathBuf,
    /// The text of its open document.
    buffer: Option<Result<Snapshot, ToolError>>,
}

/// One file of a listing.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    listing: &'a Listing,
    item: Item,
}

impl Listing {
    pub(super) fn new(
        workspace: &Workspace,
        path: Option<&ResolvedPath>,
        options: Options,
        cancel: &CancellationToken,
    ) -> Result<Listing, SearchError> {
        let guard = workspace.guard();
        let mut listing = Listing {
            parts: Vec::new(),
            items: Vec::new(),
            apart: Vec::new(),
            problems: Vec::new(),
        };
        let open = workspace.editor().buffers();
        let folders: Vec<(&Path, &Path)> = match path {
            None => outermost(&guard)
                .into_iter()
                .map(|root| (root.as_path(), root.as_path()))
                .collect(),
            Some(path) if path.real.is_dir() => {
                vec![(&path.real, guard.root_of(&path.real).unwrap_or(&path.real))]
            }
            Some(path) => {
                listing.add_named(workspace, &guard, path, &open)?;
                return Ok(listing);
            }
        };
        for (folder, root) in folders {
            let closed = guard.closed_in(folder);
            let search = workspace.search();
            let tree = search.tree(folder, root, options, &closed, cancel)?;
            listing.add(workspace, &guard, folder, tree, options, &open);
        }
        Ok(listing)
    }

    /// Adds a path that is no folder: a file, or what exists only as a buffer, or above such ones.
    fn add_named(
        &mut self,
        workspace: &Workspace,
        guard: &PathGuard,
        path: &ResolvedPath,
        open: &[PathBuf],
    ) -> Result<(), ToolError> {
        let mut inside: Vec<&PathBuf> = open
            .iter()
            .filter(|buffer| buffer.starts_with(&path.real))
            .collect();
        inside.sort();
        let is_file = path.real.is_file();
        let is_open = inside.first().is_some_and(|first| **first == path.real);
        if inside.is_empty() && !is_file {
            crate::disk::probe(&path.real, &path.display)?;
            return Err(workspace.not_found(path));
        }
        let base = match is_file || is_open {
            true => path.real.parent().unwrap_or(&path.real),
            false => &path.real,
        };
        self.parts.push(Part {
            tree: Arc::default(),
            base: base.to_owned(),
            prefix: prefix(guard, base),
        });
        let named: Vec<&PathBuf> = match is_file && !is_open {
            true => vec![&path.real],
            false => inside,
        };
        for real in named {
            let buffer = workspace.editor().buffer(real);
            if buffer.is_some() || real.is_file() {
                self.push_apart(0, NOT_LISTED, real, buffer);
            }
        }
        Ok(())
    }

    /// Adds what is in a folder.
    fn add(
        &mut self,
        workspace: &Workspace,
        guard: &PathGuard,
        folder: &Path,
        tree: Arc<Tree>,
        options: Options,
        open: &[PathBuf],
    ) {
        let closed = guard.closed_in(folder);
        let part = self.parts.len() as u32;
        // Else the folder was removed while it was looked for.
        let Some(index) = tree.find(folder) else {
            return;
        };
        let place = &tree.places[index];
        let faults = tree.above_faults.iter().map(|fault| (folder, fault));
        let within = tree.places[index..index + place.size as usize].iter();
        let faults = faults.chain(within.flat_map(|place| {
            let faults = place.folder.faults.iter();
            faults.map(|fault| (place.folder.path.as_path(), fault))
        }));
        self.problems.extend(faults.map(|(path, reason)| Problem {
            display: guard.display(path),
            reason: reason.clone(),
        }));
        let mut buffers: Vec<(Result<u32, u32>, &PathBuf)> = open
            .iter()
            .filter(|path| path.starts_with(folder) && path.as_path() != folder)
            .filter(|path| !closed.iter().any(|closed| path.starts_with(closed)))
            .map(|path| (tree.position(path), path))
            .filter(|(position, path)| position.is_ok() || tree.would_list(path, options.hidden))
            .collect();
        buffers.sort_by_key(|(_, path)| path.as_os_str().as_encoded_bytes());
        let mut next = place.files.start;
        self.items.reserve(place.files.len() + buffers.len());
        let item = |index: &FileIndex| Item {
            part,
            index: *index,
            apart: 0,
        };
        for (position, path) in buffers {
            // It may have been closed since.
            let Some(buffer) = workspace.editor().buffer(path) else {
                continue;
            };
            let (Ok(at) | Err(at)) = position;
            let before = &tree.files[next as usize..at as usize];
            self.items.extend(before.iter().map(item));
            let listed = position.ok().map(|at| tree.files[at as usize]);
            next = at + u32::from(listed.is_some());
            self.push_apart(part, listed.unwrap_or(NOT_LISTED), path, Some(buffer));
        }
        let rest = &tree.files[next as usize..place.files.end as usize];
        self.items.extend(rest.iter().map(item));
        self.parts.push(Part {
            tree,
            base: folder.to_owned(),
            prefix: prefix(guard, folder),
        });
    }

    fn push_apart(
        &mut self,
        part: u32,
        index: FileIndex,
        real: &Path,
        buffer: Option<Result<Snapshot, ToolError>>,
    ) {
        self.apart.push(Apart {
            real: real.to_owned(),
            buffer,
        });
        self.items.push(Item {
            part,
            index,
            apart: self.apart.len() as u32,
        });
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// A file by its index; files are in the order of their paths, root by root.
    ///
    /// # Panics
    ///
    /// If there are not so many.
    pub fn file(&self, index: usize) -> File<'_> {
        File {
            listing: self,
            item: self.items[index],
        }
    }

    /// All files, in order.
    pub fn iter(&self) -> impl Iterator<Item = File<'_>> + '_ {
        (0..self.len()).map(|index| self.file(index))
    }

    /// What could not be read, in order.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl<'a> File<'a> {
    /// The real path.
    pub fn real(&self) -> PathBuf {
        match self.apart() {
            Some(apart) => apart.real.clone(),
            None => self.folder().path.join(os_name(self.name())),
        }
    }

    /// The path as it is shown, and may be given again.
    pub fn display(&self) -> String {
        let mut relative = Vec::new();
        self.relative(&mut relative);
        format!(
            "{}{}",
            self.part().prefix,
            String::from_utf8_lossy(&relative)
        )
    }

    /// The text of its open document. `Err`: open, but the text cannot be trusted now.
    pub fn buffer(&self) -> Option<&'a Result<Snapshot, ToolError>> {
        self.apart()?.buffer.as_ref()
    }

    /// Sets `relative` to the bytes of the path from where the search starts.
    pub(crate) fn relative(&self, relative: &mut Vec<u8>) {
        relative.clear();
        let base = self.part().base.as_os_str().len();
        let after_base = |path: &'a Path| {
            let rest = path
                .as_os_str()
                .as_encoded_bytes()
                .get(base..)
                .unwrap_or_default();
            rest.strip_prefix(&SEPARATOR).unwrap_or(rest)
        };
        match self.apart() {
            Some(apart) => relative.extend_from_slice(after_base(&apart.real)),
            None => {
                let folder = after_base(&self.folder().path);
                relative.extend_from_slice(folder);
                if !folder.is_empty() {
                    relative.push(b'/');
                }
                relative.extend_from_slice(self.name());
            }
        }
        if SEPARATOR != [b'/'] {
            relative
                .iter_mut()
                .filter(|byte| [**byte] == SEPARATOR)
                .for_each(|byte| *byte = b'/');
        }
    }

    /// The folder that lists it, and a number that tells it from others; none: no list has it.
    pub(crate) fn listed(&self) -> Option<(u64, &'a Path, &'a [u8])> {
        if self.item.index.folder == NOT_LISTED.folder {
            return None;
        }
        let number = (u64::from(self.item.part) << 32) | u64::from(self.item.index.folder);
        Some((number, &self.folder().path, self.name()))
    }

    fn part(&self) -> &'a Part {
        &self.listing.parts[self.item.part as usize]
    }

    fn apart(&self) -> Option<&'a Apart> {
        let index = (self.item.apart as usize).checked_sub(1)?;
        self.listing.apart.get(index)
    }

    /// Of a file that is in a list.
    fn folder(&self) -> &'a Folder {
        &self.part().tree.places[self.item.index.folder as usize].folder
    }

    /// Of a file that is in a list.
    fn name(&self) -> &'a [u8] {
        let folder = self.folder();
        folder.name(folder.entries[self.item.index.entry as usize])
    }
}

fn prefix(guard: &PathGuard, base: &Path) -> String {
    match guard.display(base).as_str() {
        "." => String::new(),
        shown if shown.ends_with('/') => shown.to_owned(),
        shown => format!("{shown}/"),
    }
}
