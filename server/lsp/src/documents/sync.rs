//! The messages that write documents: didOpen, didChange, didSave, didClose and `mewcode/checksum`.
//!
//! They are read straight from the frame, without the detour over a JSON tree, since one of them is sent for each
//! keystroke. Nothing here hashes, parses or compares text, except the checksum, which asks for it.

use super::{Document, DocumentEvent, Documents, Table};
use crate::process;
use crate::protocol::{CHECKSUM, ChecksumParams, ChecksumResult};
use crate::uri::path_of;
use mewcode_core::hash::ContentHash;
use mewcode_core::position::{Column, LineIndex, Position};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::str::FromStr;
use tower_lsp::jsonrpc::{Error, Id, Response};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Open<'a> {
    #[serde(borrow)]
    text_document: OpenDocument<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OpenDocument<'a> {
    #[serde(borrow)]
    uri: Cow<'a, str>,
    version: i32,
    #[serde(borrow)]
    text: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Identifier<'a> {
    #[serde(borrow)]
    uri: Cow<'a, str>,
    #[serde(default)]
    version: Option<i32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Change<'a> {
    #[serde(borrow)]
    text_document: Identifier<'a>,
    #[serde(borrow)]
    content_changes: Vec<ContentChange<'a>>,
}

#[derive(Deserialize)]
struct ContentChange<'a> {
    range: Option<WireRange>,
    #[serde(borrow)]
    text: Cow<'a, str>,
}

#[derive(Deserialize)]
struct WireRange {
    start: WirePosition,
    end: WirePosition,
}

#[derive(Deserialize)]
struct WirePosition {
    line: u32,
    character: u32,
}

impl From<WirePosition> for Position {
    fn from(position: WirePosition) -> Self {
        Self {
            line: LineIndex(position.line as usize),
            column: Column(position.character),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Save<'a> {
    #[serde(borrow)]
    text_document: Identifier<'a>,
    #[serde(borrow, default)]
    text: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Close<'a> {
    #[serde(borrow)]
    text_document: Identifier<'a>,
}

/// What became of a message.
#[derive(Debug)]
pub enum Dispatch {
    /// It does not write documents.
    NotOurs,
    /// It was a notification and is done.
    Done,
    /// It was a request, and this is the answer.
    Reply(Response),
    /// Its parameters cannot be read; a notification, so there is nobody to tell but the log.
    Malformed(String),
}

impl Documents {
    /// Takes a message if it writes documents. Called by the transport alone, in wire order.
    pub fn dispatch(&self, method: &str, id: Option<Id>, params: Option<&RawValue>) -> Dispatch {
        let params = params.map_or("null", RawValue::get);
        let outcome = match method {
            "textDocument/didChange" => serde_json::from_str(params).map(|it| self.did_change(it)),
            "textDocument/didOpen" => serde_json::from_str(params).map(|it| self.did_open(it)),
            "textDocument/didSave" => serde_json::from_str(params).map(|it| self.did_save(it)),
            "textDocument/didClose" => serde_json::from_str(params).map(|it| self.did_close(it)),
            CHECKSUM => {
                let Some(id) = id else {
                    return Dispatch::Malformed(format!("{CHECKSUM} is a request and needs an id"));
                };
                return Dispatch::Reply(match serde_json::from_str(params) {
                    Ok(params) => Response::from_parts(id, self.checksum(&params)),
                    Err(error) => {
                        Response::from_error(id, Error::invalid_params(error.to_string()))
                    }
                });
            }
            _ => return Dispatch::NotOurs,
        };
        match (outcome, id) {
            // A client that asks for an answer to a notification gets one, once.
            (_, Some(id)) => Dispatch::Reply(Response::from_error(id, Error::invalid_request())),
            (Ok(()), None) => Dispatch::Done,
            (Err(error), None) => Dispatch::Malformed(format!("{method}: {error}")),
        }
    }

    fn did_open(&self, params: Open<'_>) {
        let OpenDocument { uri, version, text } = params.text_document;
        let path = path_of(&uri);
        let mut table = self.write();
        let document = Document::open(uri.clone().into_owned(), path, &text, version);
        table.insert(&uri, document);
        table.announce_text(&uri);
    }

    fn did_change(&self, params: Change<'_>) {
        let Identifier { uri, version } = params.text_document;
        let encoding = self.encoding();
        let mut table = self.write();
        if !table.by_uri.contains_key(&*uri) {
            let document = Document::never_opened(uri.clone().into_owned(), path_of(&uri));
            table.insert(&uri, document);
        }
        let Some(document) = table.by_uri.get_mut(&*uri) else {
            return;
        };
        if let Some(version) = version {
            document.set_version(version);
        }
        for change in params.content_changes {
            match change.range {
                None => document.replace(&change.text),
                Some(WireRange { start, end }) => {
                    document.change(start.into()..end.into(), &change.text, encoding);
                }
            }
        }
        table.announce_text(&uri);
    }

    fn did_save(&self, params: Save<'_>) {
        let uri = params.text_document.uri;
        let mut table = self.write();
        if let Some(document) = table.by_uri.get_mut(&*uri)
            && let (Some(_), Some(text)) = (document.untrusted(), params.text)
        {
            document.replace(&text);
            table.announce_text(&uri);
        }
        table.announce(&uri, |_| DocumentEvent::Saved);
    }

    fn did_close(&self, params: Close<'_>) {
        let uri = params.text_document.uri;
        let mut table = self.write();
        table.announce(&uri, |_| DocumentEvent::Closed);
        let document = table.remove(&uri);
        drop(table);
        drop(document);
        process::release_free_memory();
    }

    fn checksum(&self, params: &ChecksumParams) -> Result<serde_json::Value, Error> {
        let expected = ContentHash::from_str(&params.sha256)
            .map_err(|error| Error::invalid_params(error.to_string()))?;
        let mut table = self.write();
        let Some(document) = table.by_uri.get_mut(&params.uri) else {
            return Err(Error::invalid_params(format!(
                "{} is not open; send textDocument/didOpen first",
                params.uri
            )));
        };
        let mut matches = document.untrusted().is_none() && document.snapshot().hash() == expected;
        if let (false, Some(text)) = (matches, &params.text) {
            document.replace(text);
            document.set_version(params.version);
            matches = document.snapshot().hash() == expected;
            if !matches {
                document.desynchronise(
                    "the editor's checksum is not the checksum of the text it sent".to_owned(),
                );
            }
            table.announce_text(&params.uri);
        }
        serde_json::to_value(ChecksumResult { matches })
            .map_err(|error| Error::invalid_params(error.to_string()))
    }
}

impl Table {
    fn insert(&mut self, uri: &str, document: Document) {
        if let Some(path) = document.path() {
            self.by_path.insert(path.to_owned(), uri.to_owned());
        }
        self.by_uri.insert(uri.to_owned(), document);
    }

    fn remove(&mut self, uri: &str) -> Option<Document> {
        let document = self.by_uri.remove(uri)?;
        if let Some(path) = document.path()
            && self.by_path.get(path).is_some_and(|open| open == uri)
        {
            self.by_path.remove(path);
            // The same file may be open by another name too, through a link.
            let others = self.by_uri.iter();
            let other = others
                .filter(|(_, other)| other.path() == Some(path))
                .map(|(uri, _)| uri.clone())
                .min();
            if let Some(other) = other {
                self.by_path.insert(path.to_owned(), other);
            }
        }
        Some(document)
    }
}
