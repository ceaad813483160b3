//! Which program a command names. Knows the programs that talk to the network.

use super::stream::FETCHERS;
use super::word::{Glob, Value};

/// A program, told by the first word of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Program {
    /// The last part of its path, in lower case, as file systems take it that do not tell cases apart.
    pub name: String,
    /// No path is given: it is looked up, or is a builtin.
    pub is_bare: bool,
    /// It is found where the system keeps its programs, by exactly this name.
    pub is_trusted: bool,
}

/// What a name with wildcards is taken for when danger is searched for.
const SUSPECTS: &[&str] = &[
    "rm", "sh", "bash", "dash", "zsh", "dd", "curl", "wget", "mkfs", "chmod", "chown", "find",
    "shutdown", "reboot", "python3", "perl", "sudo", "env", "xargs", "busybox", "crontab", "kill",
    "shred", "mv", "base64", "cat",
];

impl Program {
    pub fn of(word: &Value, guess: bool) -> Program {
        let text = word.text.as_str();
        let base = text.rsplit('/').next().unwrap_or(text);
        let mut name = base.to_lowercase();
        if let Some(plain) = name.strip_suffix(".exe") {
            name = plain.to_owned();
        }
        if word.glob != Glob::None || guess && name.contains(['?', '*', '[']) {
            name = suspect(&name).map_or(name, str::to_owned);
        }
        let folder = &text[..text.len() - base.len()];
        let is_bare = folder.is_empty();
        let is_trusted = name == base && (is_bare || ["/bin/", "/usr/bin/"].contains(&folder));
        Program {
            name,
            is_bare,
            is_trusted,
        }
    }

    pub fn is(&self, name: &str) -> bool {
        self.name == name
    }

    pub fn is_one_of(&self, names: &[&str]) -> bool {
        names.contains(&self.name.as_str())
    }

    /// The name without a version: `python` of `python3.12`.
    pub fn family(&self) -> &str {
        let family = self
            .name
            .trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
        if family.is_empty() {
            &self.name
        } else {
            family
        }
    }

    /// The name for a sentence.
    pub fn shown(&self) -> &str {
        &self.name
    }
}

fn suspect(pattern: &str) -> Option<&'static str> {
    let glob = globset::Glob::new(pattern).ok()?.compile_matcher();
    SUSPECTS.iter().find(|name| glob.is_match(name)).copied()
}

/// Programs that talk to the network whatever they are told.
const ALWAYS: &[&str] = &[
    "ping",
    "traceroute",
    "nslookup",
    "host",
    "whois",
    "rsync",
    "gh",
    "glab",
    "kubectl",
    "helm",
    "terraform",
    "ansible",
    "psql",
    "mysql",
    "mongosh",
    "redis-cli",
    "az",
    "gcloud",
    "heroku",
    "flyctl",
    "vercel",
    "netlify",
    "npx",
    "bunx",
    "uvx",
    "pipx",
    "apt",
    "apt-get",
    "brew",
    "dnf",
    "yum",
    "apk",
    "pacman",
    "snap",
    "flatpak",
    "mail",
    "sendmail",
    "nmap",
    "yt-dlp",
    "svn",
    "hg",
];

/// Programs that talk to the network for some of their commands.
const SOMETIMES: &[(&str, &[&str])] = &[
    (
        "cargo",
        &[
            "add", "fetch", "install", "login", "owner", "publish", "search", "update", "yank",
        ],
    ),
    (
        "npm",
        &[
            "add", "audit", "ci", "exec", "i", "install", "login", "outdated", "publish", "update",
            "view", "init", "create",
        ],
    ),
    ("pnpm", &["add", "dlx", "i", "install", "publish", "update"]),
    ("yarn", &["add", "dlx", "install", "publish", "upgrade"]),
    ("bun", &["add", "install", "publish", "update", "x"]),
    ("pip", &["download", "install", "search"]),
    ("pip3", &["download", "install", "search"]),
    ("uv", &["add", "pip", "publish", "sync", "tool"]),
    ("poetry", &["add", "install", "publish", "update"]),
    ("go", &["get", "install", "mod"]),
    ("gem", &["install", "push", "update"]),
    ("bundle", &["install", "update"]),
    ("composer", &["install", "require", "update"]),
    (
        "docker",
        &["build", "login", "pull", "push", "run", "search"],
    ),
    (
        "podman",
        &["build", "login", "pull", "push", "run", "search"],
    ),
    ("mvn", &["deploy"]),
    ("rustup", &["install", "update", "toolchain", "self"]),
];

/// Whether a command is known to talk to the network.
pub(super) fn talks_to_network(program: &Program, arguments: &[Value]) -> bool {
    let name = program.name.as_str();
    let fetches = FETCHERS.contains(&name) && name != "openssl" || ALWAYS.contains(&name);
    let command = arguments
        .iter()
        .map(|word| word.text.as_str())
        .find(|word| !word.starts_with(['-', '+']));
    let sometimes = SOMETIMES.iter().find(|(program, _)| *program == name);
    fetches
        || sometimes
            .is_some_and(|(_, commands)| command.is_some_and(|command| commands.contains(&command)))
}
