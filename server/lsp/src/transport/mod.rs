//! The wire: frames in, messages to whom they belong, frames out.
//!
//! It stands in for `tower_lsp::Server` around the same `LspService`, and promises more: messages that write documents
//! reach them synchronously and in wire order; a malformed message is answered and survived; a panic in a handler is
//! one error response; writing never blocks reading; and it ends at once when the client is gone, whatever is pending.
//! Knows JSON-RPC and which messages write documents, but no feature.

mod frame;
mod stdio;

pub use stdio::{Input, Output, input, output};

use crate::documents::{Dispatch, Documents};
use crate::peer::Peer;
use crate::process;
use frame::Decoder;
use futures::FutureExt;
use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::{mpsc, watch};
use tower::Service;
use tower_lsp::jsonrpc::{Error, Id, Request, Response};

/// How often it is looked whether the client's process still lives.
const PARENT_CHECK: Duration = Duration::from_millis(500);
/// How long the last messages may take on their way out.
const FLUSH: Duration = Duration::from_millis(500);

/// Why the conversation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The client sent `exit` after `shutdown`.
    Clean,
    /// The client sent `exit` without `shutdown`, closed the connection, or its process died.
    Abrupt,
}

/// The envelope of a message, with its contents left unread.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(default)]
    id: Option<Id>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

/// The wire's two ends, as the server uses them.
pub struct Transport<S> {
    /// Answers requests.
    pub service: S,
    /// Takes the messages that write documents.
    pub documents: Arc<Documents>,
    /// Takes the client's responses.
    pub peer: Arc<Peer>,
    /// What [`Peer`] wants to send.
    pub outgoing: mpsc::UnboundedReceiver<Vec<u8>>,
    /// The id of the client's process, once `initialize` has told it.
    pub parent: watch::Receiver<Option<u32>>,
}

type Reply = BoxFuture<'static, Option<Response>>;

impl<S> Transport<S>
where
    S: Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
{
    /// Serves until the client leaves. Never fails: a broken pipe is an end like any other. `ending` is called before the
    /// requests to the client fail that still wait: what becomes of these is not the client's will.
    pub async fn serve(self, mut input: Input, output: Output, ending: impl FnOnce()) -> End {
        let Self {
            service,
            documents,
            peer,
            outgoing,
            parent,
        } = self;
        let writer = tokio::spawn(write_all(output, outgoing));
        let mut connection = Connection {
            service,
            documents,
            peer: Arc::clone(&peer),
            replies: FuturesUnordered::new(),
            shut_down: false,
        };
        let mut decoder = Decoder::default();
        let mut parent_gone = std::pin::pin!(parent_gone(parent));
        let end = loop {
            if let Some(end) = connection.take_frames(&mut decoder).await {
                break end;
            }
            tokio::select! {
                read = input.read_buf(decoder.space()) => {
                    if matches!(read, Ok(0) | Err(_)) {
                        break End::Abrupt;
                    }
                }
                Some(reply) = connection.replies.next() => connection.send(reply),
                () = &mut parent_gone => break End::Abrupt,
            }
        };
        ending();
        peer.close();
        // A client that reads no more is not waited for longer than this.
        let _ = tokio::time::timeout(FLUSH, writer).await;
        end
    }
}

/// The reading side's state.
struct Connection<S> {
    service: S,
    documents: Arc<Documents>,
    peer: Arc<Peer>,
    replies: FuturesUnordered<Reply>,
    shut_down: bool,
}

impl<S> Connection<S>
where
    S: Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
{
    /// Takes every complete frame of the buffer; `Some` when the client asked to end.
    async fn take_frames(&mut self, decoder: &mut Decoder) -> Option<End> {
        while let Some(item) = decoder.next() {
            let request = match item {
                Err(fault) => {
                    self.refuse(Id::Null, Error::parse_error(), &fault.to_string());
                    continue;
                }
                Ok(body) => self.take_message(body),
            };
            let Some(request) = request else { continue };
            match request.method() {
                "exit" => {
                    return Some(if self.shut_down {
                        End::Clean
                    } else {
                        End::Abrupt
                    });
                }
                "shutdown" => self.shut_down = true,
                _ => {}
            }
            self.call(request).await;
        }
        None
    }

    /// Handles what needs no service; gives back what does.
    fn take_message(&mut self, body: &[u8]) -> Option<Request> {
        let envelope: Envelope<'_> = match serde_json::from_slice(body) {
            Ok(envelope) => envelope,
            Err(error) => {
                let kind = if error.is_data() {
                    Error::invalid_request()
                } else {
                    Error::parse_error()
                };
                self.refuse(Id::Null, kind, &error.to_string());
                return None;
            }
        };
        let Some(method) = &envelope.method else {
            match serde_json::from_slice::<Response>(body) {
                Ok(response) => self.peer.resolve(response),
                // It is a response all the same: answered, it would end a request of the client's with the same id.
                Err(error) if envelope.error.is_some() => {
                    let mut unreadable = Error::internal_error();
                    unreadable.message = format!("an error that cannot be read: {error}").into();
                    let id = envelope.id.unwrap_or(Id::Null);
                    self.peer.resolve(Response::from_error(id, unreadable));
                }
                Err(error) => self.refuse(
                    envelope.id.unwrap_or(Id::Null),
                    Error::invalid_request(),
                    &error.to_string(),
                ),
            }
            return None;
        };
        let id = envelope.id.clone();
        let documents = &self.documents;
        let dispatched = catch_unwind(AssertUnwindSafe(|| {
            documents.dispatch(method, id.clone(), envelope.params)
        }));
        match dispatched {
            Ok(Dispatch::NotOurs) => match serde_json::from_slice::<Request>(body) {
                Ok(request) => return Some(request),
                Err(error) => self.refuse(
                    id.unwrap_or(Id::Null),
                    Error::invalid_request(),
                    &error.to_string(),
                ),
            },
            Ok(Dispatch::Done) => {}
            Ok(Dispatch::Reply(response)) => self.peer.respond(&response),
            Ok(Dispatch::Malformed(reason)) => {
                eprintln!("mewcode: a message was ignored: {reason}");
            }
            Err(_) => match id {
                Some(id) => self.refuse(id, Error::internal_error(), "the handler panicked"),
                None => eprintln!("mewcode: {method} was given up: its handler panicked"),
            },
        }
        None
    }

    /// Starts the handler of a request.
    async fn call(&mut self, request: Request) {
        // While `initialize` is under way the service takes nothing else; its replies must go on meanwhile.
        loop {
            tokio::select! {
                biased;
                ready = futures::future::poll_fn(|context| self.service.poll_ready(context)) => {
                    if ready.is_err() {
                        return;
                    }
                    break;
                }
                Some(reply) = self.replies.next() => self.send(reply),
            }
        }
        let id = request.id().cloned();
        let handler = catch_unwind(AssertUnwindSafe(|| self.service.call(request)));
        let failed = move || id.map(|id| Response::from_error(id, Error::internal_error()));
        let reply: Reply = match handler {
            Err(_) => std::future::ready(failed()).boxed(),
            Ok(handler) => AssertUnwindSafe(handler)
                .catch_unwind()
                .map(|outcome| match outcome {
                    Ok(Ok(response)) => response,
                    Ok(Err(_)) | Err(_) => failed(),
                })
                .boxed(),
        };
        self.replies.push(reply);
        // Most handlers are done at once; their answer need not wait for the next turn of the loop.
        while let Some(Some(reply)) = self.replies.next().now_or_never() {
            self.send(reply);
        }
    }

    fn send(&self, reply: Option<Response>) {
        if let Some(response) = reply {
            self.peer.respond(&response);
        }
    }

    fn refuse(&self, id: Id, mut error: Error, reason: &str) {
        error.data = Some(serde_json::Value::String(reason.to_owned()));
        self.peer.respond(&Response::from_error(id, error));
    }
}

/// Writes frames until the empty one, which ends the queue, or until the client reads no more.
async fn write_all(mut output: Output, mut outgoing: mpsc::UnboundedReceiver<Vec<u8>>) {
    while let Some(frame) = outgoing.recv().await {
        if frame.is_empty() {
            return;
        }
        if output.write_all(&frame).await.is_err() {
            return;
        }
        if outgoing.is_empty() && output.flush().await.is_err() {
            return;
        }
    }
}

/// Resolves when the client's process has ended.
async fn parent_gone(mut parent: watch::Receiver<Option<u32>>) {
    let Ok(id) = parent.wait_for(Option::is_some).await.map(|id| *id) else {
        return std::future::pending().await;
    };
    while id.is_some_and(process::is_alive) {
        tokio::time::sleep(PARENT_CHECK).await;
    }
}

#[cfg(test)]
mod tests;
