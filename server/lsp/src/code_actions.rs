//! Code actions: every decision one keypress away, in any client. From memory; a command is filled in on resolve.
//!
//! Commands, never edits: clients apply an action's edit unchecked. `prompts` are those that ask the agent about code,
//! `approvals` those that answer its questions.

pub mod approvals;
pub mod prompts;

use crate::commands;
use crate::protocol::{Approval, Take};
use crate::review::book::FileView;
use crate::review::hunk::{Hunk, State, When};
use crate::review::publish::counts;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use tower_lsp::ls_types::{CodeAction, CodeActionKind, Command, Range};

/// Kind of the actions that accept or keep hunks.
pub const ACCEPT_KIND: &str = "mewcode.review.accept";
/// Kind of the actions that reject or revert hunks.
pub const REJECT_KIND: &str = "mewcode.review.reject";
/// Kind of the actions that show a diff.
pub const DIFF_KIND: &str = "mewcode.review.diff";
/// Kind of the actions on runs.
pub const SOURCE_KIND: &str = "source.mewcode";

/// What an action will do, kept in its `data` until it is chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// The command.
    pub command: String,
    /// Its argument.
    pub argument: Value,
}

/// What the actions are made of.
pub struct Context<'a> {
    /// The document, as the client spells it.
    pub uri: &'a str,
    /// Its path as the model and the user know it.
    pub display: &'a str,
    /// Its hunks, carried to its present text.
    pub file: Option<&'a FileView>,
    /// Where the cursor or the selection is.
    pub range: Range,
    /// The definition around the cursor, if it is known.
    pub definition: Option<prompts::Definition>,
    /// The kinds that the client wants; all if absent.
    pub only: Option<&'a [CodeActionKind]>,
    /// Undecided hunks of all documents.
    pub pending: usize,
    /// Runs under way.
    pub running: usize,
    /// Whether a run waits for a command.
    pub waits_for_command: bool,
    /// Whether there is a session to show.
    pub session: bool,
    /// Whether the workspace's files would grant more if it were trusted.
    pub trust: bool,
    /// The questions that wait, oldest first.
    pub approvals: &'a [Arc<Approval>],
}

/// The actions that fit.
pub fn actions(context: &Context<'_>) -> Vec<CodeAction> {
    // What waits for an answer stops a run: it comes before all else.
    let mut actions = approvals::actions(context);
    let mut add = |kind: &'static str, title: String, command: &str, argument: Value| {
        if wanted(context.only, kind) {
            actions.push(action(kind, title, command, argument));
        }
    };
    let (first, last) = (
        context.range.start.line as usize,
        context.range.end.line as usize,
    );
    let open: Vec<&Hunk> = context
        .file
        .iter()
        .flat_map(|file| &file.hunks)
        .map(|(hunk, _)| hunk)
        .filter(|hunk| hunk.state != State::Deciding)
        .collect();
    let existed = context.file.is_none_or(|file| file.target.existed);
    for hunk in open.iter().filter(|hunk| hunk.meets(first, last)) {
        hunk_actions(hunk, existed, &mut add);
    }
    if !open.is_empty() {
        let count = hunks(open.len());
        add(
            ACCEPT_KIND,
            format!("Accept all in this file ({count})"),
            commands::ACCEPT,
            json!({"uri": context.uri}),
        );
        add(
            REJECT_KIND,
            format!("Reject all in this file ({count})"),
            commands::REJECT,
            json!({"uri": context.uri}),
        );
        add(
            DIFF_KIND,
            "Show the diff of this file".to_owned(),
            commands::SHOW_DIFF,
            json!({"uri": context.uri}),
        );
    }
    if context.pending > open.len() {
        let count = hunks(context.pending);
        add(
            ACCEPT_KIND,
            format!("Accept all in all files ({count})"),
            commands::ACCEPT,
            json!({"all": true}),
        );
        add(
            REJECT_KIND,
            format!("Reject all in all files ({count})"),
            commands::REJECT,
            json!({"all": true}),
        );
    }
    actions.extend(prompts::actions(context));
    let mut add = |kind: &'static str, title: String, command: &str, argument: Value| {
        if wanted(context.only, kind) {
            actions.push(action(kind, title, command, argument));
        }
    };
    if context.running > 0 {
        add(
            SOURCE_KIND,
            "Stop the run".to_owned(),
            commands::CANCEL,
            json!({}),
        );
    }
    if context.waits_for_command {
        add(
            SOURCE_KIND,
            "Move the command to the background".to_owned(),
            commands::MOVE_TO_BACKGROUND,
            json!({}),
        );
    }
    if context.trust {
        // Trusts nothing yet: what would be granted is shown first, as a question.
        add(
            SOURCE_KIND,
            "Trust this workspace…".to_owned(),
            commands::TRUST_WORKSPACE,
            json!({}),
        );
    }
    if context.session {
        add(
            SOURCE_KIND,
            "Open transcript".to_owned(),
            commands::OPEN_TRANSCRIPT,
            json!({}),
        );
    }
    actions
}

/// So many hunks, in words.
fn hunks(count: usize) -> String {
    format!("{count} {}", if count == 1 { "hunk" } else { "hunks" })
}

/// The actions on one hunk. The argument names it, and for a conflict whose lines are to stand.
fn hunk_actions(
    hunk: &Hunk,
    existed: bool,
    add: &mut impl FnMut(&'static str, String, &str, Value),
) {
    let (added, removed) = counts(hunk, existed);
    let size = format!("+{added} −{removed}");
    let this = json!({"hunk": hunk.id});
    let take = |take: Take| json!({"hunk": hunk.id, "take": take});
    match (hunk.when, hunk.state) {
        _ if hunk.whole.is_some() => whole_actions(hunk, add),
        (When::Before, State::Conflicted) => {
            for (title, whose) in [
                ("Resolve conflict: keep my lines", Take::Mine),
                ("Resolve conflict: take the agent's lines", Take::Agent),
                ("Resolve conflict: keep both, mine first", Take::Both),
            ] {
                add(ACCEPT_KIND, title.to_owned(), commands::ACCEPT, take(whose));
            }
            add(
                REJECT_KIND,
                format!("Reject this hunk ({size})"),
                commands::REJECT,
                this.clone(),
            );
        }
        (When::Before, _) => {
            add(
                ACCEPT_KIND,
                format!("Accept this hunk ({size})"),
                commands::ACCEPT,
                this.clone(),
            );
            add(
                REJECT_KIND,
                format!("Reject this hunk ({size})"),
                commands::REJECT,
                this.clone(),
            );
        }
        (When::After, _) => {
            add(
                ACCEPT_KIND,
                format!("Keep this hunk ({size})"),
                commands::ACCEPT,
                this.clone(),
            );
            add(
                REJECT_KIND,
                format!("Revert this hunk ({size})"),
                commands::REJECT,
                this.clone(),
            );
        }
    }
    add(DIFF_KIND, "Show diff".to_owned(), commands::SHOW_DIFF, this);
}

/// The two actions on a file as a whole; one, where the user's change has made the other impossible.
fn whole_actions(hunk: &Hunk, add: &mut impl FnMut(&'static str, String, &str, Value)) {
    let Some(whole) = &hunk.whole else { return };
    let (yes, no) = whole.answers(hunk.when);
    let this = json!({"hunk": hunk.id});
    if hunk.state != State::Conflicted {
        add(ACCEPT_KIND, yes, commands::ACCEPT, this.clone());
    }
    add(REJECT_KIND, no, commands::REJECT, this);
}

/// Whether the client's filter lets a kind through: the kind itself or one above it.
fn wanted(only: Option<&[CodeActionKind]>, kind: &str) -> bool {
    only.is_none_or(|only| {
        only.iter().any(|wanted| {
            let wanted = wanted.as_str();
            wanted.is_empty()
                || kind
                    .strip_prefix(wanted)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    })
}

fn action(kind: &'static str, title: String, command: &str, argument: Value) -> CodeAction {
    let choice = Choice {
        command: command.to_owned(),
        argument,
    };
    CodeAction {
        title,
        kind: Some(CodeActionKind::from(kind)),
        data: serde_json::to_value(choice).ok(),
        ..CodeAction::default()
    }
}

/// Fills in the command of a chosen action.
pub fn resolve(mut action: CodeAction) -> CodeAction {
    let choice = action
        .data
        .take()
        .and_then(|data| serde_json::from_value::<Choice>(data).ok());
    if let Some(choice) = choice {
        action.command = Some(Command {
            title: action.title.clone(),
            command: choice.command,
            arguments: Some(vec![choice.argument]),
        });
    }
    action
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_filter_by_their_parts() {
        let kinds = |names: &[&'static str]| -> Vec<CodeActionKind> {
            names
                .iter()
                .map(|name| CodeActionKind::from(*name))
                .collect()
        };
        assert!(wanted(None, ACCEPT_KIND));
        assert!(wanted(Some(&kinds(&["mewcode"])), ACCEPT_KIND));
        assert!(wanted(
            Some(&kinds(&["mewcode.review.accept"])),
            ACCEPT_KIND
        ));
        assert!(wanted(Some(&kinds(&[""])), ACCEPT_KIND));
        assert!(!wanted(Some(&kinds(&["mew"])), ACCEPT_KIND));
        assert!(!wanted(Some(&kinds(&["quickfix"])), ACCEPT_KIND));
        assert!(!wanted(Some(&kinds(&[])), ACCEPT_KIND));
    }

    #[test]
    fn one_hunk_is_not_many() {
        assert_eq!(hunks(1), "1 hunk");
        assert_eq!(hunks(3), "3 hunks");
    }

    #[test]
    fn a_resolved_action_has_its_command_and_nothing_to_resolve() {
        let action = resolve(action(
            ACCEPT_KIND,
            "Accept".into(),
            commands::ACCEPT,
            json!({"hunk": "h1"}),
        ));
        let command = action.command.unwrap();
        assert_eq!(command.command, "mewcode.review.accept");
        assert_eq!(command.arguments, Some(vec![json!({"hunk": "h1"})]));
        assert_eq!(action.data, None);
    }
}
