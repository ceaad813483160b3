//! Processes from `ps`, for systems without `/proc`. Not run on such a system yet: only its reading is tested.

#[cfg(not(target_os = "linux"))]
use std::process::{Command, Stdio};

use super::Process;

/// What `ps -A -o` is asked for: numbers, then the time of start (five words), then the rest of the line.
#[cfg(not(target_os = "linux"))]
const COLUMNS: &str = "pid=,ppid=,pgid=,sess=,rss=,state=,lstart=,comm=";

/// The process with this number; none: there is no such process.
#[cfg(not(target_os = "linux"))]
pub fn process(pid: i32) -> Option<Process> {
    list(&["-p", &pid.to_string()])
        .into_iter()
        .map(|(process, _)| process)
        .next()
}

/// All processes.
#[cfg(not(target_os = "linux"))]
pub(super) fn all() -> Vec<Process> {
    list(&["-A"])
        .into_iter()
        .map(|(process, _)| process)
        .collect()
}

/// Memory that a process holds, in bytes, with what it shares.
#[cfg(not(target_os = "linux"))]
pub fn memory(pid: i32, _exact: bool) -> u64 {
    list(&["-p", &pid.to_string()])
        .first()
        .map_or(0, |(_, bytes)| *bytes)
}

/// The living processes that have `variable` (`NAME=VALUE`) in their environment.
#[cfg(not(target_os = "linux"))]
pub fn marked(variable: &str) -> Vec<Process> {
    let Ok(output) = Command::new("ps")
        .args(["-A", "-E", "-o", "pid=,command="])
        .stdin(Stdio::null())
        .output()
    else {
        return Vec::new();
    };
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter(|line| line.split(' ').any(|word| word == variable))
        .filter_map(|line| process(line.split_ascii_whitespace().next()?.parse().ok()?))
        .filter(Process::is_alive)
        .collect()
}

#[cfg(not(target_os = "linux"))]
fn list(which: &[&str]) -> Vec<(Process, u64)> {
    Command::new("ps")
        .args(which)
        .args(["-o", COLUMNS])
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .map(|output| {
            String::from_utf8_lossy(&output.stdout)
                .lines()
                .filter_map(parse)
                .collect()
        })
        .unwrap_or_default()
}

/// Reads a line of `ps`; gives the process and the memory that it holds, in bytes.
pub(super) fn parse(line: &str) -> Option<(Process, u64)> {
    let mut words = line.split_ascii_whitespace();
    let pid = words.next()?.parse().ok()?;
    let parent = words.next()?.parse().ok()?;
    let group = words.next()?.parse().ok()?;
    // macOS shows an address here, which still tells sessions apart; or 0.
    let session = i32::from_str_radix(words.next()?, 16).unwrap_or(0);
    let kilobytes: u64 = words.next()?.parse().ok()?;
    let state = words.next()?.chars().next()?;
    let start: Vec<&str> = words.by_ref().take(5).collect();
    let command: Vec<&str> = words.collect();
    let name = command.join(" ");
    let process = Process {
        pid,
        parent,
        group,
        session,
        state,
        started: number(&start),
        name: name.rsplit('/').next()?.to_owned(),
    };
    (start.len() == 5 && !process.name.is_empty()).then_some((process, kilobytes * 1024))
}

/// A number that tells one time of start from another.
fn number(words: &[&str]) -> u64 {
    words
        .iter()
        .flat_map(|word| word.bytes())
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
}
