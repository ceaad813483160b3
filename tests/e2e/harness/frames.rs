//! The base protocol's frames (`Content-Length` headers), strict when read: a server that writes anything else to stdout is wrong.

use std::io::{self, BufRead, Write};

use serde_json::Value;

/// What came out of the server's stdout.
#[derive(Debug)]
pub enum Frame {
    /// One well-formed message.
    Message(Value),
    /// Bytes that are not a well-formed message, with what is wrong about them.
    Garbage(String),
}

/// Writes one message.
pub fn encode(message: &Value) -> Vec<u8> {
    encode_bytes(message.to_string().as_bytes())
}

/// Writes any bytes as the body of one frame.
pub fn encode_bytes(body: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(body.len() + 32);
    write!(frame, "Content-Length: {}\r\n\r\n", body.len()).expect("writing to memory");
    frame.extend_from_slice(body);
    frame
}

/// Reads one frame; `None` at the end of the input.
pub fn read(input: &mut impl BufRead) -> io::Result<Option<Frame>> {
    let mut length = None;
    let mut first = true;
    loop {
        let mut line = Vec::new();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(
                (!first).then(|| Frame::Garbage("the output ended inside a header".to_owned()))
            );
        }
        first = false;
        let Some(header) = line.strip_suffix(b"\r\n") else {
            return Ok(Some(Frame::Garbage(format!(
                "not a header: {:?}",
                String::from_utf8_lossy(&line)
            ))));
        };
        if header.is_empty() {
            break;
        }
        let header = String::from_utf8_lossy(header).into_owned();
        match header.split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.parse::<usize>().ok()
            }
            Some((name, _)) if name.eq_ignore_ascii_case("content-type") => {}
            _ => return Ok(Some(Frame::Garbage(format!("not a header: {header:?}")))),
        }
    }
    let Some(length) = length else {
        return Ok(Some(Frame::Garbage(
            "a header without a valid Content-Length".to_owned(),
        )));
    };
    let mut body = vec![0; length];
    input.read_exact(&mut body)?;
    Ok(Some(match serde_json::from_slice(&body) {
        Ok(message) => Frame::Message(message),
        Err(error) => Frame::Garbage(format!("{error}: {:?}", String::from_utf8_lossy(&body))),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn frames_survive_the_round_trip_and_garbage_is_named() {
        let message = json!({"jsonrpc": "2.0", "method": "é😀"});
        let mut input = encode(&message);
        input.extend(encode_bytes(b"{"));
        input.extend_from_slice(b"oops\n");
        let mut input = io::Cursor::new(input);
        assert!(matches!(read(&mut input), Ok(Some(Frame::Message(read))) if read == message));
        assert!(matches!(read(&mut input), Ok(Some(Frame::Garbage(_)))));
        assert!(
            matches!(read(&mut input), Ok(Some(Frame::Garbage(text))) if text.contains("oops"))
        );
        assert!(matches!(read(&mut input), Ok(None)));
    }
}
