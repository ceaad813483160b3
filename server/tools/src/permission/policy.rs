//! What is permitted in a workspace: the rules of all layers, and what is decided by them. Asks nobody, reads no file.

use std::sync::{Arc, PoisonError, RwLock};

use super::{Mode, Verdict};
use crate::effect::Effect;
use crate::sandbox::Profile;

/// The layers that rules come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// Answers of this session.
    Session,
    /// `.mewcode/settings.local.yaml` in the workspace: the user's own for it.
    Local,
    /// `.mewcode.yaml` in the workspace: the project's.
    Project,
    /// `~/.mewcode/config.yaml`: the user's for every workspace, and what the editor sends.
    User,
}

/// What a rule does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// It happens unasked.
    Allow,
    /// A person is asked.
    Ask,
    /// It does not happen.
    Deny,
}

/// A rule as it is written, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSource {
    /// Where it comes from.
    pub layer: Layer,
    /// What it does.
    pub action: Action,
    /// `tool` or `tool(pattern)`.
    pub text: String,
    /// Where it is written, for messages: `~/.mewcode/config.yaml:12`.
    pub place: String,
    /// Examples that it must match.
    pub matches: Vec<String>,
    /// Examples that it must not match.
    pub not_matches: Vec<String>,
}

/// What a policy is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicySettings {
    /// The rules of all layers but the sessions' own. What a project may not grant is not among them.
    pub rules: Vec<RuleSource>,
    /// Names of files that hold secrets, besides those that are known: patterns of gitignore.
    pub sensitive: Vec<String>,
    /// How commands are confined.
    pub sandbox: Profile,
}

/// The policy of a workspace. What it is made of can be replaced while calls are decided.
#[derive(Debug, Default)]
pub struct Policy {
    settings: RwLock<Arc<PolicySettings>>,
}

/// A call to be decided.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The session that makes it.
    pub session: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// Everything that it touches.
    pub effects: &'a [Effect],
    /// What may be done unasked.
    pub mode: Mode,
}

impl Policy {
    /// What it is made of.
    pub fn settings(&self) -> Arc<PolicySettings> {
        Arc::clone(&self.settings.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// What becomes of a call.
    pub fn decide(&self, request: &Request<'_>) -> Verdict {
        super::decide(request.mode, request.effects)
    }
}
