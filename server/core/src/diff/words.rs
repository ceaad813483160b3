//! The changes inside changed lines: by words, then without the characters in common at the ends of a changed run.
//!
//! Knows two strings only.

use super::{Change, search};
use alloc::vec::Vec;

/// Texts with more bytes than this between their common ends, both together, are one change.
const MAX_BYTES: usize = 64 * 1024;

/// Runs with more bytes than this, both together, are not compared by characters.
pub(crate) const MAX_CHARACTER_BYTES: usize = 4096;

/// The changed byte ranges, on `char` boundaries: ascending, disjoint, not adjacent.
pub(crate) fn changes(old: &str, new: &str) -> Vec<Change> {
    let (from, to) = without_common_ends(old, new, (0..old.len(), 0..new.len()));
    if from.is_empty() && to.is_empty() {
        return Vec::new();
    }
    if from.is_empty() || to.is_empty() || from.len() + to.len() > MAX_BYTES {
        return Vec::from([(from, to)]);
    }
    let (old_words, new_words) = (split(old), split(new));
    let (old_starts, new_starts) = (starts(&old_words), starts(&new_words));
    search::changes(&old_words, &new_words)
        .into_iter()
        .map(|(from, to)| {
            let from = old_starts[from.start]..old_starts[from.end];
            let to = new_starts[to.start]..new_starts[to.end];
            without_common_ends(old, new, (from, to))
        })
        .collect()
}

/// A change without the characters that both sides have in common at their start and end.
pub(crate) fn without_common_ends(old: &str, new: &str, (from, to): Change) -> Change {
    let (a, b) = (&old[from.clone()], &new[to.clone()]);
    let length = |character: (char, char)| character.0.len_utf8();
    let same = |(a, b): &(char, char)| a == b;
    let pairs = a.chars().zip(b.chars());
    let prefix: usize = pairs.take_while(same).map(length).sum();
    let pairs = (a[prefix..].chars().rev()).zip(b[prefix..].chars().rev());
    let suffix: usize = pairs.take_while(same).map(length).sum();
    (
        from.start + prefix..from.end - suffix,
        to.start + prefix..to.end - suffix,
    )
}

/// Whether a character belongs to a word. Beyond ASCII all but white space does, so that marks and joiners stay with
/// what they modify.
pub(crate) fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric()
        || character == '_'
        || (!character.is_ascii() && !character.is_whitespace())
}

/// Splits a text into words, runs of blanks, single LFs and single other characters.
fn split(text: &str) -> Vec<&str> {
    let is_blank = |character: char| character.is_whitespace() && character != '\n';
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = if is_word(first) {
            rest.find(|character| !is_word(character))
        } else if is_blank(first) {
            rest.find(|character| !is_blank(character))
        } else {
            Some(first.len_utf8())
        };
        let (token, after) = rest.split_at(end.unwrap_or(rest.len()));
        tokens.push(token);
        rest = after;
    }
    tokens
}

/// Where each token starts, and where the last one ends.
fn starts(tokens: &[&str]) -> Vec<usize> {
    let mut end = 0;
    let mut starts = Vec::with_capacity(tokens.len() + 1);
    starts.push(0);
    for token in tokens {
        end += token.len();
        starts.push(end);
    }
    starts
}

/// How many characters must go and come to turn one changed run into the other; all of them if there are many.
pub(crate) fn distance(old: &str, new: &str) -> usize {
    if old.is_empty() || new.is_empty() || old.len() + new.len() > MAX_CHARACTER_BYTES {
        return old.chars().count() + new.chars().count();
    }
    (search::changes(&characters(old), &characters(new)).into_iter())
        .map(|(from, to)| from.len() + to.len())
        .sum()
}

fn characters(text: &str) -> Vec<&str> {
    (text.char_indices())
        .map(|(start, character)| &text[start..start + character.len_utf8()])
        .collect()
}
