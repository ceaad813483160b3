//! What the server, a command's supervisor and the step that becomes its shell say to each other: one JSON value a line.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::ending::{Exit, Leftover, LimitHit};
use super::spec::{Limits, TerminalSize};
use crate::sandbox::{Plan, Policy};

/// The first thing that the server says.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Order {
    /// The line for the shell.
    pub line: String,
    /// How it is confined.
    pub policy: Policy,
    /// Whether it has input.
    pub input: bool,
    /// The size of its terminal.
    pub terminal: Option<TerminalSize>,
    /// What it may use.
    pub limits: Limits,
    /// `NAME=VALUE` in the environment of all its processes.
    pub mark: String,
}

/// What the server says later. That it says no more (end of file) is a [`Request::Stop`].
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Request {
    /// End all processes.
    Stop,
    /// Write to the command.
    Input { bytes: Vec<u8> },
    /// Write nothing more to the command.
    CloseInput,
    /// Give its terminal another size.
    Resize(TerminalSize),
}

/// What the supervisor says.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Report {
    /// The shell runs.
    Started,
    /// The shell could not be started; nothing more is said.
    Failed(Failure),
    /// The shell has ended; what it started may go on.
    Exited(Exit),
    /// A limit is reached, and all processes are being ended for it.
    Limit(LimitHit),
    /// The command has been given so much of its input.
    Written { bytes: usize },
    /// The command reads no more input.
    InputClosed,
    /// No process is left; nothing more is said.
    Ended(Remains),
}

/// What there is to say when no process is left.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Remains {
    /// What still ran when the shell had exited, and had to be ended.
    pub ended: Vec<Leftover>,
    /// What could not be ended.
    pub remaining: Vec<Leftover>,
    /// Repositories that were made in the sandbox.
    pub repositories: Vec<String>,
    /// What appeared meanwhile and is obeyed by a program once the user lets it.
    pub obeyed: Vec<String>,
    /// What could not be put in order after the sandbox.
    pub faults: Vec<String>,
}

/// What the step that becomes the shell is to do.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Confinement {
    /// The line for the shell.
    pub line: String,
    /// How it is confined.
    pub plan: Plan,
    /// What its sandbox adds to its environment.
    pub environment: Vec<(String, PathBuf)>,
    /// The device of its terminal.
    pub terminal: Option<String>,
    /// The largest file that it may write, in bytes.
    pub file_size: Option<u64>,
    /// The process that it must not outlive.
    pub supervisor: i32,
}

/// Why a shell could not be started, as a sentence.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Failure {
    /// It could not be confined.
    Sandbox(String),
    /// All else.
    Shell(String),
}

/// A message as it is sent.
pub(super) fn line(message: &impl Serialize) -> std::io::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec(message)?;
    bytes.push(b'\n');
    Ok(bytes)
}
