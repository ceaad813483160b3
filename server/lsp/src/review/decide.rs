//! Carrying out decisions: accepted hunks are applied, kept ones stay, rejected ones go, reverted ones are taken back.
//!
//! Each decision is an edit of its own, made for the text as it is at that moment. Knows the book and the way into
//! files; nothing of commands, runs or models.

mod whole;

use super::book::{Book, Fate, Selection, Taken};
use super::hunk::{Hunk, When};
use super::landing::{LandError, Lander};
use super::news::News;
use super::publish::Publisher;
use crate::apply::{ApplyError, stale};
use crate::client::Profile;
use crate::protocol::Take;
use mewcode_core::diff::unified;
use mewcode_core::edit::{Edit, Replacement};
use mewcode_core::text::Snapshot;
use mewcode_tools::result::ToolError;
use ropey::Rope;
use std::collections::VecDeque;
use std::sync::Arc;

/// How often a decision is made anew for a text that changed while it was carried out.
const RETRIES: usize = 5;

/// A decision of the user.
#[derive(Debug, Clone)]
pub struct Decision {
    /// About which hunks.
    pub selection: Selection,
    /// Accept or keep; else reject or revert.
    pub accept: bool,
    /// Whose lines a conflicted hunk ends with.
    pub take: Option<Take>,
    /// A word to the model.
    pub feedback: Option<String>,
}

impl Decision {
    /// Whether it is about many hunks and says nothing of those that conflict with the user's change: these wait on.
    fn leaves_conflicts(&self) -> bool {
        self.accept && self.take.is_none() && !matches!(self.selection, Selection::Hunk(_))
    }
}

/// Carries out decisions.
#[derive(Debug)]
pub struct Decider {
    /// The undecided hunks.
    pub book: Arc<Book>,
    /// The way into files.
    pub lander: Lander,
    /// Who shows them.
    pub publisher: Arc<Publisher>,
    /// What the model is told of decisions that no call waits for.
    pub news: News,
}

impl Decider {
    /// Takes hunks for a decision, and tells how many it leaves for a choice of their own. Where it needs no edit it holds at
    /// once, even if the server ends before it is carried out.
    pub fn take(&self, decision: &Decision) -> (Vec<Taken>, usize) {
        let (taken, conflicts) = if decision.leaves_conflicts() {
            self.book.take_clean(&decision.selection)
        } else {
            (self.book.take(&decision.selection), 0)
        };
        let without_edit = taken.iter().filter(|group| {
            let is_applied = group.when == When::After;
            is_applied == decision.accept
        });
        self.book
            .note_decided(without_edit.flat_map(|group| &group.hunks));
        (taken, conflicts)
    }

    /// Carries out a decision about hunks that were taken for it. Returns when every one of them has ended.
    pub async fn carry_out(&self, profile: &Profile, decision: &Decision, mut taken: Vec<Taken>) {
        if !decision.accept {
            // Back the way it came: a later change may stand in lines that an earlier one has put there.
            taken.sort_by_key(|group| std::cmp::Reverse(group.number));
        }
        let mut undecided = Undecided {
            decider: self,
            hunks: taken.iter().map(|group| group.hunks.clone()).collect(),
        };
        for mut group in taken {
            if let Some(words) = &decision.feedback {
                self.book.feedback(&group.proposal, words);
            }
            match (group.when, decision.accept) {
                (When::Before, true) | (When::After, false) => {
                    self.write(profile, &mut group, decision).await;
                }
                (When::After, true) => {
                    self.tell_kept(&group);
                    self.finish_all(&group, || Fate::Done);
                }
                (When::Before, false) => self.finish_all(&group, || Fate::Rejected),
            }
            if group.when == When::After {
                // No call waits for it.
                self.tell_words(&group, decision);
            }
            // One that it gave back may be in another decision by now.
            undecided.hunks.pop_front();
            self.publisher.publish(&group.target.path);
        }
    }

    /// Ends every hunk of a group the same way.
    fn finish_all(&self, group: &Taken, fate: impl Fn() -> Fate) {
        for id in &group.hunks {
            self.book.finish(id, fate());
        }
    }

    /// Tells the model of kept hunks that the user has changed. One that stands as it was written is no news.
    fn tell_kept(&self, group: &Taken) {
        let path = &group.target.path;
        let Ok(Some(present)) = self.lander.present(path) else {
            return;
        };
        let hunks = self.book.at(path, &present, &group.hunks);
        for hunk in hunks.into_iter().filter(|hunk| hunk.whole.is_none()) {
            let kept = hunk.present(present.rope());
            if kept != hunk.new {
                let diff = unified(&Rope::from_str(&hunk.new), &Rope::from_str(&kept), 3);
                let place = format!("{}:{}", group.target.display, hunk.lines.start.0 + 1);
                self.news.add(
                    &group.session,
                    format!("The user kept your change at {place} and changed it:\n{diff}"),
                );
            }
        }
    }

    /// Tells the model the user's words about a change that had landed.
    fn tell_words(&self, group: &Taken, decision: &Decision) {
        if let Some(words) = decision.feedback.as_deref().map(str::trim)
            && !words.is_empty()
        {
            let display = &group.target.display;
            self.news.add(
                &group.session,
                format!("The user said of your change of {display}: {words}"),
            );
        }
    }

    /// Applies or takes back the hunks of a group, where they stand when it is their turn.
    async fn write(&self, profile: &Profile, group: &mut Taken, decision: &Decision) {
        loop {
            let turn = self.lander.applier.turn(&group.target.path).await;
            match self.book.target_of(&group.hunks) {
                // The file was renamed meanwhile.
                Some(target) if target.path != group.target.path => {
                    drop(turn);
                    group.target = target;
                }
                _ => return self.write_in_turn(profile, group, decision).await,
            }
        }
    }

    /// Applies or takes back the hunks of a group, by one edit.
    async fn write_in_turn(&self, profile: &Profile, group: &mut Taken, decision: &Decision) {
        if let Some(whole) = self.book.whole(&group.hunks) {
            return self.write_whole(profile, group, &whole, decision).await;
        }
        let path = &group.target.path.clone();
        let label = if decision.accept {
            format!("MewCode: accept in {}", group.target.display)
        } else {
            format!("MewCode: revert in {}", group.target.display)
        };
        // Said if nothing else is: the loop ends with a reason of its own.
        let mut failure = LandError::from(ApplyError::Refused(
            "the text changed each time before the decision could be carried out; decide again in a pause".to_owned(),
        ));
        for _ in 0..RETRIES {
            let present = match self.lander.present(path) {
                Ok(Some(present)) => present,
                Ok(None) if !group.target.existed => self.empty(group),
                Ok(None) => {
                    failure = self.gone(group);
                    break;
                }
                Err(error) => {
                    failure = error;
                    break;
                }
            };
            let mut hunks = self.book.at(path, &present, &group.hunks);
            if decision.leaves_conflicts() {
                self.give_back_conflicts(group, &mut hunks, &present);
            }
            if group.when == When::After && self.book.is_built_upon(&group.hunks) {
                failure = ApplyError::Refused(
                    "the agent has changed these lines again since; revert that first, or all in this file".to_owned(),
                )
                .into();
                break;
            }
            let replacements = self.replacements(group, hunks, decision, &present);
            if replacements.is_empty() {
                // Each one is in the text already, or has ended on the way.
                self.finish_all(group, || Fate::Done);
                return;
            }
            let edit = match Edit::new(&present, replacements) {
                Ok(edit) => edit,
                // The user's change has joined some of them.
                Err(_) if group.hunks.len() > 1 => {
                    for id in &group.hunks {
                        self.book.give_back(id);
                    }
                    self.publisher.warn(&format!(
                        "hunks of {} overlap since you changed the lines around them, so nothing was done; decide \
                         them one by one",
                        group.target.display
                    ));
                    return;
                }
                Err(error) => {
                    failure = ApplyError::Refused(error.to_string()).into();
                    break;
                }
            };
            let landed = self
                .lander
                .land(profile, &group.target, &edit, &present, &label)
                .await;
            match landed {
                Ok(landing) => {
                    if group.when == When::After {
                        let text =
                            format!("The user reverted your change of {}:", group.target.display);
                        self.news
                            .add(&group.session, format!("{text}\n{}", landing.change().diff));
                    }
                    self.book.landed(&group.proposal, landing);
                    self.finish_all(group, || Fate::Done);
                    if let Ok(Some(present)) = self.lander.present(path) {
                        self.book.look(path, &present);
                    }
                    self.clear_away(profile, group).await;
                    return;
                }
                Err(error) if error.is_stale() => failure = error,
                Err(error) => {
                    failure = error;
                    break;
                }
            }
        }
        match group.when {
            When::Before => {
                self.publisher.warn(&format!(
                    "what you accepted in {} was not applied: {failure}",
                    group.target.display
                ));
                self.finish_all(group, || Fate::Failed(failure.clone()));
            }
            When::After => {
                for id in &group.hunks {
                    self.book.give_back(id);
                }
                self.publisher.warn(&format!(
                    "{} was not reverted: {failure}",
                    group.target.display
                ));
            }
        }
    }

    /// Gives back what the user has changed since it was taken: it needs a choice of its own.
    fn give_back_conflicts(&self, group: &mut Taken, hunks: &mut Vec<Hunk>, present: &Snapshot) {
        let rope = present.rope();
        let conflicts = |hunk: &Hunk| {
            group.when == When::Before && !hunk.is_there(rope) && !hunk.is_clean(rope)
        };
        let given_back: Vec<Hunk> = hunks.extract_if(.., |hunk| conflicts(hunk)).collect();
        for hunk in &given_back {
            self.book.give_back(&hunk.id);
            group.hunks.retain(|id| *id != hunk.id);
        }
        if !given_back.is_empty() {
            self.publisher.warn(&format!(
                "what you accepted in {} was not applied where you have just changed the same lines: choose whose lines are to stand",
                group.target.display
            ));
        }
    }

    /// The text of a new file that is not there yet: what it was planned with.
    fn empty(&self, group: &Taken) -> Snapshot {
        let hunk = group.hunks.first().and_then(|id| self.book.find(id));
        hunk.map_or_else(|| Snapshot::decode(""), |(_, hunk)| hunk.base)
    }

    /// A file that was there when the change was made and is no more.
    fn gone(&self, group: &Taken) -> LandError {
        let hunk = group.hunks.first().and_then(|id| self.book.find(id));
        let expected = hunk.map(|(_, hunk)| hunk.base.hash().to_string());
        ToolError::stale_file(
            format!(
                "`{}` was removed since this change was made. Nothing was changed.",
                group.target.display
            ),
            expected.as_deref(),
            None,
        )
        .into()
    }

    /// Reverting the making of a file takes the file away, if nothing of the user's is in it.
    async fn clear_away(&self, profile: &Profile, group: &Taken) {
        if group.when == When::After
            && !group.target.existed
            && let Err(error) = self.lander.remove_if_empty(profile, &group.target).await
        {
            let display = &group.target.display;
            self.publisher.warn(&format!(
                "{display} is empty now but was not removed: {error}"
            ));
        }
    }

    /// What is to be written for the hunks of a group that can be carried out; the others end here.
    fn replacements(
        &self,
        group: &Taken,
        hunks: Vec<Hunk>,
        decision: &Decision,
        present: &Snapshot,
    ) -> Vec<Replacement> {
        let rope = present.rope();
        let mut replacements = Vec::new();
        for hunk in hunks {
            let id = &hunk.id;
            let target = match (group.when, decision.take) {
                (When::After, _) => hunk.reverted(rope),
                (When::Before, _) if hunk.is_there(rope) => continue,
                // Also where the user has taken their own change back since they chose.
                (When::Before, Some(Take::Mine)) => {
                    self.book.finish(id, Fate::Rejected);
                    continue;
                }
                (When::Before, _) if hunk.is_clean(rope) => hunk.new.clone(),
                (When::Before, Some(Take::Agent)) => hunk.new.clone(),
                (When::Before, Some(Take::Both)) => hunk.present(rope) + &hunk.new,
                (When::Before, None) => {
                    self.publisher.warn(&format!(
                        "what you accepted in {} was not applied: the text there has changed. The agent is told",
                        group.target.display
                    ));
                    self.book.finish(
                        id,
                        Fate::Failed(stale(hunk.base.hash(), &hunk.base, present).into()),
                    );
                    continue;
                }
            };
            for replacement in hunk.replace_with(&target, rope) {
                push_replacement(&mut replacements, replacement);
            }
        }
        replacements
    }
}

/// Gives hunks back to the user that a decision which broke off has left open: a call waits for each of them.
struct Undecided<'a> {
    decider: &'a Decider,
    /// Those that are still to be carried out, by group.
    hunks: VecDeque<Vec<String>>,
}

impl Drop for Undecided<'_> {
    fn drop(&mut self) {
        for id in self.hunks.iter().flatten() {
            self.decider.book.give_back(id);
        }
    }
}

/// Adds a replacement behind the others. Two insertions at one place, of hunks between which the user removed
/// everything, become one.
fn push_replacement(replacements: &mut Vec<Replacement>, next: Replacement) {
    match replacements.last_mut() {
        Some(last) if last.range.is_empty() && last.range == next.range => {
            last.text.push_str(&next.text);
        }
        _ => replacements.push(next),
    }
}

#[cfg(test)]
mod tests;
