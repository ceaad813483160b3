//! What is said between the user, the model and the tools, in no provider's own format.
//!
//! Must not know how a provider spells these on the wire, nor who runs the calls.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Who speaks. Results of tools are said by the user's side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The person, and what the tools answered on the person's side.
    User,
    /// The model.
    Assistant,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said, in order.
    pub content: Vec<Block>,
}

/// One part of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Block {
    /// Plain text or Markdown.
    Text {
        /// The text; never blank, as providers refuse blank blocks.
        text: String,
    },
    /// The model's thinking. It goes back to its provider unchanged, or the signature breaks.
    Thinking {
        /// The thinking as it was shown, which may be empty beside a signature.
        text: String,
        /// The provider's seal over it; empty where the provider has none.
        signature: String,
    },
    /// Thinking that only the provider can read.
    RedactedThinking {
        /// The sealed bytes as the provider spelt them.
        data: String,
    },
    /// The model asks for a call.
    ToolUse {
        /// The call's id: the runtime's own, unique in the session.
        id: String,
        /// The tool's name.
        name: String,
        /// The arguments: always a JSON object.
        input: Value,
    },
    /// What became of a call.
    ToolResult {
        /// The id of the call that is answered.
        id: String,
        /// The text for the model.
        content: String,
        /// Whether the call did not do its job.
        is_error: bool,
    },
}

impl Block {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }
}
