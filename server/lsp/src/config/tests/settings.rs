//! The settings of the VS Code extension are the keys of the schema: the same names, kinds, limits, defaults and words.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::super::defaults;
use super::super::keys::{self, Key, json_schema, keys};

/// Set, the test writes the settings instead of comparing them.
const WRITE: &str = "MEWCODE_WRITE_SETTINGS";
/// What marks the section of the settings that is written here.
const SECTION: &str = "\"id\": \"mewcode.configuration\"";

fn manifest() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../editors/vscode/package.json")
}

/// All settings of the server, as VS Code describes settings.
fn settings() -> Map<String, Value> {
    let schema = json_schema();
    keys()
        .iter()
        .enumerate()
        .map(|(order, key)| {
            (
                format!("mewcode.{}", key.name),
                setting(key, order, &schema),
            )
        })
        .collect()
}

fn setting(key: &Key, order: usize, schema: &Map<String, Value>) -> Value {
    let default = defaults().remove(key.name.as_str());
    let mut setting = if key.is_list {
        json!({"type": "array", "items": items(key, schema), "default": []})
    } else if let Some(minimum) = key.minimum {
        json!({"type": "integer", "minimum": minimum, "default": default})
    } else if key.variants.is_empty() {
        // Nothing is written as no text: VS Code has no field for a text that may be absent.
        json!({"type": "string", "default": default.unwrap_or_else(|| json!(""))})
    } else {
        named(key, default)
    };
    setting["scope"] = json!("machine");
    setting["order"] = json!(order);
    setting["markdownDescription"] = json!(key.description);
    setting
}

/// One of several names; nothing, where there is no default.
fn named(key: &Key, default: Option<Value>) -> Value {
    let mut names: Vec<Value> = key.variants.iter().map(|(name, _)| json!(name)).collect();
    let mut meanings: Vec<&str> = key.variants.iter().map(|(_, it)| it.as_str()).collect();
    let mut kinds = json!("string");
    if default.is_none() {
        names.insert(0, Value::Null);
        meanings.insert(0, "Not set here.");
        kinds = json!(["string", "null"]);
    }
    json!({"type": kinds, "enum": names, "markdownEnumDescriptions": meanings, "default": default})
}

fn items(key: &Key, schema: &Map<String, Value>) -> Value {
    let (group, name) = key.parts();
    let holder = match group {
        Some(group) => keys::property(schema, group).unwrap(),
        None => schema,
    };
    holder["properties"][name]["items"].clone()
}

#[test]
fn the_settings_of_the_vs_code_extension_are_the_keys_of_the_schema() {
    let text = std::fs::read_to_string(manifest()).unwrap();
    let section = text.find(SECTION).expect("the section of the settings");
    let mark = "\"properties\": ";
    let start = section + text[section..].find(mark).unwrap() + mark.len();
    let mut found = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
    let properties = found.next().unwrap().unwrap();
    let expected = Value::Object(settings());
    if std::env::var_os(WRITE).is_some() {
        let end = start + found.byte_offset();
        let written = serde_json::to_string_pretty(&expected).unwrap();
        let written = written.replace('\n', "\n        ");
        std::fs::write(
            manifest(),
            format!("{}{written}{}", &text[..start], &text[end..]),
        )
        .unwrap();
        return;
    }
    assert!(
        properties == expected,
        "the settings in editors/vscode/package.json are not those of the schema; run this test with {WRITE}=1"
    );
}
