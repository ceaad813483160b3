//! What was decided on a call, and step by step why. Decides nothing itself.

use std::fmt::Write as _;

use serde::Serialize;

use super::Verdict;
use super::policy::RuleSource;
use crate::port::{Permission, Review};
use crate::unseen::visible;

/// What becomes of a call, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// What becomes of it.
    pub verdict: Verdict,
    /// What was looked at, in order, and what it said.
    pub steps: Vec<Step>,
    /// What a person is shown who is to decide; there is one exactly if the verdict is to ask.
    pub question: Option<Permission>,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// On which way the call was.
    pub stage: Stage,
    /// The rule, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<RuleSource>,
    /// What it said.
    pub said: Said,
    /// Why, in a few words that follow "the rule" or stand alone.
    pub reason: String,
}

impl Step {
    /// What was said, in words that stand alone.
    pub fn told(&self) -> String {
        match &self.rule {
            Some(rule) => format!("the rule `{}` ({}) {}", rule.text, rule.place, self.reason),
            None => self.reason.clone(),
        }
    }
}

/// The stages of a decision, in order. A stage that says something ends it, but for `ask` and `always`, which are asked
/// for together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// What nobody can allow.
    Floor,
    /// Rules that deny.
    Deny,
    /// Rules that ask.
    Ask,
    /// What asks in every mode, whatever is allowed.
    Always,
    /// The mode that changes nothing.
    Plan,
    /// What does nothing but read.
    Proof,
    /// Rules that allow.
    Allow,
    /// The mode.
    Mode,
}

impl Stage {
    /// The name as it is shown.
    pub fn as_str(self) -> &'static str {
        match self {
            Stage::Floor => "floor",
            Stage::Deny => "deny",
            Stage::Ask => "ask",
            Stage::Always => "always",
            Stage::Plan => "plan",
            Stage::Proof => "proof",
            Stage::Allow => "allow",
            Stage::Mode => "mode",
        }
    }
}

/// What a step said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    /// Nothing: the next one is looked at.
    Nothing,
    /// It is allowed, or that part of it is.
    Allow,
    /// It is asked for.
    Ask,
    /// It is denied.
    Deny,
}

impl Said {
    /// The word as it is shown.
    pub fn as_str(self) -> &'static str {
        match self {
            Said::Nothing => "-",
            Said::Allow => "allow",
            Said::Ask => "ask",
            Said::Deny => "deny",
        }
    }
}

impl Decision {
    /// Why it is asked for, if it is for more than what the mode asks for in general; a few words each.
    pub fn reasons(&self) -> impl Iterator<Item = String> {
        let asked = self
            .steps
            .iter()
            .filter(|step| step.said == Said::Ask && step.stage != Stage::Mode);
        asked.map(Step::told)
    }

    /// All of it for a person to read: what becomes of the call, what was looked at, and which rules would allow it.
    pub fn explain(&self) -> String {
        let mut text = match &self.verdict {
            Verdict::Allow(_) => "allowed: it happens unasked".to_owned(),
            Verdict::Ask(_) => "asked: a person decides".to_owned(),
            Verdict::Deny(reason) => format!("denied: {}", visible(reason)),
        };
        text.push('\n');
        for step in &self.steps {
            let (stage, said) = (step.stage.as_str(), step.said.as_str());
            // Writing to a string does not fail.
            let _ = write!(text, "  {stage:<7} {said:<6} ");
            if let Some(rule) = &step.rule {
                let _ = write!(text, "{} ({}) ", rule.text, rule.place);
            }
            let _ = writeln!(text, "{}", visible(&step.reason));
        }
        if let Some(question) = &self.question
            && !question.rules.is_empty()
        {
            let rules = question.rules.join(", ");
            let _ = writeln!(text, "  to allow it: {rules}");
        }
        text
    }
}

/// The verdict on something that needs no review of its own.
pub(super) const UNASKED: Verdict = Verdict::Allow(Review::After);
