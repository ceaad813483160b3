//! Several open documents in one request to a plugin, removals and moves of their files included: all or none.
//!
//! The plugin compares every hash before it changes anything, and sends its changes before it answers. What it answers
//! is not believed all the same: each document must show its part, if only for a moment.

use super::{
    Applier, ApplyError, OVERTAKEN_LIMIT, PAUSE_AFTER, REPLY_TIMEOUT, Receipt, carry_to, stale,
    text_edits, wait_for_pause,
};
use crate::client::Profile;
use crate::documents::{DocumentEvent, DocumentView};
use crate::peer::RequestError;
use crate::protocol::{ApplyEdit, ApplyEditParams, DocumentEdits, FileOperation};
use crate::uri::uri_of;
use mewcode_core::carry::{Standing, standing};
use mewcode_core::diff::equal;
use mewcode_core::edit::Edit;
use mewcode_core::text::Snapshot;
use mewcode_tools::port::Destination;
use std::path::Path;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::Instant;

/// How long the documents may take to show what the plugin says that it did.
const ECHO: Duration = Duration::from_millis(1000);
/// How often they are looked at meanwhile.
const GLANCE: Duration = Duration::from_millis(10);
/// How often a request is sent that the plugin answers and does nothing of.
const IGNORED_LIMIT: usize = 3;

/// What is wanted of one open document.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// Its real path.
    pub path: &'a Path,
    /// The edit.
    pub edit: &'a Edit,
    /// The text that the edit was made for.
    pub base: &'a Snapshot,
    /// Where the text is afterwards.
    pub destination: &'a Destination,
}

/// What became of one document.
#[derive(Debug, Clone)]
pub enum Done {
    /// Its text shows the edit, at its destination.
    Shown(Receipt),
    /// Its file is removed; this is the document as it was.
    Removed(DocumentView),
}

/// Why not everything landed.
#[derive(Debug)]
pub struct Broken {
    /// What landed nevertheless, by its place in the list.
    pub landed: Vec<(usize, Done)>,
    /// Why the rest did not.
    pub error: ApplyError,
    /// Which one it is about, if one of them.
    pub at: Option<usize>,
}

impl Broken {
    fn nothing(error: ApplyError, at: Option<usize>) -> Self {
        Self {
            landed: Vec::new(),
            error,
            at,
        }
    }
}

/// A document as it is sent.
struct Part<'a> {
    wanted: Wanted<'a>,
    document: DocumentView,
    carried: Edit,
    /// What happens to the document where its text is afterwards.
    events: UnboundedReceiver<DocumentEvent>,
    /// The document as it showed the edit.
    shown: Option<DocumentView>,
}

impl Applier {
    /// Has the plugin change several open documents at once. The caller holds the turn of each.
    ///
    /// # Errors
    /// See [`Broken`]; mostly nothing landed.
    pub async fn together(
        &self,
        profile: &Profile,
        wanted: &[Wanted<'_>],
        label: &str,
    ) -> Result<Vec<Done>, Broken> {
        let mut ignored = 0;
        for attempt in 0..OVERTAKEN_LIMIT {
            if attempt >= PAUSE_AFTER
                && let Some(first) = wanted.first()
            {
                wait_for_pause(&mut self.documents.observe(first.path)).await;
            }
            let mut parts = self
                .parts(wanted)
                .map_err(|(at, error)| Broken::nothing(error, Some(at)))?;
            let documents = parts
                .iter()
                .map(|part| part.wire(profile))
                .collect::<Result<Vec<_>, _>>()
                .map_err(|error| Broken::nothing(error, None))?;
            // Making the request may have taken a while, and it is not sent yet.
            if parts.iter().any(|part| self.has_moved(part)) {
                continue;
            }
            let params = ApplyEditParams {
                label: label.to_owned(),
                documents,
            };
            let reply = self.peer.request::<ApplyEdit>(params, REPLY_TIMEOUT).await;
            let applied = reply.as_ref().is_ok_and(|reply| reply.applied);
            let timed_out = matches!(reply, Err(RequestError::TimedOut { .. }));
            let seen = self.look(&mut parts, applied || timed_out).await;
            if seen.len() == parts.len() {
                return Ok(seen.into_iter().map(|(_, done)| done).collect());
            }
            // What needed nothing proves nothing.
            let part: Vec<_> = seen
                .into_iter()
                .filter(|(at, _)| !parts[*at].is_idle())
                .collect();
            if !part.is_empty() {
                let words = "the editor did a part of it only".to_owned();
                return Err(Broken {
                    landed: part,
                    error: ApplyError::Unknown(words),
                    at: None,
                });
            }
            let moved = parts.iter().any(|part| self.has_moved(part));
            let refusal = match reply {
                // A stale text was sent by the plugin before it declined.
                Ok(_) if moved => continue,
                Ok(reply) if reply.applied => {
                    ignored += 1;
                    if ignored < IGNORED_LIMIT {
                        continue;
                    }
                    "the editor says that it applied the edit, but its text is unchanged".to_owned()
                }
                Ok(reply) => format!(
                    "the editor refused the edit: {}",
                    reply
                        .message
                        .or(reply.reason)
                        .as_deref()
                        .unwrap_or("it gave no reason")
                ),
                Err(RequestError::Refused { message, .. }) => {
                    format!("the editor refused the edit: {message}")
                }
                Err(RequestError::TimedOut { .. }) if !moved => {
                    return Err(Broken::nothing(ApplyError::TimedOut, None));
                }
                Err(error) => {
                    return Err(Broken::nothing(
                        ApplyError::Unknown(error.to_string()),
                        None,
                    ));
                }
            };
            return Err(Broken::nothing(ApplyError::Refused(refusal), None));
        }
        let words = format!(
            "the text changed each time before the edit arrived, {OVERTAKEN_LIMIT} times; try again in a pause"
        );
        Err(Broken::nothing(ApplyError::Refused(words), None))
    }

    /// The documents as they are, each with its edit for the present text.
    fn parts<'a>(&self, wanted: &[Wanted<'a>]) -> Result<Vec<Part<'a>>, (usize, ApplyError)> {
        let part = |wanted: &Wanted<'a>| {
            let events = self.documents.observe(wanted.place());
            let document = self.trusted(wanted.path)?;
            let carried = match wanted.destination {
                Destination::Removed => unchanged(wanted.edit, wanted.base, &document.snapshot)?,
                _ => carry_to(wanted.edit, wanted.base, &document.snapshot)?,
            };
            Ok(Part {
                wanted: *wanted,
                document,
                carried,
                events,
                shown: None,
            })
        };
        wanted
            .iter()
            .enumerate()
            .map(|(at, wanted)| part(wanted).map_err(|error| (at, error)))
            .collect()
    }

    /// The open document at this path, if its text can be trusted.
    pub(super) fn trusted(&self, path: &Path) -> Result<DocumentView, ApplyError> {
        let document = self.documents.by_path(path).ok_or(ApplyError::NotOpen)?;
        match &document.untrusted {
            None => Ok(document),
            Some(doubt) => Err(ApplyError::Unavailable(doubt.to_string())),
        }
    }

    fn has_moved(&self, part: &Part<'_>) -> bool {
        let present = self.documents.by_uri(&part.document.uri);
        !present.is_some_and(|it| it.snapshot.ptr_eq(&part.document.snapshot))
    }

    /// The documents that have shown their part; waited for if the plugin says that they do.
    async fn look(&self, parts: &mut [Part<'_>], expected: bool) -> Vec<(usize, Done)> {
        let patience = if expected { ECHO } else { Duration::ZERO };
        let deadline = Instant::now() + patience;
        loop {
            let seen: Vec<_> = parts
                .iter_mut()
                .enumerate()
                .filter_map(|(at, part)| Some((at, self.done(part)?)))
                .collect();
            if seen.len() == parts.len() || Instant::now() >= deadline {
                return seen;
            }
            tokio::time::sleep(GLANCE).await;
        }
    }

    fn done(&self, part: &mut Part<'_>) -> Option<Done> {
        let path = part.wanted.place();
        let present = self.documents.by_path(path);
        if *part.wanted.destination == Destination::Removed {
            return (present.is_none() && !path.exists())
                .then(|| Done::Removed(part.document.clone()));
        }
        part.hear();
        let document = match (&present, &part.shown) {
            (Some(document), shown) => match part.standing(document) {
                Standing::Landed => document,
                // Never there, or taken back because the rest could not be done.
                Standing::NotLanded => return None,
                // It was there, and what the user made of it since is theirs.
                Standing::Partial | Standing::Neither => shown.as_ref().and(Some(document))?,
            },
            (None, shown) => shown.as_ref()?,
        };
        Some(Done::Shown(Receipt {
            base: part.document.snapshot.clone(),
            edit: part.carried.clone(),
            document: document.clone(),
        }))
    }
}

impl Wanted<'_> {
    /// Where the text is afterwards; of a removed file: was.
    fn place(&self) -> &Path {
        match self.destination {
            Destination::Same | Destination::Removed => self.path,
            Destination::Moved { path, .. } => path,
        }
    }
}

impl Part<'_> {
    /// Takes in the texts that came since the last look: one may have shown the edit that the present one does not.
    fn hear(&mut self) {
        while let Ok(event) = self.events.try_recv() {
            if let DocumentEvent::Text(document) = event
                && self.shown.is_none()
                && self.standing(&document) == Standing::Landed
            {
                self.shown = Some(document);
            }
        }
    }

    fn standing(&self, document: &DocumentView) -> Standing {
        let base = &self.document.snapshot;
        standing(&self.carried, base, document.snapshot.rope())
    }

    /// Whether nothing is to be done.
    fn is_idle(&self) -> bool {
        self.carried.is_empty() && *self.wanted.destination == Destination::Same
    }

    fn wire(&self, profile: &Profile) -> Result<DocumentEdits, ApplyError> {
        let (edits, file) = match self.wanted.destination {
            Destination::Same => (text_edits(&self.document, &self.carried, profile), None),
            Destination::Removed => (Vec::new(), Some(FileOperation::Remove)),
            Destination::Moved { path, .. } => {
                let uri = uri_of(path).ok_or_else(|| {
                    ApplyError::Refused(format!("{} cannot be told to the editor", path.display()))
                })?;
                let uri = uri.as_str().to_owned();
                let edits = text_edits(&self.document, &self.carried, profile);
                (edits, Some(FileOperation::Move { uri }))
            }
        };
        Ok(DocumentEdits {
            uri: self.document.uri.clone(),
            version: self.document.version,
            sha256: self.document.snapshot.hash().to_string(),
            edits,
            file,
        })
    }
}

/// The edit, if it is for this very text: what takes a whole text away cannot be carried to another.
pub(super) fn unchanged(
    edit: &Edit,
    base: &Snapshot,
    present: &Snapshot,
) -> Result<Edit, ApplyError> {
    if equal(base.rope(), present.rope()) {
        Ok(edit.clone())
    } else {
        Err(stale(edit.base(), base, present))
    }
}
