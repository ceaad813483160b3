//! Questions to the person at the editor: one queue, one state, many surfaces.
//!
//! A question waits in `queue` until its first answer, by whatever surface, or until it is withdrawn; nothing is allowed
//! by silence. `asker` puts questions, `show` tells every surface what waits, `message` is the one surface that has to be
//! told of one question at a time. Code actions and lenses look into the queue when the client asks for them.

mod asker;
mod message;
mod question;
mod queue;
mod show;
mod trust;
mod words;

pub use asker::ConnectedAsker;
pub use queue::AnswerError;
pub use show::show_in_full;
pub use trust::ask as ask_trust;
pub use words::{cut, visible};

use crate::protocol::Approval;
use mewcode_tools::port::Answer;
use queue::Queue;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{oneshot, watch};

/// The questions of this server.
#[derive(Debug, Default)]
pub struct Approvals {
    queue: Mutex<Queue>,
    /// Counts the comings and goings, for those who wait for them.
    changes: watch::Sender<u64>,
    /// What the client was told last.
    shown: Mutex<show::Shown>,
}

impl Approvals {
    /// All questions that wait, oldest first.
    pub fn waiting(&self) -> Vec<Arc<Approval>> {
        self.queue().waiting()
    }

    /// How many questions wait.
    pub fn count(&self) -> usize {
        self.queue().count()
    }

    /// Whether questions are taken.
    pub fn is_open(&self) -> bool {
        self.queue().is_open()
    }

    /// A question that waits, in full.
    ///
    /// # Errors
    /// It does not wait.
    pub fn in_full(&self, id: &str) -> Result<String, AnswerError> {
        let queue = self.queue();
        queue.find(id).map(question::in_full)
    }

    /// Answers a question, if nobody has yet; without an id the only one, if that is safe. Gives the answer in a few words.
    ///
    /// # Errors
    /// The answer does not count: see [`AnswerError`].
    pub fn answer(
        &self,
        id: Option<&str>,
        answer: &str,
        feedback: Option<String>,
    ) -> Result<String, AnswerError> {
        let mut queue = self.queue();
        let id = id.map_or_else(|| queue.only(answer), |id| Ok(id.to_owned()))?;
        let answered = queue.answer(&id, answer, feedback)?;
        drop(queue);
        self.note_change();
        Ok(answered)
    }

    /// Withdraws every question of a session, as its run is stopped: from now on no answer to them counts.
    pub fn withdraw_session(&self, session: &str) {
        if self.queue().withdraw_session(session) {
            self.note_change();
        }
    }

    /// Withdraws every question and takes no more, when the server ends.
    pub fn close(&self) {
        self.queue().close();
        self.note_change();
    }

    fn put(&self, shown: Approval) -> oneshot::Receiver<Answer> {
        let receiver = self.queue().put(shown);
        self.note_change();
        receiver
    }

    /// Takes a question back. Tells whether it still waited.
    fn withdraw(&self, id: &str) -> bool {
        let withdrawn = self.queue().withdraw(id);
        if withdrawn {
            self.note_change();
        }
        withdrawn
    }

    fn note_change(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
