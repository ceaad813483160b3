//! Stale edits: the person changes the text between the look, the proposal and the acceptance. In the region nothing may be applied,
//! elsewhere the hunk moves along.

use serde_json::json;

use crate::harness::script::{failed, ok};
use crate::harness::{Client, Editor, Script, Workspace, buffer::sha256};
use crate::main_job::{GREET, NEW, OLD, greeting, greeting_expecting};

/// The person makes `theirs` of the text while the hunk waits; then it is accepted and refused, with both hashes on record.
fn check_refused(client: Client, change: impl Fn(&mut Editor)) {
    let plugin = client.has("review");
    let mut editor = greeting_expecting(client, failed("stale_file"));
    let run = editor.prompt("make greet polite");
    let hunks = editor.await_hunks("greet.py", 1);
    change(&mut editor);
    let theirs = editor.text("greet.py").to_owned();
    if plugin {
        editor.await_state("greet.py", "conflicted");
    }
    editor.accept(&hunks[0]);
    let call = editor.await_call("edit_file");
    assert_eq!(
        (call.status().as_str(), call.files()),
        ("failed/stale_file", 0)
    );
    assert_eq!(editor.text("greet.py"), theirs, "nothing changes");
    assert_eq!(editor.applies_seen, 0, "nothing was even tried");
    editor.finish_run(&run);
    editor.await_hunks("greet.py", 0);
    editor.assert_same("greet.py");
    let logs = editor.workspace.logs();
    for hash in [sha256(GREET), sha256(&theirs)] {
        assert!(
            logs.contains(&hash),
            "the record names the hash {hash}: {logs}"
        );
    }
}

#[test]
fn a_change_of_the_same_line() {
    for client in [Client::bare(), Client::full()] {
        check_refused(client, |editor| editor.replace("greet.py", "hi ", "hello "));
    }
}

#[test]
fn a_change_beside_the_words_on_the_same_line() {
    check_refused(Client::bare(), |editor| {
        editor.insert_after("greet.py", OLD, "  # mine")
    });
}

#[test]
fn the_removal_of_the_line() {
    check_refused(Client::full(), |editor| {
        editor.replace("greet.py", &format!("{OLD}\n"), "")
    });
}

#[test]
fn a_replacement_of_the_whole_text() {
    check_refused(Client::bare(), |editor| {
        let all = 0..editor.text("greet.py").len();
        editor.change("greet.py", all, "nothing is left\n");
    });
}

/// The person changes something else: the hunk lands, and both stand.
fn check_carried(client: Client, line: u64, change: impl Fn(&mut Editor)) {
    let mut editor = greeting(client);
    let run = editor.prompt("make greet polite");
    editor.await_hunks("greet.py", 1);
    change(&mut editor);
    let expected = editor.text("greet.py").replace(OLD, NEW);
    let hunks = editor.until("the hunk at its new place", |editor| {
        let hunks = editor.hunks("greet.py");
        (hunks.len() == 1 && hunks[0].lines.0 == line).then_some(hunks)
    });
    editor.accept(&hunks[0]);
    let call = editor.await_call("edit_file");
    assert_eq!(call.status(), "ok");
    assert_eq!(editor.text("greet.py"), expected);
    assert_eq!(call.file("greet.py")["sha256_after"], sha256(&expected));
    editor.finish_run(&run);
    editor.assert_same("greet.py");
}

#[test]
fn changes_elsewhere_carry_the_hunk_along() {
    for client in [Client::bare(), Client::full()] {
        check_carried(client.clone(), 3, |editor| {
            editor.change("greet.py", 0..0, "#!/usr/bin/python\n# 😀\n")
        });
        check_carried(client.clone(), 1, |editor| {
            editor.replace("greet.py", "\"you\"", "\"them\"")
        });
        check_carried(client.clone(), 1, |editor| {
            editor.replace("greet.py", "greet(name)", "greet(name, mood)")
        });
        // Directly after the last line of the hunk, and directly before its first.
        check_carried(client.clone(), 1, |editor| {
            editor.insert_after("greet.py", OLD, "\n    return name")
        });
        check_carried(client, 2, |editor| {
            editor.insert_before("greet.py", OLD, "    name = str(name)\n")
        });
    }
}

/// An insertion and the person's insertion at the same boundary: nobody can know the order.
#[test]
fn two_insertions_at_one_place() {
    let script = Script::new()
        .read("list.txt")
        .edit_expecting("list.txt", "one\n", "one\nagent\n", failed("stale_file"))
        .say("Never mind.");
    let mut editor = Editor::start(
        Workspace::with(&[("list.txt", "one\ntwo\n")]),
        Client::full(),
        &script,
        "default",
    );
    editor.open("list.txt");
    let run = editor.prompt("insert");
    let hunks = editor.await_hunks("list.txt", 1);
    editor.insert_after("list.txt", "one\n", "user\n");
    editor.await_state("list.txt", "conflicted");
    editor.accept(&hunks[0]);
    editor.finish_run(&run);
    assert_eq!(editor.text("list.txt"), "one\nuser\ntwo\n");
}

/// A conflicted hunk offers mine, the agent's, or both.
#[test]
fn a_conflict_is_the_person_s_to_decide() {
    let check = |take: &str, expect: serde_json::Value, wanted: &dyn Fn(&str) -> bool| {
        let mut editor = greeting_expecting(Client::full(), expect);
        let run = editor.prompt("make greet polite");
        editor.await_hunks("greet.py", 1);
        editor.replace("greet.py", "hi ", "hello ");
        let hunk = editor.await_state("greet.py", "conflicted");
        let titles: Vec<String> = editor
            .code_actions("greet.py", 1, None)
            .iter()
            .map(|action| action["title"].as_str().unwrap_or_default().to_lowercase())
            .collect();
        for choice in ["mine", "agent", "both"] {
            assert!(
                titles.iter().any(|title| title.contains(choice)),
                "{choice} is not offered: {titles:?}"
            );
        }
        let choices: Vec<_> = editor
            .lenses("greet.py")
            .iter()
            .map(|lens| lens["command"]["arguments"][0]["take"].clone())
            .collect();
        assert_eq!(
            choices,
            [json!("mine"), json!("agent"), json!("both"), json!(null)]
        );
        let id = hunk["id"].clone();
        editor
            .execute("mewcode.review.accept", json!({"hunk": id, "take": take}))
            .expect("a choice is taken");
        editor.finish_run(&run);
        assert!(
            wanted(editor.text("greet.py")),
            "{take}: {:?}",
            editor.text("greet.py")
        );
        editor.assert_same("greet.py");
        editor.await_hunks("greet.py", 0);
    };
    let theirs = OLD.replace("hi ", "hello ");
    let has = |text: &str, part: &str| text.matches(part).count() == 1;
    check("mine", json!({"status": "denied"}), &|text| {
        has(text, &theirs) && !text.contains(NEW)
    });
    check("agent", ok(), &|text| {
        has(text, NEW) && !text.contains(&theirs)
    });
    check("both", ok(), &|text| has(text, NEW) && has(text, &theirs));
}

/// The text moves on between the model's look and its edit: in the region the edit is refused until the model looks again.
#[test]
fn a_change_between_the_look_and_the_edit() {
    let script = Script::new()
        .read("greet.py")
        .edit_expecting(
            "gate.txt",
            "closed",
            "open",
            json!({"status": "failed", "error_kind": "not_read"}),
        )
        .read("gate.txt")
        // The person decides about this one after having changed the other file.
        .edit("gate.txt", "closed", "open")
        .edit_expecting("greet.py", OLD, NEW, failed("stale_file"))
        .edit("greet.py", "greet(\"you\")", "greet(\"us\")")
        .read("greet.py")
        .edit("greet.py", OLD, NEW)
        .say("Done.");
    let files = [("greet.py", GREET), ("gate.txt", "closed\n")];
    let mut editor = Editor::start(Workspace::with(&files), Client::bare(), &script, "default");
    editor.open("greet.py");
    editor.open("gate.txt");
    let run = editor.prompt("go");
    let gate = editor.await_hunks("gate.txt", 1);
    editor.insert_after("greet.py", OLD, "  # mine");
    editor.accept(&gate[0]);
    let first = editor.await_hunks("greet.py", 1).remove(0);
    editor.accept(&first);
    let second = editor.await_next_hunk("greet.py", &first);
    editor.accept(&second);
    editor.await_hunks("greet.py", 0);
    editor.finish_run(&run);
    let expected = GREET
        .replace(OLD, &format!("{NEW}  # mine"))
        .replace("\"you\"", "\"us\"");
    assert_eq!(editor.text("greet.py"), expected);
    editor.assert_same("greet.py");
}

/// Accepting many hunks at once decides nothing about those that conflict: whose lines stand there is asked for each.
#[test]
fn accepting_all_leaves_conflicts_to_the_person() {
    for client in [Client::bare(), Client::full()] {
        let plugin = client.has("review");
        let script = Script::new()
            .read("list.txt")
            .edits(
                "list.txt",
                &[("one", "1"), ("two", "2"), ("three", "3")],
                ok(),
            )
            .say("Done.");
        let workspace = Workspace::with(&[("list.txt", "one\n-\ntwo\n-\nthree\n")]);
        let mut editor = Editor::start(workspace, client, &script, "default");
        editor.open("list.txt");
        let run = editor.prompt("digits");
        let hunks = editor.await_hunks("list.txt", 3);
        editor.replace("list.txt", "two", "two!");
        editor.settle();
        let decided = editor
            .execute("mewcode.review.accept", json!({"all": true}))
            .expect("accepted");
        assert_eq!(decided, json!({"hunks": 2, "conflicts": 1}));
        if !plugin {
            editor.await_message("conflicts with yours and waits");
        }
        let left = editor.await_hunks("list.txt", 1).remove(0);
        assert_eq!(left.id, hunks[1].id);
        assert_eq!(editor.text("list.txt"), "1\n-\ntwo!\n-\n3\n");
        editor
            .execute(
                "mewcode.review.accept",
                json!({"hunk": left.id, "take": "agent"}),
            )
            .expect("chosen");
        editor.finish_run(&run);
        assert_eq!(editor.text("list.txt"), "1\n-\n2\n-\n3\n");
        editor.assert_same("list.txt");
    }
}
