//! Server-sent events, decoded from bytes that arrive in any pieces.
//!
//! Must not know what the events mean, nor where the bytes come from.

/// No event of a model is near this long; a server that never ends a line must not fill the memory.
const LONGEST_EVENT: usize = 16 << 20;

/// One event of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frame {
    /// The event's type; empty when the stream names none.
    pub event: String,
    /// The data lines, joined by LF.
    pub data: String,
}

/// An event grew beyond every sensible size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event of the stream is longer than {LONGEST_EVENT} bytes")]
pub struct TooLong;

/// Decodes one stream. An event that its blank line does not end is never given out.
#[derive(Debug, Default)]
pub struct Decoder {
    line: Vec<u8>,
    frame: Frame,
    has_data: bool,
    after_cr: bool,
    begun: bool,
}

impl Decoder {
    /// A decoder at the beginning of a stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next bytes and gives the events that they complete.
    ///
    /// # Errors
    ///
    /// An event is too long to be one.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Frame>, TooLong> {
        let mut frames = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.after_cr {
                self.after_cr = false;
                // CRLF is one line ending, even when a piece ends between its halves.
                if rest[0] == b'\n' {
                    rest = &rest[1..];
                    continue;
                }
            }
            match rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
                Some(end) => {
                    self.line.extend_from_slice(&rest[..end]);
                    self.after_cr = rest[end] == b'\r';
                    rest = &rest[end + 1..];
                    frames.extend(self.end_line());
                }
                None => {
                    self.line.extend_from_slice(rest);
                    rest = &[];
                }
            }
            if self.line.len() + self.frame.data.len() > LONGEST_EVENT {
                return Err(TooLong);
            }
        }
        Ok(frames)
    }

    fn end_line(&mut self) -> Option<Frame> {
        let line = std::mem::take(&mut self.line);
        // A line is decoded whole, so a character that the pieces cut in two comes out right.
        let line = String::from_utf8_lossy(&line);
        let line = if self.begun {
            &*line
        } else {
            line.strip_prefix('\u{feff}').unwrap_or(&line)
        };
        self.begun = true;
        if line.is_empty() {
            let frame = std::mem::take(&mut self.frame);
            return std::mem::take(&mut self.has_data).then_some(frame);
        }
        let (field, value) = match line.split_once(':') {
            Some((field, value)) => (field, value.strip_prefix(' ').unwrap_or(value)),
            None => (line, ""),
        };
        match field {
            "event" => self.frame.event = value.to_string(),
            "data" => {
                if self.has_data {
                    self.frame.data.push('\n');
                }
                self.has_data = true;
                self.frame.data.push_str(value);
            }
            // A comment (no field name), `id`, `retry`, or something newer.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(pieces: &[&[u8]]) -> Vec<(String, String)> {
        let mut decoder = Decoder::new();
        pieces
            .iter()
            .flat_map(|piece| decoder.push(piece).unwrap())
            .map(|frame| (frame.event, frame.data))
            .collect()
    }

    fn frames(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected
            .iter()
            .map(|(event, data)| (event.to_string(), data.to_string()))
            .collect()
    }

    #[test]
    fn fields_comments_and_line_endings() {
        for (stream, expected) in [
            ("event: a\ndata: 1\n\n", &[("a", "1")][..]),
            ("data: 1\r\rdata:2\r\n\r\n", &[("", "1"), ("", "2")]),
            ("\u{feff}data: x\n\n", &[("", "x")]),
            (": keep-alive\n\nid: 7\nretry: 3\ndata: x\n\n", &[("", "x")]),
            ("data: one\ndata:  two\ndata\n\n", &[("", "one\n two\n")]),
            ("event: ping\n\ndata: x\n\n", &[("", "x")]),
            ("data: a:b\n\n", &[("", "a:b")]),
            ("data: whole\n\ndata: cut", &[("", "whole")]),
            ("data: whole\n\ndata: cut\n", &[("", "whole")]),
            ("\n\n\n", &[]),
        ] {
            assert_eq!(decode(&[stream.as_bytes()]), frames(expected), "{stream:?}");
        }
    }

    #[test]
    fn any_two_pieces_decode_like_the_whole() {
        let stream = "\u{feff}event: a\r\ndata: {\"t\":\"ü🚀\"}\r\n\r\n: c\n\ndata: 1\rdata: 2\n\n"
            .as_bytes();
        let whole = decode(&[stream]);
        assert_eq!(whole, frames(&[("a", "{\"t\":\"ü🚀\"}"), ("", "1\n2")]));
        for cut in 0..=stream.len() {
            assert_eq!(
                decode(&[&stream[..cut], &stream[cut..]]),
                whole,
                "cut at {cut}"
            );
        }
        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        assert_eq!(decode(&bytes), whole);
    }

    #[test]
    fn an_endless_line_is_an_error() {
        let mut decoder = Decoder::new();
        let piece = vec![b'x'; 1 << 20];
        let mut outcome = Ok(Vec::new());
        for _ in 0..=LONGEST_EVENT / piece.len() {
            outcome = decoder.push(&piece);
        }
        assert_eq!(outcome, Err(TooLong));
    }
}
