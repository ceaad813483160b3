//! Files that the editor holds in another form than a document of text: a notebook, a custom editor, a text that it does not
//! synchronise. Its own text of such a file is unknown here, so the file must not be written behind it.
//!
//! Knows nothing of edits; who writes files asks.

use crate::protocol::{HeldKind, HeldParams};
use crate::uri::path_of;
use mewcode_tools::result::ToolError;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

/// The files that the editor holds.
#[derive(Debug, Default)]
pub struct Held {
    files: RwLock<HashMap<PathBuf, HeldKind>>,
}

impl Held {
    /// Takes the whole list.
    pub fn set(&self, params: &HeldParams) {
        let files = params
            .files
            .iter()
            .filter_map(|file| Some((path_of(&file.uri)?, file.kind)))
            .collect();
        *self.files.write().unwrap_or_else(PoisonError::into_inner) = files;
    }

    /// Whether this real path may be written.
    ///
    /// # Errors
    ///
    /// The editor holds it.
    pub fn check(&self, path: &Path, display: &str) -> Result<(), ToolError> {
        let kind = {
            let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
            files.get(path).copied()
        };
        let Some(kind) = kind else { return Ok(()) };
        let how = match kind {
            HeldKind::Notebook => "as a notebook",
            HeldKind::Custom => "in a custom editor",
            HeldKind::Unsynchronised => "as a text that the editor does not share",
        };
        Err(ToolError::unavailable(format!(
            "`{display}` is open in the editor {how}, so that what it holds is not known here; close it there first."
        ))
        .suggest("Ask the user to close it, then try again."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mewcode_tools::result::ErrorKind;
    use serde_json::json;

    #[test]
    fn a_list_replaces_the_one_before() {
        let held = Held::default();
        let set = |files: serde_json::Value| {
            held.set(&serde_json::from_value(json!({"files": files})).unwrap());
        };
        let path = Path::new("/nowhere/a.ipynb");
        set(json!([{"uri": "file:///nowhere/a.ipynb", "kind": "notebook"}]));
        let error = held.check(path, "a.ipynb").unwrap_err();
        assert_eq!(error.kind, ErrorKind::Unavailable);
        assert!(
            error
                .message
                .contains("`a.ipynb` is open in the editor as a notebook")
        );
        set(json!([{"uri": "untitled:x", "kind": "custom"}]));
        assert!(held.check(path, "a.ipynb").is_ok());
    }
}
