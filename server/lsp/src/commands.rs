//! The commands of `workspace/executeCommand`: read the argument, start what it asks for, answer at once.
//!
//! Outcomes are events. An unknown id is an error with a sentence, never silence.

use crate::approvals;
use crate::protocol::{
    AnswerArguments, ApprovalArguments, ModeArguments, PromptArguments, ReviewArguments,
    SessionArguments,
};
use crate::review::book::Selection;
use crate::review::decide::Decision;
use crate::show;
use crate::state::State;
use crate::uri::path_of;
use mewcode_tools::permission::Mode;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::Arc;
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};

/// Start a run, or queue a prompt.
pub const PROMPT: &str = "mewcode.prompt";
/// Stop a session's run.
pub const CANCEL: &str = "mewcode.cancel";
/// Let the command that a session waits for go on in the background.
pub const MOVE_TO_BACKGROUND: &str = "mewcode.moveToBackground";
/// Change the permission mode.
pub const SET_MODE: &str = "mewcode.setMode";
/// Begin a session.
pub const NEW_SESSION: &str = "mewcode.newSession";
/// Accept or keep hunks.
pub const ACCEPT: &str = "mewcode.review.accept";
/// Reject or revert hunks.
pub const REJECT: &str = "mewcode.review.reject";
/// Show hunks as a diff.
pub const SHOW_DIFF: &str = "mewcode.review.showDiff";
/// Answer a question.
pub const ANSWER: &str = "mewcode.approval.answer";
/// Show a question in full.
pub const SHOW_APPROVAL: &str = "mewcode.approval.show";
/// Show a session's transcript.
pub const OPEN_TRANSCRIPT: &str = "mewcode.openTranscript";
/// Read the configuration again.
pub const RELOAD_CONFIG: &str = "mewcode.reloadConfig";
/// Ask whether the workspace is trusted.
pub const TRUST_WORKSPACE: &str = "mewcode.trustWorkspace";
/// Tell the status.
pub const STATUS: &str = "mewcode.status";

/// All of them, as the server's capabilities name them.
pub const ALL: [&str; 14] = [
    PROMPT,
    CANCEL,
    MOVE_TO_BACKGROUND,
    SET_MODE,
    NEW_SESSION,
    ACCEPT,
    REJECT,
    SHOW_DIFF,
    ANSWER,
    SHOW_APPROVAL,
    OPEN_TRANSCRIPT,
    RELOAD_CONFIG,
    TRUST_WORKSPACE,
    STATUS,
];

/// Carries out one command.
pub fn execute(state: &Arc<State>, command: &str, arguments: Vec<Value>) -> Result<Option<Value>> {
    let argument = Argument {
        command,
        value: arguments.into_iter().next().unwrap_or_else(|| json!({})),
    };
    match command {
        PROMPT => {
            let arguments: PromptArguments = argument.read()?;
            answer(&state.sessions.prompt(state, arguments).map_err(refused)?)
        }
        CANCEL => {
            let arguments: SessionArguments = argument.read()?;
            let stopped = state
                .cancel(arguments.session.as_deref())
                .map_err(refused)?;
            answer(&json!({"stopped": stopped}))
        }
        MOVE_TO_BACKGROUND => {
            let SessionArguments { session } = argument.read()?;
            let moved = state.sessions.move_to_background(session.as_deref());
            answer(&json!({"commands": moved.map_err(refused)?}))
        }
        SET_MODE => {
            let ModeArguments { mode, session } = argument.read()?;
            let mode: Mode = mode.parse().map_err(refused)?;
            state
                .sessions
                .set_mode(mode, session.as_deref())
                .map_err(refused)?;
            state.show_status();
            answer(&json!({"mode": mode}))
        }
        NEW_SESSION => {
            let SessionArguments { .. } = argument.read()?;
            let session = state.sessions.create(state).map_err(refused)?;
            state.show_status();
            answer(&json!({"session": session}))
        }
        ACCEPT | REJECT => {
            let arguments: ReviewArguments = argument.read()?;
            let decision = Decision {
                selection: selection(state, &arguments)?,
                accept: command == ACCEPT,
                take: arguments.take,
                feedback: arguments.feedback,
            };
            answer(&state.decide(decision))
        }
        SHOW_DIFF => {
            let selection = selection(state, &argument.read()?)?;
            show::diff(state, selection);
            Ok(None)
        }
        ANSWER => {
            let AnswerArguments {
                id,
                answer: given,
                feedback,
            } = argument.read()?;
            let answered = state.approvals.answer(id.as_deref(), &given, feedback);
            state.show_approvals();
            answer(&json!({"answered": answered.map_err(refused)?}))
        }
        SHOW_APPROVAL => {
            let ApprovalArguments { id } = argument.read()?;
            approvals::show_in_full(state, &id).map_err(refused)?;
            Ok(None)
        }
        OPEN_TRANSCRIPT => {
            let arguments: SessionArguments = argument.read()?;
            let transcript = state
                .sessions
                .transcript(arguments.session.as_deref())
                .map_err(refused)?;
            show::transcript(state, transcript.markdown);
            Ok(None)
        }
        RELOAD_CONFIG => {
            let SessionArguments { .. } = argument.read()?;
            state.sessions.reload_config().map_err(refused)?;
            state.show_status();
            answer(&state.status())
        }
        TRUST_WORKSPACE => {
            let SessionArguments { .. } = argument.read()?;
            let offer = state.sessions.trust_offer().map_err(refused)?;
            answer(&json!({"asked": approvals::ask_trust(state, offer)}))
        }
        STATUS => {
            let SessionArguments { .. } = argument.read()?;
            answer(&state.status())
        }
        unknown => Err(refused(format!(
            "there is no command `{unknown}`; the commands are {}",
            ALL.join(", ")
        ))),
    }
}

/// The one argument of a command.
struct Argument<'a> {
    command: &'a str,
    value: Value,
}

impl Argument<'_> {
    fn read<T: DeserializeOwned>(self) -> Result<T> {
        serde_json::from_value(self.value).map_err(|error| {
            refused(format!(
                "the argument of `{}` does not fit: {error}",
                self.command
            ))
        })
    }
}

/// The hunks that a command names, with the ids checked.
fn selection(state: &State, arguments: &ReviewArguments) -> Result<Selection> {
    let ReviewArguments { hunk, uri, all, .. } = arguments;
    match (hunk, uri, all) {
        (Some(id), None, false) => match state.book.find(id) {
            Some(_) => Ok(Selection::Hunk(id.clone())),
            None => Err(refused(format!(
                "there is no undecided hunk `{id}`; it may have been decided meanwhile"
            ))),
        },
        (None, Some(uri), false) => {
            let path = state
                .documents
                .path(uri)
                .or_else(|| path_of(uri))
                .filter(|path| state.book.file(path).is_some());
            match path {
                Some(path) => Ok(Selection::File(path)),
                None => Err(refused(format!("there are no undecided hunks in {uri}"))),
            }
        }
        (None, None, true) => Ok(Selection::All),
        _ => Err(refused(
            "name exactly one of `hunk`, `uri` and `all: true`".to_owned(),
        )),
    }
}

fn answer<T: Serialize>(value: &T) -> Result<Option<Value>> {
    serde_json::to_value(value)
        .map(Some)
        .map_err(|error| refused(error.to_string()))
}

/// An error with a sentence for the user.
pub fn refused(message: impl ToString) -> Error {
    Error {
        code: ErrorCode::InvalidParams,
        message: message.to_string().into(),
        data: None,
    }
}
