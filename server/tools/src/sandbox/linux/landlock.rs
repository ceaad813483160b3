//! Landlock: what is written and read of the file system, and who is signalled. It allows trees and cannot take anything
//! out of one; where mounts cannot do that, a tree is allowed in pieces.

use std::os::fd::OwnedFd;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};
use rustix::fs::{CWD, Mode, OFlags};

use super::mounts::SHARED_MEMORY;
use crate::sandbox::error::SandboxError;
use crate::sandbox::plan::{Mechanism, Plan};

/// The versions that are told apart, the newest first: the last one forbids to connect to sockets by their path.
const VERSIONS: [(u8, ABI); 7] = [
    (9, ABI::V9),
    (6, ABI::V6),
    (5, ABI::V5),
    (4, ABI::V4),
    (3, ABI::V3),
    (2, ABI::V2),
    (1, ABI::V1),
];

/// Devices that hold nothing and lead nowhere.
const DEVICES: [&str; 7] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
];

/// The version of Landlock that is used, 0 if there is none.
pub(super) fn version() -> u8 {
    let works = |abi: ABI| {
        let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        let handled = ruleset.handle_access(AccessFs::from_all(abi));
        let handled = handled.and_then(|ruleset| {
            if abi >= ABI::V6 {
                ruleset.scope(Scope::from_all(abi))
            } else {
                Ok(ruleset)
            }
        });
        handled.and_then(Ruleset::create).is_ok()
    };
    let found = VERSIONS.into_iter().find(|(_, abi)| works(*abi));
    found.map_or(0, |(version, _)| version)
}

/// Confines this process, for good. With a network of its own the network is left to that.
pub(super) fn restrict(plan: &Plan, version: u8, own_network: bool) -> Result<(), SandboxError> {
    let abi = VERSIONS.into_iter().find(|(number, _)| *number == version);
    let abi = abi.map_or(ABI::Unsupported, |(_, abi)| abi);
    let step = SandboxError::step::<RulesetError>("Landlock");
    let read = BitFlags::from(AccessFs::ReadFile);
    let all = AccessFs::from_write(abi);
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(all | read)
        .map_err(&step)?;
    if abi >= ABI::V6 {
        ruleset = ruleset.scope(Scope::from_all(abi)).map_err(&step)?;
    }
    if abi >= ABI::V4 && !own_network {
        ruleset = ruleset
            .handle_access(AccessNet::from_all(abi))
            .map_err(&step)?;
    }
    let mut rules = Rules {
        ruleset: ruleset.create().map_err(&step)?,
        file: AccessFs::from_file(abi),
    };

    let special = AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::ResolveUnix;
    let devices = BitFlags::from(AccessFs::IoctlDev);
    let write = all & !special & !devices;
    let device = (BitFlags::from(AccessFs::WriteFile) | devices) & all;
    let whole = plan.mechanism == Mechanism::Namespaces;
    let mut terminals = own_terminals();
    // What is closed and protected is taken out by mounts where there are any; else a tree is allowed in pieces.
    let (mut unread, mut unwritten) = (Vec::new(), Vec::new());
    if whole {
        // All in there were made by this command.
        terminals.push(PathBuf::from("/dev/pts"));
    } else {
        unread.extend(plan.closed.iter().cloned());
        unwritten.extend(plan.closed.iter().chain(&plan.protected).cloned());
    }
    // A tree in a closed folder is written all the same.
    let inside = |tree: &Path, without: &[PathBuf]| {
        let below = |path: &&PathBuf| plan.protected.contains(path) || !tree.starts_with(path);
        pieces(
            tree,
            &without.iter().filter(below).cloned().collect::<Vec<_>>(),
        )
    };
    for tree in &plan.writable {
        for path in inside(tree, &unwritten) {
            rules.allow(&path, write)?;
        }
        for path in inside(tree, &unread) {
            rules.allow(&path, read)?;
        }
    }
    unread.push(PathBuf::from("/dev"));
    for path in pieces(Path::new("/"), &unread) {
        rules.allow(&path, read)?;
    }
    rules.allow(Path::new(SHARED_MEMORY), read | write)?;
    for path in DEVICES.iter().map(PathBuf::from).chain(terminals) {
        rules.allow(&path, read | device)?;
    }
    let status = rules.ruleset.restrict_self().map_err(&step)?;
    if status.ruleset != RulesetStatus::FullyEnforced || !status.no_new_privs {
        return Err(SandboxError::step("Landlock")("it is not enforced in full"));
    }
    Ok(())
}

struct Rules {
    ruleset: RulesetCreated,
    /// What can be allowed for something that is no folder.
    file: BitFlags<AccessFs>,
}

impl Rules {
    /// Allows something at a path and below. What is not there, or is not what it was, is left out.
    fn allow(&mut self, path: &Path, access: BitFlags<AccessFs>) -> Result<(), SandboxError> {
        let Some(handle) = open(path) else {
            return Ok(());
        };
        let access = if path.is_dir() {
            access
        } else {
            access & self.file
        };
        (&mut self.ruleset)
            .add_rule(PathBeneath::new(handle, access))
            .map(|_| ())
            .map_err(SandboxError::step("Landlock"))
    }
}

/// The terminals that this process was started in, and what new ones are made by.
fn own_terminals() -> Vec<PathBuf> {
    let standard =
        (0..=2).filter_map(|number| std::fs::read_link(format!("/proc/self/fd/{number}")).ok());
    let mut terminals: Vec<PathBuf> = standard
        .filter(|path| path.starts_with("/dev/pts"))
        .collect();
    terminals.push(PathBuf::from("/dev/pts/ptmx"));
    terminals
}

/// Opens what is at a real path. Somebody may have put a link in its place: then it is not opened.
fn open(path: &Path) -> Option<OwnedFd> {
    use std::os::fd::AsRawFd;
    let flags = OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let handle = rustix::fs::openat(CWD, path, flags, Mode::empty()).ok()?;
    let there = std::fs::read_link(format!("/proc/self/fd/{}", handle.as_raw_fd())).ok()?;
    (there == path).then_some(handle)
}

/// A tree without some paths in it: as few paths as possible that hold all the rest. Links are left out, since what is
/// allowed is where they lead, and sockets, since that would be to let them be connected to.
fn pieces(tree: &Path, without: &[PathBuf]) -> Vec<PathBuf> {
    if without.iter().any(|path| tree.starts_with(path)) {
        return Vec::new();
    }
    if !without.iter().any(|path| path.starts_with(tree)) {
        return vec![tree.to_owned()];
    }
    // What cannot be listed cannot be allowed in pieces, and is not allowed at all.
    let entries = tree.read_dir().into_iter().flatten().flatten();
    let kept = entries.filter(|entry| {
        entry
            .file_type()
            .is_ok_and(|kind| !kind.is_symlink() && !kind.is_socket())
    });
    kept.flat_map(|entry| pieces(&entry.path(), without))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_without_some_paths_is_the_rest_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for path in ["a/b/kept", "a/c", "d/e"] {
            std::fs::create_dir_all(root.join(path)).unwrap();
        }
        std::fs::write(root.join("a/b/file"), "").unwrap();
        std::os::unix::fs::symlink("/", root.join("link")).unwrap();
        let shown = |without: &[&str]| {
            let without: Vec<PathBuf> = without.iter().map(|path| root.join(path)).collect();
            let mut pieces: Vec<String> = pieces(&root, &without)
                .iter()
                .map(|path| path.strip_prefix(&root).unwrap().display().to_string())
                .collect();
            pieces.sort();
            pieces.join(" ")
        };
        insta::assert_snapshot!(shown(&["a/b/kept"]), @"a/b/file a/c d");
        insta::assert_snapshot!(shown(&["absent"]), @"a d");
        insta::assert_snapshot!(shown(&["d", "a"]), @"");
        let elsewhere = PathBuf::from("/other");
        assert_eq!(pieces(&root, &[elsewhere]), std::slice::from_ref(&root));
        assert!(pieces(&root.join("a"), std::slice::from_ref(&root)).is_empty());
    }
}
