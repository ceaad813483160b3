//! What of a policy is written, protected and closed, path by path, as the file system is now. Changes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use super::error::SandboxError;
use super::protected::{ALWAYS, Absent, IN_REPOSITORY, is_protected};
use super::survey::{Survey, is_bare};
use super::{Policy, real};
use crate::guard::{name::folded, trail};
use crate::permission::stores_of_secrets;

mod repository;

/// How deep repositories of submodules are nested at most.
const DEPTH: usize = 12;

/// What stands in for something protected that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StandIn {
    /// An empty folder, whatever it stands in for: git does not see it, and it is removed only if it is still empty.
    Folder,
    /// A file of this content.
    File(&'static str),
}

/// What is written, protected and closed. Paths are real.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) writable: BTreeSet<PathBuf>,
    /// What exists and is not written.
    pub(super) protected: BTreeSet<PathBuf>,
    /// What must not appear.
    pub(super) absent: BTreeMap<PathBuf, StandIn>,
    pub(super) closed: BTreeSet<PathBuf>,
}

impl Layout {
    /// What nothing but a private folder is written in.
    pub(super) fn read_only(policy: &Policy) -> Result<Layout, SandboxError> {
        let mut layout = Layout::default();
        layout.close(policy)?;
        layout.prune();
        Ok(layout)
    }

    /// What the roots are written in, and some temporary folders.
    pub(super) fn workspace_write(
        policy: &Policy,
        temporary: &[PathBuf],
        survey: &Survey,
    ) -> Result<Layout, SandboxError> {
        let mut layout = Layout::default();
        layout.close(policy)?;
        layout.writable.extend(policy.roots.iter().cloned());
        for path in policy.writable.iter().chain(temporary) {
            layout.writable.extend(real(path)?);
        }
        for root in &policy.roots {
            layout.protect_names(root)?;
        }
        for path in &policy.protected {
            if exists(path)? {
                layout.protect(path)?;
            }
        }
        let mut opened = BTreeSet::new();
        for entry in &survey.entries {
            layout.protect(entry)?;
            opened.extend(layout.protect_repository(entry)?);
        }
        for root in &policy.roots {
            for folder in root.ancestors().skip(1) {
                let entry = folder.join(super::protected::REPOSITORY);
                if entry.exists() {
                    opened.extend(layout.protect_repository(&entry)?);
                    break;
                }
            }
        }
        if let Some(home) = &policy.home {
            layout.protect_hooks_of_user(home, &survey.entries)?;
        }
        if policy.git {
            for folder in &opened {
                layout.protected.remove(folder);
                layout.writable.insert(folder.clone());
            }
            for folder in &opened {
                layout.protect_in_repository(folder, true, 0)?;
            }
        }
        // One that is among other files may be committed with them: a file that stands in for another would be, too.
        for folder in &survey.bare {
            let name = folder.file_name().map(folded);
            if name.is_some_and(|name| name.ends_with(".git")) {
                layout.protect_in_repository(folder, false, 0)?;
            }
        }
        for root in &policy.roots {
            if root.join("HEAD").is_file() && is_bare(root) {
                layout.protect_in_repository(root, true, 0)?;
            }
        }
        layout.prune();
        Ok(layout)
    }

    fn close(&mut self, policy: &Policy) -> Result<(), SandboxError> {
        let stores = policy.home.iter().flat_map(|home| stores_of_secrets(home));
        for path in policy.closed.iter().cloned().chain(stores) {
            // What cannot be looked at cannot be read by a command of the same user.
            if let Ok(Some(real)) = real(&path) {
                self.closed.insert(real);
            }
        }
        if !policy.notes.as_os_str().is_empty()
            && let Some(notes) = real(&policy.notes)?
        {
            self.closed.insert(notes);
        }
        Ok(())
    }

    /// What is protected in a root by its name.
    fn protect_names(&mut self, root: &Path) -> Result<(), SandboxError> {
        let entries = root
            .read_dir()
            .map_err(|error| SandboxError::path("read", root, error))?;
        for entry in entries {
            let entry = entry.map_err(|error| SandboxError::path("read", root, error))?;
            if is_protected(&entry.file_name()) {
                self.protect(&entry.path())?;
            }
        }
        for name in ALWAYS {
            let path = root.join(name);
            if !exists(&path)? {
                self.absent.insert(path, StandIn::Folder);
            }
        }
        Ok(())
    }

    /// Protects what is at a path, each link on the way to it, and where it leads. What it leads to without being there
    /// must not appear.
    fn protect(&mut self, path: &Path) -> Result<(), SandboxError> {
        let trail = match trail(path) {
            Ok(trail) => trail,
            // A file in the way, or a loop: what is there of it stays as it is.
            Err(_) => {
                let mut there = path.ancestors();
                let last = there.find(|path| path.symlink_metadata().is_ok());
                let last = last.filter(|last| self.is_writable(last));
                self.protected.extend(last.map(Path::to_owned));
                return Ok(());
            }
        };
        for link in trail.links {
            if self.is_writable(&link) {
                self.protected.insert(link);
            }
        }
        if !self.is_writable(&trail.path) {
            return Ok(());
        }
        if exists(&trail.path)? {
            self.protected.insert(trail.path);
            return Ok(());
        }
        let mut first = trail.path;
        while let Some(parent) = first.parent()
            && self.is_writable(parent)
            && !exists(parent)?
        {
            first = parent.to_owned();
        }
        self.absent.entry(first).or_insert(StandIn::Folder);
        Ok(())
    }

    /// What git runs or obeys in a repository's folder, which itself is written. Files may stand in for absent ones, or
    /// only folders.
    fn protect_in_repository(
        &mut self,
        folder: &Path,
        files: bool,
        depth: usize,
    ) -> Result<(), SandboxError> {
        // A link in a repository that is written may lead anywhere: it is protected where it leads to what is written.
        if depth > DEPTH || real(folder)?.as_deref() != Some(folder) {
            return self.protect(folder);
        }
        // A linked working tree's folder leaves hooks and configuration to the common one.
        let linked = repository::common_of(folder).is_some();
        for (name, absent) in IN_REPOSITORY {
            let path = folder.join(name);
            if exists(&path)? {
                self.protect(&path)?;
                continue;
            }
            if linked && *name != "config.worktree" {
                continue;
            }
            match (absent, path.parent()) {
                (Absent::Nothing, _) => {}
                (Absent::File(_), _) if !files => {}
                (Absent::File(_), Some(parent)) if parent.is_symlink() => self.protect(parent)?,
                (Absent::File(_), Some(parent)) if !parent.is_dir() => {
                    self.absent.insert(parent.to_owned(), StandIn::Folder);
                }
                (Absent::File(content), _) => {
                    self.absent.insert(path, StandIn::File(content));
                }
                (Absent::Folder, _) => {
                    self.absent.insert(path, StandIn::Folder);
                }
            }
        }
        self.protect_kept(&folder.join("modules"), depth + 1)?;
        self.protect_kept(&folder.join("worktrees"), depth + 1)
    }

    /// The repositories of submodules and the folders of linked working trees that a repository keeps.
    fn protect_kept(&mut self, folder: &Path, depth: usize) -> Result<(), SandboxError> {
        let entries = match folder.read_dir() {
            Ok(entries) if depth <= DEPTH => entries,
            _ => return Ok(()),
        };
        for entry in entries.flatten() {
            let path = entry.path();
            // A submodule's name may have slashes.
            if path.join("HEAD").exists() {
                self.protect_in_repository(&path, true, depth)?;
            } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                self.protect_kept(&path, depth + 1)?;
            }
        }
        Ok(())
    }

    /// Whether a path is at or below one that is written.
    fn is_writable(&self, path: &Path) -> bool {
        self.writable.iter().any(|tree| path.starts_with(tree))
    }

    /// Drops what needs nothing of its own: what is below something protected or closed, unless something in between is
    /// written.
    fn prune(&mut self) {
        let above = |path: &Path, trees: &BTreeSet<PathBuf>| {
            let mut above = path.ancestors().skip(1);
            above.find(|above| trees.contains(*above)).map(depth)
        };
        let (protected, closed) = (self.protected.clone(), self.closed.clone());
        let needless = |path: &Path, kept: &[&BTreeSet<PathBuf>]| {
            let kept = kept.iter().filter_map(|kept| above(path, kept)).max();
            kept.is_some() && kept >= above(path, &self.writable)
        };
        self.closed.retain(|path| !needless(path, &[&closed]));
        let all = [&protected, &closed];
        self.protected.retain(|path| !needless(path, &all));
        self.absent.retain(|path, _| !needless(path, &all));
    }

    /// Folders that must neither be moved nor removed, outermost first: those on the way from what is written to what is
    /// protected or closed in it.
    pub(super) fn held(&self) -> BTreeSet<PathBuf> {
        let kept = self
            .protected
            .iter()
            .chain(self.absent.keys())
            .chain(&self.closed);
        kept.chain(&self.writable)
            .flat_map(|path| path.ancestors().skip(1))
            .chain(self.writable.iter().map(PathBuf::as_path))
            .filter(|folder| {
                folder
                    .parent()
                    .is_some_and(|parent| self.is_writable(parent))
            })
            .map(Path::to_owned)
            .collect()
    }
}

fn depth(path: &Path) -> usize {
    path.components().count()
}

/// Whether there is something, be it a link that leads nowhere.
fn exists(path: &Path) -> Result<bool, SandboxError> {
    match path.symlink_metadata() {
        Ok(_) => Ok(true),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(false)
        }
        Err(error) => Err(SandboxError::path("looked at", path, error)),
    }
}

#[cfg(all(test, unix))]
mod tests;
