//! What is written in the book: hunks by file, proposals by name. The book locks it; nothing here does.

use super::{Fate, FileView, Origin, Outcome};
use crate::review::hunk::{Hunk, When, line_by_line};
use crate::review::landing::Target;
use mewcode_core::text::Snapshot;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::oneshot;

#[derive(Debug, Default)]
pub(super) struct Pages {
    pub(super) files: BTreeMap<PathBuf, File>,
    pub(super) proposals: HashMap<String, Proposal>,
    pub(super) ids: u64,
}

#[derive(Debug)]
pub(super) struct File {
    pub(super) target: Target,
    pub(super) text: Snapshot,
    pub(super) hunks: Vec<Hunk>,
}

#[derive(Debug)]
pub(super) struct Proposal {
    pub(super) origin: Arc<Origin>,
    /// A later one has a greater number.
    pub(super) number: u64,
    pub(super) undecided: usize,
    pub(super) outcome: Outcome,
    pub(super) waiting: Option<oneshot::Sender<Outcome>>,
    /// Its call was stopped.
    pub(super) withdrawn: bool,
}

impl File {
    /// Carries the hunks to another text; true if that was needed.
    pub(super) fn look(&mut self, text: &Snapshot) -> bool {
        if self.text.ptr_eq(text) {
            return false;
        }
        let changes = line_by_line(self.text.rope(), text.rope());
        self.text = text.clone();
        if changes.is_empty() {
            return false;
        }
        for hunk in &mut self.hunks {
            hunk.follow(&changes, text);
        }
        true
    }
}

impl Pages {
    /// Adds hunks of a file to those that it has.
    pub(super) fn insert(&mut self, mut newcomers: File) {
        match self.files.entry(newcomers.target.path.clone()) {
            _ if newcomers.hunks.is_empty() => {}
            Entry::Vacant(place) => {
                place.insert(newcomers);
            }
            Entry::Occupied(mut place) => {
                let file = place.get_mut();
                // Both must speak of one text before they stand in one list.
                newcomers.look(&file.text);
                file.hunks.append(&mut newcomers.hunks);
                file.hunks.sort_by_key(|hunk| hunk.lines.start.0);
            }
        }
    }

    pub(super) fn look(&mut self, path: &Path, text: &Snapshot) -> bool {
        let Some(file) = self.files.get_mut(path) else {
            return false;
        };
        if !file.look(text) {
            return false;
        }
        let rope = text.rope();
        let undone: Vec<String> = file
            .hunks
            .iter()
            .filter(|hunk| hunk.is_undone(rope))
            .map(|hunk| hunk.id.clone())
            .collect();
        for id in undone {
            self.finish(&id, Fate::Done);
        }
        true
    }

    /// Whether a later applied hunk stands in the lines of a hunk, or touches them where one of both has no lines: what it
    /// took away may have been lines of the earlier one.
    pub(super) fn is_built_upon(&self, file: &File, hunk: &Hunk) -> bool {
        let number = |hunk: &Hunk| self.proposals.get(&hunk.proposal).map(|it| it.number);
        let own = hunk.lines;
        file.hunks.iter().any(|other| {
            let lines = other.lines;
            let meets = if own.is_empty() || lines.is_empty() {
                own.start <= lines.end && lines.start <= own.end
            } else {
                own.start < lines.end && lines.start < own.end
            };
            meets
                && other.when == When::After
                && other.whole.is_none()
                && number(other) > number(hunk)
        })
    }

    pub(super) fn view(&self, file: &File) -> FileView {
        FileView {
            target: file.target.clone(),
            text: file.text.clone(),
            hunks: file
                .hunks
                .iter()
                .filter_map(|hunk| {
                    let proposal = self.proposals.get(&hunk.proposal)?;
                    Some((hunk.clone(), Arc::clone(&proposal.origin)))
                })
                .collect(),
        }
    }

    pub(super) fn finish(&mut self, id: &str, fate: Fate) {
        let found = self.files.iter_mut().find_map(|(path, file)| {
            let at = file.hunks.iter().position(|hunk| hunk.id == id)?;
            let hunk = file.hunks.remove(at);
            Some((path.clone(), file.target.display.clone(), hunk))
        });
        let Some((path, display, hunk)) = found else {
            return;
        };
        if self
            .files
            .get(&path)
            .is_some_and(|file| file.hunks.is_empty())
        {
            self.files.remove(&path);
        }
        let Some(proposal) = self.proposals.get_mut(&hunk.proposal) else {
            return;
        };
        let place = match &hunk.whole {
            Some(whole) => whole.name(),
            None => format!(
                "{display}:{}-{}",
                hunk.lines.start.0 + 1,
                hunk.lines.end.0.max(hunk.lines.start.0 + 1)
            ),
        };
        match fate {
            Fate::Done => {}
            Fate::Rejected => proposal.outcome.rejected.push(place),
            Fate::Failed(error) => proposal.outcome.faults.push((place, error)),
        }
        proposal.undecided -= 1;
        if proposal.undecided == 0
            && let Some(mut proposal) = self.proposals.remove(&hunk.proposal)
        {
            proposal.close();
        }
    }
}

impl Proposal {
    pub(super) fn close(&mut self) {
        if let Some(waiting) = self.waiting.take() {
            // Nobody waits for a proposal that is reviewed after the fact.
            let _ = waiting.send(std::mem::take(&mut self.outcome));
        }
    }
}
