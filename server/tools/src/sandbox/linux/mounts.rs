//! Mounts that only the confined process sees. Everything is mounted read-only (which, unlike Landlock, also forbids to
//! change modes, owners and times), what is written is mounted on itself as it was, what is protected in it is mounted on
//! itself read-only again, and what is closed is covered. A mount point can be neither removed, renamed nor replaced.

use std::io::ErrorKind;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, StatVfsMountFlags};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MoveMountFlags, OpenTreeFlags, mount, mount_remount, move_mount, open_tree,
};

use super::table::{self, Mount};
use crate::sandbox::error::SandboxError;
use crate::sandbox::plan::Plan;

/// Memory shared by name, which every user can write.
pub(super) const SHARED_MEMORY: &str = "/dev/shm";

/// Terminals that programs make.
const TERMINALS: &str = "/dev/pts";

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
    // As they are before everything is read-only; a folder in another one lies on top of it.
    let mut written: Vec<(&PathBuf, OwnedFd)> = Vec::new();
    for path in &plan.writable {
        let tree = tree(path).map_err(|error| SandboxError::path("mounted", path, error))?;
        written.push((path, tree));
    }
    written.sort_by_key(|(path, _)| path.components().count());
    let mounts = table::mounts().map_err(SandboxError::step("reading the mounts"))?;
    let closed = plan.closed.iter().cloned();
    let closed: Vec<PathBuf> = closed
        .flat_map(|path| seen_elsewhere(&mounts, &path).into_iter().chain([path]))
        .collect();
    make_all_read_only(&mounts)?;
    // Others' terminals and shared memory are not there.
    let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
    replace(
        TERMINALS,
        "devpts",
        flags,
        c"newinstance,ptmxmode=0666,mode=0620",
    )?;
    let shares = |path: &PathBuf| path.starts_with(SHARED_MEMORY);
    if !plan.writable.iter().any(shares) {
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        replace(SHARED_MEMORY, "tmpfs", flags, c"mode=1777")?;
    }
    for (path, tree) in &written {
        attach(tree, path).map_err(|error| SandboxError::path("mounted", path, error))?;
    }
    let each = |paths: &[PathBuf], action| {
        let paths = paths.iter().cloned();
        paths.map(move |path| (path, action)).collect::<Vec<_>>()
    };
    let mut actions = each(&plan.held, Action::Hold);
    actions.retain(|(path, _)| !plan.writable.contains(path));
    actions.extend(each(&plan.protected, Action::Protect));
    actions.extend(each(&closed, Action::Cover));
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

/// Where else the same can be reached, by another mount of its file system.
fn seen_elsewhere(mounts: &[Mount], path: &Path) -> Vec<PathBuf> {
    let identity = |path: &Path| {
        path.symlink_metadata()
            .map(|found| (found.dev(), found.ino()))
    };
    let Ok(own) = identity(path) else {
        return Vec::new();
    };
    let mut places = table::elsewhere(mounts, path);
    places.retain(|place| identity(place).is_ok_and(|other| other == own));
    places
}

fn make_all_read_only(mounts: &[Mount]) -> Result<(), SandboxError> {
    for (index, mount) in mounts.iter().enumerate() {
        // What lies under another one is out of reach, and not restricted like that.
        if mounts[index + 1..]
            .iter()
            .any(|later| later.point == mount.point)
        {
            continue;
        }
        let flags = MountFlags::BIND | MountFlags::RDONLY | mount.flags;
        match mount_remount(&mount.point, flags, c"") {
            Ok(()) => {}
            // Out of reach, for the command as well: in a folder that is closed to this user, covered by another mount,
            // or of a server that is gone.
            Err(
                Errno::ACCESS
                | Errno::NOENT
                | Errno::NOTDIR
                | Errno::INVAL
                | Errno::NOTCONN
                | Errno::STALE,
            ) => {}
            Err(error) => return Err(SandboxError::path("mounted", &mount.point, error)),
        }
    }
    Ok(())
}

/// Mounts a file system of its own over a folder, if there is the folder.
fn replace(
    place: &str,
    kind: &str,
    flags: MountFlags,
    options: &std::ffi::CStr,
) -> Result<(), SandboxError> {
    let place = Path::new(place);
    if !place.is_dir() {
        return Ok(());
    }
    mount("mewcode", place, kind, flags, options)
        .map_err(|error| SandboxError::path("mounted", place, error))
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
