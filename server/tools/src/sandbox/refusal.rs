//! Whether a command failed because the sandbox refused it something, told from its output: a good guess, for the sake of
//! a better message. Decides about nothing; reads nothing but links.

use std::fmt;
use std::path::{Path, PathBuf};

use super::plan::Mechanism;
use super::protected::{is_protected, is_repository};
use super::support::available;
use super::{Policy, Profile};
use crate::guard::trail;
use crate::lexical::normal;
use crate::permission::stores_of_secrets;
use crate::truncate::floor_boundary;

/// How much of the output is looked at, from its end, in bytes.
const WINDOW: usize = 64 * 1024;

/// What a shell answers for a program that a signal of number 31 (`SIGSYS`) ended.
const KILLED_BY_FILTER: i32 = 128 + 31;

/// Something that the sandbox probably refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What was not to be touched, if that is known, as the output names it.
    pub path: Option<PathBuf>,
    /// Why, as half a sentence.
    pub reason: &'static str,
    profile: Profile,
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(formatter, "`{}` was", path.display())?,
            None => formatter.write_str("Something that the command did was probably")?,
        }
        write!(
            formatter,
            " refused by the sandbox ({}): {}. If it is needed, call again with `sandbox: \"off\"`: the user will be asked.",
            self.profile.as_str(),
            self.reason
        )
    }
}

const NETWORK: &str =
    "there is no network in it, and nothing that others serve on this machine can be reached";
const CLOSED: &str = "it is closed in it, to reading too";
const READ_ONLY: &str = "nothing is written in it but the folder in TMPDIR";
const OUTSIDE: &str = "nothing is written in it but the workspace's folders and the temporary ones";
const REPOSITORY: &str = "a `.git` is read-only in it";
const HOOKS: &str = "a repository's hooks and configuration are read-only in it";
const NAMED: &str =
    "it is a file or folder that something runs or obeys later, and is read-only in it";
const HELD: &str = "it holds something that is read-only in it, and so cannot be moved or removed";
const TOP: &str = "nothing can be made, renamed or removed right in a root on this system, only below its folders";
const SYSTEM_CALL: &str = "it allows no other processes to be touched, no sockets but those of its own network, and no mounts or namespaces";
const PROCESSOR: &str = "programs for another processor interface (32 bits) cannot be run in it";

/// What the system says, in lower case, and what that can mean.
const SIGNS: &[(&str, Sign)] = &[
    ("read-only file system", Sign::ReadOnly),
    ("erofs", Sign::ReadOnly),
    ("operation not permitted", Sign::NotPermitted),
    ("eperm", Sign::NotPermitted),
    ("permission denied", Sign::Denied),
    ("eacces", Sign::Denied),
    ("device or resource busy", Sign::Busy),
    ("ebusy", Sign::Busy),
    ("resource busy or locked", Sign::Busy),
    ("invalid cross-device link", Sign::Denied),
    ("exdev", Sign::Denied),
    ("is a directory", Sign::InTheWay),
    ("file exists", Sign::InTheWay),
    ("no such file or directory", Sign::Missing),
    ("network is unreachable", Sign::Network),
    ("enetunreach", Sign::Network),
    ("could not resolve host", Sign::Network),
    ("temporary failure in name resolution", Sign::Network),
    ("name or service not known", Sign::Network),
    ("eai_again", Sign::Network),
    ("connection refused", Sign::Network),
    ("econnrefused", Sign::Network),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    ReadOnly,
    NotPermitted,
    Denied,
    Busy,
    InTheWay,
    Missing,
    Network,
}

/// What the sandbox probably refused to a command, told from its output (as text) and its exit code. Of one that says that
/// it did its work only what nothing but a sandbox is likely to say counts.
pub fn refusal(output: &str, code: Option<i32>, policy: &Policy) -> Option<Refusal> {
    let in_pieces = available().is_ok_and(|support| support.mechanism == Mechanism::Landlock);
    recognise(output, code, policy, in_pieces)
}

/// What is told of a command that needs the network where there is none, and did not do its work.
pub fn no_network(policy: &Policy) -> Option<Refusal> {
    (policy.profile != Profile::Off).then_some(Refusal {
        path: None,
        reason: NETWORK,
        profile: policy.profile,
    })
}

/// As [`refusal`], where it is known whether folders are written in pieces.
fn recognise(output: &str, code: Option<i32>, policy: &Policy, in_pieces: bool) -> Option<Refusal> {
    let has_failed = code != Some(0);
    // What only reads may read of a refusal.
    if policy.profile == Profile::Off || !has_failed && policy.profile == Profile::ReadOnly {
        return None;
    }
    let refusal = |path: Option<PathBuf>, reason| Refusal {
        path,
        reason,
        profile: policy.profile,
    };
    let start = floor_boundary(output, output.len().saturating_sub(WINDOW));
    let found = output[start..].lines().find_map(|line| {
        let lower = line.to_ascii_lowercase();
        let mut signs = SIGNS.iter();
        signs.find_map(|(text, sign)| {
            let place = lower.find(text)?;
            if !has_failed && *sign != Sign::ReadOnly {
                return None;
            }
            let mut paths = match sign {
                Sign::Network => Vec::new(),
                _ => paths_in(line, place, text.len(), *sign),
            };
            // Of two one may only have been read: `cannot copy 'template' to '.git/description'`.
            if paths.len() > 1 {
                paths.sort_by_key(|path| !Touched::new(path, policy).is_special());
            }
            if !has_failed {
                paths.retain(|path| Touched::new(path, policy).refused().is_some());
            } else if paths.is_empty() {
                return judge(*sign, None, policy, in_pieces).map(|reason| refusal(None, reason));
            }
            paths.into_iter().find_map(|path| {
                let reason = judge(*sign, Some(&path), policy, in_pieces)?;
                Some(refusal(Some(path), reason))
            })
        })
    });
    found.or_else(|| (code == Some(KILLED_BY_FILTER)).then(|| refusal(None, PROCESSOR)))
}

/// Why the sandbox refused something, if it can have been the sandbox.
fn judge(
    sign: Sign,
    path: Option<&Path>,
    policy: &Policy,
    in_pieces: bool,
) -> Option<&'static str> {
    let Some(path) = path else {
        return match sign {
            Sign::Network => Some(NETWORK),
            Sign::NotPermitted => Some(SYSTEM_CALL),
            Sign::ReadOnly => Some(what_is_written(policy)),
            _ => None,
        };
    };
    let touched = Touched::new(path, policy);
    match sign {
        Sign::Network => Some(NETWORK),
        Sign::Missing => touched.closed.then_some(CLOSED),
        Sign::InTheWay => touched.protected,
        Sign::Busy => touched.protected.or_else(|| touched.inside.then_some(HELD)),
        Sign::ReadOnly => Some(touched.refused().unwrap_or_else(|| what_is_written(policy))),
        Sign::NotPermitted => touched.refused(),
        Sign::Denied => touched
            .refused()
            .or_else(|| (in_pieces && touched.top).then_some(TOP)),
    }
}

fn what_is_written(policy: &Policy) -> &'static str {
    match policy.profile {
        Profile::ReadOnly => READ_ONLY,
        _ => OUTSIDE,
    }
}

/// What a path is to a policy.
struct Touched {
    closed: bool,
    /// Whether it is in what is written.
    inside: bool,
    /// Whether it is right in a folder that is written, or is one.
    top: bool,
    protected: Option<&'static str>,
    elsewhere: &'static str,
}

impl Touched {
    fn new(path: &Path, policy: &Policy) -> Touched {
        // The command may have been in a folder below its root: relative paths are taken to start at any.
        let real = |path: &Path| trail(path).map_or_else(|_| normal(path), |trail| trail.path);
        let absolute: Vec<PathBuf> = if path.is_absolute() {
            vec![real(path)]
        } else {
            let roots = policy.roots.iter();
            roots.map(|root| real(&root.join(path))).collect()
        };
        let under = |trees: &[PathBuf]| {
            absolute
                .iter()
                .any(|path| trees.iter().any(|tree| path.starts_with(tree)))
        };
        let stores = policy.home.iter().flat_map(|home| stores_of_secrets(home));
        let closed: Vec<PathBuf> = policy.closed.iter().cloned().chain(stores).collect();
        let mut written = policy.writable.clone();
        written.extend(policy.roots.iter().cloned());
        written.extend(["/tmp", "/var/tmp"].map(PathBuf::from));
        written.push(std::env::temp_dir());
        let top = absolute.iter().any(|path| {
            let parent = path.parent();
            written
                .iter()
                .any(|tree| tree == path || Some(tree.as_path()) == parent)
        });
        Touched {
            top,
            closed: under(&closed),
            inside: policy.profile == Profile::WorkspaceWrite && under(&written),
            protected: protected(path, &absolute, policy),
            elsewhere: what_is_written(policy),
        }
    }

    /// Whether it is refused for what it is, not for where it is.
    fn is_special(&self) -> bool {
        self.closed || self.protected.is_some()
    }

    fn refused(&self) -> Option<&'static str> {
        if self.closed {
            Some(CLOSED)
        } else if self.inside {
            self.protected
        } else {
            Some(self.elsewhere)
        }
    }
}

fn protected(path: &Path, absolute: &[PathBuf], policy: &Policy) -> Option<&'static str> {
    if policy.profile != Profile::WorkspaceWrite {
        return None;
    }
    let mut names = path.components().map(|part| part.as_os_str());
    if names.any(is_repository) {
        return Some(if policy.git { HOOKS } else { REPOSITORY });
    }
    let named = absolute.iter().any(|path| {
        policy.roots.iter().any(|root| {
            let below = path.strip_prefix(root).ok();
            let first = below.and_then(|below| below.components().next());
            first.is_some_and(|first| is_protected(first.as_os_str()))
        })
    });
    named.then_some(NAMED)
}

/// The paths that a line names in which the system's words are at some place: those in quotes, or the last word before.
fn paths_in(line: &str, place: usize, length: usize, sign: Sign) -> Vec<PathBuf> {
    let (Some(before), Some(after)) = (line.get(..place), line.get(place + length..)) else {
        return Vec::new();
    };
    let mut paths = quoted(after);
    paths.extend(quoted(before));
    if !paths.is_empty() {
        return paths;
    }
    let before = before.trim_end_matches([' ', ':', '(', '[']);
    let word = before.rsplit([' ', '\t']).next().unwrap_or_default();
    // What is not permitted is as often a call as a file.
    let alone = sign != Sign::NotPermitted && before.ends_with(&format!(": {word}"));
    let is_path = word.contains('/') || word.starts_with('.') || alone;
    let is_other =
        word.ends_with([')', ']']) || word.parse::<u32>().is_ok() || word.contains("://");
    if is_path && !is_other && !word.is_empty() {
        paths.push(word.into());
    }
    paths
}

/// All texts in quotes of the first kind that there is.
fn quoted(text: &str) -> Vec<PathBuf> {
    const QUOTES: [(char, char); 4] = [('\'', '\''), ('"', '"'), ('`', '`'), ('‘', '’')];
    for (open, close) in QUOTES {
        let mut found = Vec::new();
        let mut rest = text;
        while let Some((_, from)) = rest.split_once(open)
            && let Some((inner, then)) = from.split_once(close)
        {
            if !inner.is_empty() && !inner.contains("://") {
                found.push(inner.into());
            }
            rest = then;
        }
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests;
