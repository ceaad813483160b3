//! What comes closest to a needle that stands nowhere, for the message about it. Nothing is ever edited by it.
//!
//! Knows the lines of one text and one needle.
//!
//! The text is read once, whatever the needle: its folded lines are compared with the needle's by hash. Windows of the
//! needle's height are then tried around the needle's rarest lines, and the one with the most lines in common wins. If
//! no line is in common, the needle's longest words take the place of lines.

use super::fold::fold;
use super::lines::Lines;
use super::{Nearest, shift};
use crate::diff::search::quick_hash;
use crate::diff::words::is_word;
use crate::position::LineRange;
use alloc::borrow::ToOwned;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;
use memchr::memmem;

/// So many of the needle's rarest lines are looked around, or of its longest words.
const ANCHORS: usize = 4;

/// A line or word that stands in more places than this says little; it is looked for in the first of them.
const MAX_PLACES: usize = 256;

/// Words shorter than this say nothing.
const MIN_WORD: usize = 3;

/// Lines are shown up to this many characters.
const MAX_SHOWN: usize = 120;

pub(super) fn nearest(lines: &Lines<'_>, wanted: &[&str]) -> Option<Nearest> {
    let hash = |line: &str| quick_hash(line.as_bytes());
    let wishes: Vec<Option<u64>> = (wanted.iter())
        .map(|wish| wish.trim())
        .map(|wish| (!wish.is_empty()).then(|| hash(&fold(wish))))
        .collect();
    let hashes: Vec<u64> = lines.folded().map(hash).collect();
    let anchors = by_lines(&hashes, &wishes);
    let start = if anchors.is_empty() {
        by_words(lines, wanted)?
    } else {
        let blank = hash("");
        let in_common = |start: &usize| {
            let pairs = wishes.iter().zip(&hashes[*start..]);
            pairs
                .filter(|(wish, found)| wish.unwrap_or(blank) == **found)
                .count()
        };
        // Of several equally good ones the first.
        anchors
            .into_iter()
            .max_by_key(|start| (in_common(start), Reverse(*start)))?
    };
    let end = (start + wanted.len()).min(lines.count());
    Some(near(
        lines,
        start..end,
        difference(lines, wanted, start..end),
    ))
}

/// The lines that are those of the needle, if indentation did not count.
pub(super) fn uneven(lines: &Lines<'_>, wanted: &[&str], start: usize) -> Nearest {
    let pairs = (wanted.iter().zip(start..)).filter(|(wish, _)| !shift::is_blank(wish));
    let told: Vec<String> = pairs
        .map(|(wish, index)| (index, shift::depth(wish), shift::depth(lines.line(index))))
        .filter(|(_, wish, line)| wish != line)
        .take(2)
        .map(|(index, wish, line)| {
            let number = lines.number(index) + 1;
            format!("line {number} is indented by {line}, the text to be found by {wish}")
        })
        .collect();
    let differs = format!(
        "only the indentation differs, but not alike on every line: {}",
        told.join("; ")
    );
    near(lines, start..start + wanted.len(), differs)
}

fn near(lines: &Lines<'_>, place: core::ops::Range<usize>, differs: String) -> Nearest {
    Nearest {
        lines: LineRange::new(lines.number(place.start), lines.number(place.end)),
        text: lines.lines(place).to_owned(),
        differs,
    }
}

/// Where the needle would start by the places of its rarest lines.
fn by_lines(hashes: &[u64], wishes: &[Option<u64>]) -> BTreeSet<usize> {
    let mut sought: Vec<u64> = wishes.iter().copied().flatten().collect();
    sought.sort_unstable();
    sought.dedup();
    let mut places: Vec<(usize, Vec<usize>)> = alloc::vec![(0, Vec::new()); sought.len()];
    for (index, hash) in hashes.iter().enumerate() {
        let Ok(at) = sought.binary_search(hash) else {
            continue;
        };
        let (count, known) = &mut places[at];
        *count += 1;
        if known.len() < MAX_PLACES {
            known.push(index);
        }
    }
    let mut found: Vec<(usize, usize, &[usize])> = (wishes.iter().enumerate())
        .filter_map(|(number, wish)| {
            let (count, known) = &places[sought.binary_search(wish.as_ref()?).ok()?];
            (*count > 0).then_some((*count, number, known.as_slice()))
        })
        .collect();
    found.sort_unstable();
    (found.iter().take(ANCHORS))
        .flat_map(|(_, number, known)| known.iter().map(|index| index.saturating_sub(*number)))
        .collect()
}

/// Where the needle would start by most of its longest words.
fn by_words(lines: &Lines<'_>, wanted: &[&str]) -> Option<usize> {
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
        let places = memmem::find_iter(lines.text().as_bytes(), word).take(MAX_PLACES);
        let starts: BTreeSet<usize> = places
            .map(|place| lines.line_of(place).saturating_sub(number))
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
fn difference(lines: &Lines<'_>, wanted: &[&str], place: core::ops::Range<usize>) -> String {
    for (wish, index) in wanted.iter().zip(place.clone()) {
        let line = lines.line(index);
        if *wish == line {
            continue;
        }
        let number = lines.number(index) + 1;
        let kind = if squeezed(wish) == squeezed(line) {
            " (only white space differs)"
        } else if squeezed(&fold(wish)) == squeezed(&fold(line)) {
            " (only typographic characters differ)"
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
    if place.len() < wanted.len() {
        let last = lines.number(place.end);
        return format!("the file ends with line {last}, the text to be found goes on");
    }
    // Whole lines that are all alike would be an exact match.
    String::from("the text to be found goes on after these lines")
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
