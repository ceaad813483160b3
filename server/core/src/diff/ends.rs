//! The bytes that two ropes have in common at their start or end, read chunk by chunk.
//!
//! Knows bytes only: a common run may end inside a character or a line.

use ropey::RopeSlice;
use ropey::iter::Chunks;

/// How many bytes two slices have in common at their start.
pub(crate) fn common_prefix(left: RopeSlice<'_>, right: RopeSlice<'_>) -> usize {
    let (mut left, mut right) = (left.chunks(), right.chunks());
    common(
        || left.next().map(str::as_bytes),
        || right.next().map(str::as_bytes),
        |chunk, length| chunk.split_at(length),
        common_prefix_of,
    )
}

/// How many bytes two slices have in common at their end.
pub(crate) fn common_suffix(left: RopeSlice<'_>, right: RopeSlice<'_>) -> usize {
    let (mut left, mut right) = (chunks_from_end(left), chunks_from_end(right));
    common(
        || left.prev().map(str::as_bytes),
        || right.prev().map(str::as_bytes),
        |chunk, length| {
            let (rest, end) = chunk.split_at(chunk.len() - length);
            (end, rest)
        },
        common_suffix_of,
    )
}

fn chunks_from_end(slice: RopeSlice<'_>) -> Chunks<'_> {
    slice.chunks_at_byte(slice.len_bytes()).0
}

/// Walks two sequences of chunks in step: `take` splits a length off a chunk and gives it and the rest.
fn common<'a>(
    mut left: impl FnMut() -> Option<&'a [u8]>,
    mut right: impl FnMut() -> Option<&'a [u8]>,
    take: impl Fn(&'a [u8], usize) -> (&'a [u8], &'a [u8]),
    count: impl Fn(&[u8], &[u8]) -> usize,
) -> usize {
    let mut total = 0;
    let (mut a, mut b): (&[u8], &[u8]) = (&[], &[]);
    loop {
        while a.is_empty() {
            let Some(chunk) = left() else { return total };
            a = chunk;
        }
        while b.is_empty() {
            let Some(chunk) = right() else { return total };
            b = chunk;
        }
        let length = a.len().min(b.len());
        let (a_part, a_rest) = take(a, length);
        let (b_part, b_rest) = take(b, length);
        // Ropes that come from each other share most chunks; those need not be read.
        if !core::ptr::eq(a_part, b_part) && a_part != b_part {
            return total + count(a_part, b_part);
        }
        total += length;
        (a, b) = (a_rest, b_rest);
    }
}

/// How many bytes are compared at a time.
const BLOCK: usize = 64;

/// How many bytes two slices have in common at their start.
pub(crate) fn common_prefix_of(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK));
    let start = BLOCK * blocks.take_while(|(a, b)| a == b).count();
    let rest = a[start..].iter().zip(&b[start..]);
    start + rest.take_while(|(a, b)| a == b).count()
}

/// How many bytes two slices have in common at their end.
pub(crate) fn common_suffix_of(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.rchunks_exact(BLOCK).zip(b.rchunks_exact(BLOCK));
    let end = BLOCK * blocks.take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - end], &b[..b.len() - end]);
    let rest = a.iter().rev().zip(b.iter().rev());
    end + rest.take_while(|(a, b)| a == b).count()
}
