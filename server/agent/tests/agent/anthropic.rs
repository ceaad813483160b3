//! The Messages API: whole runs over real connections, and recorded streams.

use futures::TryStreamExt;
use mewcode_agent::config::{Model, ProviderConfig, ProviderKind};
use mewcode_agent::event::Event;
use mewcode_agent::message::{Block, Message, Role};
use mewcode_agent::provider::assembly::{Assembly, Part, RequestedCall, Turn};
use mewcode_agent::provider::{Provider, ProviderError, Request, StopReason, Usage};
use mewcode_agent::session::RunOutcome;
use serde_json::{Value, json};

use crate::server::{Reply, Server, sse};
use crate::support::{Place, run};

const TEXT: &[u8] = include_bytes!("../streams/msg.sse");
const TOOL: &[u8] = include_bytes!("../streams/msg_tool.sse");

/// Set by cargo in every test; the server's key in these tests.
const KEY_VARIABLE: &str = "CARGO_PKG_NAME";
pub const KEY: &str = "mewcode-agent";

pub fn config(server: &Server) -> ProviderConfig {
    ProviderConfig {
        provider: Some(ProviderKind::Anthropic),
        model: Some("test-model".into()),
        base_url: Some(server.url.clone()),
        api_key_env: Some(KEY_VARIABLE.into()),
        ..ProviderConfig::default()
    }
}

pub fn model(server: &Server) -> Model {
    config(server).open().unwrap()
}

/// One turn, asked for directly.
pub async fn ask(provider: &dyn Provider) -> Result<Turn, ProviderError> {
    let messages = [Message {
        role: Role::User,
        content: vec![Block::text("hi")],
    }];
    let request = Request {
        turn: 0,
        model: "test-model",
        system: "",
        tools: &[],
        messages: &messages,
        max_tokens: 10,
        thinking_budget: None,
    };
    let mut assembly = Assembly::new();
    let mut events = provider.stream(&request);
    while let Some(event) = events.try_next().await? {
        assembly.push(event)?;
    }
    assembly.finish()
}

pub fn start() -> Value {
    let usage = json!({"input_tokens": 100, "cache_creation_input_tokens": 7, "cache_read_input_tokens": 5, "output_tokens": 1});
    json!({"type": "message_start", "message": {"id": "msg_1", "role": "assistant", "content": [], "usage": usage}})
}

pub fn block(index: usize, block: Value, deltas: &[Value]) -> Vec<Value> {
    let mut events =
        vec![json!({"type": "content_block_start", "index": index, "content_block": block})];
    events.extend(
        deltas
            .iter()
            .map(|delta| json!({"type": "content_block_delta", "index": index, "delta": delta})),
    );
    events.push(json!({"type": "content_block_stop", "index": index}));
    events
}

pub fn text(index: usize, text: &str) -> Vec<Value> {
    block(
        index,
        json!({"type": "text", "text": ""}),
        &[json!({"type": "text_delta", "text": text})],
    )
}

pub fn tool(index: usize, name: &str, input: &str) -> Vec<Value> {
    let (one, two) = input.split_at(input.len() / 2);
    let delta = |json: &str| json!({"type": "input_json_delta", "partial_json": json});
    // The provider repeats its ids: ours must be unique all the same.
    let start = json!({"type": "tool_use", "id": "toolu_same", "name": name, "input": {}});
    block(index, start, &[delta(""), delta(one), delta(two)])
}

pub fn stop(reason: &str) -> Vec<Value> {
    vec![
        json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null}, "usage": {"output_tokens": 42}}),
        json!({"type": "message_stop"}),
    ]
}

pub fn answer(text_of_it: &str) -> Reply {
    Reply::events(&[vec![start()], text(0, text_of_it), stop("end_turn")].concat())
}

#[tokio::test]
async fn a_whole_run_with_thinking_and_tools() {
    let place = Place::new();
    place.write("a.txt", "one\n");
    let thinking = block(
        0,
        json!({"type": "thinking", "thinking": "", "signature": ""}),
        &[
            json!({"type": "thinking_delta", "thinking": "I should "}),
            json!({"type": "thinking_delta", "thinking": "read."}),
            json!({"type": "signature_delta", "signature": "c2ln+/="}),
        ],
    );
    let redacted = block(
        1,
        json!({"type": "redacted_thinking", "data": "b3BhcXVl"}),
        &[],
    );
    let first = [
        vec![start(), json!({"type": "ping"})],
        thinking,
        redacted,
        text(2, "Reading."),
        tool(3, "read_file", r#"{"path":"a.txt"}"#),
        tool(4, "read_file", r#"{"path":"ü \"q\".rs"}"#),
        stop("tool_use"),
    ];
    let second = [
        vec![start()],
        tool(
            0,
            "edit_file",
            r#"{"path":"a.txt","old_string":"one","new_string":"1"}"#,
        ),
        stop("tool_use"),
    ];
    let server = Server::start(vec![
        Reply::events(&first.concat()),
        Reply::events(&second.concat()),
        answer("Done."),
    ])
    .await;
    let mut configuration = config(&server);
    configuration.thinking_budget = Some(2000);
    let (mut session, events) = place.session(configuration.open().unwrap());
    assert_eq!(run(&mut session, "Fix it.").await, RunOutcome::Done);
    assert_eq!(place.text("a.txt"), "1\n");

    let got = server.got();
    assert_eq!(got.len(), 3);
    assert!(got.iter().all(|got| got.header("x-api-key") == Some(KEY)));
    assert_eq!(
        got[0].body["thinking"],
        json!({"type": "enabled", "budget_tokens": 2000})
    );
    assert_eq!(got[0].body["model"], "test-model");
    let sent = &got[1].body["messages"];
    assert_eq!(
        sent[1]["content"],
        json!([
            {"type": "thinking", "thinking": "I should read.", "signature": "c2ln+/="},
            {"type": "redacted_thinking", "data": "b3BhcXVl"},
            {"type": "text", "text": "Reading."},
            {"type": "tool_use", "id": "call_1", "name": "read_file", "input": {"path": "a.txt"}},
            {"type": "tool_use", "id": "call_2", "name": "read_file", "input": {"path": "ü \"q\".rs"}}
        ])
    );
    let results = &sent[2]["content"];
    assert_eq!(
        (&results[0]["tool_use_id"], results[0].get("is_error")),
        (&json!("call_1"), None)
    );
    assert_eq!(
        (&results[1]["tool_use_id"], &results[1]["is_error"]),
        (&json!("call_2"), &json!(true))
    );
    for pair in got.windows(2) {
        assert_eq!(
            (&pair[0].body["system"], &pair[0].body["tools"]),
            (&pair[1].body["system"], &pair[1].body["tools"])
        );
    }
    let usage = Usage {
        input_tokens: 100,
        output_tokens: 42,
        cache_read_tokens: 5,
        cache_write_tokens: 7,
    };
    let counted = events
        .events()
        .into_iter()
        .filter(|event| *event == Event::Usage(usage))
        .count();
    assert_eq!(counted, 3);
    let thought: String = events
        .events()
        .into_iter()
        .filter_map(|event| match event {
            Event::Thinking { delta } => Some(delta),
            _ => None,
        })
        .collect();
    assert_eq!(thought, "I should read.");
}

#[tokio::test]
async fn recorded_streams_in_any_pieces() {
    let said = "I'm here to help with programming tasks.";
    let input = json!({"path": "src/main.rs"}).as_object().unwrap().clone();
    let call = RequestedCall {
        name: "read_file".into(),
        arguments: Ok(input),
    };
    let text_turn = Turn {
        parts: vec![Part::Text(said.into())],
        usage: Some(Usage {
            input_tokens: 1,
            output_tokens: 10,
            cache_read_tokens: 27,
            cache_write_tokens: 0,
        }),
        stop: StopReason::EndTurn,
    };
    let tool_turn = Turn {
        parts: vec![Part::Call(call)],
        usage: Some(Usage {
            input_tokens: 1,
            output_tokens: 35,
            cache_read_tokens: 470,
            cache_write_tokens: 0,
        }),
        stop: StopReason::ToolUse,
    };
    for (stream, expected) in [(TEXT, text_turn), (TOOL, tool_turn)] {
        for sizes in [
            &[1][..],
            &[7],
            &[1, 2, 3, 5, 8, 13],
            &[100, 1],
            &[usize::MAX],
        ] {
            let server = Server::start(vec![Reply::recorded(stream, sizes)]).await;
            let turn = ask(&*model(&server).provider).await.unwrap();
            assert_eq!(turn, expected, "pieces of {sizes:?}");
        }
    }
}

#[tokio::test]
async fn a_call_that_the_limit_cuts_off_is_not_run() {
    let place = Place::new();
    let cut = [
        vec![start()],
        tool(0, "write_file", r#"{"path":"a.txt","content":"x"}"#),
        tool(1, "write_file", r#"{"path":"b.txt","cont"#),
        stop("max_tokens"),
    ];
    let server = Server::start(vec![Reply::events(&cut.concat()), answer("Done.")]).await;
    let (mut session, _) = place.session(model(&server));
    assert_eq!(run(&mut session, "a").await, RunOutcome::Done);
    assert!(place.root().join("a.txt").exists() && !place.root().join("b.txt").exists());
    let results = &server.got()[1].body["messages"][2]["content"];
    assert!(
        results[1]["content"].as_str().unwrap().contains("cut off"),
        "{results}"
    );
}

#[tokio::test]
async fn stopping_the_run_hangs_up() {
    let place = Place::new();
    let half = sse(&[vec![start()], text(0, "half")].concat());
    let server = Server::start(vec![Reply::Stall(vec![half]), answer("Done.")]).await;
    let (mut session, events) = place.session(model(&server));
    let cancel = tokio_util::sync::CancellationToken::new();
    let token = cancel.clone();
    events.on_event(move |event| {
        if let Event::Text { .. } = event {
            token.cancel();
        }
    });
    assert_eq!(
        crate::support::run_until(&mut session, "a", cancel).await,
        RunOutcome::Cancelled
    );
    assert_eq!(run(&mut session, "b").await, RunOutcome::Done);
}
