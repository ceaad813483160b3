//! Where a repository's entry leads: its folder, the common one of linked working trees, and what its configuration names
//! to be run or obeyed.

use std::path::{Path, PathBuf};

use super::{Layout, SandboxError};
use crate::sandbox::real;

/// As much of a file of git's as is looked at: entries are one line, and a configuration of a megabyte is none.
const LIMIT: u64 = 1024 * 1024;

impl Layout {
    /// Protects where an entry (`.git`) leads, and gives the folders that git writes for it.
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
        let mut folders = vec![folder.clone()];
        if let Some(common) = common_of(&folder) {
            self.protect(&common)?;
            folders.extend(real(&common)?);
        }
        for folder in &folders {
            for path in named_in_configuration(&text(&folder.join("config")), folder, place) {
                self.protect(&path)?;
            }
        }
        Ok(folders)
    }
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
    let mut section = String::new();
    let mut named = Vec::new();
    for line in configuration.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            let end = header.find([' ', ']', '"']).unwrap_or(header.len());
            section = header[..end].to_lowercase();
        }
        // A value may follow the header on the same line.
        let rest = line.strip_prefix('[').and_then(|line| line.split_once(']'));
        let line = rest.map_or(line, |(_, rest)| rest);
        let Some((key, value)) = line.split_once('=') else {
            continue;
        };
        let value = value.trim().trim_matches('"');
        if value.is_empty() || value.starts_with('~') {
            continue;
        }
        match (section.as_str(), key.trim().to_lowercase().as_str()) {
            ("core", "hookspath") => named.push(place.join(value)),
            ("include" | "includeif", "path") => named.push(folder.join(value)),
            _ => {}
        }
    }
    named
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
            [include] path = ../shared\n[includeIf \"gitdir:x\"]\n path = \"/etc/other\"\n[remote \"path\"]\n\tpath = no\n\
            [core] HOOKSPATH=~/hooks\n";
        let named = named_in_configuration(configuration, Path::new("/w/.git"), Path::new("/w"));
        assert_eq!(
            named,
            [
                Path::new("/w/scripts/hooks"),
                Path::new("/w/.git/../shared"),
                Path::new("/etc/other")
            ]
        );
    }
}
