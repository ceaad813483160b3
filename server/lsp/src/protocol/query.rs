//! `mewcode/query` on the wire: what the server asks of the editor's other language servers, and what they answer.
//!
//! Types only.

use serde::{Deserialize, Serialize};
use tower_lsp::ls_types::request::Request;
use tower_lsp::ls_types::{Position, TextEdit};

/// The request.
#[derive(Debug)]
pub enum Query {}

impl Request for Query {
    type Params = QueryParams;
    type Result = QueryResult;
    const METHOD: &'static str = "mewcode/query";
}

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueryKind {
    /// What is wrong: in one document, or everywhere.
    Diagnostics,
    /// Where it is defined.
    Definition,
    /// Where it is used, its definition included.
    References,
    /// What is told of it.
    Hover,
    /// What renaming it would change. The client changes nothing.
    Rename,
}

/// Parameters of [`Query`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueryParams {
    /// What is asked.
    pub kind: QueryKind,
    /// The document; absent: everywhere, which only diagnostics can be asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// The version for which `position` is meant, if the document is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i32>,
    /// The place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// For `rename`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_name: Option<String>,
    /// For `diagnostics` of one document: how long to wait, at most, for somebody to say something of its present text. No
    /// time is to be lost where nobody looks at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settle_milliseconds: Option<u64>,
    /// No list is to have more entries.
    pub limit: usize,
}

/// Result of [`Query`]: of its lists the one that was asked for.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct QueryResult {
    /// Why there is no answer: `stale`, `not_open`, `no_server`, `failed`.
    pub reason: Option<String>,
    /// The editor's or a server's words on it.
    pub message: Option<String>,
    /// What is wrong, document by document.
    pub diagnostics: Vec<DocumentDiagnostics>,
    /// Places.
    pub locations: Vec<Location>,
    /// What is told, one text a server.
    pub hovers: Vec<String>,
    /// What a renaming would change.
    pub documents: Vec<RenamedDocument>,
    /// How many entries are left out.
    pub left_out: usize,
}

/// A place in a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// The document.
    pub uri: String,
    /// The line on which it begins, from 0.
    pub line: usize,
}

/// What is wrong in one document, open or not.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DocumentDiagnostics {
    /// The document.
    pub uri: String,
    /// What others than this server say.
    pub diagnostics: Vec<Diagnostic>,
}

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The line on which it begins, from 0.
    pub line: usize,
    /// As in the Language Server Protocol: 1 error, 2 warning, 3 information, 4 hint.
    pub severity: u8,
    /// What is wrong.
    pub message: String,
    /// Who says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// By what it can be looked up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// What a renaming would change in one document.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RenamedDocument {
    /// The document.
    pub uri: String,
    /// The version for which the edits are meant, if it is open.
    #[serde(default)]
    pub version: Option<i32>,
    /// The edits, in any order.
    pub edits: Vec<TextEdit>,
}
