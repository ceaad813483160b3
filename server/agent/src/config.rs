//! The settings that choose and tune the model, and the model that they make.
//!
//! Must not know files, layers or formats of configuration: whoever reads those gives the settings, with paths resolved.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::provider::Provider;
use crate::provider::ProviderError;
use crate::provider::anthropic::{Anthropic, Options};
use crate::provider::scripted::{ScriptError, Scripted};

/// The most tokens of one answer, if nothing else is configured.
pub const DEFAULT_MAX_TOKENS: u32 = 16_384;
/// The most model turns of one run, if nothing else is configured.
pub const DEFAULT_MAX_TURNS: u32 = 100;
/// How long a provider may be silent, in seconds, if nothing else is configured.
pub const DEFAULT_IDLE_TIMEOUT: u64 = 180;
/// The least that providers take.
const LEAST_THINKING: u32 = 1_024;

/// Which provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderKind {
    /// Plays a script.
    Scripted,
    /// The Messages API.
    Anthropic,
}

/// The settings. What is left open has a default, or is not needed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProviderConfig {
    /// Which provider. Without one, a script is played if there is one, else a guide.
    pub provider: Option<ProviderKind>,
    /// The script of the scripted provider.
    pub script: Option<PathBuf>,
    /// The model's name.
    pub model: Option<String>,
    /// The server, if it is not the vendor's own.
    pub base_url: Option<String>,
    /// The environment variable that holds the key.
    pub api_key_env: Option<String>,
    /// A shell command that prints the key.
    pub api_key_command: Option<String>,
    /// The most tokens of one answer, thinking included.
    pub max_tokens: Option<u32>,
    /// How many of them may be spent on thinking; without it the model is asked for none.
    pub thinking_budget: Option<u32>,
    /// The most model turns of one run.
    pub max_turns: Option<u32>,
    /// How many seconds the provider may be silent.
    pub idle_timeout: Option<u64>,
}

/// Why a configuration makes no model.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The script cannot be played.
    #[error(transparent)]
    Script(#[from] ScriptError),
    /// The provider cannot be made.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// A setting is missing.
    #[error("The provider `{provider}` needs `{setting}`, for instance `{setting}: {example}`.")]
    Missing {
        /// The provider.
        provider: &'static str,
        /// What is missing.
        setting: &'static str,
        /// What it may look like.
        example: &'static str,
    },
    /// A setting is out of its range.
    #[error("`{setting}: {value}` is out of range: {range}.")]
    OutOfRange {
        /// The setting.
        setting: &'static str,
        /// Its value.
        value: u64,
        /// What it may be.
        range: String,
    },
}

/// A provider with the settings of its requests.
#[derive(Clone)]
pub struct Model {
    /// The provider.
    pub provider: Arc<dyn Provider>,
    /// The model's name; for a script, the file's.
    pub name: String,
    /// The most tokens of one answer.
    pub max_tokens: u32,
    /// How many of them may be spent on thinking.
    pub thinking_budget: Option<u32>,
    /// The most model turns of one run.
    pub max_turns: u32,
}

impl ProviderConfig {
    /// Makes the model. Reads a script, but reaches no server yet.
    ///
    /// # Errors
    ///
    /// The settings do not make one; the error says which.
    pub fn open(&self) -> Result<Model, ConfigError> {
        let max_tokens = self.max_tokens.unwrap_or(DEFAULT_MAX_TOKENS);
        let max_turns = self.max_turns.unwrap_or(DEFAULT_MAX_TURNS);
        let idle_timeout = self.idle_timeout.unwrap_or(DEFAULT_IDLE_TIMEOUT);
        for (setting, value) in [
            ("max_tokens", max_tokens.into()),
            ("max_turns", max_turns.into()),
            ("idle_timeout", idle_timeout),
        ] {
            if value == 0 {
                return Err(ConfigError::OutOfRange {
                    setting,
                    value,
                    range: "it must be at least 1".into(),
                });
            }
        }
        if let Some(budget) = self.thinking_budget
            && !(LEAST_THINKING..max_tokens).contains(&budget)
        {
            return Err(ConfigError::OutOfRange {
                setting: "thinking_budget",
                value: budget.into(),
                range: format!(
                    "it must be at least {LEAST_THINKING} and below max_tokens, which is {max_tokens}"
                ),
            });
        }
        let kind = self
            .provider
            .or(self.script.as_ref().map(|_| ProviderKind::Scripted));
        let (provider, name): (Arc<dyn Provider>, String) = match kind {
            None => (Arc::new(Scripted::guide()), "none".into()),
            Some(ProviderKind::Scripted) => {
                let missing = ConfigError::Missing {
                    provider: "scripted",
                    setting: "script",
                    example: "demo.yaml",
                };
                let script = self.script.as_deref().ok_or(missing)?;
                let file_name = script
                    .file_name()
                    .map(|name| name.to_string_lossy().into_owned());
                (
                    Arc::new(Scripted::open(script)?),
                    file_name.unwrap_or_default(),
                )
            }
            Some(ProviderKind::Anthropic) => {
                let missing = ConfigError::Missing {
                    provider: "anthropic",
                    setting: "model",
                    example: "claude-sonnet-4-5",
                };
                let name = self.model.clone().ok_or(missing)?;
                let options = Options {
                    base_url: self.base_url.clone(),
                    api_key_env: self.api_key_env.clone(),
                    api_key_command: self.api_key_command.clone(),
                    idle_timeout: Duration::from_secs(idle_timeout),
                };
                (Arc::new(Anthropic::new(options)?), name)
            }
        };
        Ok(Model {
            provider,
            name,
            max_tokens,
            thinking_budget: self.thinking_budget,
            max_turns,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn anthropic() -> ProviderConfig {
        ProviderConfig {
            provider: Some(ProviderKind::Anthropic),
            model: Some("m".into()),
            ..ProviderConfig::default()
        }
    }

    #[test]
    fn a_script_alone_is_played() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("demo.yaml");
        std::fs::write(&script, "turns: [{text: hi}]").unwrap();
        let config = ProviderConfig {
            script: Some(script),
            ..ProviderConfig::default()
        };
        let model = config.open().unwrap();
        assert_eq!(
            (model.provider.name(), &*model.name),
            ("scripted", "demo.yaml")
        );
        let model = ProviderConfig {
            script: config.script,
            ..anthropic()
        }
        .open()
        .unwrap();
        assert_eq!((model.provider.name(), &*model.name), ("anthropic", "m"));
    }

    #[test]
    fn nothing_configured_gives_the_guide() {
        let model = ProviderConfig::default().open().unwrap();
        assert_eq!((model.provider.name(), &*model.name), ("scripted", "none"));
        assert_eq!(
            (model.max_tokens, model.max_turns),
            (DEFAULT_MAX_TOKENS, DEFAULT_MAX_TURNS)
        );
    }

    #[test]
    fn refusals_say_what_to_set() {
        let scripted = |script: Option<&str>| ProviderConfig {
            provider: Some(ProviderKind::Scripted),
            script: script.map(PathBuf::from),
            ..ProviderConfig::default()
        };
        for (config, named) in [
            (scripted(None), "needs `script`"),
            (
                scripted(Some("/no/such/file.yaml")),
                "/no/such/file.yaml cannot be read",
            ),
            (
                ProviderConfig {
                    model: None,
                    ..anthropic()
                },
                "needs `model`",
            ),
            (
                ProviderConfig {
                    max_turns: Some(0),
                    ..anthropic()
                },
                "`max_turns: 0`",
            ),
            (
                ProviderConfig {
                    idle_timeout: Some(0),
                    ..anthropic()
                },
                "`idle_timeout: 0`",
            ),
            (
                ProviderConfig {
                    thinking_budget: Some(10),
                    ..anthropic()
                },
                "at least 1024",
            ),
            (
                ProviderConfig {
                    max_tokens: Some(2000),
                    thinking_budget: Some(2000),
                    ..anthropic()
                },
                "below max_tokens, which is 2000",
            ),
            (
                ProviderConfig {
                    base_url: Some("localhost".into()),
                    ..anthropic()
                },
                "`base_url` is no URL",
            ),
        ] {
            let message = match config.open() {
                Ok(model) => panic!("{config:?} made {}", model.name),
                Err(error) => error.to_string(),
            };
            assert!(message.contains(named), "{config:?}: {message}");
        }
    }
}
