//! Round trips of a request with an empty answer, against a loop that only reads and answers, on pipes and on sockets.
//!
//! Client and server share one CPU, so that the way is measured, and not whether the scheduler put them far apart.

use crate::child::{Program, Wire};
use crate::client::{Client, Introduction};
use crate::peers::Peer;
use crate::report::{Goal, Report, Row, Unit, median};
use serde_json::json;
use std::path::Path;
use std::time::Instant;

const ROUNDS: usize = 9;
const REQUESTS: usize = 1_000;

/// Measures and reports.
pub fn measure(report: &mut Report) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    on_one_cpu(|| measure_in(report, folder.path()));
}

/// Does this with the thread, and all that it starts meanwhile, on one CPU, where the system lets a program say so.
fn on_one_cpu(work: impl FnOnce()) {
    #[cfg(target_os = "linux")]
    {
        use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
        let all = sched_getaffinity(None).expect("the CPUs of this thread");
        let mut one = CpuSet::new();
        one.set(sched_getcpu());
        sched_setaffinity(None, &one).expect("a CPU of this thread");
        work();
        sched_setaffinity(None, &all).expect("the CPUs from before");
    }
    #[cfg(not(target_os = "linux"))]
    work();
}

fn measure_in(report: &mut Report, folder: &Path) {
    for (wire, name) in [(Wire::Pipes, "pipes"), (Wire::Sockets, "sockets")] {
        let mut ours = connect(Program::Mewcode, wire, folder);
        let mut peer = connect(Program::Peer(Peer::Raw), wire, folder);
        let (mut our_times, mut peer_times) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            our_times.push(round(&mut ours));
            peer_times.push(round(&mut peer));
        }
        report.add(Row {
            what: format!("request round trip on {name}"),
            unit: Unit::Microseconds,
            ours: median(our_times),
            peer: Some(("raw loop", median(peer_times))),
            goal: Goal::Times(1.5),
        });
    }
}

fn connect(program: Program, wire: Wire, home: &Path) -> Client {
    let mut client = Client::start(program, wire, home);
    client.initialize(Introduction::default());
    client.initialized();
    client
}

/// The median time of a round trip in microseconds.
fn round(client: &mut Client) -> f64 {
    let params = json!({"textDocument": {"uri": client.uri("none.rs")}});
    let times = (0..REQUESTS).map(|_| {
        let started = Instant::now();
        client.ask("textDocument/codeLens", &params);
        client.read_body();
        started.elapsed().as_secs_f64() * 1e6
    });
    median(times.collect())
}
