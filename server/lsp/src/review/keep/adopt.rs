//! Taking over the undecided hunks of servers that are no more.

use super::file::{self, Lock, Name, VERSION};
use super::{Inner, Keeper, leftovers};
use crate::review::hunk::{Hunk, When};
use crate::review::landing::Target;
use crate::review::stored::{StoredBook, StoredFile};
use crate::review::whole::Whole;
use mewcode_tools::guard::{Access, PathGuard};
use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How often, and after which time, the right to adopt is asked for again.
const TURNS: usize = 50;
const TURN: Duration = Duration::from_millis(20);

/// What is said of a file that cannot be taken in.
const GONE: &str = "Changes that waited for your decision cannot be read";

/// What came of it.
#[derive(Debug, Default)]
pub struct Adopted {
    /// The files that have hunks now.
    pub files: BTreeSet<PathBuf>,
    /// How many hunks were shown to the user before.
    pub hunks: usize,
    /// The files of these.
    pub shown: BTreeSet<PathBuf>,
    /// Whether runs had proposed some of them, which were waiting for the decision.
    pub waiting: bool,
    /// What is wrong with what was found, a sentence each.
    pub faults: Vec<String>,
    /// A server has hunks of this workspace, and lives. It may be about to end.
    pub busy: bool,
}

impl Keeper {
    /// Whether there may be something to adopt. Cheap.
    pub fn has_others(&self) -> bool {
        let folder = self.folder.as_deref();
        let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok());
        entries.is_some_and(|mut entries| {
            entries.any(|entry| entry.is_ok_and(|entry| entry.file_name() != file::TURN))
        })
    }

    /// Takes the hunks of every server that is no more into the book, if all that they are about is open here.
    pub fn adopt(&self, guard: &PathGuard) -> Adopted {
        let mut adopted = Adopted::default();
        let Some(folder) = self.folder.as_deref().filter(|folder| folder.is_dir()) else {
            return adopted;
        };
        let mut inner = self.inner();
        if inner.closed {
            return adopted;
        }
        if let Err(error) = self.adopt_all(&mut inner, folder, guard, &mut adopted) {
            adopted.faults.push(format!(
                "Whether changes wait for your decision from before cannot be told: {}: {error}.",
                folder.display()
            ));
        }
        adopted
    }

    fn adopt_all(
        &self,
        inner: &mut Inner,
        folder: &Path,
        guard: &PathGuard,
        adopted: &mut Adopted,
    ) -> io::Result<()> {
        let Some(_turn) = await_turn(folder)? else {
            adopted.busy = true;
            return Ok(());
        };
        let (files, _) = file::names(folder)?;
        for name in files {
            if inner.own.as_ref().is_some_and(|(own, _)| *own == name) {
                continue;
            }
            match self.adopt_one(folder, &name, guard, adopted) {
                Ok(Some(lock)) => inner.adopted.push((name, lock)),
                Ok(None) => {}
                // It may be another user's, who still wants it.
                Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                    adopted
                        .faults
                        .push(format!("{GONE} ({error}): {}.", folder.display()));
                }
                Err(error) => adopted.faults.push(put_away(folder, &name, &error)),
            }
        }
        let (_, locks) = file::names(folder)?;
        for name in locks {
            let own = inner.own.as_ref().is_some_and(|(own, _)| *own == name);
            if !own
                && let Ok(Some(lock)) = file::take(folder, &name)
                && !file::is_there(folder, &name)
            {
                lock.remove();
            }
        }
        let own = inner.own.as_ref().map(|(own, _)| own);
        leftovers::sweep(folder, own, SystemTime::now())?;
        // Written before the turn is given away: who comes next finds each hunk in one file.
        if !inner.adopted.is_empty()
            && let Some(fault) = self.write(inner, folder)?
        {
            adopted.faults.push(fault);
        }
        Ok(())
    }

    /// Takes in one file. Gives its lock if it may go now.
    fn adopt_one(
        &self,
        folder: &Path,
        name: &Name,
        guard: &PathGuard,
        adopted: &mut Adopted,
    ) -> io::Result<Option<Lock>> {
        let Some((head, _)) = file::open(folder, name)? else {
            return Ok(None);
        };
        if !self.has_open(&head.roots) {
            return Ok(None);
        }
        let Some(lock) = file::take(folder, name)? else {
            adopted.busy = true;
            return Ok(None);
        };
        if head.version != VERSION {
            adopted.faults.push(format!(
                "Changes that wait for your decision were kept by another version of MewCode, and are left to that: {}.",
                folder.display()
            ));
            return Ok(None);
        }
        // Its server may have written once more before it ended.
        let Some((_, reader)) = file::open(folder, name)? else {
            return Ok(None);
        };
        let mut stored: StoredBook = file::rest(reader)?;
        stored.files.retain(|file| match judge(file, guard) {
            Ok(()) => true,
            Err(reason) => {
                adopted.faults.push(format!(
                    "Changes that waited for your decision in {} are gone: {reason}",
                    file.display
                ));
                false
            }
        });
        let mut contents = (stored.contents())
            .map_err(|damaged| io::Error::new(ErrorKind::InvalidData, damaged))?;
        (contents.files).retain(|(target, _, hunks)| {
            (hunks.iter()).any(|hunk| !is_in_doubt(hunk) || is_done(target, hunk))
        });
        for (target, _, _) in &mut contents.files {
            target.display = guard.display(&target.path);
        }
        let taken = self.book.adopt(contents);
        for (path, hunk) in taken {
            adopted.files.insert(path.clone());
            // Of what was on its way nobody has heard.
            if !is_in_doubt(&hunk) {
                adopted.hunks += 1;
                adopted.waiting |= hunk.when == When::Before;
                adopted.shown.insert(path);
            }
        }
        Ok(Some(lock))
    }
}

fn is_in_doubt(hunk: &Hunk) -> bool {
    hunk.restored.is_some_and(|restored| restored.in_doubt)
}

/// Whether a change that was about to be made can have been made: a new file is there, a removed or moved one is not.
fn is_done(target: &Target, hunk: &Hunk) -> bool {
    match hunk.whole.as_deref() {
        None => target.path.exists(),
        Some(Whole { to: None, from, .. }) => !from.path.exists(),
        Some(Whole {
            to: Some(to), from, ..
        }) => to.path.exists() && !from.path.exists(),
    }
}

/// Waits for the right to adopt, for others have it for a moment only.
fn await_turn(folder: &Path) -> io::Result<Option<std::fs::File>> {
    for _ in 0..TURNS {
        if let Some(turn) = file::turn(folder)? {
            return Ok(Some(turn));
        }
        std::thread::sleep(TURN);
    }
    Ok(None)
}

/// Whether what a file says may be done here: each path is what it was, and the agent may write it.
fn judge(file: &StoredFile, guard: &PathGuard) -> Result<(), String> {
    for path in file.paths() {
        let given = path.to_str().unwrap_or_default();
        let resolved = guard.resolve(given, Access::Write);
        let resolved = resolved.map_err(|error| error.message)?;
        if resolved.real != path {
            return Err(format!(
                "`{}` leads to `{}` now.",
                path.display(),
                resolved.real.display()
            ));
        }
    }
    if file.is_about_to_go() && !file.path.exists() {
        return Err("the file has gone, as it was to.".to_owned());
    }
    Ok(())
}

/// A file that cannot be read is kept, where nobody reads it again.
fn put_away(folder: &Path, name: &Name, error: &io::Error) -> String {
    let told = format!("{GONE} ({error})");
    match file::put_away(folder, name) {
        Ok(path) => format!("{told}; what was kept of them is in {}.", path.display()),
        Err(second) => format!("{told}, and are left where they are: {second}."),
    }
}
