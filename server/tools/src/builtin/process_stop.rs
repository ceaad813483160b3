//! `process_stop`: ends a command and all that it started.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::bash::{Output, measured, told};
use super::command::{Standing, contract, find, looked_at};
use super::printed;
use crate::blocking::on_a_thread;
use crate::contract::{
    CallScope, Idempotency, Plan, Recovery, Risk, Run, Tool, ToolContract, Work,
};
use crate::effect::{EffectBound, EffectKind};
use crate::error::ToolError;
use crate::port::BoxFuture;
use crate::process::{Running, Status, Stop};
use crate::result::ToolResult;
use crate::schema::{self, Parameters};

const DESCRIPTION: &str = "\
Ends a command of this session, and all that it started: it is asked to end, and killed after two seconds. The answer shows the end \
of its output. To interrupt a program in a terminal and let it go on, give it ctrl-c with process_input.";

/// See the module.
pub(super) struct ProcessStop {
    contract: ToolContract,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The id of the command, as bash gave it: `cmd_1`.
    id: String,
}

impl ProcessStop {
    pub(super) fn new() -> ProcessStop {
        let parameters = Parameters::of::<Arguments>();
        let contract = ToolContract {
            effect_bound: EffectBound::new([EffectKind::Process, EffectKind::Read]),
            idempotency: Idempotency::CompareAndSwap,
            risk: Risk::Medium,
            recovery: Recovery::AskUser,
            ..contract("process_stop", DESCRIPTION, parameters, 30_000)
        };
        ProcessStop { contract }
    }
}

impl Tool for ProcessStop {
    fn contract(&self) -> &ToolContract {
        &self.contract
    }

    fn printed<'a>(&self, result: &'a ToolResult) -> Option<&'a str> {
        printed::below_first_line(result)
    }

    fn plan(&self, arguments: Value, scope: &CallScope) -> Result<Plan, ToolError> {
        let Arguments { id } = schema::parse(arguments)?;
        let running = find(&id, scope)?;
        Ok(Plan {
            effects: looked_at(&running),
            timeout: None,
            work: Work::Run(Box::new(Stopping { running })),
        })
    }
}

/// A planned call.
struct Stopping {
    running: Running,
}

impl Run for Stopping {
    fn run(self: Box<Self>, scope: CallScope) -> BoxFuture<'static, ToolResult> {
        let running = self.running;
        Box::pin(async move {
            let ended_before = running.status() == Status::Ended;
            running.stop(Stop::Stopped);
            let ending = running.wait().await;
            let Standing { state, news, .. } = Standing::of(&running).await;
            on_a_thread(move || {
                let before = if ended_before {
                    " had ended before"
                } else {
                    ""
                };
                let first = format!("`{}`{before}: {state}.", running.id());
                let result = told(&first, &news, &Output::of(&running, &scope));
                ToolResult {
                    metrics: measured(result.metrics.clone(), &ending),
                    ..result
                }
            })
            .await
        })
    }
}
