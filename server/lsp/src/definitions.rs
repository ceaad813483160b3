//! The definition around a place in an open document, from memory.
//!
//! Nothing is parsed where it is asked for: a document is parsed in the background when it is first asked about, and
//! again after each pause in its changes, until it is closed.

use crate::documents::{DocumentEvent, DocumentView};
use crate::state::State;
use mewcode_core::position::LineIndex;
use mewcode_tools::symbols::{Enclosing, Symbols};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;

/// How long a document must rest before it is parsed anew.
const REST: Duration = Duration::from_millis(300);

/// Which documents are parsed as they change.
#[derive(Debug, Default)]
pub struct Definitions {
    followed: Mutex<HashSet<PathBuf>>,
}

impl Definitions {
    /// The innermost definition around a line of an open document. None also while the present text is not parsed yet:
    /// that is begun by asking.
    pub fn around(state: &Arc<State>, path: &Path, line: LineIndex) -> Option<Enclosing> {
        let document = state.documents.by_path(path)?;
        if document.untrusted.is_some() {
            return None;
        }
        let runtime = state.sessions.runtime(state);
        let symbols = Arc::clone(runtime.workspace().symbols());
        let known = symbols.known_enclosing(path, &document.snapshot, line);
        if known.is_none() {
            state.definitions.follow(state, symbols, path);
        }
        known.flatten()
    }

    /// Parses a document in the background, now and after its changes.
    fn follow(&self, state: &Arc<State>, symbols: Arc<Symbols>, path: &Path) {
        if !self.followed().insert(path.to_owned()) {
            return;
        }
        let (state, path) = (Arc::clone(state), path.to_owned());
        let mut events = state.documents.observe(&path);
        state.clone().spawn(async move {
            while let Some(document) = state.documents.by_path(&path) {
                parse(&state, &symbols, &path, document).await;
                if !rested(&mut events).await {
                    break;
                }
            }
            state.definitions.followed().remove(&path);
        });
    }

    fn followed(&self) -> MutexGuard<'_, HashSet<PathBuf>> {
        self.followed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn parse(state: &Arc<State>, symbols: &Arc<Symbols>, path: &Path, document: DocumentView) {
    let (symbols, path) = (Arc::clone(symbols), path.to_owned());
    // What comes of it is kept there. A text that cannot be parsed has no definitions, which is no fault.
    let _ = state
        .ask(move |_| symbols.enclosing(&path, &document.snapshot, LineIndex(0)))
        .await;
}

/// Waits for a change and the pause after it; false if the server is ending.
async fn rested(events: &mut UnboundedReceiver<DocumentEvent>) -> bool {
    loop {
        match events.recv().await {
            Some(DocumentEvent::Saved) => {}
            Some(_) => break,
            None => return false,
        }
    }
    loop {
        match tokio::time::timeout(REST, events.recv()).await {
            Ok(Some(_)) => {}
            Ok(None) => return false,
            Err(_) => return true,
        }
    }
}
