//! What an edit did to the diagnostics of its documents: they are asked for before and after it, and the difference goes into
//! the call's outcome. Decides nothing, and an editor that does not answer changes nothing of the edit.

use super::ConnectedEditor;
use super::query::{diagnostics, file_diagnostics};
use crate::protocol::query::QueryParams;
use futures::future::join_all;
use mewcode_tools::port::{
    ChangeOutcome, ChangeRequest, Destination, Diagnostic, FileEdit, Review,
};
use mewcode_tools::result::Status;
use mewcode_tools::said;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long the language servers may take to say something of the new text.
const SETTLE: Duration = Duration::from_secs(1);
const SETTLE_WORDS: &str = "1 s";

/// How long the editor may take to answer at all.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Of a larger change nothing is asked: it is for a call of the tool for diagnostics.
const MAX_FILES: usize = 20;

/// What was wrong in an open file before the edit.
struct Before {
    path: PathBuf,
    display: String,
    diagnostics: Vec<Diagnostic>,
}

impl ConnectedEditor {
    /// Carries the change through, and tells what it did to the diagnostics of the open files among its own.
    pub(super) async fn diagnosed(&self, request: ChangeRequest) -> ChangeOutcome {
        if !self.state.profile().features.query || request.files.len() > MAX_FILES {
            return self.carry_through(request).await;
        }
        let (cancel, review) = (request.cancel.clone(), request.review);
        let files: Vec<(PathBuf, String)> = request
            .files
            .iter()
            .filter(|file| self.is_open(file))
            .map(|file| (file.path.clone(), file.display.clone()))
            .collect();
        // The question leaves first, and messages are taken in order: nothing waits for its answer.
        let (before, mut outcome) = futures::join!(self.before(files), self.carry_through(request));
        if outcome.status != Status::Ok {
            return outcome;
        }
        let landed = before.iter().filter(|file| {
            let landed = outcome.files.iter().find(|it| it.path == file.display);
            landed.is_some_and(|it| it.sha256_after.is_some() && it.moved_to.is_none())
        });
        let notes = join_all(landed.map(|file| self.since(file, review)));
        tokio::select! {
            biased;
            () = cancel.cancelled() => {}
            notes = notes => outcome.notes.extend(notes.into_iter().flatten()),
        }
        outcome
    }

    /// Whether the file stays where it is, and others may look at it as the editor shows it.
    fn is_open(&self, file: &FileEdit) -> bool {
        file.destination == Destination::Same && self.state.documents.by_path(&file.path).is_some()
    }

    async fn before(&self, files: Vec<(PathBuf, String)>) -> Vec<Before> {
        let asked = files.into_iter().map(|(path, display)| async move {
            let diagnostics = self.said_of(&path, None).await?;
            Some(Before {
                path,
                display,
                diagnostics,
            })
        });
        join_all(asked).await.into_iter().flatten().collect()
    }

    async fn since(&self, before: &Before, review: Review) -> Option<String> {
        let after = self.said_of(&before.path, Some(SETTLE)).await?;
        said::since_edit(
            &before.display,
            review,
            &before.diagnostics,
            &after,
            SETTLE_WORDS,
        )
    }

    /// What others say of a file; none: nobody answers, which is told where the model asks for it.
    async fn said_of(&self, path: &Path, settle: Option<Duration>) -> Option<Vec<Diagnostic>> {
        let params = QueryParams {
            settle_milliseconds: settle.map(|settle| settle.as_millis() as u64),
            ..diagnostics(Some(self.uri(path).ok()?))
        };
        let result = self.put(params, TIMEOUT).await.ok()?;
        if result.left_out > 0 {
            return None;
        }
        let files = result.diagnostics.into_iter().filter_map(file_diagnostics);
        Some(
            files
                .filter(|file| file.path == path)
                .flat_map(|file| file.diagnostics)
                .collect(),
        )
    }
}
