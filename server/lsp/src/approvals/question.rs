//! Questions of the tools as they are shown: the answers that can be given, the safe one first.
//!
//! Pure: the token and the time come from outside.

use crate::protocol::{Approval, ApprovalAnswer, ApprovalKind};
use mewcode_tools::port::{Choice, Permission, Question, Subject};

/// As much of the model's own words as stands below a question: they must not push away what will happen.
const LONGEST_REASON: usize = 500;

/// A token and a time for a question.
#[derive(Debug, Clone)]
pub struct Stamp {
    /// To answer it by.
    pub id: String,
    /// Milliseconds since the beginning of 1970, UTC.
    pub asked: u64,
}

/// A question of a call.
pub fn of_call(question: Question, stamp: Stamp) -> Approval {
    let Question {
        session,
        tool,
        reason,
        subject,
        ..
    } = question;
    let shown = match subject {
        Subject::Permission(permission) => {
            of_permission(permission, ApprovalKind::Permission, stamp)
        }
        Subject::Choice(choice) => of_choice(choice, stamp),
    };
    Approval {
        session: Some(session),
        tool: Some(tool),
        reason,
        ..shown
    }
}

/// The question whether the workspace is trusted with what `permission` says.
pub fn of_trust(permission: Permission, stamp: Stamp) -> Approval {
    let shown = of_permission(permission, ApprovalKind::Trust, stamp);
    let answers = vec![
        answer("deny", "Do not trust"),
        answer("always", "Trust this workspace"),
    ];
    Approval { answers, ..shown }
}

fn of_permission(permission: Permission, kind: ApprovalKind, stamp: Stamp) -> Approval {
    let answers = permission_answers(&permission);
    Approval {
        id: stamp.id,
        kind,
        session: None,
        tool: None,
        title: permission.title,
        details: permission.details,
        because: permission.because,
        reason: String::new(),
        answers,
        asked: stamp.asked,
    }
}

fn permission_answers(permission: &Permission) -> Vec<ApprovalAnswer> {
    let mut answers = vec![answer("deny", "Deny"), answer("once", "Allow once")];
    if !permission.rules.is_empty() {
        let rules: Vec<String> = permission
            .rules
            .iter()
            .map(|rule| format!("`{}`", super::visible(rule)))
            .collect();
        let rules = rules.join(" and ");
        answers.push(answer(
            "session",
            &format!("Allow {rules} for this session"),
        ));
        if let Some(place) = &permission.place {
            let place = super::visible(place);
            let title = format!("Always allow {rules} (written to {place})");
            answers.push(answer("always", &title));
        }
    }
    answers
}

fn of_choice(choice: Choice, stamp: Stamp) -> Approval {
    let mut answers = vec![answer("deny", "Do not answer")];
    for option in choice.options {
        let title = super::visible(&option);
        // One that is spelled like another, or like the refusal, could not be told apart.
        let same = |it: &ApprovalAnswer| it.answer == option || it.title == title;
        if !option.trim().is_empty() && !answers.iter().any(same) {
            answers.push(ApprovalAnswer {
                answer: option,
                title,
            });
        }
    }
    Approval {
        id: stamp.id,
        kind: ApprovalKind::Choice,
        session: None,
        tool: None,
        title: choice.question,
        details: Vec::new(),
        because: Vec::new(),
        reason: String::new(),
        answers,
        asked: stamp.asked,
    }
}

fn answer(answer: &str, title: &str) -> ApprovalAnswer {
    ApprovalAnswer {
        answer: answer.to_owned(),
        title: title.to_owned(),
    }
}

/// The whole question but for its answers, in plain lines: Markdown could be misled by what it quotes.
pub fn in_full(approval: &Approval) -> String {
    let mut text = format!("{}\n", super::words::visible_lines(&approval.title));
    let mut part = |head: &str, lines: &[String]| {
        if !lines.is_empty() {
            text.push_str(&format!("\n{head}\n"));
            for line in lines {
                for line in super::words::visible_lines(line).lines() {
                    text.push_str(&format!("  {line}\n"));
                }
            }
        }
    };
    part("What will happen:", &approval.details);
    part("Why it is asked:", &approval.because);
    let reason = approval.reason.trim();
    if !reason.is_empty() {
        part("The model says:", &[super::cut(reason, LONGEST_REASON)]);
    }
    if approval.kind == ApprovalKind::Choice {
        let command = format!("{} {{\"answer\": \"…\"}}", crate::commands::ANSWER);
        part("To answer in your own words, run the command:", &[command]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp() -> Stamp {
        Stamp {
            id: "token".into(),
            asked: 7,
        }
    }

    fn question(subject: Subject) -> Approval {
        let question = Question {
            session: "s".into(),
            call: "call_1".into(),
            tool: "bash".into(),
            reason: "to see\u{1b}[2J whether it works".into(),
            subject,
        };
        of_call(question, stamp())
    }

    fn answers(approval: &Approval) -> Vec<String> {
        let answers = approval.answers.iter();
        answers
            .map(|it| format!("{}: {}", it.answer, it.title))
            .collect()
    }

    fn permission(rules: &[&str]) -> Permission {
        Permission {
            title: "Run `cargo test`".into(),
            details: vec!["cargo test\nin .".into(), "sandbox: workspace_write".into()],
            because: vec!["No rule covers `cargo test`.".into()],
            rules: rules.iter().map(|rule| (*rule).to_owned()).collect(),
            place: Some(".mewcode/settings.local.yaml".into()),
        }
    }

    #[test]
    fn the_safe_answer_comes_first_and_rules_are_shown_whole() {
        let ruled = question(Subject::Permission(permission(&[
            "bash(cd:*)",
            "bash(cargo test:*)",
        ])));
        insta::assert_snapshot!(answers(&ruled).join("\n"), @"
        deny: Deny
        once: Allow once
        session: Allow `bash(cd:*)` and `bash(cargo test:*)` for this session
        always: Always allow `bash(cd:*)` and `bash(cargo test:*)` (written to .mewcode/settings.local.yaml)
        ");
        let unwritten = Permission {
            place: None,
            ..permission(&["bash(a)"])
        };
        let unwritten = question(Subject::Permission(unwritten));
        assert_eq!(
            answers(&unwritten)[2..],
            ["session: Allow `bash(a)` for this session"]
        );
        let plain = question(Subject::Permission(permission(&[])));
        assert_eq!(answers(&plain), ["deny: Deny", "once: Allow once"]);
        let trust = of_trust(permission(&["never offered"]), stamp());
        assert_eq!(
            answers(&trust),
            ["deny: Do not trust", "always: Trust this workspace"]
        );
        assert_eq!((trust.kind, trust.session), (ApprovalKind::Trust, None));
    }

    #[test]
    fn options_are_offered_once_behind_the_refusal() {
        let choice = Choice {
            question: "Which?".into(),
            options: ["a\nb", "a\\nb", "c", "c", "deny", " "]
                .map(str::to_owned)
                .into(),
        };
        let asked = question(Subject::Choice(choice));
        assert_eq!(
            answers(&asked),
            ["deny: Do not answer", "a\nb: a\\nb", "c: c"]
        );
    }

    #[test]
    fn a_question_can_be_read_in_full() {
        let asked = question(Subject::Permission(permission(&["bash(cargo test:*)"])));
        insta::assert_snapshot!(in_full(&asked), @r"
        Run `cargo test`

        What will happen:
          cargo test
          in .
          sandbox: workspace_write

        Why it is asked:
          No rule covers `cargo test`.

        The model says:
          to see\u{1b}[2J whether it works
        ");
    }
}
