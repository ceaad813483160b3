//! What a search finds: at first only how many hits stand in which file, then the lines of those that are shown. So a
//! search holds little, however much there is to find. Knows nothing of files or patterns.

/// Where a file stands in the answer: sources first, then by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    comes_last: bool,
    index: usize,
}

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

/// How many hits there are in one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Count {
    pub(super) key: Key,
    pub(super) hits: u64,
}

impl Key {
    pub(super) fn new(comes_last: bool, index: usize) -> Key {
        Key { comes_last, index }
    }

    /// The index of the file.
    pub(super) fn index(self) -> usize {
        self.index
    }
}

impl Hit {
    /// All lines, and whether they are those of the match.
    pub(super) fn all(&self) -> impl Iterator<Item = (&Line, bool)> {
        let around = |lines: bool| move |line| (line, lines);
        let before = self.before.iter().map(around(false));
        let lines = self.lines.iter().map(around(true));
        before
            .chain(lines)
            .chain(self.after.iter().map(around(false)))
    }

    /// The most bytes that it takes to show it.
    pub(super) fn bytes(&self) -> usize {
        self.all().map(|(line, _)| line.bytes()).sum()
    }
}

impl Line {
    /// The most bytes that it takes to show it.
    pub(super) fn bytes(&self) -> usize {
        // A number, its mark, and the break that may stand before it.
        const AROUND: usize = 32;
        self.text.len() + AROUND
    }
}
