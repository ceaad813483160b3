//! Removing and moving the files of open documents: asked of the editor, and done only when the documents and the disk
//! show it.
//!
//! A reply proves nothing here either: clients answer `applied: true` for a move onto another file that they skipped,
//! or throw unsent typing away with a deleted buffer. Never touches the disk itself.

use super::together::{Done, Wanted, unchanged};
use super::{Applier, ApplyError, Receipt, carry_to, versioned};
use crate::client::Profile;
use crate::documents::DocumentView;
use crate::peer::RequestError;
use crate::protocol::ApplyEditResult;
use crate::uri::uri_of;
use mewcode_core::carry::{Standing, standing};
use mewcode_core::edit::Edit;
use mewcode_core::text::Snapshot;
use mewcode_tools::port::Destination;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;
use tokio::time::Instant;
use tower_lsp::ls_types::{
    DeleteFile, DeleteFileOptions, DocumentChangeOperation, DocumentChanges, RenameFile,
    RenameFileOptions, ResourceOp, Uri, WorkspaceEdit,
};

/// How often a removal is sent to a client that takes its text for another version.
const TRIES: usize = 3;
/// How long the documents may take to show a removal or a move after the reply.
const ECHO: Duration = Duration::from_millis(1000);
/// How often the disk is looked at meanwhile.
const GLANCE: Duration = Duration::from_millis(20);

/// A file that the editor moved.
#[derive(Debug)]
pub enum Relocated {
    /// The document is open at its new path and shows the edit.
    Shown(Receipt),
    /// The file is at its new path, where the editor has not opened it.
    OnDisk {
        /// The text that the edit was applied to.
        base: Snapshot,
        /// The edit.
        edit: Edit,
    },
}

impl Applier {
    /// Has the editor remove the file of an open document that holds exactly `base`; returns the document as it was.
    /// The caller has made sure that nothing in it is unsaved, and holds its turn.
    ///
    /// # Errors
    /// See [`ApplyError`]; unless it is `Unknown`, the file and the buffer are as they were.
    pub async fn remove(
        &self,
        profile: &Profile,
        path: &Path,
        base: &Snapshot,
        label: &str,
    ) -> Result<DocumentView, ApplyError> {
        let nothing = Edit::new(base, Vec::new()).map_err(|error| refused(&error))?;
        if profile.features.apply_edit && profile.features.files {
            let wanted = Wanted {
                path,
                edit: &nothing,
                base,
                destination: &Destination::Removed,
            };
            return match self.alone(profile, wanted, label).await? {
                Done::Removed(document) => Ok(document),
                Done::Shown(_) => Err(ApplyError::NotOpen),
            };
        }
        if !profile.deletes_files {
            return Err(ApplyError::Refused(
                "it is open in the editor, which cannot be asked to delete an open file; close it there first"
                    .to_owned(),
            ));
        }
        if profile.quirks.deletes_unsent_typing {
            return Err(ApplyError::Refused(
                "it is open in the editor, which without MewCode's plugin would throw away what was typed in it a \
                 moment ago; close it there first"
                    .to_owned(),
            ));
        }
        let mut reason = String::new();
        for _ in 0..TRIES {
            let document = self.trusted(path)?;
            unchanged(&nothing, base, &document.snapshot)?;
            let uri = uri_from(&document.uri)?;
            // The edit changes nothing: it makes the client compare versions.
            let guard = versioned(profile, &document, uri.clone(), Vec::new());
            let operations = vec![
                DocumentChangeOperation::Edit(guard),
                DocumentChangeOperation::Op(ResourceOp::Delete(DeleteFile {
                    uri,
                    options: Some(DeleteFileOptions {
                        recursive: Some(false),
                        ignore_if_not_exists: Some(false),
                    }),
                    annotation_id: None,
                })),
            ];
            let reply = self.operate(operations, label).await;
            let gone = || self.documents.by_path(path).is_none() || !path.exists();
            if seen(&reply, gone).await {
                return Ok(document);
            }
            reason = unfulfilled(reply, "it removed the file, but it is still there")?;
        }
        Err(ApplyError::Refused(reason))
    }

    /// Has the editor move the file of an open document to a path where nothing is, with an edit that was made for
    /// `base`. The caller holds its turn.
    ///
    /// # Errors
    /// See [`ApplyError`]; unless it is `Unknown`, the file is where it was, without the edit.
    pub async fn relocate(
        &self,
        profile: &Profile,
        path: &Path,
        to: &Path,
        edit: &Edit,
        base: &Snapshot,
        label: &str,
    ) -> Result<Relocated, ApplyError> {
        if profile.features.apply_edit && profile.features.files {
            let destination = Destination::Moved {
                path: to.to_owned(),
                display: String::new(),
            };
            let wanted = Wanted {
                path,
                edit,
                base,
                destination: &destination,
            };
            return match self.alone(profile, wanted, label).await? {
                Done::Shown(receipt) => Ok(Relocated::Shown(receipt)),
                Done::Removed(_) => Err(ApplyError::NotOpen),
            };
        }
        if !profile.renames_files {
            return Err(ApplyError::Refused(
                "it is open in the editor, which cannot be asked to move an open file; close it there first".to_owned(),
            ));
        }
        // First the edit, which may turn out to be stale; the move then takes whatever the buffer holds along.
        let receipt = if edit.is_empty() {
            let document = self.trusted(path)?;
            Receipt {
                edit: carry_to(edit, base, &document.snapshot)?,
                base: document.snapshot.clone(),
                document,
            }
        } else {
            self.apply(profile, path, edit, base, label).await?
        };
        match self.rename(path, to, &receipt, label).await {
            Ok(Some(document)) => Ok(Relocated::Shown(Receipt {
                document,
                ..receipt
            })),
            Ok(None) => Ok(Relocated::OnDisk {
                base: receipt.base,
                edit: receipt.edit,
            }),
            Err(error @ ApplyError::Unknown(_)) => Err(error),
            Err(error) => {
                self.take_back(profile, path, &receipt, label).await?;
                Err(error)
            }
        }
    }

    /// One document by the plugin.
    async fn alone(
        &self,
        profile: &Profile,
        wanted: Wanted<'_>,
        label: &str,
    ) -> Result<Done, ApplyError> {
        let done = self.together(profile, &[wanted], label).await;
        let mut done = done.map_err(|broken| broken.error)?;
        done.pop().ok_or(ApplyError::NotOpen)
    }

    /// Renames the file of an open document, and gives the document at its new path if the editor has it open there.
    async fn rename(
        &self,
        path: &Path,
        to: &Path,
        receipt: &Receipt,
        label: &str,
    ) -> Result<Option<DocumentView>, ApplyError> {
        let new = uri_of(to).ok_or_else(|| {
            ApplyError::Refused(format!("{} cannot be told to the editor", to.display()))
        })?;
        let operation = ResourceOp::Rename(RenameFile {
            old_uri: uri_from(&receipt.document.uri)?,
            new_uri: new,
            options: Some(RenameFileOptions {
                overwrite: Some(false),
                ignore_if_exists: Some(false),
            }),
            annotation_id: None,
        });
        let reply = self
            .operate(vec![DocumentChangeOperation::Op(operation)], label)
            .await;
        if seen(&reply, || self.documents.by_path(to).is_some()).await
            && let Some(document) = self.documents.by_path(to)
        {
            let shown = standing(&receipt.edit, &receipt.base, document.snapshot.rope());
            if shown == Standing::Landed {
                return Ok(Some(document));
            }
            return Err(ApplyError::Unknown(
                "the file was moved, but its text at the new path is not the expected one"
                    .to_owned(),
            ));
        }
        if to.exists() && !path.exists() {
            return Ok(None);
        }
        let reason = unfulfilled(reply, "it moved the file, but it is where it was")?;
        Err(ApplyError::Refused(reason))
    }

    /// Takes an edit back whose file could not be moved afterwards.
    async fn take_back(
        &self,
        profile: &Profile,
        path: &Path,
        receipt: &Receipt,
        label: &str,
    ) -> Result<(), ApplyError> {
        if receipt.edit.is_empty() {
            return Ok(());
        }
        let edited = receipt.edit.apply(&receipt.base);
        let inverse = receipt.edit.invert(&receipt.base);
        let (edited, inverse) = match (edited, inverse) {
            (Ok(edited), Ok(inverse)) => (edited, inverse),
            (Err(error), _) | (_, Err(error)) => return Err(refused(&error)),
        };
        let taken_back = self.apply(profile, path, &inverse, &edited, label).await;
        taken_back.map(|_| ()).map_err(|error| {
            ApplyError::Unknown(format!(
                "the file could not be moved, and the change that was made before could not be taken back ({error})"
            ))
        })
    }

    async fn operate(
        &self,
        operations: Vec<DocumentChangeOperation>,
        label: &str,
    ) -> Result<ApplyEditResult, RequestError> {
        let edit = WorkspaceEdit {
            document_changes: Some(DocumentChanges::Operations(operations)),
            ..WorkspaceEdit::default()
        };
        self.send_standard(edit, label.to_owned()).await
    }
}

/// Waits until something is seen, for as long as the reply makes it likely.
async fn seen(reply: &Result<ApplyEditResult, RequestError>, is_so: impl Fn() -> bool) -> bool {
    let likely = match reply {
        Ok(reply) => reply.applied,
        Err(error) => matches!(error, RequestError::TimedOut { .. }),
    };
    let deadline = Instant::now() + if likely { ECHO } else { Duration::ZERO };
    loop {
        if is_so() {
            return true;
        }
        if Instant::now() >= deadline {
            return false;
        }
        tokio::time::sleep(GLANCE).await;
    }
}

/// What to say of a reply that nothing came of.
fn unfulfilled(
    reply: Result<ApplyEditResult, RequestError>,
    claim: &str,
) -> Result<String, ApplyError> {
    match reply {
        Ok(reply) if reply.applied => Ok(format!("the editor says that {claim}")),
        Ok(reply) => Ok(format!(
            "the editor refused: {}",
            reply
                .message
                .or(reply.reason)
                .as_deref()
                .unwrap_or("it gave no reason")
        )),
        Err(RequestError::Refused { message, .. }) => Ok(format!("the editor refused: {message}")),
        Err(RequestError::TimedOut { .. }) => Err(ApplyError::TimedOut),
        Err(error) => Err(ApplyError::Unknown(error.to_string())),
    }
}

fn uri_from(uri: &str) -> Result<Uri, ApplyError> {
    Uri::from_str(uri).map_err(|_| ApplyError::Refused(format!("{uri} is not a valid URI")))
}

fn refused(error: &mewcode_core::edit::EditError) -> ApplyError {
    ApplyError::Refused(error.to_string())
}
