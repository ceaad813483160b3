//! The Messages API: every fault that a server or a connection can have.

use std::time::Duration;

use mewcode_agent::event::Event;
use mewcode_agent::provider::ProviderErrorKind;
use mewcode_agent::provider::anthropic::{Anthropic, Options};
use mewcode_agent::session::RunOutcome;
use serde_json::{Value, json};

use crate::anthropic::{KEY, answer, ask, config, model, start, stop, text};
use crate::server::{Reply, Server, sse};
use crate::support::{Place, records, run, told};

const OVERFLOW: &[u8] = include_bytes!("../streams/msg_overflow.http");

#[tokio::test]
async fn an_overloaded_server_is_asked_again() {
    let place = Place::new();
    let limited = Reply::Http {
        status: 429,
        headers: vec![("retry-after-ms", "2".into())],
        body:
            json!({"type": "error", "error": {"type": "rate_limit_error", "message": "Slow down"}})
                .to_string(),
    };
    let broken_off = [
        vec![start()],
        text(0, "half"),
        vec![
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
        ],
    ];
    let replies = vec![
        Reply::error(529, "overloaded_error", "Overloaded"),
        limited,
        Reply::events(&broken_off.concat()),
        answer("Done."),
    ];
    let server = Server::start(replies).await;
    let (mut session, events) = place.session(model(&server));
    assert_eq!(run(&mut session, "a").await, RunOutcome::Done);
    assert_eq!(
        told(session.conversation().messages()),
        ["environment", "a", "Done."]
    );
    let reasons: Vec<String> = events
        .events()
        .into_iter()
        .filter_map(|event| match event {
            Event::Retrying { reason, .. } => Some(reason),
            _ => None,
        })
        .collect();
    assert_eq!(
        reasons,
        [
            "The provider answered 529: Overloaded (overloaded_error).",
            "The provider answered 429: Slow down (rate_limit_error).",
            "The provider broke off the answer: Overloaded (overloaded_error)."
        ]
    );
    let bodies: Vec<Value> = server.got().into_iter().map(|got| got.body).collect();
    assert!(
        bodies.iter().all(|body| *body == bodies[0]),
        "each retry is the very same request"
    );
}

#[tokio::test]
async fn a_stream_that_is_cut_anywhere_is_asked_for_again() {
    let place = Place::new();
    let whole = sse(&[vec![start()], text(0, "half an answer"), stop("end_turn")].concat());
    let without_stop =
        whole[..whole.len() - sse(&[json!({"type": "message_stop"})]).len()].to_vec();
    let in_the_middle = whole[..whole.len() / 2].to_vec();
    let replies = vec![
        Reply::Cut(vec![in_the_middle.clone()]),
        // Ended properly as far as HTTP goes, but the message is not over.
        Reply::Stream(vec![without_stop]),
        Reply::Raw(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n".to_vec()),
        answer("Done."),
    ];
    let server = Server::start(replies).await;
    let (mut session, events) = place.session(model(&server));
    assert_eq!(run(&mut session, "a").await, RunOutcome::Done);
    assert_eq!(
        told(session.conversation().messages()),
        ["environment", "a", "Done."]
    );
    assert_eq!(
        events
            .kinds()
            .iter()
            .filter(|kind| *kind == "retrying")
            .count(),
        3
    );
}

#[tokio::test]
async fn nobody_listens() {
    let server = Server::start(vec![]).await;
    let mut configuration = config(&server);
    // A port that was free a moment ago; nothing listens on it.
    let free = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap();
    configuration.base_url = Some(format!("http://user:secret@{free}"));
    let error = ask(&*configuration.open().unwrap().provider)
        .await
        .unwrap_err();
    assert_eq!(error.kind, ProviderErrorKind::Dropped);
    assert!(
        error.message.contains("refused") && !error.message.contains("secret"),
        "{error}"
    );
}

fn options(server: &Server, idle_timeout: Duration) -> Options {
    Options {
        base_url: Some(server.url.clone()),
        api_key_env: None,
        api_key_command: None,
        idle_timeout,
    }
}

#[tokio::test]
async fn a_silent_server_is_given_up() {
    let half = sse(&[vec![start()], text(0, "half")].concat());
    let server = Server::start(vec![Reply::Stall(vec![half])]).await;
    let error = ask(&Anthropic::new(options(&server, Duration::from_millis(100))).unwrap())
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind, &*error.message),
        (
            ProviderErrorKind::IdleTimeout,
            "The provider was silent for 0.1 s."
        )
    );
}

#[tokio::test]
async fn a_server_that_no_key_was_meant_for_gets_none() {
    let server = Server::start(vec![answer("Hi.")]).await;
    ask(&Anthropic::new(options(&server, Duration::from_secs(60))).unwrap())
        .await
        .unwrap();
    assert_eq!(server.got()[0].header("x-api-key"), None);
}

#[tokio::test]
async fn a_malformed_event_fails_the_run_and_nothing_is_kept() {
    let place = Place::new();
    let mut stream = sse(&[vec![start()], text(0, "half")].concat());
    stream.extend(
        b"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":\n\n",
    );
    let server = Server::start(vec![Reply::Stream(vec![stream])]).await;
    let (mut session, _) = place.session(model(&server));
    let RunOutcome::Failed(message) = run(&mut session, "a").await else {
        panic!("it should fail")
    };
    assert!(
        message.contains("event (content_block_delta) that cannot be understood"),
        "{message}"
    );
    assert_eq!(
        told(session.conversation().messages()),
        ["environment", "a"]
    );
}

#[tokio::test]
async fn an_overflow_is_told_as_such() {
    let server = Server::start(vec![
        Reply::Raw(OVERFLOW.to_vec()),
        Reply::error(
            400,
            "invalid_request_error",
            "prompt is too long: 201432 tokens > 200000 maximum",
        ),
        Reply::events(
            &[
                vec![start()],
                text(0, "half"),
                stop("model_context_window_exceeded"),
            ]
            .concat(),
        ),
    ])
    .await;
    let model = model(&server);
    for told in [
        "request (9010 tokens) exceeds the available context size",
        "prompt is too long",
        "context window",
    ] {
        let error = ask(&*model.provider).await.unwrap_err();
        assert_eq!(error.kind, ProviderErrorKind::Overflow);
        assert!(
            error.message.contains(told) && error.message.contains("Start a new session"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_wrong_key_fails_at_once_and_is_shown_nowhere() {
    let place = Place::new();
    let replies = vec![Reply::error(
        401,
        "authentication_error",
        &format!("invalid x-api-key: {KEY}"),
    )];
    let server = Server::start(replies).await;
    let (mut session, events) = place.session(model(&server));
    let RunOutcome::Failed(message) = run(&mut session, "a").await else {
        panic!("it should fail")
    };
    assert!(
        message.contains("401: invalid x-api-key: [key]") && message.contains("api_key_env"),
        "{message}"
    );
    assert_eq!(server.got().len(), 1);
    let log = std::fs::read_to_string(session.log_path()).unwrap();
    assert!(!records(session.log_path()).is_empty());
    assert!(!log.contains(KEY) && !format!("{:?}", events.events()).contains(KEY));
}

#[tokio::test]
async fn a_key_that_the_stream_repeats_is_shown_nowhere_either() {
    let told = json!({"type": "error", "error": {"type": "invalid_request_error", "message": format!("bad {KEY}")}});
    let server = Server::start(vec![Reply::events(&[start(), told])]).await;
    let error = ask(&*model(&server).provider).await.unwrap_err();
    assert!(error.message.contains("bad [key]"), "{error}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_refused_key_of_a_command_is_asked_for_again() {
    let place = Place::new();
    let count = place.root().join("count");
    let server = Server::start(vec![
        answer("One."),
        answer("Two."),
        Reply::error(401, "authentication_error", "expired"),
        answer("Three."),
    ])
    .await;
    let mut configuration = config(&server);
    configuration.api_key_command = Some(format!(
        "echo x >> '{0}'; echo key-$(($(wc -l < '{0}')))",
        count.display()
    ));
    let (mut session, _) = place.session(configuration.open().unwrap());
    assert_eq!(run(&mut session, "a").await, RunOutcome::Done);
    assert_eq!(run(&mut session, "b").await, RunOutcome::Done);
    assert!(matches!(
        run(&mut session, "c").await,
        RunOutcome::Failed(_)
    ));
    assert_eq!(run(&mut session, "d").await, RunOutcome::Done);
    let keys: Vec<String> = server
        .got()
        .iter()
        .map(|got| got.header("x-api-key").unwrap().to_string())
        .collect();
    assert_eq!(keys, ["key-1", "key-1", "key-1", "key-2"]);
}

#[tokio::test]
async fn a_redirect_does_not_carry_the_key_away() {
    let other = Server::start(vec![]).await;
    let redirect = Reply::Http {
        status: 307,
        headers: vec![("location", format!("{}/v1/messages", other.url))],
        body: String::new(),
    };
    let server = Server::start(vec![redirect]).await;
    let error = ask(&*model(&server).provider).await.unwrap_err();
    assert_eq!(error.kind, ProviderErrorKind::Rejected);
    assert!(
        error.message.contains(&other.url) && error.message.contains("base_url"),
        "{error}"
    );
    assert!(other.got().is_empty());
}

#[tokio::test]
async fn an_answer_that_is_no_stream_is_named() {
    let whole = json!({"type": "message", "content": [{"type": "text", "text": "Hi"}]}).to_string();
    let failed =
        json!({"error": {"type": "overloaded_error", "message": "Overloaded"}}).to_string();
    let reply = |body: String| Reply::Http {
        status: 200,
        headers: vec![],
        body,
    };
    let page = "<html><body>Log in first.</body></html>".to_string();
    let server = Server::start(vec![reply(whole), reply(page), reply(failed)]).await;
    let model = model(&server);
    for what in ["a whole JSON document", "a web page"] {
        let error = ask(&*model.provider).await.unwrap_err();
        assert_eq!(error.kind, ProviderErrorKind::Protocol);
        let named = format!("{what} instead of a stream");
        assert!(
            error.message.contains(&named) && error.message.contains("base_url"),
            "{error}"
        );
    }
    assert_eq!(
        ask(&*model.provider).await.unwrap_err().kind,
        ProviderErrorKind::Overloaded
    );
}
