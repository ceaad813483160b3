//! One call of the model: as the conversation keeps it, and how its begin and its end are told.
//!
//! Must not know how a call is performed: the tools' runtime does; nor which calls go on beside each other.

use mewcode_core::hash::ContentHash;
use mewcode_tools::result::{ToolError, ToolResult};
use serde_json::{Map, Value};

use super::Session;
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

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    pub(super) fn tool(&self) -> &str {
        &self.tool
    }

    /// `Err`: the call cannot be made.
    pub(super) fn arguments(&self) -> Result<&Map<String, Value>, &BadArguments> {
        self.arguments.as_ref()
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

    /// The arguments, as far as there are any.
    pub(super) fn input(&self) -> Value {
        Value::Object(self.arguments.clone().unwrap_or_default())
    }

    /// Equal for equal calls.
    pub(super) fn fingerprint(&self) -> String {
        let arguments = match &self.arguments {
            Ok(arguments) => Value::Object(arguments.clone()).to_string(),
            Err(error) => error.to_string(),
        };
        ContentHash::of(format!("{}\n{arguments}", self.tool).as_bytes()).to_string()
    }
}

/// How far a call has come that the conversation has no result of.
#[derive(Debug)]
pub(super) enum UnderWay {
    /// It may have had its effect.
    Intended,
    /// It has ended, and this is its result.
    Ended(Block),
}

impl Session {
    /// The result of a call that cannot be made, as its arguments are none.
    pub(super) fn refuse(&self, error: &BadArguments) -> ToolResult {
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
        let of_command = self.runtime.registry().get(&tool);
        let printed = of_command.as_ref().and_then(|tool| tool.printed(result));
        self.journal.emit(Event::CallEnded {
            call: call.clone(),
            tool,
            status: result.status,
            error_kind: result.error.as_ref().map(|error| error.kind),
            summary: render::summary(result),
            output: printed.map(|printed| render::output(printed, result)),
            files: result.files.clone(),
        });
        Block::ToolResult {
            id: call,
            content: render::model_text(result),
            is_error: !result.is_ok(),
        }
    }

    /// Tells the conversation the results of all calls of the last turn. Only a run that broke off has left calls
    /// without a result: of those that it had begun, nobody knows what became of them.
    pub(super) fn settle_open_calls(&mut self) {
        let mut blocks = Vec::new();
        for (id, tool) in self.conversation.open_calls() {
            let result = match self.under_way.remove(&id) {
                Some(UnderWay::Ended(block)) => {
                    blocks.push(block);
                    continue;
                }
                Some(UnderWay::Intended) => ToolResult::unknown_outcome(
                    ToolError::internal(
                        "The run was broken off, and nobody knows whether this call had its effect.",
                    )
                    .suggest("Look at what is there before you go on."),
                ),
                None => ToolResult::interrupted("The run was broken off before this call was made."),
            };
            blocks.push(self.end_call(id, tool, &result));
        }
        self.conversation.say(blocks);
        self.under_way.clear();
    }
}
