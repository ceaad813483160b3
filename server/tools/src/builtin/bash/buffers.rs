//! Open documents around a command, which sees the disk alone: what it did not see, and what it changed under the editor.

use std::path::PathBuf;
use std::sync::Arc;

use mewcode_core::text::Snapshot;

use crate::blocking::on_a_thread;
use crate::contract::CallScope;
use crate::disk;
use crate::names;
use crate::overlay::Workspace;
use crate::search::Stamp;

/// The open documents of the workspace before a command.
#[derive(Default)]
pub(super) struct Before {
    /// Those that the disk has.
    saved: Vec<Open>,
    /// Those with unsaved changes, and what the disk had.
    unsaved: Vec<(Open, Option<Stamp>)>,
}

struct Open {
    path: PathBuf,
    display: String,
    text: Snapshot,
}

/// What a command did to a file that is open.
enum Done {
    Changed(Snapshot),
    Removed,
    Unreadable(String),
}

impl Before {
    pub(super) async fn of(scope: &CallScope) -> Before {
        let workspace = Arc::clone(&scope.workspace);
        on_a_thread(move || Before::look(&workspace)).await
    }

    fn look(workspace: &Workspace) -> Before {
        let guard = workspace.guard();
        let mut before = Before::default();
        let mut paths = workspace.editor().buffers();
        paths.sort();
        for path in paths {
            if guard.root_of(&path).is_none() {
                continue;
            }
            // One whose text is not known now is read anew by the editor, whatever happens here.
            let Some(Ok(text)) = workspace.editor().buffer(&path) else {
                continue;
            };
            let open = Open {
                display: guard.display(&path),
                path,
                text,
            };
            if disk::holds(&open.path, open.text.rope()) {
                before.saved.push(open);
            } else {
                let stamp = stamp(&open.path);
                before.unsaved.push((open, stamp));
            }
        }
        before
    }

    /// What the command does not see.
    pub(super) fn unseen(&self) -> Option<String> {
        let unsaved: Vec<&str> = self
            .unsaved
            .iter()
            .map(|(open, _)| open.display.as_str())
            .collect();
        (!unsaved.is_empty()).then(|| {
            format!(
                "The command did not see unsaved changes of: {}.",
                names::all(&unsaved)
            )
        })
    }

    /// Brings the documents up to date whose files the command changed. Returns what could not be done, a sentence each.
    pub(super) async fn brought_up_to_date(self, scope: &CallScope) -> Vec<String> {
        let Before { saved, unsaved } = self;
        let done =
            on_a_thread(move || saved.into_iter().filter_map(look_again).collect::<Vec<_>>());
        let mut notes = Vec::new();
        let editor = scope.workspace.editor();
        for (open, done) in done.await {
            let display = &open.display;
            match done {
                Done::Removed => notes.push(format!(
                    "`{display}` was removed, and is still open in the editor: tools see the editor's text."
                )),
                Done::Unreadable(error) => notes.push(format!(
                    "`{display}` was changed on disk, and the editor still has the earlier text, which tools see: {error}"
                )),
                Done::Changed(text) => {
                    if let Err(error) = editor.reload(&open.path, open.text, text).await {
                        notes.push(format!(
                            "`{display}` was changed on disk, and the editor still has the earlier text, which tools see: {} Ask the user to reload it before you edit it.",
                            error.message
                        ));
                    }
                }
            }
        }
        for (open, before) in unsaved {
            if stamp(&open.path) != before {
                notes.push(format!(
                    "`{}` was changed on disk and has unsaved changes in the editor: tools see the editor's text. Ask the user which of them counts.",
                    open.display
                ));
            }
        }
        notes
    }
}

/// What has become of a file that the disk had as the editor has it; none: it is as it was.
fn look_again(open: Open) -> Option<(Open, Done)> {
    if disk::holds(&open.path, open.text.rope()) {
        return None;
    }
    let done = match disk::read(&open.path, &open.display) {
        Ok(Some(text)) => Done::Changed(Snapshot::new(text)),
        Ok(None) => Done::Removed,
        Err(error) => Done::Unreadable(error.message),
    };
    Some((open, done))
}

fn stamp(path: &PathBuf) -> Option<Stamp> {
    let metadata = std::fs::symlink_metadata(path).ok()?;
    Some(Stamp::of(&metadata))
}
