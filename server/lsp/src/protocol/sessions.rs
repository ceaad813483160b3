//! `mewcode/sessions`, client to server: what it answers. Types only.

use serde::{Deserialize, Serialize};

/// Result of `mewcode/sessions`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionsResult {
    /// The sessions of this server, the newest first.
    pub sessions: Vec<SessionEntry>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionEntry {
    /// Its id.
    pub session: String,
    /// The first line of its first prompt; empty before that.
    pub title: String,
    /// Whether a run is under way in it.
    pub running: bool,
    /// Its mode.
    pub mode: String,
    /// When it began, in milliseconds since 1970.
    pub started: u64,
    /// Whether it is the one that a prompt goes to.
    pub current: bool,
}
