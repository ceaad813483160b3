//! Disks, file systems, permissions of everything, and the machine itself.

use super::remove::{has_flag, operands};
use super::{Place, Ruin, ruin};
use crate::command::program::Program;
use crate::command::word::Value;

/// Programs that destroy what is on a disk, and what they must be told to do it; without that they always do.
const DISKS: &[(&str, &[&str])] = &[
    ("mkfs", &[]),
    ("mke2fs", &[]),
    ("mkswap", &[]),
    ("mkdosfs", &[]),
    ("mkntfs", &[]),
    ("newfs", &[]),
    ("wipefs", &["-a", "--all", "-af", "-fa", "-o", "--offset"]),
    ("blkdiscard", &[]),
    ("fdisk", &[]),
    ("sfdisk", &[]),
    ("cfdisk", &[]),
    ("gdisk", &[]),
    ("sgdisk", &[]),
    (
        "parted",
        &["mklabel", "mktable", "mkpart", "rm", "resizepart"],
    ),
    (
        "cryptsetup",
        &["luksFormat", "erase", "luksErase", "reencrypt"],
    ),
    (
        "hdparm",
        &[
            "--security-erase",
            "--security-erase-enhanced",
            "--trim-sector-ranges",
            "--make-bad-sector",
        ],
    ),
    ("nvme", &["format", "sanitize", "write-zeroes"]),
    ("badblocks", &["-w", "-wsv", "-n"]),
    (
        "diskutil",
        &[
            "eraseDisk",
            "eraseVolume",
            "zeroDisk",
            "secureErase",
            "partitionDisk",
            "reformat",
            "randomDisk",
        ],
    ),
    ("pvremove", &[]),
    ("vgremove", &[]),
    ("lvremove", &[]),
    ("pvcreate", &[]),
    ("zpool", &["destroy", "create", "labelclear"]),
    ("zfs", &["destroy"]),
    ("btrfs", &["delete"]),
    ("mdadm", &["--zero-superblock", "--create"]),
    ("flashrom", &["-w", "-E", "--write", "--erase"]),
];

/// Programs that stop the machine, and what they must be told to do it; without that they always do.
const STOPS: &[(&str, &[&str])] = &[
    ("shutdown", &[]),
    ("reboot", &[]),
    ("halt", &[]),
    ("poweroff", &[]),
    ("init", &["0", "6", "1"]),
    ("telinit", &["0", "6", "1"]),
    (
        "systemctl",
        &[
            "poweroff",
            "reboot",
            "halt",
            "kexec",
            "rescue",
            "emergency",
            "suspend",
            "hibernate",
            "soft-reboot",
        ],
    ),
    (
        "loginctl",
        &[
            "poweroff",
            "reboot",
            "halt",
            "suspend",
            "hibernate",
            "terminate-user",
        ],
    ),
    ("kexec", &["-e", "--exec"]),
    ("killall5", &[]),
];

/// Options with which any of them only tells something.
const TELLS: &[&str] = &[
    "--help",
    "-h",
    "--version",
    "-V",
    "-l",
    "--list",
    "-L",
    "-c",
];

pub(super) fn look(program: &Program, arguments: &[Value], place: &Place) -> Option<String> {
    let name = program.name.as_str();
    let told = |words: &[&str]| {
        words.is_empty()
            || arguments
                .iter()
                .any(|word| words.contains(&word.text.as_str()))
    };
    let only_tells = arguments
        .iter()
        .any(|word| TELLS.contains(&word.text.as_str()));
    let base = name.split('.').next().unwrap_or(name);
    if let Some((_, words)) = DISKS
        .iter()
        .find(|(disk, _)| *disk == base || *disk == name)
    {
        let tells = match base {
            "mkfs" | "mke2fs" | "mkswap" | "newfs" => arguments
                .iter()
                .any(|word| ["--help", "--version", "-V"].contains(&word.text.as_str())),
            _ => only_tells,
        };
        if told(words) && !tells {
            return Some("It would destroy what is on a disk.".to_owned());
        }
    }
    if let Some((_, words)) = STOPS.iter().find(|(stop, _)| *stop == name) {
        let cancels = arguments.iter().any(|word| {
            ["-c", "--help", "--version", "-k", "--show"].contains(&word.text.as_str())
        });
        if told(words) && !cancels {
            return Some(
                "It would stop or restart this machine, or all that runs on it.".to_owned(),
            );
        }
    }
    match name {
        "chmod" | "chown" | "chgrp" | "setfacl" | "chattr" | "gchmod" | "gchown" => {
            let recursive = has_flag(arguments, &['R'], "--recursive");
            let ruined = operands(arguments)
                .skip(usize::from(name != "setfacl"))
                .find_map(|word| ruin(word, place));
            let ruined = ruined.filter(|ruin| recursive && *ruin != Ruin::Folder)?;
            Some(format!(
                "It would change who may do what in {}.",
                ruined.describe()
            ))
        }
        "kill" if arguments.iter().skip(1).any(|word| word.text == "-1") => {
            Some("It would end everything that the user runs.".to_owned())
        }
        "crontab" if has_flag(arguments, &['r'], "--remove") => {
            Some("It would remove all that the user has planned to run.".to_owned())
        }
        _ => None,
    }
}
