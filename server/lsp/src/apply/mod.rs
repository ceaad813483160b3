//! Applying an edit to an open document: sent to the editor, and done only when its text shows it.
//!
//! [`Applier::apply`] carries the edit to the present text, sends it, and waits for the receipt (`echo` decides). An
//! edit that the user's typing overtook is carried again and sent again. One edit at a time is on its way to a
//! document. `together` sends several documents at once to a plugin, `files` removes and moves the files of open
//! documents. Knows documents and the wire; nothing of reviews or tools.

pub mod echo;
pub mod files;
pub mod together;

use crate::client::Profile;
use crate::documents::{DocumentEvent, DocumentView, Documents};
use crate::peer::{Peer, RequestError};
use crate::protocol::{ApplyEdit, ApplyEditParams, ApplyEditResult, DocumentEdits};
use echo::{Flight, Reply, Settled, Verdict};
use futures::FutureExt;
use futures::future::BoxFuture;
use mewcode_core::carry::{Standing, carry, standing};
use mewcode_core::edit::Edit;
use mewcode_core::hash::ContentHash;
use mewcode_core::text::Snapshot;
use mewcode_core::wire::wire_edits;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::Instant;
use tower_lsp::ls_types::request::ApplyWorkspaceEdit;
use tower_lsp::ls_types::{
    ApplyWorkspaceEditParams, DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier,
    Position, Range, TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};

/// How long the client may take to answer.
const REPLY_TIMEOUT: Duration = Duration::from_secs(5);
/// How often an edit is sent to a client that answers and does nothing.
const IGNORED_LIMIT: usize = 3;
/// How often an edit is sent to a user who types faster than it arrives.
const OVERTAKEN_LIMIT: usize = 60;
/// After this many tries a pause in the typing is waited for, this long at the most: who types on and on makes none, and an
/// edit has the best chance right after a key.
const PAUSE_AFTER: usize = 5;
const PAUSE: Duration = Duration::from_millis(150);
const PAUSE_LIMIT: Duration = Duration::from_millis(500);

/// The proof that an edit is in the editor's text.
#[derive(Debug, Clone)]
pub struct Receipt {
    /// The text that the edit was applied to.
    pub base: Snapshot,
    /// The edit, carried to that text.
    pub edit: Edit,
    /// The document that shows it, possibly with the user's typing.
    pub document: DocumentView,
}

impl Receipt {
    /// Whether a text of the document shows the edit.
    fn is_in(&self, document: &DocumentView) -> bool {
        standing(&self.edit, &self.base, document.snapshot.rope()) == Standing::Landed
    }
}

/// Why an edit is not in the editor's text, or may not be.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ApplyError {
    /// The document is not open (any more).
    #[error("the document is not open in the editor")]
    NotOpen,
    /// The user changed the lines that the edit speaks of.
    #[error("the text changed in the lines of this edit since it was made, so nothing was applied")]
    Stale {
        /// The text that the edit was made for.
        expected: ContentHash,
        /// The present text.
        actual: ContentHash,
        /// What changed, as a unified diff.
        diff: String,
    },
    /// The editor refused, or did nothing.
    #[error("{0}")]
    Refused(String),
    /// The document's text is in doubt.
    #[error("{0}")]
    Unavailable(String),
    /// The buffer has unsaved changes, and would be lost with its file.
    #[error(
        "it has unsaved changes in the editor, which would be lost with the file; save or discard them there first"
    )]
    Unsaved,
    /// No answer in time, and the text is unchanged.
    #[error(
        "the editor did not answer within {} s and its text is unchanged; try again", REPLY_TIMEOUT.as_secs()
    )]
    TimedOut,
    /// It cannot be known whether the edit is in the text.
    #[error(
        "it is not known whether the edit was applied: {0}; read the file again before going on"
    )]
    Unknown(String),
}

/// Sends edits to the editor.
#[derive(Debug)]
pub struct Applier {
    documents: Arc<Documents>,
    peer: Arc<Peer>,
    /// One edit at a time for each document.
    turns: Mutex<HashMap<PathBuf, Arc<tokio::sync::Mutex<()>>>>,
}

/// How one sending ended.
#[derive(Debug)]
enum Sent {
    Landed(DocumentView),
    Overtaken,
    Ignored(String),
}

impl Applier {
    /// An applier for the documents at the other end of `peer`.
    pub fn new(documents: Arc<Documents>, peer: Arc<Peer>) -> Self {
        Self {
            documents,
            peer,
            turns: Mutex::default(),
        }
    }

    /// Waits until no other edit is on its way to this document, and keeps the others waiting meanwhile.
    pub async fn turn(&self, path: &Path) -> tokio::sync::OwnedMutexGuard<()> {
        let turn = {
            let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
            // A turn that only this table knows is nobody's: neither held nor waited for.
            turns.retain(|_, turn| Arc::strong_count(turn) > 1);
            Arc::clone(turns.entry(path.to_owned()).or_default())
        };
        turn.lock_owned().await
    }

    /// Applies an edit that was made for `base` to the open document at `path`.
    ///
    /// # Errors
    /// See [`ApplyError`]; unless it is `Unknown`, the user's text is as it was.
    pub async fn apply(
        &self,
        profile: &Profile,
        path: &Path,
        edit: &Edit,
        base: &Snapshot,
        label: &str,
    ) -> Result<Receipt, ApplyError> {
        let mut ignored = 0;
        let mut given_up: Option<Receipt> = None;
        for attempt in 0..OVERTAKEN_LIMIT {
            let mut events = self.documents.observe(path);
            if attempt >= PAUSE_AFTER {
                wait_for_pause(&mut events).await;
            }
            let document = self.documents.by_path(path).ok_or(ApplyError::NotOpen)?;
            if let Some(doubt) = &document.untrusted {
                return Err(ApplyError::Unavailable(doubt.to_string()));
            }
            // What was given up may have come late: sent again, it would be in the text twice, or refused as changed.
            if let Some(late) = given_up.take().filter(|it| it.is_in(&document)) {
                return Ok(Receipt { document, ..late });
            }
            let carried = carry_to(edit, base, &document.snapshot)?;
            if carried.is_empty() {
                return Ok(Receipt {
                    base: document.snapshot.clone(),
                    edit: carried,
                    document,
                });
            }
            let request = self.request(profile, &document, &carried, label);
            let sent = self
                .watch(request, &mut events, &carried, &document)
                .await?;
            let receipt = Receipt {
                base: document.snapshot.clone(),
                edit: carried,
                document,
            };
            match sent {
                Sent::Landed(document) => {
                    return Ok(Receipt {
                        document,
                        ..receipt
                    });
                }
                Sent::Overtaken => {}
                Sent::Ignored(reason) => {
                    ignored += 1;
                    if ignored == IGNORED_LIMIT {
                        return Err(ApplyError::Refused(reason));
                    }
                }
            }
            given_up = Some(receipt);
        }
        Err(ApplyError::Refused(format!(
            "the text changed each time before the edit arrived, {OVERTAKEN_LIMIT} times; try again in a pause"
        )))
    }

    /// The request to the client: hash-checked where its plugin can, the standard one otherwise.
    fn request<'a>(
        &'a self,
        profile: &Profile,
        document: &DocumentView,
        edit: &Edit,
        label: &str,
    ) -> BoxFuture<'a, Result<ApplyEditResult, RequestError>> {
        let edits = text_edits(document, edit, profile);
        let label = label.to_owned();
        if profile.features.apply_edit {
            let params = ApplyEditParams {
                label,
                documents: vec![DocumentEdits {
                    uri: document.uri.clone(),
                    version: document.version,
                    sha256: document.snapshot.hash().to_string(),
                    edits,
                    file: None,
                }],
            };
            return self
                .peer
                .request::<ApplyEdit>(params, REPLY_TIMEOUT)
                .boxed();
        }
        if !profile.apply_edit {
            let message = "it does not offer workspace/applyEdit".to_owned();
            return std::future::ready(Ok(declined(message))).boxed();
        }
        let Ok(uri) = Uri::from_str(&document.uri) else {
            let message = format!("{} is not a valid URI", document.uri);
            return std::future::ready(Ok(declined(message))).boxed();
        };
        let edit = if profile.document_changes {
            WorkspaceEdit {
                document_changes: Some(DocumentChanges::Edits(vec![versioned(
                    profile, document, uri, edits,
                )])),
                ..WorkspaceEdit::default()
            }
        } else {
            WorkspaceEdit {
                changes: Some(HashMap::from([(uri, edits)])),
                ..WorkspaceEdit::default()
            }
        };
        self.send_standard(edit, label).boxed()
    }

    /// Sends a standard edit; the answer in the words of MewCode's own method.
    async fn send_standard(
        &self,
        edit: WorkspaceEdit,
        label: String,
    ) -> Result<ApplyEditResult, RequestError> {
        let params = ApplyWorkspaceEditParams {
            label: Some(label),
            edit,
        };
        let reply = self
            .peer
            .request::<ApplyWorkspaceEdit>(params, REPLY_TIMEOUT);
        reply.await.map(|response| ApplyEditResult {
            applied: response.applied,
            reason: None,
            message: response.failure_reason,
            documents: Vec::new(),
        })
    }

    /// Follows one sent edit until its text is seen or given up.
    async fn watch(
        &self,
        request: BoxFuture<'_, Result<ApplyEditResult, RequestError>>,
        events: &mut UnboundedReceiver<DocumentEvent>,
        edit: &Edit,
        base: &DocumentView,
    ) -> Result<Sent, ApplyError> {
        // The request is not sent yet, and making it may have taken a while.
        let present = self.documents.by_uri(&base.uri);
        if !present.is_some_and(|it| it.snapshot.ptr_eq(&base.snapshot)) {
            return Ok(Sent::Overtaken);
        }
        let mut request = request.fuse();
        let mut flight = Flight::new(edit, &base.snapshot);
        let mut verdict = Verdict::AwaitReply;
        let mut words = None;
        let mut closed = false;
        loop {
            let settle = match verdict {
                Verdict::Landed => {
                    return match self.documents.by_uri(&base.uri) {
                        Some(document) => Ok(Sent::Landed(document)),
                        None => Err(ApplyError::NotOpen),
                    };
                }
                Verdict::Overtaken => return Ok(Sent::Overtaken),
                Verdict::AwaitReply => None,
                Verdict::Settle(patience, settled) => Some((Instant::now() + patience, settled)),
            };
            tokio::select! {
                biased;
                event = events.recv() => {
                    let event = event.ok_or_else(|| ApplyError::Unknown("the server is ending".to_owned()))?;
                    verdict = seen(event, &mut flight, &mut closed)?.unwrap_or(verdict);
                }
                reply = &mut request => {
                    // A text from before the reply is looked at before it, also one that came since the last look. What
                    // the user makes of an edit that has landed is theirs.
                    while verdict != Verdict::Landed
                        && let Ok(event) = events.try_recv()
                    {
                        verdict = seen(event, &mut flight, &mut closed)?.unwrap_or(verdict);
                    }
                    match reply {
                        _ if verdict == Verdict::Landed => {}
                        Ok(reply) => {
                            verdict = flight.reply(match reply.applied {
                                true => Reply::Applied,
                                false if reply.is_stale() => Reply::Stale,
                                false => Reply::Declined,
                            });
                            words = reply.message.or(reply.reason);
                        }
                        Err(RequestError::TimedOut { .. }) if !flight.moved() => return Err(ApplyError::TimedOut),
                        Err(RequestError::Refused { message, .. }) => {
                            verdict = flight.reply(Reply::Declined);
                            words = Some(message);
                        }
                        Err(error) => return Err(ApplyError::Unknown(error.to_string())),
                    }
                }
                () = at(settle.map(|(time, _)| time)) => {
                    let Some((_, settled)) = settle else { continue };
                    if closed {
                        return Err(ApplyError::Unknown("the document was closed meanwhile".to_owned()));
                    }
                    return self.settled(settled, words, edit, base);
                }
            }
        }
    }

    /// The outcome when nothing else arrived.
    fn settled(
        &self,
        settled: Settled,
        words: Option<String>,
        edit: &Edit,
        base: &DocumentView,
    ) -> Result<Sent, ApplyError> {
        match settled {
            Settled::Overtaken => Ok(Sent::Overtaken),
            Settled::Ignored => Ok(Sent::Ignored(
                "the editor says that it applied the edit, but its text is unchanged".to_owned(),
            )),
            // A hash-checked editor may have been stale by a text that it has sent since.
            Settled::Declined => match self.documents.by_uri(&base.uri) {
                Some(document) if !document.snapshot.ptr_eq(&base.snapshot) => Ok(Sent::Overtaken),
                _ => Err(ApplyError::Refused(format!(
                    "the editor refused the edit: {}",
                    words.as_deref().unwrap_or("it gave no reason")
                ))),
            },
            Settled::Partial => Err(ApplyError::Unknown(
                "only a part of it is in the text".to_owned(),
            )),
            Settled::Stale => {
                let document = self
                    .documents
                    .by_uri(&base.uri)
                    .ok_or(ApplyError::NotOpen)?;
                Err(stale(edit.base(), &base.snapshot, &document.snapshot))
            }
        }
    }
}

/// The edit for the present text, if the change since then leaves its lines alone.
fn carry_to(edit: &Edit, base: &Snapshot, present: &Snapshot) -> Result<Edit, ApplyError> {
    if base.ptr_eq(present) {
        return Ok(edit.clone());
    }
    carry(edit, base, present).map_err(|_| stale(edit.base(), base, present))
}

/// The user changed the lines that an edit of `base` speaks of.
pub fn stale(expected: ContentHash, base: &Snapshot, present: &Snapshot) -> ApplyError {
    ApplyError::Stale {
        expected,
        actual: present.hash(),
        diff: mewcode_core::diff::unified(base.rope(), present.rope(), 2),
    }
}

/// Edits for exactly this version of a document.
fn versioned(
    profile: &Profile,
    document: &DocumentView,
    uri: Uri,
    edits: Vec<TextEdit>,
) -> TextDocumentEdit {
    let version = match document.version {
        0 if profile.quirks.version_zero_is_unchecked => 1,
        version => version,
    };
    TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier {
            uri,
            version: Some(version),
        },
        edits: edits.into_iter().map(OneOf::Left).collect(),
    }
}

fn declined(message: String) -> ApplyEditResult {
    ApplyEditResult {
        applied: false,
        reason: None,
        message: Some(message),
        documents: Vec::new(),
    }
}

/// The edit in the protocol's words.
fn text_edits(document: &DocumentView, edit: &Edit, profile: &Profile) -> Vec<TextEdit> {
    let position = |position: mewcode_core::position::Position| Position {
        line: u32::try_from(position.line.0).unwrap_or(u32::MAX),
        character: position.column.0,
    };
    wire_edits(
        document.snapshot.text(),
        edit.replacements(),
        profile.encoding,
    )
    .into_iter()
    .map(|edit| TextEdit {
        range: Range {
            start: position(edit.start),
            end: position(edit.end),
        },
        new_text: edit.text,
    })
    .collect()
}

/// Takes in what happened to the document of an edit on its way; what its text says, if it has a new one.
fn seen(
    event: DocumentEvent,
    flight: &mut Flight<'_>,
    closed: &mut bool,
) -> Result<Option<Verdict>, ApplyError> {
    match event {
        DocumentEvent::Text(document) => {
            *closed = false;
            match document.untrusted {
                Some(doubt) => Err(ApplyError::Unknown(doubt.to_string())),
                None => Ok(Some(flight.text(&document.snapshot))),
            }
        }
        DocumentEvent::Closed => {
            *closed = true;
            Ok(None)
        }
        DocumentEvent::Saved => Ok(None),
    }
}

/// Waits for a moment without changes, so that an edit can arrive between two of them.
async fn wait_for_pause(events: &mut UnboundedReceiver<DocumentEvent>) {
    let limit = Instant::now() + PAUSE_LIMIT;
    while Instant::now() < limit {
        match tokio::time::timeout(PAUSE, events.recv()).await {
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => return,
        }
    }
}

/// Resolves at this time, or never.
async fn at(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;
