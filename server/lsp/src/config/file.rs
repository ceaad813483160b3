//! The text of a configuration file and the tree in it. Knows no setting.

use std::io::{ErrorKind, Read};
use std::path::Path;

use super::source::ConfigError;
use super::tree::Node;

/// A configuration file is small; more than this is not one.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The whole text of a file. `None`: there is no such file.
pub fn read_text(path: &Path) -> Result<Option<String>, ConfigError> {
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
    // As long as a confined command runs, an empty folder stands in for a file that is not there.
    if metadata.is_dir()
        && std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
    {
        return Ok(None);
    }
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

/// The tree of a file's text. `None`: the text is empty.
pub fn parse(path: &Path, text: &str) -> Result<Option<Node>, ConfigError> {
    Node::parse(text).map_err(|error| {
        let line = error.location().map_or(1, |location| location.line());
        let is_json = path
            .extension()
            .is_some_and(|extension| extension == "json");
        let language = if is_json { "JSON" } else { "YAML" };
        ConfigError::new(
            format!("{}:{line}", path.display()),
            message(&error, language),
        )
    })
}

/// The fault of a file whose tree is no mapping.
pub fn not_a_mapping(path: &Path, tree: &Node) -> ConfigError {
    let line = tree.place.map_or(1, |place| place.line);
    ConfigError::new(format!("{}:{line}", path.display()), NOT_A_MAPPING)
}

const NOT_A_MAPPING: &str = "must be a mapping of settings, one `key: value` a line";

/// The parser's word on a text, without its own position.
fn message(error: &serde_saphyr::Error, language: &str) -> String {
    use serde_saphyr::Error;
    match error {
        Error::Unexpected { .. } | Error::SerdeInvalidType { .. } => NOT_A_MAPPING.to_owned(),
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
                "is not valid {language}: {}",
                first.split(" at line ").next().unwrap_or(first)
            )
        }
    }
}
