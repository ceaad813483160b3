//! Where the key comes from. It is held no longer than needed and never shown.
//!
//! Must not know what the key is for.

use std::fmt;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::sync::Mutex;

use crate::provider::{ProviderError, ProviderErrorKind};

/// A command that asks its user for something has to ask elsewhere.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(60);

/// The least length of a key that is worth hiding.
const SHORTEST_SECRET: usize = 8;

/// A key. Its `Debug` shows nothing of it.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Key(String);

impl Key {
    pub(super) fn expose(&self) -> &str {
        &self.0
    }

    /// The error without the key: some servers repeat it in theirs.
    pub(super) fn redact(&self, mut error: ProviderError) -> ProviderError {
        // What is shorter is no secret but a word that a local server is content with.
        if self.0.len() >= SHORTEST_SECRET {
            error.message = error.message.replace(&self.0, "[key]");
        }
        error
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Key(…)")
    }
}

/// The configured origin of the key.
#[derive(Debug)]
pub(super) enum KeySource {
    /// The server wants none.
    None,
    /// An environment variable of this name.
    Environment(String),
    /// A shell command that prints it.
    Command {
        line: String,
        /// What it printed last: a command may ask for a password, so it is not run for each request.
        printed: Mutex<Option<Key>>,
    },
}

impl KeySource {
    pub(super) fn command(line: String) -> Self {
        Self::Command {
            line,
            printed: Mutex::new(None),
        }
    }

    /// The key, or `None` where no key is wanted.
    pub(super) async fn key(&self) -> Result<Option<Key>, ProviderError> {
        match self {
            Self::None => Ok(None),
            Self::Environment(name) => from_environment(name).map(Some),
            Self::Command { line, printed } => {
                let mut printed = printed.lock().await;
                if printed.is_none() {
                    *printed = Some(from_command(line).await?);
                }
                Ok(printed.clone())
            }
        }
    }

    /// The key was refused: the next request asks the command again, for a new one may be there.
    pub(super) async fn forget(&self) {
        if let Self::Command { printed, .. } = self {
            *printed.lock().await = None;
        }
    }
}

fn from_environment(name: &str) -> Result<Key, ProviderError> {
    match std::env::var(name) {
        Ok(value) if !value.trim().is_empty() => Ok(Key(value.trim().to_string())),
        _ => Err(auth(format!(
            "No key: the environment variable {name} is not set. Set it before the editor starts, name another with \
             `api_key_env`, or let `api_key_command` print the key."
        ))),
    }
}

async fn from_command(line: &str) -> Result<Key, ProviderError> {
    let mut command = if cfg!(windows) {
        let mut command = Command::new("cmd");
        command.arg("/C");
        command
    } else {
        let mut command = Command::new("sh");
        command.arg("-c");
        command
    };
    command.arg(line).stdin(Stdio::null()).kill_on_drop(true);
    // Only its first word is told: the rest may hold a secret.
    let program = line.split_whitespace().next().unwrap_or_default();
    let failed = |what: String| {
        auth(format!(
            "No key: the api_key_command (`{program} …`) {what}. Run it in a shell to see why."
        ))
    };
    let output = tokio::time::timeout(COMMAND_TIMEOUT, command.output())
        .await
        .map_err(|_| {
            failed(format!(
                "did not end within {} s",
                COMMAND_TIMEOUT.as_secs()
            ))
        })?
        .map_err(|error| failed(format!("could not be started: {error}")))?;
    if !output.status.success() {
        // What it printed is not shown: it may hold the key.
        return Err(failed(format!("failed ({})", output.status)));
    }
    let printed = String::from_utf8_lossy(&output.stdout);
    match printed.lines().next().map(str::trim) {
        Some(key) if !key.is_empty() => Ok(Key(key.to_string())),
        _ => Err(failed("printed nothing".into())),
    }
}

fn auth(message: String) -> ProviderError {
    ProviderError::new(ProviderErrorKind::Auth, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_key_comes_from_the_environment() {
        // Set by cargo for every test; its value is the package's name.
        let key = KeySource::Environment("CARGO_PKG_NAME".into())
            .key()
            .await
            .unwrap()
            .unwrap();
        assert_eq!(key.expose(), "mewcode-agent");
        let error = KeySource::Environment("MEWCODE_NO_SUCH_KEY".into())
            .key()
            .await
            .unwrap_err();
        assert_eq!(error.kind, ProviderErrorKind::Auth);
        assert!(error.message.contains("MEWCODE_NO_SUCH_KEY"), "{error}");
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_command_is_run_once_until_its_key_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let count = folder.path().join("count");
        let source = KeySource::command(format!(
            "echo x >> '{0}'; wc -l < '{0}'; echo more",
            count.display()
        ));
        let key = async || source.key().await.unwrap().unwrap().expose().to_string();
        assert_eq!((key().await, key().await), ("1".into(), "1".into()));
        source.forget().await;
        assert_eq!(key().await, "2");
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_failing_command_is_named_but_not_its_output() {
        for (line, named) in [
            (
                "echo secret; echo secret >&2; exit 3",
                "(`echo …`) failed (exit status: 3)",
            ),
            ("true", "(`true …`) printed nothing"),
        ] {
            let error = KeySource::command(line.into()).key().await.unwrap_err();
            assert_eq!(error.kind, ProviderErrorKind::Auth);
            assert!(
                error.message.contains(named) && !error.message.contains("secret"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_key_is_never_shown() {
        let key = Key("sk-12345".into());
        assert_eq!(format!("{key:?}"), "Key(…)");
        let redacted = |key: &Key, message: &str| key.redact(auth(message.into())).message;
        assert_eq!(redacted(&key, "bad key sk-12345!"), "bad key [key]!");
        assert_eq!(redacted(&Key("k".into()), "a token"), "a token");
    }
}
