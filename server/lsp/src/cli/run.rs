//! `mewcode run`: one prompt without an editor, on the files of a folder. Status 0 only if the run is done.
//!
//! Nobody is there to answer, so what would ask is denied, and how to allow it is told at the end.

mod denied;
mod watcher;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use mewcode_agent::event::Events;
use mewcode_agent::prompt::{NoNews, Prompt};
use mewcode_agent::session::{RetryPolicy, RunOutcome, Session, SessionSetup, SharedMode};
use mewcode_core::text::Snapshot;
use mewcode_tools::builtin;
use mewcode_tools::error::ToolError;
use mewcode_tools::headless::DiskEditor;
use mewcode_tools::overlay::Workspace;
use mewcode_tools::permission::Mode;
use mewcode_tools::port::{BoxFuture, ChangeOutcome, ChangeRequest, Editor, Nobody, Review};
use mewcode_tools::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use super::terminal::{Terminal, printable};
use super::{
    FAILED, Misuse, RootArgument, RuleArguments, SettingsArguments, disk, layers, runtime,
};
use crate::config::{self, Config, Settings};
use crate::host;
use denied::Denied;
use watcher::Watcher;

/// Arguments of `mewcode run`.
#[derive(Debug, Args)]
pub struct RunArguments {
    /// What the agent is asked to do.
    prompt: String,
    /// What it may do; nobody is there to be asked.
    #[arg(long, value_enum, default_value = "dont_ask")]
    mode: RunMode,
    #[command(flatten)]
    rules: RuleArguments,
    #[command(flatten)]
    settings: SettingsArguments,
    #[command(flatten)]
    root: RootArgument,
}

/// The modes that ask nothing.
#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "snake_case")]
enum RunMode {
    /// Only what never asks, which is reading, and what a rule allows.
    DontAsk,
    /// Edits too, and commands in the sandbox; but no edit of a file that runs or configures something later, and no reading
    /// of one that holds secrets.
    AcceptEdits,
    /// Only reading, and the model knows it. No rule allows more.
    Plan,
    /// Everything but what asks in every mode: files that hold secrets, files that run or configure something later.
    Bypass,
}

impl From<RunMode> for Mode {
    fn from(mode: RunMode) -> Mode {
        match mode {
            RunMode::DontAsk => Mode::DontAsk,
            RunMode::AcceptEdits => Mode::AcceptEdits,
            RunMode::Plan => Mode::Plan,
            RunMode::Bypass => Mode::Bypass,
        }
    }
}

/// Runs the prompt.
pub fn run(arguments: RunArguments) -> Result<ExitCode, Misuse> {
    let root = arguments.root.real()?;
    let flags = Settings {
        permissions: arguments.rules.permissions(),
        ..arguments.settings.settings(None)
    };
    let config = Config::load(&layers(&root, flags))?;
    let model = config.open_model()?;
    for warning in &config.warnings {
        eprintln!("mewcode: {}", printable(warning));
    }
    let state = config::state_folder()
        .ok_or_else(|| Misuse::new("there is no home folder, so no place for the session's log"))?;
    let host = host::build(&config, Arc::new(Nobody))?;
    let workspace = Workspace::new(&[root], config::places(), Arc::new(Unattended(disk())));
    let tools = Arc::new(Runtime::new(builtin::registry(), workspace).with_host(host.clone()));
    let events = Arc::new(Denied::new(Watcher::new(Terminal::stdout())));
    let mode: Mode = arguments.mode.into();
    let setup = SessionSetup {
        state,
        runtime: Arc::clone(&tools),
        model,
        events: Arc::clone(&events) as Arc<dyn Events>,
        news: Arc::new(NoNews),
        mode: SharedMode::new(mode),
        retry: RetryPolicy::default(),
    };
    let mut session = Session::start(setup)
        .map_err(|error| Misuse::new(format!("the session's log cannot be begun: {error}")))?;
    let (outcome, hints) = runtime()?.block_on(async {
        let prompt = Prompt::new(arguments.prompt);
        let outcome = session.run(prompt, CancellationToken::new()).await;
        host.processes.end_all().await;
        (outcome, events.hints(&tools, &host.policy, mode).await)
    });
    for hint in hints {
        eprintln!("mewcode: {}", printable(&hint));
    }
    let failure = match outcome {
        RunOutcome::Done => return Ok(ExitCode::SUCCESS),
        RunOutcome::Failed(message) => format!("the run failed: {message}"),
        RunOutcome::Limit(message) => message,
        RunOutcome::Cancelled => "the run was cancelled".to_owned(),
    };
    eprintln!("mewcode: {}", printable(&failure));
    Ok(ExitCode::from(FAILED))
}

/// The disk, where a change that must be shown to somebody first is denied.
struct Unattended(DiskEditor);

impl Editor for Unattended {
    fn buffer(&self, path: &std::path::Path) -> Option<Result<Snapshot, ToolError>> {
        self.0.buffer(path)
    }

    fn buffers(&self) -> Vec<PathBuf> {
        self.0.buffers()
    }

    fn change<'a>(&'a self, request: ChangeRequest) -> BoxFuture<'a, ChangeOutcome> {
        match request.review {
            Review::After => self.0.change(request),
            Review::Before => Box::pin(async move {
                let names: Vec<_> = request
                    .files
                    .iter()
                    .map(|file| file.display.as_str())
                    .collect();
                let message = format!(
                    "A change of {} must be shown to the user first, and nobody is there. Nothing was changed.",
                    names.join(", ")
                );
                ChangeOutcome::failed(ToolError::denied_by_policy(message))
            }),
        }
    }
}
