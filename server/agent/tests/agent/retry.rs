//! Requests that fail, and what is made of them.

use std::time::Duration;

use mewcode_agent::event::Event;
use mewcode_agent::log::Entry;
use mewcode_agent::provider::{ProviderError, ProviderErrorKind, ProviderEvent, StopReason};
use mewcode_agent::session::RunOutcome;
use mewcode_agent::transcript;
use serde_json::json;

use crate::support::{Fake, Place, call, records, run, told};

type Turn = Vec<Result<ProviderEvent, ProviderError>>;

fn good() -> Turn {
    vec![
        Ok(ProviderEvent::Text("A whole answer.".into())),
        Ok(ProviderEvent::Stop(StopReason::EndTurn)),
    ]
}

fn error(kind: ProviderErrorKind) -> ProviderError {
    ProviderError::new(kind, format!("{kind:?}."))
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_dies_half_way_is_never_half_kept() {
    let place = Place::new();
    let mut half = vec![
        Ok(ProviderEvent::Thinking("hm".into())),
        Ok(ProviderEvent::Text("half an ans".into())),
    ];
    half.extend(call(
        0,
        "write_file",
        json!({"path": "a.txt", "content": ""}),
    ));
    let mut broken = half.clone();
    broken.push(Err(error(ProviderErrorKind::Dropped)));
    // The second one just ends, without a stop.
    let fake = Fake::new(vec![broken, half, good()]);
    let (mut session, events) = place.session(fake.model());
    assert_eq!(run(&mut session, "a").await, RunOutcome::Done);
    assert!(!place.root().join("a.txt").exists());
    assert_eq!(
        told(session.conversation().messages()),
        ["environment", "a", "A whole answer."]
    );
    let kinds = events.kinds();
    assert_eq!(
        kinds,
        [
            "run_started",
            "thinking",
            "text",
            "retrying",
            "thinking",
            "text",
            "retrying",
            "text",
            "run_ended"
        ]
    );
    let document = transcript::markdown("s", &events.envelopes());
    assert!(!document.contains("half an ans"), "{document}");
    let seen = fake.seen.lock().unwrap();
    assert!(
        seen.iter().all(|request| *request == seen[0]),
        "each retry is the very same request"
    );
}

#[tokio::test(start_paused = true)]
async fn every_passing_failure_is_retried_and_every_other_is_not() {
    use ProviderErrorKind::*;
    for (kind, retried) in [
        (RateLimited, true),
        (Overloaded, true),
        (Server, true),
        (Dropped, true),
        (IdleTimeout, true),
        (Auth, false),
        (Overflow, false),
        (Rejected, false),
        (Protocol, false),
        (Script, false),
        (Configuration, false),
    ] {
        let place = Place::new();
        let fake = Fake::new(vec![vec![Err(error(kind))], good()]);
        let (mut session, _) = place.session(fake.model());
        let outcome = run(&mut session, "a").await;
        let expected = if retried {
            RunOutcome::Done
        } else {
            RunOutcome::Failed(format!("{kind:?}."))
        };
        assert_eq!(
            (outcome, fake.requests()),
            (expected, 1 + usize::from(retried)),
            "{kind:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn retries_are_bounded_and_counted() {
    let place = Place::new();
    let fake = Fake::new(
        (0..4)
            .map(|_| vec![Err(error(ProviderErrorKind::Overloaded))])
            .collect(),
    );
    let (mut session, events) = place.session(fake.model());
    let RunOutcome::Failed(message) = run(&mut session, "a").await else {
        panic!("it should fail")
    };
    assert_eq!(
        message,
        "Overloaded. It was tried 4 times. Prompt again to try once more."
    );
    let attempts: Vec<(u32, u32)> = events
        .events()
        .into_iter()
        .filter_map(|event| match event {
            Event::Retrying {
                attempt, attempts, ..
            } => Some((attempt, attempts)),
            _ => None,
        })
        .collect();
    assert_eq!(attempts, [(1, 3), (2, 3), (3, 3)]);
    let logged = records(session.log_path());
    assert_eq!(
        logged
            .iter()
            .filter(|record| matches!(record.entry, Entry::Retry { .. }))
            .count(),
        3
    );
}

#[tokio::test(start_paused = true)]
async fn the_wait_that_the_server_asks_for_is_kept() {
    let place = Place::new();
    let mut busy = error(ProviderErrorKind::RateLimited);
    busy.retry_after = Some(Duration::from_secs(40));
    let mut closed = busy.clone();
    closed.retry_after = Some(Duration::from_secs(3600));
    let fake = Fake::new(vec![vec![Err(busy)], good(), vec![Err(closed)]]);
    let (mut session, _) = place.session(fake.model());
    let before = tokio::time::Instant::now();
    assert_eq!(run(&mut session, "a").await, RunOutcome::Done);
    let waited = before.elapsed();
    assert!(
        (Duration::from_secs(40)..Duration::from_secs(41)).contains(&waited),
        "{waited:?}"
    );
    let RunOutcome::Failed(message) = run(&mut session, "b").await else {
        panic!("it should not wait an hour")
    };
    assert_eq!(
        message,
        "RateLimited. It asks to wait for 3600 s: prompt again then."
    );
}
