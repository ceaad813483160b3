//! The system's processes: which there are, which descend from which, how much memory they hold, and signals that reach
//! the process that was meant. Decides nothing.

#[cfg(any(test, not(target_os = "linux")))]
use std::collections::HashMap;
#[cfg(target_os = "linux")]
use std::collections::HashSet;
use std::io;

use rustix::process::{Pid, Signal};
use serde::{Deserialize, Serialize};

#[cfg(target_os = "linux")]
mod linux;
#[cfg(any(test, not(target_os = "linux")))]
mod ps;

#[cfg(target_os = "linux")]
pub use linux::{marked, memory, process};
#[cfg(not(target_os = "linux"))]
pub use ps::{marked, memory, process};

/// A process as it was when it was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Process {
    /// Its number.
    pub pid: i32,
    /// The number of its parent.
    pub parent: i32,
    /// The number of its group.
    pub group: i32,
    /// The number of its session.
    pub session: i32,
    /// What it does: `R` runs, `S` sleeps, `T` is stopped, `Z` has ended and nobody has taken its status yet.
    pub state: char,
    /// When it was started, in the system's own count: with the number, it tells a process for ever.
    pub started: u64,
    /// The name of its program, at most 15 bytes.
    pub name: String,
}

impl Process {
    /// Whether it still runs anything.
    pub fn is_alive(&self) -> bool {
        !matches!(self.state, 'Z' | 'X')
    }

    /// Number and time of start.
    pub fn identity(&self) -> (i32, u64) {
        (self.pid, self.started)
    }
}

/// All living descendants of the process `root`, parents before children. What is started while this looks may be
/// missed: whoever must have them all looks until there is nothing left.
#[cfg(target_os = "linux")]
pub fn descendants(root: i32) -> Vec<Process> {
    let mut found = Vec::new();
    let mut seen = HashSet::from([root]);
    let mut waiting = linux::children(root);
    while let Some(process) = waiting.pop() {
        // A number that comes twice was moved to another parent while this looked.
        if seen.insert(process.pid) {
            waiting.extend(linux::children(process.pid));
            found.push(process);
        }
    }
    found.retain(Process::is_alive);
    found
}

/// All living descendants of the process `root`, parents before children.
#[cfg(not(target_os = "linux"))]
pub fn descendants(root: i32) -> Vec<Process> {
    let mut found = below(ps::all(), root);
    found.retain(Process::is_alive);
    found
}

/// The processes of `all` that descend from `root`, parents before children.
#[cfg(any(test, not(target_os = "linux")))]
fn below(all: Vec<Process>, root: i32) -> Vec<Process> {
    let mut by_parent: HashMap<i32, Vec<Process>> = HashMap::new();
    for process in all {
        by_parent.entry(process.parent).or_default().push(process);
    }
    let mut found = Vec::new();
    let mut parents = vec![root];
    while let Some(parent) = parents.pop() {
        for process in by_parent.remove(&parent).unwrap_or_default() {
            parents.push(process.pid);
            found.push(process);
        }
    }
    found
}

/// Sends a signal to exactly this process: to nobody, when its number belongs to another one by now.
///
/// # Errors
///
/// The system refuses it, as for a process of another user. A process that has ended is no error.
pub fn signal(target: &Process, signal: Signal) -> io::Result<()> {
    let Some(pid) = Pid::from_raw(target.pid) else {
        return Ok(());
    };
    match send(target, pid, signal) {
        Err(rustix::io::Errno::SRCH) => Ok(()),
        other => Ok(other?),
    }
}

/// Sends a signal to all processes of the group of a process that has just been stopped, also to those that are being
/// started: none of them escapes. False: the process has ended meanwhile.
///
/// That the number belongs to another group by now would need the whole group to end, and the system to hand out all
/// other numbers, between two lines of this function.
pub fn signal_group(stopped: &Process, signal: Signal) -> bool {
    let Some(now) = process(stopped.pid) else {
        return false;
    };
    let held = now.identity() == stopped.identity() && now.is_alive() && now.group > 1;
    match Pid::from_raw(now.group) {
        Some(group) if held => rustix::process::kill_process_group(group, signal).is_ok(),
        _ => false,
    }
}

fn is_same(target: &Process) -> bool {
    process(target.pid).is_some_and(|now| now.started == target.started)
}

#[cfg(target_os = "linux")]
fn send(target: &Process, pid: Pid, signal: Signal) -> rustix::io::Result<()> {
    use rustix::io::Errno;
    use rustix::process::{PidfdFlags, kill_process, pidfd_open, pidfd_send_signal};
    match pidfd_open(pid, PidfdFlags::empty()) {
        // The handle stays with the process that has the number now; that it is the one that was meant shows afterwards.
        Ok(handle) if is_same(target) => pidfd_send_signal(handle, signal),
        Ok(_) => Ok(()),
        Err(Errno::SRCH) => Ok(()),
        // Older than Linux 5.3, or refused by a container.
        Err(_) if is_same(target) => kill_process(pid, signal),
        Err(_) => Ok(()),
    }
}

#[cfg(not(target_os = "linux"))]
fn send(target: &Process, pid: Pid, signal: Signal) -> rustix::io::Result<()> {
    if is_same(target) {
        rustix::process::kill_process(pid, signal)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
