//! The way of a call: lookup, arguments, plan, permission, effect, result. Every caller goes it, and a call always
//! ends in exactly one result. Knows no tool by name.

use std::borrow::Cow;
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
use crate::host::Host;
use crate::ledger::Ledger;
use crate::names;
use crate::notice::Notices;
use crate::overlay::Workspace;
use crate::permission::{Decision, Mode, Request, Verdict};
use crate::port::{ChangeRequest, Destination, Review};
use crate::registry::Registry;
use crate::result::{Status, ToolResult};

mod asking;
mod choice;
mod ending;

use asking::Consent;
use ending::{left_open, measured, panicked, passed_on, timed_out};

/// How long a call that is told to end may take to clean up before it is dropped.
const GRACE: Duration = Duration::from_secs(3);

/// Runs calls.
#[derive(Clone)]
pub struct Runtime {
    registry: Arc<Registry>,
    workspace: Arc<Workspace>,
    host: Host,
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
    /// Told what happens before the result.
    pub notices: Notices,
}

/// A call that is planned and has changed nothing yet. The plan is of the files as they were: it is performed soon, or
/// made anew.
pub struct PlannedCall {
    tool: Arc<dyn Tool>,
    plan: Plan,
    /// What the planning took of the tool's time.
    planning: Duration,
}

impl PlannedCall {
    /// What the call declares.
    pub fn contract(&self) -> &ToolContract {
        self.tool.contract()
    }

    /// Everything that the call touches.
    pub fn effects(&self) -> &[Effect] {
        &self.plan.effects
    }
}

/// A call that ended before it changed anything.
#[derive(Debug)]
pub struct Refusal {
    /// Its result.
    pub result: ToolResult,
    /// Whether it may go better once the files are others: its plan failed, and not the call itself.
    pub may_pass: bool,
}

impl From<ToolError> for Box<Refusal> {
    fn from(error: ToolError) -> Self {
        Box::new(Refusal {
            result: ToolResult::error(error),
            may_pass: false,
        })
    }
}

impl Runtime {
    /// A runtime for these tools in this workspace, with nothing else at hand.
    pub fn new(
        registry: impl Into<Arc<Registry>>,
        workspace: impl Into<Arc<Workspace>>,
    ) -> Runtime {
        Runtime {
            registry: registry.into(),
            workspace: workspace.into(),
            host: Host::default(),
            grace: GRACE,
        }
    }

    /// The same for another host: without one there is nobody to ask, and no place to run commands.
    pub fn with_host(mut self, host: Host) -> Runtime {
        self.host = host;
        self
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
        match self.prepare(context, name, arguments).await {
            Ok(call) => self.perform(context, call).await,
            Err(refusal) => refusal.result,
        }
    }

    /// The first half of a call: all of it that changes nothing. What the call would do is known then.
    ///
    /// # Errors
    ///
    /// The call ends here, with this result.
    pub async fn prepare(
        &self,
        context: &CallContext,
        name: &str,
        arguments: Value,
    ) -> Result<PlannedCall, Box<Refusal>> {
        let started = Instant::now();
        let Some(tool) = self.registry.get(name) else {
            let result = ToolResult::error(self.unknown_tool(name));
            return Err(Box::new(Refusal {
                result: measured(result, started.elapsed()),
                may_pass: false,
            }));
        };
        match self.plan_call(context, &tool, arguments).await {
            Ok(plan) => Ok(PlannedCall {
                planning: started.elapsed(),
                tool,
                plan,
            }),
            Err(mut refusal) => {
                let result = passed_on(
                    refusal.result,
                    tool.contract(),
                    &self.host.redactor,
                    &context.session,
                );
                refusal.result = measured(result, started.elapsed());
                Err(refusal)
            }
        }
    }

    /// Arguments, then the plan.
    async fn plan_call(
        &self,
        context: &CallContext,
        tool: &Arc<dyn Tool>,
        arguments: Value,
    ) -> Result<Plan, Box<Refusal>> {
        let contract = tool.contract();
        let arguments = checked_arguments(contract, arguments)?;
        if !context.mode.offers(&contract.effect_bound) {
            return Err(ToolError::denied_by_policy(format!(
                "The mode `{}` allows no call of `{}`: it changes things.",
                context.mode, contract.name
            ))
            .into());
        }
        let plan = self
            .plan(context, tool, arguments)
            .await
            .map_err(|result| Refusal {
                result: *result,
                may_pass: true,
            })?;
        checked_effects(contract, &plan)?;
        Ok(plan)
    }

    /// The second half of a call: permission, then the effect. Never panics, and always ends, as [`call`](Self::call)
    /// does.
    pub async fn perform(&self, context: &CallContext, call: PlannedCall) -> ToolResult {
        let started = Instant::now();
        let PlannedCall {
            tool,
            plan,
            planning,
        } = call;
        let contract = tool.contract();
        let decision = self.decision(context, contract, &plan.effects);
        let mut asked = Duration::ZERO;
        let result = match (plan.work, decision.verdict.clone()) {
            (_, Verdict::Deny(reason)) => ToolResult::error(ToolError::denied_by_policy(reason)),
            // Of a change, the review is the question.
            (Work::Change(change), Verdict::Allow(review) | Verdict::Ask(review)) => {
                self.change(context, contract, change, review).await
            }
            (Work::Ask(choice), Verdict::Allow(_) | Verdict::Ask(_)) => {
                self.choose(context, contract, choice).await
            }
            (Work::Run(run), verdict) => {
                let consent = match verdict {
                    Verdict::Allow(_) => Consent::Given(Vec::new()),
                    _ => {
                        let since = Instant::now();
                        let context = explained(context, run.as_ref());
                        let consent = self.ask(&context, contract, &plan.effects, decision).await;
                        asked = since.elapsed();
                        consent
                    }
                };
                match consent {
                    Consent::Refused(result) => *result,
                    Consent::Given(notes) => {
                        let timeout = contract
                            .limits
                            .timeout(plan.timeout)
                            .saturating_sub(planning);
                        let mut result = self
                            .run(context, contract, run, timeout, &plan.effects)
                            .await;
                        for note in notes {
                            result.content = format!("{note}\n{}", result.content);
                        }
                        result
                    }
                }
            }
        };
        measured(
            passed_on(result, contract, &self.host.redactor, &context.session),
            planning + started.elapsed().saturating_sub(asked),
        )
    }

    /// What becomes of a planned call, and why. Asks nobody.
    pub fn decide(&self, context: &CallContext, call: &PlannedCall) -> Decision {
        self.decision(context, call.contract(), call.effects())
    }

    fn decision(
        &self,
        context: &CallContext,
        contract: &ToolContract,
        effects: &[Effect],
    ) -> Decision {
        let guard = self.workspace.guard();
        let mut decision = self.host.policy.decide(&Request {
            session: &context.session,
            tool: &contract.name,
            effects,
            mode: context.mode,
            roots: guard.roots(),
        });
        // A person who calls a tool by hand, and wants no questions, has decided by calling.
        if let Verdict::Ask(review) = decision.verdict
            && context.mode == Mode::Bypass
            && context.ledger.is_none()
        {
            decision.verdict = Verdict::Allow(review);
            decision.question = None;
        }
        decision
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

    /// What the call may look at.
    pub(crate) fn scope(&self, context: &CallContext) -> CallScope {
        CallScope {
            session: context.session.clone(),
            call: context.call.clone(),
            workspace: Arc::clone(&self.workspace),
            host: self.host.clone(),
            notices: context.notices.clone(),
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

/// The call with what it is for, where it says so itself.
fn explained<'a>(context: &'a CallContext, run: &dyn Run) -> Cow<'a, CallContext> {
    match run.purpose() {
        None => Cow::Borrowed(context),
        Some(purpose) => Cow::Owned(CallContext {
            reason: purpose.to_owned(),
            ..context.clone()
        }),
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
        Work::Change(change) => change.files.iter().any(|file| {
            let moved_unsaid = match &file.destination {
                Destination::Moved { path, .. } => !written(path),
                Destination::Same | Destination::Removed => false,
            };
            moved_unsaid || !written(&file.path)
        }),
        Work::Ask(_) | Work::Run(_) => false,
    };
    if beyond || unsaid {
        return Err(ToolError::internal(format!(
            "`{}` plans more than it declares; it was not run.",
            contract.name
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
