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

/// How long the first line may be.
const MAX_HEAD: u64 = 64 * 1024;

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
    let file = lock_file(&folder.join("lock"))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn lock_file(path: &Path) -> io::Result<File> {
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
    let mut temporary = tempfile::NamedTempFile::with_prefix_in("new-", folder)?;
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
    let path = folder.join(format!("{}.damaged", name.0));
    fs::rename(name.hunks(folder), &path)?;
    Ok(path)
}

/// The names of all files and of all locks.
pub(super) fn names(folder: &Path) -> io::Result<(Vec<Name>, Vec<Name>)> {
    let (mut files, mut locks) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let Some(name) = name.to_str() else { continue };
        if let Some(name) = name.strip_suffix(".json") {
            files.push(Name(name.to_owned()));
        } else if let Some(name) = name.strip_suffix(".lock") {
            locks.push(Name(name.to_owned()));
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
    let file = match File::open(name.hunks(folder)) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if !is_private(&file.metadata()?) {
        let message = "others than you may write it";
        return Err(io::Error::new(ErrorKind::PermissionDenied, message));
    }
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    io::Read::take(&mut reader, MAX_HEAD).read_until(b'\n', &mut line)?;
    Ok(Some((serde_json::from_slice(&line)?, reader)))
}

/// What stands behind the head.
pub(super) fn rest<T: DeserializeOwned>(reader: impl BufRead) -> io::Result<T> {
    Ok(serde_json::from_reader(reader)?)
}

#[cfg(unix)]
fn is_private(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.is_file() && metadata.mode() & 0o022 == 0
}

#[cfg(not(unix))]
fn is_private(metadata: &fs::Metadata) -> bool {
    metadata.is_file()
}
