//! The one schema of the configuration: what the keys are, what each takes, and what it means.
//!
//! The doc comments are the reference that users read (`docs/configuration.md`, error messages). Knows nothing of
//! where a value comes from.

use std::sync::OnceLock;

use mewcode_tools::permission::Mode;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

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

    /// What the agent may do before you are asked. `mewcode run` does not read it: it takes `--mode`, and denies edits
    /// without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<ModeName>,
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
    /// Nothing asks but a change of files that run or configure something later (`.envrc`, `.vscode/`, …).
    Bypass,
    /// Edits are applied at once; you keep or revert them later. The same files ask.
    AcceptEdits,
    /// Reading is free, an edit is shown and waits for you.
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

/// One key of the schema, as documentation and error messages need it.
#[derive(Debug)]
pub struct Key {
    /// Its name.
    pub name: String,
    /// What it takes, to follow "must be": "a whole number, 1 or more".
    pub takes: String,
    /// The doc comment, as one paragraph.
    pub description: String,
    /// The values of an enumeration with their meaning; empty for other kinds.
    pub variants: Vec<(String, String)>,
}

/// All keys, in the order of [`Settings`].
pub fn keys() -> &'static [Key] {
    static KEYS: OnceLock<Vec<Key>> = OnceLock::new();
    KEYS.get_or_init(|| {
        let schema = json_schema();
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
            return Vec::new();
        };
        ORDER
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), properties.get(*name)?)))
            .map(|(name, property)| Key {
                takes: takes(&name, property),
                description: description(property),
                variants: variants(property),
                name,
            })
            .collect()
    })
}

/// The JSON Schema of [`Settings`], for editors that complete YAML.
pub fn json_schema() -> Map<String, Value> {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let schema = settings.into_generator().into_root_schema_for::<Settings>();
    match schema.to_value() {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

/// The fields of [`Settings`] in the order of their declaration, which a JSON object does not keep.
const ORDER: [&str; 11] = [
    "provider",
    "script",
    "model",
    "base_url",
    "api_key_env",
    "api_key_command",
    "max_tokens",
    "thinking_budget",
    "max_turns",
    "idle_timeout",
    "mode",
];

fn description(schema: &Value) -> String {
    let text = schema
        .get("description")
        .and_then(Value::as_str)
        .unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn variants(schema: &Value) -> Vec<(String, String)> {
    let Some(alternatives) = schema
        .get("oneOf")
        .or_else(|| schema.get("anyOf"))
        .and_then(Value::as_array)
    else {
        return Vec::new();
    };
    alternatives
        .iter()
        .flat_map(
            |alternative| match alternative.get("const").and_then(Value::as_str) {
                Some(name) => vec![(name.to_owned(), description(alternative))],
                None => variants(alternative),
            },
        )
        .collect()
}

fn takes(name: &str, schema: &Value) -> String {
    let variants = variants(schema);
    if !variants.is_empty() {
        let names: Vec<_> = variants
            .iter()
            .map(|(name, _)| format!("`{name}`"))
            .collect();
        return format!("one of {}", names.join(", "));
    }
    let kinds = schema
        .get("type")
        .map(ToString::to_string)
        .unwrap_or_default();
    if kinds.contains("integer") {
        let minimum = schema.get("minimum").and_then(Value::as_u64).unwrap_or(0);
        return format!("a whole number, {minimum} or more");
    }
    match name {
        "script" => "the path of a file",
        "base_url" => "an https:// or http:// URL",
        "api_key_env" => "the name of an environment variable",
        "api_key_command" => "a command line",
        _ => "text",
    }
    .to_owned()
}
