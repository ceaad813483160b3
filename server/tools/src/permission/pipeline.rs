//! The order in which a call is judged: what nobody can allow, rules that deny, rules that ask, what asks in every mode,
//! rules that allow, the mode; what is left is a person's. Looks at effects and at the tool's name, which only rules know;
//! asks nobody.

use std::path::Path;
use std::sync::Arc;

use super::decision::{Decision, Said, Stage, Step, UNASKED};
use super::facts::Facts;
use super::policy::{Action, Compiled, Request};
use super::question;
use super::rule::{Fit, Rule};
use super::{Mode, Verdict};
use crate::effect::Effect;
use crate::port::Review;
use crate::sandbox::Profile;
use crate::unseen::visible;

mod allowed;
mod always;
mod forbidden;

pub(super) use forbidden::{forbids_path, is_about_reading};

pub(super) fn decide(compiled: &Compiled, own: &[Arc<Rule>], request: &Request<'_>) -> Decision {
    let facts = Facts::of(request.effects, &compiled.settings, request.roots);
    let rules: Vec<&Rule> = own.iter().map(Arc::as_ref).chain(&compiled.rules).collect();
    let judge = Judge {
        compiled,
        request,
        facts: &facts,
        rules,
        steps: Vec::new(),
    };
    let (verdict, steps) = judge.clone().run();
    let question = matches!(verdict, Verdict::Ask(_)).then(|| {
        let offered = offered(&judge);
        question::build(request, &facts, &steps, offered)
    });
    Decision {
        verdict,
        steps,
        question,
    }
}

/// The rules that would let this very call happen unasked, all of them together; none if no rules of ours would.
fn offered(judge: &Judge<'_>) -> Vec<String> {
    let Some(texts) =
        question::candidates(judge.request, judge.facts, |part| judge.is_covered(part))
    else {
        return Vec::new();
    };
    let home = judge.compiled.settings.home.as_deref();
    let read = |text: &String| {
        let layer = super::Layer::Session;
        let source = super::RuleSource::new(layer, Action::Allow, text.clone(), "");
        Rule::read(source, home)
    };
    let Ok(added) = texts.iter().map(read).collect::<Result<Vec<_>, _>>() else {
        return Vec::new();
    };
    let mut judge = judge.clone();
    judge.rules.extend(&added);
    match judge.run().0 {
        Verdict::Allow(_) => texts,
        Verdict::Ask(_) | Verdict::Deny(_) => Vec::new(),
    }
}

#[derive(Clone)]
struct Judge<'a> {
    compiled: &'a Compiled,
    request: &'a Request<'a>,
    facts: &'a Facts<'a>,
    rules: Vec<&'a Rule>,
    steps: Vec<Step>,
}

impl<'a> Judge<'a> {
    fn run(mut self) -> (Verdict, Vec<Step>) {
        let verdict = self.judge();
        (verdict, self.steps)
    }

    fn judge(&mut self) -> Verdict {
        if let Some(reason) = self.floor() {
            return Verdict::Deny(reason);
        }
        if let Some(reason) = self.denied() {
            return Verdict::Deny(reason);
        }
        self.asked();
        self.always();
        let changes = !self.facts.only_reads();
        if self.request.mode == Mode::Plan && changes {
            let reason = "The mode `plan` allows no changes: describe them instead.";
            self.step(Stage::Plan, None, Said::Deny, reason);
            return Verdict::Deny(reason.to_owned());
        }
        let asks = |step: &&Step| step.said == Said::Ask;
        if let Some(step) = self.steps.iter().find(asks) {
            if self.request.mode == Mode::DontAsk {
                return Verdict::Deny(format!(
                    "{} That needs the user's consent, and the mode `dont_ask` asks no questions.",
                    question::sentence(&step.told())
                ));
            }
            return Verdict::Ask(Review::Before);
        }
        if self.needs_no_consent() || self.is_allowed() {
            return UNASKED;
        }
        self.by_mode()
    }

    fn step(&mut self, stage: Stage, rule: Option<&Rule>, said: Said, reason: impl Into<String>) {
        self.steps.push(Step {
            stage,
            rule: rule.map(|rule| rule.source.clone()),
            said,
            reason: reason.into(),
        });
    }

    fn rules_that(&self, action: Action) -> Vec<&'a Rule> {
        let rules = self.rules.iter().copied();
        rules.filter(|rule| rule.action() == action).collect()
    }

    /// What nobody can allow.
    fn floor(&mut self) -> Option<String> {
        let facts = self.facts;
        let mut dangers = facts.commands.iter().flat_map(|one| &one.analysis.dangers);
        let danger = dangers.next();
        match danger {
            Some(danger) => {
                let reason = format!("`{}`: {}", visible(&danger.text), danger.why);
                self.step(Stage::Floor, None, Said::Deny, reason.clone());
                Some(format!("{reason} No rule and no mode allows it."))
            }
            None => {
                self.step(Stage::Floor, None, Said::Nothing, "no known danger");
                None
            }
        }
    }

    fn denied(&mut self) -> Option<String> {
        for rule in self.rules_that(Action::Deny) {
            match self.forbids(rule) {
                Some((Fit::Yes, what)) => {
                    let reason = format!("denies {what}");
                    self.step(Stage::Deny, Some(rule), Said::Deny, reason);
                    let source = &rule.source;
                    return Some(format!(
                        "The rule `{}` ({}) denies {what}.",
                        source.text, source.place
                    ));
                }
                Some((_, what)) => {
                    let reason = format!("may deny {what}: not all of it is known");
                    self.step(Stage::Deny, Some(rule), Said::Ask, reason);
                }
                None => self.step(Stage::Deny, Some(rule), Said::Nothing, "does not match"),
            }
        }
        None
    }

    fn asked(&mut self) {
        for rule in self.rules_that(Action::Ask) {
            match self.forbids(rule) {
                Some((_, what)) => {
                    let reason = format!("asks for {what}");
                    self.step(Stage::Ask, Some(rule), Said::Ask, reason);
                }
                None => self.step(Stage::Ask, Some(rule), Said::Nothing, "does not match"),
            }
        }
    }

    /// Whether it only looks.
    fn needs_no_consent(&mut self) -> bool {
        let (facts, roots) = (self.facts, self.request.roots);
        if facts.only_reads() {
            self.step(Stage::Proof, None, Said::Allow, "it only reads");
            return true;
        }
        if facts.commands.is_empty() {
            return false;
        }
        let mut commands = facts.commands.iter();
        let proven = commands.all(|one| one.is_proven(&facts.reads, roots))
            && facts.writes.is_empty()
            && facts.hosts.is_empty()
            && !(facts.unknown_writes || facts.unknown_hosts || facts.git_index || facts.workspace);
        if proven {
            let reason = "every part of it is known to do nothing but read";
            self.step(Stage::Proof, None, Said::Allow, reason);
        } else {
            let reason = question::why_unproven(facts, roots);
            self.step(Stage::Proof, None, Said::Nothing, reason);
        }
        proven
    }

    /// What the mode says to all that nothing else decided.
    fn by_mode(&mut self) -> Verdict {
        let mode = self.request.mode;
        let facts = self.facts;
        let files_only = self
            .request
            .effects
            .iter()
            .all(|effect| matches!(effect, Effect::Read(_) | Effect::Write(_)));
        let confined = !facts.commands.is_empty()
            && !facts.git_index
            && !facts.workspace
            && facts
                .commands
                .iter()
                .all(|one| one.command.sandbox != Profile::Off);
        let (said, reason) = match mode {
            Mode::Plan => (Said::Deny, "the mode `plan` allows no changes"),
            Mode::DontAsk => (Said::Deny, "the mode `dont_ask` asks no questions"),
            Mode::Bypass => (Said::Allow, "the mode `bypass` does it unasked"),
            Mode::AcceptEdits if files_only => {
                (Said::Allow, "the mode `accept_edits` changes files unasked")
            }
            Mode::AcceptEdits if confined => (
                Said::Allow,
                "the mode `accept_edits` runs commands in a sandbox unasked",
            ),
            Mode::AcceptEdits => (
                Said::Ask,
                "the mode `accept_edits` asks for all but files and what is in a sandbox",
            ),
            Mode::Default => (
                Said::Ask,
                "the mode `default` asks for all that is not allowed",
            ),
        };
        self.step(Stage::Mode, None, said, reason);
        match said {
            Said::Allow => UNASKED,
            Said::Deny => Verdict::Deny(
                "This needs the user's consent, and the mode `dont_ask` asks no questions."
                    .to_owned(),
            ),
            Said::Ask | Said::Nothing => Verdict::Ask(Review::Before),
        }
    }
}

fn shown(path: &Path) -> String {
    format!("`{}`", visible(&path.display().to_string()))
}
