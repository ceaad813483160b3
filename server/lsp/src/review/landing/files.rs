//! Removing and moving files, wherever their text lives, and bringing a removed one back.
//!
//! A file that is open is removed and moved by the editor, or not at all. Text that only the editor has is never
//! thrown away with its file.

use super::{LandError, Lander, Landing, Target, disk_text};
use crate::apply::files::Relocated;
use crate::apply::{ApplyError, stale};
use crate::client::Profile;
use mewcode_core::carry::{Standing, standing};
use mewcode_core::diff::equal;
use mewcode_core::edit::{Edit, EditError};
use mewcode_core::hash::ContentHash;
use mewcode_core::text::Snapshot;
use mewcode_tools::disk::{self, Expected};
use mewcode_tools::port::Destination;
use mewcode_tools::result::ToolError;
use std::fs;
use std::path::Path;

/// A removed file as the disk had it, so that it can come back byte by byte.
#[derive(Debug, Clone)]
pub struct Kept {
    bytes: Vec<u8>,
    permissions: fs::Permissions,
    hash: ContentHash,
}

impl Kept {
    /// What the disk has at this path; none if it cannot be read.
    pub fn read(path: &Path) -> Option<Self> {
        let permissions = fs::metadata(path).ok()?.permissions();
        let bytes = fs::read(path).ok()?;
        let text = disk_text(path).ok()??;
        // Both are of one file only if nobody writes it at this moment.
        (fs::read(path).ok()? == bytes).then(|| Self {
            bytes,
            permissions,
            hash: text.hash(),
        })
    }

    /// The bytes and the permission bits; none where permissions are no bits.
    pub fn parts(&self) -> Option<(&[u8], u32)> {
        #[cfg(unix)]
        let mode = Some(std::os::unix::fs::PermissionsExt::mode(&self.permissions));
        #[cfg(not(unix))]
        let mode = None;
        Some((&self.bytes, mode?))
    }

    /// What had these bytes and permission bits, and the text `base`.
    pub fn of_parts(bytes: Vec<u8>, mode: u32, base: &Snapshot) -> Option<Self> {
        #[cfg(unix)]
        let permissions = Some(std::os::unix::fs::PermissionsExt::from_mode(mode));
        #[cfg(not(unix))]
        let permissions = None.filter(|_: &fs::Permissions| mode > 0);
        Some(Self {
            bytes,
            permissions: permissions?,
            hash: base.hash(),
        })
    }
}

impl Lander {
    /// What must be so before the file of an open document is removed or moved. Gives what the disk has of one that is
    /// to be removed.
    pub(super) fn prepare(
        &self,
        target: &Target,
        base: &Snapshot,
    ) -> Result<Option<Kept>, LandError> {
        match &target.destination {
            Destination::Same => Ok(None),
            Destination::Moved { .. } => self.check_free(target).map(|()| None),
            Destination::Removed => {
                self.check_removable(target, base)?;
                Ok(Kept::read(&target.path))
            }
        }
    }

    /// Has the editor remove the file of an open document.
    pub(super) async fn remove(
        &self,
        profile: &Profile,
        target: &Target,
        edit: &Edit,
        base: &Snapshot,
        label: &str,
    ) -> Result<Landing, LandError> {
        let kept = self.prepare(target, base)?;
        let document = self
            .applier
            .remove(profile, &target.path, base, label)
            .await?;
        if target.path.exists() {
            // The editor let go of it and left it on disk: closed by the user, perhaps, at this moment.
            return Err(ApplyError::NotOpen.into());
        }
        let mut landing = removed(target, edit, &document.snapshot)?;
        landing.kept = kept;
        if self.documents.by_path(&target.path).is_some() {
            landing.notes.push(format!(
                "{} is gone from the disk, but the editor still shows its text: saving it there brings it back.",
                target.display
            ));
        }
        Ok(landing)
    }

    /// Has the editor move the file of an open document, with the edit in it.
    pub(super) async fn relocate(
        &self,
        profile: &Profile,
        target: &Target,
        to: &Path,
        edit: &Edit,
        base: &Snapshot,
        label: &str,
    ) -> Result<Landing, LandError> {
        self.prepare(target, base)?;
        let moved = self
            .applier
            .relocate(profile, &target.path, to, edit, base, label)
            .await?;
        let (base, edit) = match moved {
            Relocated::Shown(receipt) => return Ok(self.settle(profile, target, receipt).await),
            Relocated::OnDisk { base, edit } => (base, edit),
        };
        let there = disk_text(to)?;
        let Some(after) =
            there.filter(|text| standing(&edit, &base, text.rope()) == Standing::Landed)
        else {
            return Err(ApplyError::Unknown(format!(
                "the editor moved {} to {}, but the text there is not the expected one",
                target.display,
                target.shown_place()
            ))
            .into());
        };
        let still_open = self.documents.by_path(&target.path).is_some();
        let notes = still_open.then(|| {
            format!(
                "{} is on disk, but the editor still shows the text under its old name {}: saving it there brings \
                 that file back.",
                target.shown_place(),
                target.display
            )
        });
        Ok(Landing {
            target: target.clone(),
            base,
            edit,
            after,
            kept: None,
            notes: notes.into_iter().collect(),
        })
    }

    /// Brings a removed file back where it was, byte by byte. The caller holds the file's turn.
    ///
    /// # Errors
    /// There is a file or an open document with another text again, or it cannot be written.
    pub async fn restore(
        &self,
        profile: &Profile,
        target: &Target,
        base: &Snapshot,
        kept: Option<&Kept>,
    ) -> Result<(), LandError> {
        // Somebody may have written the file at the moment of its removal.
        let kept = kept.filter(|kept| kept.hash == base.hash());
        let text = base.text().wire();
        let bytes = kept.map_or(text.as_bytes(), |kept| kept.bytes.as_slice());
        match self.documents.by_path(&target.path) {
            None => {
                let written = disk::write_atomic(&target.path, bytes, Expected::Absent);
                written.map_err(|error| match error {
                    disk::WriteError::Changed(_) => taken(&target.display),
                    error => ToolError::unavailable(format!(
                        "`{}` cannot be written: {error}.",
                        target.display
                    )),
                })?;
            }
            // Looked at since, by its old name.
            Some(document) if is_blank(&document.snapshot) => {
                let blank = &document.snapshot;
                let internal = |error: EditError| ToolError::internal(error.to_string());
                let edit = Edit::between(blank, base.rope()).map_err(internal)?;
                let result = edit.apply(blank).map_err(internal)?;
                if result.text().wire().as_bytes() != bytes {
                    return Err(must_be_closed());
                }
                let target = Target {
                    existed: false,
                    destination: Destination::Same,
                    ..target.clone()
                };
                let label = format!("MewCode: bring {} back", target.display);
                self.land(profile, &target, &edit, blank, &label).await?;
            }
            Some(_) => return Err(must_be_closed()),
        }
        match kept {
            Some(kept) if target.path.exists() => {
                let set = fs::set_permissions(&target.path, kept.permissions.clone());
                set.map_err(|error| {
                    ToolError::unavailable(format!(
                        "`{}` is back, but not with the permissions that it had: {error}.",
                        target.display
                    ))
                    .into()
                })
            }
            _ => Ok(()),
        }
    }

    /// Removes a file that the agent made and of which nothing is left; where it is open, by the editor. The caller holds
    /// the file's turn.
    ///
    /// # Errors
    /// It is still there.
    pub async fn remove_if_empty(
        &self,
        profile: &Profile,
        target: &Target,
    ) -> Result<(), LandError> {
        let Some(empty) = disk_text(&target.path).ok().flatten().filter(is_blank) else {
            return Ok(());
        };
        if let Some(document) = self.documents.by_path(&target.path) {
            let blank = &document.snapshot;
            if !is_blank(blank) {
                return Ok(());
            }
            let target = Target {
                destination: Destination::Removed,
                ..target.clone()
            };
            let nothing = Edit::new(blank, Vec::new())
                .map_err(|error: EditError| ToolError::internal(error.to_string()))?;
            let label = format!("MewCode: remove {}, which is empty again", target.display);
            let removed = self.remove(profile, &target, &nothing, blank, &label).await;
            match removed {
                // Closed at this moment, with its file left on disk.
                Err(LandError::Editor(ApplyError::NotOpen)) => {}
                removed => return removed.map(|_| ()),
            }
        }
        match disk::remove(&target.path, empty.hash()) {
            // Somebody has put something in it.
            Ok(()) | Err(disk::WriteError::Changed(_)) => Ok(()),
            Err(error) => {
                Err(ToolError::unavailable(format!("`{}`: {error}.", target.display)).into())
            }
        }
    }

    /// Nothing may be where a file moves to: neither on disk nor in the editor.
    pub(super) fn check_free(&self, target: &Target) -> Result<(), LandError> {
        let to = target.place();
        if to.symlink_metadata().is_ok() || self.documents.by_path(to).is_some() {
            return Err(ToolError::conflict(format!(
                "`{}` cannot be moved to `{}`: something is there. Nothing was changed.",
                target.display,
                target.shown_place()
            ))
            .into());
        }
        Ok(())
    }

    /// An open file is removed only if its buffer holds what the agent saw, and the disk has it too: text that only the
    /// editor has would be lost with the file.
    fn check_removable(&self, target: &Target, base: &Snapshot) -> Result<(), LandError> {
        let Some(document) = self.documents.by_path(&target.path) else {
            return Ok(());
        };
        let present = &document.snapshot;
        if !equal(present.rope(), base.rope()) {
            return Err(stale(base.hash(), base, present).into());
        }
        if !disk::holds(&target.path, present.rope()) {
            return Err(ApplyError::Unsaved.into());
        }
        Ok(())
    }
}

/// A file that cannot come back as it was while a buffer of its name is open.
fn must_be_closed() -> LandError {
    let words = "it is open in the editor; close it there first, then its file can come back";
    ApplyError::Refused(words.to_owned()).into()
}

/// Whether a text is that of an empty file.
fn is_blank(text: &Snapshot) -> bool {
    text.rope().len_bytes() <= 1
}

/// The landing of a removal.
pub(super) fn removed(target: &Target, edit: &Edit, base: &Snapshot) -> Result<Landing, LandError> {
    let after = edit
        .apply(base)
        .map_err(|error| ToolError::internal(format!("`{}`: {error}.", target.display)))?;
    Ok(Landing {
        target: Target {
            destination: Destination::Removed,
            ..target.clone()
        },
        base: base.clone(),
        edit: edit.clone(),
        after,
        kept: None,
        notes: Vec::new(),
    })
}

fn taken(display: &str) -> ToolError {
    ToolError::stale_file(
        format!("`{display}` was created by somebody else meanwhile. Nothing was changed."),
        None,
        None,
    )
}
