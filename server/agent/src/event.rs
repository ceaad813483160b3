//! What happens in a session, for whoever watches.
//!
//! Must not know who watches, nor how it is shown. The JSON of these types is what editors get.

use mewcode_tools::error::ErrorKind;
use mewcode_tools::notice::{Notice, PlanStep};
use mewcode_tools::result::{FileChange, Status};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::provider::Usage;

/// An event with its place in a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Envelope {
    /// The session's id.
    pub session: String,
    /// The run's id.
    pub run: String,
    /// Counts the events of the session, from 1, without gaps.
    pub sequence: u64,
    /// Milliseconds since the beginning of 1970, UTC.
    pub time: u64,
    /// What happened.
    pub event: Event,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Event {
    /// A prompt is being worked on.
    RunStarted {
        /// The prompt's text.
        prompt: String,
    },
    /// More of the model's answer.
    Text {
        /// What comes after the text so far.
        delta: String,
    },
    /// More of the model's thinking.
    Thinking {
        /// What comes after the thinking so far.
        delta: String,
    },
    /// A call was made: it begins, or waits for another call that it must not overtake. The calls of one answer are told
    /// in order.
    CallStarted {
        /// The call's id, unique in the session.
        call: String,
        /// The tool.
        tool: String,
        /// The arguments as the model gave them.
        arguments: Value,
        /// The call in a few words: `read_file src/main.rs`.
        title: String,
        /// What it is for, in the model's words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        purpose: Option<String>,
    },
    /// A call waits for an answer of a person.
    ApprovalAsked {
        /// The call's id.
        call: String,
        /// The question in one line.
        title: String,
    },
    /// The call has its answer, or the question was withdrawn.
    ApprovalAnswered {
        /// The call's id.
        call: String,
        /// The question in one line.
        title: String,
        /// The answer in a few words.
        answer: String,
    },
    /// An answer to the call's question added a rule.
    RuleAdded {
        /// The call's id.
        call: String,
        /// The rule as it is written.
        rule: String,
        /// Where it was written to; absent: it holds for this session.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<String>,
    },
    /// The visible task list is now this one.
    Plan {
        /// The id of the call that made it.
        call: String,
        /// Its steps.
        steps: Vec<PlanStep>,
    },
    /// The newest lines that the command of a call printed. Not kept in the event log.
    Output {
        /// The call's id.
        call: String,
        /// A few lines, without escape sequences. They may have been told before.
        tail: String,
    },
    /// A call has its result. Calls that go on side by side end in any order.
    CallEnded {
        /// The call's id.
        call: String,
        /// The tool.
        tool: String,
        /// How it ended.
        status: Status,
        /// Why it did not do its work.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error_kind: Option<ErrorKind>,
        /// What came of it, in one line.
        summary: String,
        /// What a command printed, in lines without escape sequences: of much the beginning and the end, or what matters.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output: Option<String>,
        /// The files that it changed.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<FileChange>,
    },
    /// The model's turn failed and is asked for again. Text and thinking since the last call or the run's start are
    /// void.
    Retrying {
        /// Which retry, from 1.
        attempt: u32,
        /// How many there will be at most.
        attempts: u32,
        /// How long it waits before.
        delay_ms: u64,
        /// What went wrong.
        reason: String,
    },
    /// The tokens of a model turn, cached ones apart.
    Usage(Usage),
    /// The run is over.
    RunEnded {
        /// How it ended.
        outcome: Outcome,
        /// Why, where it did not simply end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
}

impl Event {
    /// What a call told before its result.
    pub(crate) fn of_notice(call: String, notice: Notice) -> Self {
        match notice {
            Notice::Asked { title } => Self::ApprovalAsked { call, title },
            Notice::Answered { title, answer } => Self::ApprovalAnswered {
                call,
                title,
                answer,
            },
            Notice::RuleAdded { rule, place } => Self::RuleAdded { call, rule, place },
            Notice::Plan { steps } => Self::Plan { call, steps },
            Notice::Output { tail } => Self::Output { call, tail },
        }
    }
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The model ended its turn.
    Done,
    /// Something broke.
    Failed,
    /// The user stopped it.
    Cancelled,
    /// A limit stopped it.
    Limit,
}

/// Takes what happens. Called from the run itself, in order: it must not block.
pub trait Events: Send + Sync {
    /// Takes the next event.
    fn emit(&self, envelope: &Envelope);
}
