//! Questions to the user's other language servers, by way of the client: positions and paths in the protocol's form, bounds
//! in time and number, and answers in the tools' words.

use super::ConnectedEditor;
use crate::documents::DocumentView;
use crate::peer::RequestError;
use crate::protocol::query::{self as wire, QueryKind, QueryParams, QueryResult, RenamedDocument};
use crate::uri::{path_of, uri_of};
use mewcode_core::position::{Column, LineIndex, Position};
use mewcode_core::wire::wire_position;
use mewcode_tools::port::{
    Diagnostic, FileDiagnostics, Location, Place, Query, QueryAnswer, RenamedFile, Severity,
};
use mewcode_tools::result::ToolError;
use mewcode_tools::said;
use std::path::Path;
use std::time::Duration;
use tower_lsp::ls_types;

/// How long the servers behind the editor may take: some read a whole project before they answer.
const TIMEOUT: Duration = Duration::from_secs(20);

/// More entries of an answer are not wanted.
const LIMIT: usize = 2000;

/// More of a text is not taken: what a server says is not bounded by anybody.
const MAX_TEXT_BYTES: usize = 64 * 1024;

/// More of a sentence is not told.
const MAX_WORDS_BYTES: usize = 500;

impl ConnectedEditor {
    /// Asks, and takes the answer apart.
    pub(super) async fn ask_servers(&self, query: Query) -> Result<QueryAnswer, ToolError> {
        if !self.state.profile().features.query {
            return Err(unasked());
        }
        let params = self.params(&query)?;
        let result = self.put(params, TIMEOUT).await?;
        self.answer(result)
    }

    /// Sends the request; what is refused is an error.
    pub(super) async fn put(
        &self,
        params: QueryParams,
        timeout: Duration,
    ) -> Result<QueryResult, ToolError> {
        let result = self
            .state
            .peer
            .request::<wire::Query>(params, timeout)
            .await
            .map_err(|error| match error {
                RequestError::TimedOut { after, .. } => ToolError::timed_out(format!(
                    "The editor's language servers did not answer within {} s.",
                    after.as_secs()
                )),
                // It may quote what the editor has sent.
                error => ToolError::unavailable(format!("{}.", words(&error.to_string()))),
            })?;
        match &result.reason {
            None => Ok(result),
            Some(reason) => Err(refusal(reason, result.message.as_deref())),
        }
    }

    fn params(&self, query: &Query) -> Result<QueryParams, ToolError> {
        let (kind, place, new_name) = match query {
            Query::Diagnostics(path) => {
                let uri = path.as_deref().map(|path| self.uri(path)).transpose()?;
                return Ok(diagnostics(uri));
            }
            Query::Definition(place) => (QueryKind::Definition, place, None),
            Query::References(place) => (QueryKind::References, place, None),
            Query::Hover(place) => (QueryKind::Hover, place, None),
            Query::Rename(place, name) => (QueryKind::Rename, place, Some(name.clone())),
        };
        let Place { path, text, offset } = place;
        let document = self.state.documents.by_path(path);
        if document.as_ref().is_some_and(|it| !is_of(it, place)) {
            return Err(refusal("stale", None));
        }
        let position = match &document {
            Some(_) => wire_position(text.text(), *offset, self.state.documents.encoding()),
            // A byte order mark of the disk is none of the editor's text.
            None => mewcode_core::position::position_of(
                text.rope(),
                *offset,
                self.state.documents.encoding(),
            ),
        };
        Ok(QueryParams {
            uri: Some(self.uri(path)?),
            version: document.map(|it| it.version),
            position: Some(ls_types::Position {
                line: u32::try_from(position.line.0).unwrap_or(u32::MAX),
                character: position.column.0,
            }),
            new_name,
            kind,
            ..diagnostics(None)
        })
    }

    /// The URI of a file, as the client spells it if it is open there.
    pub(super) fn uri(&self, path: &Path) -> Result<String, ToolError> {
        if let Some(document) = self.state.documents.by_path(path) {
            return Ok(document.uri);
        }
        uri_of(path)
            .map(|uri| uri.as_str().to_owned())
            .ok_or_else(|| {
                ToolError::unavailable(format!(
                    "`{}` cannot be named to the editor.",
                    path.display()
                ))
            })
    }

    fn answer(&self, mut result: QueryResult) -> Result<QueryAnswer, ToolError> {
        let mut answer = QueryAnswer::nothing(self.state.documents.encoding());
        answer.left_out = result.left_out.saturating_add(keep_to_limit(&mut result));
        answer.diagnostics = result
            .diagnostics
            .into_iter()
            .filter_map(file_diagnostics)
            .collect();
        let told = result.locations.len();
        answer.locations = result
            .locations
            .into_iter()
            .filter_map(|location| {
                Some(Location {
                    path: path_of(&location.uri)?,
                    line: location.line,
                })
            })
            .collect();
        answer.elsewhere = told - answer.locations.len();
        answer.hovers = result.hovers.into_iter().map(bounded).collect();
        for document in result.documents {
            answer.edits.push(self.renamed(document)?);
        }
        Ok(answer)
    }

    /// What a renaming changes in a document: for the text that the server knows, or not at all.
    fn renamed(&self, document: RenamedDocument) -> Result<RenamedFile, ToolError> {
        let Some(path) = path_of(&document.uri) else {
            return Err(ToolError::unavailable(format!(
                "The renaming would change `{}`, which is no file. Nothing was changed.",
                words(&document.uri)
            )));
        };
        let open = self.state.documents.by_path(&path);
        if let Some(doubt) = open.as_ref().and_then(|it| it.untrusted.as_ref()) {
            return Err(ToolError::unavailable(doubt.to_string()));
        }
        // Edits for an unknown text would change whatever stands at their places.
        if document.version != open.as_ref().map(|it| it.version) {
            return Err(refusal("stale", None));
        }
        let position = |it: ls_types::Position| Position {
            line: LineIndex(it.line as usize),
            column: Column(it.character),
        };
        Ok(RenamedFile {
            text: open.map(|it| it.snapshot),
            edits: document
                .edits
                .into_iter()
                .map(|it| {
                    (
                        position(it.range.start),
                        position(it.range.end),
                        it.new_text,
                    )
                })
                .collect(),
            path,
        })
    }
}

/// Leaves out what is more than was wanted, for a client that did not. Tells how much that is.
fn keep_to_limit(result: &mut QueryResult) -> usize {
    fn cut<T>(list: &mut Vec<T>, room: &mut usize, more: &mut usize) {
        *more += list.len().saturating_sub(*room);
        list.truncate(*room);
        *room -= list.len();
    }
    // Of most documents some clients tell that there is nothing to tell.
    result.diagnostics.retain(|it| !it.diagnostics.is_empty());
    result.documents.retain(|it| !it.edits.is_empty());
    let mut more = 0;
    let mut room = LIMIT;
    for document in &mut result.diagnostics {
        cut(&mut document.diagnostics, &mut room, &mut more);
    }
    room = LIMIT;
    for document in &mut result.documents {
        cut(&mut document.edits, &mut room, &mut more);
    }
    cut(&mut result.locations, &mut LIMIT.clone(), &mut more);
    cut(&mut result.hovers, &mut LIMIT.clone(), &mut more);
    more
}

/// Parameters of the question what is wrong.
pub(super) fn diagnostics(uri: Option<String>) -> QueryParams {
    QueryParams {
        kind: QueryKind::Diagnostics,
        uri,
        version: None,
        position: None,
        new_name: None,
        settle_milliseconds: None,
        limit: LIMIT,
    }
}

/// What is wrong in a file; none for what is no file.
pub(super) fn file_diagnostics(document: wire::DocumentDiagnostics) -> Option<FileDiagnostics> {
    let diagnostics = document.diagnostics.into_iter().map(|it| Diagnostic {
        line: it.line,
        severity: match it.severity {
            1 => Severity::Error,
            2 => Severity::Warning,
            3 => Severity::Information,
            _ => Severity::Hint,
        },
        message: bounded(it.message),
        source: it.source.map(bounded),
        code: it.code.map(bounded),
    });
    Some(FileDiagnostics {
        path: path_of(&document.uri)?,
        diagnostics: diagnostics.collect(),
    })
}

/// Whether a place is meant for the text that the document has now.
fn is_of(document: &DocumentView, place: &Place) -> bool {
    document.snapshot.ptr_eq(&place.text) || document.snapshot.hash() == place.text.hash()
}

fn bounded(mut text: String) -> String {
    let mut end = text.len().min(MAX_TEXT_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text
}

/// Other programs' words within a sentence.
fn words(text: &str) -> String {
    said::in_short(text, MAX_WORDS_BYTES)
}

fn unasked() -> ToolError {
    let mut error =
        ToolError::unavailable("This editor does not put questions to its language servers.")
            .suggest("Use grep and find_symbol, and run the project's own checks.");
    error.retryable = false;
    error
}

/// Why there is no answer, by the client's word for it.
fn refusal(reason: &str, message: Option<&str>) -> ToolError {
    let said = |text: &str| match message.map(words) {
        Some(words) => format!("{text}: {}", words.trim_end_matches('.')),
        None => text.to_owned(),
    };
    let (text, action) = match reason {
        "stale" => {
            let text = "The text changed in the editor while its language servers were asked.";
            return ToolError::unavailable(text).suggest("Call again.");
        }
        "not_open" => (
            said(
                "The file is not open in the editor, so its language servers cannot be asked about it",
            ),
            "Use grep and find_symbol, or name a place in a file that the user has open.",
        ),
        "no_server" => (
            said("No language server of the editor answers this for the file"),
            "Use grep and find_symbol.",
        ),
        _ => (
            said("The editor's language servers cannot answer this"),
            "Check the place, or use grep and find_symbol.",
        ),
    };
    let mut error = ToolError::unavailable(format!("{text}.")).suggest(action);
    error.retryable = false;
    error
}
