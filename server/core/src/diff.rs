//! What differs between two texts: by lines, by words inside changed lines, and as a unified diff.
//!
//! Knows ropes and byte ranges only: nothing of edits' bases, of line endings or of who changed what.
//!
//! Work is bounded without a clock. The common start and end are trimmed over the ropes' chunks; the lines between go to a
//! Myers search whose cost is capped the way Git caps it, unless there are more than [`MAX_MIDDLE_LINES`] of them: then they
//! are one change. A result is always correct; only its smallness depends on the bounds.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::convert::Infallible;
use core::fmt::Write;
use core::hash::Hash;
use core::ops::Range;

use ropey::{Rope, RopeSlice};
use similar::algorithms::{DiffHook, myers};

use crate::edit::Replacement;
use crate::position::{ByteOffset, ByteRange, LineIndex, LineRange};

/// More lines than this between the common start and end (both sides together) are one change.
const MAX_MIDDLE_LINES: usize = 1 << 20;

/// Changed lines of more bytes than this (both sides together) are not compared word by word.
const MAX_WORD_BYTES: usize = 256 * 1024;

/// A run of lines that stands differently in two texts. One side may be empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LineChange {
    /// The lines of the old text.
    pub old: LineRange,
    /// The lines of the new text that stand in their place.
    pub new: LineRange,
}

/// How many lines a diff adds and removes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LineCounts {
    /// Lines of the new text that the old one does not have.
    pub added: usize,
    /// Lines of the old text that the new one does not have.
    pub removed: usize,
}

/// A changed run: where it stood and what stands there, as indices or byte offsets.
pub(crate) type Change = (Range<usize>, Range<usize>);

/// Whether two ropes hold the same text.
pub fn equal(left: &Rope, right: &Rope) -> bool {
    left.len_bytes() == right.len_bytes()
        && (left.is_instance(right) || common_prefix(left, right) == left.len_bytes())
}

/// The changed runs of lines from `old` to `new`: ascending, disjoint, never adjacent, and each with its first and last
/// lines really different.
pub fn line_changes(old: &Rope, new: &Rope) -> Vec<LineChange> {
    let (old_count, new_count) = (line_count(old), line_count(new));
    let prefix_bytes = common_prefix(old, new);
    if prefix_bytes == old.len_bytes() && prefix_bytes == new.len_bytes() {
        return Vec::new();
    }
    // A line is common only with its line feed: all lines that end within the common bytes.
    let prefix = old.byte_to_line(prefix_bytes).min(old_count).min(new_count);
    let prefix_start = old.line_to_byte(prefix);
    let room = old.len_bytes().min(new.len_bytes()) - prefix_start;
    let suffix_bytes = common_suffix(old, new).min(room);
    let suffix = whole_lines_at_end(old, old_count, suffix_bytes).min(whole_lines_at_end(
        new,
        new_count,
        suffix_bytes,
    ));
    let old_lines = prefix..old_count - suffix;
    let new_lines = prefix..new_count - suffix;
    let few = old_lines.len() + new_lines.len() <= MAX_MIDDLE_LINES;
    let changes = if old_lines.is_empty() || new_lines.is_empty() || !few {
        Vec::from([(old_lines.clone(), new_lines.clone())])
    } else {
        let old_text = lines_text(old, old_lines.clone());
        let new_text = lines_text(new, new_lines.clone());
        let old_items: Vec<&str> = old_text.split_inclusive('\n').collect();
        let new_items: Vec<&str> = new_text.split_inclusive('\n').collect();
        token_changes(&old_items, &new_items)
            .into_iter()
            .map(|(a, b)| {
                (
                    a.start + prefix..a.end + prefix,
                    b.start + prefix..b.end + prefix,
                )
            })
            .collect()
    };
    changes
        .into_iter()
        .map(|(old, new)| LineChange {
            old: line_range(old),
            new: line_range(new),
        })
        .collect()
}

/// The smallest replacements that turn `old` into `new`: by words inside changed lines, then without the characters that
/// a changed run has in common at its start and end. Ascending, disjoint, on `char` boundaries.
pub fn replacements(old: &Rope, new: &Rope) -> Vec<Replacement> {
    let mut result = Vec::new();
    for change in line_changes(old, new) {
        let old_lines = change.old.start.0..change.old.end.0;
        let new_lines = change.new.start.0..change.new.end.0;
        let start = old.line_to_byte(old_lines.start);
        let old_text = lines_text(old, old_lines);
        let new_text = lines_text(new, new_lines);
        for (from, to) in word_changes(&old_text, &new_text) {
            result.push(Replacement {
                range: ByteRange {
                    start: ByteOffset(start + from.start),
                    end: ByteOffset(start + from.end),
                },
                text: String::from(&new_text[to]),
            });
        }
    }
    result
}

/// The unified diff with `context` lines around each change, without a file header; empty when the texts are equal.
pub fn unified(old: &Rope, new: &Rope, context: usize) -> String {
    let mut output = String::new();
    let changes = line_changes(old, new);
    let mut rest = changes.as_slice();
    while let Some(first) = rest.first() {
        let mut length = 1;
        while length < rest.len()
            && rest[length].old.start.0 - rest[length - 1].old.end.0 <= 2 * context
        {
            length += 1;
        }
        let (hunk, following) = rest.split_at(length);
        rest = following;
        let last = &hunk[length - 1];
        let before = context.min(first.old.start.0);
        let after = context.min(line_count(old) - last.old.end.0);
        let old_lines = first.old.start.0 - before..last.old.end.0 + after;
        let new_lines = first.new.start.0 - before..last.new.end.0 + after;
        push_header(&mut output, &old_lines, &new_lines);
        let mut next = old_lines.start;
        for change in hunk {
            push_lines(&mut output, ' ', old, next..change.old.start.0);
            push_lines(&mut output, '-', old, change.old.start.0..change.old.end.0);
            push_lines(&mut output, '+', new, change.new.start.0..change.new.end.0);
            next = change.old.end.0;
        }
        push_lines(&mut output, ' ', old, next..old_lines.end);
    }
    output
}

/// Counts the lines that changes add and remove.
pub fn counts(changes: &[LineChange]) -> LineCounts {
    let mut counts = LineCounts::default();
    for change in changes {
        counts.added += change.new.end.0 - change.new.start.0;
        counts.removed += change.old.end.0 - change.old.start.0;
    }
    counts
}

fn push_header(output: &mut String, old: &Range<usize>, new: &Range<usize>) {
    // An empty side names the line before it.
    let first = |lines: &Range<usize>| lines.start + usize::from(!lines.is_empty());
    let (a, b, c, d) = (first(old), old.len(), first(new), new.len());
    // Writing to a String cannot fail.
    let _ = writeln!(output, "@@ -{a},{b} +{c},{d} @@");
}

fn push_lines(output: &mut String, mark: char, rope: &Rope, lines: Range<usize>) {
    for line in lines_text(rope, lines).split_inclusive('\n') {
        output.push(mark);
        output.push_str(line);
        if !line.ends_with('\n') {
            output.push('\n');
        }
    }
}

fn line_range(lines: Range<usize>) -> LineRange {
    LineRange {
        start: LineIndex(lines.start),
        end: LineIndex(lines.end),
    }
}

/// How many lines a text has: a final line feed ends the last line and starts no further one.
pub(crate) fn line_count(rope: &Rope) -> usize {
    let bytes = rope.len_bytes();
    if bytes == 0 {
        0
    } else {
        rope.len_lines() - usize::from(rope.byte(bytes - 1) == b'\n')
    }
}

/// How many whole lines lie within the last `bytes` bytes.
fn whole_lines_at_end(rope: &Rope, count: usize, bytes: usize) -> usize {
    let start = rope.len_bytes() - bytes;
    let starts_line = start == 0 || rope.byte(start - 1) == b'\n';
    let first = rope.byte_to_line(start) + usize::from(!starts_line);
    count.saturating_sub(first)
}

/// The text of some whole lines, borrowed where it lies in one chunk.
pub(crate) fn lines_text(rope: &Rope, lines: Range<usize>) -> Cow<'_, str> {
    text(rope.byte_slice(rope.line_to_byte(lines.start)..rope.line_to_byte(lines.end)))
}

/// The text of a slice, borrowed where it lies in one chunk.
pub(crate) fn text(slice: RopeSlice<'_>) -> Cow<'_, str> {
    slice.into()
}

/// How many bytes two ropes have in common at their start; may end inside a character.
pub(crate) fn common_prefix(left: &Rope, right: &Rope) -> usize {
    let mut total = 0;
    let (mut left_chunks, mut right_chunks) = (left.chunks(), right.chunks());
    let (mut a, mut b): (&[u8], &[u8]) = (&[], &[]);
    loop {
        while a.is_empty() {
            match left_chunks.next() {
                Some(chunk) => a = chunk.as_bytes(),
                None => return total,
            }
        }
        while b.is_empty() {
            match right_chunks.next() {
                Some(chunk) => b = chunk.as_bytes(),
                None => return total,
            }
        }
        let length = a.len().min(b.len());
        let same = prefix_of(&a[..length], &b[..length]);
        total += same;
        if same < length {
            return total;
        }
        (a, b) = (&a[length..], &b[length..]);
    }
}

/// How many bytes two ropes have in common at their end; may start inside a character.
pub(crate) fn common_suffix(left: &Rope, right: &Rope) -> usize {
    let mut total = 0;
    let mut left_chunks = left.chunks_at_byte(left.len_bytes()).0;
    let mut right_chunks = right.chunks_at_byte(right.len_bytes()).0;
    // The iterators stand on the last chunk; step behind it so that `prev` gives it.
    left_chunks.next();
    right_chunks.next();
    let (mut a, mut b): (&[u8], &[u8]) = (&[], &[]);
    loop {
        while a.is_empty() {
            match left_chunks.prev() {
                Some(chunk) => a = chunk.as_bytes(),
                None => return total,
            }
        }
        while b.is_empty() {
            match right_chunks.prev() {
                Some(chunk) => b = chunk.as_bytes(),
                None => return total,
            }
        }
        let length = a.len().min(b.len());
        let (a_rest, a_end) = a.split_at(a.len() - length);
        let (b_rest, b_end) = b.split_at(b.len() - length);
        let same = suffix_of(a_end, b_end);
        total += same;
        if same < length {
            return total;
        }
        (a, b) = (a_rest, b_rest);
    }
}

/// The common start of two slices of one length. Chunks that two ropes share are not read at all.
fn prefix_of(a: &[u8], b: &[u8]) -> usize {
    if core::ptr::eq(a, b) || a == b {
        return a.len();
    }
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

fn suffix_of(a: &[u8], b: &[u8]) -> usize {
    if core::ptr::eq(a, b) || a == b {
        return a.len();
    }
    a.iter()
        .rev()
        .zip(b.iter().rev())
        .take_while(|(a, b)| a == b)
        .count()
}

/// The changed byte ranges between two strings, by words, on `char` boundaries: ascending, disjoint, not adjacent.
pub(crate) fn word_changes(old: &str, new: &str) -> Vec<Change> {
    let trimmed = trim(old, new, (0..old.len(), 0..new.len()));
    if trimmed.0.is_empty() && trimmed.1.is_empty() {
        return Vec::new();
    }
    let large = trimmed.0.len() + trimmed.1.len() > MAX_WORD_BYTES;
    if trimmed.0.is_empty() || trimmed.1.is_empty() || large {
        return Vec::from([trimmed]);
    }
    let (old_words, new_words) = (words(old), words(new));
    let mut old_starts = starts(&old_words);
    let mut new_starts = starts(&new_words);
    old_starts.push(old.len());
    new_starts.push(new.len());
    token_changes(&old_words, &new_words)
        .into_iter()
        .map(|(a, b)| {
            let bytes = (
                old_starts[a.start]..old_starts[a.end],
                new_starts[b.start]..new_starts[b.end],
            );
            trim(old, new, bytes)
        })
        .collect()
}

/// Takes the common characters from the start and the end of a change.
pub(crate) fn trim(old: &str, new: &str, (from, to): Change) -> Change {
    let (a, b) = (&old[from.clone()], &new[to.clone()]);
    let prefix: usize = a
        .chars()
        .zip(b.chars())
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a.len_utf8())
        .sum();
    let suffix: usize = a[prefix..]
        .chars()
        .rev()
        .zip(b[prefix..].chars().rev())
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a.len_utf8())
        .sum();
    (
        from.start + prefix..from.end - suffix,
        to.start + prefix..to.end - suffix,
    )
}

fn starts(tokens: &[&str]) -> Vec<usize> {
    let mut start = 0;
    tokens
        .iter()
        .map(|token| {
            start += token.len();
            start - token.len()
        })
        .collect()
}

/// Splits a text into words, runs of blanks, single line feeds and single other characters.
pub(crate) fn words(text: &str) -> Vec<&str> {
    let mut result = Vec::new();
    let mut start = 0;
    let mut previous = None;
    for (index, character) in text.char_indices() {
        let kind = kind(character);
        let joins = previous == Some(kind) && matches!(kind, Kind::Word | Kind::Blank);
        if index > start && !joins {
            result.push(&text[start..index]);
            start = index;
        }
        previous = Some(kind);
    }
    if start < text.len() {
        result.push(&text[start..]);
    }
    result
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Blank,
    LineFeed,
    Other,
}

fn kind(character: char) -> Kind {
    match character {
        '\n' => Kind::LineFeed,
        _ if character.is_whitespace() => Kind::Blank,
        // Beyond ASCII everything counts as part of a word, so that marks and joiners stay with what they modify.
        _ if character.is_ascii_alphanumeric() || character == '_' || !character.is_ascii() => {
            Kind::Word
        }
        _ => Kind::Other,
    }
}

/// Whether a character is part of a word.
pub(crate) fn is_word(character: char) -> bool {
    kind(character) == Kind::Word
}

/// The changed runs between two sequences of strings, as indices.
fn token_changes(old: &[&str], new: &[&str]) -> Vec<Change> {
    let (old, new) = identify(old, new);
    sequence_changes(&old, &new)
}

/// The changed runs between two sequences: ascending, disjoint, not adjacent, without common ends.
pub(crate) fn sequence_changes<T: Hash + Eq>(old: &[T], new: &[T]) -> Vec<Change> {
    let mut collector = Collector::default();
    let Ok(()) = myers::diff(&mut collector, old, 0..old.len(), new, 0..new.len());
    collector.equal_at(old.len(), new.len(), 0);
    let mut changes = collector.changes;
    for (from, to) in &mut changes {
        let same = |(a, b): &(&T, &T)| a == b;
        let pairs = old[from.clone()].iter().zip(&new[to.clone()]);
        let prefix = pairs.take_while(same).count();
        (from.start, to.start) = (from.start + prefix, to.start + prefix);
        let pairs = old[from.clone()]
            .iter()
            .rev()
            .zip(new[to.clone()].iter().rev());
        let suffix = pairs.take_while(same).count();
        (from.end, to.end) = (from.end - suffix, to.end - suffix);
    }
    changes.retain(|(from, to)| !from.is_empty() || !to.is_empty());
    changes
}

/// Turns the equal runs that the search reports into the changes between them.
#[derive(Default)]
struct Collector {
    changes: Vec<Change>,
    old: usize,
    new: usize,
}

impl Collector {
    fn equal_at(&mut self, old: usize, new: usize, length: usize) {
        if old > self.old || new > self.new {
            self.changes.push((self.old..old, self.new..new));
        }
        self.old = old + length;
        self.new = new + length;
    }
}

impl DiffHook for Collector {
    type Error = Infallible;

    fn equal(&mut self, old: usize, new: usize, length: usize) -> Result<(), Infallible> {
        if length > 0 {
            self.equal_at(old, new, length);
        }
        Ok(())
    }
}

/// Gives equal strings equal numbers, so that the search compares numbers. Sorted by a hash first: equal hashes of
/// different strings cost time, never correctness.
fn identify(old: &[&str], new: &[&str]) -> (Vec<u32>, Vec<u32>) {
    let mut tokens: Vec<(u64, &str, usize)> = old
        .iter()
        .chain(new)
        .enumerate()
        .map(|(index, token)| (quick_hash(token.as_bytes()), *token, index))
        .collect();
    tokens.sort_unstable_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
    let mut numbers = alloc::vec![0; tokens.len()];
    let mut number = 0;
    for (position, token) in tokens.iter().enumerate() {
        if position > 0 {
            let before = &tokens[position - 1];
            number += u32::from((before.0, before.1) != (token.0, token.1));
        }
        numbers[token.2] = number;
    }
    let of_new = numbers.split_off(old.len());
    (numbers, of_new)
}

/// A fast hash without any strength.
pub(crate) fn quick_hash(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut hash = bytes.len() as u64;
    let mut words = bytes.chunks_exact(8);
    for word in &mut words {
        let mut value = [0; 8];
        value.copy_from_slice(word);
        hash = (hash.rotate_left(23) ^ u64::from_le_bytes(value)).wrapping_mul(FACTOR);
    }
    let mut value = [0; 8];
    value[..words.remainder().len()].copy_from_slice(words.remainder());
    hash = (hash.rotate_left(23) ^ u64::from_le_bytes(value)).wrapping_mul(FACTOR);
    hash ^ (hash >> 29)
}

#[cfg(test)]
mod tests;
