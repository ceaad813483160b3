//! What the demo's editor was told, and what the session's log holds: read for the checks of the story.

use std::path::Path;

use mewcode_core::hash::ContentHash;
use serde_json::Value;

use super::client::Editor;

/// The hints of the hunks in a document, by line.
pub fn hints(editor: &Editor, uri: &str) -> Vec<Value> {
    let mut hints = editor.diagnostics.get(uri).cloned().unwrap_or_default();
    hints.retain(|hint| hint["source"] == "mewcode");
    hints.sort_by_key(|hint| hint["range"]["start"]["line"].as_u64());
    hints
}

/// What the model said in a turn, from 0. Each turn but the last ends in one call.
pub fn said(editor: &Editor, turn: usize) -> String {
    let mut turns = editor.events.split(|event| event["kind"] == "call_ended");
    let events = turns.nth(turn).unwrap_or_default().iter();
    let texts = events.filter(|event| event["kind"] == "text");
    texts.filter_map(|event| event["delta"].as_str()).collect()
}

/// The end of the last call of a tool.
pub fn call_ended<'a>(editor: &'a Editor, tool: &str) -> Option<&'a Value> {
    let is_end = |event: &&Value| event["kind"] == "call_ended" && event["tool"] == tool;
    editor.events.iter().rfind(is_end)
}

/// The lines that a hunk lists under this key.
pub fn lines(hunk: &Value, key: &str) -> Vec<String> {
    let lines = hunk[key].as_array().into_iter().flatten();
    lines
        .filter_map(|line| Some(line.as_str()?.to_owned()))
        .collect()
}

/// The hash of a text that has no carriage return and ends in a line break: its logical text is the text itself.
pub fn hash(text: &str) -> ContentHash {
    ContentHash::of(text.as_bytes())
}

/// Whether a session's log below the folder has an error with these details.
pub fn is_logged(folder: &Path, details: &Value) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return false;
    };
    entries.flatten().map(|entry| entry.path()).any(|path| {
        if path.is_dir() {
            return is_logged(&path, details);
        }
        if path
            .extension()
            .is_none_or(|extension| extension != "jsonl")
        {
            return false;
        }
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let mut records = text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok());
        records.any(|record| holds(&record, details))
    })
}

/// Whether the value, or one inside it, is an object with at least these entries.
fn holds(value: &Value, wanted: &Value) -> bool {
    let entries = wanted.as_object().into_iter().flatten();
    let mut missing = entries.filter(|(key, wanted)| value.get(key) != Some(wanted));
    missing.next().is_none()
        || match value {
            Value::Array(items) => items.iter().any(|item| holds(item, wanted)),
            Value::Object(entries) => entries.values().any(|entry| holds(entry, wanted)),
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn details_are_found_however_deep() {
        let record = json!({ "kind": "x", "result": { "error": [{ "details": { "a": "1", "b": "2", "c": 3 } }] } });
        assert!(holds(&record, &json!({ "a": "1", "b": "2" })));
        assert!(!holds(&record, &json!({ "a": "1", "b": "1" })));
        assert!(!holds(&record, &json!({ "kind": "x", "a": "1" })));
    }

    #[test]
    fn the_words_of_a_turn_are_those_between_two_calls() {
        let text = |delta: &str| json!({ "kind": "text", "delta": delta });
        let call = json!({ "kind": "call_ended", "tool": "t", "status": "ok" });
        let events = vec![text("a"), text("b"), call.clone(), text("c"), call];
        let editor = Editor {
            events,
            ..Editor::default()
        };
        let turns = [
            said(&editor, 0),
            said(&editor, 1),
            said(&editor, 2),
            said(&editor, 3),
        ];
        assert_eq!(turns, ["ab", "c", "", ""]);
        assert_eq!(
            call_ended(&editor, "t").map(|end| &end["status"]),
            Some(&json!("ok"))
        );
    }
}
