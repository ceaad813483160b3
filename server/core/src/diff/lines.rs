//! The changed lines between two ropes.
//!
//! Knows lines only, not how changes are shown.
//!
//! The common start and end are found over the ropes' chunks, which costs next to nothing for chunks that the ropes
//! share. From the first difference on, a window of lines is searched; where it comes to a long common run, what is
//! before the run is settled and the search goes on behind it, so a large text with few changes costs little more
//! than reading it. A window without such a run grows; when it is too large, all that is left is one change. The
//! search within a window bounds its cost the way Git does.

use super::{Change, ends, line_count, lines_text, search, starts_line};
use alloc::vec::Vec;
use core::ops::Range;
use ropey::Rope;

/// How much is searched at a time, in lines.
pub(super) struct Bounds {
    /// So many of either text are looked at first.
    pub window: usize,
    /// A common run of so many settles what is before it.
    pub settling_run: usize,
    /// A window without such a run grows up to so many of either text; then all that is left is one change.
    pub max_window: usize,
}

pub(super) const BOUNDS: Bounds = Bounds {
    window: 128,
    settling_run: 32,
    max_window: 1 << 15,
};

/// The changed runs: ascending, disjoint, not adjacent, and without common ends.
pub(super) fn changes(old: &Rope, new: &Rope, bounds: &Bounds) -> Vec<Change> {
    let mut changes = Vec::new();
    let Some((mut old_rest, mut new_rest)) = middle(old, new) else {
        return changes;
    };
    let mut window = bounds.window;
    while !old_rest.is_empty() && !new_rest.is_empty() {
        let old_window = old_rest.start..old_rest.end.min(old_rest.start + window);
        let new_window = new_rest.start..new_rest.end.min(new_rest.start + window);
        let is_all = old_window == old_rest && new_window == new_rest;
        let found = searched(old, old_window.clone(), new, new_window.clone());
        if is_all {
            changes.extend(found);
            return changes;
        }
        if let Some(settled) = settled(&found, &old_window, &new_window, bounds) {
            let (from, to) = &found[settled - 1];
            old_rest.start = from.end;
            new_rest.start = to.end;
            changes.extend_from_slice(&found[..settled]);
            skip_common(old, &mut old_rest, new, &mut new_rest);
            window = bounds.window;
        } else if window < bounds.max_window {
            window = bounds.max_window.min(2 * window);
        } else {
            break;
        }
    }
    if !old_rest.is_empty() || !new_rest.is_empty() {
        changes.push((old_rest, new_rest));
    }
    changes
}

/// How many changes of a window are settled: those before the last long common run, which may reach the window's end.
fn settled(
    found: &[Change],
    old_window: &Range<usize>,
    new_window: &Range<usize>,
    bounds: &Bounds,
) -> Option<usize> {
    let ends = found
        .iter()
        .skip(1)
        .map(|(from, to)| (from.start, to.start));
    let ends = ends.chain([(old_window.end, new_window.end)]);
    let runs = found
        .iter()
        .zip(ends)
        .map(|((from, to), (old_end, new_end))| (old_end - from.end).min(new_end - to.end));
    let lengths: Vec<usize> = runs.collect();
    let last = lengths
        .iter()
        .rposition(|length| *length >= bounds.settling_run)?;
    Some(last + 1)
}

fn searched(
    old: &Rope,
    old_lines: Range<usize>,
    new: &Rope,
    new_lines: Range<usize>,
) -> Vec<Change> {
    let (old_text, new_text) = (
        lines_text(old, old_lines.clone()),
        lines_text(new, new_lines.clone()),
    );
    let old_tokens: Vec<&str> = old_text.split_inclusive('\n').collect();
    let new_tokens: Vec<&str> = new_text.split_inclusive('\n').collect();
    let mut changes = search::changes(&old_tokens, &new_tokens);
    for (from, to) in &mut changes {
        *from = from.start + old_lines.start..from.end + old_lines.start;
        *to = to.start + new_lines.start..to.end + new_lines.start;
    }
    changes
}

/// The lines between the common first and last lines; none if the texts are equal.
fn middle(old: &Rope, new: &Rope) -> Option<Change> {
    let (old_bytes, new_bytes) = (old.len_bytes(), new.len_bytes());
    let prefix_bytes = ends::common_prefix(old.slice(..), new.slice(..));
    if prefix_bytes == old_bytes && prefix_bytes == new_bytes {
        return None;
    }
    // A line is common only with its LF, so these are the lines that end within the common bytes.
    let prefix = old.byte_to_line(prefix_bytes);
    let start = old.line_to_byte(prefix);
    let suffix_bytes = ends::common_suffix(old.byte_slice(start..), new.byte_slice(start..));
    let (old_suffix, new_suffix) = (old_bytes - suffix_bytes, new_bytes - suffix_bytes);
    // The common end starts with a whole line if both texts have a line start there; else behind its first LF.
    let starts_line = starts_line(old, old_suffix) && starts_line(new, new_suffix);
    let (old_count, new_count) = (line_count(old), line_count(new));
    let suffix = old_count.saturating_sub(old.byte_to_line(old_suffix) + usize::from(!starts_line));
    Some((prefix..old_count - suffix, prefix..new_count - suffix))
}

/// Takes the common lines from the start of what is left.
fn skip_common(old: &Rope, old_rest: &mut Range<usize>, new: &Rope, new_rest: &mut Range<usize>) {
    let bytes = |rope: &Rope, lines: &Range<usize>| {
        rope.line_to_byte(lines.start)..rope.line_to_byte(lines.end)
    };
    let (old_bytes, new_bytes) = (bytes(old, old_rest), bytes(new, new_rest));
    let common = ends::common_prefix(old.byte_slice(old_bytes.clone()), new.byte_slice(new_bytes));
    let lines = old.byte_to_line(old_bytes.start + common) - old_rest.start;
    old_rest.start += lines;
    new_rest.start += lines;
}
