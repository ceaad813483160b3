//! Modes, and what they say to effects where there are no rules.

use super::*;

use crate::effect::{Command, Effect, EffectKind};

mod policy;
mod properties;
mod question;
mod table;

fn write(path: &str) -> Vec<Effect> {
    vec![Effect::Write(vec![path.into()])]
}

/// `allow`, `ask` or `deny`, with the review where there is one.
fn verdict(mode: Mode, effects: &[Effect]) -> &'static str {
    let request = Request {
        session: "session",
        tool: "fake",
        effects,
        mode,
        roots: &["/w".into()],
    };
    match Policy::default().decide(&request).verdict {
        Verdict::Allow(Review::Before) => "allow before",
        Verdict::Allow(Review::After) => "allow after",
        Verdict::Ask(Review::Before) => "ask before",
        Verdict::Ask(Review::After) => "ask after",
        Verdict::Deny(_) => "deny",
    }
}

#[test]
fn the_table_of_modes_and_effects() {
    let read = vec![Effect::Read(vec!["/w/a".into()])];
    let table = [
        (Mode::Default, "ask before", "ask before", "ask before"),
        (Mode::AcceptEdits, "allow after", "ask before", "ask before"),
        (Mode::Plan, "deny", "deny", "deny"),
        (Mode::Bypass, "allow after", "ask before", "allow after"),
        (Mode::DontAsk, "deny", "deny", "deny"),
    ];
    for (mode, a_file, a_configuration, a_process) in table {
        assert_eq!(verdict(mode, &read), "allow after", "{mode}: reading");
        assert_eq!(
            verdict(mode, &write("/w/src/a.rs")),
            a_file,
            "{mode}: a file"
        );
        assert_eq!(
            verdict(mode, &write("/w/.vscode/tasks.json")),
            a_configuration,
            "{mode}: configuration"
        );
        assert_eq!(
            verdict(mode, &[Effect::Process(Command::default())]),
            a_process,
            "{mode}: a process"
        );
    }
}

#[test]
fn what_may_hold_secrets_is_asked_for_in_every_mode_even_to_be_read() {
    let read = [Effect::Read(vec!["/w/a".into(), "/w/.env".into()])];
    for mode in Mode::ALL {
        let reading = match mode {
            Mode::DontAsk => "deny",
            _ => "ask before",
        };
        assert_eq!(verdict(mode, &read), reading, "{mode}");
    }
    for mode in [Mode::AcceptEdits, Mode::Bypass] {
        assert_eq!(verdict(mode, &write("/w/.env")), "ask before", "{mode}");
        assert_eq!(
            verdict(mode, &write("/w/.env.example")),
            "allow after",
            "{mode}"
        );
    }
}

#[test]
fn what_git_may_show_of_secrets_is_asked_for_in_every_mode() {
    let shows = [Effect::Process(Command {
        reads_only: true,
        may_show: vec!["/w/.env".into()],
        ..Command::default()
    })];
    for mode in Mode::ALL {
        let shown = match mode {
            Mode::DontAsk | Mode::Plan => "deny",
            _ => "ask before",
        };
        assert_eq!(verdict(mode, &shows), shown, "{mode}");
    }
}

#[test]
fn the_strictest_effect_decides() {
    let effects = [
        Effect::Read(vec![]),
        write("/w/a")[0].clone(),
        write("/w/.envrc")[0].clone(),
    ];
    assert_eq!(verdict(Mode::AcceptEdits, &effects), "ask before");
    assert_eq!(verdict(Mode::AcceptEdits, &[]), "allow after");
}

#[test]
fn names_of_modes_are_read_back() {
    for mode in Mode::ALL {
        assert_eq!(mode.as_str().parse::<Mode>(), Ok(mode));
        assert_eq!(serde_json::to_value(mode).unwrap(), mode.as_str());
    }
    insta::assert_snapshot!("auto".parse::<Mode>().unwrap_err(), @"there is no mode `auto`; the modes are default, accept_edits, plan, bypass and dont_ask");
}

#[test]
fn plan_mode_offers_only_what_reads() {
    let reads = EffectBound::new([EffectKind::Read]);
    let writes = EffectBound::new([EffectKind::Read, EffectKind::Write]);
    assert!(
        Mode::Plan.offers(&reads) && !Mode::Plan.offers(&writes) && Mode::Default.offers(&writes)
    );
}
