//! Programs whose arguments are a language of their own: git, and the scripts of sed and jq.

use std::sync::LazyLock;

use regex::Regex;

use super::options;
use super::table::{Operands, Spec};
use super::{ARGUMENTS, EXPANDED, OPTION, Unproven};
use crate::command::git as commands;
use crate::command::word::Value;

/// Programs that tell their version and do nothing else when they are asked for it. Those are not among them that may run
/// something of the project even then: `yarn` (`yarnPath`), `pnpm` (`packageManager`), `pytest` (`conftest.py`), `mvn`
/// (`.mvn/jvm.config`), `gradle`, `dotnet` (`global.json`).
const VERSIONED: &[&str] = &[
    "cargo", "rustc", "rustup", "rustfmt", "node", "npm", "python", "python3", "pip", "pip3",
    "ruby", "gem", "go", "java", "javac", "gcc", "g++", "cc", "clang", "make", "cmake", "git",
    "docker", "bash", "zsh", "nvim", "vim", "rg", "jq", "tsc", "deno", "bun", "php", "perl", "lua",
    "luajit", "uv", "ruff", "sed", "grep", "find", "tar", "curl", "wget", "awk",
];

pub(super) fn is_version(name: &str, arguments: &[Value]) -> bool {
    let [only] = arguments else { return false };
    let asks = match name {
        "go" => only.text == "version",
        "java" | "javac" => ["-version", "--version"].contains(&only.text.as_str()),
        "node" | "npm" | "ruby" | "perl" | "php" => {
            ["--version", "-v"].contains(&only.text.as_str())
        }
        "cargo" | "rustc" | "python" | "python3" | "pip" | "pip3" => {
            ["--version", "-V"].contains(&only.text.as_str())
        }
        _ => only.text == "--version",
    };
    only.known && asks && VERSIONED.contains(&name)
}

/// The options that every command of git takes that shows commits or differences.
const SHOWS: Spec = Spec {
    names: &[],
    flags: "pusnzwbciravhRMBCDEFPltd1",
    valued: "nUSGL",
    long: &[
        "--oneline",
        "--stat",
        "--numstat",
        "--shortstat",
        "--name-only",
        "--name-status",
        "--graph",
        "--all",
        "--decorate",
        "--no-decorate",
        "--patch",
        "--no-patch",
        "--summary",
        "--cached",
        "--staged",
        "--color",
        "--no-color",
        "--word-diff",
        "--color-words",
        "--merges",
        "--no-merges",
        "--first-parent",
        "--reverse",
        "--follow",
        "--abbrev-commit",
        "--no-abbrev-commit",
        "--raw",
        "--dirstat",
        "--check",
        "--full-index",
        "--binary",
        "--text",
        "--ignore-all-space",
        "--ignore-space-change",
        "--ignore-blank-lines",
        "--exit-code",
        "--quiet",
        "--no-ext-diff",
        "--no-textconv",
        "--no-renames",
        "--find-renames",
        "--find-copies",
        "--compact-summary",
        "--merge-base",
        "--left-right",
        "--cherry-pick",
        "--branches",
        "--tags",
        "--remotes",
        "--date-order",
        "--topo-order",
        "--author-date-order",
        "--simplify-by-decoration",
        "--parents",
        "--children",
        "--boundary",
        "--porcelain",
        "--short",
        "--branch",
        "--long",
        "--show-stash",
        "--ahead-behind",
        "--renames",
        "--ignored",
        "--untracked-files",
        "--column",
        "--verbose",
        "--root",
        "--no-prefix",
        "--abbrev-ref",
        "--show-toplevel",
        "--verify",
        "--git-dir",
        "--is-inside-work-tree",
        "--show-prefix",
        "--show-cdup",
        "--symbolic-full-name",
        "--absolute-git-dir",
        "--abbrev",
        "--others",
        "--exclude-standard",
        "--modified",
        "--deleted",
        "--stage",
        "--unmerged",
        "--full-name",
        "--error-unmatch",
        "--name-status",
        "--full-tree",
        "--always",
        "--dirty",
        "--long",
        "--exact-match",
        "--list",
        "--show-current",
        "--merged",
        "--no-merged",
        "--contains",
        "--count",
        "--numbered",
        "--email",
        "--line-porcelain",
        "--show-email",
        "--minimal",
        "--patience",
        "--histogram",
        "--recursive",
        "--heads",
        "--get",
        "--get-all",
        "--get-regexp",
        "--list",
        "--show-origin",
        "--show-scope",
        "--line-number",
        "--ignore-case",
        "--files-with-matches",
        "--fixed-strings",
        "--extended-regexp",
        "--word-regexp",
        "--no-index",
        "--untracked",
        "--heading",
        "--break",
        "--function-context",
        "--show-function",
        "--is-ancestor",
        "--dry-run",
        "--no-walk",
        "--ignore-submodules",
        "--relative",
        "--pretty",
    ],
    long_valued: &[
        "--max-count",
        "--skip",
        "--since",
        "--until",
        "--after",
        "--before",
        "--author",
        "--committer",
        "--grep",
        "--format",
        "--pretty",
        "--date",
        "--diff-filter",
        "--unified",
        "--stat",
        "--color",
        "--word-diff",
        "--abbrev",
        "--decorate",
        "--untracked-files",
        "--ignored",
        "--porcelain",
        "--sort",
        "--points-at",
        "--exclude",
        "--match",
        "--tags",
        "--branches",
        "--find-renames",
        "--diff-algorithm",
        "--inter-hunk-context",
        "--merged",
        "--no-merged",
        "--contains",
        "--column",
        "--ignore-submodules",
        "--relative",
        "--src-prefix",
        "--dst-prefix",
        "--max-depth",
        "--short",
    ],
    operands: Operands::Words,
    numbers: true,
};

/// Commands of git that only read.
const READS: &[&str] = &[
    "blame",
    "cat-file",
    "check-ignore",
    "count-objects",
    "describe",
    "diff",
    "diff-tree",
    "grep",
    "log",
    "ls-files",
    "ls-tree",
    "merge-base",
    "name-rev",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "show-ref",
    "status",
    "branch",
    "tag",
    "remote",
    "stash",
    "reflog",
    "worktree",
    "config",
    "for-each-ref",
    "version",
];

/// Proves that a command of git only reads; gives the files outside of it that it may be told to read.
pub(super) fn git(arguments: &[Value]) -> Result<Vec<Value>, Unproven> {
    let global = |word: &Value| {
        [
            "--no-pager",
            "-P",
            "--no-optional-locks",
            "--literal-pathspecs",
        ]
        .contains(&word.text.as_str())
    };
    let skipped = arguments.iter().take_while(|word| global(word)).count();
    let [command, rest @ ..] = &arguments[skipped..] else {
        return Err(ARGUMENTS);
    };
    let name = command.text.as_str();
    if !command.known || !READS.contains(&name) {
        return Err("is a git command that does more than read");
    }
    if rest.iter().any(|word| !word.known || word.expanded) {
        return Err(EXPANDED);
    }
    let seen = commands::look(&arguments[skipped..]);
    if seen.writes
        || seen.network
        || seen.discards.is_some()
        || seen.doubt.is_some()
        || !seen.scripts.is_empty()
    {
        return Err("is a git command that does more than read");
    }
    let spec = match name {
        "log" | "show" | "rev-list" | "reflog" | "diff" | "stash" => &SHOWS,
        "grep" => &Spec {
            valued: "ABCme",
            ..SHOWS
        },
        "blame" => &Spec {
            valued: "L",
            ..SHOWS
        },
        _ => &Spec {
            valued: "",
            ..SHOWS
        },
    };
    let parsed = options::parse(spec, rest)?;
    // Each of these letters runs something, writes something, or reads a file, for one command.
    let refused: &[&str] = match name {
        "grep" => &["O"],
        "diff" | "log" | "show" | "diff-tree" => &["O", "--no-index"],
        "blame" => &["S"],
        "shortlog" | "rev-list" => &[],
        "branch" => &["C", "M", "D", "d", "c", "u", "t"],
        "tag" => &["d", "a", "s", "u", "F", "f", "v"],
        "ls-files" => &["X"],
        "show-ref" => &["d"],
        _ => &[],
    };
    if parsed.given.iter().any(|option| refused.contains(option)) {
        return Err(OPTION);
    }
    // Signatures are shown by a program that the repository names; what git does not know may be a secret.
    let unknown_files = ["--no-index", "--untracked"];
    let of_references = ["for-each-ref", "branch", "tag"].contains(&name);
    let shows_signature =
        |word: &Value| word.text.contains("%G") || of_references && word.text.contains("signature");
    if rest.iter().any(shows_signature)
        || name == "grep" && unknown_files.iter().any(|it| parsed.given.contains(it))
    {
        return Err(OPTION);
    }
    let first = parsed.operands.first().map(|word| word.text.as_str());
    let lists = parsed
        .given
        .iter()
        .any(|option| ["--list", "l"].contains(option));
    let proven = match name {
        "branch" | "tag" => {
            parsed.operands.is_empty()
                || lists
                || parsed.given.iter().any(|option| {
                    ["--contains", "--merged", "--no-merged", "--points-at"].contains(option)
                })
        }
        "remote" => first.is_none(),
        "stash" => matches!(first, Some("list" | "show")),
        "reflog" => matches!(first, None | Some("show")),
        "worktree" => first == Some("list"),
        "config" => parsed
            .given
            .iter()
            .any(|option| ["--get", "--get-all", "--get-regexp", "--list", "l"].contains(option)),
        "cat-file" => !parsed.given.is_empty() || first.is_some(),
        _ => true,
    };
    if !proven {
        return Err(ARGUMENTS);
    }
    // Two files that git need not know are compared as well, so paths that leave the folder count as read.
    let leaves = |word: &&Value| {
        word.text.starts_with('/')
            || word.text.split('/').any(|part| part == "..") && !word.text.contains("...")
    };
    let mut named: Vec<Value> = parsed.operands.iter().filter(leaves).cloned().collect();
    if matches!(
        name,
        "show" | "cat-file" | "blame" | "diff" | "diff-tree" | "log" | "reflog" | "stash" | "grep"
    ) {
        // Those with a name as well: it may be one of a secret. `-L 1,5:name` has one at its end.
        let plain = |word: &&Value| !word.text.starts_with('/');
        let lines = ["log", "show", "reflog", "stash"].contains(&name);
        let of_option = |word: &&Value| !parsed.operands.contains(word);
        let lines = rest.iter().filter(|word| {
            lines && of_option(word) && !word.text.starts_with("--") && word.text.contains(':')
        });
        let names = parsed
            .operands
            .iter()
            .filter(plain)
            .chain(lines)
            .map(|word| {
                let path = word.text.rsplit(':').next().unwrap_or(&word.text);
                Value::literal(if path.is_empty() { "." } else { path })
            });
        named.extend(names);
    }
    named.push(Value::literal("."));
    Ok(named)
}

/// Checks operands that are no files.
pub(super) fn first_operands(
    name: &str,
    operands: &[Value],
    given: &[&str],
) -> Result<(), Unproven> {
    if operands.iter().any(|word| !word.known || word.expanded) {
        return Err(EXPANDED);
    }
    let proven = match name {
        "date" => operands.iter().all(|word| word.text.starts_with('+')),
        "sed" => !given.contains(&"e") && operands.iter().all(|word| is_harmless_sed(&word.text)),
        "jq" => operands.iter().all(|word| {
            !["import", "include", "modulemeta"]
                .iter()
                .any(|name| word.text.contains(name))
        }),
        _ => true,
    };
    if proven { Ok(()) } else { Err(ARGUMENTS) }
}

/// Built from a text that stands here, so it is valid; were it not, nothing would be proven and the tests would fail.
static SED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    // A slash between brackets does not end an expression, so what is between them must be certain.
    let brackets = r"\[\^?(?:[^]\[^/\\\n]|\[:[a-z]+:\])+\]";
    let expression = format!(r"(?:[^\[/\\\n]|{brackets})*");
    let address = format!(r"(?:\d+|\$|/{expression}/)");
    let prints = format!(r"(?:{address}(?:,(?:\+?\d+|\$|/{expression}/))?)?[pdq=]");
    let replaces = format!(r"s/{expression}/[^/\n\\]*/[gpiI0-9]*");
    Regex::new(&format!(
        r"^(?:{prints}|{replaces})(?:; ?(?:{prints}|{replaces}))*$"
    ))
    .ok()
});

/// A script that prints, drops or replaces what it prints. `w`, `r` and `e` are not in it.
fn is_harmless_sed(script: &str) -> bool {
    SED.as_ref().is_some_and(|pattern| pattern.is_match(script))
}
