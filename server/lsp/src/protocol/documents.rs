//! What passes between the server and a plugin about documents: edits, saving, comparing, files that are held. Types only.

use serde::{Deserialize, Serialize};
use tower_lsp::ls_types::TextEdit;
use tower_lsp::ls_types::request::Request;

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

impl ApplyEditResult {
    /// Whether the editor checked first, met another text, and so did nothing.
    pub fn is_stale(&self) -> bool {
        !self.applied && self.reason.as_deref() == Some("stale")
    }
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
