//! A file that changed on disk under an open document: the document gets the new text as an edit, so that undo, marks and
//! views survive, and the editor is told that the disk has it, so that it asks nobody which of the two counts. An editor that
//! does the same by itself is waited for: an edit would make the document another than its file, and the editor leaves such a
//! one alone.

use super::ConnectedEditor;
use crate::apply::ApplyError;
use crate::protocol::{OnDisk, Save, SaveParams};
use mewcode_core::diff::equal;
use mewcode_core::edit::Edit;
use mewcode_core::text::Snapshot;
use mewcode_tools::result::ToolError;
use std::path::Path;
use std::time::Duration;

/// How long the editor may take to see that the disk has the text.
const TIMEOUT: Duration = Duration::from_secs(10);

/// How long an editor may take that looks at changed files by itself.
const OWN_RELOAD: Duration = Duration::from_secs(4);

const LABEL: &str = "MewCode: the file changed on disk";

impl ConnectedEditor {
    /// Brings the document from one text to another, which the disk has.
    ///
    /// # Errors
    ///
    /// The document has another text than the disk.
    pub(super) async fn bring_up_to_date(
        &self,
        path: &Path,
        from: &Snapshot,
        to: &Snapshot,
    ) -> Result<(), ToolError> {
        let profile = self.state.profile();
        if profile.features.reloads_itself {
            return self.await_own_reload(path, to).await;
        }
        if !profile.features.reload {
            let message = "this editor cannot be told that the disk has another text.";
            return Err(ToolError::unavailable(message));
        }
        let applier = self.state.applier();
        let _turn = applier.turn(path).await;
        let Some(document) = self.state.documents.by_path(path) else {
            // It was closed meanwhile: what counts is the disk.
            return Ok(());
        };
        if let Some(doubt) = document.untrusted {
            return Err(ToolError::unavailable(format!("{doubt}.")));
        }
        let present = document.snapshot;
        // An editor may have read the file again by itself.
        let is_known = [from, to]
            .iter()
            .any(|text| equal(text.rope(), present.rope()));
        if !is_known {
            return Err(changed_by_user());
        }
        let edit = Edit::between(&present, to.rope())
            .map_err(|error| ToolError::internal(error.to_string()))?;
        let receipt = applier
            .apply(profile, path, &edit, &present, LABEL)
            .await
            .map_err(refused)?;
        if !equal(receipt.document.snapshot.rope(), to.rope()) {
            return Err(changed_by_user());
        }
        let params = SaveParams {
            uri: receipt.document.uri,
            sha256: to.hash().to_string(),
            on_disk: Some(OnDisk {
                final_newline: to.text().final_newline(),
            }),
        };
        // The text is there. Where the editor goes on taking it for unsaved, it tells its user so.
        let _ = self.state.peer.request::<Save>(params, TIMEOUT).await;
        Ok(())
    }

    /// Waits until the editor shows the text by itself.
    async fn await_own_reload(&self, path: &Path, to: &Snapshot) -> Result<(), ToolError> {
        let mut events = self.state.documents.observe(path);
        let shown = async {
            loop {
                let Some(document) = self.state.documents.by_path(path) else {
                    return;
                };
                let is_there = equal(document.snapshot.rope(), to.rope());
                if document.untrusted.is_none() && is_there || events.recv().await.is_none() {
                    return;
                }
            }
        };
        tokio::time::timeout(OWN_RELOAD, shown).await.map_err(|_| {
            ToolError::unavailable(
                "the editor has not read the file again, and may have unsaved changes.",
            )
        })
    }
}

fn changed_by_user() -> ToolError {
    ToolError::conflict("the user changed it there meanwhile.")
}

fn refused(error: ApplyError) -> ToolError {
    match error {
        ApplyError::Stale { .. } => changed_by_user(),
        error => ToolError::unavailable(format!("{error}.")),
    }
}
