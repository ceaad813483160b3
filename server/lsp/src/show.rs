//! Showing texts that are no documents of the workspace: diffs and transcripts.
//!
//! By `window/showDocument` of a file in the state directory, where no plugin shows them itself. Never takes the focus
//! without being asked: both are shown only by a command of the user.

use crate::review::book::{FileView, Selection};
use crate::state::State;
use crate::uri::uri_of;
use mewcode_core::diff::unified;
use mewcode_core::edit::{Edit, Replacement};
use ropey::Rope;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tower_lsp::ls_types::ShowDocumentParams;
use tower_lsp::ls_types::request::ShowDocument;

/// How long a client may take to show a document.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Shows hunks as a unified diff.
pub fn diff(state: &Arc<State>, selection: &Selection) {
    let paths = match selection {
        Selection::Hunk(id) => state
            .book
            .find(id)
            .map(|(path, _)| path)
            .into_iter()
            .collect(),
        Selection::File(path) => vec![path.clone()],
        Selection::All => state.book.paths(),
    };
    let mut text = String::new();
    for path in paths {
        state.look(&path);
        let only = match selection {
            Selection::Hunk(id) => Some(id.as_str()),
            _ => None,
        };
        if let Some(file) = state.book.file(&path) {
            text.push_str(&file_diff(&file, only));
        }
    }
    present(state, "proposal.diff", text);
}

/// Shows a transcript.
pub fn transcript(state: &Arc<State>, markdown: &str) {
    present(state, "transcript.md", markdown.to_owned());
}

/// A file's hunks, or one of them, as a unified diff with file header.
fn file_diff(file: &FileView, only: Option<&str>) -> String {
    let rope = file.text.rope();
    let mut replacements = Vec::new();
    for (hunk, _) in &file.hunks {
        if only.is_none_or(|id| id == hunk.id) {
            let range = hunk.lines.bytes(rope);
            // Both ways of review read from the agent's old lines to its new ones.
            let target = match hunk.when {
                crate::review::hunk::When::Before => hunk.new.clone(),
                crate::review::hunk::When::After => hunk.reverted(rope),
            };
            replacements.push(Replacement {
                range,
                text: target,
            });
        }
    }
    let changed = Edit::new(&file.text, replacements)
        .and_then(|edit| edit.apply(&file.text))
        .map_or_else(|_| Rope::from_str(""), |text| text.rope().clone());
    let before = file
        .hunks
        .iter()
        .any(|(hunk, _)| hunk.when == crate::review::hunk::When::Before);
    let diff = if before {
        unified(rope, &changed, 3)
    } else {
        unified(&changed, rope, 3)
    };
    let name = &file.target.display;
    format!("--- a/{name}\n+++ b/{name}\n{diff}")
}

/// Writes a text to a file of its own and asks the client to show it.
fn present(state: &Arc<State>, name: &str, text: String) {
    if !state.profile().show_document {
        state
            .publisher
            .warn("this editor cannot be asked to show a document");
        return;
    }
    let state = Arc::clone(state);
    let name = name.to_owned();
    state.clone().spawn(async move {
        let path = match write(&state.sessions.state_folder(), &name, &text) {
            Ok(path) => path,
            Err(error) => {
                state
                    .publisher
                    .warn(&format!("{name} cannot be written to be shown: {error}"));
                return;
            }
        };
        let Some(uri) = uri_of(&path) else { return };
        let params = ShowDocumentParams {
            uri,
            external: Some(false),
            take_focus: Some(true),
            selection: None,
        };
        match state.peer.request::<ShowDocument>(params, TIMEOUT).await {
            Ok(shown) if shown.success => {}
            Ok(_) => state
                .publisher
                .warn(&format!("the editor did not show {}", path.display())),
            Err(error) => state.publisher.warn(&error.to_string()),
        }
    });
}

fn write(folder: &Path, name: &str, text: &str) -> std::io::Result<PathBuf> {
    let folder = folder.join("shown");
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{}-{name}", std::process::id()));
    std::fs::write(&path, text)?;
    Ok(path)
}
