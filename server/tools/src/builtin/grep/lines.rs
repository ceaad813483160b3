//! Searches one text: which lines fit, and how they are shown. Knows no files and no order among them.

use std::borrow::Cow;
use std::io::{self, Read};

use grep_matcher::{LineTerminator, Matcher};
use grep_regex::RegexMatcher;
use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkContextKind, SinkFinish,
    SinkMatch,
};
use tokio_util::sync::CancellationToken;

use super::hits::{Hit, Line};
use super::pattern::Pattern;
use crate::disk::encoding;

/// Lines with more characters are cut around the match.
const MAX_CHARS: usize = 500;

/// So many of them stand before the match.
const CHARS_BEFORE: usize = 100;

/// As many lines of one match that goes over lines are shown.
const MAX_LINES: usize = 100;

/// The longest line, or the largest text if matches may go over lines, that is held.
pub(super) const MAX_HELD: usize = 64 * 1024 * 1024;

const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";

/// Searches texts for one pattern. Each thread has its own.
pub(super) struct Searchers<'a> {
    pattern: &'a Pattern,
    cancel: &'a CancellationToken,
    /// With line numbers and context.
    showing: Searcher,
    /// With neither, where hits are only counted.
    counting: Searcher,
}

/// What is wanted of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Whether there is a hit.
    Known,
    /// The number of hits.
    Counted,
    /// Hits after the first `skip`, at most `take`, and no more of them than take so many bytes.
    Shown {
        skip: u64,
        take: usize,
        bytes: usize,
    },
}

/// How a search of a text ended.
#[derive(Debug)]
pub(super) enum Ended {
    /// With this.
    Found(InText),
    /// It is no text.
    Binary,
    /// The call is to end.
    Cancelled,
}

/// What was found in a text.
#[derive(Debug, Default)]
pub(super) struct InText {
    /// Hits, as far as they are wanted.
    pub(super) count: u64,
    /// Those that are shown.
    pub(super) hits: Vec<Hit>,
}

impl<'a> Searchers<'a> {
    pub(super) fn new(
        pattern: &'a Pattern,
        before: usize,
        after: usize,
        cancel: &'a CancellationToken,
    ) -> Searchers<'a> {
        let mut builder = SearcherBuilder::new();
        let terminator = match pattern.crlf {
            true => LineTerminator::crlf(),
            false => LineTerminator::byte(b'\n'),
        };
        builder
            .line_terminator(terminator)
            .invert_match(pattern.invert)
            .multi_line(pattern.multiline)
            .heap_limit(Some(MAX_HELD))
            .line_number(false);
        let counting = builder.build();
        let showing = builder
            .line_number(true)
            .before_context(before)
            .after_context(after)
            .build();
        Searchers {
            pattern,
            cancel,
            showing,
            counting,
        }
    }

    /// Searches bytes that are held.
    pub(super) fn search_bytes(&mut self, bytes: &[u8], wanted: Wanted) -> io::Result<Ended> {
        let bytes = bytes.strip_prefix(UTF8_MARK).unwrap_or(bytes);
        // The mark of UTF-32 begins like one of UTF-16; it is no text here, as it is none for the other tools.
        let is_utf16 = bytes.starts_with(b"\xfe\xff")
            || bytes.starts_with(b"\xff\xfe") && !bytes.starts_with(b"\xff\xfe\0\0");
        if !is_utf16 && has_nul(&bytes[..bytes.len().min(HEAD_BYTES)]) {
            return Ok(Ended::Binary);
        }
        let decoded = match (self.pattern.multiline, is_utf16) {
            (false, _) => Cow::Borrowed(bytes),
            (true, false) => without_cr(bytes),
            // The mark tells the order of the bytes.
            (true, true) => match encoding_rs::UTF_8.decode(bytes).0 {
                Cow::Borrowed(text) => without_cr(text.as_bytes()),
                Cow::Owned(text) => Cow::Owned(without_cr(text.as_bytes()).into_owned()),
            },
        };
        self.set_binary_detection(BinaryDetection::none());
        let ended = self.search(wanted, |searcher, matcher, sink| {
            searcher.search_slice(matcher, &decoded, sink)
        })?;
        match ended {
            Ended::Found(found) if found.count > 0 && !is_utf16 && has_nul(bytes) => {
                Ok(Ended::Binary)
            }
            // Elsewhere ASCII alone is found as it is, and most files are not looked at twice.
            Ended::Found(found)
                if (found.count > 0 || self.pattern.beyond_ascii)
                    && !is_utf16
                    && std::str::from_utf8(bytes).is_err() =>
            {
                let older = self.search_older(bytes, wanted)?;
                Ok(older.unwrap_or(Ended::Found(found)))
            }
            ended => Ok(ended),
        }
    }

    /// Searches the text of a file in an older encoding, as the other tools read it. None: it is none.
    fn search_older(&mut self, bytes: &[u8], wanted: Wanted) -> io::Result<Option<Ended>> {
        let Ok(decoded) = encoding::decode(bytes.to_vec()) else {
            return Ok(None);
        };
        let text = decoded.text.rope().to_string();
        let ended = self.search(wanted, |searcher, matcher, sink| {
            searcher.search_slice(matcher, text.as_bytes(), sink)
        })?;
        Ok(Some(ended))
    }

    /// Searches what is read piece by piece.
    pub(super) fn search_reader(&mut self, reader: impl Read, wanted: Wanted) -> io::Result<Ended> {
        self.set_binary_detection(BinaryDetection::quit(0));
        let reader = Cancellable {
            reader,
            cancel: self.cancel,
        };
        self.search(wanted, |searcher, matcher, sink| {
            searcher.search_reader(matcher, reader, sink)
        })
    }

    fn set_binary_detection(&mut self, detection: BinaryDetection) {
        self.showing.set_binary_detection(detection.clone());
        self.counting.set_binary_detection(detection);
    }

    fn search(
        &mut self,
        wanted: Wanted,
        run: impl FnOnce(&mut Searcher, &RegexMatcher, &mut Lines<'_>) -> io::Result<()>,
    ) -> io::Result<Ended> {
        let mut lines = Lines {
            pattern: self.pattern,
            cancel: self.cancel,
            wanted,
            found: InText::default(),
            bytes: 0,
            before: Vec::new(),
            is_binary: false,
        };
        let searcher = match wanted {
            Wanted::Shown { .. } => &mut self.showing,
            Wanted::Counted | Wanted::Known => &mut self.counting,
        };
        let ran = run(searcher, &self.pattern.matcher, &mut lines);
        if self.cancel.is_cancelled() {
            return Ok(Ended::Cancelled);
        }
        ran?;
        Ok(match lines.is_binary {
            true => Ended::Binary,
            false => Ended::Found(lines.found),
        })
    }
}

/// Binary files show themselves in so many of their first bytes; where there is a hit, all bytes are looked at.
const HEAD_BYTES: usize = 8 * 1024;

fn has_nul(bytes: &[u8]) -> bool {
    memchr::memchr(0, bytes).is_some()
}

/// As the text is: each CR LF a line break.
fn without_cr(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut breaks = memchr::memmem::find_iter(bytes, b"\r\n").peekable();
    if breaks.peek().is_none() {
        return Cow::Borrowed(bytes);
    }
    let mut without = Vec::with_capacity(bytes.len());
    let mut from = 0;
    for at in breaks {
        without.extend_from_slice(&bytes[from..at]);
        from = at + 1;
    }
    without.extend_from_slice(&bytes[from..]);
    Cow::Owned(without)
}

/// Takes what the searcher finds.
struct Lines<'a> {
    pattern: &'a Pattern,
    cancel: &'a CancellationToken,
    wanted: Wanted,
    found: InText,
    /// That the hits in `found` take.
    bytes: usize,
    before: Vec<Line>,
    is_binary: bool,
}

impl Lines<'_> {
    /// Whether the hit after those that were counted is to be shown.
    fn shows_next(&self) -> bool {
        matches!(self.wanted, Wanted::Shown { skip, take, bytes }
            if self.found.count >= skip && self.found.hits.len() < take && self.bytes < bytes)
    }

    /// Drops what stands too far before the hit that is to come.
    fn keep_before(&mut self, searcher: &Searcher) {
        let excess = self.before.len().saturating_sub(searcher.before_context());
        self.before.drain(..excess);
    }

    /// The last hit that was counted, if it is shown.
    fn last_shown(&mut self) -> Option<&mut Hit> {
        match self.wanted {
            Wanted::Shown { skip, .. }
                if skip + self.found.hits.len() as u64 == self.found.count =>
            {
                self.found.hits.last_mut()
            }
            _ => None,
        }
    }
}

impl Sink for &mut Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        if self.cancel.is_cancelled() {
            return Ok(false);
        }
        let shows = self.shows_next();
        if !shows && !self.found.hits.is_empty() {
            // All that is to be shown is there.
            return Ok(false);
        }
        self.found.count += 1;
        if shows {
            let first = found.line_number().unwrap_or_default();
            let shown = (first..).zip(found.lines().take(MAX_LINES));
            let matcher = Some(&self.pattern.matcher).filter(|_| !self.pattern.invert);
            let mut lines: Vec<Line> = shown
                .map(|(number, bytes)| line(number, bytes, matcher))
                .collect();
            let more = found.lines().skip(MAX_LINES).count();
            if more > 0 {
                lines.push(Line {
                    number: first + MAX_LINES as u64,
                    text: format!("[{more} more lines of this match]"),
                    is_cut: true,
                });
            }
            let hit = Hit {
                lines,
                before: std::mem::take(&mut self.before),
                after: Vec::new(),
            };
            self.bytes += hit.bytes();
            self.found.hits.push(hit);
        }
        Ok(self.wanted != Wanted::Known)
    }

    fn context(
        &mut self,
        searcher: &Searcher,
        context: &SinkContext<'_>,
    ) -> Result<bool, io::Error> {
        if self.cancel.is_cancelled() {
            return Ok(false);
        }
        let shown = || {
            line(
                context.line_number().unwrap_or_default(),
                context.bytes(),
                None,
            )
        };
        match context.kind() {
            SinkContextKind::Before if self.shows_next() => {
                self.before.push(shown());
                self.keep_before(searcher);
            }
            SinkContextKind::After => {
                if let Some(hit) = self.last_shown() {
                    let line = shown();
                    let bytes = line.bytes();
                    hit.after.push(line);
                    self.bytes += bytes;
                } else if self.shows_next() {
                    // After a hit that is left out, and perhaps before the first that is shown.
                    self.before.push(shown());
                    self.keep_before(searcher);
                }
            }
            _ => {}
        }
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> Result<bool, io::Error> {
        self.is_binary = true;
        Ok(false)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> Result<(), io::Error> {
        self.is_binary |= finish.binary_byte_offset().is_some();
        Ok(())
    }
}

/// A line as it is shown; a long one is cut around its match, or at its end if it has none.
fn line(number: u64, bytes: &[u8], matcher: Option<&RegexMatcher>) -> Line {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    let text = String::from_utf8_lossy(bytes);
    if bytes.len() <= MAX_CHARS || text.chars().count() <= MAX_CHARS {
        return Line {
            number,
            text: text.into_owned(),
            is_cut: false,
        };
    }
    let found = matcher.and_then(|matcher| matcher.find(text.as_bytes()).ok().flatten());
    let at = found.map_or(0, |found| {
        crate::truncate::floor_boundary(&text, found.start())
    });
    let start = text[..at]
        .char_indices()
        .rev()
        .nth(CHARS_BEFORE - 1)
        .map_or(0, |(index, _)| index);
    let length = text[start..]
        .char_indices()
        .nth(MAX_CHARS)
        .map(|(index, _)| index);
    // Near its end, the line is shown up to it.
    let start = match length {
        Some(_) => start,
        None => text
            .char_indices()
            .rev()
            .nth(MAX_CHARS - 1)
            .map_or(0, |(index, _)| index),
    };
    let end = length.map_or(text.len(), |length| start + length);
    Line {
        number,
        text: format!(
            "{}{}{}",
            if start > 0 { "…" } else { "" },
            &text[start..end],
            if end < text.len() { "…" } else { "" }
        ),
        is_cut: true,
    }
}

/// Ends when the call is to end.
struct Cancellable<'a, R> {
    reader: R,
    cancel: &'a CancellationToken,
}

impl<R: Read> Read for Cancellable<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            return Err(io::Error::other("the call is to end"));
        }
        self.reader.read(buffer)
    }
}
