//! Sets of lines that follow a text as it changes. Pure.

use std::ops::Range;

use mewcode_core::diff::LineChange;

/// A set of 0-based lines: ascending, disjoint, not touching, none empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Lines(Vec<Range<usize>>);

impl Lines {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn ranges(&self) -> &[Range<usize>] {
        &self.0
    }

    pub(super) fn insert(&mut self, lines: Range<usize>) {
        if lines.is_empty() {
            return;
        }
        let (start, end) = (lines.start, lines.end);
        // Ranges that overlap the new one or touch it become one with it.
        let first = self.0.partition_point(|range| range.end < start);
        let last = self.0.partition_point(|range| range.start <= end);
        let merged = self.0[first..last].iter().fold(lines, |merged, range| {
            merged.start.min(range.start)..merged.end.max(range.end)
        });
        self.0.splice(first..last, [merged]);
    }

    pub(super) fn remove(&mut self, lines: Range<usize>) {
        if lines.is_empty() {
            return;
        }
        let rest = self.0.iter().flat_map(|range| {
            [
                range.start..range.end.min(lines.start),
                range.start.max(lines.end)..range.end,
            ]
        });
        self.0 = rest.filter(|range| !range.is_empty()).collect();
    }

    pub(super) fn contains(&self, lines: &Range<usize>) -> bool {
        lines.is_empty()
            || self
                .0
                .iter()
                .any(|range| range.start <= lines.start && lines.end <= range.end)
    }

    /// The lines of the set that `lines` meets. An empty range stands between two lines and meets what lies on both
    /// sides of it.
    pub(super) fn met_by(&self, lines: &Range<usize>) -> Vec<Range<usize>> {
        let meets = |range: &&Range<usize>| range.start < lines.end && lines.start < range.end;
        self.0
            .iter()
            .filter(meets)
            .map(|range| range.start.max(lines.start)..range.end.min(lines.end))
            .collect()
    }

    /// The set after the text changed: lines that stayed, at their new place.
    pub(super) fn carried(&self, changes: &[LineChange]) -> Lines {
        let mut carried = Lines::default();
        let mut old = 0;
        let mut new = 0;
        let end = LineChangeEnd {
            old: usize::MAX,
            new: usize::MAX,
        };
        let ends = changes
            .iter()
            .map(|change| (change.old.start.0, LineChangeEnd::of(change)));
        for (stays_until, after) in ends.chain([(usize::MAX, end)]) {
            for range in &self.0 {
                let kept = range.start.max(old)..range.end.min(stays_until);
                if !kept.is_empty() {
                    carried.insert(kept.start - old + new..kept.end - old + new);
                }
            }
            (old, new) = (after.old, after.new);
        }
        carried
    }
}

/// Where old and new text are in step again.
struct LineChangeEnd {
    old: usize,
    new: usize,
}

impl LineChangeEnd {
    fn of(change: &LineChange) -> LineChangeEnd {
        LineChangeEnd {
            old: change.old.end.0,
            new: change.new.end.0,
        }
    }
}

#[cfg(test)]
#[expect(clippy::single_range_in_vec_init, reason = "a set may have one range")]
mod tests {
    use mewcode_core::position::LineRange;

    use super::*;

    fn set(ranges: &[Range<usize>]) -> Lines {
        let mut lines = Lines::default();
        ranges.iter().for_each(|range| lines.insert(range.clone()));
        lines
    }

    #[test]
    fn ranges_merge_and_split() {
        assert_eq!(set(&[5..7, 1..3, 3..5]).ranges(), [1..7]);
        assert_eq!(set(&[1..3, 5..7]).ranges(), [1..3, 5..7]);
        assert_eq!(set(&[1..2, 3..4, 5..6, 0..9]).ranges(), [0..9]);
        let mut lines = set(&[0..10]);
        lines.remove(3..5);
        lines.remove(9..20);
        lines.remove(4..4);
        assert_eq!(lines.ranges(), [0..3, 5..9]);
        assert!(lines.contains(&(5..9)) && !lines.contains(&(2..6)) && lines.contains(&(4..4)));
        assert_eq!(lines.met_by(&(2..6)), [2..3, 5..6]);
        assert_eq!(lines.met_by(&(3..5)), Vec::<Range<usize>>::new());
        assert_eq!(
            lines.met_by(&(1..1)),
            [1..1],
            "between two lines of the set"
        );
    }

    #[test]
    fn the_set_follows_the_text() {
        let change = |old: Range<usize>, new: Range<usize>| LineChange {
            old: LineRange::new(old.start, old.end),
            new: LineRange::new(new.start, new.end),
        };
        // Lines 2 and 3 became three lines, and line 8 went.
        let changes = [change(2..4, 2..5), change(8..9, 9..9)];
        assert_eq!(set(&[0..12]).carried(&changes).ranges(), [0..2, 5..12]);
        assert_eq!(set(&[4..8]).carried(&changes).ranges(), [5..9]);
        assert!(set(&[2..4]).carried(&changes).is_empty());
        assert_eq!(set(&[1..3]).carried(&[]).ranges(), [1..3]);
    }
}
