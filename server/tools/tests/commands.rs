//! The tools that run commands, with commands that really run: what a model is told of them, and what they leave behind in
//! the editor, in files and in the list of commands.

#![cfg(target_os = "linux")]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

#[path = "commands/asked.rs"]
mod asked;
#[path = "commands/background.rs"]
mod background;
#[path = "commands/buffers.rs"]
mod buffers;
#[path = "commands/confined.rs"]
mod confined;
#[path = "commands/endings.rs"]
mod endings;
#[path = "commands/output.rs"]
mod output;
#[path = "commands/scene.rs"]
mod scene;
#[path = "commands/typed.rs"]
mod typed;
