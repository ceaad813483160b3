//! Collects what the threads of a search find, and keeps of it what stands first: so much as is asked for, whatever the
//! order in which it comes. The rest is only counted. Knows nothing of files or patterns.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Where a file stands in the answer: sources first, then by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key(u64);

/// One line of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// 1-based.
    pub(super) number: u64,
    /// Without its end.
    pub(super) text: String,
    /// Whether only a part of it is in `text`.
    pub(super) is_cut: bool,
}

/// One match: a line, or several if matches may go over lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) before: Vec<Line>,
    pub(super) lines: Vec<Line>,
    pub(super) after: Vec<Line>,
}

/// What was found in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct InFile {
    /// All hits.
    pub(super) count: u64,
    /// The first of them.
    pub(super) hits: Vec<Hit>,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Hits {
    needed: usize,
    /// Files from here on are not among the first any more.
    limit: AtomicU64,
    kept: Mutex<Kept>,
}

/// What is kept.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) files: BTreeMap<Key, InFile>,
    /// Hits in `files`; a file without its hits counts as one.
    held: usize,
    /// In all files.
    pub(super) total_hits: u64,
    /// With a hit.
    pub(super) total_files: usize,
}

impl Key {
    pub(super) fn new(comes_last: bool, index: usize) -> Key {
        Key((u64::from(comes_last) << 32) | index as u64)
    }

    /// The index of the file.
    pub(super) fn index(self) -> usize {
        (self.0 & u64::from(u32::MAX)) as usize
    }
}

impl InFile {
    fn held(&self) -> usize {
        self.hits.len().max(1)
    }
}

impl Hits {
    /// The first so many are to be kept.
    pub(super) fn new(needed: usize) -> Hits {
        Hits {
            needed,
            limit: AtomicU64::new(u64::MAX),
            kept: Mutex::default(),
        }
    }

    pub(super) fn needed(&self) -> usize {
        self.needed
    }

    /// Whether hits in this file can still be among the first.
    pub(super) fn wants(&self, key: Key) -> bool {
        key.0 < self.limit.load(Ordering::Relaxed)
    }

    /// Takes what was found in one file: at least one hit.
    pub(super) fn add(&self, key: Key, file: InFile) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.total_hits += file.count;
        kept.total_files += 1;
        if !self.wants(key) {
            return;
        }
        kept.held += file.held();
        kept.files.insert(key, file);
        while let Some((last, file)) = kept.files.last_key_value() {
            let (last, held) = (*last, file.held());
            if kept.held - held < self.needed {
                break;
            }
            kept.files.pop_last();
            kept.held -= held;
        }
        if kept.held >= self.needed
            && let Some((last, _)) = kept.files.last_key_value()
        {
            self.limit.store(last.0 + 1, Ordering::Relaxed);
        }
    }

    pub(super) fn kept(self) -> Kept {
        self.kept.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_hits(count: usize) -> InFile {
        InFile {
            count: count as u64,
            hits: vec![Hit::default(); count],
        }
    }

    #[test]
    fn the_first_are_kept_in_whatever_order_they_come() {
        for order in [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 4, 0, 3, 1]] {
            let hits = Hits::new(5);
            order.iter().for_each(|index| hits.add(Key::new(false, *index), with_hits(2)));
            let kept = hits.kept();
            assert_eq!((kept.total_hits, kept.total_files), (10, 5));
            let indices: Vec<usize> = kept.files.keys().map(|key| key.index()).collect();
            assert_eq!(indices, [0, 1, 2], "6 hits, of which 5 are needed");
        }
    }

    #[test]
    fn what_comes_last_is_kept_only_if_there_is_room() {
        let hits = Hits::new(2);
        hits.add(Key::new(true, 0), with_hits(1));
        hits.add(Key::new(false, 7), with_hits(1));
        assert!(hits.wants(Key::new(false, 9)) && !hits.wants(Key::new(true, 1)));
        hits.add(Key::new(false, 8), with_hits(1));
        assert!(!hits.wants(Key::new(true, 0)));
        let kept = hits.kept();
        let indices: Vec<usize> = kept.files.keys().map(|key| key.index()).collect();
        assert_eq!((indices, kept.total_hits), (vec![7, 8], 3));
    }
}
