//! Saving what landed in an open document: by the editor, with its own hooks, and only what the user had saved before.
//!
//! A buffer that had unsaved changes is left as it is, and the landing says so.

use super::{Lander, Landing};
use crate::client::Profile;
use crate::documents::DocumentEvent;
use crate::protocol::{Save, SaveParams};
use mewcode_core::diff::{equal, unified};
use mewcode_tools::disk;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tower_lsp::ls_types::notification::ShowMessage;
use tower_lsp::ls_types::{MessageType, ShowMessageParams};

/// How long the editor may take to save, formatters included.
const SAVE_TIMEOUT: Duration = Duration::from_secs(30);

impl Lander {
    /// Has a landed text saved if the buffer had nothing unsaved before, and notes where it is not on disk.
    pub(super) async fn bring_to_disk(&self, profile: &Profile, uri: &str, landing: &mut Landing) {
        let display = landing.target.shown_place().to_owned();
        let path = landing.target.place();
        // Judged by the text that the edit met in the end. What is empty and not on disk yet has nothing unsaved. A file
        // that was moved took its old text along.
        let met = landing.base.rope();
        let is_new = met.len_bytes() <= 1 && !path.exists();
        let clean = is_new || disk::holds(path, met);
        if !is_new && disk::holds(path, landing.after.rope()) {
            // Moved without a change, or saved by the editor on the way.
            return;
        }
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
            self.save(uri, &display, landing).await;
        }
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
    async fn save(&self, uri: &str, display: &str, landing: &mut Landing) {
        let shown = landing.after.clone();
        let params = SaveParams {
            uri: uri.to_owned(),
            sha256: shown.hash().to_string(),
            on_disk: None,
        };
        let mut events = self.documents.observe(landing.target.place());
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
