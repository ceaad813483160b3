//! `update_plan`: the task list that the user sees.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::contract::{
    CallScope, Idempotency, Limits, Plan, Recovery, Risk, Run, Tool, ToolContract, Work,
};
use crate::effect::EffectBound;
use crate::error::ToolError;
use crate::notice::{Notice, PlanStep, StepStatus};
use crate::port::BoxFuture;
use crate::result::ToolResult;
use crate::schema::{self, Parameters};

const DESCRIPTION: &str = "\
Shows the user what you are going to do and how far you are: a list of steps. Send the whole list each time, in the order of the work; it \
takes the place of the one before. At most one step is `in_progress`. Use it for work of three steps and more: at the beginning, and whenever a \
step begins or is done. Mark a step `completed` only when it really is. An empty list takes the plan away. Changes nothing else.";

/// Steps that a person can take in.
const MAX_STEPS: usize = 50;

/// Bytes of a step.
const MAX_STEP_BYTES: usize = 500;

/// See the module.
pub(super) struct UpdatePlan {
    contract: ToolContract,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// All steps, done ones included.
    steps: Vec<PlanStep>,
}

impl UpdatePlan {
    pub(super) fn new() -> UpdatePlan {
        let contract = ToolContract {
            name: "update_plan".to_owned(),
            description: DESCRIPTION.to_owned(),
            parameters: Parameters::of::<Arguments>(),
            effect_bound: EffectBound::new([]),
            idempotency: Idempotency::Pure,
            risk: Risk::Low,
            limits: Limits {
                bytes: 1024,
                lines: None,
                default_timeout_ms: 10_000,
                maximum_timeout_ms: 10_000,
            },
            recovery: Recovery::Rerun,
            version: 1,
        };
        UpdatePlan { contract }
    }
}

impl Tool for UpdatePlan {
    fn contract(&self) -> &ToolContract {
        &self.contract
    }

    fn plan(&self, arguments: Value, _: &CallScope) -> Result<Plan, ToolError> {
        let Arguments { steps } = schema::parse(arguments)?;
        check(&steps)?;
        Ok(Plan {
            effects: Vec::new(),
            timeout: None,
            work: Work::Run(Box::new(Telling(steps))),
        })
    }
}

fn check(steps: &[PlanStep]) -> Result<(), ToolError> {
    let refused = |message| Err(ToolError::invalid_arguments(message));
    if steps.len() > MAX_STEPS {
        return refused(format!(
            "A plan has at most {MAX_STEPS} steps, this one {}.",
            steps.len()
        ));
    }
    let active: Vec<String> = numbered(steps, |step| step.status == StepStatus::InProgress);
    if active.len() > 1 {
        return refused(format!(
            "At most one step is in progress, not {}: the steps {} are.",
            active.len(),
            active.join(", ")
        ));
    }
    let empty = numbered(steps, |step| step.step.trim().is_empty());
    if let Some(number) = empty.first() {
        return refused(format!("Step {number} says nothing."));
    }
    let long = numbered(steps, |step| step.step.len() > MAX_STEP_BYTES);
    if let Some(number) = long.first() {
        return refused(format!(
            "Step {number} has more than {MAX_STEP_BYTES} bytes: say it in a few words."
        ));
    }
    Ok(())
}

/// The numbers of the steps that fit, from 1.
fn numbered(steps: &[PlanStep], fits: impl Fn(&PlanStep) -> bool) -> Vec<String> {
    let fitting = steps.iter().enumerate().filter(|(_, step)| fits(step));
    fitting.map(|(index, _)| (index + 1).to_string()).collect()
}

/// A planned call.
struct Telling(Vec<PlanStep>);

impl Run for Telling {
    fn run(self: Box<Self>, scope: CallScope) -> BoxFuture<'static, ToolResult> {
        let content = summary(&self.0);
        scope.notices.tell(Notice::Plan { steps: self.0 });
        Box::pin(async { ToolResult::ok(content) })
    }
}

fn summary(steps: &[PlanStep]) -> String {
    let count = |status| steps.iter().filter(|step| step.status == status).count();
    match steps.len() {
        0 => "The plan is taken away.".to_owned(),
        all => format!(
            "The user sees the plan: {} of {all} done, {} in progress, {} to do.",
            count(StepStatus::Completed),
            count(StepStatus::InProgress),
            count(StepStatus::Pending)
        ),
    }
}

#[cfg(test)]
mod tests;
