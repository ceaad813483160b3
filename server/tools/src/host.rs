//! What a host gives the tools besides the workspace: who is asked, what is permitted, where commands run. Knows no tool.

use std::sync::Arc;

use crate::fetch::Fetcher;
use crate::permission::Policy;
use crate::port::{Asker, Nobody, RuleKeeper};
use crate::process::Processes;

/// The host of a runtime. Copies share everything.
#[derive(Clone)]
pub struct Host {
    /// Who answers questions.
    pub asker: Arc<dyn Asker>,
    /// What is permitted.
    pub policy: Arc<Policy>,
    /// What pages are fetched by.
    pub fetcher: Arc<Fetcher>,
    /// The commands that run.
    pub processes: Arc<Processes>,
    /// Who writes down the rules of the answer "always"; none: it is not offered.
    pub keeper: Option<Arc<dyn RuleKeeper>>,
}

impl Default for Host {
    /// Nobody to ask, no rules, and no way to run commands.
    fn default() -> Host {
        Host {
            asker: Arc::new(Nobody),
            policy: Arc::default(),
            fetcher: Arc::default(),
            processes: Arc::default(),
            keeper: None,
        }
    }
}
