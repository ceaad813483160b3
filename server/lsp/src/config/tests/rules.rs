//! Rules that are wrong: who wrote them decides what becomes of it, and the place is exact.

use super::*;

#[test]
fn a_wrong_rule_refuses_the_configuration_at_its_character() {
    let user = |text: &str| Scene::new(text, "").files_only().unwrap_err();
    insta::assert_snapshot!(user("permissions:\n  allow:\n    - bash(a:*)\n    - bash(b\n"), @"");
    insta::assert_snapshot!(user("permissions:\n  deny: ['bash(b']\n"), @"");
    insta::assert_snapshot!(user("permissions:\n  deny: ['bash(it''s']\n"), @"");
    insta::assert_snapshot!(user("permissions:\n  deny:\n    - rule: bash(b\n"), @"");
    insta::assert_snapshot!(Scene::new("", "permissions: {ask: ['bash(b']}\n").files_only().unwrap_err(), @"");
    let flags = Settings {
        permissions: Some(Permissions {
            allow: Some(vec![RuleSetting::Text("bash(b".to_owned())]),
            ..Permissions::default()
        }),
        ..Settings::default()
    };
    insta::assert_snapshot!(Scene::new("", "").load(Value::Null, flags).unwrap_err(), @"");
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
    insta::assert_snapshot!(rule("match: [cargo build]").unwrap_err(), @"");
    insta::assert_snapshot!(rule("not_match: [cargo test x]").unwrap_err(), @"");
}

#[test]
fn a_foreign_allow_that_is_wrong_is_told_and_a_foreign_deny_refuses() {
    let claude = |text: &str| Scene::new("", "").with(".claude/settings.json", text);
    let scene =
        claude("{\n\t\"permissions\": {\n\t\t\"allow\": [\"Bash(a\", \"Bash(ls:*)\"]\n\t}\n}\n");
    scene.trust_it();
    assert_eq!(scene.allowed(), ["Bash(ls:*)"]);
    insta::assert_snapshot!(scene.warnings().join("\n"), @"");

    let deny = claude("{\n\t\"permissions\": {\n\t\t\"deny\": [\"Bash(a\"]\n\t}\n}\n");
    insta::assert_snapshot!(deny.files_only().unwrap_err(), @"");
    insta::assert_snapshot!(claude("{\"permissions\": {\"deny\": \"Bash\"}}").files_only().unwrap_err(), @"");
    insta::assert_snapshot!(claude("{\"permissions\": {\"deny\": [\"Bash\"}}").files_only().unwrap_err(), @"");
    insta::assert_snapshot!(claude("[1]").files_only().unwrap_err(), @"");
    let odd = claude("{\"permissions\": {\"allow\": \"Bash\", \"ask\": null}, \"other\": [1]}");
    insta::assert_snapshot!(odd.warnings().join("\n"), @"");
    assert_eq!(claude("").warnings(), [""; 0]);
}

#[test]
fn a_rule_about_no_tool_is_told() {
    let scene = Scene::new(
        "permissions:\n  deny:\n    - bsh(rm:*)\n    - mcp__x__y\n",
        "",
    );
    insta::assert_snapshot!(scene.warnings().join("\n"), @"");
}

#[test]
fn a_wrong_pattern_for_secrets_names_its_place() {
    insta::assert_snapshot!(Scene::new("sensitive:\n  - '*.ok'\n  - '[a'\n", "").files_only().unwrap_err(), @"");
}
