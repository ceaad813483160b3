//! The narrow rule that a person may be offered to allow a command from now on, and the commands for which there is
//! none. Decides nothing.

use super::git;
use super::program::Program;
use super::word::Value;
use super::{Analysis, Part, Word};

/// Interpreters, wrappers and others that do what their arguments say: a rule for them would allow everything.
const NEVER: &[&str] = &[
    ".",
    "alias",
    "ansible",
    "apt",
    "apt-get",
    "ash",
    "asdf",
    "at",
    "awk",
    "bash",
    "batch",
    "brew",
    "builtin",
    "bun",
    "bunx",
    "busybox",
    "bwrap",
    "cd",
    "chmod",
    "chown",
    "chroot",
    "cmd",
    "command",
    "conda",
    "coproc",
    "crontab",
    "csh",
    "curl",
    "dash",
    "dd",
    "deno",
    "direnv",
    "dnf",
    "doas",
    "docker",
    "ed",
    "elixir",
    "emacs",
    "entr",
    "env",
    "eval",
    "ex",
    "exec",
    "expect",
    "export",
    "fakeroot",
    "fd",
    "find",
    "firejail",
    "fish",
    "flock",
    "gawk",
    "gdb",
    "gh",
    "gosu",
    "groovy",
    "hyperfine",
    "ionice",
    "julia",
    "kill",
    "killall",
    "ksh",
    "kubectl",
    "less",
    "lldb",
    "ln",
    "ltrace",
    "lua",
    "luajit",
    "man",
    "mawk",
    "mise",
    "mksh",
    "more",
    "mosh",
    "mv",
    "mysql",
    "nawk",
    "nc",
    "ncat",
    "nerdctl",
    "netcat",
    "nice",
    "nix",
    "nix-shell",
    "node",
    "nodejs",
    "nohup",
    "npx",
    "nsenter",
    "nu",
    "nvim",
    "osascript",
    "parallel",
    "perl",
    "php",
    "pipx",
    "pkexec",
    "pkill",
    "pnpx",
    "podman",
    "powershell",
    "proxychains",
    "psql",
    "pwsh",
    "pypy",
    "python",
    "rm",
    "rsh",
    "rscript",
    "rsync",
    "ruby",
    "runuser",
    "scp",
    "script",
    "sed",
    "set",
    "setsid",
    "sftp",
    "sh",
    "shopt",
    "socat",
    "source",
    "sqlite",
    "ssh",
    "stdbuf",
    "strace",
    "su",
    "su-exec",
    "sudo",
    "systemctl",
    "systemd-run",
    "tar",
    "taskset",
    "tclsh",
    "tcsh",
    "tee",
    "telnet",
    "time",
    "timeout",
    "toybox",
    "trap",
    "unbuffer",
    "unset",
    "unshare",
    "uvx",
    "valgrind",
    "vi",
    "view",
    "vim",
    "watch",
    "wget",
    "xargs",
    "xonsh",
    "xvfb-run",
    "yum",
    "zsh",
    "dumb-init",
    "tini",
    "caffeinate",
    "export",
    "declare",
    "typeset",
    "local",
    "readonly",
    "read",
];

/// Programs of which only a command may be allowed, by as many words, and the commands of which even that is too much.
const COMMANDS: &[(&str, &[&str])] = &[
    (
        "cargo",
        &["install", "publish", "login", "owner", "yank", "script"],
    ),
    ("git", &[]),
    (
        "npm",
        &[
            "run",
            "run-script",
            "exec",
            "x",
            "install",
            "i",
            "ci",
            "publish",
            "config",
            "set",
            "login",
            "explore",
            "init",
            "create",
        ],
    ),
    (
        "pnpm",
        &[
            "run", "exec", "dlx", "install", "add", "publish", "config", "create",
        ],
    ),
    (
        "yarn",
        &["run", "exec", "dlx", "node", "publish", "config", "create"],
    ),
    ("go", &["run", "install", "get", "generate", "env", "tool"]),
    ("make", &[]),
    ("just", &[]),
    ("task", &[]),
    ("mvn", &["exec", "deploy"]),
    ("gradle", &["run", "publish"]),
    ("gradlew", &["run", "publish"]),
    ("dotnet", &["run", "exec", "script", "tool", "publish"]),
    ("mix", &["run", "eval"]),
    ("rustup", &["run", "self"]),
    ("uv", &["run", "tool", "pip", "publish"]),
    ("poetry", &["run", "publish", "config"]),
    ("bundle", &["exec", "config"]),
    ("pip", &["install", "download", "config"]),
    ("gem", &["install", "push"]),
    ("cmake", &[]),
    ("ctest", &[]),
    ("terraform", &["apply", "destroy", "import", "state"]),
];

/// Programs with scripts of the project behind this command: the script's name is part of the rule.
const SCRIPTS: &[(&str, &str)] = &[
    ("npm", "run"),
    ("npm", "run-script"),
    ("pnpm", "run"),
    ("yarn", "run"),
];

/// Tools that check or format, for which a rule may take any argument.
const TOOLS: &[&str] = &[
    "biome",
    "black",
    "clang-format",
    "eslint",
    "flake8",
    "gofmt",
    "hadolint",
    "jest",
    "luacheck",
    "markdownlint",
    "mocha",
    "mypy",
    "nextest",
    "prettier",
    "pylint",
    "pyright",
    "pytest",
    "rubocop",
    "ruff",
    "rustfmt",
    "selene",
    "shellcheck",
    "shfmt",
    "stylelint",
    "stylua",
    "tsc",
    "vitest",
    "yamllint",
];

/// The pattern of the rule that allows a command like this one, as it stands in `bash(…)`: `cargo test:*`. Absent: it can
/// only be allowed each time.
pub fn rule_for(part: &Part) -> Option<String> {
    let first = part.words.first().filter(|word| is_plain(word))?;
    let program = Program::of(&value(first), false);
    let never = |name: &str| NEVER.contains(&name);
    if never(&program.name) || never(program.family()) || !part.assignments.is_empty() {
        return None;
    }
    let name = first.text.as_str();
    let commands = COMMANDS.iter().find(|(known, _)| program.is(known));
    if let Some((known, refused)) = commands {
        let command = part
            .words
            .get(1)
            .filter(|word| is_command(word))?
            .text
            .as_str();
        if SCRIPTS.contains(&(known, command)) {
            let script = part.words.get(2).filter(|word| is_command(word))?;
            return Some(format!("{name} {command} {}:*", script.text));
        }
        if refused.contains(&command) || program.is("git") && !may_allow_git(part) {
            return None;
        }
        return Some(format!("{name} {command}:*"));
    }
    if TOOLS.contains(&program.name.as_str()) {
        return Some(format!("{name}:*"));
    }
    // Exactly this command, if nothing in it would be read as a pattern.
    let exact = part
        .words
        .iter()
        .all(|word| word.known && !word.text.contains(['*', '(', ')', '\\', '\n']));
    (exact && !part.text.ends_with(':')).then(|| part.text.clone())
}

/// The rules that would allow a whole command line; absent if there can be none, for one part of it or for all.
pub fn rules_for(analysis: &Analysis) -> Option<Vec<String>> {
    if !analysis.doubts.is_empty() || !analysis.discards.is_empty() || !analysis.dangers.is_empty()
    {
        return None;
    }
    let mut rules = Vec::new();
    for part in analysis.parts.iter().filter(|part| part.needs_rule) {
        let rule = rule_for(part)?;
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    Some(rules)
}

fn is_plain(word: &Word) -> bool {
    word.known
        && !word.text.is_empty()
        && word
            .text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "._-/+".contains(c))
}

fn is_command(word: &Word) -> bool {
    is_plain(&Word {
        text: word.text.replace([':', '@'], ""),
        ..word.clone()
    }) && !word.text.starts_with(['-', '+', '/', '.'])
}

fn may_allow_git(part: &Part) -> bool {
    let arguments: Vec<Value> = part.words.iter().skip(1).map(value).collect();
    let seen = git::look(&arguments);
    seen.discards.is_none()
        && seen.doubt.is_none()
        && seen.scripts.is_empty()
        && ![
            "config",
            "difftool",
            "mergetool",
            "lfs",
            "clone",
            "submodule",
            "remote",
        ]
        .contains(&part.words[1].text.as_str())
}

fn value(word: &Word) -> Value {
    Value {
        known: word.known,
        ..Value::literal(&word.text)
    }
}
