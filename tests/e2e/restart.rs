//! What is undecided survives the server: killed in the midst of a run, ended by its editor, with the person typing in between.
//! Nothing is lost, nothing comes back that was decided, no edit is made twice.

mod under_way;

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::harness::review::Hunk;
use crate::harness::script::ok;
use crate::harness::{Client, Editor, Script, Workspace};

const LIST: &str = "one\n-\ntwo\n-\nthree\n";

/// An editor with a list open, in which a run proposes or makes three changes.
fn three_changes(client: Client, mode: &str) -> Editor {
    let script = Script::new()
        .read("list.txt")
        .edits(
            "list.txt",
            &[("one", "1"), ("two", "2"), ("three", "3")],
            ok(),
        )
        .say("Done.");
    let workspace = Workspace::with(&[("list.txt", LIST)]);
    let mut editor = Editor::start(workspace, client, &script, mode);
    editor.open("list.txt");
    editor.prompt("digits");
    editor.await_hunks("list.txt", 3);
    editor
}

/// What makes a hunk the same one after a restart.
fn essence(hunk: &Value) -> Value {
    let mut hunk = hunk.clone();
    if let Some(fields) = hunk.as_object_mut() {
        fields.remove("state");
    }
    hunk
}

fn reviewed(editor: &Editor, path: &str) -> Vec<Value> {
    editor.review(path).iter().map(essence).collect()
}

fn found(editor: &mut Editor, hunks: usize, path: &str) {
    let told = editor.await_message("from before the restart");
    assert!(
        told.contains(&hunks.to_string()) && told.contains(path),
        "{told}"
    );
}

#[test]
fn proposals_survive_a_kill_in_the_midst_of_their_run() {
    for client in [Client::bare(), Client::full()] {
        let mut editor = three_changes(client, "default");
        let before = editor.hunks("list.txt");
        let reviewed_before = reviewed(&editor, "list.txt");
        editor.server.kill();
        // Typed between the two lives of the server: above, in the second hunk's line, and below.
        editor.insert_before("list.txt", "one", "mine\n");
        editor.replace("list.txt", "two", "two!");
        editor.start_server();
        found(&mut editor, 3, "list.txt");
        // It is told before the documents are: then the lines are those of the text as it was.
        assert_eq!(editor.pending().len(), 3);
        assert_eq!(editor.await_hunks("list.txt", 3), before);
        assert_eq!(reviewed(&editor, "list.txt"), reviewed_before);
        editor.reopen();
        let hunks = editor.until("the hunks a line down", |editor| {
            let hunks = editor.hunks("list.txt");
            (hunks.len() == 3 && hunks[0].lines.0 == 1).then_some(hunks)
        });
        let ids = |hunks: &[Hunk]| hunks.iter().map(|hunk| hunk.id.clone()).collect::<Vec<_>>();
        assert_eq!(ids(&hunks), ids(&before));
        assert!(hunks[1].message.contains("conflicts"), "{hunks:?}");
        editor.accept(&hunks[0]);
        editor.await_hunks("list.txt", 2);
        editor.reject(&hunks[2]);
        editor.await_hunks("list.txt", 1);
        let both = json!({"hunk": hunks[1].id, "take": "both"});
        editor
            .execute("mewcode.review.accept", both)
            .expect("accepted");
        editor.await_hunks("list.txt", 0);
        assert_eq!(editor.text("list.txt"), "mine\n1\n-\ntwo!\n2\n-\nthree\n");
        editor.assert_same("list.txt");
        assert_eq!(editor.workspace.kept(), [""; 0]);
    }
}

#[test]
fn applied_changes_survive_a_kill_and_are_kept_and_reverted_over_what_was_typed() {
    let mut editor = three_changes(Client::full(), "accept_edits");
    let before = reviewed(&editor, "list.txt");
    editor.server.kill();
    editor.insert_after("list.txt", "2", " mine");
    editor.insert_before("list.txt", "1", "above\n");
    editor.restart();
    found(&mut editor, 3, "list.txt");
    let hunks = editor.until("the hunks a line down", |editor| {
        let hunks = editor.hunks("list.txt");
        (hunks.len() == 3 && hunks[0].lines.0 == 1).then_some(hunks)
    });
    let review = editor.review("list.txt");
    let ids = |hunks: &[Value]| hunks.iter().map(|it| it["id"].clone()).collect::<Vec<_>>();
    assert_eq!(ids(&review), ids(&before));
    assert!(review.iter().all(|hunk| hunk["state"] == "applied"));
    editor.accept(&hunks[0]);
    editor.await_hunks("list.txt", 2);
    editor.reject(&hunks[1]);
    editor.await_hunks("list.txt", 1);
    editor.reject(&hunks[2]);
    editor.await_hunks("list.txt", 0);
    assert_eq!(editor.text("list.txt"), "above\n1\n-\ntwo mine\n-\nthree\n");
    editor.assert_same("list.txt");
}

/// The buffer has unsaved text, so the change is in the editor only. The next server hears of the buffer a while later.
#[test]
fn a_change_that_is_not_on_disk_waits_for_its_buffer() {
    let script = Script::new()
        .read("list.txt")
        .edit("list.txt", "one", "1")
        .say("Done.");
    let workspace = Workspace::with(&[("list.txt", LIST)]);
    let mut editor = Editor::start(workspace, Client::full(), &script, "accept_edits");
    editor.open_with("list.txt", &format!("{LIST}unsaved\n"));
    let run = editor.prompt("digits");
    editor.await_hunks("list.txt", 1);
    editor.finish_run(&run);
    assert_eq!(editor.workspace.disk("list.txt"), LIST);
    editor.server.kill();
    editor.start_server();
    found(&mut editor, 1, "list.txt");
    for _ in 0..2 {
        assert_eq!(editor.pending().len(), 1, "the disk alone decides nothing");
    }
    editor.reopen();
    let hunk = editor.await_hunks("list.txt", 1).remove(0);
    editor.settle();
    editor.reject(&hunk);
    editor.await_hunks("list.txt", 0);
    assert_eq!(editor.text("list.txt"), format!("{LIST}unsaved\n"));
    editor.assert_same("list.txt");
}

/// The editor goes too, and with it the unsaved buffer: the change is nowhere any more, and that is said.
#[test]
fn a_change_that_went_with_its_buffer_is_told() {
    let script = Script::new()
        .read("list.txt")
        .edit("list.txt", "one", "1")
        .say("Done.");
    let workspace = Workspace::with(&[("list.txt", LIST)]);
    let mut editor = Editor::start(workspace, Client::full(), &script, "accept_edits");
    editor.open_with("list.txt", &format!("{LIST}unsaved\n"));
    let run = editor.prompt("digits");
    editor.await_hunks("list.txt", 1);
    editor.finish_run(&run);
    editor.server.kill();
    editor.quit();
    editor.start_server();
    found(&mut editor, 1, "list.txt");
    editor.open("list.txt");
    editor.await_message("not in its text any more");
    editor.await_hunks("list.txt", 0);
    assert_eq!(editor.text("list.txt"), LIST);
}

/// Quit and start again in the ordinary way: the run ends with the server, its proposal stays.
#[test]
fn what_is_undecided_survives_quitting() {
    let mut editor = three_changes(Client::full(), "default");
    let before = editor.hunks("list.txt");
    editor.finish_run_calls();
    editor.finish();
    editor.quit();
    // While nobody is there, another program changes the file.
    editor.workspace.write("list.txt", format!("zero\n{LIST}"));
    editor.start_server();
    found(&mut editor, 3, "list.txt");
    // Decided without opening it.
    editor.await_hunks("list.txt", 3);
    editor.accept(&before[0]);
    editor.await_hunks("list.txt", 2);
    assert_eq!(
        editor.workspace.disk("list.txt"),
        "zero\n1\n-\ntwo\n-\nthree\n"
    );
    editor.open("list.txt");
    editor.accept(&before[2]);
    let left = editor.await_hunks("list.txt", 1);
    assert_eq!(
        (left[0].id.as_str(), left[0].lines.0),
        (before[1].id.as_str(), 3)
    );
    assert_eq!(editor.text("list.txt"), "zero\n1\n-\ntwo\n-\n3\n");
    // And once more: what is left of it.
    editor.finish();
    editor.restart();
    found(&mut editor, 1, "list.txt");
    let left = editor.await_hunks("list.txt", 1);
    editor.reject(&left[0]);
    editor.await_hunks("list.txt", 0);
    assert_eq!(editor.workspace.kept(), [""; 0]);
}

#[test]
fn what_was_rejected_does_not_come_back() {
    let mut editor = three_changes(Client::full(), "default");
    let hunks = editor.hunks("list.txt");
    editor.reject(&hunks[1]);
    editor.await_hunks("list.txt", 2);
    editor.server.kill();
    editor.restart();
    found(&mut editor, 2, "list.txt");
    let left = editor.await_hunks("list.txt", 2);
    assert_eq!([&left[0].id, &left[1].id], [&hunks[0].id, &hunks[2].id]);
    // A stale id of the earlier server still names nothing else.
    let stale = editor.execute("mewcode.review.accept", json!({"hunk": hunks[1].id}));
    assert!(stale.is_err(), "{stale:?}");
    editor
        .execute("mewcode.review.reject", json!({"all": true}))
        .expect("rejected");
    editor.await_hunks("list.txt", 0);
    assert_eq!(editor.text("list.txt"), LIST);
}

/// A patch with a new, a removed and a moved file, before and after it was applied.
#[test]
fn changes_of_whole_files_survive() {
    let files = [
        ("gone.txt", "first\nsecond\n"),
        ("from.txt", "alpha\nbeta\n"),
    ];
    let start = |mode: &str| {
        let script = Script::new().read("gone.txt").read("from.txt").patch(
            &[
                "*** Add File: new.txt",
                "+fresh",
                "*** Delete File: gone.txt",
                "*** Update File: from.txt",
                "*** Move to: to.txt",
                "@@",
                " alpha",
                "-beta",
                "+BETA",
            ],
            ok(),
        );
        let workspace = Workspace::with(&files);
        let script = script.say("Done.");
        let mut editor = Editor::start(workspace, Client::full(), &script, mode);
        editor.prompt("tidy");
        editor
    };
    let mut editor = start("default");
    for path in ["new.txt", "gone.txt", "from.txt"] {
        editor.await_hunks(path, 1);
    }
    editor.server.kill();
    editor.restart();
    found(&mut editor, 3, "new.txt");
    assert_eq!(editor.pending().len(), 3);
    editor
        .execute("mewcode.review.accept", json!({"all": true}))
        .expect("accepted");
    for path in ["new.txt", "gone.txt", "from.txt"] {
        editor.await_hunks(path, 0);
    }
    assert_eq!(editor.workspace.files(), ["new.txt", "to.txt"]);
    assert_eq!(editor.workspace.disk("to.txt"), "alpha\nBETA\n");

    let mut editor = start("accept_edits");
    for path in ["new.txt", "gone.txt", "to.txt"] {
        editor.await_hunks(path, 1);
    }
    editor.server.kill();
    editor.restart();
    found(&mut editor, 3, "new.txt");
    editor
        .execute("mewcode.review.reject", json!({"all": true}))
        .expect("reverted");
    for path in ["new.txt", "gone.txt", "to.txt", "from.txt"] {
        editor.await_hunks(path, 0);
    }
    assert_eq!(editor.workspace.files(), ["from.txt", "gone.txt"]);
    for (path, text) in files {
        assert_eq!(editor.workspace.disk(path), text);
    }
}

/// Nothing is kept of a file that is no part of the workspace, and nothing that is kept leads out of it.
#[test]
fn what_is_kept_is_judged_anew() {
    let mut editor = three_changes(Client::full(), "default");
    editor.server.kill();
    let folder = editor.workspace.review();
    let mode = |path: &std::path::Path| {
        fs::metadata(path)
            .expect("it is there")
            .permissions()
            .mode()
    };
    assert_eq!(mode(&folder) & 0o777, 0o700);
    let name = editor
        .workspace
        .kept()
        .into_iter()
        .find(|name| name.ends_with(".json"));
    let file = folder.join(name.expect("a file"));
    assert_eq!(mode(&file) & 0o777, 0o600);
    let kept = fs::read_to_string(&file).expect("text");
    let outside = editor.workspace.home().join("precious.txt");
    fs::write(&outside, LIST).expect("written");

    // A path outside; a folder that is a link to the outside by now; a secret of MewCode's own.
    let inside = editor.workspace.path("list.txt").display().to_string();
    let lead_out = [
        outside.display().to_string(),
        format!("{}/link/precious.txt", editor.workspace.root().display()),
        editor
            .workspace
            .path(".mewcode/settings.local.yaml")
            .display()
            .to_string(),
    ];
    let link = editor.workspace.path("link");
    std::os::unix::fs::symlink(editor.workspace.home(), link).expect("a link");
    for path in lead_out {
        fs::write(&file, kept.replace(&inside, &path)).expect("written");
        editor.start_server();
        editor.await_message("are gone");
        assert_eq!(editor.pending(), [Value::Null; 0], "{path}");
        editor.finish();
    }
    assert_eq!(fs::read_to_string(&outside).expect("text"), LIST);

    // Cut off, not JSON, a hunk beyond its text: said once, put away, and the server works.
    let (head, body) = kept.split_once('\n').expect("two lines");
    let beyond = format!("{head}\n{}", body.replace("\"end\":5", "\"end\":500"));
    for damaged in [&kept[..kept.len() / 2], "nonsense", "", &beyond] {
        fs::write(&file, damaged).expect("written");
        editor.start_server();
        editor.await_message("cannot be read");
        assert_eq!(editor.pending(), [Value::Null; 0]);
        editor.finish();
        editor.start_server();
        editor.settle();
        editor.finish();
        assert_eq!(editor.workspace.kept().len(), 1, "{damaged}");
    }

    // Written by who knows whom; of another version.
    fs::write(&file, &kept).expect("written");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).expect("opened to all");
    editor.start_server();
    editor.await_message("others than you");
    editor.finish();
    fs::write(&file, kept.replacen("\"version\":1", "\"version\":2", 1)).expect("written");
    editor.start_server();
    editor.await_message("another version");
    assert_eq!(editor.pending(), [Value::Null; 0]);
    editor.finish();
    assert!(file.exists(), "it is left to that version");
    editor.reopen();
}
