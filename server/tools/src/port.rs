//! The ports: what the tools need from outside and a host implements. A language server puts its client's editor
//! behind them, the command line the disk. Knows no protocol.

use std::path::{Path, PathBuf};

use mewcode_core::edit::Edit;
use mewcode_core::text::Snapshot;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::error::ToolError;
use crate::result::{FileChange, Status};

mod query;
mod question;

pub use query::{
    Diagnostic, FileDiagnostics, Location, Place, Query, QueryAnswer, RenamedFile, Severity,
};
pub use question::{Answer, Asker, Choice, Nobody, Permission, Question, RuleKeeper, Subject};

/// A future that may be sent to another thread.
pub type BoxFuture<'a, T> = futures::future::BoxFuture<'a, T>;

/// The editor as the tools see it.
pub trait Editor: Send + Sync {
    /// The open document at this real path. `Err`: open, but its text cannot be trusted now (desynchronised).
    fn buffer(&self, path: &Path) -> Option<Result<Snapshot, ToolError>>;

    /// Real paths of all open documents.
    fn buffers(&self) -> Vec<PathBuf>;

    /// Carries a change through review and application; returns when every hunk is decided and landed, refused or
    /// given up. The future is never dropped: cancellation comes through `request.cancel` and still yields an
    /// outcome.
    fn change<'a>(&'a self, request: ChangeRequest) -> BoxFuture<'a, ChangeOutcome>;

    /// Brings the open document at this real path from the text `from` to the text `to`, which the disk has by now: as an
    /// edit that can be undone, and without a question about a file that changed behind the editor's back. Nobody's
    /// typing is touched: a document that no longer has the text `from` is left alone.
    ///
    /// # Errors
    ///
    /// The document still has another text than the disk.
    fn reload<'a>(
        &'a self,
        path: &'a Path,
        from: Snapshot,
        to: Snapshot,
    ) -> BoxFuture<'a, Result<(), ToolError>> {
        let _ = (from, to);
        Box::pin(async move {
            Err(ToolError::unavailable(format!(
                "`{}` is open in an editor that cannot be told that the disk has another text.",
                path.display()
            )))
        })
    }

    /// Puts a question to the user's own language servers. A dropped future withdraws it.
    ///
    /// # Errors
    ///
    /// Nobody answers it.
    fn query<'a>(&'a self, query: Query) -> BoxFuture<'a, Result<QueryAnswer, ToolError>> {
        let _ = query;
        Box::pin(async move {
            let mut error =
                ToolError::unavailable("There is no editor whose language servers could be asked.")
                    .suggest("Use grep and find_symbol, and run the project's own checks.");
            error.retryable = false;
            Err(error)
        })
    }
}

/// A change of files on its way to the editor.
#[derive(Clone, Debug)]
pub struct ChangeRequest {
    /// The session that wants it.
    pub session: String,
    /// The call that wants it, unique in the session.
    pub call: String,
    /// The tool that wants it.
    pub tool: String,
    /// Why, in the words of the caller; may be empty.
    pub reason: String,
    /// When the user is asked.
    pub review: Review,
    /// One entry a file.
    pub files: Vec<FileEdit>,
    /// Triggered when the call is to end.
    pub cancel: CancellationToken,
}

/// When the user decides on a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Review {
    /// Ask first.
    Before,
    /// Apply, review later.
    After,
}

/// A change of one file.
#[derive(Clone, Debug)]
pub struct FileEdit {
    /// The real path.
    pub path: PathBuf,
    /// The path as it is shown.
    pub display: String,
    /// The text that the edit was made for. Of a new file: the text of an empty one, with the line ending and the
    /// byte order mark that the file is to have.
    pub base: Snapshot,
    /// Whether the file was there, on disk or as a buffer.
    pub existed: bool,
    /// The change.
    pub edit: Edit,
    /// Whether the file ends in a line break afterwards.
    pub final_newline: bool,
    /// Where the text is afterwards.
    pub destination: Destination,
}

/// Where the text of a file is once a change has landed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Destination {
    /// Where it was.
    #[default]
    Same,
    /// Nowhere: the file is removed. The edit takes its whole text away.
    Removed,
    /// At another path, where nothing was. The edit is made on the way.
    Moved {
        /// The real path.
        path: PathBuf,
        /// The path as it is shown.
        display: String,
    },
}

/// What became of a change.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeOutcome {
    /// All landed: `ok`. Some: `ok` with `rejected`. None: why.
    pub status: Status,
    /// Why it did not land.
    pub error: Option<ToolError>,
    /// What really landed, one entry a file.
    pub files: Vec<FileChange>,
    /// What did not land because the user said no, one line each: `path:lines`.
    pub rejected: Vec<String>,
    /// What the user said to it.
    pub feedback: Option<String>,
    /// What else the model must know: `left unsaved: …`, `formatted on save by the editor: …`.
    pub notes: Vec<String>,
}

impl ChangeOutcome {
    /// Nothing landed, for this reason.
    pub fn failed(error: ToolError) -> ChangeOutcome {
        ChangeOutcome {
            status: error.kind.status(),
            error: Some(error),
            ..ChangeOutcome::landed(Vec::new())
        }
    }

    /// All of it landed.
    pub fn landed(files: Vec<FileChange>) -> ChangeOutcome {
        ChangeOutcome {
            status: Status::Ok,
            error: None,
            files,
            rejected: Vec::new(),
            feedback: None,
            notes: Vec::new(),
        }
    }
}
