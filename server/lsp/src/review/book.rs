//! The book of all undecided hunks: by file for those who show them, by proposal for the calls that wait for them.
//!
//! Memory only: it neither reads files nor talks to the editor. Whoever has a newer text shows it by [`Book::look`],
//! and every question is then answered for that text.

mod contents;
mod pages;

pub use contents::{Contents, Entry, Progress};

use super::hunk::{Hunk, State, When};
use super::landing::{LandError, Landing, Target};
use super::whole::Whole;
use crate::time::now;
use mewcode_core::position::LineRange;
use mewcode_core::text::Snapshot;
use pages::{File, Pages, Proposal};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// Where a proposal comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The session of the call.
    pub session: String,
    /// The call.
    pub call: String,
    /// The tool.
    pub tool: String,
    /// Why, in a few words.
    pub reason: String,
}

/// What became of a proposal when its last hunk was decided.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What landed, in order.
    pub landings: Vec<Landing>,
    /// Hunks that the user rejected, as `path:lines`, or as the path and what was to happen to the file.
    pub rejected: Vec<String>,
    /// Hunks that could not be applied, as `path:lines`, with the reason.
    pub faults: Vec<(String, LandError)>,
    /// The user's words to the model.
    pub feedback: Vec<String>,
}

/// How one hunk ended.
#[derive(Debug)]
pub enum Fate {
    /// It is in the text, or was taken out again as the user wished.
    Done,
    /// The user does not want it.
    Rejected,
    /// It could not be applied.
    Failed(LandError),
}

/// Which hunks a decision is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// One of them.
    Hunk(String),
    /// All of one file.
    File(PathBuf),
    /// All.
    All,
}

/// A file with undecided hunks.
#[derive(Debug, Clone)]
pub struct FileView {
    /// The file.
    pub target: Target,
    /// The text that the hunks' lines speak of.
    pub text: Snapshot,
    /// The hunks by line, each with its origin.
    pub hunks: Vec<(Hunk, Arc<Origin>)>,
}

/// The book.
#[derive(Debug, Default)]
pub struct Book {
    pages: Mutex<Pages>,
    /// What makes the ids those of this server alone.
    tag: String,
}

/// Lines of a hunk, what the agent replaces in them, what it puts there.
pub type Lines = (LineRange, String, String);

/// One file of a new proposal: the text that its hunks stand in, and the hunks as lines, old text, new text.
pub struct NewFile {
    /// The file.
    pub target: Target,
    /// The text that the proposal was made for.
    pub base: Snapshot,
    /// The text that the lines speak of.
    pub text: Snapshot,
    /// Lines in `text`, what the agent replaces, what it puts there.
    pub hunks: Vec<Lines>,
    /// If the change is about the file as a whole: then there is this one hunk and no other.
    pub whole: Option<Whole>,
}

impl NewFile {
    /// Takes out what its hunks are made of: those of its lines, or the one about the whole of it.
    fn take_hunks(&mut self) -> (Option<Arc<Whole>>, Vec<Lines>) {
        let hunks = std::mem::take(&mut self.hunks);
        match self.whole.take() {
            None => (None, hunks),
            Some(whole) => {
                let lines = LineRange::new(0, self.text.text().line_count());
                let only = (lines, String::new(), String::new());
                (Some(Arc::new(whole)), vec![only])
            }
        }
    }
}

impl Book {
    /// A book whose ids are those of no other server: what a client still shows of an earlier one must not name
    /// something else here.
    pub fn tagged(tag: String) -> Self {
        Self {
            tag,
            ..Self::default()
        }
    }

    /// Enters a proposal. The receiver gets its outcome when every hunk is decided; a proposal that is reviewed after
    /// the fact may drop it.
    pub fn enter(
        &self,
        origin: Origin,
        when: When,
        files: Vec<NewFile>,
    ) -> (String, oneshot::Receiver<Outcome>) {
        let (sender, receiver) = oneshot::channel();
        let mut pages = self.pages();
        pages.ids += 1;
        let proposal = format!("p{}{}", self.tag, pages.ids);
        // By the clock, so that proposals of an earlier server are the earlier ones.
        let number = now().max(pages.number + 1);
        pages.number = number;
        let mut undecided = 0;
        for mut file in files {
            let (whole, hunks) = file.take_hunks();
            let NewFile {
                target, base, text, ..
            } = file;
            let mut entered = Vec::with_capacity(hunks.len());
            for (lines, old, new) in hunks {
                pages.ids += 1;
                undecided += 1;
                entered.push(Hunk {
                    id: format!("h{}{}", self.tag, pages.ids),
                    proposal: proposal.clone(),
                    when,
                    state: match when {
                        When::Before => State::Proposed,
                        When::After => State::Applied,
                    },
                    old,
                    new,
                    base: base.clone(),
                    lines,
                    whole: whole.clone(),
                    restored: None,
                });
            }
            pages.insert(File {
                target,
                text,
                hunks: entered,
            });
        }
        let mut entry = Proposal {
            origin: Arc::new(origin),
            number,
            undecided,
            outcome: Outcome::default(),
            waiting: Some(sender),
            withdrawn: false,
        };
        if undecided == 0 {
            entry.close();
        } else {
            pages.proposals.insert(proposal.clone(), entry);
        }
        (proposal, receiver)
    }

    /// Shows the present text of a file; true if a hunk of it moved, changed its state, or is gone.
    pub fn look(&self, path: &Path, text: &Snapshot) -> bool {
        self.pages().look(path, text)
    }

    /// Counts what was entered so far, for [`Book::look_since`].
    pub fn entered(&self) -> u64 {
        self.pages().ids
    }

    /// [`Book::look`] at a text that was got after [`Book::entered`] gave `since`. False, and nothing is looked at, if
    /// something was entered meanwhile: the text may be older, and a hunk that has landed would seem undone in it.
    pub fn look_since(&self, path: &Path, text: &Snapshot, since: u64) -> bool {
        let mut pages = self.pages();
        let current = pages.ids == since;
        if current {
            pages.look(path, text);
        }
        current
    }

    /// Shows the present text of a file and gives the named hunks of it, in its lines, before anybody shows another.
    pub fn at(&self, path: &Path, text: &Snapshot, ids: &[String]) -> Vec<Hunk> {
        let mut pages = self.pages();
        pages.look(path, text);
        let Some(file) = pages.files.get(path) else {
            return Vec::new();
        };
        file.hunks
            .iter()
            .filter(|hunk| ids.contains(&hunk.id))
            .cloned()
            .collect()
    }

    /// The file in which the first of these hunks stands now.
    pub fn target_of(&self, ids: &[String]) -> Option<Target> {
        let pages = self.pages();
        let mut files = pages.files.values();
        files
            .find(|file| file.hunks.iter().any(|hunk| ids.contains(&hunk.id)))
            .map(|file| file.target.clone())
    }

    /// What becomes of a file as a whole, if that is what the first of these hunks is about.
    pub fn whole(&self, ids: &[String]) -> Option<Arc<Whole>> {
        let (_, hunk) = self.find(ids.first()?)?;
        hunk.whole
    }

    /// Whether the agent has changed the lines of one of these hunks again since, and that is not decided either.
    pub fn is_built_upon(&self, ids: &[String]) -> bool {
        let pages = self.pages();
        pages.files.values().any(|file| {
            let mut hunks = file.hunks.iter().filter(|hunk| ids.contains(&hunk.id));
            hunks.any(|hunk| pages.is_built_upon(file, hunk))
        })
    }

    /// Whether a file has undecided hunks.
    pub fn has(&self, path: &Path) -> bool {
        self.pages().files.contains_key(path)
    }

    /// The hunks of one file, as of the text that was last shown.
    pub fn file(&self, path: &Path) -> Option<FileView> {
        let pages = self.pages();
        let file = pages.files.get(path)?;
        Some(pages.view(file))
    }

    /// The files with undecided hunks, by path.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.pages().files.keys().cloned().collect()
    }

    /// How many hunks wait for a decision.
    pub fn count(&self) -> usize {
        self.pages()
            .files
            .values()
            .map(|file| file.hunks.len())
            .sum()
    }

    /// The file in which a hunk stands.
    pub fn find(&self, id: &str) -> Option<(PathBuf, Hunk)> {
        self.pages().files.iter().find_map(|(path, file)| {
            let hunk = file.hunks.iter().find(|hunk| hunk.id == id)?;
            Some((path.clone(), hunk.clone()))
        })
    }

    /// Takes the selected hunks into decision and names them by file and proposal. A hunk is taken once: one that is
    /// being decided already is not among them.
    pub fn take(&self, selection: &Selection) -> Vec<Taken> {
        self.take_unless(selection, |_| false).0
    }

    /// The same without those that conflict with the user's change, which need a choice of their own. How many these are.
    pub fn take_clean(&self, selection: &Selection) -> (Vec<Taken>, usize) {
        self.take_unless(selection, |hunk| hunk.state == State::Conflicted)
    }

    fn take_unless(
        &self,
        selection: &Selection,
        leave: impl Fn(&Hunk) -> bool,
    ) -> (Vec<Taken>, usize) {
        let mut left = 0;
        let mut pages = self.pages();
        let mut taken: Vec<Taken> = Vec::new();
        let Pages {
            files, proposals, ..
        } = &mut *pages;
        for (path, file) in files {
            if matches!(selection, Selection::File(only) if only != path) {
                continue;
            }
            for hunk in &mut file.hunks {
                if matches!(selection, Selection::Hunk(only) if *only != hunk.id)
                    || hunk.state == State::Deciding
                {
                    continue;
                }
                if leave(hunk) {
                    left += 1;
                    continue;
                }
                hunk.state = State::Deciding;
                let group = taken
                    .iter_mut()
                    .find(|it| it.target.path == *path && it.proposal == hunk.proposal);
                if let Some(group) = group {
                    group.hunks.push(hunk.id.clone());
                    continue;
                }
                taken.push(Taken {
                    target: file.target.clone(),
                    proposal: hunk.proposal.clone(),
                    number: proposals.get(&hunk.proposal).map_or(0, |it| it.number),
                    session: proposals
                        .get(&hunk.proposal)
                        .map(|it| it.origin.session.clone())
                        .unwrap_or_default(),
                    when: hunk.when,
                    hunks: vec![hunk.id.clone()],
                });
            }
        }
        (taken, left)
    }

    /// Notes that hunks are as good as decided, because their decision needs no edit: they are not kept any more.
    pub fn note_decided<'a>(&self, ids: impl Iterator<Item = &'a String>) {
        let mut pages = self.pages();
        for id in ids {
            pages.decided.insert(id.clone());
            pages.entries += 1;
        }
    }

    /// Gives a hunk back to the user, undecided, with the state that the last text gives it. One whose proposal was
    /// withdrawn meanwhile ends: nobody would be asked about it again.
    pub fn give_back(&self, id: &str) {
        let mut pages = self.pages();
        if pages.decided.remove(id) {
            pages.entries += 1;
        }
        let Pages {
            files, proposals, ..
        } = &mut *pages;
        let mut withdrawn = false;
        for File { text, hunks, .. } in files.values_mut() {
            let taken = |hunk: &&mut Hunk| hunk.id == id && hunk.state == State::Deciding;
            if let Some(hunk) = hunks.iter_mut().find(taken) {
                hunk.state = match hunk.when {
                    When::Before => State::Proposed,
                    When::After => State::Applied,
                };
                hunk.settle(text);
                let proposal = proposals.get(&hunk.proposal);
                withdrawn = proposal.is_some_and(|proposal| proposal.withdrawn);
            }
        }
        if withdrawn {
            pages.finish(id, Fate::Done);
        }
    }

    /// Notes what landed for a proposal.
    pub fn landed(&self, proposal: &str, landing: Landing) {
        if let Some(proposal) = self.pages().proposals.get_mut(proposal) {
            proposal.outcome.landings.push(landing);
        }
    }

    /// Notes the user's words to the model.
    pub fn feedback(&self, proposal: &str, words: &str) {
        if let Some(proposal) = self.pages().proposals.get_mut(proposal) {
            proposal.outcome.feedback.push(words.to_owned());
        }
    }

    /// Ends a hunk; with the last one of its proposal the call that waits gets the outcome.
    pub fn finish(&self, id: &str, fate: Fate) {
        self.pages().finish(id, fate);
    }

    /// Withdraws what is still undecided of a proposal. What is being decided at this moment ends with its decision.
    pub fn withdraw(&self, proposal: &str) -> Vec<PathBuf> {
        let mut pages = self.pages();
        if let Some(proposal) = pages.proposals.get_mut(proposal) {
            proposal.withdrawn = true;
        }
        let mut ids = Vec::new();
        let mut paths = Vec::new();
        for (path, file) in &pages.files {
            let before = ids.len();
            ids.extend(
                file.hunks
                    .iter()
                    .filter(|hunk| hunk.proposal == proposal && hunk.state != State::Deciding)
                    .map(|hunk| hunk.id.clone()),
            );
            if ids.len() > before {
                paths.push(path.clone());
            }
        }
        for id in ids {
            pages.finish(&id, Fate::Done);
        }
        paths
    }

    /// Moves the hunks of a file that was renamed, to those that its new name has.
    pub fn rename(&self, from: &Path, target: Target) {
        let mut pages = self.pages();
        if let Some(file) = pages.files.remove(from) {
            pages.entries += 1;
            pages.insert(File { target, ..file });
        }
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Hunks of one file and one proposal that were taken into decision.
#[derive(Debug, Clone)]
pub struct Taken {
    /// The file.
    pub target: Target,
    /// The proposal.
    pub proposal: String,
    /// A later proposal has a greater number.
    pub number: u64,
    /// The session that made it.
    pub session: String,
    /// When they are reviewed.
    pub when: When,
    /// The hunks, by line.
    pub hunks: Vec<String>,
}

#[cfg(test)]
mod tests;
