//! The editor's settings while the server runs: `workspace/didChangeConfiguration` replaces what `initialize` gave.

use serde_json::{Value, json};

use crate::harness::editor::options;
use crate::harness::script::ok;
use crate::harness::{Client, Editor, Script, Workspace};

const FILES: [(&str, &str); 2] = [
    (".mewcode.yaml", "max_turns: 50\n"),
    ("greet.py", "print('hi')\n"),
];

fn change(editor: &mut Editor, settings: Value) {
    editor.server.notify(
        "workspace/didChangeConfiguration",
        json!({"settings": settings}),
    );
}

fn mode(editor: &mut Editor) -> String {
    let status = editor
        .execute("mewcode.status", json!({}))
        .expect("a status");
    status["mode"].as_str().expect("a mode").to_owned()
}

#[test]
fn they_replace_those_from_before_and_count_at_once() {
    let workspace = Workspace::with(&FILES);
    let script = Script::new().say("Done.");
    let mut editor = Editor::start(workspace, Client::full(), &script, "plan");
    assert_eq!(mode(&mut editor), "plan");
    change(&mut editor, json!({"mewcode": {"mode": "dont_ask"}}));
    assert_eq!(mode(&mut editor), "dont_ask");
    editor.until("the status", |editor| {
        (editor.status["mode"] == "dont_ask").then_some(())
    });
    change(&mut editor, json!({"mewcode": {}}));
    assert_eq!(mode(&mut editor), "default");
    // Somebody else's, or none.
    for other in [
        json!({"python": {"mode": "plan"}}),
        json!({}),
        json!({"mewcode": null}),
        Value::Null,
    ] {
        change(&mut editor, other);
        assert_eq!(mode(&mut editor), "default");
    }
}

#[test]
fn wrong_ones_are_told_and_those_from_before_stay() {
    let workspace = Workspace::with(&FILES);
    let script = Script::new().say("Done.");
    let mut editor = Editor::start(workspace, Client::full(), &script, "plan");
    for (settings, said) in [
        (
            json!({"mode": "paln"}),
            "initializationOptions.mode: `mode` must be one of",
        ),
        (
            json!({"limits": {"processes": -1}}),
            "initializationOptions.limits.processes",
        ),
        (json!("plan"), "must be an object of settings"),
    ] {
        change(&mut editor, json!({"mewcode": settings}));
        let message = editor.await_message(said);
        assert!(
            message.ends_with("the settings from before stay in force"),
            "{message}"
        );
        assert_eq!(mode(&mut editor), "plan");
    }
    // And they are whole: a session can still be begun with them.
    let run = editor.prompt("go on");
    editor.finish_run(&run);
}

#[test]
fn a_rule_holds_for_the_session_that_is_there() {
    let workspace = Workspace::with(&FILES);
    let read = json!({"path": "greet.py"});
    let script = Script::new()
        .read("greet.py")
        .say("Read.")
        .call("read_file", read, json!({"status": "denied"}))
        .say("Denied.");
    let mut settings = options(&workspace, &script, "default");
    let mut editor = Editor::start(workspace, Client::full(), &script, "default");
    let run = editor.prompt("read it");
    editor.finish_run(&run);
    settings["permissions"] = json!({"deny": ["read_file(greet.py)"]});
    change(&mut editor, json!({"mewcode": settings}));
    let run = editor.prompt("read it again");
    editor.finish_run(&run);
}

/// What was written into the files meanwhile counts from the next prompt on; a fault in them is told, and changes nothing.
#[test]
fn rules_that_change_on_disk_count_from_the_next_prompt_on() {
    let denied = json!({"status": "denied", "error_kind": "denied_by_policy"});
    let echo = json!({"command": "echo one"});
    let script = Script::new()
        .call("bash", echo.clone(), ok())
        .say("One.")
        .call("bash", echo.clone(), denied.clone())
        .say("Two.")
        .call("bash", echo, denied)
        .say("Three.");
    let workspace = Workspace::with(&FILES);
    let mut editor = Editor::start(workspace, Client::full(), &script, "bypass");
    let run = editor.prompt("one");
    editor.finish_run(&run);
    let deny = "permissions:\n  deny: [bash(echo:*)]\n";
    editor.workspace.write(".mewcode.yaml", deny);
    let run = editor.prompt("two");
    editor.finish_run(&run);
    editor.workspace.write(".mewcode.yaml", "permissions: [\n");
    let run = editor.prompt("three");
    editor.await_message("the configuration was not read again");
    editor.finish_run(&run);
}
