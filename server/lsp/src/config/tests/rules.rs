//! Rules that are wrong: who wrote them decides what becomes of it, and the place is exact.

use super::*;

#[test]
fn a_wrong_rule_refuses_the_configuration_at_its_character() {
    let user = |text: &str| Scene::new(text, "").files_only().unwrap_err();
    insta::assert_snapshot!(user("permissions:\n  allow:\n    - bash(a:*)\n    - bash(b\n"), @"home/.mewcode/config.yaml:4:13: the rule `bash(b` is wrong: a `)` is expected at the end of the rule");
    insta::assert_snapshot!(user("permissions:\n  deny: ['bash(b']\n"), @"home/.mewcode/config.yaml:2:17: the rule `bash(b` is wrong: a `)` is expected at the end of the rule");
    insta::assert_snapshot!(user("permissions:\n  deny: ['bash(it''s']\n"), @"home/.mewcode/config.yaml:2:10: the rule `bash(it's` is wrong at its character 10: a `)` is expected at the end of the rule");
    insta::assert_snapshot!(user("permissions:\n  deny:\n    - rule: bash(b\n"), @"home/.mewcode/config.yaml:3:19: the rule `bash(b` is wrong: a `)` is expected at the end of the rule");
    insta::assert_snapshot!(Scene::new("", "permissions: {ask: ['bash(b']}\n").files_only().unwrap_err(), @"work/.mewcode.yaml:1:28: the rule `bash(b` is wrong: a `)` is expected at the end of the rule");
    let flags = Settings {
        permissions: Some(Permissions {
            allow: Some(vec![RuleSetting::Text("bash(b".to_owned())]),
            ..Permissions::default()
        }),
        ..Settings::default()
    };
    insta::assert_snapshot!(Scene::new("", "").load(Value::Null, flags).unwrap_err(), @"--allow: the rule `bash(b` is wrong at its character 7: a `)` is expected at the end of the rule");
}

#[test]
fn examples_are_checked_when_the_rule_is_read() {
    let rule = |examples: &str| {
        let text =
            format!("permissions:\n  allow:\n    - rule: bash(cargo test:*)\n      {examples}\n");
        Scene::new(&text, "").files_only()
    };
    assert!(
        rule("match: [cargo test, cargo test --all]\n      not_match: [cargo testing]").is_ok()
    );
    insta::assert_snapshot!(rule("match: [cargo build]").unwrap_err(), @"home/.mewcode/config.yaml:3:13: the rule `bash(cargo test:*)` is wrong: it does not match its example `cargo build`");
    insta::assert_snapshot!(rule("not_match: [cargo test x]").unwrap_err(), @"home/.mewcode/config.yaml:3:13: the rule `bash(cargo test:*)` is wrong: it matches `cargo test x`, which its examples say it must not");
}

#[test]
fn a_foreign_allow_that_is_wrong_is_told_and_a_foreign_deny_refuses() {
    let claude = |text: &str| Scene::new("", "").with(".claude/settings.json", text);
    let scene =
        claude("{\n\t\"permissions\": {\n\t\t\"allow\": [\"Bash(a\", \"Bash(ls:*)\"]\n\t}\n}\n");
    let question = scene.files_only().unwrap().trust_question().unwrap();
    insta::assert_snapshot!(scene.short(&question.details.join("\n")), @"allow `Bash(ls:*)` without a question (work/.claude/settings.json:3)");
    scene.trust_it();
    assert_eq!(scene.allowed(), ["Bash(ls:*)"]);
    insta::assert_snapshot!(scene.warnings().join("\n"), @"work/.claude/settings.json:3:20: the rule `Bash(a` is wrong: a `)` is expected at the end of the rule; it is ignored.");

    let deny = claude("{\n\t\"permissions\": {\n\t\t\"deny\": [\"Bash(a\"]\n\t}\n}\n");
    insta::assert_snapshot!(deny.files_only().unwrap_err(), @"work/.claude/settings.json:3:19: the rule `Bash(a` is wrong: a `)` is expected at the end of the rule");
    insta::assert_snapshot!(claude("{\"permissions\": {\"deny\": \"Bash\"}}").files_only().unwrap_err(), @"work/.claude/settings.json:1:18: `permissions.deny` must be a list of rules, each a text like `bash(cargo test:*)` or a mapping with `rule`, `match` and `not_match`, not other text");
    insta::assert_snapshot!(claude("{\"permissions\": {\"deny\": [\"Bash\"}}").files_only().unwrap_err(), @"work/.claude/settings.json:1: is not valid JSON: mismatched bracket '[' closed by '}'");
    insta::assert_snapshot!(claude("[1]").files_only().unwrap_err(), @"work/.claude/settings.json:1: must be a mapping of settings, one `key: value` a line");
    let odd = claude("{\"permissions\": {\"allow\": \"Bash\", \"ask\": null}, \"other\": [1]}");
    insta::assert_snapshot!(odd.warnings().join("\n"), @"work/.claude/settings.json:1:18: `permissions.allow` must be a list of rules, each a text like `bash(cargo test:*)` or a mapping with `rule`, `match` and `not_match`, not other text; it is ignored.");
    assert_eq!(claude("").warnings(), [""; 0]);
}

#[test]
fn a_rule_about_no_tool_is_told() {
    let scene = Scene::new(
        "permissions:\n  deny:\n    - bsh(rm:*)\n    - mcp__x__y\n",
        "",
    );
    insta::assert_snapshot!(scene.warnings().join("\n"), @"home/.mewcode/config.yaml:3:7: in the rule `bsh(rm:*)`: there is no tool `bsh`; did you mean `bash`?");
}

#[test]
fn a_wrong_pattern_for_secrets_names_its_place() {
    insta::assert_snapshot!(Scene::new("sensitive:\n  - '*.ok'\n  - '[a'\n", "").files_only().unwrap_err(), @"home/.mewcode/config.yaml:3:5: the pattern `[a` is wrong: error parsing glob '[a': unclosed character class; missing ']'");
}
