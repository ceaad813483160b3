//! `bash`: runs a command line. What it would do is told from its text, where it runs is confined by the system, and
//! nothing that it started is left behind.

use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::printed;
use super::secrets::refuse_marks;
use crate::contract::{
    CallScope, Idempotency, Limits, Plan, Recovery, Risk, Run, Tool, ToolContract, Work,
};
use crate::effect::{Effect, EffectBound, EffectKind};
use crate::error::ToolError;
use crate::guard::Access;
use crate::port::BoxFuture;
use crate::result::ToolResult;
use crate::schema::{self, Parameters};

mod buffers;
mod effects;
mod following;
mod hindered;
mod output;
mod report;
mod run;
mod searched;
mod tracked;

pub(super) use output::{MAX_OUTPUT_BYTES, MAX_OUTPUT_LINES, Output, last_line, text_of};
pub(super) use report::{duration, measured, state_of, told};
use run::{AROUND, Execution};

const DESCRIPTION: &str = "\
Runs a command line with `/bin/bash -c`: builds, tests, git, anything that no other tool does. To look at files use read_file, grep, \
glob and outline instead, and to change them edit_file, write_file and apply_patch: these know unsaved changes, and need fewer \
questions. Each call is a new shell in `workdir`; nothing of an earlier one is left but files. Input is closed, no pager and no editor \
opens, output is plain. You get the exit code, then the output: its beginning and its end if it is long (of tests and compilers: what \
failed), and where the whole of it is. A command that fails has still been run: read what it says. When the time is over the command \
and all that it started are ended. Everything that it leaves running is ended too: for a server or a watcher set `background`, and \
go on with process_output, process_input and process_stop. The system may confine the command: it may then write only in the workspace \
and in temporary folders, reach no network, and not change `.git`. If the answer says that this was in its way, and it is needed, call \
again with `sandbox: \"off\"`: the user is asked. Unsaved changes in the editor are not seen by commands; the answer names them.";

const DEFAULT_TIMEOUT_MS: u64 = 120_000;
const MAX_TIMEOUT_MS: u64 = 600_000;

/// A command that prints nothing for less than this need not be stuck.
const MIN_SILENCE_MS: i64 = 100;

/// See the module.
pub(super) struct Bash {
    contract: ToolContract,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The command line.
    command: String,
    /// What it does and what for, in five to ten words. The user sees it.
    description: Option<String>,
    /// How long it may take, in milliseconds. Default: 120000; at most 600000. Has no meaning with `background`.
    timeout_ms: Option<i64>,
    /// End it when it has printed nothing for so many milliseconds. Default: never.
    silence_ms: Option<i64>,
    /// The folder to run it in, relative to the workspace or absolute; it must be in the workspace. Default: the
    /// workspace.
    workdir: Option<String>,
    /// Whether to let it run on and get its id at once. Default: false.
    background: Option<bool>,
    /// Whether it gets a terminal, for programs that behave differently without one. Default: false.
    pty: Option<bool>,
    /// `off` asks the user to run it without confinement: only after an answer said that the sandbox refused something
    /// that is needed.
    sandbox: Option<Outside>,
}

/// How a command leaves its sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Outside {
    Off,
}

impl Bash {
    pub(super) fn new() -> Bash {
        let contract = ToolContract {
            name: "bash".to_owned(),
            description: DESCRIPTION.to_owned(),
            parameters: Parameters::of::<Arguments>(),
            effect_bound: EffectBound::new([
                EffectKind::Process,
                EffectKind::Read,
                EffectKind::Write,
                EffectKind::GitIndex,
                EffectKind::Network,
            ]),
            idempotency: Idempotency::None,
            risk: Risk::High,
            limits: Limits {
                bytes: MAX_OUTPUT_BYTES,
                lines: Some(MAX_OUTPUT_LINES),
                default_timeout_ms: DEFAULT_TIMEOUT_MS,
                // Of the whole call, so that the time-out of the command is the one that ends it.
                maximum_timeout_ms: MAX_TIMEOUT_MS + AROUND.as_millis() as u64,
            },
            recovery: Recovery::AskUser,
            version: 1,
        };
        Bash { contract }
    }
}

impl Tool for Bash {
    fn contract(&self) -> &ToolContract {
        &self.contract
    }

    fn printed<'a>(&self, result: &'a ToolResult) -> Option<&'a str> {
        printed::below_first_line(result)
    }

    fn plan(&self, arguments: Value, scope: &CallScope) -> Result<Plan, ToolError> {
        let arguments: Arguments = schema::parse(arguments)?;
        if arguments.command.trim().is_empty() {
            return Err(ToolError::invalid_arguments("`command` is empty."));
        }
        refuse_marks(&arguments.command, scope)?;
        let background = arguments.background.unwrap_or(false);
        let timeout = timeout(arguments.timeout_ms, background)?;
        let silence = silence(arguments.silence_ms, background)?;
        let workdir = workdir(arguments.workdir.as_deref(), scope)?;
        let outside = arguments.sandbox.is_some();
        let mut touched = effects::of(&arguments.command, &workdir, outside, scope);
        for effect in &mut touched.effects {
            if let Effect::Process(command) = effect {
                command.background = background;
            }
        }
        let execution = Execution {
            line: arguments.command,
            description: arguments.description.unwrap_or_default(),
            workdir,
            profile: touched.profile,
            git: touched.git,
            reads_only: touched.reads_only,
            searched: touched.searched,
            timeout,
            silence,
            background,
            terminal: arguments.pty.unwrap_or(false),
        };
        Ok(Plan {
            effects: touched.effects,
            timeout: Some(execution.time_of_call()),
            work: Work::Run(Box::new(execution)),
        })
    }
}

impl Run for Execution {
    fn purpose(&self) -> Option<&str> {
        Some(self.description.trim()).filter(|purpose| !purpose.is_empty())
    }

    fn run(self: Box<Self>, scope: CallScope) -> BoxFuture<'static, ToolResult> {
        Box::pin(async move { self.run_in(&scope).await.into() })
    }
}

fn timeout(asked: Option<i64>, background: bool) -> Result<Duration, ToolError> {
    match asked {
        Some(_) if background => Err(ToolError::invalid_arguments(
            "`timeout_ms` has no meaning with `background`: end the command with process_stop.",
        )),
        Some(asked) if !(1..=MAX_TIMEOUT_MS as i64).contains(&asked) => {
            Err(ToolError::invalid_arguments(format!(
                "`timeout_ms` must be from 1 to {MAX_TIMEOUT_MS}, not {asked}."
            ))
            .suggest("For a command that takes longer set `background`."))
        }
        Some(asked) => Ok(Duration::from_millis(asked.unsigned_abs())),
        None => Ok(Duration::from_millis(DEFAULT_TIMEOUT_MS)),
    }
}

fn silence(asked: Option<i64>, background: bool) -> Result<Option<Duration>, ToolError> {
    match asked {
        Some(_) if background => Err(ToolError::invalid_arguments(
            "`silence_ms` has no meaning with `background`: watch the command with process_output.",
        )),
        Some(asked) if asked < MIN_SILENCE_MS => Err(ToolError::invalid_arguments(format!(
            "`silence_ms` must be at least {MIN_SILENCE_MS}, not {asked}."
        ))),
        asked => Ok(asked.map(|asked| Duration::from_millis(asked.unsigned_abs()))),
    }
}

/// The real path of the folder that the command runs in.
fn workdir(asked: Option<&str>, scope: &CallScope) -> Result<PathBuf, ToolError> {
    let path = scope
        .workspace
        .resolve(asked.unwrap_or("."), Access::Read)?;
    if path.real.is_dir() {
        return Ok(path.real);
    }
    if path.real.exists() {
        return Err(ToolError::invalid_arguments(format!(
            "`workdir` is `{}`, which is no folder.",
            path.display
        )));
    }
    Err(scope.workspace.not_found(&path))
}

#[cfg(test)]
mod tests;
