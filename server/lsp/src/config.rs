//! The configuration: defaults < `~/.mewcode/config.yaml` < the workspace's files < `initializationOptions` < command
//! line.
//!
//! [`Config::load`] puts the layers together, names a fault with its place, and knows of each value where it was set.
//! The schema is in `schema`, the reading of a layer in `source`, what a repository may set in `project`, and whether it
//! is trusted in [`crate::trust`].

mod append;
mod check;
mod file;
mod folders;
mod keep;
mod keys;
mod merge;
mod project;
mod reference;
mod rules;
mod schema;
mod source;
mod tree;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mewcode_agent::config::{
    DEFAULT_IDLE_TIMEOUT, DEFAULT_MAX_TOKENS, DEFAULT_MAX_TURNS, Model, ProviderConfig,
    ProviderKind,
};
use mewcode_tools::permission::{Layer, Mode, PolicySettings, RuleSource};
use mewcode_tools::port::Permission;
use mewcode_tools::sandbox::Profile;
use serde_json::Value;

pub use folders::{
    claude_files, hunks, journal, local_file, places, project_file, recover, sandbox_notes,
    state_folder, user_file,
};
pub use keep::LocalRules;
pub use keys::keys;
pub use reference::markdown;
pub use schema::{ModeName, Permissions, ProviderName, RuleSetting, Settings};
pub use source::{ConfigError, Origin};

use crate::trust::{Grant, Standing, Trust, TrustState};
use merge::{Merge, Merged, ProjectFile};
use source::{Entry, Read};

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
    /// Which workspaces are trusted.
    pub trust: Trust,
}

/// The configuration in force.
#[derive(Clone, Debug)]
pub struct Config {
    /// All settings, the defaults included; `script` is absolute.
    pub settings: Settings,
    /// What was read and not taken, a sentence each: settings that a project's file may not make, rules about tools that
    /// do not exist.
    pub warnings: Vec<String>,
    /// What the workspace's files would grant, in force or not.
    pub grants: Vec<Grant>,
    rules: Vec<RuleSource>,
    home: Option<PathBuf>,
    root: Option<PathBuf>,
    trust: Trust,
    standing: Standing,
    origins: BTreeMap<&'static str, Origin>,
    lists: BTreeMap<&'static str, Vec<(Value, Origin)>>,
}

/// A value of the configuration as people read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The key.
    pub key: &'static str,
    /// The value, or the item of a list.
    pub value: String,
    /// Where it was set.
    pub origin: Origin,
}

impl Config {
    /// Reads and puts together all layers. The first fault ends it.
    pub fn load(layers: &Layers<'_>) -> Result<Config, ConfigError> {
        let mut merge = Merge::default();
        let mut standing = Standing::default();

        if let Some(path) = layers.home.as_deref().map(user_file)
            && let Some(read) = source::read_file(&path)?
        {
            merge.take(Layer::User, layers.resolved(read));
        }
        if let Some(root) = layers.root.as_deref() {
            standing = layers.trust.standing(root);
            standing
                .fault
                .iter()
                .for_each(|fault| merge.warn(fault.clone()));
            // The home folder can be the workspace root; its files are judged like any other's.
            layers.workspace(root, &standing, &mut merge)?;
        }
        if let Some(options) = layers.options {
            merge.take(Layer::User, layers.resolved(source::read_options(options)?));
        }
        let flags = source::read_command_line(&layers.command_line)?;
        merge.take(Layer::User, layers.resolved(flags));

        let Merged {
            settings,
            origins,
            lists,
            rules,
            grants,
            mut warnings,
        } = merge.finish()?;
        let rules = rules::checked(rules, &lists, layers.home.as_deref(), &mut warnings)?;
        Ok(Config {
            settings,
            warnings,
            grants,
            rules,
            home: layers.home.clone(),
            root: layers.root.clone(),
            trust: layers.trust.clone(),
            standing,
            origins,
            lists,
        })
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

    /// What is permitted: the rules in force with their places, and what else decides. An untrusted workspace's allow
    /// rules are not among them.
    pub fn policy(&self) -> PolicySettings {
        PolicySettings {
            rules: self.rules.clone(),
            sensitive: self.settings.sensitive.clone().unwrap_or_default(),
            sandbox: self.sandbox(),
            home: self.home.clone(),
        }
    }

    /// Who keeps the rules of the answer "always". `None`: there is no workspace, or none that rules can be kept for.
    pub fn keeper(&self) -> Option<LocalRules> {
        let root = self.root.clone()?;
        let is_possible = self.standing.impossible.is_none();
        is_possible.then(|| LocalRules::new(root, self.trust.clone()))
    }

    /// How commands are confined. One that was set and cannot be had stays: no command runs then.
    pub fn sandbox(&self) -> Profile {
        match self.settings.sandbox {
            Some(name) => name.into(),
            None if mewcode_tools::sandbox::available().is_ok() => Profile::WorkspaceWrite,
            None => Profile::Off,
        }
    }

    /// The folders that confined commands write besides the workspace.
    pub fn writable(&self) -> Vec<PathBuf> {
        let folders = self.settings.writable.iter().flatten();
        folders
            .filter_map(|folder| match folder.trim().strip_prefix("~/") {
                Some(rest) => Some(self.home.as_ref()?.join(rest)),
                None => Some(PathBuf::from(folder.trim())),
            })
            .collect()
    }

    /// Whether the workspace is trusted with what its files grant.
    pub fn trust_state(&self) -> TrustState {
        self.standing.state(&self.grants)
    }

    /// What to ask before the workspace is trusted with all of [`grants`](Self::grants): one line a grant that is not in
    /// force. `None`: there is nothing to ask.
    pub fn trust_question(&self) -> Option<Permission> {
        let because = match self.trust_state() {
            TrustState::Untrusted => "Its files would do this once you trust it.",
            TrustState::Changed => {
                "You trusted it before; by now its files would do this too, which is not in force yet."
            }
            TrustState::Nothing | TrustState::Trusted | TrustState::Impossible(_) => return None,
        };
        let new = self.grants.iter().filter(|grant| !grant.in_force);
        Some(Permission {
            title: "Trust this workspace?".to_owned(),
            details: new
                .map(|grant| format!("{} ({})", grant.words, grant.place))
                .collect(),
            because: vec![because.to_owned()],
            ..Permission::default()
        })
    }

    /// Whether a model is set up; without one, a guide to setting one up answers.
    pub fn has_model(&self) -> bool {
        self.settings.provider.is_some() || self.settings.script.is_some()
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

    /// What was set, as people read it, in the order of the schema. The defaults and the rules are not among it.
    pub fn shown(&self) -> Vec<Shown> {
        let text = |value: &Value| {
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned)
        };
        let Ok(values) = serde_json::to_value(&self.settings) else {
            return Vec::new();
        };
        let mut shown = Vec::new();
        for key in keys() {
            let name = key.name.as_str();
            if let Some(items) = self.lists.get(name) {
                shown.extend(items.iter().map(|(item, origin)| Shown {
                    key: name,
                    value: text(item),
                    origin: origin.clone(),
                }));
            } else if let Some(origin) = self.origins.get(name)
                && let Some(value) = values.pointer(&format!("/{}", name.replace('.', "/")))
            {
                shown.push(Shown {
                    key: name,
                    value: text(value),
                    origin: origin.clone(),
                });
            }
        }
        shown
    }

    /// Where the value of a key was set.
    pub fn origin(&self, key: &str) -> &Origin {
        self.origins.get(key).unwrap_or(&Origin::Default)
    }
}

impl Layers<'_> {
    /// The same with the script's absolute path. Before anything is judged: `~/` leads out of a workspace.
    fn resolved(&self, mut read: Read) -> Read {
        for Entry { key, value, origin } in &mut read.entries {
            if let ("script", Value::String(script)) = (*key, &value) {
                *value = Value::String(resolve(script, origin, self));
            }
        }
        read
    }

    /// The files of the workspace, the one that wins last.
    fn workspace(
        &self,
        root: &Path,
        standing: &Standing,
        merge: &mut Merge,
    ) -> Result<(), ConfigError> {
        let file = |name, layer| ProjectFile {
            name,
            layer,
            root,
            home: self.home.as_deref(),
            standing,
        };
        let [shared, own] = claude_files(root);
        for (path, name) in [
            (shared, ".claude/settings.json"),
            (own, ".claude/settings.local.json"),
        ] {
            if let Some((read, warnings)) = source::read_claude(&path)? {
                warnings.into_iter().for_each(|warning| merge.warn(warning));
                merge.take_project(&file(name, Layer::Project), read);
            }
        }
        if let Some(read) = source::read_file(&project_file(root))? {
            merge.take_project(&file(".mewcode.yaml", Layer::Project), self.resolved(read));
        }
        if let Some(read) = source::read_file(&local_file(root))? {
            merge.take_project(&file(LOCAL_FILE, Layer::Local), self.resolved(read));
        }
        Ok(())
    }
}

/// The local file's name in a workspace.
pub const LOCAL_FILE: &str = ".mewcode/settings.local.yaml";

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
        ("max_tokens", Value::from(DEFAULT_MAX_TOKENS)),
        ("thinking_budget", Value::from(0)),
        ("max_turns", Value::from(DEFAULT_MAX_TURNS)),
        ("idle_timeout", Value::from(DEFAULT_IDLE_TIMEOUT)),
        ("mode", Value::from("default")),
        ("limits.memory_mib", Value::from(0)),
        ("limits.processes", Value::from(1024)),
        ("limits.file_size_mib", Value::from(0)),
        ("limits.output_mib", Value::from(4096)),
        ("limits.session_artifacts_mib", Value::from(4096)),
        ("limits.artifacts_mib", Value::from(8192)),
        ("limits.artifact_days", Value::from(14)),
    ])
}
