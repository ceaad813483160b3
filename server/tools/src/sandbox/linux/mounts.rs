//! Mounts that only the confined process sees: what is protected is mounted on itself to be read only, what is closed is
//! covered. A mount point can be neither removed, renamed nor replaced.

use std::io::ErrorKind;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, StatVfsMountFlags};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MoveMountFlags, OpenTreeFlags, mount, mount_remount, move_mount, open_tree,
};

use crate::sandbox::error::SandboxError;
use crate::sandbox::plan::Plan;

/// Memory shared by name, which every user can write.
pub(super) const SHARED_MEMORY: &str = "/dev/shm";

/// What is done at a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    Hold,
    Protect,
    Cover,
}

/// Makes all mounts of a plan, in a mount namespace of its own. The working directory is entered anew, or it would lead
/// beneath them.
pub(super) fn arrange(plan: &Plan) -> Result<(), SandboxError> {
    let here =
        std::env::current_dir().map_err(SandboxError::step("looking up the working directory"))?;
    let under_shared_memory = |path: &PathBuf| path.starts_with(SHARED_MEMORY);
    if Path::new(SHARED_MEMORY).is_dir()
        && !plan.writable.iter().any(under_shared_memory)
        && !here.starts_with(SHARED_MEMORY)
    {
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        mount("mewcode", SHARED_MEMORY, "tmpfs", flags, c"mode=1777")
            .map_err(|error| SandboxError::path("mounted", Path::new(SHARED_MEMORY), error))?;
    }
    let each = |paths: &[PathBuf], action| {
        let paths = paths.iter().cloned();
        paths.map(move |path| (path, action)).collect::<Vec<_>>()
    };
    let mut actions = each(&plan.held, Action::Hold);
    actions.extend(each(&plan.protected, Action::Protect));
    actions.extend(each(&plan.closed, Action::Cover));
    // Outer ones first: an inner one lies on top of them.
    actions.sort_by_key(|(path, _)| path.components().count());
    for (path, action) in actions {
        let done = match action {
            Action::Hold => bind(&path),
            Action::Protect => protect(&path),
            Action::Cover => cover(&path, &plan.writable),
        };
        match done {
            Ok(()) => {}
            // Gone since it was planned, with all that would have to be protected there.
            Err(Errno::NOENT) if action == Action::Hold || gone_with_parent(&path) => {}
            Err(error) => return Err(SandboxError::path("mounted", &path, error)),
        }
    }
    std::env::set_current_dir("/")
        .and_then(|()| std::env::set_current_dir(&here))
        .map_err(SandboxError::step("entering the working directory"))
}

/// Whether not even the folder is there any more in which something was to be protected.
fn gone_with_parent(path: &Path) -> bool {
    let parent = path.parent().map(Path::symlink_metadata);
    matches!(parent, Some(Err(error)) if error.kind() == ErrorKind::NotFound)
}

/// Mounts what is at a path on itself; a link as a link.
fn bind(path: &Path) -> Result<(), Errno> {
    attach(&tree(path)?, path)
}

fn tree(path: &Path) -> Result<OwnedFd, Errno> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE
        | OpenTreeFlags::AT_SYMLINK_NOFOLLOW;
    open_tree(CWD, path, flags)
}

fn attach(tree: &OwnedFd, path: &Path) -> Result<(), Errno> {
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
    move_mount(tree, c"", CWD, path, flags)
}

fn protect(path: &Path) -> Result<(), Errno> {
    bind(path)?;
    if path.is_symlink() {
        // Being a mount point it cannot be replaced, and a link cannot be written.
        return Ok(());
    }
    restrict(path, MountFlags::RDONLY)
}

/// Restricts the mount at a path further. What it is restricted by already has to be named again.
fn restrict(path: &Path, flags: MountFlags) -> Result<(), Errno> {
    let now = rustix::fs::statvfs(path)?.f_flag;
    let known = [
        (StatVfsMountFlags::RDONLY, MountFlags::RDONLY),
        (StatVfsMountFlags::NOSUID, MountFlags::NOSUID),
        (StatVfsMountFlags::NODEV, MountFlags::NODEV),
        (StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
        (StatVfsMountFlags::NOATIME, MountFlags::NOATIME),
        (StatVfsMountFlags::NODIRATIME, MountFlags::NODIRATIME),
        (StatVfsMountFlags::RELATIME, MountFlags::RELATIME),
    ];
    let kept = known.into_iter().filter(|(flag, _)| now.contains(*flag));
    let kept = kept.fold(MountFlags::empty(), |all, (_, flag)| all | flag);
    mount_remount(path, MountFlags::BIND | kept | flags, c"")
}

/// Covers a folder by an empty one, a file by one that cannot be opened. What is written in a closed folder shows through.
fn cover(path: &Path, writable: &[PathBuf]) -> Result<(), Errno> {
    const NOTHING: MountFlags = MountFlags::NOSUID
        .union(MountFlags::NODEV)
        .union(MountFlags::NOEXEC);
    if !path.is_dir() {
        attach(&tree(Path::new("/dev/null"))?, path)?;
        return restrict(path, NOTHING | MountFlags::RDONLY);
    }
    let inside: Vec<&PathBuf> = writable
        .iter()
        .filter(|tree| tree.starts_with(path) && *tree != path)
        .collect();
    let trees: Vec<OwnedFd> = inside
        .iter()
        .map(|inner| tree(inner))
        .collect::<Result<_, _>>()?;
    // Passed through, and not listed.
    let mode = if inside.is_empty() {
        c"mode=000,size=16k"
    } else {
        c"mode=711,size=16k"
    };
    mount("mewcode", path, "tmpfs", NOTHING, mode)?;
    for (inner, tree) in inside.iter().zip(&trees) {
        std::fs::create_dir_all(inner).map_err(|error| {
            error
                .raw_os_error()
                .map_or(Errno::IO, Errno::from_raw_os_error)
        })?;
        attach(tree, inner)?;
    }
    mount_remount(path, MountFlags::BIND | MountFlags::RDONLY | NOTHING, c"")
}
