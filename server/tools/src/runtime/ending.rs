//! What a call ends in that did not end by itself, and what every result goes through. Knows no tool by name.

use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use super::Runtime;
use crate::contract::ToolContract;
use crate::effect::Effect;
use crate::error::ToolError;
use crate::redact::Redactor;
use crate::result::{Rest, ToolResult};
use crate::truncate::{self, Bound, Keep};

/// The result of work of which nobody knows how far it came: only what reads has surely done nothing.
pub(super) fn left_open(error: ToolError, effects: &[Effect]) -> ToolResult {
    if effects
        .iter()
        .all(|effect| matches!(effect, Effect::Read(_)))
    {
        ToolResult::error(error)
    } else {
        ToolResult::unknown_outcome(error)
    }
}

pub(super) fn timed_out(contract: &ToolContract, timeout: Duration) -> ToolError {
    ToolError::timed_out(format!(
        "`{}` did not end within {} ms.",
        contract.name,
        timeout.as_millis()
    ))
}

pub(super) fn panicked(contract: &ToolContract, panic: Option<Box<dyn Any + Send>>) -> ToolError {
    let message = panic.as_ref().and_then(|panic| {
        panic
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
    });
    let message = message.map_or_else(String::new, |message| format!(": {message}"));
    ToolError::internal(format!("`{}` broke off{message}.", contract.name))
}

impl Runtime {
    /// What takes secrets out of results, and out of whatever else is stored or sent.
    pub fn redactor(&self) -> &Arc<Redactor> {
        &self.host.redactor
    }
}

/// The one place that every result passes: without secrets, and within the limits of its tool.
pub(super) fn passed_on(
    result: ToolResult,
    contract: &ToolContract,
    redactor: &Redactor,
    session: &str,
) -> ToolResult {
    within_limits(without_secrets(result, redactor, session), contract)
}

/// Every text of a result that anybody stores or sends.
fn without_secrets(mut result: ToolResult, redactor: &Redactor, session: &str) -> ToolResult {
    result.change_texts(&|text| {
        if let Cow::Owned(redacted) = redactor.redact(session, text) {
            *text = redacted;
        }
    });
    result
}

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

pub(super) fn measured(mut result: ToolResult, took: Duration) -> ToolResult {
    result.metrics.duration_ms = took.as_millis() as u64;
    result.metrics.output_bytes = result.content.len();
    result
}
