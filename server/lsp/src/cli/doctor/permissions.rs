//! What `mewcode doctor` tells of permissions: the rules, the trust in the workspace, the sandbox, the shell.

use std::path::{Path, PathBuf};

use mewcode_tools::permission::Action;
use mewcode_tools::process::SHELLS;
use mewcode_tools::sandbox::{self, Profile};

use super::Report;
use crate::config::{self, Config};
use crate::trust::TrustState;

/// Looks at all of it.
pub fn look(report: &mut Report, config: &Config, root: Option<&Path>) {
    rules(report, config);
    trust(report, config);
    sandbox(report, config, root);
    shell(report);
}

/// That they are right was seen when the configuration was loaded.
fn rules(report: &mut Report, config: &Config) {
    let rules = config.policy().rules;
    let count = |action| rules.iter().filter(|rule| rule.action == action).count();
    report.well(format!(
        "mode {}; {} rules that allow, {} that ask, {} that deny (`mewcode permissions list`)",
        config.mode(),
        count(Action::Allow),
        count(Action::Ask),
        count(Action::Deny)
    ));
}

fn trust(report: &mut Report, config: &Config) {
    let state = config.trust_state();
    match &state {
        TrustState::Nothing => {
            report.well("the workspace's files grant nothing that is not in force")
        }
        TrustState::Trusted => report.well("the workspace is trusted with what its files grant"),
        TrustState::Untrusted | TrustState::Changed => report.notice(format!(
            "the workspace is {state} (`mewcode trust` shows what its files would grant)"
        )),
        TrustState::Impossible(_) => report.notice(format!("the workspace {state}")),
    }
}

fn sandbox(report: &mut Report, config: &Config, root: Option<&Path>) {
    let profile = config.sandbox();
    let places = config::places();
    let policy = sandbox::Policy {
        profile,
        roots: root.map(PathBuf::from).into_iter().collect(),
        writable: config.writable(),
        closed: places.closed,
        home: places.home,
        ..sandbox::Policy::default()
    };
    let mut lines = sandbox::describe(&policy).into_iter();
    let first = lines.next().unwrap_or_default();
    match (profile, sandbox::available()) {
        (Profile::Off, Err(why)) => {
            report.notice(format!("{first} (this system has no sandbox: {why})"));
        }
        (Profile::Off, Ok(_)) => report.notice(first),
        (_, Ok(_)) => report.well(first),
        (_, Err(_)) => report.broken(first),
    }
    lines.for_each(|line| report.detail(line));
}

fn shell(report: &mut Report) {
    match SHELLS.iter().find(|shell| Path::new(shell).exists()) {
        Some(shell) => report.well(format!("commands are run by {shell}")),
        None => report.broken(format!(
            "no command can be run: there is no bash (looked for: {})",
            SHELLS.join(", ")
        )),
    }
}
