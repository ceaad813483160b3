//! What holds for all rules and all commands.

use proptest::prelude::*;

use super::table::{command, policy, request, rows};
use crate::permission::{Mode, Verdict};
use crate::sandbox::Profile;

/// Rules to be drawn from.
const RULES: &[&str] = &[
    "bash",
    "bash(git status:*)",
    "bash(git:*)",
    "bash(cargo test *)",
    "bash(make)",
    "bash(* --all *)",
    "bash(rm:*)",
    "bash(curl *)",
    "Edit(docs/**)",
    "Edit",
    "Read(secret/**)",
    "web_fetch(domain:docs.rs)",
];

/// Commands that neither change the folder nor define anything, so that a chain of them is no more than its parts.
const SIMPLE: &[&str] = &[
    "git status --short",
    "git fetch --all",
    "git push",
    "cargo test --all",
    "make",
    "rm x",
    "ls src",
    "cat secret/a.txt",
    "make > docs/out.txt",
    "echo a > out.txt",
    "curl https://docs.rs",
    "cat /etc/passwd",
    "timeout 5 make",
    "sh -c 'rm x'",
    "echo $(make)",
    "rm -rf /",
];

fn severity(rules: &[String], line: &str, mode: Mode) -> u8 {
    let effects = command(line, Profile::Off);
    match policy(&rules.join(" + "))
        .decide(&request(&effects, mode))
        .verdict
    {
        Verdict::Allow(_) => 0,
        Verdict::Ask(_) => 1,
        Verdict::Deny(_) => 2,
    }
}

fn some_rules() -> impl Strategy<Value = Vec<String>> {
    let rule = (
        prop::sample::select(vec!["allow", "ask", "deny"]),
        prop::sample::select(RULES),
    );
    prop::collection::vec(
        rule.prop_map(|(action, rule)| format!("{action} {rule}")),
        0..5,
    )
}

fn some_line() -> impl Strategy<Value = String> {
    let of_table: Vec<String> = rows().into_iter().map(|(_, _, line)| line).collect();
    prop_oneof![
        prop::sample::select(SIMPLE).prop_map(str::to_owned),
        prop::sample::select(of_table),
    ]
}

fn some_mode() -> impl Strategy<Value = Mode> {
    prop::sample::select(Mode::ALL.to_vec())
}

proptest! {
    #[test]
    fn a_chain_is_judged_as_the_strictest_of_its_parts(
        rules in some_rules(),
        parts in prop::collection::vec(prop::sample::select(SIMPLE), 1..6),
        separator in prop::sample::select(vec!["; ", " && ", " || ", "\n"]),
        mode in some_mode(),
    ) {
        let strictest = parts.iter().map(|part| severity(&rules, part, mode)).max();
        let line = parts.join(separator);
        prop_assert_eq!(Some(severity(&rules, &line, mode)), strictest, "{}", line);
    }

    #[test]
    fn a_rule_that_denies_makes_nothing_looser(
        rules in some_rules(),
        rule in prop::sample::select(RULES),
        line in some_line(),
        mode in some_mode(),
    ) {
        let before = severity(&rules, &line, mode);
        for action in ["ask", "deny"] {
            let mut more = rules.clone();
            more.push(format!("{action} {rule}"));
            prop_assert!(severity(&more, &line, mode) >= before, "{action} {rule}: {line:?}");
        }
    }

    #[test]
    fn a_rule_that_allows_beats_nothing_that_denies_or_asks(
        rules in some_rules(),
        rule in prop::sample::select(RULES),
        line in some_line(),
        mode in some_mode(),
    ) {
        let strict: Vec<String> = rules.iter().filter(|rule| !rule.starts_with("allow")).cloned().collect();
        let before = severity(&rules, &line, mode);
        let mut more = rules.clone();
        more.push(format!("allow {rule}"));
        let after = severity(&more, &line, mode);
        prop_assert!(after <= before, "{line:?}");
        // In the mode that allows all, only rules and what no rule lifts are left to say no.
        let floor = severity(&strict, &line, Mode::Bypass);
        prop_assert!(after >= floor, "{line:?}");
    }
}
