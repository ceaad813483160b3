//! What git commands do to a repository: the table of them. Runs no git.

use super::word::Value;

mod contents;

pub use contents::Shown;

/// What is known of a git command.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// It may write the index, references or the working tree.
    pub writes: bool,
    pub network: bool,
    /// It loses something or publishes it: how.
    pub discards: Option<&'static str>,
    pub doubt: Option<&'static str>,
    /// What its options run.
    pub scripts: Vec<String>,
    /// What it may show of the contents of files that nobody named.
    pub shown: Option<Shown>,
}

/// Commands that only read, however they are called.
const READS: &[&str] = &[
    "annotate",
    "blame",
    "cat-file",
    "check-attr",
    "check-ignore",
    "check-mailmap",
    "cherry",
    "count-objects",
    "describe",
    "diff",
    "diff-files",
    "diff-index",
    "diff-tree",
    "for-each-ref",
    "fsck",
    "get-tar-commit-id",
    "grep",
    "help",
    "log",
    "ls-files",
    "ls-tree",
    "merge-base",
    "name-rev",
    "range-diff",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "show-branch",
    "show-ref",
    "status",
    "var",
    "verify-commit",
    "verify-tag",
    "version",
    "whatchanged",
    "archive",
    "format-patch",
    "hash-object",
    "merge-tree",
    "patch-id",
    "stripspace",
    "column",
    "interpret-trailers",
    "diagnose",
];

/// Commands that write something that can be had back.
const WRITES: &[&str] = &[
    "add",
    "apply",
    "init",
    "mv",
    "sparse-checkout",
    "stage",
    "write-tree",
    "maintenance",
    "pack-refs",
    "repack",
    "rerere",
    "bundle",
];

/// Commands that lose something or publish it, however they are called.
const DISCARDS: &[(&str, &str)] = &[
    ("am", "It makes commits of patches."),
    ("cherry-pick", "It makes commits."),
    ("commit", "It makes a commit."),
    ("commit-tree", "It makes a commit."),
    ("fast-import", "It writes history."),
    ("filter-branch", "It rewrites history."),
    ("filter-repo", "It rewrites history."),
    ("gc", "It removes what nothing refers to."),
    ("imap-send", "It publishes patches."),
    (
        "merge",
        "It merges, which changes files and makes a commit.",
    ),
    ("prune", "It removes what nothing refers to."),
    (
        "pull",
        "It fetches and merges, which changes files and makes a commit.",
    ),
    ("push", "It publishes commits."),
    ("read-tree", "It overwrites the index."),
    ("rebase", "It rewrites commits."),
    ("replace", "It replaces what history refers to."),
    ("request-pull", "It publishes commits."),
    ("reset", "It discards what is staged, or changes to files."),
    ("restore", "It discards changes to files."),
    ("revert", "It makes commits."),
    ("rm", "It removes files."),
    ("send-email", "It publishes patches."),
    ("update-index", "It overwrites the index."),
    ("update-ref", "It moves a reference."),
    ("checkout-index", "It overwrites files."),
];

/// Commands that talk to another machine.
const NETWORK: &[&str] = &[
    "clone",
    "fetch",
    "ls-remote",
    "pull",
    "push",
    "remote",
    "send-email",
    "imap-send",
    "submodule",
    "request-pull",
    "fetch-pack",
    "send-pack",
];

/// Configuration whose values are run.
const COMMANDS: &[&str] = &[
    "pager",
    "editor",
    "sshcommand",
    "fsmonitor",
    "askpass",
    "gitproxy",
    "helper",
    "external",
    "textconv",
    "cmd",
    "clean",
    "smudge",
    "process",
    "driver",
    "program",
    "command",
    "sequence.editor",
    "hookspath",
    "uploadpack",
    "receivepack",
];

/// Configuration that may be set for one call: it changes how much is told.
const HARMLESS: &[&str] = &[
    "color.",
    "column.",
    "advice.",
    "core.quotepath",
    "core.abbrev",
    "log.",
    "status.",
    "user.name",
    "user.email",
    "init.defaultbranch",
    "diff.renames",
    "diff.context",
    "gc.auto",
];

/// Looks at the arguments of git.
pub(super) fn look(arguments: &[Value]) -> Seen {
    let mut seen = Seen::default();
    let mut at = 0;
    while let Some(word) = arguments
        .get(at)
        .filter(|word| word.text.starts_with('-') || !word.known)
    {
        at += global(word, arguments.get(at + 1), &mut seen);
    }
    for word in arguments {
        if let Some((_, script)) = word.text.split_once("ext::") {
            seen.scripts.push(script.to_owned());
            seen.doubt = Some("names a repository by a command that is run");
        }
    }
    let Some(command) = arguments.get(at) else {
        return seen;
    };
    let rest = &arguments[at + 1..];
    options(&command.text, rest, &mut seen);
    classify(&command.text, rest, &mut seen);
    seen.shown = contents::shown(&command.text, rest);
    seen
}

/// An option before the command: how many words it is.
fn global(word: &Value, next: Option<&Value>, seen: &mut Seen) -> usize {
    const FLAGS: &[&str] = &[
        "-p",
        "-P",
        "--paginate",
        "--no-pager",
        "--no-optional-locks",
        "--literal-pathspecs",
        "--no-replace-objects",
        "--version",
        "-v",
        "--help",
        "-h",
        "--no-lazy-fetch",
        "--no-advice",
        "--html-path",
        "--man-path",
        "--info-path",
        "--exec-path",
    ];
    let text = word.text.as_str();
    if !word.known {
        seen.doubt = Some("has arguments before its command that are not known");
        return 1;
    }
    if FLAGS.contains(&text) {
        return 1;
    }
    match text {
        "-c" => {
            if let Some(setting) = next {
                configure(&setting.text, seen);
            }
            2
        }
        "-C" => {
            if next.is_none_or(|folder| folder.text != ".") {
                seen.doubt = Some("follows the configuration of another folder's repository");
            }
            2
        }
        "--git-dir" | "--work-tree" | "--namespace" | "--super-prefix" | "--config-env"
        | "--attr-source" => {
            seen.doubt = Some("works on another repository, or with another configuration");
            2
        }
        _ => {
            if let Some(setting) = text
                .strip_prefix("-c")
                .filter(|setting| setting.contains('='))
            {
                configure(setting, seen);
            } else {
                seen.doubt = Some("has an option before its command that may change what it runs");
            }
            1
        }
    }
}

fn configure(setting: &str, seen: &mut Seen) {
    let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
    let key = key.to_lowercase();
    let runs = COMMANDS.iter().any(|end| key.ends_with(end))
        || key.starts_with("pager.")
        || key.starts_with("trailer.");
    let value = value.trim();
    if let Some(script) = value.strip_prefix('!') {
        seen.scripts.push(script.to_owned());
    } else if runs && !value.is_empty() && value != "cat" && value != "false" {
        seen.scripts.push(value.to_owned());
    }
    let empty = runs
        && (value.is_empty() || value == "cat" || value == "false")
        && !key.ends_with("hookspath");
    if !empty && !HARMLESS.iter().any(|start| key.starts_with(start)) {
        seen.doubt = Some("sets configuration that may change what it runs");
    }
}

/// Options after the command that run something.
fn options(command: &str, rest: &[Value], seen: &mut Seen) {
    let mut scripts = Vec::new();
    let mut run = |script: &str| {
        scripts.push(script.to_owned());
    };
    const VALUED: &[&str] = &[
        "--upload-pack",
        "--receive-pack",
        "--exec",
        "-x",
        "--extcmd",
        "--tree-filter",
        "--index-filter",
        "--msg-filter",
        "--env-filter",
        "--commit-filter",
        "--open-files-in-pager",
    ];
    const ABBREVIATED: &[&str] = &[
        "--upload-pack",
        "--receive-pack",
        "--exec",
        "--extcmd",
        "--open-files-in-pager",
    ];
    for (at, word) in rest.iter().enumerate() {
        for option in VALUED {
            if *option == "-x" && !["rebase", "difftool"].contains(&command) {
                continue;
            }
            match word.text.strip_prefix(option) {
                Some("") => rest.get(at + 1).iter().for_each(|script| run(&script.text)),
                Some(value) => value
                    .strip_prefix('=')
                    .iter()
                    .for_each(|script| run(script)),
                None => {}
            }
        }
        // Git takes the beginning of an option for the whole.
        let (name, value) = match word.text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word.text.as_str(), None),
        };
        let begins = |option: &str| name.len() > 2 && option != name && option.starts_with(name);
        let clones = command == "clone" && name == "-u";
        if clones || ABBREVIATED.iter().any(|option| begins(option)) {
            let next = rest.get(at + 1).map(|script| script.text.as_str());
            value.or(next).iter().for_each(|script| run(script));
        }
        if command == "grep" && word.text.starts_with("-O") && word.text.len() > 2 {
            run(&word.text[2..]);
        }
    }
    let words: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
    let configures =
        |word: &&str| word.starts_with("-c") || word.starts_with("--c") || word.starts_with("--te");
    if ["clone", "init"].contains(&command) && words.iter().any(configures) {
        seen.doubt = Some("makes a repository with configuration or hooks of its own");
    }
    match (command, words.as_slice()) {
        ("bisect", ["run", script @ ..]) => run(&script.join(" ")),
        ("submodule", [.., "foreach", script]) => run(script),
        ("submodule", ["foreach", script @ ..]) => run(&script.join(" ")),
        _ => {}
    }
    seen.scripts.extend(scripts);
}

fn classify(command: &str, rest: &[Value], seen: &mut Seen) {
    let words: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
    let has = |flags: &[&str]| words.iter().any(|word| flags.contains(word));
    let cluster = |letters: &[char]| {
        words
            .iter()
            .any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(letters))
    };
    let operands = words.iter().filter(|word| !word.starts_with('-')).count();
    seen.network |= NETWORK.contains(&command);
    if READS.contains(&command) {
        if words
            .iter()
            .any(|word| word.starts_with("--output") || word.starts_with("--ext-diff"))
            || command == "archive"
                && words
                    .iter()
                    .any(|word| word.starts_with("--remote") || word.starts_with("--exec"))
        {
            seen.writes = true;
        }
        return;
    }
    seen.writes = true;
    if let Some((_, why)) = DISCARDS.iter().find(|(name, _)| *name == command) {
        seen.discards = Some(why);
        return;
    }
    match command {
        "apply" if words.iter().any(|word| word.starts_with("--unsafe")) => {
            seen.doubt = Some("writes outside of the repository");
        }
        _ if WRITES.contains(&command) => {}
        "branch" | "tag" => {
            let lists = operands == 0
                || has(&[
                    "-l",
                    "--list",
                    "--contains",
                    "--merged",
                    "--no-merged",
                    "--points-at",
                    "--show-current",
                ]);
            let loses = cluster(&['D', 'd', 'f', 'M', 'm', 'C'])
                || has(&["--delete", "--force", "--move", "--copy"]);
            seen.writes = !lists || loses;
            if loses {
                seen.discards = Some("It removes, moves or renames a branch or a tag.");
            }
        }
        "checkout" => {
            let creates = matches!(words.as_slice(), ["-b", _] | ["-b", _, _]);
            if !creates {
                seen.discards = Some("It may discard changes to files.");
            }
        }
        "switch" => {
            if has(&["-f", "--force", "--discard-changes", "-C", "--force-create"]) {
                seen.discards = Some("It discards changes to files, or moves a branch.");
            }
        }
        "clean" => {
            if has(&["-n", "--dry-run"]) || cluster(&['n']) {
                seen.writes = false;
            } else {
                seen.discards = Some("It removes files that git does not know.");
            }
        }
        "stash" => match words.first() {
            Some(&"list" | &"show") => seen.writes = false,
            _ => seen.discards = Some("It takes changes to files away, or brings them back."),
        },
        "reflog" => match words.first() {
            Some(&"expire" | &"delete") => {
                seen.discards = Some("It removes what could be had back.")
            }
            _ => seen.writes = false,
        },
        "config" => {
            let tells = has(&[
                "--get",
                "--get-all",
                "--get-regexp",
                "--get-urlmatch",
                "--list",
                "-l",
                "get",
                "list",
            ]);
            let one = operands == 1 && words.len() == 1 && !has(&["edit"]);
            match tells || one {
                true => seen.writes = false,
                false => {
                    seen.discards = Some("It changes git's configuration, which can run commands.")
                }
            }
        }
        "remote" => match words.iter().find(|word| !word.starts_with('-')) {
            None | Some(&"get-url") => {
                seen.writes = false;
                seen.network = false;
            }
            Some(&"show") => seen.writes = false,
            Some(&"add") => {}
            _ => seen.discards = Some("It changes where commits come from and go to."),
        },
        "worktree" => match words.first() {
            Some(&"list") => seen.writes = false,
            Some(&"add") => {}
            _ => seen.discards = Some("It removes or moves a working tree."),
        },
        "submodule" => match words.first() {
            None | Some(&"status" | &"summary") => {
                seen.writes = false;
                seen.network = false;
            }
            Some(&"foreach") => {}
            _ => seen.discards = Some("It changes other repositories within this one."),
        },
        "notes" => match words.first() {
            None | Some(&"list" | &"show") => seen.writes = false,
            _ => seen.discards = Some("It changes notes on commits."),
        },
        "symbolic-ref" => match operands > 1 || has(&["-d", "--delete"]) {
            true => seen.discards = Some("It moves a reference."),
            false => seen.writes = false,
        },
        "bisect" => match words.first() {
            Some(&"log" | &"view") => seen.writes = false,
            _ => seen.discards = Some("It checks other commits out."),
        },
        "clone" | "fetch" | "ls-remote" | "difftool" | "mergetool" | "lfs" => {}
        _ => {
            seen.doubt = Some("is a git command that is not known: it may be an alias for anything")
        }
    }
}
