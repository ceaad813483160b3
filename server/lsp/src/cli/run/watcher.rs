//! What a person reads of a run: the model's words as they come, one line a call, the diffs of what landed.

use std::collections::HashMap;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

use mewcode_agent::event::{Envelope, Event, Events};
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
            Event::CallEnded {
                call,
                tool,
                status,
                summary,
                files,
                ..
            } => {
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
