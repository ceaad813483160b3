//! What is told of a command: how it stands or ended, what is to be known besides, and its output.

use std::time::Duration;

use super::hindered;
use super::output::{MAX_OUTPUT_BYTES, MAX_OUTPUT_LINES, Output};
use crate::builtin::printed::NOTHING;
use crate::contract::CallScope;
use crate::error::ToolError;
use crate::process::{Cause, Ending, Exit, Leftover, Running, Status};
use crate::result::{Metrics, ToolResult};
use crate::sandbox::Policy;
use crate::truncate::{Bound, Cut};

/// The result of a call while it comes together.
pub(super) struct Report {
    scope: CallScope,
    policy: Policy,
    notes: Vec<String>,
}

impl Report {
    pub(super) fn new(scope: &CallScope, policy: Policy) -> Report {
        Report {
            scope: scope.clone(),
            policy,
            notes: Vec::new(),
        }
    }

    /// What is to be known besides, a sentence each.
    pub(super) fn notes(&mut self, notes: impl IntoIterator<Item = String>) {
        self.notes.extend(notes);
    }

    /// It goes on in the background: as it was to (`background`), or because somebody moved it there. Blocks, as the other
    /// does. Returns what it tells of a refusal too.
    pub(super) fn goes_on(
        self,
        running: &Running,
        background: bool,
    ) -> (ToolResult, Option<String>) {
        let id = running.id();
        let first = match background {
            true => format!(
                "Runs in the background as `{id}`. Read its output with process_output, end it with process_stop. It ends with the server."
            ),
            false => format!(
                "The user moved it to the background: it goes on as `{id}`. Read its output with process_output."
            ),
        };
        self.result(running, &first)
    }

    /// It has ended.
    pub(super) fn ended(mut self, running: &Running, ending: &Ending) -> ToolResult {
        self.notes(notes_of(running, ending));
        if running.is_background() {
            self.notes.push(format!(
                "It was to run in the background, as `{}`.",
                running.id()
            ));
        }
        let error = error_of(ending);
        let first = match &error {
            Some(error) => error.to_string(),
            None => format!("{}.", capitalised(&how_it_ended(ending))),
        };
        let (result, _) = self.result(running, &first);
        let metrics = measured(result.metrics, ending);
        match (&ending.cause, error) {
            (Cause::Cancelled | Cause::Stopped, _) => ToolResult {
                truncation: result.truncation,
                metrics,
                ..ToolResult::interrupted(result.content)
            },
            (_, Some(error)) => ToolResult {
                content: result.content,
                truncation: result.truncation,
                metrics,
                ..ToolResult::error(error)
            },
            (_, None) => ToolResult { metrics, ..result },
        }
    }

    /// The first line, then the notes, then the output in the room that they leave. Returns what is among the notes of a
    /// refusal too.
    fn result(mut self, running: &Running, first: &str) -> (ToolResult, Option<String>) {
        let output = Output::of(running, &self.scope);
        let refusal = hindered::by_the_sandbox(running, &output.plain, &self.policy);
        let refusal = refusal.map(|refusal| refusal.to_string());
        self.notes.extend(refusal.clone());
        let settings = &self.scope.host.commands;
        self.notes
            .extend(hindered::by_limits(running, &output, settings));
        if output.only_errors {
            self.notes
                .push("All of the output is standard error.".to_owned());
        }
        (told(first, &self.notes, &output), refusal)
    }
}

/// A result: a line, notes, and of the output what fits beside them.
pub(in crate::builtin) fn told(first: &str, notes: &[String], output: &Output) -> ToolResult {
    let Cut { text, truncation } = output.within(bound_beside(first, notes));
    let mut content = first.to_owned();
    for note in notes {
        content.push('\n');
        content.push_str(note);
    }
    content.push('\n');
    if text.is_empty() {
        content.push_str(NOTHING);
        content.push('\n');
    } else {
        content.push_str(&text);
    }
    ToolResult {
        truncation,
        ..ToolResult::ok(content)
    }
}

/// What is left for the output beside what is told first.
fn bound_beside(first: &str, notes: &[String]) -> Bound {
    let told = std::iter::once(first).chain(notes.iter().map(String::as_str));
    let (lines, bytes) = told.fold((0, 0), |(lines, bytes), text| {
        (lines + text.lines().count(), bytes + text.len() + 1)
    });
    Bound {
        // The mark of a cut is a line too.
        lines: MAX_OUTPUT_LINES.saturating_sub(lines + 1),
        bytes: MAX_OUTPUT_BYTES.saturating_sub(bytes),
    }
}

/// Why a command that ended did not do its work; none: it did, whatever its exit code.
fn error_of(ending: &Ending) -> Option<ToolError> {
    match &ending.cause {
        Cause::Exited | Cause::Cancelled | Cause::Stopped => None,
        Cause::TimedOut(time) => Some(
            ToolError::timed_out(format!(
                "The command did not end within {}, and was ended with all that it had started.",
                duration(*time)
            ))
            .suggest("Give it more time with `timeout_ms` (at most 600000), or run it in the background."),
        ),
        Cause::Silent(time) => Some(
            ToolError::timed_out(format!(
                "The command printed nothing for {}, and was ended with all that it had started.",
                duration(*time)
            ))
            .suggest("Find out what it waits for, or give it more time with `silence_ms`.")
            .with("silent", true),
        ),
        Cause::Limit(limit) => Some(
            ToolError::quota(format!("It was ended: {limit}."))
                .suggest("Work on less at once, or ask the user to raise the limit in the settings."),
        ),
        Cause::Lost => Some(
            ToolError::conflict("The process that MewCode watches the command with was killed, by the command or by somebody else; the command was ended with all that was found of it.")
                .suggest("Look at what it has done before you go on, and do not kill processes that you did not start."),
        ),
    }
}

/// What else came of it.
pub(super) fn notes_of(running: &Running, ending: &Ending) -> Vec<String> {
    let mut notes = Vec::new();
    // In the background that goes on, and is ended when all of it is.
    if !ending.ended.is_empty() && !running.is_background() {
        notes.push(format!(
            "What it had left running was ended: {}. To keep a process running start it with `background`.",
            names(&ending.ended)
        ));
    }
    if !ending.remaining.is_empty() {
        notes.push(format!(
            "Could not be ended and still runs: {}.",
            names(&ending.remaining)
        ));
    }
    notes.extend(ending.repositories.iter().map(|repository| {
        format!(
            "While it ran, a repository appeared, `{}`: if the command made it, its hooks and configuration are its own work. Tell \
             the user.",
            repository.display()
        )
    }));
    notes.extend(ending.obeyed.iter().map(|path| {
        format!(
            "While it ran, `{}` appeared, which a program runs or obeys once the user lets it. Tell the user.",
            path.display()
        )
    }));
    notes.extend(ending.faults.iter().cloned());
    if let Some(error) = &ending.artifact_error {
        notes.push(format!("The output could not be kept as a whole: {error}."));
    }
    notes
}

fn names(processes: &[Leftover]) -> String {
    let names: Vec<String> = processes
        .iter()
        .map(|process| format!("`{}` (pid {})", process.name, process.pid))
        .collect();
    names.join(", ")
}

/// How a command stands that ended so, or has not ended, in a few words: `running for 12 s`.
pub(in crate::builtin) fn state_of(running: &Running, ending: Option<&Ending>) -> String {
    let elapsed = duration(running.elapsed());
    match (running.status(), ending) {
        (_, Some(ending)) => how_it_ended(ending),
        (Status::Left(exit), None) => {
            format!("{exit}, and what it started has been running for {elapsed}")
        }
        (_, None) => format!("running for {elapsed}"),
    }
}

/// How a command ended, in a few words: `exit code 0 after 1.2 s`.
fn how_it_ended(ending: &Ending) -> String {
    let exit = match (&ending.cause, ending.exit) {
        (Cause::Cancelled, _) => "the call was cancelled and the command ended".to_owned(),
        (Cause::Stopped, _) => "stopped".to_owned(),
        (Cause::TimedOut(_), _) => "timed out".to_owned(),
        (Cause::Silent(_), _) => "ended because it printed nothing".to_owned(),
        (Cause::Limit(limit), _) => format!("ended because {limit}"),
        (Cause::Lost, _) => "ended without anybody seeing how".to_owned(),
        (Cause::Exited, Some(exit @ Exit::Code(_))) => exit.to_string(),
        (Cause::Exited, Some(exit @ Exit::Signal(_))) => format!("ended by {exit}"),
        (Cause::Exited, None) => "ended".to_owned(),
    };
    format!("{exit} after {}", duration(ending.duration))
}

/// The measures of a call that tells how a command ended.
pub(in crate::builtin) fn measured(metrics: Metrics, ending: &Ending) -> Metrics {
    Metrics {
        exit_code: ending.exit.and_then(code),
        signal: ending.exit.and_then(signal),
        ..metrics
    }
}

fn code(exit: Exit) -> Option<i32> {
    match exit {
        Exit::Code(code) => Some(code),
        Exit::Signal(_) => None,
    }
}

fn signal(exit: Exit) -> Option<i32> {
    match exit {
        Exit::Code(_) => None,
        Exit::Signal(signal) => Some(signal),
    }
}

/// A time in words: `350 ms`, `1.2 s`, `2 min 5 s`.
pub(in crate::builtin) fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0 => format!("{} ms", time.as_millis()),
        1..10 => {
            let tenths = time.subsec_millis() / 100;
            match tenths {
                0 => format!("{seconds} s"),
                tenths => format!("{seconds}.{tenths} s"),
            }
        }
        10..60 => format!("{seconds} s"),
        60..3600 => match seconds % 60 {
            0 => format!("{} min", seconds / 60),
            rest => format!("{} min {rest} s", seconds / 60),
        },
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(characters).collect()
    })
}
