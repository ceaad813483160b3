//! The part of the configuration that chooses and tunes the model, and the model that it makes.
//!
//! Must not know where configuration files lie or how layers are found: it is given each layer with its folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::provider::Provider;
use crate::provider::ProviderError;
use crate::provider::anthropic::{Anthropic, Options};
use crate::provider::scripted::{ScriptError, Scripted};

/// The most tokens of one answer, if nothing else is configured.
const DEFAULT_MAX_TOKENS: u32 = 16_384;
/// The most model turns of one run, if nothing else is configured.
const DEFAULT_MAX_TURNS: u32 = 100;
/// How long a provider may be silent, in seconds, if nothing else is configured.
const DEFAULT_IDLE_TIMEOUT: u64 = 180;
/// The least that providers take.
const LEAST_THINKING: u32 = 1_024;

/// Which provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// Plays a script.
    Scripted,
    /// The Messages API.
    Anthropic,
}

/// One layer of the model's configuration; every field may be left to the layer below.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderConfig {
    /// Which provider; `scripted` with a script is understood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<ProviderKind>,
    /// The script of the scripted provider. A relative path starts at the folder of the file that names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script: Option<PathBuf>,
    /// The model's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The server, if it is not the vendor's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// The environment variable that holds the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key_env: Option<String>,
    /// A shell command that prints the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key_command: Option<String>,
    /// The most tokens of one answer, thinking included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// How many of them may be spent on thinking; without it the model is asked for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking_budget: Option<u32>,
    /// The most model turns of one run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u32>,
    /// How many seconds the provider may be silent.
    #[serde(skip_serializing_if = "Option::is_none")]
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
    /// This layer, found in a file in `folder`: relative paths become absolute, and a script without a provider chooses
    /// the scripted one, whatever a lower layer says.
    #[must_use]
    pub fn found_in(mut self, folder: &Path) -> Self {
        self.script = self.script.map(|script| folder.join(script));
        if self.script.is_some() {
            self.provider = self.provider.or(Some(ProviderKind::Scripted));
        }
        self
    }

    /// This layer over `lower`: what this one leaves open is taken from there.
    #[must_use]
    pub fn over(self, lower: Self) -> Self {
        Self {
            provider: self.provider.or(lower.provider),
            script: self.script.or(lower.script),
            model: self.model.or(lower.model),
            base_url: self.base_url.or(lower.base_url),
            api_key_env: self.api_key_env.or(lower.api_key_env),
            api_key_command: self.api_key_command.or(lower.api_key_command),
            max_tokens: self.max_tokens.or(lower.max_tokens),
            thinking_budget: self.thinking_budget.or(lower.thinking_budget),
            max_turns: self.max_turns.or(lower.max_turns),
            idle_timeout: self.idle_timeout.or(lower.idle_timeout),
        }
    }

    /// The settings of this layer that say where keys come from and go to. A workspace's own file must not have them: it
    /// could send the user's key to a stranger, or run a command.
    pub fn private_settings(&self) -> Vec<&'static str> {
        let set = [
            ("base_url", self.base_url.is_some()),
            ("api_key_env", self.api_key_env.is_some()),
            ("api_key_command", self.api_key_command.is_some()),
        ];
        set.into_iter()
            .filter_map(|(name, is_set)| is_set.then_some(name))
            .collect()
    }

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

    fn config(json: &str) -> ProviderConfig {
        serde_json::from_str(json).unwrap()
    }

    fn refusal(json: &str) -> String {
        match config(json).open() {
            Ok(model) => panic!("{json} made {}", model.name),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn unknown_settings_are_refused() {
        let error = serde_json::from_str::<ProviderConfig>(r#"{"modell":"x"}"#)
            .unwrap_err()
            .to_string();
        assert!(error.contains("unknown field `modell`"), "{error}");
    }

    #[test]
    fn a_script_is_read_beside_the_file_that_names_it() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("demo.yaml"), "turns: [{text: hi}]").unwrap();
        let layer = config(r#"{"script":"demo.yaml"}"#).found_in(folder.path());
        assert_eq!(
            layer.script.as_deref(),
            Some(&*folder.path().join("demo.yaml"))
        );
        let model = layer.open().unwrap();
        assert_eq!(
            (model.provider.name(), &*model.name),
            ("scripted", "demo.yaml")
        );
        let absolute = folder.path().join("demo.yaml");
        let layer = ProviderConfig {
            script: Some(absolute.clone()),
            ..Default::default()
        };
        assert_eq!(
            layer.found_in(Path::new("/elsewhere")).script,
            Some(absolute)
        );
    }

    #[test]
    fn a_script_in_an_upper_layer_beats_a_provider_in_a_lower_one() {
        let lower = config(r#"{"provider":"anthropic","model":"m","max_turns":3}"#)
            .found_in(Path::new("/home/u"));
        let upper = config(r#"{"script":"demo.yaml"}"#).found_in(Path::new("/work"));
        let merged = upper.over(lower.clone());
        assert_eq!(merged.provider, Some(ProviderKind::Scripted));
        assert_eq!(
            (merged.max_turns, merged.model.as_deref()),
            (Some(3), Some("m"))
        );
        assert_eq!(ProviderConfig::default().over(lower.clone()), lower);
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
        for (json, named) in [
            (r#"{"provider":"scripted"}"#, "needs `script`"),
            (r#"{"provider":"anthropic"}"#, "needs `model`"),
            (
                r#"{"script":"/no/such/file.yaml"}"#,
                "/no/such/file.yaml cannot be read",
            ),
            (r#"{"max_turns":0}"#, "`max_turns: 0`"),
            (
                r#"{"max_tokens":2000,"thinking_budget":2000}"#,
                "below max_tokens, which is 2000",
            ),
            (r#"{"thinking_budget":10}"#, "at least 1024"),
            (
                r#"{"provider":"anthropic","model":"m","base_url":"localhost"}"#,
                "`base_url` is no URL",
            ),
        ] {
            let message = refusal(json);
            assert!(message.contains(named), "{json}: {message}");
        }
    }

    #[test]
    fn settings_that_move_keys_are_told_apart() {
        let layer = config(r#"{"model":"m","base_url":"x","api_key_command":"y"}"#);
        assert_eq!(layer.private_settings(), ["base_url", "api_key_command"]);
        assert!(config(r#"{"script":"a"}"#).private_settings().is_empty());
    }
}
