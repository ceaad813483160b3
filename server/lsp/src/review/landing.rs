//! Bringing an edit into a file, wherever its text lives: through the editor if it is open there, else to the disk.
//!
//! `files` removes and moves files, `saving` has the editor save what landed, `together` lands several open documents at
//! once. Knows nothing of hunks and decisions.

mod files;
mod saving;
mod together;

pub use files::Kept;
pub use together::Wish;

use crate::apply::{Applier, ApplyError, Receipt};
use crate::client::Profile;
use crate::documents::Documents;
use crate::held::Held;
use crate::peer::Peer;
use mewcode_core::carry::{Standing, standing};
use mewcode_core::diff::equal;
use mewcode_core::edit::Edit;
use mewcode_core::text::{LineEndings, Snapshot};
use mewcode_tools::disk::{self, Record, Scope};
use mewcode_tools::headless::{self, DiskEditor, Landed};
use mewcode_tools::port::{Destination, FileEdit};
use mewcode_tools::result::{ErrorKind, FileChange, ToolError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A file that edits land in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Its real path.
    pub path: PathBuf,
    /// Its path as the model and the user know it.
    pub display: String,
    /// Whether it existed when the edit was made.
    pub existed: bool,
    /// Whether it ends in a line break afterwards.
    pub final_newline: bool,
    /// Where its text is afterwards.
    pub destination: Destination,
}

impl Target {
    /// The path at which its text is afterwards; of a removed file: was.
    pub fn place(&self) -> &Path {
        match &self.destination {
            Destination::Same | Destination::Removed => &self.path,
            Destination::Moved { path, .. } => path,
        }
    }

    /// That path as the model and the user know it.
    pub fn shown_place(&self) -> &str {
        match &self.destination {
            Destination::Same | Destination::Removed => &self.display,
            Destination::Moved { display, .. } => display,
        }
    }

    /// The same file where it is afterwards, for what comes then.
    pub fn afterwards(&self) -> Self {
        Self {
            path: self.place().to_owned(),
            display: self.shown_place().to_owned(),
            destination: Destination::Same,
            ..self.clone()
        }
    }
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
    /// Of a removed file: what the disk held.
    pub kept: Option<Kept>,
    /// What else the model should know.
    pub notes: Vec<String>,
}

impl Landing {
    /// What landed, without the user's typing; the hash afterwards is that of the text with it.
    pub fn change(&self) -> FileChange {
        let result = self.result();
        let before =
            (self.target.existed || self.base.rope().len_bytes() > 1).then_some(&self.base);
        let after = match &self.target.destination {
            Destination::Removed => None,
            Destination::Same | Destination::Moved { .. } => result.as_ref(),
        };
        let mut change = FileChange::between(&self.target.display, before, after);
        match &self.target.destination {
            Destination::Removed => return change,
            Destination::Same => {}
            Destination::Moved { display, .. } => change.moved_to = Some(display.clone()),
        }
        change.sha256_after = Some(self.after.hash().to_string());
        change
    }

    /// The text as it is without the user's typing.
    pub fn result(&self) -> Option<Snapshot> {
        let result = self.edit.apply(&self.base).ok()?;
        // Mostly nobody typed, and the editor's snapshot has been hashed already.
        let untouched = equal(result.rope(), self.after.rope());
        Some(if untouched {
            self.after.clone()
        } else {
            result
        })
    }
}

/// Why an edit is not in its file, or may not be.
#[derive(Debug, Clone, thiserror::Error)]
pub enum LandError {
    /// The editor did not take it.
    #[error(transparent)]
    Editor(#[from] ApplyError),
    /// It is not on the disk.
    #[error("{}", .0.message)]
    Disk(#[from] ToolError),
}

impl LandError {
    /// The user changed the lines of the edit, so it may be made anew for those that are left.
    pub fn is_stale(&self) -> bool {
        match self {
            Self::Editor(error) => matches!(error, ApplyError::Stale { .. }),
            Self::Disk(error) => error.kind == ErrorKind::StaleFile,
        }
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
    /// What must not be written to the disk.
    held: Arc<Held>,
    /// The way to the disk.
    disk: DiskEditor,
    told_unsaved: AtomicBool,
}

impl Lander {
    /// A lander for the documents at the other end of `peer`, and for the disk.
    pub fn new(
        documents: Arc<Documents>,
        peer: Arc<Peer>,
        held: Arc<Held>,
        disk: DiskEditor,
    ) -> Self {
        Self {
            held,
            disk,
            applier: Applier::new(Arc::clone(&documents), Arc::clone(&peer)),
            documents,
            peer,
            told_unsaved: AtomicBool::new(false),
        }
    }

    /// The text of a file now: its buffer's if it is open, else the disk's; `None` if there is no such file.
    ///
    /// # Errors
    /// Neither can be trusted or read.
    pub fn present(&self, path: &Path) -> Result<Option<Snapshot>, LandError> {
        match self.documents.by_path(path) {
            None => disk_text(path),
            Some(document) => match document.untrusted {
                None => Ok(Some(document.snapshot)),
                Some(doubt) => Err(ApplyError::Unavailable(doubt.to_string()).into()),
            },
        }
    }

    /// Applies `edit`, made for `base`, and brings the file to its destination. The caller holds the document's turn.
    ///
    /// # Errors
    /// See [`LandError`].
    pub async fn land(
        &self,
        profile: &Profile,
        target: &Target,
        edit: &Edit,
        base: &Snapshot,
        label: &str,
    ) -> Result<Landing, LandError> {
        // Closed at this very moment, or before: the file is the disk's.
        if self.documents.by_path(&target.path).is_none() {
            return self.land_on_disk(target, edit, base);
        }
        let landing = match &target.destination {
            Destination::Same => {
                self.land_in_editor(profile, target, edit, base, label)
                    .await
            }
            Destination::Removed => self.remove(profile, target, edit, base, label).await,
            Destination::Moved { path, .. } => {
                self.relocate(profile, target, path, edit, base, label)
                    .await
            }
        };
        match landing {
            Err(LandError::Editor(ApplyError::NotOpen)) => {
                let landing = self.land_on_disk(target, edit, base);
                landing.or_else(|error| self.saved_and_closed(target, edit, base).ok_or(error))
            }
            landing => landing,
        }
    }

    /// The landing of an edit that was in the document when it was closed, and went to the disk with it.
    fn saved_and_closed(&self, target: &Target, edit: &Edit, base: &Snapshot) -> Option<Landing> {
        let after = disk_text(&target.path).ok()??;
        let landed = standing(edit, base, after.rope()) == Standing::Landed;
        (landed && target.destination == Destination::Same).then(|| Landing {
            target: target.clone(),
            base: base.clone(),
            edit: edit.clone(),
            after,
            kept: None,
            notes: Vec::new(),
        })
    }

    async fn land_in_editor(
        &self,
        profile: &Profile,
        target: &Target,
        edit: &Edit,
        base: &Snapshot,
        label: &str,
    ) -> Result<Landing, LandError> {
        let receipt = self
            .applier
            .apply(profile, &target.path, edit, base, label)
            .await?;
        Ok(self.settle(profile, target, receipt).await)
    }

    /// The landing of an edit that the editor has shown. A buffer that was clean before is saved.
    pub async fn settle(&self, profile: &Profile, target: &Target, receipt: Receipt) -> Landing {
        let mut landing = Landing {
            target: target.clone(),
            base: receipt.base,
            edit: receipt.edit,
            after: receipt.document.snapshot,
            kept: None,
            notes: Vec::new(),
        };
        if matches!(landing.after.text().endings(), LineEndings::Mixed(_)) {
            landing.notes.push(format!(
                "{} mixes LF and CRLF line endings: each old line keeps its own, new lines have the editor's.",
                target.shown_place()
            ));
        }
        self.bring_to_disk(profile, &receipt.document.uri, &mut landing)
            .await;
        landing
    }

    /// Brings the change to a file that is not open, if the present text lets it stand.
    fn land_on_disk(
        &self,
        target: &Target,
        edit: &Edit,
        base: &Snapshot,
    ) -> Result<Landing, LandError> {
        self.to_disk(target, edit, base, |file| self.disk.land(file))
    }

    /// Begins a record of a change of several files that are not open; see [`Lander::land_recorded`].
    pub fn record(&self) -> Record {
        self.disk.journal().begin(Scope::Several)
    }

    /// [`Lander::land`] for a file that is not open, as a part of a change that is recorded: the record can take it back
    /// byte by byte, and the next start does if this process is ended before it.
    ///
    /// # Errors
    /// As of [`Lander::land`].
    pub fn land_recorded(
        &self,
        target: &Target,
        edit: &Edit,
        base: &Snapshot,
        record: &mut Record,
    ) -> Result<Landing, LandError> {
        self.to_disk(target, edit, base, |file| {
            headless::land_recorded(file, record)
        })
    }

    fn to_disk(
        &self,
        target: &Target,
        edit: &Edit,
        base: &Snapshot,
        land: impl FnOnce(&FileEdit) -> Result<Landed, ToolError>,
    ) -> Result<Landing, LandError> {
        self.held.check(&target.path, &target.display)?;
        if let Destination::Moved { .. } = &target.destination {
            self.check_free(target)?;
        }
        let kept = match &target.destination {
            Destination::Removed => Kept::read(&target.path),
            Destination::Same | Destination::Moved { .. } => None,
        };
        let landed = land(&FileEdit {
            path: target.path.clone(),
            display: target.display.clone(),
            base: base.clone(),
            // A file that the agent made exists when a later decision is about it.
            existed: target.existed || target.path.exists(),
            edit: edit.clone(),
            final_newline: target.final_newline,
            destination: target.destination.clone(),
        })?;
        Ok(Landing {
            target: target.clone(),
            base: landed.before.unwrap_or_else(|| base.clone()),
            edit: landed.edit,
            after: landed.after,
            kept,
            notes: Vec::new(),
        })
    }
}

/// The text of a file on disk; `None` if there is no file.
fn disk_text(path: &Path) -> Result<Option<Snapshot>, LandError> {
    let text = disk::read(path, &path.display().to_string())?;
    Ok(text.map(Snapshot::new))
}

#[cfg(test)]
mod tests;
