//! `process_list`: the commands of this session.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::bash::state_of;
use super::command::{contract, short_line};
use crate::contract::{CallScope, Plan, Run, Tool, ToolContract, Work};
use crate::error::ToolError;
use crate::port::BoxFuture;
use crate::process::Running;
use crate::result::ToolResult;
use crate::schema::{self, Parameters};

const DESCRIPTION: &str = "\
Lists the commands of this session that run, and the last ones that ended: the id, how each stands, how much it has printed, and its \
command line. Changes nothing.";

/// See the module.
pub(super) struct ProcessList {
    contract: ToolContract,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {}

impl ProcessList {
    pub(super) fn new() -> ProcessList {
        let parameters = Parameters::of::<Arguments>();
        ProcessList {
            contract: contract("process_list", DESCRIPTION, parameters, 10_000),
        }
    }
}

impl Tool for ProcessList {
    fn contract(&self) -> &ToolContract {
        &self.contract
    }

    fn plan(&self, arguments: Value, _: &CallScope) -> Result<Plan, ToolError> {
        let Arguments {} = schema::parse(arguments)?;
        Ok(Plan {
            effects: Vec::new(),
            timeout: None,
            work: Work::Run(Box::new(Listing)),
        })
    }
}

/// A planned call.
struct Listing;

impl Run for Listing {
    fn run(self: Box<Self>, scope: CallScope) -> BoxFuture<'static, ToolResult> {
        let commands = scope.host.processes.list(&scope.session);
        let content = if commands.is_empty() {
            "No command runs.\n".to_owned()
        } else {
            // The newest first: the oldest are what may be left out.
            commands.iter().rev().map(told).collect()
        };
        Box::pin(async move { ToolResult::ok(content) })
    }
}

fn told(running: &Running) -> String {
    let mut told = format!(
        "{}: {}, {} bytes printed: `{}`",
        running.id(),
        state_of(running, running.ending().as_ref()),
        running.output().bytes,
        short_line(running.line())
    );
    if !running.description().is_empty() {
        let _ = write!(told, " ({})", short_line(running.description()));
    }
    told.push('\n');
    told
}
