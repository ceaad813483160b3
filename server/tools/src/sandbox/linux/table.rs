//! The mounts of this process, as `/proc/self/mountinfo` tells them (proc_pid_mountinfo(5)).

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use rustix::mount::MountFlags;

/// A mount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mount {
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

fn parse(table: &[u8]) -> Vec<Mount> {
    let lines = table.split(|byte| *byte == b'\n');
    lines
        .filter_map(|line| {
            let mut fields = line.split(|byte| *byte == b' ').skip(4);
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
        let mount = |point: &str, flags| Mount {
            point: point.into(),
            flags,
        };
        let restricted = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NOEXEC;
        assert_eq!(
            parse(table),
            [mount("/", MountFlags::empty()), mount("/a b\\", restricted)]
        );
    }
}
