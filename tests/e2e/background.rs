//! Commands in the background: those that a run waits for by asking again, and those that a person moves there.

use serde_json::{Value, json};

use crate::harness::processes::{processes, until};
use crate::harness::script::ok;
use crate::harness::{Client, Editor, Script, Workspace};

const MOVE: &str = "mewcode.moveToBackground";
const TITLE: &str = "Move the command to the background";

/// An editor whose run waits for this command, and looks at it when it no longer does.
fn start(client: Client, command: &str) -> Editor {
    let told =
        json!({"status": "ok", "contains": "moved it to the background: it goes on as `cmd_1`"});
    let look = json!({"status": "ok", "contains": "before"});
    let script = Script::new()
        .call("bash", json!({"command": command}), told)
        .call(
            "process_output",
            json!({"id": "cmd_1", "until": "before"}),
            look,
        )
        .say("Done.");
    Editor::start(Workspace::with(&[]), client, &script, "bypass")
}

/// The code action that moves it, if there is one.
fn offered(editor: &mut Editor) -> Option<Value> {
    let actions = editor.code_actions("anywhere.txt", 0, Some(&["source.mewcode"]));
    actions.into_iter().find(|action| action["title"] == TITLE)
}

/// The command goes on, and so does the run, which is told how to go on with it.
#[test]
fn a_command_that_a_run_waits_for_is_moved_by_a_command_or_a_code_action() {
    for client in [Client::full(), Client::bare()] {
        let by_action = !client.has("status");
        // A number that no other process has.
        let mark = format!("sleep 97{}{}", std::process::id(), u8::from(by_action));
        let line = format!("echo before; {mark}");
        let mut editor = start(client, &line);
        let nothing = editor.execute(MOVE, json!({}));
        assert_eq!(nothing, Ok(json!({"commands": []})));
        assert!(offered(&mut editor).is_none());
        let run = editor.prompt("go");
        until("the command", || !processes(&mark).is_empty());
        let moved = if by_action {
            let action = editor.until("the action", offered);
            editor.choose(&action)
        } else {
            editor.until("the move", |editor| {
                let moved = editor.execute(MOVE, json!({"session": run.session}));
                (moved != nothing).then_some(moved)
            })
        };
        assert_eq!(moved, Ok(json!({"commands": ["cmd_1"]})));
        editor.finish_run(&run);
        assert!(!processes(&mark).is_empty(), "it goes on");
        assert!(offered(&mut editor).is_none(), "nobody waits for it");
        assert_eq!(editor.execute(MOVE, json!({})), nothing);
        editor.finish();
        until("its end", || processes(&mark).is_empty());
    }
}

/// The same call is no going round in circles while what it waits for goes on, and is one when it does not wait.
#[test]
fn a_command_is_waited_for_by_the_same_call_as_often_as_it_takes() {
    let command = json!({"command": "sleep 1000", "background": true});
    let look = |wait: u64| json!({"id": "cmd_1", "wait_ms": wait});
    let mut script = Script::new().call("bash", command, ok());
    for wait_ms in [[1100; 5], [0; 5]].concat() {
        script = script.call("process_output", look(wait_ms), ok());
    }
    let mut editor = Editor::start(Workspace::with(&[]), Client::full(), &script, "bypass");
    let run = editor.prompt("wait");
    let ended = editor.await_run(&run);
    assert_eq!(ended["outcome"], "limit", "{ended}");
    assert_eq!(editor.await_call("bash").status(), "ok");
    for _ in 0..9 {
        assert_eq!(editor.await_call("process_output").status(), "ok");
    }
    assert_eq!(editor.await_call("process_output").status(), "interrupted");
}
