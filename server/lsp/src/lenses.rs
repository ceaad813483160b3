//! Code lenses over hunks: accept, reject, diff; over a conflicted one whose lines are to stand. From memory.

use crate::commands;
use crate::protocol::Take;
use crate::review::book::FileView;
use crate::review::hunk::{Hunk, State, When};
use crate::review::publish::range_of;
use serde_json::json;
use tower_lsp::ls_types::{CodeLens, Command};

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

fn buttons(hunk: &Hunk, last: u32) -> Vec<CodeLens> {
    let mut range = range_of(hunk);
    if range.start.line > last {
        range.start.line = last;
        range.end = range.start;
    }
    let this = json!({"hunk": hunk.id});
    let take = |take: Take| json!({"hunk": hunk.id, "take": take});
    let show = ("Diff", commands::SHOW_DIFF, this.clone());
    let buttons = match (hunk.when, hunk.state) {
        (When::Before, State::Conflicted) => vec![
            ("Conflict: keep mine", commands::ACCEPT, take(Take::Mine)),
            ("agent's", commands::ACCEPT, take(Take::Agent)),
            ("both", commands::ACCEPT, take(Take::Both)),
            show,
        ],
        (When::Before, _) => vec![
            ("✓ Accept", commands::ACCEPT, this.clone()),
            ("✗ Reject", commands::REJECT, this),
            show,
        ],
        (When::After, _) => vec![
            ("✓ Keep", commands::ACCEPT, this.clone()),
            ("✗ Revert", commands::REJECT, this),
            show,
        ],
    };
    buttons
        .into_iter()
        .map(move |(title, command, argument)| CodeLens {
            range,
            command: Some(Command {
                title: title.to_owned(),
                command: command.to_owned(),
                arguments: Some(vec![argument]),
            }),
            data: None,
        })
        .collect()
}
