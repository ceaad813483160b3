//! Code actions that ask the agent about a piece of code: the selection, or the definition around the cursor.

use std::time::Instant;

use serde_json::{Value, json};

use crate::harness::{Client, Editor, PATIENCE, Script, Workspace};

const SOURCE: &str =
    "use std::fmt;\n\nfn first() {\n    let a = 1;\n}\n\nfn second() {\n    let b = 2;\n}\n";
const KIND: &str = "refactor.rewrite.mewcode";

fn titles(editor: &mut Editor, line: u64) -> Vec<String> {
    editor
        .code_actions("a.rs", line, Some(&[KIND]))
        .iter()
        .map(|action| action["title"].as_str().expect("a title").to_owned())
        .collect()
}

/// The actions at a line once the server has parsed the text. It is asked until then: nothing tells of it.
fn await_titles(editor: &mut Editor, line: u64, part: &str) -> Vec<String> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let found = titles(editor, line);
        if found.iter().any(|title| title.contains(part)) {
            return found;
        }
        assert!(Instant::now() < deadline, "{part} is missing in {found:?}");
    }
}

fn editor(script: &Script) -> Editor {
    let mut editor = Editor::start(
        Workspace::with(&[("a.rs", SOURCE)]),
        Client::bare(),
        script,
        "default",
    );
    editor.open("a.rs");
    editor
}

#[test]
fn the_definition_around_the_cursor_is_named_and_asked_about() {
    let script = Script::new().say("It sets a number.");
    let mut editor = editor(&script);
    let found = await_titles(&mut editor, 3, "`first`");
    assert_eq!(found[0], "Explain function `first`");
    assert_eq!(found.len(), 5);
    assert_eq!(titles(&mut editor, 7)[1], "Review function `second`");
    assert_eq!(titles(&mut editor, 1), [""; 0], "between two of them");
    let actions = editor.code_actions("a.rs", 3, Some(&[KIND]));
    let answer = editor.choose(&actions[0]).expect("it runs");
    let run = crate::harness::review::Run {
        session: answer["session"].as_str().expect("a session").to_owned(),
        run: answer["run"].as_str().expect("a run").to_owned(),
    };
    let started = editor.await_event("run_started", |_| true);
    let prompt = started["event"]["prompt"].as_str().expect("a prompt");
    assert!(
        prompt.contains("Explain function `first` in a.rs, lines 3-5:"),
        "{prompt}"
    );
    editor.finish_run(&run);
}

#[test]
fn the_definition_follows_the_typing() {
    let mut editor = editor(&Script::new());
    await_titles(&mut editor, 3, "`first`");
    editor.replace("a.rs", "first", "renamed");
    editor.change("a.rs", 0..0, "// above\n");
    await_titles(&mut editor, 4, "`renamed`");
}

#[test]
fn a_selection_is_asked_about_as_it_is() {
    let mut editor = editor(&Script::new());
    let uri = editor.uri("a.rs");
    let range = json!({"start": {"line": 2, "character": 0}, "end": {"line": 4, "character": 1}});
    let answer = editor.call(
        "textDocument/codeAction",
        json!({"textDocument": {"uri": uri}, "range": range, "context": {"diagnostics": [], "only": [KIND]}}),
    );
    let actions = answer.expect("code actions are answered");
    assert_eq!(actions[0]["title"], "Explain the selection");
    let resolved = editor
        .call("codeAction/resolve", actions[0].clone())
        .expect("resolved");
    let argument: &Value = &resolved["command"]["arguments"][0];
    assert_eq!(
        argument["text"].as_str().expect("a text").split(':').next(),
        Some("Explain the selection in a.rs, lines 3-5")
    );
}
