//! The form of a record: one JSON object a line, and after the line of a step as many raw bytes as it says. What was
//! not written to its end is not read: it had not happened. Pure.

use std::borrow::Cow;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::disk::step::Step;

/// The version of the form. A record of another one is left alone.
pub(super) const VERSION: u32 = 1;

/// What a line says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Line<'step> {
    /// The first line.
    Begin {
        version: u32,
        /// Whether the steps stand together or not at all.
        several: bool,
    },
    /// A temporary file is about to be made.
    Temporary(RecordedPath),
    /// A step is about to be taken.
    Step {
        step: Cow<'step, Step>,
        /// How many bytes follow, with a line break after them.
        bytes: usize,
    },
    /// Files of the same change that somebody else is about to change.
    Elsewhere(Vec<RecordedPath>),
    /// All of it stands.
    Done,
}

/// A path that need not be UTF-8.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct RecordedPath(#[serde(with = "super::path")] pub(super) PathBuf);

impl From<PathBuf> for RecordedPath {
    fn from(path: PathBuf) -> RecordedPath {
        RecordedPath(path)
    }
}

impl Line<'_> {
    /// The line of a step.
    pub(super) fn of(step: &Step) -> Line<'_> {
        Line::Step {
            step: Cow::Borrowed(step),
            bytes: step.bytes().len(),
        }
    }

    /// The line as it is written, with the bytes that belong to it.
    pub(super) fn encode(&self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut line = serde_json::to_vec(self)?;
        line.push(b'\n');
        if matches!(self, Line::Step { .. }) {
            line.extend_from_slice(bytes);
            line.push(b'\n');
        }
        Ok(line)
    }
}

/// A record as it was read.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Read {
    /// None: not even its first line was written.
    pub(super) several: Option<bool>,
    pub(super) temporaries: Vec<PathBuf>,
    pub(super) steps: Vec<Step>,
    pub(super) elsewhere: Vec<PathBuf>,
    pub(super) done: bool,
    /// Whether it is of another version.
    pub(super) foreign: bool,
}

/// Reads a record as far as it was written.
pub(super) fn read(mut rest: &[u8]) -> Read {
    let mut read = Read::default();
    while let Some(end) = memchr::memchr(b'\n', rest) {
        let line = &rest[..end];
        rest = &rest[end + 1..];
        match serde_json::from_slice(line) {
            Ok(Line::Begin { version, .. }) if version != VERSION => {
                read.foreign = true;
                break;
            }
            Ok(Line::Begin { several, .. }) => read.several = Some(several),
            Ok(Line::Temporary(path)) => read.temporaries.push(path.0),
            Ok(Line::Step { step, bytes }) => {
                if rest.get(bytes) != Some(&b'\n') {
                    break;
                }
                read.steps
                    .push(step.into_owned().with_bytes(rest[..bytes].to_vec()));
                rest = &rest[bytes + 1..];
            }
            Ok(Line::Elsewhere(paths)) => {
                read.elsewhere.extend(paths.into_iter().map(|path| path.0));
            }
            Ok(Line::Done) => read.done = true,
            Err(_) => {
                read.foreign = true;
                break;
            }
        }
    }
    read
}
