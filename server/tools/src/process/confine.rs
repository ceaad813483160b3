//! The step that becomes a command's shell: a process of its own, with one thread, that gives up what the command must not
//! have and is then replaced by the shell. Nothing here runs between a fork and an exec, so all of it is ordinary code.

use std::convert::Infallible;
use std::fs::OpenOptions;
use std::io::{self, BufRead, BufReader, IoSliceMut, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use rustix::process::{Resource, Rlimit};
use rustix::stdio;

use super::message::{Confinement, Failure, line};

mod descriptors;
mod signals;

/// The shells that commands are run by, the best first. All are bash: commands are judged as bash reads them, and another shell
/// reads some of them otherwise.
pub const SHELLS: [&str; 4] = [
    "/bin/bash",
    "/usr/bin/bash",
    "/usr/local/bin/bash",
    "/run/current-system/sw/bin/bash",
];

/// Reads from standard input what is to be done, and does it. Returns only when that fails; the supervisor, which holds the
/// other end, has been told why.
pub fn main() -> ExitCode {
    let failure = match channel() {
        Ok(mut channel) => match begin(&channel) {
            Ok(never) => match never {},
            Err(failure) => {
                // A supervisor that is gone needs no answer.
                let _ = line(&failure).and_then(|bytes| channel.write_all(&bytes));
                failure
            }
        },
        Err(error) => Failure::Shell(error.to_string()),
    };
    let (Failure::Sandbox(message) | Failure::Shell(message)) = failure;
    // Where somebody calls this by hand.
    eprintln!("This step of running a command failed: {message}");
    ExitCode::from(126)
}

/// Standard input as a socket of its own, which is closed when this process becomes the shell.
fn channel() -> io::Result<UnixStream> {
    let channel = rustix::io::fcntl_dupfd_cloexec(stdio::stdin(), 3)?;
    Ok(UnixStream::from(channel))
}

fn begin(channel: &UnixStream) -> Result<Infallible, Failure> {
    let shell = |what: &str| {
        let what = what.to_owned();
        move |error: io::Error| Failure::Shell(format!("{what}: {error}."))
    };
    let input = receive(channel).map_err(shell("what is to be run did not arrive"))?;
    let mut order = String::new();
    BufReader::new(channel)
        .read_line(&mut order)
        .map_err(shell("what is to be run did not arrive"))?;
    let order: Confinement = serde_json::from_str(&order).map_err(|error| {
        Failure::Shell(format!("what is to be run is not understood: {error}."))
    })?;

    stay_below(&order).map_err(shell("the supervisor has ended"))?;
    rustix::process::setsid()
        .map_err(io::Error::from)
        .map_err(shell("no session of its own"))?;
    connect(&order, input).map_err(shell("its input and output could not be set up"))?;
    limit(&order).map_err(shell("its limits could not be set"))?;
    signals::reset().map_err(shell("its signals could not be reset"))?;
    descriptors::close_on_exec().map_err(shell("open files could not be closed to it"))?;
    let mut command = shell_command(&order)?;
    if order.plan.wrapper().is_none() {
        crate::sandbox::enter(&order.plan).map_err(|error| Failure::Sandbox(error.to_string()))?;
    }
    Err(shell("the shell could not be started")(command.exec()))
}

/// Takes the first byte, and the descriptor that may come with it.
fn receive(channel: &UnixStream) -> io::Result<Option<OwnedFd>> {
    let mut byte = [0];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let received = recvmsg(
        channel,
        &mut [IoSliceMut::new(&mut byte)],
        &mut control,
        RecvFlags::empty(),
    )?;
    if received.bytes == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    }))
}

/// Dies with the supervisor, however that ends.
#[cfg(target_os = "linux")]
fn stay_below(order: &Confinement) -> io::Result<()> {
    use rustix::process::{Signal, getppid, set_parent_process_death_signal};
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // It may have died before the signal was asked for.
    match getppid() {
        Some(parent) if parent.as_raw_pid() == order.supervisor => Ok(()),
        _ => Err(io::ErrorKind::NotFound.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn stay_below(_order: &Confinement) -> io::Result<()> {
    Ok(())
}

/// Puts terminal, pipe or nothing where the shell reads and writes.
fn connect(order: &Confinement, input: Option<OwnedFd>) -> io::Result<()> {
    if let Some(device) = &order.terminal {
        let terminal = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(rustix::fs::OFlags::NOCTTY.bits().cast_signed())
            .open(device)?;
        rustix::process::ioctl_tiocsctty(&terminal)?;
        stdio::dup2_stdin(&terminal)?;
        stdio::dup2_stdout(&terminal)?;
        stdio::dup2_stderr(&terminal)?;
        return Ok(());
    }
    match input {
        Some(input) => stdio::dup2_stdin(input.as_fd())?,
        None => stdio::dup2_stdin(OpenOptions::new().read(true).open("/dev/null")?)?,
    }
    Ok(())
}

fn limit(order: &Confinement) -> io::Result<()> {
    let both = |limit| Rlimit {
        current: Some(limit),
        maximum: Some(limit),
    };
    rustix::process::setrlimit(Resource::Core, both(0))?;
    #[cfg(target_os = "linux")]
    // A system without memory ends the command rather than the editor. Where it does not let us say so, nothing is lost.
    let _ = std::fs::write("/proc/self/oom_score_adj", "500");
    if let Some(limit) = order.file_size {
        let present = rustix::process::getrlimit(Resource::Fsize).maximum;
        let limit = present.map_or(limit, |present| present.min(limit));
        rustix::process::setrlimit(Resource::Fsize, both(limit))?;
    }
    Ok(())
}

fn shell_command(order: &Confinement) -> Result<Command, Failure> {
    let Some(shell) = SHELLS.into_iter().find(|shell| Path::new(shell).exists()) else {
        return Err(Failure::Shell(format!(
            "there is no bash on this system (looked for: {}). Install it.",
            SHELLS.join(", ")
        )));
    };
    // What confines it on a system where a program cannot confine itself.
    let mut words = order.plan.wrapper().unwrap_or_default().into_iter();
    let mut command = match words.next() {
        Some(wrapper) => {
            let mut command = Command::new(wrapper);
            command.args(words).arg(shell);
            command
        }
        None => Command::new(shell),
    };
    command.arg("-c").arg(&order.line);
    for (name, value) in &order.environment {
        command.env(name, value);
    }
    // A shell would read these files before anything else.
    command.env_remove("BASH_ENV").env_remove("ENV");
    Ok(command)
}
