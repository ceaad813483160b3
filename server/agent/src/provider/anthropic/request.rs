//! The body of a request as the Messages API spells it.
//!
//! Must not know connections or answers. The same conversation always makes the same bytes: the prompt cache lives on
//! it.

use serde::Serialize;
use serde_json::Value;

use crate::message::{Block, Message, Role};
use crate::provider::Request;

#[derive(Serialize)]
pub(super) struct Body<'a> {
    model: &'a str,
    max_tokens: u32,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Thinking>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<WireTool<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<WireBlock<'a>>,
    messages: Vec<WireMessage<'a>>,
}

#[derive(Serialize)]
struct Thinking {
    r#type: &'static str,
    budget_tokens: u32,
}

#[derive(Serialize)]
struct WireTool<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: &'a Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<Breakpoint>,
}

#[derive(Serialize)]
struct WireMessage<'a> {
    role: Role,
    content: Vec<WireBlock<'a>>,
}

/// Everything up to here is cached.
#[derive(Serialize)]
struct Breakpoint {
    r#type: &'static str,
}

const EPHEMERAL: Breakpoint = Breakpoint {
    r#type: "ephemeral",
};

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum WireBlock<'a> {
    Text {
        text: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<Breakpoint>,
    },
    Thinking {
        thinking: &'a str,
        signature: &'a str,
    },
    RedactedThinking {
        data: &'a str,
    },
    ToolUse {
        id: &'a str,
        name: &'a str,
        input: &'a Value,
    },
    ToolResult {
        tool_use_id: &'a str,
        content: &'a str,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<Breakpoint>,
    },
}

impl<'a> Body<'a> {
    /// The body of `request`, with its cache breakpoints after the tools, the system prompt and the last user turn.
    pub(super) fn new(request: &Request<'a>) -> Self {
        let mut tools: Vec<WireTool<'a>> = request
            .tools
            .iter()
            .map(|tool| WireTool {
                name: &tool.name,
                description: &tool.description,
                input_schema: &tool.schema,
                cache_control: None,
            })
            .collect();
        if let Some(last) = tools.last_mut() {
            last.cache_control = Some(EPHEMERAL);
        }
        let system = if request.system.trim().is_empty() {
            Vec::new()
        } else {
            vec![WireBlock::Text {
                text: request.system,
                cache_control: Some(EPHEMERAL),
            }]
        };
        let mut messages: Vec<WireMessage<'a>> =
            request.messages.iter().map(wire_message).collect();
        if let Some(last) = messages
            .iter_mut()
            .rfind(|message| message.role == Role::User)
            && let Some(
                WireBlock::Text { cache_control, .. } | WireBlock::ToolResult { cache_control, .. },
            ) = last.content.last_mut()
        {
            *cache_control = Some(EPHEMERAL);
        }
        Self {
            model: request.model,
            max_tokens: request.max_tokens,
            stream: true,
            thinking: request.thinking_budget.map(|budget_tokens| Thinking {
                r#type: "enabled",
                budget_tokens,
            }),
            tools,
            system,
            messages,
        }
    }
}

fn wire_message(message: &Message) -> WireMessage<'_> {
    let content = message
        .content
        .iter()
        .map(|block| match block {
            Block::Text { text } => WireBlock::Text {
                text,
                cache_control: None,
            },
            Block::Thinking { text, signature } => WireBlock::Thinking {
                thinking: text,
                signature,
            },
            Block::RedactedThinking { data } => WireBlock::RedactedThinking { data },
            Block::ToolUse { id, name, input } => WireBlock::ToolUse { id, name, input },
            Block::ToolResult {
                id,
                content,
                is_error,
            } => WireBlock::ToolResult {
                tool_use_id: id,
                content,
                is_error: *is_error,
                cache_control: None,
            },
        })
        .collect();
    WireMessage {
        role: message.role,
        content,
    }
}
