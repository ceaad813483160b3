//! What the loop knows of a model provider: one trait, requests in, a stream of events out.
//!
//! Must not know any wire format (the submodules do), the loop, or the tools that answer the calls.

pub mod anthropic;
pub mod assembly;
pub mod scripted;
mod sse;

use std::time::Duration;

use futures::stream::BoxStream;
use mewcode_tools::result::ToolResult;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::message::Message;

/// A source of model turns.
pub trait Provider: Send + Sync {
    /// The provider's name as configurations spell it.
    fn name(&self) -> &str;

    /// One model turn as it is made. The stream ends after [`ProviderEvent::Stop`], or with its first error; a stream
    /// that ends otherwise was cut off. Dropping it gives the turn up.
    fn stream<'a>(
        &'a self,
        request: &'a Request<'a>,
    ) -> BoxStream<'a, Result<ProviderEvent, ProviderError>>;

    /// Judges what became of the calls of turn `turn`, before the next request is made. Only a script has
    /// expectations; a model is told the results by the next request.
    ///
    /// # Errors
    ///
    /// The results are not what was expected. The run ends with it.
    fn judge(&self, turn: usize, results: &[ToolResult]) -> Result<(), ProviderError> {
        let _ = (turn, results);
        Ok(())
    }
}

/// Everything a provider needs for one model turn.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// How many model turns this session had before, retries not counted.
    pub turn: usize,
    /// The model's name.
    pub model: &'a str,
    /// The system prompt: the same bytes from turn to turn.
    pub system: &'a str,
    /// The tools on offer: the same bytes in the same order from turn to turn.
    pub tools: &'a [ToolSpec],
    /// The conversation; valid by [`crate::conversation::fault`].
    pub messages: &'a [Message],
    /// The most tokens that the model may answer with, thinking included.
    pub max_tokens: u32,
    /// How many of them may be spent on thinking; `None` asks for no thinking.
    pub thinking_budget: Option<u32>,
}

/// A tool as the model sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// The name to call it by.
    pub name: String,
    /// What it does, written for the model.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub schema: Value,
}

/// A step of a model turn.
#[derive(Debug, Clone, PartialEq)]
pub enum ProviderEvent {
    /// More of the answer's text.
    Text(String),
    /// More of the model's thinking.
    Thinking(String),
    /// The present stretch of thinking is complete.
    ThinkingEnd {
        /// The seal that must go back with it; empty where the provider has none.
        signature: String,
    },
    /// A stretch of thinking that only the provider can read.
    RedactedThinking {
        /// The sealed bytes as the provider spelt them.
        data: String,
    },
    /// A call begins. The provider's own id of it stays with the provider: it may be repeated.
    CallBegin {
        /// Tells the calls of one turn apart.
        index: usize,
        /// The tool's name.
        name: String,
    },
    /// More of a call's arguments.
    CallArguments {
        /// The call.
        index: usize,
        /// A piece of the JSON text.
        json: String,
    },
    /// A call's arguments are complete.
    CallEnd {
        /// The call.
        index: usize,
    },
    /// The tokens of this turn.
    Usage(Usage),
    /// The turn is over.
    Stop(StopReason),
}

/// The tokens of one model turn. Cached ones are counted apart, never in `input_tokens` too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Read afresh.
    pub input_tokens: u64,
    /// Written by the model.
    pub output_tokens: u64,
    /// Read from the provider's prompt cache.
    pub cache_read_tokens: u64,
    /// Written to the provider's prompt cache.
    pub cache_write_tokens: u64,
}

/// Why the model stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// It has said all it wanted.
    EndTurn,
    /// It waits for the results of its calls.
    ToolUse,
    /// The answer reached the output limit and was cut off there.
    MaxTokens,
    /// It, or the provider's filter, refused to go on.
    Refusal,
    /// Anything else, as the provider spelt it.
    Other(String),
}

/// Why a model turn failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ProviderError {
    /// What kind of failure it is: decides what happens next.
    pub kind: ProviderErrorKind,
    /// What happened and what to do about it, for people. Holds no key.
    pub message: String,
    /// How long the provider asked to wait.
    pub retry_after: Option<Duration>,
}

impl ProviderError {
    /// An error without a waiting time.
    pub fn new(kind: ProviderErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            retry_after: None,
        }
    }
}

/// The kinds of failure of a model turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderErrorKind {
    /// Too many requests or tokens for this key just now.
    RateLimited,
    /// The provider has too much to do just now.
    Overloaded,
    /// The provider failed by its own fault, or asked to try again.
    Server,
    /// No connection, or the stream was cut before the turn was over.
    Dropped,
    /// Nothing was heard for too long.
    IdleTimeout,
    /// The key is missing, wrong, or not allowed to do this.
    Auth,
    /// The conversation does not fit the model's context window.
    Overflow,
    /// The provider did not take the request.
    Rejected,
    /// The answer cannot be understood.
    Protocol,
    /// A script's own failure: a turn too few, or an expectation not met.
    Script,
    /// No provider could be made from the configuration.
    Configuration,
}

impl ProviderErrorKind {
    /// Whether the same request may go well a little later.
    pub fn retryable(self) -> bool {
        matches!(
            self,
            Self::RateLimited | Self::Overloaded | Self::Server | Self::Dropped | Self::IdleTimeout
        )
    }
}
