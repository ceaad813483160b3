//! What a host gives the tools besides the workspace: who is asked, what is permitted, where commands run. Knows no tool.

use std::path::PathBuf;
use std::sync::Arc;

use crate::artifact::Artifacts;
use crate::environment::Environment;
use crate::fetch::Fetcher;
use crate::permission::Policy;
use crate::port::{Asker, Nobody, RuleKeeper};
use crate::process::{self, Limits, Processes};
use crate::redact::Redactor;

/// The host of a runtime. Copies share everything.
#[derive(Clone)]
pub struct Host {
    /// Who answers questions.
    pub asker: Arc<dyn Asker>,
    /// What is permitted.
    pub policy: Arc<Policy>,
    /// What pages are fetched by.
    pub fetcher: Arc<Fetcher>,
    /// Who writes down the rules of the answer "always"; none: it is not offered.
    pub keeper: Option<Arc<dyn RuleKeeper>>,
    /// What commands get of the environment.
    pub environment: Arc<Environment>,
    /// What takes secrets out of results.
    pub redactor: Arc<Redactor>,
    /// Where whole outputs are kept.
    pub artifacts: Arc<Artifacts>,
    /// What commands may use.
    pub commands: Arc<CommandSettings>,
    /// The commands that run.
    pub processes: Arc<Processes>,
}

/// What commands may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandSettings {
    /// Memory, processes and the size of files.
    pub limits: Limits,
    /// The most that is kept of one output, in bytes.
    pub artifact_bytes: u64,
    /// Folders besides the roots that a confined command writes: build caches.
    pub writable: Vec<PathBuf>,
    /// Where the sandbox notes what it made, so that it is removed after a crash too; none: beside the artifacts.
    pub notes: Option<PathBuf>,
}

impl Default for CommandSettings {
    fn default() -> CommandSettings {
        CommandSettings {
            limits: Limits::default(),
            artifact_bytes: process::ARTIFACT_LIMIT,
            writable: Vec::new(),
            notes: None,
        }
    }
}

impl Default for Host {
    /// Nobody to ask, no rules, and no way to run commands. Commands would get what is passed of this process's
    /// environment, the secrets in it are known, and outputs are kept as long as the host is.
    fn default() -> Host {
        Host {
            asker: Arc::new(Nobody),
            policy: Arc::default(),
            fetcher: Arc::default(),
            keeper: None,
            environment: Arc::new(Environment::of_process(&[])),
            redactor: Arc::new(Redactor::of_process([])),
            artifacts: Arc::default(),
            processes: Arc::default(),
            commands: Arc::default(),
        }
    }
}
