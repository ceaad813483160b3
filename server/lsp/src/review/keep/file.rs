//! The files in which undecided hunks are kept, and their locks. Knows nothing of what is in them but their head.

use mewcode_tools::private;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, TryLockError};
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::path::{Path, PathBuf};
use uuid::Uuid;

/// The version of what is written.
pub(super) const VERSION: u32 = 1;

/// The lock of whoever adopts.
pub(super) const TURN: &str = "lock";

/// How the names of files begin that are being written.
pub(super) const HALF_WRITTEN: &str = "new-";

/// How the names of files end that could not be read.
pub(super) const DAMAGED: &str = ".damaged";

/// How long the first line may be.
const MAX_HEAD: u64 = 64 * 1024;

/// A longer file is none of ours: each byte that is kept makes six of them at most.
const MAX_LENGTH: u64 = 8 * super::MAX_BYTES as u64;

/// How often another name is tried.
const MAX_NAMES: usize = 16;

/// The name of a server's files.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name(String);

/// A lock that this process holds.
#[derive(Debug)]
pub(super) struct Lock {
    /// Held open; closing it would give up the lock.
    _file: File,
    path: PathBuf,
}

/// The first line of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Head {
    /// Whoever knows another version leaves the file alone.
    pub(super) version: u32,
    /// The roots that must be open for it to be adopted.
    #[serde(default)]
    pub(super) roots: Vec<PathBuf>,
}

impl Name {
    /// The name that a file's name begins with.
    pub(super) fn before(ending: &str, file: &str) -> Option<Name> {
        Some(Name(file.strip_suffix(ending)?.to_owned()))
    }

    fn hunks(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.json", self.0))
    }

    fn lock(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.lock", self.0))
    }
}

impl Lock {
    /// Removes the file of the lock, and with it the lock.
    pub(super) fn remove(self) {
        // One that stays is removed by the next server.
        let _ = fs::remove_file(&self.path);
    }
}

/// Takes a name that no other server has.
pub(super) fn claim(folder: &Path) -> io::Result<(Name, Lock)> {
    private::claim_folder(folder)?;
    for _ in 0..MAX_NAMES {
        let name = Name(Uuid::new_v4().simple().to_string());
        let path = name.lock(folder);
        let mut options = private::options();
        let file = options.write(true).create_new(true).open(&path)?;
        file.lock()?;
        // Between its making and its locking, somebody may have taken it for one that nobody needs.
        if path.exists() {
            return Ok((name, Lock { _file: file, path }));
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// Takes the name of a server that is no more; none if it lives.
pub(super) fn take(folder: &Path, name: &Name) -> io::Result<Option<Lock>> {
    let path = name.lock(folder);
    let file = lock_file(&path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(Lock { _file: file, path })),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Takes the right to adopt; none if another server has it.
pub(super) fn turn(folder: &Path) -> io::Result<Option<File>> {
    let file = lock_file(&folder.join(TURN))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn lock_file(path: &Path) -> io::Result<File> {
    if path.exists() {
        expect_file(path)?;
    }
    let mut options = private::options();
    options.write(true).create(true).truncate(false).open(path)
}

/// Writes a file as a whole.
pub(super) fn write(
    folder: &Path,
    name: &Name,
    roots: &[PathBuf],
    stored: &impl Serialize,
) -> io::Result<()> {
    let head = Head {
        version: VERSION,
        roots: roots.to_owned(),
    };
    let mut bytes = serde_json::to_vec(&head)?;
    bytes.push(b'\n');
    serde_json::to_writer(&mut bytes, stored)?;
    bytes.push(b'\n');
    let mut temporary = tempfile::NamedTempFile::with_prefix_in(HALF_WRITTEN, folder)?;
    temporary.write_all(&bytes)?;
    temporary.persist(name.hunks(folder))?;
    Ok(())
}

/// Removes a file; one that is not there is as good as removed.
pub(super) fn remove(folder: &Path, name: &Name) -> io::Result<()> {
    match fs::remove_file(name.hunks(folder)) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Puts a damaged file out of the way, and gives its new path.
pub(super) fn put_away(folder: &Path, name: &Name) -> io::Result<PathBuf> {
    let path = folder.join(format!("{}{DAMAGED}", name.0));
    fs::rename(name.hunks(folder), &path)?;
    Ok(path)
}

/// The names of all files and of all locks.
pub(super) fn names(folder: &Path) -> io::Result<(Vec<Name>, Vec<Name>)> {
    let (mut files, mut locks) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let Some(name) = name.to_str() else { continue };
        if let Some(name) = Name::before(".json", name) {
            files.push(name);
        } else if let Some(name) = Name::before(".lock", name) {
            locks.push(name);
        }
    }
    files.sort();
    Ok((files, locks))
}

/// Whether a name has a file.
pub(super) fn is_there(folder: &Path, name: &Name) -> bool {
    name.hunks(folder).exists()
}

/// The head of a file, and a reader of the rest. None: there is no such file.
pub(super) fn open(folder: &Path, name: &Name) -> io::Result<Option<(Head, impl BufRead)>> {
    let path = name.hunks(folder);
    let metadata = match expect_file(&path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if !is_own(&metadata) {
        let message = "it belongs to another user";
        return Err(io::Error::new(ErrorKind::PermissionDenied, message));
    }
    if !is_private(&metadata) {
        return Err(io::Error::other("others than you may write it"));
    }
    if metadata.len() > MAX_LENGTH {
        return Err(ErrorKind::FileTooLarge.into());
    }
    let file = File::open(path)?;
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    io::Read::take(&mut reader, MAX_HEAD).read_until(b'\n', &mut line)?;
    Ok(Some((serde_json::from_slice(&line)?, reader)))
}

/// What stands behind the head.
pub(super) fn rest<T: DeserializeOwned>(reader: impl BufRead) -> io::Result<T> {
    Ok(serde_json::from_reader(reader)?)
}

/// What is at a path, if it is a file: whoever opens a pipe waits for another to come.
fn expect_file(path: &Path) -> io::Result<fs::Metadata> {
    let metadata = fs::metadata(path)?;
    match metadata.is_file() {
        true => Ok(metadata),
        false => Err(io::Error::other(format!("{} is no file", path.display()))),
    }
}

#[cfg(unix)]
fn is_own(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.uid() == rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn is_own(_: &fs::Metadata) -> bool {
    true
}

#[cfg(unix)]
fn is_private(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.mode() & 0o022 == 0
}

#[cfg(not(unix))]
fn is_private(_: &fs::Metadata) -> bool {
    true
}
