//! Starting, and memory: CPU from spawn to the answer to `initialize`, and what is resident then, with the large
//! document, and after it was closed.

use crate::child::{Program, Wire};
use crate::client::{Client, Introduction};
use crate::document;
use crate::peers::Peer;
use crate::report::{Goal, Report, Row, Unit, median};
use std::path::Path;

const STARTS: usize = 41;

/// Measures and reports.
pub fn measure(report: &mut Report) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    starts(report, folder.path());
    memory(report, folder.path());
}

fn starts(report: &mut Report, home: &Path) {
    let [mut ours, mut peer] = [Figures::default(), Figures::default()];
    for _ in 0..STARTS {
        ours.start(Program::Mewcode, home);
        peer.start(Program::Peer(Peer::Bare), home);
    }
    report.add(Row {
        what: "spawn to initialize: CPU".to_owned(),
        unit: Unit::Milliseconds,
        ours: median(ours.cpu),
        peer: Some(("bare server", median(peer.cpu))),
        goal: Goal::Times(1.7),
    });
    report.add(Row {
        what: "memory after initialize".to_owned(),
        unit: Unit::Megabytes,
        ours: median(ours.memory),
        peer: Some(("bare server", median(peer.memory))),
        goal: Goal::Times(2.0),
    });
}

#[derive(Default)]
struct Figures {
    cpu: Vec<f64>,
    memory: Vec<f64>,
}

impl Figures {
    fn start(&mut self, program: Program, home: &Path) {
        let mut client = Client::start(program, Wire::Pipes, home);
        client.initialize(Introduction::default());
        self.cpu.push(client.child.cpu().as_secs_f64() * 1e3);
        self.memory.push(megabytes(client.child.resident()));
    }
}

fn memory(report: &mut Report, home: &Path) {
    let text = document::large();
    let [ours, peer] = [Program::Mewcode, Program::Peer(Peer::Bare)].map(|program| {
        let mut client = Client::ready(program, home);
        let resident = |client: &Client| megabytes(client.child.resident());
        let before = resident(&client);
        let uri = client.uri("large.rs");
        client.open(&uri, &text);
        let open = resident(&client);
        client.close(&uri);
        [before, open, resident(&client)]
    });
    let [before, open, closed] = ours;
    report.add(Row {
        what: "memory with 10 MB open".to_owned(),
        unit: Unit::Megabytes,
        ours: open,
        peer: Some(("bare server", peer[1])),
        goal: Goal::None,
    });
    report.add(Row {
        what: "memory after its close".to_owned(),
        unit: Unit::Megabytes,
        ours: closed,
        peer: Some(("ours before it", before)),
        goal: Goal::Plus(2.0),
    });
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
