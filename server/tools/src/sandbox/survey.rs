//! Which repositories there are in a tree, and what else of it something runs or obeys later. Reads folders, and no file.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use ignore::{WalkBuilder, WalkState};

use super::error::SandboxError;
use super::protected::{is_repository, is_told};

/// How many files and folders are looked at in a root. A tree that has more is not confined less: it is refused.
const LIMIT: usize = 4_000_000;

/// The repositories in some trees, and what else is told of when it appears.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Survey {
    /// Each `.git`: a folder, a file that leads to one, or a link.
    pub(super) entries: BTreeSet<PathBuf>,
    /// Folders of another name that git takes for a repository when it is called in them.
    pub(super) bare: BTreeSet<PathBuf>,
    /// What lies right in a tree and is obeyed by a program once the user lets it.
    pub(super) named: BTreeSet<PathBuf>,
}

/// Looks through the roots in full, ignored and hidden files included; follows no link. What cannot be read is passed
/// over: a command cannot read it either.
pub(super) fn survey(roots: &[PathBuf]) -> Result<Survey, SandboxError> {
    let found = Mutex::new(Survey::default());
    for root in roots {
        let seen = AtomicUsize::new(0);
        let walk = WalkBuilder::new(root)
            .standard_filters(false)
            .follow_links(false)
            .build_parallel();
        walk.run(|| {
            Box::new(|entry| {
                let Ok(entry) = entry else {
                    return WalkState::Continue;
                };
                if seen.fetch_add(1, Ordering::Relaxed) > LIMIT {
                    return WalkState::Quit;
                }
                if entry.depth() == 0 {
                    return WalkState::Continue;
                }
                if is_repository(entry.file_name()) {
                    let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                    found.entries.insert(entry.into_path());
                    return WalkState::Skip;
                }
                if entry.depth() == 1 && is_told(entry.file_name()) {
                    let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                    found.named.insert(entry.path().to_owned());
                }
                if entry.file_name() == "HEAD"
                    && let Some(folder) = entry.path().parent().filter(|folder| is_bare(folder))
                {
                    let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                    found.bare.insert(folder.to_owned());
                }
                WalkState::Continue
            })
        });
        if seen.into_inner() > LIMIT {
            return Err(SandboxError::TooLarge {
                root: root.clone(),
                limit: LIMIT,
            });
        }
    }
    Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Whether git takes a folder that has a `HEAD` for a repository.
pub(super) fn is_bare(folder: &Path) -> bool {
    folder.join("objects").is_dir() && folder.join("refs").is_dir()
}

impl Survey {
    /// What is in this one and was not in an earlier one.
    pub(super) fn since(&self, earlier: &Survey) -> Vec<PathBuf> {
        let entries = self.entries.difference(&earlier.entries);
        entries
            .chain(self.bare.difference(&earlier.bare))
            .cloned()
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repositories_are_found_wherever_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for path in [
            ".git/hooks",
            "ignored/deep/.hidden/x/.git",
            "target/.GIT",
            "plain/.github",
            "bare/objects",
            "bare/refs",
            "not/objects",
        ] {
            std::fs::create_dir_all(root.join(path)).unwrap();
        }
        for path in [
            "bare/HEAD",
            "not/HEAD",
            "module/.git",
            ".gitignore",
            ".git/hooks/.git",
            ".envrc",
            "plain/.envrc",
        ] {
            std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            std::fs::write(root.join(path), "*").unwrap();
        }
        let found = survey(std::slice::from_ref(&root)).unwrap();
        let shown = |paths: &BTreeSet<PathBuf>| {
            let relative = |path: &PathBuf| path.strip_prefix(&root).unwrap().display().to_string();
            paths.iter().map(relative).collect::<Vec<_>>().join(" ")
        };
        insta::assert_snapshot!(shown(&found.entries), @".git ignored/deep/.hidden/x/.git module/.git target/.GIT");
        insta::assert_snapshot!(shown(&found.bare), @"bare");
        insta::assert_snapshot!(shown(&found.named), @".envrc");

        std::fs::create_dir_all(root.join("new/.git")).unwrap();
        let later = survey(std::slice::from_ref(&root)).unwrap();
        assert_eq!(later.since(&found), [root.join("new/.git")]);
    }
}
