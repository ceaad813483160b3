//! Applying a change before it is reviewed: every file of it, or none.

use super::{ConnectedEditor, hunks_after, interrupted, origin, summarise, target_of};
use crate::review::book::Outcome;
use crate::review::hunk::When;
use crate::review::landing::{Kept, LandError, Landing, Wish};
use mewcode_tools::disk::Record;
use mewcode_tools::port::{ChangeOutcome, ChangeRequest, Destination, FileEdit};
use mewcode_tools::result::ToolError;
use std::path::PathBuf;

/// Why a change did not land: the file that it failed at, and its reason. None: the call was cancelled.
type Failure = Option<(String, LandError)>;

/// What has landed so far.
struct Progress {
    landed: Vec<Landed>,
    /// Of the files that are not open; none, if there is one file only.
    record: Option<Record>,
}

/// A file that has landed.
struct Landed {
    /// Its place in the request.
    at: usize,
    landing: Landing,
    /// Whether the record takes it back.
    recorded: bool,
}

/// Records which files the editor is about to change: what it has done stands, even if this process ends in its midst.
fn announce(open: &[(usize, &FileEdit)], progress: &mut Progress) -> Result<(), Failure> {
    let (Some(record), Some((_, first))) = (&mut progress.record, open.first()) else {
        return Ok(());
    };
    let paths: Vec<PathBuf> = open
        .iter()
        .flat_map(|(_, file)| {
            let moved = match &file.destination {
                Destination::Moved { path, .. } => Some(path),
                Destination::Same | Destination::Removed => None,
            };
            std::iter::once(&file.path).chain(moved)
        })
        .cloned()
        .collect();
    record.elsewhere(&paths).map_err(|error| {
        let message = format!("the change cannot be recorded in MewCode's state folder: {error}.");
        let error = ToolError::unavailable(message);
        Some((first.display.clone(), error.into()))
    })
}

impl ConnectedEditor {
    /// Applies at once, and leaves the hunks to be kept or reverted later.
    pub(super) async fn apply(&self, request: ChangeRequest) -> ChangeOutcome {
        let announced = self.announce(&request);
        let mut notes = Vec::new();
        let mut failure = None;
        let turns = self.turns(&request.files).await;
        let mut progress = Progress {
            landed: Vec::new(),
            record: (request.files.len() > 1).then(|| self.state.decider.lander.record()),
        };
        if let Err(reason) = self.land_all(&request, &mut progress).await {
            failure = Some(reason);
            self.take_back(&mut progress, &mut notes).await;
        }
        let mut landed = progress.landed;
        if let Some(record) = progress.record
            && let Err(error) = record.finish()
        {
            notes.push(format!(
                "The record of this change in MewCode's state folder could not be closed ({error}): the next start \
                 may take a part of it back."
            ));
        }
        landed.sort_by_key(|it| it.at);
        let landings: Vec<_> = landed.into_iter().map(|it| it.landing).collect();
        self.show(&request, &landings, announced);
        // Whose turn is next finds the hunks of this change in the book.
        drop(turns);
        let stands = Outcome {
            landings,
            ..Outcome::default()
        };
        let mut change = match failure {
            None => summarise(stands),
            Some(None) => interrupted(stands),
            Some(Some((place, error))) => {
                let ChangeOutcome { files, notes, .. } = interrupted(stands);
                let failed = summarise(Outcome {
                    faults: vec![(place, error)],
                    ..Outcome::default()
                });
                ChangeOutcome {
                    files,
                    notes,
                    ..failed
                }
            }
        };
        change.notes.extend(notes);
        change
    }

    /// The turns of all files, in one order for everybody, so that no two changes wait for each other.
    async fn turns(&self, files: &[FileEdit]) -> Vec<tokio::sync::OwnedMutexGuard<()>> {
        let mut paths: Vec<PathBuf> = files.iter().map(|file| file.path.clone()).collect();
        paths.extend(files.iter().filter_map(|file| match &file.destination {
            Destination::Moved { path, .. } => Some(path.clone()),
            Destination::Same | Destination::Removed => None,
        }));
        paths.sort();
        paths.dedup();
        let mut turns = Vec::with_capacity(paths.len());
        for path in &paths {
            turns.push(self.state.applier().turn(path).await);
        }
        turns
    }

    /// Lands file after file: first those on disk, which are taken back most surely, then the open ones, by one request
    /// where the client can.
    async fn land_all(
        &self,
        request: &ChangeRequest,
        progress: &mut Progress,
    ) -> Result<(), Failure> {
        let label = format!("MewCode: {}", request.tool);
        let lander = &self.state.decider.lander;
        let profile = self.state.profile();
        let (open, closed): (Vec<_>, Vec<_>) = request
            .files
            .iter()
            .enumerate()
            .partition(|(_, file)| self.state.documents.by_path(&file.path).is_some());
        let wish = |(at, file): (usize, &'_ FileEdit)| {
            let wish = Wish {
                target: target_of(file),
                edit: file.edit.clone(),
                base: file.base.clone(),
            };
            (at, wish)
        };
        for (at, file) in closed {
            self.land_one(request, wish((at, file)), &label, progress)
                .await?;
        }
        announce(&open, progress)?;
        let destinations = open.iter().map(|(_, file)| &file.destination);
        if open.len() < 2 || !lander.lands_together(profile, destinations) {
            for each in open {
                self.land_one(request, wish(each), &label, progress).await?;
            }
            return Ok(());
        }
        if request.cancel.is_cancelled() {
            return Err(None);
        }
        let (places, wishes): (Vec<_>, Vec<_>) = open.into_iter().map(wish).unzip();
        let (landings, broken) = match lander.land_together(profile, &wishes, &label).await {
            Ok(landings) => (landings.into_iter().enumerate().collect(), None),
            Err(broken) => (broken.landed, Some((broken.at, broken.error))),
        };
        let landings = landings.into_iter().map(|(at, landing)| Landed {
            at: places[at],
            landing,
            recorded: false,
        });
        progress.landed.extend(landings);
        let Some((at, error)) = broken else {
            return Ok(());
        };
        let place = match at.and_then(|at| wishes.get(at)) {
            Some(wish) => wish.target.display.clone(),
            None => {
                let names: Vec<_> = wishes.iter().map(|it| it.target.display.as_str()).collect();
                names.join(", ")
            }
        };
        Err(Some((place, error)))
    }

    async fn land_one(
        &self,
        request: &ChangeRequest,
        (at, wish): (usize, Wish),
        label: &str,
        progress: &mut Progress,
    ) -> Result<(), Failure> {
        if request.cancel.is_cancelled() {
            return Err(None);
        }
        let lander = &self.state.decider.lander;
        let Wish { target, edit, base } = &wish;
        let closed = self.state.documents.by_path(&target.path).is_none();
        let (landing, recorded) = match &mut progress.record {
            Some(record) if closed => (lander.land_recorded(target, edit, base, record), true),
            _ => {
                let profile = self.state.profile();
                let landing = lander.land(profile, target, edit, base, label).await;
                (landing, false)
            }
        };
        let landing = landing.map_err(|error| Some((target.display.clone(), error)))?;
        progress.landed.push(Landed {
            at,
            landing,
            recorded,
        });
        Ok(())
    }

    /// Takes back what has landed, last first; in open files over whatever the user typed since. Leaves what stands
    /// nevertheless.
    async fn take_back(&self, progress: &mut Progress, notes: &mut Vec<String>) {
        let lander = &self.state.decider.lander;
        let mut standing = Vec::new();
        let (recorded, others): (Vec<_>, Vec<_>) =
            progress.landed.drain(..).partition(|it| it.recorded);
        for it in others.into_iter().rev() {
            let display = &it.landing.target.display;
            match lander.take_back(self.state.profile(), &it.landing).await {
                Ok(more) => {
                    notes.push(format!("The change of `{display}` was taken back."));
                    notes.extend(more);
                }
                Err(error) => {
                    notes.push(format!(
                        "The change of `{display}` could not be taken back: {error}."
                    ));
                    standing.push(it);
                }
            }
        }
        let faults = progress.record.as_mut().map(Record::take_back);
        let faults = faults.unwrap_or_default();
        for it in recorded.into_iter().rev() {
            let target = &it.landing.target;
            let display = &target.display;
            let mut faults = faults.iter();
            match faults.find(|(path, _)| *path == target.path || path == target.place()) {
                None => notes.push(format!("The change of `{display}` was taken back.")),
                Some((_, reason)) => {
                    notes.push(format!(
                        "The change of `{display}` could not be taken back: {reason}."
                    ));
                    standing.push(it);
                }
            }
        }
        progress.landed = standing;
    }

    /// Keeps what is about to be changed: a server that ends in the middle must not leave it in a text with nobody to ask.
    fn announce(&self, request: &ChangeRequest) -> u64 {
        let changed = request.files.iter().filter_map(|file| {
            let is_removed = file.destination == Destination::Removed;
            hunks_after(&Landing {
                target: target_of(file),
                base: file.base.clone(),
                edit: file.edit.clone(),
                after: file.edit.apply(&file.base).ok()?,
                kept: is_removed.then(|| Kept::read(&file.path)).flatten(),
                notes: Vec::new(),
            })
        });
        let draft = self.state.book.draft(origin(request), changed.collect());
        self.state.keeper.announce(draft)
    }

    /// Enters what has landed into the book and shows it.
    fn show(&self, request: &ChangeRequest, landings: &[Landing], announced: u64) {
        for landing in landings {
            self.state.decider.follow_move(&landing.target);
        }
        let files: Vec<_> = landings.iter().filter_map(hunks_after).collect();
        let paths: Vec<_> = files.iter().map(|file| file.target.path.clone()).collect();
        // Nobody waits for the decisions of a change that is reviewed after the fact.
        drop(self.state.book.enter(origin(request), When::After, files));
        if let Some(complaint) = self.state.keeper.withdraw(announced) {
            self.state.publisher.warn(&complaint);
        }
        for path in &paths {
            self.state.look(path);
            self.state.follow(path);
        }
    }
}
