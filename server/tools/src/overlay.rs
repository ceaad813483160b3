//! The workspace as the tools see it: open buffers over files, inside the boundary. Reads; writing is the editor's.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use mewcode_core::text::Snapshot;

use crate::disk;
use crate::error::ToolError;
use crate::guard::{Access, PathGuard, Places, ResolvedPath};
use crate::names;
use crate::port::Editor;
use crate::search::Search;
use crate::symbols::Symbols;

/// As many entries of a folder as are looked through for a name close to one that does not exist.
const MAX_ENTRIES: usize = 5000;

/// The roots, their boundary, and the editor in front of the disk.
pub struct Workspace {
    editor: Arc<dyn Editor>,
    places: Places,
    // Held only to clone or to swap the pointer: roots come and go at run time.
    guard: RwLock<Arc<PathGuard>>,
    search: Search,
    symbols: Arc<Symbols>,
}

/// The text of a file.
#[derive(Clone, Debug)]
pub struct FileText {
    /// The text.
    pub snapshot: Snapshot,
    /// Where it is from.
    pub source: Source,
}

/// Where a text is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// From an open document.
    Buffer {
        /// Whether the disk does not have this text.
        unsaved: bool,
    },
    /// From the disk.
    Disk,
}

impl Workspace {
    /// A workspace with these roots behind this editor.
    pub fn new(roots: &[PathBuf], places: Places, editor: Arc<dyn Editor>) -> Workspace {
        let guard = RwLock::new(Arc::new(PathGuard::new(roots, &places)));
        Workspace {
            editor,
            places,
            guard,
            search: Search::default(),
            symbols: Arc::default(),
        }
    }

    /// Replaces the roots. Calls that are running keep the boundary that they began with.
    pub fn set_roots(&self, roots: &[PathBuf]) {
        let guard = Arc::new(PathGuard::new(roots, &self.places));
        *self.guard.write().unwrap_or_else(PoisonError::into_inner) = guard;
    }

    /// The boundary of this moment.
    pub fn guard(&self) -> Arc<PathGuard> {
        Arc::clone(&self.guard.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The editor.
    pub fn editor(&self) -> &Arc<dyn Editor> {
        &self.editor
    }

    /// The kept lists of files.
    pub fn search(&self) -> &Search {
        &self.search
    }

    /// The definitions in files.
    pub fn symbols(&self) -> &Arc<Symbols> {
        &self.symbols
    }

    /// Makes a path real and judges it.
    pub fn resolve(&self, path: &str, access: Access) -> Result<ResolvedPath, ToolError> {
        self.guard().resolve(path, access)
    }

    /// The real path, and those inside the workspace that lead to it through links: the paths of a call's effect.
    pub fn ways(&self, given: &str, resolved: &ResolvedPath) -> Vec<PathBuf> {
        self.guard().ways(given, resolved)
    }

    /// The text of a file that must be there: that of its open document, else that on disk.
    pub fn text(&self, path: &ResolvedPath) -> Result<FileText, ToolError> {
        self.find_text(path)?.ok_or_else(|| self.not_found(path))
    }

    /// The text of a file if there is one: that of its open document, else that on disk.
    pub fn find_text(&self, path: &ResolvedPath) -> Result<Option<FileText>, ToolError> {
        if let Some(buffer) = self.buffer(path)? {
            return Ok(Some(buffer));
        }
        let text = disk::read(&path.real, &path.display)?;
        Ok(text.map(|text| FileText {
            snapshot: Snapshot::new(text),
            source: Source::Disk,
        }))
    }

    /// The text of the open document of a file.
    pub fn buffer(&self, path: &ResolvedPath) -> Result<Option<FileText>, ToolError> {
        let Some(buffer) = self.editor.buffer(&path.real) else {
            return Ok(None);
        };
        let snapshot = buffer?;
        let unsaved = !disk::holds(&path.real, snapshot.rope());
        Ok(Some(FileText {
            snapshot,
            source: Source::Buffer { unsaved },
        }))
    }

    /// The error for a file that is not there, with names that may have been meant.
    pub fn not_found(&self, path: &ResolvedPath) -> ToolError {
        let error = ToolError::not_found(format!("`{}` does not exist.", path.display));
        let close: Vec<String> = self.close_paths(path);
        let close: Vec<&str> = close.iter().map(String::as_str).collect();
        if !close.is_empty() {
            return error
                .suggest(format!("Did you mean {}?", names::either(&close)))
                .with("close", close);
        }
        match path.real.parent() {
            Some(folder) if !folder.exists() => {
                let folder = self.guard().display(folder);
                error.suggest(format!(
                    "The folder `{folder}` does not exist either: check the path."
                ))
            }
            _ => error.suggest("Check the path."),
        }
    }

    fn close_paths(&self, path: &ResolvedPath) -> Vec<String> {
        let (Some(folder), Some(name)) = (path.real.parent(), path.real.file_name()) else {
            return Vec::new();
        };
        let mut entries = entries(folder);
        let buffers = self.editor.buffers();
        let siblings = buffers
            .iter()
            .filter(|buffer| buffer.parent() == Some(folder));
        entries
            .extend(siblings.filter_map(|buffer| Some(buffer.file_name()?.to_str()?.to_owned())));
        entries.sort();
        entries.dedup();
        let guard = self.guard();
        names::close(&name.to_string_lossy(), entries.iter().map(String::as_str))
            .into_iter()
            .map(|name| guard.display(&folder.join(name)))
            .collect()
    }
}

fn entries(folder: &Path) -> Vec<String> {
    let Ok(entries) = folder.read_dir() else {
        return Vec::new();
    };
    entries
        .take(MAX_ENTRIES)
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect()
}

#[cfg(test)]
mod tests;
