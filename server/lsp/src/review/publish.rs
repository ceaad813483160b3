//! Showing the undecided hunks: `mewcode/review` for plugins, hint diagnostics and lenses for everybody.

use super::book::{Book, FileView};
use super::hunk::{Hunk, State, When};
use super::keep::Keeper;
use crate::client::Profile;
use crate::documents::Documents;
use crate::peer::Peer;
use crate::protocol::{self, PendingHunk, Review, ReviewParams};
use crate::uri::uri_of;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tower_lsp::ls_types::notification::{PublishDiagnostics, ShowMessage};
use tower_lsp::ls_types::request::CodeLensRefresh;
use tower_lsp::ls_types::{
    Diagnostic, DiagnosticSeverity, MessageType, NumberOrString, Position,
    PublishDiagnosticsParams, Range, ShowMessageParams, Uri,
};

/// How long a client may take to acknowledge that it will ask for lenses again.
const REFRESH_TIMEOUT: Duration = Duration::from_secs(5);

/// Shows hunks in the editor.
#[derive(Debug)]
pub struct Publisher {
    book: Arc<Book>,
    keeper: Arc<Keeper>,
    documents: Arc<Documents>,
    peer: Arc<Peer>,
    profile: Arc<OnceLock<Profile>>,
    /// Under which URI each file's hunks are shown. Held from looking into the book to the last message, so that no
    /// older state is shown after a newer one.
    shown: Mutex<HashMap<PathBuf, Uri>>,
}

impl Publisher {
    /// A publisher for the client that `profile` will describe.
    pub fn new(
        book: Arc<Book>,
        keeper: Arc<Keeper>,
        documents: Arc<Documents>,
        peer: Arc<Peer>,
        profile: Arc<OnceLock<Profile>>,
    ) -> Self {
        Self {
            book,
            keeper,
            documents,
            peer,
            profile,
            shown: Mutex::default(),
        }
    }

    /// Shows what a file's hunks are now; a file without any is cleared. What is shown is kept before: nothing that the
    /// user has seen is lost, or comes back after it was decided, if this process is killed.
    pub fn publish(&self, path: &Path) {
        let Some(profile) = self.profile.get() else {
            return;
        };
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let since = self.book.entered();
        let document = self.documents.by_path(path);
        // The version that is told and the lines must speak of one text.
        if let Some(document) = document.as_ref().filter(|it| it.untrusted.is_none()) {
            self.book.look_since(path, &document.snapshot, since);
        }
        let file = self.book.file(path);
        // Behind the look into the book, so that nothing is shown that came in between.
        if let Some(complaint) = self.keeper.keep() {
            self.warn(&complaint);
        }
        let uri = match &document {
            Some(document) => Uri::from_str(&document.uri).ok(),
            None => uri_of(path),
        };
        let Some(uri) = uri else { return };
        let version = document.map(|document| document.version);
        let before = match &file {
            Some(_) => shown.insert(path.to_owned(), uri.clone()),
            None => shown.remove(path),
        };
        // The client may have opened the file by another name than it was shown under.
        if let Some(before) = before.filter(|before| *before != uri) {
            self.show(profile, before, None, None);
        }
        self.show(profile, uri, version, file.as_ref());
        if profile.refreshes_lenses {
            let peer = Arc::clone(&self.peer);
            tokio::spawn(async move {
                // A client that does not answer asks again by itself when the text changes.
                let _ = peer.request::<CodeLensRefresh>((), REFRESH_TIMEOUT).await;
            });
        }
    }

    /// Whether hunks of a file are shown.
    pub fn shows(&self, path: &Path) -> bool {
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.contains_key(path)
    }

    fn show(&self, profile: &Profile, uri: Uri, version: Option<i32>, file: Option<&FileView>) {
        if profile.features.review {
            self.peer.notify::<Review>(&ReviewParams {
                uri: uri.as_str().to_owned(),
                version,
                hunks: file.map(wire_hunks).unwrap_or_default(),
            });
        }
        self.peer
            .notify::<PublishDiagnostics>(&PublishDiagnosticsParams {
                uri,
                diagnostics: file.map(hints).unwrap_or_default(),
                version,
            });
    }

    /// Tells the user that something they asked for did not happen.
    pub fn warn(&self, message: &str) {
        self.peer.notify::<ShowMessage>(&ShowMessageParams {
            typ: MessageType::WARNING,
            message: format!("MewCode: {message}"),
        });
    }

    /// Every undecided hunk with its document.
    pub fn pending(&self) -> Vec<PendingHunk> {
        let mut pending = Vec::new();
        for path in self.book.paths() {
            let (Some(file), Some(uri)) = (self.book.file(&path), self.uri(&path)) else {
                continue;
            };
            pending.extend(wire_hunks(&file).into_iter().map(|hunk| PendingHunk {
                uri: uri.clone(),
                hunk,
            }));
        }
        pending
    }

    /// The URI of a file, as the client spells it if it has it open.
    pub fn uri(&self, path: &Path) -> Option<String> {
        match self.documents.by_path(path) {
            Some(document) => Some(document.uri),
            None => uri_of(path).map(|uri| uri.as_str().to_owned()),
        }
    }
}

/// The hunks of a file as plugins get them.
fn wire_hunks(file: &FileView) -> Vec<protocol::Hunk> {
    file.hunks
        .iter()
        .map(|(hunk, origin)| {
            let (added, removed) = counts(hunk, file.target.existed);
            protocol::Hunk {
                id: hunk.id.clone(),
                proposal: hunk.proposal.clone(),
                session: origin.session.clone(),
                call: origin.call.clone(),
                tool: origin.tool.clone(),
                reason: origin.reason.clone(),
                review: match hunk.when {
                    When::Before => "before",
                    When::After => "after",
                }
                .to_owned(),
                state: match (hunk.state, hunk.when) {
                    (State::Conflicted, _) => "conflicted",
                    (State::Applied, _) | (State::Deciding, When::After) => "applied",
                    (State::Proposed, _) | (State::Deciding, When::Before) => "proposed",
                }
                .to_owned(),
                start_line: hunk.lines.start.0,
                end_line: hunk.lines.end.0,
                file: hunk.whole.as_ref().map(|whole| {
                    let kind = if whole.to.is_some() { "move" } else { "remove" };
                    kind.to_owned()
                }),
                title: hunk.whole.as_ref().map(|whole| whole.title(hunk.when)),
                old_lines: if file.target.existed {
                    lines(&hunk.old)
                } else {
                    Vec::new()
                },
                new_lines: lines(&hunk.new),
                added,
                removed,
            }
        })
        .collect()
}

/// Lines added and removed. A file that did not exist had none, though an empty text has one.
pub fn counts(hunk: &Hunk, existed: bool) -> (usize, usize) {
    let (added, removed) = hunk.counts();
    (added, if existed { removed } else { 0 })
}

/// The lines of a text, split at LF alone; no text has no lines.
fn lines(text: &str) -> Vec<String> {
    match text.strip_suffix('\n') {
        None if text.is_empty() => Vec::new(),
        stripped => stripped
            .unwrap_or(text)
            .split('\n')
            .map(str::to_owned)
            .collect(),
    }
}

/// One hint for each hunk.
fn hints(file: &FileView) -> Vec<Diagnostic> {
    file.hunks
        .iter()
        .map(|(hunk, origin)| {
            let what = match &hunk.whole {
                Some(whole) => format!("{}:", whole.title(hunk.when)),
                None => {
                    let (added, removed) = counts(hunk, file.target.existed);
                    format!("+{added} −{removed}")
                }
            };
            let state = match hunk.state {
                State::Proposed => "proposed",
                State::Conflicted => "conflicts with your change",
                State::Applied => "applied",
                State::Deciding => "being decided",
            };
            let reason = match origin.reason.as_str() {
                "" => String::new(),
                reason => format!(": {reason}"),
            };
            Diagnostic {
                range: range_of(hunk),
                severity: Some(DiagnosticSeverity::HINT),
                code: Some(NumberOrString::String(hunk.id.clone())),
                source: Some("mewcode".to_owned()),
                message: format!("{what} {}, {state}{reason}", origin.tool),
                data: Some(serde_json::json!({"hunk": hunk.id})),
                ..Diagnostic::default()
            }
        })
        .collect()
}

/// Where a hunk is shown: its first line to the end of its last; of a whole file, at its beginning.
pub fn range_of(hunk: &Hunk) -> Range {
    if hunk.whole.is_some() {
        return Range::default();
    }
    let line = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
    let (start, end) = (hunk.lines.start.0, hunk.lines.end.0);
    Range {
        start: Position::new(line(start), 0),
        end: Position::new(line(end.max(start)), 0),
    }
}

#[cfg(test)]
mod tests;
