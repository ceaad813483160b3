//! What the end-to-end tests stand on: the server as a child process, an independent simulation of an editor, and scripts for
//! the scripted model. Nothing here knows how the server works inside; it knows the protocol and judges by it.

pub mod approvals;
pub mod buffer;
pub mod child;
pub mod client;
pub mod editor;
pub mod frames;
pub mod hands;
mod handshake;
pub mod home;
#[cfg(target_os = "linux")]
pub mod processes;
pub mod progress;
pub mod restart;
pub mod review;
pub mod script;
pub mod server;
pub mod typing;
pub mod uri;

pub use buffer::{Buffer, Encoding};
pub use client::{Checking, Client, Echo, Messages, Reply, Sync};
pub use editor::Editor;
pub use home::Workspace;
pub use script::Script;
pub use server::Server;

use std::time::Duration;

/// How long anything may take that is not a measured promise. Generous, for test machines are busy; nothing waits so long unless
/// it is going to fail.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// How soon the process must be gone after `exit`, the end of its input, or the death of its parent.
pub const END_WITHIN: Duration = Duration::from_secs(2);
