//! Text files on disk, in whatever encoding: read whole or as a stream, written so that after a crash there is the old
//! file or the new one. Takes paths that the guard has judged; knows nothing of open buffers.

use std::borrow::Cow;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

use mewcode_core::hash::ContentHash;
use mewcode_core::text::{Snapshot, Text};
use ropey::Rope;
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use crate::error::ToolError;

mod blocks;
pub(crate) mod encoding;
pub(crate) mod generated;
mod journal;
mod kind;
mod lines;
mod place;
mod remove;
mod step;
mod stream;
mod write;

pub(crate) use blocks::Stop;
pub(crate) use encoding::{Decoded, Loss};
pub use encoding::{Encoding, Unencodable};
pub use journal::{Journal, Record, Scope};
pub(crate) use lines::{Found, LargeFile, LineEnd};
pub(crate) use place::{Folder, Place, is_link};
pub use remove::remove;
pub(crate) use remove::{MoveError, move_recorded, remove_recorded};
pub(crate) use stream::Format;
use stream::LogicalStream;
pub(crate) use write::missing_folders;
pub(crate) use write::write as write_recorded;
pub use write::{Expected, WriteError, write_atomic};

/// The largest file that is held whole: to be edited, or to know later what was read.
pub const MAX_TEXT_BYTES: u64 = 32 * 1024 * 1024;

/// As much of a file as is in memory while it is streamed.
const STREAM_BYTES: usize = 64 * 1024;

/// As much of the beginning as tells whether a file is text that is too large to be looked through.
const LARGE_HEAD_BYTES: usize = 8 * 1024;

/// A file that is too large to be held.
pub(crate) struct Large<'a> {
    pub(crate) file: LargeFile<'a>,
    pub(crate) encoding: Encoding,
}

/// What is at a path: none if nothing is, an error if it is no ordinary file.
pub fn probe(path: &Path, display: &str) -> Result<Option<Metadata>, ToolError> {
    match Place::open(path).and_then(|place| place.metadata()) {
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

/// The text of a file, held whole, to be changed. None if there is no file.
pub fn read(path: &Path, display: &str) -> Result<Option<Text>, ToolError> {
    Ok(read_encoded(path, display)?.map(|(text, _)| text))
}

/// The same with the encoding, in which the text must be written back. A file that would not come back byte by byte is
/// refused.
pub fn read_encoded(path: &Path, display: &str) -> Result<Option<(Text, Encoding)>, ToolError> {
    look(path, display)?
        .map(|decoded| whole(decoded, display))
        .transpose()
}

/// What was decoded, if it can be written back as it was.
fn whole(decoded: Decoded, display: &str) -> Result<(Text, Encoding), ToolError> {
    match decoded.loss {
        None => Ok((decoded.text, decoded.encoding)),
        Some(Loss { line }) => Err(never_possible(format!(
            "`{display}` was taken for {}, but has bytes that would not be written back as they are (the first on \
             line {line}), so it can be read but not edited.",
            decoded.encoding
        ))
        .suggest("Leave the file as it is, or ask the user to convert it to UTF-8.")),
    }
}

/// A file that is to be changed, as it was read.
#[derive(Clone, Debug)]
pub struct Present {
    /// Its text.
    pub text: Snapshot,
    /// How its bytes are the text.
    pub encoding: Encoding,
    /// None: they are the UTF-8 of the text's wire form.
    bytes: Option<Vec<u8>>,
}

impl Present {
    /// Whether these are its bytes.
    fn is(&self, bytes: &[u8]) -> bool {
        match &self.bytes {
            Some(own) => own == bytes,
            None => self.text.text().wire().as_bytes() == bytes,
        }
    }

    /// Whether a file holds just its bytes. The file need not be held for that.
    fn is_in(&self, file: File) -> io::Result<bool> {
        match &self.bytes {
            Some(bytes) => holds_bytes(file, [bytes.as_slice()].into_iter().map(Cow::Borrowed)),
            None => is_wire_of(file, self.text.text()),
        }
    }
}

fn is_wire_of(file: File, text: &Text) -> io::Result<bool> {
    let pieces = text.wire_pieces().map(|piece| match piece {
        Cow::Borrowed(piece) => Cow::Borrowed(piece.as_bytes()),
        Cow::Owned(piece) => Cow::Owned(piece.into_bytes()),
    });
    holds_bytes(file, pieces)
}

/// Whether a file holds just these bytes, one piece after the other.
fn holds_bytes<'a>(
    mut file: File,
    pieces: impl Iterator<Item = Cow<'a, [u8]>>,
) -> io::Result<bool> {
    let mut buffer = vec![0; STREAM_BYTES];
    // What was read and not compared yet.
    let mut ahead = 0..0;
    for piece in pieces {
        let mut piece = &*piece;
        while !piece.is_empty() {
            if ahead.is_empty() {
                match file.read(&mut buffer) {
                    Ok(0) => return Ok(false),
                    Ok(read) => ahead = 0..read,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => return Err(error),
                }
            }
            let length = piece.len().min(ahead.len());
            if piece[..length] != buffer[ahead.start..ahead.start + length] {
                return Ok(false);
            }
            piece = &piece[length..];
            ahead.start += length;
        }
    }
    Ok(ahead.is_empty() && file.read(&mut buffer[..1])? == 0)
}

/// A file that is to be changed, of which a text is known: if it has just that, nothing is decoded or hashed anew. None
/// if there is no file; refuses what [`read_encoded`] refuses.
pub(crate) fn read_known(
    path: &Path,
    display: &str,
    known: &Snapshot,
) -> Result<Option<Present>, ToolError> {
    if probe(path, display)?.is_none() {
        return Ok(None);
    }
    let Some(file) = open(path, display)? else {
        return Ok(None);
    };
    let is_known = is_wire_of(file, known.text());
    if is_known.map_err(|error| io_failure(display, "read", &error))? {
        return Ok(Some(Present {
            text: known.clone(),
            encoding: Encoding::Utf8,
            bytes: None,
        }));
    }
    let Some(bytes) = read_bytes(path, display)? else {
        return Ok(None);
    };
    let (text, encoding) = whole(decoded(bytes.clone(), display)?, display)?;
    Ok(Some(Present {
        text: Snapshot::new(text),
        encoding,
        bytes: Some(bytes),
    }))
}

/// The text of a file, held whole, only to be looked at. None if there is no file.
pub(crate) fn look(path: &Path, display: &str) -> Result<Option<Decoded>, ToolError> {
    read_bytes(path, display)?
        .map(|bytes| decoded(bytes, display))
        .transpose()
}

fn decoded(bytes: Vec<u8>, display: &str) -> Result<Decoded, ToolError> {
    let head = bytes[..bytes.len().min(kind::HEAD_BYTES)].to_vec();
    encoding::decode(bytes).map_err(|fault| kind::refusal(display, &head, fault))
}

/// How a file is written that can be edited. None if there is no such file.
pub(crate) fn encoding(path: &Path) -> Option<Encoding> {
    // Most are, and for that nothing need be held.
    let file = open(path, "").ok()??;
    let stream = stream_file(file, "", &CancellationToken::new(), &mut |_| {});
    if let Ok(Streamed::Whole(_)) = stream {
        return Some(Encoding::Utf8);
    }
    let bytes = read_bytes(path, "").ok()??;
    let decoded = encoding::decode(bytes).ok()?;
    Some(decoded.encoding)
}

/// Opens a file that is too large to be held. Whether it is text, its first bytes tell.
pub(crate) fn open_large<'a>(
    path: &Path,
    display: &str,
    cancel: &'a CancellationToken,
) -> Result<Option<Large<'a>>, ToolError> {
    let Some(mut file) = open(path, display)? else {
        return Ok(None);
    };
    let mut head = Vec::with_capacity(LARGE_HEAD_BYTES);
    let failure = |error: &io::Error| io_failure(display, "read", error);
    let read = (&mut file)
        .take(LARGE_HEAD_BYTES as u64)
        .read_to_end(&mut head);
    read.map_err(|error| failure(&error))?;
    let encoding =
        encoding::of_head(&head).map_err(|fault| kind::refusal(display, &head, fault))?;
    let file = LargeFile::new(file, encoding, cancel).map_err(|error| failure(&error))?;
    Ok(Some(Large { file, encoding }))
}

fn read_bytes(path: &Path, display: &str) -> Result<Option<Vec<u8>>, ToolError> {
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
    Ok(Some(bytes))
}

/// Opens a file for reading; none if there is no file.
pub(crate) fn open(path: &Path, display: &str) -> Result<Option<File>, ToolError> {
    match Place::open(path).and_then(|place| place.read()) {
        Ok(file) => Ok(Some(file)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(io_failure(display, "opened", &error)),
    }
}

/// Whether a file holds this logical text, however its lines end and its characters are written there. What cannot be
/// read does not hold it.
///
/// The text is compared as it is read: much less work than to build or to hash it.
pub fn holds(path: &Path, text: &Rope) -> bool {
    let Ok(file) = Place::open(path).and_then(|place| place.read()) else {
        return false;
    };
    if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return false;
    }
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
    match read {
        Ok(Streamed::Whole(_)) => same && expected.is_empty() && chunks.all(str::is_empty),
        Ok(Streamed::NotUtf8) => holds_otherwise(path, text),
        Ok(Streamed::Stopped) | Err(_) => false,
    }
}

/// Whether a file that is not UTF-8 holds a text: as we read it, or as the many editors do that take everything for
/// Latin-1.
fn holds_otherwise(path: &Path, text: &Rope) -> bool {
    let Ok(Some(bytes)) = read_bytes(path, "") else {
        return false;
    };
    let latin: String = bytes.iter().map(|byte| char::from(*byte)).collect();
    encoding::decode(bytes).is_ok_and(|decoded| {
        let exact = decoded.loss.is_none() && decoded.text.rope() == text;
        exact || Text::decode(&latin).rope() == text
    })
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

/// How the streaming of a file ended.
pub(crate) enum Streamed {
    /// With all of it given; how it was written.
    Whole(Format),
    /// It was told to end.
    Stopped,
    /// The file is not UTF-8: it must be read whole.
    NotUtf8,
}

/// Gives the logical text of a file piece by piece.
pub(crate) fn stream_file(
    mut file: File,
    display: &str,
    cancel: &CancellationToken,
    sink: &mut impl FnMut(&str),
) -> Result<Streamed, ToolError> {
    let mut stream = LogicalStream::default();
    let mut buffer = vec![0; STREAM_BYTES];
    loop {
        if cancel.is_cancelled() {
            return Ok(Streamed::Stopped);
        }
        let read = match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(io_failure(display, "read", &error)),
        };
        if stream.push(&buffer[..read], sink).is_err() {
            return Ok(Streamed::NotUtf8);
        }
    }
    Ok(stream
        .finish(sink)
        .map_or(Streamed::NotUtf8, Streamed::Whole))
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// The failure of an operation on a file, in a sentence.
pub(crate) fn io_failure(display: &str, done: &str, error: &io::Error) -> ToolError {
    if is_link(error) {
        return ToolError::unavailable(format!(
            "`{display}` leads through a link that was not there a moment ago; it cannot be {done} so."
        ));
    }
    let message = format!("`{display}` cannot be {done}: {error}.");
    if error.kind() == io::ErrorKind::PermissionDenied {
        never_possible(message)
    } else {
        ToolError::unavailable(message)
    }
}

/// The refusal of a text that the encoding of its file cannot hold.
pub(crate) fn unencodable(display: &str, fault: &Unencodable) -> ToolError {
    let error = ToolError::invalid_arguments(format!(
        "`{display}` cannot be written so: {fault}. Nothing was changed."
    ))
    .suggest(
        "Use only characters of that encoding, or ask the user to convert the file to UTF-8 first.",
    );
    match fault {
        Unencodable::Character {
            character,
            line,
            encoding,
        } => error
            .with("character", character.to_string())
            .with("line", *line)
            .with("encoding", encoding.to_string()),
        Unencodable::Mistakable { encoding, .. } => error.with("encoding", encoding.to_string()),
        Unencodable::Nul { line } => error
            .suggest("Leave the NUL out; to write about it, write its name.")
            .with("line", *line),
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
