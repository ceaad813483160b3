//! The reference of the configuration as Markdown, from the schema and the defaults in force.
//!
//! `docs/configuration.md` holds it between two marks; a test compares.

use serde_json::Value;

use super::defaults;
use super::keys::{groups, keys};

/// One section a key: what it takes, its default, its meaning. The keys of a mapping are below it.
pub fn markdown() -> String {
    let defaults = defaults();
    let mut text = String::new();
    let mut inside = None;
    for key in keys() {
        let (group, name) = key.parts();
        if let Some(found) = groups()
            .iter()
            .find(|found| Some(found.name.as_str()) == group && group != inside)
        {
            text += &format!(
                "### `{}`\n\nTakes a mapping of the keys below. {}\n\n",
                found.name, found.description
            );
        }
        inside = group;
        let default = match (defaults.get(key.name.as_str()), name) {
            (Some(Value::String(value)), _) => format!("`{value}`"),
            (Some(value), _) => format!("`{value}`"),
            (None, "sandbox") => "see below".to_owned(),
            (None, _) => "none".to_owned(),
        };
        let takes = if key.variants.is_empty() {
            key.takes.as_str()
        } else {
            "one of the names below"
        };
        let level = if group.is_some() { "####" } else { "###" };
        text += &format!(
            "{level} `{}`\n\nTakes {takes}. Default: {default}.\n\n{}\n\n",
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
