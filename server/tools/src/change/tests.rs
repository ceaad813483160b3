//! What the model is told of a change, and what it then knows.

use mewcode_core::text::Snapshot;
use serde_json::json;

use super::*;
use crate::error::ErrorKind;
use crate::testing::Scene;

/// The answer to an edit of `a.txt` for which the editor answers so.
async fn answered(answer: ChangeOutcome) -> ToolResult {
    let scene = Scene::without_ledger();
    scene.write("a.txt", "one\ntwo\n");
    scene.editor.answer(|| answer);
    scene
        .call(
            "edit_file",
            json!({"path": "a.txt", "old_string": "one", "new_string": "1"}),
        )
        .await
}

fn landed() -> FileChange {
    let (before, after) = (Snapshot::decode("one\ntwo\n"), Snapshot::decode("1\ntwo\n"));
    FileChange::between("a.txt", Some(&before), Some(&after))
}

#[tokio::test]
async fn a_change_that_landed() {
    let mut outcome = ChangeOutcome::landed(vec![landed()]);
    outcome
        .notes
        .push("Left unsaved: the user has changes in it that are not on disk.".to_owned());
    insta::assert_snapshot!(answered(outcome).await.content, @"
    Edited `a.txt`: +1 −1, sha256 1650a178969d.
    Left unsaved: the user has changes in it that are not on disk.
    @@ -1,2 +1,2 @@
    -one
    +1
     two
    ");
}

#[tokio::test]
async fn a_change_of_which_the_user_took_a_part() {
    let mut outcome = ChangeOutcome::landed(vec![landed()]);
    outcome.rejected.push("a.txt:9-12".to_owned());
    outcome.feedback = Some("keep the old name".to_owned());
    let result = answered(outcome).await;
    assert_eq!(result.status, Status::Ok);
    insta::assert_snapshot!(result.content, @"
    Edited `a.txt`: +1 −1, sha256 1650a178969d.
    The user rejected these parts, and they are not in the file: a.txt:9-12.
    The user says: keep the old name
    @@ -1,2 +1,2 @@
    -one
    +1
     two
    ");
}

#[tokio::test]
async fn a_change_that_the_user_rejected() {
    let mut outcome = ChangeOutcome::failed(ToolError::rejected_by_user(
        "The user rejected the change of `a.txt`.",
    ));
    outcome.feedback = Some("not now".to_owned());
    let result = answered(outcome).await;
    assert_eq!(
        (result.status, result.error.unwrap().kind),
        (Status::Denied, ErrorKind::RejectedByUser)
    );
    insta::assert_snapshot!(result.content, @"
    rejected_by_user: The user rejected the change of `a.txt`. Do not send the same change again; follow what the user said, or ask.
    The user says: not now
    ");
}

#[tokio::test]
async fn a_change_that_broke_off_half_way() {
    let mut outcome = ChangeOutcome::landed(vec![landed()]);
    outcome.status = Status::Failed;
    outcome.error = Some(ToolError::conflict("`b.txt` cannot be written."));
    insta::assert_snapshot!(answered(outcome).await.content, @"
    conflict: `b.txt` cannot be written. Look at what is there now before you go on.
    What stands nevertheless:
    Edited `a.txt`: +1 −1, sha256 1650a178969d.
    @@ -1,2 +1,2 @@
    -one
    +1
     two
    ");
}

#[tokio::test]
async fn a_change_that_was_cancelled() {
    let outcome = ChangeOutcome {
        status: Status::Interrupted,
        ..ChangeOutcome::landed(Vec::new())
    };
    let result = answered(outcome).await;
    assert_eq!(result.status, Status::Interrupted);
    insta::assert_snapshot!(result.content, @"The call was cancelled.");
}

#[tokio::test]
async fn new_and_emptied_files_are_shown_as_what_they_are() {
    let text = Snapshot::decode("one\ntwo\n");
    let created = FileChange::between("a.txt", None, Some(&text));
    assert_eq!((created.added, created.removed), (2, 0));
    insta::assert_snapshot!(created.diff, @"
    @@ -0,0 +1,2 @@
    +one
    +two
    ");
    let removed = FileChange::between("a.txt", Some(&text), None);
    assert_eq!(
        (removed.added, removed.removed, removed.sha256_after),
        (0, 2, None)
    );
    let filled = FileChange::between("a.txt", Some(&Snapshot::decode("")), Some(&text));
    assert_eq!((filled.added, filled.removed), (2, 0));
    assert!(filled.sha256_before.is_some());
}

#[tokio::test]
async fn files_that_are_moved_or_removed() {
    let (before, after) = (Snapshot::decode("one\ntwo\n"), Snapshot::decode("1\ntwo\n"));
    let mut moved = FileChange::between("a.txt", Some(&before), Some(&before));
    moved.moved_to = Some("b/a.txt".to_owned());
    let mut edited = FileChange::between("c.txt", Some(&before), Some(&after));
    edited.moved_to = Some("d.txt".to_owned());
    let removed = FileChange::between("e.txt", Some(&before), None);
    let outcome = ChangeOutcome::landed(vec![moved, edited, removed]);
    insta::assert_snapshot!(answered(outcome).await.content, @"
    Moved `a.txt` to `b/a.txt`, sha256 c3f9c8c283a2.
    Moved `c.txt` to `d.txt` and edited it: +1 −1, sha256 1650a178969d.
    Removed `e.txt`: +0 −2.
    d.txt:
    @@ -1,2 +1,2 @@
    -one
    +1
     two
    ");
}

#[tokio::test]
async fn the_agent_knows_what_it_wrote() {
    let scene = Scene::new();
    scene
        .call(
            "write_file",
            json!({"path": "a.txt", "content": "one\ntwo\nthree\n"}),
        )
        .await;
    let edit = scene
        .call(
            "edit_file",
            json!({"path": "a.txt", "old_string": "two", "new_string": "2"}),
        )
        .await;
    assert!(edit.is_ok(), "{}", edit.content);
    let rewrite = scene
        .call(
            "write_file",
            json!({"path": "a.txt", "content": "all new\n"}),
        )
        .await;
    assert!(rewrite.is_ok(), "{}", rewrite.content);
    assert_eq!(scene.read("a.txt"), "all new\n");
}

#[tokio::test]
async fn the_agent_does_not_know_what_the_user_changed_between_plan_and_landing() {
    let scene = Scene::new();
    let path = scene.write("a.txt", "one\ntwo\nthree\n");
    scene.call("read_file", json!({"path": "a.txt"})).await;
    // What an editor answers that carried the edit to a text which the user changed meanwhile.
    let (before, after) = (
        Snapshot::decode("one\ntwo\n3\n"),
        Snapshot::decode("1\ntwo\n3\n"),
    );
    scene.editor.answer(move || {
        std::fs::write(&path, "1\ntwo\n3\n").unwrap();
        ChangeOutcome::landed(vec![FileChange::between(
            "a.txt",
            Some(&before),
            Some(&after),
        )])
    });
    scene
        .call(
            "edit_file",
            json!({"path": "a.txt", "old_string": "one", "new_string": "1"}),
        )
        .await;
    let unseen = scene
        .call(
            "edit_file",
            json!({"path": "a.txt", "old_string": "3", "new_string": "drei"}),
        )
        .await;
    assert_eq!(
        unseen.error.map(|error| error.kind),
        Some(ErrorKind::StaleFile),
        "{}",
        unseen.content
    );
    let known = scene
        .call(
            "edit_file",
            json!({"path": "a.txt", "old_string": "1\n", "new_string": "eins\n"}),
        )
        .await;
    assert!(known.is_ok(), "{}", known.content);
}

#[tokio::test]
async fn the_agent_does_not_know_what_the_user_typed_while_it_landed() {
    let scene = Scene::new();
    let path = scene.write("a.txt", "one\ntwo\nthree\n");
    scene.call("read_file", json!({"path": "a.txt"})).await;
    // The edit met the text that it was made for; the hash is of the text with the user's line.
    let (before, landed) = (
        Snapshot::decode("one\ntwo\nthree\n"),
        Snapshot::decode("1\ntwo\nthree\n"),
    );
    scene.editor.answer(move || {
        let typed = "1\ntwo\nthree\nmine\n";
        std::fs::write(&path, typed).unwrap();
        let mut change = FileChange::between("a.txt", Some(&before), Some(&landed));
        change.sha256_after = Some(Snapshot::decode(typed).hash().to_string());
        ChangeOutcome::landed(vec![change])
    });
    scene
        .call(
            "edit_file",
            json!({"path": "a.txt", "old_string": "one", "new_string": "1"}),
        )
        .await;
    let rewrite = scene
        .call(
            "write_file",
            json!({"path": "a.txt", "content": "all new\n"}),
        )
        .await;
    assert_eq!(
        rewrite.error.map(|error| error.kind),
        Some(ErrorKind::StaleFile),
        "{}",
        rewrite.content
    );
}

#[tokio::test]
async fn what_the_encoding_of_a_file_cannot_hold_is_refused_before_anybody_is_asked() {
    let scene = Scene::without_ledger();
    let path = scene.write("a.txt", b"caf\xe9\nthe end\n");
    let edit = json!({"path": "a.txt", "old_string": "the end", "new_string": "a\nb → c"});
    let result = scene.call("edit_file", edit.clone()).await;
    insta::assert_snapshot!(result.content, @"invalid_arguments: `a.txt` cannot be written so: line 3 has `→` (U+2192), which windows-1252 does not have. Nothing was changed. Use only characters of that encoding, or ask the user to convert the file to UTF-8 first.");
    let error = result.error.unwrap();
    assert_eq!(error.kind, ErrorKind::InvalidArguments);
    assert_eq!(error.details["character"], "→");
    assert_eq!(error.details["line"], 3);
    assert!(scene.editor.requests.lock().unwrap().is_empty());
    assert_eq!(std::fs::read(&path).unwrap(), b"caf\xe9\nthe end\n");
    scene.editor.open(&path, "café\nthe end\n");
    let result = scene.call("edit_file", edit).await;
    assert!(
        result.is_ok(),
        "what is open is the editor's to write: {}",
        result.content
    );
}

#[tokio::test]
async fn what_would_be_read_as_something_else_is_refused() {
    let scene = Scene::without_ledger();
    scene.write("a.txt", b"\xe9\n");
    let write = json!({"path": "a.txt", "content": "Ã©Ã©\n"});
    let result = scene.call("write_file", write).await;
    insta::assert_snapshot!(result.content, @"invalid_arguments: `a.txt` cannot be written so: written in windows-1252, the text would be taken for utf-8 when it is read again. Nothing was changed. Use only characters of that encoding, or ask the user to convert the file to UTF-8 first.");
}

#[tokio::test]
async fn what_would_make_a_file_binary_is_refused() {
    let scene = Scene::without_ledger();
    let write = json!({"path": "new.txt", "content": "a\n\u{0}b\n"});
    let result = scene.call("write_file", write).await;
    insta::assert_snapshot!(result.content, @"invalid_arguments: `new.txt` cannot be written so: line 2 has a NUL character, which would make the file binary. Nothing was changed. Leave the NUL out; to write about it, write its name.");
    assert!(scene.editor.requests.lock().unwrap().is_empty());
    assert_eq!(scene.entries(), Vec::<String>::new());
}
