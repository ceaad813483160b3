//! Code lenses over hunks: accept, reject, diff; over a conflicted one whose lines are to stand. And at the top of each
//! document the oldest question that waits. From memory.

use crate::code_actions::approvals::{is_refusal, subject};
use crate::commands;
use crate::protocol::{Approval, Take};
use crate::review::book::FileView;
use crate::review::hunk::{Hunk, State, When};
use crate::review::publish::range_of;
use serde_json::json;
use std::sync::Arc;
use tower_lsp::ls_types::{CodeLens, Command, Range};

/// The lenses of a file's hunks.
pub fn lenses(file: &FileView) -> Vec<CodeLens> {
    // Lines put in at the end stand behind the last line, where editors show no lens.
    let last = file.text.text().line_count().saturating_sub(1);
    file.hunks
        .iter()
        .filter(|(hunk, _)| hunk.state != State::Deciding)
        .flat_map(|(hunk, _)| buttons(hunk, u32::try_from(last).unwrap_or(u32::MAX)))
        .collect()
}

/// The lenses of the oldest question: what it is, and its two plainest answers, the refusal first. The others are code
/// actions.
pub fn of_approvals(waiting: &[Arc<Approval>]) -> Vec<CodeLens> {
    let Some(approval) = waiting.first() else {
        return Vec::new();
    };
    let more = match waiting.len() {
        1 => String::new(),
        count => format!(" (and {} more)", count - 1),
    };
    let lens = |title: String, command: &str, argument| CodeLens {
        range: Range::default(),
        command: Some(Command {
            title,
            command: command.to_owned(),
            arguments: Some(vec![argument]),
        }),
        data: None,
    };
    let question = format!("MewCode asks: {}{more}", subject(approval));
    let mut lenses = vec![lens(
        question,
        commands::SHOW_APPROVAL,
        json!({"id": approval.id}),
    )];
    let plain = approval.answers.iter().take(2);
    lenses.extend(plain.map(|answer| {
        let mark = if is_refusal(answer) { "✗" } else { "✓" };
        let argument = json!({"id": approval.id, "answer": answer.answer});
        lens(
            format!("{mark} {}", answer.title),
            commands::ANSWER,
            argument,
        )
    }));
    lenses
}

fn buttons(hunk: &Hunk, last: u32) -> Vec<CodeLens> {
    let mut range = range_of(hunk);
    if range.start.line > last {
        range.start.line = last;
        range.end = range.start;
    }
    let this = json!({"hunk": hunk.id});
    let take = |take: Take| json!({"hunk": hunk.id, "take": take});
    let show = ("Diff".to_owned(), commands::SHOW_DIFF, this.clone());
    let button = |title: &str, command, argument| (title.to_owned(), command, argument);
    let buttons = match (&hunk.whole, hunk.when, hunk.state) {
        (Some(whole), when, state) => {
            let (yes, no) = whole.answers(when);
            let yes = (format!("✓ {yes}"), commands::ACCEPT, this.clone());
            // What conflicts with the user's change can no longer be done.
            let yes = (state != State::Conflicted).then_some(yes);
            let no = (format!("✗ {no}"), commands::REJECT, this);
            yes.into_iter().chain([no, show]).collect()
        }
        (None, When::Before, State::Conflicted) => vec![
            button("Conflict: keep mine", commands::ACCEPT, take(Take::Mine)),
            button("agent's", commands::ACCEPT, take(Take::Agent)),
            button("both", commands::ACCEPT, take(Take::Both)),
            show,
        ],
        (None, When::Before, _) => vec![
            button("✓ Accept", commands::ACCEPT, this.clone()),
            button("✗ Reject", commands::REJECT, this),
            show,
        ],
        (None, When::After, _) => vec![
            button("✓ Keep", commands::ACCEPT, this.clone()),
            button("✗ Revert", commands::REJECT, this),
            show,
        ],
    };
    buttons
        .into_iter()
        .map(move |(title, command, argument)| CodeLens {
            range,
            command: Some(Command {
                title,
                command: command.to_owned(),
                arguments: Some(vec![argument]),
            }),
            data: None,
        })
        .collect()
}
