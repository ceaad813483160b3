//! Questions and their answers on the wire. Types only.

use serde::{Deserialize, Serialize};
use tower_lsp::ls_types::notification::Notification;

/// `mewcode/approval`, server to client: whenever a question comes or goes. One that is missing was answered or withdrawn.
#[derive(Debug)]
pub enum Approvals {}

impl Notification for Approvals {
    type Params = ApprovalsParams;
    const METHOD: &'static str = "mewcode/approval";
}

/// Parameters of [`Approvals`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalsParams {
    /// All questions that wait, oldest first.
    pub approvals: Vec<Approval>,
}

/// A question that waits for an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// To answer it by, once: `mewcode.approval.answer`.
    pub id: String,
    /// What kind of question it is.
    pub kind: ApprovalKind,
    /// The session that asks; absent: MewCode itself does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The tool that asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The question in one line: "Run `cargo test`".
    pub title: String,
    /// What will really happen, line by line.
    pub details: Vec<String>,
    /// Why it is asked, a sentence each.
    pub because: Vec<String>,
    /// Why the model wants it, in its own words; may be empty. Not to be trusted.
    pub reason: String,
    /// The answers that can be given, the safe one first.
    pub answers: Vec<ApprovalAnswer>,
    /// When it was asked: milliseconds since the beginning of 1970, UTC.
    pub asked: u64,
}

/// What kind of question it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalKind {
    /// Whether something may happen.
    Permission,
    /// A question of the model: any text is an answer too.
    Choice,
    /// Whether the workspace is trusted.
    Trust,
}

/// An answer that can be given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalAnswer {
    /// What to send: `deny`, `once`, `session`, `always`, or the text of an option.
    pub answer: String,
    /// How it is shown: "Always allow `cargo test:*`".
    pub title: String,
}

/// Argument of `mewcode.approval.show`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApprovalArguments {
    /// The question.
    pub id: String,
}

/// Argument of `mewcode.approval.answer`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerArguments {
    /// The question. It may be left out where exactly one waits, to refuse it or to answer the model in words: who allows
    /// something says what.
    #[serde(default)]
    pub id: Option<String>,
    /// One of its answers; to a choice any text.
    pub answer: String,
    /// A word to the model, with `deny`.
    #[serde(default)]
    pub feedback: Option<String>,
}
