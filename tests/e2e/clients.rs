//! Clients that keep to the protocol in their own ways, and clients that lie: whatever they answer and whenever their changes come,
//! the call ends right, nothing is applied twice, and nothing hangs.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::harness::script::{failed, ok};
use crate::harness::{Checking, Client, Echo, Editor, PATIENCE, Reply, Script, Sync, Workspace};
use crate::main_job::{GREET, NEW, OLD, greeting, greeting_expecting, polite};

/// Accepts the hunk and waits for the end of the call, which must be as given, with this text at the end.
fn check(client: Client, status: &str, expected: &str) {
    let label = format!("{client:?}");
    let expect = match status.split_once('/') {
        Some((status, kind)) => json!({"status": status, "error_kind": kind}),
        None => json!({"status": status}),
    };
    let mut editor = greeting_expecting(client, expect);
    let run = editor.prompt("make greet polite");
    let hunks = editor.await_hunks("greet.py", 1);
    let asked = Instant::now();
    editor.accept(&hunks[0]);
    let call = editor.await_call("edit_file");
    assert_eq!(call.status(), status, "{label}");
    // Three tries of five seconds, and room for a busy machine.
    assert!(asked.elapsed() < Duration::from_secs(20), "{label}");
    assert_eq!(editor.text("greet.py"), expected, "{label}");
    assert!(
        (1..=3).contains(&editor.applies_seen),
        "{label}: {} requests",
        editor.applies_seen
    );
    editor.finish_run(&run);
    editor.await_hunks("greet.py", 0);
    assert!(editor.same("greet.py"), "{label}");
}

#[test]
fn changes_before_and_after_the_reply_and_in_three() {
    let echoes = [
        Echo::Before,
        Echo::After,
        Echo::Three(0),
        Echo::Three(1),
        Echo::Three(2),
        Echo::Three(3),
    ];
    for echo in echoes {
        for sync in [Sync::Incremental, Sync::Full] {
            check(Client::bare().echo(echo).sync(sync), "ok", &polite());
        }
        check(
            Client::bare().echo(echo).checking(Checking::Never),
            "ok",
            &polite(),
        );
    }
}

#[test]
fn an_edit_of_three_places_split_in_three() {
    let text = "one\n-\ntwo\n-\nthree\n";
    for reply_at in 0..=3 {
        let script = Script::new()
            .read("list.txt")
            .edits(
                "list.txt",
                &[("one", "1"), ("two", "2"), ("three", "3")],
                ok(),
            )
            .say("Done.");
        let client = Client::bare().echo(Echo::Three(reply_at));
        let mut editor = Editor::start(
            Workspace::with(&[("list.txt", text)]),
            client,
            &script,
            "default",
        );
        editor.open("list.txt");
        let run = editor.prompt("digits");
        editor.await_hunks("list.txt", 3);
        editor
            .accept_file("list.txt")
            .expect("the file is accepted");
        editor.finish_run(&run);
        assert_eq!(editor.text("list.txt"), "1\n-\n2\n-\n3\n");
        editor.assert_same("list.txt");
    }
}

#[test]
fn says_true_and_does_nothing() {
    check(
        Client::bare().reply(Reply::TrueButNothing),
        "failed/unavailable",
        GREET,
    );
}

#[test]
fn says_true_to_a_hashed_edit_and_does_nothing() {
    check(
        Client::full().reply(Reply::TrueButNothing),
        "failed/unavailable",
        GREET,
    );
}

#[test]
fn says_false() {
    for client in [Client::bare(), Client::full()] {
        check(client.reply(Reply::Refuses), "failed/unavailable", GREET);
    }
}

#[test]
fn never_answers_and_does_nothing() {
    check(
        Client::bare().reply(Reply::NeverAndNothing),
        "failed/timed_out",
        GREET,
    );
}

#[test]
fn never_answers_a_hashed_edit() {
    check(
        Client::full().reply(Reply::NeverAndNothing),
        "failed/timed_out",
        GREET,
    );
}

#[test]
fn never_answers_but_applies() {
    check(
        Client::bare().reply(Reply::NeverButApplies),
        "ok",
        &polite(),
    );
}

/// Keystrokes that the server has not seen when its edit arrives, in an editor that sends late. `before` and `after` are what the
/// person does before and after the edit arrives; then everything is sent.
fn check_late(client: Client, before: impl Fn(&mut Editor), after: impl Fn(&mut Editor)) -> Editor {
    let mut editor = greeting(client.reply(Reply::ByHand).echo(Echo::Held));
    let run = editor.prompt("make greet polite");
    let hunks = editor.await_hunks("greet.py", 1);
    editor.accept(&hunks[0]);
    let apply = editor.await_apply();
    before(&mut editor);
    editor.carry_out(&apply);
    after(&mut editor);
    editor.flush("greet.py");
    // Whatever was skipped is sent again, for the text as it is now.
    editor.client.reply = Reply::Honest;
    let seen = editor.applies_seen;
    editor.until("the end of the call", |editor| {
        if editor.applies_seen > seen {
            editor.flush("greet.py");
        }
        let events = editor.events();
        events
            .iter()
            .any(|event| {
                event["event"]["kind"] == "call_ended" && event["event"]["tool"] == "edit_file"
            })
            .then_some(())
    });
    assert_eq!(editor.await_call("edit_file").status(), "ok");
    editor.finish_run(&run);
    editor.assert_same("greet.py");
    editor
}

#[test]
fn keystrokes_after_the_edit_in_one_notification() {
    for client in [
        Client::neovim(),
        Client::bare(),
        Client::bare().sync(Sync::Full),
    ] {
        let editor = check_late(
            client.clone(),
            |_| {},
            |editor| editor.insert_after("greet.py", NEW, "  # mine"),
        );
        assert_eq!(
            editor.text("greet.py"),
            GREET.replace(OLD, &format!("{NEW}  # mine"))
        );
        assert_eq!(
            editor.applies_seen, 1,
            "an edit mixed with a keystroke is never applied twice"
        );
        // In the middle of the line, in the words between the changed ones.
        let editor = check_late(
            client.clone(),
            |_| {},
            |editor| editor.replace("greet.py", "\" + name)", "!\" + name)"),
        );
        assert_eq!(
            editor.text("greet.py"),
            GREET.replace(OLD, "    print(\"Good day, !\" + name)")
        );
        let editor = check_late(
            client,
            |_| {},
            |editor| editor.insert_before("greet.py", "def", "# above\n"),
        );
        assert_eq!(editor.text("greet.py"), format!("# above\n{}", polite()));
    }
}

#[test]
fn keystrokes_before_the_edit_make_neovim_skip_it() {
    // Also for version 0, which Neovim itself would never check.
    for first_version in [0, 1] {
        let client = Client {
            first_version,
            ..Client::neovim()
        };
        let editor = check_late(
            client.clone(),
            |editor| editor.insert_before("greet.py", "def", "# above\n"),
            |_| {},
        );
        assert_eq!(editor.text("greet.py"), format!("# above\n{}", polite()));
        assert_eq!(editor.applies_seen, 2);
        let editor = check_late(
            client,
            |editor| editor.replace("greet.py", "\"you\"", "\"us\""),
            |_| {},
        );
        assert_eq!(
            editor.text("greet.py"),
            polite().replace("\"you\"", "\"us\"")
        );
    }
}

#[test]
fn keystrokes_before_the_edit_make_a_strict_client_refuse_it() {
    let editor = check_late(
        Client::bare(),
        |editor| editor.insert_before("greet.py", "def", "# above\n"),
        |_| {},
    );
    assert_eq!(editor.text("greet.py"), format!("# above\n{}", polite()));
}

#[test]
fn keystrokes_before_a_hashed_edit_are_sent_along_with_the_refusal() {
    let editor = check_late(
        Client::full(),
        |editor| editor.insert_before("greet.py", "def", "# above\n"),
        |_| {},
    );
    assert_eq!(editor.text("greet.py"), format!("# above\n{}", polite()));
    assert_eq!(editor.applies_seen, 2);
}

/// Who types on and on makes no pause: what was refused as stale is sent again in the midst of the keys.
#[test]
fn a_refused_edit_waits_for_no_pause_in_the_typing() {
    let mut editor = greeting(Client::full().reply(Reply::ByHand));
    let run = editor.prompt("make greet polite");
    let hunks = editor.await_hunks("greet.py", 1);
    editor.accept(&hunks[0]);
    let apply = editor.await_apply();
    let (mut keys, deadline) = (0, Instant::now() + PATIENCE);
    let mut key = |editor: &mut Editor| {
        editor.insert_before("greet.py", "def", "#");
        keys += 1;
        assert!(
            Instant::now() < deadline,
            "the edit waits for the end of the typing"
        );
    };
    key(&mut editor);
    editor.carry_out(&apply);
    while editor.applies_seen == 1 {
        key(&mut editor);
        std::thread::sleep(Duration::from_millis(10));
        editor.settle();
    }
    editor.client.reply = Reply::Honest;
    let apply = editor.await_apply();
    editor.carry_out(&apply);
    assert_eq!(editor.await_call("edit_file").status(), "ok");
    editor.finish_run(&run);
    assert_eq!(
        editor.text("greet.py"),
        format!("{}{}", "#".repeat(keys), polite())
    );
    editor.assert_same("greet.py");
}

/// Typing below the place, with an editor that checks no version: the edit is right where it lands.
#[test]
fn keystrokes_below_the_edit_in_a_client_that_checks_nothing() {
    let client = Client::bare().checking(Checking::Never);
    let editor = check_late(
        client,
        |editor| editor.replace("greet.py", "\"you\"", "\"us\""),
        |_| {},
    );
    assert_eq!(
        editor.text("greet.py"),
        polite().replace("\"you\"", "\"us\"")
    );
    assert_eq!(editor.applies_seen, 1);
}

/// The person types into the very words before the edit arrives: it must not be sent for the changed text.
#[test]
fn keystrokes_inside_the_words_before_the_edit() {
    for client in [Client::bare(), Client::full()] {
        let mut editor = greeting_expecting(
            client.reply(Reply::ByHand).echo(Echo::Held),
            failed("stale_file"),
        );
        let run = editor.prompt("make greet polite");
        let hunks = editor.await_hunks("greet.py", 1);
        editor.accept(&hunks[0]);
        let apply = editor.await_apply();
        editor.replace("greet.py", "hi ", "hi there ");
        editor.carry_out(&apply);
        editor.flush("greet.py");
        assert_eq!(editor.await_call("edit_file").status(), "failed/stale_file");
        editor.finish_run(&run);
        assert_eq!(editor.text("greet.py"), GREET.replace("hi ", "hi there "));
        editor.assert_same("greet.py");
        assert_eq!(editor.applies_seen, 1);
    }
}

/// The editor applies the edit to columns that have moved, which nobody can tell it. Whether that counts as landed is open; that the
/// call ends, that the person's keystrokes stay and that both sides know the same text is not.
#[test]
fn an_edit_that_landed_askew() {
    let client = Client::bare()
        .checking(Checking::Never)
        .reply(Reply::ByHand)
        .echo(Echo::Held);
    let script = Script::new()
        .read("greet.py")
        .turn(json!({"calls": [{"tool": "edit_file", "args": {"path": "greet.py", "old_string": OLD, "new_string": NEW}}]}))
        .say("Done.");
    let mut editor = Editor::start(
        Workspace::with(&[("greet.py", GREET)]),
        client,
        &script,
        "default",
    );
    editor.open("greet.py");
    let run = editor.prompt("make greet polite");
    let hunks = editor.await_hunks("greet.py", 1);
    editor.accept(&hunks[0]);
    let apply = editor.await_apply();
    editor.insert_before("greet.py", OLD, "mine");
    editor.carry_out(&apply);
    editor.flush("greet.py");
    editor.client.reply = Reply::Refuses;
    editor.await_call("edit_file");
    editor.finish_run(&run);
    assert_eq!(editor.text("greet.py").matches("mine").count(), 1);
    assert!(editor.same("greet.py"));
}

/// The document is closed while its edit is on the way: what came of it may be unknown, but it must not be called `ok`, and the disk
/// is left alone.
#[test]
fn closed_while_the_edit_is_on_the_way() {
    let edit = json!({"path": "greet.py", "old_string": OLD, "new_string": NEW});
    let script = Script::new()
        .read("greet.py")
        .turn(json!({"calls": [{"tool": "edit_file", "args": edit}]}))
        .say("Never mind.");
    let client = Client::bare().reply(Reply::ByHand);
    let mut editor = Editor::start(
        Workspace::with(&[("greet.py", GREET)]),
        client,
        &script,
        "default",
    );
    editor.open("greet.py");
    let run = editor.prompt("make greet polite");
    let hunks = editor.await_hunks("greet.py", 1);
    editor.accept(&hunks[0]);
    let apply = editor.await_apply();
    editor.close("greet.py");
    editor.server.respond(
        &apply.id,
        json!({"applied": false, "failureReason": "closed"}),
    );
    let status = editor.await_call("edit_file").status();
    assert!(
        status.starts_with("failed/") || status.starts_with("unknown_outcome"),
        "{status}"
    );
    editor.finish_run(&run);
    assert_eq!(editor.workspace.disk("greet.py"), GREET);
}

/// What the person types while the edit is on its way is theirs to save.
#[test]
fn keystrokes_on_the_way_are_not_saved() {
    let above = |editor: &mut Editor| editor.insert_before("greet.py", "def", "# above\n");
    let beside =
        |editor: &mut Editor| editor.insert_after("greet.py", "greet(\"you\")", "  # mine");
    let mut editor = greeting(Client::full().reply(Reply::ByHand));
    let run = editor.prompt("make greet polite");
    let hunks = editor.await_hunks("greet.py", 1);
    editor.accept(&hunks[0]);
    let apply = editor.await_apply();
    above(&mut editor);
    editor.client.reply = Reply::Honest;
    editor.carry_out(&apply);
    editor.finish_run(&run);
    assert_eq!(editor.text("greet.py"), format!("# above\n{}", polite()));
    assert_eq!(
        (editor.workspace.disk("greet.py").as_str(), editor.saves),
        (GREET, 0)
    );

    let editor = check_late(Client::full(), |_| {}, beside);
    assert!(editor.text("greet.py").contains("# mine"));
    assert!(!editor.workspace.disk("greet.py").contains("# mine"));
}
