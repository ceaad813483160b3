//! The order of the calls of one turn: calls whose effects do not conflict go on side by side, others one after the
//! other as they were given. Pure bookkeeping: runs nothing, and knows tools only by their effects.
//!
//! A call is planned before it is performed, and its plan tells its effects. The plan is made of the files as they are,
//! so one that was made while a conflicting call was still under way is worth nothing: the call waits for that one's
//! end and is planned anew. A plan that failed while any earlier call was under way may succeed once that one has ended
//! (the text to replace was not there yet): the call waits for all of them and is planned anew. Whoever drives a
//! schedule asks for the [next](Schedule::next) step until there is none, and tells what came of each step.

use crate::effect::{self, Effect};

/// Which calls of one turn may go on. Calls are named by their index.
#[derive(Debug)]
pub struct Schedule {
    calls: Vec<Call>,
    at_once: usize,
}

/// What is to be done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Plan this call, or plan it anew. Ends with [`Schedule::planned`], [`Schedule::failed`] or
    /// [`Schedule::refused`].
    Plan(usize),
    /// Perform this call by its last plan. Ends with [`Schedule::ended`].
    Perform(usize),
    /// This call cannot be performed, and waiting changes nothing of it. Ends with [`Schedule::ended`].
    GiveUp(usize),
}

#[derive(Debug)]
struct Call {
    stage: Stage,
    /// By its last plan; before the first one, the worst that can be.
    effects: Vec<Effect>,
    /// The calls that were under way at some time since its planning began: earlier ones that had not ended, later
    /// ones that were being performed.
    beside: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Unplanned,
    Planning,
    Planned,
    Failed,
    GivenUp,
    Performing,
    Ended,
}

impl Schedule {
    /// A schedule of calls with these effects at worst, of which at most `at_once` are planned or performed at the same
    /// time (at least one).
    pub fn new(worst: impl IntoIterator<Item = Vec<Effect>>, at_once: usize) -> Schedule {
        let calls = worst
            .into_iter()
            .map(|effects| Call {
                stage: Stage::Unplanned,
                effects,
                beside: Vec::new(),
            })
            .collect();
        Schedule {
            calls,
            at_once: at_once.max(1),
        }
    }

    /// The next step that can be begun now, earlier calls first; none: something must end first, or everything has.
    /// While no step is under way and a call has not ended, there always is one.
    #[expect(
        clippy::should_implement_trait,
        reason = "what comes next changes with what is told"
    )]
    pub fn next(&mut self) -> Option<Step> {
        let under_way = self
            .calls
            .iter()
            .filter(|call| matches!(call.stage, Stage::Planning | Stage::Performing))
            .count();
        let step = (0..self.calls.len()).find_map(|index| self.step(index))?;
        match step {
            Step::Plan(index) if under_way < self.at_once => {
                self.calls[index].beside = self.beside(index);
                self.calls[index].stage = Stage::Planning;
            }
            Step::Perform(index) if under_way < self.at_once => {
                self.calls[index].stage = Stage::Performing;
                for earlier in &mut self.calls[..index] {
                    earlier.beside.push(index);
                }
            }
            Step::GiveUp(index) => self.calls[index].stage = Stage::GivenUp,
            Step::Plan(_) | Step::Perform(_) => return None,
        }
        Some(step)
    }

    /// The call has a plan with these effects.
    pub fn planned(&mut self, call: usize, effects: Vec<Effect>) {
        self.calls[call].effects = effects;
        self.calls[call].stage = Stage::Planned;
    }

    /// The call could not be planned with the files as they were.
    pub fn failed(&mut self, call: usize) {
        self.calls[call].stage = Stage::Failed;
    }

    /// The call cannot be planned, whatever is in the files.
    pub fn refused(&mut self, call: usize) {
        self.calls[call].beside.clear();
        self.calls[call].effects.clear();
        self.calls[call].stage = Stage::Failed;
    }

    /// The call has its result, whether it was performed or not.
    pub fn ended(&mut self, call: usize) {
        let call = &mut self.calls[call];
        if call.stage != Stage::Performing {
            // It touched nothing, so no plan suffers from it.
            call.effects.clear();
        }
        call.stage = Stage::Ended;
    }

    /// What this call is ready for.
    fn step(&self, index: usize) -> Option<Step> {
        let call = &self.calls[index];
        let go_on = match call.stage {
            Stage::Unplanned => return Some(Step::Plan(index)),
            Stage::Planned => Step::Perform(index),
            Stage::Failed => Step::GiveUp(index),
            Stage::Planning | Stage::GivenUp | Stage::Performing | Stage::Ended => return None,
        };
        let mut stands = true;
        for &other in &call.beside {
            let other_call = &self.calls[other];
            let matters = effect::conflict(&call.effects, &other_call.effects)
                || call.stage == Stage::Failed && other < index;
            if matters && other_call.stage != Stage::Ended {
                return None;
            }
            stands &= !matters;
        }
        Some(if stands { go_on } else { Step::Plan(index) })
    }

    /// The calls beside which a plan of this one would be made now.
    fn beside(&self, index: usize) -> Vec<usize> {
        (0..self.calls.len())
            .filter(|&other| match self.calls[other].stage {
                Stage::Performing => other != index,
                Stage::Ended => false,
                _ => other < index,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
