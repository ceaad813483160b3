//! Giving a command the signals as they are at login: what this program was started to ignore (by `nohup`, or in the
//! background of a script), a shell could not even reset.

use std::io;

use rustix::process::Signal;
use tokio::signal::unix::{SignalKind, signal};

/// Those that somebody may have had ignored. `SIGPIPE` is reset by the standard library.
const SIGNALS: [Signal; 10] = [
    Signal::HUP,
    Signal::INT,
    Signal::QUIT,
    Signal::TERM,
    Signal::CHILD,
    Signal::TSTP,
    Signal::TTIN,
    Signal::TTOU,
    Signal::USR1,
    Signal::USR2,
];

/// Makes sure that a program that this process becomes ignores none of them.
///
/// # Errors
///
/// The system refuses it.
pub(super) fn reset() -> io::Result<()> {
    let ignored: Vec<Signal> = match ignored() {
        Some(ignored) => SIGNALS
            .into_iter()
            .filter(|signal| ignored & (1 << (signal.as_raw() - 1)) != 0)
            .collect(),
        None => SIGNALS.to_vec(),
    };
    if ignored.is_empty() {
        return Ok(());
    }
    // A signal that is handled is reset by the system when the program is replaced; one that is ignored is not.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    let _context = runtime.enter();
    for ignored in ignored {
        drop(signal(SignalKind::from_raw(ignored.as_raw()))?);
    }
    Ok(())
}

/// The set of ignored signals; none where the system does not tell.
fn ignored() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let set = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(set.trim(), 16).ok()
}
