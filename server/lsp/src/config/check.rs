//! Whether the schema takes a value, and what to say if not. Knows no place and no layer.

use serde_json::{Map, Value};
use url::Url;

use super::keys::Key;
use super::schema::Settings;

/// Checks the value of a key that takes no list.
///
/// # Errors
/// What the key takes, and what it got.
pub fn value(key: &Key, value: &Value) -> Result<(), String> {
    let right = fits(key, value) && in_range(key, value);
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

/// Checks an item of a list.
///
/// # Errors
/// What the key takes, and what it got.
pub fn item(key: &Key, item: &Value) -> Result<(), String> {
    let list = Value::Array(vec![item.clone()]);
    let text = item.as_str().map(str::trim).unwrap_or_default();
    let right = match key.name.as_str() {
        // `*` alone would pass everything on.
        "environment" => is_variable_name(text.strip_suffix('*').unwrap_or(text)),
        // A relative one would be another folder in every workspace.
        "writable" => text.starts_with("~/") || std::path::Path::new(text).is_absolute(),
        _ => !text.is_empty(),
    };
    if right && fits(key, &list) {
        return Ok(());
    }
    Err(format!(
        "`{}` must be {}; this item is {}",
        key.name,
        key.takes,
        kind(item)
    ))
}

/// Whether the schema's types take it.
fn fits(key: &Key, value: &Value) -> bool {
    let (group, name) = key.parts();
    let alone = Map::from_iter([(name.to_owned(), value.clone())]);
    let alone = match group {
        Some(group) => Map::from_iter([(group.to_owned(), Value::Object(alone))]),
        None => alone,
    };
    serde_json::from_value::<Settings>(Value::Object(alone)).is_ok()
}

/// What the schema's types do not say.
fn in_range(key: &Key, value: &Value) -> bool {
    let text = value.as_str().map(str::trim);
    if let Some(minimum) = key.minimum {
        return value.as_u64().is_some_and(|number| number >= minimum);
    }
    match key.name.as_str() {
        "api_key_env" => text.is_some_and(is_variable_name),
        // Neither is it a place for a password: it is shown.
        "base_url" => text.is_some_and(|url| {
            (url.starts_with("https://") || url.starts_with("http://")) && !url.contains('@')
        }),
        "web_proxy" => text.is_some_and(|text| {
            !text.contains('@')
                && Url::parse(text).is_ok_and(|url| url.scheme() == "http" && url.has_host())
        }),
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

/// What a value is, to follow "not".
pub fn kind(value: &Value) -> &'static str {
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
