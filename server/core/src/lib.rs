//! Text, positions, hashes, edits, diffs and merges: the pure heart of MewCode.
//!
//! `no_std` with `alloc`, so that nothing here can reach files, the network or the clock.
#![no_std]

extern crate alloc;

pub mod carry;
pub mod diff;
pub mod edit;
pub mod find;
#[doc(hidden)]
pub mod fuzzing;
pub mod hash;
pub mod merge;
pub mod outline;
pub mod patch;
pub mod position;
pub mod text;
pub mod wire;

#[cfg(test)]
mod testing;
