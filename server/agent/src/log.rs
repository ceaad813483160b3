//! The event log: everything that happened in a session, one JSON line each, appended and never changed.
//!
//! It holds the same things for every provider, so that a later process can rebuild the conversation and settle calls
//! whose result is missing. Must not know who writes what when: the session does. No key ever gets here.

mod read;

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use mewcode_core::hash::ContentHash;
use mewcode_tools::notice::{Notice, PlanStep};
use mewcode_tools::permission::Mode;
use mewcode_tools::private;
use mewcode_tools::result::ToolResult;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::read::{ReadLog, read};
use crate::event::Outcome;
use crate::message::Block;
use crate::provider::{ProviderErrorKind, StopReason, ToolSpec, Usage};
use crate::time;

/// Of the format of the records.
pub const VERSION: u32 = 1;

/// One line of a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Counts the lines, from 1.
    pub sequence: u64,
    /// Milliseconds since the beginning of 1970, UTC.
    pub time: u64,
    /// The run it belongs to; empty before the first.
    pub run: String,
    /// What happened.
    #[serde(flatten)]
    pub entry: Entry,
}

/// What a log keeps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Entry {
    /// The first record.
    SessionStarted {
        /// Of the format.
        version: u32,
        /// The session's id.
        session: String,
        /// The workspace's root.
        root: PathBuf,
    },
    /// A prompt is being worked on.
    RunStarted {},
    /// The user's side of the conversation said this, results of calls apart.
    UserMessage {
        /// What was said.
        content: Vec<Block>,
    },
    /// The unchanging front of the requests from here on: recorded when it is new.
    PromptPrefix {
        /// The system prompt.
        system: String,
        /// The tools on offer.
        tools: Vec<ToolSpec>,
    },
    /// The model is asked for its next turn.
    Request {
        /// How many turns there were before.
        turn: usize,
        /// The provider.
        provider: String,
        /// The model.
        model: String,
        /// The permission mode.
        mode: Mode,
        /// How many messages it is told.
        messages: usize,
    },
    /// The model's turn failed and will be asked for again.
    Retry {
        /// Which retry, from 1.
        attempt: u32,
        /// How long it waits before.
        delay_ms: u64,
        /// What kind of failure it was.
        error_kind: ProviderErrorKind,
        /// What went wrong.
        reason: String,
    },
    /// The model's turn came whole.
    Answer {
        /// What it said, calls with the runtime's own ids.
        content: Vec<Block>,
        /// Why it stopped.
        stop: StopReason,
        /// The tokens it took.
        usage: Option<Usage>,
    },
    /// A call is about to be made. Written before anything happens.
    CallIntended {
        /// The call's id.
        call: String,
        /// The tool.
        tool: String,
        /// The arguments.
        arguments: Value,
        /// Of tool and arguments: equal for equal calls.
        fingerprint: String,
    },
    /// A call waits for an answer of a person.
    ApprovalAsked {
        /// The call's id.
        call: String,
        /// The question in one line.
        title: String,
    },
    /// The call has its answer, or the question was withdrawn.
    ApprovalAnswered {
        /// The call's id.
        call: String,
        /// The question in one line.
        title: String,
        /// The answer in a few words.
        answer: String,
    },
    /// An answer to the call's question added a rule.
    RuleAdded {
        /// The call's id.
        call: String,
        /// The rule as it is written.
        rule: String,
        /// Where it was written to; none: it holds for this session.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<String>,
    },
    /// The visible task list is now this one.
    Plan {
        /// The id of the call that made it.
        call: String,
        /// Its steps.
        steps: Vec<PlanStep>,
    },
    /// A call has its result. The calls of one answer end in any order; the conversation holds their results in the
    /// order of the calls.
    CallEnded {
        /// The call's id.
        call: String,
        /// The tool.
        tool: String,
        /// What became of it.
        result: ToolResult,
    },
    /// The run is over.
    RunEnded {
        /// How.
        outcome: Outcome,
        /// Why.
        message: Option<String>,
    },
}

impl Entry {
    /// What a call told before its result, if it is to be kept: what a command prints is in the result of the call.
    pub(crate) fn of_notice(call: &str, notice: &Notice) -> Option<Self> {
        let call = call.to_owned();
        Some(match notice.clone() {
            Notice::Asked { title } => Self::ApprovalAsked { call, title },
            Notice::Answered { title, answer } => Self::ApprovalAnswered {
                call,
                title,
                answer,
            },
            Notice::RuleAdded { rule, place } => Self::RuleAdded { call, rule, place },
            Notice::Plan { steps } => Self::Plan { call, steps },
            Notice::Output { .. } => return None,
        })
    }
}

/// The log of one session, open for writing.
#[derive(Debug)]
pub struct EventLog {
    path: PathBuf,
    lines: Arc<Lines>,
    sequence: u64,
    run: String,
}

/// The lines on their way to the disk. A flush that is given up half way still ends, and the next one waits for it.
#[derive(Debug)]
struct Lines {
    file: Mutex<File>,
    /// Taken only while the file is held, so that lines keep their order.
    waiting: Mutex<Vec<u8>>,
}

impl Lines {
    /// Writes what waits. What fails waits on.
    fn write_out(&self) -> io::Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = || self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let lines = std::mem::take(&mut *waiting());
        if lines.is_empty() {
            return Ok(());
        }
        let before = file.metadata().map(|metadata| metadata.len());
        let outcome = file.write_all(&lines).and_then(|()| file.sync_data());
        if outcome.is_err() {
            // Half of it must not stand before what the next try writes.
            if let Ok(length) = before {
                let _ = file.set_len(length);
            }
            waiting().splice(0..0, lines);
        }
        outcome
    }
}

impl EventLog {
    /// Begins the log of a session of the workspace with this root, in `state`.
    ///
    /// # Errors
    ///
    /// The file cannot be made, or is there already.
    pub fn create(state: &Path, root: &Path, session: &str) -> io::Result<Self> {
        let path = path(state, root, session);
        let folder = path.parent().unwrap_or(state);
        private::make_folders(folder).map_err(|error| explain("The folder", folder, &error))?;
        // A session holds source text: nobody else's business.
        let file = private::options()
            .append(true)
            .create_new(true)
            .open(&path)
            .map_err(|error| explain("The event log", &path, &error))?;
        let lines = Arc::new(Lines {
            file: Mutex::new(file),
            waiting: Mutex::default(),
        });
        let mut log = Self {
            path,
            lines,
            sequence: 0,
            run: String::new(),
        };
        log.append(Entry::SessionStarted {
            version: VERSION,
            session: session.into(),
            root: root.into(),
        });
        Ok(log)
    }

    /// Where the log is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Records from here on belong to this run.
    pub fn begin_run(&mut self, run: &str) {
        self.run = run.into();
        self.append(Entry::RunStarted {});
    }

    /// Adds a record. It is in the file after the next [`flush`](Self::flush).
    pub fn append(&mut self, entry: Entry) {
        self.sequence += 1;
        let record = Record {
            sequence: self.sequence,
            time: time::now(),
            run: self.run.clone(),
            entry,
        };
        // All of these types have string keys and no number that JSON lacks, so there always is a line.
        if let Ok(mut line) = serde_json::to_vec(&record) {
            line.push(b'\n');
            self.lines
                .waiting
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .extend(line);
        }
    }

    /// Brings every record to the disk, off the async threads. What could not be written is tried again by the next
    /// flush, and nothing may happen that depends on it until then.
    ///
    /// # Errors
    ///
    /// The disk does not take it.
    pub async fn flush(&mut self) -> io::Result<()> {
        let lines = Arc::clone(&self.lines);
        let written = tokio::task::spawn_blocking(move || lines.write_out()).await;
        written
            .unwrap_or_else(|panic| Err(io::Error::other(panic)))
            .map_err(|error| explain("The event log", &self.path, &error))
    }
}

#[cfg(test)]
impl EventLog {
    /// Gives a switch that makes the disk refuse everything from then on.
    pub(crate) fn breaker(&self) -> impl Fn() + Send + use<> {
        let (lines, path) = (Arc::clone(&self.lines), self.path.clone());
        move || *lines.file.lock().unwrap() = File::open(&path).unwrap()
    }
}

impl Drop for EventLog {
    fn drop(&mut self) {
        // Nobody is left to be told of a failure.
        let _ = self.lines.write_out();
    }
}

fn explain(what: &str, path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(
        error.kind(),
        format!(
            "{what} {} cannot be written: {error}. Make room or correct the permissions.",
            path.display()
        ),
    )
}

/// Where the log of a session of the workspace with this root is kept in `state`.
pub fn path(state: &Path, root: &Path, session: &str) -> PathBuf {
    state
        .join("sessions")
        .join(workspace_key(root))
        .join(format!("{session}.jsonl"))
}

/// A folder name for the workspace with this root: readable, and its own.
pub fn workspace_key(root: &Path) -> String {
    let name = root
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let allowed =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    let name: String = name
        .chars()
        .take(40)
        .map(|character| if allowed(character) { character } else { '_' })
        .collect();
    let name = if name.is_empty() { "root" } else { &name };
    format!(
        "{name}-{}",
        ContentHash::of(root.as_os_str().as_encoded_bytes()).short()
    )
}

#[cfg(test)]
mod tests;
