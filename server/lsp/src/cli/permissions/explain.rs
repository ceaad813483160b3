//! `mewcode permissions explain`: plans the call as a model's would be, and says what becomes of it. Nothing is run.
//!
//! Statuses: 0 it happens unasked · 1 a person is asked · 3 it is denied. 2 is misuse as everywhere, also a call that
//! would fail before anything is decided.

use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use mewcode_tools::builtin;
use mewcode_tools::overlay::Workspace;
use mewcode_tools::permission::{Decision, Mode, Request, Verdict};
use mewcode_tools::port::Nobody;
use mewcode_tools::result::ErrorKind;
use mewcode_tools::runtime::{CallContext, Refusal, Runtime};
use serde_json::{Map, Value, json};

use super::super::call;
use super::super::terminal::printable;
use super::super::{Misuse, RootArgument, by_hand, disk, layers, print_lines, runtime};
use crate::config::{self, Config, ModeName, Settings};
use crate::host;

const ASKED: u8 = 1;
const DENIED: u8 = 3;

/// Arguments of `mewcode permissions explain`.
#[derive(Debug, Args)]
pub struct ExplainArguments {
    /// The command line; with `--tool` the tool's arguments as one JSON object.
    what: String,
    /// A call of this tool instead of a command.
    #[arg(long, value_name = "TOOL")]
    tool: Option<String>,
    /// In this mode instead of the one of the configuration.
    #[arg(long, value_enum)]
    mode: Option<ModeName>,
    /// Print one JSON object, for programs.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    root: RootArgument,
}

/// Decides and explains.
pub fn run(arguments: &ExplainArguments) -> Result<ExitCode, Misuse> {
    let registry = builtin::registry_with_servers();
    let (tool, call) = match &arguments.tool {
        Some(tool) if registry.get(tool).is_none() => return Err(call::unknown(tool, &registry)),
        Some(tool) => (
            tool.as_str(),
            call::object("the argument", &arguments.what)?,
        ),
        None => ("bash", command(&arguments.what)),
    };
    let root = arguments.root.real()?;
    let flags = Settings {
        mode: arguments.mode,
        ..Settings::default()
    };
    let config = Config::load(&layers(&root, flags))?;
    let host = host::build(&config, Arc::new(Nobody))?;
    let workspace = Workspace::new(&[root], config::places(), Arc::new(disk()));
    let tools = Runtime::new(registry, workspace).with_host(host.clone());
    let context = CallContext {
        mode: config.mode(),
        ..by_hand()
    };
    let planned = runtime()?.block_on(tools.prepare(&context, tool, Value::Object(call)));
    let decision = match planned {
        Ok(planned) => {
            let guard = tools.workspace().guard();
            // Not as a call by hand would be, where the caller has decided by calling.
            host.policy.decide(&Request {
                session: &context.session,
                tool,
                effects: planned.effects(),
                mode: context.mode,
                roots: guard.roots(),
            })
        }
        Err(refusal) => before_any_rule(*refusal)?,
    };
    let mode = config.mode();
    print_lines(&match arguments.json {
        true => to_json(&decision, mode)? + "\n",
        false => format!("mode {mode}\n{}", printable(&decision.explain())),
    });
    Ok(status(&decision))
}

fn command(line: &str) -> Map<String, Value> {
    Map::from_iter([("command".to_owned(), Value::from(line))])
}

/// A call that a mode or the boundary of the workspace denies is not even looked at by the rules.
fn before_any_rule(refusal: Refusal) -> Result<Decision, Misuse> {
    match refusal.result.error {
        Some(error)
            if matches!(
                error.kind,
                ErrorKind::DeniedByPolicy | ErrorKind::OutsideWorkspace | ErrorKind::ForbiddenPath
            ) =>
        {
            Ok(Decision {
                verdict: Verdict::Deny(error.message),
                steps: Vec::new(),
                question: None,
            })
        }
        Some(error) => Err(Misuse::new(format!(
            "the call would fail before anything is decided: {error}"
        ))),
        None => Err(Misuse::new(refusal.result.content)),
    }
}

fn status(decision: &Decision) -> ExitCode {
    match decision.verdict {
        Verdict::Allow(_) => ExitCode::SUCCESS,
        Verdict::Ask(_) => ExitCode::from(ASKED),
        Verdict::Deny(_) => ExitCode::from(DENIED),
    }
}

fn to_json(decision: &Decision, mode: Mode) -> Result<String, Misuse> {
    let (verdict, reason) = match &decision.verdict {
        Verdict::Allow(_) => ("allow", None),
        Verdict::Ask(_) => ("ask", None),
        Verdict::Deny(reason) => ("deny", Some(reason)),
    };
    let value = json!({
        "verdict": verdict,
        "reason": reason,
        "mode": mode,
        "steps": decision.steps,
        "question": decision.question,
    });
    serde_json::to_string_pretty(&value).map_err(Misuse::new)
}
