//! Takes back what the agent wrote and keeps what the user typed into it.
//!
//! Knows three strings: nothing of documents, hunks or positions.
//!
//! A three-way merge with the agent's text as the common ancestor: one side is the text before the agent, the other
//! is what stands there now. A change that only one side made is taken. Where both changed the same words, the text
//! before the agent comes back and the words that the user put in follow it: a person's text is never dropped.

use crate::diff;
use crate::diff::words::is_word;
use crate::edit::Replacement;
use crate::position::ByteRange;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use ropey::Rope;

/// Takes the agent's change back, which put `written` in the place of `replaced`; the user then made `current` of it.
/// Every insertion of the user is kept exactly once.
///
/// Whole lines stay whole: if both `replaced` and `current` end in a line feed, so does the result, unless it is
/// empty.
pub fn take_back(written: &str, replaced: &str, current: &str) -> String {
    if current == written || current == replaced {
        return String::from(replaced);
    }
    let back = changes(written, replaced);
    let user: Vec<Replacement> = (changes(written, current).into_iter())
        // What the user took back by hand is taken back once.
        .filter(|change| !back.contains(change))
        .flat_map(|change| by_words(written, change))
        .collect();

    let backs = back.iter().map(|change| Piece {
        at: change.range.start.0,
        order: Order::Back,
        text: &change.text,
    });
    let mut pieces: Vec<Piece<'_>> = backs
        .chain(user.iter().map(|change| users_piece(change, &back)))
        .collect();
    pieces.sort_by_key(|piece| (piece.at, piece.order));
    let gone = united(
        (back.iter().map(|change| change.range.to_range()))
            .chain(
                user.iter()
                    .flat_map(|change| deleted(written, change, &back)),
            )
            .collect(),
    );

    let mut result = String::with_capacity(current.len() + replaced.len());
    let mut next = 0;
    for Piece { at, order, text } in pieces {
        push_kept(&mut result, written, next..at, &gone);
        next = at;
        match text.strip_suffix('\n') {
            // Lines that the user put between lines that go: the line break that is kept behind them is theirs then.
            Some(lines)
                if order == Order::Conflicting
                    && !result.ends_with('\n')
                    && kept(written, at, &gone).starts_with('\n') =>
            {
                result.push('\n');
                result.push_str(lines);
            }
            _ => {
                let meets = result.ends_with(is_word) && text.starts_with(is_word);
                if order == Order::Conflicting && meets {
                    result.push(' ');
                }
                result.push_str(text);
            }
        }
    }
    push_kept(&mut result, written, next..written.len(), &gone);
    if current.ends_with('\n') && !result.is_empty() && !result.ends_with('\n') {
        result.push('\n');
    }
    result
}

fn changes(from: &str, to: &str) -> Vec<Replacement> {
    diff::replacements(&Rope::from_str(from), &Rope::from_str(to))
}

/// A change of the user by whole words: as insertions, if it only adds to words and is not mostly new, else with all
/// of the words that it changes.
fn by_words(written: &str, change: Replacement) -> Vec<Replacement> {
    let range = change.range.to_range();
    if range.is_empty() || change.text.is_empty() {
        return Vec::from([change]);
    }
    if let Some(insertions) = insertions(written, &change) {
        return insertions;
    }
    let touches =
        |end: Option<char>, other: Option<char>| [end, other].into_iter().flatten().any(is_word);
    let (old, new) = (&written[range.clone()], &change.text);
    let mut start = range.start;
    if touches(old.chars().next(), new.chars().next()) {
        start = written[..start].trim_end_matches(is_word).len();
    }
    let mut end = range.end;
    if touches(old.chars().next_back(), new.chars().next_back()) {
        end = written.len() - written[end..].trim_start_matches(is_word).len();
    }
    Vec::from([Replacement {
        range: ByteRange::new(start, end),
        text: [&written[start..range.start], new, &written[range.end..end]].concat(),
    }])
}

fn insertions(written: &str, change: &Replacement) -> Option<Vec<Replacement>> {
    let range = change.range.to_range();
    let old = &written[range.clone()];
    if 2 * old.len() < change.text.len() {
        return None;
    }
    let mut insertions = Vec::new();
    let mut insert = |at: usize, text: &str| {
        if !text.is_empty() {
            insertions.push(Replacement {
                range: ByteRange::new(at, at),
                text: String::from(text),
            });
        }
    };
    let mut rest = change.text.as_str();
    for (offset, character) in old.char_indices() {
        let (typed, after) = rest.split_once(character)?;
        insert(range.start + offset, typed);
        rest = after;
    }
    insert(range.end, rest);
    Some(insertions)
}

/// A text that comes into the result, at a place of the agent's text.
struct Piece<'a> {
    at: usize,
    order: Order,
    text: &'a str,
}

/// What comes first at the same place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    /// The user's, directly before words that the agent changed.
    Before,
    /// The text before the agent.
    Back,
    /// The user's, in or for words that the agent changed.
    Conflicting,
    /// Any other of the user's.
    Alone,
}

fn users_piece<'a>(change: &'a Replacement, back: &[Replacement]) -> Piece<'a> {
    let start = change.range.start.0;
    let (at, order) = match met_by(change, back).last() {
        // Lines before a part of a line.
        Some(met) if change.text.ends_with('\n') && is_insertion_without_break(met) => {
            (start, Order::Before)
        }
        Some(met) => (met.range.end.0, Order::Conflicting),
        None if back
            .iter()
            .any(|back| back.range.start.0 == start && !back.range.is_empty()) =>
        {
            (start, Order::Before)
        }
        None => (start, Order::Alone),
    };
    Piece {
        at,
        order,
        text: &change.text,
    }
}

fn is_insertion_without_break(change: &Replacement) -> bool {
    change.range.is_empty() && !change.text.ends_with('\n')
}

/// Those of ascending and disjoint changes that a change meets.
fn met_by<'a>(change: &Replacement, others: &'a [Replacement]) -> &'a [Replacement] {
    let start = change.range.start;
    let first = others.partition_point(|other| {
        other.range.end < start || (other.range.end == start && !meet(change, other))
    });
    let count = others[first..]
        .iter()
        .take_while(|other| meet(change, other));
    &others[first..first + count.count()]
}

/// Whether two changes are about the same words or the same place.
fn meet(a: &Replacement, b: &Replacement) -> bool {
    let (a, b) = (a.range.to_range(), b.range.to_range());
    (a.is_empty() && a == b) || (a.start < b.end && b.start < a.end)
}

/// What a change of the user deletes besides words that the agent changed. Blanks beside those go with them only.
fn deleted(written: &str, change: &Replacement, back: &[Replacement]) -> Vec<Range<usize>> {
    let range = change.range.to_range();
    let mut parts = Vec::new();
    let mut next = range.start;
    let met = met_by(change, back);
    for back in met {
        parts.push(next..back.range.start.0.max(next));
        next = next.max(back.range.end.0);
    }
    parts.push(next..range.end.max(next));
    let is_blank = |part: &str| part.chars().all(|it| it != '\n' && it.is_whitespace());
    parts.retain(|part| met.is_empty() || !is_blank(&written[part.clone()]));
    parts
}

/// The same ranges, ascending and disjoint.
fn united(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| range.start);
    let mut united: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match united.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => united.push(range),
        }
    }
    united
}

/// What of `written` from `at` on is kept first.
fn kept<'a>(written: &'a str, at: usize, gone: &[Range<usize>]) -> &'a str {
    let hole = gone.iter().find(|range| range.contains(&at));
    &written[hole.map_or(at, |range| range.end)..]
}

/// Adds what neither side took out.
fn push_kept(result: &mut String, written: &str, part: Range<usize>, gone: &[Range<usize>]) {
    let first = gone.partition_point(|range| range.end <= part.start);
    let mut next = part.start;
    for range in gone[first..]
        .iter()
        .take_while(|range| range.start < part.end)
    {
        result.push_str(&written[next..range.start.max(next)]);
        next = range.end.min(part.end);
    }
    result.push_str(&written[next..part.end]);
}

#[cfg(test)]
mod tests;
