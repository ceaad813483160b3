//! The keys of the schema one by one, as documentation and error messages need them. A key in a mapping has a dotted name:
//! `permissions.allow`. Knows no value.

use std::sync::OnceLock;

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::schema::Settings;

/// One key of the schema that takes a value.
#[derive(Debug)]
pub struct Key {
    /// Its name, dotted where it stands in a mapping.
    pub name: String,
    /// What it takes, to follow "must be": "a whole number, 1 or more".
    pub takes: String,
    /// The least that it takes, if it takes a number.
    pub minimum: Option<u64>,
    /// Whether it takes a list, whose items add up over the layers.
    pub is_list: bool,
    /// The doc comment, as one paragraph.
    pub description: String,
    /// The values of an enumeration with their meaning; empty for other kinds.
    pub variants: Vec<(String, String)>,
}

/// A mapping of the schema.
#[derive(Debug)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// The doc comment, as one paragraph.
    pub description: String,
}

impl Key {
    /// The name of the mapping that it stands in, and its own name.
    pub fn parts(&self) -> (Option<&str>, &str) {
        match self.name.split_once('.') {
            Some((group, name)) => (Some(group), name),
            None => (None, &self.name),
        }
    }
}

struct Schema {
    keys: Vec<Key>,
    groups: Vec<Group>,
}

/// All keys, in the order of [`Settings`].
pub fn keys() -> &'static [Key] {
    &schema().keys
}

/// The key of this dotted name.
pub fn key(name: &str) -> Option<&'static Key> {
    keys().iter().find(|key| key.name == name)
}

/// The mappings, in the order of [`Settings`].
pub fn groups() -> &'static [Group] {
    &schema().groups
}

/// The names that stand at the top, or in a mapping, in the order of [`Settings`].
pub fn names(group: Option<&str>) -> Vec<&'static str> {
    let mut names: Vec<&str> = Vec::new();
    for key in keys() {
        let name = match (group, key.parts()) {
            (None, (Some(own), _)) | (None, (None, own)) => own,
            (Some(group), (Some(own), name)) if own == group => name,
            _ => continue,
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn schema() -> &'static Schema {
    static SCHEMA: OnceLock<Schema> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let all = json_schema();
        let mut schema = Schema {
            keys: Vec::new(),
            groups: Vec::new(),
        };
        for name in ORDER {
            let (group, own) = match name.split_once('.') {
                Some((group, own)) => (Some(group), own),
                None => (None, *name),
            };
            let holder = match group {
                Some(group) => property(&all, group),
                None => Some(&all),
            };
            let Some(property) = holder
                .and_then(|holder| holder.get("properties")?.get(own))
                .and_then(Value::as_object)
            else {
                continue;
            };
            if let (Some(name), Some(holder)) =
                (group, group.and_then(|name| all["properties"].get(name)))
                && schema.groups.iter().all(|group| group.name != name)
            {
                schema.groups.push(Group {
                    name: name.to_owned(),
                    description: description(holder),
                });
            }
            let property = Value::Object(property.clone());
            schema.keys.push(Key {
                takes: takes(name, &property),
                minimum: minimum(&property),
                is_list: is_list(&property),
                description: description(&property),
                variants: variants(&property),
                name: (*name).to_owned(),
            });
        }
        schema
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

/// The keys of [`Settings`] in the order of their declaration, which a JSON object does not keep.
const ORDER: &[&str] = &[
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
    "permissions.allow",
    "permissions.ask",
    "permissions.deny",
    "sandbox",
    "writable",
    "sensitive",
    "environment",
    "web_proxy",
    "limits.memory_mib",
    "limits.processes",
    "limits.file_size_mib",
    "limits.output_mib",
    "limits.session_artifacts_mib",
    "limits.artifacts_mib",
    "limits.artifact_days",
];

/// The schema of a mapping, be it one that may be absent.
pub(super) fn property<'a>(
    all: &'a Map<String, Value>,
    name: &str,
) -> Option<&'a Map<String, Value>> {
    let property = all.get("properties")?.get(name)?.as_object()?;
    if property.contains_key("properties") {
        return Some(property);
    }
    property
        .get("anyOf")?
        .as_array()?
        .iter()
        .filter_map(Value::as_object)
        .find(|alternative| alternative.contains_key("properties"))
}

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

fn kinds(schema: &Value) -> String {
    schema
        .get("type")
        .map(ToString::to_string)
        .unwrap_or_default()
}

fn minimum(schema: &Value) -> Option<u64> {
    let is_number = kinds(schema).contains("integer");
    is_number.then(|| schema.get("minimum").and_then(Value::as_u64).unwrap_or(0))
}

fn is_list(schema: &Value) -> bool {
    kinds(schema).contains("array")
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
    if let Some(minimum) = minimum(schema) {
        return format!("a whole number, {minimum} or more");
    }
    match name {
        "script" => "the path of a file",
        "base_url" => "an https:// or http:// URL",
        "api_key_env" => "the name of an environment variable",
        "api_key_command" => "a command line",
        "permissions.allow" | "permissions.ask" | "permissions.deny" => {
            "a list of rules, each a text like `bash(cargo test:*)` or a mapping with `rule`, `match` and `not_match`"
        }
        "writable" => "a list of folders, each absolute or with `~/`",
        "sensitive" => "a list of patterns",
        "environment" => "a list of names of environment variables, each `NAME` or `PREFIX_*`",
        "web_proxy" => "an http:// URL",
        _ => "text",
    }
    .to_owned()
}
