//! Edits of real files, by agents and by others, alone and beside a user who types.

mod matches;

use mewcode_core::text::Snapshot;
use serde_json::json;

use super::*;
use crate::error::ErrorKind;
use crate::result::{Status, ToolResult};
use crate::testing::Scene;

/// One edit of a file with this content, by a caller that is no agent: the file afterwards, or the refusal.
async fn edited(wire: &str, mut arguments: Value) -> String {
    let scene = Scene::without_ledger();
    scene.write("a.txt", wire);
    arguments["path"] = json!("a.txt");
    let result = scene.call("edit_file", arguments).await;
    if result.is_ok() {
        return scene.read("a.txt");
    }
    assert_eq!(scene.read("a.txt"), wire, "a refused edit changes nothing");
    result.content
}

fn replace(old: &str, new: &str) -> Value {
    json!({"old_string": old, "new_string": new})
}

async fn check(wire: &str, arguments: Value, expected: &str) {
    assert_eq!(
        edited(wire, arguments.clone()).await,
        expected,
        "{wire:?} {arguments}"
    );
}

fn kind(result: &ToolResult) -> Option<ErrorKind> {
    result.error.as_ref().map(|error| error.kind)
}

/// An agent that has read `a.txt`.
async fn agent(wire: &str) -> Scene {
    let scene = Scene::new();
    scene.write("a.txt", wire);
    assert!(
        scene
            .call("read_file", json!({"path": "a.txt"}))
            .await
            .is_ok()
    );
    scene
}

async fn edit(scene: &Scene, mut arguments: Value) -> ToolResult {
    arguments["path"] = json!("a.txt");
    scene.call("edit_file", arguments).await
}

#[tokio::test]
async fn the_answer_shows_what_landed() {
    let scene = agent("one\ntwo\nthree\n").await;
    let result = edit(&scene, replace("two", "2")).await;
    insta::assert_snapshot!(result.content, @"
    Edited `a.txt`: +1 −1, sha256 bc85caa9b61b.
    @@ -1,3 +1,3 @@
     one
    -two
    +2
     three
    ");
    let file = &result.files[0];
    assert_eq!(
        (file.path.as_str(), file.added, file.removed),
        ("a.txt", 1, 1)
    );
    assert_eq!(
        file.sha256_after,
        Some(Snapshot::decode(&scene.read("a.txt")).hash().to_string())
    );
}

#[tokio::test]
async fn text_is_replaced_literally() {
    check("a.c abc\n", replace("a.c", "x"), "x abc\n").await;
    check(
        "price\n",
        replace("price", r"$1 \1 $& \\n"),
        "$1 \\1 $& \\\\n\n",
    )
    .await;
    check("a\\nb\n", replace("a\\nb", "c"), "c\n").await;
    check(
        "a\nb\n",
        replace("a\\nb", "c"),
        &edited("a\nb\n", replace("a\\nb", "c")).await,
    )
    .await;
    check("é😀x\n", replace("😀", "🎉"), "é🎉x\n").await;
    check("one\ntwo\n", replace("one\n", ""), "two\n").await;
    check("one\ntwo\n", replace("e\nt", "e t"), "one two\n").await;
}

#[tokio::test]
async fn line_endings_byte_order_mark_and_last_line_stay_as_they_are() {
    check("one\r\ntwo\r\n", replace("one", "1"), "1\r\ntwo\r\n").await;
    check(
        "one\r\ntwo\r\n",
        replace("one\ntwo", "1\n2\n3"),
        "1\r\n2\r\n3\r\n",
    )
    .await;
    check(
        "one\r\ntwo\r\n",
        replace("one\r\ntwo", "1\r\n2"),
        "1\r\n2\r\n",
    )
    .await;
    check("one\ntwo\n", replace("one", "1\r\n1"), "1\n1\ntwo\n").await;
    check(
        "one\r\ntwo\nthree\r\n",
        replace("two", "2"),
        "one\r\n2\nthree\r\n",
    )
    .await;
    check("\u{feff}one\n", replace("one", "1"), "\u{feff}1\n").await;
    check("one\ntwo", replace("two", "2"), "one\n2").await;
    check("one\ntwo\n", replace("two\n", "2"), "one\n2\n").await;
    check("one\ntwo", replace("two", "2\n"), "one\n2\n").await;
    check("one\ntwo", replace("two\n", "2\n"), "one\n2").await;
    check("one", replace("one", ""), "").await;
    check("one\n", replace("one\n", ""), "\n").await;
    insta::assert_snapshot!(edited("one", replace("one", "one\n")).await, @"no_change: `a.txt` would be the same as before: only a line break at the end of the file would be new, which an edit alone cannot add. If the file already is as it should be, go on; else say what is to change.");
}

#[tokio::test]
async fn several_replacements_are_made_one_after_the_other() {
    check(
        "a b\n",
        json!({"edits": [replace("a", "b1"), replace("b1", "c")]}),
        "c b\n",
    )
    .await;
    check("x x y\n", json!({"edits": [{"old_string": "x", "new_string": "z", "replace_all": true}, replace("y", "x")]}), "z z x\n").await;
    insta::assert_snapshot!(edited("a b\n", json!({"edits": [replace("a", "b"), replace("b", "c")]})).await, @"ambiguous_match: edits[1]: `old_string` stands 2 times in `a.txt`: on lines 1, 1. Add lines around it to `old_string` until it is unique, or set `replace_all` to change every occurrence.");
    insta::assert_snapshot!(edited("a b\n", json!({"edits": [replace("a", "c"), replace("a", "d")]})).await, @"no_match: edits[1]: `old_string` does not stand in `a.txt` after the edits before this one. Read the file again and copy the text exactly as it stands, without line numbers.");
    insta::assert_snapshot!(edited("a b\n", json!({"edits": [replace("a", "c"), replace("c", "a")]})).await, @"no_change: `a.txt` would be the same as before: the replacements undo each other. If the file already is as it should be, go on; else say what is to change.");
}

#[tokio::test]
async fn every_occurrence_is_replaced_only_when_asked() {
    let all = json!({"old_string": "x", "new_string": "xx", "replace_all": true});
    check("x\ny x\n", all.clone(), "xx\ny xx\n").await;
    check(
        "aaaa\n",
        json!({"old_string": "aa", "new_string": "b", "replace_all": true}),
        "bb\n",
    )
    .await;
    insta::assert_snapshot!(edited("x\ny\nx x\n", replace("x", "z")).await, @"ambiguous_match: `old_string` stands 3 times in `a.txt`: on lines 1, 3, 3. Add lines around it to `old_string` until it is unique, or set `replace_all` to change every occurrence.");
    insta::assert_snapshot!(edited("y\n", all).await, @"no_match: `old_string` does not stand in `a.txt`. Read the file again and copy the text exactly as it stands, without line numbers.");
    let scene = Scene::without_ledger();
    scene.write("a.txt", "x x\n");
    let result = edit(
        &scene,
        json!({"old_string": "x", "new_string": "z", "replace_all": true}),
    )
    .await;
    insta::assert_snapshot!(result.content, @"
    Edited `a.txt`: +1 −1, sha256 dddbab694954.
    Replaced 2 occurrences.
    @@ -1,1 +1,1 @@
    -x x
    +z z
    ");
}

#[tokio::test]
async fn many_places_are_counted_in_full_and_listed_in_part() {
    let refusal = edited(&"x\n".repeat(150), replace("x", "y")).await;
    assert!(
        refusal.contains("stands 150 times") && refusal.contains(", 99, 100 and 50 more places."),
        "{refusal}"
    );
}

#[tokio::test]
async fn text_that_does_not_stand_there_is_refused_with_what_comes_closest() {
    let wire = "fn a() {\n    let x = 1;\n    let y = 2;\n}\n";
    insta::assert_snapshot!(edited(wire, replace("    let x = 1;\n    let y = 3;", "")).await, @"
    no_match: `old_string` does not stand in `a.txt`. What comes closest is lines 2-3:
        let x = 1;
        let y = 2;
    Difference: line 3 is `    let y = 2;`, the text to be found has `    let y = 3;`.
    Read the file again and copy the text exactly as it stands, without line numbers.
    ");
    insta::assert_snapshot!(edited(wire, replace("nothing like it", "")).await, @"no_match: `old_string` does not stand in `a.txt`. Read the file again and copy the text exactly as it stands, without line numbers.");
}

#[tokio::test]
async fn arguments_that_make_no_sense_are_refused() {
    let mut refusals = String::new();
    for arguments in [
        json!({}),
        json!({"old_string": "one"}),
        json!({"new_string": "one"}),
        json!({"edits": []}),
        json!({"old_string": "one", "new_string": "1", "edits": [replace("one", "1")]}),
        json!({"replace_all": true, "edits": [replace("one", "1")]}),
        replace("", "x"),
        replace("one", "one"),
        json!({"edits": [replace("one", "1"), replace("", "x")]}),
        replace("one\r\n", "one\n"),
        json!({"old_string": "one", "new_string": "1", "base_hash": "abc"}),
        replace("one", "1\n// ... rest unchanged"),
    ] {
        refusals.push_str(&format!(
            "{arguments}\n    {}\n",
            edited("one\n", arguments.clone()).await
        ));
    }
    insta::assert_snapshot!(refusals, @r#"
    {}
        invalid_arguments: `old_string` or `edits` is missing. Give `old_string` and `new_string`, or `edits`.
    {"old_string":"one"}
        invalid_arguments: `new_string` is missing. Give `new_string` too; an empty one deletes the text.
    {"new_string":"one"}
        invalid_arguments: `old_string` or `edits` is missing. Give `old_string` and `new_string`, or `edits`.
    {"edits":[]}
        invalid_arguments: `edits` is empty. Correct the arguments and call again.
    {"edits":[{"new_string":"1","old_string":"one"}],"new_string":"1","old_string":"one"}
        invalid_arguments: Give either `edits` or `old_string`, `new_string` and `replace_all`, not both. Correct the arguments and call again.
    {"edits":[{"new_string":"1","old_string":"one"}],"replace_all":true}
        invalid_arguments: Give either `edits` or `old_string`, `new_string` and `replace_all`, not both. Correct the arguments and call again.
    {"new_string":"x","old_string":""}
        invalid_arguments: `old_string` is empty: there is no place to put the new text. Name the text beside which the new one goes; for a new file or a whole rewrite use write_file.
    {"new_string":"one","old_string":"one"}
        no_change: `old_string` and `new_string` are the same. If the file already is as it should be, go on; else say what is to change.
    {"edits":[{"new_string":"1","old_string":"one"},{"new_string":"x","old_string":""}]}
        invalid_arguments: edits[1]: `old_string` is empty: there is no place to put the new text. Name the text beside which the new one goes; for a new file or a whole rewrite use write_file.
    {"new_string":"one\n","old_string":"one\r\n"}
        no_change: `old_string` and `new_string` are the same. If the file already is as it should be, go on; else say what is to change.
    {"base_hash":"abc","new_string":"1","old_string":"one"}
        invalid_arguments: `base_hash` must be the 64 digits of a sha256 or its first 12, not `abc`. Copy it from the first line of read_file's answer, or leave it out.
    {"new_string":"1\n// ... rest unchanged","old_string":"one"}
        invalid_arguments: `new_string` has `// ... rest unchanged` in place of code; it would be written just so, and the code would be gone. Write out all of the new text, or replace smaller parts and leave out what stays.
    "#);
    check(
        "// ... rest unchanged\n",
        replace("// ... rest unchanged", "x\n// ... rest unchanged"),
        "x\n// ... rest unchanged\n",
    )
    .await;
}

#[tokio::test]
async fn copied_line_numbers_are_left_out_when_that_is_certain() {
    let wire = "one\ntwo\n\tthree\n";
    check(
        wire,
        replace("     2\ttwo\n     3\t\tthree", "     2\t2\n     3\t\t3"),
        "one\n2\n\t3\n",
    )
    .await;
    check(wire, replace("     1\tone", "1"), "1\ntwo\n\tthree\n").await;
    check("1\tone\n", replace("1\tone", "2\ttwo"), "2\ttwo\n").await;
    insta::assert_snapshot!(edited(wire, replace("     1\tone\n     3\ttwo", "x")).await, @r"
    no_match: `old_string` does not stand in `a.txt`. What comes closest is lines 1-2:
    one
    two
    Difference: line 1 is `one`, the text to be found has `     1\tone`.
    Read the file again and copy the text exactly as it stands, without line numbers.
    ");
    insta::assert_snapshot!(edited("x\nx\n", replace("     1\tx", "y")).await, @"no_match: `old_string` does not stand in `a.txt`. Read the file again and copy the text exactly as it stands, without line numbers.");
    insta::assert_snapshot!(edited(wire, replace("     1\tone\n     2\ttwo", "     1\tone\nnew")).await, @"invalid_arguments: Some lines of `new_string` begin with line numbers, others do not. Leave the line numbers out of both texts: they are not part of the file.");
    let scene = Scene::without_ledger();
    scene.write("a.txt", wire);
    insta::assert_snapshot!(edit(&scene, replace("     1\tone", "     1\tONE")).await.content, @"
    Edited `a.txt`: +1 −1, sha256 8aa26010ccab.
    The line numbers in `old_string` were left out.
    @@ -1,3 +1,3 @@
    -one
    +ONE
     two
     	three
    ");
}

#[tokio::test]
async fn a_file_that_was_not_read_is_not_edited() {
    let scene = Scene::new();
    scene.write("a.txt", "one\n");
    insta::assert_snapshot!(edit(&scene, replace("one", "1")).await.content, @"not_read: `a.txt` has not been read in this session. Read it with read_file, then call again.");
    assert!(
        scene
            .call("read_file", json!({"path": "a.txt", "limit": 1}))
            .await
            .is_ok()
    );
    assert!(edit(&scene, replace("one", "1")).await.is_ok());
}

#[tokio::test]
async fn a_change_of_the_user_elsewhere_is_kept() {
    let scene = agent("one\ntwo\nthree\nfour\n").await;
    scene.write("a.txt", "zero\none\ntwo\nthree\nFOUR\n");
    let result = edit(&scene, replace("two", "2")).await;
    assert!(result.is_ok(), "{}", result.content);
    assert_eq!(scene.read("a.txt"), "zero\none\n2\nthree\nFOUR\n");
}

#[tokio::test]
async fn an_edit_finds_its_place_by_what_the_agent_saw() {
    let scene = agent("a\nx\nb\n").await;
    // In the present text `x` is no longer unique, but which one was meant is known.
    scene.write("a.txt", "x\nnew\na\nx\nb\n");
    assert!(edit(&scene, replace("x", "y")).await.is_ok());
    assert_eq!(scene.read("a.txt"), "x\nnew\na\ny\nb\n");
}

#[tokio::test]
async fn a_change_of_the_user_in_the_same_place_wins() {
    let scene = agent("one\ntwo\nthree\n").await;
    scene.write("a.txt", "one\ntwo, by the user\nthree\n");
    let result = edit(&scene, replace("two", "2")).await;
    assert_eq!(kind(&result), Some(ErrorKind::StaleFile));
    insta::assert_snapshot!(result.content, @"
    stale_file: `a.txt` has changed since it was read, in line 2, where this change would go. Nothing was changed. The change meanwhile:
    @@ -1,3 +1,3 @@
     one
    -two
    +two, by the user
     three
    Read line 2 again and make the change for the present text.
    ");
    let error = result.error.unwrap();
    assert_eq!(
        error.details["expected_sha256"],
        Snapshot::decode("one\ntwo\nthree\n").hash().to_string()
    );
    assert_eq!(
        error.details["actual_sha256"],
        Snapshot::decode(&scene.read("a.txt")).hash().to_string()
    );
    assert!(scene.read("a.txt").contains("by the user"));
    assert!(
        scene
            .call("read_file", json!({"path": "a.txt"}))
            .await
            .is_ok()
    );
    assert!(
        edit(&scene, replace("two", "2")).await.is_ok(),
        "after it was read again"
    );
}

#[tokio::test]
async fn reading_another_part_does_not_make_a_change_seen() {
    let scene = agent("one\ntwo\nthree\n").await;
    scene.write("a.txt", "one\ntwo!\nthree\n");
    assert!(
        scene
            .call("read_file", json!({"path": "a.txt", "offset": 3}))
            .await
            .is_ok()
    );
    let unseen = edit(&scene, replace("two", "2")).await;
    insta::assert_snapshot!(unseen.content, @"stale_file: `a.txt` has changed since it was read, in line 2, where this change would go. Nothing was changed. Read line 2 again and make the change for the present text.");
    assert!(edit(&scene, replace("three", "3")).await.is_ok());
    assert_eq!(
        kind(&edit(&scene, replace("two", "2")).await),
        Some(ErrorKind::StaleFile),
        "an own edit elsewhere neither"
    );
}

#[tokio::test]
async fn text_that_the_agent_cannot_have_seen_is_not_edited() {
    let scene = agent("one\n").await;
    scene.write("a.txt", "one\nsecret = 1\n");
    assert_eq!(
        kind(&edit(&scene, replace("secret = 1", "secret = 2")).await),
        Some(ErrorKind::StaleFile)
    );
}

#[tokio::test]
async fn an_edit_across_what_the_user_deleted_is_refused() {
    let scene = agent("one\ntwo\nthree\n").await;
    scene.write("a.txt", "one\nthree\n");
    let across = edit(&scene, replace("one\nthree", "all")).await;
    assert_eq!(
        kind(&across),
        Some(ErrorKind::StaleFile),
        "{}",
        across.content
    );
    let beside = edit(&scene, replace("one\nthree", "1\nthree")).await;
    assert!(beside.is_ok(), "{}", beside.content);
}

#[tokio::test]
async fn the_base_hash_is_checked() {
    let seen = Snapshot::decode("one\ntwo\n").hash();
    let with = |hash: String| json!({"old_string": "one", "new_string": "1", "base_hash": hash});
    for digits in [seen.to_string(), seen.short(), seen.short().to_uppercase()] {
        let scene = agent("one\ntwo\n").await;
        assert!(edit(&scene, with(digits.clone())).await.is_ok(), "{digits}");
        let again = json!({"old_string": "two", "new_string": "2", "base_hash": digits});
        assert!(
            edit(&scene, again).await.is_ok(),
            "only the agent itself changed it since"
        );
    }
    let scene = agent("one\ntwo\n").await;
    let wrong = edit(&scene, with("0123456789ab".to_owned())).await;
    assert_eq!(kind(&wrong), Some(ErrorKind::StaleFile));
    scene.write("a.txt", "one\n2\n");
    assert!(
        edit(&scene, with(seen.short())).await.is_ok(),
        "the user's change is elsewhere"
    );
    let scene = Scene::without_ledger();
    scene.write("a.txt", "one\n2\n");
    insta::assert_snapshot!(edit(&scene, with(seen.short())).await.content, @"stale_file: `a.txt` is not the text c3f9c8c283a2 that the edit is meant for: it is b8c083898d90 now. Read the file again and make the change for its present text.");
}

#[tokio::test]
async fn an_open_document_is_edited_in_the_editor() {
    let scene = Scene::new();
    let path = scene.write("a.txt", "disk\n");
    scene.editor.open(&path, "buffer\nunsaved\n");
    scene.call("read_file", json!({"path": "a.txt"})).await;
    let result = edit(&scene, replace("buffer", "edited")).await;
    assert!(result.is_ok(), "{}", result.content);
    assert_eq!(scene.read("a.txt"), "disk\n");
    let text = scene
        .runtime
        .workspace()
        .text(&scene.resolved("a.txt"))
        .unwrap()
        .snapshot;
    assert_eq!(text.rope().to_string(), "edited\nunsaved\n");
}

#[tokio::test]
async fn a_file_that_is_not_there_is_not_made() {
    let scene = Scene::new();
    let result = edit(&scene, replace("a", "b")).await;
    assert_eq!(
        (result.status, kind(&result)),
        (Status::Failed, Some(ErrorKind::NotFound))
    );
    assert_eq!(scene.entries(), Vec::<String>::new());
}
