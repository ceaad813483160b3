//! The base protocol's framing, read incrementally: headers, a blank line, a body of `Content-Length` bytes.
//!
//! A pure decoder over a byte buffer. It knows neither sockets nor JSON; what it cannot read it names as a [`Fault`] and
//! goes on at the next header, so that one bad message never ends the conversation.

/// The longest header block that is waited for, in bytes.
const HEADER_LIMIT: usize = 8 * 1024;
/// The longest body that is taken, in bytes. A larger one is skipped and reported.
pub const BODY_LIMIT: usize = 512 * 1024 * 1024;
/// The capacity that is kept between messages, in bytes: one large document must not stay in memory twice.
const KEPT_CAPACITY: usize = 64 * 1024;
/// The least space that is offered to a read, in bytes.
const READ_SIZE: usize = 8 * 1024;

const CONTENT_LENGTH: &[u8] = b"content-length:";
const BLANK_LINE: &[u8] = b"\r\n\r\n";

/// What was wrong between two good frames.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Bytes that are no header line stood before a header; they were skipped.
    #[error("{0} bytes that are no header were skipped")]
    Garbage(usize),
    /// A header block without a `Content-Length`.
    #[error("a header block without Content-Length was skipped")]
    NoLength,
    /// A `Content-Length` that is no number.
    #[error("the Content-Length {0:?} is not a number of bytes")]
    BadLength(String),
    /// More bytes than a header block may have.
    #[error("no header block ended within {HEADER_LIMIT} bytes")]
    HeaderTooLong,
    /// A body above [`BODY_LIMIT`]; it is skipped.
    #[error("a message of {0} bytes is above the limit of {BODY_LIMIT} bytes and was skipped")]
    BodyTooLong(usize),
}

/// Bytes in, frames out.
#[derive(Debug, Default)]
pub struct Decoder {
    buffer: Vec<u8>,
    /// Bytes of `buffer` that were handed out or skipped.
    position: usize,
    /// The body length of a header that was read already.
    body: Option<usize>,
    /// Bytes of an oversized body that are still to be skipped.
    skip: usize,
    /// A fault to report before the frame that its header introduced.
    fault: Option<Fault>,
    /// Garbage without an end was reported; not again before the next header.
    overflowing: bool,
}

impl Decoder {
    /// The buffer to read into, with room for what is expected next.
    pub fn space(&mut self) -> &mut Vec<u8> {
        self.compact();
        let wanted = self.body.map_or(READ_SIZE, |length| {
            length
                .saturating_sub(self.buffer.len() - self.position)
                .max(READ_SIZE)
        });
        if self.buffer.capacity() - self.buffer.len() < wanted {
            self.buffer.reserve_exact(wanted);
        }
        &mut self.buffer
    }

    /// The next frame's body, or the next fault, or `None` when more bytes are needed.
    pub fn next(&mut self) -> Option<Result<&[u8], Fault>> {
        if self.skip > 0 {
            let skipped = self.skip.min(self.buffer.len() - self.position);
            self.position += skipped;
            self.skip -= skipped;
        }
        while self.body.is_none() {
            match self.read_header()? {
                Ok(length) => self.body = Some(length),
                Err(fault) => return Some(Err(fault)),
            }
        }
        if let Some(fault) = self.fault.take() {
            return Some(Err(fault));
        }
        let length = self.body?;
        if self.buffer.len() - self.position < length {
            return None;
        }
        self.body = None;
        let start = self.position;
        self.position += length;
        Some(Ok(&self.buffer[start..start + length]))
    }

    /// Reads one header block; `None` when it is not complete yet.
    fn read_header(&mut self) -> Option<Result<usize, Fault>> {
        let unread = &self.buffer[self.position..];
        let Some(end) = find(unread, BLANK_LINE) else {
            if unread.len() <= HEADER_LIMIT {
                return None;
            }
            // The tail may be the beginning of a real header.
            self.position = self.buffer.len() - (CONTENT_LENGTH.len() + 24);
            let reported = std::mem::replace(&mut self.overflowing, true);
            return (!reported).then_some(Err(Fault::HeaderTooLong));
        };
        let block = &unread[..end];
        let header = rfind_ignoring_case(block, CONTENT_LENGTH);
        let outcome = match header {
            None => Err(Fault::NoLength),
            Some(at) => {
                let rest = &block[at + CONTENT_LENGTH.len()..];
                let value = rest.split(|byte| *byte == b'\r').next().unwrap_or(rest);
                let value = String::from_utf8_lossy(value).trim().to_owned();
                let garbage = garbage_before(&block[..at]);
                match value.parse::<usize>() {
                    Err(_) => Err(Fault::BadLength(value)),
                    Ok(length) => Ok((length, garbage)),
                }
            }
        };
        self.position += end + BLANK_LINE.len();
        self.overflowing = false;
        Some(match outcome {
            Err(fault) => Err(fault),
            Ok((length, _)) if length > BODY_LIMIT => {
                self.skip = length;
                Err(Fault::BodyTooLong(length))
            }
            Ok((length, garbage)) => {
                self.fault = (garbage > 0).then_some(Fault::Garbage(garbage));
                Ok(length)
            }
        })
    }

    /// Gives back the memory of what was handed out.
    fn compact(&mut self) {
        if self.position == self.buffer.len() {
            self.buffer.clear();
            self.position = 0;
            if self.buffer.capacity() > KEPT_CAPACITY {
                self.buffer = Vec::with_capacity(READ_SIZE);
            }
        } else if self.position > KEPT_CAPACITY {
            self.buffer.drain(..self.position);
            self.position = 0;
        }
    }
}

/// How many bytes before the length header are no header lines.
fn garbage_before(before: &[u8]) -> usize {
    let lines_end = before.len();
    let mut good = lines_end;
    // Header lines count backwards from the length header as long as they look like `Name: value\r\n`.
    while good > 0 {
        let Some(line) = before[..good].strip_suffix(b"\r\n") else {
            break;
        };
        let start = line
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        let name = line[start..].split(|byte| *byte == b':').next();
        let is_header = line[start..].contains(&b':')
            && name.is_some_and(|name| {
                !name.is_empty()
                    && name
                        .iter()
                        .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
            });
        if !is_header {
            break;
        }
        good = start;
    }
    good
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack
        .windows(needle.len())
        .position(|window| window == needle)
}

fn rfind_ignoring_case(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack
        .windows(needle.len())
        .rposition(|window| window.eq_ignore_ascii_case(needle))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds `input` in pieces of `size` bytes and notes what comes out.
    fn decode(input: &[u8], size: usize) -> Vec<Result<String, Fault>> {
        let mut decoder = Decoder::default();
        let mut out = Vec::new();
        for piece in input.chunks(size) {
            decoder.space().extend_from_slice(piece);
            while let Some(item) = decoder.next() {
                out.push(item.map(|body| String::from_utf8_lossy(body).into_owned()));
            }
        }
        out
    }

    fn check(input: &str, expected: &[Result<&str, Fault>]) {
        let expected: Vec<_> = expected
            .iter()
            .map(|item| item.clone().map(str::to_owned))
            .collect();
        for size in [1, 2, 3, 7, input.len()] {
            assert_eq!(decode(input.as_bytes(), size), expected, "pieces of {size}");
        }
    }

    #[test]
    fn frames_are_cut_at_any_piece_size() {
        check(
            "Content-Length: 2\r\n\r\n{}content-length:3\r\nContent-Type: x; charset=utf-8\r\n\r\n[1]Content-Length: 0\r\n\r\n",
            &[Ok("{}"), Ok("[1]"), Ok("")],
        );
    }

    #[test]
    fn faults_are_told_apart_and_the_next_frame_is_found() {
        check(
            "Content-Type: x\r\nContent-Length: 2\r\n\r\n{}noise\nContent-Length: 2\r\n\r\n[]",
            &[Ok("{}"), Err(Fault::Garbage(6)), Ok("[]")],
        );
        check(
            "X: y\r\n\r\nContent-Length: 2\r\n\r\n{}",
            &[Err(Fault::NoLength), Ok("{}")],
        );
        check(
            "Content-Length: two\r\n\r\nContent-Length: 2\r\n\r\n{}",
            &[Err(Fault::BadLength("two".into())), Ok("{}")],
        );
        check(
            "Content-Length: -5\r\n\r\nContent-Length: 2\r\n\r\n{}",
            &[Err(Fault::BadLength("-5".into())), Ok("{}")],
        );
    }

    #[test]
    fn endless_garbage_is_reported_once_and_does_not_grow() {
        let mut input = vec![b'x'; 10 * HEADER_LIMIT];
        input.extend_from_slice(b"Content-Length: 2\r\n\r\n{}");
        let items = decode(&input, 1000);
        assert_eq!(items[0], Err(Fault::HeaderTooLong));
        assert!(matches!(items[1], Err(Fault::Garbage(_))), "{items:?}");
        assert_eq!(items[2..], [Ok("{}".to_owned())]);
    }

    #[test]
    fn a_large_frame_leaves_no_large_buffer() {
        let mut decoder = Decoder::default();
        let body = vec![b' '; 1 << 20];
        decoder
            .space()
            .extend_from_slice(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes());
        assert!(decoder.next().is_none());
        decoder.space().extend_from_slice(&body);
        assert_eq!(
            decoder.next().map(|frame| frame.map(<[u8]>::len)),
            Some(Ok(1 << 20))
        );
        assert!(decoder.space().capacity() <= KEPT_CAPACITY);
    }

    #[test]
    fn an_oversized_body_is_skipped() {
        let mut decoder = Decoder::default();
        decoder
            .space()
            .extend_from_slice(format!("Content-Length: {}\r\n\r\nabc", BODY_LIMIT + 1).as_bytes());
        assert_eq!(
            decoder.next().map(|frame| frame.map(<[u8]>::len)),
            Some(Err(Fault::BodyTooLong(BODY_LIMIT + 1)))
        );
        assert!(decoder.next().is_none());
        assert_eq!(decoder.skip, BODY_LIMIT + 1 - 3);
    }
}
