//! What a walk through a script gathers. Knows no step of the way.

use std::path::PathBuf;

use crate::command::{Danger, Discard, Doubt, Part, Shown, Target};

/// What was found.
#[derive(Debug, Default)]
pub(in crate::command) struct Found {
    pub parts: Vec<Part>,
    pub writes: Vec<Target>,
    /// What is written by redirections.
    pub redirected: Vec<Target>,
    pub reads: Vec<Target>,
    /// What may be files.
    pub mentions: Vec<PathBuf>,
    pub doubts: Vec<Doubt>,
    pub dangers: Vec<Danger>,
    pub discards: Vec<Discard>,
    /// What is proven to be read.
    pub proven: Vec<PathBuf>,
    /// Whether that are whole folders with all that is in them.
    pub searches: bool,
    /// Why it is not proven safe: the first reason.
    pub unproven: Option<String>,
    pub repository: bool,
    /// What git may show.
    pub shown: Vec<Shown>,
    pub network: bool,
    /// Something could not be read as the shell would.
    pub unread: bool,
}
