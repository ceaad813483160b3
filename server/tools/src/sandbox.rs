//! How the system confines a command: what a policy grants, and the entering of it. Knows no command and no permission.
//!
//! A policy is plain data: whoever starts a command computes it, the confined process itself enters it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// How far a command is confined, as people choose it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// Reads everything that is not closed, writes nothing but a temporary folder, no network.
    ReadOnly,
    /// Writes in the workspace's roots and temporary folders too, no network.
    WorkspaceWrite,
    /// As the user's own shell.
    #[default]
    Off,
}

impl Profile {
    /// The name as it stands in JSON and in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Profile::ReadOnly => "read_only",
            Profile::WorkspaceWrite => "workspace_write",
            Profile::Off => "off",
        }
    }
}

/// What a confined command may touch. Paths are real.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// How far it is confined; with `off` nothing else counts.
    pub profile: Profile,
    /// The workspace's roots: written with `workspace_write`, but for what is protected in them.
    pub roots: Vec<PathBuf>,
    /// Folders that are written besides (temporary ones, build caches).
    pub writable: Vec<PathBuf>,
    /// What is not even read: MewCode's own state and configuration.
    pub closed: Vec<PathBuf>,
    /// Whether it may write the repository itself (`.git`, but never its hooks and configuration).
    pub git: bool,
}
