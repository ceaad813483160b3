//! The events of the Messages API's stream, read into the provider's own.
//!
//! Must not know connections. Lenient towards servers that speak the format loosely (fields left out, events without a
//! type, unknown kinds), strict about the end: without `message_stop` there is no turn.

use std::collections::BTreeMap;
use std::collections::VecDeque;

use serde::Deserialize;
use serde_json::Value;

use super::fault;
use crate::provider::sse::Frame;
use crate::provider::{ProviderError, ProviderErrorKind, ProviderEvent, StopReason, Usage};

/// Reads one stream.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// What was read and not fetched yet.
    pub(super) ready: VecDeque<ProviderEvent>,
    /// The stream said that the message is over.
    pub(super) finished: bool,
    open: BTreeMap<usize, OpenBlock>,
    any_call: bool,
    stop: Option<String>,
    usage: Option<Usage>,
}

#[derive(Debug)]
enum OpenBlock {
    Text,
    Thinking {
        signature: String,
    },
    /// `input` is what the block began with; it counts only when no delta follows.
    Call {
        input: Option<String>,
    },
    /// A kind that we do not know, or that came whole.
    Ignored,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum WireEvent {
    MessageStart {
        #[serde(default)]
        message: WireMessage,
    },
    ContentBlockStart {
        #[serde(default)]
        index: usize,
        content_block: WireBlock,
    },
    ContentBlockDelta {
        #[serde(default)]
        index: usize,
        delta: WireDelta,
    },
    ContentBlockStop {
        #[serde(default)]
        index: usize,
    },
    MessageDelta {
        #[serde(default)]
        delta: WireMessageDelta,
        usage: Option<WireUsage>,
    },
    MessageStop,
    /// `ping`, and whatever comes later.
    #[serde(other)]
    Unknown,
}

#[derive(Deserialize, Default)]
struct WireMessage {
    usage: Option<WireUsage>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum WireBlock {
    Text {
        #[serde(default)]
        text: String,
    },
    Thinking {
        #[serde(default)]
        thinking: String,
        #[serde(default)]
        signature: String,
    },
    RedactedThinking {
        data: String,
    },
    ToolUse {
        name: String,
        #[serde(default)]
        input: Value,
    },
    #[serde(other)]
    Unknown,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum WireDelta {
    TextDelta {
        text: String,
    },
    ThinkingDelta {
        thinking: String,
    },
    SignatureDelta {
        signature: String,
    },
    InputJsonDelta {
        partial_json: String,
    },
    #[serde(other)]
    Unknown,
}

#[derive(Deserialize, Default)]
struct WireMessageDelta {
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
struct WireUsage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
}

impl Reader {
    /// Takes the next event of the stream.
    pub(super) fn read(&mut self, frame: &Frame) -> Result<(), ProviderError> {
        if self.finished || frame.data.trim().is_empty() {
            return Ok(());
        }
        let mut value: Value =
            serde_json::from_str(&frame.data).map_err(|error| malformed(frame, &error))?;
        if let Value::Object(fields) = &mut value {
            let is_error = |name: &str| name == "error";
            let named = fields.get("type").and_then(Value::as_str);
            if named.map_or(
                fields.contains_key("error") || is_error(&frame.event),
                is_error,
            ) {
                return Err(fault::in_stream(&value));
            }
            if named.is_none() {
                fields.insert("type".into(), Value::String(frame.event.clone()));
            }
        }
        let event = serde_json::from_value(value).map_err(|error| malformed(frame, &error))?;
        self.take(event)
    }

    fn take(&mut self, event: WireEvent) -> Result<(), ProviderError> {
        match event {
            WireEvent::MessageStart { message } => self.count(message.usage),
            WireEvent::ContentBlockStart {
                index,
                content_block,
            } => {
                self.close(index);
                self.begin(index, content_block);
            }
            WireEvent::ContentBlockDelta { index, delta } => self.extend(index, delta)?,
            WireEvent::ContentBlockStop { index } => self.close(index),
            WireEvent::MessageDelta { delta, usage } => {
                self.stop = delta.stop_reason.or_else(|| self.stop.take());
                self.count(usage);
            }
            WireEvent::MessageStop => self.end()?,
            WireEvent::Unknown => {}
        }
        Ok(())
    }

    fn begin(&mut self, index: usize, block: WireBlock) {
        let open = match block {
            WireBlock::Text { text } => {
                self.emit_text(text);
                OpenBlock::Text
            }
            WireBlock::Thinking {
                thinking,
                signature,
            } => {
                self.emit_thinking(thinking);
                OpenBlock::Thinking { signature }
            }
            WireBlock::RedactedThinking { data } => {
                self.ready
                    .push_back(ProviderEvent::RedactedThinking { data });
                OpenBlock::Ignored
            }
            WireBlock::ToolUse { name, input } => {
                self.any_call = true;
                self.ready
                    .push_back(ProviderEvent::CallBegin { index, name });
                OpenBlock::Call {
                    input: (!input.is_null()).then(|| input.to_string()),
                }
            }
            WireBlock::Unknown => OpenBlock::Ignored,
        };
        self.open.insert(index, open);
    }

    fn extend(&mut self, index: usize, delta: WireDelta) -> Result<(), ProviderError> {
        match (delta, self.open.get_mut(&index)) {
            (WireDelta::Unknown, _) | (_, Some(OpenBlock::Ignored)) => {}
            (WireDelta::TextDelta { text }, _) => self.emit_text(text),
            (WireDelta::ThinkingDelta { thinking }, _) => self.emit_thinking(thinking),
            (
                WireDelta::SignatureDelta { signature: more },
                Some(OpenBlock::Thinking { signature }),
            ) => {
                signature.push_str(&more);
            }
            (WireDelta::InputJsonDelta { partial_json }, Some(OpenBlock::Call { input })) => {
                if !partial_json.is_empty() {
                    *input = None;
                    self.ready.push_back(ProviderEvent::CallArguments {
                        index,
                        json: partial_json,
                    });
                }
            }
            (WireDelta::SignatureDelta { .. } | WireDelta::InputJsonDelta { .. }, _) => {
                return Err(ProviderError::new(
                    ProviderErrorKind::Protocol,
                    format!(
                        "The provider's stream continues content block {index}, which it did not begin."
                    ),
                ));
            }
        }
        Ok(())
    }

    fn close(&mut self, index: usize) {
        match self.open.remove(&index) {
            Some(OpenBlock::Thinking { signature }) => {
                self.ready
                    .push_back(ProviderEvent::ThinkingEnd { signature });
            }
            Some(OpenBlock::Call { input }) => {
                if let Some(json) = input {
                    self.ready
                        .push_back(ProviderEvent::CallArguments { index, json });
                }
                self.ready.push_back(ProviderEvent::CallEnd { index });
            }
            Some(OpenBlock::Text | OpenBlock::Ignored) | None => {}
        }
    }

    fn end(&mut self) -> Result<(), ProviderError> {
        let stop = match self.stop.take().as_deref() {
            Some("end_turn" | "stop_sequence") => StopReason::EndTurn,
            Some("tool_use") => StopReason::ToolUse,
            Some("max_tokens") => StopReason::MaxTokens,
            Some("refusal") => StopReason::Refusal,
            Some("model_context_window_exceeded") => return Err(fault::window_exceeded()),
            Some(other) => StopReason::Other(other.to_string()),
            None if self.any_call => StopReason::ToolUse,
            None => StopReason::EndTurn,
        };
        // Blocks that nobody closed are complete, unless the limit may have fallen into them.
        if stop != StopReason::MaxTokens {
            while let Some(index) = self.open.keys().next().copied() {
                self.close(index);
            }
        }
        self.ready.extend(self.usage.map(ProviderEvent::Usage));
        self.ready.push_back(ProviderEvent::Stop(stop));
        self.finished = true;
        Ok(())
    }

    /// The counts are running totals: a later one replaces an earlier one.
    fn count(&mut self, usage: Option<WireUsage>) {
        let Some(usage) = usage else { return };
        let known = self.usage.get_or_insert_default();
        for (count, told) in [
            (&mut known.input_tokens, usage.input_tokens),
            (&mut known.output_tokens, usage.output_tokens),
            (&mut known.cache_read_tokens, usage.cache_read_input_tokens),
            (
                &mut known.cache_write_tokens,
                usage.cache_creation_input_tokens,
            ),
        ] {
            *count = told.unwrap_or(*count);
        }
    }

    fn emit_text(&mut self, text: String) {
        if !text.is_empty() {
            self.ready.push_back(ProviderEvent::Text(text));
        }
    }

    fn emit_thinking(&mut self, thinking: String) {
        if !thinking.is_empty() {
            self.ready.push_back(ProviderEvent::Thinking(thinking));
        }
    }
}

fn malformed(frame: &Frame, error: &serde_json::Error) -> ProviderError {
    let name = if frame.event.is_empty() {
        "unnamed"
    } else {
        &frame.event
    };
    ProviderError::new(
        ProviderErrorKind::Protocol,
        format!(
            "The provider's stream has an event ({name}) that cannot be understood: {error}. \
             Check that base_url names a server of the Anthropic Messages API."
        ),
    )
}

#[cfg(test)]
mod tests;
