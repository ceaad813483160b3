//! What every tool declares, and what a call of it becomes before anything happens: a plan. Knows no single tool.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::effect::{Effect, EffectBound};
use crate::error::ToolError;
use crate::host::Host;
use crate::ledger::Ledger;
use crate::notice::Notices;
use crate::overlay::Workspace;
use crate::permission::Unread;
use crate::port::{BoxFuture, Choice, FileEdit};
use crate::result::ToolResult;
use crate::schema::Parameters;

/// A tool: what the model may call.
pub trait Tool: Send + Sync {
    /// What the tool declares; the same at every call.
    fn contract(&self) -> &ToolContract;

    /// Turns validated arguments into what this very call would do. Changes nothing. May read and compute: it runs on
    /// a thread of its own, under the tool's time-out.
    fn plan(&self, arguments: Value, context: &CallScope) -> Result<Plan, ToolError>;

    /// The part of a result of this tool that a command printed, for people to read; none: it runs no command.
    fn printed<'a>(&self, _result: &'a ToolResult) -> Option<&'a str> {
        None
    }
}

/// Everything that is known of a tool without calling it.
#[derive(Serialize)]
pub struct ToolContract {
    /// `^[A-Za-z0-9_-]{1,64}$`; matched exactly.
    pub name: String,
    /// What it does, its side effects and how to use it well: written for the model.
    pub description: String,
    /// The arguments.
    pub parameters: Parameters,
    /// The most that any call can touch.
    pub effect_bound: EffectBound,
    /// Whether a call may be repeated.
    pub idempotency: Idempotency,
    /// How much harm a call can do.
    pub risk: Risk,
    /// The bounds of a call, which the runtime enforces.
    pub limits: Limits,
    /// How an unknown outcome is settled after a crash.
    pub recovery: Recovery,
    /// Of the schema, so that an old session can still be read.
    pub version: u32,
}

/// Whether a call may be repeated after a time-out or a crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Idempotency {
    /// Changes nothing.
    Pure,
    /// A second time it finds that its base is gone and changes nothing.
    CompareAndSwap,
    /// Carries a key by which the other side knows a repetition.
    Keyed,
    /// A repetition may do it twice.
    None,
}

/// How much harm a call can do: the default of the permission rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// None that matters.
    Low,
    /// Harm that can be undone.
    Medium,
    /// Harm that cannot.
    High,
}

/// How an unknown outcome is settled after a crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recovery {
    /// By calling again.
    Rerun,
    /// By looking whether the file has the hash that the change would have given it.
    CompareFileHash,
    /// By asking the user.
    AskUser,
}

/// The bounds of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Of the content of a result.
    pub bytes: usize,
    /// Of the content of a result; none: the bytes alone bound it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<usize>,
    /// How long a call may take when it does not say, without the time that a person takes to decide.
    pub default_timeout_ms: u64,
    /// How long a call may ask to take.
    pub maximum_timeout_ms: u64,
}

impl Limits {
    /// The time that a call is given: what it asks for, within the bounds.
    pub fn timeout(&self, asked: Option<Duration>) -> Duration {
        let maximum = Duration::from_millis(self.maximum_timeout_ms);
        asked
            .unwrap_or(Duration::from_millis(self.default_timeout_ms))
            .min(maximum)
    }
}

/// What a call may look at.
#[derive(Clone)]
pub struct CallScope {
    /// The session that it belongs to.
    pub session: String,
    /// Its id, unique in the session.
    pub call: String,
    /// The files.
    pub workspace: Arc<Workspace>,
    /// Who is asked, what is permitted, where commands run.
    pub host: Host,
    /// Told what happens before the result.
    pub notices: Notices,
    /// What the agent has seen; none: the caller is no agent, and no earlier read is needed.
    pub ledger: Option<Arc<Ledger>>,
    /// Triggered when the call is to end: long work looks at it and stops.
    pub cancel: CancellationToken,
}

impl CallScope {
    /// Which files a search by this tool leaves out that were not named to it.
    pub fn unread(&self, tool: &str) -> Unread {
        self.host
            .policy
            .unread(tool, self.workspace.guard().roots())
    }
}

/// What a call would do.
pub struct Plan {
    /// Everything that the call touches.
    pub effects: Vec<Effect>,
    /// The time that the call asks for; none: the tool's default.
    pub timeout: Option<Duration>,
    /// The doing.
    pub work: Work,
}

/// The doing of a planned call.
pub enum Work {
    /// A finished change of files. The runtime gives it to the editor; nothing of it is left to the tool.
    Change(Change),
    /// A question to a person. The runtime puts it; the time that the person takes counts for nothing. What is answered
    /// is the result.
    Ask(Choice),
    /// Anything else, under the tool's time-out.
    Run(Box<dyn Run>),
}

/// A change of files, ready to be reviewed and applied.
#[derive(Clone, Debug)]
pub struct Change {
    /// One entry a file.
    pub files: Vec<FileEdit>,
    /// What the result is to say besides the diff if the change lands; whole sentences.
    pub notes: Vec<String>,
}

/// Work that is not a change of files through the editor.
pub trait Run: Send {
    /// What the call is for, in the words of the model, if it said so: shown to who is asked. Not to be trusted.
    fn purpose(&self) -> Option<&str> {
        None
    }

    /// Does it. Ends soon after `scope.cancel` is triggered, with all that it started cleaned up.
    fn run(self: Box<Self>, scope: CallScope) -> BoxFuture<'static, ToolResult>;
}

#[cfg(test)]
mod tests;
