//! Calls and their results in words: for the model, and in one line for people.
//!
//! Must not know any tool or provider.

use mewcode_core::patch::Patch;
use mewcode_tools::result::{FileChange, Rest, ToolResult};
use mewcode_tools::truncate::{self, Bound, Keep};
use serde_json::Value;

/// As many characters as fit a line that people read.
const LONGEST_LINE: usize = 120;

/// As many of the words that stand beside another.
const LONGEST_PURPOSE: usize = 80;

/// As much of what a command printed as is shown below its call.
const OUTPUT_LINES: usize = 60;
const OUTPUT_BYTES: usize = 8 * 1024;

/// What an argument is called that says most about a call, best first.
const TELLING: [&str; 8] = [
    "path",
    "file_path",
    "command",
    "pattern",
    "query",
    "url",
    "name",
    "symbol",
];

/// The text of `result` for the model. The runtime has put into it what is to be told: the error with what to do next, the
/// hashes and diffs of changed files, the mark where something is cut.
pub fn model_text(result: &ToolResult) -> String {
    let text = result.content.trim_end();
    // Providers refuse an empty block.
    if text.is_empty() {
        "(no output)".into()
    } else {
        text.into()
    }
}

/// A call in a few words: the tool and the argument that says most; of a patch, the files that it is about.
pub(crate) fn title(tool: &str, arguments: &Value) -> String {
    let telling = TELLING.iter().find_map(|name| arguments[*name].as_str());
    let files = || files_of_patch(arguments["patch"].as_str()?);
    match telling.map(str::to_owned).or_else(files) {
        Some(argument) => line(&format!("{tool} {argument}")),
        None => line(tool),
    }
}

/// What a call is for, as the model says it.
pub(crate) fn purpose(arguments: &Value) -> Option<String> {
    let purpose = shortened(arguments["description"].as_str()?, LONGEST_PURPOSE);
    (!purpose.is_empty()).then_some(purpose)
}

fn files_of_patch(patch: &str) -> Option<String> {
    let patch = Patch::parse(patch).ok()?;
    let files: Vec<&str> = patch.sections.iter().map(|section| section.path).collect();
    Some(files.join(", "))
}

/// What came of a call, in one line.
pub(crate) fn summary(result: &ToolResult) -> String {
    let files: Vec<String> = result.files.iter().map(landed).collect();
    match &result.error {
        Some(error) => line(&error.message),
        None if files.is_empty() => line(&result.content),
        None => line(&files.join(", ")),
    }
}

/// What a command printed, as much of it as people want to see at once.
pub(crate) fn output(printed: &str, result: &ToolResult) -> String {
    let whole = result.truncation.as_ref().map(|cut| cut.rest.clone());
    let rest = whole.filter(|rest| matches!(rest, Rest::Artifact { .. }));
    let bound = Bound {
        lines: OUTPUT_LINES,
        bytes: OUTPUT_BYTES,
    };
    let rest = rest.unwrap_or(Rest::NotKept);
    truncate::cut(printed, bound, Keep::HeadAndTail, rest).text
}

/// What happened to a file: "a.rs +2 −1", "a.rs removed", "a.rs → b.rs +2 −1".
fn landed(file: &FileChange) -> String {
    let path = &file.path;
    let counts = format!("+{} −{}", file.added, file.removed);
    match (&file.moved_to, &file.sha256_after) {
        (Some(to), _) if file.diff.is_empty() => format!("{path} → {to}"),
        (Some(to), _) => format!("{path} → {to} {counts}"),
        (None, None) => format!("{path} removed"),
        (None, Some(_)) => format!("{path} {counts}"),
    }
}

/// The first line that says something, cut to a readable length.
fn line(text: &str) -> String {
    shortened(text, LONGEST_LINE)
}

/// The first line that says something, without control characters, cut to so many characters.
fn shortened(text: &str, longest: usize) -> String {
    let first = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or_default();
    let clean: String = first
        .chars()
        .map(|character| {
            if character.is_control() {
                ' '
            } else {
                character
            }
        })
        .collect();
    match clean.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &clean[..end]),
        None => clean,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mewcode_tools::result::ToolError;
    use serde_json::json;

    fn change(path: &str) -> FileChange {
        FileChange {
            path: path.into(),
            moved_to: None,
            sha256_before: None,
            sha256_after: Some("0".into()),
            diff: "@@ -1 +1 @@\n-old\n+new\n".into(),
            added: 1,
            removed: 1,
        }
    }

    #[test]
    fn the_model_is_never_told_nothing() {
        let result = ToolResult::error(ToolError::not_found("`a.rs` does not exist."));
        assert_eq!(
            model_text(&result),
            "not_found: `a.rs` does not exist. Check the name and call again."
        );
        assert_eq!(model_text(&ToolResult::ok("  a\n")), "  a");
        assert_eq!(model_text(&ToolResult::ok(" \n")), "(no output)");
    }

    #[test]
    fn titles_and_summaries_are_one_readable_line() {
        assert_eq!(
            title("read_file", &json!({"limit": 3, "path": "src/a.rs"})),
            "read_file src/a.rs"
        );
        assert_eq!(title("list", &json!({})), "list");
        let patch = "*** Begin Patch\n*** Delete File: a.rs\n*** Add File: b.rs\n+b\n*** End Patch";
        assert_eq!(
            title("apply_patch", &json!({"patch": patch})),
            "apply_patch a.rs, b.rs"
        );
        assert_eq!(
            title("apply_patch", &json!({"patch": "none"})),
            "apply_patch"
        );
        assert_eq!(
            summary(&ToolResult::ok("\n  first\u{1b}[31m\nsecond")),
            "first [31m"
        );
        assert_eq!(
            summary(&ToolResult::error(ToolError::no_match(
                "`x` does not occur."
            ))),
            "`x` does not occur."
        );
        assert_eq!(
            summary(&ToolResult::ok("ü".repeat(500))).chars().count(),
            LONGEST_LINE + 1
        );
        let mut result = ToolResult::ok("whatever");
        result.files = vec![change("a.rs"), change("b.rs")];
        assert_eq!(summary(&result), "a.rs +1 −1, b.rs +1 −1");
    }

    #[test]
    fn a_purpose_is_a_short_line() {
        let told = |words: Value| purpose(&json!({"command": "x", "description": words}));
        assert_eq!(
            told(json!("Runs the tests")).as_deref(),
            Some("Runs the tests")
        );
        assert_eq!(told(json!(" \nRuns\u{7}\nmore")).as_deref(), Some("Runs "));
        let long = told(json!("é".repeat(200))).unwrap();
        assert_eq!(long, format!("{}…", "é".repeat(80)));
        for nothing in [json!(" "), json!(7), Value::Null] {
            assert_eq!(told(nothing), None);
        }
    }

    #[test]
    fn a_summary_tells_files_that_went_from_those_that_were_edited() {
        let moved = |diff: &str| FileChange {
            moved_to: Some("new/a.rs".into()),
            diff: diff.into(),
            ..change("a.rs")
        };
        let gone = FileChange {
            sha256_after: None,
            ..change("c.rs")
        };
        let mut result = ToolResult::ok("whatever");
        result.files = vec![moved("@@ -1 +1 @@\n"), moved(""), gone];
        assert_eq!(
            summary(&result),
            "a.rs → new/a.rs +1 −1, a.rs → new/a.rs, c.rs removed"
        );
    }
}
