//! The arguments of a tool: a JSON Schema derived from the argument struct, made strict, and the one place where
//! arguments are renamed and checked. Knows no tool.

use std::sync::OnceLock;

use jsonschema::Validator;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::error::ToolError;

/// The keywords that every provider takes. Others may be dropped on the way to the model, which then does not know of
/// them.
const KEYWORDS: &[&str] = &[
    "type",
    "properties",
    "required",
    "description",
    "enum",
    "items",
    "additionalProperties",
    "anyOf",
    "const",
    "default",
];

/// How many faults of one call are told at once.
const MAX_FAULTS: usize = 10;

/// How much of one fault is told: a validator quotes the value at fault, which may be a whole file.
const MAX_FAULT_CHARS: usize = 200;

/// The declared arguments of a tool.
pub struct Parameters {
    schema: Value,
    aliases: Vec<(&'static str, &'static str)>,
    // Compiling costs a millisecond or more: only for tools that are called.
    validator: OnceLock<Result<Validator, String>>,
}

impl Parameters {
    /// The schema of `T`: doc comments are the descriptions, nothing undeclared is allowed.
    pub fn of<T: JsonSchema>() -> Parameters {
        let settings = SchemaSettings::draft2020_12().with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        });
        let mut schema = settings
            .into_generator()
            .into_root_schema_for::<T>()
            .to_value();
        simplify(&mut schema);
        // Of arguments that are none, too: providers look for it.
        if let Value::Object(schema) = &mut schema {
            schema
                .entry("properties")
                .or_insert_with(|| Value::Object(Map::new()));
        }
        Parameters::from_schema(schema)
    }

    /// Takes a schema that was made elsewhere, as it is.
    pub fn from_schema(schema: Value) -> Parameters {
        Parameters {
            schema,
            aliases: Vec::new(),
            validator: OnceLock::new(),
        }
    }

    /// Takes `alias` for `name` where a caller uses it. An alias is not in the schema.
    #[must_use]
    pub fn alias(mut self, alias: &'static str, name: &'static str) -> Parameters {
        self.aliases.push((alias, name));
        self
    }

    /// The JSON Schema.
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// The declared aliases: alias, then the name that it stands for.
    pub fn aliases(&self) -> &[(&'static str, &'static str)] {
        &self.aliases
    }

    /// The names of the arguments, in the order of the schema.
    pub fn names(&self) -> Vec<&str> {
        let properties = self.schema.get("properties").and_then(Value::as_object);
        properties.map_or_else(Vec::new, |properties| {
            properties.keys().map(String::as_str).collect()
        })
    }

    /// Keywords of the schema that a provider may drop, each with its path.
    pub fn uncommon_keywords(&self) -> Vec<String> {
        let mut found = Vec::new();
        collect_uncommon(&self.schema, "", &mut found);
        found
    }

    /// Brings arguments into their declared form: absent ones are `{}`, aliases become names.
    pub fn normalise(&self, arguments: Value) -> Result<Value, ToolError> {
        let mut arguments = match arguments {
            Value::Null => Map::new(),
            Value::Object(arguments) => arguments,
            other => {
                return Err(ToolError::invalid_arguments(format!(
                    "The arguments must be a JSON object, not {}.",
                    type_name(&other)
                )));
            }
        };
        for (alias, name) in &self.aliases {
            let Some(value) = arguments.remove(*alias) else {
                continue;
            };
            match arguments.get(*name) {
                Some(present) if *present != value => {
                    return Err(ToolError::invalid_arguments(format!(
                        "`{alias}` is another name of `{name}`, and the two differ."
                    ))
                    .suggest(format!("Give `{name}` alone.")));
                }
                Some(_) => {}
                None => {
                    arguments.insert((*name).to_owned(), value);
                }
            }
        }
        Ok(Value::Object(arguments))
    }

    /// Checks normalised arguments and names every fault with its path.
    pub fn validate(&self, arguments: &Value) -> Result<(), ToolError> {
        let validator = self
            .validator
            .get_or_init(|| {
                jsonschema::validator_for(&self.schema).map_err(|error| error.to_string())
            })
            .as_ref()
            .map_err(|error| {
                ToolError::internal(format!("The schema of the tool is not valid: {error}."))
            })?;
        let faults: Vec<String> = validator
            .iter_errors(arguments)
            .map(|error| fault(&error.instance_path().to_string(), &error.to_string()))
            .collect();
        if faults.is_empty() {
            return Ok(());
        }
        if self.takes_none() {
            let given = arguments.as_object().into_iter().flat_map(Map::keys);
            let given: Vec<String> = given.map(|name| format!("`{name}`")).collect();
            return Err(ToolError::invalid_arguments(format!(
                "The tool takes no arguments, and was given {}.",
                shorten(&given.join(", "))
            ))
            .suggest("Call again without arguments."));
        }
        let mut message = faults
            .iter()
            .take(MAX_FAULTS)
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join("; ");
        if faults.len() > MAX_FAULTS {
            message.push_str(&format!("; and {} more", faults.len() - MAX_FAULTS));
        }
        Err(ToolError::invalid_arguments(format!("{message}."))
            .suggest(format!(
                "The arguments are {}. Correct them and call again.",
                self.describe_names()
            ))
            .with("faults", faults))
    }

    /// Whether there is nothing to say to the tool.
    fn takes_none(&self) -> bool {
        self.schema.get("additionalProperties") == Some(&Value::Bool(false))
            && self.names().is_empty()
    }

    fn describe_names(&self) -> String {
        let required = self.schema.get("required").and_then(Value::as_array);
        let is_required =
            |name: &str| required.is_some_and(|list| list.iter().any(|entry| entry == name));
        let names = self.names();
        let describe = |name: &&str| {
            if is_required(name) {
                format!("`{name}` (required)")
            } else {
                format!("`{name}`")
            }
        };
        names.iter().map(describe).collect::<Vec<_>>().join(", ")
    }
}

impl Serialize for Parameters {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.schema.serialize(serializer)
    }
}

/// Reads validated arguments into the struct that the schema was derived from.
pub fn parse<T: DeserializeOwned>(arguments: Value) -> Result<T, ToolError> {
    serde_json::from_value(arguments).map_err(|error| {
        ToolError::invalid_arguments(shorten(&format!("The arguments do not fit: {error}.")))
    })
}

fn fault(pointer: &str, message: &str) -> String {
    let message = shorten(message);
    if pointer.is_empty() {
        message
    } else {
        format!("`{}`: {message}", readable_path(pointer))
    }
}

/// `/edits/0/old_string` as `edits[0].old_string`.
fn readable_path(pointer: &str) -> String {
    let mut path = String::new();
    for part in pointer.split('/').skip(1) {
        if part.bytes().all(|byte| byte.is_ascii_digit()) {
            path.push_str(&format!("[{part}]"));
        } else {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(&part.replace("~1", "/").replace("~0", "~"));
        }
    }
    path
}

fn shorten(message: &str) -> String {
    if message.chars().count() <= MAX_FAULT_CHARS {
        return message.to_owned();
    }
    let half = MAX_FAULT_CHARS / 2;
    let head: String = message.chars().take(half).collect();
    let tail: Vec<char> = message.chars().rev().take(half).collect();
    format!("{head} … {}", tail.into_iter().rev().collect::<String>())
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Takes away what says nothing to a model or is not understood by every provider: titles, formats, bounds that come
/// only from the Rust type, and the `null` of an optional argument (which is left out instead).
fn simplify(schema: &mut Value) {
    let Value::Object(object) = schema else {
        return;
    };
    for keyword in ["title", "format", "minimum", "maximum"] {
        object.remove(keyword);
    }
    if let Some(Value::String(description)) = object.get_mut("description") {
        // Where a line of a doc comment ends says nothing.
        *description = description.replace('\n', " ");
    }
    if object.get("default") == Some(&Value::Null) {
        object.remove("default");
    }
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if types.len() == 1 {
            let only = types.remove(0);
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    drop_null_alternative(object);
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        properties.values_mut().for_each(simplify);
    }
    if let Some(items) = object.get_mut("items") {
        simplify(items);
    }
    if let Some(Value::Array(alternatives)) = object.get_mut("anyOf") {
        alternatives.iter_mut().for_each(simplify);
    }
    if object.get("type").is_some_and(|name| name == "object") {
        object
            .entry("additionalProperties")
            .or_insert(Value::Bool(false));
    }
}

fn drop_null_alternative(object: &mut Map<String, Value>) {
    let Some(Value::Array(alternatives)) = object.get_mut("anyOf") else {
        return;
    };
    alternatives.retain(|alternative| alternative.get("type").is_none_or(|name| name != "null"));
    if alternatives.len() != 1 {
        return;
    }
    let only = alternatives.remove(0);
    object.remove("anyOf");
    if let Value::Object(only) = only {
        for (keyword, value) in only {
            object.entry(keyword).or_insert(value);
        }
    }
}

fn collect_uncommon(schema: &Value, path: &str, found: &mut Vec<String>) {
    let Value::Object(object) = schema else {
        return;
    };
    for (keyword, value) in object {
        // Alternatives of the arguments as a whole are refused or dropped; those of one argument are taken.
        let is_refused = keyword == "anyOf" && path.is_empty();
        if is_refused || !KEYWORDS.contains(&keyword.as_str()) {
            found.push(format!("{path}/{keyword}"));
        }
        match (keyword.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                for (name, property) in properties {
                    collect_uncommon(property, &format!("{path}/properties/{name}"), found);
                }
            }
            ("items" | "additionalProperties", value) => {
                collect_uncommon(value, &format!("{path}/{keyword}"), found)
            }
            ("anyOf", Value::Array(alternatives)) => {
                for (index, alternative) in alternatives.iter().enumerate() {
                    collect_uncommon(alternative, &format!("{path}/anyOf/{index}"), found);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
