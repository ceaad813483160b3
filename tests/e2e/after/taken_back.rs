//! What has landed and is taken back as a whole: lines that the agent changed twice, and a file that it made.

use serde_json::json;

use crate::harness::script::ok;
use crate::harness::{Client, Editor, Reply, Script, Workspace};

/// The agent changes lines twice. All of it goes back to the very text that there was; the earlier change alone does not go
/// back under the later one.
#[test]
fn lines_that_the_agent_changed_twice() {
    const TEXT: &str = "one\ntwo\nthree\nfour\n";
    let script = Script::new()
        .read("a.txt")
        .edit("a.txt", "two", "TWO\nTWO b")
        .edit("a.txt", "TWO b\nthree\n", "TWO c\nTWO d\n")
        .say("Done.");
    for client in [Client::bare(), Client::full()] {
        for open in [false, true] {
            let start = || {
                let workspace = Workspace::with(&[("a.txt", TEXT)]);
                let mut editor = Editor::start(workspace, client.clone(), &script, "accept_edits");
                if open {
                    editor.open("a.txt");
                }
                let run = editor.prompt("twice");
                editor.finish_run(&run);
                editor.await_hunks("a.txt", 2);
                editor
            };
            let text = |editor: &Editor| match open {
                true => editor.text("a.txt").to_owned(),
                false => editor.workspace.disk("a.txt"),
            };
            let mut editor = start();
            editor
                .execute("mewcode.review.reject", json!({"all": true}))
                .expect("rejected");
            editor.await_hunks("a.txt", 0);
            assert_eq!(text(&editor), TEXT);

            let mut editor = start();
            let both = "one\nTWO\nTWO c\nTWO d\nfour\n";
            assert_eq!(text(&editor), both);
            let hunks = editor.await_hunks("a.txt", 2);
            editor.reject(&hunks[0]);
            editor
                .await_message("the agent has changed these lines again since; revert that first");
            assert_eq!(text(&editor), both);
            let hunks = editor.await_hunks("a.txt", 2);
            editor.reject(&hunks[1]);
            let hunks = editor.await_hunks("a.txt", 1);
            assert_eq!(text(&editor), "one\nTWO\nTWO b\nthree\nfour\n");
            editor.reject(&hunks[0]);
            editor.await_hunks("a.txt", 0);
            assert_eq!(text(&editor), TEXT);
        }
    }
}

/// The same for reverts that wait while the later change is on its way: they find its hunks in the book, however long it takes
/// to see what all of it is.
#[test]
fn reverts_that_wait_for_a_later_change_of_the_lines() {
    const COUNT: usize = 600;
    let large: String = (0..COUNT).map(|line| format!("old {line}\n-\n")).collect();
    let first = [
        "*** Update File: a.txt\n@@\n one\n-two\n+TWO",
        "*** Update File: large.txt\n@@\n-old 0\n+OLD 0\n -",
    ];
    let mut second = vec![
        "*** Update File: a.txt\n@@\n one\n-TWO\n+Two".to_owned(),
        "*** Update File: large.txt\n@@\n-OLD 0\n+new 0\n -".to_owned(),
    ];
    second.extend((1..COUNT).map(|line| format!("-old {line}\n+new {line}\n -")));
    let second: Vec<&str> = second.iter().map(String::as_str).collect();
    let script = Script::new()
        .read("a.txt")
        .read("large.txt")
        .patch(&first, ok())
        .patch(&second, ok())
        .say("Done.");
    let workspace = Workspace::with(&[("a.txt", "one\ntwo\n"), ("large.txt", &large)]);
    let client = Client::full().reply(Reply::ByHand);
    let mut editor = Editor::start(workspace, client, &script, "accept_edits");
    editor.open("a.txt");
    let run = editor.prompt("twice");
    let first = editor.await_apply();
    editor.carry_out(&first);
    let hunks = ["a.txt", "large.txt"].map(|path| editor.await_hunks(path, 1).remove(0));
    let second = editor.await_apply();
    for hunk in &hunks {
        editor.reject(hunk);
    }
    editor.settle();
    editor.carry_out(&second);
    for path in ["a.txt", "large.txt"] {
        let told = format!("{path} was not reverted: the agent has changed these lines again");
        editor.await_message(&told);
    }
    editor.await_hunks("a.txt", 2);
    editor.await_hunks("large.txt", COUNT + 1);
    assert_eq!(editor.text("a.txt"), "one\nTwo\n");
    editor.finish_run(&run);
}

/// A file that the agent made and the person looked at: taking it back takes it away, with its buffer. Where the editor
/// cannot remove it, the person is told.
#[test]
fn a_new_file_that_is_open_is_taken_back() {
    let script = Script::new().write("new.txt", "fresh\n", ok()).say("Done.");
    let standard = Client {
        operates: true,
        ..Client::full().without(&["files"])
    };
    let poor = Client {
        operates: false,
        ..standard.clone()
    };
    for client in [Client::full(), standard, poor] {
        let can = client.has("files") || client.operates;
        let mut editor = Editor::start(Workspace::new(), client, &script, "accept_edits");
        let run = editor.prompt("a new file");
        editor.finish_run(&run);
        editor.open("new.txt");
        let hunks = editor.await_hunks("new.txt", 1);
        editor.reject(&hunks[0]);
        editor.await_hunks("new.txt", 0);
        if can {
            editor.until("its end", |editor| {
                (!editor.is_open("new.txt")).then_some(())
            });
        } else {
            editor.await_message("new.txt is empty now but was not removed");
        }
        assert_eq!(
            (
                editor.workspace.exists("new.txt"),
                editor.is_open("new.txt")
            ),
            (!can, !can)
        );
    }
}

/// Taken back while the run goes on: the model hears of it with the results of that turn, before it can build on it.
#[test]
fn the_model_is_told_in_the_middle_of_the_run() {
    let script = Script::new()
        .read("a.txt")
        .read("b.txt")
        .edit("a.txt", "two", "TWO")
        .edit("b.txt", "three", "THREE")
        .say("Done.");
    let workspace = Workspace::with(&[("a.txt", "one\ntwo\n"), ("b.txt", "three\n")]);
    let client = Client::full().reply(Reply::ByHand);
    let mut editor = Editor::start(workspace, client, &script, "accept_edits");
    editor.open("a.txt");
    editor.open("b.txt");
    let run = editor.prompt("louder");
    let first = editor.await_apply();
    editor.carry_out(&first);
    let hunk = editor.await_hunks("a.txt", 1).remove(0);
    let second = editor.await_apply();
    editor.reject(&hunk);
    let revert = editor.await_apply();
    editor.carry_out(&revert);
    editor.await_hunks("a.txt", 0);
    assert_eq!(editor.text("a.txt"), "one\ntwo\n");
    editor.carry_out(&second);
    editor.finish_run(&run);

    let logs = editor.workspace.logs();
    let told = "<meanwhile>\\nThe user reverted your change of a.txt:";
    assert_eq!(logs.matches(told).count(), 1, "{logs}");
}
