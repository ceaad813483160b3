//! A real HTTP server on this machine, and a resolver that answers as it is told: for tests alone.

use std::collections::VecDeque;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::{Fetcher, Resolver, Settings};
use crate::port::BoxFuture;

/// The name that the server of a test has.
pub(crate) const NAME: &str = "docs.example.org";

/// A server. It answers each request by its path, then closes the connection, until it is dropped.
pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    /// The head of every request.
    requests: Arc<Mutex<Vec<String>>>,
    serving: tokio::task::JoinHandle<()>,
}

impl Drop for Site {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Site {
    pub(crate) async fn serve(answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Site {
        Site::serve_at(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), answer).await
    }

    pub(crate) async fn serve_at(
        address: SocketAddr,
        answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static,
    ) -> Site {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let seen = Arc::clone(&requests);
        let answer = Arc::new(answer);
        let serving = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(reply(stream, Arc::clone(&seen), Arc::clone(&answer)));
            }
        });
        Site {
            address,
            requests,
            serving,
        }
    }

    /// A URL of it, by its name.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{NAME}:{}{path}", self.address.port())
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// A fetcher that finds it by its name.
    pub(crate) fn fetcher(&self) -> Fetcher {
        self.fetcher_with(Answers::always(self.address.ip()))
    }

    /// A fetcher that finds it if the resolver names its address.
    pub(crate) fn fetcher_with(&self, answers: Arc<Answers>) -> Fetcher {
        Fetcher::with_resolver(Settings::default(), answers).with_exempt(NAME, self.address.ip())
    }
}

async fn reply(
    mut stream: TcpStream,
    seen: Arc<Mutex<Vec<String>>>,
    answer: Arc<impl Fn(&str) -> Vec<u8>>,
) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            // An encrypted connection is none that it speaks.
            Ok(byte) if head.is_empty() && !byte.is_ascii_uppercase() => return,
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    let head = String::from_utf8(head).unwrap();
    let path = head.split(' ').nth(1).unwrap().to_owned();
    seen.lock().unwrap().push(head);
    // A client that has enough does not read to the end.
    let _ = stream.write_all(&answer(&path)).await;
    let _ = stream.shutdown().await;
}

/// A response with these headers, one a line.
pub(crate) fn response(status: u16, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let mut response = format!("HTTP/1.1 {status} x\r\nConnection: close\r\n");
    for header in headers.lines() {
        response.push_str(&format!("{}\r\n", header.trim()));
    }
    response.push_str("\r\n");
    let mut response = response.into_bytes();
    response.extend_from_slice(body.as_ref());
    response
}

/// A resolver that gives one answer after the other, and the last one for ever.
pub(crate) struct Answers {
    answers: Mutex<VecDeque<Vec<IpAddr>>>,
    asked: Mutex<Vec<String>>,
}

impl Answers {
    pub(crate) fn new<const N: usize>(answers: [&[IpAddr]; N]) -> Arc<Answers> {
        Arc::new(Answers {
            answers: Mutex::new(answers.map(<[IpAddr]>::to_vec).into()),
            asked: Mutex::default(),
        })
    }

    pub(crate) fn always(address: IpAddr) -> Arc<Answers> {
        Answers::new([&[address]])
    }

    /// The names that it was asked for.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Resolver for Answers {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        self.asked.lock().unwrap().push(name.to_owned());
        let mut answers = self.answers.lock().unwrap();
        let answer = match answers.len() {
            1 => answers.front().cloned(),
            _ => answers.pop_front(),
        };
        Box::pin(async { answer.ok_or_else(|| io::Error::other("no such name")) })
    }
}
