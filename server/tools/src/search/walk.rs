//! Reads folders into a list, several at once. Knows nothing of what a list is for, nor of how it is kept.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use tokio_util::sync::CancellationToken;

use super::Options;
use super::rules::{self, Present, Rules};
use super::stamp::Stamp;
use super::tree::{Entry, Folder, Tree, is_listed, os_name};

/// So many folders are read before other threads are asked for help: it would cost more than it brings.
const ALONE: usize = 24;

/// Entries between two looks at whether to go on.
const ENTRIES_PER_LOOK: usize = 256;

/// Folders further down are not looked into: a list is put together folder in folder, which takes stack for each.
const MAX_DEPTH: usize = 256;

/// How a list is to be made.
#[derive(Clone, Copy)]
pub(super) struct Walk<'a> {
    pub(super) options: Options,
    /// Folders and files that are closed to tools, real.
    pub(super) closed: &'a [PathBuf],
    pub(super) threads: usize,
    pub(super) cancel: &'a CancellationToken,
}

/// The call is to end.
#[derive(Debug)]
pub(super) struct Cancelled;

/// A folder still to be read.
struct Job {
    path: PathBuf,
    rules: Option<Arc<Rules>>,
    /// Where its result belongs.
    slot: usize,
}

/// A folder that was read; its children are still in slots of their own.
struct Scanned {
    folder: Folder,
    folders: Vec<usize>,
}

/// What the threads of one walk share.
struct Queue {
    jobs: Vec<Job>,
    slots: Vec<Option<Scanned>>,
    /// Jobs that are not finished, those taken out included.
    open: usize,
}

impl Walk<'_> {
    /// Makes a list of all below `start`.
    pub(super) fn tree(&self, start: &Path, root: &Path) -> Result<Tree, Cancelled> {
        let (above, files, faults) = match self.options.ignored {
            true => (None, Vec::new(), Vec::new()),
            false => {
                let found = Rules::above(start, root);
                (Some(found.rules), found.files, found.faults)
            }
        };
        let folder = self.folder(start.to_owned(), above.clone())?;
        Ok(Tree::new(
            folder.unwrap_or_else(|| gone(start)),
            above,
            files,
            faults,
        ))
    }

    /// Reads a folder and all below it. None: it is not there any more.
    pub(super) fn folder(
        &self,
        path: PathBuf,
        rules: Option<Arc<Rules>>,
    ) -> Result<Option<Arc<Folder>>, Cancelled> {
        let first = Job {
            path,
            rules,
            slot: 0,
        };
        let queue = Mutex::new(Queue {
            jobs: vec![first],
            slots: vec![None],
            open: 1,
        });
        let (more, stop) = (Condvar::new(), AtomicBool::new(false));
        self.work(&queue, &more, &stop, ALONE);
        if lock(&queue).open > 0 {
            std::thread::scope(|scope| {
                for _ in 1..self.threads {
                    scope.spawn(|| self.work(&queue, &more, &stop, usize::MAX));
                }
                self.work(&queue, &more, &stop, usize::MAX);
            });
        }
        if stop.load(Ordering::Relaxed) {
            return Err(Cancelled);
        }
        let mut slots = queue
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .slots;
        Ok(assemble(&mut slots, 0))
    }

    /// Reads folders until there are none left, or so many.
    fn work(&self, queue: &Mutex<Queue>, more: &Condvar, stop: &AtomicBool, count: usize) {
        for _ in 0..count {
            let mut state = lock(queue);
            let job = loop {
                if state.open == 0 || stop.load(Ordering::Relaxed) {
                    return;
                }
                match state.jobs.pop() {
                    Some(job) => break job,
                    None => state = more.wait(state).unwrap_or_else(PoisonError::into_inner),
                }
            };
            drop(state);
            let on_panic = StopOnPanic { queue, stop, more };
            let scanned = self.scan(&job.path, job.rules.as_ref());
            drop(on_panic);
            let mut state = lock(queue);
            match scanned {
                Err(Cancelled) => stop.store(true, Ordering::Relaxed),
                Ok(None) => {}
                Ok(Some(folder)) => {
                    let first = state.slots.len();
                    let below = folder.entries.iter().filter(|entry| entry.is_folder);
                    let below = below.map(|entry| folder.path.join(os_name(folder.name(*entry))));
                    let jobs: Vec<Job> = below
                        .enumerate()
                        .map(|(index, path)| Job {
                            path,
                            rules: folder.rules.clone(),
                            slot: first + index,
                        })
                        .collect();
                    let folders = (first..first + jobs.len()).collect();
                    state.open += jobs.len();
                    state.slots.resize_with(first + jobs.len(), || None);
                    state.jobs.extend(jobs);
                    state.slots[job.slot] = Some(Scanned { folder, folders });
                }
            }
            state.open -= 1;
            drop(state);
            more.notify_all();
        }
    }

    /// Reads one folder. None: it is not there any more.
    pub(super) fn scan(
        &self,
        path: &Path,
        above: Option<&Arc<Rules>>,
    ) -> Result<Option<Folder>, Cancelled> {
        if path.components().count() > MAX_DEPTH {
            let error = io::Error::other(format!("it is more than {MAX_DEPTH} folders deep"));
            return Ok(Some(unreadable(path, above, &error)));
        }
        let now = SystemTime::now();
        let mut faults = Vec::new();
        let stamp = match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_dir() => Stamp::of(&metadata),
            Ok(_) => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            // It is listed, so that what could not be read is told.
            Err(error) => return Ok(Some(unreadable(path, above, &error))),
        };
        let mut read = match self.entries(path, &mut faults) {
            Ok(read) => read,
            Err(Some(error)) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(Some(error)) => {
                let mut folder = unreadable(path, above, &error);
                (folder.stamp, folder.settled) = (stamp, stamp.is_settled(now));
                return Ok(Some(folder));
            }
            Err(None) => return Err(Cancelled),
        };
        let found = above.map(|above| Rules::of_folder(above, path, read.present));
        let (rules, rule_files) = match found {
            Some(found) => {
                faults.extend(found.faults);
                (Some(found.rules), found.files)
            }
            None => (None, Vec::new()),
        };
        let closed: Vec<&PathBuf> = self
            .closed
            .iter()
            .filter(|closed| closed.parent() == Some(path))
            .collect();
        let mut candidate = path.join("x");
        let mut kept = Vec::with_capacity(read.entries.len());
        for (index, entry) in read.entries.iter().enumerate() {
            if index % ENTRIES_PER_LOOK == 0 && self.cancel.is_cancelled() {
                return Err(Cancelled);
            }
            let name = os_name(&read.names[entry.start as usize..][..usize::from(entry.length)]);
            candidate.set_file_name(name);
            if is_listed(
                rules.as_deref(),
                &candidate,
                name,
                entry.is_folder,
                self.options.hidden,
            ) && !closed.contains(&&candidate)
            {
                kept.push(*entry);
            }
        }
        sort(&mut kept, &read.names);
        let (names, entries) = compact(&kept, &read.names);
        read.names.clear();
        Ok(Some(Folder {
            path: path.to_owned(),
            stamp,
            settled: stamp.is_settled(now),
            rules,
            present: read.present,
            rule_files,
            names,
            entries,
            children: Vec::new(),
            faults,
        }))
    }

    /// The entries of a folder as they come. `Err(None)`: the call is to end.
    fn entries(&self, path: &Path, faults: &mut Vec<String>) -> Result<Read, Option<io::Error>> {
        let mut read = Read::default();
        for (index, entry) in fs::read_dir(path).map_err(Some)?.enumerate() {
            if index % ENTRIES_PER_LOOK == 0 && self.cancel.is_cancelled() {
                return Err(None);
            }
            let (entry, kind) = match entry.and_then(|entry| Ok((entry.file_type()?, entry))) {
                Ok((kind, entry)) => (entry, kind),
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => {
                    faults.push(format!("an entry cannot be read: {error}"));
                    continue;
                }
            };
            let name = entry.file_name();
            let bytes = name.as_encoded_bytes();
            read.present.git |= bytes == rules::GIT.as_bytes();
            // Links lead elsewhere, and what they lead to inside is found there.
            if !kind.is_file() && !kind.is_dir() {
                continue;
            }
            read.present.ignore |= bytes == rules::IGNORE.as_bytes();
            read.present.gitignore |= bytes == rules::GITIGNORE.as_bytes();
            let fits = u32::try_from(read.names.len())
                .ok()
                .zip(u16::try_from(bytes.len()).ok());
            let Some((start, length)) = fits.filter(|_| os_name(bytes) == name) else {
                faults.push(format!(
                    "`{}` has a name that cannot be held",
                    name.to_string_lossy()
                ));
                continue;
            };
            read.names.extend_from_slice(bytes);
            read.entries.push(Entry {
                start,
                length,
                is_folder: kind.is_dir(),
            });
        }
        Ok(read)
    }
}

#[derive(Default)]
struct Read {
    names: Vec<u8>,
    entries: Vec<Entry>,
    present: Present,
}

/// Lets the other threads end if this one panics: they would wait for its result for ever.
struct StopOnPanic<'a> {
    queue: &'a Mutex<Queue>,
    stop: &'a AtomicBool,
    more: &'a Condvar,
}

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Between another thread's look and its waiting there is no gap.
            let _state = lock(self.queue);
            self.stop.store(true, Ordering::Relaxed);
            self.more.notify_all();
        }
    }
}

fn lock(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Puts the folders of a walk together. What was not there any more when its turn came is left out.
fn assemble(slots: &mut [Option<Scanned>], slot: usize) -> Option<Arc<Folder>> {
    let Scanned {
        mut folder,
        folders,
    } = slots[slot].take()?;
    let mut gone = Vec::new();
    folder.children.reserve_exact(folders.len());
    let numbers: Vec<usize> = (0..folder.entries.len())
        .filter(|number| folder.entries[*number].is_folder)
        .collect();
    for (slot, number) in folders.into_iter().zip(numbers) {
        match assemble(slots, slot) {
            Some(child) => folder.children.push(child),
            None => gone.push(number),
        }
    }
    drop_entries(&mut folder, &gone);
    Some(Arc::new(folder))
}

pub(super) fn drop_entries(folder: &mut Folder, gone: &[usize]) {
    if gone.is_empty() {
        return;
    }
    let entries = folder.entries.iter().enumerate();
    let left = entries
        .filter(|(number, _)| !gone.contains(number))
        .map(|(_, entry)| *entry);
    folder.entries = left.collect();
}

/// By the bytes of the paths, in which a folder's name ends in `/`.
fn sort(entries: &mut [Entry], names: &[u8]) {
    let name = |entry: &Entry| &names[entry.start as usize..][..usize::from(entry.length)];
    entries.sort_unstable_by(|left, right| {
        let (left_name, right_name) = (name(left), name(right));
        let common = left_name.len().min(right_name.len());
        // The byte after the shorter name: the end of a file's name is before every byte.
        let next = |name: &[u8], entry: &Entry| match name.get(common) {
            Some(byte) => i32::from(*byte),
            None if entry.is_folder => i32::from(b'/'),
            None => -1,
        };
        left_name[..common]
            .cmp(&right_name[..common])
            .then_with(|| next(left_name, left).cmp(&next(right_name, right)))
            .then_with(|| left_name.len().cmp(&right_name.len()))
    });
}

/// The names of these entries alone, in their order.
fn compact(entries: &[Entry], names: &[u8]) -> (Box<[u8]>, Box<[Entry]>) {
    let length = entries.iter().map(|entry| usize::from(entry.length)).sum();
    let mut compact = Vec::with_capacity(length);
    let placed = entries.iter().map(|entry| {
        let start = compact.len() as u32;
        compact.extend_from_slice(&names[entry.start as usize..][..usize::from(entry.length)]);
        Entry { start, ..*entry }
    });
    let placed = placed.collect();
    (compact.into_boxed_slice(), placed)
}

fn unreadable(path: &Path, rules: Option<&Arc<Rules>>, error: &io::Error) -> Folder {
    Folder {
        rules: rules.cloned(),
        faults: vec![error.to_string()],
        ..empty(path)
    }
}

pub(super) fn gone(path: &Path) -> Arc<Folder> {
    Arc::new(Folder {
        faults: vec!["it is not there any more".to_owned()],
        ..empty(path)
    })
}

fn empty(path: &Path) -> Folder {
    Folder {
        path: path.to_owned(),
        stamp: Stamp::default(),
        settled: false,
        rules: None,
        present: Present::default(),
        rule_files: Vec::new(),
        names: Box::default(),
        entries: Box::default(),
        children: Vec::new(),
        faults: Vec::new(),
    }
}
