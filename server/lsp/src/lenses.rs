//! Code lenses over hunks: accept, reject, diff. From memory.

use crate::commands;
use crate::review::book::FileView;
use crate::review::hunk::{Hunk, State, When};
use crate::review::publish::range_of;
use serde_json::json;
use tower_lsp::ls_types::{CodeLens, Command};

/// The lenses of a file's hunks.
pub fn lenses(file: &FileView) -> Vec<CodeLens> {
    file.hunks
        .iter()
        .filter(|(hunk, _)| hunk.state != State::Deciding)
        .flat_map(|(hunk, _)| buttons(hunk))
        .collect()
}

fn buttons(hunk: &Hunk) -> Vec<CodeLens> {
    let range = range_of(hunk);
    let (accept, reject) = match hunk.when {
        When::Before => ("✓ Accept", "✗ Reject"),
        When::After => ("✓ Keep", "✗ Revert"),
    };
    [
        (accept, commands::ACCEPT),
        (reject, commands::REJECT),
        ("Diff", commands::SHOW_DIFF),
    ]
    .into_iter()
    .map(|(title, command)| CodeLens {
        range,
        command: Some(Command {
            title: title.to_owned(),
            command: command.to_owned(),
            arguments: Some(vec![json!({"hunk": hunk.id})]),
        }),
        data: None,
    })
    .collect()
}
