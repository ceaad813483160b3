//! The queue of questions: each waits under a token that works once, is answered once or withdrawn, and keeps its place.
//!
//! Memory only. Knows neither who asks nor where a question is shown.

use crate::protocol::{Approval, ApprovalKind};
use mewcode_tools::port::Answer;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::oneshot;

/// Of so many questions it is remembered what became of them, so that a late answer can be told.
const REMEMBERED: usize = 256;

/// Why an answer does not count.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// Somebody was faster, maybe on another surface.
    #[error("this question was answered already: {0}")]
    Answered(String),
    /// The call that asked has ended.
    #[error(
        "this question was withdrawn before anybody answered it: the call that asked has ended"
    )]
    Withdrawn,
    /// The token is none of this server's, or one of long ago.
    #[error("there is no question `{0}` in this server; it may have been one of an earlier server")]
    Unknown(String),
    /// The question has other answers.
    #[error("`{answer}` was not offered as an answer to this question; the answers are {offered}")]
    NotOffered {
        /// What was answered.
        answer: String,
        /// The answers that count.
        offered: String,
    },
    /// Only a refusal can be explained.
    #[error("a word to the model (`feedback`) goes with the answer `deny` only")]
    Feedback,
    /// No question was named, and it is not clear or not safe which one is meant.
    #[error(
        "name the question by `id`: without it only the one question that waits can be refused, or answered if the model asks it"
    )]
    Unnamed,
    /// No words at all.
    #[error("the answer is empty; write something, or answer `deny`")]
    Empty,
}

/// All questions.
#[derive(Debug, Default)]
pub struct Queue {
    /// Oldest first.
    waiting: Vec<Waiting>,
    /// What became of the newest of those that wait no more: the answer in a few words, or none if it was withdrawn.
    settled: VecDeque<(String, Option<String>)>,
    closed: bool,
}

#[derive(Debug)]
struct Waiting {
    shown: Arc<Approval>,
    reply: oneshot::Sender<Answer>,
}

impl Queue {
    /// Puts a question behind those that wait; its id is the token. The receiver gets the answer; nothing, if the question
    /// is withdrawn.
    pub fn put(&mut self, shown: Approval) -> oneshot::Receiver<Answer> {
        let (reply, receiver) = oneshot::channel();
        if self.closed {
            self.settle(shown.id, None);
        } else {
            let shown = Arc::new(shown);
            self.waiting.push(Waiting { shown, reply });
        }
        receiver
    }

    /// All questions that wait, oldest first.
    pub fn waiting(&self) -> Vec<Arc<Approval>> {
        let shown = self.waiting.iter().map(|it| Arc::clone(&it.shown));
        shown.collect()
    }

    /// A question that waits.
    ///
    /// # Errors
    /// It does not wait: why.
    pub fn find(&self, id: &str) -> Result<&Approval, AnswerError> {
        let waiting = self.waiting.iter().find(|it| it.shown.id == id);
        waiting.map(|it| &*it.shown).ok_or_else(|| self.late(id))
    }

    /// How many questions wait.
    pub fn count(&self) -> usize {
        self.waiting.len()
    }

    /// Takes the first answer to a question, and gives it in a few words. An answer that does not count changes nothing.
    pub fn answer(
        &mut self,
        id: &str,
        answer: &str,
        feedback: Option<String>,
    ) -> Result<String, AnswerError> {
        let Some(at) = self.waiting.iter().position(|it| it.shown.id == id) else {
            return Err(self.late(id));
        };
        let kind = self.waiting[at].shown.kind;
        let answer = read(&self.waiting[at].shown, answer, feedback)?;
        let Waiting { shown, reply } = self.waiting.remove(at);
        let words = in_words(kind, &answer);
        // Whoever asked has gone and not withdrawn it yet: an answer that reaches nobody is none.
        let answered = reply.send(answer).is_ok().then_some(words);
        self.settle(shown.id.clone(), answered.clone());
        answered.ok_or(AnswerError::Withdrawn)
    }

    /// The one question that waits, if this answer to it needs no name.
    pub fn only(&self, answer: &str) -> Result<String, AnswerError> {
        match &self.waiting[..] {
            [only] if answer == "deny" || only.shown.kind == ApprovalKind::Choice => {
                Ok(only.shown.id.clone())
            }
            _ => Err(AnswerError::Unnamed),
        }
    }

    /// Takes a question back. Tells whether it still waited.
    pub fn withdraw(&mut self, id: &str) -> bool {
        let at = self.waiting.iter().position(|it| it.shown.id == id);
        if let Some(at) = at {
            let waiting = self.waiting.remove(at);
            self.settle(waiting.shown.id.clone(), None);
        }
        at.is_some()
    }

    /// Takes back every question of a session. Tells whether there was any.
    pub fn withdraw_session(&mut self, session: &str) -> bool {
        let of_session = |it: &mut Waiting| it.shown.session.as_deref() == Some(session);
        let withdrawn: Vec<Waiting> = self.waiting.extract_if(.., of_session).collect();
        for waiting in &withdrawn {
            self.settle(waiting.shown.id.clone(), None);
        }
        !withdrawn.is_empty()
    }

    /// Withdraws every question, and from now on each new one at once.
    pub fn close(&mut self) {
        self.closed = true;
        for waiting in std::mem::take(&mut self.waiting) {
            self.settle(waiting.shown.id.clone(), None);
        }
    }

    /// Whether questions are taken.
    pub fn is_open(&self) -> bool {
        !self.closed
    }

    fn settle(&mut self, id: String, answered: Option<String>) {
        if self.settled.len() == REMEMBERED {
            self.settled.pop_front();
        }
        self.settled.push_back((id, answered));
    }

    /// Why there is no question with this id.
    fn late(&self, id: &str) -> AnswerError {
        match self.settled.iter().find(|(settled, _)| settled == id) {
            Some((_, Some(answered))) => AnswerError::Answered(answered.clone()),
            Some((_, None)) => AnswerError::Withdrawn,
            None => AnswerError::Unknown(id.to_owned()),
        }
    }
}

/// What an answer means to this question.
fn read(shown: &Approval, answer: &str, feedback: Option<String>) -> Result<Answer, AnswerError> {
    let offered = shown.answers.iter().any(|it| it.answer == answer);
    let answer = match (shown.kind, answer) {
        (_, "deny") if offered => return Ok(Answer::Deny { feedback }),
        (ApprovalKind::Choice, words) if words.trim().is_empty() => return Err(AnswerError::Empty),
        (ApprovalKind::Choice, words) => Answer::Chosen(words.to_owned()),
        (_, "once") if offered => Answer::AllowOnce,
        (_, "session") if offered => Answer::AllowSession,
        (_, "always") if offered => Answer::AllowAlways,
        _ => {
            let offered = shown.answers.iter().map(|it| format!("`{}`", it.answer));
            return Err(AnswerError::NotOffered {
                answer: answer.to_owned(),
                offered: offered.collect::<Vec<_>>().join(", "),
            });
        }
    };
    match feedback {
        None => Ok(answer),
        Some(_) => Err(AnswerError::Feedback),
    }
}

/// An answer as those are told who come too late.
fn in_words(kind: ApprovalKind, answer: &Answer) -> String {
    match (kind, answer) {
        (ApprovalKind::Trust, Answer::AllowAlways) => "trusted".to_owned(),
        (ApprovalKind::Trust, _) => "not trusted".to_owned(),
        (_, Answer::AllowOnce) => "allowed once".to_owned(),
        (_, Answer::AllowSession) => "allowed for this session".to_owned(),
        (_, Answer::AllowAlways) => "always allowed".to_owned(),
        (_, Answer::Chosen(words)) => format!("“{}”", super::cut(&super::visible(words), 80)),
        (ApprovalKind::Choice, _) => "declined".to_owned(),
        (_, Answer::Deny { .. } | Answer::Withdrawn | Answer::Unattended) => "denied".to_owned(),
    }
}

#[cfg(test)]
mod tests;
