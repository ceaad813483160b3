//! A page of a text that comes piece by piece: numbered lines from a given one on, within a bound, and counts of the
//! whole. Holds no more than the page.

use std::fmt::Write;
use std::ops::Range;

use crate::truncate::{Bound, Budget, Fit, floor_boundary};

/// Where a page begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// At this 0-based line.
    Line(usize),
    /// So many lines before the end.
    FromEnd(usize),
}

impl Start {
    /// The 0-based line, in a text of so many lines. More lines from the end than there are: the first.
    pub(super) fn line(self, total: usize) -> usize {
        match self {
            Start::Line(line) => line,
            Start::FromEnd(lines) => total.saturating_sub(lines),
        }
    }
}

/// A page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Page {
    /// The numbered lines.
    pub(super) text: String,
    /// Which lines they are, 0-based; one that is shown in part is among them.
    pub(super) lines: Range<usize>,
    /// Line and byte of it to go on with; none: the page reaches the end.
    pub(super) next: Option<(usize, usize)>,
    /// The length of the first line, if it ended before the byte to begin with.
    pub(super) first_line_ended_at: Option<usize>,
    /// Lines of the whole text.
    pub(super) total_lines: usize,
    /// Bytes of the whole text.
    pub(super) total_bytes: usize,
}

/// Makes a page of logical text.
pub(super) struct Pager {
    first: usize,
    from_byte: usize,
    bytes: usize,
    budget: Budget,
    text: String,
    shown: usize,
    next: Option<(usize, usize)>,
    first_line_ended_at: Option<usize>,
    /// The line that the next piece belongs to, and how many bytes of it were there.
    line: usize,
    at: usize,
    /// What is to be shown of that line, as far as it is known.
    pending: String,
    /// The byte of the line at which that begins.
    pending_from: usize,
    total_bytes: usize,
}

impl Pager {
    /// A page that begins with this 0-based line, without so many of its bytes.
    pub(super) fn new(first: usize, from_byte: usize, bound: Bound) -> Pager {
        Pager {
            first,
            from_byte,
            bytes: bound.bytes,
            budget: Budget::new(bound),
            text: String::new(),
            shown: 0,
            next: None,
            first_line_ended_at: None,
            line: 0,
            at: 0,
            pending: String::new(),
            pending_from: 0,
            total_bytes: 0,
        }
    }

    /// Takes the next piece of the text.
    pub(super) fn push(&mut self, text: &str) {
        self.total_bytes += text.len();
        for piece in text.split_inclusive('\n') {
            if self.line >= self.first && self.next.is_none() {
                self.show(piece);
            }
            if piece.ends_with('\n') {
                self.line += 1;
                self.at = 0;
            } else {
                self.at += piece.len();
            }
        }
    }

    fn show(&mut self, piece: &str) {
        let skipped = if self.line == self.first {
            self.from_byte.saturating_sub(self.at)
        } else {
            0
        };
        let ends = piece.ends_with('\n');
        if skipped >= piece.len() {
            if ends {
                self.first_line_ended_at = Some(self.at + piece.len() - 1);
                self.next = Some((self.line + 1, 0));
            }
            return;
        }
        let start = floor_boundary(piece, skipped);
        if self.pending.is_empty() {
            self.pending_from = self.at + start;
            let _ = write!(self.pending, "{:6}\t", self.line + 1);
        }
        self.pending.push_str(&piece[start..]);
        if ends || self.pending.len() > self.bytes {
            self.settle();
        }
    }

    /// Takes the pending line into the page, or ends the page.
    fn settle(&mut self) {
        let prefix = self.pending.find('\t').map_or(0, |tab| tab + 1);
        match self.budget.take(self.pending.len()) {
            Fit::Whole => {
                self.text.push_str(&self.pending);
                self.shown += 1;
            }
            // A line longer than a whole page is shown in parts.
            Fit::Bytes(bytes) if self.shown == 0 => {
                let end = floor_boundary(&self.pending, bytes.saturating_sub(1)).max(prefix);
                self.text.push_str(&self.pending[..end]);
                self.text.push('\n');
                self.shown = 1;
                self.next = Some((self.line, self.pending_from + end - prefix));
            }
            Fit::Bytes(_) => self.next = Some((self.line, 0)),
        }
        self.pending.clear();
    }

    /// No text more.
    pub(super) fn finish(self) -> Page {
        Page {
            text: self.text,
            lines: self.first..self.first.saturating_add(self.shown),
            next: self.next,
            first_line_ended_at: self.first_line_ended_at,
            total_lines: self.line,
            total_bytes: self.total_bytes,
        }
    }
}
