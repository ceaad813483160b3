//! Questions to a person, and the port that carries them. Knows no surface on which they are shown.

use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::BoxFuture;

/// Who answers questions.
pub trait Asker: Send + Sync {
    /// Whether there is anybody who could answer.
    fn is_attended(&self) -> bool;

    /// Puts a question and waits for its answer, without limit of time. Withdrawn when `cancel` is triggered. A dropped
    /// future withdraws the question too.
    fn ask(&self, question: Question, cancel: CancellationToken) -> BoxFuture<'_, Answer>;
}

/// A question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The session that asks.
    pub session: String,
    /// The call that asks, unique in the session.
    pub call: String,
    /// The tool that asks.
    pub tool: String,
    /// Why the call is made, in the words of the model; may be empty. Not to be trusted.
    pub reason: String,
    /// What is asked.
    pub subject: Subject,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// May this happen?
    Permission(Permission),
    /// Which of these, or what else?
    Choice(Choice),
}

/// What would happen if it is allowed: all of it, in the words of who will do it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Permission {
    /// In one line: "Run `cargo test`".
    pub title: String,
    /// What will really happen, line by line: the whole command, its folder, its sandbox, the paths, the hosts.
    pub details: Vec<String>,
    /// Why it is asked, a sentence each.
    pub because: Vec<String>,
    /// The rules that "for this session" and "always" would add, as they are written; none: these answers are not
    /// offered.
    pub rules: Vec<String>,
    /// Where "always" would write them; none: it is not offered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

/// A question of the model's own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The question.
    pub question: String,
    /// Answers to choose from; may be empty. Any other text is an answer too.
    pub options: Vec<String>,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// This once.
    AllowOnce,
    /// This, and what its rules cover, until the session ends.
    AllowSession,
    /// This, and what its rules cover, from now on.
    AllowAlways,
    /// No.
    Deny {
        /// A word to the model.
        feedback: Option<String>,
    },
    /// To a choice: this.
    Chosen(String),
    /// The question was withdrawn before anybody answered.
    Withdrawn,
    /// There is nobody to ask.
    Unattended,
}

/// Writes down the rules of the answer "always", in the user's own layer of the workspace.
pub trait RuleKeeper: Send + Sync {
    /// Where it writes to, as it is shown: `.mewcode/settings.local.yaml`.
    fn place(&self) -> String;

    /// Adds rules that allow, exactly as they are written, and says where they stand now. Blocks.
    ///
    /// # Errors
    ///
    /// They were not written: what happened and what to do, in whole sentences.
    fn keep(&self, rules: &[String]) -> Result<String, String>;
}

/// Where nobody can be asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Asker for Nobody {
    fn is_attended(&self) -> bool {
        false
    }

    fn ask(&self, _: Question, _: CancellationToken) -> BoxFuture<'_, Answer> {
        Box::pin(async { Answer::Unattended })
    }
}
