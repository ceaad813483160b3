//! The one schema of the configuration: what the keys are, what each takes, and what it means.
//!
//! The doc comments are the reference that users read (`docs/configuration.md`, error messages). Knows nothing of
//! where a value comes from.

use mewcode_tools::permission::Mode;
use mewcode_tools::sandbox::Profile;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Every setting, each of them optional. A layer of the configuration is a value of this type, and so is their sum.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Who plays the model. Without it, a `script` means `scripted`; with neither, a prompt is answered by one turn
    /// that explains how to set a provider up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<ProviderName>,

    /// The script that the provider `scripted` plays: a YAML file of model turns. A relative path starts at the folder
    /// of the file that names it; in `initializationOptions` at the workspace root, on the command line at the current
    /// folder. `~/` is the home folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub script: Option<String>,

    /// The model's name, as the provider spells it. `anthropic` needs one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub model: Option<String>,

    /// The server to use instead of the vendor's own: its URL without `/v1/messages`. No key is sent to it unless
    /// `api_key_env` or `api_key_command` names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub base_url: Option<String>,

    /// The name of the environment variable that holds the key, never the key itself. Without it, and without
    /// `api_key_command` and `base_url`, it is `ANTHROPIC_API_KEY`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub api_key_env: Option<String>,

    /// A shell command that prints the key, for instance `pass show anthropic`. It is run when the key is needed first,
    /// and goes before `api_key_env`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub api_key_command: Option<String>,

    /// The most tokens that the model may write in one turn, thinking included.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_tokens: Option<u32>,

    /// How many of the `max_tokens` of a turn the model may spend on thinking: 1024 or more, or 0 for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking_budget: Option<u32>,

    /// The most turns of the model in one run, after which the run ends with the outcome `limit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_turns: Option<u32>,

    /// How many seconds the provider may be silent before a turn is given up and asked for again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub idle_timeout: Option<u32>,

    /// What the agent may do before you are asked. Rules go before it. `mewcode run` does not read it: it takes `--mode`,
    /// and denies what would ask without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<ModeName>,

    /// Rules about single tools, commands, paths and hosts. The lists of all layers add up; in which layer a rule stands
    /// does not matter: a `deny` goes before an `ask`, an `ask` before an `allow`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Permissions>,

    /// How the system confines the commands that the agent runs. Without it, it is `workspace_write` where the system has
    /// a sandbox, and `off` where it has none. One that is set and cannot be had lets no command run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxName>,

    /// Folders that commands may write in the sandbox `workspace_write` besides the workspace and the temporary ones, for
    /// instance the cache of a package manager: absolute, or with `~/`. The lists of all layers add up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writable: Option<Vec<String>>,

    /// Names of files that hold secrets, besides those that MewCode knows: patterns as in `.gitignore`. They are not read
    /// unasked in any mode. `!NAME` takes one off the list. The lists of all layers add up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensitive: Option<Vec<String>>,

    /// Environment variables that commands get besides the usual ones: `NAME`, or `PREFIX_*` for all that begin so. One
    /// whose name speaks of a key, a token or a secret is passed only if it is written out. The lists of all layers
    /// add up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<Vec<String>>,

    /// The proxy that `web_fetch` goes through, for instance `http://proxy:3128`. It resolves names by itself, so it must
    /// be the proxy that keeps private addresses closed. The proxies of the environment are not used.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub web_proxy: Option<String>,

    /// How much a command may use, where 0 means that there is no limit, and how much of its output is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
}

/// The rules of a layer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Permissions {
    /// What happens unasked, for instance `bash(cargo test:*)`, `edit_file(src/**)`, `web_fetch(domain:docs.rs)`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow: Option<Vec<RuleSetting>>,

    /// What is asked for in every mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask: Option<Vec<RuleSetting>>,

    /// What never happens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deny: Option<Vec<RuleSetting>>,
}

/// A rule, alone or with examples.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum RuleSetting {
    /// The rule.
    Text(String),
    /// The rule with examples.
    Checked(CheckedRule),
}

/// A rule with examples that are checked when it is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckedRule {
    /// The rule.
    pub rule: String,
    /// What it must match.
    #[serde(default, rename = "match", skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<String>,
    /// What it must not match.
    #[serde(default, rename = "not_match", skip_serializing_if = "Vec::is_empty")]
    pub not_matches: Vec<String>,
}

/// The limits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// How many mebibytes of memory a command may use, with all that it starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<u32>,

    /// How many processes a command may have at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<u32>,

    /// How many mebibytes a file that a command writes may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_size_mib: Option<u32>,

    /// How many mebibytes of one command's output are kept on disk; beyond it only its head and its tail are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub output_mib: Option<u32>,

    /// How many mebibytes of outputs a session keeps on disk; the oldest go first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub session_artifacts_mib: Option<u32>,

    /// How many mebibytes of outputs all sessions keep on disk together; the oldest go first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub artifacts_mib: Option<u32>,

    /// How many days an output is kept on disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub artifact_days: Option<u32>,
}

/// The sandboxes, loosest first: their order is what "stricter" means.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
    clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum SandboxName {
    /// Commands may do what your own shell may.
    Off,
    /// They write in the workspace and in temporary folders, and reach no network.
    WorkspaceWrite,
    /// They write nothing but a temporary folder, and reach no network.
    ReadOnly,
}

impl From<SandboxName> for Profile {
    fn from(name: SandboxName) -> Profile {
        match name {
            SandboxName::Off => Profile::Off,
            SandboxName::WorkspaceWrite => Profile::WorkspaceWrite,
            SandboxName::ReadOnly => Profile::ReadOnly,
        }
    }
}

/// The providers.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum ProviderName {
    /// Plays the turns of `script`. Needs no key and no network.
    Scripted,
    /// The Anthropic Messages API.
    Anthropic,
}

/// The permission modes, loosest first: their order is what "stricter" means.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
    clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum ModeName {
    /// Nothing asks but what asks in every mode: files that hold secrets, files that run or configure something later
    /// (`.envrc`, `.vscode/`, …). Rules that deny or ask hold, and so does what is never done.
    Bypass,
    /// Edits are applied at once; you keep or revert them later. Commands in a sandbox are run unasked.
    AcceptEdits,
    /// Reading is free, commands that are proven to do nothing else included. An edit is shown and waits for you, any
    /// other command asks.
    Default,
    /// What would ask is denied.
    DontAsk,
    /// Only reading.
    Plan,
}

impl From<ModeName> for Mode {
    fn from(name: ModeName) -> Mode {
        match name {
            ModeName::Bypass => Mode::Bypass,
            ModeName::AcceptEdits => Mode::AcceptEdits,
            ModeName::Default => Mode::Default,
            ModeName::DontAsk => Mode::DontAsk,
            ModeName::Plan => Mode::Plan,
        }
    }
}
