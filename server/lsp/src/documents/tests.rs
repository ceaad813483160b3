//! The writer's promises: wire order, doubt when a change does not fit, and healing by a whole text.

use super::*;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::path::Path;
use tower_lsp::jsonrpc::Id;

const URI: &str = "file:///nowhere/a.txt";

fn send(documents: &Documents, method: &str, params: Value) {
    let params = RawValue::from_string(params.to_string()).unwrap();
    let outcome = documents.dispatch(method, None, Some(&params));
    assert!(matches!(outcome, Dispatch::Done), "{outcome:?}");
}

fn open(documents: &Documents, text: &str) {
    let document = json!({"uri": URI, "languageId": "text", "version": 0, "text": text});
    send(
        documents,
        "textDocument/didOpen",
        json!({"textDocument": document}),
    );
}

fn change(documents: &Documents, version: i32, changes: Value) {
    let params =
        json!({"textDocument": {"uri": URI, "version": version}, "contentChanges": changes});
    send(documents, "textDocument/didChange", params);
}

fn insertion(line: u32, character: u32, text: &str) -> Value {
    let at = json!({"line": line, "character": character});
    json!({"range": {"start": at, "end": at}, "text": text})
}

fn text(documents: &Documents) -> String {
    documents.by_uri(URI).unwrap().snapshot.rope().to_string()
}

fn checksum(documents: &Documents, sha256: &str, text: Option<&str>) -> Value {
    let params = json!({"uri": URI, "version": 9, "sha256": sha256, "text": text});
    let params = RawValue::from_string(params.to_string()).unwrap();
    match documents.dispatch("mewcode/checksum", Some(Id::Number(1)), Some(&params)) {
        Dispatch::Reply(reply) => serde_json::to_value(&reply).unwrap(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn changes_of_one_message_apply_in_order() {
    let documents = Documents::default();
    open(&documents, "ab\n");
    change(
        &documents,
        5,
        json!([insertion(0, 1, "x"), insertion(0, 2, "y")]),
    );
    assert_eq!(text(&documents), "axyb\n");
    assert_eq!(documents.by_uri(URI).unwrap().version, 5);
    change(
        &documents,
        6,
        json!([{"text": "whole\n"}, insertion(0, 0, "the ")]),
    );
    assert_eq!(text(&documents), "the whole\n");
}

#[test]
fn a_change_that_does_not_fit_is_doubt_until_the_whole_text_comes() {
    let documents = Documents::default();
    open(&documents, "ab\n");
    let range = json!({"start": {"line": 1, "character": 0}, "end": {"line": 0, "character": 0}});
    change(&documents, 1, json!([{"range": range, "text": "x"}]));
    let doubt = documents.by_uri(URI).unwrap().untrusted.unwrap();
    assert!(
        doubt.to_string().contains("may differ from the editor's"),
        "{doubt}"
    );
    change(&documents, 2, json!([insertion(0, 0, "x")]));
    assert!(documents.by_uri(URI).unwrap().untrusted.is_some());
    change(&documents, 3, json!([{"text": "healed\n"}]));
    assert_eq!(documents.by_uri(URI).unwrap().untrusted, None);
    assert_eq!(text(&documents), "healed\n");
}

#[test]
fn a_save_with_text_heals_too() {
    let documents = Documents::default();
    change(&documents, 1, json!([insertion(0, 0, "x")]));
    let doubt = documents.by_uri(URI).unwrap().untrusted;
    assert_eq!(doubt, Some(Untrusted::NeverOpened));
    send(
        &documents,
        "textDocument/didSave",
        json!({"textDocument": {"uri": URI}, "text": "saved\n"}),
    );
    assert_eq!(documents.by_uri(URI).unwrap().untrusted, None);
    assert_eq!(text(&documents), "saved\n");
}

#[test]
fn a_checksum_compares_and_the_text_with_it_heals() {
    let documents = Documents::default();
    open(&documents, "drifted\n");
    let right = Snapshot::decode("right\r\n").hash().to_string();
    assert_eq!(
        checksum(&documents, &right, None)["result"],
        json!({"match": false})
    );
    assert_eq!(
        checksum(&documents, &right, Some("right\r\n"))["result"],
        json!({"match": true})
    );
    assert_eq!(
        checksum(&documents, &right, None)["result"],
        json!({"match": true})
    );
    assert_eq!(documents.by_uri(URI).unwrap().version, 9);
    let wrong = checksum(&documents, &right, Some("right\r\n").map(|_| "wrong\n"));
    assert_eq!(
        wrong["result"],
        json!({"match": true}),
        "a right checksum needs no text"
    );
    let short = checksum(&documents, "12", None);
    assert_eq!(
        short["error"]["message"],
        "a sha256 has 64 hexadecimal digits"
    );
}

#[test]
fn observers_see_every_text_in_order_and_nothing_of_other_paths() {
    let documents = Documents::default();
    let mut events = documents.observe(Path::new("/nowhere/a.txt"));
    let mut others = documents.observe(Path::new("/nowhere/b.txt"));
    open(&documents, "a\n");
    change(&documents, 1, json!([insertion(0, 1, "b")]));
    send(
        &documents,
        "textDocument/didClose",
        json!({"textDocument": {"uri": URI}}),
    );
    let mut seen = Vec::new();
    while let Ok(event) = events.try_recv() {
        seen.push(match event {
            DocumentEvent::Text(document) => document.snapshot.rope().to_string(),
            DocumentEvent::Saved => "saved".into(),
            DocumentEvent::Closed => "closed".into(),
        });
    }
    assert_eq!(seen, ["a\n", "ab\n", "closed"]);
    assert!(others.try_recv().is_err());
    assert!(documents.by_path(Path::new("/nowhere/a.txt")).is_none());
}

#[test]
fn a_notification_with_an_id_and_unreadable_parameters_are_answered_or_named() {
    let documents = Documents::default();
    let outcome = documents.dispatch("textDocument/didChange", Some(Id::Number(1)), None);
    assert!(matches!(outcome, Dispatch::Reply(reply) if reply.error().is_some()));
    let outcome = documents.dispatch("textDocument/didChange", None, None);
    assert!(
        matches!(outcome, Dispatch::Malformed(reason) if reason.starts_with("textDocument/didChange: "))
    );
    assert!(matches!(
        documents.dispatch("textDocument/hover", None, None),
        Dispatch::NotOurs
    ));
}

#[cfg(unix)]
#[test]
fn a_file_open_by_two_names_is_open_until_both_are_closed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let path = root.join("a.txt");
    std::fs::write(&path, "").unwrap();
    std::os::unix::fs::symlink(&path, root.join("link.txt")).unwrap();
    let uri = |name: &str| format!("file://{}/{name}", root.display());
    let documents = Documents::default();
    for name in ["a.txt", "link.txt"] {
        let document = json!({"uri": uri(name), "languageId": "text", "version": 0, "text": name});
        let params = json!({"textDocument": document});
        send(&documents, "textDocument/didOpen", params);
    }
    let close = |name: &str| {
        let params = json!({"textDocument": {"uri": uri(name)}});
        send(&documents, "textDocument/didClose", params);
    };
    close("link.txt");
    assert_eq!(documents.by_path(&path).unwrap().uri, uri("a.txt"));
    close("a.txt");
    assert!(documents.by_path(&path).is_none());
}

#[test]
fn observers_that_are_gone_are_forgotten() {
    let documents = Documents::default();
    let _kept = documents.observe(Path::new("/nowhere/a.txt"));
    for number in 0..100 {
        drop(documents.observe(Path::new(&format!("/nowhere/{number}"))));
    }
    let observers = documents.read().observers.len();
    assert!(observers <= 2, "{observers} observers");
}
