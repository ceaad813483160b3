//! What the server does for a command while it runs: its time-outs, what is wanted of it, and the account of how it ended.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};

use super::ending::{Cause, Ending, Exit, Stop};
use super::launch::{Launched, wake};
use super::message::{Remains, Report, Request, line};
use super::running::{Running, Wish};
use super::spec::CommandSpec;
use super::tree::sweep;
use crate::sandbox::{self, Profile};

/// When a shell has exited, whoever still runs has so long to be quiet before it is ended.
const QUIET: Duration = Duration::from_millis(300);
/// When a shell has exited, whoever still prints is ended after this at last.
const AFTERMATH: Duration = Duration::from_secs(2);
/// How long a supervisor may take to end a command: far longer than it grants and tries by itself.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long output may keep nobody waiting when no process is left that could write it.
const FLUSH: Duration = Duration::from_secs(1);

/// Attends to a command until no process of it is left.
pub(super) async fn attend(
    running: Running,
    launched: Launched,
    wishes: mpsc::UnboundedReceiver<Wish>,
    spec: CommandSpec,
) {
    let attendant = Attendant {
        running,
        launched,
        background: spec.background,
        spec,
        cause: None,
        exited: None,
        patience: None,
    };
    attendant.attend(wishes).await;
}

struct Attendant {
    running: Running,
    launched: Launched,
    spec: CommandSpec,
    background: bool,
    /// Why it is being ended.
    cause: Option<Cause>,
    /// How and when its shell exited.
    exited: Option<(Exit, Instant)>,
    /// When a supervisor that was told to end it should be through.
    patience: Option<Instant>,
}

/// What is to be done at a time.
enum Due {
    /// End it for this reason; without one, for its shell has exited.
    End(Option<Cause>),
    /// Its supervisor does not do its work.
    GiveUp,
}

impl Attendant {
    async fn attend(mut self, mut wishes: mpsc::UnboundedReceiver<Wish>) {
        let remains = loop {
            let due = self.due();
            tokio::select! {
                report = self.launched.reports.next() => match report {
                    Some(Report::Ended(remains)) => break Some(remains),
                    Some(report) => self.hear(report),
                    None => break None,
                },
                Some(wish) = wishes.recv() => self.grant(wish),
                // Output that came meanwhile may have moved it.
                () = sleep(due.as_ref().map(|(time, _)| *time)) => match self.due() {
                    Some((time, due)) if time <= Instant::now() => self.act(due),
                    _ => {}
                },
            }
        };
        let running = self.running.clone();
        let ending = self.close(remains).await;
        running.update(|state| state.ending = Some(ending));
    }

    fn hear(&mut self, report: Report) {
        match report {
            Report::Exited(exit) => {
                self.exited = Some((exit, Instant::now()));
                self.running.update(|state| state.exit = Some(exit));
            }
            Report::Limit(hit) => {
                self.cause.get_or_insert(Cause::Limit(hit));
                self.patience.get_or_insert(Instant::now() + PATIENCE);
            }
            Report::Written { bytes } => self.running.written(bytes),
            Report::InputClosed => self.running.input_closed(),
            // The first is said once, before this; the others end it.
            Report::Started | Report::Failed(_) | Report::Ended(_) => {}
        }
    }

    fn grant(&mut self, wish: Wish) {
        match wish {
            Wish::Request(request) => self.request(&request),
            Wish::Stop(Stop::Cancelled) => self.end(Some(Cause::Cancelled)),
            Wish::Stop(Stop::Stopped) => self.end(Some(Cause::Stopped)),
            Wish::Background if self.patience.is_none() => {
                self.background = true;
                self.running.update(|state| state.background = true);
            }
            Wish::Background => {}
        }
    }

    /// What is to be done next, and when.
    fn due(&self) -> Option<(Instant, Due)> {
        if let Some(time) = self.patience {
            return Some((time, Due::GiveUp));
        }
        if self.background {
            return None;
        }
        let newest = self.launched.capture.newest();
        let aftermath = self.exited.map(|(_, exited)| {
            let time = (newest.max(exited) + QUIET).min(exited + AFTERMATH);
            (time, Due::End(None))
        });
        let timeout = self.spec.timeout.map(|time| {
            let due = Due::End(Some(Cause::TimedOut(time)));
            (self.running.begun() + time, due)
        });
        let silence = self.spec.silence.map(|time| {
            let due = Due::End(Some(Cause::Silent(time)));
            (newest + time, due)
        });
        // What outlives the shell has no other time to its name.
        match aftermath {
            Some(due) => Some(due),
            None => [timeout, silence]
                .into_iter()
                .flatten()
                .min_by_key(|(time, _)| *time),
        }
    }

    fn act(&mut self, due: Due) {
        match due {
            Due::End(cause) => self.end(cause),
            Due::GiveUp => {
                // Its processes are found by their mark then. A supervisor that has just ended needs no signal.
                let _ = self.launched.supervisor.start_kill();
                self.patience = Some(Instant::now() + PATIENCE);
            }
        }
    }

    fn end(&mut self, cause: Option<Cause>) {
        if self.patience.is_none() {
            self.cause = cause;
            self.patience = Some(Instant::now() + PATIENCE);
            wake(&self.launched.supervisor);
            self.request(&Request::Stop);
        }
    }

    fn request(&self, request: &Request) {
        // A supervisor that is gone shows when the next report is read.
        if let Ok(bytes) = line(request) {
            self.launched.requests.send(bytes);
        }
    }

    /// Waits for what is left: the supervisor, and output on its way.
    async fn close(mut self, remains: Option<Remains>) -> Ending {
        let supervisor = &mut self.launched.supervisor;
        if timeout(FLUSH, supervisor.wait()).await.is_err() {
            // It is killed and waited for; an error means that somebody else has done both.
            let _ = supervisor.kill().await;
        }
        let lost = remains.is_none();
        let mut remains = remains.unwrap_or_default();
        if lost {
            let mark = self.launched.mark.clone();
            let policy = self.spec.policy.clone();
            let swept = tokio::task::spawn_blocking(move || Remains {
                remaining: sweep(&mark),
                // What its supervisor would have removed.
                faults: match policy.profile {
                    Profile::Off => Vec::new(),
                    _ => sandbox::sweep(&policy.notes),
                },
                ..Remains::default()
            });
            remains = swept.await.unwrap_or_default();
        }
        let exit = self.exited.map(|(exit, _)| exit);
        let cause = match self.cause.take() {
            Some(cause) => cause,
            None if lost => Cause::Lost,
            None => match self.spec.limits.file_size {
                Some(limit) if exit.is_some_and(Exit::is_file_size) => {
                    Cause::Limit(super::LimitHit::FileSize { limit })
                }
                _ => Cause::Exited,
            },
        };
        let duration = self.running.begun().elapsed();
        flush(self.launched).await;
        Ending {
            cause,
            exit,
            duration,
            ended: remains.ended,
            remaining: remains.remaining,
            repositories: remains.repositories.into_iter().map(Into::into).collect(),
            obeyed: remains.obeyed.into_iter().map(Into::into).collect(),
            faults: remains.faults,
            artifact_error: self.running.capture().artifact_error(),
        }
    }
}

/// Waits until all output has been read. Somebody who is no process of the command may hold it open for ever.
async fn flush(launched: Launched) {
    let mut progress = launched.capture.progress();
    let patience = Instant::now() + PATIENCE;
    while !progress.borrow_and_update().closed && Instant::now() < patience {
        if timeout(FLUSH, progress.changed()).await.is_err() {
            break;
        }
    }
    drop(launched.drain);
    // The reader ends at once, unless the disk keeps it.
    let _ = timeout(FLUSH, progress.wait_for(|progress| progress.closed)).await;
}

async fn sleep(until: Option<Instant>) {
    match until {
        Some(until) => tokio::time::sleep_until(until).await,
        None => std::future::pending().await,
    }
}
