//! Rules as people write them: what is read, and where it says that something is wrong.

use std::path::{Path, PathBuf};

use super::*;
use crate::permission::Policy;
use crate::permission::policy::{Layer, PolicySettings};

fn source(action: Action, text: &str) -> RuleSource {
    RuleSource::new(Layer::User, action, text, "config.yaml:3")
}

fn rule(action: Action, text: &str) -> Rule {
    let rule = Rule::read(source(action, text), Some(Path::new("/home/me")));
    rule.unwrap_or_else(|fault| panic!("{text}: {}", fault.message))
}

fn fault(text: &str) -> String {
    match Rule::read(source(Action::Allow, text), None) {
        Ok(rule) => panic!("{text}: {rule:?}"),
        Err(fault) => format!("{}: {}", fault.column, fault.message),
    }
}

#[test]
fn names_stand_for_tools() {
    let table: &[(&str, &[&str], &[&str])] = &[
        ("bash", &["bash"], &["bash2", "process_list", "Bash"]),
        ("Bash", &["bash"], &["Bash"]),
        (
            "Read",
            &["read_file", "grep", "outline", "find_symbol"],
            &["edit_file", "glob"],
        ),
        (
            "edit_file",
            &["edit_file", "write_file", "apply_patch"],
            &["read_file"],
        ),
        (
            "Edit|Write",
            &["edit_file", "write_file", "apply_patch"],
            &["bash"],
        ),
        ("MultiEdit", &["edit_file"], &["grep"]),
        ("Write", &["write_file"], &["edit_file", "apply_patch"]),
        (
            "mcp__github__*",
            &["mcp__github__issues"],
            &["mcp__github2__a", "mcp__gitlab__a"],
        ),
        (
            "mcp__github",
            &["mcp__github__issues"],
            &["mcp__github2__a", "mcp__git"],
        ),
        (
            "mcp__github__get_*",
            &["mcp__github__get_file"],
            &["mcp__github__set_file"],
        ),
        (
            "mcp__*__get_*_file",
            &["mcp__a__get_b_file"],
            &["mcp__a__get_file"],
        ),
        (" grep | glob ", &["grep", "glob"], &["read_file"]),
    ];
    for (text, about, others) in table {
        let rule = rule(Action::Allow, text);
        for tool in *about {
            assert!(rule.is_about(tool), "{text}: {tool}");
        }
        for tool in *others {
            assert!(!rule.is_about(tool), "{text}: {tool}");
        }
    }
}

#[test]
fn what_is_wrong_is_told_to_the_column() {
    let table = [
        ("", "1: the name of a tool is expected"),
        ("Edit|", "6: the name of a tool is expected"),
        ("Edit| |Write", "7: the name of a tool is expected"),
        (
            "ba sh",
            "3: ` ` is in no tool's name; a rule is `tool` or `tool(pattern)`",
        ),
        (
            "lösch(x)",
            "2: `ö` is in no tool's name; a rule is `tool` or `tool(pattern)`",
        ),
        ("bash(ls", "8: a `)` is expected at the end of the rule"),
        ("bash(ls) x", "11: a `)` is expected at the end of the rule"),
        ("bash)", "5: there is no `(` to this `)`"),
        (
            "bash()",
            "6: a pattern is expected; a rule for all calls of the tool has no parentheses",
        ),
        ("bash(:*)", "6: a command is expected before `:*`"),
        (
            "bash(git:* log)",
            "9: `:*` is expected at the end only; ` *` or `*` may stand elsewhere",
        ),
        (
            "bash(a\nb)",
            "7: one line without control characters is expected",
        ),
        (
            "Bash|Edit(x)",
            "6: `Edit` takes another kind of pattern than `Bash`; write two rules",
        ),
        (
            "edit_file(!a)",
            "11: a pattern of a rule takes nothing away: no `!` is expected in front",
        ),
        (
            "edit_file(#a)",
            "11: `\\#` is expected for a name that begins so",
        ),
        ("edit_file(~/a)", "11: no home folder is known for `~`"),
        (
            "web_fetch(docs.rs)",
            "11: `domain:` and a host are expected, as `domain:docs.rs`",
        ),
        (
            "web_fetch(domain:docs.*)",
            "18: `*` is expected in front only, as `*.docs.rs`",
        ),
        (
            "web_fetch(domain:https://docs.rs/x)",
            "18: `https://docs.rs/x` is no host; a name is expected, as `docs.rs` or `*.docs.rs`, without scheme, port and path",
        ),
        (
            "mcp__github__get(x)",
            "17: no pattern is expected: a rule for mcp__github__get is about all its calls",
        ),
    ];
    for (text, expected) in table {
        assert_eq!(fault(text), expected, "{text:?}");
    }
    assert!(
        fault("edit_file(a[)").starts_with("11: no pattern of gitignore: "),
        "{}",
        fault("edit_file(a[)")
    );
}

#[test]
fn an_error_names_the_rule_and_its_place() {
    let settings = PolicySettings {
        rules: vec![
            source(Action::Allow, "bash(ls)"),
            source(Action::Deny, "bash(ls"),
            source(Action::Ask, "(x)"),
        ],
        sensitive: vec!["ok".to_owned(), "!".to_owned()],
        ..PolicySettings::default()
    };
    let errors = Policy::new(settings).unwrap_err();
    let shown: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "config.yaml:3: the rule `bash(ls` is wrong at column 8: a `)` is expected at the end of the rule",
            "config.yaml:3: the rule `(x)` is wrong at column 1: the name of a tool is expected",
            "sensitive: the rule `!` is wrong at column 1: the name of a file is expected",
        ]
    );
    let indices: Vec<_> = errors.iter().map(|error| error.index).collect();
    assert_eq!(indices, [Some(1), Some(2), None]);
}

#[test]
fn a_name_that_matches_no_tool_is_told() {
    let rules: Vec<RuleSource> = [
        "Read|red_file",
        "WebSearch",
        "mcp__a__b",
        "bash(ls)",
        "proc_*",
        "edit_*",
    ]
    .map(|text| source(Action::Allow, text))
    .into();
    let known = ["read_file", "edit_file", "bash"];
    let told: Vec<String> = warnings(&rules, &known)
        .into_iter()
        .map(|warning| format!("{} {}: {}", warning.text, warning.column, warning.message))
        .collect();
    assert_eq!(
        told,
        [
            "Read|red_file 6: there is no tool `red_file`; did you mean `read_file`?",
            "WebSearch 1: there is no tool `WebSearch`",
            "proc_* 1: there is no tool `proc_*`",
        ]
    );
}

#[test]
fn paths_follow_the_rules_of_gitignore() {
    let roots = [PathBuf::from("/w"), PathBuf::from("/v")];
    // Pattern, path, allowed, forbidden.
    let table = [
        ("src/**", "/w/src/a.rs", true, true),
        ("src/**", "/w/src/a/b.rs", true, true),
        ("src/**", "/v/src/a.rs", true, true),
        ("src/**", "/w/lib/src/a.rs", false, false),
        ("src/**", "/w/srcs/a.rs", false, false),
        ("src/**", "/w/src/../lib/a.rs", false, false),
        ("src/**", "/w/lib/../src/a.rs", true, true),
        ("src/**", "/x/src/a.rs", false, false),
        ("src", "/w/src/a.rs", true, true),
        ("src/", "/w/src/a.rs", true, true),
        ("src/", "/w/src", false, true),
        ("/src/**", "/w/src/a.rs", true, true),
        ("./src/*.rs", "/w/src/a.rs", true, true),
        ("./src/*.rs", "/w/src/a/b.rs", false, false),
        ("*.rs", "/w/a/b/c.rs", true, true),
        ("*.rs", "/x/c.rs", false, true),
        ("**/secret/*", "/w/a/secret/b", true, true),
        ("w", "/w/a", false, false),
        ("SRC/**", "/w/src/a.rs", false, true),
        ("~/notes/**", "/home/me/notes/a", true, true),
        ("~/notes/**", "/home/you/notes/a", false, false),
        ("~", "/home/me/a", true, true),
        ("//etc/**", "/etc/passwd", true, true),
        ("//etc/**", "/w/etc/passwd", false, false),
        ("//w/src/*", "/w/src/a.rs", true, true),
        ("a b/*", "/w/a b/c", true, true),
        ("\\#a", "/w/#a", true, true),
        ("[ab].rs", "/w/a.rs", true, true),
        ("**", "/w/a", true, true),
        ("**", "/x/a", false, true),
    ];
    for (text, path, allowed, forbidden) in table {
        let pattern = PathPattern::read(text, Some(Path::new("/home/me"))).unwrap();
        let path = Path::new(path);
        assert_eq!(
            pattern.allows(path, &roots),
            allowed,
            "{text} allows {path:?}"
        );
        assert_eq!(
            pattern.forbids(path, &roots),
            forbidden,
            "{text} forbids {path:?}"
        );
    }
}

#[test]
fn hosts_are_compared_whole() {
    let table: &[(&str, &[&str], &[&str])] = &[
        (
            "domain:docs.rs",
            &["docs.rs", "DOCS.rs", "docs.rs."],
            &[
                "docs.rs.evil.com",
                "xdocs.rs",
                "a.docs.rs",
                "docs.r",
                "docs.rs:80",
                "",
            ],
        ),
        (
            "domain:*.docs.rs",
            &["a.docs.rs", "a.b.docs.rs", "A.Docs.RS"],
            &["docs.rs", ".docs.rs", "adocs.rs", "a.docs.rs.evil.com"],
        ),
        (
            "domain:bücher.example",
            &["xn--bcher-kva.example", "BÜCHER.example"],
            &["bucher.example"],
        ),
        (
            "domain:127.0.0.1",
            &["127.0.0.1", "0x7f.1", "2130706433"],
            &["127.0.0.2"],
        ),
        ("domain:[::1]", &["::1", "[::1]", "0:0::1"], &["::2"]),
        ("domain:::1", &["[::1]"], &["::2"]),
        ("domain:*", &["anything.example"], &[]),
    ];
    for (text, same, others) in table {
        let pattern = HostPattern::read(text).unwrap_or_else(|fault| panic!("{text}: {fault:?}"));
        for host in *same {
            assert!(pattern.matches(host), "{text}: {host}");
        }
        for host in *others {
            assert!(!pattern.matches(host), "{text}: {host}");
        }
    }
    for wrong in [
        "domain:",
        "domain:*.",
        "domain:*.*.rs",
        "domain:*.1.2.3.4",
        "domain:a b",
        "domain:a/b",
    ] {
        assert!(HostPattern::read(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_rule_is_held_to_its_examples() {
    let check = |action, text: &str, matches: &[&str], not_matches: &[&str]| {
        let source = RuleSource {
            matches: matches.iter().map(ToString::to_string).collect(),
            not_matches: not_matches.iter().map(ToString::to_string).collect(),
            ..source(action, text)
        };
        match Rule::read(source, Some(Path::new("/home/me"))) {
            Ok(_) => "held".to_owned(),
            Err(fault) => fault.message,
        }
    };
    let (allow, deny) = (Action::Allow, Action::Deny);
    let path = "edit_file(src/**)";
    assert_eq!(
        check(
            allow,
            path,
            &["src/a.rs", "/workspace/src/b"],
            &["a.rs", "~/src/a.rs", "/src/a"]
        ),
        "held"
    );
    assert_eq!(
        check(allow, path, &["lib/a.rs"], &[]),
        "it does not match its example `lib/a.rs`"
    );
    assert_eq!(
        check(deny, path, &[], &["src/a.rs"]),
        "it matches `src/a.rs`, which its examples say it must not"
    );
    let host = "web_fetch(domain:docs.rs)";
    assert_eq!(
        check(
            allow,
            host,
            &["docs.rs", "https://docs.rs/a"],
            &["docs.rs.evil.com"]
        ),
        "held"
    );
    assert_eq!(
        check(deny, "mcp__a__*", &["mcp__a__b"], &["mcp__b__a"]),
        "held"
    );
}
