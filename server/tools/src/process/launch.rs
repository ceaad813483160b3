//! Starting a command's supervisor, and what is connected with it.

use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::process::{Child, Command};
use tokio::sync::mpsc;

use super::capture::{Artifact, Capture};
use super::drain::{Drain, pipe};
use super::ending::StartError;
use super::message::{Failure, Order, Report, line};
use super::spec::{CommandSpec, Input, Launcher, MAX_LINE};
use super::tree::sweep;
use super::{MARK, SUPERVISE};

/// How long a shell may take to begin: its sandbox may have to look through large folders.
const PATIENCE: Duration = Duration::from_secs(60);

/// A command whose shell runs.
pub(super) struct Launched {
    pub supervisor: Child,
    pub reports: Reports,
    pub requests: Requests,
    pub capture: Arc<Capture>,
    pub drain: Drain,
    /// `NAME=VALUE` in the environment of all its processes.
    pub mark: String,
}

/// What a supervisor says.
pub(super) struct Reports(Lines<BufReader<OwnedReadHalf>>);

impl Reports {
    /// The next thing it says; none when it is gone, or speaks what is not understood.
    pub async fn next(&mut self) -> Option<Report> {
        let text = self.0.next_line().await.ok()??;
        serde_json::from_str(&text).ok()
    }
}

/// What is said to a supervisor. It is sent by a task of its own: whoever says it never waits, so the supervisor is listened
/// to in any case.
pub(super) struct Requests(mpsc::UnboundedSender<Vec<u8>>);

impl Requests {
    fn new(mut socket: OwnedWriteHalf) -> Requests {
        let (sender, mut waiting) = mpsc::unbounded_channel::<Vec<u8>>();
        tokio::spawn(async move {
            while let Some(bytes) = waiting.recv().await {
                // A supervisor that is gone shows when the next report is read.
                if socket.write_all(&bytes).await.is_err() {
                    break;
                }
            }
        });
        Requests(sender)
    }

    /// Says a message; the bytes are as [`line`] makes them.
    pub fn send(&self, bytes: Vec<u8>) {
        let _ = self.0.send(bytes);
    }
}

/// Lets a supervisor go on that its command has stopped.
pub(super) fn wake(supervisor: &Child) {
    let number = supervisor.id().map(u32::cast_signed);
    if let Some(supervisor) = number.and_then(Pid::from_raw) {
        // Its number stays its own until it is waited for. One that has ended needs no signal.
        let _ = kill_process(supervisor, Signal::CONT);
    }
}

/// Starts a command and waits until its shell runs. Dropped meanwhile, it ends what it began.
pub(super) async fn launch(
    launcher: &Launcher,
    spec: &CommandSpec,
) -> Result<Launched, StartError> {
    check(spec)?;
    let artifact = match &spec.artifact {
        Some(path) => Some(
            Artifact::create(path, spec.artifact_limit).map_err(|error| StartError::Artifact {
                path: path.clone(),
                error,
            })?,
        ),
        None => None,
    };
    let value = uuid::Uuid::new_v4().simple().to_string();
    let mark = format!("{MARK}={value}");
    let (socket, theirs) = StdUnixStream::pair().map_err(StartError::Spawn)?;
    let (output, their_output) = pipe().map_err(StartError::Spawn)?;
    let (error, their_error) = match spec.terminal {
        Some(_) => (None, Stdio::null()),
        None => {
            let (error, their_error) = pipe().map_err(StartError::Spawn)?;
            (Some(error), Stdio::from(their_error))
        }
    };
    let supervisor = Command::new(&launcher.program)
        .arg(SUPERVISE)
        .current_dir(&spec.workdir)
        .env_clear()
        .envs(spec.environment.iter().map(|(name, value)| (name, value)))
        .env(MARK, value)
        .stdin(OwnedFd::from(theirs))
        .stdout(their_output)
        .stderr(their_error)
        .spawn()
        .map_err(StartError::Spawn)?;

    let capture = Capture::new(spec.artifact.clone());
    let drain =
        Drain::start(output, error, Arc::clone(&capture), artifact).map_err(StartError::Spawn)?;
    socket.set_nonblocking(true).map_err(StartError::Spawn)?;
    let socket = UnixStream::from_std(socket).map_err(StartError::Spawn)?;
    let (reader, requests) = socket.into_split();
    let mut launched = Launched {
        supervisor,
        reports: Reports(BufReader::new(reader).lines()),
        requests: Requests::new(requests),
        capture,
        drain,
        mark,
    };
    let begun = match tokio::time::timeout(PATIENCE, launched.begin(spec)).await {
        Ok(begun) => begun,
        Err(_) => Err(StartError::Supervisor(format!(
            "it was not ready after {} s",
            PATIENCE.as_secs()
        ))),
    };
    if let Err(StartError::Supervisor(_)) = &begun {
        launched.abandon().await;
    }
    begun.map(|()| launched)
}

fn check(spec: &CommandSpec) -> Result<(), StartError> {
    if spec.line.len() > MAX_LINE {
        return Err(StartError::TooLong {
            bytes: spec.line.len(),
        });
    }
    if spec.line.contains('\0') {
        return Err(StartError::ZeroByte);
    }
    let workdir = |error| StartError::Workdir {
        path: spec.workdir.clone(),
        error,
    };
    // The system's own error of a start would not tell the folder from the program.
    match std::fs::metadata(&spec.workdir) {
        Ok(folder) if folder.is_dir() => Ok(()),
        Ok(_) => Err(workdir(std::io::ErrorKind::NotADirectory.into())),
        Err(error) => Err(workdir(error)),
    }
}

impl Launched {
    async fn begin(&mut self, spec: &CommandSpec) -> Result<(), StartError> {
        let order = Order {
            line: spec.line.clone(),
            policy: spec.policy.clone(),
            input: spec.input == Input::Open || spec.terminal.is_some(),
            terminal: spec.terminal,
            limits: spec.limits,
            mark: self.mark.clone(),
        };
        let order = line(&order).map_err(StartError::Spawn)?;
        self.requests.send(order);
        let report = loop {
            match tokio::time::timeout(Duration::from_secs(1), self.reports.next()).await {
                Ok(report) => break report,
                Err(_) => wake(&self.supervisor),
            }
        };
        match report {
            Some(Report::Started) => Ok(()),
            Some(Report::Failed(failure)) => {
                // Its end is near; its clean-up is done.
                let _ = self.supervisor.wait().await;
                Err(match failure {
                    Failure::Sandbox(why) => StartError::Sandbox(why),
                    Failure::Shell(why) => StartError::Shell(why),
                })
            }
            _ => Err(StartError::Supervisor(match self.supervisor.wait().await {
                Ok(status) => status.to_string(),
                Err(error) => error.to_string(),
            })),
        }
    }

    /// Ends what a supervisor has begun that does not do its work.
    async fn abandon(&mut self) {
        // It is killed and waited for; an error means that both has been done.
        let _ = self.supervisor.kill().await;
        let mark = self.mark.clone();
        // What cannot be ended is named nowhere: nobody has been told of a command.
        let _ = tokio::task::spawn_blocking(move || sweep(&mark)).await;
    }
}
