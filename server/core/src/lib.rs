//! Text, positions, hashes, edits, diffs and merges. Pure.
#![no_std]
extern crate alloc;
