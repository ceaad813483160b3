//! Code actions that answer questions: offered anywhere while something waits, the refusal first, never a preferred one.

use super::{Context, action, wanted};
use crate::approvals::{cut, visible};
use crate::commands;
use crate::protocol::{Approval, ApprovalAnswer, ApprovalKind};
use serde_json::json;
use tower_lsp::ls_types::CodeAction;

/// Kind of the actions that refuse.
pub const DENY_KIND: &str = "mewcode.approval.deny";
/// Kind of the actions that allow, or answer a question of the model.
pub const ALLOW_KIND: &str = "mewcode.approval.allow";
/// Kind of the actions that show a question in full.
pub const SHOW_KIND: &str = "mewcode.approval.show";

/// As much of a question as a title shows: all of one that was cut already. What an answer would add is never cut.
const SHOWN: usize = 120;

/// The answers to each question that waits, oldest first.
pub fn actions(context: &Context<'_>) -> Vec<CodeAction> {
    let waiting = context.approvals.iter();
    waiting.flat_map(|it| answers(it, context)).collect()
}

fn answers(approval: &Approval, context: &Context<'_>) -> Vec<CodeAction> {
    let subject = subject(approval);
    let mut actions = Vec::new();
    for answer in &approval.answers {
        let kind = if is_refusal(answer) {
            DENY_KIND
        } else {
            ALLOW_KIND
        };
        if wanted(context.only, kind) {
            let title = format!("{}: {subject}", title(approval, answer));
            let argument = json!({"id": approval.id, "answer": answer.answer});
            actions.push(action(kind, title, commands::ANSWER, argument));
        }
    }
    if wanted(context.only, SHOW_KIND) {
        let title = format!("Show the whole question: {subject}");
        let argument = json!({"id": approval.id});
        actions.push(action(SHOW_KIND, title, commands::SHOW_APPROVAL, argument));
    }
    actions
}

/// Whether nothing comes of this answer.
pub fn is_refusal(answer: &ApprovalAnswer) -> bool {
    answer.answer == "deny"
}

/// What is asked, in as many characters as a title has room for.
pub fn subject(approval: &Approval) -> String {
    cut(&visible(&approval.title), SHOWN)
}

/// An answer; an option of the model's is shown as its words.
fn title(approval: &Approval, answer: &ApprovalAnswer) -> String {
    if approval.kind == ApprovalKind::Choice && !is_refusal(answer) {
        format!("Answer “{}”", cut(&answer.title, SHOWN))
    } else {
        answer.title.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tower_lsp::ls_types::{CodeActionKind, Range};

    fn approval(kind: ApprovalKind, title: &str, answers: &[(&str, &str)]) -> Approval {
        let answers = answers.iter().map(|(answer, title)| ApprovalAnswer {
            answer: (*answer).to_owned(),
            title: (*title).to_owned(),
        });
        Approval {
            id: "token".into(),
            kind,
            session: None,
            tool: None,
            title: title.into(),
            details: Vec::new(),
            because: Vec::new(),
            reason: String::new(),
            answers: answers.collect(),
            asked: 0,
        }
    }

    fn offered(approvals: &[Approval], only: Option<&[CodeActionKind]>) -> Vec<CodeAction> {
        let approvals: Vec<_> = approvals.iter().cloned().map(Into::into).collect();
        actions(&Context {
            uri: "file:///w/a.rs",
            display: "a.rs",
            file: None,
            range: Range::default(),
            definition: None,
            only,
            pending: 0,
            running: 1,
            waits_for_command: false,
            session: true,
            trust: false,
            approvals: &approvals,
        })
    }

    fn table(actions: &[CodeAction]) -> String {
        let line = |action: &CodeAction| {
            let kind = action.kind.as_ref().unwrap().as_str();
            let argument = &action.data.as_ref().unwrap()["argument"];
            assert_eq!(action.is_preferred, None);
            assert_eq!(argument["id"], "token");
            format!("{kind} | {} | {}", action.title, argument["answer"])
        };
        actions.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_refusal_comes_first_and_titles_say_what_will_run() {
        let long = format!("Run `echo {} && rm -rf ~`\u{202e}", "a".repeat(120));
        let rule = "Always allow `bash(cargo test:*)`";
        let asked = [
            approval(
                ApprovalKind::Permission,
                "Run `cargo test`",
                &[("deny", "Deny"), ("once", "Allow once"), ("always", rule)],
            ),
            approval(
                ApprovalKind::Permission,
                &long,
                &[("deny", "Deny"), ("once", "Allow once")],
            ),
            approval(
                ApprovalKind::Choice,
                "Which\ncolour?",
                &[("deny", "Do not answer"), ("red", "red")],
            ),
        ];
        insta::assert_snapshot!(table(&offered(&asked, None)), @r#"
        mewcode.approval.deny | Deny: Run `cargo test` | "deny"
        mewcode.approval.allow | Allow once: Run `cargo test` | "once"
        mewcode.approval.allow | Always allow `bash(cargo test:*)`: Run `cargo test` | "always"
        mewcode.approval.show | Show the whole question: Run `cargo test` | null
        mewcode.approval.deny | Deny: Run `echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… (+31 characters) | "deny"
        mewcode.approval.allow | Allow once: Run `echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… (+31 characters) | "once"
        mewcode.approval.show | Show the whole question: Run `echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… (+31 characters) | null
        mewcode.approval.deny | Do not answer: Which\ncolour? | "deny"
        mewcode.approval.allow | Answer “red”: Which\ncolour? | "red"
        mewcode.approval.show | Show the whole question: Which\ncolour? | null
        "#);
    }

    #[test]
    fn kinds_filter() {
        let asked = [approval(
            ApprovalKind::Permission,
            "Run `x`",
            &[("deny", "Deny"), ("once", "Allow once")],
        )];
        let count = |kind: &'static str| offered(&asked, Some(&[kind.into()])).len();
        assert_eq!(count("mewcode.approval.deny"), 1);
        assert_eq!(count("mewcode.approval.allow"), 1);
        assert_eq!(count("mewcode.approval"), 3);
        assert_eq!(count("mewcode.review"), 0);
        assert_eq!(count("source.fixAll"), 0);
    }
}
