//! The tools' port for questions, over the queue: a question waits until it is answered, its call is cancelled, or whoever
//! asked has gone.

use super::question::{self, Stamp};
use crate::protocol::Approval;
use crate::state::State;
use crate::time::now;
use mewcode_tools::port::{Answer, Asker, BoxFuture, Question};
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// The person at the other end of the connection.
pub struct ConnectedAsker {
    state: Arc<State>,
}

impl ConnectedAsker {
    /// Asks by the surfaces of this server.
    pub fn new(state: Arc<State>) -> Self {
        Self { state }
    }
}

impl Asker for ConnectedAsker {
    fn is_attended(&self) -> bool {
        self.state.approvals.is_open()
    }

    fn ask(&self, question: Question, cancel: CancellationToken) -> BoxFuture<'_, Answer> {
        let asked = question::of_call(question, stamp());
        Box::pin(async move { Waiting::put(&self.state, asked).answer(&cancel).await })
    }
}

/// A question that somebody waits for. Dropped, it is withdrawn.
pub(super) struct Waiting {
    state: Arc<State>,
    id: String,
    receiver: oneshot::Receiver<Answer>,
}

impl Waiting {
    /// Puts a question and shows it.
    pub(super) fn put(state: &Arc<State>, asked: Approval) -> Self {
        let id = asked.id.clone();
        let receiver = state.approvals.put(asked);
        state.show_approvals();
        Self {
            state: Arc::clone(state),
            id,
            receiver,
        }
    }

    /// Waits for the answer, until `cancel` is triggered.
    pub(super) async fn answer(mut self, cancel: &CancellationToken) -> Answer {
        tokio::select! {
            biased;
            answer = &mut self.receiver => answer.unwrap_or(Answer::Withdrawn),
            () = cancel.cancelled() => {
                self.state.approvals.withdraw(&self.id);
                // An answer that was taken before the withdrawal counts: whoever gave it was told so.
                self.receiver.try_recv().unwrap_or(Answer::Withdrawn)
            }
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.state.approvals.withdraw(&self.id);
        // Also when it was answered: not every surface has heard of it.
        self.state.show_approvals();
    }
}

/// A token that nobody can guess, and the time.
pub(super) fn stamp() -> Stamp {
    Stamp {
        id: Uuid::new_v4().simple().to_string(),
        asked: now(),
    }
}
