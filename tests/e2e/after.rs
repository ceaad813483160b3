//! Review after the change (mode `accept_edits`): applied at once, kept or taken back later hunk by hunk, and what the person typed
//! into it stays the person's.

mod edited;
mod taken_back;

use serde_json::{Value, json};

use crate::harness::review::Run;
use crate::harness::script::ok;
use crate::harness::{Client, Editor, Script, Workspace};
use crate::main_job::{GREET, NEW, OLD, polite};

const LIST: &str = "one\n-\ntwo\n-\nthree\n";
const DIGITS: &str = "1\n-\n2\n-\n3\n";

/// An editor in which three applied hunks wait to be looked at; the run is over.
fn three_applied(client: Client) -> Editor {
    let script = Script::new()
        .read("list.txt")
        .edits(
            "list.txt",
            &[("one", "1"), ("two", "2"), ("three", "3")],
            ok(),
        )
        .say("Done.");
    let mut editor = Editor::start(
        Workspace::with(&[("list.txt", LIST)]),
        client,
        &script,
        "accept_edits",
    );
    editor.open("list.txt");
    let run = editor.prompt("digits");
    editor.finish_run(&run);
    assert_eq!(
        editor.text("list.txt"),
        DIGITS,
        "applied without a question"
    );
    let hunks = editor.await_hunks("list.txt", 3);
    assert_eq!(
        hunks.iter().map(|hunk| hunk.lines.0).collect::<Vec<_>>(),
        [0, 2, 4]
    );
    editor
}

/// An editor with one applied hunk; the run is over.
fn polite_already(client: Client) -> Editor {
    let script = Script::new()
        .read("greet.py")
        .edit("greet.py", OLD, NEW)
        .say("Done.");
    let mut editor = Editor::start(
        Workspace::with(&[("greet.py", GREET)]),
        client,
        &script,
        "accept_edits",
    );
    editor.open("greet.py");
    let run = editor.prompt("make greet polite");
    editor.finish_run(&run);
    assert_eq!(editor.text("greet.py"), polite());
    editor
}

/// Decides and waits until no hunk is left.
fn decide(editor: &mut Editor, path: &str, command: &str, argument: Value, left: usize) {
    editor.execute(command, argument).expect("decided");
    editor.await_hunks(path, left);
    editor.assert_same(path);
}

#[test]
fn keep_changes_nothing() {
    for client in [Client::bare(), Client::full()] {
        let mut editor = three_applied(client);
        let hunks = editor.hunks("list.txt");
        let seen = editor.applies_seen;
        decide(
            &mut editor,
            "list.txt",
            "mewcode.review.accept",
            json!({"hunk": hunks[1].id}),
            2,
        );
        let uri = editor.uri("list.txt");
        decide(
            &mut editor,
            "list.txt",
            "mewcode.review.accept",
            json!({"uri": uri}),
            0,
        );
        assert_eq!(
            (editor.text("list.txt"), editor.applies_seen),
            (DIGITS, seen)
        );
    }
}

#[test]
fn a_plugin_sees_them_applied() {
    let editor = three_applied(Client::full());
    for hunk in editor.review("list.txt") {
        assert_eq!(
            (&hunk["review"], &hunk["state"]),
            (&json!("after"), &json!("applied"))
        );
        assert_eq!(hunk["newLines"].as_array().map(Vec::len), Some(1));
    }
}

#[test]
fn revert_one_by_one() {
    for client in [Client::bare(), Client::full()] {
        let mut editor = three_applied(client);
        let hunks = editor.hunks("list.txt");
        decide(
            &mut editor,
            "list.txt",
            "mewcode.review.reject",
            json!({"hunk": hunks[1].id}),
            2,
        );
        assert_eq!(editor.text("list.txt"), "1\n-\ntwo\n-\n3\n");
        decide(
            &mut editor,
            "list.txt",
            "mewcode.review.reject",
            json!({"hunk": hunks[0].id}),
            1,
        );
        assert_eq!(editor.text("list.txt"), "one\n-\ntwo\n-\n3\n");
        decide(
            &mut editor,
            "list.txt",
            "mewcode.review.accept",
            json!({"hunk": hunks[2].id}),
            0,
        );
        assert_eq!(editor.text("list.txt"), "one\n-\ntwo\n-\n3\n");
    }
}

#[test]
fn revert_everything() {
    for argument in [json!({"all": true}), Value::Null] {
        let mut editor = three_applied(Client::full());
        let argument = if argument.is_null() {
            json!({"uri": editor.uri("list.txt")})
        } else {
            argument
        };
        decide(
            &mut editor,
            "list.txt",
            "mewcode.review.reject",
            argument,
            0,
        );
        assert_eq!(editor.text("list.txt"), LIST);
        assert_eq!(
            editor.workspace.disk("list.txt"),
            LIST,
            "what was clean is clean again"
        );
    }
}

/// The person types inside the applied hunk, then takes the agent's change back: every character that they typed stays, once, and
/// nothing of the agent's does.
#[test]
fn typing_inside_then_revert() {
    let check = |type_it: &dyn Fn(&mut Editor), kept: &[&str], gone: &[&str]| {
        for client in [Client::bare(), Client::full()] {
            let mut editor = polite_already(client);
            type_it(&mut editor);
            let hunks = editor.await_hunks("greet.py", 1);
            decide(
                &mut editor,
                "greet.py",
                "mewcode.review.reject",
                json!({"hunk": hunks[0].id}),
                0,
            );
            let text = editor.text("greet.py").to_owned();
            for part in kept {
                assert_eq!(text.matches(part).count(), 1, "{part:?} in {text:?}");
            }
            for part in gone {
                assert!(!text.contains(part), "{part:?} in {text:?}");
            }
        }
    };
    check(
        &|editor| editor.insert_after("greet.py", NEW, "  # mine"),
        &["print(\"hi \" + name)", "# mine"],
        &["Good day"],
    );
    check(
        &|editor| editor.insert_after("greet.py", NEW, "\n    return MINE"),
        &["print(\"hi \" + name)\n    return MINE\n"],
        &["Good day"],
    );
    check(
        &|editor| editor.insert_after("greet.py", "Good", "😀MINE"),
        &["😀MINE", "greet(\"you\")"],
        &["Good day"],
    );
    check(
        &|editor| {
            editor.insert_before("greet.py", "def", "# above\n");
            editor.replace("greet.py", "\"you\"", "\"us\"");
        },
        &["# above\n", "print(\"hi \" + name)", "\"us\""],
        &["Good day"],
    );
}

/// A hunk of several lines of which the person changed one.
#[test]
fn typing_inside_a_longer_hunk_then_revert() {
    let old = "a\nb\nc\n";
    let script = Script::new()
        .read("abc.txt")
        .edit("abc.txt", "b\n", "b1\nb2\nb3\n")
        .say("Done.");
    let mut editor = Editor::start(
        Workspace::with(&[("abc.txt", old)]),
        Client::full(),
        &script,
        "accept_edits",
    );
    editor.open("abc.txt");
    let run = editor.prompt("more");
    editor.finish_run(&run);
    editor.insert_after("abc.txt", "b2\n", "MINE\n");
    let hunks = editor.await_hunks("abc.txt", 1);
    decide(
        &mut editor,
        "abc.txt",
        "mewcode.review.reject",
        json!({"hunk": hunks[0].id}),
        0,
    );
    let text = editor.text("abc.txt");
    assert!(
        text == "a\nb\nMINE\nc\n" || text == "a\nMINE\nb\nc\n",
        "{text:?}"
    );
}

/// What the person typed into the hunk is kept with it.
#[test]
fn typing_inside_then_keep() {
    let mut editor = polite_already(Client::full());
    editor.insert_after("greet.py", NEW, "  # mine");
    let hunks = editor.await_hunks("greet.py", 1);
    let text = editor.text("greet.py").to_owned();
    decide(
        &mut editor,
        "greet.py",
        "mewcode.review.accept",
        json!({"hunk": hunks[0].id}),
        0,
    );
    assert_eq!(editor.text("greet.py"), text);
}

/// Taken back by the person's own undo: nothing is left to decide, or deciding changes nothing.
#[test]
fn undone_by_hand() {
    let mut editor = polite_already(Client::bare());
    editor.undo("greet.py");
    assert_eq!(editor.text("greet.py"), GREET);
    // An error says that it is decided already.
    for hunk in editor.pending() {
        let _ = editor.execute("mewcode.review.reject", json!({"hunk": hunk["id"]}));
    }
    editor.await_hunks("greet.py", 0);
    editor.assert_same("greet.py");
    assert_eq!(editor.text("greet.py"), GREET);
}

/// Files that are not open are written at once, and can be taken back on disk.
#[test]
fn closed_and_new_files() {
    let script = Script::new()
        .read("greet.py")
        .edit("greet.py", OLD, NEW)
        .write("new.txt", "fresh\n", ok())
        .say("Done.");
    let mut editor = Editor::start(
        Workspace::with(&[("greet.py", GREET)]),
        Client::full(),
        &script,
        "accept_edits",
    );
    let run = editor.prompt("make greet polite");
    editor.finish_run(&run);
    assert_eq!(editor.workspace.disk("greet.py"), polite());
    assert_eq!(editor.workspace.disk("new.txt"), "fresh\n");
    let hunks = editor.await_hunks("greet.py", 1);
    editor.await_hunks("new.txt", 1);
    editor.reject(&hunks[0]);
    editor.await_hunks("greet.py", 0);
    assert_eq!(editor.workspace.disk("greet.py"), GREET);
    editor
        .execute("mewcode.review.reject", json!({"all": true}))
        .expect("rejected");
    editor.await_hunks("new.txt", 0);
    let left = editor
        .workspace
        .exists("new.txt")
        .then(|| editor.workspace.disk("new.txt"));
    assert!(
        left.is_none_or(|text| text.trim().is_empty()),
        "the agent's text is gone"
    );
}

/// A file that the agent made and the person went on writing in: taking the agent's part back leaves the person's.
#[test]
fn a_new_file_that_the_person_wrote_in() {
    let script = Script::new().write("new.txt", "fresh\n", ok()).say("Done.");
    let mut editor = Editor::start(Workspace::new(), Client::full(), &script, "accept_edits");
    let run = editor.prompt("a new file");
    editor.finish_run(&run);
    editor.open("new.txt");
    editor.insert_after("new.txt", "fresh\n", "MINE\n");
    editor.save("new.txt");
    editor.await_hunks("new.txt", 1);
    decide(
        &mut editor,
        "new.txt",
        "mewcode.review.reject",
        json!({"all": true}),
        0,
    );
    assert_eq!(editor.text("new.txt").trim(), "MINE");
    assert!(editor.workspace.exists("new.txt"));
}

/// Many edits in a row while the person types between and beside them: everything stands once.
#[test]
fn a_long_run_with_typing() {
    const COUNT: usize = 60;
    let text: String = (0..COUNT)
        .map(|line| format!("line {line:02} anchor-{line:02}.\n"))
        .collect();
    for client in [Client::bare(), Client::full(), Client::neovim()] {
        let held = client.echo == crate::harness::Echo::Held;
        let mut script = Script::new();
        for line in 0..COUNT {
            script = script.read("lines.txt").edit(
                "lines.txt",
                &format!("anchor-{line:02}."),
                &format!("agent-{line:02}."),
            );
        }
        let script = script.say("Done.");
        let mut editor = Editor::start(
            Workspace::with(&[("lines.txt", &text)]),
            client,
            &script,
            "accept_edits",
        );
        editor.open("lines.txt");
        let run = editor.prompt("all of them");
        let mut typed = 0;
        editor.until("the end of the run", |editor| {
            let done = editor.applies_seen;
            if typed < done.min(COUNT) {
                // In a line that the agent has just changed, and before any text at all.
                let line = format!("agent-{typed:02}.");
                if editor.text("lines.txt").contains(&line) {
                    editor.insert_after("lines.txt", &line, &format!(" <user-{typed:02}>"));
                    editor.change("lines.txt", 0..0, &format!("<top-{typed:02}>\n"));
                    typed += 1;
                }
            }
            if held {
                editor.flush("lines.txt");
            }
            let over = editor
                .events()
                .iter()
                .any(|event| event["event"]["kind"] == "run_ended");
            over.then_some(())
        });
        finish_long_run(&mut editor, &run, typed, COUNT);
    }
}

fn finish_long_run(editor: &mut Editor, run: &Run, typed: usize, count: usize) {
    editor.flush("lines.txt");
    editor.finish_run(run);
    let text = editor.text("lines.txt").to_owned();
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with("<top-"))
        .collect();
    assert_eq!(lines.len(), count);
    for (number, line) in lines.iter().enumerate() {
        let user = if number < typed {
            format!(" <user-{number:02}>")
        } else {
            String::new()
        };
        assert_eq!(*line, format!("line {number:02} agent-{number:02}.{user}"));
    }
    for number in 0..typed {
        assert_eq!(text.matches(&format!("<top-{number:02}>\n")).count(), 1);
    }
    assert!(typed > count / 2, "the person typed meanwhile: {typed}");
    assert!(editor.same("lines.txt"));
}
