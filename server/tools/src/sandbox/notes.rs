//! What was made on the real file system for the sake of confined commands, noted before it is made, so that it is removed
//! when the last command that needs it has ended, after a crash too. Knows nothing of what it is for.
//!
//! There is a book for each root. Who uses what is noted in it holds a shared lock, which the system takes back from a
//! process that dies, so the users are counted by the system. Whoever finds no user left removes what is noted.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::layout::StandIn;
use crate::private;

#[cfg(all(test, unix))]
mod tests;

/// By how much a file system's clock may be behind the system's: it is told once a tick.
const COARSENESS: Duration = Duration::from_millis(20);

/// Something that was made, or is about to be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Note {
    #[serde(with = "super::plan::path")]
    path: PathBuf,
    kind: Kind,
    noted: SystemTime,
    /// What it is told by, so that nothing that somebody put in its place is taken for it. Absent until it is made.
    identity: Option<Identity>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Kind {
    /// A folder that is removed if it is empty.
    Folder,
    /// A file that is removed if this is still its content.
    File(String),
    /// A folder that is removed with all that is in it.
    Temporary,
    /// It was not made after all.
    Nothing,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Identity {
    device: u64,
    inode: u64,
    /// Where the file system knows it.
    born: Option<SystemTime>,
}

impl Identity {
    fn of(path: &Path) -> io::Result<Identity> {
        let metadata = path.symlink_metadata()?;
        #[cfg(unix)]
        let (device, inode) = {
            use std::os::unix::fs::MetadataExt;
            (metadata.dev(), metadata.ino())
        };
        #[cfg(not(unix))]
        let (device, inode) = (0, 0);
        Ok(Identity {
            device,
            inode,
            born: metadata.created().ok(),
        })
    }
}

/// The notes of one root, while they are used.
#[derive(Debug)]
pub(super) struct Book {
    /// The path of the notes; those of the locks are made of it.
    path: PathBuf,
    /// Locked while notes are read or written.
    mutex: Option<File>,
    /// Locked, shared, as long as what is noted is used.
    users: File,
}

impl Book {
    /// Becomes a user of the book of a root, alone with it until [`Book::close`]. What is left of a crash is removed.
    pub(super) fn open(folder: &Path, root: &Path) -> io::Result<Book> {
        private::make_folders(folder)?;
        let key = Sha256::digest(root.as_os_str().as_encoded_bytes());
        let name: String = key[..12].iter().map(|byte| format!("{byte:02x}")).collect();
        let path = folder.join(name).with_extension("notes");
        let mutex = lock(&path)?;
        Book::alone(path, mutex)
    }

    fn alone(path: PathBuf, mutex: File) -> io::Result<Book> {
        let users = file(&path.with_extension("users"))?;
        let book = Book {
            path,
            mutex: Some(mutex),
            users,
        };
        match book.users.try_lock() {
            // What cannot be removed now is tried again by the next.
            Ok(()) => drop(book.remove_noted()),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
        book.users.lock_shared()?;
        Ok(book)
    }

    /// Makes what stands in for something, unless there is something already. Only while alone with the book.
    pub(super) fn make(&self, path: &Path, stand_in: StandIn) -> io::Result<()> {
        let kind = match stand_in {
            StandIn::Folder => Kind::Folder,
            StandIn::File(content) => Kind::File(content.to_owned()),
        };
        self.note(path, &kind, None)?;
        let made = in_real_folder(path, |path| match stand_in {
            StandIn::Folder => fs::create_dir(path),
            StandIn::File(content) => OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(path)
                .and_then(|mut file| file.write_all(content.as_bytes())),
        });
        match made {
            Ok(()) => self.note(path, &kind, Some(Identity::of(path)?)),
            Err(error) => {
                self.note(path, &Kind::Nothing, None)?;
                Err(error)
            }
        }
    }

    /// Makes a folder that goes with all that is in it. Only while alone with the book.
    pub(super) fn make_temporary(&self, path: &Path) -> io::Result<()> {
        self.note(path, &Kind::Temporary, None)?;
        private::make_folder(path)?;
        self.note(path, &Kind::Temporary, Some(Identity::of(path)?))
    }

    /// Lets others at the book; what is noted stays.
    pub(super) fn close(&mut self) {
        self.mutex = None;
    }

    /// Is no user any more; the last one removes what is noted. Gives what could not be removed, a sentence each.
    pub(super) fn leave(mut self) -> Vec<String> {
        let fault = |error: io::Error| {
            vec![format!(
                "What was made for the sandbox could not be removed: {error}. It is tried again with the next command."
            )]
        };
        if self.mutex.is_none() {
            match lock(&self.path) {
                Ok(mutex) => self.mutex = Some(mutex),
                Err(error) => return fault(error),
            }
        }
        match self.users.unlock().map(|()| self.users.try_lock()) {
            Ok(Ok(())) => {
                let faults = self.remove_noted();
                if faults.is_empty() {
                    // Nobody has them locked, and whoever waits for one looks whether it is still there. Left, they do
                    // no harm.
                    for kind in ["users", "lock"] {
                        let _ = fs::remove_file(self.path.with_extension(kind));
                    }
                }
                faults
            }
            Ok(Err(TryLockError::WouldBlock)) => Vec::new(),
            Ok(Err(TryLockError::Error(error))) | Err(error) => fault(error),
        }
    }

    fn note(&self, path: &Path, kind: &Kind, identity: Option<Identity>) -> io::Result<()> {
        let note = Note {
            path: path.to_owned(),
            kind: kind.clone(),
            noted: SystemTime::now(),
            identity,
        };
        let mut line = serde_json::to_vec(&note)?;
        line.push(b'\n');
        let mut notes = private::options()
            .append(true)
            .create(true)
            .open(&self.path)?;
        notes.write_all(&line)
    }

    /// Removes what is noted, and the notes if all of it is gone.
    fn remove_noted(&self) -> Vec<String> {
        let text = match fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return vec![unreadable(&self.path, &error)],
        };
        // A line that a crash cut off was never followed by what it announces.
        let notes = text
            .lines()
            .filter_map(|line| serde_json::from_str::<Note>(line).ok());
        let (mut made, mut announced) = (BTreeMap::new(), BTreeMap::new());
        for note in notes {
            match (&note.kind, &note.identity) {
                (Kind::Nothing, _) => {
                    announced.remove(&note.path);
                }
                (_, None) => {
                    announced.insert(note.path.clone(), note);
                }
                (_, Some(_)) => {
                    announced.remove(&note.path);
                    made.insert(note.path.clone(), note);
                }
            }
        }
        // Inner before outer.
        let faults: Vec<String> = made
            .values()
            .chain(announced.values())
            .rev()
            .filter_map(|note| {
                let error = remove(note).err()?;
                Some(format!(
                    "`{}`, made for the sandbox, could not be removed: {error}.",
                    note.path.display()
                ))
            })
            .collect();
        if faults.is_empty()
            && let Err(error) = gone(fs::remove_file(&self.path))
        {
            return vec![unreadable(&self.path, &error)];
        }
        faults
    }
}

/// Removes what a crash left, everywhere. For the start of a process; waits for nobody. Gives what could not be removed, a
/// sentence each.
pub fn sweep(notes: &Path) -> Vec<String> {
    let entries = match notes.read_dir() {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Vec::new(),
        Err(error) => return vec![unreadable(notes, &error)],
    };
    let books = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|kind| kind == "notes"));
    books
        .flat_map(|path| match try_lock(&path) {
            // Whoever is alone with it puts it in order.
            Ok(None) => Vec::new(),
            Ok(Some(mutex)) => Book::alone(path.clone(), mutex)
                .map_or_else(|error| vec![unreadable(&path, &error)], Book::leave),
            Err(error) => vec![unreadable(&path, &error)],
        })
        .collect()
}

fn unreadable(path: &Path, error: &io::Error) -> String {
    format!(
        "The sandbox's notes `{}` could not be read: {error}.",
        path.display()
    )
}

/// Removes what is noted, if it is still what was made.
fn remove(note: &Note) -> io::Result<()> {
    let now = match Identity::of(&note.path) {
        Ok(now) => now,
        Err(error) => return gone(Err(error)),
    };
    let ours = match &note.identity {
        Some(made) => *made == now,
        // A crash came between: what is younger than the note is what was to be made.
        None => now.born.is_some_and(|born| born + COARSENESS >= note.noted),
    };
    match &note.kind {
        Kind::Nothing => Ok(()),
        _ if !ours => Ok(()),
        Kind::Folder => gone(fs::remove_dir(&note.path)),
        Kind::File(content) => {
            let metadata = note.path.symlink_metadata()?;
            let untouched = metadata.is_file()
                && metadata.len() == content.len() as u64
                && fs::read(&note.path)? == content.as_bytes();
            if untouched {
                gone(fs::remove_file(&note.path))
            } else {
                Ok(())
            }
        }
        // Noted, and not known to be made: it can be nothing but an empty folder.
        Kind::Temporary if note.identity.is_none() => gone(fs::remove_dir(&note.path)),
        Kind::Temporary => gone(fs::remove_dir_all(&note.path)),
    }
}

/// Does something at a path whose folder is reached without any link, also if somebody puts one there at this moment.
#[cfg(target_os = "linux")]
fn in_real_folder<T>(path: &Path, action: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    use std::os::fd::AsRawFd;

    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = openat2(CWD, folder, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)?;
    action(
        &Path::new("/proc/self/fd")
            .join(folder.as_raw_fd().to_string())
            .join(name),
    )
}

#[cfg(not(target_os = "linux"))]
fn in_real_folder<T>(path: &Path, action: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    action(path)
}

/// What is not there any more, or is used by somebody else by now, does not have to be removed.
fn gone(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound
                    | io::ErrorKind::NotADirectory
                    | io::ErrorKind::DirectoryNotEmpty
            ) =>
        {
            Ok(())
        }
        other => other,
    }
}

/// Waits until alone with a book. The file of the lock is removed with the book, so it is looked whether it is still it.
fn lock(path: &Path) -> io::Result<File> {
    let path = path.with_extension("lock");
    loop {
        let file = file(&path)?;
        file.lock()?;
        if is_at(&file, &path)? {
            return Ok(file);
        }
    }
}

/// The same without waiting; none: somebody else is alone with it.
fn try_lock(path: &Path) -> io::Result<Option<File>> {
    let path = path.with_extension("lock");
    loop {
        let file = file(&path)?;
        match file.try_lock() {
            Ok(()) if is_at(&file, &path)? => return Ok(Some(file)),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let ours = file.metadata()?;
    match path.symlink_metadata() {
        Ok(there) => Ok((ours.dev(), ours.ino()) == (there.dev(), there.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> io::Result<bool> {
    path.try_exists()
}

fn file(path: &Path) -> io::Result<File> {
    private::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
}
