//! What answers add beyond the one call: rules for the session, rules that are kept, and trust in the workspace.

use serde_json::{Value, json};

use super::{start, text, titled};
use crate::harness::review::Run;
use crate::harness::script::rejected;
use crate::harness::{Client, Editor, Script, Workspace};

/// Fetches of these pages, one after the other, with what is expected of each.
fn fetching(pages: &[(&str, Value)]) -> Script {
    let fetches = pages.iter().fold(Script::new(), |script, (url, expect)| {
        script.call("web_fetch", json!({"url": url}), expect.clone())
    });
    fetches.say("Done.")
}

/// There is no such host: a call that is allowed fails.
fn failed() -> Value {
    json!({"status": "failed"})
}

/// How many questions the calls have put.
fn asked(editor: &Editor) -> usize {
    let events = editor.events().into_iter();
    let asked = events.filter(|it| it["event"]["kind"] == "approval_asked");
    asked.count()
}

/// An answer that adds a rule is asked for once: what the rule covers runs unasked from then on, and nothing else does.
#[test]
fn a_rule_for_the_session_covers_what_it_says() {
    let script = fetching(&[
        ("https://one.invalid/a", failed()),
        ("https://one.invalid/b", failed()),
        ("https://one.invalid.two.invalid/", rejected()),
    ]);
    let (mut editor, run) = start(Client::full(), &script);
    let approval = editor.await_approvals(1)[0].clone();
    let answers = approval["answers"].as_array().expect("answers");
    let session = titled(answers, "`web_fetch(domain:one.invalid)` for this session");
    assert_eq!(session["answer"], "session");
    let answer = editor.answer_approval(&approval, "session");
    assert_eq!(answer, Ok(json!({"answered": "allowed for this session"})));
    let rule = editor.await_event("rule_added", |_| true);
    assert_eq!(rule["event"]["rule"], "web_fetch(domain:one.invalid)");
    assert_eq!(rule["event"].get("place"), None);
    let other = editor.until("the other host's question", |editor| {
        let waiting = editor.waiting();
        waiting
            .first()
            .filter(|it| it["id"] != approval["id"])
            .cloned()
    });
    assert!(text(&other["title"]).contains("two.invalid"), "{other}");
    editor.answer_approval(&other, "deny").expect("denied");
    editor.finish_run(&run);
    assert_eq!(asked(&editor), 2);
}

/// The exact rule that was shown is written where it was said, and holds at once and in the next server.
#[test]
fn a_rule_that_is_kept_holds_from_then_on() {
    let pages = [
        ("https://one.invalid/a", failed()),
        ("https://one.invalid/b", failed()),
    ];
    let (mut editor, run) = start(Client::full(), &fetching(&pages));
    let approval = editor.await_approvals(1)[0].clone();
    let answers = approval["answers"].as_array().expect("answers");
    let always = titled(answers, "Always allow `web_fetch(domain:one.invalid)`");
    let place = ".mewcode/settings.local.yaml";
    assert!(text(&always["title"]).contains(place), "{always}");
    editor
        .answer_approval(&approval, "always")
        .expect("allowed");
    let rule = editor.await_event("rule_added", |_| true);
    assert!(text(&rule["event"]["place"]).contains(place), "{rule}");
    editor.finish_run(&run);
    assert_eq!(asked(&editor), 1);
    let kept = editor.workspace.disk(place);
    assert!(kept.contains("web_fetch(domain:one.invalid)"), "{kept}");

    editor.finish();
    let workspace = std::mem::replace(&mut editor.workspace, Workspace::new());
    let mut editor = Editor::start(workspace, Client::full(), &fetching(&pages), "default");
    let run = editor.prompt("again");
    editor.finish_run(&run);
    assert_eq!(asked(&editor), 0);
    editor.forget_messages();
}

/// An editor in a workspace whose file would allow a page.
fn untrusted(script: &Script) -> Editor {
    let file = "permissions:\n  allow:\n    - web_fetch(domain:one.invalid)\n";
    let workspace = Workspace::with(&[(".mewcode.yaml", file)]);
    let mut editor = Editor::start(workspace, Client::full(), script, "default");
    let told = editor.await_message("trust");
    assert!(told.contains(".mewcode.yaml:3"), "{told}");
    editor
}

/// Asks for the question by the code action, as a person would.
fn ask_for_trust(editor: &mut Editor) -> Value {
    let actions = editor.answers("source.mewcode");
    let answer = editor.choose(titled(&actions, "Trust this workspace"));
    let approval = editor.await_approvals(1)[0].clone();
    assert_eq!(answer, Ok(json!({"asked": approval["id"]})));
    assert_eq!(approval["kind"], "trust");
    assert_eq!(approval.get("session"), None);
    let title = approval["title"].as_str().unwrap();
    let root = editor.workspace.root().canonicalize().unwrap();
    assert!(
        title.contains(&format!("`{}`", root.display())),
        "it is named: {title}"
    );
    let details = approval["details"].to_string();
    assert!(
        details.contains("web_fetch(domain:one.invalid)") && details.contains(".mewcode.yaml:3"),
        "what it would grant is shown, with its place: {details}"
    );
    approval
}

fn await_trusted(editor: &mut Editor, trusted: bool) {
    editor.until("the status", |editor| {
        (editor.status["trusted"] == trusted).then_some(())
    });
}

fn run_is_asked(editor: &mut Editor, run: &Run, questions: usize) {
    if questions > 0 {
        let approval = editor.await_approvals(questions)[0].clone();
        editor.answer_approval(&approval, "deny").expect("denied");
    }
    editor.finish_run(run);
    assert_eq!(asked(editor), questions);
}

#[test]
fn until_the_workspace_is_trusted_its_files_allow_nothing() {
    let mut editor = untrusted(&fetching(&[("https://one.invalid/", rejected())]));
    await_trusted(&mut editor, false);
    let approval = ask_for_trust(&mut editor);
    let again = editor.execute("mewcode.trustWorkspace", json!({}));
    assert_eq!(again, Ok(json!({"asked": approval["id"]})), "asked once");
    let answer = editor.answer_approval(&approval, "deny");
    assert_eq!(answer, Ok(json!({"answered": "not trusted"})));
    editor.await_approvals(0);
    let run = editor.prompt("look");
    run_is_asked(&mut editor, &run, 1);
    await_trusted(&mut editor, false);
}

#[test]
fn a_trusted_workspace_allows_what_was_shown() {
    let mut editor = untrusted(&fetching(&[("https://one.invalid/", failed())]));
    let approval = ask_for_trust(&mut editor);
    let answer = editor.answer_approval(&approval, "always");
    assert_eq!(answer, Ok(json!({"answered": "trusted"})));
    await_trusted(&mut editor, true);
    let run = editor.prompt("look");
    run_is_asked(&mut editor, &run, 0);
    let error = editor.execute("mewcode.trustWorkspace", json!({}));
    assert!(error.is_err_and(|error| error.message.contains("nothing to ask")));
    let actions = editor.answers("source.mewcode");
    assert!(
        actions
            .iter()
            .all(|it| !text(&it["title"]).contains("Trust"))
    );
}

/// What the file grants when the answer comes is not what was shown: it is not in force.
#[test]
fn only_what_was_shown_is_trusted() {
    let mut editor = untrusted(&fetching(&[("https://two.invalid/", rejected())]));
    let approval = ask_for_trust(&mut editor);
    let more = "permissions:\n  allow:\n    - web_fetch(domain:two.invalid)\n";
    editor.workspace.write(".mewcode.yaml", more);
    editor
        .answer_approval(&approval, "always")
        .expect("trusted");
    editor.await_approvals(0);
    let run = editor.prompt("look");
    run_is_asked(&mut editor, &run, 1);
    await_trusted(&mut editor, false);
}
