//! The transcript of a session: its events as a Markdown document.
//!
//! Must not know who shows it. What models and tools wrote is shown, never obeyed: the module
//! `harmless` sees to it.

mod harmless;

use std::fmt::Write as _;

use mewcode_tools::notice::{PlanStep, StepStatus};
use mewcode_tools::result::{FileChange, Status};

use crate::event::{Envelope, Event, Outcome};

/// A transcript that grows with the events of a session.
#[derive(Debug, Clone, Default)]
pub struct Transcript {
    session: String,
    entries: Vec<Entry>,
}

#[derive(Debug, Clone)]
enum Entry {
    Prompt(String),
    Text(String),
    Thinking(String),
    Call {
        id: String,
        title: String,
        purpose: Option<String>,
        /// What was asked on its way, and what came of it.
        asides: Vec<Aside>,
        end: Option<CallEnd>,
    },
    Plan(Vec<PlanStep>),
    Note(String),
}

#[derive(Debug, Clone)]
enum Aside {
    Question {
        title: String,
        /// None: it waits, or its call ended without one.
        answer: Option<String>,
    },
    Rule {
        rule: String,
        place: Option<String>,
    },
}

#[derive(Debug, Clone)]
struct CallEnd {
    status: Status,
    words: String,
    output: Option<String>,
    files: Vec<FileChange>,
}

impl Transcript {
    /// The transcript of a session of which nothing has happened yet.
    pub fn new(session: impl Into<String>) -> Self {
        Self {
            session: session.into(),
            entries: Vec::new(),
        }
    }

    /// Takes the next event of the session.
    pub fn push(&mut self, envelope: &Envelope) {
        match &envelope.event {
            Event::RunStarted { prompt } => self.entries.push(Entry::Prompt(prompt.clone())),
            Event::Text { delta } => match self.entries.last_mut() {
                Some(Entry::Text(text)) => text.push_str(delta),
                _ => self.entries.push(Entry::Text(delta.clone())),
            },
            Event::Thinking { delta } => match self.entries.last_mut() {
                Some(Entry::Thinking(text)) => text.push_str(delta),
                _ => self.entries.push(Entry::Thinking(delta.clone())),
            },
            Event::CallStarted {
                call,
                title,
                purpose,
                ..
            } => {
                self.entries.push(Entry::Call {
                    id: call.clone(),
                    title: title.clone(),
                    purpose: purpose.clone(),
                    asides: Vec::new(),
                    end: None,
                });
            }
            Event::ApprovalAsked { call, title } => {
                self.aside(call, |asides| {
                    asides.push(Aside::Question {
                        title: title.clone(),
                        answer: None,
                    });
                });
            }
            Event::ApprovalAnswered {
                call,
                title,
                answer,
            } => self.aside(call, |asides| answered(asides, title, answer)),
            Event::RuleAdded { call, rule, place } => {
                self.aside(call, |asides| {
                    asides.push(Aside::Rule {
                        rule: rule.clone(),
                        place: place.clone(),
                    });
                });
            }
            Event::Plan { steps, .. } => {
                // Of one run only the newest stands, where it was made.
                let is_prompt = |entry: &Entry| matches!(entry, Entry::Prompt(_));
                let run = self.entries.iter().rposition(is_prompt).unwrap_or(0);
                let is_plan = |entry: &Entry| matches!(entry, Entry::Plan(_));
                if let Some(old) = self.entries[run..].iter().position(is_plan) {
                    self.entries.remove(run + old);
                }
                self.entries.push(Entry::Plan(steps.clone()));
            }
            // What a command prints is seen while it runs; what is kept of it comes with its end.
            Event::Output { .. } => {}
            Event::CallEnded {
                call,
                tool,
                status,
                error_kind,
                summary,
                output,
                files,
            } => {
                let words = match error_kind {
                    Some(kind) => format!("{kind}: {summary}"),
                    None => summary.clone(),
                };
                let ended = CallEnd {
                    status: *status,
                    words,
                    output: output.clone(),
                    files: files.clone(),
                };
                match self.call(call) {
                    Some((_, end)) => *end = Some(ended),
                    // Begun by a run that was broken off, of which this transcript has not heard.
                    None => self.entries.push(Entry::Call {
                        id: call.clone(),
                        title: tool.clone(),
                        purpose: None,
                        asides: Vec::new(),
                        end: Some(ended),
                    }),
                }
            }
            Event::Retrying {
                attempt,
                attempts,
                reason,
                ..
            } => {
                // What came of the failed turn is void, and comes again.
                while matches!(
                    self.entries.last(),
                    Some(Entry::Text(_) | Entry::Thinking(_))
                ) {
                    self.entries.pop();
                }
                self.entries.push(Entry::Note(format!(
                    "Retry {attempt} of {attempts}: {reason}"
                )));
            }
            Event::Usage(_) => {}
            Event::RunEnded { outcome, message } => {
                let message = message.as_deref().unwrap_or_default();
                match outcome {
                    Outcome::Done => {}
                    Outcome::Failed => self.entries.push(Entry::Note(format!("Failed: {message}"))),
                    Outcome::Limit => self
                        .entries
                        .push(Entry::Note(format!("Stopped by a limit: {message}"))),
                    Outcome::Cancelled => self
                        .entries
                        .push(Entry::Note("Stopped by the user.".into())),
                }
            }
        }
    }

    /// A call that has begun.
    fn call(&mut self, call: &str) -> Option<(&mut Vec<Aside>, &mut Option<CallEnd>)> {
        self.entries.iter_mut().rev().find_map(|entry| match entry {
            Entry::Call {
                id, asides, end, ..
            } if id == call => Some((asides, end)),
            _ => None,
        })
    }

    /// Changes what stands beside a call.
    fn aside(&mut self, call: &str, change: impl FnOnce(&mut Vec<Aside>)) {
        if let Some((asides, _)) = self.call(call) {
            change(asides);
        }
    }

    /// The document.
    pub fn markdown(&self) -> String {
        let mut document = format!("# Session {}\n", self.session);
        let mut after_call = false;
        for entry in &self.entries {
            // Calls that follow one another are one list.
            let is_call = matches!(entry, Entry::Call { .. });
            if !(is_call && after_call) {
                document.push('\n');
            }
            // A block below a call ends the list.
            after_call =
                is_call && !matches!(entry, Entry::Call { end: Some(end), .. } if end.has_block());
            entry.write(&mut document);
        }
        document
    }
}

/// The transcript of these events of one session.
pub fn markdown<'a>(session: &str, envelopes: impl IntoIterator<Item = &'a Envelope>) -> String {
    let mut transcript = Transcript::new(session);
    for envelope in envelopes {
        transcript.push(envelope);
    }
    transcript.markdown()
}

/// Takes the answer to the question that waits under this title.
fn answered(asides: &mut Vec<Aside>, asked: &str, given: &str) {
    let waiting = asides.iter_mut().rev().find_map(|aside| match aside {
        Aside::Question { title, answer } if title == asked && answer.is_none() => Some(answer),
        _ => None,
    });
    match waiting {
        Some(answer) => *answer = Some(given.to_owned()),
        None => asides.push(Aside::Question {
            title: asked.to_owned(),
            answer: Some(given.to_owned()),
        }),
    }
}

impl Entry {
    fn write(&self, document: &mut String) {
        // Writing to a string does not fail.
        let _ = match self {
            Self::Prompt(text) => writeln!(document, "## Prompt\n\n{}", quoted(text)),
            Self::Text(text) => writeln!(document, "{}", harmless::markdown(text.trim())),
            Self::Thinking(text) => writeln!(document, "Thinking:\n\n{}", quoted(text)),
            Self::Note(text) => writeln!(document, "*{}*", harmless::words(text)),
            Self::Plan(steps) => steps.iter().try_for_each(|step| write_step(step, document)),
            Self::Call {
                title,
                purpose,
                asides,
                end,
                ..
            } => {
                let mut title = harmless::code(title);
                if let Some(purpose) = purpose {
                    title += &format!(" ({})", harmless::words(purpose));
                }
                let line = match end {
                    None => format!("… {title}"),
                    Some(end) => {
                        format!("{} {title}: {}", end.mark(), harmless::words(&end.words))
                    }
                };
                writeln!(document, "- {line}").map(|()| {
                    let is_over = end.is_some();
                    asides
                        .iter()
                        .for_each(|aside| aside.write(is_over, document));
                    end.iter().for_each(|end| end.write_blocks(document));
                })
            }
        };
    }
}

/// A step of the plan as a task.
fn write_step(step: &PlanStep, document: &mut String) -> std::fmt::Result {
    let words = harmless::words(&step.step);
    match step.status {
        StepStatus::Pending => writeln!(document, "- [ ] {words}"),
        StepStatus::InProgress => writeln!(document, "- [ ] → {words}"),
        StepStatus::Completed => writeln!(document, "- [x] {words}"),
    }
}

impl Aside {
    /// Writes it below its call, in one line.
    fn write(&self, is_over: bool, document: &mut String) {
        // Writing to a string does not fail.
        let _ = match self {
            Self::Question { title, answer } => {
                let answer = match answer {
                    Some(answer) => harmless::words(answer),
                    None if is_over => "not answered".to_owned(),
                    None => "**waits for your answer**".to_owned(),
                };
                writeln!(document, "  - {}: {answer}", harmless::words(title))
            }
            Self::Rule { rule, place } => {
                let place = place
                    .as_ref()
                    .map(|place| format!("to {}", harmless::words(place)));
                let place = place.as_deref().unwrap_or("for this session");
                writeln!(document, "  - rule added {place}: {}", harmless::code(rule))
            }
        };
    }
}

impl CallEnd {
    fn mark(&self) -> &'static str {
        match self.status {
            Status::Ok => "✓",
            Status::Failed => "✗ failed,",
            Status::Denied => "✗ denied,",
            Status::Interrupted => "✗ interrupted,",
            Status::UnknownOutcome => "? outcome unknown,",
        }
    }

    fn has_block(&self) -> bool {
        self.output.is_some() || self.files.iter().any(|file| !file.diff.is_empty())
    }

    /// Writes what the command printed and the diffs, which surfaces that can fold show folded.
    fn write_blocks(&self, document: &mut String) {
        if let Some(output) = &self.output {
            let _ = write!(document, "\n{}", harmless::fenced("output", output));
        }
        for file in self.files.iter().filter(|file| !file.diff.is_empty()) {
            let side = |hash: &Option<String>, path| match hash {
                Some(_) => path,
                None => "/dev/null",
            };
            let moved_to = file.moved_to.as_deref().unwrap_or(&file.path);
            let before = side(&file.sha256_before, &*file.path);
            let after = side(&file.sha256_after, moved_to);
            let text = format!("--- {before}\n+++ {after}\n{}", file.diff);
            let _ = write!(document, "\n{}", harmless::fenced("diff", &text));
        }
    }
}

fn quoted(text: &str) -> String {
    let text = harmless::markdown(text.trim());
    let lines: Vec<String> = text
        .lines()
        .map(|line| format!("> {line}").trim_end().to_string())
        .collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests;
