//! What a person reads of a run: the model's words as they come, one line a call, the diffs of what landed.

use std::collections::HashMap;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

use mewcode_agent::event::{Envelope, Event, Events};
use mewcode_tools::notice::{PlanStep, StepStatus};
use mewcode_tools::result::{FileChange, Status};

use crate::cli::terminal::{Style, Terminal, printable};

/// Writes events to standard output.
pub struct Watcher {
    terminal: Terminal,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Whether the last thing written was text of the model that does not end in a line break.
    open_line: bool,
    /// The titles of the calls under way, by call.
    titles: HashMap<String, String>,
    /// The lines of commands under way that were shown last, by call.
    tails: HashMap<String, String>,
}

impl Watcher {
    /// For this terminal.
    pub fn new(terminal: Terminal) -> Self {
        Watcher {
            terminal,
            state: Mutex::default(),
        }
    }

    /// What an event adds to the output, after whatever stands there.
    fn text(&self, event: &Event, state: &mut State) -> String {
        let line = match event {
            Event::Text { delta } => {
                if !delta.is_empty() {
                    state.open_line = !delta.ends_with('\n');
                }
                return printable(delta).into_owned();
            }
            Event::CallStarted { call, title, .. } => {
                state.titles.insert(call.clone(), title.clone());
                return String::new();
            }
            Event::ApprovalAsked { title, .. } => self
                .terminal
                .paint(Style::Notice, &format!("? {}", printable(title))),
            Event::ApprovalAnswered { title, answer, .. } => {
                format!("  {}: {}", printable(title), printable(answer))
            }
            Event::RuleAdded { rule, place, .. } => {
                let place = place
                    .as_ref()
                    .map(|place| format!("to {}", printable(place)));
                let place = place.as_deref().unwrap_or("for this session");
                format!("  rule added {place}: {}", printable(rule))
            }
            Event::Plan { steps, .. } => self.plan(steps),
            Event::Output { call, tail } => {
                let before = state.tails.insert(call.clone(), tail.clone());
                match self.output(before.as_deref().unwrap_or_default(), tail) {
                    Some(lines) => lines,
                    None => return String::new(),
                }
            }
            Event::CallEnded {
                call,
                tool,
                status,
                summary,
                files,
                ..
            } => {
                state.tails.remove(call);
                let title = state.titles.remove(call).unwrap_or_else(|| tool.clone());
                self.call(&title, *status, summary, files)
            }
            Event::Retrying {
                attempt,
                attempts,
                reason,
                ..
            } => {
                let text = format!(
                    "{reason} Trying again ({attempt} of {attempts}); the words above are void."
                );
                self.terminal.paint(Style::Notice, &printable(&text))
            }
            _ => return String::new(),
        };
        let before = if std::mem::take(&mut state.open_line) {
            "\n"
        } else {
            ""
        };
        format!("{before}{line}\n")
    }

    /// The task list.
    fn plan(&self, steps: &[PlanStep]) -> String {
        let lines = steps.iter().map(|step| {
            let (mark, style) = match step.status {
                StepStatus::Pending => (" ", Style::Faint),
                StepStatus::InProgress => (">", Style::Notice),
                StepStatus::Completed => ("x", Style::Good),
            };
            let mark = self.terminal.paint(style, &format!("[{mark}]"));
            format!("  {mark} {}", printable(&step.step))
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The lines of a command that were not shown before.
    fn output(&self, before: &str, tail: &str) -> Option<String> {
        let (old, new): (Vec<_>, Vec<_>) = (before.lines().collect(), tail.lines().collect());
        // The two overlap by the end of the one and the start of the other.
        let known = (0..=old.len().min(new.len()))
            .rev()
            .find(|known| old.ends_with(&new[..*known]))
            .unwrap_or_default();
        let lines: Vec<String> = new[known..]
            .iter()
            .map(|line| {
                self.terminal
                    .paint(Style::Faint, &format!("  | {}", printable(line)))
            })
            .collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    fn call(&self, title: &str, status: Status, summary: &str, files: &[FileChange]) -> String {
        let (mark, style) = match status {
            Status::Ok => ("✓", Style::Good),
            Status::Denied | Status::Interrupted => ("!", Style::Notice),
            Status::Failed | Status::UnknownOutcome => ("✗", Style::Bad),
        };
        let mut text = format!(
            "{} {}: {}",
            self.terminal.paint(style, mark),
            printable(title),
            printable(summary)
        );
        for file in files {
            // The summary names them with their counts; which diff is whose is unclear only among several.
            if files.len() > 1 {
                text += &format!("\n  {}", printable(&file.path));
            }
            for line in file.diff.lines() {
                let style = match line.as_bytes().first() {
                    Some(b'+') => Style::Good,
                    Some(b'-') => Style::Bad,
                    _ => Style::Faint,
                };
                text += &format!("\n    {}", self.terminal.paint(style, &printable(line)));
            }
        }
        text
    }
}

impl Events for Watcher {
    fn emit(&self, envelope: &Envelope) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = self.text(&envelope.event, &mut state);
        if matches!(envelope.event, Event::RunEnded { .. }) && std::mem::take(&mut state.open_line)
        {
            text.push('\n');
        }
        let mut stdout = std::io::stdout().lock();
        // A reader that went away does not stop the run; its status still counts.
        let _ = stdout.write_all(text.as_bytes());
        let _ = stdout.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(events: &[Event]) -> String {
        let watcher = Watcher::new(Terminal::plain());
        let mut state = State::default();
        let texts = events.iter().map(|event| watcher.text(event, &mut state));
        texts.collect()
    }

    #[test]
    fn questions_rules_and_the_plan_are_lines_of_their_own() {
        let step = |step: &str, status| PlanStep {
            step: step.to_owned(),
            status,
        };
        let (call, title) = ("1".to_owned(), "Run `a\u{1b}[2J`".to_owned());
        let events = [
            Event::Text {
                delta: "Let me see.".to_owned(),
            },
            Event::ApprovalAsked {
                call: call.clone(),
                title: title.clone(),
            },
            Event::ApprovalAnswered {
                call: call.clone(),
                title,
                answer: "allowed for this session".to_owned(),
            },
            Event::RuleAdded {
                call: call.clone(),
                rule: "bash(a)".to_owned(),
                place: None,
            },
            Event::Plan {
                call,
                steps: vec![
                    step("look", StepStatus::Completed),
                    step("change", StepStatus::InProgress),
                    step("test", StepStatus::Pending),
                ],
            },
        ];
        insta::assert_snapshot!(shown(&events), @"
        Let me see.
        ? Run `a�[2J`
          Run `a�[2J`: allowed for this session
          rule added for this session: bash(a)
          [x] look
          [>] change
          [ ] test
        ");
    }

    #[test]
    fn no_line_of_a_command_is_shown_twice() {
        let output = |call: &str, tail: &str| Event::Output {
            call: call.to_owned(),
            tail: tail.to_owned(),
        };
        let events = [
            output("1", "one\ntwo"),
            output("1", "one\ntwo"),
            output("2", "two"),
            output("1", "two\nthree\n"),
            output("1", "five"),
        ];
        insta::assert_snapshot!(shown(&events), @"
        | one
        | two
        | two
        | three
        | five
        ");
    }
}
