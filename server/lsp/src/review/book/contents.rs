//! The book's contents as a value, to be kept and taken in again. Pure.

use super::pages::{File, Proposal};
use super::{Book, NewFile, Origin, Outcome};
use crate::review::hunk::{Hunk, Restored, State, When};
use crate::review::landing::Target;
use crate::time::now;
use mewcode_core::text::Snapshot;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Everything that is undecided.
#[derive(Debug, Clone, Default)]
pub struct Contents {
    /// By path.
    pub files: Vec<(Target, Snapshot, Vec<Hunk>)>,
    /// The proposals of these hunks, the earliest first.
    pub proposals: Vec<Entry>,
}

/// A proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its id.
    pub id: String,
    /// A later one has a greater number.
    pub number: u64,
    /// Where it comes from.
    pub origin: Arc<Origin>,
}

/// How far the book has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Hunks that came and went.
    pub entries: u64,
    /// These, and moves with the text.
    pub revision: u64,
}

impl Book {
    /// How far the book has come.
    pub fn progress(&self) -> Progress {
        let pages = self.pages();
        Progress {
            entries: pages.entries,
            revision: pages.revision,
        }
    }

    /// Everything that is undecided, and how far the book had come then. What is as good as decided is not.
    pub fn contents(&self) -> (Contents, Progress) {
        let pages = self.pages();
        let files = pages.files.values();
        let mut proposals: Vec<_> = (pages.proposals.iter())
            .map(|(id, proposal)| Entry {
                id: id.clone(),
                number: proposal.number,
                origin: Arc::clone(&proposal.origin),
            })
            .collect();
        proposals.sort_by_key(|entry| entry.number);
        let contents = Contents {
            files: files
                .flat_map(|file| by_text(file, &pages.decided))
                .collect(),
            proposals,
        };
        let progress = Progress {
            entries: pages.entries,
            revision: pages.revision,
        };
        (contents, progress)
    }

    /// A proposal as [`Book::enter`] would enter it, to be kept while its edits are on their way.
    pub fn draft(&self, origin: Origin, files: Vec<NewFile>) -> Contents {
        let mut pages = self.pages();
        pages.ids += 1;
        pages.number = now().max(pages.number + 1);
        let proposal = format!("p{}{}", self.tag, pages.ids);
        let mut drafted = Vec::with_capacity(files.len());
        for mut file in files {
            let (whole, hunks) = file.take_hunks();
            let hunks = hunks.into_iter().map(|(lines, old, new)| {
                pages.ids += 1;
                Hunk {
                    id: format!("h{}{}", self.tag, pages.ids),
                    proposal: proposal.clone(),
                    when: When::After,
                    state: State::Applied,
                    old,
                    new,
                    base: file.text.clone(),
                    lines,
                    whole: whole.clone(),
                    restored: Some(Restored {
                        lines,
                        in_doubt: true,
                    }),
                }
            });
            drafted.push((file.target, file.text.clone(), hunks.collect()));
        }
        let entry = Entry {
            id: proposal,
            number: pages.number,
            origin: Arc::new(origin),
        };
        Contents {
            files: drafted,
            proposals: vec![entry],
        }
    }

    /// Takes in what an earlier server left. Nobody waits for its outcome. A hunk that is here already is not taken in
    /// twice; those that are new are given. Until somebody looks at a text of the file, it has the text that it had then.
    pub fn adopt(&self, contents: Contents) -> Vec<(PathBuf, Hunk)> {
        let mut pages = self.pages();
        let mut taken = Vec::new();
        let known: HashSet<String> = (pages.files.values())
            .flat_map(|file| file.hunks.iter().map(|hunk| hunk.id.clone()))
            .collect();
        for Entry { id, number, origin } in contents.proposals {
            pages.number = pages.number.max(number);
            pages.proposals.entry(id).or_insert_with(|| Proposal {
                origin,
                number,
                undecided: 0,
                outcome: Outcome::default(),
                waiting: None,
                withdrawn: false,
            });
        }
        for (target, text, mut hunks) in contents.files {
            hunks.retain(|hunk| {
                !known.contains(&hunk.id) && pages.proposals.contains_key(&hunk.proposal)
            });
            for hunk in &mut hunks {
                hunk.state = match hunk.when {
                    When::Before => State::Proposed,
                    When::After => State::Applied,
                };
                hunk.settle(&text);
                hunk.base = text.clone();
                hunk.restored = Some(Restored {
                    lines: hunk.lines,
                    in_doubt: hunk.restored.is_some_and(|it| it.in_doubt),
                });
                if let Some(proposal) = pages.proposals.get_mut(&hunk.proposal) {
                    proposal.undecided += 1;
                }
            }
            let hunks_taken = hunks.iter().cloned();
            taken.extend(hunks_taken.map(|hunk| (target.path.clone(), hunk)));
            // Whoever looks at a text meanwhile may have an older one.
            pages.ids += 1;
            pages.insert(File {
                target,
                text,
                hunks,
            });
        }
        pages.proposals.retain(|_, proposal| proposal.undecided > 0);
        taken
    }

    /// Whether a file's hunks are those of an earlier server, and nobody has looked at a text of it since.
    pub fn is_asleep(&self, path: &Path) -> bool {
        self.pages().is_asleep(path)
    }

    /// What is to be told of hunks of an earlier server; once.
    pub fn take_told(&self) -> Vec<String> {
        std::mem::take(&mut self.pages().told)
    }
}

/// A file's hunks by the text that their lines speak of: a restored one that is still asleep has its own.
fn by_text(file: &File, decided: &HashSet<String>) -> Vec<(Target, Snapshot, Vec<Hunk>)> {
    let mut texts: Vec<(Target, Snapshot, Vec<Hunk>)> = Vec::new();
    for hunk in file.hunks.iter().filter(|it| !decided.contains(&it.id)) {
        let text = match hunk.restored {
            Some(_) => &hunk.base,
            None => &file.text,
        };
        match texts.iter_mut().find(|(_, other, _)| other.ptr_eq(text)) {
            Some((_, _, hunks)) => hunks.push(hunk.clone()),
            None => texts.push((file.target.clone(), text.clone(), vec![hunk.clone()])),
        }
    }
    texts
}
