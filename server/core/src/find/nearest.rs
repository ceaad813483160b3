//! What comes closest to a needle that stands nowhere, for the message about it. Nothing is ever edited by it.
//!
//! Knows one text and one needle.
//!
//! The text is read once, whatever the needle: its lines are compared with the needle's by hash, without the white
//! space at their ends. Windows of the needle's height are then tried around the needle's rarest lines, and the one
//! with the most lines in common wins. If no line is in common, the needle's longest words take the place of lines.

use super::Nearest;
use crate::diff::search::quick_hash;
use crate::diff::words::is_word;
use crate::diff::{bytes_text, line_count};
use crate::position::LineRange;
use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;
use memchr::memmem;
use ropey::Rope;

/// So many of the needle's rarest lines are looked around, or of its longest words.
const ANCHORS: usize = 4;

/// A line or word that stands in more places than this says little; it is looked for in the first of them.
const MAX_PLACES: usize = 256;

/// Words shorter than this say nothing.
const MIN_WORD: usize = 3;

/// Lines are shown up to this many characters.
const MAX_SHOWN: usize = 120;

pub(super) fn nearest(rope: &Rope, needle: &str) -> Option<Nearest> {
    let text = bytes_text(rope, 0..rope.len_bytes());
    let wanted: Vec<&str> = needle
        .strip_suffix('\n')
        .unwrap_or(needle)
        .split('\n')
        .collect();
    let total = line_count(rope);
    let line = |index: usize| {
        bytes_text(
            rope,
            LineRange::new(index, index + 1).bytes(rope).to_range(),
        )
    };
    let anchors = by_lines(&text, &wanted);
    let start = if anchors.is_empty() {
        by_words(rope, &text, &wanted)?
    } else {
        let in_common = |start: &usize| {
            let pairs = wanted.iter().zip(*start..total);
            pairs
                .filter(|(wish, index)| wish.trim() == line(*index).trim())
                .count()
        };
        // Of several equally good ones the first.
        anchors
            .into_iter()
            .max_by_key(|start| (in_common(start), Reverse(*start)))?
    };
    let lines = LineRange::new(start, (start + wanted.len()).min(total));
    let found: Vec<Cow<'_, str>> = (lines.start.0..lines.end.0).map(line).collect();
    Some(Nearest {
        lines,
        text: found.concat(),
        differs: difference(&wanted, &found, start),
    })
}

/// Where the needle would start by the places of its rarest lines.
fn by_lines(text: &str, wanted: &[&str]) -> BTreeSet<usize> {
    let mut places: BTreeMap<u64, (usize, Vec<usize>)> = (wanted.iter())
        .filter(|wish| !wish.trim().is_empty())
        .map(|wish| (quick_hash(wish.trim().as_bytes()), (0, Vec::new())))
        .collect();
    let hashes: Vec<u64> = places.keys().copied().collect();
    for (index, line) in text.split('\n').enumerate() {
        let hash = quick_hash(line.trim().as_bytes());
        if hashes.binary_search(&hash).is_err() {
            continue;
        }
        if let Some((count, known)) = places.get_mut(&hash) {
            *count += 1;
            if known.len() < MAX_PLACES {
                known.push(index);
            }
        }
    }
    let mut found: Vec<(usize, usize, &[usize])> = (wanted.iter().enumerate())
        .filter_map(|(number, wish)| {
            let (count, known) = places.get(&quick_hash(wish.trim().as_bytes()))?;
            (*count > 0).then_some((*count, number, known.as_slice()))
        })
        .collect();
    found.sort_unstable();
    (found.iter().take(ANCHORS))
        .flat_map(|(_, number, known)| known.iter().map(|index| index.saturating_sub(*number)))
        .collect()
}

/// Where the needle would start by most of its longest words.
fn by_words(rope: &Rope, text: &str, wanted: &[&str]) -> Option<usize> {
    let mut words: Vec<(usize, &str)> = (wanted.iter().enumerate())
        .flat_map(|(number, wish)| {
            wish.split(|it| !is_word(it))
                .map(move |word| (number, word))
        })
        .filter(|(_, word)| word.len() >= MIN_WORD)
        .collect();
    words.sort_by_key(|(number, word)| (Reverse(word.len()), *number));
    words.dedup_by_key(|(_, word)| *word);
    let mut votes: BTreeMap<usize, usize> = BTreeMap::new();
    for (number, word) in words.into_iter().take(2 * ANCHORS) {
        let places = memmem::find_iter(text.as_bytes(), word).take(MAX_PLACES);
        let starts: BTreeSet<usize> = places
            .map(|place| rope.byte_to_line(place).saturating_sub(number))
            .collect();
        for start in starts {
            *votes.entry(start).or_default() += word.len();
        }
    }
    let best = votes
        .into_iter()
        .max_by_key(|(start, weight)| (*weight, Reverse(*start)))?;
    Some(best.0)
}

/// The first difference between the needle's lines and those that were found.
fn difference(wanted: &[&str], found: &[Cow<'_, str>], start: usize) -> String {
    let pairs = wanted.iter().zip(found).enumerate();
    for (index, (wish, line)) in pairs {
        let line = line.strip_suffix('\n').unwrap_or(line);
        if *wish == line {
            continue;
        }
        let number = start + index + 1;
        let kind = if squeezed(wish) == squeezed(line) {
            " (only white space differs)"
        } else if wish.to_lowercase() == line.to_lowercase() {
            " (only upper and lower case differ)"
        } else {
            ""
        };
        return format!(
            "line {number} is {}, the text to be found has {}{kind}",
            shown(line),
            shown(wish)
        );
    }
    // Lines that are all alike would be an exact match, so the text is too short.
    let last = start + found.len();
    format!("the file ends with line {last}, the text to be found goes on")
}

fn squeezed(line: &str) -> String {
    line.split_whitespace().collect()
}

/// A line in quotes, with visible tabs and other control characters, cut if it is long.
fn shown(line: &str) -> String {
    let mut output = String::from("`");
    for (index, character) in line.chars().enumerate() {
        if index == MAX_SHOWN {
            output.push('…');
            break;
        }
        if character.is_control() {
            output.extend(character.escape_default());
        } else {
            output.push(character);
        }
    }
    output.push('`');
    output
}
