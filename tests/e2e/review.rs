//! Review before the change: accepting, rejecting, some of each, with the person typing, closing, renaming and reloading meanwhile.
//! Whatever happens, the person's text survives.

use std::fs;

use serde_json::json;

use crate::harness::script::{failed, ok, rejected};
use crate::harness::{Client, Editor, Reply, Script, Workspace};
use crate::main_job::{GREET, NEW, OLD, greeting, greeting_expecting, polite};

const LIST: &str = "one\n-\ntwo\n-\nthree\n";

/// An editor with a list open and three hunks in it.
fn three_hunks(client: Client, expect: serde_json::Value) -> (Editor, crate::harness::review::Run) {
    let script = Script::new()
        .read("list.txt")
        .edits(
            "list.txt",
            &[("one", "1"), ("two", "2"), ("three", "3")],
            expect,
        )
        .say("Done.");
    let mut editor = Editor::start(
        Workspace::with(&[("list.txt", LIST)]),
        client,
        &script,
        "default",
    );
    editor.open("list.txt");
    let run = editor.prompt("digits");
    editor.await_hunks("list.txt", 3);
    (editor, run)
}

#[test]
fn reject() {
    for client in [Client::bare(), Client::full()] {
        let mut editor = greeting_expecting(client, rejected());
        let run = editor.prompt("make greet polite");
        let hunks = editor.await_hunks("greet.py", 1);
        editor.reject(&hunks[0]);
        let call = editor.await_call("edit_file");
        assert_eq!(
            (call.status().as_str(), call.files()),
            ("denied/rejected_by_user", 0)
        );
        editor.await_hunks("greet.py", 0);
        editor.finish_run(&run);
        assert_eq!((editor.text("greet.py"), editor.applies_seen), (GREET, 0));
        editor.assert_same("greet.py");
    }
}

#[test]
fn reject_with_a_word_to_the_model() {
    let expect =
        json!({"status": "denied", "error_kind": "rejected_by_user", "contains": "keep it short"});
    let mut editor = greeting_expecting(Client::bare(), expect);
    let run = editor.prompt("make greet polite");
    let hunks = editor.await_hunks("greet.py", 1);
    let argument = json!({"hunk": hunks[0].id, "feedback": "keep it short"});
    editor
        .execute("mewcode.review.reject", argument)
        .expect("a hunk is rejected");
    editor.finish_run(&run);
    assert_eq!(editor.text("greet.py"), GREET);
}

/// Some hunks accepted, some rejected, in any order: the call is ok, names the rejected ones, and its diff is what landed.
#[test]
fn accept_some() {
    let check = |client: Client, decisions: &[(usize, bool)], after: &str| {
        let (mut editor, run) = three_hunks(client, json!({"status": "ok", "contains": "reject"}));
        let hunks = editor.hunks("list.txt");
        for (at, accept) in decisions {
            if *accept {
                editor.accept(&hunks[*at]);
            } else {
                editor.reject(&hunks[*at]);
            }
        }
        let call = editor.await_call("edit_file");
        assert_eq!(call.status(), "ok");
        let diff = call.file("list.txt")["diff"]
            .as_str()
            .expect("a diff")
            .to_owned();
        for (line, digit) in [("one", "1"), ("two", "2"), ("three", "3")] {
            let landed = after.contains(digit);
            assert_eq!(diff.contains(&format!("+{digit}\n")), landed, "{diff}");
            assert_eq!(diff.contains(&format!("-{line}\n")), landed, "{diff}");
        }
        editor.finish_run(&run);
        assert_eq!(editor.text("list.txt"), after);
        editor.await_hunks("list.txt", 0);
        editor.assert_same("list.txt");
    };
    for client in [Client::bare(), Client::full()] {
        check(
            client.clone(),
            &[(0, true), (1, false), (2, true)],
            "1\n-\ntwo\n-\n3\n",
        );
        check(
            client.clone(),
            &[(2, true), (0, false), (1, false)],
            "one\n-\ntwo\n-\n3\n",
        );
        check(
            client,
            &[(1, false), (2, false), (0, true)],
            "1\n-\ntwo\n-\nthree\n",
        );
    }
}

#[test]
fn accept_and_reject_a_whole_file_and_everything() {
    let check = |command: &str,
                 argument: &dyn Fn(&Editor) -> serde_json::Value,
                 after: &str,
                 expect: serde_json::Value| {
        let (mut editor, run) = three_hunks(Client::full(), expect);
        let argument = argument(&editor);
        editor
            .execute(command, argument)
            .expect("all hunks are decided");
        editor.finish_run(&run);
        assert_eq!(editor.text("list.txt"), after);
        editor.await_hunks("list.txt", 0);
        editor.assert_same("list.txt");
    };
    let digits = "1\n-\n2\n-\n3\n";
    check(
        "mewcode.review.accept",
        &|editor| json!({"uri": editor.uri("list.txt")}),
        digits,
        ok(),
    );
    check(
        "mewcode.review.accept",
        &|_| json!({"all": true}),
        digits,
        ok(),
    );
    check(
        "mewcode.review.reject",
        &|editor| json!({"uri": editor.uri("list.txt")}),
        LIST,
        rejected(),
    );
    check(
        "mewcode.review.reject",
        &|_| json!({"all": true}),
        LIST,
        rejected(),
    );
}

/// One decided hunk leaves the others standing where they are, and typing between decisions carries them.
#[test]
fn typing_between_decisions() {
    let (mut editor, run) = three_hunks(Client::full(), ok());
    for (count, (line, typed)) in [("one", "- a"), ("two", "- b"), ("three", "- c")]
        .into_iter()
        .enumerate()
    {
        editor.change("list.txt", 0..0, &format!("{typed}\n"));
        let hunks = editor.await_hunks("list.txt", 3 - count);
        editor.accept(&hunks[0]);
        editor.until("the text without the line", |editor| {
            (!editor.text("list.txt").contains(line)).then_some(())
        });
    }
    editor.finish_run(&run);
    assert_eq!(editor.text("list.txt"), "- c\n- b\n- a\n1\n-\n2\n-\n3\n");
    editor.assert_same("list.txt");
}

/// Two accepts before the first has landed, and the same hunk accepted twice.
#[test]
fn hasty_accepts() {
    let (mut editor, run) = three_hunks(Client::bare(), ok());
    let hunks = editor.hunks("list.txt");
    let ids: Vec<i64> = hunks
        .iter()
        .chain(&hunks[..1])
        .map(|hunk| {
            let params =
                json!({"command": "mewcode.review.accept", "arguments": [{"hunk": hunk.id}]});
            editor.server.request("workspace/executeCommand", params)
        })
        .collect();
    for id in &ids[..3] {
        editor.answer(*id).expect("accepted");
    }
    // Accepted once more: told that it is decided, or taken as the same wish; never applied twice.
    let _ = editor.answer(ids[3]);
    editor.finish_run(&run);
    assert_eq!(editor.text("list.txt"), "1\n-\n2\n-\n3\n");
    editor.assert_same("list.txt");
}

/// The person types inside the hunk while its edit is on the way, before and after it arrives.
#[test]
fn accept_while_typing_inside_the_hunk() {
    for client in [Client::bare(), Client::full()] {
        let mut editor =
            greeting_expecting(client.clone().reply(Reply::ByHand), failed("stale_file"));
        let run = editor.prompt("make greet polite");
        let hunks = editor.await_hunks("greet.py", 1);
        editor.accept(&hunks[0]);
        let apply = editor.await_apply();
        editor.insert_after("greet.py", OLD, "  # mine");
        editor.carry_out(&apply);
        assert_eq!(editor.await_call("edit_file").status(), "failed/stale_file");
        editor.finish_run(&run);
        assert_eq!(
            editor.text("greet.py"),
            GREET.replace(OLD, &format!("{OLD}  # mine"))
        );
        editor.assert_same("greet.py");

        let mut editor = greeting(client.reply(Reply::ByHand));
        let run = editor.prompt("make greet polite");
        let hunks = editor.await_hunks("greet.py", 1);
        editor.accept(&hunks[0]);
        let apply = editor.await_apply();
        editor.carry_out(&apply);
        editor.insert_after("greet.py", NEW, "  # mine");
        assert_eq!(editor.await_call("edit_file").status(), "ok");
        editor.finish_run(&run);
        assert_eq!(
            editor.text("greet.py"),
            GREET.replace(OLD, &format!("{NEW}  # mine"))
        );
        editor.flush("greet.py");
        assert!(editor.same("greet.py"));
    }
}

#[test]
fn closed_and_accepted_it_goes_to_disk() {
    for client in [Client::bare(), Client::full()] {
        let mut editor = greeting(client);
        let run = editor.prompt("make greet polite");
        editor.await_hunks("greet.py", 1);
        editor.close("greet.py");
        editor.settle();
        let hunks = editor.await_hunks("greet.py", 1);
        editor.accept(&hunks[0]);
        assert_eq!(editor.await_call("edit_file").status(), "ok");
        editor.finish_run(&run);
        assert_eq!(editor.workspace.disk("greet.py"), polite());
        assert_eq!(
            editor.applies_seen, 0,
            "the editor is not asked for a file that it does not have open"
        );
    }
}

/// Closed without saving: the person dropped their own change, so the proposal meets the disk's text.
#[test]
fn closed_without_saving() {
    let mut editor = greeting(Client::full());
    let run = editor.prompt("make greet polite");
    editor.await_hunks("greet.py", 1);
    editor.insert_before("greet.py", "def", "# dropped\n");
    editor.close("greet.py");
    let hunks = editor.await_hunks("greet.py", 1);
    editor.accept(&hunks[0]);
    editor.finish_run(&run);
    assert_eq!(editor.workspace.disk("greet.py"), polite());
}

#[test]
fn reloaded_it_stays_and_lands() {
    let mut editor = greeting(Client::full());
    let run = editor.prompt("make greet polite");
    editor.await_hunks("greet.py", 1);
    editor.insert_before("greet.py", "def", "# dropped by :e!\n");
    editor
        .workspace
        .write("greet.py", format!("# from outside\n{GREET}"));
    editor.reload("greet.py");
    let hunks = editor.until("the hunk two lines down", |editor| {
        let hunks = editor.hunks("greet.py");
        (hunks.len() == 1 && hunks[0].lines.0 == 2).then_some(hunks)
    });
    editor.accept(&hunks[0]);
    editor.finish_run(&run);
    assert_eq!(
        editor.text("greet.py"),
        format!("# from outside\n{}", polite())
    );
    editor.assert_same("greet.py");
}

/// A file that is not open changes on disk while its hunk waits.
#[test]
fn an_external_change() {
    let check = |from: &str, to: &str, status: &str| {
        let expect = match status.split_once('/') {
            Some((status, kind)) => json!({"status": status, "error_kind": kind}),
            None => json!({"status": status}),
        };
        let script = Script::new()
            .read("greet.py")
            .edit_expecting("greet.py", OLD, NEW, expect)
            .say("Done.");
        let mut editor = Editor::start(
            Workspace::with(&[("greet.py", GREET)]),
            Client::full(),
            &script,
            "default",
        );
        let run = editor.prompt("make greet polite");
        let hunks = editor.await_hunks("greet.py", 1);
        let theirs = GREET.replace(from, to);
        editor.workspace.write("greet.py", &theirs);
        let uri = editor.uri("greet.py");
        editor.server.notify(
            "workspace/didChangeWatchedFiles",
            json!({"changes": [{"uri": uri, "type": 2}]}),
        );
        editor.accept(&hunks[0]);
        assert_eq!(editor.await_call("edit_file").status(), status);
        editor.finish_run(&run);
        let expected = if status == "ok" {
            theirs.replace(OLD, NEW)
        } else {
            theirs
        };
        assert_eq!(editor.workspace.disk("greet.py"), expected);
    };
    check("def ", "# above\ndef ", "ok");
    check("hi ", "hello ", "failed/stale_file");
}

/// A dirty buffer over a file that changes on disk: the buffer is the truth, and the disk's change is not overwritten by us.
#[test]
fn an_external_change_under_a_dirty_buffer() {
    let mut editor = greeting(Client::full());
    editor.insert_before("greet.py", "def", "# unsaved\n");
    let run = editor.prompt("make greet polite");
    let hunks = editor.await_hunks("greet.py", 1);
    editor.workspace.write("greet.py", "somebody else's\n");
    let uri = editor.uri("greet.py");
    editor.server.notify(
        "workspace/didChangeWatchedFiles",
        json!({"changes": [{"uri": uri, "type": 2}]}),
    );
    editor.accept(&hunks[0]);
    editor.finish_run(&run);
    assert_eq!(editor.text("greet.py"), format!("# unsaved\n{}", polite()));
    assert_eq!(editor.workspace.disk("greet.py"), "somebody else's\n");
    assert!(editor.same("greet.py"));
}

/// The file is renamed under its pending hunk. The old name must not come back to life with half of the text.
#[test]
fn a_rename() {
    let script = Script::new()
        .read("greet.py")
        .edit_expecting("greet.py", OLD, NEW, json!({"status": "failed"}))
        .say("Never mind.");
    let mut editor = Editor::start(
        Workspace::with(&[("greet.py", GREET)]),
        Client::full(),
        &script,
        "default",
    );
    editor.open("greet.py");
    let run = editor.prompt("make greet polite");
    let hunks = editor.await_hunks("greet.py", 1);
    editor.close("greet.py");
    fs::rename(
        editor.workspace.path("greet.py"),
        editor.workspace.path("hello.py"),
    )
    .expect("renamed");
    editor.open("hello.py");
    editor.insert_before("hello.py", "def", "# renamed\n");
    editor.accept(&hunks[0]);
    editor.finish_run(&run);
    assert!(
        !editor.workspace.exists("greet.py"),
        "the old name stays gone"
    );
    assert_eq!(editor.text("hello.py"), format!("# renamed\n{GREET}"));
    editor.flush("hello.py");
    assert!(editor.same("hello.py"));
}

/// A proposal for a file that is not open: seen, and written to disk when accepted.
#[test]
fn a_closed_file() {
    for (accept, expect) in [(true, ok()), (false, rejected())] {
        let script = Script::new()
            .read("greet.py")
            .edit_expecting("greet.py", OLD, NEW, expect)
            .say("Done.");
        let mut editor = Editor::start(
            Workspace::with(&[("greet.py", GREET)]),
            Client::bare(),
            &script,
            "default",
        );
        let run = editor.prompt("make greet polite");
        let hunks = editor.await_hunks("greet.py", 1);
        assert_eq!(hunks[0].lines.0, 1);
        if accept {
            editor.accept(&hunks[0]);
        } else {
            editor.reject(&hunks[0]);
        }
        editor.finish_run(&run);
        editor.await_hunks("greet.py", 0);
        assert_eq!(
            editor.workspace.disk("greet.py"),
            if accept { polite() } else { GREET.to_owned() }
        );
    }
}

/// A file that does not exist yet, with a folder that does not either.
#[test]
fn a_new_file() {
    for (accept, expect) in [(true, ok()), (false, rejected())] {
        let script = Script::new()
            .write("src/new.txt", "fresh\n", expect)
            .say("Done.");
        let mut editor = Editor::start(Workspace::new(), Client::full(), &script, "default");
        let run = editor.prompt("a new file");
        let hunks = editor.await_hunks("src/new.txt", 1);
        assert!(
            !editor.workspace.exists("src"),
            "nothing is made before the decision"
        );
        if accept {
            editor.accept(&hunks[0]);
        } else {
            editor.reject(&hunks[0]);
        }
        editor.finish_run(&run);
        assert_eq!(editor.workspace.exists("src/new.txt"), accept);
        if accept {
            assert_eq!(editor.workspace.disk("src/new.txt"), "fresh\n");
        }
    }
}

/// Somebody makes the file while its creation waits: theirs is not overwritten.
#[test]
fn a_new_file_that_somebody_else_makes() {
    let script = Script::new()
        .write("new.txt", "fresh\n", failed("stale_file"))
        .say("Never mind.");
    let mut editor = Editor::start(Workspace::new(), Client::bare(), &script, "default");
    let run = editor.prompt("a new file");
    let hunks = editor.await_hunks("new.txt", 1);
    editor.workspace.write("new.txt", "theirs\n");
    editor.accept(&hunks[0]);
    editor.finish_run(&run);
    assert_eq!(editor.told_about_failure, 1);
    assert_eq!(editor.workspace.disk("new.txt"), "theirs\n");
}

/// Undo takes the agent's edit back as one step and what was typed before and after it is there.
#[test]
fn undo_after_accept() {
    for client in [Client::bare(), Client::full()] {
        let mut editor = greeting(client);
        editor.insert_before("greet.py", "def", "# typed before\n");
        let run = editor.prompt("make greet polite");
        let hunks = editor.await_hunks("greet.py", 1);
        editor.accept(&hunks[0]);
        editor.finish_run(&run);
        editor.insert_before("greet.py", "greet(\"you\")", "# typed after\n");
        let both = editor.text("greet.py").to_owned();
        editor.undo("greet.py");
        editor.undo("greet.py");
        assert_eq!(editor.text("greet.py"), format!("# typed before\n{GREET}"));
        assert!(editor.same("greet.py"));
        assert!(
            both.contains("# typed before") && both.contains("# typed after") && both.contains(NEW)
        );
        editor.settle();
        assert_eq!(
            editor.hunks("greet.py"),
            [],
            "an undone edit is not proposed again"
        );
    }
}
