//! A planned command on its way: started, watched, ended, and its result. Knows nothing of how it was planned.

use std::path::PathBuf;
use std::time::Duration;

use super::buffers::Before;
use super::following::Following;
use super::output::{self, Kept};
use super::report::Report;
use super::searched;
use crate::artifact::Place;
use crate::blocking::on_a_thread;
use crate::builtin::command;
use crate::contract::CallScope;
use crate::environment::Terminal;
use crate::error::ToolError;
use crate::notice::Notice;
use crate::process::{CommandSpec, Ending, Input, Running, StartError, TerminalSize};
use crate::result::ToolResult;
use crate::sandbox::{Policy, Profile};

/// What a call may take beyond the time of its command, for ending it and for the files that it changed.
pub(super) const AROUND: Duration = Duration::from_secs(10);

/// How long a background command is watched before its id is given: what fails, fails at once.
const FIRST_LOOK: Duration = Duration::from_millis(200);

/// How often the newest lines are told at most.
const BETWEEN_NOTICES: Duration = Duration::from_millis(250);

/// How large the terminal is.
const TERMINAL: TerminalSize = TerminalSize {
    rows: 40,
    columns: 120,
};

/// What is set for a command that nobody was asked about: git starts no monitor of files that the repository names, takes
/// no folder that only looks like a repository for one, and does not try to refresh its index.
const UNASKED: &[(&str, &str)] = &[
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_CONFIG_COUNT", "2"),
    ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
    ("GIT_CONFIG_VALUE_0", "false"),
    ("GIT_CONFIG_KEY_1", "safe.bareRepository"),
    ("GIT_CONFIG_VALUE_1", "explicit"),
];

/// A planned call.
pub(super) struct Execution {
    pub(super) line: String,
    pub(super) description: String,
    pub(super) workdir: PathBuf,
    pub(super) profile: Profile,
    /// Whether it may write the repository by git.
    pub(super) git: bool,
    /// Whether it is proven to do nothing but read.
    pub(super) reads_only: bool,
    /// The folders of which it reads all files: those are closed to it that it must not read.
    pub(super) searched: Vec<PathBuf>,
    pub(super) timeout: Duration,
    pub(super) silence: Option<Duration>,
    pub(super) background: bool,
    pub(super) terminal: bool,
}

impl Execution {
    /// The time of the whole call: the command's own time-out comes first.
    pub(super) fn time_of_call(&self) -> Duration {
        if self.background {
            AROUND
        } else {
            self.timeout + AROUND
        }
    }

    pub(super) async fn run_in(&self, scope: &CallScope) -> Result<ToolResult, ToolError> {
        // What those in the background changed is no unsaved change.
        let news = news_of_others(scope).await;
        let before = Before::of(&scope.workspace).await;
        let place = self.place(scope).await?;
        let mut policy = self.policy(scope).await?;
        searched::keep_denied(&mut policy, scope).await?;
        let (folders, unread) = (self.searched.clone(), scope.unread("read_file"));
        let unread = on_a_thread(move || searched::unread(&folders, &unread)).await?;
        let note = searched::note(&unread, scope);
        // What the note tells is not told as a refusal as well, with the advice to leave the sandbox.
        let told = match unread.is_empty() {
            true => policy.clone(),
            false => Policy::default(),
        };
        let mut report = Report::new(scope, told.clone());
        policy.closed.extend(unread);
        let spec = self.spec(scope, policy, place.path);
        let running = scope.host.processes.start(spec).await.map_err(refused)?;
        report.notes(place.removed);
        report.notes(news);
        report.notes(before.unseen());
        report.notes(note);
        let background = self.background;
        let ended = match background {
            true => tokio::time::timeout(FIRST_LOOK, running.wait()).await.ok(),
            false => attend(&running, scope).await,
        };
        let mut documents = None;
        if !self.reads_only {
            let (now, notes) = before.brought_up_to_date(&scope.workspace).await;
            report.notes(notes);
            documents = Some(now);
        }
        let shown = running.clone();
        let Some(ending) = ended else {
            let (result, refusal) = on_a_thread(move || report.goes_on(&shown, background)).await;
            let following = Following {
                documents,
                policy: told,
                refusal,
            };
            following.go_on(&running, scope);
            return Ok(result);
        };
        let result = on_a_thread(move || report.ended(&shown, &ending)).await;
        if !background && result.truncation.is_none() {
            remove_artifact(&running).await;
        }
        Ok(result)
    }

    /// Where the whole output is kept.
    async fn place(&self, scope: &CallScope) -> Result<Place, ToolError> {
        let running = scope.host.processes.list(&scope.session);
        let in_use: Vec<PathBuf> = running
            .iter()
            .filter_map(|running| running.artifact().map(PathBuf::from))
            .collect();
        let artifacts = scope.host.artifacts.clone();
        let (session, call) = (scope.session.clone(), scope.call.clone());
        on_a_thread(move || artifacts.place(&session, &call, &in_use))
            .await
            .map_err(|error| {
                ToolError::unavailable(format!(
                    "The folder for the command's output cannot be used: {error}. Nothing was run."
                ))
            })
    }

    async fn policy(&self, scope: &CallScope) -> Result<Policy, ToolError> {
        if self.profile == Profile::Off {
            return Ok(Policy::default());
        }
        let host = &scope.host;
        let notes = match &host.commands.notes {
            Some(notes) => notes.clone(),
            None => {
                let artifacts = host.artifacts.clone();
                on_a_thread(move || artifacts.beside("sandbox"))
                    .await
                    .map_err(|error| {
                        ToolError::unavailable(format!(
                            "The folder for the sandbox's notes cannot be made: {error}. Nothing was run."
                        ))
                    })?
            }
        };
        let guard = scope.workspace.guard();
        Ok(Policy {
            profile: self.profile,
            roots: guard.roots().to_vec(),
            writable: host.commands.writable.clone(),
            closed: guard.closed().to_vec(),
            protected: Vec::new(),
            git: self.git,
            home: host.policy.settings().home.clone(),
            notes,
        })
    }

    fn spec(&self, scope: &CallScope, policy: Policy, artifact: PathBuf) -> CommandSpec {
        let host = &scope.host;
        let terminal = match self.terminal {
            true => Terminal::Pty,
            false => Terminal::None,
        };
        let mut environment = host
            .environment
            .for_command(terminal, self.profile == Profile::Off);
        if self.reads_only {
            if let Some(path) = environment.get_mut("PATH") {
                *path = absolute_folders(path);
            }
            let plain = UNASKED.iter();
            environment
                .extend(plain.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        }
        CommandSpec {
            description: self.description.clone(),
            environment: environment
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            policy,
            input: match self.background {
                true => Input::Open,
                false => Input::Closed,
            },
            terminal: self.terminal.then_some(TERMINAL),
            background: self.background,
            timeout: Some(self.timeout).filter(|_| !self.background),
            silence: self.silence,
            limits: host.commands.limits,
            artifact: Some(artifact),
            artifact_limit: host.commands.artifact_bytes,
            ..CommandSpec::new(&scope.session, &self.line, &self.workdir)
        }
    }
}

/// The folders of a `PATH` that are the same wherever a command runs. Else `ls` may be a program of the workspace.
fn absolute_folders(path: &str) -> String {
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    let joined = std::env::join_paths(folders).ok();
    joined
        .and_then(|joined| joined.into_string().ok())
        .filter(|joined| !joined.is_empty())
        // Nothing at all would be the working folder.
        .unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".to_owned())
}

/// What is to be told of the commands of the session that run in the background, whose documents are brought up to date.
async fn news_of_others(scope: &CallScope) -> Vec<String> {
    let mut news = Vec::new();
    for other in scope.host.processes.list(&scope.session) {
        news.extend(command::news_of(&other, false).await);
    }
    news
}

/// Waits for a command in the foreground, telling its newest lines; none: it was moved to the background.
async fn attend(running: &Running, scope: &CallScope) -> Option<Ending> {
    tokio::select! {
        biased;
        ending = running.attended(&scope.cancel) => ending,
        never = tell(running, scope) => match never {},
    }
}

/// Tells the newest lines whenever there are more.
async fn tell(running: &Running, scope: &CallScope) -> std::convert::Infallible {
    let mut seen = 0;
    loop {
        let progress = running.changed(seen).await;
        if progress.closed && progress.bytes <= seen {
            return std::future::pending().await;
        }
        seen = progress.bytes;
        let tail = output::newest(&Kept::ends_of(running), scope);
        scope.notices.tell(Notice::Output { tail });
        tokio::time::sleep(BETWEEN_NOTICES).await;
    }
}

/// What was shown in full need not be kept as well.
async fn remove_artifact(running: &Running) {
    if let Some(artifact) = running.artifact().map(PathBuf::from) {
        // One that cannot be removed goes when it is old.
        let _ = tokio::fs::remove_file(artifact).await;
    }
}

/// Why a command was not started, for the model.
fn refused(error: StartError) -> ToolError {
    let message = error.to_string();
    match error {
        StartError::Unavailable | StartError::SessionEnded => ToolError::unavailable(message)
            .suggest("Go on without commands, and tell the user what to run."),
        StartError::TooLong { .. } | StartError::ZeroByte => ToolError::invalid_arguments(message),
        StartError::Sandbox(_) => ToolError::spawn_failed(message)
            .suggest("Call again with `sandbox: \"off\"` if it is needed: the user will be asked."),
        _ => ToolError::spawn_failed(message),
    }
}
