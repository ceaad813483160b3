//! Lines of files that are too large to be read whole: found from either end, and shown one by one. Knows encodings;
//! what is in memory of the file, its blocks know.

use std::fs::File;
use std::io;

use tokio_util::sync::CancellationToken;

use super::blocks::{BLOCK_BYTES, Blocks, Stop};
use super::encoding::Encoding;

/// A file and where its lines are. Positions are bytes in the file.
pub(crate) struct LargeFile<'a> {
    blocks: Blocks<'a>,
    encoding: Encoding,
}

/// Where a line begins that was looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Here. Counted from the end: as the last but so many, or as the first of fewer.
    At {
        /// The position.
        position: u64,
        /// How many lines were counted on the way.
        counted: u64,
    },
    /// There are only so many lines.
    Missing {
        /// So many.
        lines: u64,
    },
}

/// A line, or as much of it as there was room for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ShownLine {
    /// Without its line break. Runs of NUL are told in brackets; bytes that mean nothing are U+FFFD.
    pub(crate) text: String,
    /// Bytes of the file that this is, the line break included.
    pub(crate) consumed: u64,
    pub(crate) end: LineEnd,
}

/// How a shown line ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LineEnd {
    Lf,
    CrLf,
    /// With the file.
    File,
    /// There was no room for more of it.
    #[default]
    Cut,
}

impl<'a> LargeFile<'a> {
    pub(crate) fn new(
        file: File,
        encoding: Encoding,
        cancel: &'a CancellationToken,
    ) -> io::Result<LargeFile<'a>> {
        let blocks = Blocks::new(file, cancel)?;
        Ok(LargeFile { blocks, encoding })
    }

    /// Bytes of the file, as they were when it was opened.
    pub(crate) fn length(&self) -> u64 {
        self.blocks.length()
    }

    /// Where the text begins: behind the byte order mark.
    pub(crate) fn text_start(&mut self) -> Result<u64, Stop> {
        let mark: &[u8] = match self.encoding {
            Encoding::Utf8 => b"\xef\xbb\xbf",
            Encoding::Utf16Le => b"\xff\xfe",
            Encoding::Utf16Be => b"\xfe\xff",
            Encoding::Legacy(_) => b"",
        };
        let has_mark = self.blocks.bytes_at(0)?.starts_with(mark);
        Ok(if has_mark { mark.len() as u64 } else { 0 })
    }

    /// The start of the 0-based line.
    pub(crate) fn line_start(&mut self, line: u64) -> Result<Found, Stop> {
        let (mut at, mut counted) = (self.text_start()?, 0);
        let mut start = at;
        while counted < line {
            at = self.blocks.data_from(at)?;
            if at >= self.length() {
                let unended = u64::from(start < self.length());
                return Ok(Found::Missing {
                    lines: counted + unended,
                });
            }
            let encoding = self.encoding;
            let bytes = self.blocks.bytes_at(at)?;
            let length = bytes.len() as u64;
            let wanted = (line - counted) as usize;
            let number = newlines(encoding, bytes, at).count();
            let last = if number >= wanted {
                newlines(encoding, bytes, at).nth(wanted - 1)
            } else {
                newlines(encoding, bytes, at).next_back()
            };
            counted += number.min(wanted) as u64;
            start = last.map_or(start, |end| at + end as u64);
            at = if counted == line { start } else { at + length };
        }
        // What follows the last line break is no line if it is nothing.
        if start >= self.length() {
            return Ok(Found::Missing { lines: counted });
        }
        Ok(Found::At {
            position: start,
            counted,
        })
    }

    /// The start of the line that is so many lines before the end, or the first; and how many lines that are.
    pub(crate) fn line_from_end(&mut self, lines: u64) -> Result<Found, Stop> {
        let first = self.text_start()?;
        let mut end = self.length();
        let mut counted = 0;
        while end > first {
            let start = (end - 1) / BLOCK_BYTES as u64 * BLOCK_BYTES as u64;
            if self.blocks.data_from(start)? < end {
                let (encoding, length) = (self.encoding, self.length());
                let bytes = self.blocks.bytes_at(start)?;
                let bytes = &bytes[..bytes.len().min((end - start) as usize)];
                let starts = newlines(encoding, bytes, start).rev();
                // The line break at the end of the file ends the last line and begins none.
                for after in starts.map(|after| start + after as u64) {
                    if after == length {
                        continue;
                    }
                    counted += 1;
                    if counted == lines {
                        return Ok(Found::At {
                            position: after,
                            counted,
                        });
                    }
                }
            }
            end = start;
        }
        Ok(Found::At {
            position: first,
            counted: counted + u64::from(first < self.length()),
        })
    }

    /// Where the line ends that begins at `start`, if that is before `limit`.
    pub(crate) fn line_end_before(&mut self, start: u64, limit: u64) -> Result<Option<u64>, Stop> {
        let mut at = start;
        while at < limit {
            at = self.blocks.data_from(at)?;
            if at >= self.length() {
                return Ok((self.length() < limit).then_some(self.length()));
            }
            let encoding = self.encoding;
            let bytes = self.blocks.bytes_at(at)?;
            let length = bytes.len() as u64;
            if let Some(after) = newlines(encoding, bytes, at).next() {
                let end = at + after as u64 - unit(encoding) as u64;
                return Ok((end < limit).then_some(end));
            }
            at += length;
        }
        Ok(None)
    }

    /// The first position from here on that is no inner byte of a character, as far as that can be told.
    pub(crate) fn character_at(&mut self, position: u64) -> Result<u64, Stop> {
        match self.encoding {
            Encoding::Utf8 => {
                let bytes = self.blocks.bytes_at(position)?;
                let inner = bytes.iter().take(3).take_while(|byte| is_inner(**byte));
                Ok(position + inner.count() as u64)
            }
            Encoding::Utf16Le | Encoding::Utf16Be => Ok(position.next_multiple_of(2)),
            Encoding::Legacy(_) => Ok(position),
        }
    }

    /// The line, or the rest of it, from a position on, in at most `room` bytes of UTF-8.
    pub(crate) fn show_line(&mut self, position: u64, room: usize) -> Result<ShownLine, Stop> {
        let mut line = ShownLine::default();
        loop {
            let at = position + line.consumed;
            let left = room.saturating_sub(line.text.len());
            let nuls = self.nul_run(at)?;
            if nuls > 0 {
                let mark = if nuls == 1 {
                    "[1 NUL byte]".to_owned()
                } else {
                    format!("[{nuls} NUL bytes]")
                };
                if mark.len() > left {
                    return Ok(line);
                }
                line.text.push_str(&mark);
                line.consumed += nuls;
                continue;
            }
            let (run, ended) = self.text_run(at, left)?;
            let (length, text) = self.fitted(&run, left);
            line.text.push_str(&text);
            line.consumed += length as u64;
            match ended {
                _ if length < run.len() => return Ok(line),
                RunEnd::Room => return Ok(line),
                RunEnd::Nul => {}
                RunEnd::Newline => {
                    line.consumed += unit(self.encoding) as u64;
                    let crlf = line.text.ends_with('\r');
                    if crlf {
                        line.text.pop();
                    }
                    line.end = if crlf { LineEnd::CrLf } else { LineEnd::Lf };
                    return Ok(line);
                }
                RunEnd::File => {
                    line.end = LineEnd::File;
                    return Ok(line);
                }
            }
        }
    }

    /// As many of the bytes as there is room for when they are decoded, and the text.
    fn fitted(&self, bytes: &[u8], room: usize) -> (usize, String) {
        // What is not plain text in UTF-8 may become three times as long.
        for length in [bytes.len(), room, room / 3] {
            let length = self.boundary(bytes, length);
            let text = self.decoded(&bytes[..length]);
            if text.len() <= room {
                return (length, text);
            }
        }
        (0, String::new())
    }

    fn decoded(&self, bytes: &[u8]) -> String {
        let codec = match self.encoding {
            Encoding::Utf8 => encoding_rs::UTF_8,
            Encoding::Utf16Le => encoding_rs::UTF_16LE,
            Encoding::Utf16Be => encoding_rs::UTF_16BE,
            Encoding::Legacy(encoding) => encoding,
        };
        let (text, _) = codec.decode_without_bom_handling(bytes);
        text.replace('\0', "\u{2400}")
    }

    /// The last character boundary up to `at`, as far as that can be told.
    fn boundary(&self, bytes: &[u8], at: usize) -> usize {
        let at = at.min(bytes.len());
        match self.encoding {
            Encoding::Utf8 if at < bytes.len() => {
                let inner = (0..=3.min(at)).take_while(|back| is_inner(bytes[at - back]));
                match inner.count() {
                    4 => at,
                    back => at - back.min(at),
                }
            }
            Encoding::Utf16Le | Encoding::Utf16Be if at < bytes.len() => {
                let at = at / 2 * 2;
                let higher = usize::from(self.encoding == Encoding::Utf16Le);
                // The first half of a surrogate pair stays with the second.
                let is_half = at >= 2 && bytes[at - 2 + higher] & 0b1111_1100 == 0b1101_1000;
                at - if is_half { 2 } else { 0 }
            }
            _ => at,
        }
    }

    /// How many bytes from here on are NUL. Of UTF-16 none is told.
    fn nul_run(&mut self, position: u64) -> Result<u64, Stop> {
        if unit(self.encoding) == 2 {
            return Ok(0);
        }
        let mut at = position;
        loop {
            let bytes = self.blocks.bytes_at(at)?;
            let nuls = bytes.iter().take_while(|byte| **byte == 0).count();
            let all = nuls == bytes.len();
            at += nuls as u64;
            if !all || at >= self.length() {
                return Ok(at - position);
            }
            at = self.blocks.data_from(at)?;
        }
    }

    /// The bytes from here to the end of the line, to a NUL, to the end of the file, or as many as there is room for.
    fn text_run(&mut self, position: u64, room: usize) -> Result<(Vec<u8>, RunEnd), Stop> {
        let encoding = self.encoding;
        let mut run = Vec::new();
        loop {
            let at = position + run.len() as u64;
            let bytes = self.blocks.bytes_at(at)?;
            if bytes.is_empty() {
                return Ok((run, RunEnd::File));
            }
            let newline = newlines(encoding, bytes, at)
                .next()
                .map(|after| after - unit(encoding));
            let nul = (unit(encoding) == 1)
                .then(|| memchr::memchr(0, &bytes[..newline.unwrap_or(bytes.len())]))
                .flatten();
            run.extend_from_slice(&bytes[..nul.or(newline).unwrap_or(bytes.len())]);
            // One byte more than there is room for tells that there is more.
            if run.len() > room + 3 {
                run.truncate(self.boundary(&run, room));
                return Ok((run, RunEnd::Room));
            }
            match (nul, newline) {
                (Some(_), _) => return Ok((run, RunEnd::Nul)),
                (None, Some(_)) => return Ok((run, RunEnd::Newline)),
                (None, None) => {}
            }
        }
    }
}

/// Why a run of text ended.
enum RunEnd {
    Newline,
    Nul,
    File,
    Room,
}

/// Bytes of a code unit.
fn unit(encoding: Encoding) -> usize {
    match encoding {
        Encoding::Utf8 | Encoding::Legacy(_) => 1,
        Encoding::Utf16Le | Encoding::Utf16Be => 2,
    }
}

fn is_inner(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

/// Where in these bytes line breaks end. In none of the older encodings is their byte a part of another character.
fn newlines(
    encoding: Encoding,
    bytes: &[u8],
    position: u64,
) -> impl DoubleEndedIterator<Item = usize> + '_ {
    let odd = (position % 2) as usize;
    memchr::memchr_iter(b'\n', bytes).filter_map(move |at| match encoding {
        Encoding::Utf8 | Encoding::Legacy(_) => Some(at + 1),
        Encoding::Utf16Le => {
            ((at + odd).is_multiple_of(2) && bytes.get(at + 1) == Some(&0)).then_some(at + 2)
        }
        Encoding::Utf16Be => {
            (!(at + odd).is_multiple_of(2) && at > 0 && bytes[at - 1] == 0).then_some(at + 1)
        }
    })
}

#[cfg(test)]
mod tests;
