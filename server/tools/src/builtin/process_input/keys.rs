//! Keys by name, as a terminal sends them. A table.

use crate::error::ToolError;

/// What a terminal sends for each key.
const KEYS: &[(&str, &[u8])] = &[
    ("enter", b"\r"),
    ("tab", b"\t"),
    ("escape", b"\x1b"),
    ("backspace", b"\x7f"),
    ("delete", b"\x1b[3~"),
    ("space", b" "),
    ("up", b"\x1b[A"),
    ("down", b"\x1b[B"),
    ("right", b"\x1b[C"),
    ("left", b"\x1b[D"),
    ("home", b"\x1b[H"),
    ("end", b"\x1b[F"),
    ("page-up", b"\x1b[5~"),
    ("page-down", b"\x1b[6~"),
];

/// What a terminal sends for the key of this name.
pub(super) fn bytes(name: &str) -> Result<Vec<u8>, ToolError> {
    let folded = name.to_ascii_lowercase().replace('_', "-");
    if let Some((_, bytes)) = KEYS.iter().find(|(key, _)| *key == folded) {
        return Ok(bytes.to_vec());
    }
    let letter = folded.strip_prefix("ctrl-").map(str::as_bytes);
    if let Some([letter @ b'a'..=b'z']) = letter {
        return Ok(vec![letter - b'a' + 1]);
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
            ("ctrl-c", &b"\x03"[..]),
            ("Ctrl-D", b"\x04"),
            ("ctrl_z", b"\x1a"),
            ("enter", b"\r"),
            ("page_up", b"\x1b[5~"),
            ("UP", b"\x1b[A"),
        ] {
            assert_eq!(bytes(name).unwrap(), expected, "{name}");
        }
        for name in ["", "ctrl-", "ctrl-1", "ctrl-ab", "F13", "c"] {
            assert!(bytes(name).is_err(), "{name}");
        }
    }
}
