//! MewCode's own methods and commands on the wire. All are optional and negotiated by `experimental.mewcode`.
//!
//! Types only. Each message has a place in `docs/protocol.md`.

/// `mewcode/sessions`, client to server.
mod sessions;

pub use sessions::{SessionEntry, SessionsResult};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tower_lsp::ls_types::notification::Notification;
use tower_lsp::ls_types::request::Request;
use tower_lsp::ls_types::{Range, TextEdit, Uri};

/// `mewcode/query`, server to client: what the editor's other language servers know.
pub mod query;

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

/// `mewcode/applyEdit`, server to client: hash-checked edits, removals and moves of open documents, all or none.
#[derive(Debug)]
pub enum ApplyEdit {}

impl Request for ApplyEdit {
    type Params = ApplyEditParams;
    type Result = ApplyEditResult;
    const METHOD: &'static str = "mewcode/applyEdit";
}

/// Parameters of [`ApplyEdit`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ApplyEditParams {
    /// What the user's undo list may show.
    pub label: String,
    /// The documents; none of them twice.
    pub documents: Vec<DocumentEdits>,
}

/// The edits of one document.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DocumentEdits {
    /// The document, as the client spelled it.
    pub uri: String,
    /// The version that the edits were computed for.
    pub version: i32,
    /// sha256 of the logical text that the edits were computed for.
    pub sha256: String,
    /// The edits, in ascending order and disjoint. None for a file that is removed.
    pub edits: Vec<TextEdit>,
    /// What happens to the file itself; absent: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<FileOperation>,
}

/// What happens to the file of a document. A buffer with unsaved changes is not removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FileOperation {
    /// The file is removed and the document closed.
    Remove,
    /// The file moves to where nothing is, and the document with it; it stays unsaved if it was.
    Move {
        /// Where to.
        uri: String,
    },
}

/// Result of [`ApplyEdit`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ApplyEditResult {
    /// Whether all edits are in the buffers.
    pub applied: bool,
    /// Why not: `stale`, `unavailable`, `not_open` or `failed`.
    #[serde(default)]
    pub reason: Option<String>,
    /// The editor's words on it.
    #[serde(default)]
    pub message: Option<String>,
    /// What each buffer holds now, by its present URI; none for a removed file.
    #[serde(default)]
    pub documents: Vec<DocumentHash>,
}

/// The logical text's hash of one document.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DocumentHash {
    /// The document.
    pub uri: String,
    /// sha256, 64 hexadecimal digits.
    pub sha256: String,
}

/// `mewcode/save`, server to client: save a buffer if it holds exactly this text.
#[derive(Debug)]
pub enum Save {}

impl Request for Save {
    type Params = SaveParams;
    type Result = SaveResult;
    const METHOD: &'static str = "mewcode/save";
}

/// Parameters of [`Save`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SaveParams {
    /// The document.
    pub uri: String,
    /// sha256 of the text, 64 hexadecimal digits.
    pub sha256: String,
    /// Set if the disk has this text already, from elsewhere: no hook runs. For a client with the feature `reload`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_disk: Option<OnDisk>,
}

/// How the text of a buffer is on disk.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OnDisk {
    /// Whether the file ends in a line break.
    pub final_newline: bool,
}

/// Result of [`Save`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SaveResult {
    /// Whether the text is on disk.
    pub saved: bool,
    /// Why not.
    #[serde(default)]
    pub reason: Option<String>,
    /// sha256 of the text that was saved, which formatters may have changed.
    #[serde(default)]
    pub sha256: Option<String>,
}

/// `mewcode/checksum`, client to server: does the server hold the editor's text? Answered in order with the changes.
pub const CHECKSUM: &str = "mewcode/checksum";

/// Parameters of [`CHECKSUM`].
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChecksumParams {
    /// The document.
    pub uri: String,
    /// The editor's version of it.
    pub version: i32,
    /// sha256 of the logical text, 64 hexadecimal digits.
    pub sha256: String,
    /// The whole text in wire form, when the question is repeated after a mismatch: the server takes it.
    #[serde(default)]
    pub text: Option<String>,
}

/// Result of [`CHECKSUM`].
#[derive(Debug, Serialize)]
pub struct ChecksumResult {
    /// Whether both now hold the same text.
    #[serde(rename = "match")]
    pub matches: bool,
}

/// `mewcode/held`, client to server: all files that the editor holds in another form than a document.
pub const HELD: &str = "mewcode/held";

/// Parameters of [`HELD`].
#[derive(Debug, Deserialize)]
pub struct HeldParams {
    /// The files; none of them is written to the disk meanwhile.
    pub files: Vec<HeldFile>,
}

/// A file that the editor holds.
#[derive(Debug, Deserialize)]
pub struct HeldFile {
    /// Where it is.
    pub uri: String,
    /// In which form.
    pub kind: HeldKind,
}

/// In which form the editor holds a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeldKind {
    /// As a notebook.
    Notebook,
    /// In an editor of its own for that kind of file.
    Custom,
    /// As a text that is not synchronised: too large, or not loaded.
    Unsynchronised,
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

/// Result of `mewcode/pending`, client to server: every undecided hunk of every document.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PendingResult {
    /// The hunks, by document and line.
    pub hunks: Vec<PendingHunk>,
    /// The questions, oldest first.
    pub approvals: Vec<Approval>,
}

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
    /// The question.
    pub id: String,
    /// One of its answers; to a choice any text.
    pub answer: String,
    /// A word to the model, with `deny`.
    #[serde(default)]
    pub feedback: Option<String>,
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
