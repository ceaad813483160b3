//! The configuration: defaults < `~/.mewcode/config.yaml` < `.mewcode.yaml` < `initializationOptions` < command line.
//!
//! [`Config::load`] puts the layers together, names a fault with its place, and knows of each value where it was set.
//! The schema is in `schema`, the reading of a layer in `source`, and what a repository may set in `project`.

mod folders;
mod project;
mod reference;
mod schema;
mod source;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mewcode_agent::config::{Model, ProviderConfig, ProviderKind};
use mewcode_tools::permission::Mode;
use serde_json::{Map, Value};

pub use folders::{journal, places, project_file, state_folder, user_file};
pub use reference::markdown;
pub use schema::{ModeName, ProviderName, Settings, keys};
pub use source::{ConfigError, Origin};

use source::Entry;

/// The layers to put together, besides the defaults.
#[derive(Clone, Debug, Default)]
pub struct Layers<'a> {
    /// The home folder, which holds `.mewcode/config.yaml`. `None`: there is none, and no such layer.
    pub home: Option<PathBuf>,
    /// The workspace root, which holds `.mewcode.yaml`; with several roots, the first.
    pub root: Option<PathBuf>,
    /// The editor's `initializationOptions`.
    pub options: Option<&'a Value>,
    /// The flags of the command line.
    pub command_line: Settings,
}

/// The configuration in force.
#[derive(Clone, Debug)]
pub struct Config {
    /// All settings, the defaults included; `script` is absolute.
    pub settings: Settings,
    /// What was read and not taken, a sentence each: settings that a project's file may not make.
    pub warnings: Vec<String>,
    origins: BTreeMap<&'static str, Origin>,
}

impl Config {
    /// Reads and puts together all layers. The first fault ends it.
    pub fn load(layers: &Layers<'_>) -> Result<Config, ConfigError> {
        let mut merge = Merge::default();

        if let Some(path) = layers.home.as_deref().map(user_file) {
            merge.file(layers, &path, |_, _| None)?;
        }
        if let Some(root) = layers.root.as_deref() {
            let path = project_file(root);
            // The home folder can be the workspace root; its `.mewcode.yaml` is judged like any other.
            merge.file(layers, &path, |entry, below| {
                project::refusal(entry.key, &entry.value, below, root)
            })?;
        }
        if let Some(options) = layers.options {
            let mut entries = source::read_options(options)?;
            resolve_scripts(&mut entries, layers);
            merge.take(entries);
        }
        let mut entries = source::read_command_line(&layers.command_line)?;
        resolve_scripts(&mut entries, layers);
        merge.take(entries);
        merge.finish()
    }

    /// The settings of the model, for the agent.
    pub fn provider(&self) -> ProviderConfig {
        let settings = self.settings.clone();
        ProviderConfig {
            provider: settings.provider.map(|provider| match provider {
                ProviderName::Scripted => ProviderKind::Scripted,
                ProviderName::Anthropic => ProviderKind::Anthropic,
            }),
            script: settings.script.map(PathBuf::from),
            model: settings.model,
            base_url: settings.base_url,
            api_key_env: settings.api_key_env,
            api_key_command: settings.api_key_command,
            max_tokens: settings.max_tokens,
            // A layer switches off with 0 what a layer below has set; the provider wants nothing instead.
            thinking_budget: settings.thinking_budget.filter(|budget| *budget > 0),
            max_turns: settings.max_turns,
            idle_timeout: settings.idle_timeout.map(u64::from),
        }
    }

    /// The permission mode of a new session.
    pub fn mode(&self) -> Mode {
        self.settings.mode.map_or(Mode::Default, Mode::from)
    }

    /// Makes the model. Reads a script, reaches no server. A fault names the place of the setting that causes it.
    pub fn open_model(&self) -> Result<Model, ConfigError> {
        use mewcode_agent::config::ConfigError as Fault;
        self.provider().open().map_err(|fault| {
            let key = match &fault {
                Fault::Script(_) => "script",
                Fault::Missing { .. } | Fault::Provider(_) => "provider",
                Fault::OutOfRange { setting, .. } => setting,
            };
            ConfigError {
                place: self.origin(key).place(key),
                message: fault.to_string(),
            }
        })
    }

    /// The settings with a value, as people read them, in the order of the schema.
    pub fn shown(&self) -> Vec<(&'static str, String)> {
        let Ok(Value::Object(values)) = serde_json::to_value(&self.settings) else {
            return Vec::new();
        };
        let text = |value: &Value| {
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned)
        };
        keys()
            .iter()
            .filter_map(|key| Some((key.name.as_str(), text(values.get(&key.name)?))))
            .collect()
    }

    /// Where the value of a key was set.
    pub fn origin(&self, key: &str) -> &Origin {
        self.origins.get(key).unwrap_or(&Origin::Default)
    }
}

/// The values by key, as the layers read so far leave them.
#[derive(Default)]
struct Merge {
    values: BTreeMap<&'static str, Value>,
    origins: BTreeMap<&'static str, Origin>,
    warnings: Vec<String>,
}

impl Merge {
    fn file(
        &mut self,
        layers: &Layers<'_>,
        path: &Path,
        refusal: impl Fn(&Entry, Option<&Value>) -> Option<&'static str>,
    ) -> Result<(), ConfigError> {
        let Some(mut entries) = source::read_file(path)? else {
            return Ok(());
        };
        // Before anything is judged: `~/` leads out of a workspace.
        resolve_scripts(&mut entries, layers);
        let defaults = defaults();
        let mut taken = Vec::new();
        for entry in entries {
            let below = self
                .values
                .get(entry.key)
                .or_else(|| defaults.get(entry.key));
            match refusal(&entry, below) {
                None => taken.push(entry),
                Some(reason) => self.warnings.push(format!(
                    "{}: `{}` is ignored: {reason}; set it in ~/.mewcode/config.yaml if you want it.",
                    entry.origin, entry.key
                )),
            }
        }
        self.take(taken);
        Ok(())
    }

    fn take(&mut self, mut entries: Vec<Entry>) {
        // Who names a script wants it played, whatever a layer below says.
        let script = entries.iter().find(|entry| entry.key == "script");
        if let Some(script) =
            script.filter(|_| !entries.iter().any(|entry| entry.key == "provider"))
        {
            let origin = script.origin.clone();
            entries.push(Entry {
                key: "provider",
                value: Value::from("scripted"),
                origin,
            });
        }
        for entry in entries {
            self.values.insert(entry.key, entry.value);
            self.origins.insert(entry.key, entry.origin);
        }
    }

    fn finish(self) -> Result<Config, ConfigError> {
        let mut all = defaults();
        all.extend(self.values);
        let object: Map<String, Value> = all
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect();
        // Each value was checked when its layer was read, so this can only fail by a fault of the schema's own.
        let settings =
            serde_json::from_value(Value::Object(object)).map_err(|error| ConfigError {
                place: "configuration".to_owned(),
                message: error.to_string(),
            })?;
        Ok(Config {
            settings,
            warnings: self.warnings,
            origins: self.origins,
        })
    }
}

fn resolve_scripts(entries: &mut [Entry], layers: &Layers<'_>) {
    for entry in entries {
        if let ("script", Value::String(script)) = (entry.key, &entry.value) {
            entry.value = Value::String(resolve(script, &entry.origin, layers));
        }
    }
}

/// The absolute path of a script, by the rule of the place that names it.
fn resolve(script: &str, origin: &Origin, layers: &Layers<'_>) -> String {
    if let (Some(rest), Some(home)) = (script.strip_prefix("~/"), &layers.home) {
        return home.join(rest).to_string_lossy().into_owned();
    }
    let base = match origin {
        Origin::File { path, .. } => path.parent().map(Path::to_owned),
        Origin::InitializationOptions => layers.root.clone(),
        Origin::CommandLine | Origin::Default => None,
    };
    let path = base.unwrap_or_default().join(script);
    std::path::absolute(&path)
        .unwrap_or(path)
        .to_string_lossy()
        .into_owned()
}

/// The values of the lowest layer.
fn defaults() -> BTreeMap<&'static str, Value> {
    BTreeMap::from([
        ("max_tokens", Value::from(16_384)),
        ("thinking_budget", Value::from(0)),
        ("max_turns", Value::from(100)),
        ("idle_timeout", Value::from(180)),
        ("mode", Value::from("default")),
    ])
}
