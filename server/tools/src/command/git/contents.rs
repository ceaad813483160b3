//! Which git commands show what is in files, and how much of a repository they may show. Errs to the side of more. Runs no
//! git and reads no file.

use std::path::PathBuf;

use crate::command::word::Value;

/// What a git command may show of the contents of a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Where it runs.
    pub folder: PathBuf,
    /// The files and folders that it is limited to, as they are written; none: it shows whatever there is.
    pub paths: Vec<String>,
    /// What may be a revision, or the name of a file.
    pub operands: Vec<String>,
    /// Whether it shows what commits hold, whatever its operands are.
    pub history: bool,
    /// Whether it shows nothing of a file that is as it is in the index.
    pub changes: bool,
}

/// Short options whose value is the next word, of those commands that tell revisions by operands.
const VALUED: &[&str] = &[
    "-A",
    "-B",
    "-C",
    "-m",
    "-e",
    "-f",
    "-U",
    "-S",
    "-G",
    "--max-depth",
    "--max-count",
    "--diff-filter",
];

/// What makes a command show differences that may show none.
const PATCHES: &[&str] = &[
    "--patch",
    "--unified",
    "--word-diff",
    "--color-words",
    "--binary",
    "--cc",
    "--dd",
    "--remerge-diff",
    "--diff-merges",
    "--function-context",
    "--check",
];

/// What makes a command tell names and numbers in place of differences.
const NO_PATCHES: &[&str] = &[
    "--stat",
    "--numstat",
    "--shortstat",
    "--dirstat",
    "--compact-summary",
    "--summary",
    "--name-only",
    "--name-status",
    "--raw",
    "--no-patch",
    "--quiet",
    "-s",
];

/// What a command of git may show; `rest`: what stands behind its name.
pub(super) fn shown(command: &str, rest: &[Value]) -> Option<Shown> {
    let words: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
    let end = words.iter().position(|word| *word == "--");
    let (before, after) = words.split_at(end.unwrap_or(words.len()));
    let is_option = |word: &&&str| word.starts_with('-') && word.len() > 1;
    let has = |names: &[&str]| {
        let mut given = before.iter().map(|word| word.split('=').next());
        given.any(|word| word.is_some_and(|word| names.contains(&word)))
    };
    let cluster = |letters: &[char]| {
        let mut short = before.iter().filter(|word| !word.starts_with("--"));
        short.any(|word| word.starts_with('-') && word.contains(letters))
    };
    let patch = has(PATCHES) || cluster(&['p', 'u', 'U', 'c', 'm', 'W', 'L']);
    let differences = patch || !has(NO_PATCHES);
    let shows = match command {
        "diff" | "show" => differences,
        "stash" => match before.first() {
            Some(&"show") => differences,
            _ => before.first() == Some(&"list") && patch,
        },
        "log" | "reflog" | "whatchanged" | "diff-tree" | "diff-index" | "diff-files" => patch,
        "status" => has(&["--verbose"]) || cluster(&['v']),
        "cat-file" => !has(&["-t", "-s", "-e"]),
        "annotate" | "archive" | "blame" | "difftool" | "fast-export" | "format-patch" | "grep"
        | "merge-tree" | "range-diff" => true,
        _ => false,
    };
    if !shows {
        return None;
    }
    let mut paths: Vec<String> = after
        .iter()
        .skip(1)
        .map(|word| (*word).to_owned())
        .collect();
    let operands = operands(command, before);
    let plain = !before.iter().filter(is_option).any(|word| *word != "-p");
    match command {
        // One of these is the file, and nothing else is shown.
        "blame" | "annotate" => paths.extend(operands.iter().cloned()),
        "show" | "cat-file" if plain && paths.is_empty() => {
            let blobs: Option<Vec<String>> = operands.iter().map(|word| blob(word)).collect();
            paths.extend(blobs.unwrap_or_default());
        }
        _ => {}
    }
    Some(Shown {
        folder: PathBuf::new(),
        paths,
        history: match command {
            "diff" => has(&["--cached", "--staged", "--merge-base"]),
            "grep" | "diff-files" => false,
            _ => true,
        },
        changes: command == "diff" || command == "diff-files",
        operands,
    })
}

/// The words before `--` that are neither options nor their values, nor what is searched for.
fn operands(command: &str, before: &[&str]) -> Vec<String> {
    let mut operands = Vec::new();
    let mut is_searched_for = command == "grep";
    let mut words = before.iter();
    while let Some(word) = words.next() {
        let pattern = command == "grep" && !word.starts_with("--") && word.ends_with(['e', 'f']);
        match word.strip_prefix('-') {
            Some("") | None => operands.push((*word).to_owned()),
            Some(_) if pattern || VALUED.contains(word) => {
                is_searched_for &= !pattern;
                words.next();
            }
            Some(_) => {}
        }
    }
    if is_searched_for && !operands.is_empty() {
        operands.remove(0);
    }
    operands
}

/// The path of `REVISION:PATH`.
fn blob(word: &str) -> Option<String> {
    let (revision, path) = word.split_once(':')?;
    let plain = !path.starts_with('/') && !path.is_empty() && !revision.contains(['{', '}']);
    plain.then(|| path.to_owned())
}
