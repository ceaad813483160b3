//! Processes from `/proc`, as `proc_pid_stat(5)` and its siblings describe it.

use std::fs;

use super::Process;

/// The process with this number; none: there is no such process.
pub fn process(pid: i32) -> Option<Process> {
    parse(&fs::read(format!("/proc/{pid}/stat")).ok()?)
}

/// The children of a process, of all its threads. Those that ended and were not waited for are among them.
pub(super) fn children(parent: i32) -> Vec<Process> {
    let Ok(threads) = fs::read_dir(format!("/proc/{parent}/task")) else {
        return Vec::new();
    };
    let mut children = Vec::new();
    for thread in threads.flatten() {
        match fs::read_to_string(thread.path().join("children")) {
            Ok(list) => children.extend(
                list.split_ascii_whitespace()
                    .filter_map(|pid| process(pid.parse().ok()?)),
            ),
            // A kernel without CONFIG_PROC_CHILDREN; or the thread has just ended, and the long way does no harm.
            Err(_) => return all().filter(|process| process.parent == parent).collect(),
        }
    }
    children
}

/// Memory that belongs to a process, in bytes: what it shares with a file does not count. With `exact`, memory that
/// several processes share is divided among them, which takes the system longer to find out.
pub fn memory(pid: i32, exact: bool) -> u64 {
    let fields = |text: &str, names: [&str; 2]| {
        let kilobytes: Vec<u64> = text
            .lines()
            .filter(|line| names.iter().any(|name| line.starts_with(name)))
            .filter_map(|line| line.split_ascii_whitespace().nth(1)?.parse().ok())
            .collect();
        (!kilobytes.is_empty()).then(|| kilobytes.iter().sum::<u64>() * 1024)
    };
    if exact
        && let Ok(text) = fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))
        && let Some(bytes) = fields(&text, ["Pss_Anon:", "Pss_Shmem:"])
    {
        return bytes;
    }
    fs::read_to_string(format!("/proc/{pid}/status"))
        .ok()
        .and_then(|text| fields(&text, ["RssAnon:", "RssShmem:"]))
        .unwrap_or(0)
}

/// The living processes that have `variable` (`NAME=VALUE`) in the environment that they were started with.
pub fn marked(variable: &str) -> Vec<Process> {
    all()
        .filter(|process| {
            process.is_alive()
                && fs::read(format!("/proc/{}/environ", process.pid)).is_ok_and(|environment| {
                    environment
                        .split(|&byte| byte == 0)
                        .any(|one| one == variable.as_bytes())
                })
        })
        .collect()
}

fn all() -> impl Iterator<Item = Process> {
    fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| process(entry.file_name().to_str()?.parse().ok()?))
}

/// Reads `/proc/PID/stat`. The name stands in parentheses and may itself have parentheses and white space.
pub(super) fn parse(stat: &[u8]) -> Option<Process> {
    let stat = String::from_utf8_lossy(stat);
    let (pid, rest) = stat.split_once(" (")?;
    let (name, rest) = rest.rsplit_once(") ")?;
    // Field 3, the state, is the first one here.
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    Some(Process {
        pid: pid.parse().ok()?,
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        session: fields.get(3)?.parse().ok()?,
        state: fields.first()?.chars().next()?,
        started: fields.get(19)?.parse().ok()?,
        name: name.to_owned(),
    })
}
