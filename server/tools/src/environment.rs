//! The environment that commands get: an allow list of what they need, and what keeps their output plain. Keys and tokens
//! are not on it. Knows no command and starts none.

use std::collections::BTreeMap;
use std::ffi::OsString;

mod names;

pub use names::names_a_secret;
use names::{KINDS, NAMES, PREFIXES};

/// What is set for every command, so that its output is text to be read and nothing waits for a person: no colours, no
/// pager, no editor, no question for a password. `CI` is not set: too many programs do something else then.
const PLAIN: &[(&str, &str)] = &[
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_EDITOR", "true"),
    ("CARGO_TERM_PROGRESS_WHEN", "never"),
    ("DEBIAN_FRONTEND", "noninteractive"),
    ("PIP_NO_INPUT", "1"),
    ("PIP_DISABLE_PIP_VERSION_CHECK", "1"),
    // What was printed before a time-out is there.
    ("PYTHONUNBUFFERED", "1"),
];

/// What is set for a command that is confined and so has no network: by themselves these programs try it for minutes before
/// they say so. (The one that `pip` makes is the only time it says why.)
const WITHOUT_NETWORK: &[(&str, &str)] = &[
    ("CARGO_NET_RETRY", "0"),
    ("npm_config_fetch_retries", "0"),
    ("YARN_HTTP_RETRY", "0"),
    ("PIP_RETRIES", "1"),
    ("UV_HTTP_RETRIES", "0"),
];

/// What a command runs on: a terminal or pipes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terminal {
    /// Pipes: programs must not move a cursor.
    None,
    /// A pseudo-terminal.
    Pty,
}

/// The variables of the server's own environment that commands get.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    passed: BTreeMap<String, String>,
}

impl Environment {
    /// What is passed of this process's own environment. `also` names more variables: `NAME`, or `PREFIX_*`.
    pub fn of_process(also: &[String]) -> Environment {
        Environment::of(std::env::vars_os(), also)
    }

    /// What is passed of these variables. Values that are not UTF-8 are not.
    pub fn of(
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        also: &[String],
    ) -> Environment {
        let utf8 = |(name, value): (OsString, OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        let passed = variables
            .into_iter()
            .filter_map(utf8)
            .filter(|(name, _)| is_passed(name, also))
            .collect();
        Environment { passed }
    }

    /// The whole environment of a command. `network`: whether it may have one.
    pub fn for_command(&self, terminal: Terminal, network: bool) -> BTreeMap<String, String> {
        let mut variables = self.passed.clone();
        let mut set = |name: &str, value: &str| {
            variables.insert(name.to_owned(), value.to_owned());
        };
        PLAIN.iter().for_each(|(name, value)| set(name, value));
        if !network {
            let each = WITHOUT_NETWORK.iter();
            each.for_each(|(name, value)| set(name, value));
        }
        match terminal {
            Terminal::None => set("TERM", "dumb"),
            Terminal::Pty => set("TERM", "xterm-256color"),
        }
        variables
    }
}

/// Whether a variable is passed: because it is on the list, or the user wrote its name. One that is named like a secret
/// must be written in full.
fn is_passed(name: &str, also: &[String]) -> bool {
    if also.iter().any(|own| own == name) {
        return true;
    }
    let starts = |prefix: &str| name.starts_with(prefix);
    let of_user = |own: &String| own.strip_suffix('*').is_some_and(starts);
    let listed = NAMES.contains(&name)
        || PREFIXES.iter().any(|prefix| starts(prefix))
        || KINDS.iter().any(|kind| name.eq_ignore_ascii_case(kind))
        || also.iter().any(of_user);
    listed && !names_a_secret(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(variables: &[&str], also: &[&str]) -> Vec<String> {
        let variables = variables
            .iter()
            .map(|name| (OsString::from(name), OsString::from("value")));
        let also: Vec<String> = also.iter().map(|name| (*name).to_owned()).collect();
        let environment = Environment::of(variables, &also);
        environment.passed.into_keys().collect()
    }

    #[test]
    fn what_commands_need_is_passed() {
        for name in [
            "HOME",
            "PATH",
            "USER",
            "LOGNAME",
            "LANG",
            "LC_ALL",
            "LC_TIME",
            "SHELL",
            "TMPDIR",
            "TZ",
            "http_proxy",
            "HTTPS_PROXY",
            "no_proxy",
            "CARGO_HOME",
            "RUSTUP_TOOLCHAIN",
            "GOPATH",
            "JAVA_HOME",
            "NVM_DIR",
            "VIRTUAL_ENV",
            "PYENV_VERSION",
        ] {
            assert_eq!(passed(&[name], &[]), [name]);
        }
    }

    #[test]
    fn what_is_not_on_the_list_is_not_passed() {
        for name in [
            "ANTHROPIC_API_KEY",
            "OPENAI_API_KEY",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_PROFILE",
            "GITHUB_TOKEN",
            "CARGO_REGISTRY_TOKEN",
            "NPM_TOKEN",
            "SSH_AUTH_SOCK",
            "DBUS_SESSION_BUS_ADDRESS",
            "DOCKER_HOST",
            "LD_PRELOAD",
            "BASH_ENV",
            "ENV",
            "PROMPT_COMMAND",
            "PS1",
            "TERM",
            "DATABASE_URL",
            "MEWCODE_STATE",
        ] {
            assert_eq!(passed(&[name], &[]), [""; 0], "{name}");
        }
    }

    #[test]
    fn the_user_may_name_more_and_secrets_only_in_full() {
        let variables = ["MY_PORT", "MY_TOKEN", "OTHER", "LC_SECRET"];
        assert_eq!(passed(&variables, &["MY_*"]), ["MY_PORT"]);
        assert_eq!(
            passed(&variables, &["MY_*", "MY_TOKEN"]),
            ["MY_PORT", "MY_TOKEN"]
        );
        assert_eq!(passed(&variables, &["OTHER"]), ["OTHER"]);
        assert_eq!(passed(&variables, &["OTHE"]), [""; 0]);
    }

    #[test]
    fn output_is_plain_and_nothing_waits() {
        let variables = [("PAGER", "less"), ("HOME", "/home/me"), ("TERM", "xterm")];
        let variables = variables.map(|(name, value)| (name.into(), value.into()));
        let environment = Environment::of(variables, &[]);
        let piped = environment.for_command(Terminal::None, true);
        assert_eq!(piped["HOME"], "/home/me");
        assert_eq!(piped["PAGER"], "cat");
        assert_eq!(piped["TERM"], "dumb");
        assert_eq!(piped["GIT_TERMINAL_PROMPT"], "0");
        assert!(!piped.contains_key("CI"));
        assert_eq!(
            environment.for_command(Terminal::Pty, true)["TERM"],
            "xterm-256color"
        );
        assert!(!piped.contains_key("CARGO_NET_RETRY"));
        let confined = environment.for_command(Terminal::None, false);
        assert_eq!(confined["CARGO_NET_RETRY"], "0");
    }
}
