//! What happens in the middle of a call, for whoever watches and for the event log. Knows nobody who listens.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

/// Something that happened before a call had its result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Notice {
    /// A person is asked.
    Asked {
        /// The question in one line.
        title: String,
    },
    /// A person has answered, or the question was withdrawn.
    Answered {
        /// The question in one line.
        title: String,
        /// The answer in a few words: `allowed once`.
        answer: String,
    },
    /// A rule was added by an answer.
    RuleAdded {
        /// The rule as it is written.
        rule: String,
        /// Where it was written to; none: it holds for this session.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<String>,
    },
    /// The visible task list is now this one.
    Plan {
        /// Its steps.
        steps: Vec<PlanStep>,
    },
    /// The newest lines that a running command printed.
    Output {
        /// A few lines, without escape sequences.
        tail: String,
    },
}

/// A step of the visible task list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanStep {
    /// What is to be done, in a few words.
    pub step: String,
    /// How far it is.
    pub status: StepStatus,
}

/// How far a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    /// Not begun.
    Pending,
    /// Being worked on.
    InProgress,
    /// Done.
    Completed,
}

/// The names alone: derived from an enum with remarks it would be a `oneOf`, which providers drop.
impl schemars::JsonSchema for StepStatus {
    fn schema_name() -> Cow<'static, str> {
        "StepStatus".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "string", "enum": ["pending", "in_progress", "completed"]})
    }
}

/// Takes the notices of one call.
#[derive(Clone, Debug, Default)]
pub struct Notices {
    call: String,
    sender: Option<mpsc::UnboundedSender<(String, Notice)>>,
}

impl Notices {
    /// Sends the notices of the call to `sender`, with its id.
    pub fn new(
        call: impl Into<String>,
        sender: mpsc::UnboundedSender<(String, Notice)>,
    ) -> Notices {
        Notices {
            call: call.into(),
            sender: Some(sender),
        }
    }

    /// Tells one. Nobody need listen.
    pub fn tell(&self, notice: Notice) {
        if let Some(sender) = &self.sender {
            // A listener that is gone wants nothing more.
            let _ = sender.send((self.call.clone(), notice));
        }
    }
}
