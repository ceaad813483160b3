//! Private keys as text files have them: line by line, so that a text with one keeps its lines, also with line numbers
//! or the marks of a diff before them.

use std::iter::Peekable;
use std::ops::Range;
use std::sync::LazyLock;

use regex::{Matches, Regex};

use super::Found;

const KIND: &str = "private key";

/// As long as every line of a key is, but for the last.
const LONG: usize = 32;

/// A line without its end, of which these bytes are the key's.
static BODY: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"[A-Za-z0-9+/]{16,}={0,2}|[A-Za-z0-9+/]+={0,2}\s*$").ok());

static FIRST: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----").ok());

static LAST: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----").ok());

/// Every line of a private key in the text, also of one that begins before the text or ends after it.
pub(super) fn find(text: &str, found: &mut Vec<Found<'_>>) {
    if !text.contains("PRIVATE KEY") {
        return;
    }
    let (Some(first), Some(last)) = (FIRST.as_ref(), LAST.as_ref()) else {
        return;
    };
    let (mut begins, mut ends) = (Marks::of(first, text), Marks::of(last, text));
    let mut at = 0;
    while at < text.len() {
        let begin = begins.from(at);
        let end = ends.from(at);
        let (from, to, next) = match (begin, end) {
            (None, None) => return,
            // It begins before the text: as far up as there are lines of it.
            (None, Some(end)) => (beginning(text, at, end.start), end.start, end.end),
            (Some(begin), Some(end)) if end.start < begin.start => {
                (beginning(text, at, end.start), end.start, end.end)
            }
            (Some(begin), Some(end)) => (begin.end, end.start, end.end),
            (Some(begin), None) => {
                let end = ending(text, begin.end);
                (begin.end, end, end)
            }
        };
        body(text, from, to, found);
        at = next.max(at + 1);
        while !text.is_char_boundary(at) {
            at += 1;
        }
    }
}

/// The places of one of the marks around a key, found one after the other: the text is read once, however many there are.
struct Marks<'a> {
    found: Peekable<Matches<'a, 'a>>,
}

impl<'a> Marks<'a> {
    fn of(pattern: &'a Regex, text: &'a str) -> Marks<'a> {
        Marks {
            found: pattern.find_iter(text).peekable(),
        }
    }

    /// The first one that begins there or later. Never asked for an earlier place than before.
    fn from(&mut self, at: usize) -> Option<Range<usize>> {
        while self.found.next_if(|mark| mark.start() < at).is_some() {}
        self.found.peek().map(|mark| mark.range())
    }
}

fn body(text: &str, from: usize, to: usize, found: &mut Vec<Found<'_>>) {
    let Some(pattern) = BODY.as_ref() else { return };
    let mut start = from;
    let mut follows = false;
    for line in text[from..to].split_inclusive('\n') {
        let hits: Vec<_> = pattern.find_iter(line.trim_end()).collect();
        // Code that names both marks has lines between them that are none of a key; only the last one of a key is short.
        let is_long = hits.iter().any(|hit| hit.len() >= LONG);
        // A header: `Proc-Type: 4,ENCRYPTED`.
        if !line.contains(": ") && (is_long || follows) {
            found.extend(hits.iter().map(|hit| Found {
                range: start + hit.start()..start + hit.end(),
                kind: KIND,
            }));
        }
        follows = is_long;
        start += line.len();
    }
}

/// How many bytes of a key a line ends in; 0: it is no line of one.
fn payload(line: &str) -> usize {
    let last = line
        .trim_end()
        .rsplit([' ', '\t', ':'])
        .next()
        .unwrap_or("");
    let bytes = last.trim_start_matches(['+', '-']).trim_end_matches('=');
    let encoded = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    if bytes.bytes().all(encoded) {
        bytes.len()
    } else {
        0
    }
}

/// Where the lines of a key begin that end here. All but the last of them are long.
fn beginning(text: &str, from: usize, end: usize) -> usize {
    let line_start = text[from..end]
        .rfind('\n')
        .map_or(from, |index| from + index + 1);
    let mut lines = text[from..line_start]
        .split_inclusive('\n')
        .rev()
        .peekable();
    let mut start = line_start;
    if let Some(last) = lines.next_if(|last| (1..LONG).contains(&payload(last))) {
        if lines.peek().is_none_or(|line| payload(line) < LONG) {
            return start;
        }
        start -= last.len();
    }
    for line in lines.take_while(|line| payload(line) >= LONG) {
        start -= line.len();
    }
    start
}

/// Where the lines of a key end that begin here, and end with the text or without a last line.
fn ending(text: &str, start: usize) -> usize {
    let mut end = start;
    for (number, line) in text[start..].split_inclusive('\n').enumerate() {
        let of_key = payload(line) > 3 || line.trim().is_empty() || line.contains(": ");
        if number > 0 && !of_key {
            break;
        }
        end += line.len();
    }
    end
}
