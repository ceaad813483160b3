//! The floor of a round trip: read a frame, look at its method and id, write an empty answer.

use serde::Deserialize;
use serde::de::IgnoredAny;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::AsFd;

#[derive(Deserialize)]
struct Request<'a> {
    id: Option<u64>,
    #[serde(rename = "method")]
    _method: &'a str,
    #[serde(rename = "params")]
    _params: IgnoredAny,
}

/// Answers requests on standard input and output until the client leaves.
pub fn serve() {
    let mut input = BufReader::new(file(std::io::stdin()));
    let mut output = file(std::io::stdout());
    let mut body = Vec::new();
    while let Some(length) = read_header(&mut input) {
        body.resize(length, 0);
        input.read_exact(&mut body).expect("a whole body");
        let request: Request<'_> = serde_json::from_slice(&body).expect("a request");
        let Some(id) = request.id else { continue };
        let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":[]}}"#);
        let frame = format!("Content-Length: {}\r\n\r\n{answer}", answer.len());
        output
            .write_all(frame.as_bytes())
            .expect("a client that reads");
    }
}

/// The body's length; `None` at the end of the input.
fn read_header(input: &mut impl BufRead) -> Option<usize> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).expect("readable input") == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some((_, value)) => length = value.parse().ok(),
            None => return Some(length.expect("a Content-Length")),
        }
    }
}

fn file(stream: impl AsFd) -> File {
    let descriptor = stream.as_fd().try_clone_to_owned();
    File::from(descriptor.expect("a second descriptor"))
}
