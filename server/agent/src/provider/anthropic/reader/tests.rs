//! Streams of the Messages API, recorded ones and odd ones, in pieces of every size.

use super::*;
use crate::provider::assembly::{Assembly, Part, Turn};
use crate::provider::sse::Decoder;
use serde_json::json;

const TEXT: &[u8] = include_bytes!("../../../../tests/streams/msg.sse");
const TOOL: &[u8] = include_bytes!("../../../../tests/streams/msg_tool.sse");

/// Reads a stream that comes in these pieces.
fn read(pieces: &[&[u8]]) -> Result<Turn, ProviderError> {
    let mut decoder = Decoder::new();
    let mut reader = Reader::default();
    let mut assembly = Assembly::new();
    for piece in pieces {
        for frame in decoder.push(piece).unwrap() {
            reader.read(&frame)?;
        }
        for event in reader.ready.drain(..) {
            assembly.push(event)?;
        }
    }
    assembly.finish()
}

/// Reads a stream of these data lines, without any event names.
fn read_data(lines: &[&str]) -> Result<Turn, ProviderError> {
    let stream: String = lines
        .iter()
        .map(|line| format!("data: {line}\n\n"))
        .collect();
    read(&[stream.as_bytes()])
}

fn call(turn: &Turn) -> (String, Result<Value, String>) {
    match turn.parts.last() {
        Some(Part::Call(call)) => {
            let arguments = call.arguments.clone().map(Value::Object);
            (
                call.name.clone(),
                arguments.map_err(|error| error.to_string()),
            )
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_recorded_stream_reads_the_same_wherever_it_is_split() {
    for stream in [TEXT, TOOL] {
        let whole = read(&[stream]).unwrap();
        assert!(!whole.parts.is_empty());
        for cut in 0..=stream.len() {
            let (before, after) = stream.split_at(cut);
            assert_eq!(
                read(&[before, after]).as_ref(),
                Ok(&whole),
                "split at {cut}"
            );
        }
        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        assert_eq!(read(&bytes).as_ref(), Ok(&whole));
    }
}

#[test]
fn a_recorded_stream_that_ends_early_is_no_turn() {
    for stream in [TEXT, TOOL] {
        let body = stream.trim_ascii_end().len();
        for end in 0..=body {
            let error = read(&[&stream[..end]]).unwrap_err();
            assert_eq!(error.kind, ProviderErrorKind::Dropped, "cut at {end}");
        }
    }
}

#[test]
fn the_type_may_be_told_by_the_event_alone() {
    let stream = "event: content_block_start\ndata: {\"content_block\":{\"type\":\"text\",\"text\":\"Hi\"}}\n\n\
                  event: message_stop\ndata: {}\n\n";
    let turn = read(&[stream.as_bytes()]).unwrap();
    assert_eq!(
        (turn.parts, turn.usage, turn.stop),
        (vec![Part::Text("Hi".into())], None, StopReason::EndTurn)
    );
}

#[test]
fn what_a_loose_server_leaves_out_is_made_up_for() {
    // No message_start, no block begun or closed, no reason to stop, and something after the end.
    let turn = read_data(&[
        r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"Hi"}}"#,
        r#"{"type":"message_delta"}"#,
        r#"{"type":"message_stop"}"#,
        "[DONE]",
    ]);
    assert_eq!(turn.unwrap().parts, [Part::Text("Hi".into())]);
    let turn = read_data(&[
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"x","name":"list"}}"#,
        r#"{"type":"message_stop"}"#,
    ])
    .unwrap();
    assert_eq!(
        (call(&turn), &turn.stop),
        (("list".into(), Ok(json!({}))), &StopReason::ToolUse)
    );
}

#[test]
fn arguments_may_come_with_the_start_of_the_call() {
    let start = r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","name":"a","input":{"n":1}}}"#;
    let delta = r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"n\":2}"}}"#;
    let end = r#"{"type":"content_block_stop","index":0}"#;
    let stop = r#"{"type":"message_stop"}"#;
    assert_eq!(
        call(&read_data(&[start, end, stop]).unwrap()).1,
        Ok(json!({"n": 1}))
    );
    assert_eq!(
        call(&read_data(&[start, delta, end, stop]).unwrap()).1,
        Ok(json!({"n": 2})),
        "what streams counts"
    );
}

#[test]
fn what_is_unknown_is_passed_over() {
    let turn = read_data(&[
        r#"{"type":"from_the_future","x":1}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"x","name":"web"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"Hi"}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"citations_delta","citation":{}}}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"brand_new"},"usage":{"output_tokens":3,"input_tokens":null}}"#,
        r#"{"type":"message_stop"}"#,
    ])
    .unwrap();
    assert_eq!(
        (turn.parts, turn.stop),
        (
            vec![Part::Text("Hi".into())],
            StopReason::Other("brand_new".into())
        )
    );
    assert_eq!(
        turn.usage,
        Some(Usage {
            output_tokens: 3,
            ..Usage::default()
        })
    );
}

#[test]
fn why_it_stopped() {
    for (reason, expected) in [
        ("end_turn", StopReason::EndTurn),
        ("stop_sequence", StopReason::EndTurn),
        ("tool_use", StopReason::ToolUse),
        ("max_tokens", StopReason::MaxTokens),
        ("refusal", StopReason::Refusal),
    ] {
        let delta = format!(r#"{{"type":"message_delta","delta":{{"stop_reason":"{reason}"}}}}"#);
        assert_eq!(
            read_data(&[&delta, r#"{"type":"message_stop"}"#])
                .unwrap()
                .stop,
            expected
        );
    }
}

#[test]
fn a_call_that_is_cut_off_unclosed_is_marked() {
    let turn = read_data(&[
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","name":"a","input":{}}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"max_tokens"}}"#,
        r#"{"type":"message_stop"}"#,
    ])
    .unwrap();
    assert_eq!(
        call(&turn).1,
        Err("the call was cut off by the output limit".into())
    );
}

#[test]
fn thinking_without_a_seal_and_a_seal_without_thinking_stay_apart() {
    let thinking = |index: usize, deltas: &[Value]| -> Vec<String> {
        let start = json!({"type": "content_block_start", "index": index, "content_block": {"type": "thinking", "thinking": ""}});
        let end = json!({"type": "content_block_stop", "index": index});
        let deltas = deltas
            .iter()
            .map(|delta| json!({"type": "content_block_delta", "index": index, "delta": delta}));
        [start]
            .into_iter()
            .chain(deltas)
            .chain([end])
            .map(|event| event.to_string())
            .collect()
    };
    let mut lines = thinking(0, &[json!({"type": "thinking_delta", "thinking": "one"})]);
    lines.extend(thinking(
        1,
        &[json!({"type": "thinking_delta", "thinking": "two"})],
    ));
    lines.extend(thinking(
        2,
        &[json!({"type": "signature_delta", "signature": "seal"})],
    ));
    lines.push(
        r#"{"type":"content_block_delta","index":3,"delta":{"type":"text_delta","text":"Hi"}}"#
            .into(),
    );
    lines.push(r#"{"type":"message_stop"}"#.into());
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let part = |text: &str, signature: &str| Part::Thinking {
        text: text.into(),
        signature: signature.into(),
    };
    assert_eq!(
        read_data(&lines).unwrap().parts,
        [
            part("one", ""),
            part("two", ""),
            part("", "seal"),
            Part::Text("Hi".into())
        ]
    );
}

#[test]
fn what_cannot_be_understood_is_an_error() {
    let argument = r#"{"type":"content_block_delta","index":4,"delta":{"type":"input_json_delta","partial_json":"{}"}}"#;
    for line in [
        "{",
        "[1]",
        "7",
        r#"{"type":"content_block_start"}"#,
        argument,
    ] {
        let error = read_data(&[line]).unwrap_err();
        assert_eq!(error.kind, ProviderErrorKind::Protocol, "{line}");
    }
    for line in [
        r#"{"type":"error","error":{"type":"overloaded_error"}}"#,
        r#"{"error":{"code":503,"message":"busy"}}"#,
    ] {
        assert_eq!(
            read_data(&[line]).unwrap_err().kind,
            ProviderErrorKind::Overloaded,
            "{line}"
        );
    }
    let named = "event: error\ndata: {\"message\":\"boom\"}\n\n";
    assert_eq!(
        read(&[named.as_bytes()]).unwrap_err().kind,
        ProviderErrorKind::Server
    );
}
