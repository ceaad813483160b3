//! The mounts of this process, as `/proc/self/mountinfo` tells them (proc_pid_mountinfo(5)).

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::mount::MountFlags;

/// A mount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mount {
    /// The file system's number.
    device: Vec<u8>,
    /// What of the file system is mounted.
    root: PathBuf,
    /// Where it is.
    pub(super) point: PathBuf,
    /// What it is restricted by, as it has to be named again when it is restricted further. How it keeps times of access
    /// stays as it is when it is not named.
    pub(super) flags: MountFlags,
}

/// All mounts, in the order in which they were made.
pub(super) fn mounts() -> io::Result<Vec<Mount>> {
    Ok(parse(&std::fs::read("/proc/self/mountinfo")?))
}

/// Where else the same is to be found as at a real path, because its file system is mounted more than once. Another mount
/// may lie over such a place.
pub(super) fn elsewhere(mounts: &[Mount], path: &Path) -> Vec<PathBuf> {
    let depth = |mount: &&Mount| mount.point.components().count();
    let holders = mounts.iter().filter(|mount| path.starts_with(&mount.point));
    // Of several at one place the last one counts.
    let Some(holder) = holders.max_by_key(depth) else {
        return Vec::new();
    };
    let below = |path: &Path, folder: &Path| path.strip_prefix(folder).map(Path::to_owned).ok();
    let Some(place) = below(path, &holder.point).map(|rest| holder.root.join(rest)) else {
        return Vec::new();
    };
    let others = mounts.iter().filter(|mount| mount.device == holder.device);
    others
        .filter_map(|mount| {
            let rest = below(&place, &mount.root)?;
            // Joined with nothing a path would end in a slash, which a file's must not.
            let whole = rest.as_os_str().is_empty();
            Some(if whole {
                mount.point.clone()
            } else {
                mount.point.join(rest)
            })
        })
        .filter(|other| other != path)
        .collect()
}

fn parse(table: &[u8]) -> Vec<Mount> {
    let lines = table.split(|byte| *byte == b'\n');
    lines
        .filter_map(|line| {
            let mut fields = line.split(|byte| *byte == b' ').skip(2);
            let (device, root) = (fields.next()?, fields.next()?);
            let (point, options) = (fields.next()?, fields.next()?);
            let flags = options
                .split(|byte| *byte == b',')
                .map(|option| match option {
                    b"ro" => MountFlags::RDONLY,
                    b"nosuid" => MountFlags::NOSUID,
                    b"nodev" => MountFlags::NODEV,
                    b"noexec" => MountFlags::NOEXEC,
                    b"nosymfollow" => MountFlags::NOSYMFOLLOW,
                    _ => MountFlags::empty(),
                })
                .fold(MountFlags::empty(), |all, flag| all | flag);
            Some(Mount {
                device: device.to_owned(),
                root: PathBuf::from(OsString::from_vec(unescaped(root))),
                point: PathBuf::from(OsString::from_vec(unescaped(point))),
                flags,
            })
        })
        .collect()
}

/// Blanks, line ends and backslashes are written as three octal digits.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..3).filter(|_| *first == b'\\');
        let code = digits
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match code {
            Some(code) => {
                plain.push(code);
                rest = &after[3..];
            }
            None => {
                plain.push(*first);
                rest = after;
            }
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_are_read_with_what_restricts_them() {
        let table = b"22 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n\
            36 22 98:0 /mnt1 /a\\040b\\134 ro,nosuid,noexec,noatime master:1 - ext3 /dev/root rw,errors=continue\n";
        let mount = |device: &str, root: &str, point: &str, flags| Mount {
            device: device.into(),
            root: root.into(),
            point: point.into(),
            flags,
        };
        let restricted = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NOEXEC;
        assert_eq!(
            parse(table),
            [
                mount("254:0", "/", "/", MountFlags::empty()),
                mount("98:0", "/mnt1", "/a b\\", restricted)
            ]
        );
    }

    #[test]
    fn what_is_mounted_twice_is_found_in_both_places() {
        let mounts = parse(
            b"1 0 8:1 /@ / rw - btrfs /dev/sda rw\n\
            2 1 8:1 /@home /home rw - btrfs /dev/sda rw\n\
            3 1 8:1 / /mnt/all rw - btrfs /dev/sda rw\n\
            4 1 8:1 /@home/u/.ssh /keys rw - btrfs /dev/sda rw\n\
            5 1 8:2 / /other rw - ext4 /dev/sdb rw\n",
        );
        let shown = |path: &str| {
            let paths = elsewhere(&mounts, Path::new(path));
            let paths: Vec<String> = paths
                .iter()
                .map(|path| path.display().to_string())
                .collect();
            paths.join(" ")
        };
        insta::assert_snapshot!(shown("/home/u/.ssh"), @"/mnt/all/@home/u/.ssh /keys");
        insta::assert_snapshot!(shown("/home/u/.ssh/id"), @"/mnt/all/@home/u/.ssh/id /keys/id");
        insta::assert_snapshot!(shown("/etc/x"), @"/mnt/all/@/etc/x");
        insta::assert_snapshot!(shown("/other/home/u"), @"");
    }
}
