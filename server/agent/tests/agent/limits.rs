//! Models that go nowhere, and answers that are cut off.

use mewcode_agent::provider::{ProviderEvent, StopReason};
use mewcode_agent::session::RunOutcome;
use serde_json::{Value, json};

use crate::support::{Fake, Place, call, run, told};

fn limit(outcome: RunOutcome) -> String {
    match outcome {
        RunOutcome::Limit(message) => message,
        other => panic!("{other:?}"),
    }
}

/// A turn with these calls.
fn calls(
    calls: &[(&str, Value)],
    stop: StopReason,
) -> Vec<Result<ProviderEvent, mewcode_agent::provider::ProviderError>> {
    let mut events: Vec<_> = calls
        .iter()
        .enumerate()
        .flat_map(|(index, (name, arguments))| call(index, name, arguments.clone()))
        .collect();
    events.push(Ok(ProviderEvent::Stop(stop)));
    events
}

fn end() -> Vec<Result<ProviderEvent, mewcode_agent::provider::ProviderError>> {
    vec![
        Ok(ProviderEvent::Text("Done.".into())),
        Ok(ProviderEvent::Stop(StopReason::EndTurn)),
    ]
}

#[tokio::test]
async fn turns_are_limited_for_each_run() {
    let place = Place::new();
    let turn = |n: u32| {
        calls(
            &[("read_file", json!({"path": format!("{n}.txt")}))],
            StopReason::ToolUse,
        )
    };
    let fake = Fake::new(vec![turn(1), turn(2), turn(3), turn(4), end()]);
    let mut model = fake.model();
    model.max_turns = 3;
    let (mut session, _) = place.session(model);
    let message = limit(run(&mut session, "a").await);
    assert!(message.contains("after 3 model turns"), "{message}");
    assert_eq!(
        run(&mut session, "go on").await,
        RunOutcome::Done,
        "the next run has its own turns"
    );
    assert_eq!(fake.requests(), 5);
}

#[tokio::test]
async fn three_rounds_of_only_unknown_tools_end_the_run() {
    let place = Place::new();
    let unknown = |n: u32| {
        calls(
            &[("raed_file", json!({"n": n})), ("list", json!({"n": n}))],
            StopReason::ToolUse,
        )
    };
    let mixed = calls(
        &[("list", json!({})), ("read_file", json!({"path": "a"}))],
        StopReason::ToolUse,
    );
    let fake = Fake::new(vec![
        unknown(1),
        unknown(2),
        mixed,
        unknown(3),
        unknown(4),
        unknown(5),
    ]);
    let (mut session, _) = place.session(fake.model());
    let message = limit(run(&mut session, "a").await);
    assert!(message.contains("tools that do not exist"), "{message}");
    assert_eq!(fake.requests(), 6);
    let said = told(session.conversation().messages());
    assert!(
        said.iter()
            .any(|block| block.contains("Did you mean `read_file`")),
        "{said:?}"
    );
}

#[tokio::test]
async fn the_same_call_is_answered_with_a_warning_and_then_with_a_stop() {
    let place = Place::new();
    place.write("a.txt", "one\n");
    let again = || {
        calls(
            &[("read_file", json!({"limit": 5, "path": "a.txt"}))],
            StopReason::ToolUse,
        )
    };
    let twice = calls(
        &[
            ("read_file", json!({"path": "a.txt", "limit": 5})),
            ("write_file", json!({"path": "b.txt", "content": ""})),
        ],
        StopReason::ToolUse,
    );
    let fake = Fake::new(vec![again(), again(), again(), again(), twice]);
    let (mut session, _) = place.session(fake.model());
    let message = limit(run(&mut session, "a").await);
    assert!(
        message.contains("the same call of read_file 5 times over"),
        "{message}"
    );
    let results: Vec<String> = told(session.conversation().messages())
        .into_iter()
        .filter(|block| block.contains(" ok: ") || block.contains(" error: "))
        .collect();
    let warned: Vec<bool> = results
        .iter()
        .map(|result| result.contains("(Warning: this is the same call"))
        .collect();
    assert_eq!(
        warned,
        [false, false, true, true, false, false],
        "{results:?}"
    );
    assert!(
        results[4].contains("was not made again")
            && results[5].contains("stopped before this call"),
        "{results:?}"
    );
    assert!(!place.root().join("b.txt").exists());
}

#[tokio::test]
async fn a_call_that_the_output_limit_cuts_off_is_never_run() {
    let place = Place::new();
    let write = |path: &str| ("write_file", json!({"path": path, "content": "x\n"}));
    // The second one parses, but may go on where it was cut.
    let fake = Fake::new(vec![
        calls(
            &[write("whole.txt"), write("cut.txt")],
            StopReason::MaxTokens,
        ),
        end(),
    ]);
    let (mut session, _) = place.session(fake.model());
    assert_eq!(run(&mut session, "a").await, RunOutcome::Done);
    assert!(place.root().join("whole.txt").exists() && !place.root().join("cut.txt").exists());
    let said = told(session.conversation().messages());
    let cut = said
        .iter()
        .find(|block| block.starts_with("call_2 error"))
        .unwrap();
    assert!(
        cut.contains("cut off at 1000 tokens") && cut.contains("smaller"),
        "{cut}"
    );
    assert!(
        said.contains(&"call_2 write_file {}".to_string()),
        "{said:?}"
    );
}

#[tokio::test]
async fn an_answer_that_the_output_limit_cuts_off_says_so() {
    let place = Place::new();
    let fake = Fake::new(vec![
        vec![
            Ok(ProviderEvent::Text("As I was say".into())),
            Ok(ProviderEvent::Stop(StopReason::MaxTokens)),
        ],
        end(),
    ]);
    let (mut session, _) = place.session(fake.model());
    let message = limit(run(&mut session, "a").await);
    assert!(message.contains("1000 tokens"), "{message}");
    assert_eq!(run(&mut session, "go on").await, RunOutcome::Done);
}

#[tokio::test]
async fn a_refusal_fails_and_is_not_told_to_the_model_again() {
    let place = Place::new();
    let mut refused = vec![Ok(ProviderEvent::Text("I would".into()))];
    refused.extend(calls(
        &[("write_file", json!({"path": "a.txt", "content": ""}))],
        StopReason::Refusal,
    ));
    let fake = Fake::new(vec![refused, end()]);
    let (mut session, _) = place.session(fake.model());
    assert!(
        matches!(run(&mut session, "a").await, RunOutcome::Failed(message) if message.contains("refused"))
    );
    assert!(!place.root().join("a.txt").exists());
    assert_eq!(run(&mut session, "b").await, RunOutcome::Done);
    assert_eq!(
        told(session.conversation().messages()),
        ["environment", "a", "environment", "b", "Done."]
    );
}

#[tokio::test]
async fn what_a_provider_would_refuse_is_mended_and_named() {
    let place = Place::new();
    let bad = vec![
        Ok(ProviderEvent::CallBegin {
            index: 0,
            name: "read file!".into(),
        }),
        Ok(ProviderEvent::CallArguments {
            index: 0,
            json: "{\"path\": ".into(),
        }),
        Ok(ProviderEvent::CallEnd { index: 0 }),
        Ok(ProviderEvent::CallBegin {
            index: 1,
            name: String::new(),
        }),
        Ok(ProviderEvent::CallArguments {
            index: 1,
            json: "[1]".into(),
        }),
        Ok(ProviderEvent::CallEnd { index: 1 }),
        Ok(ProviderEvent::Stop(StopReason::ToolUse)),
    ];
    let fake = Fake::new(vec![bad, end()]);
    let (mut session, _) = place.session(fake.model());
    assert_eq!(run(&mut session, "a").await, RunOutcome::Done);
    let said = told(session.conversation().messages());
    assert_eq!(said[2..4], ["call_1 read_file_ {}", "call_2 _ {}"]);
    assert!(said[4].contains("call_1 error: invalid_arguments: The call was not made: the arguments are not valid JSON"), "{said:?}");
    assert!(said[5].contains("the arguments are an array"), "{said:?}");
}

#[tokio::test]
async fn an_empty_answer_ends_the_turn_and_adds_nothing() {
    let place = Place::new();
    let fake = Fake::new(vec![
        vec![Ok(ProviderEvent::Stop(StopReason::EndTurn))],
        end(),
    ]);
    let (mut session, _) = place.session(fake.model());
    assert_eq!(run(&mut session, "a").await, RunOutcome::Done);
    assert_eq!(run(&mut session, "b").await, RunOutcome::Done);
    assert_eq!(
        told(session.conversation().messages()),
        ["environment", "a", "environment", "b", "Done."]
    );
}
