//! Several calls of one turn: changes of different files are under review at the same time, what conflicts keeps its
//! order.

use serde_json::json;

use crate::harness::script::ok;
use crate::harness::{Client, Editor, Script, Workspace};

/// The model reads both files, then changes both and reads the first again, all in one turn.
fn two_changes(expect: serde_json::Value) -> Editor {
    let read = |path: &str| json!({"tool": "read_file", "args": {"path": path}});
    let edit = |path: &str, old: &str, new: &str| {
        let args = json!({"path": path, "old_string": old, "new_string": new});
        json!({"tool": "edit_file", "args": args})
    };
    let script = Script::new()
        .turn(json!({"calls": [read("a.txt"), read("b.txt")], "expect": [ok(), ok()]}))
        .turn(json!({
            "calls": [edit("a.txt", "one", "1"), edit("b.txt", "two", "2"), read("a.txt")],
            "expect": expect,
        }))
        .say("Done.");
    let workspace = Workspace::with(&[("a.txt", "one\n"), ("b.txt", "two\n")]);
    let mut editor = Editor::start(workspace, Client::full(), &script, "default");
    editor.open("a.txt");
    editor.open("b.txt");
    editor
}

#[test]
fn two_files_are_under_review_at_once() {
    let expect = json!([
        {"status": "ok", "contains": "+1"},
        {"status": "ok", "contains": "+2"},
        {"status": "ok", "contains": "1\t1"},
    ]);
    let mut editor = two_changes(expect);
    let run = editor.prompt("digits");
    let first = editor.await_hunks("a.txt", 1);
    let second = editor.await_hunks("b.txt", 1);
    // The second one is decided first, and ends while the other one still waits.
    editor.accept(&second[0]);
    let ended = editor.await_call("edit_file");
    assert_eq!(ended.event["files"][0]["path"], "b.txt");
    assert_eq!(editor.text("b.txt"), "2\n");
    assert_eq!(editor.hunks("a.txt"), first);
    editor.accept(&first[0]);
    editor.finish_run(&run);
    assert_eq!(editor.text("a.txt"), "1\n");
    for path in ["a.txt", "b.txt"] {
        editor.assert_same(path);
    }
}

#[test]
fn stopping_takes_back_all_that_is_under_review() {
    let stopped = json!({"status": "interrupted"});
    let mut editor = two_changes(json!([stopped, stopped, stopped]));
    let run = editor.prompt("digits");
    editor.await_hunks("a.txt", 1);
    editor.await_hunks("b.txt", 1);
    editor
        .execute("mewcode.cancel", json!({}))
        .expect("stopped");
    assert_eq!(editor.await_run(&run)["outcome"], "cancelled");
    editor.await_hunks("a.txt", 0);
    editor.await_hunks("b.txt", 0);
    for _ in 0..2 {
        assert_eq!(editor.await_call("edit_file").status(), "interrupted");
    }
    editor.finish_run_calls();
    assert_eq!(
        (editor.text("a.txt"), editor.text("b.txt")),
        ("one\n", "two\n")
    );
}
