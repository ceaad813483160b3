//! The examples that a rule carries, tried when it is read: what it must match and what it must not.

use std::path::{Path, PathBuf};

use super::command::Fit;
use super::{Fault, Pattern, Rule};
use crate::command::{Surroundings, analyse};
use crate::permission::policy::Action;

/// The root that paths of examples are relative to.
const ROOT: &str = "/workspace";

/// Checks all examples of a rule.
pub(super) fn check(rule: &Rule, home: Option<&Path>) -> Result<(), Fault> {
    let wrong = |list: &[String], expected: bool| {
        let mut examples = list.iter();
        examples
            .find(|example| matches(rule, example, home) != expected)
            .cloned()
    };
    if let Some(example) = wrong(&rule.source.matches, true) {
        return Err(Fault::at(
            1,
            format!("it does not match its example `{example}`"),
        ));
    }
    if let Some(example) = wrong(&rule.source.not_matches, false) {
        return Err(Fault::at(
            1,
            format!("it matches `{example}`, which its examples say it must not"),
        ));
    }
    Ok(())
}

fn matches(rule: &Rule, example: &str, home: Option<&Path>) -> bool {
    let allows = rule.action() == Action::Allow;
    match &rule.pattern {
        Pattern::Whole | Pattern::Unknown => rule.is_about(example),
        Pattern::Host(pattern) => {
            let url = url::Url::parse(example).ok();
            let host = url.as_ref().and_then(|url| url.host_str());
            pattern.matches(host.unwrap_or(example))
        }
        Pattern::Path(pattern) => {
            let roots = [PathBuf::from(ROOT)];
            let path = match (example.strip_prefix("~/"), home) {
                (Some(rest), Some(home)) => home.join(rest),
                _ => roots[0].join(example),
            };
            if allows {
                pattern.allows(&path, &roots)
            } else {
                pattern.forbids(&path, &roots)
            }
        }
        Pattern::Command(pattern) => {
            let surroundings = Surroundings {
                workdir: PathBuf::from(ROOT),
                home: home.map(Path::to_owned),
                is_root: true,
            };
            let analysis = analyse(example, &surroundings);
            if !allows {
                return pattern.forbids_text(example, &analysis)
                    || analysis
                        .parts
                        .iter()
                        .any(|part| pattern.forbids(part) == Fit::Yes);
            }
            let mut parts = analysis.parts.iter();
            let covered = pattern.is_line(example)
                || parts.all(|part| !part.needs_rule || pattern.allows(part));
            // A rule is no match for a command that needs none.
            analysis.doubts.is_empty()
                && covered
                && analysis
                    .parts
                    .iter()
                    .any(|part| pattern.allows(part) || pattern.is_line(example))
        }
    }
}
