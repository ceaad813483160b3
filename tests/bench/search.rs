//! What an edit costs inside: find its place in the open buffer, make the edit value, hash; against the bare search
//! and one hash of the same text.

use crate::document::{UNIQUE, large};
use crate::report::{Goal, Report, Row, Unit, median};
use mewcode_core::edit::{Edit, Replacement};
use mewcode_core::find::find_unique;
use mewcode_core::hash::ContentHash;
use mewcode_core::text::{Snapshot, Text};
use std::hint::black_box;
use std::time::Instant;

const ROUNDS: usize = 15;

/// Measures and reports.
pub fn measure(report: &mut Report) {
    let text = large();
    let open = Text::decode(&text);
    let (mut ours, mut peer) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        // The buffer as an edit meets it after a keystroke: its hash is not known.
        let snapshot = Snapshot::new(open.clone());
        ours.push(milliseconds(|| {
            black_box(edit(&snapshot));
        }));
        peer.push(milliseconds(|| {
            black_box(search_and_hash(&text));
        }));
    }
    report.add(Row {
        what: "search + edit value + sha256".to_owned(),
        unit: Unit::Milliseconds,
        ours: median(ours),
        peer: Some(("memmem + sha256", median(peer))),
        goal: Goal::Times(3.0),
    });
}

fn edit(snapshot: &Snapshot) -> Edit {
    let found = find_unique(snapshot.rope(), UNIQUE).expect("a line that stands once");
    let replacement = Replacement {
        range: found.range,
        text: UNIQUE.replace("only", "last"),
    };
    Edit::new(snapshot, vec![replacement]).expect("an edit that fits")
}

fn search_and_hash(text: &str) -> (usize, ContentHash) {
    let occurrences = memchr::memmem::find_iter(text.as_bytes(), UNIQUE).count();
    (occurrences, ContentHash::of(text.as_bytes()))
}

fn milliseconds(work: impl FnOnce()) -> f64 {
    let started = Instant::now();
    work();
    started.elapsed().as_secs_f64() * 1e3
}
