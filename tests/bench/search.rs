//! What an edit costs without an editor: find its place in the buffer, make the edit value, hash; against the bare
//! search and one hash of the same text.

use crate::document::{UNIQUE, large};
use crate::report::{Goal, Report, Row, Unit, median, milliseconds};
use mewcode_core::edit::{Edit, Replacement};
use mewcode_core::find::find_unique;
use mewcode_core::hash::ContentHash;
use mewcode_core::text::{Snapshot, Text};
use std::hint::black_box;

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
            let edit = edit(&snapshot);
            black_box((edit.base(), edit.expected()));
        }));
        peer.push(milliseconds(|| {
            black_box(search_and_hash(&text));
        }));
    }
    report.add(Row {
        what: "search + edit value + sha256 before and after".to_owned(),
        unit: Unit::Milliseconds,
        ours: median(ours),
        peer: Some(("memmem + sha256", median(peer))),
        goal: Goal::Times(3.0),
    });
}

fn replaced() -> String {
    UNIQUE.replace("only", "last")
}

fn edit(snapshot: &Snapshot) -> Edit {
    let found = find_unique(snapshot.rope(), UNIQUE).expect("a line that stands once");
    let replacement = Replacement {
        range: found.range,
        text: replaced(),
    };
    Edit::new(snapshot, vec![replacement]).expect("an edit that fits")
}

fn search_and_hash(text: &str) -> (usize, ContentHash) {
    let occurrences = memchr::memmem::find_iter(text.as_bytes(), UNIQUE).count();
    (occurrences, ContentHash::of(text.as_bytes()))
}
