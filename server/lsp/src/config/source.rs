//! Reads one layer of the configuration into entries: a key of the schema, its checked value, and where it was set.
//!
//! Every fault is one sentence that begins with the place: a file and line, a key path, or a flag. Knows nothing of
//! what another layer says.

use std::collections::HashMap;
use std::fmt;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use mewcode_tools::names;
use serde_json::{Map, Value};
use serde_saphyr::Spanned;

use super::schema::{self, Settings};

/// A configuration file is small; more than this is not one.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Where a value was set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Nowhere: the default stands.
    Default,
    /// A file, at this line (from 1).
    File {
        /// The file.
        path: PathBuf,
        /// The line of the key.
        line: u64,
    },
    /// The editor's `initializationOptions`.
    InitializationOptions,
    /// A flag of the command line.
    CommandLine,
}

impl Origin {
    /// The very place of a key: what an error begins with.
    pub fn place(&self, key: &str) -> String {
        match self {
            Origin::Default => "configuration".to_owned(),
            Origin::File { .. } => self.to_string(),
            Origin::InitializationOptions => format!("initializationOptions.{key}"),
            Origin::CommandLine => format!("--{}", key.replace('_', "-")),
        }
    }
}

/// Displays as "default", "FILE:LINE", "initializationOptions" or "command line".
impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => formatter.write_str("default"),
            Origin::File { path, line } => write!(formatter, "{}:{line}", path.display()),
            Origin::InitializationOptions => formatter.write_str("initializationOptions"),
            Origin::CommandLine => formatter.write_str("command line"),
        }
    }
}

/// A fault of the configuration, displayed as one sentence that begins with its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct ConfigError {
    /// "FILE:LINE", "FILE", "initializationOptions.KEY" or "--FLAG".
    pub place: String,
    /// What is wrong there, and what would be right.
    pub message: String,
}

impl ConfigError {
    fn new(place: impl fmt::Display, message: impl Into<String>) -> Self {
        ConfigError {
            place: place.to_string(),
            message: message.into(),
        }
    }
}

/// One key that a layer sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// A key of the schema.
    pub key: &'static str,
    /// Its value, which the schema takes.
    pub value: Value,
    /// Where it was set.
    pub origin: Origin,
}

/// The entries of a YAML file in the order of its lines. `None`: there is no such file.
pub fn read_file(path: &Path) -> Result<Option<Vec<Entry>>, ConfigError> {
    match read_text(path)? {
        Some(text) => parse_yaml(path, &text).map(Some),
        None => Ok(None),
    }
}

/// The entries of the editor's `initializationOptions`. An empty array is an empty object: it is how Lua writes one.
pub fn read_options(options: &Value) -> Result<Vec<Entry>, ConfigError> {
    let object = match options {
        Value::Null => return Ok(Vec::new()),
        Value::Array(items) if items.is_empty() => return Ok(Vec::new()),
        Value::Object(object) => object,
        other => {
            let message = format!("must be an object of settings, not {}", kind(other));
            return Err(ConfigError::new("initializationOptions", message));
        }
    };
    entries(
        object
            .iter()
            .map(|(key, value)| (key.clone(), value.clone(), Origin::InitializationOptions)),
    )
}

/// The entries of what was given on the command line.
pub fn read_command_line(settings: &Settings) -> Result<Vec<Entry>, ConfigError> {
    let Ok(Value::Object(object)) = serde_json::to_value(settings) else {
        return Ok(Vec::new());
    };
    entries(
        object
            .into_iter()
            .map(|(key, value)| (key, value, Origin::CommandLine)),
    )
}

fn read_text(path: &Path) -> Result<Option<String>, ConfigError> {
    let unreadable = |error: std::io::Error| {
        ConfigError::new(path.display(), format!("cannot be read: {error}"))
    };
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(unreadable(error)),
    };
    // A repository can make its file a link to a device or a pipe, which would never end.
    if !metadata.is_file() {
        return Err(ConfigError::new(path.display(), "is not a file"));
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(MAX_FILE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(ConfigError::new(
            path.display(),
            "is larger than 1 MiB, so it is no configuration file",
        ));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(error) => {
            let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = 1 + valid.iter().filter(|byte| **byte == b'\n').count();
            Err(ConfigError::new(
                format!("{}:{line}", path.display()),
                "is not UTF-8",
            ))
        }
    }
}

fn parse_yaml(path: &Path, text: &str) -> Result<Vec<Entry>, ConfigError> {
    type Mapping = HashMap<Spanned<String>, Spanned<Value>>;

    let options = serde_saphyr::options! { strict_booleans: true, with_snippet: false };
    let mapping: Option<Mapping> =
        serde_saphyr::from_str_with_options(text, options).map_err(|error| {
            let line = error.location().map_or(1, |location| location.line());
            ConfigError::new(format!("{}:{line}", path.display()), yaml_message(&error))
        })?;
    let mut rows: Vec<_> = mapping.unwrap_or_default().into_iter().collect();
    rows.sort_by_key(|(key, _)| (key.referenced.line(), key.referenced.column()));

    entries(rows.into_iter().map(|(key, value)| {
        let origin = Origin::File {
            path: path.to_owned(),
            line: key.referenced.line(),
        };
        (key.value, value.value, origin)
    }))
}

/// The parser's word on a text that is not a mapping of keys to values, without its own position.
fn yaml_message(error: &serde_saphyr::Error) -> String {
    use serde_saphyr::Error;
    match error {
        Error::Unexpected { .. } | Error::SerdeInvalidType { .. } => {
            "must be a mapping of settings, one `key: value` a line".to_owned()
        }
        Error::MultipleDocuments { .. } => {
            "holds a second YAML document; a configuration is one".to_owned()
        }
        Error::DuplicateMappingKey { key: Some(key), .. } => {
            format!("the key `{key}` stands twice")
        }
        other => {
            let text = other.to_string();
            let first = text.lines().next().unwrap_or_default();
            format!(
                "is not valid YAML: {}",
                first.split(" at line ").next().unwrap_or(first)
            )
        }
    }
}

fn entries(
    values: impl Iterator<Item = (String, Value, Origin)>,
) -> Result<Vec<Entry>, ConfigError> {
    let mut entries = Vec::new();
    for (key, value, origin) in values {
        let Some(known) = schema::keys().iter().find(|known| known.name == key) else {
            return Err(ConfigError::new(origin.place(&key), unknown_key(&key)));
        };
        // An empty value is a key that was left open, as in an example that was copied.
        if value.is_null() {
            continue;
        }
        check(known, &value).map_err(|message| ConfigError::new(origin.place(&key), message))?;
        entries.push(Entry {
            key: &known.name,
            value,
            origin,
        });
    }
    Ok(entries)
}

fn unknown_key(key: &str) -> String {
    if key == "api_key" {
        return "a key does not belong in a configuration; name where it is with `api_key_env` or `api_key_command`"
            .to_owned();
    }
    let names: Vec<_> = schema::keys()
        .iter()
        .map(|known| known.name.as_str())
        .collect();
    match names::close(key, names.iter().copied()).as_slice() {
        [] => format!("unknown key `{key}`; the keys are {}", names.join(", ")),
        near => format!("unknown key `{key}`; did you mean {}?", names::either(near)),
    }
}

fn check(key: &schema::Key, value: &Value) -> Result<(), String> {
    let alone = Map::from_iter([(key.name.clone(), value.clone())]);
    let right =
        serde_json::from_value::<Settings>(Value::Object(alone)).is_ok() && in_range(key, value);
    if right {
        return Ok(());
    }
    // Text is shown only where a name is expected: a key pasted in the wrong place must not reach a log by way of its
    // error message.
    let shown = match value {
        Value::String(text) if !key.variants.is_empty() => format!("`{text}`"),
        Value::Number(number) => number.to_string(),
        other => kind(other).to_owned(),
    };
    Err(format!("`{}` must be {}, not {shown}", key.name, key.takes))
}

/// What the schema's types do not say.
fn in_range(key: &schema::Key, value: &Value) -> bool {
    let text = value.as_str().map(str::trim);
    match key.name.as_str() {
        "api_key_env" => text.is_some_and(is_variable_name),
        // Neither is it a place for a password: it is shown.
        "base_url" => text.is_some_and(|url| {
            (url.starts_with("https://") || url.starts_with("http://")) && !url.contains('@')
        }),
        "max_tokens" | "max_turns" | "idle_timeout" => {
            value.as_u64().is_some_and(|number| number > 0)
        }
        _ => text.is_none_or(|text| !text.is_empty()),
    }
}

fn is_variable_name(text: &str) -> bool {
    let mut characters = text.chars();
    characters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|character| character.is_ascii_alphanumeric() || character == '_')
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(text) if text.trim().is_empty() => "empty text",
        Value::String(_) => "other text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a mapping",
    }
}
