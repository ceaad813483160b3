//! The book as it is written down: texts in wire form, so that nothing of them is lost. Pure.
//!
//! The text that a proposal was made for is not kept, only the one that its lines speak of: nobody waits any more who would
//! be told of the difference.

use super::book::{Contents, Entry, Origin};
use super::hunk::{Hunk, Restored, State, When};
use super::landing::{Kept, Target};
use super::whole::{Place, Whole};
use mewcode_core::edit::{Edit, Replacement};
use mewcode_core::position::{ByteRange, LineRange};
use mewcode_core::text::Snapshot;
use mewcode_tools::port::Destination;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The book.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredBook {
    proposals: Vec<StoredProposal>,
    /// The files.
    pub files: Vec<StoredFile>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredProposal {
    id: String,
    number: u64,
    session: String,
    call: String,
    tool: String,
    reason: String,
}

/// A file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredFile {
    /// Its real path.
    pub path: PathBuf,
    /// Its path as the user knows it.
    pub display: String,
    existed: bool,
    final_newline: bool,
    text: String,
    hunks: Vec<StoredHunk>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredHunk {
    id: String,
    proposal: String,
    after: bool,
    old: String,
    new: String,
    start: usize,
    end: usize,
    in_doubt: bool,
    whole: Option<StoredWhole>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredWhole {
    from: StoredPlace,
    to: Option<StoredPlace>,
    base: String,
    replacements: Vec<(usize, usize, String)>,
    kept: Option<StoredBytes>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredPlace {
    path: PathBuf,
    display: String,
}

/// What the disk had of a removed file: as text where it is text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredBytes {
    text: Option<String>,
    bytes: Vec<u8>,
    mode: u32,
}

/// What is written down is no book.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a hunk in it does not fit its text")]
pub struct Damaged;

impl StoredBook {
    /// The book's contents, written down.
    pub fn of(contents: &Contents) -> Self {
        let proposals = contents.proposals.iter().map(|entry| StoredProposal {
            id: entry.id.clone(),
            number: entry.number,
            session: entry.origin.session.clone(),
            call: entry.origin.call.clone(),
            tool: entry.origin.tool.clone(),
            reason: entry.origin.reason.clone(),
        });
        let files = contents
            .files
            .iter()
            .map(|(target, text, hunks)| StoredFile {
                path: target.path.clone(),
                display: target.display.clone(),
                existed: target.existed,
                final_newline: target.final_newline,
                text: text.text().wire(),
                hunks: hunks.iter().map(StoredHunk::of).collect(),
            });
        Self {
            proposals: proposals.collect(),
            files: files.collect(),
        }
    }

    /// The contents that were written down.
    ///
    /// # Errors
    /// They contradict themselves.
    pub fn contents(self) -> Result<Contents, Damaged> {
        let proposals = self.proposals.into_iter().map(|stored| Entry {
            id: stored.id,
            number: stored.number,
            origin: Arc::new(Origin {
                session: stored.session,
                call: stored.call,
                tool: stored.tool,
                reason: stored.reason,
            }),
        });
        let mut files = Vec::with_capacity(self.files.len());
        for file in self.files {
            let text = Snapshot::decode(&file.text);
            let target = Target {
                path: file.path,
                display: file.display,
                existed: file.existed,
                final_newline: file.final_newline,
                destination: Destination::Same,
            };
            let hunks = file.hunks.into_iter().map(|hunk| hunk.hunk(&text));
            files.push((target, text.clone(), hunks.collect::<Result<_, _>>()?));
        }
        Ok(Contents {
            files,
            proposals: proposals.collect(),
        })
    }
}

impl StoredFile {
    /// How much it holds, about.
    pub fn size(&self) -> usize {
        let hunks = self.hunks.iter().map(|hunk| {
            let whole = hunk.whole.as_ref();
            let kept = whole.and_then(|it| it.kept.as_ref());
            let kept = kept.map_or(0, |it| {
                it.text.as_ref().map_or(4 * it.bytes.len(), String::len)
            });
            hunk.old.len() + hunk.new.len() + whole.map_or(0, |it| 2 * it.base.len()) + kept
        });
        self.text.len() + hunks.sum::<usize>()
    }

    /// Every path that a decision about it may write.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let wholes = self.hunks.iter().filter_map(|hunk| hunk.whole.as_ref());
        let places = wholes.flat_map(|whole| std::iter::once(&whole.from).chain(&whole.to));
        std::iter::once(self.path.as_path()).chain(places.map(|place| place.path.as_path()))
    }

    /// Whether it is about to be removed or moved, and nothing else.
    pub fn is_about_to_go(&self) -> bool {
        (self.hunks.iter()).all(|hunk| hunk.whole.is_some() && !hunk.after)
    }
}

impl StoredHunk {
    fn of(hunk: &Hunk) -> Self {
        Self {
            id: hunk.id.clone(),
            proposal: hunk.proposal.clone(),
            after: hunk.when == When::After,
            old: hunk.old.clone(),
            new: hunk.new.clone(),
            start: hunk.lines.start.0,
            end: hunk.lines.end.0,
            in_doubt: hunk.restored.is_some_and(|it| it.in_doubt),
            whole: hunk.whole.as_deref().map(StoredWhole::of),
        }
    }

    fn hunk(self, text: &Snapshot) -> Result<Hunk, Damaged> {
        if self.start > self.end || self.end > text.text().line_count() {
            return Err(Damaged);
        }
        let whole = self.whole.map(StoredWhole::whole).transpose()?;
        let lines = LineRange::new(self.start, self.end);
        Ok(Hunk {
            id: self.id,
            proposal: self.proposal,
            when: if self.after {
                When::After
            } else {
                When::Before
            },
            state: if self.after {
                State::Applied
            } else {
                State::Proposed
            },
            old: self.old,
            new: self.new,
            base: text.clone(),
            lines,
            whole: whole.map(Arc::new),
            restored: self.in_doubt.then_some(Restored {
                lines,
                in_doubt: true,
            }),
        })
    }
}

impl StoredWhole {
    fn of(whole: &Whole) -> Self {
        let replacements = whole.edit.replacements().iter();
        let kept = whole.kept.as_ref().and_then(Kept::parts);
        Self {
            from: StoredPlace::of(&whole.from),
            to: whole.to.as_ref().map(StoredPlace::of),
            base: whole.base.text().wire(),
            replacements: replacements
                .map(|it| (it.range.start.0, it.range.end.0, it.text.clone()))
                .collect(),
            kept: kept.map(|(bytes, mode)| match std::str::from_utf8(bytes) {
                Ok(text) => StoredBytes {
                    text: Some(text.to_owned()),
                    bytes: Vec::new(),
                    mode,
                },
                Err(_) => StoredBytes {
                    text: None,
                    bytes: bytes.to_owned(),
                    mode,
                },
            }),
        }
    }

    fn whole(self) -> Result<Whole, Damaged> {
        let base = Snapshot::decode(&self.base);
        let replacements = self.replacements.into_iter().map(|(start, end, text)| {
            let ordered = start <= end;
            ordered.then(|| Replacement {
                range: ByteRange::new(start, end),
                text,
            })
        });
        let replacements: Option<_> = replacements.collect();
        let edit = Edit::new(&base, replacements.ok_or(Damaged)?).map_err(|_| Damaged)?;
        let (from, to) = (self.from.place(), self.to.map(StoredPlace::place));
        let mut whole = Whole::between(from, to, &base, &edit).map_err(|_| Damaged)?;
        whole.kept = self.kept.and_then(|kept| {
            let bytes = kept.text.map_or(kept.bytes, String::into_bytes);
            Kept::of_parts(bytes, kept.mode, &base)
        });
        Ok(whole)
    }
}

impl StoredPlace {
    fn of(place: &Place) -> Self {
        Self {
            path: place.path.clone(),
            display: place.display.clone(),
        }
    }

    fn place(self) -> Place {
        Place {
            path: self.path,
            display: self.display,
        }
    }
}
