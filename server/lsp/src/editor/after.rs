//! Applying a change before it is reviewed: every file of it, or none.

use super::{ConnectedEditor, hunks_after, interrupted, origin, summarise, target_of};
use crate::review::book::Outcome;
use crate::review::hunk::When;
use crate::review::landing::{LandError, Landing, Wish};
use mewcode_tools::port::{ChangeOutcome, ChangeRequest, Destination, FileEdit};
use std::path::PathBuf;

/// Why a change did not land: the file that it failed at, and its reason. None: the call was cancelled.
type Failure = Option<(String, LandError)>;

impl ConnectedEditor {
    /// Applies at once, and leaves the hunks to be kept or reverted later.
    pub(super) async fn apply(&self, request: ChangeRequest) -> ChangeOutcome {
        let mut outcome = Outcome::default();
        let mut notes = Vec::new();
        let mut failure = None;
        {
            let _turns = self.turns(&request.files).await;
            let mut landed = Vec::new();
            if let Err(reason) = self.land_all(&request, &mut landed).await {
                failure = Some(reason);
                landed = self.take_back(landed, &mut notes).await;
            }
            landed.sort_by_key(|(at, _)| *at);
            outcome.landings = landed.into_iter().map(|(_, landing)| landing).collect();
        }
        self.show(&request, &outcome.landings);
        let mut change = match failure {
            None => summarise(outcome),
            Some(None) => interrupted(outcome),
            Some(Some((place, error))) => {
                let standing = std::mem::take(&mut outcome.landings);
                outcome.faults.push((place, error));
                let failed = summarise(outcome);
                let stands = interrupted(Outcome {
                    landings: standing,
                    ..Outcome::default()
                });
                ChangeOutcome {
                    files: stands.files,
                    notes: stands.notes,
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
        landed: &mut Vec<(usize, Landing)>,
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
        let alone = if open.len() > 1
            && lander.lands_together(profile, open.iter().map(|(_, file)| &file.destination))
        {
            for each in closed {
                self.land_one(request, wish(each), &label, landed).await?;
            }
            if request.cancel.is_cancelled() {
                return Err(None);
            }
            let (places, wishes): (Vec<_>, Vec<_>) = open.into_iter().map(wish).unzip();
            let together = lander.land_together(profile, &wishes, &label).await;
            let (landings, error) = match together {
                Ok(landings) => (landings.into_iter().enumerate().collect(), None),
                Err(broken) => (broken.landed, Some((broken.at, broken.error))),
            };
            landed.extend(
                landings
                    .into_iter()
                    .map(|(at, landing): (usize, Landing)| (places[at], landing)),
            );
            match error {
                None => return Ok(()),
                Some((at, error)) => {
                    let display = |wish: &Wish| wish.target.display.clone();
                    let place = match at.and_then(|at| wishes.get(at)) {
                        Some(wish) => display(wish),
                        None => wishes.iter().map(display).collect::<Vec<_>>().join(", "),
                    };
                    return Err(Some((place, error)));
                }
            }
        } else {
            closed.into_iter().chain(open)
        };
        for each in alone {
            self.land_one(request, wish(each), &label, landed).await?;
        }
        Ok(())
    }

    async fn land_one(
        &self,
        request: &ChangeRequest,
        (at, wish): (usize, Wish),
        label: &str,
        landed: &mut Vec<(usize, Landing)>,
    ) -> Result<(), Failure> {
        if request.cancel.is_cancelled() {
            return Err(None);
        }
        let lander = &self.state.decider.lander;
        let landing = lander
            .land(
                self.state.profile(),
                &wish.target,
                &wish.edit,
                &wish.base,
                label,
            )
            .await
            .map_err(|error| Some((wish.target.display.clone(), error)))?;
        landed.push((at, landing));
        Ok(())
    }

    /// Takes back what has landed, last first, over whatever the user typed since. Returns what stands nevertheless.
    async fn take_back(
        &self,
        landed: Vec<(usize, Landing)>,
        notes: &mut Vec<String>,
    ) -> Vec<(usize, Landing)> {
        let mut standing = Vec::new();
        for (at, landing) in landed.into_iter().rev() {
            let lander = &self.state.decider.lander;
            let display = &landing.target.display;
            match lander.take_back(self.state.profile(), &landing).await {
                Ok(more) => {
                    notes.push(format!("The change of `{display}` was taken back."));
                    notes.extend(more);
                }
                Err(error) => {
                    notes.push(format!(
                        "The change of `{display}` could not be taken back: {error}."
                    ));
                    standing.push((at, landing));
                }
            }
        }
        standing
    }

    /// Enters what has landed into the book and shows it.
    fn show(&self, request: &ChangeRequest, landings: &[Landing]) {
        for landing in landings {
            self.state.decider.follow_move(&landing.target);
        }
        let files: Vec<_> = landings.iter().filter_map(hunks_after).collect();
        let paths: Vec<_> = files.iter().map(|file| file.target.path.clone()).collect();
        // Nobody waits for the decisions of a change that is reviewed after the fact.
        drop(self.state.book.enter(origin(request), When::After, files));
        for path in &paths {
            self.state.look(path);
            self.state.follow(path);
        }
    }
}
