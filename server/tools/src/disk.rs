//! Text files on disk: read whole or as a stream, written so that after a crash there is the old file or the new one.
//! Takes paths that the guard has judged; knows nothing of open buffers.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::Path;

use mewcode_core::hash::ContentHash;
use mewcode_core::text::Text;
use ropey::Rope;
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use crate::error::ToolError;

mod journal;
mod kind;
mod place;
mod remove;
mod step;
mod stream;
mod write;

pub use journal::{Journal, Record, Scope};
pub use remove::remove;
pub(crate) use remove::{MoveError, move_recorded, remove_recorded};
pub(crate) use write::write as write_recorded;

pub(crate) use kind::{Fault, refusal};
pub(crate) use stream::{Format, LogicalStream};
pub(crate) use write::missing_folders;
pub use write::{Expected, WriteError, write_atomic};

/// The largest file that is held whole: to be edited, or to know later what was read.
pub const MAX_TEXT_BYTES: u64 = 32 * 1024 * 1024;

/// As much of a file as is in memory while it is streamed.
const STREAM_BYTES: usize = 64 * 1024;

/// What is at a path: none if nothing is, an error if it is no ordinary file.
pub fn probe(path: &Path, display: &str) -> Result<Option<Metadata>, ToolError> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(Some(metadata)),
        Ok(metadata) if metadata.is_dir() => Err(ToolError::is_directory(display)),
        // Opening one could wait for ever.
        Ok(_) => Err(never_possible(format!(
            "`{display}` is a device, a pipe or a socket, not a file."
        ))),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(io_failure(display, "looked at", &error)),
    }
}

/// The text of a file, held whole. None if there is no file.
pub fn read(path: &Path, display: &str) -> Result<Option<Text>, ToolError> {
    let Some(metadata) = probe(path, display)? else {
        return Ok(None);
    };
    let too_large = || {
        ToolError::too_large(format!(
            "`{display}` is larger than {} MiB, more than can be edited.",
            MAX_TEXT_BYTES / 1024 / 1024
        ))
        .suggest("Read parts of it with read_file, or change it with a command.")
    };
    if metadata.len() > MAX_TEXT_BYTES {
        return Err(too_large());
    }
    let Some(file) = open(path, display)? else {
        return Ok(None);
    };
    let mut bytes = Vec::with_capacity(metadata.len() as usize + 1);
    // The file may grow, or not tell its size.
    let read = file.take(MAX_TEXT_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| io_failure(display, "read", &error))?;
    if bytes.len() as u64 > MAX_TEXT_BYTES {
        return Err(too_large());
    }
    decode(bytes, display).map(Some)
}

/// Opens a file for reading; none if there is no file.
pub(crate) fn open(path: &Path, display: &str) -> Result<Option<File>, ToolError> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(io_failure(display, "opened", &error)),
    }
}

fn decode(bytes: Vec<u8>, display: &str) -> Result<Text, ToolError> {
    let fault =
        |bytes: &[u8], fault| refusal(display, &bytes[..bytes.len().min(kind::HEAD_BYTES)], fault);
    if bytes.contains(&0) {
        return Err(fault(&bytes, Fault::Nul));
    }
    let wire = String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..offset]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count();
        fault(error.as_bytes(), Fault::NotUtf8 { offset, line })
    })?;
    Ok(Text::decode(&wire))
}

/// Whether a file holds this logical text, however its lines end there. What cannot be read does not hold it.
///
/// The text is compared as it is read: much less work than to build or to hash it.
pub fn holds(path: &Path, text: &Rope) -> bool {
    let is_file = fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    let file = is_file.then(|| File::open(path).ok()).flatten();
    let Some(file) = file else { return false };
    let mut chunks = text.chunks();
    let mut expected: &[u8] = &[];
    let mut same = true;
    let differs = CancellationToken::new();
    let read = stream_file(file, "", &differs, &mut |piece| {
        let mut piece = piece.as_bytes();
        while same && !piece.is_empty() {
            if expected.is_empty() {
                match chunks.next() {
                    Some(chunk) => expected = chunk.as_bytes(),
                    None => same = false,
                }
            }
            let length = piece.len().min(expected.len());
            same &= piece[..length] == expected[..length];
            (piece, expected) = (&piece[length..], &expected[length..]);
        }
        if !same {
            differs.cancel();
        }
    });
    read.is_ok() && same && expected.is_empty() && chunks.all(str::is_empty)
}

/// The hash of a logical text that was fed piece by piece.
pub(crate) fn content_hash(hasher: Sha256) -> ContentHash {
    let digits: String = hasher
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    // A sha256 has 32 bytes, and each was just written as two digits.
    #[expect(clippy::expect_used, reason = "proved above")]
    digits.parse().expect("64 hexadecimal digits")
}

/// Gives the logical text of a file piece by piece, and tells how it was written. None: it was told to end.
pub(crate) fn stream_file(
    mut file: File,
    display: &str,
    cancel: &CancellationToken,
    sink: &mut impl FnMut(&str),
) -> Result<Option<Format>, ToolError> {
    let mut stream = LogicalStream::default();
    let mut buffer = vec![0; STREAM_BYTES];
    loop {
        if cancel.is_cancelled() {
            return Ok(None);
        }
        let read = match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(io_failure(display, "read", &error)),
        };
        stream
            .push(&buffer[..read], sink)
            .map_err(|fault| refusal(display, stream.head(), fault))?;
    }
    let head = stream.head().to_vec();
    stream
        .finish(sink)
        .map(Some)
        .map_err(|fault| refusal(display, &head, fault))
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// The failure of an operation on a file, in a sentence.
pub(crate) fn io_failure(display: &str, done: &str, error: &io::Error) -> ToolError {
    let message = format!("`{display}` cannot be {done}: {error}.");
    if error.kind() == io::ErrorKind::PermissionDenied {
        never_possible(message)
    } else {
        ToolError::unavailable(message)
    }
}

/// Something that stays as it is however often it is tried.
pub(crate) fn never_possible(message: String) -> ToolError {
    let mut error = ToolError::unavailable(message).suggest("Tell the user if it is needed.");
    error.retryable = false;
    error
}

#[cfg(test)]
mod tests;
