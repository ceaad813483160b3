//! Scripts play as written, and each fault of one is named with its place.

use std::path::Path;

use futures::TryStreamExt;
use mewcode_tools::result::{ToolError, ToolResult};
use serde_json::{Value, json};

use super::script::Script;
use super::*;
use crate::provider::assembly::{Assembly, Part, Turn as PlayedTurn};

fn scripted(yaml: &str) -> Scripted {
    Scripted {
        script: Some(Script::parse(Path::new("demo.yaml"), yaml).unwrap()),
    }
}

fn refusal(yaml: &str) -> String {
    Script::parse(Path::new("demo.yaml"), yaml)
        .unwrap_err()
        .to_string()
}

async fn events(provider: &Scripted, turn: usize) -> Result<Vec<ProviderEvent>, ProviderError> {
    let request = Request {
        turn,
        model: "",
        system: "",
        tools: &[],
        messages: &[],
        max_tokens: 1,
        thinking_budget: None,
    };
    provider.stream(&request).try_collect().await
}

async fn play(provider: &Scripted, turn: usize) -> PlayedTurn {
    let mut assembly = Assembly::new();
    for event in events(provider, turn).await.unwrap() {
        assembly.push(event).unwrap();
    }
    assembly.finish().unwrap()
}

fn calls(turn: &PlayedTurn) -> Vec<(String, Value)> {
    turn.parts
        .iter()
        .filter_map(|part| match part {
            Part::Call(call) => Some((
                call.name.clone(),
                Value::Object(call.arguments.clone().unwrap()),
            )),
            _ => None,
        })
        .collect()
}

#[tokio::test]
async fn turns_are_played_by_number_and_any_number_of_times() {
    let provider = scripted(
        "
turns:
  - text: Reading ü 🚀.
    calls:
      - tool: read_file
        args: {path: 'ü \"q\".rs', limit: 20, deep: {list: [1, two, null, 1.5, yes]}}
      - {tool: list}
  - text: Done.
",
    );
    for _ in 0..2 {
        let first = play(&provider, 0).await;
        assert_eq!(first.stop, StopReason::ToolUse);
        assert_eq!(first.parts[0], Part::Text("Reading ü 🚀.".into()));
        let deep = json!({"list": [1, "two", null, 1.5, "yes"]});
        assert_eq!(
            calls(&first),
            [
                (
                    "read_file".into(),
                    json!({"path": "ü \"q\".rs", "limit": 20, "deep": deep})
                ),
                ("list".into(), json!({}))
            ]
        );
        let second = play(&provider, 1).await;
        assert_eq!(
            (second.stop, second.parts),
            (StopReason::EndTurn, vec![Part::Text("Done.".into())])
        );
    }
}

#[tokio::test]
async fn text_comes_in_several_events() {
    let provider = scripted("turns: [{text: Done.}]");
    let texts = events(&provider, 0)
        .await
        .unwrap()
        .iter()
        .filter(|e| matches!(e, ProviderEvent::Text(_)))
        .count();
    assert!(texts > 1, "{texts}");
    for (text, expected) in [
        ("", 0),
        ("a", 1),
        ("ab", 2),
        ("0123456789", 5),
        (&"x".repeat(3000), 15),
    ] {
        let pieces: Vec<&str> = pieces(text).collect();
        assert_eq!(
            (pieces.len(), pieces.concat()),
            (expected, text.to_string())
        );
    }
}

#[tokio::test]
async fn a_turn_too_many_names_the_turn_and_the_file() {
    let error = events(&scripted("turns: [{text: a}, {text: b}]"), 2)
        .await
        .unwrap_err();
    assert_eq!(error.kind, ProviderErrorKind::Script);
    insta::assert_snapshot!(error, @"demo.yaml: turn 3 was asked for, but the script ends with turn 2. Add turns to it, or start a new session, which begins with turn 1.");
}

#[tokio::test]
async fn the_guide_answers_every_prompt() {
    let guide = Scripted::guide();
    for turn in [0, 7] {
        let turn = play(&guide, turn).await;
        assert_eq!(
            (turn.parts, turn.stop),
            (vec![Part::Text(GUIDE.into())], StopReason::EndTurn)
        );
    }
    assert_eq!(guide.judge(0, &[]), Ok(()));
    // What the guide shows as a script is one.
    let shown = GUIDE
        .split("```")
        .nth(5)
        .unwrap()
        .strip_prefix("yaml")
        .unwrap();
    assert_eq!(
        Script::parse(Path::new("demo.yaml"), shown)
            .unwrap()
            .turns
            .len(),
        2
    );
}

#[test]
fn load_errors_name_file_line_and_column() {
    let errors: Vec<String> = [
        "turns: []",
        "turns:\n  - text: a\n    cals: []",
        "turns:\n  - calls: [{tool: a, arg: {}}]",
        "turns:\n  - calls:\n      - args: {}",
        "turns:\n  - calls: [{tool: a, args: [1]}]",
        "turns:\n  - calls: [{tool: a}]\n    expect: [{status: fine}]",
        "turns:\n  - calls: [{tool: a}]\n    expect: [{status: failed, error_kind: nope}]",
        "turns:\n  - calls: [{tool: a}]\n    expect:\n      - status: ok\n      - status: ok",
        "turns:\n  - text: a\n  - {}",
        "turns:\n  - text: [",
        "text: a",
        "",
        "turns: [{text: a}]\n---\nturns: [{text: b}]",
    ]
    .into_iter()
    .map(refusal)
    .collect();
    insta::assert_snapshot!(errors.join("\n"), @r"
    demo.yaml:1:8: a script needs at least one turn
    demo.yaml:3:5: unknown field `cals`, expected one of text, calls, expect
    demo.yaml:2:23: unknown field `arg`, expected one of tool, args
    demo.yaml:3:9: missing field `tool`
    demo.yaml:2:29: expected mapping start
    demo.yaml:3:23: unknown variant `fine`, expected one of ok, failed, denied, interrupted, unknown_outcome
    demo.yaml:3:43: unknown variant `nope`, expected one of invalid_arguments, not_found, is_directory, binary_file, too_large, not_read, no_match, ambiguous_match, no_change, stale_file, conflict, patch_invalid, rejected_by_user, denied_by_policy, outside_workspace, forbidden_path, timed_out, spawn_failed, invalid_pattern, unavailable, network, quota, internal
    demo.yaml:5:9: turn 1 expects 2 results, but makes 1 calls; each entry of `expect` judges one call
    demo.yaml:3:5: turn 2 has neither `text` nor `calls`
    demo.yaml:2:11: expected string scalar
    demo.yaml:1:1: unknown field `text`, expected one of turns
    demo.yaml:1:1: unexpected end of input
    demo.yaml:3:1: a second YAML document begins here, but a script is one
    ");
    for error in errors {
        let place = error
            .strip_prefix("demo.yaml:")
            .unwrap_or_else(|| panic!("{error}"));
        let numbers: Vec<u64> = place
            .split(':')
            .take(2)
            .filter_map(|number| number.parse().ok())
            .collect();
        assert!(numbers.len() == 2 && !numbers.contains(&0), "{error}");
    }
}

#[test]
fn an_unreadable_file_is_named() {
    let error = Scripted::open(Path::new("/no/such/demo.yaml"))
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("The script /no/such/demo.yaml cannot be read: "),
        "{error}"
    );
}

#[test]
fn expectations_judge_the_results_in_order() {
    let provider = scripted(
        "
turns:
  - calls: [{tool: read_file}, {tool: edit_file}, {tool: last}]
    expect:
      - {status: ok, contains: fn main}
      - {status: failed, error_kind: no_match}
",
    );
    let good = ToolResult::ok("1\tfn main() {}");
    let bad = ToolResult::error(ToolError::no_match(
        "`old_string` does not occur in `a.rs`.",
    ));
    let judge = |results: &[ToolResult]| provider.judge(0, results).map_err(|error| error.message);
    assert_eq!(judge(&[good.clone(), bad.clone()]), Ok(()));
    assert_eq!(
        judge(&[good.clone(), bad.clone(), bad.clone()]),
        Ok(()),
        "what is not expected is not judged"
    );
    insta::assert_snapshot!(judge(&[bad.clone(), bad.clone()]).unwrap_err(), @r#"
    demo.yaml: turn 1, call 1 (read_file): expected status ok, a text with "fn main"; got status failed, error kind no_match, with the text:
    no_match: `old_string` does not occur in `a.rs`. Read the file again and copy the text exactly as it stands, without line numbers.
    "#);
    insta::assert_snapshot!(judge(&[good.clone(), ToolResult::ok("changed")]).unwrap_err(), @r"
    demo.yaml: turn 1, call 2 (edit_file): expected status failed, error kind no_match; got status ok, with the text:
    changed
    ");
    insta::assert_snapshot!(judge(&[ToolResult::ok("fn other"), bad]).unwrap_err(), @r#"
    demo.yaml: turn 1, call 1 (read_file): expected status ok, a text with "fn main"; got status ok, with the text:
    fn other
    "#);
    insta::assert_snapshot!(judge(&[good]).unwrap_err(), @"demo.yaml: turn 1, call 2 (edit_file): expected status failed, but the call has no result");
    assert_eq!(
        provider.judge(9, &[]),
        Ok(()),
        "the turn past the end has no expectation"
    );
}
