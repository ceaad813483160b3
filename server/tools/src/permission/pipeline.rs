//! The order in which a call is judged: what nobody can allow, rules that deny, rules that ask, what asks in every mode,
//! rules that allow, the mode; what is left is a person's. Looks at effects and at the tool's name, which only rules know;
//! asks nobody.
//!
//! Hooks come before all of it: they may deny or ask, and what they allow still goes this way.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::decision::{Decision, Said, Stage, Step, UNASKED};
use super::facts::{Analysed, Facts, is_inside};
use super::policy::{Action, Compiled, Request};
use super::protected::runs_or_configures;
use super::question;
use super::rule::{BASH, Fit, Pattern, Rule};
use super::{Mode, Verdict};
use crate::effect::Effect;
use crate::guard::name::folded;
use crate::port::Review;
use crate::sandbox::Profile;

/// Decides on a call: by the rules of all layers, and the session's own.
pub(super) fn decide(compiled: &Compiled, own: &[Arc<Rule>], request: &Request<'_>) -> Decision {
    let facts = Facts::of(request.effects, &compiled.settings);
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
                let reason = format!("`{}`: {}", question::visible(&danger.text), danger.why);
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

    /// What asks in every mode, whatever rules allow.
    fn always(&mut self) {
        let mut reasons = Vec::new();
        let facts = self.facts;
        let is_sensitive = |path: &&PathBuf| self.compiled.sensitive.contains(path);
        let secrets = facts.reads.iter().chain(&facts.writes).filter(is_sensitive);
        reasons.extend(secrets.map(|path| format!("{} may hold secrets", shown(path))));
        for path in &facts.writes {
            if runs_or_configures(path) || !facts.commands.is_empty() && is_closed(path) {
                reasons.push(format!(
                    "what is written to {} is run, or configures what is run, at a later time",
                    shown(path)
                ));
            }
        }
        if self.request.mode != Mode::Bypass {
            for Analysed { command, analysis } in &facts.commands {
                for discard in &analysis.discards {
                    let text = question::visible(&discard.text);
                    reasons.push(format!("`{text}`: {}", discard.why));
                }
                if looseness(command.sandbox) > looseness(self.compiled.settings.sandbox) {
                    reasons.push(match command.sandbox {
                        Profile::Off => "it runs outside the sandbox".to_owned(),
                        profile => format!(
                            "it runs with the sandbox `{}`, which confines less",
                            profile.as_str()
                        ),
                    });
                }
            }
        }
        if reasons.is_empty() {
            self.step(
                Stage::Always,
                None,
                Said::Nothing,
                "nothing that is asked for in every mode",
            );
        }
        let mut seen = std::collections::HashSet::new();
        reasons.retain(|reason| seen.insert(reason.clone()));
        for reason in reasons {
            self.step(Stage::Always, None, Said::Ask, reason);
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

    /// Whether rules allow all of it.
    fn is_allowed(&mut self) -> bool {
        let rules = self.rules_that(Action::Allow);
        if let Some(reason) = self.why_no_rule_counts() {
            let reason = format!("no rule that allows counts: {reason}");
            self.step(Stage::Allow, None, Said::Nothing, reason);
            return false;
        }
        let mut open = self.open_items();
        let mut allowed = false;
        for rule in rules {
            let (covered, rest): (Vec<Item<'_>>, Vec<Item<'_>>) =
                open.into_iter().partition(|item| self.allows(rule, item));
            open = rest;
            if covered.is_empty() {
                self.step(Stage::Allow, Some(rule), Said::Nothing, "does not match");
            }
            for item in covered {
                allowed = true;
                self.step(
                    Stage::Allow,
                    Some(rule),
                    Said::Allow,
                    format!("allows {item}"),
                );
            }
        }
        // What needs no rule of its own comes along, but is no reason to allow anything.
        for item in &open {
            let reason = format!("no rule allows {item}");
            self.step(Stage::Allow, None, Said::Nothing, reason);
        }
        allowed && open.is_empty()
    }

    /// Why nothing that rules allow holds for this call.
    fn why_no_rule_counts(&self) -> Option<String> {
        let facts = self.facts;
        for Analysed { command, analysis } in &facts.commands {
            if let Some(doubt) = analysis.doubts.first() {
                return Some(format!(
                    "`{}` {}",
                    question::visible(&doubt.text),
                    doubt.why
                ));
            }
            let unknown = analysis.writes.iter().find(|target| target.path.is_none());
            if let Some(target) = unknown.filter(|_| command.sandbox == Profile::Off) {
                let text = question::visible(&target.text);
                return Some(format!("nobody knows where it writes to with `{text}`"));
            }
        }
        if facts.commands.is_empty() {
            return None;
        }
        let outside = facts
            .writes
            .iter()
            .find(|path| !is_inside(path, self.request.roots));
        outside.map(|path| format!("it writes to {}, outside the workspace", shown(path)))
    }

    /// What rules have to allow.
    fn open_items(&self) -> Vec<Item<'a>> {
        let (facts, roots) = (self.facts, self.request.roots);
        let mut items = Vec::new();
        for one in &facts.commands {
            let strict = one.reads_elsewhere(&facts.reads, roots);
            let parts = one.analysis.parts.iter();
            let before = items.len();
            items.extend(
                parts
                    .filter(|part| part.needs_rule || strict)
                    .map(|part| Item::Part(one, part)),
            );
            if items.len() == before {
                items.push(Item::Whole("a command in which nothing needs a rule"));
            }
        }
        if facts.commands.is_empty() {
            items.extend(facts.writes.iter().map(|path| Item::Write(path)));
            items.extend(facts.hosts.iter().map(|host| Item::Host(host)));
            if facts.unknown_writes {
                items.push(Item::Whole("writing to places that are not known"));
            }
            if facts.unknown_hosts {
                items.push(Item::Whole("talking to hosts that are not known"));
            }
            if facts.git_index {
                items.push(Item::Whole("changing the repository"));
            }
        }
        if facts.workspace {
            items.push(Item::Whole("touching anything in the workspace"));
        }
        items
    }

    /// Whether a rule of those that are in force allows this part of a command.
    fn is_covered(&self, part: &crate::command::Part) -> bool {
        let about =
            |rule: &&&Rule| rule.action() == Action::Allow && rule.is_about(self.request.tool);
        self.rules
            .iter()
            .filter(about)
            .any(|rule| match &rule.pattern {
                Pattern::Whole => true,
                Pattern::Command(pattern) => pattern.allows(part),
                _ => false,
            })
    }

    fn allows(&self, rule: &Rule, item: &Item<'_>) -> bool {
        if !rule.is_about(self.request.tool) {
            return false;
        }
        match (&rule.pattern, item) {
            (Pattern::Whole, _) => true,
            (Pattern::Command(pattern), Item::Part(one, part)) => {
                pattern.allows(part) || pattern.is_line(&one.command.line)
            }
            (Pattern::Path(pattern), Item::Write(path)) => pattern.allows(path, self.request.roots),
            (Pattern::Host(pattern), Item::Host(host)) => pattern.matches(host),
            _ => false,
        }
    }

    /// Whether a rule forbids the call, and what of it.
    fn forbids(&self, rule: &Rule) -> Option<(Fit, String)> {
        let (facts, tool) = (self.facts, self.request.tool);
        let about_reading = is_about_reading(rule, tool);
        let about_changes = rule.is_about(tool) || rule.is_about_changes();
        if rule.is_about(tool) && matches!(rule.pattern, Pattern::Whole | Pattern::Unknown) {
            return Some((Fit::Yes, format!("`{tool}`")));
        }
        let reads = facts.reads.iter().filter(|_| about_reading);
        let writes = facts.writes.iter().filter(|_| about_changes);
        let mut paths = reads.chain(writes);
        match &rule.pattern {
            Pattern::Whole | Pattern::Path(_) => paths
                .find(|path| forbids_path(rule, path, self.request.roots))
                .map(|path| (Fit::Yes, shown(path))),
            Pattern::Command(pattern) => {
                let about = rule.is_about(BASH) || rule.is_about(tool);
                let commands = facts.commands.iter().filter(|_| about);
                let fits = commands.flat_map(|one| {
                    let text = pattern.forbids_text(&one.command.line, &one.analysis);
                    let whole = text.then_some((Fit::Yes, one.command.line.as_str()));
                    let parts = one.analysis.parts.iter();
                    whole
                        .into_iter()
                        .chain(parts.map(|part| (pattern.forbids(part), part.text.as_str())))
                });
                // The first of the strictest.
                let worst = fits.reduce(|worst, fit| if fit.0 > worst.0 { fit } else { worst });
                worst
                    .filter(|(fit, _)| *fit > Fit::No)
                    .map(|(fit, text)| (fit, format!("`{}`", question::visible(text))))
            }
            Pattern::Host(pattern) if rule.is_about_hosts() => {
                let mut hosts = facts.hosts.iter();
                if let Some(host) = hosts.find(|host| pattern.matches(host)) {
                    return Some((Fit::Yes, format!("`{}`", question::visible(host))));
                }
                let unknown = facts.unknown_hosts && rule.is_about(tool);
                unknown.then(|| (Fit::Perhaps, "a host that is not known".to_owned()))
            }
            Pattern::Host(_) | Pattern::Unknown => None,
        }
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

/// Something that a rule has to allow.
enum Item<'a> {
    Part(&'a Analysed<'a>, &'a crate::command::Part),
    Write(&'a Path),
    Host(&'a str),
    /// Only a rule for all calls of the tool allows it.
    Whole(&'static str),
}

impl std::fmt::Display for Item<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Item::Part(_, part) => write!(formatter, "`{}`", question::visible(&part.text)),
            Item::Write(path) => formatter.write_str(&shown(path)),
            Item::Host(host) => write!(formatter, "`{}`", question::visible(host)),
            Item::Whole(what) => formatter.write_str(what),
        }
    }
}

/// Whether a rule is about the reading of files by a tool. The names that `glob` lists are no content.
pub(super) fn is_about_reading(rule: &Rule, tool: &str) -> bool {
    rule.is_about(tool) || rule.is_about_reading() && tool != "glob"
}

/// Whether a rule on paths forbids this one.
pub(super) fn forbids_path(rule: &Rule, path: &Path, roots: &[PathBuf]) -> bool {
    match &rule.pattern {
        Pattern::Whole => true,
        Pattern::Path(pattern) => pattern.forbids(path, roots),
        Pattern::Command(_) | Pattern::Host(_) | Pattern::Unknown => false,
    }
}

/// Whether a path is in a folder of git's or of MewCode's, which file tools never write.
fn is_closed(path: &Path) -> bool {
    path.components()
        .any(|part| matches!(folded(part.as_os_str()).as_ref(), ".git" | ".mewcode"))
}

fn looseness(profile: Profile) -> u8 {
    match profile {
        Profile::ReadOnly => 0,
        Profile::WorkspaceWrite => 1,
        Profile::Off => 2,
    }
}

fn shown(path: &Path) -> String {
    format!("`{}`", question::visible(&path.display().to_string()))
}
