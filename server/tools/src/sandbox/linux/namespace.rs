//! Namespaces of its own for a process that is to be confined: mounts, network, IPC, and users where that takes to have
//! the others. Holds the only unsafe code of the sandbox.

#![allow(unsafe_code, reason = "two calls, each with its proof")]

use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::mount::{MountPropagationFlags, mount_change};
use rustix::thread::UnshareFlags;

use crate::sandbox::error::SandboxError;

/// Which namespaces are had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spaces {
    /// One of users, which gives the right to the others.
    pub(super) user: bool,
    /// One of the network.
    pub(super) network: bool,
}

/// What is tried, the best first.
const CHOICES: [Spaces; 4] = [
    Spaces {
        user: false,
        network: true,
    },
    Spaces {
        user: true,
        network: true,
    },
    Spaces {
        user: false,
        network: false,
    },
    Spaces {
        user: true,
        network: false,
    },
];

/// What a trial answers in place of becoming a program: no error of these calls.
const WORKS: Errno = Errno::CANCELED;

/// Which namespaces can be had, tried in processes of their own.
pub(super) fn find() -> Option<Spaces> {
    CHOICES.into_iter().find(|spaces| {
        let entry = Entry::new(*spaces);
        let mut command = Command::new("/");
        // SAFETY: between fork and exec only system calls are made, through `rustix`, which calls them directly: nothing
        // is allocated, locked or unwound. The closure never succeeds, so nothing is executed.
        unsafe {
            command.pre_exec(move || match entry.enter() {
                Ok(()) => Err(WORKS.into()),
                Err(error) => Err(error.into()),
            });
        }
        let answer = command.spawn().map_err(|error| error.raw_os_error());
        matches!(answer, Err(Some(code)) if code == WORKS.raw_os_error())
    })
}

/// Moves this process, which must have one thread, into namespaces of its own.
pub(super) fn enter(spaces: Spaces) -> Result<(), SandboxError> {
    Entry::new(spaces)
        .enter()
        .map_err(SandboxError::step("making namespaces"))
}

/// Namespaces to be entered, with all that has to be written for it.
struct Entry {
    spaces: Spaces,
    users: Vec<u8>,
    groups: Vec<u8>,
}

impl Entry {
    fn new(spaces: Spaces) -> Entry {
        let user = rustix::process::geteuid().as_raw();
        let group = rustix::process::getegid().as_raw();
        Entry {
            spaces,
            users: format!("{user} {user} 1").into_bytes(),
            groups: format!("{group} {group} 1").into_bytes(),
        }
    }

    /// Makes system calls and nothing else.
    fn enter(&self) -> Result<(), Errno> {
        let mut flags = UnshareFlags::NEWNS | UnshareFlags::NEWIPC;
        flags.set(UnshareFlags::NEWUSER, self.spaces.user);
        flags.set(UnshareFlags::NEWNET, self.spaces.network);
        // SAFETY: the table of open files is not among what is taken apart, which is all that can be unsafe here.
        unsafe { rustix::thread::unshare_unsafe(flags) }?;
        if self.spaces.user {
            // Who they are stays as it is.
            write(c"/proc/self/setgroups", b"deny")?;
            write(c"/proc/self/uid_map", &self.users)?;
            write(c"/proc/self/gid_map", &self.groups)?;
        }
        // Mounts made from here on are seen nowhere else.
        mount_change(
            c"/",
            MountPropagationFlags::PRIVATE | MountPropagationFlags::REC,
        )
    }
}

fn write(path: &std::ffi::CStr, text: &[u8]) -> Result<(), Errno> {
    let file = rustix::fs::open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(&file, text).map(|_| ())
}
