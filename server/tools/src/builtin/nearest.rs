//! The refusal of an edit whose text stands nowhere, with what comes closest to it.

use mewcode_core::position::LineRange;

use crate::error::ToolError;
use crate::result::Rest;
use crate::staleness::describe_lines;
use crate::truncate::{self, Bound, Keep};

/// As much of the nearest region as a refusal shows.
const SHOWN: Bound = Bound {
    lines: 40,
    bytes: 4096,
};

/// A `no_match`. `message` leads to the place of the region, as in "What comes closest is".
pub(super) fn with_nearest(
    message: String,
    lines: LineRange,
    text: &str,
    differs: &str,
) -> ToolError {
    let shown = truncate::cut(text, SHOWN, Keep::Head, Rest::NotKept).text;
    let place = describe_lines(&[lines]);
    ToolError::no_match(format!(
        "{message} {place}:\n{}\nDifference: {differs}.",
        shown.trim_end_matches('\n'),
    ))
    .with(
        "nearest",
        serde_json::json!({ "lines": [lines.start.0 + 1, lines.end.0], "text": shown, "differs": differs }),
    )
}
