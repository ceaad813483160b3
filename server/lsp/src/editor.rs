//! The editor as the tools see it: open buffers to read, and changes that go through review and land by receipt.
//!
//! Implements the port of the tools crate over documents, review and landing.

mod after;
mod diagnosed;
mod query;
mod reload;

use crate::apply::ApplyError;
use crate::review::book::{NewFile, Origin, Outcome};
use crate::review::hunk::{When, split};
use crate::review::landing::{LandError, Landing, Target};
use crate::review::whole::{Place, Whole};
use crate::state::State;
use futures::FutureExt;
use mewcode_core::edit::{Edit, EditError};
use mewcode_core::position::LineRange;
use mewcode_core::text::Snapshot;
use mewcode_tools::port::{
    BoxFuture, ChangeOutcome, ChangeRequest, Destination, Editor, FileEdit, Query, QueryAnswer,
    Review,
};
use mewcode_tools::result::{FileChange, Status, ToolError};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The port's implementation for the connected editor.
pub struct ConnectedEditor {
    state: Arc<State>,
}

impl ConnectedEditor {
    /// The editor at the other end of the connection.
    pub fn new(state: Arc<State>) -> Self {
        Self { state }
    }
}

impl Editor for ConnectedEditor {
    fn buffer(&self, path: &Path) -> Option<Result<Snapshot, ToolError>> {
        let document = self.state.documents.by_path(path)?;
        Some(match document.untrusted {
            None => Ok(document.snapshot),
            Some(doubt) => Err(ToolError::unavailable(doubt.to_string())),
        })
    }

    fn buffers(&self) -> Vec<PathBuf> {
        self.state.documents.paths()
    }

    fn change<'a>(&'a self, request: ChangeRequest) -> BoxFuture<'a, ChangeOutcome> {
        // Before anybody is asked about it; where it lands it is looked at again.
        if let Err(error) = self.check_held(&request) {
            return std::future::ready(ChangeOutcome::failed(error)).boxed();
        }
        self.diagnosed(request).boxed()
    }

    fn reload<'a>(
        &'a self,
        path: &'a Path,
        from: Snapshot,
        to: Snapshot,
    ) -> BoxFuture<'a, Result<(), ToolError>> {
        async move { self.bring_up_to_date(path, &from, &to).await }.boxed()
    }

    fn query<'a>(&'a self, query: Query) -> BoxFuture<'a, Result<QueryAnswer, ToolError>> {
        self.ask_servers(query).boxed()
    }
}

impl ConnectedEditor {
    /// Whether one of the files that are to be written to the disk is held by the editor.
    fn check_held(&self, request: &ChangeRequest) -> Result<(), ToolError> {
        let closed = |file: &&FileEdit| self.state.documents.by_path(&file.path).is_none();
        request
            .files
            .iter()
            .filter(closed)
            .try_for_each(|file| self.state.held.check(&file.path, &file.display))
    }

    /// Carries the change through review and application, in the order that it wants.
    async fn carry_through(&self, request: ChangeRequest) -> ChangeOutcome {
        match request.review {
            Review::Before => self.ask(request).await,
            Review::After => self.apply(request).await,
        }
    }

    /// Shows the hunks and waits until each of them is decided and landed.
    async fn ask(&self, request: ChangeRequest) -> ChangeOutcome {
        let mut files = Vec::with_capacity(request.files.len());
        for file in &request.files {
            match hunks_before(file) {
                Ok(file) => files.push(file),
                Err(error) => return ChangeOutcome::failed(error),
            }
        }
        let paths: Vec<_> = files.iter().map(|file| file.target.path.clone()).collect();
        let (proposal, outcome) = self.state.book.enter(origin(&request), When::Before, files);
        for path in &paths {
            self.state.follow(path);
        }
        let mut outcome = outcome;
        tokio::select! {
            decided = &mut outcome => decided.map_or_else(|_| interrupted(Outcome::default()), summarise),
            () = request.cancel.cancelled() => {
                for path in self.state.book.withdraw(&proposal) {
                    self.state.publisher.publish(&path);
                }
                // What was being decided at that moment is waited for: its edit is on its way.
                interrupted(outcome.await.unwrap_or_default())
            }
        }
    }
}

fn origin(request: &ChangeRequest) -> Origin {
    Origin {
        session: request.session.clone(),
        call: request.call.clone(),
        tool: request.tool.clone(),
        reason: request.reason.clone(),
    }
}

fn target_of(file: &FileEdit) -> Target {
    Target {
        path: file.path.clone(),
        display: file.display.clone(),
        existed: file.existed,
        final_newline: file.final_newline,
        destination: file.destination.clone(),
    }
}

/// What the change does to the file as a whole, if anything.
fn whole(target: &Target, base: &Snapshot, edit: &Edit) -> Result<Option<Whole>, EditError> {
    let from = Place {
        path: target.path.clone(),
        display: target.display.clone(),
    };
    Whole::new(from, &target.destination, base, edit)
}

/// The hunks of a change that is not in the text yet: they stand at their old lines.
fn hunks_before(file: &FileEdit) -> Result<NewFile, ToolError> {
    let internal = |error: EditError| ToolError::internal(error.to_string());
    let after = file.edit.apply(&file.base).map_err(internal)?;
    let target = target_of(file);
    Ok(NewFile {
        whole: whole(&target, &file.base, &file.edit).map_err(internal)?,
        target: Target {
            destination: Destination::Same,
            ..target
        },
        base: file.base.clone(),
        text: file.base.clone(),
        hunks: hunks(&file.base, &after, file.existed)
            .into_iter()
            .map(|(lines, _, old, new)| (lines, old, new))
            .collect(),
    })
}

/// The hunks of a change that has landed: they stand at their new lines.
fn hunks_after(landing: &Landing) -> Option<NewFile> {
    let result = landing.result()?;
    let mut whole = whole(&landing.target, &landing.base, &landing.edit).ok()?;
    if let Some(whole) = &mut whole {
        whole.kept = landing.kept.clone();
    }
    Some(NewFile {
        whole,
        target: landing.target.afterwards(),
        base: landing.base.clone(),
        hunks: hunks(&landing.base, &result, landing.target.existed)
            .into_iter()
            .map(|(_, lines, old, new)| (lines, old, new))
            .collect(),
        text: result,
    })
}

/// The hunks from one text to another. A new file is one: an empty line in it is not the one of the empty text.
fn hunks(
    base: &Snapshot,
    after: &Snapshot,
    existed: bool,
) -> Vec<(LineRange, LineRange, String, String)> {
    let (old, new) = (base.rope(), after.rope());
    if existed || old.len_bytes() > 1 || old == new {
        return split(old, new);
    }
    let whole = |text: &Snapshot| LineRange::new(0, text.text().line_count());
    vec![(whole(base), whole(after), old.to_string(), new.to_string())]
}

/// The call's outcome once every hunk is decided.
fn summarise(outcome: Outcome) -> ChangeOutcome {
    let Outcome {
        landings,
        rejected,
        faults,
        feedback,
    } = outcome;
    let mut notes: Vec<String> = landings.iter().flat_map(|it| it.notes.clone()).collect();
    notes.dedup();
    let files = file_changes(&landings);
    let feedback = (!feedback.is_empty()).then(|| feedback.join("\n"));
    let mut change = ChangeOutcome {
        feedback: feedback.clone(),
        notes,
        ..ChangeOutcome::landed(files)
    };
    if let (true, Some((place, error))) = (landings.is_empty(), faults.first()) {
        let failed = failure(place, error);
        return ChangeOutcome {
            rejected,
            feedback,
            notes: change.notes,
            ..failed
        };
    }
    if landings.is_empty() && !rejected.is_empty() {
        let message = match &feedback {
            Some(words) => format!("The user rejected this change and said: {words}"),
            None => "The user rejected this change.".to_owned(),
        };
        let denied = ChangeOutcome::failed(ToolError::rejected_by_user(message));
        return ChangeOutcome {
            rejected,
            feedback,
            ..denied
        };
    }
    let failed = faults
        .iter()
        .map(|(place, error)| format!("Not applied: {place}: {error}"));
    change.notes.extend(failed);
    change.rejected = rejected;
    change
}

/// The call's outcome when the run was stopped: what had landed by then is told all the same.
fn interrupted(outcome: Outcome) -> ChangeOutcome {
    let files = file_changes(&outcome.landings);
    let notes = outcome
        .landings
        .into_iter()
        .flat_map(|it| it.notes)
        .collect();
    ChangeOutcome {
        status: Status::Interrupted,
        notes,
        rejected: outcome.rejected,
        ..ChangeOutcome::landed(files)
    }
}

/// Why nothing landed.
fn failure(place: &str, error: &LandError) -> ChangeOutcome {
    let error = match error {
        LandError::Disk(error) => return ChangeOutcome::failed(error.clone()),
        LandError::Editor(error) => error,
    };
    let message = format!("{place}: {error}.");
    let tool_error = match error {
        ApplyError::Stale {
            expected,
            actual,
            diff,
        } => ToolError::stale_file(
            message,
            Some(&expected.to_string()),
            Some(&actual.to_string()),
        )
        .with("user_diff", diff.clone()),
        ApplyError::TimedOut => ToolError::timed_out(message),
        ApplyError::Unsaved => ToolError::conflict(message),
        ApplyError::NotOpen | ApplyError::Refused(_) | ApplyError::Unavailable(_) => {
            ToolError::unavailable(message)
        }
        ApplyError::Unknown(_) => {
            return ChangeOutcome {
                status: Status::UnknownOutcome,
                ..ChangeOutcome::failed(ToolError::unavailable(message))
            };
        }
    };
    ChangeOutcome::failed(tool_error)
}

/// One entry a file, whatever the number of its landings.
fn file_changes(landings: &[Landing]) -> Vec<FileChange> {
    let mut files: Vec<FileChange> = Vec::new();
    for next in landings.iter().map(Landing::change) {
        match files.iter_mut().find(|file| file.path == next.path) {
            None => files.push(next),
            Some(file) => {
                file.sha256_after = next.sha256_after;
                file.diff.push_str(&next.diff);
                file.added += next.added;
                file.removed += next.removed;
            }
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_is_one_hunk_whatever_is_in_it() {
        let (empty, text) = (Snapshot::decode(""), Snapshot::decode("a\n\nb\n"));
        let hunks = |existed| hunks(&empty, &text, existed);
        assert_eq!(hunks(false).len(), 1);
        let (_, lines, old, new) = hunks(false).remove(0);
        assert_eq!(
            (lines, old.as_str(), new.as_str()),
            (LineRange::new(0, 3), "\n", "a\n\nb\n")
        );
    }

    #[test]
    fn what_could_not_be_applied_was_not_rejected_by_the_user() {
        let landing = Landing {
            target: Target {
                path: "/a".into(),
                display: "a".into(),
                existed: true,
                final_newline: true,
                destination: Destination::Same,
            },
            base: Snapshot::decode("one\n"),
            edit: Edit::new(&Snapshot::decode("one\n"), Vec::new()).unwrap(),
            after: Snapshot::decode("one\n"),
            kept: None,
            notes: Vec::new(),
        };
        let outcome = summarise(Outcome {
            landings: vec![landing],
            faults: vec![("a:3-3".into(), ApplyError::NotOpen.into())],
            ..Outcome::default()
        });
        assert_eq!(outcome.rejected, [""; 0]);
        assert_eq!(
            outcome.notes,
            ["Not applied: a:3-3: the document is not open in the editor"]
        );
    }
}
