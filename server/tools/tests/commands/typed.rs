//! What is typed into commands: how it is judged, and what a person is shown who is asked.

use std::sync::Arc;

use mewcode_tools::error::ErrorKind;
use mewcode_tools::permission::{Action, Layer, Mode, Policy, PolicySettings, RuleSource};
use mewcode_tools::port::{Answer, Permission, Subject};
use mewcode_tools::redact::Redactor;
use mewcode_tools::result::ToolResult;
use mewcode_tools::sandbox::Profile;
use serde_json::{Value, json};

use super::asked::{Person, scene};
use super::scene::Scene;

/// A scene in which a rule denies `touch`, and nobody allows anything.
fn with_rule(mode: Mode) -> (Scene, Arc<Person>) {
    let feedback = None;
    let (mut scene, person) = scene(mode, Profile::Off, Answer::Deny { feedback });
    let rule = RuleSource::new(Layer::User, Action::Deny, "bash(touch:*)", "config.yaml:1");
    let settings = PolicySettings {
        rules: vec![rule],
        ..PolicySettings::clone(&scene.host.policy.settings())
    };
    scene.host.policy = Arc::new(Policy::new(settings).unwrap());
    scene.runtime = scene.runtime.with_host(scene.host.clone());
    (scene, person)
}

async fn start(scene: &Scene, mut arguments: Value) {
    arguments["background"] = json!(true);
    let result = scene.call("bash", arguments).await;
    assert!(result.is_ok(), "{}", result.content);
}

async fn typed(scene: &Scene, mut arguments: Value) -> ToolResult {
    arguments["id"] = json!("cmd_1");
    scene.call("process_input", arguments).await
}

fn kind(result: &ToolResult) -> Option<ErrorKind> {
    result.error.as_ref().map(|error| error.kind)
}

/// All that a person was shown, but for the folder.
fn shown(person: &Person) -> String {
    let asked = person.asked.lock().unwrap();
    let Subject::Permission(permission) = &asked.last().unwrap().subject else {
        panic!("{asked:?}");
    };
    let Permission {
        title,
        details,
        because,
        rules,
        ..
    } = permission;
    let details = details.iter().filter(|line| !line.starts_with("In /"));
    let lines: Vec<&String> = std::iter::once(title)
        .chain(details)
        .chain(because)
        .collect();
    let lines: Vec<&str> = lines.into_iter().map(String::as_str).collect();
    format!("{}\n{rules:?}", lines.join("\n"))
}

#[tokio::test]
async fn a_line_is_judged_as_one_however_it_is_cut() {
    for pieces in [
        &["touch smuggled\n"][..],
        &["tou", "ch smuggled\n"],
        &["to", "u", "ch smuggled"],
        &["tou\\\n", "ch smuggled\n"],
        &["eval \"tou\\\n", "ch smuggled\"\n"],
    ] {
        let (scene, _) = with_rule(Mode::Bypass);
        start(&scene, json!({"command": "bash"})).await;
        let (last, first) = pieces.split_last().unwrap();
        for piece in first {
            let result = typed(&scene, json!({"text": piece})).await;
            assert!(result.is_ok(), "{pieces:?}: {}", result.content);
        }
        let result = typed(&scene, json!({"text": last})).await;
        assert_eq!(kind(&result), Some(ErrorKind::DeniedByPolicy), "{pieces:?}");
        // What was not typed is no part of the line.
        let result = typed(&scene, json!({"text": "\n: > done; echo done\n"})).await;
        assert!(result.is_ok(), "{pieces:?}: {}", result.content);
        assert!(!scene.path("smuggled").exists(), "{pieces:?}");
    }
}

#[tokio::test]
async fn a_line_that_is_not_known_is_asked_for_where_a_rule_could_deny_it() {
    for arguments in [
        json!({"keys": ["up", "enter"]}),
        json!({"keys": ["ctrl-p"]}),
        json!({"keys": ["ctrl-r"]}),
        json!({"text": "\u{1b}[A\r"}),
        json!({"text": "!!\n"}),
        json!({"text": "ls\t"}),
    ] {
        let (scene, person) = with_rule(Mode::Bypass);
        start(&scene, json!({"command": "cat", "pty": true})).await;
        let result = typed(&scene, arguments.clone()).await;
        assert_eq!(
            kind(&result),
            Some(ErrorKind::RejectedByUser),
            "{arguments}"
        );
        assert_eq!(person.asked.lock().unwrap().len(), 1, "{arguments}");
        // What was not typed leaves nothing behind.
        for arguments in [
            json!({"text": "ls", "keys": ["enter"]}),
            json!({"keys": ["enter", "ctrl-c"]}),
        ] {
            let result = typed(&scene, arguments).await;
            assert!(result.is_ok(), "{}", result.content);
        }
    }
    let (scene, person) = scene(Mode::Bypass, Profile::Off, Answer::AllowOnce);
    start(&scene, json!({"command": "cat", "pty": true})).await;
    let result = typed(&scene, json!({"keys": ["up", "enter"]})).await;
    assert!(result.is_ok(), "{}", result.content);
    assert_eq!(person.asked.lock().unwrap().len(), 0);
}

#[tokio::test]
async fn what_is_planned_for_another_line_is_not_typed() {
    let (scene, _) = scene(Mode::Bypass, Profile::Off, Answer::AllowOnce);
    start(&scene, json!({"command": "cat"})).await;
    let planned = |text: &'static str| {
        let arguments = json!({"id": "cmd_1", "text": text});
        scene
            .runtime
            .prepare(&scene.context, "process_input", arguments)
    };
    let (first, second) = (planned("tou").await, planned("ch a\n").await);
    let first = scene
        .runtime
        .perform(&scene.context, first.ok().unwrap())
        .await;
    assert!(first.is_ok(), "{}", first.content);
    let second = scene
        .runtime
        .perform(&scene.context, second.ok().unwrap())
        .await;
    assert_eq!(
        kind(&second),
        Some(ErrorKind::Conflict),
        "{}",
        second.content
    );
}

#[tokio::test]
async fn who_is_asked_sees_what_is_typed_and_where() {
    let (mut scene, person) = scene(Mode::Default, Profile::Off, Answer::AllowOnce);
    let secret = ("KEY".to_owned(), "hunter2-hunter2".to_owned());
    scene.host.redactor = Arc::new(Redactor::new([secret]));
    scene.runtime = scene.runtime.with_host(scene.host.clone());
    let line = "stty -echo; printf '%s: overwrite? ' hunter2-hunter2; read -r answer; sleep 1000";
    start(&scene, json!({"command": line, "pty": true})).await;
    typed(&scene, json!({"text": "y", "keys": ["enter"]})).await;
    insta::assert_snapshot!(shown(&person), @"
    Type `y` and Enter into `cmd_1`
    Into `cmd_1`, which runs: stty -echo; printf '%s: overwrite? ' ‹redacted: KEY 1›; read -r answer; sleep 1000
    It printed last: ‹redacted: KEY 1›: overwrite?
    Types: y
    Presses: Enter
    Sandbox: off (it may do what you may do)
    The mode `default` asks for all that is not allowed.
    []
    ");
    typed(&scene, json!({"text": "one\ntwo\nthr"})).await;
    insta::assert_snapshot!(shown(&person), @"
    Type `one` … (+10 characters) into `cmd_1`
    Into `cmd_1`, which runs: stty -echo; printf '%s: overwrite? ' ‹redacted: KEY 1›; read -r answer; sleep 1000
    It printed last: ‹redacted: KEY 1›: overwrite?
    Types: one
    > two
    > thr
    Sandbox: off (it may do what you may do)
    The mode `default` asks for all that is not allowed.
    []
    ");
    typed(
        &scene,
        json!({"text": "ee\n", "keys": ["up", "ctrl-u"], "close": true}),
    )
    .await;
    insta::assert_snapshot!(shown(&person), @"
    Type `ee`, Enter, Up and Ctrl-U into `cmd_1` and end its input
    Into `cmd_1`, which runs: stty -echo; printf '%s: overwrite? ' ‹redacted: KEY 1›; read -r answer; sleep 1000
    It printed last: ‹redacted: KEY 1›: overwrite?
    Typed before: thr
    Types: ee
    Presses: Enter, Up, Ctrl-U
    Ends its input
    Sandbox: off (it may do what you may do)
    The mode `default` asks for all that is not allowed.
    `three` may be another line: keys that edit it or choose another one were pressed.
    []
    ");
}
