//! The changes between two sequences of strings.
//!
//! Knows tokens only; whether they are lines or words is for the caller.

use super::Change;
use alloc::vec::Vec;
use core::convert::Infallible;
use similar::algorithms::{DiffHook, myers};

/// The changed runs: ascending, disjoint, not adjacent, and without common ends.
pub(crate) fn changes(old: &[&str], new: &[&str]) -> Vec<Change> {
    let (old, new) = numbered(old, new);
    let mut collector = Collector::default();
    let Ok(()) = myers::diff(
        &mut collector,
        &old[..],
        0..old.len(),
        &new[..],
        0..new.len(),
    );
    collector.equal_run(old.len(), new.len(), 0);
    let mut changes = collector.changes;
    for (from, to) in &mut changes {
        // The search may give up on the shortest result, so a change can still have common ends.
        let same = |(a, b): &(&u32, &u32)| a == b;
        let pairs = old[from.clone()].iter().zip(&new[to.clone()]);
        let prefix = pairs.take_while(same).count();
        (from.start, to.start) = (from.start + prefix, to.start + prefix);
        let pairs = (old[from.clone()].iter().rev()).zip(new[to.clone()].iter().rev());
        let suffix = pairs.take_while(same).count();
        (from.end, to.end) = (from.end - suffix, to.end - suffix);
    }
    changes.retain(|(from, to)| !from.is_empty() || !to.is_empty());
    changes
}

/// Turns the equal runs that the search reports into the changes between them.
#[derive(Default)]
struct Collector {
    changes: Vec<Change>,
    old: usize,
    new: usize,
}

impl Collector {
    fn equal_run(&mut self, old: usize, new: usize, length: usize) {
        if old > self.old || new > self.new {
            self.changes.push((self.old..old, self.new..new));
        }
        (self.old, self.new) = (old + length, new + length);
    }
}

impl DiffHook for Collector {
    type Error = Infallible;

    fn equal(&mut self, old: usize, new: usize, length: usize) -> Result<(), Infallible> {
        if length > 0 {
            self.equal_run(old, new, length);
        }
        Ok(())
    }
}

/// Gives equal strings equal numbers, so that the search compares numbers.
fn numbered(old: &[&str], new: &[&str]) -> (Vec<u32>, Vec<u32>) {
    let mut numbers = Numbers::for_tokens(old.len() + new.len());
    let of_old = old.iter().map(|token| numbers.of(token)).collect();
    (of_old, new.iter().map(|token| numbers.of(token)).collect())
}

/// A hash table from strings to numbers in the order of their appearance.
struct Numbers<'a> {
    /// A number plus one, or zero; a power of two of them, at least twice as many as there are strings.
    slots: Vec<u32>,
    /// What has each number, with its hash.
    tokens: Vec<(u64, &'a str)>,
}

impl<'a> Numbers<'a> {
    fn for_tokens(count: usize) -> Self {
        Self {
            slots: alloc::vec![0; (2 * count).next_power_of_two()],
            tokens: Vec::new(),
        }
    }

    fn of(&mut self, token: &'a str) -> u32 {
        let hash = quick_hash(token.as_bytes());
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        // Half of the slots stay free, so this ends.
        while let Some(number) = self.slots[slot].checked_sub(1) {
            if self.tokens[number as usize] == (hash, token) {
                return number;
            }
            slot = (slot + 1) & mask;
        }
        let number = self.tokens.len() as u32;
        self.tokens.push((hash, token));
        self.slots[slot] = number + 1;
        number
    }
}

/// A fast hash without any strength.
pub(crate) fn quick_hash(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |hash: u64, word: u64| (hash.rotate_left(23) ^ word).wrapping_mul(FACTOR);
    let (words, rest) = bytes.as_chunks::<8>();
    let mut hash = bytes.len() as u64;
    for word in words {
        hash = mix(hash, u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    hash = mix(hash, u64::from_le_bytes(last));
    hash ^ (hash >> 29)
}
