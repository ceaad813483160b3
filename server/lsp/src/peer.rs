//! The editor as the other end of the wire: notifications and requests from server to client.
//!
//! Notifications leave in the order of the calls and never wait. A request has a time-out; when it is given up, for
//! that or because its future was dropped, the client is told by `$/cancelRequest` and nothing of it stays behind.
//! Knows JSON-RPC, but no method.

use serde::Serialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tower_lsp::jsonrpc::{Error, Id, Response};
use tower_lsp::ls_types::notification::Notification;
use tower_lsp::ls_types::request::Request;

/// Why a request to the client has no result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RequestError {
    /// The client answered with an error.
    #[error("the editor answered {method} with an error: {message}")]
    Refused {
        /// The method that was asked for.
        method: &'static str,
        /// The client's words.
        message: String,
    },
    /// The client answered with something else than the method's result.
    #[error("the editor's answer to {method} cannot be read: {message}")]
    Malformed {
        /// The method that was asked for.
        method: &'static str,
        /// What does not fit.
        message: String,
    },
    /// No answer in time.
    #[error("the editor did not answer {method} within {} ms", .after.as_millis())]
    TimedOut {
        /// The method that was asked for.
        method: &'static str,
        /// How long was waited.
        after: Duration,
    },
    /// The connection has ended.
    #[error("the connection to the editor has ended")]
    Closed,
}

type Pending = HashMap<i64, oneshot::Sender<Result<Value, Error>>>;

/// A request or a notification, written as it is: a list of a thousand hunks does not become a JSON tree first.
#[derive(Serialize)]
struct Message<'a, P> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<i64>,
    jsonrpc: &'static str,
    method: &'static str,
    params: &'a P,
}

impl<'a, P> Message<'a, P> {
    fn new(id: Option<i64>, method: &'static str, params: &'a P) -> Self {
        Self {
            id,
            jsonrpc: "2.0",
            method,
            params,
        }
    }
}

/// The sending side of the connection.
#[derive(Debug)]
pub struct Peer {
    out: mpsc::UnboundedSender<Vec<u8>>,
    pending: Mutex<Pending>,
    next_id: AtomicU64,
}

impl Peer {
    /// A peer whose messages go to `out`, each already framed.
    pub fn new(out: mpsc::UnboundedSender<Vec<u8>>) -> Self {
        Self {
            out,
            pending: Mutex::default(),
            next_id: AtomicU64::new(1),
        }
    }

    /// Sends a notification.
    pub fn notify<N: Notification>(&self, params: &N::Params)
    where
        N::Params: Serialize,
    {
        self.send(&Message::new(None, N::METHOD, params));
    }

    /// Sends a request and waits for its result, `timeout` at the longest.
    pub async fn request<R: Request>(
        &self,
        params: R::Params,
        timeout: Duration,
    ) -> Result<R::Result, RequestError> {
        let method = R::METHOD;
        let (sender, receiver) = oneshot::channel();
        let id = i64::try_from(self.next_id.fetch_add(1, Ordering::Relaxed)).unwrap_or(i64::MAX);
        self.pending().insert(id, sender);
        let mut guard = Withdraw {
            peer: self,
            id,
            armed: true,
        };
        self.send(&Message::new(Some(id), method, &params));
        let answer = tokio::time::timeout(timeout, receiver).await;
        guard.armed = answer.is_err();
        match answer {
            Err(_) => Err(RequestError::TimedOut {
                method,
                after: timeout,
            }),
            Ok(Err(_)) => Err(RequestError::Closed),
            Ok(Ok(Err(error))) => Err(RequestError::Refused {
                method,
                message: error.message.into_owned(),
            }),
            Ok(Ok(Ok(value))) => {
                serde_json::from_value(value).map_err(|error| RequestError::Malformed {
                    method,
                    message: error.to_string(),
                })
            }
        }
    }

    /// Hands a response from the client to the request that waits for it. One that nobody waits for is dropped: it
    /// answers a request that was given up.
    pub fn resolve(&self, response: Response) {
        let (id, result) = response.into_parts();
        if let Id::Number(id) = id
            && let Some(sender) = self.pending().remove(&id)
        {
            // The receiver is gone if its request was given up at this very moment.
            let _ = sender.send(result);
        }
    }

    /// Sends a response to the client.
    pub fn respond(&self, response: &Response) {
        self.send(response);
    }

    /// Ends every request that still waits, and the queue of messages, when the connection is gone.
    pub fn close(&self) {
        self.pending().clear();
        // The empty frame is the writer's end mark.
        let _ = self.out.send(Vec::new());
    }

    fn send<T: Serialize>(&self, message: &T) {
        let mut frame = Vec::with_capacity(256);
        // Room for the header is left in front, since the length is known only behind.
        const HEADER: usize = 40;
        frame.resize(HEADER, b' ');
        if let Err(error) = serde_json::to_writer(&mut frame, message) {
            eprintln!("mewcode: a message could not be written as JSON and was not sent: {error}");
            return;
        }
        let header = format!("Content-Length: {}\r\n\r\n", frame.len() - HEADER);
        let start = HEADER - header.len();
        frame[start..HEADER].copy_from_slice(header.as_bytes());
        frame.drain(..start);
        // The writer is gone only when the server ends.
        let _ = self.out.send(frame);
    }

    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Withdraws a request that nobody waits for any more.
struct Withdraw<'a> {
    peer: &'a Peer,
    id: i64,
    armed: bool,
}

impl Drop for Withdraw<'_> {
    fn drop(&mut self) {
        if self.armed && self.peer.pending().remove(&self.id).is_some() {
            let params = json!({"id": self.id});
            self.peer
                .send(&Message::new(None, "$/cancelRequest", &params));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tower_lsp::ls_types::request::Shutdown;

    fn peer() -> (Peer, mpsc::UnboundedReceiver<Vec<u8>>) {
        let (out, sent) = mpsc::unbounded_channel();
        (Peer::new(out), sent)
    }

    fn text(frame: Option<Vec<u8>>) -> String {
        String::from_utf8(frame.unwrap()).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_times_out_is_withdrawn() {
        let (peer, mut sent) = peer();
        let error = peer
            .request::<Shutdown>((), Duration::from_millis(50))
            .await
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "the editor did not answer shutdown within 50 ms"
        );
        assert!(
            text(sent.recv().await)
                .ends_with(r#"{"id":1,"jsonrpc":"2.0","method":"shutdown","params":null}"#)
        );
        assert_eq!(
            text(sent.recv().await),
            "Content-Length: 62\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":{\"id\":1}}"
        );
        assert!(peer.pending().is_empty());
    }

    #[tokio::test]
    async fn a_response_reaches_its_request_and_no_other() {
        let (peer, _sent) = peer();
        let answers = async {
            tokio::task::yield_now().await;
            peer.resolve(Response::from_ok(Id::Number(7), Value::Null));
            peer.resolve(Response::from_error(
                Id::Number(1),
                Error::invalid_params("no"),
            ));
        };
        let (result, ()) = tokio::join!(
            peer.request::<Shutdown>((), Duration::from_secs(5)),
            answers
        );
        assert_eq!(
            result,
            Err(RequestError::Refused {
                method: "shutdown",
                message: "no".into()
            })
        );
    }
}
