//! Asking a person whether a call may happen: the question, the answer, and what follows from it. Outside all time-outs.
//! Knows no tool by name, and no surface on which questions are shown.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;

use super::{CallContext, Runtime};
use crate::contract::ToolContract;
use crate::effect::Effect;
use crate::error::ToolError;
use crate::notice::Notice;
use crate::permission::{Decision, Verdict};
use crate::port::{Answer, Permission, Question, Subject};
use crate::result::ToolResult;

/// What a person, or a rule that came meanwhile, said to a call.
pub(super) enum Consent {
    /// It may run. What its result has to say besides, in whole sentences.
    Given(Vec<String>),
    /// It ends here.
    Refused(Box<ToolResult>),
}

impl Consent {
    fn refused(error: ToolError) -> Consent {
        Consent::Refused(Box::new(ToolResult::error(error)))
    }
}

impl Runtime {
    /// Asks whether a call with these effects may run. Whatever is answered holds for exactly these effects: rules that
    /// came meanwhile are looked at once more before it runs.
    pub(super) async fn ask(
        &self,
        context: &CallContext,
        contract: &ToolContract,
        effects: &[Effect],
        decision: Decision,
    ) -> Consent {
        let (true, Some(mut permission)) =
            (self.host.asker.is_attended(), decision.question.clone())
        else {
            return Consent::refused(unattended(contract, &decision));
        };
        permission.place = self
            .host
            .keeper
            .as_ref()
            .filter(|_| !permission.rules.is_empty())
            .map(|keeper| keeper.place());
        let title = permission.title.clone();
        context.notices.tell(Notice::Asked {
            title: title.clone(),
        });
        let (told, consent) = self
            .settled(context, contract, effects, permission, &decision)
            .await;
        context.notices.tell(Notice::Answered {
            title,
            answer: told,
        });
        consent
    }

    /// The answer in a few words, and what follows from it.
    async fn settled(
        &self,
        context: &CallContext,
        contract: &ToolContract,
        effects: &[Effect],
        permission: Permission,
        decision: &Decision,
    ) -> (String, Consent) {
        let answer = match self.answered(context, contract, effects, &permission).await {
            Ok(answer) => answer,
            Err(Verdict::Deny(reason)) => {
                let error = ToolError::denied_by_policy(reason);
                return ("denied by a rule".to_owned(), Consent::refused(error));
            }
            Err(_) => return ("allowed by a rule".to_owned(), Consent::Given(Vec::new())),
        };
        let offers_rules = !permission.rules.is_empty();
        let offers_always = offers_rules && permission.place.is_some();
        let (told, notes) = match answer {
            Answer::AllowSession if offers_rules => (
                "allowed for this session",
                self.add_rules(context, &permission.rules, None),
            ),
            Answer::AllowAlways if offers_always => (
                "always allowed",
                self.keep_rules(context, &permission.rules).await,
            ),
            // What was not offered is not more than this once.
            Answer::AllowOnce | Answer::AllowSession | Answer::AllowAlways => {
                ("allowed once", Vec::new())
            }
            Answer::Deny { feedback } => {
                let error = rejected(&permission.title, feedback.as_deref());
                return ("denied".to_owned(), Consent::refused(error));
            }
            Answer::Withdrawn => {
                let result = ToolResult::interrupted(
                    "The question was withdrawn before anybody answered. Nothing was run.",
                );
                return ("withdrawn".to_owned(), Consent::Refused(Box::new(result)));
            }
            Answer::Unattended => {
                let error = unattended(contract, decision);
                return ("nobody is there".to_owned(), Consent::refused(error));
            }
            Answer::Chosen(_) => {
                let error = ToolError::internal(format!(
                    "The question \"{}\" was answered with a choice, which is no answer to it; nothing was run.",
                    permission.title
                ));
                return ("no answer to it".to_owned(), Consent::refused(error));
            }
        };
        // Once more, for the rules may be others by now. What is still to be asked was just answered.
        let consent = match self.decision(context, contract, effects).verdict {
            Verdict::Deny(reason) => Consent::refused(ToolError::denied_by_policy(reason)),
            Verdict::Allow(_) | Verdict::Ask(_) => Consent::Given(notes),
        };
        (told.to_owned(), consent)
    }

    /// Waits for the answer. `Err`: what rules that came meanwhile say, and the question is withdrawn.
    async fn answered(
        &self,
        context: &CallContext,
        contract: &ToolContract,
        effects: &[Effect],
        permission: &Permission,
    ) -> Result<Answer, Verdict> {
        let mut changes = self.host.policy.changes();
        let question = Question {
            session: context.session.clone(),
            call: context.call.clone(),
            tool: contract.name.clone(),
            reason: context.reason.clone(),
            subject: Subject::Permission(permission.clone()),
        };
        let asking = self.host.asker.ask(question, context.cancel.child_token());
        // An asker that breaks off has no answer: then nobody allowed anything.
        let mut asking = AssertUnwindSafe(asking).catch_unwind();
        loop {
            // A rule that came between the decision and now counts as well.
            match self.decision(context, contract, effects).verdict {
                Verdict::Ask(_) => {}
                settled => return Err(settled),
            }
            tokio::select! {
                biased;
                () = context.cancel.cancelled() => return Ok(Answer::Withdrawn),
                answer = &mut asking => return Ok(answer.unwrap_or(Answer::Unattended)),
                changed = changes.changed() => {
                    // The policy lives as long as this runtime.
                    if changed.is_err() {
                        return Ok(asking.await.unwrap_or(Answer::Unattended));
                    }
                }
            }
        }
    }

    /// Adds rules for the session, and tells of them.
    fn add_rules(
        &self,
        context: &CallContext,
        rules: &[String],
        place: Option<&str>,
    ) -> Vec<String> {
        let mut notes = Vec::new();
        for rule in rules {
            match self.host.policy.allow_for_session(&context.session, rule) {
                Ok(()) => context.notices.tell(Notice::RuleAdded {
                    rule: rule.clone(),
                    place: place.map(str::to_owned),
                }),
                Err(error) => notes.push(format!("The rule could not be added: {error}.")),
            }
        }
        notes
    }

    /// Writes rules down, and adds them for the session, so that they hold at once. If they cannot be written they hold
    /// for the session, and the result says so.
    async fn keep_rules(&self, context: &CallContext, rules: &[String]) -> Vec<String> {
        let kept = match self.host.keeper.clone() {
            Some(keeper) => {
                let rules: Arc<[String]> = rules.into();
                let keeping = tokio::task::spawn_blocking(move || keeper.keep(&rules));
                keeping
                    .await
                    .unwrap_or_else(|_| Err("Writing them broke off.".to_owned()))
            }
            None => Err("There is no place for them.".to_owned()),
        };
        match kept {
            Ok(place) => self.add_rules(context, rules, Some(&place)),
            Err(reason) => {
                let mut notes = self.add_rules(context, rules, None);
                let rules = rules.join("`, `");
                notes.push(format!(
                    "The user allowed this for ever, but the rules `{rules}` could not be written and hold for this session only: {reason}"
                ));
                notes
            }
        }
    }
}

/// The error of a call that needs consent where nobody can give it.
fn unattended(contract: &ToolContract, decision: &Decision) -> ToolError {
    let reasons: Vec<String> = decision.reasons().collect();
    let reason = if reasons.is_empty() {
        String::new()
    } else {
        format!("{}: ", reasons.join("; "))
    };
    let error = ToolError::denied_by_policy(format!(
        "{reason}`{}` needs the user's consent, and there is nobody to ask here.",
        contract.name
    ));
    let rules = decision
        .question
        .as_ref()
        .map(|question| question.rules.as_slice());
    match rules {
        None | Some([]) => error,
        Some(rules) => error.with("rules", rules.to_vec()),
    }
}

fn rejected(title: &str, feedback: Option<&str>) -> ToolError {
    let said = match feedback.map(str::trim).filter(|word| !word.is_empty()) {
        Some(word) if word.ends_with(['.', '!', '?']) => format!(": {word}"),
        Some(word) => format!(": {word}."),
        None => ".".to_owned(),
    };
    ToolError::rejected_by_user(format!("The user said no to \"{title}\"{said}"))
        .suggest("Do not try it in another way; follow what the user said, or ask.")
}

#[cfg(test)]
mod tests;
