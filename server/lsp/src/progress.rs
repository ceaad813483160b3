//! `$/progress` for a run: what it is doing now, with a way to stop it.

use crate::state::State;
use mewcode_agent::event::{Event, Outcome};
use mewcode_tools::notice::StepStatus;
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
    /// The calls under way, the first one first.
    calls: Vec<UnderWay>,
}

#[derive(Debug)]
struct UnderWay {
    call: String,
    title: String,
    /// The question that it waits for an answer to.
    question: Option<String>,
    /// The last line that its command printed.
    output: Option<String>,
}

impl UnderWay {
    fn shown(&self) -> String {
        match (&self.question, &self.output) {
            (Some(question), _) => format!("waits for your answer: {}", first_line(question)),
            (None, Some(output)) => format!("{}: {}", self.title, first_line(output)),
            (None, None) => self.title.clone(),
        }
    }
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

    /// Shows what an event means for the run. While calls are under way, one that waits for an answer is shown, or else the
    /// first.
    pub fn tell(&mut self, event: &Event) {
        self.note(event);
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
            Event::CallStarted { title: words, .. } | Event::CallEnded { summary: words, .. } => {
                report(self.shown().unwrap_or_else(|| words.clone()))
            }
            Event::ApprovalAsked { .. } | Event::ApprovalAnswered { .. } | Event::Output { .. } => {
                match self.shown() {
                    Some(message) => report(message),
                    None => return,
                }
            }
            Event::Plan { steps, .. } => {
                match steps.iter().find(|it| it.status == StepStatus::InProgress) {
                    Some(step) => report(first_line(&step.step)),
                    None => return,
                }
            }
            Event::Retrying { reason, .. } => report(format!("trying again: {reason}")),
            Event::RunEnded { outcome, message } => WorkDoneProgress::End(WorkDoneProgressEnd {
                message: Some(ending(*outcome, message.as_deref())),
            }),
            Event::Text { .. }
            | Event::Thinking { .. }
            | Event::RuleAdded { .. }
            | Event::Usage(_) => return,
        };
        // The task has ended if the client refused a progress.
        let _ = self.updates.send(update);
    }

    /// Keeps what an event means for the calls under way.
    fn note(&mut self, event: &Event) {
        match event {
            Event::CallStarted { call, title, .. } => self.calls.push(UnderWay {
                call: call.clone(),
                title: title.clone(),
                question: None,
                output: None,
            }),
            Event::CallEnded { call, .. } => self.calls.retain(|it| it.call != *call),
            Event::ApprovalAsked { call, title } => {
                self.change(call, |it| it.question = Some(title.clone()));
            }
            Event::ApprovalAnswered { call, .. } => self.change(call, |it| it.question = None),
            Event::Output { call, tail } => {
                let last = tail.lines().rfind(|line| !line.trim().is_empty());
                self.change(call, |it| it.output = last.map(str::to_owned));
            }
            _ => {}
        }
    }

    fn change(&mut self, call: &str, change: impl FnOnce(&mut UnderWay)) {
        if let Some(under_way) = self.calls.iter_mut().find(|it| it.call == call) {
            change(under_way);
        }
    }

    /// What the calls under way are doing.
    fn shown(&self) -> Option<String> {
        let waits = self.calls.iter().find(|it| it.question.is_some());
        waits.or(self.calls.first()).map(UnderWay::shown)
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

    /// What is shown after each of the events.
    fn shown(events: &[Event]) -> Vec<String> {
        let (updates, mut told) = mpsc::unbounded_channel();
        let mut progress = Progress {
            updates,
            calls: Vec::new(),
        };
        let mut shown = Vec::new();
        for event in events {
            progress.tell(event);
            if let Ok(WorkDoneProgress::Report(report)) = told.try_recv() {
                shown.extend(report.message);
            }
        }
        shown
    }

    #[test]
    fn while_calls_are_under_way_the_first_of_them_is_shown() {
        let started = |call: &str| Event::CallStarted {
            call: call.to_owned(),
            tool: "read_file".to_owned(),
            arguments: serde_json::json!({}),
            title: format!("reads {call}"),
            purpose: None,
        };
        let ended = |call: &str| Event::CallEnded {
            call: call.to_owned(),
            tool: "read_file".to_owned(),
            status: Status::Ok,
            error_kind: None,
            summary: format!("has read {call}"),
            output: None,
            files: Vec::new(),
        };
        let events = [
            started("a"),
            started("b"),
            started("c"),
            ended("b"),
            ended("a"),
            ended("c"),
        ];
        let expected = [
            "reads a",
            "reads a",
            "reads a",
            "reads a",
            "reads c",
            "has read c",
        ];
        assert_eq!(shown(&events), expected);
    }

    #[test]
    fn a_question_that_waits_comes_before_all_else() {
        let started = |call: &str| Event::CallStarted {
            call: call.to_owned(),
            tool: "bash".to_owned(),
            arguments: serde_json::json!({}),
            title: format!("bash {call}"),
            purpose: None,
        };
        let output = |call: &str, tail: &str| Event::Output {
            call: call.to_owned(),
            tail: tail.to_owned(),
        };
        let (call, title) = ("b".to_owned(), "Run `b`".to_owned());
        let events = [
            started("a"),
            output("a", "one\ntwo\n\n"),
            started("b"),
            Event::ApprovalAsked {
                call: call.clone(),
                title: title.clone(),
            },
            output("a", "three"),
            Event::ApprovalAnswered {
                call,
                title,
                answer: "denied".to_owned(),
            },
        ];
        let expected = [
            "bash a",
            "bash a: two",
            "bash a: two",
            "waits for your answer: Run `b`",
            "waits for your answer: Run `b`",
            "bash a: three",
        ];
        assert_eq!(shown(&events), expected);
    }
}
