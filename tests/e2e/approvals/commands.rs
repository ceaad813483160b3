//! Commands: what is asked says what will run, nothing of it runs before the answer, and nothing of it outlives the server.

use serde_json::{Value, json};

use super::{asked_by_messages, ends, start, text, withdrawn};
#[cfg(target_os = "linux")]
use crate::harness::processes::{processes, until};
use crate::harness::review::Run;
use crate::harness::script::{ok, rejected};
use crate::harness::{Client, Editor, Script, Workspace};

/// A command that leaves a file, and what its call must end with.
fn touching(expect: Value) -> Script {
    let command = json!({"command": "echo hello && touch made.txt", "description": "leave a file"});
    Script::new().call("bash", command, expect).say("Done.")
}

/// An editor in which the command waits to be allowed.
fn asked(client: Client, expect: Value) -> (Editor, Run, Value) {
    let (mut editor, run) = start(client, &touching(expect));
    let approval = editor.await_approvals(1)[0].clone();
    assert!(!editor.workspace.exists("made.txt"), "nothing runs unasked");
    (editor, run, approval)
}

#[test]
fn the_question_says_what_will_run_and_where() {
    let (mut editor, run, approval) = asked(Client::full(), ok());
    let title = text(&approval["title"]);
    assert!(title.contains("touch made.txt"), "{title}");
    let details = approval["details"].to_string();
    assert!(
        details.contains("echo hello && touch made.txt"),
        "{details}"
    );
    assert!(details.to_lowercase().contains("sandbox"), "{details}");
    editor.answer_approval(&approval, "once").expect("allowed");
    editor.finish_run(&run);
    assert!(editor.workspace.exists("made.txt"));
    let transcript = editor
        .call("mewcode/transcript", json!({}))
        .expect("a transcript");
    let markdown = text(&transcript["markdown"]);
    assert!(
        markdown.contains("touch made.txt`: allowed once"),
        "{markdown}"
    );
}

#[test]
fn a_long_command_is_cut_once_in_every_title_which_says_how_much_is_missing() {
    let line = format!("touch made.txt {}", "x".repeat(1_000));
    let script = Script::new().call("bash", json!({"command": line}), rejected());
    let (mut editor, run) = start(Client::full(), &script.say("Done."));
    let approval = editor.await_approvals(1)[0].clone();
    let cut = format!("Run `{}` … (+{} characters)", &line[..80], line.len() - 80);
    assert_eq!(approval["title"], cut);
    for kind in ["deny", "allow", "show"] {
        let actions = editor.answers(&format!("mewcode.approval.{kind}"));
        assert!(!actions.is_empty(), "{kind}");
        for action in &actions {
            let title = text(&action["title"]);
            assert!(title.ends_with(&format!(": {cut}")), "{title}");
        }
    }
    editor.answer_approval(&approval, "deny").expect("denied");
    editor.finish_run(&run);
}

#[test]
fn what_is_denied_or_withdrawn_does_not_run() {
    let (mut editor, run, approval) = asked(Client::full(), rejected());
    editor.answer_approval(&approval, "deny").expect("denied");
    editor.finish_run(&run);
    assert!(!editor.workspace.exists("made.txt"));

    let (mut editor, run, approval) = asked(asked_by_messages(), withdrawn());
    let message = editor.await_asked("touch made.txt");
    editor
        .execute("mewcode.cancel", json!({}))
        .expect("stopped");
    // Both come too late.
    editor.reply(&message, Some("Allow once"));
    let late = editor.answer_approval(&approval, "once");
    assert_eq!(editor.await_run(&run)["outcome"], "cancelled");
    editor.finish_run_calls();
    assert!(late.is_err(), "{late:?}");
    assert_eq!(ends(&editor), ["call_1 interrupted"]);
    editor.forget_messages();
    editor.finish();
    assert!(!editor.workspace.exists("made.txt"));
}

#[test]
fn what_waits_when_the_server_dies_does_not_run() {
    let (mut editor, _, _) = asked(Client::full(), ok());
    editor.await_event("approval_asked", |_| true);
    editor.server.kill();
    assert!(!editor.workspace.exists("made.txt"));
    let log = editor.workspace.logs();
    assert!(log.contains("\"approval_asked\"") && !log.contains("\"approval_answered\""));
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_killed_sandbox_left_is_removed_when_the_server_starts() {
    let workspace = Workspace::new();
    let left = workspace.path(".idea");
    std::fs::create_dir(&left).expect("a folder");
    let note = json!({
        "path": left,
        "kind": "Folder",
        "noted": {"secs_since_epoch": 0, "nanos_since_epoch": 0},
        "identity": null,
    });
    let notes = workspace.home().join(".local/state/mewcode/sandbox");
    std::fs::create_dir_all(&notes).expect("a folder");
    std::fs::write(notes.join("0.notes"), format!("{note}\n")).expect("a file");
    let script = Script::new().say("Hello.");
    let mut editor = Editor::start(workspace, Client::full(), &script, "default");
    until("its removal", || !left.exists());
    editor.finish();
}

#[cfg(target_os = "linux")]
#[test]
fn a_command_in_the_background_ends_with_the_server() {
    for killed in [false, true] {
        // A number that no other process has.
        let mark = format!("sleep 98{}{}", std::process::id(), u8::from(killed));
        let line = format!("touch made.txt; {mark}");
        let command = json!({"command": line, "description": "wait", "background": true});
        let script = Script::new().call("bash", command, ok()).say("Done.");
        let (mut editor, run) = start(Client::full(), &script);
        let approval = editor.await_approvals(1)[0].clone();
        assert_eq!(processes(&mark), Vec::<String>::new());
        editor.answer_approval(&approval, "once").expect("allowed");
        editor.finish_run(&run);
        assert_eq!(ends(&editor), ["call_1 ok"]);
        until("the command", || !processes(&mark).is_empty());
        if killed {
            editor.server.kill();
        } else {
            editor.finish();
        }
        until("its end", || processes(&mark).is_empty());
    }
}
