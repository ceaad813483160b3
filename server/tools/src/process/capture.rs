//! The output of a command while it comes: head and tail in bounded memory, the whole in a file, and counts. Knows
//! neither processes nor pipes.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use tokio::time::Instant;

mod pieces;

use crate::private;
use pieces::Pieces;

/// How much of the beginning is kept in memory, in bytes.
const HEAD: usize = 64 * 1024;
/// How much of the end is kept in memory, in bytes.
const TAIL: usize = 256 * 1024;

/// Which of its two outputs a command wrote to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// Its standard output; under a terminal, everything.
    Output,
    /// Its standard error.
    Error,
}

/// Bytes that came one after the other from the same source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Where they came from.
    pub source: Source,
    /// The bytes as they were written.
    pub bytes: Vec<u8>,
}

/// The output of a command so far: `head`, then `omitted` bytes that are only in the artifact, then `tail`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// The first 64 KiB, in order of arrival.
    pub head: Vec<Piece>,
    /// How many bytes are between head and tail.
    pub omitted: u64,
    /// The last 256 KiB, without what is in the head.
    pub tail: Vec<Piece>,
    /// How many bytes there were in all.
    pub bytes: u64,
    /// How many lines there were in all; one that is not ended counts.
    pub lines: u64,
    /// How many bytes of all came from standard error.
    pub error_bytes: u64,
    /// How many bytes are in the artifact: with less than `bytes`, it was cut at its limit or could not be written.
    pub artifact_bytes: u64,
}

/// A part of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Where it begins, in bytes from the beginning of the output. Later than asked for where what was asked for is
    /// kept nowhere.
    pub offset: u64,
    /// The bytes. Of those that are neither in head nor tail, nobody knows the source any longer: all are given as
    /// [`Source::Output`].
    pub pieces: Vec<Piece>,
    /// Where the next one begins.
    pub next: u64,
    /// How many bytes there are so far.
    pub total: u64,
}

/// How far an output has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// How many bytes there are.
    pub bytes: u64,
    /// No more will come.
    pub closed: bool,
}

/// Takes the output of one command.
pub struct Capture {
    kept: Mutex<Kept>,
    progress: watch::Sender<Progress>,
    artifact: Option<PathBuf>,
}

struct Kept {
    head: Pieces,
    tail: Pieces,
    bytes: u64,
    breaks: u64,
    ends_in_break: bool,
    error_bytes: u64,
    artifact_bytes: u64,
    artifact_error: Option<String>,
    newest: Instant,
}

/// The file behind a capture; belongs to the one who writes.
pub struct Artifact {
    file: File,
    /// How much more it takes, in bytes.
    room: u64,
}

impl Artifact {
    /// Makes the file, which must not exist, readable for its owner alone.
    ///
    /// # Errors
    ///
    /// The file exists, or cannot be made.
    pub fn create(path: &Path, limit: u64) -> io::Result<Artifact> {
        let file = private::options().write(true).create_new(true).open(path)?;
        Ok(Artifact { file, room: limit })
    }
}

impl Capture {
    /// A capture of nothing yet; `artifact` is the path of the file that [`Capture::push`] is given.
    pub fn new(artifact: Option<PathBuf>) -> Arc<Capture> {
        Arc::new(Capture {
            kept: Mutex::new(Kept {
                head: Pieces::default(),
                tail: Pieces::default(),
                bytes: 0,
                breaks: 0,
                ends_in_break: true,
                error_bytes: 0,
                artifact_bytes: 0,
                artifact_error: None,
                newest: Instant::now(),
            }),
            progress: watch::Sender::new(Progress::default()),
            artifact,
        })
    }

    /// Takes what came from `source`. An artifact that cannot be written is dropped, and the reason kept.
    pub fn push(&self, source: Source, bytes: &[u8], artifact: &mut Option<Artifact>) {
        let Some(&last) = bytes.last() else {
            return;
        };
        // Before it is counted: whoever sees the count finds the bytes in the file.
        let written = write(bytes, artifact);
        let breaks = memchr::memchr_iter(b'\n', bytes).count() as u64;
        let mut kept = self.kept();
        match written {
            Ok(count) => kept.artifact_bytes += count,
            Err(error) => {
                *artifact = None;
                kept.artifact_error = Some(error.to_string());
            }
        }
        let room = HEAD.saturating_sub(kept.head.len()).min(bytes.len());
        let (first, rest) = bytes.split_at(room);
        kept.head.push(source, first);
        kept.tail.push_last(source, rest, TAIL);
        kept.bytes += bytes.len() as u64;
        kept.breaks += breaks;
        kept.ends_in_break = last == b'\n';
        if source == Source::Error {
            kept.error_bytes += bytes.len() as u64;
        }
        kept.newest = Instant::now();
        let bytes = kept.bytes;
        drop(kept);
        self.progress.send_modify(|progress| progress.bytes = bytes);
    }

    /// No more will come.
    pub fn close(&self) {
        self.progress.send_modify(|progress| progress.closed = true);
    }

    /// Tells how far it is, and when that changes.
    pub fn progress(&self) -> watch::Receiver<Progress> {
        self.progress.subscribe()
    }

    /// When the newest bytes came; without any, when the capture began.
    pub fn newest(&self) -> Instant {
        self.kept().newest
    }

    /// Why the artifact could not be written.
    pub fn artifact_error(&self) -> Option<String> {
        self.kept().artifact_error.clone()
    }

    /// The path of the artifact.
    pub fn artifact(&self) -> Option<&Path> {
        self.artifact.as_deref()
    }

    /// What there is so far.
    pub fn captured(&self) -> Captured {
        let kept = self.kept();
        Captured {
            head: kept.head.all(),
            omitted: kept.omitted(),
            tail: kept.tail.all(),
            bytes: kept.bytes,
            lines: kept.breaks + u64::from(!kept.ends_in_break),
            error_bytes: kept.error_bytes,
            artifact_bytes: kept.artifact_bytes,
        }
    }

    /// At most `limit` bytes from `offset` on.
    ///
    /// # Errors
    ///
    /// The artifact, where these bytes are, cannot be read.
    pub fn read(&self, offset: u64, limit: usize) -> io::Result<Chunk> {
        let kept = self.kept();
        let total = kept.bytes;
        let head = kept.head.len() as u64;
        let tail = head + kept.omitted();
        let chunk = |offset: u64, pieces: Vec<Piece>| {
            let length: usize = pieces.iter().map(|piece| piece.bytes.len()).sum();
            Chunk {
                offset,
                pieces,
                next: offset + length as u64,
                total,
            }
        };
        // Both differences are smaller than what is kept in memory.
        let within = |from: u64| usize::try_from(from).unwrap_or(usize::MAX);
        if offset < head {
            return Ok(chunk(offset, kept.head.range(within(offset), limit)));
        }
        let in_artifact = kept.artifact_bytes;
        if offset >= tail || offset >= in_artifact {
            let offset = offset.max(tail).min(total);
            return Ok(chunk(offset, kept.tail.range(within(offset - tail), limit)));
        }
        drop(kept);
        let Some(path) = &self.artifact else {
            return Ok(chunk(offset, Vec::new()));
        };
        let length = limit.min(within(in_artifact.min(tail) - offset));
        let mut bytes = vec![0; length];
        std::os::unix::fs::FileExt::read_exact_at(&File::open(path)?, &mut bytes, offset)?;
        Ok(chunk(
            offset,
            vec![Piece {
                source: Source::Output,
                bytes,
            }],
        ))
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // Each change is whole before anything could panic.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn omitted(&self) -> u64 {
        self.bytes - (self.head.len() + self.tail.len()) as u64
    }
}

/// Writes as much as there is room for, and says how much that was.
fn write(bytes: &[u8], artifact: &mut Option<Artifact>) -> io::Result<u64> {
    let Some(artifact) = artifact else {
        return Ok(0);
    };
    let length = usize::try_from(artifact.room).map_or(bytes.len(), |room| room.min(bytes.len()));
    artifact.file.write_all(&bytes[..length])?;
    artifact.room -= length as u64;
    Ok(length as u64)
}

#[cfg(test)]
mod tests;
