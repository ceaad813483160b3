//! What an edit costs without an editor: find its place in the buffer, make the edit value, hash; against the bare
//! search and one hash of the same text. And the whole process of `mewcode call edit_file` on the same file.

use crate::document::{UNIQUE, large};
use crate::report::{Goal, Report, Row, Unit, median};
use mewcode_core::edit::{Edit, Replacement};
use mewcode_core::find::find_unique;
use mewcode_core::hash::ContentHash;
use mewcode_core::text::{Snapshot, Text};
use serde_json::json;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};
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
    whole_process(report, &text);
}

fn whole_process(report: &mut Report, text: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("large.rs");
    let times = (0..ROUNDS).map(|_| {
        std::fs::write(&file, text).expect("a writable folder");
        milliseconds(|| call_edit_file(folder.path()))
    });
    report.add(Row {
        what: "mewcode call edit_file, the whole process: time".to_owned(),
        unit: Unit::Milliseconds,
        ours: median(times.collect()),
        peer: None,
        goal: Goal::None,
    });
}

fn call_edit_file(root: &Path) {
    let arguments = json!({"path": "large.rs", "old_string": UNIQUE, "new_string": replaced()});
    let status = Command::new(env!("CARGO_BIN_EXE_mewcode"))
        .args(["call", "edit_file", &arguments.to_string()])
        .current_dir(root)
        .stdout(Stdio::null())
        .status();
    assert!(
        status.expect("the program starts").success(),
        "the edit lands"
    );
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

fn milliseconds(work: impl FnOnce()) -> f64 {
    let started = Instant::now();
    work();
    started.elapsed().as_secs_f64() * 1e3
}
