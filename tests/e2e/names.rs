//! Files that change their name, or have several, while hunks wait in them.

use std::fs;

use serde_json::json;

use crate::harness::script::rejected;
use crate::harness::{Client, Editor, Script, Workspace};
use crate::main_job::{GREET, NEW, OLD, polite};

/// Opened by another name than it was shown under: its hunks are shown under that one, and under no other.
#[cfg(unix)]
#[test]
fn opened_through_a_link() {
    let script = Script::new()
        .read("greet.py")
        .edit_expecting("greet.py", OLD, NEW, rejected())
        .say("Done.");
    let workspace = Workspace::with(&[("greet.py", GREET)]);
    std::os::unix::fs::symlink(workspace.path("greet.py"), workspace.path("link.py"))
        .expect("a link");
    let mut editor = Editor::start(workspace, Client::full(), &script, "default");
    let run = editor.prompt("make greet polite");
    editor.await_hunks("greet.py", 1);
    editor.open("link.py");
    let hunks = editor.await_hunks("link.py", 1);
    editor.await_hunks("greet.py", 0);
    editor.reject(&hunks[0]);
    editor.finish_run(&run);
    editor.await_hunks("link.py", 0);
}

/// A folder is renamed by the editor: the hunks in it go along.
#[test]
fn a_renamed_folder() {
    let script = Script::new()
        .read("old/greet.py")
        .edit("old/greet.py", OLD, NEW)
        .say("Done.");
    let workspace = Workspace::with(&[("old/greet.py", GREET)]);
    let mut editor = Editor::start(workspace, Client::full(), &script, "default");
    let run = editor.prompt("make greet polite");
    editor.await_hunks("old/greet.py", 1);
    fs::rename(editor.workspace.path("old"), editor.workspace.path("new")).expect("renamed");
    let (from, to) = (editor.uri("old"), editor.uri("new"));
    editor.server.notify(
        "workspace/didRenameFiles",
        json!({"files": [{"oldUri": from, "newUri": to}]}),
    );
    let hunks = editor.await_hunks("new/greet.py", 1);
    editor.await_hunks("old/greet.py", 0);
    editor.accept(&hunks[0]);
    editor.finish_run(&run);
    assert_eq!(editor.workspace.disk("new/greet.py"), polite());
}
