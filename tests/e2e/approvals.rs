//! Questions over the real protocol: each is answered once, by whatever surface is first; silence, a late answer, a stale code action and
//! a client that never replies allow nothing and hold nobody up.

mod choices;
mod commands;
mod grants;

use serde_json::{Value, json};

use crate::harness::editor::options;
use crate::harness::review::Run;
use crate::harness::script::{ok, rejected};
use crate::harness::{Client, Editor, Messages, Script, Server, Workspace};

const SECRETS: [(&str, &str); 3] = [
    (".env", "TOKEN=first\n"),
    ("b/.env", "TOKEN=second\n"),
    ("plain.txt", "plain\n"),
];

/// A client without a plugin that is asked by messages; its status tells the test when questions come and go.
fn asked_by_messages() -> Client {
    Client {
        own: vec!["event", "status"],
        ..Client::bare()
    }
}

/// Neovim without a plugin, but for the status.
fn neovim() -> Client {
    Client {
        own: vec!["event", "status"],
        ..Client::neovim()
    }
}

/// Calls that read these files, all in one turn, with what is expected of each.
fn reading(files: &[(&str, Value)]) -> Script {
    let calls: Vec<Value> = files
        .iter()
        .map(|(path, _)| json!({"tool": "read_file", "args": {"path": path}}))
        .collect();
    let expect: Vec<&Value> = files.iter().map(|(_, expect)| expect).collect();
    let turn = json!({"text": "I need it.", "calls": calls, "expect": expect});
    Script::new().turn(turn).say("Done.")
}

fn start(client: Client, script: &Script) -> (Editor, Run) {
    let mut editor = Editor::start(Workspace::with(&SECRETS), client, script, "default");
    let run = editor.prompt("look");
    (editor, run)
}

/// An editor in which one question waits: whether `.env` may be read. The call must end so.
fn asked(client: Client, expect: Value) -> (Editor, Run, Value) {
    let (mut editor, run) = start(client, &reading(&[(".env", expect)]));
    let waiting = editor.await_approvals(1);
    (editor, run, waiting[0].clone())
}

fn withdrawn() -> Value {
    json!({"status": "interrupted"})
}

/// How the calls of the run ended: `call_1 ok`.
fn ends(editor: &Editor) -> Vec<String> {
    let ended = editor.events().into_iter().map(|it| &it["event"]);
    let ended = ended.filter(|event| event["kind"] == "call_ended");
    ended
        .map(|event| format!("{} {}", text(&event["call"]), text(&event["status"])))
        .collect()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

fn titled<'a>(actions: &'a [Value], part: &str) -> &'a Value {
    let found = actions.iter().find(|it| text(&it["title"]).contains(part));
    found.unwrap_or_else(|| panic!("{part} is not in {actions:?}"))
}

#[test]
fn a_plugin_is_told_all_of_a_question_and_answers_it() {
    let (mut editor, run, approval) = asked(Client::full(), ok());
    assert_eq!(approval["kind"], "permission");
    assert_eq!(approval["session"], run.session);
    assert_eq!(approval["tool"], "read_file");
    assert_eq!(approval["reason"], "I need it.");
    assert!(text(&approval["title"]).contains(".env"), "{approval}");
    let event = editor.await_event("approval_asked", |_| true);
    assert_eq!(event["event"]["call"], "call_1");
    assert_eq!(event["event"]["title"], approval["title"]);
    assert!(ends(&editor).is_empty(), "it waits");

    let answer = editor.answer_approval(&approval, "once");
    assert_eq!(answer, Ok(json!({"answered": "allowed once"})));
    editor.finish_run(&run);
    assert!(editor.await_approvals(0).is_empty());
    let kinds: Vec<&str> = editor
        .events()
        .into_iter()
        .map(|it| text(&it["event"]["kind"]))
        .filter(|kind| kind.starts_with("approval") || *kind == "call_ended")
        .collect();
    assert_eq!(kinds, ["approval_asked", "approval_answered", "call_ended"]);
    assert!(editor.workspace.logs().contains("\"approval_answered\""));
}

#[test]
fn only_the_first_answer_counts() {
    let (mut editor, run, approval) = asked(Client::full(), rejected());
    for wrong in ["yes", "", "always"] {
        let error = editor.answer_approval(&approval, wrong).unwrap_err();
        assert!(error.message.contains("was not offered"), "{error:?}");
    }
    let mut argument = json!({"id": approval["id"], "answer": "once", "feedback": "careful"});
    let error = editor.execute("mewcode.approval.answer", argument.clone());
    assert!(error.is_err_and(|error| error.message.contains("`feedback`")));
    argument["answer"] = json!("deny");
    let answer = editor.execute("mewcode.approval.answer", argument);
    assert_eq!(answer, Ok(json!({"answered": "denied"})));
    for late in ["once", "deny"] {
        let error = editor.answer_approval(&approval, late).unwrap_err();
        assert_eq!(error.message, "this question was answered already: denied");
    }
    editor.finish_run(&run);
    assert_eq!(ends(&editor), ["call_1 denied"]);
    assert!(
        editor.workspace.logs().contains("careful"),
        "the model is told the word"
    );
}

#[test]
fn an_unknown_id_is_an_error_with_a_sentence() {
    let mut editor = Editor::start(Workspace::new(), Client::full(), &Script::new(), "default");
    for command in ["mewcode.approval.answer", "mewcode.approval.show"] {
        let mut argument = json!({"id": "nobody-7"});
        if command.ends_with("answer") {
            argument["answer"] = json!("once");
        }
        let error = editor.execute(command, argument).unwrap_err();
        assert!(
            error.message.contains("no question `nobody-7`"),
            "{error:?}"
        );
        let error = editor.execute(command, json!({"answer": 7})).unwrap_err();
        assert!(error.message.contains(command), "{error:?}");
    }
}

/// The person answers by the message and by the command at once. Whichever came first counts, on both surfaces.
#[test]
fn two_surfaces_at_once() {
    for message_first in [true, false] {
        let read = json!({"tool": "read_file", "args": {"path": ".env"}});
        let script = Script::new().turn(json!({"calls": [read]})).say("Done.");
        let (mut editor, run) = start(asked_by_messages(), &script);
        let approval = editor.await_approvals(1)[0].clone();
        let message = editor.await_asked(".env");
        assert_eq!(message.titles(), ["Deny", "Allow once"]);
        if message_first {
            editor.reply(&message, Some("Allow once"));
        }
        let argument = json!({"id": approval["id"], "answer": "deny"});
        let asked = editor.server.request(
            "workspace/executeCommand",
            json!({"command": "mewcode.approval.answer", "arguments": [argument]}),
        );
        if !message_first {
            editor.reply(&message, Some("Allow once"));
        }
        let answer = editor.answer(asked);
        editor.finish_run(&run);
        let (status, denied) = match answer {
            Ok(answer) => {
                assert_eq!(answer["answered"], "denied");
                ("call_1 denied", true)
            }
            Err(error) => {
                assert!(
                    error.message.ends_with("already: allowed once"),
                    "{error:?}"
                );
                ("call_1 ok", false)
            }
        };
        assert_eq!(ends(&editor), [status]);
        assert!(denied || message_first, "the command was first");
        if denied {
            // The message was withdrawn before its reply was seen, or the person is told that it came too late.
            editor.until("the end of the message", |editor| {
                let told = editor.has_message("answered already: denied");
                (told || editor.withdrawn == 1).then_some(())
            });
            editor.forget_messages();
        }
    }
}

#[test]
fn a_message_is_withdrawn_when_the_question_is_answered_elsewhere() {
    let (mut editor, run, approval) = asked(asked_by_messages(), ok());
    let message = editor.await_asked(".env");
    editor.answer_approval(&approval, "once").expect("allowed");
    editor.finish_run(&run);
    editor.until("the withdrawal", |editor| {
        (editor.withdrawn == 1).then_some(())
    });
    // A reply that was on its way answers nothing.
    editor.reply(&message, Some("Deny"));
    editor.settle();
    assert_eq!(ends(&editor), ["call_1 ok"]);
}

#[test]
fn a_message_that_is_closed_allows_nothing_and_the_question_waits_on() {
    let (mut editor, run, _) = asked(asked_by_messages(), rejected());
    let message = editor.await_asked(".env");
    editor.reply(&message, None);
    editor.await_message("Answer by a code action");
    assert_eq!(editor.await_approvals(1).len(), 1);
    assert!(ends(&editor).is_empty());
    let deny = editor.answers("mewcode.approval.deny");
    assert_eq!(deny.len(), 1);
    editor.choose(&deny[0]).expect("denied");
    editor.finish_run(&run);
}

#[test]
fn stopping_the_run_withdraws_its_question() {
    for client in [Client::full(), asked_by_messages()] {
        let (mut editor, run, approval) = asked(client, withdrawn());
        let by_message = !editor.client.has("approvals");
        if by_message {
            editor.await_asked(".env");
        }
        let stopped = editor.execute("mewcode.cancel", json!({}));
        assert_eq!(stopped, Ok(json!({"stopped": true})));
        assert_eq!(editor.await_run(&run)["outcome"], "cancelled");
        editor.finish_run_calls();
        assert_eq!(ends(&editor), ["call_1 interrupted"]);
        assert!(editor.await_approvals(0).is_empty());
        if by_message {
            editor.until("the withdrawal", |editor| {
                (editor.withdrawn == 1).then_some(())
            });
        }
        let error = editor.answer_approval(&approval, "once").unwrap_err();
        assert!(error.message.contains("was withdrawn"), "{error:?}");
    }
}

#[test]
fn a_stale_code_action_answers_nothing() {
    let (mut editor, run, approval) = asked(asked_by_messages(), rejected());
    editor.await_asked(".env");
    let allow = editor.answers("mewcode.approval.allow");
    editor.answer_approval(&approval, "deny").expect("denied");
    let error = editor.choose(&allow[0]).unwrap_err();
    assert_eq!(error.message, "this question was answered already: denied");
    assert!(editor.answers("mewcode.approval.allow").is_empty());
    editor.finish_run(&run);
    assert_eq!(ends(&editor), ["call_1 denied"]);
}

/// A token is worth nothing to another server, and what waited is not done.
#[test]
fn an_answer_after_a_restart_allows_nothing() {
    let script = reading(&[(".env", ok())]);
    let workspace = Workspace::with(&SECRETS);
    let mut editor = Editor::start(workspace, Client::full(), &script, "default");
    editor.prompt("look");
    let approval = editor.await_approvals(1)[0].clone();
    editor.server.kill();
    assert!(!editor.workspace.logs().contains("TOKEN=first"));

    let again = Server::start(&editor.workspace);
    let settings = options(&editor.workspace, &script, "default");
    let workspace = std::mem::replace(&mut editor.workspace, Workspace::new());
    let mut editor = Editor::connect(
        again,
        workspace,
        Client::full(),
        settings,
        std::process::id(),
    );
    assert!(editor.pending_approvals().is_empty());
    let error = editor.answer_approval(&approval, "once").unwrap_err();
    assert!(error.message.contains("earlier server"), "{error:?}");
    editor.settle();
    assert!(editor.events().is_empty());
}

#[test]
fn a_client_that_cannot_be_asked_by_a_message() {
    let unknown = asked_by_messages().messages(Messages::Unknown);
    for client in [unknown, neovim()] {
        let (mut editor, run, _) = asked(client, ok());
        let told = editor.await_message("MewCode asks: ");
        assert!(
            told.contains(".env") && told.contains("code action"),
            "{told}"
        );
        let allow = editor.answers("mewcode.approval.allow");
        editor
            .choose(titled(&allow, "Allow once"))
            .expect("allowed");
        editor.finish_run(&run);
    }
}

/// The client shows the first message somewhere out of sight, or has put another in its place: it never replies.
#[test]
fn a_client_that_never_replies_holds_nobody_up() {
    let script = reading(&[(".env", ok()), ("b/.env", rejected())]);
    let (mut editor, run) = start(asked_by_messages(), &script);
    let waiting = editor.await_approvals(2);
    let first = editor.await_asked("");
    let in_message = |approval: &&Value| {
        let title = text(&approval["title"]);
        text(&first.params["message"]).contains(title)
    };
    let shown = waiting.iter().find(in_message).expect("one of the two");
    let other = waiting
        .iter()
        .find(|it| it["id"] != shown["id"])
        .expect("the other");
    // It is answered elsewhere; the next one is asked, and answered by its message.
    let answer_of = |approval: &Value| match text(&approval["title"]).contains("b/.env") {
        true => ("deny", "Deny"),
        false => ("once", "Allow once"),
    };
    editor
        .answer_approval(shown, answer_of(shown).0)
        .expect("answered");
    let second = editor.await_asked(text(&other["title"]));
    assert_ne!(second.id, first.id);
    editor.reply(&second, Some(answer_of(other).1));
    editor.finish_run(&run);
    assert_eq!(editor.withdrawn, 1);
}

#[test]
fn two_questions_at_once_are_never_mixed_up() {
    let files = [(".env", rejected()), ("b/.env", ok())];
    for client in [Client::full(), neovim()] {
        let (mut editor, run) = start(client, &reading(&files));
        let waiting = editor.await_approvals(2);
        assert_ne!(waiting[0]["id"], waiting[1]["id"]);
        if editor.client.has("approvals") {
            let is_second = |it: &&Value| text(&it["title"]).contains("b/.env");
            let second = waiting
                .iter()
                .find(is_second)
                .expect("its question")
                .clone();
            let first = waiting
                .iter()
                .find(|it| !is_second(it))
                .expect("its question")
                .clone();
            editor.answer_approval(&second, "once").expect("allowed");
            assert_eq!(editor.await_approvals(1), std::slice::from_ref(&first));
            editor.answer_approval(&first, "deny").expect("denied");
        } else {
            let allow = editor.answers("mewcode.approval.allow");
            let deny = editor.answers("mewcode.approval.deny");
            assert_eq!((allow.len(), deny.len()), (2, 2));
            editor.choose(titled(&allow, "b/.env")).expect("allowed");
            editor.await_approvals(1);
            let deny = editor.answers("mewcode.approval.deny");
            editor.choose(&deny[0]).expect("denied");
            editor.forget_messages();
        }
        editor.finish_run(&run);
    }
}

#[test]
fn a_question_survives_a_reload_of_the_configuration() {
    let (mut editor, run, approval) = asked(Client::full(), ok());
    editor
        .execute("mewcode.reloadConfig", json!({}))
        .expect("read again");
    assert_eq!(editor.await_approvals(1), std::slice::from_ref(&approval));
    editor.answer_approval(&approval, "once").expect("allowed");
    editor.finish_run(&run);
}

/// `Editor` judges the end when it is dropped: clean, in time, and nothing was allowed.
#[test]
fn a_server_that_ends_withdraws_what_waits() {
    for client in [Client::full(), asked_by_messages(), neovim()] {
        let (mut editor, _, _) = asked(client, withdrawn());
        if editor.client.name != "Neovim" && !editor.client.has("approvals") {
            let message = editor.await_asked(".env");
            editor.ignore(&message);
        }
        editor.forget_messages();
        editor.finish();
        let logs = editor.workspace.logs();
        assert!(!logs.contains("TOKEN=first"), "{logs}");
    }
}

#[test]
fn answers_are_offered_over_the_text_and_a_question_can_be_read_in_full() {
    let (mut editor, run, _) = asked(neovim(), rejected());
    editor.await_message("MewCode asks: ");
    editor.open("plain.txt");
    let lenses = editor.lenses("plain.txt");
    let titles: Vec<&str> = lenses
        .iter()
        .map(|lens| text(&lens["command"]["title"]))
        .collect();
    assert!(titles[0].starts_with("MewCode asks: "), "{titles:?}");
    assert_eq!(titles[1..], ["✗ Deny", "✓ Allow once"]);
    assert!(
        lenses
            .iter()
            .all(|lens| lens["range"]["start"]["line"] == 0)
    );
    let show = editor.answers("mewcode.approval.show");
    editor.choose(&show[0]).expect("shown");
    let shown = editor.await_shown();
    let path = crate::harness::uri::path_of(&shown["uri"]);
    let whole = std::fs::read_to_string(path).expect("a file that can be shown");
    assert!(
        whole.contains(".env") && whole.contains("I need it."),
        "{whole}"
    );
    editor
        .run_command(&lenses[1]["command"])
        .expect("denied by the lens");
    assert!(editor.lenses("plain.txt").is_empty());
    editor.finish_run(&run);
}
