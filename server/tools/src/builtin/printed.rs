//! What a command printed, as the result of a call has it: for people, who read how the call ended in a line of its own.
//! Runs nothing.

use crate::result::{Status, ToolResult};

/// What a result says of a command that printed nothing.
pub(super) const NOTHING: &str = "It printed nothing.";

/// All that a result says below its first line, which tells how the command stands or ended.
pub(super) fn below_first_line(result: &ToolResult) -> Option<&str> {
    let (_, below) = result.content.split_once('\n')?;
    let below = below.trim_end();
    let is_shown = result.status != Status::Denied && !below.trim().is_empty() && below != NOTHING;
    is_shown.then_some(below)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ToolError;

    #[test]
    fn only_what_a_command_printed_is_shown() {
        let below = |content: &str| {
            let result = ToolResult::ok(content);
            below_first_line(&result).map(str::to_owned)
        };
        let printed = "Exit code 1 after 2 s.\n  left: 1\n right: 2\n";
        assert_eq!(below(printed).as_deref(), Some("  left: 1\n right: 2"));
        assert_eq!(below("Exit code 0 after 2 s.\nIt printed nothing.\n"), None);
        assert_eq!(below("Exit code 0 after 2 s.\n \n"), None);
        assert_eq!(below("Exit code 0 after 2 s."), None);
        let refused = ToolResult::error(ToolError::rejected_by_user("No.\nUse make."));
        assert_eq!(below_first_line(&refused), None);
    }
}
