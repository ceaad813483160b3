//! Reads a log back, whatever happened to the process that wrote it.
//!
//! Must not know what the records are for.

use std::fs;
use std::io;
use std::path::Path;

use super::Record;

/// What could be read of a log.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadLog {
    /// The records, in order.
    pub records: Vec<Record>,
    /// The lines that are no records, from 1: damaged, or of a newer version. They are skipped, as one bad line must not
    /// cost a session.
    pub skipped: Vec<usize>,
    /// The last line was not written to its end. It is not counted as skipped: nothing depended on it yet.
    pub torn: bool,
}

/// Reads the log in `path`.
///
/// # Errors
///
/// The file cannot be read.
pub fn read(path: &Path) -> io::Result<ReadLog> {
    Ok(parse(&fs::read(path)?))
}

/// Reads a log from its bytes.
pub(super) fn parse(bytes: &[u8]) -> ReadLog {
    let mut log = ReadLog::default();
    let mut lines = bytes.split(|byte| *byte == b'\n');
    // What follows the last line break: nothing, or a line that was not ended.
    log.torn = lines.next_back().is_some_and(|rest| !rest.is_empty());
    for (index, line) in lines.enumerate() {
        match serde_json::from_slice(line) {
            Ok(record) => log.records.push(record),
            Err(_) => log.skipped.push(index + 1),
        }
    }
    log
}
