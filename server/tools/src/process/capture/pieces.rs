//! Bytes in order of arrival, each with its source; what comes first can be dropped.

use std::collections::VecDeque;

use super::{Piece, Source};

/// A queue of bytes and their sources.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    bytes: VecDeque<u8>,
    /// How many bytes in a row came from which source.
    runs: VecDeque<(Source, usize)>,
}

impl Pieces {
    /// How many bytes there are.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Adds bytes.
    pub fn push(&mut self, source: Source, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.bytes.extend(bytes);
        match self.runs.back_mut() {
            Some((last, length)) if *last == source => *length += bytes.len(),
            _ => self.runs.push_back((source, bytes.len())),
        }
    }

    /// Adds bytes and keeps the last `limit` of all.
    pub fn push_last(&mut self, source: Source, bytes: &[u8], limit: usize) {
        let bytes = &bytes[bytes.len().saturating_sub(limit)..];
        self.drop_first((self.len() + bytes.len()).saturating_sub(limit));
        self.push(source, bytes);
    }

    fn drop_first(&mut self, mut count: usize) {
        self.bytes.drain(..count);
        while let Some((_, length)) = self.runs.front_mut() {
            if *length > count {
                *length -= count;
                return;
            }
            count -= *length;
            self.runs.pop_front();
        }
    }

    /// All of it.
    pub fn all(&self) -> Vec<Piece> {
        self.range(0, self.len())
    }

    /// At most `limit` bytes from the one at `start` on.
    pub fn range(&self, start: usize, limit: usize) -> Vec<Piece> {
        let start = start.min(self.len());
        let end = start + limit.min(self.len() - start);
        let mut pieces = Vec::new();
        let mut at = 0;
        for &(source, length) in &self.runs {
            let (from, to) = (at.max(start), (at + length).min(end));
            if from < to {
                pieces.push(Piece {
                    source,
                    bytes: self.bytes.range(from..to).copied().collect(),
                });
            }
            at += length;
            if at >= end {
                break;
            }
        }
        pieces
    }
}
