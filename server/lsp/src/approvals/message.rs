//! The surface that asks by `window/showMessageRequest`: one question at a time, withdrawn when it is answered elsewhere.
//!
//! A client may never answer one (it may have shown another message in its place), so no question waits for the reply to
//! another: one that has been shown for a while gives way when others wait, and comes back when it is its turn. One that
//! the person has closed without an answer waits on, on the other surfaces.

use super::{Approvals, cut, question, show};
use crate::peer::{Peer, RequestError};
use crate::protocol::Approval;
use futures::FutureExt;
use std::collections::HashMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;
use tower_lsp::ls_types::notification::ShowMessage;
use tower_lsp::ls_types::request::ShowMessageRequest;
use tower_lsp::ls_types::{
    MessageActionItem, MessageType, ShowMessageParams, ShowMessageRequestParams,
};

/// How long a question is shown while others wait.
const TURN: Duration = Duration::from_secs(60);
/// As much of a question as a message shows. What is longer cannot be allowed there.
const LONGEST: usize = 4_000;

/// How a question stands on this surface.
#[derive(Debug, Default)]
struct Standing {
    /// How often it was shown.
    turns: usize,
    /// The person closed it, or the client cannot show it.
    closed: bool,
}

/// Asks whatever waits, as long as the server lives.
pub async fn ask_one_at_a_time(approvals: &Approvals, peer: &Peer) {
    let mut changes = approvals.changes.subscribe();
    let mut standings: HashMap<String, Standing> = HashMap::new();
    loop {
        changes.mark_unchanged();
        let waiting = approvals.waiting();
        standings.retain(|id, _| waiting.iter().any(|it| it.id == *id));
        let turns = |it: &Arc<Approval>| standings.get(&it.id).map_or(0, |standing| standing.turns);
        let closed = |it: &Arc<Approval>| standings.get(&it.id).is_some_and(|it| it.closed);
        // The one that was shown least often, the oldest of these first.
        let next = waiting
            .iter()
            .filter(|it| !closed(it))
            .min_by_key(|it| turns(it));
        let Some(next) = next.map(Arc::clone) else {
            if changes.changed().await.is_err() {
                return;
            }
            continue;
        };
        let is_open = |it: &Arc<Approval>| it.id != next.id && !closed(it);
        let reply = reply_before(
            peer.request::<ShowMessageRequest>(request(&next), Duration::MAX),
            gives_way(approvals, &next.id, is_open, &mut changes),
        )
        .await;
        if reply == Some(Err(RequestError::Closed)) {
            return;
        }
        let standing = standings.entry(next.id.clone()).or_default();
        standing.turns += 1;
        if let Some(reply) = reply {
            standing.closed = !take(approvals, peer, &next, reply);
        }
    }
}

/// Waits for a reply until `end`; then it is given up, and the client told so. One that comes with the end is not lost.
async fn reply_before<T>(
    reply: impl Future<Output = T>,
    end: impl Future<Output = ()>,
) -> Option<T> {
    let mut reply = pin!(reply);
    tokio::select! {
        biased;
        reply = reply.as_mut() => Some(reply),
        () = end => reply.as_mut().now_or_never(),
    }
}

/// Returns when a question waits no more, or has had its turn and another one waits.
async fn gives_way(
    approvals: &Approvals,
    id: &str,
    is_open: impl Fn(&Arc<Approval>) -> bool,
    changes: &mut watch::Receiver<u64>,
) {
    let turn = Instant::now() + TURN;
    loop {
        let waiting = approvals.waiting();
        if waiting.iter().all(|it| it.id != id) {
            return;
        }
        let others = waiting.iter().any(&is_open);
        tokio::select! {
            // The sender lives as long as the queue.
            _ = changes.changed() => {}
            () = tokio::time::sleep_until(turn), if others => return,
        }
    }
}

/// Takes the reply to a question. Tells whether it was answered.
fn take(
    approvals: &Approvals,
    peer: &Peer,
    approval: &Approval,
    reply: Result<Option<MessageActionItem>, RequestError>,
) -> bool {
    let chosen = match &reply {
        Ok(Some(item)) => approval.answers.iter().find(|it| it.title == item.title),
        Ok(None) | Err(_) => None,
    };
    let told = match chosen.map(|chosen| approvals.answer(Some(&approval.id), &chosen.answer, None))
    {
        Some(Ok(_)) => return true,
        Some(Err(error)) => format!("MewCode: {error}"),
        // Closed without an answer, or a client that cannot show it: no answer is no answer.
        None => show::told(approval),
    };
    peer.notify::<ShowMessage>(&ShowMessageParams {
        typ: MessageType::INFO,
        message: told,
    });
    false
}

/// The question as the client shows it: the safe answer first.
fn request(approval: &Approval) -> ShowMessageRequestParams {
    let text = format!("MewCode asks: {}", question::in_full(approval));
    let message = cut(&text, LONGEST);
    // Nobody is to allow what they have not seen; elsewhere all of it can be shown.
    let shown = if message == text {
        &approval.answers[..]
    } else {
        &approval.answers[..1]
    };
    let answers = shown.iter().map(|it| MessageActionItem {
        title: it.title.clone(),
        properties: HashMap::default(),
    });
    ShowMessageRequestParams {
        typ: MessageType::INFO,
        message,
        actions: Some(answers.collect()),
    }
}

#[cfg(test)]
mod tests;
