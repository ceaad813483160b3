//! A command that runs or has run, as the rest of the program handles it.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use regex::bytes::Regex;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::MAX_INPUT;
use super::capture::{Capture, Captured, Chunk, Progress};
use super::ending::{Ending, Exit, InputError, Stop};
use super::message::Request;
use super::spec::{CommandSpec, Input, TerminalSize};
use super::typed::{Line, Typed};
use crate::sandbox::Profile;

/// How much of an output is looked through at once, in bytes.
const WINDOW: usize = 256 * 1024;

/// The longest match that is found whatever comes when, in bytes.
const MATCH: usize = 8 * 1024;

/// A command. Copies are the same command; dropping them ends nothing.
#[derive(Clone)]
pub struct Running(Arc<Inner>);

struct Inner {
    id: String,
    line: String,
    description: String,
    workdir: std::path::PathBuf,
    profile: Profile,
    terminal: bool,
    begun: Instant,
    capture: Arc<Capture>,
    state: watch::Sender<State>,
    input: Mutex<Typed>,
    requests: mpsc::UnboundedSender<Wish>,
    follower: OnceLock<mpsc::UnboundedSender<Question>>,
}

/// Somebody asks what is to be told of a command.
pub struct Question {
    /// Whether he knows that it has ended: what is to be told of its end is told beside that.
    pub knows_end: bool,
    /// What has not been told, a sentence each.
    pub answer: oneshot::Sender<Vec<String>>,
}

/// How far a command is.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub background: bool,
    pub exit: Option<Exit>,
    pub ending: Option<Ending>,
}

/// What is wanted of the task that attends to a command.
pub(super) enum Wish {
    /// To be passed on to its supervisor.
    Request(Request),
    /// To end it.
    Stop(Stop),
    /// To let it go on although nobody waits.
    Background,
}

/// What a command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Its shell runs.
    Running,
    /// Its shell has ended so; something that it started goes on.
    Left(Exit),
    /// No process of it is left.
    Ended,
}

/// What a watch on an output came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// The pattern matches from this byte of the output on.
    Found {
        /// Where, in bytes from the beginning.
        offset: u64,
    },
    /// The command prints nothing more.
    Ended,
    /// The time was over before.
    TimedOut,
}

impl Running {
    /// A command that has just been started, and what the task that attends to it listens to.
    pub(super) fn new(
        id: String,
        spec: &CommandSpec,
        capture: Arc<Capture>,
    ) -> (Running, mpsc::UnboundedReceiver<Wish>) {
        let (requests, wishes) = mpsc::unbounded_channel();
        let state = State {
            background: spec.background,
            ..State::default()
        };
        let inner = Inner {
            id,
            line: spec.line.clone(),
            description: spec.description.clone(),
            workdir: spec.workdir.clone(),
            profile: spec.policy.profile,
            terminal: spec.terminal.is_some(),
            begun: Instant::now(),
            capture,
            state: watch::Sender::new(state),
            input: Mutex::new(Typed {
                open: spec.input == Input::Open || spec.terminal.is_some(),
                ..Typed::default()
            }),
            requests,
            follower: OnceLock::new(),
        };
        (Running(Arc::new(inner)), wishes)
    }

    /// How far it is confined.
    pub fn profile(&self) -> Profile {
        self.0.profile
    }

    /// Its name in its session: `cmd_1`.
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// The line that was given to the shell.
    pub fn line(&self) -> &str {
        &self.0.line
    }

    /// What it is for.
    pub fn description(&self) -> &str {
        &self.0.description
    }

    /// The folder that it was started in.
    pub fn workdir(&self) -> &Path {
        &self.0.workdir
    }

    /// Whether it has a terminal.
    pub fn has_terminal(&self) -> bool {
        self.0.terminal
    }

    /// Whether nobody waits for it.
    pub fn is_background(&self) -> bool {
        self.0.state.borrow().background
    }

    /// Where its whole output is.
    pub fn artifact(&self) -> Option<&Path> {
        self.0.capture.artifact()
    }

    /// How long it has run.
    pub fn elapsed(&self) -> Duration {
        match &self.0.state.borrow().ending {
            Some(ending) => ending.duration,
            None => self.0.begun.elapsed(),
        }
    }

    /// What it does now.
    pub fn status(&self) -> Status {
        let state = self.0.state.borrow();
        match (&state.ending, state.exit) {
            (Some(_), _) => Status::Ended,
            (None, Some(exit)) => Status::Left(exit),
            (None, None) => Status::Running,
        }
    }

    /// How it ended, if it has.
    pub fn ending(&self) -> Option<Ending> {
        self.0.state.borrow().ending.clone()
    }

    /// Waits until no process of it is left.
    pub async fn wait(&self) -> Ending {
        self.settled(|state| state.ending.clone()).await
    }

    /// Waits for it in the foreground: until it has ended, or somebody moved it to the background (none). Cancelled, it is
    /// stopped and waited for. Dropped, it is stopped.
    pub async fn attended(&self, cancel: &CancellationToken) -> Option<Ending> {
        let mut guard = StopOnDrop(Some(self));
        let settled = self.settled(|state| match &state.ending {
            Some(ending) => Some(Some(ending.clone())),
            None => state.background.then_some(None),
        });
        let ending = tokio::select! {
            settled = settled => settled,
            () = cancel.cancelled() => {
                self.stop(Stop::Cancelled);
                Some(self.wait().await)
            }
        };
        guard.0 = None;
        ending
    }

    async fn settled<T>(&self, settled: impl Fn(&State) -> Option<T>) -> T {
        let mut state = self.0.state.subscribe();
        loop {
            if let Some(value) = settled(&state.borrow_and_update()) {
                return value;
            }
            // The sender lives as long as this command.
            if state.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Makes the caller the one who is asked for what is to be told of it, as long as it is known; none: somebody else is.
    pub fn follow(&self) -> Option<mpsc::UnboundedReceiver<Question>> {
        let (questions, asked) = mpsc::unbounded_channel();
        self.0.follower.set(questions).ok()?;
        Some(asked)
    }

    /// What is to be told of it and has not been told, a sentence each, when its follower has put in order what it did by
    /// now. Dropped, it takes nothing.
    pub async fn news(&self, knows_end: bool) -> Vec<String> {
        let Some(follower) = self.0.follower.get() else {
            return Vec::new();
        };
        let (answer, news) = oneshot::channel();
        // One who follows it no longer has nothing to tell.
        let _ = follower.send(Question { knows_end, answer });
        news.await.unwrap_or_default()
    }

    /// Ends it: all its processes are asked to, and killed two seconds later. It has ended when [`Running::wait`]
    /// returns. The first reason counts.
    pub fn stop(&self, why: Stop) {
        self.wish(Wish::Stop(why));
    }

    /// Lets it go on although nobody waits for it: its time-outs no longer hold, and what outlives its shell goes on.
    pub fn move_to_background(&self) {
        self.wish(Wish::Background);
    }

    /// Whether it will print nothing more. It has not ended for that: how it does is known a little later, and what it
    /// started may go on without a word.
    pub fn is_silenced(&self) -> bool {
        self.0.capture.progress().borrow().closed
    }

    /// What it printed so far.
    pub fn output(&self) -> Captured {
        self.0.capture.captured()
    }

    /// At most `limit` bytes of what it printed, from the byte `offset` on.
    ///
    /// # Errors
    ///
    /// The artifact cannot be read: it has been removed.
    pub fn read(&self, offset: u64, limit: usize) -> io::Result<Chunk> {
        self.0.capture.read(offset, limit)
    }

    /// Returns when it has printed more than `seen` bytes, or will print nothing more.
    pub async fn changed(&self, seen: u64) -> Progress {
        let mut progress = self.0.capture.progress();
        let result = progress
            .wait_for(|progress| progress.bytes > seen || progress.closed)
            .await;
        match result {
            Ok(progress) => *progress,
            // The capture, which sends it, lives as long as this command.
            Err(_) => Progress {
                bytes: seen,
                closed: true,
            },
        }
    }

    /// Waits until `pattern` matches what it prints from the byte `from` on, at most for `time`. A match is found
    /// wherever the output was cut while it came, if it is no longer than 8 KiB.
    ///
    /// # Errors
    ///
    /// The artifact cannot be read: it has been removed.
    pub async fn watch(&self, from: u64, pattern: &Regex, time: Duration) -> io::Result<Watch> {
        let deadline = Instant::now() + time;
        let mut next = from;
        // What has been looked through, as far as a match may begin in it.
        let mut seen = Vec::new();
        loop {
            // Before it is read: what comes after that is seen the next time.
            let progress = *self.0.capture.progress().borrow();
            let chunk = self.read(next, WINDOW)?;
            if chunk.offset != next {
                // Nothing is kept of what is between.
                seen.clear();
            }
            let begin = chunk.offset - seen.len() as u64;
            for piece in &chunk.pieces {
                seen.extend_from_slice(&piece.bytes);
            }
            if let Some(found) = pattern.find(&seen) {
                let offset = begin + found.start() as u64;
                return Ok(Watch::Found { offset });
            }
            seen.drain(..seen.len().saturating_sub(MATCH));
            next = chunk.next;
            if next < chunk.total {
                continue;
            }
            if progress.closed {
                return Ok(Watch::Ended);
            }
            let more = self.changed(next);
            if tokio::time::timeout_at(deadline, more).await.is_err() {
                return Ok(Watch::TimedOut);
            }
        }
    }

    /// What has been typed into it and is not yet a whole line.
    pub fn line_typed(&self) -> Line {
        self.typed().line.clone()
    }

    /// Writes to it. Returns at once: it reads when it likes. What its line comes to by that is not followed.
    ///
    /// # Errors
    ///
    /// Its input is closed, it has ended, or too much would wait for it to read.
    pub fn input(&self, bytes: Vec<u8>) -> Result<(), InputError> {
        self.write(bytes, |typed| {
            typed.line.unknown = Some("may go on what was written by another way");
            Ok(())
        })
    }

    /// Writes to it, as [`input`](Self::input) does, if its line is still `before`. It is `after` then.
    ///
    /// # Errors
    ///
    /// The same, or something else has been typed meanwhile.
    pub fn type_in(&self, bytes: Vec<u8>, before: &Line, after: Line) -> Result<(), InputError> {
        self.write(bytes, |typed| {
            if typed.line != *before {
                return Err(InputError::Meanwhile);
            }
            typed.line = after;
            Ok(())
        })
    }

    fn write(
        &self,
        bytes: Vec<u8>,
        change: impl FnOnce(&mut Typed) -> Result<(), InputError>,
    ) -> Result<(), InputError> {
        self.check_input()?;
        let mut typed = self.typed();
        let waiting = typed.waiting + bytes.len();
        if waiting > MAX_INPUT {
            return Err(InputError::TooMuch);
        }
        change(&mut typed)?;
        typed.waiting = waiting;
        if !bytes.is_empty() {
            // While it is locked, so that it comes in the order in which it was followed.
            self.wish(Wish::Request(Request::Input { bytes }));
        }
        Ok(())
    }

    /// Lets it read the end of its input; at a terminal, by the key for that.
    ///
    /// # Errors
    ///
    /// Its input is closed, or it has ended.
    pub fn close_input(&self) -> Result<(), InputError> {
        self.check_input()?;
        if !self.0.terminal {
            self.input_closed();
        }
        self.wish(Wish::Request(Request::CloseInput));
        Ok(())
    }

    /// Gives its terminal another size.
    ///
    /// # Errors
    ///
    /// It has none, or has ended.
    pub fn resize(&self, size: TerminalSize) -> Result<(), InputError> {
        if !self.0.terminal {
            return Err(InputError::NoTerminal);
        }
        self.check_input()?;
        self.wish(Wish::Request(Request::Resize(size)));
        Ok(())
    }

    /// Whether anything can be written to it.
    pub fn takes_input(&self) -> bool {
        self.check_input().is_ok()
    }

    fn check_input(&self) -> Result<(), InputError> {
        if self.status() == Status::Ended {
            Err(InputError::Ended)
        } else if self.typed().open {
            Ok(())
        } else {
            Err(InputError::Closed)
        }
    }

    /// It takes no more input.
    pub(super) fn input_closed(&self) {
        self.typed().open = false;
    }

    /// It has been given so many bytes.
    pub(super) fn written(&self, bytes: usize) {
        let mut typed = self.typed();
        typed.waiting = typed.waiting.saturating_sub(bytes);
    }

    fn typed(&self) -> MutexGuard<'_, Typed> {
        self.0.input.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn capture(&self) -> &Arc<Capture> {
        &self.0.capture
    }

    pub(super) fn begun(&self) -> Instant {
        self.0.begun
    }

    pub(super) fn update(&self, change: impl FnOnce(&mut State)) {
        self.0.state.send_modify(change);
    }

    fn wish(&self, wish: Wish) {
        // Of a command that has ended nothing more is wanted.
        let _ = self.0.requests.send(wish);
    }
}

/// Stops a command for which nobody waits any longer.
struct StopOnDrop<'a>(Option<&'a Running>);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        if let Some(running) = self.0 {
            running.stop(Stop::Cancelled);
        }
    }
}

impl std::fmt::Debug for Running {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Running")
            .field("id", &self.0.id)
            .field("line", &self.0.line)
            .field("status", &self.status())
            .finish_non_exhaustive()
    }
}
