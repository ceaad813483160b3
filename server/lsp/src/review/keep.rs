//! Keeping the undecided hunks on disk, so that they survive this process: a file of its own for each server, adopted by
//! the next server of the same workspace when its process is no more.
//!
//! A file `<name>.json` is replaced as a whole, and `<name>.lock` is locked as long as its server lives. Whoever adopts
//! holds `lock` meanwhile, takes all files that are free, writes them into its own, and removes them only then: a hunk is
//! never lost on the way, and one that is in two files because a server ended in between is taken once. What a file says
//! is judged anew: it must be this user's own, and its paths real ones inside the open workspace.
//!
//! Knows the book; nothing of editors, documents and runs.

mod adopt;
mod file;
mod leftovers;

pub use adopt::Adopted;

use super::book::{Book, Contents, Progress};
use super::stored::StoredBook;
use file::{Lock, Name};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The most that is kept of one server: beyond it, files with their hunks are left out.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// Keeps the book.
#[derive(Debug)]
pub struct Keeper {
    /// None: the user has no home, and nothing is kept.
    folder: Option<PathBuf>,
    book: Arc<Book>,
    /// How many bytes at most.
    room: usize,
    roots: Mutex<Vec<PathBuf>>,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    own: Option<(Name, Lock)>,
    /// Whether our file is there.
    written: bool,
    /// How far the book had come when it was written.
    progress: Progress,
    /// Changes that are on their way into files, without a hunk yet.
    announced: Vec<(u64, Contents)>,
    announcements: u64,
    /// Files of earlier servers whose hunks are in our book but not in our file yet.
    adopted: Vec<(Name, Lock)>,
    /// The server ends: what happens to its hunks from now on is not the user's decision.
    closed: bool,
    /// The last complaint, which is not repeated.
    complaint: Option<String>,
}

impl Keeper {
    /// Keeps `book` in this folder, which is made when it is first needed and is readable for its owner only.
    pub fn new(folder: Option<PathBuf>, book: Arc<Book>) -> Self {
        Self {
            folder,
            book,
            room: MAX_BYTES,
            roots: Mutex::default(),
            inner: Mutex::default(),
        }
    }

    /// The workspace's roots, real.
    pub fn set_roots(&self, roots: Vec<PathBuf>) {
        *self.roots.lock().unwrap_or_else(PoisonError::into_inner) = roots;
    }

    /// Writes down which hunks there are, if any came or went since. Gives a new reason why it cannot, a sentence.
    pub fn keep(&self) -> Option<String> {
        self.keep_if(|now, kept| now.entries != kept.entries)
    }

    /// The same if they only moved with the text.
    pub fn keep_moves(&self) -> Option<String> {
        self.keep_if(|now, kept| now != kept)
    }

    /// Keeps a change that is about to be made as if it were there, until [`Keeper::withdraw`]: whoever adopts it looks whether
    /// it is.
    pub fn announce(&self, change: Contents) -> u64 {
        let mut inner = self.inner();
        inner.announcements += 1;
        let number = inner.announcements;
        inner.announced.push((number, change));
        if let (Some(folder), false) = (self.folder.as_deref(), inner.closed) {
            // What cannot be kept is told when the hunks are.
            let _ = self.write(&mut inner, folder);
        }
        number
    }

    /// The end of an announced change: it has hunks by now, or did not come to be. Kept with the next change of the book, or
    /// now if there is none.
    pub fn withdraw(&self, number: u64) -> Option<String> {
        let mut inner = self.inner();
        inner.announced.retain(|(other, _)| *other != number);
        drop(inner);
        self.keep_if(|_, _| true)
    }

    /// Keeps what is undecided at this moment, and nothing that happens later: the runs end now, and with them their
    /// proposals, about which the user has not decided.
    pub fn close(&self) {
        let _ = self.keep_moves();
        self.inner().closed = true;
    }

    fn keep_if(&self, changed: impl Fn(Progress, Progress) -> bool) -> Option<String> {
        let mut inner = self.inner();
        let folder = self.folder.as_deref()?;
        if inner.closed || !changed(self.book.progress(), inner.progress) {
            return None;
        }
        let complaint = match self.write(&mut inner, folder) {
            Ok(left_out) => left_out,
            Err(error) => Some(format!(
                "changes that wait for your decision cannot be kept over a restart: {}: {error}.",
                folder.display()
            )),
        };
        let news = complaint.clone().filter(|_| complaint != inner.complaint);
        inner.complaint = complaint;
        news
    }

    /// Writes the book as it is now, and removes what was adopted into it. Says what was left out.
    fn write(&self, inner: &mut Inner, folder: &Path) -> io::Result<Option<String>> {
        let (mut contents, progress) = self.book.contents();
        for (_, change) in &inner.announced {
            contents.files.extend(change.files.iter().cloned());
            contents.proposals.extend(change.proposals.iter().cloned());
        }
        // The tools take no others, but a user may have moved a file anywhere.
        contents.files.retain(|(target, _, _)| {
            target.path.to_str().is_some() && self.root_of(&target.path).is_some()
        });
        let mut stored = StoredBook::of(&contents);
        let mut room = self.room;
        let mut left_out = Vec::new();
        stored
            .files
            .retain(|file| match room.checked_sub(file.size()) {
                Some(rest) => {
                    room = rest;
                    true
                }
                None => {
                    left_out.push(file.display.clone());
                    false
                }
            });
        if !stored.files.is_empty() {
            let (name, _) = match &mut inner.own {
                Some(own) => own,
                own => own.insert(file::claim(folder)?),
            };
            file::write(folder, name, &self.roots_of(&stored), &stored)?;
            inner.written = true;
        } else if let (true, Some((name, _))) = (inner.written, &inner.own) {
            file::remove(folder, name)?;
            inner.written = false;
        }
        inner.progress = progress;
        while let Some((name, lock)) = inner.adopted.pop() {
            if let Err(error) = file::remove(folder, &name) {
                // Ours as long as we live, so that nobody else takes the same hunks.
                inner.adopted.push((name, lock));
                return Err(error);
            }
            lock.remove();
        }
        if !inner.written
            && let Some((_, lock)) = inner.own.take()
        {
            lock.remove();
        }
        Ok((!left_out.is_empty()).then(|| {
            format!(
                "changes that wait for your decision are too large to be kept over a restart: {}.",
                left_out.join(", ")
            )
        }))
    }

    /// Those of the roots that the files stand in: a server that has them open may adopt the files.
    fn roots_of(&self, stored: &StoredBook) -> Vec<PathBuf> {
        let paths = stored.files.iter().flat_map(|file| file.paths());
        let roots: BTreeSet<_> = paths.filter_map(|path| self.root_of(path)).collect();
        roots.into_iter().collect()
    }

    /// Whether all of these roots are open here.
    fn has_open(&self, roots: &[PathBuf]) -> bool {
        let own = self.roots.lock().unwrap_or_else(PoisonError::into_inner);
        !roots.is_empty() && roots.iter().all(|root| own.contains(root))
    }

    fn root_of(&self, path: &Path) -> Option<PathBuf> {
        let roots = self.roots.lock().unwrap_or_else(PoisonError::into_inner);
        let around = roots.iter().filter(|root| path.starts_with(root));
        around.max_by_key(|root| root.components().count()).cloned()
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
