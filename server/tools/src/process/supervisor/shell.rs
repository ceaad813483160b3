//! Starting a command's shell by the step that confines it, and what is made on the system for its sandbox.

use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use super::super::message::{Confinement, Failure, Order, Remains, line};
use super::super::{CONFINE, spec::Launcher};
use super::terminal::Terminal;
use crate::sandbox::{self, Prepared};

/// A shell that runs.
pub(super) struct Shell {
    pid: i32,
    prepared: Prepared,
}

impl Shell {
    /// Starts it; gives the end of a pipe that its input is written to, where it has one.
    pub async fn start(
        order: &Order,
        terminal: Option<&Terminal>,
    ) -> Result<(Shell, Option<OwnedFd>), Failure> {
        let prepared =
            sandbox::prepare(&order.policy).map_err(|error| Failure::Sandbox(error.to_string()))?;
        let failed = |error: io::Error| {
            Failure::Shell(format!(
                "the step before its shell could not be started: {error}."
            ))
        };
        let (step, pid) = spawn(terminal.is_some()).map_err(failed)?;
        let confinement = Confinement {
            line: order.line.clone(),
            plan: prepared.plan().clone(),
            environment: prepared.environment().to_vec(),
            terminal: terminal.map(|terminal| terminal.device().to_owned()),
            file_size: order.limits.file_size,
            supervisor: rustix::process::getpid().as_raw_pid(),
        };
        let shell = Shell { pid, prepared };
        let (theirs, ours) = if order.input && terminal.is_none() {
            let (theirs, ours) = io::pipe().map_err(failed)?;
            (Some(theirs.into()), Some(ours.into()))
        } else {
            (None, None)
        };
        let answer = hand_over(step, &confinement, theirs)
            .await
            .map_err(failed)?;
        if answer.is_empty() {
            return Ok((shell, ours));
        }
        Err(serde_json::from_slice(&answer).unwrap_or_else(|error| {
            Failure::Shell(format!(
                "the step before its shell gave an answer that is not understood: {error}."
            ))
        }))
    }

    /// Its number. It is the same for the step before it, which becomes the shell.
    pub fn pid(&self) -> i32 {
        self.pid
    }

    /// Puts in order what was made for the sandbox.
    pub fn finish(self, remains: &mut Remains) {
        let finished = self.prepared.finish();
        let texts = |paths: &[PathBuf]| {
            let texts = paths.iter().map(|path| path.to_string_lossy().into_owned());
            texts.collect()
        };
        remains.repositories = texts(&finished.repositories);
        remains.obeyed = texts(&finished.obeyed);
        remains.faults = finished.faults;
    }
}

/// Starts this program again for the step, in the same folder and environment; gives the connection with it and its number.
/// Its status is taken with those of all other children.
fn spawn(terminal: bool) -> io::Result<(UnixStream, i32)> {
    let (ours, theirs) = StdUnixStream::pair()?;
    let output = || {
        if terminal {
            Stdio::null()
        } else {
            Stdio::inherit()
        }
    };
    let child = Command::new(Launcher::this_program()?.program)
        .arg(CONFINE)
        .stdin(OwnedFd::from(theirs))
        .stdout(output())
        .stderr(output())
        .spawn()?;
    ours.set_nonblocking(true)?;
    Ok((UnixStream::from_std(ours)?, child.id().cast_signed()))
}

/// Tells the step what to do, and waits until it has become the shell: then it has said nothing. Else it has said why.
async fn hand_over(
    mut step: UnixStream,
    confinement: &Confinement,
    input: Option<OwnedFd>,
) -> io::Result<Vec<u8>> {
    step.writable().await?;
    step.try_io(tokio::io::Interest::WRITABLE, || {
        send_first(step.as_fd(), input.as_ref().map(AsFd::as_fd))
    })?;
    drop(input);
    let order = line(confinement)?;
    let mut answer = Vec::new();
    // A step that ended early may have said why.
    let sent = step.write_all(&order).await;
    step.read_to_end(&mut answer).await?;
    if answer.is_empty() {
        sent?;
    }
    Ok(answer)
}

fn send_first(step: BorrowedFd<'_>, input: Option<BorrowedFd<'_>>) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let descriptors: Vec<BorrowedFd<'_>> = input.into_iter().collect();
    if !descriptors.is_empty() {
        // There is room for exactly one.
        control.push(SendAncillaryMessage::ScmRights(&descriptors));
    }
    sendmsg(
        step,
        &[IoSlice::new(b"-")],
        &mut control,
        SendFlags::empty(),
    )?;
    Ok(())
}
