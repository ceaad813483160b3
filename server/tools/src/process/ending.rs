//! How a command ended, why one could not be started, and why one takes no input: as data, and as sentences.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How a command ended. No process of it is left but for those in `remaining`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Why.
    pub cause: Cause,
    /// How its shell ended; none when that is not known.
    pub exit: Option<Exit>,
    /// How long it ran.
    pub duration: Duration,
    /// What still ran when its shell had exited, and was ended then.
    pub ended: Vec<Leftover>,
    /// What could not be ended: it belongs to another user, or the kernel holds it.
    pub remaining: Vec<Leftover>,
    /// Repositories that it made in its sandbox, where those that were there before are protected.
    pub repositories: Vec<PathBuf>,
    /// What appeared in the workspace meanwhile and is obeyed by a program once the user lets it (`.envrc`, …).
    pub obeyed: Vec<PathBuf>,
    /// What could not be put in order after its sandbox, a sentence each.
    pub faults: Vec<String>,
    /// Why the artifact is not whole although its limit was not reached.
    pub artifact_error: Option<String>,
}

/// Why a command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// By itself.
    Exited,
    /// It ran for longer than this.
    TimedOut(Duration),
    /// It printed nothing for longer than this.
    Silent(Duration),
    /// The call that ran it was cancelled.
    Cancelled,
    /// Somebody stopped it.
    Stopped,
    /// It used more than it may.
    Limit(LimitHit),
    /// Its supervisor was killed; what was found of it afterwards was ended.
    Lost,
}

/// Who stops a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The call that runs it was cancelled.
    Cancelled,
    /// The model or the user does not want it any longer, or its session or the server ends.
    Stopped,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// With this code.
    Code(i32),
    /// By the signal with this number.
    Signal(i32),
}

impl Exit {
    /// The name of the signal, as `SIGKILL`; none for one that exited, and for signals without a common name.
    pub fn signal_name(self) -> Option<&'static str> {
        use rustix::process::Signal;
        const NAMES: [(Signal, &str); 16] = [
            (Signal::ABORT, "SIGABRT"),
            (Signal::ALARM, "SIGALRM"),
            (Signal::BUS, "SIGBUS"),
            (Signal::FPE, "SIGFPE"),
            (Signal::HUP, "SIGHUP"),
            (Signal::ILL, "SIGILL"),
            (Signal::INT, "SIGINT"),
            (Signal::KILL, "SIGKILL"),
            (Signal::PIPE, "SIGPIPE"),
            (Signal::QUIT, "SIGQUIT"),
            (Signal::SEGV, "SIGSEGV"),
            (Signal::SYS, "SIGSYS"),
            (Signal::TERM, "SIGTERM"),
            (Signal::TRAP, "SIGTRAP"),
            (Signal::XCPU, "SIGXCPU"),
            (Signal::XFSZ, "SIGXFSZ"),
        ];
        let Exit::Signal(number) = self else {
            return None;
        };
        NAMES
            .iter()
            .find(|(signal, _)| signal.as_raw() == number)
            .map(|(_, name)| *name)
    }

    /// Whether a process of the command, or the shell itself, was ended for writing too large a file. A shell tells
    /// the signal of what it ran as 128 and its number.
    pub(super) fn is_file_size(self) -> bool {
        let signal = rustix::process::Signal::XFSZ.as_raw();
        self == Exit::Signal(signal) || self == Exit::Code(128 + signal)
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, self.signal_name()) {
            (Exit::Code(code), _) => write!(formatter, "exit code {code}"),
            (Exit::Signal(_), Some(name)) => formatter.write_str(name),
            (Exit::Signal(number), None) => write!(formatter, "signal {number}"),
        }
    }
}

/// A process that outlived its command's shell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leftover {
    /// Its number.
    pub pid: i32,
    /// The name of its program.
    pub name: String,
}

/// Which limit a command reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitHit {
    /// Its processes held too much memory; in bytes.
    Memory {
        /// What it may hold.
        limit: u64,
        /// What it held.
        used: u64,
    },
    /// It had too many processes.
    Processes {
        /// How many it may have.
        limit: u64,
        /// How many it had.
        count: u64,
    },
    /// It wrote too large a file; in bytes.
    FileSize {
        /// What it may write.
        limit: u64,
    },
}

impl fmt::Display for LimitHit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LimitHit::Memory { limit, used } => write!(
                formatter,
                "the command held {} of memory, and may hold {}",
                Size(*used),
                Size(*limit)
            ),
            LimitHit::Processes { limit, count } => write!(
                formatter,
                "the command had {count} processes at once, and may have {limit}"
            ),
            LimitHit::FileSize { limit } => write!(
                formatter,
                "the command wrote a file beyond the {} that a file may have",
                Size(*limit)
            ),
        }
    }
}

/// A number of bytes, for people.
pub(crate) struct Size(pub(crate) u64);

impl fmt::Display for Size {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (unit, name) in [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")] {
            if self.0 >= unit {
                return write!(
                    formatter,
                    "{}.{} {name}",
                    self.0 / unit,
                    self.0 % unit * 10 / unit
                );
            }
        }
        write!(formatter, "{} bytes", self.0)
    }
}

/// Why a command could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The host runs no commands.
    #[error("Commands cannot be run here: this host has no way to start them.")]
    Unavailable,
    /// The line is too long for the system.
    #[error(
        "The command has {bytes} bytes and may have {MAX}: write the long part to a file and let the command read it.",
        MAX = super::spec::MAX_LINE
    )]
    TooLong {
        /// How long it is.
        bytes: usize,
    },
    /// The line has a zero byte, where the system would end it.
    #[error("The command has a zero byte in it, which no shell can be given: leave it out.")]
    ZeroByte,
    /// The folder to start in cannot be entered.
    #[error("The command cannot be started in `{}`: {error}.", path.display())]
    Workdir {
        /// The folder.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The file for the output cannot be made.
    #[error("The file for the command's output, `{}`, cannot be made: {error}.", path.display())]
    Artifact {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The sandbox that was demanded cannot be had; nothing ran.
    #[error("The command was not run, for it could not be confined: {0}")]
    Sandbox(String),
    /// There is no shell, or it could not be given what it needs.
    #[error("The command was not run: {0}")]
    Shell(String),
    /// The session or the server ended meanwhile.
    #[error("The command was not run, for its session has ended.")]
    SessionEnded,
    /// The supervisor could not be started.
    #[error("The command was not run, for its supervisor could not be started: {0}.")]
    Spawn(io::Error),
    /// The supervisor ended before the command began.
    #[error("The command was not run, for its supervisor ended before it began ({0}).")]
    Supervisor(String),
}

/// Why a command takes no input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// It was started without, or its input has been closed.
    #[error("The command's input is closed: start it again with its input open.")]
    Closed,
    /// It has ended.
    #[error("The command has ended and takes no input.")]
    Ended,
    /// So much is not taken before it has read what it was given.
    #[error(
        "At most {MAX} bytes wait for a command to read them: write less at once, or wait until it reads.",
        MAX = super::MAX_INPUT
    )]
    TooMuch,
    /// What was to be typed was judged as the rest of another line.
    #[error("Something else was typed into the command meanwhile; nothing of this was.")]
    Meanwhile,
    /// It has no terminal that could get another size.
    #[error("The command has no terminal: start it again under one.")]
    NoTerminal,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_told_in_the_largest_unit() {
        for (bytes, told) in [
            (0, "0 bytes"),
            (1023, "1023 bytes"),
            (1536, "1.5 KiB"),
            (64 << 20, "64.0 MiB"),
            (u64::MAX, "17179869183.9 GiB"),
        ] {
            assert_eq!(Size(bytes).to_string(), told);
        }
    }

    #[test]
    fn an_exit_is_told_by_its_name() {
        assert_eq!(Exit::Code(3).to_string(), "exit code 3");
        assert_eq!(Exit::Signal(9).to_string(), "SIGKILL");
        assert_eq!(Exit::Signal(64).to_string(), "signal 64");
        assert!(Exit::Signal(25).is_file_size() && Exit::Code(153).is_file_size());
        assert!(!Exit::Code(25).is_file_size());
    }
}
