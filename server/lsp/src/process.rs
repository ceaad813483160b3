//! What only the process itself can do: give memory back, and notice that its parent is gone.
//!
//! The one module of this crate that may use `unsafe`.

/// Gives freed memory back to the system. Without it, glibc keeps the pages of a large document after its close.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code)]
pub fn release_free_memory() {
    // SAFETY: malloc_trim takes no pointer, is thread safe, and has no precondition.
    unsafe { libc::malloc_trim(0) };
}

/// Gives freed memory back to the system; here the allocator does so by itself.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn release_free_memory() {}

/// Whether a process with this id exists.
#[cfg(unix)]
pub fn is_alive(id: u32) -> bool {
    let Some(id) = i32::try_from(id)
        .ok()
        .and_then(rustix::process::Pid::from_raw)
    else {
        return false;
    };
    // EPERM tells that it exists and is another user's.
    !matches!(
        rustix::process::test_kill_process(id),
        Err(rustix::io::Errno::SRCH)
    )
}

/// Whether a process with this id exists; unknown here, so it is believed to.
#[cfg(not(unix))]
pub fn is_alive(_id: u32) -> bool {
    true
}
