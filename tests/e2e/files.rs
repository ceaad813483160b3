//! Files that come, go and move in one patch: reviewed as one proposal, open or not, in clients of every kind. Text that only the
//! editor has is never lost with its file.

mod after;

use serde_json::{Value, json};

use crate::harness::review::Run;
use crate::harness::script::{failed, ok, rejected};
use crate::harness::{Client, Editor, Reply, Script, Workspace};

const FILES: [(&str, &str); 3] = [
    ("keep.txt", "one\ntwo\nthree\n"),
    ("gone.txt", "first\nsecond\n"),
    ("from.txt", "alpha\nbeta\ngamma\n"),
];

const REMOVE: [&str; 1] = ["*** Delete File: gone.txt"];
const MOVE: [&str; 7] = [
    "*** Update File: from.txt",
    "*** Move to: deep/to.txt",
    "@@",
    " alpha",
    "-beta",
    "+BETA",
    " gamma",
];

/// An editor whose agent makes one patch, with these files open.
fn patched(client: Client, mode: &str, patch: &[&str], open: &[&str], expect: Value) -> Editor {
    let mut script = Script::new();
    for (path, _) in FILES {
        script = script.read(path);
    }
    let script = script.patch(patch, expect).say("Done.");
    let mut editor = Editor::start(Workspace::with(&FILES), client, &script, mode);
    for path in open {
        editor.open(path);
    }
    editor
}

/// The same before review, with the one hunk of `path` shown.
fn proposed(
    client: Client,
    patch: &[&str],
    path: &str,
    open: bool,
    expect: Value,
) -> (Editor, Run) {
    let open: &[&str] = if open { &[path] } else { &[] };
    let mut editor = patched(client, "default", patch, open, expect);
    let run = editor.prompt("tidy up");
    editor.await_hunks(path, 1);
    (editor, run)
}

/// The same after review: the patch has landed, or not, and the run is over.
fn applied(client: Client, patch: &[&str], open: &[&str], expect: Value) -> Editor {
    let mut editor = patched(client, "accept_edits", patch, open, expect);
    let run = editor.prompt("tidy up");
    editor.finish_run(&run);
    editor
}

fn decide(editor: &mut Editor, path: &str, accept: bool) {
    let hunks = editor.await_hunks(path, 1);
    if accept {
        editor.accept(&hunks[0]);
    } else {
        editor.reject(&hunks[0]);
    }
}

/// Clients that can do both, by standard means and by the plugin's.
fn able() -> [Client; 2] {
    [Client::bare(), Client::full()]
}

#[test]
fn a_removal_is_accepted_or_rejected() {
    for client in able() {
        for open in [false, true] {
            let (mut editor, run) = proposed(client.clone(), &REMOVE, "gone.txt", open, ok());
            assert!(
                editor.workspace.exists("gone.txt"),
                "nothing happens before the decision"
            );
            decide(&mut editor, "gone.txt", true);
            let call = editor.await_call("apply_patch");
            let file = call.file("gone.txt");
            assert_eq!((&file["removed"], &file["added"]), (&json!(2), &json!(0)));
            assert_eq!(file.get("sha256_after"), None, "{file}");
            editor.finish_run(&run);
            editor.await_hunks("gone.txt", 0);
            assert!(!editor.workspace.exists("gone.txt") && !editor.is_open("gone.txt"));

            let (mut editor, run) = proposed(client.clone(), &REMOVE, "gone.txt", open, rejected());
            decide(&mut editor, "gone.txt", false);
            editor.finish_run(&run);
            editor.await_hunks("gone.txt", 0);
            assert_eq!(editor.workspace.disk("gone.txt"), FILES[1].1);
            assert_eq!(editor.is_open("gone.txt"), open);
        }
    }
}

#[test]
fn a_move_is_accepted_or_rejected() {
    for client in able() {
        for open in [false, true] {
            let (mut editor, run) = proposed(client.clone(), &MOVE, "from.txt", open, ok());
            decide(&mut editor, "from.txt", true);
            let call = editor.await_call("apply_patch");
            assert_eq!(call.file("from.txt")["moved_to"], "deep/to.txt");
            editor.finish_run(&run);
            editor.await_hunks("from.txt", 0);
            assert!(!editor.workspace.exists("from.txt") && !editor.is_open("from.txt"));
            assert_eq!(editor.is_open("deep/to.txt"), open);
            if open {
                assert_eq!(editor.text("deep/to.txt"), "alpha\nBETA\ngamma\n");
                editor.assert_same("deep/to.txt");
            }
            // Without the plugin nobody saves what is open.
            if !open || editor.client.has("save") {
                assert_eq!(editor.workspace.disk("deep/to.txt"), "alpha\nBETA\ngamma\n");
            }

            let (mut editor, run) = proposed(client.clone(), &MOVE, "from.txt", open, rejected());
            decide(&mut editor, "from.txt", false);
            editor.finish_run(&run);
            assert_eq!(editor.workspace.disk("from.txt"), FILES[2].1);
            assert!(!editor.workspace.exists("deep"));
        }
    }
}

/// In words, everywhere: the hint, the lenses, the actions, the plugin's list, the diff.
#[test]
fn what_happens_to_a_file_is_said_in_words() {
    let check = |patch: &[&str], path: &str, title: &str, no: &str, diff: &[&str]| {
        let (mut editor, run) = proposed(Client::full(), patch, path, true, rejected());
        let hunks = editor.await_hunks(path, 1);
        assert_eq!(
            hunks[0].message,
            format!("{title}: apply_patch, proposed"),
            "{hunks:?}"
        );
        assert_eq!(editor.review(path)[0]["title"], title);
        let lenses: Vec<String> = editor
            .lenses(path)
            .iter()
            .map(|lens| {
                lens["command"]["title"]
                    .as_str()
                    .expect("a title")
                    .to_owned()
            })
            .collect();
        assert_eq!(
            lenses,
            [format!("✓ {title}"), format!("✗ {no}"), "Diff".to_owned()]
        );
        for line in [0, 1] {
            let actions = editor.code_actions(path, line, Some(&["mewcode.review"]));
            let titles: Vec<&str> = actions
                .iter()
                .map(|action| action["title"].as_str().expect("a title"))
                .collect();
            assert!(
                titles.contains(&title) && titles.contains(&no),
                "{titles:?}"
            );
        }
        editor
            .execute("mewcode.review.showDiff", json!({"hunk": hunks[0].id}))
            .expect("shown");
        let shown = editor.await_shown();
        let text = std::fs::read_to_string(crate::harness::uri::path_of(&shown["uri"]))
            .expect("a file that can be shown");
        for part in diff {
            assert!(text.contains(part), "{part:?} is missing in {text}");
        }
        decide(&mut editor, path, false);
        editor.finish_run(&run);
    };
    check(
        &REMOVE,
        "gone.txt",
        "Remove this file (−2)",
        "Keep this file",
        &["--- a/gone.txt\n+++ /dev/null\n", "-second\n"],
    );
    check(
        &MOVE,
        "from.txt",
        "Move to deep/to.txt (+1 −1)",
        "Leave this file where it is",
        &[
            "rename from from.txt\nrename to deep/to.txt\n",
            "-beta\n+BETA\n",
        ],
    );
}

#[test]
fn typing_under_a_proposed_removal_is_a_conflict_and_keeps_the_file() {
    for client in able() {
        let (mut editor, run) = proposed(client, &REMOVE, "gone.txt", true, failed("stale_file"));
        editor.insert_after("gone.txt", "first\n", "mine\n");
        let hunks = editor.until("the conflict", |editor| {
            let hunks = editor.hunks("gone.txt");
            hunks[0].message.contains("conflicts").then_some(hunks)
        });
        editor.accept(&hunks[0]);
        editor.finish_run(&run);
        assert_eq!(editor.told_about_failure, 1);
        assert_eq!(editor.text("gone.txt"), "first\nmine\nsecond\n");
        assert_eq!(editor.workspace.disk("gone.txt"), FILES[1].1);
        editor.assert_same("gone.txt");
    }
}

#[test]
fn typing_under_a_proposed_move_goes_along() {
    for client in able() {
        let (mut editor, run) = proposed(client, &MOVE, "from.txt", true, ok());
        editor.insert_before("from.txt", "alpha", "mine\n");
        decide(&mut editor, "from.txt", true);
        editor.finish_run(&run);
        assert_eq!(editor.text("deep/to.txt"), "mine\nalpha\nBETA\ngamma\n");
        assert!(!editor.workspace.exists("from.txt"));
        editor.assert_same("deep/to.txt");
    }
}

/// The agent saw the unsaved text and removes the file: what only the editor has is not thrown away, and the hunk waits on.
#[test]
fn a_dirty_buffer_is_not_removed() {
    for client in able() {
        let mut editor = patched(client.clone(), "default", &REMOVE, &[], ok());
        editor.open_with("gone.txt", "only here\n");
        let run = editor.prompt("tidy up");
        decide(&mut editor, "gone.txt", true);
        editor.await_message("unsaved changes");
        assert_eq!(editor.text("gone.txt"), "only here\n");
        assert!(editor.workspace.exists("gone.txt"));
        // Saved, the same hunk can be accepted.
        editor.save("gone.txt");
        decide(&mut editor, "gone.txt", true);
        editor.finish_run(&run);
        assert!(!editor.workspace.exists("gone.txt"));

        let mut editor = patched(client, "accept_edits", &REMOVE, &[], failed("conflict"));
        editor.open_with("gone.txt", "only here\n");
        let run = editor.prompt("tidy up");
        editor.finish_run(&run);
        assert_eq!(editor.text("gone.txt"), "only here\n");
        assert!(editor.workspace.exists("gone.txt"));
    }
}

#[test]
fn a_client_that_cannot_is_told_and_nothing_is_touched_under_its_buffer() {
    let unable = Client {
        operates: false,
        ..Client::bare()
    };
    // Neovim without the plugin would throw away what it has not sent yet.
    for (client, patch, path) in [
        (unable.clone(), &REMOVE[..], "gone.txt"),
        (unable, &MOVE[..], "from.txt"),
        (Client::neovim(), &REMOVE[..], "gone.txt"),
    ] {
        let expect = json!({"status": "failed", "error_kind": "unavailable", "contains": "close it there first"});
        let mut editor = applied(client.clone(), patch, &[path], expect);
        assert!(editor.workspace.exists(path) && editor.is_open(path));
        assert_eq!(editor.applies_seen, 0);
        editor.assert_same(path);
        // Closed it is the disk's.
        let editor = applied(client, patch, &[], ok());
        assert!(!editor.workspace.exists(path));
    }
}

#[test]
fn a_client_that_says_yes_and_does_nothing() {
    for (patch, path) in [(&REMOVE[..], "gone.txt"), (&MOVE[..], "from.txt")] {
        for client in able() {
            let client = client.reply(Reply::TrueButNothing);
            let mut editor = applied(client, patch, &[path], failed("unavailable"));
            let text = editor.text(path).to_owned();
            assert_eq!(editor.workspace.disk(path), text);
            editor.assert_same(path);
        }
    }
}

#[test]
fn a_move_onto_what_somebody_made_meanwhile() {
    for client in [Client::bare(), Client::full(), Client::neovim()] {
        for open in [false, true] {
            let (mut editor, run) =
                proposed(client.clone(), &MOVE, "from.txt", open, failed("conflict"));
            editor.workspace.write("deep/to.txt", "theirs\n");
            decide(&mut editor, "from.txt", true);
            editor.finish_run(&run);
            assert_eq!(editor.told_about_failure, 1);
            assert_eq!(editor.workspace.disk("deep/to.txt"), "theirs\n");
            assert_eq!(editor.workspace.disk("from.txt"), FILES[2].1);
            if open {
                assert_eq!(editor.text("from.txt"), FILES[2].1);
            }
        }
    }
}

/// Neovim without the plugin: by `RenameFile`, which also saves.
#[test]
fn a_move_in_neovim_without_the_plugin() {
    let mut editor = patched(Client::neovim(), "accept_edits", &MOVE, &["from.txt"], ok());
    let run = editor.prompt("tidy up");
    editor.until("the edit", |editor| {
        if editor.is_open("from.txt") {
            editor.flush("from.txt");
        }
        editor.is_open("deep/to.txt").then_some(())
    });
    editor.finish_run(&run);
    assert_eq!(editor.text("deep/to.txt"), "alpha\nBETA\ngamma\n");
    assert_eq!(editor.workspace.disk("deep/to.txt"), "alpha\nBETA\ngamma\n");
}

/// A client that deletes the file and leaves its buffer open: the file is gone, and the model hears of the buffer.
#[test]
fn a_client_that_keeps_the_buffer_of_a_removed_file() {
    let client = Client {
        keeps_buffers: true,
        ..Client::bare()
    };
    let expect = json!({"status": "ok", "contains": "still shows its text"});
    let editor = applied(client, &REMOVE, &["gone.txt"], expect);
    assert!(!editor.workspace.exists("gone.txt") && editor.is_open("gone.txt"));
}

const EVERYTHING: [&str; 16] = [
    "*** Update File: keep.txt",
    "@@",
    " one",
    "-two",
    "+TWO",
    "*** Add File: new.txt",
    "+fresh",
    "*** Delete File: gone.txt",
    "*** Update File: from.txt",
    "*** Move to: deep/to.txt",
    "@@",
    " alpha",
    "-beta",
    "+BETA",
    " gamma",
    "*** End of File",
];

/// One proposal over open and closed files: all of it by one decision.
#[test]
fn a_patch_over_buffers_and_disk_is_one_proposal() {
    for client in able() {
        for open in [&["keep.txt", "from.txt"][..], &["gone.txt"], &[]] {
            let mut editor = patched(client.clone(), "default", &EVERYTHING, open, ok());
            let run = editor.prompt("everything");
            for path in ["keep.txt", "new.txt", "gone.txt", "from.txt"] {
                editor.await_hunks(path, 1);
            }
            let pending = editor.pending();
            assert!(
                pending
                    .iter()
                    .all(|hunk| hunk["proposal"] == pending[0]["proposal"])
            );
            editor
                .execute("mewcode.review.accept", json!({"all": true}))
                .expect("accepted");
            assert_eq!(editor.await_call("apply_patch").files(), 4);
            editor.finish_run(&run);
            assert!(!editor.workspace.exists("gone.txt") && !editor.workspace.exists("from.txt"));
            assert_eq!(editor.workspace.disk("new.txt"), "fresh\n");
            for (path, text) in [
                ("keep.txt", "one\nTWO\nthree\n"),
                ("deep/to.txt", "alpha\nBETA\ngamma\n"),
            ] {
                match editor.is_open(path) {
                    true => assert_eq!(editor.text(path), text),
                    false => assert_eq!(editor.workspace.disk(path), text),
                }
            }
        }
    }
}
