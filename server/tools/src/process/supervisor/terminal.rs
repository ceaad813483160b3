//! The terminal of a command: what is written there goes to this process's standard output.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::stdio;
use rustix::termios::{Winsize, tcsetwinsize};
use tokio::sync::oneshot;

use super::super::spec::TerminalSize;

/// A terminal, from its outer side.
pub(super) struct Terminal {
    master: OwnedFd,
    device: String,
    relayed: Option<oneshot::Receiver<()>>,
}

impl Terminal {
    /// A new terminal of this size.
    pub fn open(size: TerminalSize) -> io::Result<Terminal> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
        // Not every system takes this flag when it opens one.
        rustix::io::fcntl_setfd(&master, rustix::io::FdFlags::CLOEXEC)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let device = ptsname(&master, Vec::new())?
            .into_string()
            .map_err(io::Error::other)?;
        let terminal = Terminal {
            master,
            device,
            relayed: None,
        };
        tcsetwinsize(&terminal.master, window(size))?;
        Ok(terminal)
    }

    /// The path of its device.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// Another handle of its outer side, which writes what is typed.
    pub fn master(&self) -> io::Result<OwnedFd> {
        Ok(rustix::io::fcntl_dupfd_cloexec(&self.master, 3)?)
    }

    /// Gives it another size; programs under it are told by the system.
    pub fn resize(&self, size: TerminalSize) {
        // A terminal that nobody uses any longer may refuse it.
        let _ = tcsetwinsize(&self.master, window(size));
    }

    /// Begins to pass on what is written there, in a thread of its own: it waits whenever the server reads too slowly.
    pub fn relay(&mut self) -> io::Result<()> {
        let mut master = File::from(self.master()?);
        let (done, relayed) = oneshot::channel();
        std::thread::Builder::new()
            .name("terminal".to_owned())
            .spawn(move || {
                let mut buffer = vec![0; 64 * 1024];
                loop {
                    match master.read(&mut buffer) {
                        Ok(count @ 1..) if write_all(&buffer[..count]).is_ok() => {}
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        // An error is the system's answer when nothing has the terminal open any longer.
                        _ => break,
                    }
                }
                drop(done);
            })?;
        self.relayed = Some(relayed);
        Ok(())
    }

    /// Waits until everything has been passed on, at most so long.
    pub async fn flush(self, patience: Duration) {
        if let Some(relayed) = self.relayed {
            // Too late is told by nothing: the server was not reading.
            let _ = tokio::time::timeout(patience, relayed).await;
        }
    }
}

fn write_all(mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(stdio::stdout(), bytes) {
            Ok(count) => bytes = &bytes[count..],
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn window(size: TerminalSize) -> Winsize {
    Winsize {
        ws_row: size.rows,
        ws_col: size.columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    }
}
