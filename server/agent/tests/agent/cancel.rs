//! Runs that the user stops, at every point where one can be stopped.

use std::time::Duration;

use mewcode_agent::event::Event;
use mewcode_agent::log::{Entry, Record};
use mewcode_agent::prompt::Prompt;
use mewcode_agent::provider::{ProviderError, ProviderErrorKind, ProviderEvent, StopReason};
use mewcode_agent::session::RunOutcome;
use mewcode_tools::result::Status;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::{Fake, Place, appears, call, fills, records, run, run_until, told};

const WAITS: &str = "
turns:
  - text: Let me wait.
    calls:
      - {tool: read_file, args: {path: a.txt}}
      - {tool: edit_file, args: {path: a.txt, old_string: one, new_string: two}}
      - {tool: write_file, args: {path: a.txt, content: x}}
    expect: [{status: ok}, {status: ok}, {status: ok}]
  - text: Back again.
";

#[tokio::test]
async fn stopping_between_calls_answers_every_call() {
    let place = Place::new();
    place.write("a.txt", "one\n");
    let (mut session, events) = place.session(place.script(WAITS));
    let cancel = CancellationToken::new();
    let token = cancel.clone();
    events.on_event(move |event| {
        if matches!(event, Event::CallEnded { tool, .. } if tool == "read_file") {
            token.cancel();
        }
    });
    assert_eq!(
        run_until(&mut session, "a", cancel).await,
        RunOutcome::Cancelled
    );
    assert_eq!(place.text("a.txt"), "one\n");
    let statuses: Vec<Status> = events
        .events()
        .into_iter()
        .filter_map(|event| match event {
            Event::CallEnded { status, .. } => Some(status),
            _ => None,
        })
        .collect();
    assert_eq!(
        statuses,
        [Status::Ok, Status::Interrupted, Status::Interrupted]
    );
    let intended = |record: &Record| match &record.entry {
        Entry::CallIntended { call, .. } => Some(call.clone()),
        _ => None,
    };
    let intended: Vec<String> = records(session.log_path())
        .iter()
        .filter_map(intended)
        .collect();
    assert_eq!(
        intended,
        ["call_1"],
        "what comes after the stop is not even begun"
    );
    let told_so_far = told(session.conversation().messages());
    assert_eq!(
        told_so_far.last().map(String::as_str),
        Some("(The user stopped the run here.)")
    );
    // The conversation goes on as if nothing had happened, with the next turn.
    assert_eq!(run(&mut session, "b").await, RunOutcome::Done);
    let said = told(session.conversation().messages());
    assert_eq!(said[said.len() - 3..], ["environment", "b", "Back again."]);
}

#[tokio::test]
async fn stopping_in_a_call_waits_for_its_cleanup() {
    let place = Place::new();
    let (mut session, events) = place.session(place.script("turns: [{calls: [{tool: wait}]}]"));
    let waiting = place.root().join("waiting");
    let cancel = CancellationToken::new();
    let stop = async {
        appears(&waiting).await;
        cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(run_until(&mut session, "a", cancel.clone()), stop);
    assert_eq!(outcome, RunOutcome::Cancelled);
    let said = told(session.conversation().messages());
    assert!(
        said.contains(&"call_1 error: The waiting was cleaned up.".to_string()),
        "{said:?}"
    );
    assert!(
        events
            .kinds()
            .ends_with(&["call_ended".into(), "run_ended".into()])
    );
}

#[tokio::test]
async fn stopping_in_the_stream_keeps_nothing_of_the_turn() {
    let place = Place::new();
    let (mut session, events) = place.session(place.script(WAITS));
    let cancel = CancellationToken::new();
    let token = cancel.clone();
    events.on_event(move |event| {
        if let Event::Text { .. } = event {
            token.cancel();
        }
    });
    assert_eq!(
        run_until(&mut session, "a", cancel).await,
        RunOutcome::Cancelled
    );
    let texts = events
        .events()
        .iter()
        .filter(|event| matches!(event, Event::Text { .. }))
        .count();
    assert_eq!(texts, 1, "nothing is read after the stop");
    assert_eq!(
        told(session.conversation().messages()),
        ["environment", "a", "(The user stopped the run here.)"]
    );
}

#[tokio::test]
async fn a_run_that_is_stopped_before_it_begins_asks_nobody() {
    let place = Place::new();
    let fake = Fake::new(vec![]);
    let (mut session, _) = place.session(fake.model());
    let cancel = CancellationToken::new();
    cancel.cancel();
    assert_eq!(
        run_until(&mut session, "a", cancel).await,
        RunOutcome::Cancelled
    );
    assert_eq!(fake.requests(), 0);
}

#[tokio::test(start_paused = true)]
async fn stopping_between_retries_ends_at_once() {
    let place = Place::new();
    let mut error = ProviderError::new(ProviderErrorKind::Overloaded, "Busy.");
    error.retry_after = Some(Duration::from_secs(100));
    let fake = Fake::new(vec![vec![Err(error)]]);
    let (mut session, events) = place.session(fake.model());
    let cancel = CancellationToken::new();
    let token = cancel.clone();
    events.on_event(move |event| {
        if let Event::Retrying { .. } = event {
            token.cancel();
        }
    });
    let before = tokio::time::Instant::now();
    assert_eq!(
        run_until(&mut session, "a", cancel).await,
        RunOutcome::Cancelled
    );
    assert!(before.elapsed() < Duration::from_secs(1));
}

#[tokio::test]
async fn a_run_that_is_dropped_is_settled_by_the_next() {
    let place = Place::new();
    let mut waits = call(0, "wait", json!({}));
    waits.extend(call(1, "wait", json!({})));
    waits.push(Ok(ProviderEvent::Stop(StopReason::ToolUse)));
    let end = vec![
        Ok(ProviderEvent::Text("Fine.".into())),
        Ok(ProviderEvent::Stop(StopReason::EndTurn)),
    ];
    let fake = Fake::new(vec![waits, end]);
    let (mut session, events) = place.session(fake.model());
    let waiting = place.root().join("waiting");
    {
        let broken = session.run(Prompt::new("a"), CancellationToken::new());
        tokio::select! {
            outcome = broken => panic!("{outcome:?}"),
            () = fills(&waiting, 2) => {}
        }
    }
    assert_eq!(session.conversation().open_calls().len(), 2);
    assert_eq!(run(&mut session, "b").await, RunOutcome::Done);
    let unknown = events
        .events()
        .into_iter()
        .filter(|event| {
            matches!(
                event,
                Event::CallEnded {
                    status: Status::UnknownOutcome,
                    ..
                }
            )
        })
        .count();
    assert_eq!(unknown, 2);
    let said = told(session.conversation().messages());
    assert!(
        said.iter()
            .any(|block| block.starts_with("call_2 error:") && block.contains("nobody knows")),
        "{said:?}"
    );
}
