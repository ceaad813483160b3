//! What is to be run, and what runs it: plain data.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::sandbox::Policy;

/// The longest line that is run, in bytes: the system takes 128 KiB as one argument of a program.
pub const MAX_LINE: usize = 100 * 1024;

/// How much of an output goes into its artifact unless something else is asked for, in bytes.
pub const ARTIFACT_LIMIT: u64 = 4 << 30;

/// How this very program is started again, to stand between the server and a command: with `supervise` or `confine` as
/// its only argument, which [`step`](super::step) understands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launcher {
    /// The program.
    pub program: PathBuf,
}

impl Launcher {
    /// Starts another program, whose `main` begins with [`step`](super::step).
    pub fn new(program: impl Into<PathBuf>) -> Launcher {
        Launcher {
            program: program.into(),
        }
    }

    /// Starts the program that runs now, also when its file has been replaced or removed meanwhile (Linux).
    ///
    /// # Errors
    ///
    /// The system does not say where the program is.
    pub fn this_program() -> std::io::Result<Launcher> {
        if cfg!(target_os = "linux") {
            Ok(Launcher::new("/proc/self/exe"))
        } else {
            Ok(Launcher::new(std::env::current_exe()?))
        }
    }
}

/// A command that is to be run.
#[derive(Clone, Debug)]
pub struct CommandSpec {
    /// The session that it belongs to and ends with.
    pub session: String,
    /// The line for the shell, at most [`MAX_LINE`] bytes.
    pub line: String,
    /// What it is for, for people.
    pub description: String,
    /// The folder that it starts in.
    pub workdir: PathBuf,
    /// Its whole environment, but for a mark by which its processes are found. `BASH_ENV` and `ENV` are dropped: they
    /// name files that a shell would run first.
    pub environment: Vec<(OsString, OsString)>,
    /// How the system confines it.
    pub policy: Policy,
    /// Whether anything can be written to it.
    pub input: Input,
    /// Runs it under a terminal of this size. Its input is open then, and its errors cannot be told from its output.
    pub terminal: Option<TerminalSize>,
    /// Nobody waits for it: no time-outs hold, and what outlives the shell goes on until it is stopped.
    pub background: bool,
    /// It is ended when it has run for so long.
    pub timeout: Option<Duration>,
    /// It is ended when it has printed nothing for so long.
    pub silence: Option<Duration>,
    /// What it may use.
    pub limits: Limits,
    /// A file for its whole output; it is made with mode 0600 and must not exist.
    pub artifact: Option<PathBuf>,
    /// The largest that the artifact gets, in bytes; of what comes after it only the tail is kept.
    pub artifact_limit: u64,
}

impl CommandSpec {
    /// A foreground command that is not confined, without input, terminal, environment, limits and artifact.
    pub fn new(
        session: impl Into<String>,
        line: impl Into<String>,
        workdir: impl Into<PathBuf>,
    ) -> CommandSpec {
        CommandSpec {
            session: session.into(),
            line: line.into(),
            description: String::new(),
            workdir: workdir.into(),
            environment: Vec::new(),
            policy: Policy::default(),
            input: Input::Closed,
            terminal: None,
            background: false,
            timeout: None,
            silence: None,
            limits: Limits::default(),
            artifact: None,
            artifact_limit: ARTIFACT_LIMIT,
        }
    }
}

/// What a command reads as its input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Input {
    /// Nothing: `/dev/null`.
    #[default]
    Closed,
    /// What is written to it later.
    Open,
}

/// The size of a terminal, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminalSize {
    /// Height.
    pub rows: u16,
    /// Width.
    pub columns: u16,
}

impl Default for TerminalSize {
    /// 24 × 80, what programs take for granted.
    fn default() -> TerminalSize {
        TerminalSize {
            rows: 24,
            columns: 80,
        }
    }
}

/// What all processes of a command may use together; none: as much as there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Memory, in bytes, without what is only a copy of files.
    pub memory: Option<u64>,
    /// Processes at the same time.
    pub processes: Option<u64>,
    /// The size of any file that is written, in bytes.
    pub file_size: Option<u64>,
}
