//! Two editors with a server each on one folder: what is decided in one reaches the other by the disk, and nothing is lost or
//! decided twice.

use std::time::Instant;

use serde_json::{Value, json};

use crate::harness::review::Run;
use crate::harness::{Client, Editor, PATIENCE, Script, Workspace};

const LIST: &str = "one\n-\ntwo\n-\nthree\n";

/// An editor with the list open in which a run proposes or makes a change.
fn window(workspace: &Workspace, old: &str, new: &str, mode: &str) -> (Editor, Run) {
    let script = Script::new()
        .read("list.txt")
        .edit("list.txt", old, new)
        .say("Done.");
    let mut editor = Editor::start(workspace.clone(), Client::full(), &script, mode);
    editor.open("list.txt");
    let run = editor.prompt("digits");
    editor.await_hunks("list.txt", 1);
    (editor, run)
}

/// The file changes on disk to what the other window has, and the editor reads it again, over a buffer that was clean.
fn reload(editor: &mut Editor, text: &str) {
    let deadline = Instant::now() + PATIENCE;
    while editor.workspace.disk("list.txt") != text {
        assert!(Instant::now() < deadline, "the other window saves");
        std::thread::yield_now();
    }
    let end = editor.text("list.txt").len();
    editor.change("list.txt", 0..end, text);
    editor.save("list.txt");
}

#[test]
fn what_is_accepted_in_one_window_leaves_the_hunks_of_the_other() {
    let workspace = Workspace::with(&[("list.txt", LIST)]);
    let (mut left, first_run) = window(&workspace, "one", "1\n1b", "default");
    let (mut right, second_run) = window(&workspace, "three", "3", "default");
    let (first, second) = (left.hunks("list.txt"), right.hunks("list.txt"));
    assert_ne!(first[0].id, second[0].id);
    let foreign = right.execute("mewcode.review.accept", json!({"hunk": first[0].id}));
    assert!(foreign.is_err(), "{foreign:?}");
    left.accept(&first[0]);
    left.finish_run(&first_run);
    reload(&mut right, "1\n1b\n-\ntwo\n-\nthree\n");
    let moved = right.until("its hunk a line down", |editor| {
        let hunks = editor.hunks("list.txt");
        (hunks.len() == 1 && hunks[0].lines.0 == 5).then_some(hunks)
    });
    assert_eq!(moved[0].id, second[0].id);
    right.accept(&moved[0]);
    right.finish_run(&second_run);
    assert_eq!(right.text("list.txt"), "1\n1b\n-\ntwo\n-\n3\n");
    reload(&mut left, "1\n1b\n-\ntwo\n-\n3\n");
    left.assert_same("list.txt");
    right.assert_same("list.txt");
}

/// Both change one line: the second window sees a conflict, and its person chooses. What they chose is the user's in the first one.
#[test]
fn the_same_line_in_both_windows_is_a_conflict() {
    let workspace = Workspace::with(&[("list.txt", LIST)]);
    let (mut right, second_run) = window(&workspace, "two", "deux", "default");
    let (mut left, first_run) = window(&workspace, "two", "zwei", "accept_edits");
    left.finish_run(&first_run);
    reload(&mut right, &LIST.replace("two", "zwei"));
    let hunk = right.await_state("list.txt", "conflicted");
    let both = json!({"hunk": hunk["id"], "take": "both"});
    right
        .execute("mewcode.review.accept", both)
        .expect("accepted");
    right.finish_run(&second_run);
    reload(&mut left, &LIST.replace("two", "zwei\ndeux"));
    left.settle();
    let applied = left.await_hunks("list.txt", 1).remove(0);
    left.reject(&applied);
    left.await_hunks("list.txt", 0);
    assert_eq!(left.text("list.txt"), LIST.replace("two", "two\ndeux"));
    reload(&mut right, &LIST.replace("two", "two\ndeux"));
    left.assert_same("list.txt");
    right.assert_same("list.txt");
}

/// One window's server is killed: its hunks come back there, not in the window that lives, which keeps its own.
#[test]
fn a_killed_server_leaves_its_hunks_to_the_next_one() {
    let workspace = Workspace::with(&[("list.txt", LIST)]);
    let (mut left, _) = window(&workspace, "one", "1", "default");
    let (mut right, _) = window(&workspace, "three", "3", "default");
    let (first, second) = (left.hunks("list.txt"), right.hunks("list.txt"));
    left.server.kill();
    assert_eq!(right.pending().len(), 1);
    left.restart();
    left.await_message("from before the restart");
    assert_eq!(left.await_hunks("list.txt", 1), first);
    assert_eq!(right.await_hunks("list.txt", 1), second);
    // Both are gone at once, and one window comes back: it has what both had.
    left.server.kill();
    right.server.kill();
    left.restart();
    left.await_message("2 changes from before the restart");
    let ids = |hunks: Vec<Value>| {
        let mut ids: Vec<_> = hunks.iter().map(|it| it["id"].to_string()).collect();
        ids.sort();
        ids
    };
    let mut expected = [first[0].id.clone(), second[0].id.clone()].map(|id| format!("{id:?}"));
    expected.sort();
    left.await_hunks("list.txt", 2);
    assert_eq!(ids(left.pending()), expected);
    // Decided in one window, it is not offered in the other.
    left.execute("mewcode.review.accept", json!({"all": true}))
        .expect("accepted");
    left.await_hunks("list.txt", 0);
    assert_eq!(left.text("list.txt"), "1\n-\ntwo\n-\n3\n");
    right.restart();
    right.settle();
    assert_eq!(right.pending(), [Value::Null; 0]);
    assert_eq!(workspace.kept(), [""; 0]);
}
