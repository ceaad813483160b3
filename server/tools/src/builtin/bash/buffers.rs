//! Open documents around a command, which sees the disk alone: what it did not see, and what it changed under the editor.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mewcode_core::text::Snapshot;

use crate::blocking::on_a_thread;
use crate::disk;
use crate::names;
use crate::overlay::Workspace;
use crate::search::Stamp;

/// The open documents of the workspace as they were before a command, or when they were last looked at while it ran.
#[derive(Default)]
pub(super) struct Before {
    documents: Vec<Open>,
}

struct Open {
    path: PathBuf,
    display: String,
    /// What the editor had.
    text: Snapshot,
    /// Whether the disk had it too, or had it once and got another text from elsewhere.
    saved: bool,
    /// What the disk had.
    stamp: Option<Stamp>,
    /// What the disk had when it was told that the editor cannot be brought to that.
    told: Option<Option<Stamp>>,
}

/// What became of the file of an open document.
enum Done {
    Changed(Snapshot),
    Removed,
    Unreadable(String),
    /// The editor has unsaved changes, and the disk has another text than before.
    Divided,
}

impl Before {
    pub(super) async fn of(workspace: &Arc<Workspace>) -> Before {
        let workspace = Arc::clone(workspace);
        on_a_thread(move || Before::look(&workspace)).await
    }

    fn look(workspace: &Workspace) -> Before {
        let guard = workspace.guard();
        let mut documents = Vec::new();
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
            // Before it is read: what comes after that is seen the next time.
            let stamp = stamp(&path);
            documents.push(Open {
                display: guard.display(&path),
                saved: disk::holds(&path, text.rope()),
                path,
                text,
                stamp,
                told: None,
            });
        }
        Before { documents }
    }

    /// What the command does not see.
    pub(super) fn unseen(&self) -> Option<String> {
        let unsaved: Vec<&str> = self
            .documents
            .iter()
            .filter(|open| !open.saved)
            .map(|open| open.display.as_str())
            .collect();
        (!unsaved.is_empty()).then(|| {
            format!(
                "The command did not see unsaved changes of: {}.",
                names::all(&unsaved)
            )
        })
    }

    /// Brings the documents up to date whose files changed since. Returns how they are now, and what could not be done, a
    /// sentence each: each only once.
    pub(super) async fn brought_up_to_date(
        self,
        workspace: &Arc<Workspace>,
    ) -> (Before, Vec<String>) {
        let looked_at = Arc::clone(workspace);
        let looked = on_a_thread(move || {
            let now = Before::look(&looked_at).documents;
            let before = self.documents;
            now.into_iter()
                .map(|open| look_again(open, &before))
                .collect::<Vec<_>>()
        });
        let mut documents = Vec::new();
        let mut notes = Vec::new();
        for (mut open, done) in looked.await {
            if let Some(done) = done {
                notes.extend(open.put_in_order(done, workspace).await);
            }
            documents.push(open);
        }
        (Before { documents }, notes)
    }
}

impl Open {
    /// Returns what could not be done.
    async fn put_in_order(&mut self, done: Done, workspace: &Workspace) -> Option<String> {
        let display = &self.display;
        let note = match done {
            Done::Changed(text) => {
                let from = self.text.clone();
                let reloaded = workspace.editor().reload(&self.path, from, text.clone());
                let Err(error) = reloaded.await else {
                    self.text = text;
                    return None;
                };
                format!(
                    "`{display}` was changed on disk, and the editor still has the earlier text, which tools see: {} Ask the user to reload it before you edit it.",
                    error.message
                )
            }
            Done::Removed => format!(
                "`{display}` was removed, and is still open in the editor: tools see the editor's text."
            ),
            Done::Unreadable(error) => format!(
                "`{display}` was changed on disk, and the editor still has the earlier text, which tools see: {error}"
            ),
            Done::Divided => {
                return Some(format!(
                    "`{display}` was changed on disk and has unsaved changes in the editor: tools see the editor's text. Ask the user which of them counts."
                ));
            }
        };
        self.told = Some(self.stamp);
        Some(note)
    }
}

/// What has become of a document and its file; none: they are the same, or the file is as it was, or it has been told.
fn look_again(mut now: Open, before: &[Open]) -> (Open, Option<Done>) {
    let earlier = before.iter().find(|open| open.path == now.path);
    let Some(earlier) = earlier.filter(|_| !now.saved) else {
        return (now, None);
    };
    if !earlier.saved || earlier.text.hash() != now.text.hash() {
        // Of what the user has typed since, the disk may have the text that was there before.
        let is_same = now.stamp == earlier.stamp
            || earlier.saved && disk::holds(&now.path, earlier.text.rope());
        return (now, (!is_same).then_some(Done::Divided));
    }
    // Nobody has typed: the text came to the disk from elsewhere.
    now.saved = true;
    now.told = earlier.told;
    if now.told == Some(now.stamp) {
        return (now, None);
    }
    let done = match disk::read(&now.path, &now.display) {
        Ok(Some(text)) => Done::Changed(Snapshot::new(text)),
        Ok(None) => Done::Removed,
        Err(error) => Done::Unreadable(error.message),
    };
    (now, Some(done))
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = std::fs::symlink_metadata(path).ok()?;
    Some(Stamp::of(&metadata))
}
