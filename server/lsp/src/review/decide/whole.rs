//! Decisions about a file as a whole: it is removed or moved when that is accepted, and comes back when it is reverted.

use super::Decider;
use crate::apply::ApplyError;
use crate::client::Profile;
use crate::protocol::Take;
use crate::review::book::{Fate, Taken};
use crate::review::decide::Decision;
use crate::review::hunk::When;
use crate::review::landing::{LandError, Target};
use crate::review::whole::Whole;
use mewcode_core::diff::equal;
use mewcode_core::edit::{Edit, EditError};
use mewcode_tools::port::Destination;
use mewcode_tools::result::ToolError;

impl Decider {
    /// Removes or moves a file, or takes that back. The caller holds the file's turn.
    pub(super) async fn write_whole(
        &self,
        profile: &Profile,
        group: &Taken,
        whole: &Whole,
        decision: &Decision,
    ) {
        match group.when {
            // Whoever keeps theirs keeps the file.
            When::Before if decision.take == Some(Take::Mine) => {
                self.finish_all(group, || Fate::Rejected);
            }
            When::Before => self.do_whole(profile, group, whole).await,
            When::After => self.undo_whole(profile, group, whole).await,
        }
    }

    async fn do_whole(&self, profile: &Profile, group: &Taken, whole: &Whole) {
        let target = Target {
            destination: whole.destination(),
            ..group.target.clone()
        };
        let title = whole.title(When::Before);
        let label = format!("MewCode: {title}: {}", target.display);
        let landed = self
            .lander
            .land(profile, &target, &whole.edit, &whole.base, &label)
            .await;
        match landed {
            Ok(landing) => {
                self.book.landed(&group.proposal, landing);
                self.finish_all(group, || Fate::Done);
                self.follow_move(&target);
            }
            // The user can do something about it, and the file is as it was.
            Err(error @ LandError::Editor(ApplyError::Unsaved)) => {
                for id in &group.hunks {
                    self.book.give_back(id);
                }
                self.publisher
                    .warn(&format!("{} was not removed: {error}", target.display));
            }
            Err(error) => {
                self.publisher.warn(&format!(
                    "what you accepted in {} was not applied: {error}",
                    target.display
                ));
                self.finish_all(group, || Fate::Failed(error.clone()));
            }
        }
    }

    async fn undo_whole(&self, profile: &Profile, group: &Taken, whole: &Whole) {
        let undone = match &whole.to {
            None => {
                let back = self.bring_back(profile, group, whole).await;
                back.map(|()| group.target.clone())
            }
            Some(_) => self.move_back(profile, group, whole).await,
        };
        let from = &whole.from.display;
        match (undone, &whole.to) {
            (Ok(target), to) => {
                let news = match to {
                    None => format!("The user brought back `{from}`, which you had removed."),
                    Some(to) => format!(
                        "The user moved `{}` back to `{from}`, without your changes in it.",
                        to.display
                    ),
                };
                self.news.add(&group.session, news);
                // Before the others move: this one is no more.
                self.finish_all(group, || Fate::Done);
                self.follow_move(&target);
            }
            (Err(error), to) => {
                for id in &group.hunks {
                    self.book.give_back(id);
                }
                self.publisher.warn(&match to {
                    None => format!("{from} was not brought back: {error}"),
                    Some(to) => format!("{} was not moved back: {error}", to.display),
                });
            }
        }
    }

    async fn bring_back(
        &self,
        profile: &Profile,
        group: &Taken,
        whole: &Whole,
    ) -> Result<(), LandError> {
        let target = &group.target;
        self.lander
            .restore(profile, target, &whole.base, whole.kept.as_ref())
            .await
    }

    async fn move_back(
        &self,
        profile: &Profile,
        group: &Taken,
        whole: &Whole,
    ) -> Result<Target, LandError> {
        let internal = |error: EditError| ToolError::internal(error.to_string());
        let (mut moved, mut inverse) = (
            whole.edit.apply(&whole.base).map_err(internal)?,
            whole.edit.invert(&whole.base).map_err(internal)?,
        );
        if let Some(present) = self.lander.present(&group.target.path)?
            && equal(present.rope(), whole.base.rope())
        {
            // The user has undone the change, and only the move is left.
            inverse = Edit::new(&present, Vec::new()).map_err(internal)?;
            moved = present;
        }
        let target = Target {
            destination: Destination::Moved {
                path: whole.from.path.clone(),
                display: whole.from.display.clone(),
            },
            existed: true,
            final_newline: whole.base.text().final_newline(),
            ..group.target.clone()
        };
        let label = format!("MewCode: move {} back", target.display);
        self.lander
            .land(profile, &target, &inverse, &moved, &label)
            .await?;
        Ok(target)
    }

    /// What else waits in a file goes where the file went.
    pub fn follow_move(&self, target: &Target) {
        let after = target.afterwards();
        if after.path == target.path {
            return;
        }
        let path = after.path.clone();
        self.book.rename(&target.path, after);
        self.publisher.publish(&target.path);
        self.publisher.publish(&path);
    }
}
