//! Whether rules allow all of a call: every part of a command, every file, every host, each by some rule. Knows nothing of
//! rules that deny or ask.

use std::fmt;
use std::path::Path;

use super::{Judge, shown};
use crate::command::Part;
use crate::permission::Mode;
use crate::permission::decision::{Said, Stage};
use crate::permission::facts::{Analysed, is_inside};
use crate::permission::policy::Action;
use crate::permission::rule::{Pattern, Rule};
use crate::sandbox::Profile;
use crate::unseen::visible;

/// The tool whose rules are for every change of a file.
const EDIT: &str = "edit_file";

/// Something that a rule has to allow.
enum Item<'a> {
    Part(&'a Analysed<'a>, &'a Part),
    Write(&'a Path),
    /// What a redirection writes: as a change by a file tool is.
    Redirected(&'a Analysed<'a>, &'a Path),
    Host(&'a str),
    /// Only a rule for all calls of the tool allows it.
    Whole(&'static str),
}

impl fmt::Display for Item<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Item::Part(_, part) => write!(formatter, "`{}`", visible(&part.text)),
            Item::Write(path) => formatter.write_str(&shown(path)),
            Item::Redirected(_, path) => write!(formatter, "what is written to {}", shown(path)),
            Item::Host(host) => write!(formatter, "`{}`", visible(host)),
            Item::Whole(what) => formatter.write_str(what),
        }
    }
}

impl<'a> Judge<'a> {
    /// Whether rules allow all of it.
    pub(super) fn is_allowed(&mut self) -> bool {
        let rules = self.rules_that(Action::Allow);
        if let Some(reason) = self.why_no_rule_counts() {
            let reason = format!("no rule that allows counts: {reason}");
            self.step(Stage::Allow, None, Said::Nothing, reason);
            return false;
        }
        let items = self.items();
        for rule in &rules {
            let allowed = items.iter().filter(|item| self.allows(rule, item));
            let reasons: Vec<String> = allowed.map(|item| format!("allows {item}")).collect();
            if reasons.is_empty() {
                self.step(Stage::Allow, Some(rule), Said::Nothing, "does not match");
            }
            for reason in reasons {
                self.step(Stage::Allow, Some(rule), Said::Allow, reason);
            }
        }
        let is_open = |item: &&Item<'_>| !rules.iter().any(|rule| self.allows(rule, item));
        let open: Vec<&Item<'_>> = items.iter().filter(is_open).collect();
        for item in &open {
            let reason = format!("no rule allows {item}");
            self.step(Stage::Allow, None, Said::Nothing, reason);
        }
        open.is_empty() && !items.is_empty()
    }

    /// Why nothing that rules allow holds for this call.
    fn why_no_rule_counts(&self) -> Option<String> {
        let facts = self.facts;
        for Analysed { command, analysis } in &facts.commands {
            if let Some(doubt) = analysis.doubts.first() {
                return Some(format!("`{}` {}", visible(&doubt.text), doubt.why));
            }
            let unknown = analysis.writes.iter().find(|target| target.path.is_none());
            if let Some(target) = unknown.filter(|_| command.sandbox == Profile::Off) {
                let text = visible(&target.text);
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

    /// What rules have to allow; what needs no rule of its own comes along.
    fn items(&self) -> Vec<Item<'a>> {
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
        if !matches!(self.request.mode, Mode::AcceptEdits | Mode::Bypass) {
            for one in &facts.commands {
                let redirected = &one.analysis.redirected;
                if redirected.iter().any(|target| target.path.is_none()) {
                    items.push(Item::Whole("writing to a file that is not known"));
                }
                if !redirected.is_empty() {
                    // Those among them as well to which links lead.
                    let writes = facts.writes.iter();
                    items.extend(writes.map(|path| Item::Redirected(one, path)));
                }
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
    pub(super) fn is_covered(&self, part: &Part) -> bool {
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
        if let (Item::Redirected(_, path), Pattern::Path(pattern)) = (item, &rule.pattern) {
            return rule.is_about(EDIT) && pattern.allows(path, self.request.roots);
        }
        if let (Item::Redirected(..), Pattern::Whole) = (item, &rule.pattern) {
            return rule.is_about(EDIT) || rule.is_about(self.request.tool);
        }
        if !rule.is_about(self.request.tool) {
            return false;
        }
        match (&rule.pattern, item) {
            (Pattern::Whole, _) => true,
            (Pattern::Command(pattern), Item::Part(one, part)) => {
                pattern.allows(part) || pattern.is_line(&one.command.line)
            }
            (Pattern::Command(pattern), Item::Redirected(one, _)) => {
                pattern.is_line(&one.command.line)
            }
            (Pattern::Path(pattern), Item::Write(path)) => pattern.allows(path, self.request.roots),
            (Pattern::Host(pattern), Item::Host(host)) => pattern.matches(host),
            _ => false,
        }
    }
}
