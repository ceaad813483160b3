//! Whether a call may happen, decided from rules, the mode and the effects of the call. Knows no tool's arguments and asks
//! nobody.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::effect::EffectBound;
use crate::port::Review;

mod decision;
mod facts;
mod pipeline;
mod policy;
mod protected;
mod question;
mod rule;
mod sensitive;

pub use decision::{Decision, Said, Stage, Step};
pub use policy::{
    Action, Denied, DeniedPaths, Layer, Policy, PolicySettings, Request, RuleSource, Unread,
};
pub use rule::{RuleError, RuleWarning, warnings};
pub use sensitive::is_sensitive;
pub(crate) use sensitive::stores_of_secrets;

/// How much the agent may do unasked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Reads freely; each change is shown first.
    #[default]
    Default,
    /// Changes to files are applied at once and reviewed later.
    AcceptEdits,
    /// Reads only.
    Plan,
    /// Does everything unasked.
    Bypass,
    /// Does only what needs no question.
    DontAsk,
}

impl Mode {
    /// Every mode, in the order in which they are offered.
    pub const ALL: [Mode; 5] = [
        Mode::Default,
        Mode::AcceptEdits,
        Mode::Plan,
        Mode::Bypass,
        Mode::DontAsk,
    ];

    /// The name as it stands in JSON and in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Default => "default",
            Mode::AcceptEdits => "accept_edits",
            Mode::Plan => "plan",
            Mode::Bypass => "bypass",
            Mode::DontAsk => "dont_ask",
        }
    }

    /// Whether tools with this bound are offered to the model at all.
    pub fn offers(self, bound: &EffectBound) -> bool {
        self != Mode::Plan || bound.is_read_only()
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A mode of that name does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no mode `{0}`; the modes are default, accept_edits, plan, bypass and dont_ask")]
pub struct UnknownMode(String);

impl FromStr for Mode {
    type Err = UnknownMode;

    fn from_str(name: &str) -> Result<Mode, UnknownMode> {
        Mode::ALL
            .into_iter()
            .find(|mode| mode.as_str() == name)
            .ok_or_else(|| UnknownMode(name.to_owned()))
    }
}

/// What becomes of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It happens; a change is reviewed as said.
    Allow(Review),
    /// A person decides. For a change the review is the question.
    Ask(Review),
    /// It does not happen, for this reason.
    Deny(String),
}

#[cfg(test)]
mod tests;
