//! Files that have come, gone and moved before anybody looked: all of a patch or none of it, and each taken back later.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use super::{EVERYTHING, FILES, MOVE, REMOVE, able, applied, decide, patched};
use crate::harness::buffer::logical;
use crate::harness::script::ok;
use crate::harness::{Client, Editor, Reply, Script, Workspace};

/// Done at once, taken back later: byte by byte, with its permissions.
#[test]
fn a_removed_file_comes_back() {
    let odd = "\u{feff}first\r\nsecond\nno newline";
    for client in able() {
        for open in [false, true] {
            let mut editor = patched(client.clone(), "accept_edits", &REMOVE, &[], ok());
            editor.workspace.write("gone.txt", odd);
            let path = editor.workspace.path("gone.txt");
            let mode = std::fs::Permissions::from_mode(0o750);
            std::fs::set_permissions(&path, mode).expect("permissions can be set");
            if open {
                editor.open("gone.txt");
            }
            let run = editor.prompt("tidy up");
            editor.finish_run(&run);
            assert!(!editor.workspace.exists("gone.txt"));
            let hunks = editor.await_hunks("gone.txt", 1);
            assert!(
                hunks[0].message.starts_with("Removed this file (−3)"),
                "{hunks:?}"
            );
            editor.reject(&hunks[0]);
            editor.await_hunks("gone.txt", 0);
            assert_eq!(editor.workspace.disk("gone.txt"), odd);
            let mode = std::fs::metadata(&path).expect("it is back").permissions();
            assert_eq!(mode.mode() & 0o777, 0o750);
        }
    }
}

#[test]
fn a_removed_file_does_not_come_back_over_another() {
    let mut editor = applied(Client::full(), &REMOVE, &[], ok());
    editor.workspace.write("gone.txt", "theirs\n");
    decide(&mut editor, "gone.txt", false);
    editor.await_message("was not brought back");
    assert_eq!(editor.workspace.disk("gone.txt"), "theirs\n");
    // Looked at under its old name, there is nothing to be lost.
    let mut editor = applied(Client::full(), &REMOVE, &[], ok());
    editor.open_with("gone.txt", "\n");
    decide(&mut editor, "gone.txt", false);
    editor.await_hunks("gone.txt", 0);
    // An editor decides itself on the line break at the end of what was an empty buffer.
    assert_eq!(logical(editor.text("gone.txt")), FILES[1].1);
    assert_eq!(logical(&editor.workspace.disk("gone.txt")), FILES[1].1);
}

#[test]
fn a_moved_file_goes_back_with_what_was_typed_in_it() {
    for client in able() {
        for open in [false, true] {
            let files: &[&str] = if open { &["from.txt"] } else { &[] };
            let mut editor = applied(client.clone(), &MOVE, files, ok());
            let hunks = editor.await_hunks("deep/to.txt", 1);
            assert!(
                hunks[0].message.starts_with("Moved from from.txt (+1 −1)"),
                "{hunks:?}"
            );
            if open {
                editor.insert_before("deep/to.txt", "alpha", "mine\n");
            }
            editor.reject(&hunks[0]);
            editor.await_hunks("deep/to.txt", 0);
            editor.await_hunks("from.txt", 0);
            assert!(!editor.workspace.exists("deep/to.txt"));
            if open {
                assert_eq!(editor.text("from.txt"), format!("mine\n{}", FILES[2].1));
                editor.assert_same("from.txt");
            } else {
                assert_eq!(editor.workspace.disk("from.txt"), FILES[2].1);
            }
        }
    }
}

/// The person undoes the change in the moved file: it goes back all the same.
#[test]
fn a_moved_file_whose_change_was_undone_goes_back() {
    for client in able() {
        let mut editor = applied(client, &MOVE, &["from.txt"], ok());
        editor.await_hunks("deep/to.txt", 1);
        editor.replace("deep/to.txt", "BETA", "beta");
        decide(&mut editor, "deep/to.txt", false);
        editor.await_hunks("from.txt", 0);
        editor.until("the old path", |editor| {
            editor.is_open("from.txt").then_some(())
        });
        assert_eq!(editor.text("from.txt"), FILES[2].1);
        editor.assert_same("from.txt");
    }
}

#[test]
fn a_move_whose_lines_the_person_changed_stays() {
    let mut editor = applied(Client::full(), &MOVE, &["from.txt"], ok());
    editor.replace("deep/to.txt", "BETA", "MINE");
    decide(&mut editor, "deep/to.txt", false);
    editor.await_message("was not moved back");
    assert_eq!(editor.text("deep/to.txt"), "alpha\nMINE\ngamma\n");
    editor.await_hunks("deep/to.txt", 1);
}

/// After review: with a plugin the open files go in one request.
#[test]
fn open_files_go_together_where_the_client_can() {
    let open = ["keep.txt", "gone.txt", "from.txt"];
    let editor = applied(Client::full(), &EVERYTHING, &open, ok());
    assert_eq!(editor.applies_seen, 1);
    assert_eq!(
        editor.workspace.files(),
        ["deep/to.txt", "keep.txt", "new.txt"]
    );
    assert_eq!(editor.workspace.disk("keep.txt"), "one\nTWO\nthree\n");
    let editor = applied(Client::bare(), &EVERYTHING, &open, ok());
    assert!(editor.applies_seen > 1);
    assert_eq!(editor.text("keep.txt"), "one\nTWO\nthree\n");
}

/// The server is killed while the editor has its part in hand: the next one takes back what is on the disk, and names
/// what it cannot see.
#[test]
fn a_patch_that_is_broken_off_in_the_editor_is_told() {
    let client = Client::full().reply(Reply::ByHand);
    let open = ["keep.txt", "gone.txt"];
    let mut editor = patched(client, "accept_edits", &EVERYTHING, &open, ok());
    editor.prompt("everything");
    editor.await_apply();
    let disk = ["deep/to.txt", "gone.txt", "keep.txt", "new.txt"];
    assert_eq!(editor.workspace.files(), disk);
    editor.server.kill();
    let workspace = std::mem::replace(&mut editor.workspace, Workspace::new());
    let script = Script::new().say("Hello.");
    let mut next = Editor::start(workspace, Client::full(), &script, "default");
    next.await_message("and was taken back: ");
    let told = next.await_message(
        "What of it was on its way to files that were open in the editor may stand there",
    );
    for (path, named) in [("keep.txt", true), ("gone.txt", true), ("from.txt", false)] {
        let shown = format!("`{}`", next.workspace.path(path).display());
        assert_eq!(told.contains(&shown), named, "{told}");
    }
    assert_eq!(next.workspace.files(), ["from.txt", "gone.txt", "keep.txt"]);
}

/// All or none: the third file fails, and what had landed is taken back, over what the person typed meanwhile.
#[test]
fn what_landed_is_taken_back_when_another_file_fails() {
    for client in able() {
        for open in [
            &["keep.txt", "from.txt", "gone.txt"][..],
            &["from.txt", "gone.txt"],
            &["keep.txt", "gone.txt"],
            &["gone.txt"],
        ] {
            let expect =
                json!({"status": "failed", "error_kind": "conflict", "contains": "taken back"});
            let expect = match (client.has("applyEdit"), open.len()) {
                // Nothing open has landed, and closed files may have been none.
                (true, 3) => json!({"status": "failed", "error_kind": "conflict"}),
                _ => expect,
            };
            let mut script = Script::new();
            for (path, _) in FILES {
                script = script.read(path);
            }
            let script = script.patch(&EVERYTHING, expect).say("Done.");
            let mut editor = Editor::start(
                Workspace::with(&FILES),
                client.clone(),
                &script,
                "accept_edits",
            );
            for path in open.iter().filter(|path| **path != "gone.txt") {
                editor.open(path);
            }
            // Unsaved, so its removal is refused.
            editor.open_with("gone.txt", "only here\nsecond\n");
            let run = editor.prompt("everything");
            editor.finish_run(&run);
            assert_eq!(editor.text("gone.txt"), "only here\nsecond\n");
            assert_eq!(
                editor.workspace.files(),
                ["from.txt", "gone.txt", "keep.txt"]
            );
            for (path, text) in FILES {
                assert_eq!(editor.workspace.disk(path), text, "{path}");
                if path != "gone.txt" && editor.is_open(path) {
                    assert_eq!(editor.text(path), text);
                    editor.assert_same(path);
                }
                if path != "gone.txt" {
                    editor.await_hunks(path, 0);
                }
            }
        }
    }
}
