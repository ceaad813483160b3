//! What the tools about running commands share: finding one by its id, and a page of its output. Starts none.

use std::time::Duration;

use crate::contract::{CallScope, Idempotency, Limits, Recovery, Risk, ToolContract};
use crate::effect::{Effect, EffectBound, EffectKind};
use crate::error::ToolError;
use crate::names;
use crate::process::{Ending, Running};
use crate::schema::Parameters;

use super::bash::{MAX_OUTPUT_BYTES, MAX_OUTPUT_LINES, state_of};

/// How long the end of a command is waited for that prints nothing more.
const UNTIL_ITS_END: Duration = Duration::from_secs(2);

/// How long it may take to bring documents up to date that a command changed: an editor may be busy.
const UNTIL_ITS_NEWS: Duration = Duration::from_secs(5);

/// As much of a command line as stands in an answer about it.
const MAX_LINE: usize = 80;

/// The contract of a tool that looks at commands.
pub(super) fn contract(
    name: &str,
    description: &str,
    parameters: Parameters,
    timeout_ms: u64,
) -> ToolContract {
    ToolContract {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters,
        effect_bound: EffectBound::new([EffectKind::Read]),
        idempotency: Idempotency::Pure,
        risk: Risk::Low,
        limits: Limits {
            bytes: MAX_OUTPUT_BYTES,
            lines: Some(MAX_OUTPUT_LINES),
            default_timeout_ms: timeout_ms,
            maximum_timeout_ms: timeout_ms,
        },
        recovery: Recovery::Rerun,
        version: 1,
    }
}

/// The command of this session with this id.
pub(super) fn find(id: &str, scope: &CallScope) -> Result<Running, ToolError> {
    let processes = &scope.host.processes;
    if let Some(running) = processes.get(&scope.session, id) {
        return Ok(running);
    }
    let all = processes.list(&scope.session);
    let known: Vec<&str> = all.iter().map(Running::id).collect();
    let error = ToolError::not_found(format!("There is no command `{id}` in this session."));
    Err(if known.is_empty() {
        error.suggest("Start one with bash, setting `background`.")
    } else {
        error.suggest(format!("There are {}.", names::all(&known)))
    })
}

/// How a command stands.
pub(super) struct Standing {
    /// In a few words.
    pub(super) state: String,
    /// How it ended, if it has.
    pub(super) ending: Option<Ending>,
    /// What is to be told of it and was not, a sentence each.
    pub(super) news: Vec<String>,
}

impl Standing {
    /// Looks at a command, and brings documents up to date that it changed.
    pub(super) async fn of(running: &Running) -> Standing {
        let ending = running.ending();
        Standing {
            state: state_of(running, ending.as_ref()),
            news: news_of(running, ending.is_some()).await,
            ending,
        }
    }
}

/// What is to be told of a command and was not, when documents are up to date that it changed. What takes too long is told
/// the next time.
pub(super) async fn news_of(running: &Running, knows_end: bool) -> Vec<String> {
    let news = tokio::time::timeout(UNTIL_ITS_NEWS, running.news(knows_end));
    news.await.unwrap_or_default()
}

/// Waits for the end of a command that prints nothing more, so that how it ended can be told. What it started may go on
/// without a word: it is not waited for long.
pub(super) async fn end_of_silenced(running: &Running) {
    if running.is_silenced() {
        // That it has not ended then is seen by how it stands.
        let _ = tokio::time::timeout(UNTIL_ITS_END, running.wait()).await;
    }
}

/// What looking at a command touches: it waits for whatever changes the folder that it runs in.
pub(super) fn looked_at(running: &Running) -> Vec<Effect> {
    vec![Effect::Read(vec![running.workdir().to_owned()])]
}

/// The command line in one short line.
pub(super) fn short_line(line: &str) -> String {
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
