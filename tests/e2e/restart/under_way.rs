//! What is under way when the server ends: edits, removals and moves that the editor was asked for, decisions just made. Each is
//! done once and known, or waits on.

use serde_json::json;

use super::{LIST, found, three_changes};
use crate::harness::editor::Apply;
use crate::harness::script::ok;
use crate::harness::{Client, END_WITHIN, Editor, Reply, Script, Workspace};

/// The server dies while what it asked for is on its way, which arrives or does not. It is dead before it arrives: else it might
/// still hear of it, and not be in doubt.
fn die_under_way(editor: &mut Editor, apply: &Apply, arrives: bool) {
    editor.server.kill();
    if arrives {
        editor.carry_out(apply);
    }
}

/// The same, then the person may type behind the text, and the next server starts. What was typed.
fn end_under_way(editor: &mut Editor, apply: &Apply, arrives: bool, typed: bool) -> &'static str {
    die_under_way(editor, apply, arrives);
    let typing = if typed { "mine\n" } else { "" };
    if typed {
        let end = editor.text("list.txt").len();
        editor.change("list.txt", end..end, typing);
    }
    editor.client.reply = Reply::Honest;
    editor.restart();
    typing
}

/// The server dies between the edit that it sent and the editor's answer. Whatever became of the edit, it is made once.
#[test]
fn an_edit_on_its_way_at_the_kill_is_made_once() {
    // Repeated lines, in which an insertion and a removal could be anywhere.
    let text = "a\na\na\nb\nb\n";
    let check = |old: &str, new: &str, after: &str, arrives: bool, typed: bool| {
        let script = Script::new().read("list.txt").edit("list.txt", old, new);
        let workspace = Workspace::with(&[("list.txt", text)]);
        let client = Client::full().reply(Reply::ByHand);
        let mut editor = Editor::start(workspace, client, &script, "default");
        editor.open("list.txt");
        editor.prompt("go");
        let hunk = editor.await_hunks("list.txt", 1).remove(0);
        editor.accept(&hunk);
        let apply = editor.await_apply();
        let typing = end_under_way(&mut editor, &apply, arrives, typed);
        found(&mut editor, 1, "list.txt");
        if arrives {
            editor.await_message("came through");
        } else {
            editor.until("the hunk in its place", |editor| {
                let hunks = editor.hunks("list.txt");
                (hunks.len() == 1 && hunks[0].lines == hunk.lines).then_some(())
            });
            editor.accept(&hunk);
        }
        editor.await_hunks("list.txt", 0);
        assert_eq!(
            editor.text("list.txt"),
            format!("{after}{typing}"),
            "{new:?} arrives: {arrives}, typed: {typed}"
        );
        editor.assert_same("list.txt");
    };
    for (arrives, typed) in [(true, false), (false, false), (true, true), (false, true)] {
        check(
            text,
            "a\na\na\na\nb\nb\n",
            "a\na\na\na\nb\nb\n",
            arrives,
            typed,
        );
        check(text, "a\na\nb\nb\n", "a\na\nb\nb\n", arrives, typed);
        check("a\nb\n", "a\nc\n", "a\na\na\nc\nb\n", arrives, typed);
    }
}

/// The same for an edit that nobody is asked about before: it has its hunk if it arrived, and none if it did not.
#[test]
fn an_applied_edit_on_its_way_at_the_kill_has_its_hunk_if_it_arrived() {
    let text = "a\na\na\nb\nb\n";
    let check = |after: &str, arrives: bool, typed: bool| {
        let script = Script::new().read("list.txt").edit("list.txt", text, after);
        let workspace = Workspace::with(&[("list.txt", text)]);
        let client = Client::full().reply(Reply::ByHand);
        let mut editor = Editor::start(workspace, client, &script, "accept_edits");
        editor.open("list.txt");
        editor.prompt("go");
        let apply = editor.await_apply();
        let typing = end_under_way(&mut editor, &apply, arrives, typed);
        let pending = editor.pending();
        assert_eq!(
            pending.len(),
            usize::from(arrives),
            "{after:?} typed: {typed}: {pending:?}"
        );
        if arrives {
            assert_eq!(pending[0]["state"], "applied");
            let revert = json!({"hunk": pending[0]["id"]});
            editor
                .execute("mewcode.review.reject", revert)
                .expect("reverted");
        }
        editor.until("no hunks", |editor| {
            (editor.status["pendingHunks"] == 0 && editor.hunks("list.txt").is_empty())
                .then_some(())
        });
        assert_eq!(
            editor.text("list.txt"),
            format!("{text}{typing}"),
            "{after:?} arrives: {arrives}, typed: {typed}"
        );
        editor.assert_same("list.txt");
    };
    for (arrives, typed) in [(true, false), (false, false), (true, true), (false, true)] {
        check("a\na\na\na\nb\nb\n", arrives, typed);
        check("a\na\nb\nb\n", arrives, typed);
        check("a\na\na\nc\nb\n", arrives, typed);
    }
}

/// The same for a whole file, which is removed or moved by the editor.
#[test]
fn a_file_on_its_way_at_the_kill_has_its_hunk_if_it_went() {
    let removal = &["*** Delete File: list.txt"][..];
    let moving = &[
        "*** Update File: list.txt",
        "*** Move to: digits.txt",
        "@@",
        "-one",
        "+1",
        " -",
    ];
    for (patch, arrives) in [
        (removal, true),
        (removal, false),
        (moving, true),
        (moving, false),
    ] {
        let script = Script::new().read("list.txt").patch(patch, ok());
        let workspace = Workspace::with(&[("list.txt", LIST)]);
        let client = Client::full().reply(Reply::ByHand);
        let mut editor = Editor::start(workspace, client, &script, "accept_edits");
        editor.open("list.txt");
        editor.prompt("go");
        let apply = editor.await_apply();
        die_under_way(&mut editor, &apply, arrives);
        assert_eq!(editor.workspace.exists("list.txt"), !arrives);
        editor.client.reply = Reply::Honest;
        editor.restart();
        let pending = editor.pending();
        assert_eq!(
            pending.len(),
            usize::from(arrives),
            "{patch:?}: {pending:?}"
        );
        if arrives {
            let revert = json!({"hunk": pending[0]["id"]});
            editor
                .execute("mewcode.review.reject", revert)
                .expect("reverted");
        }
        editor.until("no hunks", |editor| {
            (editor.status["pendingHunks"] == 0).then_some(())
        });
        assert_eq!(editor.workspace.files(), ["list.txt"], "{patch:?}");
        assert_eq!(editor.workspace.disk("list.txt"), LIST);
        editor.finish();
        assert_eq!(editor.workspace.kept(), [""; 0]);
    }
}

/// The connection ends with an accepted edit on its way: nobody knows what became of it, so it waits on.
#[test]
fn an_edit_on_its_way_when_the_editor_vanishes_waits_on() {
    let mut editor = three_changes(Client::full().reply(Reply::ByHand), "default");
    let before = editor.hunks("list.txt");
    editor.accept(&before[0]);
    editor.await_apply();
    editor.server.close_input();
    assert_eq!(editor.server.exit_within(END_WITHIN).code(), Some(1));
    editor.restart();
    found(&mut editor, 3, "list.txt");
    assert_eq!(editor.await_hunks("list.txt", 3), before);
}

/// What needs no edit is decided when it is said, even if the server ends with the next message.
#[test]
fn a_decision_right_before_the_end_counts() {
    for (mode, command) in [
        ("default", "mewcode.review.reject"),
        ("accept_edits", "mewcode.review.accept"),
    ] {
        let mut editor = three_changes(Client::full(), mode);
        let hunks = editor.hunks("list.txt");
        let decision = json!({"command": command, "arguments": [{"hunk": hunks[1].id}]});
        editor.server.request("workspace/executeCommand", decision);
        editor.server.finish();
        editor.restart();
        found(&mut editor, 2, "list.txt");
        let left = editor.await_hunks("list.txt", 2);
        assert_eq!([&left[0].id, &left[1].id], [&hunks[0].id, &hunks[2].id]);
    }
}
