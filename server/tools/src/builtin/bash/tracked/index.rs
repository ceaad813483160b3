//! Reads what git tracks from a repository's index. Knows nothing of what it is for; an index that is not understood in full
//! is not understood at all.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// A larger index is not read.
const MAX_BYTES: u64 = 256 << 20;

/// How long the names of objects are: SHA-1 and SHA-256.
const HASHES: [usize; 2] = [20, 32];

/// A file that git tracks.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// From the top of the working tree.
    pub(super) path: PathBuf,
    /// When it was changed last, as far as git knows.
    pub(super) seconds: u32,
    pub(super) nanoseconds: u32,
    pub(super) size: u32,
    /// Whether git does not rely on these: it was changed when the index was written, or is in conflict.
    pub(super) is_racy: bool,
}

/// What is tracked in the working tree with this top; none: it cannot be told.
pub(super) fn read(top: &Path) -> Option<Vec<Entry>> {
    let place = top.join(".git");
    let folder = match place.is_dir() {
        true => place,
        false => {
            let text = fs::read_to_string(&place).ok()?;
            top.join(text.strip_prefix("gitdir:")?.trim())
        }
    };
    let file = folder.join("index");
    let about = fs::metadata(&file).ok()?;
    if about.len() > MAX_BYTES {
        return None;
    }
    let written = about.modified().ok()?;
    let bytes = fs::read(&file).ok()?;
    HASHES.iter().find_map(|hash| parse(&bytes, *hash, written))
}

fn parse(bytes: &[u8], hash: usize, written: SystemTime) -> Option<Vec<Entry>> {
    let number = |at: usize| {
        let bytes = bytes.get(at..at + 4)?;
        Some(u32::from_be_bytes(bytes.try_into().ok()?))
    };
    let written = written.duration_since(UNIX_EPOCH).ok()?.as_secs();
    let version = number(4)?;
    if !bytes.starts_with(b"DIRC") || !(2..=4).contains(&version) {
        return None;
    }
    let mut entries = Vec::new();
    let mut at = 12;
    let mut name = Vec::new();
    for _ in 0..number(8)? {
        let start = at;
        let flags = number(start + 40 + hash)? >> 16;
        at += 40 + hash + 2;
        if flags & 0x4000 != 0 {
            at += 2;
        }
        if version == 4 {
            let dropped = variable(bytes, &mut at)?;
            name.truncate(name.len().checked_sub(dropped)?);
        } else {
            name.clear();
        }
        let length = bytes.get(at..)?.iter().position(|byte| *byte == 0)?;
        name.extend_from_slice(&bytes[at..at + length]);
        at += length + 1;
        if version < 4 {
            // Filled up to a multiple of eight, by one zero at least.
            at = start + (at - start).next_multiple_of(8);
        }
        // Files, links, and commits of submodules; all else is a folder in place of what is in it, or no entry.
        const KINDS: [u32; 4] = [0o100_644, 0o100_755, 0o120_000, 0o160_000];
        if !KINDS.contains(&number(start + 24)?) || name.is_empty() {
            return None;
        }
        let seconds = number(start + 8)?;
        entries.push(Entry {
            path: PathBuf::from(String::from_utf8_lossy(&name).into_owned()),
            seconds,
            nanoseconds: number(start + 12)?,
            size: number(start + 36)?,
            is_racy: u64::from(seconds) >= written || flags & 0x3000 != 0,
        });
    }
    // Entries that are in another file, and folders that stand for what is in them.
    let end = bytes.len().checked_sub(hash)?;
    while at < end {
        if [b"link".as_slice(), b"sdir"].contains(&bytes.get(at..at + 4)?) {
            return None;
        }
        at += 8 + usize::try_from(number(at + 4)?).ok()?;
    }
    (at == end).then_some(entries)
}

/// A number of seven bits a byte, each but the last one more than it says.
fn variable(bytes: &[u8], at: &mut usize) -> Option<usize> {
    let mut value = 0_usize;
    loop {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value = value
            .checked_mul(128)?
            .checked_add(usize::from(byte & 0x7f))?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
        value = value.checked_add(1)?;
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn what_is_tracked_is_read_whatever_the_form_of_the_index() {
        for form in ["2", "3", "4"] {
            for hash in ["sha1", "sha256"] {
                let folder = tempfile::tempdir().unwrap();
                let git = |arguments: &[&str]| {
                    let mut git = Command::new("git");
                    git.arg("-C").arg(folder.path()).args(arguments);
                    let output = git.output().unwrap();
                    assert!(output.status.success(), "{output:?}");
                };
                let format = format!("--object-format={hash}");
                git(&["init", "-q", &format]);
                git(&["config", "index.version", form]);
                let names = [".env", "a/b.txt", "a/longer name.txt", "z"];
                for name in names {
                    let path = folder.path().join(name);
                    fs::create_dir_all(path.parent().unwrap()).unwrap();
                    fs::write(path, "text").unwrap();
                }
                git(&["add", "a"]);
                git(&["add", "-N", "z"]);
                git(&["add", ".env"]);
                let entries = read(folder.path()).unwrap();
                let found: Vec<&str> = entries
                    .iter()
                    .map(|entry| entry.path.to_str().unwrap())
                    .collect();
                assert_eq!(found, names, "{form} {hash}");
                assert_eq!(entries[0].size, 4);
                git(&["update-index", "--split-index"]);
                assert_eq!(read(folder.path()), None, "{form} {hash}");
            }
        }
    }
}
