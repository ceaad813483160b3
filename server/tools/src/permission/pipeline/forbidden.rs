//! Whether a rule that denies or asks is about a call: about any part of it, by whatever way it is reached, also where not
//! all of it is known. Knows nothing of rules that allow.

use std::path::{Path, PathBuf};

use super::{Judge, shown};
use crate::permission::facts::Analysed;
use crate::permission::rule::{BASH, Fit, Pattern, Rule};
use crate::unseen::visible;

impl Judge<'_> {
    /// Whether a rule forbids the call, and what of it.
    pub(super) fn forbids(&self, rule: &Rule) -> Option<(Fit, String)> {
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
                .map(|path| (Fit::Yes, shown(path)))
                .or_else(|| self.may_forbid_path(rule, about_reading, about_changes)),
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
                    .map(|(fit, text)| (fit, format!("`{}`", visible(text))))
            }
            Pattern::Host(pattern) if rule.is_about_hosts() => {
                let mut hosts = facts.hosts.iter();
                if let Some(host) = hosts.find(|host| pattern.matches(host)) {
                    return Some((Fit::Yes, format!("`{}`", visible(host))));
                }
                let unknown = facts.unknown_hosts && rule.is_about(tool);
                unknown.then(|| (Fit::Perhaps, "a host that is not known".to_owned()))
            }
            Pattern::Host(_) | Pattern::Unknown => None,
        }
    }

    /// What a rule on paths may forbid of a call of which not every path is known.
    fn may_forbid_path(
        &self,
        rule: &Rule,
        about_reading: bool,
        about_changes: bool,
    ) -> Option<(Fit, String)> {
        let facts = self.facts;
        if about_changes && facts.unknown_writes {
            return Some((
                Fit::Perhaps,
                "writing to places that are not known".to_owned(),
            ));
        }
        if about_reading && facts.unknown_reads {
            return Some((Fit::Perhaps, "reading files that are not known".to_owned()));
        }
        let Pattern::Path(pattern) = &rule.pattern else {
            return None;
        };
        // Searches of ours leave out what is not to be read; commands do not.
        let contents = about_reading && facts.commands.iter().any(reads_contents);
        let reads = facts.reads.iter().filter(|_| contents);
        let writes = facts.writes.iter().filter(|_| about_changes);
        let mut folders = reads.chain(writes);
        folders
            .find(|path| pattern.is_below(path, self.request.roots))
            .map(|path| (Fit::Perhaps, shown(path)))
    }
}

/// Whether a command reads more of a folder than the names and properties of what is in it.
fn reads_contents(one: &Analysed<'_>) -> bool {
    const LISTING: &[&str] = &[
        "[", "cd", "du", "echo", "fd", "file", "find", "git", "ls", "pwd", "realpath", "stat",
        "test", "tree",
    ];
    let mut parts = one.analysis.parts.iter();
    parts.any(|part| {
        !part
            .words
            .first()
            .is_some_and(|word| LISTING.contains(&word.text.as_str()))
    })
}

/// Whether a rule is about the reading of files by a tool. The names that `glob` lists are no content.
pub(in crate::permission) fn is_about_reading(rule: &Rule, tool: &str) -> bool {
    rule.is_about(tool) || rule.is_about_reading() && tool != "glob"
}

/// Whether a rule on paths forbids this one.
pub(in crate::permission) fn forbids_path(rule: &Rule, path: &Path, roots: &[PathBuf]) -> bool {
    match &rule.pattern {
        Pattern::Whole => true,
        Pattern::Path(pattern) => pattern.forbids(path, roots),
        Pattern::Command(_) | Pattern::Host(_) | Pattern::Unknown => false,
    }
}
