//! `$/progress` for a run: what it is doing now, with a way to stop it.

use crate::state::State;
use mewcode_agent::event::{Event, Outcome};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tower_lsp::ls_types::notification::Progress as ProgressNotification;
use tower_lsp::ls_types::request::WorkDoneProgressCreate;
use tower_lsp::ls_types::{
    NumberOrString, ProgressParams, ProgressParamsValue, WorkDoneProgress, WorkDoneProgressBegin,
    WorkDoneProgressCreateParams, WorkDoneProgressEnd, WorkDoneProgressReport,
};

/// How long the client may take to allow a progress.
const CREATE_TIMEOUT: Duration = Duration::from_secs(5);
/// Before the run's id in a progress token.
const TOKEN_PREFIX: &str = "mewcode-run-";

/// The run that a progress token stands for.
pub fn run_of(token: &NumberOrString) -> Option<&str> {
    match token {
        NumberOrString::String(token) => token.strip_prefix(TOKEN_PREFIX),
        NumberOrString::Number(_) => None,
    }
}

/// The progress of one run.
#[derive(Debug)]
pub struct Progress {
    updates: mpsc::UnboundedSender<WorkDoneProgress>,
    /// The calls under way, with their titles, the first one first.
    calls: Vec<(String, String)>,
}

impl Progress {
    /// Asks the client for a progress and begins it, in the background. `None` if the client shows none.
    pub fn begin(state: &Arc<State>, run: &str) -> Option<Self> {
        if !state.profile().progress {
            return None;
        }
        let token = NumberOrString::String(format!("{TOKEN_PREFIX}{run}"));
        let (sender, mut updates) = mpsc::unbounded_channel();
        let peer = Arc::clone(&state.peer);
        state.spawn(async move {
            // A run that is over already, stopped before it began, needs none.
            if updates.is_closed() {
                return;
            }
            let params = WorkDoneProgressCreateParams {
                token: token.clone(),
            };
            // A client that refuses gets no progress; the run does not need it.
            if peer
                .request::<WorkDoneProgressCreate>(params, CREATE_TIMEOUT)
                .await
                .is_err()
            {
                return;
            }
            while let Some(update) = updates.recv().await {
                peer.notify::<ProgressNotification>(&ProgressParams {
                    token: token.clone(),
                    value: ProgressParamsValue::WorkDone(update),
                });
            }
        });
        Some(Self {
            updates: sender,
            calls: Vec::new(),
        })
    }

    /// Shows what an event means for the run. While calls are under way, the first of them is shown.
    pub fn tell(&mut self, event: &Event) {
        let report = |message: String| {
            WorkDoneProgress::Report(WorkDoneProgressReport {
                cancellable: Some(true),
                message: Some(message),
                percentage: None,
            })
        };
        let update = match event {
            Event::RunStarted { prompt } => WorkDoneProgress::Begin(WorkDoneProgressBegin {
                title: "MewCode".to_owned(),
                cancellable: Some(true),
                message: Some(first_line(prompt)),
                percentage: None,
            }),
            Event::CallStarted { call, title, .. } => {
                self.calls.push((call.clone(), title.clone()));
                report(self.calls[0].1.clone())
            }
            Event::CallEnded { call, summary, .. } => {
                self.calls.retain(|(under_way, _)| under_way != call);
                let title = self.calls.first().map(|(_, title)| title);
                report(title.unwrap_or(summary).clone())
            }
            Event::Retrying { reason, .. } => report(format!("trying again: {reason}")),
            Event::RunEnded { outcome, message } => WorkDoneProgress::End(WorkDoneProgressEnd {
                message: Some(ending(*outcome, message.as_deref())),
            }),
            Event::Text { .. } | Event::Thinking { .. } | Event::Usage(_) => return,
        };
        // The task has ended if the client refused a progress.
        let _ = self.updates.send(update);
    }
}

fn ending(outcome: Outcome, message: Option<&str>) -> String {
    let outcome = match outcome {
        Outcome::Done => "done",
        Outcome::Failed => "failed",
        Outcome::Cancelled => "stopped",
        Outcome::Limit => "stopped at a limit",
    };
    match message {
        Some(message) => format!("{outcome}: {}", first_line(message)),
        None => outcome.to_owned(),
    }
}

/// As much of a text as a status line can show.
fn first_line(text: &str) -> String {
    const SHOWN: usize = 120;
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mewcode_tools::result::Status;

    #[test]
    fn while_calls_are_under_way_the_first_of_them_is_shown() {
        let (updates, mut told) = mpsc::unbounded_channel();
        let mut progress = Progress {
            updates,
            calls: Vec::new(),
        };
        let started = |call: &str| Event::CallStarted {
            call: call.to_owned(),
            tool: "read_file".to_owned(),
            arguments: serde_json::json!({}),
            title: format!("reads {call}"),
        };
        let ended = |call: &str| Event::CallEnded {
            call: call.to_owned(),
            tool: "read_file".to_owned(),
            status: Status::Ok,
            error_kind: None,
            summary: format!("has read {call}"),
            files: Vec::new(),
        };
        let mut shown = Vec::new();
        for event in [
            started("a"),
            started("b"),
            started("c"),
            ended("b"),
            ended("a"),
            ended("c"),
        ] {
            progress.tell(&event);
            if let Ok(WorkDoneProgress::Report(report)) = told.try_recv() {
                shown.extend(report.message);
            }
        }
        let expected = [
            "reads a",
            "reads a",
            "reads a",
            "reads a",
            "reads c",
            "has read c",
        ];
        assert_eq!(shown, expected);
    }
}
