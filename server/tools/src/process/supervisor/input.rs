//! Writing to a command, in a thread of its own: one that does not read must not keep its supervisor from anything.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::sync::mpsc::{Sender, channel};

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// Writes to a command. Dropped, it closes the command's input when all is written.
pub(super) struct Writer {
    queue: Sender<Vec<u8>>,
    written: UnboundedReceiver<usize>,
    terminal: bool,
}

impl Writer {
    /// Begins to write to `end`, the outer side of a pipe or a terminal.
    pub fn start(end: OwnedFd, terminal: bool) -> io::Result<Writer> {
        let mut end = File::from(end);
        let (queue, waiting) = channel::<Vec<u8>>();
        let (tell, written) = unbounded_channel();
        std::thread::Builder::new()
            .name("input".to_owned())
            .spawn(move || {
                while let Ok(bytes) = waiting.recv() {
                    // The command has closed its input, which shows by the end of this thread.
                    if end.write_all(&bytes).is_err() {
                        break;
                    }
                    // Nobody need listen.
                    let _ = tell.send(bytes.len());
                }
            })?;
        Ok(Writer {
            queue,
            written,
            terminal,
        })
    }

    /// Whether it writes to a terminal, which cannot be closed on one side.
    pub fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Writes when there is room.
    pub fn write(&self, bytes: Vec<u8>) {
        // A command that reads no more shows by what is written.
        let _ = self.queue.send(bytes);
    }

    /// How many bytes the command has been given since this was asked last; none: it reads no more. Without a writer
    /// nothing is ever written.
    pub async fn written(writer: &mut Option<Writer>) -> Option<usize> {
        match writer {
            Some(writer) => writer.written.recv().await,
            None => std::future::pending().await,
        }
    }
}
