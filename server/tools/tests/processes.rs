//! Real commands under real supervisors: how they end, that nothing of them is left, and what becomes of their output.
//!
//! What is left is counted by the list of processes: each scene's commands have a mark of their own in their environment.

#![cfg(target_os = "linux")]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

#[path = "processes/container.rs"]
mod container;
#[path = "processes/ends.rs"]
mod ends;
#[path = "processes/flood.rs"]
mod flood;
#[path = "processes/input.rs"]
mod input;
#[path = "processes/limits.rs"]
mod limits;
#[path = "processes/orphans.rs"]
mod orphans;
#[path = "processes/output.rs"]
mod output;
#[path = "processes/sandboxed.rs"]
mod sandboxed;
#[path = "processes/scene.rs"]
mod scene;
#[path = "processes/server.rs"]
mod server;
#[path = "processes/surroundings.rs"]
mod surroundings;
#[path = "processes/table.rs"]
mod table;
#[path = "processes/terminal.rs"]
mod terminal;
