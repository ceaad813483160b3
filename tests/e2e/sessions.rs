//! Several sessions, and several hunks of different origin in one file.

use serde_json::{Value, json};

use crate::harness::editor::options;
use crate::harness::review::Run;
use crate::harness::script::{failed, ok};
use crate::harness::{Client, Editor, Script, Server, Workspace};

const LIST: &str = "one\n-\ntwo\n-\nthree\n";

fn proposing(old: &str, new: &str, expect: Value) -> Script {
    Script::new()
        .read("list.txt")
        .edit_expecting("list.txt", old, new, expect)
        .say("Done.")
}

/// Two sessions, each with a proposal for the same file. A session plays the script as it is when the session begins.
fn two_proposals(first: &Script, second: &Script) -> (Editor, Run, Run) {
    let workspace = Workspace::with(&[("list.txt", LIST)]);
    let mut editor = Editor::start(workspace, Client::full(), first, "default");
    editor.open("list.txt");
    let one = editor.prompt("first");
    editor.await_hunks("list.txt", 1);
    options(&editor.workspace, second, "default");
    let session = editor
        .execute("mewcode.newSession", json!({}))
        .expect("a session")["session"]
        .clone();
    assert_ne!(session, one.session);
    let two = editor.prompt_with(json!({"text": "second", "session": session}));
    assert_eq!(two.session, session);
    editor.await_hunks("list.txt", 2);
    (editor, one, two)
}

#[test]
fn two_proposals_for_one_file() {
    let (mut editor, one, two) = two_proposals(
        &proposing("one", "1\n1b", ok()),
        &proposing("three", "3", ok()),
    );
    let hunk = |editor: &Editor, session: &str| -> Value {
        editor
            .review("list.txt")
            .into_iter()
            .find(|hunk| hunk["session"] == session)
            .expect("a hunk of each session")
    };
    let (first, second) = (hunk(&editor, &one.session), hunk(&editor, &two.session));
    assert_ne!(first["proposal"], second["proposal"]);
    // The upper one first, so that the lower one has to move.
    editor
        .execute("mewcode.review.accept", json!({"hunk": first["id"]}))
        .expect("accepted");
    editor.finish_run(&one);
    let moved = editor.until("the other hunk a line down", |editor| {
        editor
            .review("list.txt")
            .into_iter()
            .find(|hunk| hunk["startLine"] == 5)
    });
    assert_eq!(moved["id"], second["id"]);
    editor
        .execute("mewcode.review.accept", json!({"hunk": second["id"]}))
        .expect("accepted");
    editor.finish_run(&two);
    assert_eq!(editor.text("list.txt"), "1\n1b\n-\ntwo\n-\n3\n");
    editor.assert_same("list.txt");
}

/// Both want the same line: the one that is accepted wins, the other is refused.
#[test]
fn two_proposals_for_one_line() {
    let (mut editor, one, two) = two_proposals(
        &proposing("two", "zwei", failed("stale_file")),
        &proposing("two", "deux", ok()),
    );
    let second = editor
        .review("list.txt")
        .into_iter()
        .find(|hunk| hunk["session"] == *two.session)
        .expect("its hunk");
    editor
        .execute("mewcode.review.accept", json!({"hunk": second["id"]}))
        .expect("accepted");
    editor.finish_run(&two);
    let first = editor.await_state("list.txt", "conflicted");
    assert_eq!(first["session"], one.session);
    editor
        .execute("mewcode.review.accept", json!({"hunk": first["id"]}))
        .expect("the call ends, it is not an error");
    editor.finish_run(&one);
    assert_eq!(editor.text("list.txt"), LIST.replace("two", "deux"));
    editor.assert_same("list.txt");
}

/// One run after the other in the same session goes on with the script; past its end the run fails and names the turn.
#[test]
fn runs_of_one_session_follow_each_other() {
    let script = Script::new().say("First.").say("Second.");
    let mut editor = Editor::start(Workspace::new(), Client::bare(), &script, "default");
    let first = editor.prompt("one");
    editor.await_done(&first);
    let second = editor.prompt("two");
    assert_eq!(first.session, second.session);
    assert_ne!(first.run, second.run);
    editor.await_done(&second);
    let third = editor.prompt("three");
    let ended = editor.await_run(&third);
    assert_eq!(ended["outcome"], "failed");
    let message = ended["message"].as_str().expect("a message");
    assert!(
        message.contains('3') || message.contains("third"),
        "it names the turn: {message}"
    );
}

/// A second prompt while a run is on: both are played, one after the other, and none is lost.
#[test]
fn a_prompt_while_a_run_waits() {
    let script = proposing("one", "1", ok()).say("And the second prompt.");
    let mut editor = Editor::start(
        Workspace::with(&[("list.txt", LIST)]),
        Client::bare(),
        &script,
        "default",
    );
    editor.open("list.txt");
    let first = editor.prompt("first");
    let hunks = editor.await_hunks("list.txt", 1);
    let params = json!({"command": "mewcode.prompt", "arguments": [{"text": "second"}]});
    let asked = editor.server.request("workspace/executeCommand", params);
    match editor.answer(asked) {
        Ok(answer) => {
            editor.accept(&hunks[0]);
            editor.finish_run(&first);
            let second = Run {
                session: first.session,
                run: answer["run"].as_str().expect("a run").to_owned(),
            };
            editor.finish_run(&second);
        }
        // Refusing is an answer too, if it says what to do.
        Err(error) => {
            assert!(error.message.len() > 20, "{error:?}");
            editor.accept(&hunks[0]);
            editor.finish_run(&first);
        }
    }
    assert_eq!(editor.text("list.txt"), LIST.replace("one", "1"));
}

/// A failed expectation ends the run as failed and says where: the script's own tests of the model's view really bite.
#[test]
fn a_failed_expectation_fails_the_run() {
    let script = Script::new()
        .call("read_file", json!({"path": "none.txt"}), ok())
        .say("Not reached.");
    let mut editor = Editor::start(Workspace::new(), Client::bare(), &script, "default");
    let run = editor.prompt("read");
    assert_eq!(editor.await_call("read_file").status(), "failed/not_found");
    let ended = editor.await_run(&run);
    assert_eq!(ended["outcome"], "failed");
    let message = ended["message"].as_str().expect("a message");
    assert!(
        message.contains("ok") && message.contains("not_found"),
        "{message}"
    );
}

/// With nothing configured, one turn explains how to set a model up.
#[test]
fn nothing_configured() {
    let workspace = Workspace::new();
    let server = Server::start(&workspace);
    let mut editor = Editor::connect(
        server,
        workspace,
        Client::bare(),
        Value::Null,
        std::process::id(),
    );
    let run = editor.prompt("hello");
    editor.await_done(&run);
    let said: String = editor
        .events()
        .iter()
        .filter_map(|event| event["event"]["delta"].as_str())
        .collect();
    assert!(
        said.contains("provider") && said.contains("config"),
        "{said:?}"
    );
}

/// The modes of permission: who is asked, and who may not at all.
#[test]
fn modes() {
    let check = |mode: &str, status: &str, after: &str| {
        let (plain, kind) = status
            .split_once('/')
            .map_or((status, None), |(plain, kind)| (plain, Some(kind)));
        let expect = kind.map_or(
            json!({"status": plain}),
            |kind| json!({"status": plain, "error_kind": kind}),
        );
        let mut editor = Editor::start(
            Workspace::with(&[("list.txt", LIST)]),
            Client::full(),
            &proposing("one", "1", expect),
            "default",
        );
        editor.open("list.txt");
        editor
            .execute("mewcode.setMode", json!({"mode": mode}))
            .expect("a mode");
        let run = editor.prompt("go");
        assert_eq!(editor.await_call("edit_file").status(), status, "{mode}");
        editor.finish_run(&run);
        assert_eq!(editor.text("list.txt"), after, "{mode}");
        assert_eq!(editor.status["mode"], mode);
    };
    check("accept_edits", "ok", "1\n-\ntwo\n-\nthree\n");
    check("bypass", "ok", "1\n-\ntwo\n-\nthree\n");
    check("plan", "denied/denied_by_policy", LIST);
    check("dont_ask", "denied/denied_by_policy", LIST);
}

/// Stopping ends the run under way and the prompts behind it, each with its event.
#[test]
fn stopping_ends_what_waits_behind_too() {
    let expect = json!({"status": "interrupted"});
    let script = proposing("one", "1", expect);
    let workspace = Workspace::with(&[("list.txt", LIST)]);
    let mut editor = Editor::start(workspace, Client::full(), &script, "default");
    editor.open("list.txt");
    let first = editor.prompt("first");
    editor.await_hunks("list.txt", 1);
    let second = editor.prompt("second");
    editor
        .execute("mewcode.cancel", json!({}))
        .expect("stopped");
    for run in [&first, &second] {
        assert_eq!(editor.await_run(run)["outcome"], "cancelled");
    }
    editor.await_hunks("list.txt", 0);
    editor.settle();
    editor.finish_run_calls();
}

/// What a list of sessions shows: the newest first, what each was asked for first, and which one a prompt goes to.
#[test]
fn sessions_are_listed() {
    let mut editor = Editor::start(
        Workspace::with(&[("list.txt", LIST)]),
        Client::full(),
        &proposing("one", "1", ok()),
        "default",
    );
    editor.open("list.txt");
    let sessions = |editor: &mut Editor| -> Vec<Value> {
        let answer = editor.call("mewcode/sessions", json!({})).expect("a list");
        answer["sessions"].as_array().expect("sessions").clone()
    };
    assert_eq!(sessions(&mut editor), [Value::Null; 0]);
    let run = editor.prompt("  Digits, please.\nAll of them.");
    let hunks = editor.await_hunks("list.txt", 1);
    editor
        .execute(
            "mewcode.setMode",
            json!({"mode": "plan", "session": run.session}),
        )
        .expect("a mode");
    let second = editor
        .execute("mewcode.newSession", json!({}))
        .expect("a session")["session"]
        .clone();
    let mut listed = sessions(&mut editor);
    for session in &mut listed {
        let started = session
            .as_object_mut()
            .expect("a session")
            .remove("started");
        assert!(started.and_then(|it| it.as_u64()) > Some(1_600_000_000_000));
    }
    assert_eq!(
        listed,
        [
            json!({"session": second, "title": "", "running": false, "mode": "default", "current": true}),
            json!({"session": run.session, "title": "Digits, please.", "running": true, "mode": "plan", "current": false}),
        ]
    );
    editor.reject(&hunks[0]);
    editor.await_run(&run);
    editor.finish_run_calls();
    let listed = sessions(&mut editor);
    assert_eq!((&listed[1]["running"], listed.len()), (&json!(false), 2));
}

/// A run goes on when another session is begun, and can be stopped without its session's name.
#[test]
fn stopping_without_a_name_means_what_runs() {
    let script = proposing("one", "1", json!({"status": "interrupted"}));
    let workspace = Workspace::with(&[("list.txt", LIST)]);
    let mut editor = Editor::start(workspace, Client::full(), &script, "default");
    editor.open("list.txt");
    let run = editor.prompt("first");
    editor.await_hunks("list.txt", 1);
    editor
        .execute("mewcode.newSession", json!({}))
        .expect("a session");
    let stop = |editor: &mut Editor| editor.execute("mewcode.cancel", json!({}));
    assert_eq!(stop(&mut editor), Ok(json!({"stopped": true})));
    assert_eq!(editor.await_run(&run)["outcome"], "cancelled");
    editor.finish_run_calls();
    assert_eq!(stop(&mut editor), Ok(json!({"stopped": false})));
}

/// Who has set up the model that the guide asked for asks again, and is answered by it.
#[test]
fn a_model_that_is_set_up_after_the_guide_answers_the_next_prompt() {
    let workspace = Workspace::with(&[]);
    let server = Server::start(&workspace);
    let parent = std::process::id();
    let mut editor = Editor::connect(server, workspace, Client::full(), json!({}), parent);
    let guided = editor.prompt("hello");
    editor.await_done(&guided);
    let again = editor.prompt("hello?");
    editor.await_done(&again);
    assert_eq!(again.session, guided.session, "nothing is set up yet");
    let script = Script::new().say("At your service.").yaml();
    let home = editor.workspace.home();
    std::fs::write(home.join("turns.yaml"), script).expect("a script");
    std::fs::create_dir_all(home.join(".mewcode")).expect("a folder");
    std::fs::write(
        home.join(".mewcode/config.yaml"),
        "provider: scripted\nscript: ~/turns.yaml\n",
    )
    .expect("a configuration");
    let answered = editor.prompt("hello!");
    editor.await_done(&answered);
    assert_ne!(answered.session, guided.session);
    let transcript = editor
        .call("mewcode/transcript", json!({}))
        .expect("a transcript");
    let markdown = transcript["markdown"].as_str().expect("Markdown");
    assert!(markdown.contains("At your service."), "{markdown}");
}
