//! Where the anchors of a hunk stand, and which lines they point to.
//!
//! An anchor is the head of what the hunk belongs to, a class or a function, or any line above the hunk. So the hunk is
//! looked for first in the block of the anchor's line, and only then in all that follows it. A block is what is
//! indented deeper than its first line, with lines at that line's own depth that begin with a bracket: `) -> u32 {`,
//! `}`. Blocks only decide where is looked first; a hunk must still have a single place.

use super::place::PlaceFault;
use crate::diff::words::is_word;
use crate::find::{FindError, find_unique};
use crate::position::LineIndex;
use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use ropey::Rope;

/// How many columns a tab is wide when depths are compared.
const TAB: usize = 4;

/// A line on which the innermost anchor stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Anchor {
    /// The line.
    pub(super) line: usize,
    /// The line after its block.
    pub(super) end: usize,
}

/// Lines on which a hunk may start, those that are looked at first come first.
pub(super) fn stages(anchors: Option<&[Anchor]>, total: usize) -> Vec<Vec<Range<usize>>> {
    let Some(anchors) = anchors else {
        return Vec::from([run(0, total)]);
    };
    let first = anchors.first().map_or(0, |anchor| anchor.line);
    Vec::from([
        blocks(anchors),
        // The hunk may repeat the anchor as its first line.
        anchors.iter().map(|it| it.line..it.line + 1).collect(),
        run(first + 1, total),
    ])
}

/// The places of the innermost of nested anchors, ascending; none, if there is no anchor.
pub(super) fn find(
    rope: &Rope,
    anchors: &[&str],
    total: usize,
) -> Result<Option<Vec<Anchor>>, PlaceFault> {
    let mut found: Option<Vec<Anchor>> = None;
    for anchor in anchors {
        let stages = match &found {
            None => Vec::from([run(0, total)]),
            Some(outer) => {
                let first = outer.first().map_or(0, |outer| outer.line);
                Vec::from([blocks(outer), run(first + 1, total)])
            }
        };
        let lines = (stages.into_iter())
            .map(|ranges| occurrences(rope, anchor, &ranges))
            .find(|lines| !lines.is_empty());
        let Some(lines) = lines else {
            return Err(PlaceFault::NoAnchor {
                anchor: (*anchor).into(),
                like: like(rope, anchor),
            });
        };
        found = Some(with_blocks(rope, lines, total));
    }
    Ok(found)
}

/// All lines of one run.
fn run(start: usize, end: usize) -> Vec<Range<usize>> {
    core::iter::once(start..end).collect()
}

/// The blocks without their first lines, as ascending ranges that do not meet.
fn blocks(anchors: &[Anchor]) -> Vec<Range<usize>> {
    let mut blocks: Vec<Range<usize>> = Vec::new();
    for anchor in anchors {
        match blocks.last_mut() {
            Some(last) if anchor.line < last.end => last.end = last.end.max(anchor.end),
            _ => blocks.push(anchor.line + 1..anchor.end),
        }
    }
    blocks
}

/// The lines that are the anchor; if there are none, those that are but for white space around them; if there are none
/// either, those that begin with it as whole words, for a head is often given without its end: `fn main()`, `class A`.
/// An anchor only narrows where a hunk is looked for, which must still have a single place there.
fn occurrences(rope: &Rope, anchor: &str, ranges: &[Range<usize>]) -> Vec<usize> {
    let (mut exact, mut trimmed, mut heads) = (Vec::new(), Vec::new(), Vec::new());
    let bare = anchor.trim();
    for range in ranges {
        let lines = rope.lines_at(range.start).take(range.len());
        for (index, line) in lines.enumerate() {
            let line = Cow::from(line);
            let line = line.strip_suffix('\n').unwrap_or(&line);
            let at = range.start + index;
            if line == anchor {
                exact.push(at);
                continue;
            }
            match line.trim().strip_prefix(bare) {
                Some("") => trimmed.push(at),
                Some(rest) if !continues_word(bare, rest) => heads.push(at),
                _ => {}
            }
        }
    }
    let mut found = [exact, trimmed, heads].into_iter();
    found.find(|lines| !lines.is_empty()).unwrap_or_default()
}

/// Whether a word that begins in the first text goes on in the second.
fn continues_word(text: &str, rest: &str) -> bool {
    text.ends_with(is_word) && rest.starts_with(is_word)
}

/// Lines, which ascend, with the ends of their blocks.
fn with_blocks(rope: &Rope, lines: Vec<usize>, total: usize) -> Vec<Anchor> {
    // The end of the last block of each depth. A line of the same depth inside of a block ends where that does: there
    // may be very many of them, such as brackets.
    let mut ends: BTreeMap<usize, usize> = BTreeMap::new();
    let block = |line| {
        let depth = depth(&Cow::from(rope.line(line)));
        let end = match ends.get(&depth) {
            Some(end) if line < *end => *end,
            _ => block_end(rope, line, total),
        };
        ends.insert(depth, end);
        Anchor { line, end }
    };
    lines.into_iter().map(block).collect()
}

fn block_end(rope: &Rope, head: usize, total: usize) -> usize {
    let depth = depth(&Cow::from(rope.line(head)));
    let lines = rope.lines_at(head + 1).take(total.saturating_sub(head + 1));
    let mut end = head + 1;
    for (index, line) in lines.enumerate() {
        let line = Cow::from(line);
        let text = line.trim();
        if text.is_empty() {
            continue;
        }
        let own = self::depth(&line);
        let continues = own == depth && text.starts_with([')', ']', '}', '{']);
        if own <= depth && !continues {
            break;
        }
        end = head + index + 2;
    }
    end
}

fn depth(line: &str) -> usize {
    line.chars()
        .take_while(|it| matches!(it, ' ' | '\t'))
        .map(|it| if it == '\t' { TAB } else { 1 })
        .sum()
}

/// The line that was perhaps meant by an anchor that stands nowhere.
fn like(rope: &Rope, anchor: &str) -> Option<(LineIndex, String)> {
    let line = match find_unique(rope, anchor.trim()) {
        Ok(found) => rope.byte_to_line(found.range.start.0),
        Err(FindError::NoMatch { nearest }) => nearest?.lines.start.0,
        Err(FindError::Ambiguous { .. }) => return None,
    };
    let text = Cow::from(rope.line(line));
    Some((LineIndex(line), text.trim_end().into()))
}
