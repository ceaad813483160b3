//! The framework with a rope and no more: what any language server on tower-lsp-server costs at least.
//!
//! It is given its best form: one thread and polled pipes, not the thread hop of `tokio::io::stdin`.

use ropey::Rope;
use std::collections::HashMap;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Mutex;
use tokio::net::unix::pipe::{Receiver, Sender};
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    InitializeParams, InitializeResult, Position, ServerCapabilities, TextDocumentSyncCapability,
    TextDocumentSyncKind, Uri,
};
use tower_lsp::{LanguageServer, LspService, Server};

#[derive(Debug, Default)]
struct Bare {
    documents: Mutex<HashMap<Uri, Rope>>,
}

/// Serves the protocol on standard input and output, which must be pipes.
pub fn serve() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let input = Receiver::from_owned_fd(owned(std::io::stdin())).expect("a pipe as input");
        let output = Sender::from_owned_fd(owned(std::io::stdout())).expect("a pipe as output");
        let (service, socket) = LspService::new(|_| Bare::default());
        Server::new(input, output, socket).serve(service).await;
    });
}

fn owned(stream: impl AsFd) -> OwnedFd {
    stream
        .as_fd()
        .try_clone_to_owned()
        .expect("a second descriptor")
}

impl LanguageServer for Bare {
    async fn initialize(&self, _: InitializeParams) -> Result<InitializeResult> {
        Ok(InitializeResult {
            capabilities: ServerCapabilities {
                text_document_sync: Some(TextDocumentSyncCapability::Kind(
                    TextDocumentSyncKind::INCREMENTAL,
                )),
                ..ServerCapabilities::default()
            },
            ..InitializeResult::default()
        })
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        let document = params.text_document;
        let rope = Rope::from_str(&document.text);
        self.documents().insert(document.uri, rope);
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        let mut documents = self.documents();
        let Some(rope) = documents.get_mut(&params.text_document.uri) else {
            return;
        };
        for change in params.content_changes {
            match change.range {
                None => *rope = Rope::from_str(&change.text),
                Some(range) => {
                    let (start, end) = (offset(rope, range.start), offset(rope, range.end));
                    rope.remove(start..end);
                    rope.insert(start, &change.text);
                }
            }
        }
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        self.documents().remove(&params.text_document.uri);
    }
}

impl Bare {
    fn documents(&self) -> std::sync::MutexGuard<'_, HashMap<Uri, Rope>> {
        self.documents.lock().expect("no handler panics")
    }
}

fn offset(rope: &Rope, position: Position) -> usize {
    let line = position.line as usize;
    rope.line_to_char(line)
        + rope
            .line(line)
            .utf16_cu_to_char(position.character as usize)
}
