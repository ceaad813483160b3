//! MewCode's own methods and commands on the wire. All are optional and negotiated by `experimental.mewcode`.
//!
//! Types only. Each message has a place in `docs/protocol.md`.

mod approvals;
mod documents;
pub mod query;
mod sessions;

pub use approvals::{
    AnswerArguments, Approval, ApprovalAnswer, ApprovalArguments, ApprovalKind, Approvals,
    ApprovalsParams,
};
pub use documents::{
    ApplyEdit, ApplyEditParams, ApplyEditResult, CHECKSUM, ChecksumParams, ChecksumResult,
    DocumentEdits, FileOperation, HELD, HeldKind, HeldParams, OnDisk, Save, SaveParams,
};
pub use sessions::{SessionEntry, SessionsResult};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tower_lsp::ls_types::notification::Notification;
use tower_lsp::ls_types::{Range, Uri};

/// `capabilities.experimental.mewcode` of the client: what its plugin can do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ClientFeatures {
    /// Answers `mewcode/applyEdit`.
    pub apply_edit: bool,
    /// Answers `mewcode/save`.
    pub save: bool,
    /// Shows `mewcode/review`.
    pub review: bool,
    /// Takes `mewcode/event`.
    pub event: bool,
    /// Takes `mewcode/status`.
    pub status: bool,
    /// Sends `mewcode/checksum` when in doubt.
    pub checksum: bool,
    /// Shows transcripts itself, by `mewcode/transcript`.
    pub transcript: bool,
    /// Removes and moves files by `mewcode/applyEdit`.
    pub files: bool,
    /// Shows `mewcode/approval`.
    pub approvals: bool,
    /// Takes a buffer as saved that has the disk's text, by `mewcode/save`.
    pub reload: bool,
    /// Gives a clean document the text of its file by itself when that changed on disk.
    pub reloads_itself: bool,
    /// Answers `mewcode/query`.
    pub query: bool,
}

/// One hunk as the plugins show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hunk {
    /// Unique in the life of the server.
    pub id: String,
    /// The proposal that it belongs to.
    pub proposal: String,
    /// The session of the call.
    pub session: String,
    /// The call that proposed it.
    pub call: String,
    /// The tool that proposed it.
    pub tool: String,
    /// Why, in a few words.
    pub reason: String,
    /// `before`: not in the buffer yet. `after`: in the buffer already, to be kept or reverted.
    pub review: String,
    /// `proposed`, `conflicted` or `applied`.
    pub state: String,
    /// First line of the hunk's place in the buffer as it is now, from 0.
    pub start_line: usize,
    /// The line after the last; equal to `startLine` where nothing stands in the buffer.
    pub end_line: usize,
    /// Set if the hunk is about the file as a whole: `remove` or `move`. It names no lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Of such a hunk: what happens or has happened to the file, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The lines that the agent replaces, without line ends.
    pub old_lines: Vec<String>,
    /// The lines that it puts there.
    pub new_lines: Vec<String>,
    /// Lines added.
    pub added: usize,
    /// Lines removed.
    pub removed: usize,
}

/// `mewcode/review`, server to client: all undecided hunks of a document, each time the whole list.
#[derive(Debug)]
pub enum Review {}

impl Notification for Review {
    type Params = ReviewParams;
    const METHOD: &'static str = "mewcode/review";
}

/// Parameters of [`Review`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ReviewParams {
    /// The document, open or not.
    pub uri: String,
    /// The version that the lines speak of; absent while it is not open.
    pub version: Option<i32>,
    /// The hunks in the order of their lines; none clears the document.
    pub hunks: Vec<Hunk>,
}

/// `mewcode/event`, server to client: one event of a session, as it is kept in the event log.
#[derive(Debug)]
pub enum Event {}

impl Notification for Event {
    type Params = Value;
    const METHOD: &'static str = "mewcode/event";
}

/// `mewcode/status`, server to client: whenever one of its fields changes.
#[derive(Debug)]
pub enum Status {}

impl Notification for Status {
    type Params = StatusParams;
    const METHOD: &'static str = "mewcode/status";
}

/// Parameters of [`Status`], and result of the command `mewcode.status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusParams {
    /// Permission mode of the current session.
    pub mode: String,
    /// The current session; absent before the first prompt.
    pub session: Option<String>,
    /// Runs under way.
    pub running: usize,
    /// Hunks that wait for a decision.
    pub pending_hunks: usize,
    /// Questions that wait for an answer.
    pub pending_approvals: usize,
    /// How commands are confined: `workspace_write`, `read_only`, `off`, or `none`: this system has no sandbox.
    pub sandbox: String,
    /// Whether nothing is held back that the workspace's files would grant, for want of trust.
    pub trusted: bool,
    /// The model provider.
    pub provider: String,
    /// The model.
    pub model: Option<String>,
}

/// `mewcode/transcript`, client to server: a session's transcript so far.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TranscriptParams {
    /// The session; the current one if absent.
    pub session: Option<String>,
}

/// Result of `mewcode/transcript`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TranscriptResult {
    /// The session.
    pub session: String,
    /// Markdown.
    pub markdown: String,
    /// Sequence of the last event that is in it; 0 if there is none. Later ones come by `mewcode/event`.
    pub sequence: u64,
}

/// Result of `mewcode.review.accept` and `mewcode.review.reject`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionResult {
    /// How many hunks the decision is about.
    pub hunks: usize,
    /// How many were left alone: they conflict with the user's change, and nobody said whose lines are to stand.
    pub conflicts: usize,
}

/// Result of `mewcode/pending`, client to server: every undecided hunk of every document.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PendingResult {
    /// The hunks, by document and line.
    pub hunks: Vec<PendingHunk>,
    /// The questions, oldest first.
    pub approvals: Vec<Approval>,
}

/// A hunk with its document.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PendingHunk {
    /// The document, open or not.
    pub uri: String,
    /// The hunk.
    #[serde(flatten)]
    pub hunk: Hunk,
}

/// Argument of `mewcode.prompt`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PromptArguments {
    /// The user's words.
    pub text: String,
    /// The document that they speak of.
    #[serde(default)]
    pub uri: Option<Uri>,
    /// The selection in it.
    #[serde(default)]
    pub range: Option<Range>,
    /// The session to go on with; the current one if absent.
    #[serde(default)]
    pub session: Option<String>,
}

/// Argument of the commands that may name a session.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SessionArguments {
    /// The session; the current one if absent.
    pub session: Option<String>,
}

/// Argument of `mewcode.setMode`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModeArguments {
    /// The name of a permission mode.
    pub mode: String,
    /// The session; the current one and all later ones if absent.
    #[serde(default)]
    pub session: Option<String>,
}

/// Argument of the review commands: exactly one of `hunk`, `uri` and `all`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReviewArguments {
    /// One hunk.
    pub hunk: Option<String>,
    /// Every hunk of a document.
    pub uri: Option<String>,
    /// Every hunk of every document.
    pub all: bool,
    /// A word to the model.
    pub feedback: Option<String>,
    /// For conflicted hunks: whose lines stand afterwards.
    pub take: Option<Take>,
}

/// Whose lines a conflicted hunk ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Take {
    /// The buffer's, as they are.
    Mine,
    /// The agent's instead.
    Agent,
    /// The buffer's, then the agent's.
    Both,
}
