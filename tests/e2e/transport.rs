//! The wire itself: malformed messages, floods and misuse. Each request gets exactly one response, and nothing stops the server.

use std::time::Instant;

use serde_json::{Value, json};

use crate::harness::client::Client;
use crate::harness::frames::{encode, encode_bytes};
use crate::harness::uri::uri;
use crate::harness::{PATIENCE, Server, Workspace};

fn initialize(server: &mut Server, workspace: &Workspace) {
    let params = json!({
        "processId": std::process::id(),
        "rootUri": uri(workspace.root()),
        "capabilities": Client::blind().capabilities(),
    });
    server
        .call("initialize", params)
        .expect("initialize succeeds");
    server.notify("initialized", json!({}));
}

fn pending(server: &mut Server) {
    let answer = server.call("mewcode/pending", json!({}));
    assert_eq!(
        answer.expect("the server still answers")["hunks"],
        json!([])
    );
}

/// Takes what came meanwhile: registrations are answered, and errors about our messages counted.
fn errors_without_id(server: &mut Server) -> usize {
    let mut count = 0;
    while let Some(message) = server.receive(Instant::now()) {
        match message["method"].as_str() {
            Some("client/registerCapability") => {
                server.respond(&message["id"].clone(), Value::Null)
            }
            Some("window/logMessage") => {}
            Some(_) => panic!("not expected: {message}"),
            None => {
                assert!(message["id"].is_null(), "{message}");
                assert!(
                    message["error"]["message"]
                        .as_str()
                        .is_some_and(|text| !text.is_empty()),
                    "{message}"
                );
                count += 1;
            }
        }
    }
    count
}

/// Sends something malformed after and before proper messages, and wants an error for it (`errors` of them) and life to go on.
fn check(name: &str, bytes: Vec<u8>, errors: std::ops::RangeInclusive<usize>) {
    let workspace = Workspace::new();
    let mut server = Server::start(&workspace);
    server.note(name);
    server.send_raw(bytes.clone());
    initialize(&mut server, &workspace);
    pending(&mut server);
    let before = errors_without_id(&mut server);
    server.send_raw(bytes);
    pending(&mut server);
    let after = errors_without_id(&mut server);
    for count in [before, after] {
        assert!(errors.contains(&count), "{name}: {count} errors");
    }
}

#[test]
fn malformed_messages() {
    let notification = encode(&json!({"jsonrpc": "2.0", "method": "$/nothing"}));
    check("bad JSON", encode_bytes(b"{\"jsonrpc\": "), 1..=1);
    check("no JSON at all", encode_bytes(b"hello"), 1..=1);
    check(
        "bad UTF-8",
        encode_bytes(b"{\"jsonrpc\": \"2.0\", \"method\": \"\xff\xfe\"}"),
        1..=1,
    );
    check("an empty body", encode_bytes(b""), 1..=1);
    check("an empty object", encode_bytes(b"{}"), 1..=1);
    check("a number", encode_bytes(b"7"), 1..=1);
    check("null", encode_bytes(b"null"), 1..=1);
    check("an empty batch", encode_bytes(b"[]"), 1..=1);
    check(
        "nested too deeply",
        encode_bytes("[".repeat(100_000).as_bytes()),
        1..=1,
    );
    check(
        "another version",
        encode_bytes(br#"{"jsonrpc": "1.0", "method": "$/nothing"}"#),
        0..=1,
    );
    check(
        "a method that is no string",
        encode_bytes(br#"{"jsonrpc": "2.0", "method": 7}"#),
        1..=1,
    );
    check(
        "a response to nobody",
        encode_bytes(br#"{"jsonrpc": "2.0", "id": 99999, "result": null}"#),
        0..=0,
    );
    check(
        "a response with a strange id",
        encode_bytes(br#"{"jsonrpc": "2.0", "id": "x", "result": null}"#),
        0..=0,
    );
    check(
        "a response with an error that cannot be read",
        encode_bytes(br#"{"jsonrpc": "2.0", "id": 99999, "error": {"message": "no code"}}"#),
        0..=0,
    );
    check("an unknown notification", notification.clone(), 0..=0);
    check(
        "garbage between frames",
        b"garbage\r\nmore of it\r\n".to_vec(),
        0..=2,
    );
    check(
        "an unknown header",
        b"X-Colour: red\r\n\r\n".to_vec(),
        0..=1,
    );
    check(
        "a header in other letters",
        [b"content-length: 4\r\n\r\n".as_slice(), b"null"].concat(),
        1..=1,
    );
    check(
        "a length that is no number",
        b"Content-Length: many\r\n\r\n".to_vec(),
        0..=1,
    );
    check(
        "a negative length",
        b"Content-Length: -4\r\n\r\n".to_vec(),
        0..=1,
    );
    check(
        "a length beyond everything",
        b"Content-Length: 99999999999999999999\r\n\r\n".to_vec(),
        0..=1,
    );
    check(
        "a length too small",
        {
            let mut bytes = format!("Content-Length: {}\r\n\r\n", 20).into_bytes();
            bytes.extend_from_slice(br#"{"jsonrpc": "2.0", "method": "$/nothing"}"#);
            bytes.extend_from_slice(b"\r\n");
            bytes
        },
        1..=3,
    );
    check(
        "bytes of no meaning",
        [vec![0, 255, 254, 13, 10], notification].concat(),
        0..=2,
    );
}

/// A length that is too great eats the beginning of what follows; what comes after that is understood again.
#[test]
fn a_length_too_great() {
    let workspace = Workspace::new();
    let mut server = Server::start(&workspace);
    initialize(&mut server, &workspace);
    let body = br#"{"jsonrpc": "2.0", "method": "$/nothing"}"#;
    let mut bytes = format!("Content-Length: {}\r\n\r\n", body.len() + 30).into_bytes();
    bytes.extend_from_slice(body);
    // Eaten in part.
    bytes.extend_from_slice(&encode(&json!({"jsonrpc": "2.0", "method": "$/nothing"})));
    server.send_raw(bytes);
    pending(&mut server);
    assert!(errors_without_id(&mut server) >= 1);
}

#[test]
fn wrong_requests_get_the_right_error() {
    let workspace = Workspace::new();
    let mut server = Server::start(&workspace);
    let code = |answer: Result<Value, crate::harness::server::ResponseError>| {
        answer.expect_err("an error").code
    };
    assert_eq!(
        code(server.call("mewcode/pending", json!({}))),
        -32002,
        "not initialized"
    );
    initialize(&mut server, &workspace);
    assert_eq!(
        code(server.call("initialize", json!({"capabilities": {}}))),
        -32600,
        "twice"
    );
    assert_eq!(code(server.call("mewcode/unheardOf", json!({}))), -32601);
    assert_eq!(
        code(server.call("textDocument/unheardOf", json!({}))),
        -32601
    );
    for (method, params) in [
        ("textDocument/codeAction", json!({"textDocument": 7})),
        ("textDocument/codeAction", json!([])),
        ("workspace/executeCommand", json!({"command": 7})),
        ("mewcode/checksum", json!({"uri": 7})),
        ("mewcode/checksum", json!({})),
        ("mewcode/transcript", json!({"session": 7})),
    ] {
        assert_eq!(
            code(server.call(method, params.clone())),
            -32602,
            "{method} {params}"
        );
    }
    for (method, params) in [
        ("textDocument/didOpen", json!({"textDocument": 7})),
        ("textDocument/didChange", json!({})),
        ("textDocument/didClose", json!("x")),
        ("textDocument/didSave", Value::Null),
        (
            "workspace/didChangeWatchedFiles",
            json!({"changes": [{"uri": "::", "type": 9}]}),
        ),
        ("$/cancelRequest", json!({"id": {}})),
        (
            "window/workDoneProgress/cancel",
            json!({"token": "unknown"}),
        ),
    ] {
        server.notify(method, params);
    }
    pending(&mut server);
    errors_without_id(&mut server);
}

/// After `shutdown` only `exit` is in order.
#[test]
fn requests_after_shutdown() {
    let workspace = Workspace::new();
    let mut server = Server::start(&workspace);
    initialize(&mut server, &workspace);
    assert_eq!(server.call("shutdown", Value::Null), Ok(Value::Null));
    let error = server
        .call("mewcode/pending", json!({}))
        .expect_err("an error");
    assert_eq!(error.code, -32600);
    server.notify("exit", Value::Null);
    assert!(server.exit_within(crate::harness::END_WITHIN).success());
    errors_without_id(&mut server);
}

/// A thousand requests in one write, of all sorts, some withdrawn at once: each gets exactly one response, by its own id, and
/// changes between them are not lost. (A second response to one id fails in the harness.)
#[test]
fn a_flood() {
    let workspace = Workspace::with(&[("a.txt", "x\n")]);
    let mut server = Server::start(&workspace);
    initialize(&mut server, &workspace);
    let document = uri(&workspace.path("a.txt"));
    server.notify(
        "textDocument/didOpen",
        json!({"textDocument": {"uri": document, "languageId": "text", "version": 1, "text": "x\n"}}),
    );
    let place = json!({"line": 0, "character": 0});
    let mut ids = Vec::new();
    for number in 0..1000 {
        let id = match number % 5 {
            0 => server.request("mewcode/pending", json!({})),
            1 => server.request(
                "textDocument/codeAction",
                json!({"textDocument": {"uri": document}, "range": {"start": place, "end": place}, "context": {"diagnostics": []}}),
            ),
            2 => server.request("textDocument/codeLens", json!({"textDocument": {"uri": document}})),
            3 => server.request("mewcode/unheardOf", json!({})),
            _ => server.request("workspace/executeCommand", json!({"command": "mewcode.status", "arguments": []})),
        };
        if number % 7 == 0 {
            server.notify("$/cancelRequest", json!({"id": id}));
        }
        if number % 10 == 0 {
            server.notify(
                "textDocument/didChange",
                json!({"textDocument": {"uri": document, "version": 2 + number},
                       "contentChanges": [{"range": {"start": place, "end": place}, "text": "y"}]}),
            );
        }
        ids.push((number, id));
    }
    let deadline = Instant::now() + PATIENCE;
    for (number, id) in ids {
        let answer = server.response_before(id, deadline);
        match (number % 5, number % 7, answer) {
            (_, 0, Err(error)) if error.code == -32800 => {}
            (3, _, Err(error)) => assert_eq!(error.code, -32601),
            (3, _, Ok(_)) => panic!("an unknown method succeeds"),
            (_, _, answer) => assert!(answer.is_ok(), "{number}: {answer:?}"),
        }
    }
    let expected = crate::harness::buffer::sha256(&format!("{}x\n", "y".repeat(100)));
    let checksum = server.call(
        "mewcode/checksum",
        json!({"uri": document, "version": 992, "sha256": expected}),
    );
    assert_eq!(checksum, Ok(json!({"match": true})));
    assert_eq!(errors_without_id(&mut server), 0);
}

/// Ids may be strings, and come back as they were.
#[test]
fn string_ids() {
    let workspace = Workspace::new();
    let mut server = Server::start(&workspace);
    initialize(&mut server, &workspace);
    pending(&mut server);
    errors_without_id(&mut server);
    server.strings_allowed = true;
    server
        .send(&json!({"jsonrpc": "2.0", "id": "seven", "method": "mewcode/pending", "params": {}}));
    let answer = loop {
        let message = server
            .receive(Instant::now() + PATIENCE)
            .expect("an answer");
        if message.get("method").is_none() {
            break message;
        }
    };
    assert_eq!(answer["id"], "seven");
    assert_eq!(answer["result"]["hunks"], json!([]));
}

/// One message in many pieces, and many messages in one piece.
#[test]
fn frames_in_pieces() {
    let workspace = Workspace::new();
    let mut server = Server::start(&workspace);
    initialize(&mut server, &workspace);
    let message =
        encode(&json!({"jsonrpc": "2.0", "method": "$/nothing", "params": {"text": "é😀"}}));
    for byte in &message {
        server.send_raw(vec![*byte]);
    }
    server.send_raw(message.repeat(500));
    pending(&mut server);
    assert_eq!(errors_without_id(&mut server), 0);
}

/// A message of 20 MB is taken, and the next small one too.
#[test]
fn a_great_message() {
    let workspace = Workspace::new();
    let mut server = Server::start(&workspace);
    initialize(&mut server, &workspace);
    let text = "0123456789abcde\n".repeat(20 * 1024 * 1024 / 16);
    let document = uri(&workspace.path("big.txt"));
    server.notify(
        "textDocument/didOpen",
        json!({"textDocument": {"uri": document, "languageId": "text", "version": 1, "text": text}}),
    );
    let expected = crate::harness::buffer::sha256(&text);
    let checksum = server.call(
        "mewcode/checksum",
        json!({"uri": document, "version": 1, "sha256": expected}),
    );
    assert_eq!(checksum, Ok(json!({"match": true})));
    errors_without_id(&mut server);
}
