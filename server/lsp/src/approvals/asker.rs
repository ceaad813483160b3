//! The tools' port for questions, over the queue: a question waits until it is answered, its call is cancelled, or whoever
//! asked has gone.

use super::question::{self, Stamp};
use crate::protocol::Approval;
use crate::state::State;
use mewcode_tools::port::{Answer, Asker, BoxFuture, Permission, Question};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
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

    /// Asks whether the workspace is trusted with what `permission` says.
    pub async fn ask_trust(&self, permission: Permission, cancel: CancellationToken) -> Answer {
        self.put(question::of_trust(permission, stamp()), cancel)
            .await
    }

    async fn put(&self, shown: Approval, cancel: CancellationToken) -> Answer {
        let asking = Asking {
            state: &self.state,
            id: shown.id.clone(),
        };
        let mut answer = self.state.approvals.put(shown);
        self.state.show_approvals();
        tokio::select! {
            biased;
            answer = &mut answer => answer.unwrap_or(Answer::Withdrawn),
            () = cancel.cancelled() => {
                drop(asking);
                // An answer that was taken before the withdrawal counts: whoever gave it was told so.
                answer.try_recv().unwrap_or(Answer::Withdrawn)
            }
        }
    }
}

impl Asker for ConnectedAsker {
    fn is_attended(&self) -> bool {
        self.state.approvals.is_open()
    }

    fn ask(&self, question: Question, cancel: CancellationToken) -> BoxFuture<'_, Answer> {
        Box::pin(self.put(question::of_call(question, stamp()), cancel))
    }
}

/// Withdraws a question that nobody waits for any more, and shows what is left.
struct Asking<'a> {
    state: &'a Arc<State>,
    id: String,
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.state.approvals.withdraw(&self.id);
        self.state.show_approvals();
    }
}

/// A token that nobody can guess, and the time.
fn stamp() -> Stamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    Stamp {
        id: Uuid::new_v4().simple().to_string(),
        // A clock that stands before 1970 is no reason not to ask.
        asked: since.map_or(0, |since| since.as_millis().try_into().unwrap_or(u64::MAX)),
    }
}
