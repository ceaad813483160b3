//! The question whether the workspace is trusted: asked when the user wants it, with all that would be granted.
//!
//! What is trusted is what was shown: a file that changes meanwhile grants nothing more.

use super::asker::{Waiting, stamp};
use super::question;
use crate::protocol::ApprovalKind;
use crate::sessions::TrustOffer;
use crate::state::State;
use mewcode_tools::port::Answer;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Puts the question, if it does not wait already. Gives its id. An older one that shows something else is withdrawn.
pub fn ask(state: &Arc<State>, offer: TrustOffer) -> String {
    let asked = question::of_trust(offer.question.clone(), stamp());
    let waiting = state.approvals.waiting();
    for before in waiting.iter().filter(|it| it.kind == ApprovalKind::Trust) {
        if (&before.details, &before.because) == (&asked.details, &asked.because) {
            return before.id.clone();
        }
        state.approvals.withdraw(&before.id);
    }
    let id = asked.id.clone();
    let waiting = Waiting::put(state, asked);
    let state = Arc::clone(state);
    state.clone().spawn(async move {
        // Nothing but an answer, a newer question or the end of the server ends it.
        let answer = waiting.answer(&CancellationToken::new()).await;
        if answer != Answer::AllowAlways {
            return;
        }
        // Writes to the disk and reads the configuration, which is quick, but not for the thread that reads the wire.
        let trusted = state.ask(move |state| state.sessions.trust(&offer)).await;
        match trusted {
            Some(Ok(())) => state.show_status(),
            Some(Err(error)) => state.publisher.warn(&error.to_string()),
            // The server is ending.
            None => {}
        }
    });
    id
}
