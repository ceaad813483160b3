//! "Always allow": writes the rule into the user's own file for the workspace, `.mewcode/settings.local.yaml`, and
//! remembers outside the workspace that it was the user's answer.
//!
//! A repository can bring such a file along, so its words alone grant nothing. What is remembered is the rule and not
//! the file: else what the repository had written there before would be in force with it.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use mewcode_core::text::Snapshot;
use mewcode_tools::disk::{Expected, WriteError, write_atomic};
use mewcode_tools::port::RuleKeeper;

use super::{LOCAL_FILE, append, file};
use crate::trust::{Digest, Trust};

/// How often a file that changes meanwhile is read and written anew.
const MAX_ATTEMPTS: usize = 8;

/// The rules that the user always allows in a workspace.
#[derive(Clone, Debug)]
pub struct LocalRules {
    root: PathBuf,
    trust: Trust,
}

impl LocalRules {
    /// Of this workspace; with several roots, of the first.
    pub fn new(root: PathBuf, trust: Trust) -> LocalRules {
        LocalRules { root, trust }
    }

    fn add(&self, rules: &[String]) -> Result<String, String> {
        let standing = self.trust.standing(&self.root);
        if let Some(reason) = standing.impossible {
            return Err(format!(
                "rules of this workspace cannot be kept: {reason}; write them into ~/.mewcode/config.yaml instead."
            ));
        }
        let root = self
            .root
            .canonicalize()
            .map_err(|error| format!("{}: {error}", self.root.display()))?;
        let folder = own_folder(&root)?;
        let path = folder.join("settings.local.yaml");
        write(&path, rules)?;
        let note = keep_from_git(&root, &folder, &path);
        let digests: Vec<_> = rules
            .iter()
            .map(|rule| Digest::of(LOCAL_FILE, "permissions.allow", rule))
            .collect();
        self.trust.keep(&root, &digests).map_err(|error| {
            format!("the rule stands in {LOCAL_FILE}, but is not in force: {error}")
        })?;
        Ok(format!("{LOCAL_FILE}{note}"))
    }
}

impl RuleKeeper for LocalRules {
    fn place(&self) -> String {
        LOCAL_FILE.to_owned()
    }

    fn keep(&self, rules: &[String]) -> Result<String, String> {
        self.add(rules)
    }
}

/// The workspace's `.mewcode`, made if need be. Not behind a link: it would be another folder, perhaps another
/// workspace's.
fn own_folder(root: &Path) -> Result<PathBuf, String> {
    let folder = root.join(".mewcode");
    match fs::symlink_metadata(&folder) {
        Ok(metadata) if metadata.is_dir() => Ok(folder),
        Ok(_) => Err(format!(
            "{} is not a folder of its own, so no rule is written there; make it one, or write the rule into \
             ~/.mewcode/config.yaml.",
            folder.display()
        )),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            match fs::create_dir(&folder) {
                // Another server made it meanwhile: what it is now is looked at again.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => own_folder(root),
                made => made
                    .map(|()| folder.clone())
                    .map_err(|error| format!("{}: {error}", folder.display())),
            }
        }
        Err(error) => Err(format!("{}: {error}", folder.display())),
    }
}

/// Adds the rules to the file, whoever else writes it at the same time.
fn write(path: &Path, rules: &[String]) -> Result<(), String> {
    let shown = path.display();
    for _ in 0..MAX_ATTEMPTS {
        match fs::symlink_metadata(path) {
            Ok(metadata) if !metadata.is_file() => {
                return Err(format!(
                    "{shown} is a link or no file, so no rule is written there; replace it by a file."
                ));
            }
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(format!("{shown}: {error}"));
            }
            _ => {}
        }
        let old = file::read_text(path).map_err(|error| error.to_string())?;
        let mut new = old.clone().unwrap_or_default();
        for rule in rules {
            new = append::with_rule(&new, rule).ok_or_else(|| {
                format!(
                    "there is no sure place for the rule in {shown}; add `{rule}` to its `permissions.allow` yourself, \
                     then `mewcode trust`."
                )
            })?;
        }
        if old.as_ref() == Some(&new) {
            return Ok(());
        }
        let hash = old.as_deref().map(|old| Snapshot::decode(old).hash());
        let expected = hash.map_or(Expected::Absent, Expected::Text);
        match write_atomic(path, new.as_bytes(), expected) {
            Ok(()) => return Ok(()),
            Err(WriteError::Changed(_)) => {}
            Err(error) => return Err(format!("{shown} cannot be written: {error}")),
        }
    }
    Err(format!("{shown} changes all the time; try again."))
}

/// Sees to it that git ignores the file. What is left to do is told, to follow the file's name.
fn keep_from_git(root: &Path, folder: &Path, path: &Path) -> &'static str {
    let in_repository = root
        .ancestors()
        .any(|ancestor| ancestor.join(".git").exists());
    if !in_repository || is_ignored(folder, path) {
        return "";
    }
    let list = folder.join(".gitignore");
    let own_name = b"settings.local.yaml\n";
    // One that is there is the project's, and stays as it is.
    if write_atomic(&list, own_name, Expected::Absent).is_ok() {
        return "";
    }
    " (git does not ignore it: add it to your .gitignore)"
}

/// Whether git's lists name the file. Git itself is not asked: a repository's configuration can have it run programs.
fn is_ignored(folder: &Path, path: &Path) -> bool {
    let entries = WalkBuilder::new(folder)
        .hidden(false)
        .max_depth(Some(1))
        .build();
    !entries.flatten().any(|entry| entry.path() == path)
}
