//! The task of one session: its prompts one after the other, and its events on their way to the client.
//!
//! Knows neither the other sessions nor who asked for a prompt.

use crate::documents::DocumentView;
use crate::protocol;
use crate::state::State;
use crate::uri::path_of;
use mewcode_agent::event::{Envelope, Event, Events};
use mewcode_agent::prompt::{Attachment, News, Prompt};
use mewcode_agent::session::Session;
use mewcode_core::position::LineRange;
use mewcode_tools::disk;
use mewcode_tools::guard::Access;
use mewcode_tools::overlay::Workspace;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tower_lsp::ls_types::Range;

/// A prompt that waits for its turn.
pub(super) struct Job {
    pub(super) prompt: Prompt,
    pub(super) subject: Option<Subject>,
    pub(super) cancel: CancellationToken,
}

/// What a prompt is about, as it was when it was asked for.
pub(super) struct Subject {
    pub(super) uri: String,
    /// None: it is not open.
    pub(super) document: Option<DocumentView>,
    pub(super) range: Option<Range>,
}

/// A session's task: its prompts, one after the other.
pub(super) async fn work(
    state: Arc<State>,
    mut session: Session,
    mut queue: mpsc::UnboundedReceiver<Job>,
) {
    while let Some(job) = queue.recv().await {
        let Job {
            mut prompt,
            subject,
            cancel,
        } = job;
        // Reads the disk, so it is not done where the prompt is taken.
        if let Some(subject) = subject {
            let runtime = state.sessions.runtime(&state);
            prompt
                .attachments
                .extend(attachment(runtime.workspace(), subject));
        }
        // One that was stopped before it began is run too: whoever asked for it waits for the events of its end.
        session.run(prompt, cancel).await;
        state.show_status();
    }
}

/// Passes a session's events on.
pub(super) struct Watcher(pub(super) Arc<State>);

impl Events for Watcher {
    fn emit(&self, envelope: &Envelope) {
        let state = &self.0;
        state.sessions.record(state, envelope);
        if state.profile().features.event
            && let Ok(event) = serde_json::to_value(envelope)
        {
            state.peer.notify::<protocol::Event>(&event);
        }
        if matches!(
            envelope.event,
            Event::RunStarted { .. } | Event::RunEnded { .. }
        ) {
            state.show_status();
        }
    }
}

/// Tells a session of the decisions that no call waits for.
pub(super) struct Decided(pub(super) Arc<State>);

impl News for Decided {
    fn take(&self, session: &str) -> Vec<String> {
        self.0.decider.news.take(session)
    }
}

/// The document that a prompt speaks of, with the selected lines. One outside the workspace is not shown to the model.
fn attachment(workspace: &Workspace, subject: Subject) -> Option<Attachment> {
    let Subject {
        uri,
        document,
        range,
    } = subject;
    let path = path_of(&uri)?;
    let path = workspace.resolve(path.to_str()?, Access::Read).ok()?;
    let (snapshot, unsaved) = match document {
        None => (workspace.text(&path).ok()?.snapshot, false),
        Some(document) if document.untrusted.is_some() => return None,
        Some(document) => {
            let unsaved = !disk::holds(&path.real, document.snapshot.rope());
            (document.snapshot, unsaved)
        }
    };
    Some(Attachment {
        path,
        snapshot,
        unsaved,
        lines: range.map(|range| {
            let (start, end) = (range.start.line as usize, range.end.line as usize);
            // A selection that ends at a line's start does not include that line.
            let last = if range.end.character == 0 && end > start {
                end
            } else {
                end + 1
            };
            LineRange::new(start, last)
        }),
    })
}
