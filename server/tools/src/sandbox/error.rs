//! Why a command cannot be confined as its policy says.

use std::io;
use std::path::{Path, PathBuf};

/// What the system lacks for a sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    /// No mechanism is known for it.
    #[error("there is no sandbox for commands on this system")]
    System,
    /// Linux without Landlock.
    #[error(
        "this Linux has no Landlock, or it is not enabled at boot (kernel 6.2 or newer, `lsm=` with `landlock`)"
    )]
    Landlock,
    /// Linux with a Landlock that cannot forbid all that has to be.
    #[error("this Linux's Landlock is of version {0}, and 3 is needed (kernel 6.2 or newer)")]
    OldLandlock(u8),
    /// A processor that the filter of system calls is not written for.
    #[error("there is no filter of system calls for this processor")]
    Processor,
}

/// Why a command cannot be confined as its policy says.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The system cannot.
    #[error("the command cannot be confined: {0}")]
    Unavailable(#[from] Unavailable),
    /// Without namespaces a repository cannot be written without its hooks.
    #[error(
        "a repository cannot be opened for writing with its hooks and configuration closed on this system, which has no \
         user namespaces; run the command with the sandbox off"
    )]
    Repository,
    /// A root is not there, or a link.
    #[error("the root `{0}` is not a real folder")]
    Root(PathBuf),
    /// No folder was named to note things in.
    #[error("the sandbox was given no folder for its notes")]
    NoNotes,
    /// A root holds too much to look for repositories in it.
    #[error(
        "`{root}` holds more than {limit} files and folders: the repositories in it cannot be found and protected in time"
    )]
    TooLarge {
        /// The root.
        root: PathBuf,
        /// How much is looked at.
        limit: usize,
    },
    /// A path could not be worked on.
    #[error("`{path}` could not be {action} for the sandbox: {error}")]
    Path {
        /// What was tried: "made", "mounted".
        action: &'static str,
        /// Where.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// A step of entering failed.
    #[error("the sandbox could not be entered: {step}: {error}")]
    Step {
        /// Which one.
        step: &'static str,
        /// What the system said.
        error: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl SandboxError {
    pub(super) fn path(
        action: &'static str,
        path: &Path,
        error: impl Into<io::Error>,
    ) -> SandboxError {
        SandboxError::Path {
            action,
            path: path.to_owned(),
            error: error.into(),
        }
    }

    /// To be given to `map_err`.
    #[cfg(target_os = "linux")]
    pub(super) fn step<E>(step: &'static str) -> impl Fn(E) -> SandboxError
    where
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        move |error| SandboxError::Step {
            step,
            error: error.into(),
        }
    }
}
