//! How the system confines a command: what a policy grants, and the entering of it. Knows no command and no permission.
//!
//! A [`Policy`] is plain data. Whoever supervises the command, itself unconfined, [`prepare`]s it, which yields a [`Plan`];
//! the process that is to become the command [`enter`]s the plan right before `exec`. From then on the system refuses what
//! the policy does not grant, to the command and to all that it starts. What a system cannot enforce makes `enter` or
//! `prepare` fail: nothing is ever confined less than it was asked for.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

mod describe;
mod error;
mod layout;
#[cfg(target_os = "linux")]
mod linux;
mod notes;
mod plan;
mod prepare;
mod protected;
mod refusal;
pub mod seatbelt;
mod support;
mod survey;

pub use describe::describe;
pub use error::{SandboxError, Unavailable};
pub use notes::sweep;
pub use plan::{Mechanism, Plan};
pub use prepare::{Finished, Prepared, prepare};
pub(crate) use protected::is_obeyed;
pub use refusal::{Refusal, no_network, refusal};
pub use support::{Support, available};

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
    /// Folders that are written besides with `workspace_write` (build caches); the temporary ones are among them by
    /// themselves. What does not exist is left out.
    pub writable: Vec<PathBuf>,
    /// What is not even read: MewCode's own state and configuration. What does not exist is left out.
    pub closed: Vec<PathBuf>,
    /// What is not written although it is in one of these. What does not exist is left out.
    #[serde(default)]
    pub protected: Vec<PathBuf>,
    /// Whether it may write the repository itself (`.git`, but never its hooks and configuration).
    pub git: bool,
    /// Whose stores of secrets (`~/.ssh`, `~/.aws`, …) are closed as well.
    #[serde(default)]
    pub home: Option<PathBuf>,
    /// A folder of MewCode's state, made when it is needed, in which is noted what [`prepare`] makes, so that it is
    /// removed after a crash too.
    #[serde(default)]
    pub notes: PathBuf,
}

/// Confines the calling process, and all that it becomes and starts, for good. With the profile `off` it does nothing.
///
/// The process must have one thread and no open files but the standard three; its working directory is kept. After an
/// error the process may be half confined: it must run nothing. A plan with a [`Plan::wrapper`] cannot be entered so.
pub fn enter(plan: &Plan) -> Result<(), SandboxError> {
    match plan.mechanism {
        Mechanism::Nothing => Ok(()),
        #[cfg(target_os = "linux")]
        Mechanism::Namespaces | Mechanism::Landlock => linux::enter(plan),
        _ => Err(SandboxError::Unavailable(Unavailable::System)),
    }
}

/// The real path, if there is something.
fn real(path: &Path) -> Result<Option<PathBuf>, SandboxError> {
    match path.canonicalize() {
        Ok(real) => Ok(Some(real)),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(SandboxError::path("looked at", path, error)),
    }
}
