//! `process_input`: types into a running command.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::bash::{MAX_OUTPUT_BYTES, MAX_OUTPUT_LINES, last_line, text_of};
use super::command::{Standing, contract, end_of_silenced, find, looked_at};
use super::printed;
use super::secrets::refuse_marks;
use crate::blocking::on_a_thread;
use crate::contract::{
    CallScope, Idempotency, Plan, Recovery, Risk, Run, Tool, ToolContract, Work,
};
use crate::effect::{Command, Effect, EffectBound, EffectKind, Typed};
use crate::error::ToolError;
use crate::port::BoxFuture;
use crate::process::{InputError, Line, Running};
use crate::result::{Rest, ToolResult};
use crate::schema::{self, Parameters};
use crate::truncate::{self, Bound, Keep};

mod keys;
mod line;

const DESCRIPTION: &str = "\
Types into a command that runs in the background: `text` as it stands (end a line with a line break), then `keys`, then the end of \
input if `close` is set. Waits up to a second for an answer and shows it. `keys` needs a command that was started with `pty`: enter, \
tab, escape, backspace, delete, space, up, down, left, right, home, end, page-up, page-down, ctrl-a to ctrl-z. What is typed may be a \
command to the program: the user may be asked as for bash.";

/// How long an answer is waited for, and how long it must be quiet after its first part.
const ANSWER: Duration = Duration::from_secs(1);
const QUIET: Duration = Duration::from_millis(150);

/// See the module.
pub(super) struct ProcessInput {
    contract: ToolContract,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The id of the command, as bash gave it: `cmd_1`.
    id: String,
    /// What to type.
    text: Option<String>,
    /// Keys to press after the text: `["ctrl-c"]`.
    keys: Option<Vec<String>>,
    /// Whether to end the input: the command reads no more. Default: false.
    close: Option<bool>,
}

impl ProcessInput {
    pub(super) fn new() -> ProcessInput {
        let parameters = Parameters::of::<Arguments>();
        let contract = ToolContract {
            effect_bound: EffectBound::new([EffectKind::Process, EffectKind::Read]),
            idempotency: Idempotency::None,
            risk: Risk::High,
            recovery: Recovery::AskUser,
            ..contract("process_input", DESCRIPTION, parameters, 10_000)
        };
        ProcessInput { contract }
    }
}

impl Tool for ProcessInput {
    fn contract(&self) -> &ToolContract {
        &self.contract
    }

    fn printed<'a>(&self, result: &'a ToolResult) -> Option<&'a str> {
        printed::below_first_line(result)
    }

    fn plan(&self, arguments: Value, scope: &CallScope) -> Result<Plan, ToolError> {
        let arguments: Arguments = schema::parse(arguments)?;
        let text = arguments.text.unwrap_or_default();
        let names = arguments.keys.unwrap_or_default();
        let close = arguments.close.unwrap_or(false);
        if text.is_empty() && names.is_empty() && !close {
            return Err(ToolError::invalid_arguments(
                "Nothing is to be typed: give `text`, `keys` or `close`.",
            ));
        }
        refuse_marks(&text, scope)?;
        let running = find(&arguments.id, scope)?;
        if !names.is_empty() && !running.has_terminal() {
            return Err(ToolError::invalid_arguments(format!(
                "`{}` has no terminal, so no keys can be pressed.",
                running.id()
            ))
            .suggest("End it with process_stop, or start it again with `pty`."));
        }
        let mut typed = text.clone();
        for name in &names {
            typed.push_str(&keys::sequence(name)?);
        }
        let before = running.line_typed();
        let followed = match close && running.has_terminal() {
            // A terminal has a key for it.
            true => line::follow(&before, &format!("{typed}\x04"), true),
            false => line::follow(&before, &typed, running.has_terminal()),
        };
        // A shell or an interpreter runs what is typed: it is judged as a command line, and the whole line at once. The
        // end of the input ends a line, too.
        let ends_line = close && !before.text.is_empty();
        let effects = if followed.acts || ends_line {
            vec![Effect::Process(Command {
                line: followed.line,
                workdir: running.workdir().to_owned(),
                reads_only: false,
                sandbox: running.profile(),
                may_show: Vec::new(),
                background: false,
                typed: Some(Box::new(Typed {
                    into: running.id().to_owned(),
                    program: scope
                        .host
                        .redactor
                        .redact(&scope.session, running.line())
                        .into_owned(),
                    printed: last_line(&running, scope),
                    before: before.text.clone(),
                    text,
                    keys: names,
                    closes: close,
                    unknown: followed.unknown.map(str::to_owned),
                })),
            })]
        } else {
            looked_at(&running)
        };
        Ok(Plan {
            effects,
            timeout: None,
            work: Work::Run(Box::new(Typing {
                running,
                typed,
                before,
                after: followed.after,
                close,
            })),
        })
    }
}

/// A planned call.
struct Typing {
    running: Running,
    typed: String,
    /// The line that it was judged to go on, and what it comes to.
    before: Line,
    after: Line,
    close: bool,
}

impl Run for Typing {
    fn run(self: Box<Self>, scope: CallScope) -> BoxFuture<'static, ToolResult> {
        Box::pin(async move { self.type_in(scope).await.into() })
    }
}

impl Typing {
    async fn type_in(self, scope: CallScope) -> Result<ToolResult, ToolError> {
        let Typing {
            running,
            typed,
            before,
            after,
            close,
        } = self;
        let seen = running.output().bytes;
        running
            .type_in(typed.into_bytes(), &before, after)
            .map_err(|error| refused(&running, error))?;
        if close {
            running
                .close_input()
                .map_err(|error| refused(&running, error))?;
        }
        answered(&running, seen, &scope).await;
        let standing = Standing::of(&running).await;
        on_a_thread(move || Ok(answer(&running, &standing, seen, &scope))).await
    }
}

/// Waits for an answer, and until it is quiet again.
async fn answered(running: &Running, seen: u64, scope: &CallScope) {
    let answer = async {
        let mut progress = running.changed(seen).await;
        while !progress.closed {
            let more = tokio::time::timeout(QUIET, running.changed(progress.bytes)).await;
            match more {
                Ok(more) => progress = more,
                Err(_) => return,
            }
        }
        end_of_silenced(running).await;
    };
    tokio::select! {
        // A program need not answer.
        _ = tokio::time::timeout(ANSWER, answer) => {}
        () = scope.cancel.cancelled() => {}
    }
}

fn answer(running: &Running, standing: &Standing, seen: u64, scope: &CallScope) -> ToolResult {
    let mut first = format!("Typed into `{}`: {}.\n", running.id(), standing.state);
    first.extend(standing.news.iter().flat_map(|note| [note, "\n"]));
    let bound = Bound {
        lines: MAX_OUTPUT_LINES.saturating_sub(first.lines().count()),
        bytes: MAX_OUTPUT_BYTES.saturating_sub(first.len()),
    };
    let printed = running.read(seen, 2 * MAX_OUTPUT_BYTES);
    let text =
        printed.and_then(|chunk| text_of(running, &chunk.pieces, chunk.offset..chunk.next, scope));
    let text = match text {
        Ok(text) => text,
        Err(error) => format!("What it printed cannot be read: {error}.\n"),
    };
    if text.is_empty() {
        return ToolResult::ok(format!("{first}It has printed nothing since.\n"));
    }
    let cut = truncate::cut(&text, bound, Keep::HeadAndTail, Rest::NotKept);
    ToolResult {
        truncation: cut.truncation,
        ..ToolResult::ok(first + &cut.text)
    }
}

fn refused(running: &Running, error: InputError) -> ToolError {
    let message = format!("`{}`: {error}", running.id());
    match error {
        InputError::TooMuch => ToolError::too_large(message),
        InputError::Meanwhile => {
            ToolError::conflict(message).suggest("Look at its output, then call again.")
        }
        InputError::Closed | InputError::Ended | InputError::NoTerminal => {
            let mut error = ToolError::unavailable(message)
                .suggest("Start it again with bash, setting `background`.");
            error.retryable = false;
            error
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Scene;

    #[test]
    fn what_cannot_be_typed_is_refused() {
        let scope = Scene::new().scope();
        let tool = ProcessInput::new();
        let refusal = |arguments: Value| tool.plan(arguments, &scope).err().unwrap().to_string();
        insta::assert_snapshot!(refusal(serde_json::json!({"id": "cmd_1"})), @"invalid_arguments: Nothing is to be typed: give `text`, `keys` or `close`. Correct the arguments and call again.");
        insta::assert_snapshot!(refusal(serde_json::json!({"id": "cmd_1", "text": "y\n"})), @"not_found: There is no command `cmd_1` in this session. Start one with bash, setting `background`.");
    }
}
