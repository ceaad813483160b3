//! What is said when a text has moved on since a change was made for it. Decides nothing.

use mewcode_core::diff;
use mewcode_core::position::LineRange;
use mewcode_core::text::Snapshot;

use crate::error::ToolError;
use crate::result::Rest;
use crate::truncate::{self, Bound, Keep};

/// As much of the meanwhile change as an error shows.
const SHOWN: Bound = Bound {
    lines: 60,
    bytes: 4096,
};

/// The refusal of a change made for `base` because `current` differs from it where the change would go: in these
/// lines of `current`.
pub fn stale_lines(
    display: &str,
    base: &Snapshot,
    current: &Snapshot,
    lines: &[LineRange],
) -> ToolError {
    let places = describe_lines(lines);
    let message = format!(
        "`{display}` has changed since it was read, in {places}, where this change would go. Nothing was changed."
    );
    stale(message, base, current)
        .suggest(format!(
            "Read {places} again and make the change for the present text."
        ))
        .with(
            "lines",
            lines
                .iter()
                .map(|range| vec![range.start.0 + 1, range.end.0.max(range.start.0 + 1)])
                .collect::<Vec<_>>(),
        )
}

/// The refusal of a change made for the whole of `base`, because `current` differs from it.
pub fn stale_text(display: &str, base: &Snapshot, current: &Snapshot) -> ToolError {
    stale(
        format!("`{display}` has changed since it was read. Nothing was changed."),
        base,
        current,
    )
}

fn stale(message: String, base: &Snapshot, current: &Snapshot) -> ToolError {
    let changes = diff::unified(base.rope(), current.rope(), 2);
    let shown = truncate::cut(&changes, SHOWN, Keep::Head, Rest::NotKept).text;
    let message = match shown.trim_end() {
        // The change is older than the text that was read last: another part was read since.
        "" => message,
        shown => format!("{message} The change meanwhile:\n{shown}"),
    };
    let (base, current) = (base.hash().to_string(), current.hash().to_string());
    ToolError::stale_file(message, Some(&base), Some(&current)).with("diff", shown)
}

/// "line 3", "lines 3-7", "lines 3-7 and 12": 1-based, as a reader counts.
pub(crate) fn describe_lines(lines: &[LineRange]) -> String {
    let one = |range: &LineRange| match (range.start.0 + 1, range.end.0) {
        (first, last) if last <= first => first.to_string(),
        (first, last) => format!("{first}-{last}"),
    };
    let word = match lines {
        [only] if only.end.0 <= only.start.0 + 1 => "line",
        _ => "lines",
    };
    match lines.iter().map(one).collect::<Vec<_>>().as_slice() {
        [] => "lines that are gone".to_owned(),
        [only] => format!("{word} {only}"),
        [head @ .., last] => format!("{word} {} and {last}", head.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use mewcode_core::position::LineIndex;

    use super::*;

    fn lines(start: usize, end: usize) -> LineRange {
        LineRange {
            start: LineIndex(start),
            end: LineIndex(end),
        }
    }

    #[test]
    fn lines_read_as_a_sentence() {
        assert_eq!(describe_lines(&[lines(2, 3)]), "line 3");
        assert_eq!(describe_lines(&[lines(2, 2)]), "line 3");
        assert_eq!(
            describe_lines(&[lines(2, 7), lines(11, 12)]),
            "lines 3-7 and 12"
        );
    }

    #[test]
    fn the_refusal_shows_both_hashes_and_what_changed() {
        let base = Snapshot::decode("one\ntwo\nthree\n");
        let current = Snapshot::decode("one\n2\nthree\n");
        let error = stale_lines("a.txt", &base, &current, &[lines(1, 2)]);
        insta::assert_snapshot!(error, @"
        stale_file: `a.txt` has changed since it was read, in line 2, where this change would go. Nothing was changed. The change meanwhile:
        @@ -1,3 +1,3 @@
         one
        -two
        +2
         three
        Read line 2 again and make the change for the present text.
        ");
        assert_eq!(error.details["expected_sha256"], base.hash().to_string());
        assert_eq!(error.details["actual_sha256"], current.hash().to_string());
        assert_eq!(error.details["lines"], serde_json::json!([[2, 2]]));
    }
}
