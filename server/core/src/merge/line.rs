//! Takes back what the agent wrote in one line, by words, where it is certain what is meant.
//!
//! Knows three lines without their ends.

use crate::diff::words::{self, is_word};
use crate::edit::Replacement;
use crate::position::ByteRange;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// The words of a line.
pub(super) fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|character| !is_word(character))
        .filter(|word| !word.is_empty())
}

/// The line before the agent with what the user did in the agent's line. None unless all that the user did was to add,
/// to take the agent's words away, or to change or delete words that the agent had left alone.
pub(super) fn take_back(written: &str, replaced: &str, current: &str) -> Option<String> {
    let back = changes(written, replaced);
    let user: Vec<Replacement> = (changes(written, current).into_iter())
        // What the user took back by hand is taken back once.
        .filter(|change| !back.contains(change))
        .map(|change| by_words(written, change))
        .collect();
    let have_words_in_common = words(written).any(|word| words(replaced).any(|it| it == word));
    let is_certain = |change: &Replacement| {
        let meets = !met_by(change, &back).is_empty();
        if change.text.is_empty() {
            !takes_others(written, change, &back)
        } else if change.range.is_empty() {
            !changes_number(written, change, &back) && (have_words_in_common || !meets)
        } else {
            !meets
        }
    };
    if !user.iter().all(is_certain) {
        return None;
    }

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
                (user.iter())
                    .filter(|change| met_by(change, &back).is_empty())
                    .map(|change| change.range.to_range()),
            )
            .collect(),
    );

    let mut result = String::with_capacity(current.len() + replaced.len());
    let mut next = 0;
    for Piece { at, order, text } in pieces {
        push_kept(&mut result, written, next..at, &gone);
        next = at;
        let meets = result.ends_with(is_word) && text.starts_with(is_word);
        if order == Order::Conflicting && meets {
            result.push(' ');
        }
        result.push_str(text);
    }
    push_kept(&mut result, written, next..written.len(), &gone);
    Some(result)
}

fn changes(from: &str, to: &str) -> Vec<Replacement> {
    (words::changes(from, to).into_iter())
        .map(|(range, text)| Replacement {
            range: ByteRange::new(range.start, range.end),
            text: String::from(&to[text]),
        })
        .collect()
}

/// A change of the user by whole words, unless it only adds or only deletes.
fn by_words(written: &str, change: Replacement) -> Replacement {
    let range = change.range.to_range();
    if range.is_empty() || change.text.is_empty() {
        return change;
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
    Replacement {
        range: ByteRange::new(start, end),
        text: [&written[start..range.start], new, &written[range.end..end]].concat(),
    }
}

/// Whether an insertion makes another number of one that the agent changed: with a digit more it is not the number that
/// the user meant.
fn changes_number(written: &str, insertion: &Replacement, back: &[Replacement]) -> bool {
    let at = insertion.range.start.0;
    let (before, after) = written.split_at(at);
    let joins = before.ends_with(is_word) && insertion.text.starts_with(is_word)
        || after.starts_with(is_word) && insertion.text.ends_with(is_word);
    let start = before.trim_end_matches(is_word).len();
    let end = written.len() - after.trim_start_matches(is_word).len();
    let is_number = |text: &str| text.starts_with(|character: char| character.is_ascii_digit());
    joins
        && (back.iter())
            .filter(|change| change.range.start.0 <= end && start <= change.range.end.0)
            .any(|change| {
                [&change.text, &insertion.text, &written[start..]].map(is_number) != [false; 3]
            })
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
    /// The user's, in words that the agent changed.
    Conflicting,
    /// Any other of the user's.
    Alone,
}

fn users_piece<'a>(change: &'a Replacement, back: &[Replacement]) -> Piece<'a> {
    let start = change.range.start.0;
    let (at, order) = match met_by(change, back).last() {
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

/// Whether a deletion of the user takes words that the agent changed, and others with them. Blanks are no words.
fn takes_others(written: &str, deletion: &Replacement, back: &[Replacement]) -> bool {
    let range = deletion.range.to_range();
    let met = met_by(deletion, back);
    let mut next = range.start;
    let mut others = false;
    for back in met {
        let start = back.range.start.0.max(next);
        others |= !written[next..start].trim().is_empty();
        next = start.max(back.range.end.0);
    }
    let end = range.end.max(next);
    !met.is_empty() && (others || !written[next..end].trim().is_empty())
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
