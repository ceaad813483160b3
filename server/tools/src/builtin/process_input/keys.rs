//! Keys by name, as a terminal sends them. A table.

use crate::error::ToolError;

/// What a terminal sends for each key.
const KEYS: &[(&str, &str)] = &[
    ("enter", "\r"),
    ("tab", "\t"),
    ("escape", "\x1b"),
    ("backspace", "\x7f"),
    ("delete", "\x1b[3~"),
    ("space", " "),
    ("up", "\x1b[A"),
    ("down", "\x1b[B"),
    ("right", "\x1b[C"),
    ("left", "\x1b[D"),
    ("home", "\x1b[H"),
    ("end", "\x1b[F"),
    ("page-up", "\x1b[5~"),
    ("page-down", "\x1b[6~"),
];

/// What a terminal sends for the key of this name.
pub(super) fn sequence(name: &str) -> Result<String, ToolError> {
    let folded = name.to_ascii_lowercase().replace('_', "-");
    if let Some((_, sequence)) = KEYS.iter().find(|(key, _)| *key == folded) {
        return Ok((*sequence).to_owned());
    }
    let letter = folded.strip_prefix("ctrl-").map(str::as_bytes);
    if let Some([letter @ b'a'..=b'z']) = letter {
        return Ok(char::from(letter - b'a' + 1).to_string());
    }
    let known: Vec<&str> = KEYS.iter().map(|(key, _)| *key).collect();
    Err(
        ToolError::invalid_arguments(format!("There is no key `{name}`.")).suggest(format!(
            "The keys are {}, and ctrl-a to ctrl-z.",
            known.join(", ")
        )),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_what_terminals_send() {
        for (name, expected) in [
            ("ctrl-c", "\x03"),
            ("Ctrl-D", "\x04"),
            ("ctrl_z", "\x1a"),
            ("enter", "\r"),
            ("page_up", "\x1b[5~"),
            ("UP", "\x1b[A"),
        ] {
            assert_eq!(sequence(name).unwrap(), expected, "{name}");
        }
        for name in ["", "ctrl-", "ctrl-1", "ctrl-ab", "F13", "c"] {
            assert!(sequence(name).is_err(), "{name}");
        }
    }
}
