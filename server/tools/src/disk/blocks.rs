//! A file of any size, of which one block is in memory. Holes of sparse files are passed over. Knows bytes and no text.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use tokio_util::sync::CancellationToken;

/// As much of a file as is in memory. Even, so that no code unit of UTF-16 is cut in two.
pub(super) const BLOCK_BYTES: usize = 128 * 1024;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Stop {
    /// It was told to end.
    #[error("cancelled")]
    Cancelled,
    /// The system refused.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// The file. Positions are bytes in it.
pub(super) struct Blocks<'a> {
    file: File,
    length: u64,
    cancel: &'a CancellationToken,
    block: Vec<u8>,
    block_at: u64,
}

impl<'a> Blocks<'a> {
    pub(super) fn new(file: File, cancel: &'a CancellationToken) -> io::Result<Blocks<'a>> {
        let length = file.metadata()?.len();
        Ok(Blocks {
            file,
            length,
            cancel,
            block: Vec::new(),
            block_at: 0,
        })
    }

    /// Bytes of the file, as they were when it was opened, or fewer if it has become shorter.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// The bytes from a position to the end of its block; none at the end of the file.
    pub(super) fn bytes_at(&mut self, position: u64) -> Result<&[u8], Stop> {
        self.check_cancelled()?;
        let held = self.block_at..self.block_at + self.block.len() as u64;
        if !held.contains(&position) && position < self.length {
            let start = position / BLOCK_BYTES as u64 * BLOCK_BYTES as u64;
            self.block.clear();
            self.block_at = start;
            self.file.seek(SeekFrom::Start(start))?;
            let wanted = (self.length - start).min(BLOCK_BYTES as u64);
            (&self.file).take(wanted).read_to_end(&mut self.block)?;
            if (self.block.len() as u64) < wanted {
                self.length = start + self.block.len() as u64;
            }
        }
        if position >= self.length {
            return Ok(&[]);
        }
        let from = (position - self.block_at) as usize;
        Ok(self.block.get(from..).unwrap_or_default())
    }

    /// The first position from here on that is in no hole; the end of the file if there is none.
    pub(super) fn data_from(&self, position: u64) -> Result<u64, Stop> {
        self.check_cancelled()?;
        let data = next_data(&self.file, position).unwrap_or(position);
        Ok(data.clamp(position, self.length.max(position)))
    }

    fn check_cancelled(&self) -> Result<(), Stop> {
        if self.cancel.is_cancelled() {
            Err(Stop::Cancelled)
        } else {
            Ok(())
        }
    }
}

/// Where a sparse file has bytes again. None: the system cannot tell.
#[cfg(any(
    target_os = "linux",
    target_os = "android",
    target_os = "macos",
    target_os = "freebsd"
))]
fn next_data(file: &File, position: u64) -> Option<u64> {
    match rustix::fs::seek(file, rustix::fs::SeekFrom::Data(position)) {
        Ok(data) => Some(data),
        // The hole reaches to the end.
        Err(rustix::io::Errno::NXIO) => Some(u64::MAX),
        Err(_) => None,
    }
}

#[cfg(not(any(
    target_os = "linux",
    target_os = "android",
    target_os = "macos",
    target_os = "freebsd"
)))]
fn next_data(_: &File, _: u64) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_file_that_becomes_shorter_ends_where_it_ends() {
        let file = tempfile::tempfile().unwrap();
        (&file).write_all(&vec![b'x'; 3 * BLOCK_BYTES]).unwrap();
        let cancel = CancellationToken::new();
        let mut blocks = Blocks::new(file.try_clone().unwrap(), &cancel).unwrap();
        assert_eq!(blocks.bytes_at(5).unwrap().len(), BLOCK_BYTES - 5);
        file.set_len(BLOCK_BYTES as u64 + 10).unwrap();
        assert_eq!(blocks.bytes_at(BLOCK_BYTES as u64).unwrap().len(), 10);
        assert_eq!(blocks.length(), BLOCK_BYTES as u64 + 10);
        assert!(blocks.bytes_at(2 * BLOCK_BYTES as u64).unwrap().is_empty());
    }
}
