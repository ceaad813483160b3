//! The main job: a prompt becomes a proposal, the proposal is accepted, the live buffer changes as one undo step, and the model is
//! told what really landed. Once for each kind of client.

use serde_json::json;

use crate::harness::buffer::sha256;
use crate::harness::client::Echo;
use crate::harness::{Client, Editor, Script, Sync, Workspace};

/// What most tests edit.
pub const GREET: &str = "def greet(name):\n    print(\"hi \" + name)\n\n\ngreet(\"you\")\n";
/// The line that becomes polite.
pub const OLD: &str = "    print(\"hi \" + name)";
/// What it becomes.
pub const NEW: &str = "    print(\"Good day, \" + name)";

/// The text after it.
pub fn polite() -> String {
    GREET.replace(OLD, NEW)
}

/// An editor with the file open, whose agent is going to make it polite.
pub fn greeting(client: Client) -> Editor {
    greeting_expecting(client, json!({"status": "ok"}))
}

/// The same with another expected result of the edit.
pub fn greeting_expecting(client: Client, expect: serde_json::Value) -> Editor {
    let script = Script::new()
        .read("greet.py")
        .edit_expecting("greet.py", OLD, NEW, expect)
        .say("Polite now.");
    let mut editor = Editor::start(
        Workspace::with(&[("greet.py", GREET)]),
        client,
        &script,
        "default",
    );
    editor.open("greet.py");
    editor
}

fn check(client: Client) {
    let saves = client.has("save");
    let held = client.echo == Echo::Held;
    let mut editor = greeting(client);
    let run = editor.prompt("make greet polite");
    let hunks = editor.await_hunks("greet.py", 1);
    assert_eq!(editor.text("greet.py"), GREET, "a proposal changes nothing");
    assert_eq!(
        hunks[0].lines.0, 1,
        "the hint stands at the line: {hunks:?}"
    );
    assert_eq!(editor.await_call("read_file").status(), "ok");

    let accept = ["mewcode.review.accept"];
    let actions = editor.code_actions("greet.py", 1, Some(&accept));
    editor
        .choose(&actions[0])
        .expect("the action is carried out");
    if held {
        editor.until("the edit", |editor| {
            (editor.applies_seen == 1).then_some(())
        });
        editor.flush("greet.py");
    }

    let call = editor.await_call("edit_file");
    assert_eq!(call.status(), "ok");
    let file = call.file("greet.py");
    assert_eq!(file["sha256_before"], sha256(GREET));
    assert_eq!(file["sha256_after"], sha256(&polite()));
    assert_eq!((&file["added"], &file["removed"]), (&json!(1), &json!(1)));
    let diff = file["diff"].as_str().expect("a diff");
    assert!(
        diff.contains(&format!("-{OLD}\n")) && diff.contains(&format!("+{NEW}\n")),
        "{diff}"
    );
    assert_eq!(editor.text("greet.py"), polite());
    editor.await_hunks("greet.py", 0);
    editor.await_done(&run);
    editor.assert_same("greet.py");
    assert_eq!(
        editor.applies_seen, 1,
        "one request is enough for an honest client"
    );

    // Saved where something can save, and then exactly this text; else the disk is left to the user.
    assert_eq!(editor.saves, usize::from(saves));
    assert_eq!(
        editor.workspace.disk("greet.py"),
        if saves { polite() } else { GREET.to_owned() }
    );
    assert_eq!(editor.buffer("greet.py").undo.len(), 1, "one undo step");
    editor.undo("greet.py");
    assert_eq!(editor.text("greet.py"), GREET);
    editor.flush("greet.py");
    assert!(editor.same("greet.py"));
    assert_eq!(
        editor.workspace.files(),
        ["greet.py"],
        "nothing of MewCode's own is left in the workspace"
    );
}

#[test]
fn a_bare_client() {
    check(Client::bare());
}

#[test]
fn a_bare_client_with_full_synchronisation() {
    check(Client::bare().sync(Sync::Full));
}

#[test]
fn neovim_without_the_plugin() {
    check(Client::neovim());
}

#[test]
fn a_client_with_everything() {
    check(Client::full());
}

#[test]
fn a_client_that_only_applies_by_hash() {
    check(Client::full().without(&["save", "review", "status", "checksum", "transcript"]));
}

/// A client that has never heard of MewCode sees the hunk, accepts it by its lens, and sees the end by the progress.
#[test]
fn a_client_that_knows_nothing() {
    let mut editor = greeting(Client::blind());
    let run = editor.prompt("make greet polite");
    editor.await_hunks("greet.py", 1);
    let lens = editor
        .lenses("greet.py")
        .into_iter()
        .find(|lens| lens["command"]["command"] == "mewcode.review.accept");
    editor
        .run_command(&lens.expect("a lens to accept")["command"])
        .expect("the lens is carried out");
    editor.await_hunks("greet.py", 0);
    editor.await_idle();
    assert_eq!(editor.text("greet.py"), polite());
    editor.assert_same("greet.py");
    let transcript = editor
        .call("mewcode/transcript", json!({"session": run.session}))
        .expect("a transcript");
    let markdown = transcript["markdown"].as_str().expect("Markdown");
    for part in ["make greet polite", "edit_file", "Polite now."] {
        assert!(markdown.contains(part), "{part:?} is missing in {markdown}");
    }
}

/// A buffer with unsaved changes is edited and left unsaved, and the model is told so.
#[test]
fn unsaved_changes_stay_unsaved() {
    let script = Script::new()
        .read("greet.py")
        .edit_expecting(
            "greet.py",
            OLD,
            NEW,
            json!({"status": "ok", "contains": "unsaved"}),
        )
        .say("Polite now.");
    let mut editor = Editor::start(
        Workspace::with(&[("greet.py", "old\n")]),
        Client::full(),
        &script,
        "default",
    );
    editor.open_with("greet.py", GREET);
    let run = editor.prompt("make greet polite");
    let hunks = editor.await_hunks("greet.py", 1);
    editor.accept(&hunks[0]);
    editor.finish_run(&run);
    assert_eq!(
        (editor.text("greet.py"), editor.saves),
        (polite().as_str(), 0)
    );
    assert_eq!(editor.workspace.disk("greet.py"), "old\n");
}

/// What a formatter makes of the text on save is the formatter's, and the model hears of it.
#[test]
fn a_formatter_on_save_is_told_apart() {
    let script = Script::new()
        .read("greet.py")
        .edit_expecting(
            "greet.py",
            OLD,
            NEW,
            json!({"status": "ok", "contains": "format"}),
        )
        .edit("greet.py", "greet(\"you\")", "greet(\"us\")")
        .say("Polite now.");
    let mut editor = Editor::start(
        Workspace::with(&[("greet.py", GREET)]),
        Client::full(),
        &script,
        "default",
    );
    editor.formatter = Some(|text| text.replace("\n\n\n", "\n\n"));
    editor.open("greet.py");
    let run = editor.prompt("make greet polite");
    let first = editor.await_hunks("greet.py", 1).remove(0);
    editor.accept(&first);
    assert_eq!(editor.await_call("edit_file").status(), "ok");
    let second = editor.await_next_hunk("greet.py", &first);
    editor.accept(&second);
    assert_eq!(editor.await_call("edit_file").status(), "ok");
    editor.finish_run(&run);
    let expected = polite()
        .replace("\n\n\n", "\n\n")
        .replace("greet(\"you\")", "greet(\"us\")");
    assert_eq!(editor.text("greet.py"), expected);
    editor.assert_same("greet.py");
}

/// A keystroke that follows a save at once is the person's, not the formatter's.
#[test]
fn a_keystroke_behind_a_save_is_not_the_formatters() {
    let script = Script::new()
        .read("greet.py")
        .edit("greet.py", OLD, NEW)
        .say("Polite now.");
    let mut editor = Editor::start(
        Workspace::with(&[("greet.py", GREET)]),
        Client::full(),
        &script,
        "default",
    );
    editor.typed_after_save = Some(("greet.py".to_owned(), "# mine\n".to_owned()));
    editor.open("greet.py");
    let run = editor.prompt("make greet polite");
    let hunks = editor.await_hunks("greet.py", 1);
    editor.accept(&hunks[0]);
    let call = editor.await_call("edit_file");
    assert_eq!(
        call.event["files"][0]["sha256_after"],
        json!(sha256(&polite())),
        "the agent's text, without the person's keystroke"
    );
    editor.finish_run(&run);
    assert_eq!(editor.text("greet.py"), format!("# mine\n{}", polite()));
    editor.assert_same("greet.py");
}

/// Where nothing can save, each result says that the disk does not have the text.
#[test]
fn nothing_can_save() {
    let told = json!({"status": "ok", "contains": "left unsaved"});
    let script = Script::new()
        .read("greet.py")
        .edit_expecting("greet.py", OLD, NEW, told.clone())
        .edit_expecting("greet.py", "\"you\"", "\"us\"", told)
        .say("Done.");
    let workspace = Workspace::with(&[("greet.py", GREET)]);
    let mut editor = Editor::start(workspace, Client::bare(), &script, "accept_edits");
    editor.open("greet.py");
    let run = editor.prompt("make greet polite");
    editor.finish_run(&run);
    assert_eq!(
        editor.text("greet.py"),
        polite().replace("\"you\"", "\"us\"")
    );
    assert_eq!(editor.workspace.disk("greet.py"), GREET);
    assert_eq!(editor.told_about_saving, 1);
}

/// A new file whose buffer is open and empty: nothing of the person's is in it, so it is saved.
#[test]
fn a_new_file_in_an_empty_buffer() {
    let script = Script::new()
        .write("new.txt", "fresh\n", json!({"status": "ok"}))
        .say("Done.");
    let mut editor = Editor::start(Workspace::new(), Client::full(), &script, "default");
    // As Neovim tells an empty buffer.
    editor.open_with("new.txt", "\n");
    let run = editor.prompt("a new file");
    let hunks = editor.await_hunks("new.txt", 1);
    editor.accept(&hunks[0]);
    editor.finish_run(&run);
    // Whether an edit of an empty text leaves a newline behind it, clients see differently.
    assert_eq!(editor.text("new.txt").trim_end(), "fresh");
    assert_eq!(editor.workspace.disk("new.txt"), editor.text("new.txt"));
}
