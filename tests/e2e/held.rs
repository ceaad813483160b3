//! Files that the editor holds in another form than a document, and files that it reads again by itself.

use serde_json::{Value, json};

use crate::harness::script::{failed, ok};
use crate::harness::{Client, Editor, Script, Workspace};

const TEXT: &str = "{\"cells\": [\"hello\"]}\n";

fn hold(editor: &mut Editor, files: &[(&str, &str)]) {
    let files: Vec<Value> = files
        .iter()
        .map(|(path, kind)| json!({"uri": editor.uri(path), "kind": kind}))
        .collect();
    editor
        .server
        .notify("mewcode/held", json!({"files": files}));
}

#[test]
fn a_file_that_the_editor_holds_is_not_written() {
    for (mode, kind) in [
        ("accept_edits", "notebook"),
        ("default", "custom"),
        ("accept_edits", "unsynchronised"),
    ] {
        let refused = failed("unavailable");
        let script = Script::new()
            .read("a.ipynb")
            .edit_expecting("a.ipynb", "hello", "goodbye", refused.clone())
            .write("a.ipynb", "{}\n", refused.clone())
            .patch(&["*** Delete File: a.ipynb"], refused)
            .say("It is open.");
        let workspace = Workspace::with(&[("a.ipynb", TEXT)]);
        let mut editor = Editor::start(workspace, Client::full(), &script, mode);
        hold(&mut editor, &[("a.ipynb", kind)]);
        let run = editor.prompt("edit it");
        editor.finish_run(&run);
        assert_eq!(editor.workspace.disk("a.ipynb"), TEXT, "{kind}");
    }
}

#[test]
fn it_is_written_when_it_is_held_no_longer_or_is_a_document_too() {
    for open in [false, true] {
        let script = Script::new()
            .read("a.ipynb")
            .edit("a.ipynb", "hello", "goodbye")
            .say("Done.");
        let workspace = Workspace::with(&[("a.ipynb", TEXT)]);
        let mut editor = Editor::start(workspace, Client::full(), &script, "accept_edits");
        hold(&mut editor, &[("a.ipynb", "notebook")]);
        if open {
            editor.open("a.ipynb");
        } else {
            hold(&mut editor, &[]);
        }
        let run = editor.prompt("edit it");
        editor.finish_run(&run);
        assert_eq!(
            editor.workspace.disk("a.ipynb"),
            TEXT.replace("hello", "goodbye")
        );
    }
}

#[test]
fn an_accepted_hunk_of_a_file_that_is_held_by_then_changes_nothing() {
    let script = Script::new()
        .read("a.ipynb")
        .edit_expecting("a.ipynb", "hello", "goodbye", failed("unavailable"))
        .say("It is open.");
    let workspace = Workspace::with(&[("a.ipynb", TEXT)]);
    let mut editor = Editor::start(workspace, Client::full(), &script, "default");
    let run = editor.prompt("edit it");
    let hunks = editor.await_hunks("a.ipynb", 1);
    hold(&mut editor, &[("a.ipynb", "custom")]);
    editor.accept(&hunks[0]);
    editor.finish_run(&run);
    assert_eq!(editor.workspace.disk("a.ipynb"), TEXT);
}

/// A client that gives clean documents the text of their files by itself.
fn reloading() -> Client {
    let mut client = Client::full();
    client.own.push("reloadsItself");
    client
}

#[test]
fn an_editor_that_reads_changed_files_by_itself_is_waited_for() {
    let script = Script::new()
        .call(
            "bash",
            json!({"command": "echo two > a.txt; touch done"}),
            ok(),
        )
        .read("a.txt")
        .edit("a.txt", "two", "three")
        .say("Done.");
    let workspace = Workspace::with(&[("a.txt", "one\n")]);
    let mut editor = Editor::start(workspace, reloading(), &script, "bypass");
    editor.open("a.txt");
    let seen = editor.applies_seen;
    let run = editor.prompt("change it");
    editor.until("the command", |editor| {
        editor.workspace.exists("done").then_some(())
    });
    assert_eq!(
        editor.applies_seen, seen,
        "no edit makes the document another than its file"
    );
    editor.replace("a.txt", "one", "two");
    editor.finish_run(&run);
    assert_eq!(editor.text("a.txt"), "three\n");
    assert_eq!(editor.applies_seen, seen + 1);
}

#[test]
fn an_editor_that_does_not_read_a_changed_file_again_is_named() {
    let told = json!({
        "status": "ok",
        "contains": "`a.txt` was changed on disk, and the editor still has the earlier text",
    });
    let script = Script::new()
        .call("bash", json!({"command": "echo two > a.txt"}), told)
        .say("Done.");
    let workspace = Workspace::with(&[("a.txt", "one\n")]);
    let mut editor = Editor::start(workspace, reloading(), &script, "bypass");
    editor.open("a.txt");
    let run = editor.prompt("change it");
    editor.finish_run(&run);
    assert_eq!(editor.text("a.txt"), "one\n");
}
