//! What went wrong in a call, in a form that a program can branch on and a model can act on: one closed list of
//! kinds, one constructor a kind, each with the action it suggests. Knows nothing of any single tool.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::result::Status;

/// The closed list of reasons for which a call does not do its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The arguments do not fit the schema, or contradict each other.
    InvalidArguments,
    /// The named thing does not exist.
    NotFound,
    /// The path names a directory where a file was needed.
    IsDirectory,
    /// The file is not text.
    BinaryFile,
    /// The file or the argument is larger than the tool handles.
    TooLarge,
    /// The agent would change what it has not read.
    NotRead,
    /// The text to replace does not occur.
    NoMatch,
    /// The text to replace occurs more than once.
    AmbiguousMatch,
    /// The call would change nothing.
    NoChange,
    /// The file is not what it was when it was read.
    StaleFile,
    /// The change collides with another change.
    Conflict,
    /// The patch cannot be parsed or placed.
    PatchInvalid,
    /// The user said no.
    RejectedByUser,
    /// The permission mode or a rule says no.
    DeniedByPolicy,
    /// The path leads out of the workspace.
    OutsideWorkspace,
    /// The path is closed to tools although it is in the workspace.
    ForbiddenPath,
    /// The time of the call is over.
    TimedOut,
    /// A program could not be started.
    SpawnFailed,
    /// A pattern does not parse.
    InvalidPattern,
    /// What the call needs is not there, or not now.
    Unavailable,
    /// The network failed.
    Network,
    /// A limit of use is reached.
    Quota,
    /// A fault of MewCode itself.
    Internal,
}

impl ErrorKind {
    /// The status of a call that ends with this kind: `denied` when somebody said no, else `failed`.
    pub fn status(self) -> Status {
        match self {
            ErrorKind::RejectedByUser | ErrorKind::DeniedByPolicy => Status::Denied,
            _ => Status::Failed,
        }
    }

    /// The name as it stands in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            ErrorKind::InvalidArguments => "invalid_arguments",
            ErrorKind::NotFound => "not_found",
            ErrorKind::IsDirectory => "is_directory",
            ErrorKind::BinaryFile => "binary_file",
            ErrorKind::TooLarge => "too_large",
            ErrorKind::NotRead => "not_read",
            ErrorKind::NoMatch => "no_match",
            ErrorKind::AmbiguousMatch => "ambiguous_match",
            ErrorKind::NoChange => "no_change",
            ErrorKind::StaleFile => "stale_file",
            ErrorKind::Conflict => "conflict",
            ErrorKind::PatchInvalid => "patch_invalid",
            ErrorKind::RejectedByUser => "rejected_by_user",
            ErrorKind::DeniedByPolicy => "denied_by_policy",
            ErrorKind::OutsideWorkspace => "outside_workspace",
            ErrorKind::ForbiddenPath => "forbidden_path",
            ErrorKind::TimedOut => "timed_out",
            ErrorKind::SpawnFailed => "spawn_failed",
            ErrorKind::InvalidPattern => "invalid_pattern",
            ErrorKind::Unavailable => "unavailable",
            ErrorKind::Network => "network",
            ErrorKind::Quota => "quota",
            ErrorKind::Internal => "internal",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Why a call did not do its work, and what to do next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("{kind}: {message}{}{suggested_action}", if message.contains('\n') { '\n' } else { ' ' })]
pub struct ToolError {
    /// Which reason.
    pub kind: ErrorKind,
    /// What happened, and to what.
    pub message: String,
    /// Whether the very same call may succeed when it is made again.
    pub retryable: bool,
    /// What to do next.
    pub suggested_action: String,
    /// Facts by kind: `expected_sha256`, `actual_sha256`, `lines`, `nearest`, …
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub details: Map<String, Value>,
}

impl ToolError {
    fn new(
        kind: ErrorKind,
        message: impl Into<String>,
        retryable: bool,
        action: &str,
    ) -> ToolError {
        ToolError {
            kind,
            message: message.into(),
            retryable,
            suggested_action: action.to_owned(),
            details: Map::new(),
        }
    }

    /// Replaces the suggested action by one that knows more.
    #[must_use]
    pub fn suggest(mut self, action: impl Into<String>) -> ToolError {
        self.suggested_action = action.into();
        self
    }

    /// Adds a fact.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> ToolError {
        self.details.insert(key.to_owned(), value.into());
        self
    }

    /// Puts where it happened before the message.
    #[must_use]
    pub fn at(mut self, place: &str) -> ToolError {
        self.message = format!("{place}: {}", self.message);
        self
    }

    /// See [`ErrorKind::InvalidArguments`].
    pub fn invalid_arguments(message: impl Into<String>) -> ToolError {
        Self::new(
            ErrorKind::InvalidArguments,
            message,
            false,
            "Correct the arguments and call again.",
        )
    }

    /// See [`ErrorKind::NotFound`].
    pub fn not_found(message: impl Into<String>) -> ToolError {
        Self::new(
            ErrorKind::NotFound,
            message,
            false,
            "Check the name and call again.",
        )
    }

    /// See [`ErrorKind::IsDirectory`].
    pub fn is_directory(display: &str) -> ToolError {
        Self::new(
            ErrorKind::IsDirectory,
            format!("`{display}` is a folder, not a file."),
            false,
            "Name a file in it.",
        )
    }

    /// See [`ErrorKind::BinaryFile`]. `what` names the kind of file with its article: "a PNG image".
    pub fn binary_file(display: &str, what: &str) -> ToolError {
        Self::new(
            ErrorKind::BinaryFile,
            format!("`{display}` is {what}, not text."),
            false,
            "Do not read or edit it as text; ask the user if its content matters.",
        )
        .with("file_kind", what)
    }

    /// See [`ErrorKind::TooLarge`].
    pub fn too_large(message: impl Into<String>) -> ToolError {
        Self::new(
            ErrorKind::TooLarge,
            message,
            false,
            "Work on a smaller part.",
        )
    }

    /// See [`ErrorKind::NotRead`].
    pub fn not_read(message: impl Into<String>) -> ToolError {
        Self::new(
            ErrorKind::NotRead,
            message,
            false,
            "Read it with read_file, then call again.",
        )
    }

    /// See [`ErrorKind::NoMatch`].
    pub fn no_match(message: impl Into<String>) -> ToolError {
        Self::new(
            ErrorKind::NoMatch,
            message,
            false,
            "Read the file again and copy the text exactly as it stands, without line numbers.",
        )
    }

    /// See [`ErrorKind::AmbiguousMatch`].
    pub fn ambiguous_match(message: impl Into<String>) -> ToolError {
        Self::new(
            ErrorKind::AmbiguousMatch,
            message,
            false,
            "Add lines around it to `old_string` until it is unique, or set `replace_all` to change every occurrence.",
        )
    }

    /// See [`ErrorKind::NoChange`].
    pub fn no_change(message: impl Into<String>) -> ToolError {
        Self::new(
            ErrorKind::NoChange,
            message,
            false,
            "If the file already is as it should be, go on; else say what is to change.",
        )
    }

    /// See [`ErrorKind::StaleFile`]. The hashes are of the text that the change was made for and of the text that is
    /// there.
    pub fn stale_file(
        message: impl Into<String>,
        expected: Option<&str>,
        actual: Option<&str>,
    ) -> ToolError {
        Self::new(
            ErrorKind::StaleFile,
            message,
            false,
            "Read the file again and make the change for its present text.",
        )
        .with("expected_sha256", expected.map(str::to_owned))
        .with("actual_sha256", actual.map(str::to_owned))
    }

    /// See [`ErrorKind::Conflict`].
    pub fn conflict(message: impl Into<String>) -> ToolError {
        Self::new(
            ErrorKind::Conflict,
            message,
            false,
            "Look at what is there now before you go on.",
        )
    }

    /// See [`ErrorKind::PatchInvalid`].
    pub fn patch_invalid(message: impl Into<String>) -> ToolError {
        Self::new(
            ErrorKind::PatchInvalid,
            message,
            false,
            "Correct the patch and send the whole of it again.",
        )
    }

    /// See [`ErrorKind::RejectedByUser`].
    pub fn rejected_by_user(message: impl Into<String>) -> ToolError {
        Self::new(
            ErrorKind::RejectedByUser,
            message,
            false,
            "Do not send the same change again; follow what the user said, or ask.",
        )
    }

    /// See [`ErrorKind::DeniedByPolicy`].
    pub fn denied_by_policy(message: impl Into<String>) -> ToolError {
        Self::new(
            ErrorKind::DeniedByPolicy,
            message,
            false,
            "Do not look for a way around it; do what is allowed and tell the user what is not.",
        )
    }

    /// See [`ErrorKind::OutsideWorkspace`].
    pub fn outside_workspace(message: impl Into<String>) -> ToolError {
        Self::new(
            ErrorKind::OutsideWorkspace,
            message,
            false,
            "Use a path inside the workspace; ask the user to add the folder to the workspace if it is needed.",
        )
    }

    /// See [`ErrorKind::ForbiddenPath`].
    pub fn forbidden_path(message: impl Into<String>) -> ToolError {
        Self::new(
            ErrorKind::ForbiddenPath,
            message,
            false,
            "Leave it alone, or ask the user to do it.",
        )
    }

    /// See [`ErrorKind::TimedOut`].
    pub fn timed_out(message: impl Into<String>) -> ToolError {
        Self::new(
            ErrorKind::TimedOut,
            message,
            true,
            "Make the work smaller, or try once more.",
        )
    }

    /// See [`ErrorKind::SpawnFailed`].
    pub fn spawn_failed(message: impl Into<String>) -> ToolError {
        Self::new(
            ErrorKind::SpawnFailed,
            message,
            false,
            "Check that the program exists and may be run.",
        )
    }

    /// See [`ErrorKind::InvalidPattern`].
    pub fn invalid_pattern(message: impl Into<String>) -> ToolError {
        Self::new(
            ErrorKind::InvalidPattern,
            message,
            false,
            "Correct the pattern and call again.",
        )
    }

    /// See [`ErrorKind::Unavailable`].
    pub fn unavailable(message: impl Into<String>) -> ToolError {
        Self::new(
            ErrorKind::Unavailable,
            message,
            true,
            "Try once more; if it stays so, tell the user.",
        )
    }

    /// See [`ErrorKind::Network`].
    pub fn network(message: impl Into<String>) -> ToolError {
        Self::new(
            ErrorKind::Network,
            message,
            true,
            "Try once more; if it stays so, tell the user.",
        )
    }

    /// See [`ErrorKind::Quota`].
    pub fn quota(message: impl Into<String>) -> ToolError {
        Self::new(
            ErrorKind::Quota,
            message,
            false,
            "Tell the user which limit is reached.",
        )
    }

    /// See [`ErrorKind::Internal`].
    pub fn internal(message: impl Into<String>) -> ToolError {
        Self::new(
            ErrorKind::Internal,
            message,
            false,
            "This is a fault of MewCode: try another way, and tell the user.",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_kind_is_its_name_in_json() {
        use ErrorKind::*;
        let kinds = [
            InvalidArguments,
            NotFound,
            IsDirectory,
            BinaryFile,
            TooLarge,
            NotRead,
            NoMatch,
            AmbiguousMatch,
            NoChange,
            StaleFile,
            Conflict,
            PatchInvalid,
            RejectedByUser,
            DeniedByPolicy,
            OutsideWorkspace,
            ForbiddenPath,
            TimedOut,
            SpawnFailed,
            InvalidPattern,
            Unavailable,
            Network,
            Quota,
            Internal,
        ];
        for kind in kinds {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
    }

    #[test]
    fn an_error_says_what_happened_and_what_to_do() {
        let error =
            ToolError::stale_file("`a.rs` changed since it was read.", Some("11"), Some("22"));
        insta::assert_snapshot!(error, @"stale_file: `a.rs` changed since it was read. Read the file again and make the change for its present text.");
        insta::assert_snapshot!(serde_json::to_string(&error).unwrap(), @r#"{"kind":"stale_file","message":"`a.rs` changed since it was read.","retryable":false,"suggested_action":"Read the file again and make the change for its present text.","details":{"actual_sha256":"22","expected_sha256":"11"}}"#);
    }
}
