//! How it ends: by `exit`, by the end of the input, by the death of the client, by cancelling; at any moment, with anything pending, in
//! time.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::harness::editor::options;
use crate::harness::script::ok;
use crate::harness::{Client, END_WITHIN, Editor, Reply, Script, Server, Workspace};
use crate::main_job::{GREET, NEW, OLD, greeting, polite};

#[test]
fn end_of_input_before_initialize() {
    let workspace = Workspace::new();
    let mut server = Server::start(&workspace);
    server.close_input();
    server.exit_within(END_WITHIN);
}

#[test]
fn end_of_input_after_initialize() {
    let mut editor = Editor::start(Workspace::new(), Client::bare(), &Script::new(), "default");
    editor.server.close_input();
    editor.server.exit_within(END_WITHIN);
}

#[test]
fn end_of_input_inside_a_message() {
    let mut editor = Editor::start(Workspace::new(), Client::bare(), &Script::new(), "default");
    editor
        .server
        .send_raw(b"Content-Length: 1000\r\n\r\n{\"jsonrpc\"".to_vec());
    editor.server.close_input();
    editor.server.exit_within(END_WITHIN);
}

#[test]
fn end_of_input_with_a_pending_review() {
    for client in [Client::bare(), Client::full()] {
        let mut editor = greeting(client);
        editor.prompt("make greet polite");
        editor.await_hunks("greet.py", 1);
        editor.server.close_input();
        editor.server.exit_within(END_WITHIN);
        assert_eq!(editor.workspace.disk("greet.py"), GREET);
    }
}

#[test]
fn end_of_input_with_an_edit_on_the_way() {
    let mut editor = greeting(Client::bare().reply(Reply::NeverAndNothing));
    editor.prompt("make greet polite");
    let hunks = editor.await_hunks("greet.py", 1);
    editor.accept(&hunks[0]);
    editor.until("the edit", |editor| {
        (editor.applies_seen == 1).then_some(())
    });
    editor.server.close_input();
    editor.server.exit_within(END_WITHIN);
}

#[test]
fn end_of_input_with_a_thousand_requests_unread() {
    let mut editor = Editor::start(Workspace::new(), Client::bare(), &Script::new(), "default");
    for _ in 0..1000 {
        editor.server.request("mewcode/pending", json!({}));
    }
    editor.server.close_input();
    editor.server.exit_within(END_WITHIN);
}

#[test]
fn shutdown_with_a_pending_review() {
    let mut editor = greeting(Client::full());
    editor.prompt("make greet polite");
    editor.await_hunks("greet.py", 1);
    editor.finish_run_calls();
    editor.finish();
    assert_eq!(editor.workspace.disk("greet.py"), GREET);
}

#[test]
fn exit_without_shutdown_is_status_1() {
    let mut editor = greeting(Client::bare());
    editor.prompt("make greet polite");
    editor.await_hunks("greet.py", 1);
    editor
        .server
        .send(&json!({"jsonrpc": "2.0", "method": "exit"}));
    assert_eq!(editor.server.exit_within(END_WITHIN).code(), Some(1));
}

/// The client named itself by its process id, and is killed while the pipe stays open (somebody else has the other end).
#[test]
fn the_death_of_the_client() {
    let workspace = Workspace::with(&[("greet.py", GREET)]);
    let mut parent = Command::new("sleep")
        .arg("600")
        .stdin(Stdio::null())
        .spawn()
        .expect("a process to watch");
    let script = Script::new()
        .read("greet.py")
        .edit("greet.py", OLD, NEW)
        .say("Done.");
    let options = options(&workspace, &script, "default");
    let server = Server::start(&workspace);
    let mut editor = Editor::connect(server, workspace, Client::bare(), options, parent.id());
    editor.open("greet.py");
    editor.prompt("make greet polite");
    editor.await_hunks("greet.py", 1);
    parent.kill().expect("killed");
    parent.wait().expect("and gone");
    editor.server.exit_within(END_WITHIN);
}

/// Takes away a run in three ways at the same moment: the call ends interrupted, the hunks go, the buffer stays.
#[test]
fn cancelling_a_run() {
    let by_command = |editor: &mut Editor| {
        editor
            .execute("mewcode.cancel", json!({}))
            .expect("cancelled");
    };
    let by_session = |editor: &mut Editor| {
        let session = editor.events()[0]["session"].clone();
        editor
            .execute("mewcode.cancel", json!({"session": session}))
            .expect("cancelled");
    };
    let by_progress = |editor: &mut Editor| {
        let token = editor.await_progress();
        editor
            .server
            .notify("window/workDoneProgress/cancel", json!({"token": token}));
    };
    let ways: [&dyn Fn(&mut Editor); 3] = [&by_command, &by_session, &by_progress];
    for client in [Client::bare(), Client::full()] {
        for cancel in ways {
            let mut editor = greeting(client.clone());
            let run = editor.prompt("make greet polite");
            let hunks = editor.await_hunks("greet.py", 1);
            cancel(&mut editor);
            assert_eq!(editor.await_call("edit_file").status(), "interrupted");
            assert_eq!(editor.await_run(&run)["outcome"], "cancelled");
            editor.await_hunks("greet.py", 0);
            assert_eq!((editor.text("greet.py"), editor.applies_seen), (GREET, 0));
            let late = editor.execute("mewcode.review.accept", json!({"hunk": hunks[0].id}));
            assert!(late.is_err(), "a hunk of a cancelled run is gone: {late:?}");
            editor.finish_run_calls();
            editor.assert_same("greet.py");
        }
    }
}

/// An edit on the way that nobody answers does not hold the cancelling up.
#[test]
fn cancelling_while_an_edit_is_on_the_way() {
    let mut editor = greeting(Client::bare().reply(Reply::NeverAndNothing));
    let run = editor.prompt("make greet polite");
    let hunks = editor.await_hunks("greet.py", 1);
    editor.accept(&hunks[0]);
    editor.until("the edit", |editor| {
        (editor.applies_seen == 1).then_some(())
    });
    editor
        .execute("mewcode.cancel", json!({}))
        .expect("cancelled");
    let status = editor.await_call("edit_file").status();
    assert!(
        ["interrupted", "unknown_outcome"].contains(&status.split('/').next().unwrap_or_default()),
        "{status}"
    );
    assert_eq!(editor.await_run(&run)["outcome"], "cancelled");
    editor.await_hunks("greet.py", 0);
    editor.finish_run_calls();
}

/// A cancelled run does not spoil the session: the next prompt works.
#[test]
fn going_on_after_a_cancelled_run() {
    let script = Script::new()
        .read("greet.py")
        .edit_expecting(
            "greet.py",
            OLD,
            "    pass",
            json!({"status": "interrupted"}),
        )
        .edit("greet.py", OLD, NEW)
        .say("Done.");
    let mut editor = Editor::start(
        Workspace::with(&[("greet.py", GREET)]),
        Client::full(),
        &script,
        "default",
    );
    editor.open("greet.py");
    let first = editor.prompt("one");
    editor.await_hunks("greet.py", 1);
    editor
        .execute("mewcode.cancel", json!({}))
        .expect("cancelled");
    assert_eq!(editor.await_run(&first)["outcome"], "cancelled");
    editor.await_hunks("greet.py", 0);
    editor.finish_run_calls();
    let second = editor.prompt("two");
    let hunks = editor.await_hunks("greet.py", 1);
    editor.accept(&hunks[0]);
    editor.finish_run(&second);
    assert_eq!(editor.text("greet.py"), polite());
    editor.assert_same("greet.py");
}

/// One session's run is cancelled, the other's goes on.
#[test]
fn cancelling_one_of_two_sessions() {
    let workspace = Workspace::with(&[("a.txt", "one\n"), ("b.txt", "one\n")]);
    let script = |path: &str| {
        Script::new()
            .read(path)
            .edit_expecting(path, "one", "1", ok())
            .say("Done.")
    };
    let mut editor = Editor::start(workspace, Client::full(), &script("a.txt"), "default");
    editor.open("a.txt");
    editor.open("b.txt");
    let first = editor.prompt("one");
    editor.await_hunks("a.txt", 1);
    options(&editor.workspace, &script("b.txt"), "default");
    let session: Value = editor
        .execute("mewcode.newSession", json!({}))
        .expect("a session")["session"]
        .clone();
    let second = editor.prompt_with(json!({"text": "two", "session": session}));
    let hunks = editor.await_hunks("b.txt", 1);
    editor
        .execute("mewcode.cancel", json!({"session": first.session}))
        .expect("cancelled");
    assert_eq!(editor.await_run(&first)["outcome"], "cancelled");
    editor.await_hunks("a.txt", 0);
    editor.accept(&hunks[0]);
    editor.finish_run(&second);
    editor.finish_run_calls();
    assert_eq!(
        (editor.text("a.txt"), editor.text("b.txt")),
        ("one\n", "1\n")
    );
}
