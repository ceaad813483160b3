//! Telling every surface what waits, whenever that changes. Nothing here takes the focus or opens anything by itself.

use super::message;
use super::{AnswerError, cut, visible};
use crate::client::AsksBy;
use crate::commands;
use crate::protocol::{
    Approval, ApprovalKind, Approvals as ApprovalsNotification, ApprovalsParams,
};
use crate::show;
use crate::state::State;
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tower_lsp::ls_types::notification::{LogMessage, ShowMessage};
use tower_lsp::ls_types::request::CodeLensRefresh;
use tower_lsp::ls_types::{LogMessageParams, MessageType, ShowMessageParams};

/// How long a client may take to acknowledge that it will ask for lenses again.
const REFRESH_TIMEOUT: Duration = Duration::from_secs(5);
/// As much of a question as a message line shows.
const MESSAGE_LINE: usize = 120;

/// What the client was told last.
#[derive(Debug, Default)]
pub struct Shown {
    ids: Vec<String>,
    /// The task that asks by message requests has been started.
    asking: bool,
}

impl State {
    /// Shows what waits now.
    pub fn show_approvals(self: &Arc<Self>) {
        if !self.tell_approvals() {
            return;
        }
        self.show_status();
        let profile = self.profile();
        if profile.refreshes_lenses && profile.asks_by() != AsksBy::Plugin {
            let peer = Arc::clone(&self.peer);
            self.spawn(async move {
                // A client that does not answer asks again by itself when the text changes.
                let _ = peer.request::<CodeLensRefresh>((), REFRESH_TIMEOUT).await;
            });
        }
    }

    /// Tells the client what waits. Tells whether that has changed.
    fn tell_approvals(self: &Arc<Self>) -> bool {
        // Held from looking into the queue to the last message, so that no older state is shown after a newer one.
        let mut shown = self
            .approvals
            .shown
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let waiting = self.approvals.waiting();
        let ids: Vec<String> = waiting.iter().map(|it| it.id.clone()).collect();
        if ids == shown.ids {
            return false;
        }
        match self.profile().asks_by() {
            AsksBy::Plugin => self.peer.notify::<ApprovalsNotification>(&ApprovalsParams {
                approvals: waiting.iter().map(|it| Approval::clone(it)).collect(),
            }),
            AsksBy::MessageRequest if !shown.asking => {
                shown.asking = true;
                let state = Arc::clone(self);
                self.spawn(async move {
                    message::ask_one_at_a_time(&state.approvals, &state.peer).await;
                });
            }
            AsksBy::MessageRequest => {}
            AsksBy::Message => {
                let is_new = |it: &&Arc<Approval>| !shown.ids.contains(&it.id);
                waiting.iter().filter(is_new).for_each(|it| self.tell(it));
            }
        }
        shown.ids = ids;
        true
    }

    /// Tells of a question by a plain message, and by the log in full: for clients that can be asked by nothing else.
    fn tell(&self, approval: &Approval) {
        self.peer.notify::<ShowMessage>(&ShowMessageParams {
            typ: MessageType::INFO,
            message: told(approval),
        });
        self.peer.notify::<LogMessage>(&LogMessageParams {
            typ: MessageType::INFO,
            message: format!("MewCode asks: {}", super::question::in_full(approval)),
        });
    }
}

/// Shows a question in full, as a document where the client can show one.
///
/// # Errors
/// It does not wait.
pub fn show_in_full(state: &Arc<State>, id: &str) -> Result<(), AnswerError> {
    let text = state.approvals.in_full(id)?;
    if state.profile().show_document {
        show::question(state, text);
    } else {
        state.peer.notify::<ShowMessage>(&ShowMessageParams {
            typ: MessageType::INFO,
            message: format!("MewCode asks: {text}"),
        });
    }
    Ok(())
}

/// A question in one line, with the way to answer it.
pub fn told(approval: &Approval) -> String {
    let title = cut(&visible(&approval.title), MESSAGE_LINE);
    let stop = if title.ends_with(['.', '?', '!', '…']) {
        ""
    } else {
        "."
    };
    let in_words = match approval.kind {
        ApprovalKind::Choice => " {\"answer\": \"…\"}",
        ApprovalKind::Permission | ApprovalKind::Trust => "",
    };
    format!(
        "MewCode asks: {title}{stop} Answer by a code action anywhere, or by the command {}{in_words}.",
        commands::ANSWER
    )
}
