//! The open documents: one writer in wire order, any number of readers of immutable snapshots.
//!
//! Only the transport writes, through [`Documents::dispatch`], before it looks at the next message. Everything else
//! reads [`DocumentView`]s. Knows text and synchronisation; nothing of edits on their way, of reviews or of runs.

mod document;
mod sync;

pub use document::Untrusted;
pub use sync::Dispatch;

use document::Document;
use mewcode_core::position::PositionEncoding;
use mewcode_core::text::Snapshot;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use tokio::sync::mpsc;

/// What an open document holds at one moment.
#[derive(Debug, Clone)]
pub struct DocumentView {
    /// As the client spells it.
    pub uri: String,
    /// The client's version number. Not an identity: it starts anywhere, jumps, and is reused after a reload.
    pub version: i32,
    /// The text. Clones of one snapshot are the same text; that is a document's identity here.
    pub snapshot: Snapshot,
    /// Why the text must not be edited now, if so.
    pub untrusted: Option<Untrusted>,
}

/// What happened to a document that somebody observes.
#[derive(Debug, Clone)]
pub enum DocumentEvent {
    /// It was opened, changed, or healed: its text as of now.
    Text(DocumentView),
    /// It was saved.
    Saved,
    /// It was closed.
    Closed,
}

/// All open documents.
#[derive(Debug, Default)]
pub struct Documents {
    table: RwLock<Table>,
    encoding: OnceLock<PositionEncoding>,
}

#[derive(Debug, Default)]
struct Table {
    by_uri: HashMap<String, Document>,
    /// Real path to URI, for documents of files.
    by_path: HashMap<PathBuf, String>,
    observers: Vec<Observer>,
}

#[derive(Debug)]
struct Observer {
    path: PathBuf,
    sender: mpsc::UnboundedSender<DocumentEvent>,
}

impl Documents {
    /// Sets the position encoding that was agreed on. Later calls have no effect: it cannot change.
    pub fn set_encoding(&self, encoding: PositionEncoding) {
        let _ = self.encoding.set(encoding);
    }

    /// The position encoding in force; UTF-16 if none was agreed on, as the protocol has it.
    pub fn encoding(&self) -> PositionEncoding {
        *self.encoding.get().unwrap_or(&PositionEncoding::Utf16)
    }

    /// The document with this URI, as the client spells it.
    pub fn by_uri(&self, uri: &str) -> Option<DocumentView> {
        self.read().by_uri.get(uri).map(Document::view)
    }

    /// The document of the file at this real path.
    pub fn by_path(&self, path: &Path) -> Option<DocumentView> {
        let table = self.read();
        let uri = table.by_path.get(path)?;
        table.by_uri.get(uri).map(Document::view)
    }

    /// The real path of an open document.
    pub fn path(&self, uri: &str) -> Option<PathBuf> {
        self.read().by_uri.get(uri)?.path().map(Path::to_owned)
    }

    /// The real paths of all open documents, sorted.
    pub fn paths(&self) -> Vec<PathBuf> {
        let mut paths: Vec<_> = self.read().by_path.keys().cloned().collect();
        paths.sort();
        paths
    }

    /// Everything that happens from now on to the document of this real path, whether it is open now or not.
    pub fn observe(&self, path: &Path) -> mpsc::UnboundedReceiver<DocumentEvent> {
        let (sender, receiver) = mpsc::unbounded_channel();
        let mut table = self.write();
        // Those of documents to which nothing happens any more are noticed nowhere else.
        table
            .observers
            .retain(|observer| !observer.sender.is_closed());
        table.observers.push(Observer {
            path: path.to_owned(),
            sender,
        });
        receiver
    }

    fn read(&self) -> RwLockReadGuard<'_, Table> {
        self.table.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Table> {
        self.table.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// Tells the observers of a document's path; costs nothing while nobody observes.
    fn announce(&mut self, uri: &str, event: impl FnOnce(&Document) -> DocumentEvent) {
        if self.observers.is_empty() {
            return;
        }
        let Some(document) = self.by_uri.get(uri) else {
            return;
        };
        let Some(path) = document.path() else { return };
        if !self.observers.iter().any(|observer| observer.path == path) {
            return;
        }
        let event = event(document);
        self.observers.retain(|observer| {
            observer.path != path || observer.sender.send(event.clone()).is_ok()
        });
    }

    fn announce_text(&mut self, uri: &str) {
        self.announce(uri, |document| DocumentEvent::Text(document.view()));
    }
}

#[cfg(test)]
mod tests;
