//! The result of a call: one value for the model, the log, the user interface and the command line. Knows nothing of
//! how a tool came to it.

use mewcode_core::diff;
use mewcode_core::text::Snapshot;
use ropey::Rope;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use crate::error::{ErrorKind, ToolError};

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The tool did its work (a command that exits non-zero did its work).
    Ok,
    /// The tool could not do its work.
    Failed,
    /// The user or a rule said no.
    Denied,
    /// The call was cancelled.
    Interrupted,
    /// Nobody can tell whether the effect happened.
    UnknownOutcome,
}

/// What a call left behind. A call ends in exactly one of these.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// How it ended.
    pub status: Status,
    /// The text for the model.
    pub content: String,
    /// Why it did not do its work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ToolError>,
    /// What happened to files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileChange>,
    /// What is missing from `content`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncation: Option<Truncation>,
    /// What it cost.
    #[serde(default)]
    pub metrics: Metrics,
}

impl ToolResult {
    /// The tool did its work.
    pub fn ok(content: impl Into<String>) -> ToolResult {
        ToolResult {
            status: Status::Ok,
            content: content.into(),
            error: None,
            files: Vec::new(),
            truncation: None,
            metrics: Metrics::default(),
        }
    }

    /// The tool did not do its work; status and content follow from the error.
    pub fn error(error: ToolError) -> ToolResult {
        ToolResult {
            status: error.kind.status(),
            content: error.to_string(),
            error: Some(error),
            ..ToolResult::ok("")
        }
    }

    /// The call was cancelled before it could end by itself.
    pub fn interrupted(content: impl Into<String>) -> ToolResult {
        ToolResult {
            status: Status::Interrupted,
            ..ToolResult::ok(content)
        }
    }

    /// Nobody can tell whether the effect happened.
    pub fn unknown_outcome(error: ToolError) -> ToolResult {
        ToolResult {
            status: Status::UnknownOutcome,
            ..ToolResult::error(error)
        }
    }

    /// Changes every text in it that a tool, or what it looked at, wrote.
    pub fn change_texts(&mut self, change: &impl Fn(&mut String)) {
        change(&mut self.content);
        if let Some(error) = &mut self.error {
            change(&mut error.message);
            change(&mut error.suggested_action);
            error
                .details
                .values_mut()
                .for_each(|value| change_strings(value, change));
        }
        for file in &mut self.files {
            change(&mut file.diff);
        }
    }

    /// Whether the tool did its work.
    pub fn is_ok(&self) -> bool {
        self.status == Status::Ok
    }
}

impl From<Result<ToolResult, ToolError>> for ToolResult {
    fn from(result: Result<ToolResult, ToolError>) -> ToolResult {
        result.unwrap_or_else(ToolResult::error)
    }
}

/// Changes every string in a value; names stay.
pub fn change_strings(value: &mut Value, change: &impl Fn(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(values) => values
            .iter_mut()
            .for_each(|value| change_strings(value, change)),
        Value::Object(values) => values
            .values_mut()
            .for_each(|value| change_strings(value, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// What happened to one file: always what really landed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// Relative to the workspace root with `/`, absolute if the file is in none or in a further root.
    pub path: String,
    /// Where the file is now, in the form of `path`; absent: where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<String>,
    /// Hash of the text before; absent: the file is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256_before: Option<String>,
    /// Hash of the text after; absent: the file is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256_after: Option<String>,
    /// Unified diff without file header.
    pub diff: String,
    /// Number of lines that came.
    pub added: usize,
    /// Number of lines that went.
    pub removed: usize,
}

impl FileChange {
    /// What happened to a file between two texts of it; none: there was no file, or is none.
    pub fn between(path: &str, before: Option<&Snapshot>, after: Option<&Snapshot>) -> FileChange {
        let (old, new) = (shown_lines(before), shown_lines(after));
        let counts = diff::counts(&diff::line_changes(&old, &new));
        FileChange {
            path: path.to_owned(),
            moved_to: None,
            sha256_before: before.map(|text| text.hash().to_string()),
            sha256_after: after.map(|text| text.hash().to_string()),
            diff: diff::unified(&old, &new, 3),
            added: counts.added,
            removed: counts.removed,
        }
    }
}

/// The lines of a text as a diff shows them: an empty file has none, although its logical text has one.
fn shown_lines(text: Option<&Snapshot>) -> Rope {
    match text {
        Some(text) if text.rope().len_bytes() > 1 || text.text().final_newline() => {
            text.rope().clone()
        }
        _ => Rope::new(),
    }
}

/// What is missing from the content of a result, and where it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Truncation {
    /// Lines shown; a part of a line counts as one.
    pub shown_lines: usize,
    /// Bytes shown.
    pub shown_bytes: usize,
    /// Lines that there are; of a file that is too large to be counted, those that are known of.
    pub total_lines: usize,
    /// Bytes that there are.
    pub total_bytes: usize,
    /// Where the rest is.
    pub rest: Rest,
}

/// Where the part of an output is that a result does not show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rest {
    /// The same call with these arguments goes on.
    Next {
        /// The 1-based line to go on with.
        offset: usize,
        /// How many bytes of that line were shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        byte_offset: Option<usize>,
    },
    /// The whole is in this file.
    Artifact {
        /// Its path.
        path: String,
    },
    /// The rest was not kept; a narrower call shows it.
    NotKept,
}

/// What a call cost.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metrics {
    /// From lookup to result, waiting for a person included.
    pub duration_ms: u64,
    /// How much of that the tool waited for something that goes on by itself: the same call may give another result then.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub waited_ms: u64,
    /// Bytes of `content`.
    pub output_bytes: usize,
    /// Of the program that was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// That ended the program that was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_and_content_follow_from_the_error() {
        assert_eq!(
            ToolResult::error(ToolError::no_match("x")).status,
            Status::Failed
        );
        assert_eq!(
            ToolResult::error(ToolError::rejected_by_user("x")).status,
            Status::Denied
        );
        let denied = ToolResult::error(ToolError::denied_by_policy(
            "The mode `plan` allows no change.",
        ));
        insta::assert_snapshot!(serde_json::to_string_pretty(&denied).unwrap(), @r#"
        {
          "status": "denied",
          "content": "denied_by_policy: The mode `plan` allows no change. Do not look for a way around it; do what is allowed and tell the user what is not.",
          "error": {
            "kind": "denied_by_policy",
            "message": "The mode `plan` allows no change.",
            "retryable": false,
            "suggested_action": "Do not look for a way around it; do what is allowed and tell the user what is not."
          },
          "metrics": {
            "duration_ms": 0,
            "output_bytes": 0
          }
        }
        "#);
    }

    #[test]
    fn a_result_survives_the_way_through_json() {
        let mut result = ToolResult::ok("text");
        result.truncation = Some(Truncation {
            shown_lines: 1,
            shown_bytes: 4,
            total_lines: 2,
            total_bytes: 9,
            rest: Rest::Next {
                offset: 2,
                byte_offset: None,
            },
        });
        result.files.push(FileChange {
            path: "a.rs".to_owned(),
            moved_to: None,
            sha256_before: None,
            sha256_after: Some("ab".to_owned()),
            diff: "@@".to_owned(),
            added: 1,
            removed: 0,
        });
        let json = serde_json::to_string(&result).unwrap();
        assert_eq!(serde_json::from_str::<ToolResult>(&json).unwrap(), result);
    }
}
