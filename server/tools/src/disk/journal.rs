//! Records of changes that are under way, so that whatever ends the process, the next one can put the files in order.
//!
//! A change is recorded from before its first effect until after its last:
//!
//! ```text
//! let mut record = disk.journal().begin(Scope::Several);
//! disk.land_recorded(&first, &mut record)?;      // an error takes back what was begun of this file
//! disk.land_recorded(&second, &mut record)?;
//! record.finish();                               // it stands; or `record.take_back()` before it
//! ```
//!
//! If the process ends between `begin` and `finish`, [`Journal::recover`] takes all of it back at the next start. A
//! record is locked while its process lives, and nobody else touches it. A record tells temporary files before they are
//! made, and each step before it is taken. Records of several steps are written through to the disk, so that the files
//! are in order after a loss of power too; a single write needs none of that, because it happens at once or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::step::{Step, UndoError, Undone};
use super::write;
use crate::private;

mod line;
pub(super) mod path;
mod recovery;

use line::Line;

/// What the name of a record ends in.
const RECORD: &str = "record";

/// How often another name is tried for a record.
const MAX_NAMES: usize = 16;

/// Where records are kept. Without a folder, changes are made unrecorded.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    folder: Option<PathBuf>,
}

/// What a record is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One write or one removal, which the system does at once.
    One,
    /// Steps that stand together or not at all.
    Several,
}

/// A change that is under way.
#[derive(Debug)]
pub struct Record {
    scope: Scope,
    log: Option<Log>,
    fault: Option<io::Error>,
    steps: Vec<Step>,
    temporaries: Vec<PathBuf>,
}

/// The file of a record, locked as long as it is open.
#[derive(Debug)]
struct Log {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// Records in this folder, which is made when it is first needed and is readable for its owner only.
    pub fn new(folder: PathBuf) -> Journal {
        Journal {
            folder: Some(folder),
        }
    }

    /// Begins a change. If no record can be made, the change goes on without one: see [`Record::fault`].
    pub fn begin(&self, scope: Scope) -> Record {
        let mut record = Record {
            scope,
            ..Record::none()
        };
        let Some(folder) = &self.folder else {
            return record;
        };
        match Log::make(folder, scope) {
            Ok(log) => record.log = Some(log),
            Err(error) => record.fault = Some(error),
        }
        record
    }

    /// Puts in order what processes left that are no more: removes their temporary files and takes back changes of
    /// several steps that did not come to their end. Says what it did, a sentence each, for the user.
    pub fn recover(&self) -> Vec<String> {
        self.folder
            .as_deref()
            .map(recovery::recover)
            .unwrap_or_default()
    }
}

impl Record {
    /// A change that nobody records.
    pub(crate) fn none() -> Record {
        Record {
            scope: Scope::One,
            log: None,
            fault: None,
            steps: Vec::new(),
            temporaries: Vec::new(),
        }
    }

    /// Why the change is not recorded, although it should be: a crash in its middle would not be put in order.
    pub fn fault(&self) -> Option<&io::Error> {
        self.fault.as_ref()
    }

    /// How many steps were taken: where to take back to.
    pub(crate) fn mark(&self) -> usize {
        self.steps.len()
    }

    /// Whether what is done must be kept in a form that can be taken back.
    pub(crate) fn keeps_steps(&self) -> bool {
        self.scope == Scope::Several
    }

    /// Records a step that is about to be taken.
    pub(crate) fn step(&mut self, step: Step) -> io::Result<()> {
        let through = self.keeps_steps();
        if let Some(log) = &mut self.log {
            log.write(&Line::of(&step), step.bytes())?;
            if through {
                log.file.sync_data()?;
            }
        }
        self.steps.push(step);
        Ok(())
    }

    /// Records that a folder is about to be made.
    pub(crate) fn step_folder(&mut self, folder: &Path) -> io::Result<()> {
        let step = Step::Folder {
            path: folder.to_owned(),
        };
        if self.keeps_steps() {
            return self.step(step);
        }
        // It goes if its file cannot be made; after a crash an empty folder does no harm.
        self.steps.push(step);
        Ok(())
    }

    /// Records that a temporary file is about to be made.
    pub(crate) fn temporary(&mut self, path: &Path) -> io::Result<()> {
        if let Some(log) = &mut self.log {
            log.write(&Line::Temporary(path.to_owned().into()), &[])?;
        }
        self.temporaries.push(path.to_owned());
        Ok(())
    }

    /// Records that somebody else, the editor, is about to change these files as a part of this change. A recovery
    /// cannot take that back, and names them.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn elsewhere(&mut self, paths: &[PathBuf]) -> io::Result<()> {
        if let (Some(log), false) = (&mut self.log, paths.is_empty()) {
            let paths = paths.iter().cloned().map(Into::into).collect();
            log.write(&Line::Elsewhere(paths), &[])?;
            log.file.sync_data()?;
        }
        Ok(())
    }

    /// The temporary files that were announced.
    pub(crate) fn temporaries(&self) -> &[PathBuf] {
        &self.temporaries
    }

    /// Takes back the steps since a mark, the last one first, and says of which files it could not, and why.
    pub(crate) fn take_back_to(&mut self, mark: usize) -> Vec<(PathBuf, UndoError)> {
        let mut faults = Vec::new();
        while self.steps.len() > mark
            && let Some(step) = self.steps.pop()
        {
            match step.undo(self) {
                Ok(Undone::Now | Undone::Already) => {}
                Err(error) => faults.push((step.path().to_owned(), error)),
            }
        }
        faults
    }

    /// Takes all of it back, and gives the paths of what could not be taken back, with the reasons.
    pub fn take_back(&mut self) -> Vec<(PathBuf, String)> {
        let faults = self.take_back_to(0);
        faults
            .into_iter()
            .map(|(path, error)| (path, error.to_string()))
            .collect()
    }

    /// The end of the change: what was done stands, and the record goes.
    ///
    /// # Errors
    /// The record is still there, without its end: the next start would take the change back.
    pub fn finish(self) -> io::Result<()> {
        let through = self.keeps_steps();
        let Some(mut log) = self.log else {
            return Ok(());
        };
        let mut ended = Ok(());
        if through {
            // A loss of power may bring a record back that was removed.
            ended = log
                .write(&Line::Done, &[])
                .and_then(|()| log.file.sync_data());
        }
        // A record that is gone needs no end, and one that has an end need not go.
        fs::remove_file(&log.path).or(ended)
    }
}

impl Log {
    fn make(folder: &Path, scope: Scope) -> io::Result<Log> {
        private::make_folders(folder)?;
        let mut tried = 0;
        loop {
            let name = format!("{:016x}.{RECORD}", write::random());
            let path = folder.join(name);
            let file = match options().create_new(true).open(&path) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tried < MAX_NAMES => {
                    tried += 1;
                    continue;
                }
                Err(error) => return Err(error),
            };
            let mut log = Log { file, path };
            // Between its making and its locking, a recovery may have taken it for one that nobody needs.
            if let Err(error) = log.file.lock() {
                let _ = fs::remove_file(&log.path);
                return Err(error);
            }
            if is_removed(&log.file)? {
                continue;
            }
            log.write(
                &Line::Begin {
                    version: line::VERSION,
                    several: scope == Scope::Several,
                },
                &[],
            )?;
            if scope == Scope::Several {
                log.file.sync_all()?;
                sync_folder(folder)?;
            }
            return Ok(log);
        }
    }

    fn write(&mut self, line: &Line<'_>, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(&line.encode(bytes)?)
    }
}

fn options() -> OpenOptions {
    // It holds what is in the files.
    let mut options = private::options();
    options.read(true).append(true);
    options
}

#[cfg(unix)]
fn is_removed(file: &File) -> io::Result<bool> {
    Ok(std::os::unix::fs::MetadataExt::nlink(&file.metadata()?) == 0)
}

/// An open file cannot be removed here.
#[cfg(not(unix))]
fn is_removed(_: &File) -> io::Result<bool> {
    Ok(false)
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests;
