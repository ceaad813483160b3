//! Runs the calls of one model turn, in order, each to exactly one result.
//!
//! Must not know how a call is performed: the tools' runtime does. Before a call happens its intent is on the disk.

use mewcode_core::hash::ContentHash;
use mewcode_tools::result::{ToolError, ToolResult};
use mewcode_tools::runtime::CallContext;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::guard::{Guard, Repetition};
use super::{RunOutcome, Session};
use crate::event::Event;
use crate::log::Entry;
use crate::message::Block;
use crate::provider::assembly::{BadArguments, RequestedCall};
use crate::render;

/// The longest name that providers take.
const LONGEST_NAME: usize = 64;

/// A call with the runtime's own id.
pub(super) struct PreparedCall {
    id: String,
    tool: String,
    arguments: Result<Map<String, Value>, BadArguments>,
}

impl PreparedCall {
    pub(super) fn new(id: String, call: RequestedCall) -> Self {
        Self {
            id,
            tool: call.name,
            arguments: call.arguments,
        }
    }

    /// The call as the conversation keeps it. What a provider would refuse to be told again is mended; the result says
    /// what was wrong.
    pub(super) fn block(&self) -> Block {
        let allowed =
            |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
        let mut name: String = self
            .tool
            .chars()
            .take(LONGEST_NAME)
            .map(|character| if allowed(character) { character } else { '_' })
            .collect();
        if name.is_empty() {
            name.push('_');
        }
        Block::ToolUse {
            id: self.id.clone(),
            name,
            input: self.input(),
        }
    }

    fn input(&self) -> Value {
        Value::Object(self.arguments.clone().unwrap_or_default())
    }

    /// Equal for equal calls.
    fn fingerprint(&self) -> String {
        let arguments = match &self.arguments {
            Ok(arguments) => Value::Object(arguments.clone()).to_string(),
            Err(error) => error.to_string(),
        };
        ContentHash::of(format!("{}\n{arguments}", self.tool).as_bytes()).to_string()
    }
}

/// What became of the calls of one turn.
pub(super) struct Round {
    /// One result for each call, in order.
    pub(super) results: Vec<ToolResult>,
    /// `Err`: something ended the run before all of them were made.
    pub(super) ended: Result<(), RunOutcome>,
    /// Whether any of the tools exists.
    pub(super) any_known: bool,
}

impl Session {
    /// Runs the calls and tells the conversation their results, all of them, whatever happens.
    pub(super) async fn run_calls(
        &mut self,
        calls: &[PreparedCall],
        reason: &str,
        guard: &mut Guard,
        cancel: &CancellationToken,
    ) -> Round {
        let mut round = Round {
            results: Vec::new(),
            ended: Ok(()),
            any_known: false,
        };
        let mut blocks = Vec::new();
        for call in calls {
            let arguments = call.input();
            let title = render::title(&call.tool, &arguments);
            let (id, tool) = (call.id.clone(), call.tool.clone());
            self.journal.emit(Event::CallStarted {
                call: id.clone(),
                tool: tool.clone(),
                arguments,
                title,
            });
            round.any_known |= self.runtime.registry().get(&tool).is_some();
            if round.ended.is_ok() && cancel.is_cancelled() {
                round.ended = Err(RunOutcome::Cancelled);
            }
            let result = match &round.ended {
                Ok(()) => {
                    self.run_call(call, reason, guard, cancel, &mut round.ended)
                        .await
                }
                Err(_) => ToolResult::interrupted("The run was stopped before this call was made."),
            };
            blocks.push(self.end_call(id, tool, &result));
            round.results.push(result);
        }
        self.conversation.say(blocks);
        if round.ended.is_ok() && cancel.is_cancelled() {
            round.ended = Err(RunOutcome::Cancelled);
        }
        round
    }

    async fn run_call(
        &mut self,
        call: &PreparedCall,
        reason: &str,
        guard: &mut Guard,
        cancel: &CancellationToken,
        ended: &mut Result<(), RunOutcome>,
    ) -> ToolResult {
        let fingerprint = call.fingerprint();
        let repetition = guard.call(&fingerprint);
        if let Repetition::Stop(times) = repetition {
            *ended = Err(RunOutcome::Limit(format!(
                "The run was stopped: the model made the same call of {} {times} times over.",
                call.tool
            )));
            return ToolResult::interrupted(format!(
                "The same call was made {times} times over, so it was not made again and the run was stopped."
            ));
        }
        let mut result = match &call.arguments {
            Ok(arguments) => {
                self.journal.record(Entry::CallIntended {
                    call: call.id.clone(),
                    tool: call.tool.clone(),
                    arguments: call.input(),
                    fingerprint,
                });
                // The intent comes before the effect: without it nobody could settle the call after a crash.
                if let Err(error) = self.journal.flush().await {
                    *ended = Err(RunOutcome::Failed(error.to_string()));
                    return ToolResult::interrupted(
                        "The call was not made, as it could not be recorded.",
                    );
                }
                let context = CallContext {
                    session: self.id.clone(),
                    call: call.id.clone(),
                    mode: self.mode.get(),
                    ledger: Some(self.ledger.clone()),
                    cancel: cancel.clone(),
                    reason: reason.to_string(),
                };
                self.runtime
                    .call(&context, &call.tool, Value::Object(arguments.clone()))
                    .await
            }
            Err(error) => self.refuse(error),
        };
        if let Repetition::Warn(times) = repetition {
            result.content.push_str(&format!(
                "\n\n(Warning: this is the same call {times} times over. The result will not change by repeating it: \
                 try something else, or tell the user what is missing.)"
            ));
        }
        result
    }

    fn refuse(&self, error: &BadArguments) -> ToolResult {
        ToolResult::error(match error {
            BadArguments::CutOff => ToolError::too_large(format!(
                "The call was cut off at {} tokens, the limit of one answer, and was not made.",
                self.model.max_tokens
            ))
            .suggest("Make the call smaller, for instance several edits one after the other."),
            BadArguments::NotJson(_) | BadArguments::NotAnObject(_) => {
                ToolError::invalid_arguments(format!("The call was not made: {error}."))
            }
        })
    }

    /// Tells everybody the result of a call. Gives the block for the conversation.
    pub(super) fn end_call(&mut self, call: String, tool: String, result: &ToolResult) -> Block {
        self.journal.record(Entry::CallEnded {
            call: call.clone(),
            tool: tool.clone(),
            result: result.clone(),
        });
        self.journal.emit(Event::CallEnded {
            call: call.clone(),
            tool,
            status: result.status,
            error_kind: result.error.as_ref().map(|error| error.kind),
            summary: render::summary(result),
            files: result.files.clone(),
        });
        Block::ToolResult {
            id: call,
            content: render::model_text(result),
            is_error: !result.is_ok(),
        }
    }
}
