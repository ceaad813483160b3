//! Which entries the ignore files of a tree leave out: `.ignore` before `.gitignore` before a repository's own
//! `info/exclude` before the user's global excludes, and within each of them the nearest folder first. Reads ignore
//! files; lists nothing.
//!
//! As in git and ripgrep, `.gitignore` and the global excludes count in a repository only: a source package brings one that
//! is about something else. `.gitignore` files above the top of the repository do not count.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder, gitconfig_excludes_path};

use super::stamp::Stamp;

/// Names of the files that are read as rules.
pub(super) const GITIGNORE: &str = ".gitignore";
pub(super) const IGNORE: &str = ".ignore";
/// What makes a folder the top of a repository.
pub(super) const GIT: &str = ".git";

/// What rules say of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Nothing.
    None,
    /// It is left out.
    Ignored,
    /// It is listed, even if it is hidden.
    Kept,
}

/// The rules that are in force in one folder: its own, and those of the folders above.
#[derive(Debug)]
pub(super) struct Rules {
    above: Option<Arc<Rules>>,
    ignore: Gitignore,
    git: Gitignore,
    exclude: Gitignore,
    global: Gitignore,
    /// The top of a repository: git rules from further above do not count.
    is_top: bool,
    /// Whether this folder or one above it is the top of a repository.
    in_repository: bool,
}

/// A file that rules were read from, or that was looked for.
#[derive(Clone, Debug)]
pub(super) struct RuleFile {
    path: PathBuf,
    seen: Option<Seen>,
}

#[derive(Clone, Copy, Debug)]
struct Seen {
    stamp: Stamp,
    settled: bool,
    content: u64,
}

/// Which of the names that matter to rules stand in a folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Present {
    pub(super) ignore: bool,
    pub(super) gitignore: bool,
    pub(super) git: bool,
}

/// The rules of a folder as they were found.
pub(super) struct Found {
    pub(super) rules: Arc<Rules>,
    pub(super) files: Vec<RuleFile>,
    /// Lines that are no patterns, in sentences.
    pub(super) faults: Vec<String>,
}

impl RuleFile {
    /// Reads a file of rules. What is no ordinary file is none: git does not follow links there either.
    fn read(path: PathBuf) -> (RuleFile, Option<Vec<u8>>) {
        let now = SystemTime::now();
        let metadata = fs::symlink_metadata(&path)
            .ok()
            .filter(fs::Metadata::is_file);
        let bytes = metadata.as_ref().and_then(|_| fs::read(&path).ok());
        let seen = metadata.zip(bytes.as_ref()).map(|(metadata, bytes)| {
            let stamp = Stamp::of(&metadata);
            Seen {
                stamp,
                settled: stamp.is_settled(now),
                content: content_of(bytes),
            }
        });
        (RuleFile { path, seen }, bytes)
    }

    /// Whether the file says what it said.
    pub(super) fn is_unchanged(&self) -> bool {
        let metadata = fs::symlink_metadata(&self.path)
            .ok()
            .filter(fs::Metadata::is_file);
        match (&self.seen, metadata) {
            (None, None) => true,
            (Some(seen), Some(metadata)) if seen.settled && seen.stamp == Stamp::of(&metadata) => {
                true
            }
            (Some(seen), Some(_)) => {
                fs::read(&self.path).is_ok_and(|bytes| content_of(&bytes) == seen.content)
            }
            // A file that cannot be read holds no rules, before and after.
            (None, Some(_)) => fs::read(&self.path).is_err(),
            (Some(_), None) => false,
        }
    }
}

fn content_of(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

impl Rules {
    /// The rules of everything above `start`: the user's global excludes, and those of the folders from the top of its
    /// repository, or from the workspace root if there is none.
    pub(super) fn above(start: &Path, root: &Path) -> Found {
        let mut found = Rules::global(root);
        let parents: Vec<&Path> = start.ancestors().skip(1).collect();
        let top = parents.iter().position(|parent| parent.join(GIT).exists());
        let start_is_top = start.join(GIT).exists();
        // A repository may be made later: then the files below are judged anew.
        let marks = parents.iter().filter(|_| !start_is_top);
        let marks = marks.map(|parent| RuleFile::read(parent.join(GIT).join("HEAD")).0);
        found.files.extend(marks);
        let count = match top {
            Some(top) if !start_is_top => top + 1,
            _ => parents
                .iter()
                .take_while(|parent| parent.starts_with(root))
                .count(),
        };
        for folder in parents[..count].iter().rev() {
            let present = Present {
                ignore: true,
                gitignore: true,
                git: folder.join(GIT).exists(),
            };
            let below = Rules::of_folder(&found.rules, folder, present);
            found.rules = below.rules;
            found.files.extend(below.files);
            found.faults.extend(below.faults);
        }
        found
    }

    fn global(root: &Path) -> Found {
        let mut files = Vec::new();
        let mut faults = Vec::new();
        let global = match gitconfig_excludes_path() {
            Some(path) => read_matcher(root, path, &mut files, &mut faults),
            None => Gitignore::empty(),
        };
        let rules = Rules {
            above: None,
            ignore: Gitignore::empty(),
            git: Gitignore::empty(),
            exclude: Gitignore::empty(),
            global,
            is_top: false,
            in_repository: false,
        };
        Found {
            rules: Arc::new(rules),
            files,
            faults,
        }
    }

    /// The rules in force in a folder below these. A folder without any of its own shares them.
    pub(super) fn of_folder(above: &Arc<Rules>, folder: &Path, present: Present) -> Found {
        let mut files = Vec::new();
        let mut faults = Vec::new();
        let mut read = |wanted: bool, path: PathBuf| match wanted {
            true => read_matcher(folder, path, &mut files, &mut faults),
            false => Gitignore::empty(),
        };
        let ignore = read(present.ignore, folder.join(IGNORE));
        let git = read(present.gitignore, folder.join(GITIGNORE));
        let exclude = read(present.git, exclude_file(folder));
        let adds = !ignore.is_empty() || !git.is_empty() || !exclude.is_empty() || present.git;
        let rules = match adds {
            false => Arc::clone(above),
            true => Arc::new(Rules {
                above: Some(Arc::clone(above)),
                ignore,
                git,
                exclude,
                global: Gitignore::empty(),
                is_top: present.git,
                in_repository: present.git || above.in_repository,
            }),
        };
        Found {
            rules,
            files,
            faults,
        }
    }

    /// What these rules say of an entry of their folder, or of one below it where no others are in force.
    pub(super) fn judge(&self, path: &Path, is_folder: bool) -> Verdict {
        let (mut ignore, mut git, mut exclude, mut global) =
            (Verdict::None, Verdict::None, Verdict::None, Verdict::None);
        let mut below_top = self.in_repository;
        let mut rules = Some(self);
        while let Some(level) = rules {
            ignore = ignore.or_else(&level.ignore, path, is_folder);
            // Nothing goes before what an `.ignore` file says.
            if ignore != Verdict::None {
                return ignore;
            }
            if below_top {
                git = git.or_else(&level.git, path, is_folder);
                exclude = exclude.or_else(&level.exclude, path, is_folder);
            }
            if self.in_repository {
                global = global.or_else(&level.global, path, is_folder);
            }
            below_top &= !level.is_top;
            rules = level.above.as_deref();
        }
        [git, exclude, global]
            .into_iter()
            .find(|verdict| *verdict != Verdict::None)
            .unwrap_or(Verdict::None)
    }
}

impl Verdict {
    fn or_else(self, matcher: &Gitignore, path: &Path, is_folder: bool) -> Verdict {
        if self != Verdict::None || matcher.is_empty() {
            return self;
        }
        match matcher.matched(path, is_folder) {
            Match::None => Verdict::None,
            Match::Ignore(_) => Verdict::Ignored,
            Match::Whitelist(_) => Verdict::Kept,
        }
    }
}

fn read_matcher(
    folder: &Path,
    path: PathBuf,
    files: &mut Vec<RuleFile>,
    faults: &mut Vec<String>,
) -> Gitignore {
    let (file, bytes) = RuleFile::read(path);
    let mut builder = GitignoreBuilder::new(folder);
    let text = bytes
        .as_deref()
        .map(String::from_utf8_lossy)
        .unwrap_or_default();
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        if builder.add_line(None, line).is_err() {
            faults.push(format!(
                "line {} of {} is no valid pattern",
                index + 1,
                file.path.file_name().unwrap_or_default().to_string_lossy()
            ));
        }
    }
    files.push(file);
    match builder.build() {
        Ok(matcher) => matcher,
        Err(error) => {
            faults.push(format!("its ignore rules cannot be used: {error}"));
            Gitignore::empty()
        }
    }
}

/// Where a repository keeps rules of its own. In a linked worktree `.git` is a file that names another folder, and
/// that one names the repository's.
fn exclude_file(top: &Path) -> PathBuf {
    let git = top.join(GIT);
    let named = |file: &Path, prefix: &str| {
        let text = fs::read_to_string(file).ok()?;
        Some(PathBuf::from(
            text.trim().strip_prefix(prefix)?.trim_start(),
        ))
    };
    let linked = match git.is_file() {
        true => named(&git, "gitdir:").map(|folder| top.join(folder)),
        false => None,
    };
    let own = linked.unwrap_or(git);
    let common = named(&own.join("commondir"), "").map(|folder| own.join(folder));
    common.unwrap_or(own).join("info").join("exclude")
}
