//! Whole runs with scripted models and the real tools.

use std::sync::Arc;

use mewcode_agent::config::ProviderConfig;
use mewcode_agent::event::{Event, Outcome};
use mewcode_agent::log::Entry;
use mewcode_agent::prompt::Prompt;
use mewcode_agent::provider::{ProviderEvent, StopReason};
use mewcode_agent::session::{RunOutcome, Session};
use mewcode_agent::transcript;
use mewcode_tools::permission::Mode;
use mewcode_tools::result::Status;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::{Fake, Place, appears, call, check, records, run, told, tool_names};

const FIX: &str = "
turns:
  - text: I will read it.
    calls:
      - tool: read_file
        args: {path: a.txt}
    expect:
      - {status: ok, contains: 'two'}
  - text: Now the edit.
    calls:
      - tool: edit_file
        args: {path: a.txt, old_string: two, new_string: zwei}
      - tool: edit_file
        args: {path: a.txt, old_string: absent, new_string: x}
      - tool: write_file
        args: {path: new/b.txt, content: \"hello\\n\"}
    expect:
      - {status: ok, contains: '+zwei'}
      - {status: failed, error_kind: no_match, contains: a.txt}
      - {status: ok}
  - text: Done.
";

#[tokio::test]
async fn a_run_reads_edits_and_ends() {
    let place = Place::new();
    place.write("a.txt", "one\ntwo\nthree\n");
    let (mut session, events) = place.session(place.script(FIX));
    assert_eq!(run(&mut session, "Translate two.").await, RunOutcome::Done);
    assert_eq!(place.text("a.txt"), "one\nzwei\nthree\n");
    assert_eq!(place.text("new/b.txt"), "hello\n");
    assert_eq!(
        events.kinds(),
        [
            "run_started",
            "text",
            "call_started",
            "call_ended",
            "text",
            "call_started",
            "call_started",
            "call_started",
            "call_ended",
            "call_ended",
            "call_ended",
            "text",
            "run_ended"
        ]
    );
    let mut ended: Vec<(String, Status, usize)> = events
        .events()
        .into_iter()
        .filter_map(|event| match event {
            Event::CallEnded {
                call,
                status,
                files,
                ..
            } => Some((call, status, files.len())),
            _ => None,
        })
        .collect();
    ended.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!(
        ended,
        [
            ("call_1".into(), Status::Ok, 0),
            ("call_2".into(), Status::Ok, 1),
            ("call_3".into(), Status::Failed, 0),
            ("call_4".into(), Status::Ok, 1)
        ]
    );
    let told = told(session.conversation().messages());
    assert_eq!(
        &told[..3],
        ["environment", "Translate two.", "I will read it."]
    );
    let edit = told
        .iter()
        .find(|block| block.starts_with("call_2 ok"))
        .unwrap();
    let hash = mewcode_core::hash::ContentHash::of(b"one\nzwei\nthree\n").short();
    assert!(
        edit.contains("-two\n+zwei") && edit.contains(&hash),
        "{edit}"
    );
    let miss = told
        .iter()
        .find(|block| block.starts_with("call_3 error: no_match"))
        .unwrap();
    assert!(miss.contains("a.txt"), "{miss}");
}

#[tokio::test]
async fn events_are_numbered_without_gaps_and_say_where_they_belong() {
    let place = Place::new();
    let (mut session, events) = place.session(place.script("turns: [{text: one}, {text: two}]"));
    let first = Prompt::new("a");
    let second = Prompt::new("b");
    let runs = [first.run.clone(), second.run.clone()];
    assert_ne!(runs[0], runs[1]);
    for prompt in [first, second] {
        assert_eq!(
            session.run(prompt, CancellationToken::new()).await,
            RunOutcome::Done
        );
    }
    let envelopes = events.envelopes();
    let sequences: Vec<u64> = envelopes.iter().map(|envelope| envelope.sequence).collect();
    assert_eq!(sequences, (1..=envelopes.len() as u64).collect::<Vec<_>>());
    assert!(
        envelopes
            .iter()
            .all(|envelope| envelope.session == session.id())
    );
    let starts = envelopes
        .iter()
        .filter(|envelope| matches!(envelope.event, Event::RunStarted { .. }));
    assert_eq!(
        starts
            .map(|envelope| envelope.run.clone())
            .collect::<Vec<_>>(),
        runs
    );
}

#[tokio::test]
async fn what_editors_get_is_this_json() {
    let place = Place::new();
    place.write("a.txt", "one\n");
    let yaml = "turns: [{text: Hi, calls: [{tool: read_file, args: {path: b.txt}}]}, {text: x}]";
    let (mut session, events) = place.session(place.script(yaml));
    run(&mut session, "Go").await;
    let mut lines = Vec::new();
    for envelope in events.envelopes() {
        let mut json = serde_json::to_value(&envelope).unwrap();
        assert!(json["time"].is_u64() && json["session"].is_string() && json["run"].is_string());
        json = json["event"].take();
        lines.push(json.to_string());
    }
    insta::assert_snapshot!(lines.join("\n"), @r#"
    {"kind":"run_started","prompt":"Go"}
    {"delta":"H","kind":"text"}
    {"delta":"i","kind":"text"}
    {"arguments":{"path":"b.txt"},"call":"call_1","kind":"call_started","title":"read_file b.txt","tool":"read_file"}
    {"call":"call_1","error_kind":"not_found","kind":"call_ended","status":"failed","summary":"`b.txt` does not exist.","tool":"read_file"}
    {"delta":"x","kind":"text"}
    {"kind":"run_ended","outcome":"done"}
    "#);
}

#[tokio::test]
async fn turns_go_on_over_the_prompts_of_a_session_and_begin_anew_in_the_next() {
    let place = Place::new();
    let model = place.script("turns: [{text: one}, {text: two}]");
    let (mut session, _) = place.session(model.clone());
    assert_eq!(run(&mut session, "a").await, RunOutcome::Done);
    assert_eq!(run(&mut session, "b").await, RunOutcome::Done);
    let RunOutcome::Failed(message) = run(&mut session, "c").await else {
        panic!("a turn too many")
    };
    assert!(
        message.contains("script.yaml: turn 3 was asked for, but the script ends with turn 2"),
        "{message}"
    );
    let (mut other, _) = place.session(model);
    assert_eq!(run(&mut other, "a").await, RunOutcome::Done);
    let said = told(other.conversation().messages());
    assert_eq!(said, ["environment", "a", "one"]);
}

#[tokio::test]
async fn a_failed_expectation_ends_the_run_at_its_place() {
    let place = Place::new();
    let yaml = "
turns:
  - text: one
  - calls: [{tool: read_file, args: {path: a.txt}}, {tool: read_file, args: {path: b.txt}}]
    expect: [{status: failed, error_kind: not_found}, {status: ok}]
  - text: never reached
";
    let (mut session, events) = place.session(place.script(yaml));
    run(&mut session, "a").await;
    let RunOutcome::Failed(message) = run(&mut session, "b").await else {
        panic!("it should fail")
    };
    let expected = "script.yaml: turn 2, call 2 (read_file): expected status ok; got status failed, error kind not_found";
    assert!(message.contains(expected), "{message}");
    let last = events.events().pop();
    assert_eq!(
        last,
        Some(Event::RunEnded {
            outcome: Outcome::Failed,
            message: Some(message)
        })
    );
}

#[tokio::test]
async fn without_a_model_each_prompt_is_answered_with_how_to_set_one_up() {
    let place = Place::new();
    let (mut session, _) = place.session(ProviderConfig::default().open().unwrap());
    for prompt in ["a", "b"] {
        assert_eq!(run(&mut session, prompt).await, RunOutcome::Done);
        let said = told(session.conversation().messages()).pop().unwrap();
        assert!(
            said.contains("provider: anthropic") && said.contains("script: demo.yaml"),
            "{said}"
        );
    }
}

#[tokio::test]
async fn an_empty_prompt_is_refused() {
    let place = Place::new();
    let (mut session, _) = place.session(place.script("turns: [{text: one}]"));
    let outcome = session
        .run(Prompt::new(" \n"), CancellationToken::new())
        .await;
    assert_eq!(
        outcome,
        RunOutcome::Failed("The prompt is empty. Say what is to be done.".into())
    );
    assert_eq!(
        run(&mut session, "real").await,
        RunOutcome::Done,
        "the script has not moved on"
    );
}

#[tokio::test]
async fn the_log_tells_everything_in_order() {
    let place = Place::new();
    place.write("a.txt", "one\ntwo\nthree\n");
    let (mut session, _) = place.session(place.script(FIX));
    run(&mut session, "Translate two.").await;
    let path = session.log_path().to_path_buf();
    assert!(
        path.starts_with(place.state().join("sessions")),
        "{}",
        path.display()
    );
    assert_eq!(
        path.file_name().unwrap().to_str().unwrap(),
        format!("{}.jsonl", session.id())
    );
    let mut kinds: Vec<String> = records(&path)
        .iter()
        .map(|record| {
            let json = serde_json::to_value(record).unwrap();
            let call = json["call"]
                .as_str()
                .map(|call| format!(" {call}"))
                .unwrap_or_default();
            format!("{}{call}", json["kind"].as_str().unwrap())
        })
        .collect();
    // The calls of one turn go on side by side: each has its intent before its end, and nothing else is certain.
    let place_of = |kinds: &[String], kind: &str| kinds.iter().position(|it| it == kind);
    for call in ["call_2", "call_3", "call_4"] {
        let intended = place_of(&kinds, &format!("call_intended {call}"));
        assert!(intended.is_some() && intended < place_of(&kinds, &format!("call_ended {call}")));
    }
    kinds[10..16].sort_by_key(|kind| kind.split(' ').next_back().map(str::to_string));
    assert_eq!(
        kinds,
        [
            "session_started",
            "run_started",
            "user_message",
            "prompt_prefix",
            "request",
            "answer",
            "call_intended call_1",
            "call_ended call_1",
            "request",
            "answer",
            "call_intended call_2",
            "call_ended call_2",
            "call_intended call_3",
            "call_ended call_3",
            "call_intended call_4",
            "call_ended call_4",
            "request",
            "answer",
            "run_ended"
        ]
    );
}

#[tokio::test]
async fn an_intent_is_on_the_disk_before_its_effect() {
    let place = Place::new();
    let yaml = "turns: [{calls: [{tool: wait}]}]";
    let (mut session, _) = place.session(place.script(yaml));
    let path = session.log_path().to_path_buf();
    let cancel = CancellationToken::new();
    let waiting = place.root().join("waiting");
    let watch = async {
        appears(&waiting).await;
        let log = std::fs::read_to_string(&path).unwrap();
        cancel.cancel();
        log
    };
    let (outcome, log) = tokio::join!(session.run(Prompt::new("go"), cancel.clone()), watch);
    assert_eq!(outcome, RunOutcome::Cancelled);
    assert!(
        log.contains("call_intended") && !log.contains("call_ended"),
        "{log}"
    );
}

#[tokio::test]
async fn the_requests_of_a_run_have_one_front_and_only_grow() {
    let place = Place::new();
    place.write("a.txt", "one\n");
    let read = |stop| {
        let mut events = call(0, "read_file", json!({"path": "a.txt"}));
        events.push(Ok(ProviderEvent::Stop(stop)));
        events
    };
    let end = || {
        vec![
            Ok(ProviderEvent::Text("Done.".into())),
            Ok(ProviderEvent::Stop(StopReason::EndTurn)),
        ]
    };
    let fake = Fake::new(vec![
        read(StopReason::ToolUse),
        read(StopReason::EndTurn),
        end(),
        end(),
    ]);
    let (mut session, _) = place.session(fake.model());
    assert_eq!(run(&mut session, "a").await, RunOutcome::Done);
    session.mode().set(Mode::Default);
    assert_eq!(run(&mut session, "b").await, RunOutcome::Done);
    let seen = fake.seen.lock().unwrap();
    assert_eq!(
        seen.iter().map(|seen| seen.turn).collect::<Vec<_>>(),
        [0, 1, 2, 3]
    );
    for pair in seen.windows(2) {
        assert_eq!(
            (&pair[0].system, &pair[0].tools),
            (&pair[1].system, &pair[1].tools)
        );
        assert_eq!(pair[1].messages[..pair[0].messages.len()], pair[0].messages);
    }
    let names: Vec<&str> = seen[0]
        .tools
        .iter()
        .map(|tool| tool.name.as_str())
        .collect();
    assert_eq!(names, tool_names());
    assert!(
        !seen[0].system.contains("20"),
        "no date in the unchanging front"
    );
}

#[tokio::test]
async fn plan_mode_offers_what_reads_and_the_change_is_recorded_once() {
    let place = Place::new();
    place.write("a.txt", "one\n");
    let edit = call(0, "write_file", json!({"path": "b.txt", "content": "x"}));
    let stop = |stop| vec![Ok(ProviderEvent::Stop(stop))];
    let fake = Fake::new(vec![
        stop(StopReason::EndTurn),
        [edit, stop(StopReason::ToolUse)].concat(),
        stop(StopReason::EndTurn),
    ]);
    let (mut session, events) = place.session(fake.model());
    run(&mut session, "a").await;
    session.mode().set(Mode::Plan);
    run(&mut session, "b").await;
    let names = |index: usize| -> Vec<String> {
        fake.seen.lock().unwrap()[index]
            .tools
            .iter()
            .map(|tool| tool.name.clone())
            .collect()
    };
    assert_eq!(names(0), tool_names());
    let offered = names(1);
    for (name, reads) in [
        ("read_file", true),
        ("wait", true),
        ("edit_file", false),
        ("write_file", false),
    ] {
        assert_eq!(
            offered.iter().any(|offered| offered == name),
            reads,
            "{name}"
        );
    }
    assert_eq!(names(2), offered);
    let records = records(session.log_path());
    let prefixes = records
        .iter()
        .filter(|record| matches!(record.entry, Entry::PromptPrefix { .. }))
        .count();
    assert_eq!(prefixes, 2);
    assert!(!place.root().join("b.txt").exists());
    let denied = events.events().into_iter().any(|event| {
        matches!(
            event,
            Event::CallEnded {
                status: Status::Denied,
                ..
            }
        )
    });
    assert!(denied, "what is not offered is not done either");
}

#[tokio::test]
async fn the_transcript_of_a_run() {
    let place = Place::new();
    place.write("a.txt", "one\ntwo\nthree\n");
    let (mut session, events) = place.session(place.script(FIX));
    run(&mut session, "Translate two.").await;
    let document = transcript::markdown("s", &events.envelopes());
    for part in [
        "## Prompt\n\n> Translate two.\n\nI will read it.\n\n- ✓ `read_file a.txt`: ",
        "- ✓ `edit_file a.txt`: a.txt +1 −1\n\n```diff\n--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n```\n",
        "\n- ✗ failed, `edit_file a.txt`: no_match: ",
        "- ✓ `write_file new/b.txt`: new/b.txt +1 −0\n\n```diff\n--- /dev/null\n+++ new/b.txt\n",
    ] {
        assert!(document.contains(part), "{document}\nshould hold\n{part}");
    }
    assert!(document.ends_with("```\n\nDone.\n"), "{document}");
}

#[tokio::test]
async fn a_session_whose_log_cannot_be_begun_does_not_start() {
    let place = Place::new();
    std::fs::write(place.state(), "in the way").unwrap();
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        place.session(Fake::new(vec![]).model())
    }));
    assert!(outcome.is_err());
}

#[test]
fn a_run_can_be_sent_to_another_thread() {
    fn sendable<T: Send>(value: T) -> T {
        value
    }
    fn is_sendable(session: &mut Session) {
        drop(sendable(
            session.run(Prompt::new("x"), CancellationToken::new()),
        ));
    }
    let _ = is_sendable;
    let _ = check;
}

#[tokio::test]
async fn a_panic_ends_the_run_and_not_the_session() {
    let place = Place::new();
    // It panics when it is asked for a turn that it does not have.
    let (mut session, events) = place.session(Fake::new(vec![]).model());
    for _ in 0..2 {
        let RunOutcome::Failed(message) = run(&mut session, "a").await else {
            panic!("a run that broke off is no success");
        };
        assert!(message.contains("broke off"), "{message}");
        let last = events.events().pop();
        assert!(matches!(last, Some(Event::RunEnded { .. })), "{last:?}");
    }
}

#[tokio::test]
async fn what_the_user_does_meanwhile_is_told_behind_the_results() {
    let place = Place::new();
    place.write("a.txt", "one\n");
    let turns =
        "turns: [{calls: [{tool: read_file, args: {path: a.txt}}]}, {text: Done.}, {text: Well.}]";
    let (mut session, events) = place.session(place.script(turns));
    let recorder = Arc::clone(&events);
    events.on_event(move |event| {
        if matches!(event, Event::CallEnded { .. }) {
            let news = "The user reverted your change.".to_string();
            recorder.news.lock().unwrap().push(news);
        }
    });
    assert_eq!(run(&mut session, "Read it.").await, RunOutcome::Done);
    let news = "The user keeps another one.".to_string();
    events.news.lock().unwrap().push(news);
    assert_eq!(run(&mut session, "And?").await, RunOutcome::Done);

    let messages = session.conversation().messages();
    let told: Vec<Vec<String>> = (messages.iter())
        .map(|message| told(std::slice::from_ref(message)))
        .collect();
    assert!(told[2][0].starts_with("call_1 ok"), "{told:?}");
    assert_eq!(
        told[2][1..],
        ["<meanwhile>\nThe user reverted your change.\n</meanwhile>"]
    );
    assert_eq!(told[3], ["Done."]);
    assert_eq!(
        told[4],
        [
            "environment",
            "<since_the_last_run>\nThe user keeps another one.\n</since_the_last_run>",
            "And?"
        ]
    );
    assert_eq!(messages.len(), 6, "each is told once");
}
