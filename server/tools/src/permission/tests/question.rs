//! What a person is shown, and what `explain` says.

use super::table::{command, policy, request};
use crate::effect::Effect;
use crate::permission::{Decision, Mode, Request};
use crate::port::Permission;
use crate::sandbox::Profile;

fn decided(rules: &str, line: &str) -> Decision {
    let effects = command(line, Profile::Off);
    policy(rules).decide(&request(&effects, Mode::Default))
}

fn asked(rules: &str, line: &str) -> Permission {
    decided(rules, line).question.unwrap()
}

/// All of it, as text.
fn shown(question: &Permission) -> String {
    format!(
        "{}\n{}\n{}\n{:?}",
        question.title,
        question.details.join("\n"),
        question.because.join("\n"),
        question.rules
    )
}

#[test]
fn a_command_is_shown_whole_with_where_and_how_it_runs() {
    insta::assert_snapshot!(shown(&asked("", "cargo test --all")), @r#"
    Run `cargo test --all`
    $ cargo test --all
    In /w
    Sandbox: off (it may do what you may do)
    The mode `default` asks for all that is not allowed.
    ["bash(cargo test:*)"]
    "#);
    insta::assert_snapshot!(shown(&asked("allow bash(cargo test:*)", "cargo test &&\nmake > out.txt")), @"
    Run `cargo test &&` … (+16 characters)
    $ cargo test &&
    > make > out.txt
    In /w
    Sandbox: off (it may do what you may do)
    Writes /w/out.txt
    The mode `default` asks for all that is not allowed.
    []
    ");
    insta::assert_snapshot!(shown(&asked("", "git push --force")), @"
    Run `git push --force`
    $ git push --force
    In /w
    Sandbox: off (it may do what you may do)
    `git push --force`: It publishes commits.
    []
    ");
    insta::assert_snapshot!(shown(&asked("deny bash(git push:*)", "git $X")), @"
    Run `git $X`
    $ git $X
    In /w
    Sandbox: off (it may do what you may do)
    The rule `bash(git push:*)` (config.yaml:1) may deny `git $X`: not all of it is known.
    `git $X` has arguments before its command that are not known.
    []
    ");
}

#[test]
fn a_long_command_is_cut_in_the_title_only_and_with_a_mark() {
    let line = format!("make {}", "x".repeat(500));
    let question = asked("", &line);
    assert_eq!(
        question.title.chars().count(),
        "Run `` … (+425 characters)".chars().count() + 80
    );
    let end = "x` … (+425 characters)";
    assert!(question.title.ends_with(end), "{}", question.title);
    assert_eq!(question.details[0], format!("$ {line}"));
}

#[test]
fn nothing_is_hidden_in_what_is_shown() {
    let question = asked("", "make \u{202e}x\u{1b}[1A\n\u{200b}rm y");
    let all = shown(&question);
    assert!(!all.contains(['\u{202e}', '\u{1b}', '\u{200b}']), "{all:?}");
    assert_eq!(
        question.details[..2],
        ["$ make \\u{202e}x\\u{1b}[1A", "> \\u{200b}rm y"]
    );
}

#[test]
fn no_rule_is_offered_for_what_would_allow_too_much() {
    for line in [
        "python x.py",
        "bash -c 'make; rm x'",
        "env make $X",
        "sudo make",
        "xargs rm < list",
        "git push",
        "make $(",
        "make > ~/x",
        "make > .envrc",
        "cat .env",
        "find . -name x -delete",
    ] {
        let question = asked("", line);
        assert!(question.rules.is_empty(), "{line}: {:?}", question.rules);
    }
}

#[test]
fn files_and_hosts_are_shown_with_their_whole_names() {
    let effects = [Effect::Read(vec![
        "/w/.env".into(),
        "/w/\u{202e}a.pem".into(),
    ])];
    let request = request(&effects, Mode::Default);
    let decision = policy("").decide(&Request {
        tool: "read_file",
        ..request
    });
    insta::assert_snapshot!(shown(&decision.question.unwrap()), @r#"
    Let `read_file` read `/w/.env` and 1 more
    Reads /w/.env
    Reads /w/\u{202e}a.pem
    `/w/.env` may hold secrets.
    `/w/\u{202e}a.pem` may hold secrets.
    []
    "#);
}

#[test]
fn every_step_is_explained() {
    let rules =
        "deny bash(rm:*) + ask bash(make:*) + allow bash(cargo test:*) + allow Edit(src/**)";
    insta::assert_snapshot!(decided(rules, "cargo test --all | tail -3").explain(), @"
    allowed: it happens unasked
      floor   -      no known danger
      deny    -      bash(rm:*) (config.yaml:1) does not match
      ask     -      bash(make:*) (config.yaml:1) does not match
      always  -      nothing that is asked for in every mode
      proof   -      not known to do nothing but read: `cargo` is not known to only read.
      allow   allow  bash(cargo test:*) (config.yaml:1) allows `cargo test --all`
      allow   -      Edit(src/**) (config.yaml:1) does not match
    ");
    insta::assert_snapshot!(decided(rules, "cargo test && touch x").explain(), @"
    asked: a person decides
      floor   -      no known danger
      deny    -      bash(rm:*) (config.yaml:1) does not match
      ask     -      bash(make:*) (config.yaml:1) does not match
      always  -      nothing that is asked for in every mode
      proof   -      not known to do nothing but read: `cargo` is not known to only read.
      allow   allow  bash(cargo test:*) (config.yaml:1) allows `cargo test`
      allow   -      Edit(src/**) (config.yaml:1) does not match
      allow   -      no rule allows `touch x`
      mode    ask    the mode `default` asks for all that is not allowed
      to allow it: bash(touch x)
    ");
    insta::assert_snapshot!(decided(rules, "cargo test; make").explain(), @"
    asked: a person decides
      floor   -      no known danger
      deny    -      bash(rm:*) (config.yaml:1) does not match
      ask     ask    bash(make:*) (config.yaml:1) asks for `make`
      always  -      nothing that is asked for in every mode
    ");
    insta::assert_snapshot!(decided(rules, "sudo rm x").explain(), @"
    denied: The rule `bash(rm:*)` (config.yaml:1) denies `rm x`.
      floor   -      no known danger
      deny    deny   bash(rm:*) (config.yaml:1) denies `rm x`
    ");
    insta::assert_snapshot!(decided(rules, "rm -rf /").explain(), @"
    denied: `rm -rf /`: It would remove the whole file system. No rule and no mode allows it.
      floor   deny   `rm -rf /`: It would remove the whole file system.
    ");
    insta::assert_snapshot!(decided(rules, "ls").explain(), @"
    allowed: it happens unasked
      floor   -      no known danger
      deny    -      bash(rm:*) (config.yaml:1) does not match
      ask     -      bash(make:*) (config.yaml:1) does not match
      always  -      nothing that is asked for in every mode
      proof   allow  every part of it is known to do nothing but read
    ");
}

/// The host alone would hide what the address tells it.
#[test]
fn a_fetch_is_shown_with_all_that_is_asked_for() {
    let effects = [Effect::Fetch {
        host: "docs.rs".to_owned(),
        url: "https://docs.rs/serde?key=hunter2&to=\u{202e}me".to_owned(),
    }];
    let request = Request {
        tool: "web_fetch",
        ..request(&effects, Mode::Default)
    };
    insta::assert_snapshot!(shown(&policy("").decide(&request).question.unwrap()), @r#"
    Let `web_fetch` talk to `docs.rs`
    Fetches https://docs.rs/serde?key=hunter2&to=\u{202e}me
    The mode `default` asks for all that is not allowed.
    ["web_fetch(domain:docs.rs)"]
    "#);
}
