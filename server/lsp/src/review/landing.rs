//! Bringing an edit into a file, wherever its text lives: through the editor if it is open there, else to the disk.
//!
//! A buffer that had no unsaved changes is saved afterwards by the editor, with its own hooks; one that had is left as
//! it is, and the landing says so. Knows nothing of hunks and decisions.

use crate::apply::{Applier, ApplyError};
use crate::client::Profile;
use crate::documents::{DocumentEvent, Documents};
use crate::peer::Peer;
use crate::protocol::{DocumentHash, Save};
use mewcode_core::diff::{equal, unified};
use mewcode_core::edit::Edit;
use mewcode_core::text::{LineEndings, Snapshot};
use mewcode_tools::port::{Destination, FileEdit};
use mewcode_tools::result::{ErrorKind, FileChange, ToolError};
use mewcode_tools::{disk, headless};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tower_lsp::ls_types::notification::ShowMessage;
use tower_lsp::ls_types::{MessageType, ShowMessageParams};

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
    /// Whether it ends in a line break afterwards.
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
    /// What landed, without the user's typing; the hash afterwards is that of the text with it.
    pub fn change(&self) -> FileChange {
        let result = self.result();
        let before =
            (self.target.existed || self.base.rope().len_bytes() > 1).then_some(&self.base);
        let mut change = FileChange::between(&self.target.display, before, result.as_ref());
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
    told_unsaved: AtomicBool,
}

impl Lander {
    /// A lander for the documents at the other end of `peer`.
    pub fn new(documents: Arc<Documents>, peer: Arc<Peer>) -> Self {
        Self {
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
    /// See [`LandError`].
    pub async fn land(
        &self,
        profile: &Profile,
        target: &Target,
        edit: &Edit,
        base: &Snapshot,
        label: &str,
    ) -> Result<Landing, LandError> {
        match self.documents.by_path(&target.path) {
            Some(_) => match self
                .land_in_editor(profile, target, edit, base, label)
                .await
            {
                // Closed at this very moment: the file is the disk's now.
                Err(LandError::Editor(ApplyError::NotOpen)) => land_on_disk(target, edit, base),
                landing => landing,
            },
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
    ) -> Result<Landing, LandError> {
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
        // Judged by the text that the edit met in the end. What is empty and not on disk yet has nothing unsaved.
        let met = landing.base.rope();
        let is_new = met.len_bytes() <= 1 && !target.path.exists();
        let clean = is_new || disk::holds(&target.path, met);
        let typed = !landing
            .result()
            .is_some_and(|result| equal(result.rope(), landing.after.rope()));
        if !clean {
            landing.notes.push(format!(
                "left unsaved: {display} had unsaved changes of the user before this edit, so it is changed in the \
                 editor but not on disk."
            ));
        } else if typed {
            landing.notes.push(format!(
                "left unsaved: the user typed in {display} while this edit was on its way, so it is changed in the \
                 editor but not on disk."
            ));
        } else if !profile.features.save {
            self.tell_unsaved();
            landing.notes.push(format!(
                "left unsaved: MewCode cannot save in this editor, so {display} is changed in the editor but not on \
                 disk until the user saves it."
            ));
        } else {
            self.save(&receipt.document.uri, target, &mut landing).await;
        }
        Ok(landing)
    }

    /// Tells the user, once, that saving is theirs.
    fn tell_unsaved(&self) {
        if !self.told_unsaved.swap(true, Ordering::Relaxed) {
            self.peer.notify::<ShowMessage>(&ShowMessageParams {
                typ: MessageType::INFO,
                message: "MewCode cannot save in this editor: what the agent changes in open files stays unsaved \
                          until you save it."
                    .to_owned(),
            });
        }
    }

    /// Has the editor save the landed text, and notes what came of it.
    async fn save(&self, uri: &str, target: &Target, landing: &mut Landing) {
        let display = &target.display;
        let shown = landing.after.clone();
        let params = DocumentHash {
            uri: uri.to_owned(),
            sha256: shown.hash().to_string(),
        };
        let mut events = self.documents.observe(&target.path);
        let saved = match self.peer.request::<Save>(params, SAVE_TIMEOUT).await {
            Ok(reply) if reply.saved => Ok(reply.sha256),
            Ok(reply) => Err(reply
                .reason
                .unwrap_or_else(|| "no reason was given".to_owned())),
            Err(error) => Err(error.to_string()),
        };
        let sha256 = match saved {
            Ok(sha256) => sha256,
            Err(reason) => {
                landing.notes.push(format!(
                    "left unsaved: the editor did not save {display} ({reason}); its text is changed in the editor \
                     but not on disk."
                ));
                return;
            }
        };
        // Everything that the formatters did was sent before the reply; what the user types came after it.
        let mut texts =
            std::iter::from_fn(|| events.try_recv().ok()).filter_map(|event| match event {
                DocumentEvent::Text(document) => Some(document.snapshot),
                DocumentEvent::Saved | DocumentEvent::Closed => None,
            });
        let formatted = match sha256 {
            Some(sha256) if sha256 == shown.hash().to_string() => None,
            Some(sha256) => texts.find(|text| text.hash().to_string() == sha256),
            None => texts.last().filter(|text| text.hash() != shown.hash()),
        };
        if let Some(formatted) = formatted {
            landing.notes.push(format!(
                "formatted on save by the editor, not by the user:\n{}",
                unified(shown.rope(), formatted.rope(), 1)
            ));
            landing.after = formatted;
        }
    }
}

/// The text of a file on disk; `None` if there is no file.
fn disk_text(path: &Path) -> Result<Option<Snapshot>, LandError> {
    let text = disk::read(path, &path.display().to_string())?;
    Ok(text.map(Snapshot::new))
}

/// Writes the edit to a file that is not open, if the present text lets it stand.
fn land_on_disk(target: &Target, edit: &Edit, base: &Snapshot) -> Result<Landing, LandError> {
    let landed = headless::land(&FileEdit {
        path: target.path.clone(),
        display: target.display.clone(),
        base: base.clone(),
        // A file that the agent made exists when a later decision is about it.
        existed: target.existed || target.path.exists(),
        edit: edit.clone(),
        final_newline: target.final_newline,
        destination: Destination::Same,
    })?;
    Ok(Landing {
        target: target.clone(),
        base: landed.before.unwrap_or_else(|| base.clone()),
        edit: landed.edit,
        after: landed.after,
        notes: Vec::new(),
    })
}
