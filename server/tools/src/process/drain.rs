//! Reading what a command prints, in a thread of its own: whatever the server does meanwhile, the command is never kept
//! from writing.

use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::capture::{Artifact, Capture, Source};

/// How much a pipe to the server holds, in bytes, where the system allows it: a writer is rarely kept waiting, and few
/// turns are needed.
#[cfg(target_os = "linux")]
const PIPE: usize = 1 << 20;

/// How much is read at once, in bytes: it stays in the processor's cache while it is looked at and written.
const BUFFER: usize = 64 * 1024;

/// A pipe from a command: the server's end, then the command's.
pub(super) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (ours, theirs) = io::pipe()?;
    #[cfg(target_os = "linux")]
    // A user has only so much memory for pipes; the usual size is slower, and does.
    let _ = rustix::pipe::fcntl_setpipe_size(&theirs, PIPE);
    Ok((ours.into(), theirs.into()))
}

/// Reads until nobody holds the other ends any longer. Dropped, it stops reading.
pub(super) struct Drain {
    _stop: PipeWriter,
}

impl Drain {
    /// Begins to read `output` and `error` into `capture`, which is closed at the end.
    pub fn start(
        output: OwnedFd,
        error: Option<OwnedFd>,
        capture: Arc<Capture>,
        artifact: Option<Artifact>,
    ) -> io::Result<Drain> {
        let (stopped, stop) = io::pipe()?;
        let sources = [(Source::Error, error), (Source::Output, Some(output))]
            .into_iter()
            .filter_map(|(source, end)| Some((source, end?)))
            .collect();
        std::thread::Builder::new()
            .name("output".to_owned())
            .spawn(move || {
                drain(sources, &stopped, &capture, artifact);
                capture.close();
            })?;
        Ok(Drain { _stop: stop })
    }
}

fn drain(
    mut sources: Vec<(Source, OwnedFd)>,
    stopped: &PipeReader,
    capture: &Capture,
    mut artifact: Option<Artifact>,
) {
    let mut buffer = vec![0; BUFFER];
    while !sources.is_empty() {
        let ready = {
            let mut ends: Vec<PollFd<'_>> = sources
                .iter()
                .map(|(_, end)| PollFd::new(end, PollFlags::IN))
                .chain([PollFd::new(stopped, PollFlags::IN)])
                .collect();
            match poll(&mut ends, None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => return,
            }
            ends.iter()
                .map(|end| !end.revents().is_empty())
                .collect::<Vec<bool>>()
        };
        if ready.last() == Some(&true) {
            return;
        }
        let mut ready = ready.into_iter();
        sources.retain(|(source, end)| {
            if ready.next() != Some(true) {
                return true;
            }
            match rustix::io::read(end.as_fd(), &mut buffer[..]) {
                Ok(0) => false,
                Ok(count) => {
                    capture.push(*source, &buffer[..count], &mut artifact);
                    true
                }
                Err(Errno::INTR | Errno::AGAIN) => true,
                Err(_) => false,
            }
        });
    }
}
