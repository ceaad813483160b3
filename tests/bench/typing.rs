//! Typing: the CPU of one-character changes, against the bare server, and in a large document against a small one.
//!
//! Keys arrive singly, each one waking the server, or queued, as after a pause of the server or from a macro.

use crate::child::Program;
use crate::client::{Client, frame};
use crate::document;
use crate::peers::Peer;
use crate::report::{Goal, Report, Row, Unit, median};
use serde_json::json;
use std::path::Path;
use std::time::Duration;

const ROUNDS: usize = 7;
/// Keys of one round.
const SINGLE: u32 = 1_500;
const QUEUED: u32 = 10_000;
/// Long enough that the server sleeps again before the next key.
const BETWEEN_KEYS: Duration = Duration::from_micros(150);
/// Keys on one line before the next line's turn.
const RUN: u32 = 40;
/// Frames that are written at once when keys are queued.
const BATCH: usize = 200;

/// How keys arrive.
#[derive(Clone, Copy)]
enum Keys {
    Single,
    Queued,
}

struct Typist {
    client: Client,
    uri: String,
    lines: u32,
    typed: u32,
}

/// Measures and reports.
pub fn measure(report: &mut Report) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let large = document::large();
    let small = document::text(document::LINES / 10);
    let bare = Program::Peer(Peer::Bare);
    let mut ours = Typist::new(Program::Mewcode, folder.path(), &large);
    let mut peer = Typist::new(bare, folder.path(), &large);
    let mut ours_small = Typist::new(Program::Mewcode, folder.path(), &small);
    for (keys, name) in [(Keys::Single, "single keys"), (Keys::Queued, "queued keys")] {
        let (mut ten, mut bare, mut one) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            ten.push(ours.cpu_of_a_key(keys));
            bare.push(peer.cpu_of_a_key(keys));
            one.push(ours_small.cpu_of_a_key(keys));
        }
        let (ten, bare, one) = (median(ten), median(bare), median(one));
        let row = |what, peer, goal| Row {
            what: format!("{what}, {name}: CPU"),
            unit: Unit::Microseconds,
            ours: ten,
            peer: Some(peer),
            goal,
        };
        report.add(row(
            "didChange at 10 MB",
            ("bare server", bare),
            Goal::Times(1.3),
        ));
        report.add(row(
            "didChange at 10 MB",
            ("ours at 1 MB", one),
            Goal::Times(2.0),
        ));
    }
}

impl Typist {
    fn new(program: Program, home: &Path, text: &str) -> Self {
        let mut client = Client::ready(program, home);
        let uri = client.uri("typed.rs");
        client.open(&uri, text);
        let lines = u32::try_from(text.lines().count()).expect("a count of lines");
        Self {
            client,
            uri,
            lines,
            typed: 0,
        }
    }

    /// Types one round; the CPU of a key in microseconds.
    fn cpu_of_a_key(&mut self, keys: Keys) -> f64 {
        let count = match keys {
            Keys::Single => SINGLE,
            Keys::Queued => QUEUED,
        };
        let frames: Vec<Vec<u8>> = (0..count).map(|_| self.key()).collect();
        let batch = match keys {
            Keys::Single => 1,
            Keys::Queued => BATCH,
        };
        let spent = self.client.cpu_of(|client| {
            for frames in frames.chunks(batch) {
                client.write(&frames.concat());
                if batch == 1 {
                    std::thread::sleep(BETWEEN_KEYS);
                }
            }
        });
        spent.as_secs_f64() * 1e6 / f64::from(count)
    }

    /// The change that the next key makes.
    fn key(&mut self) -> Vec<u8> {
        self.typed += 1;
        let line = (self.typed / RUN).wrapping_mul(7_919) % self.lines;
        let at = json!({"line": line, "character": self.typed % RUN % 3});
        frame(&json!({
            "jsonrpc": "2.0",
            "method": "textDocument/didChange",
            "params": {
                "textDocument": {"uri": self.uri, "version": self.typed},
                "contentChanges": [{"range": {"start": at, "end": at}, "rangeLength": 0, "text": "x"}],
            },
        }))
    }
}
