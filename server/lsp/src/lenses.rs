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
    file.hunks
        .iter()
        .filter(|(hunk, _)| hunk.state != State::Deciding)
        .flat_map(|(hunk, _)| buttons(hunk))
        .collect()
}

fn buttons(hunk: &Hunk) -> Vec<CodeLens> {
    let range = range_of(hunk);
    let accept = |take| (commands::ACCEPT, Some(take));
    let buttons: &[(&str, (&str, Option<Take>))] = match (hunk.when, hunk.state) {
        (When::Before, State::Conflicted) => &[
            ("✓ Keep mine", accept(Take::Mine)),
            ("✓ Take the agent's", accept(Take::Agent)),
            ("✓ Keep both", accept(Take::Both)),
            ("✗ Reject", (commands::REJECT, None)),
            ("Diff", (commands::SHOW_DIFF, None)),
        ],
        (When::Before, _) => &[
            ("✓ Accept", (commands::ACCEPT, None)),
            ("✗ Reject", (commands::REJECT, None)),
            ("Diff", (commands::SHOW_DIFF, None)),
        ],
        (When::After, _) => &[
            ("✓ Keep", (commands::ACCEPT, None)),
            ("✗ Revert", (commands::REJECT, None)),
            ("Diff", (commands::SHOW_DIFF, None)),
        ],
    };
    buttons
        .iter()
        .map(|(title, (command, take))| CodeLens {
            range,
            command: Some(Command {
                title: (*title).to_owned(),
                command: (*command).to_owned(),
                arguments: Some(vec![match take {
                    Some(take) => json!({"hunk": hunk.id, "take": take}),
                    None => json!({"hunk": hunk.id}),
                }]),
            }),
            data: None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mewcode_core::position::LineRange;
    use mewcode_core::text::Snapshot;

    fn titles(state: State) -> Vec<String> {
        let hunk = Hunk {
            id: "h1".into(),
            proposal: "p1".into(),
            when: When::Before,
            state,
            old: "a\n".into(),
            new: "A\n".into(),
            base: Snapshot::decode("a\n"),
            lines: LineRange::new(0, 1),
        };
        let commands = buttons(&hunk).into_iter().filter_map(|lens| lens.command);
        commands
            .map(|command| {
                let arguments = command.arguments.unwrap_or_default();
                format!("{}: {}", command.title, arguments[0])
            })
            .collect()
    }

    #[test]
    fn a_conflict_is_offered_with_its_three_ends() {
        assert_eq!(
            titles(State::Proposed),
            [
                r#"✓ Accept: {"hunk":"h1"}"#,
                r#"✗ Reject: {"hunk":"h1"}"#,
                r#"Diff: {"hunk":"h1"}"#,
            ]
        );
        assert_eq!(
            titles(State::Conflicted),
            [
                r#"✓ Keep mine: {"hunk":"h1","take":"mine"}"#,
                r#"✓ Take the agent's: {"hunk":"h1","take":"agent"}"#,
                r#"✓ Keep both: {"hunk":"h1","take":"both"}"#,
                r#"✗ Reject: {"hunk":"h1"}"#,
                r#"Diff: {"hunk":"h1"}"#,
            ]
        );
    }
}
