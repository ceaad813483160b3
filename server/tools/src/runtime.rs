//! The way of a call: lookup, arguments, plan, permission, effect, result. Every caller goes it, and a call always
//! ends in exactly one result. Knows no tool by name.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use serde_json::Value;
use tokio::time::timeout_at;
use tokio_util::sync::CancellationToken;

use crate::change;
use crate::contract::{CallScope, Change, Plan, Run, Tool, ToolContract, Work};
use crate::effect::Effect;
use crate::error::ToolError;
use crate::ledger::Ledger;
use crate::names;
use crate::overlay::Workspace;
use crate::permission::{self, Mode, Verdict};
use crate::port::{ChangeRequest, Review};
use crate::registry::Registry;
use crate::result::{Rest, Status, ToolResult};
use crate::truncate::{self, Bound, Keep};

/// How long a call that is told to end may take to clean up before it is dropped.
const GRACE: Duration = Duration::from_secs(3);

/// Runs calls.
#[derive(Clone)]
pub struct Runtime {
    registry: Arc<Registry>,
    workspace: Arc<Workspace>,
    grace: Duration,
}

/// Who calls.
#[derive(Clone)]
pub struct CallContext {
    /// The session.
    pub session: String,
    /// The id of the call, unique in the session.
    pub call: String,
    /// What may be done unasked.
    pub mode: Mode,
    /// What the agent has seen; none: the caller is no agent, and no earlier read is needed.
    pub ledger: Option<Arc<Ledger>>,
    /// Triggered to end the call.
    pub cancel: CancellationToken,
    /// Why the call is made, for whoever reviews it; may be empty.
    pub reason: String,
}

impl Runtime {
    /// A runtime for these tools in this workspace.
    pub fn new(
        registry: impl Into<Arc<Registry>>,
        workspace: impl Into<Arc<Workspace>>,
    ) -> Runtime {
        Runtime {
            registry: registry.into(),
            workspace: workspace.into(),
            grace: GRACE,
        }
    }

    /// The same with another time for cleaning up.
    #[cfg(test)]
    fn with_grace(mut self, grace: Duration) -> Runtime {
        self.grace = grace;
        self
    }

    /// The tools.
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// The workspace.
    pub fn workspace(&self) -> &Arc<Workspace> {
        &self.workspace
    }

    /// Makes a call. Never panics, never hangs longer than the tool's time-out and the time that a person takes to
    /// decide.
    pub async fn call(&self, context: &CallContext, name: &str, arguments: Value) -> ToolResult {
        let started = Instant::now();
        let result = match self.registry.get(name) {
            Some(tool) => {
                let result = self.call_tool(context, &tool, arguments).await;
                within_limits(result, tool.contract())
            }
            None => ToolResult::error(self.unknown_tool(name)),
        };
        measured(result, started)
    }

    async fn call_tool(
        &self,
        context: &CallContext,
        tool: &Arc<dyn Tool>,
        arguments: Value,
    ) -> ToolResult {
        let contract = tool.contract();
        let arguments = match checked_arguments(contract, arguments) {
            Ok(arguments) => arguments,
            Err(error) => return ToolResult::error(error),
        };
        if !context.mode.offers(&contract.effect_bound) {
            return ToolResult::error(ToolError::denied_by_policy(format!(
                "The mode `{}` allows no call of `{}`: it changes things.",
                context.mode, contract.name
            )));
        }
        let started = Instant::now();
        let plan = match self.plan(context, tool, arguments).await {
            Ok(plan) => plan,
            Err(result) => return *result,
        };
        if let Err(error) = checked_effects(contract, &plan) {
            return ToolResult::error(error);
        }
        let verdict = match permission::decide(context.mode, &plan.effects) {
            // A person who calls a tool by hand, and wants no questions, has decided by calling.
            Verdict::Ask(review) if context.mode == Mode::Bypass && context.ledger.is_none() => {
                Verdict::Allow(review)
            }
            verdict => verdict,
        };
        match (plan.work, verdict) {
            (_, Verdict::Deny(reason)) => ToolResult::error(ToolError::denied_by_policy(reason)),
            // Of a change, the review is the question.
            (Work::Change(change), Verdict::Allow(review) | Verdict::Ask(review)) => {
                self.change(context, contract, change, review).await
            }
            (Work::Run(run), Verdict::Allow(_)) => {
                let timeout = contract
                    .limits
                    .timeout(plan.timeout)
                    .saturating_sub(started.elapsed());
                self.run(context, contract, run, timeout, &plan.effects)
                    .await
            }
            (Work::Run(_), Verdict::Ask(_)) => {
                let reason = permission::why_asked(&plan.effects)
                    .map_or_else(String::new, |reason| format!("{reason}: "));
                ToolResult::error(ToolError::denied_by_policy(format!(
                    "{reason}`{}` needs the user's consent, and there is nobody to ask here.",
                    contract.name
                )))
            }
        }
    }

    /// Plans on a thread of its own. A plan that takes too long is left behind: it has no effects.
    async fn plan(
        &self,
        context: &CallContext,
        tool: &Arc<dyn Tool>,
        arguments: Value,
    ) -> Result<Plan, Box<ToolResult>> {
        let scope = self.scope(context);
        let cancel = scope.cancel.clone();
        let timeout = tool.contract().limits.timeout(None);
        let planning = {
            let tool = Arc::clone(tool);
            tokio::task::spawn_blocking(move || {
                let plan = tool.plan(arguments, &scope)?;
                if let Work::Change(change) = &plan.work {
                    change::check_encodable(&scope.workspace, change)?;
                }
                Ok(plan)
            })
        };
        let result = tokio::select! {
            biased;
            () = cancel.cancelled() => ToolResult::interrupted("The call was cancelled before it changed anything."),
            planned = tokio::time::timeout(timeout, planning) => match planned {
                Ok(Ok(Ok(plan))) => return Ok(plan),
                Ok(Ok(Err(error))) => ToolResult::error(error),
                Ok(Err(failed)) => ToolResult::error(panicked(tool.contract(), failed.try_into_panic().ok())),
                Err(_) => {
                    cancel.cancel();
                    ToolResult::error(timed_out(tool.contract(), timeout))
                }
            },
        };
        Err(Box::new(result))
    }

    async fn change(
        &self,
        context: &CallContext,
        contract: &ToolContract,
        change: Change,
        review: Review,
    ) -> ToolResult {
        let request = ChangeRequest {
            session: context.session.clone(),
            call: context.call.clone(),
            tool: contract.name.clone(),
            reason: context.reason.clone(),
            review,
            files: change.files,
            cancel: context.cancel.child_token(),
        };
        change::carry_out(
            &self.workspace,
            context.ledger.clone(),
            request,
            change.notes,
        )
        .await
    }

    /// Runs within the time. Cancelling and time-out tell the work to end and wait for its clean-up, but not for
    /// ever.
    async fn run(
        &self,
        context: &CallContext,
        contract: &ToolContract,
        run: Box<dyn Run>,
        timeout: Duration,
        effects: &[Effect],
    ) -> ToolResult {
        let scope = self.scope(context);
        let stop = scope.cancel.clone();
        let mut work = AssertUnwindSafe(run.run(scope)).catch_unwind();
        let ended = tokio::select! {
            biased;
            ended = &mut work => Some(ended),
            () = context.cancel.cancelled() => None,
            () = tokio::time::sleep(timeout) => None,
        };
        let cancelled = context.cancel.is_cancelled();
        let ended = match ended {
            Some(ended) => Some(ended),
            None => {
                stop.cancel();
                timeout_at(tokio::time::Instant::now() + self.grace, work)
                    .await
                    .ok()
            }
        };
        match ended {
            // The work noticed that it was to end, and gives what it had so far.
            Some(Ok(result)) if result.status == Status::Interrupted && !cancelled => {
                let error = timed_out(contract, timeout);
                let content = format!("{error}\n{}", result.content);
                ToolResult {
                    status: Status::Failed,
                    content,
                    error: Some(error),
                    ..result
                }
            }
            Some(Ok(result)) => result,
            Some(Err(panic)) => left_open(panicked(contract, Some(panic)), effects),
            None if cancelled => {
                let result = left_open(timed_out(contract, self.grace), effects);
                if result.status == Status::Failed {
                    ToolResult::interrupted("The call was cancelled.")
                } else {
                    result
                }
            }
            None => left_open(timed_out(contract, timeout), effects),
        }
    }

    fn scope(&self, context: &CallContext) -> CallScope {
        CallScope {
            workspace: Arc::clone(&self.workspace),
            ledger: context.ledger.clone(),
            cancel: context.cancel.child_token(),
        }
    }

    fn unknown_tool(&self, name: &str) -> ToolError {
        let close = self.registry.close_names(name);
        let all: Vec<String> = self
            .registry
            .snapshot()
            .iter()
            .map(|tool| tool.contract().name.clone())
            .collect();
        let close: Vec<&str> = close.iter().map(String::as_str).collect();
        let error = ToolError::not_found(format!("There is no tool `{name}`."));
        if close.is_empty() {
            return error.suggest(format!("The tools are: {}.", all.join(", ")));
        }
        error
            .suggest(format!("Did you mean {}?", names::either(&close)))
            .with("close", close)
    }
}

fn checked_arguments(contract: &ToolContract, arguments: Value) -> Result<Value, ToolError> {
    let arguments = contract.parameters.normalise(arguments)?;
    contract.parameters.validate(&arguments)?;
    Ok(arguments)
}

/// Permission looks at effects alone: a tool that does more than it says would be without a boundary.
fn checked_effects(contract: &ToolContract, plan: &Plan) -> Result<(), ToolError> {
    let beyond = plan
        .effects
        .iter()
        .any(|effect| !contract.effect_bound.covers(effect));
    let written = |path| {
        plan.effects
            .iter()
            .any(|effect| matches!(effect, Effect::Write(paths) if paths.contains(path)))
    };
    let unsaid = match &plan.work {
        Work::Change(change) => change.files.iter().any(|file| !written(&file.path)),
        Work::Run(_) => false,
    };
    if beyond || unsaid {
        return Err(ToolError::internal(format!(
            "`{}` plans more than it declares; it was not run.",
            contract.name
        )));
    }
    Ok(())
}

/// The result of work of which nobody knows how far it came: only what reads has surely done nothing.
fn left_open(error: ToolError, effects: &[Effect]) -> ToolResult {
    if effects
        .iter()
        .all(|effect| matches!(effect, Effect::Read(_)))
    {
        ToolResult::error(error)
    } else {
        ToolResult::unknown_outcome(error)
    }
}

fn timed_out(contract: &ToolContract, timeout: Duration) -> ToolError {
    ToolError::timed_out(format!(
        "`{}` did not end within {} ms.",
        contract.name,
        timeout.as_millis()
    ))
}

fn panicked(contract: &ToolContract, panic: Option<Box<dyn Any + Send>>) -> ToolError {
    let message = panic.as_ref().and_then(|panic| {
        panic
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
    });
    let message = message.map_or_else(String::new, |message| format!(": {message}"));
    ToolError::internal(format!("`{}` broke off{message}.", contract.name))
}

/// The one place that every result passes.
fn within_limits(mut result: ToolResult, contract: &ToolContract) -> ToolResult {
    let bound = Bound {
        lines: contract.limits.lines.unwrap_or(usize::MAX),
        bytes: contract.limits.bytes,
    };
    let cut = truncate::cut(&result.content, bound, Keep::Head, Rest::NotKept);
    if let Some(truncation) = cut.truncation {
        result.content = cut.text;
        result.truncation = Some(truncation);
    }
    result
}

fn measured(mut result: ToolResult, started: Instant) -> ToolResult {
    result.metrics.duration_ms = started.elapsed().as_millis() as u64;
    result.metrics.output_bytes = result.content.len();
    result
}

#[cfg(test)]
mod tests;
