//! Questions of the model's own: answered by an option, in other words, and without an id where that allows nothing.

use serde_json::{Value, json};

use super::{asked, asked_by_messages, neovim, start, titled};
use crate::harness::review::Run;
use crate::harness::script::rejected;
use crate::harness::{Client, Editor, Script};

/// A question of the model's own; what it is told must be so.
fn choosing(client: Client, expect: Value) -> (Editor, Run, Value) {
    let ask = json!({"question": "Which colour?", "options": ["red", "blue"]});
    let (mut editor, run) = start(
        client,
        &Script::new().call("ask_user", ask, expect).say("Done."),
    );
    let waiting = editor.await_approvals(1);
    assert_eq!(waiting[0]["kind"], "choice");
    assert_eq!(waiting[0]["title"], "Which colour?");
    (editor, run, waiting[0].clone())
}

/// A client without a plugin shows no id: what waits alone is refused, or answered in words, without one.
#[test]
fn the_only_question_is_answered_without_its_id_where_that_allows_nothing() {
    let answer =
        |editor: &mut Editor, argument: Value| editor.execute("mewcode.approval.answer", argument);
    let told = json!({"status": "ok", "contains": "green"});
    let (mut editor, run, _) = choosing(neovim(), told);
    let message = editor.await_message("MewCode asks: Which colour?");
    assert!(
        message.ends_with("by the command mewcode.approval.answer {\"answer\": \"…\"}."),
        "{message}"
    );
    answer(&mut editor, json!({"answer": "green"})).expect("any words are an answer");
    editor.finish_run(&run);
    let none = answer(&mut editor, json!({"answer": "green"})).unwrap_err();
    assert!(none.message.contains("name the question"), "{none:?}");

    let (mut editor, run, _) = asked(neovim(), rejected());
    let unsafe_answer = answer(&mut editor, json!({"answer": "once"})).unwrap_err();
    assert!(unsafe_answer.message.contains("name the question"));
    answer(&mut editor, json!({"answer": "deny", "feedback": "no"})).expect("denied");
    editor.forget_messages();
    editor.finish_run(&run);
}

#[test]
fn a_choice_is_answered_by_an_option_or_by_other_words() {
    let told = |words: &str| json!({"status": "ok", "contains": words});
    let (mut editor, run, approval) = choosing(Client::full(), told("green"));
    let error = editor.answer_approval(&approval, " ").unwrap_err();
    assert!(error.message.contains("is empty"), "{error:?}");
    editor
        .answer_approval(&approval, "green")
        .expect("any words are an answer");
    editor.finish_run(&run);

    let (mut editor, run, _) = choosing(asked_by_messages(), told("blue"));
    let message = editor.await_asked("Which colour?");
    assert_eq!(message.titles(), ["Do not answer", "red", "blue"]);
    editor.reply(&message, Some("blue"));
    editor.finish_run(&run);

    let (mut editor, run, _) = choosing(neovim(), rejected());
    let told = editor.await_message("MewCode asks: Which colour?");
    assert!(
        told.starts_with("MewCode asks: Which colour? Answer by"),
        "{told}"
    );
    let red = editor.answers("mewcode.approval.allow");
    assert_eq!(titled(&red, "red")["title"], "Answer “red”: Which colour?");
    let decline = editor.answers("mewcode.approval.deny");
    editor.choose(&decline[0]).expect("declined");
    editor.finish_run(&run);
}
