//! The second table of commands: what rules let through, and what they must not.

use crate::effect::{Command, Effect};
use crate::permission::{
    Action, Layer, Mode, Policy, PolicySettings, Request, RuleSource, Verdict,
};
use crate::sandbox::Profile;

const TABLE: &str = include_str!("commands.txt");

/// A policy of `allow RULE + deny RULE`.
pub(super) fn policy(rules: &str) -> Policy {
    let rules = rules.split(" + ").filter_map(|rule| {
        let (action, text) = rule.split_once(' ')?;
        let action = match action {
            "allow" => Action::Allow,
            "ask" => Action::Ask,
            "deny" => Action::Deny,
            other => panic!("{other}"),
        };
        Some(RuleSource::new(Layer::User, action, text, "config.yaml:1"))
    });
    let settings = PolicySettings {
        rules: rules.collect(),
        home: Some("/home/me".into()),
        ..PolicySettings::default()
    };
    Policy::new(settings).unwrap()
}

/// The effect of a command as the tool tells it that runs it.
pub(super) fn command(line: &str, sandbox: Profile) -> Vec<Effect> {
    let surroundings = crate::command::Surroundings {
        workdir: "/w".into(),
        home: Some("/home/me".into()),
        is_root: true,
    };
    let analysis = crate::command::analyse(line, &surroundings);
    let command = Command {
        line: line.to_owned(),
        workdir: "/w".into(),
        reads_only: matches!(analysis.safety, crate::command::Safety::Proven { .. }),
        sandbox,
        ..Command::default()
    };
    vec![Effect::Process(command)]
}

pub(super) fn request<'a>(effects: &'a [Effect], mode: Mode) -> Request<'a> {
    Request {
        session: "session",
        tool: "bash",
        effects,
        mode,
        roots: ROOTS.get_or_init(|| ["/w".into()]),
    }
}

static ROOTS: std::sync::OnceLock<[std::path::PathBuf; 1]> = std::sync::OnceLock::new();

pub(super) fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Allow(_) => "allowed",
        Verdict::Ask(_) => "asked",
        Verdict::Deny(_) => "denied",
    }
}

/// The rows: rules, verdict, command.
pub(super) fn rows() -> Vec<(&'static str, &'static str, String)> {
    let mut rules = "";
    let mut rows = Vec::new();
    for line in TABLE.lines() {
        match line.strip_prefix("  ") {
            _ if line.is_empty() || line.starts_with('#') => {}
            None => rules = line,
            Some(row) => {
                let (verdict, command) = row.split_once(' ').unwrap();
                rows.push((rules, verdict, unescaped(command.trim_start())));
            }
        }
    }
    rows
}

fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            plain.push(letter);
            continue;
        }
        match letters.next() {
            Some('n') => plain.push('\n'),
            Some('r') => plain.push('\r'),
            Some('t') => plain.push('\t'),
            Some('\\') => plain.push('\\'),
            Some('u') => {
                let code: String = letters
                    .by_ref()
                    .skip(1)
                    .take_while(|it| *it != '}')
                    .collect();
                plain.push(char::from_u32(u32::from_str_radix(&code, 16).unwrap()).unwrap());
            }
            other => panic!("{text}: {other:?}"),
        }
    }
    plain
}

#[test]
fn rules_let_through_what_they_say_and_nothing_else() {
    let rows = rows();
    assert!(rows.len() >= 150, "{}", rows.len());
    let mut wrong = Vec::new();
    for (rules, verdict, line) in &rows {
        let effects = command(line, Profile::Off);
        let decision = policy(rules).decide(&request(&effects, Mode::Default));
        if word(&decision.verdict) != *verdict {
            wrong.push(format!(
                "{rules}\n{line:?} should be {verdict}\n{}",
                decision.explain()
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} rows:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn the_rules_that_are_offered_would_allow_the_call() {
    for (rules, _, line) in rows() {
        let effects = command(&line, Profile::Off);
        let policy = policy(rules);
        let decision = policy.decide(&request(&effects, Mode::Default));
        let offered = decision.question.map(|question| question.rules);
        let Some(offered) = offered.filter(|offered| !offered.is_empty()) else {
            continue;
        };
        for rule in &offered {
            policy.allow_for_session("session", rule).unwrap();
        }
        let after = policy.decide(&request(&effects, Mode::Default)).verdict;
        assert_eq!(word(&after), "allowed", "{rules}\n{line}\n{offered:?}");
    }
}
