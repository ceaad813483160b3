//! All processes of a command: which there are, asking them to end, and killing them faster than they can multiply.

use std::collections::HashSet;
use std::time::Duration;

use rustix::process::Signal;

use super::super::ending::Leftover;
use super::super::system::{self, Process};
use super::{ASKING, leftover};

/// How long processes are killed again and again before they are given up.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// How often it is looked for processes that are not stopped yet, before those that are found are killed.
const ROUNDS: usize = 100;

/// The processes below this one.
pub(super) struct Tree {
    own: i32,
    #[cfg_attr(
        target_os = "linux",
        allow(dead_code, reason = "a subreaper needs no mark")
    )]
    mark: String,
    terminal: bool,
    /// Those that have been asked to end.
    asked: HashSet<(i32, u64)>,
}

impl Tree {
    /// The tree below this process, whose members have `mark` in their environment.
    pub fn new(mark: &str, terminal: bool) -> Tree {
        Tree {
            own: rustix::process::getpid().as_raw_pid(),
            mark: mark.to_owned(),
            terminal,
            asked: HashSet::new(),
        }
    }

    /// Those that run now.
    #[cfg(target_os = "linux")]
    pub fn processes(&self) -> Vec<Process> {
        system::descendants(self.own)
    }

    /// Those that run now. What went away from its parents is found by its mark.
    #[cfg(not(target_os = "linux"))]
    pub fn processes(&self) -> Vec<Process> {
        let mut found = system::descendants(self.own);
        for process in system::marked(&self.mark) {
            if process.pid != self.own && !found.contains(&process) {
                found.push(process);
            }
        }
        found
    }

    /// Those that run now, as they are told.
    pub fn leftovers(&self) -> Vec<Leftover> {
        self.processes().iter().map(leftover).collect()
    }

    /// Asks every process to end that has not been asked yet.
    pub fn ask(&mut self) {
        for process in self.processes() {
            if self.asked.insert(process.identity()) {
                let signals = if self.terminal {
                    &ASKING[..]
                } else {
                    &ASKING[..1]
                };
                for &signal in signals {
                    send(&process, signal);
                }
                // One that is stopped would not hear it.
                send(&process, Signal::CONT);
            }
        }
    }

    /// Kills every process. They are stopped first, for while one is killed another could start two more.
    pub fn kill(&self) {
        let mut stopped: HashSet<(i32, u64)> = HashSet::new();
        let mut found = Vec::new();
        for _ in 0..ROUNDS {
            let before = stopped.len();
            found = self.processes();
            for process in &found {
                if stopped.insert(process.identity()) {
                    send(process, Signal::STOP);
                }
            }
            if stopped.len() == before {
                break;
            }
        }
        for process in &found {
            send(process, Signal::KILL);
        }
    }
}

/// Sends a signal. One that is refused shows when the process is still there at the end.
fn send(process: &Process, signal: Signal) {
    let _ = system::signal(process, signal);
}
