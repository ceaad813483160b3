//! A tool's result as the text that the model reads.
//!
//! Must not know any tool or provider.

use mewcode_tools::result::ToolResult;

/// The text of `result` for the model.
pub fn model_text(result: &ToolResult) -> String {
    result.content.clone()
}
