//! Writing to a command, in a thread of its own: one that does not read must not keep its supervisor from anything.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::sync::mpsc;

/// Writes to a command. Dropped, it closes the command's input when all is written.
pub(super) struct Writer {
    queue: mpsc::Sender<Vec<u8>>,
    terminal: bool,
}

impl Writer {
    /// Begins to write to `end`, the outer side of a pipe or a terminal.
    pub fn start(end: OwnedFd, terminal: bool) -> io::Result<Writer> {
        let mut end = File::from(end);
        let (queue, waiting) = mpsc::channel::<Vec<u8>>();
        std::thread::Builder::new()
            .name("input".to_owned())
            .spawn(move || {
                while let Ok(bytes) = waiting.recv() {
                    // The command has closed its input: what else is written is refused.
                    if end.write_all(&bytes).is_err() {
                        break;
                    }
                }
            })?;
        Ok(Writer { queue, terminal })
    }

    /// Whether it writes to a terminal, which cannot be closed on one side.
    pub fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Writes when there is room. False: the command reads no more.
    pub fn write(&self, bytes: Vec<u8>) -> bool {
        self.queue.send(bytes).is_ok()
    }
}
