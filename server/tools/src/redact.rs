//! Takes secrets out of text before anybody stores or sends it: values that are known to be secret, and what has the shape
//! of a key. A mark stays in place of each, the same for the same value as long as the session lasts, so that an edit of
//! a line with a mark can be made in the real text. Knows no tool and reads no file.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use aho_corasick::{AhoCorasick, MatchKind};

mod private_key;
mod shapes;

use crate::environment::names_a_secret;

/// What every mark begins with.
const MARK: &str = "‹redacted: ";

/// What every mark ends with.
const MARK_END: char = '›';

/// A value shorter than this is not looked for wherever it may stand: too much else would look like it.
const LEAST_KNOWN_BYTES: usize = 8;

/// A longer value is not looked for elsewhere: no key is so long, and the search would take memory with each byte.
const MOST_LEARNT_BYTES: usize = 4096;

/// As many values as are remembered of a session. Beyond it, what is found gets a mark that stands for nothing.
const MAX_MARKS: usize = 10_000;

/// Takes secrets out of text.
#[derive(Default)]
pub struct Redactor {
    known: Known,
    sessions: Mutex<HashMap<String, Marks>>,
}

/// Values that are secret wherever they stand.
#[derive(Default)]
struct Known {
    /// What each is, by the number of its pattern.
    kinds: Vec<String>,
    values: Vec<String>,
    finder: Option<AhoCorasick>,
}

/// The marks of a session.
#[derive(Default)]
struct Marks {
    by_value: HashMap<String, String>,
    by_mark: HashMap<String, String>,
    /// How many marks there are of each kind.
    counts: HashMap<String, usize>,
    /// The same values, which stay secret where nothing around them tells what they are: also after an edit that writes
    /// something right before a mark.
    told: Known,
    told_values: Vec<(String, String)>,
}

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Found<'a> {
    range: Range<usize>,
    /// What it is: `github token`.
    kind: &'a str,
}

/// A mark that cannot be replaced by what it stands for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{mark}` stands for a secret that is not in this file")]
pub struct NotHere {
    /// The mark.
    pub mark: String,
}

impl Known {
    fn new(secrets: impl IntoIterator<Item = (String, String)>) -> Known {
        let (kinds, values): (Vec<String>, Vec<String>) = secrets
            .into_iter()
            .filter(|(_, value)| value.len() >= LEAST_KNOWN_BYTES)
            .unzip();
        let finder = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(&values)
            // More values than an automaton takes are no values of a person.
            .ok()
            .filter(|finder| finder.patterns_len() > 0);
        Known {
            kinds,
            values,
            finder,
        }
    }

    /// How many bytes at the end of a text are the beginning of one of them, and may become it.
    fn begun(&self, text: &str) -> usize {
        let begun = |value: &String| {
            let most = text.len().min(value.len() - 1);
            let ends = (1..=most).rev().map(|length| text.len() - length);
            let mut starts = ends.filter(|start| text.is_char_boundary(*start));
            starts
                .find(|start| value.starts_with(&text[*start..]))
                .map_or(0, |start| text.len() - start)
        };
        self.values.iter().map(begun).max().unwrap_or_default()
    }

    fn find<'a>(&'a self, text: &str, found: &mut Vec<Found<'a>>) {
        let Some(finder) = &self.finder else { return };
        found.extend(finder.find_iter(text).map(|hit| Found {
            range: hit.range(),
            kind: &self.kinds[hit.pattern().as_usize()],
        }));
    }
}

impl Redactor {
    /// Takes out these secrets, each with what it is, and what has the shape of a key.
    pub fn new(secrets: impl IntoIterator<Item = (String, String)>) -> Redactor {
        Redactor {
            known: Known::new(secrets),
            sessions: Mutex::default(),
        }
    }

    /// The same, and the values of this process's environment whose names say that they are secret.
    pub fn of_process(secrets: impl IntoIterator<Item = (String, String)>) -> Redactor {
        let own = std::env::vars_os().filter_map(|(name, value)| {
            let (name, value) = (name.into_string().ok()?, value.into_string().ok()?);
            is_secret(&name, &value).then_some((name, value))
        });
        Redactor::new(secrets.into_iter().chain(own))
    }

    /// The text without secrets.
    pub fn redact<'a>(&self, session: &str, text: &'a str) -> Cow<'a, str> {
        self.redact_part(session, text, 0..text.len())
    }

    /// A part of a text without secrets, be it one that begins before the part or ends after it, or that only the rest of
    /// the text tells. The bounds of the part are those of characters.
    pub fn redact_part<'a>(
        &self,
        session: &str,
        text: &'a str,
        part: Range<usize>,
    ) -> Cow<'a, str> {
        let mut sessions = self.lock();
        let marks = sessions.get(session);
        let mut found = self.find_known(marks, text);
        shapes::find(text, &mut found);
        private_key::find(text, &mut found);
        if found.is_empty() {
            return Cow::Borrowed(&text[part]);
        }
        let found: Vec<(Range<usize>, String)> = without_overlaps(found)
            .into_iter()
            .map(|found| (found.range, found.kind.to_owned()))
            .collect();
        let marks = sessions.entry(session.to_owned()).or_default();
        let mut redacted = String::with_capacity(part.len());
        let mut end = part.start;
        for (range, kind) in found {
            let mark = marks.mark(&text[range.clone()], &kind);
            if range.end > part.start && range.start < part.end {
                redacted.push_str(&text[end..range.start.max(end)]);
                redacted.push_str(&mark);
                end = range.end;
            }
        }
        redacted.push_str(&text[end.min(part.end)..part.end]);
        marks.learn();
        Cow::Owned(redacted)
    }

    /// The text without secrets, for people and for the log alone: what is found in it is not looked for from then on, and
    /// a mark of what was not found before stands for nothing.
    pub fn conceal<'a>(&self, session: &str, text: &'a str) -> Cow<'a, str> {
        let sessions = self.lock();
        let marks = sessions.get(session);
        let mut found = self.find_known(marks, text);
        shapes::find(text, &mut found);
        private_key::find(text, &mut found);
        concealed(marks, text, without_overlaps(found))
    }

    /// The same of the beginning of a text that goes on, as far as it is certain, and how many bytes of the text that is.
    /// Only known values are found: what has the shape of a key may be half of one.
    pub fn conceal_beginning<'a>(&self, session: &str, text: &'a str) -> (Cow<'a, str>, usize) {
        let sessions = self.lock();
        let marks = sessions.get(session);
        let found = without_overlaps(self.find_known(marks, text));
        let told = marks.map_or(0, |marks| marks.told.begun(text));
        let mut end = text.len() - self.known.begun(text).max(told);
        if let Some(cut) = found.iter().find(|found| found.range.contains(&end)) {
            end = cut.range.start;
        }
        let certain = found.into_iter().filter(|found| found.range.end <= end);
        (concealed(marks, &text[..end], certain.collect()), end)
    }

    /// The same of what is left of such a text at its end.
    pub fn conceal_end<'a>(&self, session: &str, text: &'a str) -> Cow<'a, str> {
        let sessions = self.lock();
        let marks = sessions.get(session);
        let found = self.find_known(marks, text);
        concealed(marks, text, without_overlaps(found))
    }

    fn find_known<'a>(&'a self, marks: Option<&'a Marks>, text: &str) -> Vec<Found<'a>> {
        let mut found = Vec::new();
        self.known.find(text, &mut found);
        if let Some(marks) = marks {
            marks.told.find(text, &mut found);
        }
        found
    }

    /// The text with what its marks stand for, as far as `present`, the text of the file that it is for, has that: a
    /// secret never leaves its file so. A mark that the file has literally stays.
    ///
    /// # Errors
    ///
    /// A mark stands for a secret that is not in the file; writing the mark in its place would be a loss.
    pub fn restore<'a>(
        &self,
        session: &str,
        text: &'a str,
        present: &str,
    ) -> Result<Cow<'a, str>, NotHere> {
        if !text.contains(MARK) {
            return Ok(Cow::Borrowed(text));
        }
        let sessions = self.lock();
        let Some(marks) = sessions.get(session) else {
            return Ok(Cow::Borrowed(text));
        };
        let mut restored = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(MARK) {
            let Some(length) = rest[start..].find(MARK_END) else {
                break;
            };
            let end = start + length + MARK_END.len_utf8();
            let mark = &rest[start..end];
            restored.push_str(&rest[..start]);
            match marks.by_mark.get(mark) {
                Some(value) if present.contains(value.as_str()) => restored.push_str(value),
                Some(_) if !present.contains(mark) => {
                    return Err(NotHere {
                        mark: mark.to_owned(),
                    });
                }
                _ => restored.push_str(mark),
            }
            rest = &rest[end..];
        }
        restored.push_str(rest);
        Ok(Cow::Owned(restored))
    }

    /// Whether the text has a mark that stands for a secret in this session.
    pub fn has_mark(&self, session: &str, text: &str) -> bool {
        if !text.contains(MARK) {
            return false;
        }
        let sessions = self.lock();
        let Some(marks) = sessions.get(session) else {
            return false;
        };
        text.match_indices(MARK).any(|(start, _)| {
            let mark = text[start..].split_inclusive(MARK_END).next();
            mark.is_some_and(|mark| marks.by_mark.contains_key(mark))
        })
    }

    /// Forgets what the marks of a session stand for.
    pub fn forget(&self, session: &str) {
        self.lock().remove(session);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Marks>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Marks {
    /// The mark of a value.
    fn mark(&mut self, value: &str, kind: &str) -> String {
        if let Some(mark) = self.by_value.get(value) {
            return mark.clone();
        }
        if self.by_value.len() == MAX_MARKS {
            return format!("{MARK}{kind}{MARK_END}");
        }
        let count = self.counts.entry(kind.to_owned()).or_default();
        *count += 1;
        let mark = format!("{MARK}{kind} {count}{MARK_END}");
        self.by_value.insert(value.to_owned(), mark.clone());
        self.by_mark.insert(mark.clone(), value.to_owned());
        if (LEAST_KNOWN_BYTES..=MOST_LEARNT_BYTES).contains(&value.len()) {
            self.told_values.push((kind.to_owned(), value.to_owned()));
        }
        mark
    }

    /// Looks from now on for the values that were taken out.
    fn learn(&mut self) {
        if self.told_values.len() > self.told.kinds.len() {
            self.told = Known::new(self.told_values.iter().cloned());
        }
    }
}

/// The text with marks in place of what was found, which do not overlap.
fn concealed<'a>(marks: Option<&Marks>, text: &'a str, found: Vec<Found<'_>>) -> Cow<'a, str> {
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut end = 0;
    for Found { range, kind } in found {
        shown.push_str(&text[end..range.start]);
        match marks.and_then(|marks| marks.by_value.get(&text[range.clone()])) {
            Some(mark) => shown.push_str(mark),
            None => shown.push_str(&format!("{MARK}{kind}{MARK_END}")),
        }
        end = range.end;
    }
    shown.push_str(&text[end..]);
    Cow::Owned(shown)
}

/// Whether a variable of the environment holds a secret, and not where one is or how many there are.
fn is_secret(name: &str, value: &str) -> bool {
    let counts = |byte: u8| byte.is_ascii_digit() || byte == b',';
    names_a_secret(name) && !is_path(value) && !value.bytes().all(counts)
}

/// Whether it is a path; a key in base64 can begin with `/` or `~` too.
fn is_path(value: &str) -> bool {
    let relative = ["./", "../", "~/"];
    let top = || Path::new(value).components().take(2).collect::<PathBuf>();
    relative.iter().any(|start| value.starts_with(start))
        || value.starts_with('/') && top().exists()
}

/// What is found, in order; of those that overlap the one that begins first, and of these the longest.
fn without_overlaps(mut found: Vec<Found<'_>>) -> Vec<Found<'_>> {
    found.sort_by_key(|found| (found.range.start, std::cmp::Reverse(found.range.end)));
    let mut end = 0;
    found.retain(|found| {
        let free = found.range.start >= end && !found.range.is_empty();
        if free {
            end = found.range.end;
        }
        free
    });
    found
}

#[cfg(test)]
mod tests;
