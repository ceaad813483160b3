//! Runs the calls of one model turn, each to exactly one result: side by side where their effects allow it, else in the
//! order in which the model made them.
//!
//! Must not know how a call is performed: the tools' runtime does; nor which calls conflict: the schedule does. Before
//! a call happens its intent is on the disk.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use mewcode_tools::notice::{Notice, Notices};
use mewcode_tools::result::{ToolError, ToolResult};
use mewcode_tools::runtime::{CallContext, PlannedCall, Refusal};
use mewcode_tools::schedule::{Schedule, Step};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::calls::{PreparedCall, UnderWay};
use super::guard::{Guard, Repetition};
use super::{RunOutcome, Session};
use crate::event::Event;
use crate::log::Entry;
use crate::render;

/// How many calls are planned or performed at the same time. Each may hold a whole file, or walk the whole tree with
/// threads of its own: more of them would only wait for the same disk. As many changes can be under review at once.
const AT_ONCE: usize = 8;

/// What became of the calls of one turn.
pub(super) struct Round {
    /// One result for each call, in order.
    pub(super) results: Vec<ToolResult>,
    /// `Err`: something ended the run before all of them were made.
    pub(super) ended: Result<(), RunOutcome>,
    /// Whether any of the tools exists.
    pub(super) any_known: bool,
}

/// The calls on their way.
struct Pending<'a> {
    calls: &'a [PreparedCall],
    /// The words of the model beside the calls.
    reason: &'a str,
    cancel: &'a CancellationToken,
    repetitions: Vec<Repetition>,
    schedule: Schedule,
    /// What the last planning of each call gave.
    plans: Vec<Option<Result<PlannedCall, ToolResult>>>,
    results: Vec<Option<ToolResult>>,
    tasks: JoinSet<(usize, Came)>,
    /// Where the calls tell what happens before they end.
    told: mpsc::UnboundedSender<(String, Notice)>,
    heard: mpsc::UnboundedReceiver<(String, Notice)>,
    ended: Result<(), RunOutcome>,
}

/// What came of a step.
enum Came {
    Planned(Result<PlannedCall, Box<Refusal>>),
    Performed(ToolResult),
}

impl Pending<'_> {
    /// Whether nothing new may begin.
    fn is_over(&self) -> bool {
        self.ended.is_err() || self.cancel.is_cancelled()
    }
}

impl Session {
    /// Runs the calls and tells the conversation their results, all of them, whatever happens.
    pub(super) async fn run_calls(
        &mut self,
        calls: &[PreparedCall],
        reason: &str,
        guard: &mut Guard,
        cancel: &CancellationToken,
    ) -> Round {
        let any_known = self.announce(calls);
        let (repetitions, limit) = judge(calls, guard);
        // What comes after a call that must not be made is not made either.
        let made = repetitions.len() - usize::from(limit.is_some());
        let worst = calls[..made].iter().map(|call| {
            let tool = self.runtime.registry().get(call.tool());
            tool.map_or_else(Vec::new, |tool| tool.contract().effect_bound.worst())
        });
        let (told, heard) = mpsc::unbounded_channel();
        let mut pending = Pending {
            calls,
            reason,
            cancel,
            schedule: Schedule::new(worst, AT_ONCE),
            repetitions,
            plans: calls.iter().map(|_| None).collect(),
            results: vec![None; calls.len()],
            tasks: JoinSet::new(),
            told,
            heard,
            ended: Ok(()),
        };
        self.begin(&mut pending).await;
        while let Some(joined) = self.next_end(&mut pending).await {
            // A task catches its panics, and nobody aborts one.
            let Ok((index, came)) = joined else { continue };
            match came {
                Came::Planned(Ok(call)) => {
                    pending.schedule.planned(index, call.effects().to_vec());
                    pending.plans[index] = Some(Ok(call));
                }
                Came::Planned(Err(refusal)) => {
                    if refusal.may_pass {
                        pending.schedule.failed(index);
                    } else {
                        pending.schedule.refused(index);
                    }
                    pending.plans[index] = Some(Err(refusal.result));
                }
                Came::Performed(result) => self.finish(&mut pending, index, result),
            }
            self.begin(&mut pending).await;
        }
        if pending.ended.is_ok() && cancel.is_cancelled() {
            pending.ended = Err(RunOutcome::Cancelled);
        }
        if let (true, Some((times, outcome))) = (pending.ended.is_ok(), limit) {
            pending.ended = Err(outcome);
            let result = ToolResult::interrupted(format!(
                "The same call was made {times} times over, so it was not made again and the run was stopped."
            ));
            self.answer_call(&mut pending, made, result);
        }
        self.answer_all(pending, any_known)
    }

    /// Waits for the end of a task, and hears what the calls tell until then: all of it before that end.
    async fn next_end(
        &mut self,
        pending: &mut Pending<'_>,
    ) -> Option<Result<(usize, Came), tokio::task::JoinError>> {
        loop {
            tokio::select! {
                biased;
                // The other end is kept beside this one, so it is never closed.
                Some((call, notice)) = pending.heard.recv() => self.hear(pending, call, notice).await,
                joined = pending.tasks.join_next() => {
                    // A task may have told its last between the two looks.
                    while let Ok((call, notice)) = pending.heard.try_recv() {
                        self.hear(pending, call, notice).await;
                    }
                    return joined;
                }
            }
        }
    }

    /// Passes on what a call tells. After its end nobody asks for it: a command in the background goes on printing.
    async fn hear(&mut self, pending: &mut Pending<'_>, call: String, notice: Notice) {
        let index = pending.calls.iter().position(|it| it.id() == call);
        if index.is_none_or(|index| pending.results[index].is_some()) {
            return;
        }
        if let Some(entry) = Entry::of_notice(&call, &notice) {
            self.journal.record(entry);
            // What a person was asked, and what was answered, is on the disk before anybody is told of it.
            if let Err(error) = self.journal.flush().await
                && pending.ended.is_ok()
            {
                pending.ended = Err(RunOutcome::Failed(error.to_string()));
            }
        }
        self.journal.emit(Event::of_notice(call, notice));
    }

    /// Tells who watches which calls there are, in order. Gives whether any of their tools exists.
    fn announce(&mut self, calls: &[PreparedCall]) -> bool {
        for call in calls {
            let arguments = call.input();
            let title = render::title(call.tool(), &arguments);
            let purpose = render::purpose(&arguments);
            self.journal.emit(Event::CallStarted {
                call: call.id().to_string(),
                tool: call.tool().to_string(),
                arguments,
                title,
                purpose,
            });
        }
        let registry = self.runtime.registry();
        calls.iter().any(|call| registry.get(call.tool()).is_some())
    }

    /// Begins all that can begin now.
    async fn begin(&mut self, pending: &mut Pending<'_>) {
        loop {
            if pending.is_over() {
                return;
            }
            let steps: Vec<Step> = std::iter::from_fn(|| pending.schedule.next()).collect();
            if steps.is_empty() {
                return;
            }
            // The intent comes before the effect: without it nobody could settle the call after a crash.
            if let Err(error) = self.record_intents(pending.calls, &steps).await {
                pending.ended = Err(RunOutcome::Failed(error.to_string()));
                for step in steps {
                    if let Step::Perform(index) | Step::GiveUp(index) = step {
                        let result = ToolResult::interrupted(
                            "The call was not made, as it could not be recorded.",
                        );
                        self.answer_call(pending, index, result);
                    }
                }
                return;
            }
            if pending.cancel.is_cancelled() {
                return;
            }
            for step in steps {
                self.take_step(pending, step);
            }
        }
    }

    /// Returns when the intent of each call that is about to be made is on the disk.
    async fn record_intents(
        &mut self,
        calls: &[PreparedCall],
        steps: &[Step],
    ) -> std::io::Result<()> {
        let made = steps.iter().filter_map(|step| match step {
            Step::Perform(index) | Step::GiveUp(index) => Some(&calls[*index]),
            Step::Plan(_) => None,
        });
        let mut any = false;
        for call in made.filter(|call| call.arguments().is_ok()) {
            self.journal.record(Entry::CallIntended {
                call: call.id().to_string(),
                tool: call.tool().to_string(),
                arguments: call.input(),
                fingerprint: call.fingerprint(),
            });
            self.under_way
                .insert(call.id().to_string(), UnderWay::Intended);
            any = true;
        }
        if any {
            self.journal.flush().await
        } else {
            Ok(())
        }
    }

    fn take_step(&mut self, pending: &mut Pending<'_>, step: Step) {
        let index = match step {
            Step::Plan(index) | Step::Perform(index) | Step::GiveUp(index) => index,
        };
        let call = &pending.calls[index];
        let plan = pending.plans[index].take();
        let runtime = Arc::clone(&self.runtime);
        let context = CallContext {
            session: self.id.clone(),
            call: call.id().to_string(),
            mode: self.mode.get(),
            ledger: Some(self.ledger.clone()),
            cancel: pending.cancel.clone(),
            reason: pending.reason.to_string(),
            notices: Notices::new(call.id(), pending.told.clone()),
        };
        match (step, call.arguments(), plan) {
            (Step::Plan(_), Ok(arguments), _) => {
                let tool = call.tool().to_string();
                let arguments = Value::Object(arguments.clone());
                pending.tasks.spawn(async move {
                    let planning = runtime.prepare(&context, &tool, arguments);
                    let planned = AssertUnwindSafe(planning).catch_unwind().await;
                    let planned = planned.unwrap_or_else(|_| Err(broke_off(&tool).into()));
                    (index, Came::Planned(planned))
                });
            }
            (Step::Plan(_), Err(error), _) => {
                pending.plans[index] = Some(Err(self.refuse(error)));
                pending.schedule.refused(index);
            }
            (Step::Perform(_), _, Some(Ok(planned))) => {
                let tool = call.tool().to_string();
                pending.tasks.spawn(async move {
                    let performing = runtime.perform(&context, planned);
                    let performed = AssertUnwindSafe(performing).catch_unwind().await;
                    let result =
                        performed.unwrap_or_else(|_| ToolResult::unknown_outcome(broke_off(&tool)));
                    (index, Came::Performed(result))
                });
            }
            (_, _, Some(Err(failure))) => self.finish(pending, index, failure),
            // The schedule performs only what has a plan, and gives up only what has none.
            (_, _, _) => {
                let result = ToolResult::error(broke_off(call.tool()));
                self.finish(pending, index, result);
            }
        }
    }

    /// A call that was made has its result.
    fn finish(&mut self, pending: &mut Pending<'_>, index: usize, mut result: ToolResult) {
        if let Repetition::Warn(times) = pending.repetitions[index] {
            result.content.push_str(&format!(
                "\n\n(Warning: this is the same call {times} times over. The result will not change by repeating it: \
                 try something else, or tell the user what is missing.)"
            ));
        }
        pending.schedule.ended(index);
        self.answer_call(pending, index, result);
    }

    /// Tells the result of a call, and keeps it until all have theirs.
    fn answer_call(&mut self, pending: &mut Pending<'_>, index: usize, result: ToolResult) {
        let call = &pending.calls[index];
        let (id, tool) = (call.id().to_string(), call.tool().to_string());
        let block = self.end_call(id.clone(), tool, &result);
        self.under_way.insert(id, UnderWay::Ended(block));
        pending.results[index] = Some(result);
    }

    /// Answers what was not made, and tells the conversation all results, in order.
    fn answer_all(&mut self, mut pending: Pending<'_>, any_known: bool) -> Round {
        for index in 0..pending.calls.len() {
            if pending.results[index].is_none() {
                let result =
                    ToolResult::interrupted("The run was stopped before this call was made.");
                self.answer_call(&mut pending, index, result);
            }
        }
        self.settle_open_calls();
        Round {
            results: pending.results.into_iter().flatten().collect(),
            ended: pending.ended,
            any_known,
        }
    }
}

/// How each call stands to those before it, up to the first that must not be made; and, of that one, how often it was
/// made and how the run ends.
fn judge(
    calls: &[PreparedCall],
    guard: &mut Guard,
) -> (Vec<Repetition>, Option<(u32, RunOutcome)>) {
    let mut repetitions = Vec::with_capacity(calls.len());
    for call in calls {
        let repetition = guard.call(&call.fingerprint());
        repetitions.push(repetition);
        if let Repetition::Stop(times) = repetition {
            let outcome = RunOutcome::Limit(format!(
                "The run was stopped: the model made the same call of {} {times} times over.",
                call.tool()
            ));
            return (repetitions, Some((times, outcome)));
        }
    }
    (repetitions, None)
}

fn broke_off(tool: &str) -> ToolError {
    ToolError::internal(format!("The call of `{tool}` broke off."))
}
