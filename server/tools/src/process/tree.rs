//! All processes of a command: which there are, asking them to end, and killing them faster than they can multiply.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::ending::Leftover;
use super::system::{self, Process};

/// How long a process may be there after it was killed before it is given up: the kernel holds it.
const PATIENCE: Duration = Duration::from_secs(10);

/// With so many processes a command is multiplying, and is not given time to put its things in order.
pub(super) const STORM: usize = 400;

/// How its processes are found.
pub(super) enum Tree {
    /// Below this process, which is their subreaper. Where there is no such thing, by the mark too.
    Below { own: i32, mark: String },
    /// By their mark alone.
    Marked(String),
}

impl Tree {
    /// The tree below this process.
    pub fn below_this(mark: &str) -> Tree {
        Tree::Below {
            own: own(),
            mark: mark.to_owned(),
        }
    }

    /// Those that run now.
    pub fn processes(&self) -> Vec<Process> {
        match self {
            Tree::Below { own, mark } => {
                let mut found = system::descendants(*own);
                if cfg!(not(target_os = "linux")) {
                    for process in system::marked(mark) {
                        if process.pid != *own && !found.contains(&process) {
                            found.push(process);
                        }
                    }
                }
                found
            }
            Tree::Marked(mark) => system::marked(mark),
        }
    }

    /// Those that run now, as they are told.
    pub fn leftovers(&self) -> Vec<Leftover> {
        self.processes().iter().map(leftover).collect()
    }
}

/// Asks processes to end: each one once, and whole groups at once.
#[derive(Default)]
pub(super) struct Asking {
    processes: HashSet<(i32, u64)>,
    /// Under a terminal, where a shell heeds only that its terminal is gone.
    terminal: bool,
}

impl Asking {
    /// Nobody has been asked yet.
    pub fn new(terminal: bool) -> Asking {
        Asking {
            processes: HashSet::new(),
            terminal,
        }
    }

    /// Asks those that have not been asked.
    pub fn ask(&mut self, found: &[Process]) {
        for process in found {
            if self.processes.insert(process.identity()) {
                send(process, Signal::TERM);
                if self.terminal {
                    send(process, Signal::HUP);
                }
                // One that is stopped would not hear it.
                send(process, Signal::CONT);
            }
        }
    }
}

/// Kills processes until there are none.
#[derive(Default)]
pub(super) struct Killing {
    /// When each was killed first.
    since: HashMap<(i32, u64), Instant>,
}

impl Killing {
    /// Kills those that are there. A group goes at once, with those that are just being started: one by one, a command
    /// that multiplies would always be ahead. True: all that are left have been killed long ago and stay, so it is of no
    /// use to go on.
    pub fn kill(&mut self, found: &[Process]) -> bool {
        // Looked up as those of `found` are, so that the two compare. In a PID namespace, as of a container, a session that
        // began outside of it counts as number 0.
        let session = system::process(own()).map(|own| own.session);
        let mut groups = HashSet::new();
        for process in found {
            // A group is within a session, and a session that one of them began has nobody else in it.
            if session.is_some_and(|own| own != process.session) && groups.insert(process.group) {
                send(process, Signal::STOP);
                if !system::signal_group(process, Signal::KILL) {
                    // It has ended meanwhile; another one will do.
                    groups.remove(&process.group);
                }
            }
        }
        for process in found {
            if !groups.contains(&process.group) {
                send(process, Signal::STOP);
            }
        }
        for process in found {
            send(process, Signal::KILL);
        }
        let now = Instant::now();
        let present: HashSet<_> = found.iter().map(Process::identity).collect();
        self.since.retain(|identity, _| present.contains(identity));
        let mut stuck = !found.is_empty();
        for process in found {
            let since = *self.since.entry(process.identity()).or_insert(now);
            stuck &= now - since > PATIENCE;
        }
        stuck
    }
}

/// Kills all that can be found of a command by its mark; gives what could not be ended.
pub(super) fn sweep(mark: &str) -> Vec<Leftover> {
    let tree = Tree::Marked(mark.to_owned());
    let mut killing = Killing::default();
    let mut empty = 0;
    loop {
        let found = tree.processes();
        // One that is just becoming another program shows no environment.
        empty = if found.is_empty() { empty + 1 } else { 0 };
        if empty == 10 || killing.kill(&found) {
            return found.iter().map(leftover).collect();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn own() -> i32 {
    rustix::process::getpid().as_raw_pid()
}

fn leftover(process: &Process) -> Leftover {
    Leftover {
        pid: process.pid,
        name: process.name.clone(),
    }
}

/// Sends a signal. One that is refused shows when the process is still there at the end.
fn send(process: &Process, signal: Signal) {
    let _ = system::signal(process, signal);
}
