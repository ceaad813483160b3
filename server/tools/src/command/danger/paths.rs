//! Paths that nothing may be done to as a whole, and files that nothing may be written to.

use std::path::{Component, Path, PathBuf};

use super::Place;
use crate::command::word::{Glob, Value};
use crate::lexical::normal;

/// What a path stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::command) enum Ruin {
    /// The root of the file system, or all in it.
    Root,
    /// A folder that the system lives in.
    System,
    /// The home folder of a user, or one above it.
    Home,
    /// The folder that the command line starts in, or one above it.
    Folder,
}

impl Ruin {
    pub fn describe(self) -> &'static str {
        match self {
            Ruin::Root => "the whole file system",
            Ruin::System => "a folder that the system lives in",
            Ruin::Home => "a whole home folder",
            Ruin::Folder => "the whole folder that it runs in",
        }
    }
}

const SYSTEM: &[&str] = &[
    "bin",
    "boot",
    "dev",
    "etc",
    "home",
    "lib",
    "lib32",
    "lib64",
    "opt",
    "proc",
    "root",
    "run",
    "sbin",
    "srv",
    "sys",
    "usr",
    "var",
    "Users",
    "System",
    "Library",
    "Applications",
    "private",
    "Volumes",
    "cygdrive",
];

const SYSTEM_BELOW: &[&str] = &[
    "/usr/bin",
    "/usr/lib",
    "/usr/lib64",
    "/usr/sbin",
    "/usr/share",
    "/usr/local",
    "/var/lib",
    "/var/log",
    "/etc/ssh",
    "/boot/efi",
    "/private/etc",
    "/private/var",
];

/// What a word stands for as a path, if it is something that must not be ruined.
pub(in crate::command) fn ruin(value: &Value, place: &Place) -> Option<Ruin> {
    if value.text.is_empty() {
        return None;
    }
    let mut path = PathBuf::new();
    let absolute = place.folder.join(&value.text);
    for component in absolute.components() {
        let name = component.as_os_str().to_string_lossy();
        if value.glob != Glob::None && name.contains(['*', '?', '[']) {
            if normal(&path) == Path::new("/") {
                return Some(Ruin::Root);
            }
            if !is_everything(&name) {
                return None;
            }
            break;
        }
        path.push(component);
    }
    let path = past_links_of_processes(&normal(&path), place);
    of_path(&path, place)
}

/// A path without what leads from the folder of a process to its root or its working directory: those of this command.
fn past_links_of_processes(path: &Path, place: &Place) -> PathBuf {
    let mut names = path.components();
    let first: Vec<_> = names
        .by_ref()
        .take(4)
        .map(|part| part.as_os_str().to_str())
        .collect();
    match first.as_slice() {
        [_, Some("proc"), _, Some("root")] => Path::new("/").join(names.as_path()),
        [_, Some("proc"), _, Some("cwd")] => place.folder.join(names.as_path()),
        _ => path.to_owned(),
    }
}

fn of_path(path: &Path, place: &Place) -> Option<Ruin> {
    let names: Vec<_> = path
        .components()
        .filter_map(|component| match component {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    match names.as_slice() {
        [] => return Some(Ruin::Root),
        [top] if SYSTEM.contains(top) => return Some(Ruin::System),
        ["home" | "Users", _] => return Some(Ruin::Home),
        _ => {}
    }
    if SYSTEM_BELOW.iter().any(|folder| path == Path::new(folder)) {
        return Some(Ruin::System);
    }
    if place
        .home
        .as_ref()
        .is_some_and(|home| home.starts_with(path))
    {
        return Some(Ruin::Home);
    }
    place.workdir.starts_with(path).then_some(Ruin::Folder)
}

/// Whether a pattern takes nearly every name.
fn is_everything(pattern: &str) -> bool {
    let mut in_brackets = false;
    pattern.contains(['*', '?'])
        && pattern.chars().all(|character| {
            match character {
                '[' => in_brackets = true,
                ']' => in_brackets = false,
                _ => return in_brackets || "*?.!".contains(character),
            }
            true
        })
}

/// Why nothing may be written there.
pub(in crate::command) fn write(value: &Value, place: &Place) -> Option<String> {
    let path = normal(&place.folder.join(&value.text));
    let path = past_links_of_processes(&path, place);
    let text = path.to_str()?;
    if is_device(text) {
        return Some(format!(
            "It would write to the device `{text}`, over whatever is on it."
        ));
    }
    if ["/etc/passwd", "/etc/shadow", "/etc/sudoers", "/etc/fstab"].contains(&text)
        || text.starts_with("/etc/sudoers.d/")
    {
        return Some(format!(
            "It would change who may enter this machine, or how it starts: `{text}`."
        ));
    }
    let own = path.strip_prefix(place.home.as_ref()?).ok()?.to_str()?;
    let keys = own == ".ssh" || own.starts_with(".ssh/");
    let history = own.starts_with('.') && own.ends_with("_history");
    (keys || history)
        .then(|| format!("It would overwrite keys or the history of the user: `~/{own}`."))
}

/// Whether a path is a disk, memory, or the switch that stops the machine.
fn is_device(path: &str) -> bool {
    if path == "/proc/sysrq-trigger" || path.starts_with("/sys/firmware/efi") {
        return true;
    }
    let Some(name) = path.strip_prefix("/dev/") else {
        return false;
    };
    const STARTS: &[&str] = &[
        "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "dm-", "md", "loop", "nbd",
        "sr", "sg", "mapper/", "ram", "zram", "bcache",
    ];
    const NAMES: &[&str] = &["mem", "kmem", "port"];
    NAMES.contains(&name)
        || name.starts_with("disk/")
        || STARTS.iter().any(|start| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Place {
        Place {
            home: Some("/home/u".into()),
            workdir: "/home/u/project/sub".into(),
            folder: "/home/u/project/sub".into(),
        }
    }

    fn of(text: &str, glob: Glob) -> Option<Ruin> {
        let value = Value {
            glob,
            ..Value::literal(text)
        };
        ruin(&value, &place())
    }

    #[test]
    fn what_must_not_be_ruined_is_known_in_every_spelling() {
        for (text, expected) in [
            ("/", Ruin::Root),
            ("//", Ruin::Root),
            ("/.", Ruin::Root),
            ("/tmp/..", Ruin::Root),
            ("../../../..", Ruin::Root),
            ("/usr/", Ruin::System),
            ("/etc/./", Ruin::System),
            ("/home/u", Ruin::Home),
            ("/home/other/", Ruin::Home),
            ("../..", Ruin::Home),
            (".", Ruin::Folder),
            ("./", Ruin::Folder),
            ("..", Ruin::Folder),
            ("../sub", Ruin::Folder),
            ("/home/u/project", Ruin::Folder),
        ] {
            assert_eq!(of(text, Glob::None), Some(expected), "{text}");
        }
        for (text, expected) in [
            ("/*", Ruin::Root),
            ("/b*", Ruin::Root),
            ("/home/u/*", Ruin::Home),
            ("*", Ruin::Folder),
            ("./*", Ruin::Folder),
            (".*", Ruin::Folder),
            (".[!.]*", Ruin::Folder),
            ("../*", Ruin::Folder),
        ] {
            assert_eq!(of(text, Glob::Leading), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_within_may_be_removed() {
        for text in [
            "target",
            "./target/",
            "/tmp/x",
            "*",
            "../other",
            "/home/u/project/other",
            "",
            "/usr/local/src/x",
        ] {
            assert_eq!(of(text, Glob::None), None, "{text}");
        }
        for text in ["*.o", "target/*", "build*", "/tmp/*.log"] {
            assert_eq!(of(text, Glob::Inside), None, "{text}");
        }
    }

    #[test]
    fn devices_are_no_files() {
        for path in [
            "/dev/sda",
            "/dev/sda1",
            "/dev/nvme0n1",
            "/dev/mapper/root",
            "/dev/disk/by-id/x",
            "/dev/mem",
            "/proc/sysrq-trigger",
            "/dev/../dev/sdb",
        ] {
            assert!(write(&Value::literal(path), &place()).is_some(), "{path}");
        }
        for path in [
            "/dev/null",
            "/dev/stdout",
            "/dev/tty",
            "/dev/shm/x",
            "/dev/fd/3",
            "sda",
            "dev/sda",
        ] {
            assert!(write(&Value::literal(path), &place()).is_none(), "{path}");
        }
    }
}
