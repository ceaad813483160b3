//! What is written in the book: hunks by file, proposals by name. The book locks it; nothing here does.

use super::{Fate, FileView, Origin, Outcome};
use crate::review::hunk::{Hunk, Restored, When, line_by_line};
use crate::review::landing::Target;
use mewcode_core::carry::{Standing, standing};
use mewcode_core::diff::{LineChange, equal};
use mewcode_core::edit::{Edit, Replacement};
use mewcode_core::text::Snapshot;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::oneshot;

#[derive(Debug, Default)]
pub(super) struct Pages {
    pub(super) files: BTreeMap<PathBuf, File>,
    pub(super) proposals: HashMap<String, Proposal>,
    pub(super) ids: u64,
    /// The number of the newest proposal.
    pub(super) number: u64,
    /// Counts the hunks that came and went.
    pub(super) entries: u64,
    /// Counts the changes of what stands in the book, moves with the text included.
    pub(super) revision: u64,
    /// Hunks that are as good as decided.
    pub(super) decided: HashSet<String>,
    /// What is to be told of hunks of an earlier server, a sentence each.
    pub(super) told: Vec<String>,
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
    /// Carries the hunks to another text; true if that was needed. A restored one goes there from the text that it was kept
    /// with.
    pub(super) fn look(&mut self, text: &Snapshot) -> bool {
        if self.text.ptr_eq(text) && !self.is_asleep() {
            return false;
        }
        let changes = line_by_line(self.text.rope(), text.rope());
        self.text = text.clone();
        let mut moved = !changes.is_empty();
        let mut kept: Option<(Snapshot, Vec<LineChange>)> = None;
        for hunk in &mut self.hunks {
            let Some(Restored { lines, .. }) = hunk.restored.take() else {
                if !changes.is_empty() {
                    hunk.follow(&changes, text);
                }
                continue;
            };
            moved = true;
            hunk.lines = lines;
            let changes = match &kept {
                Some((base, changes)) if base.ptr_eq(&hunk.base) => changes,
                _ => {
                    let changes = line_by_line(hunk.base.rope(), text.rope());
                    &kept.insert((hunk.base.clone(), changes)).1
                }
            };
            if !changes.is_empty() {
                hunk.follow(changes, text);
            }
        }
        if kept.is_some() {
            self.hunks.sort_by_key(|hunk| hunk.lines.start.0);
        }
        moved
    }

    fn is_asleep(&self) -> bool {
        self.hunks.iter().any(|hunk| hunk.restored.is_some())
    }

    /// Before the first look at a text since hunks were restored: whose edits stand in it already, because they were on
    /// their way when the earlier server ended, and which applied ones never came to it.
    fn sort_out(&self, text: &Snapshot) -> (Vec<String>, Vec<String>) {
        let mut waking: HashMap<(&str, When), Vec<&Hunk>> = HashMap::new();
        for hunk in &self.hunks {
            let Some(Restored { in_doubt, .. }) = hunk.restored else {
                continue;
            };
            // What has landed for sure is followed like any other.
            let is_doubtful = in_doubt || hunk.when == When::Before;
            if is_doubtful && hunk.whole.is_none() && !equal(hunk.base.rope(), text.rope()) {
                let hunks = waking.entry((&hunk.proposal, hunk.when)).or_default();
                hunks.push(hunk);
            }
        }
        let (mut landed, mut undone) = (Vec::new(), Vec::new());
        for ((_, when), hunks) in waking {
            // Mostly none of them: that is asked once.
            if standing_of(&hunks, text) == Standing::NotLanded {
                continue;
            }
            let there = hunks
                .into_iter()
                .filter(|hunk| standing_of(&[hunk], text) == Standing::Landed)
                .map(|hunk| hunk.id.clone());
            match when {
                When::Before => landed.extend(there),
                When::After => undone.extend(there),
            }
        }
        (landed, undone)
    }
}

/// Whether the decisions about restored hunks of one text stand in a later one: proposals accepted, changes taken back.
fn standing_of(hunks: &[&Hunk], text: &Snapshot) -> Standing {
    let Some(base) = hunks.first().map(|hunk| &hunk.base) else {
        return Standing::NotLanded;
    };
    let replacements = hunks.iter().filter_map(|hunk| {
        Some(Replacement {
            range: hunk.restored?.lines.bytes(base.rope()),
            text: match hunk.when {
                When::Before => hunk.new.clone(),
                When::After => hunk.old.clone(),
            },
        })
    });
    match Edit::new(base, replacements.collect()) {
        Ok(edit) => standing(&edit, base, text.rope()),
        // They overlap since the user joined them: each is asked for itself.
        Err(_) => Standing::Neither,
    }
}

impl Pages {
    /// Adds hunks of a file to those that it has.
    pub(super) fn insert(&mut self, mut newcomers: File) {
        if newcomers.hunks.is_empty() {
            return;
        }
        self.entries += 1;
        self.revision += 1;
        // A new proposal is for the present text, which restored hunks have not seen yet.
        if !newcomers.is_asleep() {
            let (path, text) = (newcomers.target.path.clone(), newcomers.text.clone());
            if self.is_asleep(&path) {
                self.look(&path, &text);
            }
        }
        match self.files.entry(newcomers.target.path.clone()) {
            Entry::Vacant(place) => {
                place.insert(newcomers);
            }
            Entry::Occupied(mut place) => {
                let file = place.get_mut();
                // Both must speak of one text before they stand in one list. Restored ones have yet to see it.
                if !newcomers.is_asleep() {
                    newcomers.look(&file.text);
                }
                file.hunks.append(&mut newcomers.hunks);
                file.hunks.sort_by_key(|hunk| hunk.lines.start.0);
            }
        }
    }

    pub(super) fn look(&mut self, path: &Path, text: &Snapshot) -> bool {
        let waking = self.is_asleep(path);
        let Some(file) = self.files.get_mut(path) else {
            return false;
        };
        let (landed, never_there) = match waking {
            true => file.sort_out(text),
            false => Default::default(),
        };
        let mut undone = Vec::new();
        if !file.look(text) {
            return false;
        }
        let rope = text.rope();
        for hunk in &file.hunks {
            if hunk.is_undone(rope) && !never_there.contains(&hunk.id) {
                undone.push(hunk.id.clone());
            }
        }
        self.revision += 1;
        if waking {
            let display = file.target.display.clone();
            self.tell_ended(&display, landed.len(), undone.len());
        }
        // What never came to the text, nobody has seen: nothing is to be told of it.
        for id in landed.into_iter().chain(undone).chain(never_there) {
            self.finish(&id, Fate::Done);
        }
        true
    }

    /// Whether the file has hunks of an earlier server that have not seen a text yet.
    pub(super) fn is_asleep(&self, path: &Path) -> bool {
        self.files.get(path).is_some_and(File::is_asleep)
    }

    /// Hunks of an earlier server do not end in silence.
    fn tell_ended(&mut self, display: &str, landed: usize, undone: usize) {
        let changes = |count: usize| match count {
            1 => "one change".to_owned(),
            count => format!("{count} changes"),
        };
        if landed > 0 {
            self.told.push(format!(
                "{} of {display} that you had accepted before the restart came through: it is in the text.",
                changes(landed)
            ));
        }
        if undone > 0 {
            self.told.push(format!(
                "{} of {display} that waited for your decision before the restart is not in its text any more, so there is \
                 nothing to decide.",
                changes(undone)
            ));
        }
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
        self.decided.remove(id);
        self.entries += 1;
        self.revision += 1;
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
