//! What may go on beside what, step by step; and that no order of ends breaks the rules.

use proptest::prelude::*;
use proptest::sample::Index;

use super::Step::*;
use super::*;
use crate::effect::tests::effect;
use crate::effect::{EffectBound, EffectKind, conflict};

fn read(path: &str) -> Vec<Effect> {
    vec![Effect::Read(vec![path.into()])]
}

fn write(path: &str) -> Vec<Effect> {
    vec![Effect::Write(vec![path.into()])]
}

fn reads() -> Vec<Effect> {
    EffectBound::new([EffectKind::Read]).worst()
}

fn edits() -> Vec<Effect> {
    EffectBound::new([EffectKind::Read, EffectKind::Write]).worst()
}

fn steps(schedule: &mut Schedule) -> Vec<Step> {
    std::iter::from_fn(|| schedule.next()).collect()
}

#[test]
fn reads_go_on_side_by_side() {
    let mut schedule = Schedule::new([reads(), reads()], 8);
    assert_eq!(steps(&mut schedule), [Plan(0), Plan(1)]);
    schedule.planned(1, read("/w/a"));
    assert_eq!(
        steps(&mut schedule),
        [Perform(1)],
        "whatever the first one reads"
    );
    schedule.planned(0, read("/w/a"));
    assert_eq!(steps(&mut schedule), [Perform(0)]);
}

#[test]
fn a_conflicting_call_waits_for_the_end_and_is_planned_anew() {
    let mut schedule = Schedule::new([edits(), edits(), edits(), reads()], 8);
    assert_eq!(steps(&mut schedule), [Plan(0), Plan(1), Plan(2), Plan(3)]);
    schedule.planned(1, write("/w/a"));
    schedule.planned(2, write("/w/b"));
    schedule.planned(3, read("/w/a"));
    assert_eq!(steps(&mut schedule), [], "the first one may write anything");
    schedule.planned(0, write("/w/a"));
    assert_eq!(steps(&mut schedule), [Perform(0), Perform(2)]);
    schedule.ended(0);
    assert_eq!(
        steps(&mut schedule),
        [Plan(1)],
        "its first plan is out of date"
    );
    schedule.planned(1, write("/w/a"));
    assert_eq!(steps(&mut schedule), [Perform(1)]);
    schedule.ended(1);
    assert_eq!(steps(&mut schedule), [Plan(3)]);
    schedule.planned(3, read("/w/a"));
    assert_eq!(steps(&mut schedule), [Perform(3)]);
}

#[test]
fn a_plan_that_ends_after_the_conflicting_call_is_out_of_date_too() {
    let mut schedule = Schedule::new([edits(), edits()], 8);
    steps(&mut schedule);
    schedule.planned(0, write("/w/a"));
    assert_eq!(steps(&mut schedule), [Perform(0)]);
    schedule.ended(0);
    schedule.planned(1, write("/w/a"));
    assert_eq!(steps(&mut schedule), [Plan(1)]);
}

#[test]
fn a_failed_plan_is_tried_again_after_all_earlier_calls() {
    let mut schedule = Schedule::new([reads(), edits(), edits(), reads()], 8);
    steps(&mut schedule);
    schedule.failed(2);
    schedule.planned(3, read("/w/c"));
    schedule.planned(0, read("/w/a"));
    schedule.planned(1, write("/w/b"));
    assert_eq!(
        steps(&mut schedule),
        [Perform(0), Perform(1)],
        "nobody knows yet what the third one writes"
    );
    schedule.ended(1);
    assert_eq!(steps(&mut schedule), []);
    schedule.ended(0);
    assert_eq!(steps(&mut schedule), [Plan(2)]);
    schedule.failed(2);
    assert_eq!(steps(&mut schedule), [GiveUp(2)]);
    schedule.ended(2);
    assert_eq!(
        steps(&mut schedule),
        [Perform(3)],
        "what did nothing spoils no plan"
    );
}

#[test]
fn a_refused_call_waits_for_nobody() {
    let mut schedule = Schedule::new([edits(), edits(), reads()], 8);
    steps(&mut schedule);
    schedule.refused(1);
    assert_eq!(steps(&mut schedule), [GiveUp(1)]);
    schedule.planned(0, write("/w/a"));
    schedule.planned(2, read("/w/b"));
    assert_eq!(steps(&mut schedule), [Perform(0), Perform(2)]);
}

#[test]
fn an_earlier_call_that_turns_to_another_file_waits_for_the_later_one_there() {
    let mut schedule = Schedule::new([edits(), edits(), edits()], 8);
    steps(&mut schedule);
    schedule.planned(0, write("/w/a"));
    schedule.planned(1, write("/w/a"));
    schedule.planned(2, write("/w/b"));
    assert_eq!(steps(&mut schedule), [Perform(0), Perform(2)]);
    schedule.ended(0);
    assert_eq!(steps(&mut schedule), [Plan(1)]);
    schedule.planned(1, write("/w/b"));
    assert_eq!(steps(&mut schedule), []);
    schedule.ended(2);
    assert_eq!(steps(&mut schedule), [Plan(1)]);
}

#[test]
fn a_later_call_that_began_during_the_planning_counts_too() {
    let mut schedule = Schedule::new([edits(), edits(), edits()], 8);
    steps(&mut schedule);
    schedule.planned(0, write("/w/a"));
    schedule.planned(1, write("/w/a"));
    assert_eq!(steps(&mut schedule), [Perform(0)]);
    schedule.ended(0);
    assert_eq!(steps(&mut schedule), [Plan(1)]);
    schedule.planned(2, write("/w/b"));
    assert_eq!(steps(&mut schedule), [Perform(2)]);
    schedule.planned(1, write("/w/b"));
    assert_eq!(steps(&mut schedule), []);
    schedule.ended(2);
    assert_eq!(steps(&mut schedule), [Plan(1)]);
}

#[test]
fn no_more_than_so_many_at_once() {
    let mut schedule = Schedule::new((0..5).map(|_| reads()), 2);
    assert_eq!(steps(&mut schedule), [Plan(0), Plan(1)]);
    schedule.planned(0, read("/w/a"));
    assert_eq!(steps(&mut schedule), [Perform(0)]);
    schedule.planned(1, read("/w/a"));
    assert_eq!(
        steps(&mut schedule),
        [Perform(1)],
        "what is begun comes first"
    );
    schedule.ended(1);
    assert_eq!(steps(&mut schedule), [Plan(2)]);
    assert_eq!(
        steps(&mut Schedule::new([reads()], 0)),
        [Plan(0)],
        "never none"
    );
}

/// What a call of the simulation is like.
#[derive(Clone, Debug)]
struct Sample {
    effects: Vec<Effect>,
    /// Its plan fails until the call with this index has ended, if that is an earlier one.
    needs: Option<usize>,
    /// Its plan never succeeds.
    hopeless: bool,
}

fn sample() -> impl Strategy<Value = Sample> {
    let effects = prop::collection::vec(effect(), 0..3);
    (
        effects,
        prop::option::of(0..6_usize),
        prop::bool::weighted(0.1),
    )
        .prop_map(|(effects, needs, hopeless)| Sample {
            effects,
            needs,
            hopeless,
        })
}

proptest! {
    /// Whatever ends first: conflicting calls are performed in order and by plans that know of each other, never more
    /// than allowed are under way, and each call ends once.
    #[test]
    fn the_rules_hold_in_every_order_of_ends(
        samples in prop::collection::vec(sample(), 0..7),
        at_once in 1..4_usize,
        choices in prop::collection::vec(any::<Index>(), 200),
    ) {
        let worst = |sample: &Sample| {
            EffectBound::new(sample.effects.iter().map(Effect::kind)).worst()
        };
        let mut schedule = Schedule::new(samples.iter().map(worst), at_once);
        let mut under_way: Vec<Step> = Vec::new();
        let mut ended = vec![false; samples.len()];
        // Which calls had ended when the last plan of each was begun.
        let mut known = vec![Vec::new(); samples.len()];
        let mut choices = choices.into_iter();
        loop {
            while let Some(step) = schedule.next() {
                match step {
                    Plan(index) => known[index] = ended.clone(),
                    Perform(index) => {
                        for (other, sample) in samples.iter().enumerate() {
                            let conflicts = conflict(&samples[index].effects, &sample.effects);
                            prop_assert!(!(conflicts && under_way.contains(&Perform(other))));
                            if other < index && conflicts && !sample.hopeless {
                                prop_assert!(ended[other], "{index} before {other}");
                                prop_assert!(known[index][other], "{index} knows {other}");
                            }
                        }
                    }
                    GiveUp(index) => {
                        prop_assert!(samples[index].hopeless);
                        prop_assert!(known[index][..index].iter().all(|ended| *ended));
                    }
                }
                under_way.push(step);
                let busy = under_way.iter().filter(|step| !matches!(step, GiveUp(_)));
                prop_assert!(busy.count() <= at_once);
            }
            if under_way.is_empty() {
                break;
            }
            let choice = choices.next().expect("it comes to an end");
            match under_way.swap_remove(choice.index(under_way.len())) {
                Plan(index) => {
                    let sample = &samples[index];
                    let early = sample.needs.is_some_and(|needed| {
                        needed < index && !known[index][needed]
                    });
                    if sample.hopeless || early {
                        schedule.failed(index);
                    } else {
                        schedule.planned(index, sample.effects.clone());
                    }
                }
                Perform(index) | GiveUp(index) => {
                    prop_assert!(!ended[index]);
                    ended[index] = true;
                    schedule.ended(index);
                }
            }
        }
        prop_assert!(ended.iter().all(|ended| *ended));
    }
}
