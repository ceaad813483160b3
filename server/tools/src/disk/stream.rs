//! Logical text from the bytes of UTF-8, chunk by chunk: for files that are too large to be held whole. Gives the same
//! text as [`mewcode_core`]'s decoding of the whole. Knows no files.

/// Turns wire bytes into logical text as they come: without the byte order mark, each CRLF as LF, ending in LF.
#[derive(Default)]
pub(crate) struct LogicalStream {
    /// The beginning of a character, or a CR, that ended the last chunk.
    held: Vec<u8>,
    begun: bool,
    format: Format,
    ends_in_newline: bool,
}

/// The bytes are not UTF-8 text: whoever holds all of them finds out what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotUtf8;

/// How a text was written, as far as its logical form does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Format {
    /// Whether it began with a byte order mark.
    pub(crate) bom: bool,
    /// Lines that end in LF alone.
    pub(crate) lf: usize,
    /// Lines that end in CRLF.
    pub(crate) crlf: usize,
    /// Whether the last line is ended.
    pub(crate) final_newline: bool,
}

impl LogicalStream {
    /// Takes the next bytes; gives what they add to the logical text.
    pub(crate) fn push(
        &mut self,
        bytes: &[u8],
        sink: &mut impl FnMut(&str),
    ) -> Result<(), NotUtf8> {
        if memchr::memchr(0, bytes).is_some() {
            return Err(NotUtf8);
        }
        let mut chunk = std::mem::take(&mut self.held);
        chunk.extend_from_slice(bytes);
        let complete = match std::str::from_utf8(&chunk) {
            Ok(text) => text.len(),
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => return Err(NotUtf8),
        };
        let take = if chunk[..complete].ends_with(b"\r") {
            complete - 1
        } else {
            complete
        };
        self.held = chunk.split_off(take);
        // Checked above; a CR is a whole character.
        let text = std::str::from_utf8(&chunk).unwrap_or_default();
        self.give(text, sink);
        self.begun |= take > 0;
        Ok(())
    }

    /// No bytes more: gives the rest of the logical text and tells how the whole was written.
    pub(crate) fn finish(mut self, sink: &mut impl FnMut(&str)) -> Result<Format, NotUtf8> {
        if std::str::from_utf8(&self.held).is_err() {
            return Err(NotUtf8);
        }
        // What is held is a CR or nothing, and the LF that is added to it makes it a line ending.
        self.format.final_newline = self.ends_in_newline && self.held.is_empty();
        if !self.format.final_newline {
            sink("\n");
        }
        Ok(self.format)
    }

    fn give(&mut self, text: &str, sink: &mut impl FnMut(&str)) {
        let mut text = text;
        if !self.begun
            && let Some(rest) = text.strip_prefix('\u{feff}')
        {
            self.format.bom = true;
            text = rest;
        }
        if text.is_empty() {
            return;
        }
        self.ends_in_newline = text.ends_with('\n');
        // Most texts hold no CR at all, which is told much sooner than where they hold CRLF.
        let crlf = if text.contains('\r') {
            text.matches("\r\n").count()
        } else {
            0
        };
        self.format.crlf += crlf;
        self.format.lf += memchr::memchr_iter(b'\n', text.as_bytes()).count() - crlf;
        if crlf == 0 {
            sink(text);
        } else {
            sink(&text.replace("\r\n", "\n"));
        }
    }
}

#[cfg(test)]
mod tests {
    use mewcode_core::text::Text;

    use super::*;

    /// The logical text and its format, fed in chunks of every size.
    fn stream(wire: &[u8], chunk: usize) -> Result<(String, Format), NotUtf8> {
        let mut stream = LogicalStream::default();
        let mut text = String::new();
        let mut sink = |part: &str| text.push_str(part);
        for bytes in wire.chunks(chunk) {
            stream.push(bytes, &mut sink)?;
        }
        let format = stream.finish(&mut sink)?;
        Ok((text, format))
    }

    #[test]
    fn it_gives_what_decoding_the_whole_gives() {
        let wires = [
            "",
            "\n",
            "a",
            "a\n",
            "\r\n",
            "a\r\nb\r\n",
            "a\r\nb\nc",
            "a\rb\r",
            "\r\r\n\r",
            "\u{feff}",
            "\u{feff}a\r\n",
            "é😀\r\n\u{feff}é",
            "a\n\r\n",
        ];
        for wire in wires {
            let whole = Text::decode(wire);
            for chunk in 1..=wire.len().max(1) {
                let (text, format) = stream(wire.as_bytes(), chunk).unwrap();
                assert_eq!(
                    text,
                    whole.rope().to_string(),
                    "{wire:?} in chunks of {chunk}"
                );
                assert_eq!(format.bom, whole.bom(), "{wire:?}");
                assert_eq!(format.final_newline, whole.final_newline(), "{wire:?}");
                assert_eq!(format.crlf, wire.matches("\r\n").count(), "{wire:?}");
            }
        }
    }

    #[test]
    fn what_is_no_text_is_found_wherever_the_chunks_end() {
        for chunk in 1..8 {
            for bytes in [b"ab\ncd\n\xffx".as_slice(), b"ab\n\xc3", b"a\0"] {
                assert_eq!(stream(bytes, chunk), Err(NotUtf8), "{bytes:?}");
            }
        }
    }
}
