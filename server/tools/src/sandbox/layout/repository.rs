//! Where a repository's entry leads: its folder, the common one of linked working trees, and what its configuration names
//! to be run or obeyed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{Layout, SandboxError};
use crate::sandbox::real;
use crate::sandbox::survey::is_bare;

/// As much of a file of git's as is looked at: entries are one line, and a configuration of a megabyte is none.
const LIMIT: u64 = 1024 * 1024;

impl Layout {
    /// Protects where an entry (`.git`) leads, and gives the folders that git writes for it. An entry is a file that a
    /// command may have written: one elsewhere is only given if it leads back.
    pub(super) fn protect_repository(
        &mut self,
        entry: &Path,
    ) -> Result<Vec<PathBuf>, SandboxError> {
        let Some(place) = entry.parent() else {
            return Ok(Vec::new());
        };
        let target = if entry.is_file() {
            match value_of_line(&text(entry), "gitdir:") {
                Some(target) => place.join(target),
                None => return Ok(Vec::new()),
            }
        } else {
            entry.to_owned()
        };
        self.protect(&target)?;
        let Some(folder) = real(&target)?.filter(|folder| folder.is_dir()) else {
            return Ok(Vec::new());
        };
        let common = match common_of(&folder) {
            Some(common) => {
                self.protect(&common)?;
                real(&common)?
            }
            None => None,
        };
        for folder in common.iter().chain([&folder]) {
            for path in named_in_configuration(&text(&folder.join("config")), folder, place) {
                self.protect(&path)?;
            }
        }
        let own = entry == folder || self.holds_repository(&folder) || leads_back(&folder, entry);
        let is_its = |common: &PathBuf| {
            folder.starts_with(common.join("worktrees")) || self.holds_repository(common)
        };
        let mut given: Vec<PathBuf> = common.into_iter().filter(is_its).collect();
        given.push(folder);
        given.retain(|_| own);
        Ok(given)
    }

    /// Protects the folder of hooks that the user's own configuration of git names, where it is one in each working tree.
    pub(super) fn protect_hooks_of_user(
        &mut self,
        home: &Path,
        entries: &BTreeSet<PathBuf>,
    ) -> Result<(), SandboxError> {
        for file in [".gitconfig", ".config/git/config"] {
            let file = home.join(file);
            let configuration = text(&file);
            for place in entries.iter().filter_map(|entry| entry.parent()) {
                for path in
                    named_in_configuration(&configuration, file.parent().unwrap_or(home), place)
                {
                    self.protect(&path)?;
                }
            }
        }
        Ok(())
    }

    /// Whether a folder is written anyway, and is a repository's.
    fn holds_repository(&self, folder: &Path) -> bool {
        let closed = self.closed.iter().any(|closed| folder.starts_with(closed));
        let complete = is_bare(folder) || common_of(folder).is_some();
        self.is_writable(folder) && !closed && complete && folder.join("HEAD").exists()
    }
}

/// Whether a repository's folder names an entry as its own: that of a linked working tree or of a submodule.
fn leads_back(folder: &Path, entry: &Path) -> bool {
    let same = |path: &Path, other: Option<&Path>| {
        let (path, other) = (path.canonicalize().ok(), other.map(Path::canonicalize));
        path.is_some() && path == other.and_then(Result::ok)
    };
    let tree = text(&folder.join("gitdir"));
    let tree = tree.lines().next().unwrap_or_default();
    if !tree.is_empty() && same(&folder.join(tree), Some(entry)) {
        return true;
    }
    let configuration = text(&folder.join("config"));
    settings(&configuration)
        .iter()
        .any(|(section, key, value)| {
            section == "core" && key == "worktree" && same(&folder.join(value), entry.parent())
        })
}

/// The common folder that a linked working tree's leads to.
pub(super) fn common_of(folder: &Path) -> Option<PathBuf> {
    let text = text(&folder.join("commondir"));
    // One that leads to the folder itself stands in for none.
    let common = text
        .lines()
        .next()
        .filter(|line| !matches!(*line, "" | "."))?;
    Some(folder.join(common))
}

/// What a repository's configuration names that git runs or obeys: a folder of hooks, and other configuration.
fn named_in_configuration(configuration: &str, folder: &Path, place: &Path) -> Vec<PathBuf> {
    let named = settings(configuration).into_iter();
    let named = named.filter(|(_, _, value)| !value.starts_with('~'));
    named
        .filter_map(
            |(section, key, value)| match (section.as_str(), key.as_str()) {
                ("core", "hookspath") => Some(place.join(value)),
                ("include" | "includeif", "path") => Some(folder.join(value)),
                _ => None,
            },
        )
        .collect()
}

/// The settings of a configuration as far as they are needed here: section, key (both in lower case), value.
fn settings(configuration: &str) -> Vec<(String, String, &str)> {
    let mut section = String::new();
    let mut settings = Vec::new();
    for mut line in configuration.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            let end = header.find([' ', ']', '"']).unwrap_or(header.len());
            section = header[..end].to_lowercase();
            // A setting may follow on the same line.
            line = header.split_once(']').map_or("", |(_, rest)| rest);
        }
        let Some((key, value)) = line.split_once('=') else {
            continue;
        };
        let value = value.trim().trim_matches('"');
        if !value.is_empty() {
            settings.push((section.clone(), key.trim().to_lowercase(), value));
        }
    }
    settings
}

fn value_of_line<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().next()?.strip_prefix(key).map(str::trim)
}

/// The text of a small file; nothing of one that cannot be read: what git cannot read leads nowhere.
fn text(path: &Path) -> String {
    let small = path
        .metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.len() <= LIMIT);
    if small {
        std::fs::read_to_string(path).unwrap_or_default()
    } else {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_and_included_configuration_are_found() {
        let configuration = "[core]\n\trepositoryformatversion = 0\n\thooksPath = scripts/hooks\n\
            [include] path = ../common\n[includeIf \"gitdir:x\"]\n path = \"/etc/other\"\n[remote \"path\"]\n\tpath = no\n\
            [core] HOOKSPATH=~/hooks\n";
        let named = named_in_configuration(configuration, Path::new("/w/.git"), Path::new("/w"));
        assert_eq!(
            named,
            [
                Path::new("/w/scripts/hooks"),
                Path::new("/w/.git/../common"),
                Path::new("/etc/other")
            ]
        );
    }
}
