//! Bringing an edit into a file, wherever its text lives: through the editor if it is open there, else to the disk.
//!
//! A buffer that had no unsaved changes is saved afterwards by the editor, with its own hooks; one that had is left as
//! it is, and the landing says so. Knows nothing of hunks and decisions.

use crate::apply::{Applier, ApplyError, carry_to, stale};
use crate::client::Profile;
use crate::documents::Documents;
use crate::peer::Peer;
use crate::protocol::{DocumentHash, Save};
use mewcode_core::diff::{LineCounts, counts, line_changes, unified};
use mewcode_core::edit::Edit;
use mewcode_core::text::{LineEndings, Snapshot};
use mewcode_tools::disk::{self, Expected, WriteError, write_atomic};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How long the editor may take to save, formatters included.
const SAVE_TIMEOUT: Duration = Duration::from_secs(30);

/// A file that edits land in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Its real path.
    pub path: PathBuf,
    /// Its path as the model and the user know it.
    pub display: String,
    /// Whether it existed when the edit was made.
    pub existed: bool,
    /// For a new file: whether its last line ends in a line break.
    pub final_newline: bool,
}

/// An edit that is in its file.
#[derive(Debug, Clone)]
pub struct Landing {
    /// The file.
    pub target: Target,
    /// The text that it was applied to.
    pub base: Snapshot,
    /// The edit, carried to that text.
    pub edit: Edit,
    /// The text afterwards, possibly with the user's typing and a formatter's changes.
    pub after: Snapshot,
    /// What else the model should know.
    pub notes: Vec<String>,
}

impl Landing {
    /// What landed, as a unified diff without file header.
    pub fn diff(&self) -> String {
        self.result().map_or_else(String::new, |result| {
            unified(self.base.rope(), result.rope(), 3)
        })
    }

    /// Lines that it added and removed.
    pub fn counts(&self) -> LineCounts {
        self.result().map_or_else(
            || counts(&[]),
            |result| counts(&line_changes(self.base.rope(), result.rope())),
        )
    }

    /// The text as it is without the user's typing.
    pub fn result(&self) -> Option<Snapshot> {
        self.edit.apply(&self.base).ok()
    }
}

/// Brings edits into files.
#[derive(Debug)]
pub struct Lander {
    /// The open documents.
    pub documents: Arc<Documents>,
    /// The editor.
    pub peer: Arc<Peer>,
    /// The way into open documents.
    pub applier: Applier,
}

impl Lander {
    /// The text of a file now: its buffer's if it is open, else the disk's; `None` if there is no such file.
    ///
    /// # Errors
    /// `Unavailable` if neither can be trusted or read.
    pub fn present(&self, path: &Path) -> Result<Option<Snapshot>, ApplyError> {
        match self.documents.by_path(path) {
            None => disk_text(path),
            Some(document) => match document.untrusted {
                None => Ok(Some(document.snapshot)),
                Some(doubt) => Err(ApplyError::Unavailable(doubt.to_string())),
            },
        }
    }

    /// Removes a file that the agent made and of which nothing is left, unless it is open in the editor.
    pub fn remove_if_empty(&self, target: &Target) -> std::io::Result<()> {
        let is_empty = |text: &Snapshot| text.rope().len_bytes() <= 1;
        match disk_text(&target.path) {
            Ok(Some(text)) if is_empty(&text) && self.documents.by_path(&target.path).is_none() => {
                std::fs::remove_file(&target.path)
            }
            _ => Ok(()),
        }
    }

    /// Applies `edit`, made for `base`. The caller holds the document's turn.
    ///
    /// # Errors
    /// See [`ApplyError`].
    pub async fn land(
        &self,
        profile: &Profile,
        target: &Target,
        edit: &Edit,
        base: &Snapshot,
        label: &str,
    ) -> Result<Landing, ApplyError> {
        match self.documents.by_path(&target.path) {
            Some(document) => {
                let clean = matches!(
                    disk_text(&target.path),
                    Ok(Some(saved)) if saved.hash() == document.snapshot.hash()
                );
                let landing = self
                    .land_in_editor(profile, target, edit, base, label, clean)
                    .await;
                match landing {
                    // Closed at this very moment: the file is the disk's now.
                    Err(ApplyError::NotOpen) => land_on_disk(target, edit, base),
                    landing => landing,
                }
            }
            None => land_on_disk(target, edit, base),
        }
    }

    async fn land_in_editor(
        &self,
        profile: &Profile,
        target: &Target,
        edit: &Edit,
        base: &Snapshot,
        label: &str,
        clean: bool,
    ) -> Result<Landing, ApplyError> {
        let receipt = self
            .applier
            .apply(profile, &target.path, edit, base, label)
            .await?;
        let mut landing = Landing {
            target: target.clone(),
            base: receipt.base,
            edit: receipt.edit,
            after: receipt.document.snapshot,
            notes: Vec::new(),
        };
        if matches!(landing.after.text().endings(), LineEndings::Mixed(_)) {
            landing.notes.push(format!(
                "{} mixes LF and CRLF line endings: each old line keeps its own, new lines have the editor's.",
                target.display
            ));
        }
        let display = &target.display;
        if !clean {
            landing.notes.push(format!(
                "left unsaved: {display} had unsaved changes of the user before this edit, so it is changed in the \
                 editor but not on disk."
            ));
        } else if !profile.features.save {
            landing.notes.push(format!(
                "left unsaved: MewCode cannot save in this editor, so {display} is changed in the editor but not on \
                 disk until the user saves it."
            ));
        } else {
            self.save(&receipt.document.uri, target, &mut landing).await;
        }
        Ok(landing)
    }

    /// Has the editor save the landed text, and notes what came of it.
    async fn save(&self, uri: &str, target: &Target, landing: &mut Landing) {
        let display = &target.display;
        let shown = landing.after.clone();
        let params = DocumentHash {
            uri: uri.to_owned(),
            sha256: shown.hash().to_string(),
        };
        let failure = match self.peer.request::<Save>(params, SAVE_TIMEOUT).await {
            Ok(reply) if reply.saved => None,
            Ok(reply) => Some(
                reply
                    .reason
                    .unwrap_or_else(|| "no reason was given".to_owned()),
            ),
            Err(error) => Some(error.to_string()),
        };
        if let Some(reason) = failure {
            landing.notes.push(format!(
                "left unsaved: the editor did not save {display} ({reason}); its text is changed in the editor but \
                 not on disk."
            ));
            return;
        }
        if let Some(document) = self.documents.by_path(&target.path)
            && document.snapshot.hash() != shown.hash()
        {
            landing.notes.push(format!(
                "formatted on save by the editor, not by the user:\n{}",
                unified(shown.rope(), document.snapshot.rope(), 1)
            ));
            landing.after = document.snapshot;
        }
    }
}

/// The text of a file on disk; `None` if there is no file.
pub fn disk_text(path: &Path) -> Result<Option<Snapshot>, ApplyError> {
    match disk::read(path, &path.display().to_string()) {
        Ok(text) => Ok(text.map(Snapshot::new)),
        Err(error) => Err(ApplyError::Unavailable(error.message)),
    }
}

/// Writes the edit to a file that is not open, if the present text lets it stand.
fn land_on_disk(target: &Target, edit: &Edit, base: &Snapshot) -> Result<Landing, ApplyError> {
    let present = disk_text(&target.path)?;
    let expected = match &present {
        Some(text) => Expected::Text(text.hash()),
        None => Expected::Absent,
    };
    // A new file takes its line ending and its byte order mark from the text that it was planned with.
    let present = present.unwrap_or_else(|| base.clone());
    let edit = carry_to(edit, base, &present)?;
    let after = edit
        .apply(&present)
        .map_err(|error| ApplyError::Unavailable(error.to_string()))?;
    let after = match expected {
        Expected::Absent => Snapshot::new(
            after
                .text()
                .clone()
                .with_final_newline(target.final_newline),
        ),
        Expected::Text(_) => after,
    };
    let wire = after.text().wire();
    match write_atomic(&target.path, wire.as_bytes(), expected) {
        Ok(()) => Ok(Landing {
            target: target.clone(),
            base: present,
            edit,
            after,
            notes: Vec::new(),
        }),
        Err(WriteError::Changed(_)) => {
            let now = disk_text(&target.path)?.unwrap_or_else(|| Snapshot::decode(""));
            Err(stale(edit.base(), base, &now))
        }
        Err(error) => Err(ApplyError::Refused(format!(
            "{} cannot be written: {error}",
            target.display
        ))),
    }
}
