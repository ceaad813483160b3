//! The process between the server and one command: it starts the command's shell, passes input on, watches its limits, and
//! ends all that descends from it when it is told to or when the server is gone. It outlives every process of the command.
//!
//! All descendants stay its descendants (it is their subreaper), so that it has no child left exactly when none of them
//! runs. The system's control groups could do the same and hold limits as well; they are not used, for an ordinary user
//! may only make them where a session manager has set that up, and containers rarely let him.

use std::io;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::process::ExitCode;
use std::time::Duration;

use rustix::process::WaitOptions;
use rustix::stdio;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::Instant;

mod input;
mod shell;
mod terminal;
mod watch;

use super::ending::{Exit, Leftover};
use super::message::{Failure, Order, Remains, Report, Request, line};
use super::tree::{Asking, Killing, STORM, Tree};
use input::Writer;
use shell::Shell;
use terminal::Terminal;
use watch::Watch;

/// How long a command has to put its things in order after it was asked to end.
const GRACE: Duration = Duration::from_secs(2);

/// How long what a terminal still holds is passed on when nothing runs under it any longer.
const FLUSH: Duration = Duration::from_secs(2);

/// Supervises the command that standard input names, until no process of it is left.
pub fn main() -> ExitCode {
    // What is typed at the terminal that the server was started from is not meant for this process. It fails for the
    // leader of a group, which is away from that terminal's group anyway.
    let _ = rustix::process::setsid();
    let runtime = match tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error),
    };
    let ended = runtime.block_on(supervise());
    // A thread that still waits to write somewhere is left behind.
    runtime.shutdown_background();
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&error),
    }
}

fn failed(error: &io::Error) -> ExitCode {
    eprintln!("The supervisor of a command failed: {error}.");
    ExitCode::FAILURE
}

async fn supervise() -> io::Result<()> {
    let mut channel = Channel::of_stdin()?;
    let Some(order) = channel.order().await? else {
        return Ok(());
    };
    match Supervisor::start(&order, &mut channel).await? {
        Ok(supervisor) => supervisor.attend(&mut channel).await,
        Err(failure) => channel.tell(&Report::Failed(failure)).await,
    }
    Ok(())
}

/// The connection with the server.
struct Channel {
    requests: Lines<BufReader<OwnedReadHalf>>,
    reports: OwnedWriteHalf,
}

impl Channel {
    /// Takes standard input, and leaves nothing there.
    fn of_stdin() -> io::Result<Channel> {
        let socket = rustix::io::fcntl_dupfd_cloexec(stdio::stdin(), 3)?;
        stdio::dup2_stdin(std::fs::File::open("/dev/null")?)?;
        let socket = StdUnixStream::from(socket);
        socket.set_nonblocking(true)?;
        let (reader, reports) = UnixStream::from_std(socket)?.into_split();
        Ok(Channel {
            requests: BufReader::new(reader).lines(),
            reports,
        })
    }

    async fn order(&mut self) -> io::Result<Option<Order>> {
        let Some(text) = self.requests.next_line().await? else {
            return Ok(None);
        };
        Ok(Some(serde_json::from_str(&text)?))
    }

    /// What the server says next; a server that is gone, or says what is not understood, wants an end.
    async fn request(&mut self) -> Request {
        match self.requests.next_line().await {
            Ok(Some(text)) => serde_json::from_str(&text).unwrap_or(Request::Stop),
            Ok(None) | Err(_) => Request::Stop,
        }
    }

    async fn tell(&mut self, report: &Report) {
        // A server that is gone shows when the next request is read.
        if let Ok(bytes) = line(report) {
            let _ = self.reports.write_all(&bytes).await;
        }
    }
}

/// A command that runs.
struct Supervisor {
    shell: Shell,
    children: Children,
    watch: Watch,
    input: Option<Writer>,
    terminal: Option<Terminal>,
}

impl Supervisor {
    async fn start(
        order: &Order,
        channel: &mut Channel,
    ) -> io::Result<Result<Supervisor, Failure>> {
        #[cfg(target_os = "linux")]
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
        let mut children = Children::new(order)?;
        let mut terminal = match order.terminal {
            Some(size) => match Terminal::open(size) {
                Ok(terminal) => Some(terminal),
                Err(error) => {
                    return Ok(Err(Failure::Shell(format!(
                        "no terminal could be had for it: {error}."
                    ))));
                }
            },
            None => None,
        };
        let started = tokio::select! {
            started = Shell::start(order, terminal.as_ref()) => started,
            // All that the server can want before is that it ends.
            _ = channel.request() => Err(Failure::Shell("it is not wanted any longer.".to_owned())),
        };
        let (shell, pipe) = match started {
            Ok(started) => started,
            Err(failure) => {
                // The shell may have begun all the same.
                children.end(Duration::ZERO).await;
                return Ok(Err(failure));
            }
        };
        children.shell = Some(shell.pid());
        let input = match &mut terminal {
            Some(terminal) => {
                terminal.relay()?;
                Some(Writer::start(terminal.master()?, true)?)
            }
            None => {
                // The command alone holds its output from here on: it is at its end when nobody writes it any longer.
                let nothing = std::fs::File::options().write(true).open("/dev/null")?;
                stdio::dup2_stdout(&nothing)?;
                stdio::dup2_stderr(&nothing)?;
                pipe.map(|pipe| Writer::start(pipe, false)).transpose()?
            }
        };
        channel.tell(&Report::Started).await;
        Ok(Ok(Supervisor {
            shell,
            children,
            watch: Watch::new(order.limits),
            input,
            terminal,
        }))
    }

    /// Attends to the command until no process of it is left, and says so.
    async fn attend(mut self, channel: &mut Channel) {
        let mut remains = Remains::default();
        // Without them a signal ends this process, and the server sees to the rest.
        let mut killers = Killers::new().unwrap_or_default();
        let mut look = Instant::now() + self.watch.interval();
        let mut told = false;
        while !self.children.reap() {
            if let (Some(exit), false) = (self.children.exit, told) {
                channel.tell(&Report::Exited(exit)).await;
                told = true;
            }
            let grace = tokio::select! {
                () = self.children.changed() => continue,
                request = channel.request() => match request {
                    Request::Stop => GRACE,
                    request => {
                        self.pass_on(request);
                        continue;
                    }
                },
                written = Writer::written(&mut self.input) => {
                    let report = match written {
                        Some(bytes) => Report::Written { bytes },
                        None => {
                            self.input = None;
                            Report::InputClosed
                        }
                    };
                    channel.tell(&report).await;
                    continue;
                }
                () = killers.recv() => GRACE,
                () = tokio::time::sleep_until(look) => {
                    let hit = self.watch.look(&self.children.tree);
                    look = Instant::now() + self.watch.interval();
                    let Some(hit) = hit else {
                        continue;
                    };
                    channel.tell(&Report::Limit(hit)).await;
                    Duration::ZERO
                }
            };
            if self.children.exit.is_some() {
                remains.ended = self.children.tree.leftovers();
            }
            remains.remaining = self.children.end(grace).await;
            break;
        }
        if let (Some(exit), false) = (self.children.exit, told) {
            channel.tell(&Report::Exited(exit)).await;
        }
        // Nobody reads it; a program that is stuck may hold it open.
        drop(self.input.take());
        if let Some(terminal) = self.terminal.take() {
            terminal.flush(FLUSH).await;
        }
        self.shell.finish(&mut remains);
        channel.tell(&Report::Ended(remains)).await;
    }

    fn pass_on(&mut self, request: Request) {
        match request {
            Request::Input { bytes } => {
                if let Some(input) = &self.input {
                    input.write(bytes);
                }
            }
            Request::CloseInput => match &self.input {
                // The key for the end.
                Some(input) if input.is_terminal() => input.write(vec![0x04]),
                _ => self.input = None,
            },
            Request::Resize(size) => {
                if let Some(terminal) = &self.terminal {
                    terminal.resize(size);
                }
            }
            // It is not passed on.
            Request::Stop => {}
        }
    }
}

/// The processes of a command, as the children that they are of this one or will be.
struct Children {
    tree: Tree,
    terminal: bool,
    /// The number of the shell.
    shell: Option<i32>,
    /// How the shell ended.
    exit: Option<Exit>,
    ended: tokio::signal::unix::Signal,
}

impl Children {
    fn new(order: &Order) -> io::Result<Children> {
        Ok(Children {
            tree: Tree::below_this(&order.mark),
            terminal: order.terminal.is_some(),
            shell: None,
            exit: None,
            ended: signal(SignalKind::child())?,
        })
    }

    /// Returns when a child may have ended.
    async fn changed(&mut self) {
        // It gives none only when the process itself is ending.
        let _ = self.ended.recv().await;
    }

    /// Takes the status of every child that has ended. True: none is left, so no process of the command runs.
    fn reap(&mut self) -> bool {
        loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) => {
                    if Some(pid.as_raw_pid()) == self.shell {
                        self.exit = status
                            .exit_status()
                            .map(Exit::Code)
                            .or_else(|| status.terminating_signal().map(Exit::Signal));
                    }
                }
                Ok(None) => return false,
                Err(rustix::io::Errno::INTR) => {}
                // Where processes cannot be kept as descendants, those that went away are known by their mark.
                Err(_) => return cfg!(target_os = "linux") || self.tree.processes().is_empty(),
            }
        }
    }

    /// Ends every process of the command; gives those that cannot be ended.
    async fn end(&mut self, grace: Duration) -> Vec<Leftover> {
        let patience = Instant::now() + grace;
        let mut asking = Asking::new(self.terminal);
        while Instant::now() < patience {
            let found = self.tree.processes();
            if found.len() > STORM {
                break;
            }
            asking.ask(&found);
            if self.reap() {
                return Vec::new();
            }
            self.pause(Duration::from_millis(50)).await;
        }
        let mut killing = Killing::default();
        loop {
            let stuck = killing.kill(&self.tree.processes());
            if self.reap() {
                return Vec::new();
            }
            if stuck {
                return self.tree.leftovers();
            }
            self.pause(Duration::from_millis(5)).await;
        }
    }

    /// Waits until a child has ended, at most so long.
    async fn pause(&mut self, time: Duration) {
        // Either will do.
        let _ = tokio::time::timeout(time, self.ended.recv()).await;
    }
}

/// The signals by which somebody asks this process to end: they end the command first.
#[derive(Default)]
struct Killers(Vec<tokio::signal::unix::Signal>);

impl Killers {
    fn new() -> io::Result<Killers> {
        [
            SignalKind::terminate(),
            SignalKind::hangup(),
            SignalKind::interrupt(),
            SignalKind::quit(),
        ]
        .into_iter()
        .map(signal)
        .collect::<io::Result<Vec<_>>>()
        .map(Killers)
    }

    /// Returns when one has come.
    async fn recv(&mut self) {
        if self.0.is_empty() {
            std::future::pending::<()>().await;
        }
        let waiting = self.0.iter_mut().map(|signal| Box::pin(signal.recv()));
        futures::future::select_all(waiting).await;
    }
}
