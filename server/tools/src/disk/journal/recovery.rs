//! Puts files in order after a process that ended in the middle of a change. Goes by the records; touches none whose
//! process lives.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::{Log, RECORD, Record, Scope, is_removed, line, options};
use crate::disk::place::Place;
use crate::disk::step::{Step, Undone};
use crate::disk::write;
use crate::names;

/// Recovers every change in a folder of records, and says what was done.
pub(super) fn recover(folder: &Path) -> Vec<String> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        // Nothing was ever recorded.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Vec::new(),
        Err(error) => {
            return vec![format!(
                "Whether a change was broken off cannot be told: {}: {error}.",
                folder.display()
            )];
        }
    };
    let mut records: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == RECORD)
        })
        .collect();
    records.sort();
    let mut told = Vec::new();
    for path in records {
        if let Err(error) = recover_one(&path, &mut told) {
            told.push(format!(
                "A change that was broken off cannot be put in order: {}: {error}.",
                path.display()
            ));
        }
    }
    told
}

fn recover_one(path: &Path, told: &mut Vec<String>) -> io::Result<()> {
    let Some(file) = take(path)? else {
        return Ok(());
    };
    let mut bytes = Vec::new();
    (&file).read_to_end(&mut bytes)?;
    let read = line::read(&bytes);
    if read.foreign {
        told.push(format!(
            "{} is the record of a change that another version of MewCode began; it is left to that.",
            path.display()
        ));
        return Ok(());
    }
    let mut record = Record {
        scope: Scope::One,
        log: Some(Log {
            file,
            path: path.to_owned(),
        }),
        fault: None,
        steps: Vec::new(),
        temporaries: read.temporaries,
    };
    let several = read.several == Some(true) && !read.done;
    let mut found = Findings::default();
    for step in read.steps.iter().rev() {
        let undone = match several {
            true => step.undo(&mut record),
            false => step.settle(&mut record),
        };
        match undone {
            Ok(Undone::Already) => {}
            Ok(Undone::Now) => found.back(step),
            Err(error) => found
                .left
                .push(format!("`{}`: {error}", step.path().display())),
        }
    }
    found.tell(told);
    if several && !read.elsewhere.is_empty() {
        tell_elsewhere(&read.elsewhere, told);
    }
    remove_temporaries(record.temporaries(), told)?;
    // Only now: if this process is ended too, the next one goes on.
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The record, if no living process has it.
fn take(path: &Path) -> io::Result<Option<File>> {
    let file = match options().open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(None),
        Err(TryLockError::Error(error)) => return Err(error),
    }
    // Another process may have recovered it a moment ago.
    if is_removed(&file)? {
        return Ok(None);
    }
    Ok(Some(file))
}

/// What became of the steps of one record.
#[derive(Default)]
struct Findings {
    back: Vec<String>,
    left: Vec<String>,
}

impl Findings {
    fn back(&mut self, step: &Step) {
        let shown = step.path().display().to_string();
        if !matches!(step, Step::Folder { .. }) && !self.back.contains(&shown) {
            self.back.push(shown);
        }
    }

    fn tell(&self, told: &mut Vec<String>) {
        // They were found from the last to the first.
        let back: Vec<&str> = self.back.iter().rev().map(String::as_str).collect();
        if !back.is_empty() {
            told.push(format!(
                "A change was broken off when the process ended, and was taken back: {} {} as before it.",
                names::all(&back),
                if back.len() == 1 { "is" } else { "are" }
            ));
        }
        let left: Vec<&str> = self.left.iter().rev().map(String::as_str).collect();
        if !left.is_empty() {
            told.push(format!(
                "A change was broken off when the process ended, and these files were left as they are now; look at \
                 them: {}.",
                left.join("; ")
            ));
        }
    }
}

fn tell_elsewhere(paths: &[PathBuf], told: &mut Vec<String>) {
    let shown: Vec<_> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let shown: Vec<_> = shown.iter().map(String::as_str).collect();
    told.push(format!(
        "A change was broken off when the process ended. What of it was on its way to files that were open in the editor \
         may stand there; look at them: {}.",
        names::all(&shown)
    ));
}

fn remove_temporaries(temporaries: &[PathBuf], told: &mut Vec<String>) -> io::Result<()> {
    for path in temporaries {
        // A record is our own, but what it says is to be removed must look like it.
        let is_ours = path
            .file_name()
            .and_then(|name| name.to_str())
            .is_some_and(write::is_temporary);
        if !is_ours {
            continue;
        }
        match Place::open(path).and_then(|place| place.remove()) {
            Ok(()) => told.push(format!(
                "A temporary file of a change that was broken off was removed: {}.",
                path.display()
            )),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) => {}
            // Its folder is a link by now: what is behind it is not ours.
            Err(error) if crate::disk::place::is_link(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
