//! Where added or removed lines that repeat their surroundings are shown.
//!
//! An added function that ends in `}` after another that ends in `}` can be said to start one line too early. The text
//! is the same; a person reads one place more easily than the others.
//!
//! Knows lines only, and changes only their places.

use super::{Change, line_count};
use core::ops::Range;
use ropey::Rope;

/// No change is slid by more lines than this in either direction.
const MAX_LINES: usize = 100;

/// Slides changes that only add or only remove to the place that reads best; changes stay apart from each other.
pub(super) fn to_best_places(changes: &mut [Change], old: &Rope, new: &Rope) {
    let total = line_count(old);
    for index in 0..changes.len() {
        let (from, to) = &changes[index];
        let (rope, lines) = match (from.is_empty(), to.is_empty()) {
            (true, false) => (new, to.clone()),
            (false, true) => (old, from.clone()),
            _ => continue,
        };
        // At least one common line stays before and after, or two changes would become one.
        let room_above = match index.checked_sub(1) {
            Some(before) => (from.start - changes[before].0.end).saturating_sub(1),
            None => from.start,
        };
        let room_below = match changes.get(index + 1) {
            Some(after) => (after.0.start - from.end).saturating_sub(1),
            None => total - from.end,
        };
        let up = slides_up(rope, &lines, room_above.min(MAX_LINES));
        let down = slides_down(rope, &lines, room_below.min(MAX_LINES));
        let best = (0..=up + down).rev().min_by_key(|offset| {
            let start = lines.start - up + offset;
            awkwardness(rope, start) + awkwardness(rope, start + lines.len())
        });
        if let Some(offset) = best {
            let (from, to) = &mut changes[index];
            for range in [from, to] {
                *range = range.start - up + offset..range.end - up + offset;
            }
        }
    }
}

fn slides_up(rope: &Rope, lines: &Range<usize>, most: usize) -> usize {
    (1..=most)
        .take_while(|n| rope.line(lines.start - n) == rope.line(lines.end - n))
        .count()
}

fn slides_down(rope: &Rope, lines: &Range<usize>, most: usize) -> usize {
    (0..most)
        .take_while(|n| rope.line(lines.start + n) == rope.line(lines.end + n))
        .count()
}

/// How badly a block reads that starts or ends before this line: best is before a line of little indentation behind
/// a blank one, worst before a blank or closing line.
fn awkwardness(rope: &Rope, line: usize) -> usize {
    if line >= line_count(rope) {
        return 0;
    }
    let indentation = |line: usize| {
        let blanks = |character: &char| matches!(character, ' ' | '\t');
        let text = rope.line(line);
        let count = text.chars().take_while(blanks).count();
        let first = text.chars().nth(count).unwrap_or('\n');
        (count, first)
    };
    let (indentation_here, first) = indentation(line);
    let behind_blank = line == 0 || indentation(line - 1).1 == '\n';
    match first {
        '\n' => 1000,
        '}' | ')' | ']' => 1000 + 2 * indentation_here,
        _ => 2 * indentation_here + usize::from(!behind_blank),
    }
}
