//! What a host gives the tools besides the workspace: who is asked, what is permitted, where commands run. Knows no tool.

use std::sync::Arc;

use crate::artifact::Artifacts;
use crate::environment::Environment;
use crate::fetch::Fetcher;
use crate::permission::Policy;
use crate::port::{Asker, Nobody, RuleKeeper};
use crate::process::Processes;
use crate::redact::Redactor;

/// The host of a runtime. Copies share everything.
#[derive(Clone)]
pub struct Host {
    /// Who answers questions.
    pub asker: Arc<dyn Asker>,
    /// What is permitted.
    pub policy: Arc<Policy>,
    /// Who writes down the rules of the answer "always"; none: it is not offered.
    pub keeper: Option<Arc<dyn RuleKeeper>>,
    /// The commands that run.
    pub processes: Arc<Processes>,
    /// What commands get of the environment.
    pub environment: Arc<Environment>,
    /// What takes secrets out of results.
    pub redactor: Arc<Redactor>,
    /// Where whole outputs are kept.
    pub artifacts: Arc<Artifacts>,
    /// What pages are fetched by.
    pub fetcher: Arc<Fetcher>,
}

impl Default for Host {
    /// Nobody to ask, no rules, and no way to run commands. Commands would get what is passed of this process's
    /// environment, no secret is known beyond those of its environment, and outputs are kept as long as the host is.
    fn default() -> Host {
        Host {
            asker: Arc::new(Nobody),
            policy: Arc::default(),
            keeper: None,
            processes: Arc::default(),
            environment: Arc::new(Environment::of_process(&[])),
            redactor: Arc::new(Redactor::of_process([])),
            artifacts: Arc::default(),
            fetcher: Arc::default(),
        }
    }
}
