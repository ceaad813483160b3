//! The reference of the configuration as Markdown, from the schema and the defaults in force.
//!
//! `docs/configuration.md` holds it between two marks; a test compares.

use serde_json::Value;

use super::{defaults, schema};

/// One section a key: what it takes, its default, its meaning.
pub fn markdown() -> String {
    let defaults = defaults();
    let mut text = String::new();
    for key in schema::keys() {
        let default = match defaults.get(key.name.as_str()) {
            Some(Value::String(value)) => format!("`{value}`"),
            Some(value) => format!("`{value}`"),
            None => "none".to_owned(),
        };
        let takes = if key.variants.is_empty() {
            key.takes.as_str()
        } else {
            "one of the names below"
        };
        text += &format!(
            "### `{}`\n\nTakes {takes}. Default: {default}.\n\n{}\n\n",
            key.name, key.description
        );
        for (name, meaning) in &key.variants {
            text += &format!("- `{name}`: {meaning}\n");
        }
        if !key.variants.is_empty() {
            text.push('\n');
        }
    }
    text
}
