//! Leaving a command nothing open but its input and output, whatever this program was started with.

use std::io;
use std::os::fd::{BorrowedFd, RawFd};

/// Closes every descriptor above 2 at the moment when this process becomes another program.
///
/// # Errors
///
/// The system does not say what is open.
pub(super) fn close_on_exec() -> io::Result<()> {
    let folder = if cfg!(target_os = "linux") {
        "/proc/self/fd"
    } else {
        "/dev/fd"
    };
    let open: Vec<RawFd> = std::fs::read_dir(folder)?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|&descriptor| descriptor > 2)
        .collect();
    for descriptor in open {
        match mark(descriptor) {
            // The one that the folder itself was read by.
            Err(rustix::io::Errno::BADF) => {}
            other => other?,
        }
    }
    Ok(())
}

#[allow(
    unsafe_code,
    reason = "no safe call takes the number of a descriptor that somebody else left open"
)]
fn mark(descriptor: RawFd) -> rustix::io::Result<()> {
    // SAFETY: the process has one thread, so nothing is opened or closed while the number is borrowed, and it is not -1.
    // The flag changes nothing for whoever owns the descriptor in this process. A closed one is answered by EBADF.
    let descriptor = unsafe { BorrowedFd::borrow_raw(descriptor) };
    rustix::io::fcntl_setfd(descriptor, rustix::io::FdFlags::CLOEXEC)
}
