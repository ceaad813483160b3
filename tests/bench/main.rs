//! Speed, measured and printed: `cargo bench -p mewcode`, or `cargo bench -p mewcode -- typing start` for parts of it.
//! Nothing here fails for being slow.
//!
//! Every figure is a ratio to a peer that runs in the same minutes on the same machine. Most peers are this
//! program itself, started again with an argument: the bare tower-lsp-server with a rope (`peers/bare.rs`) and the loop
//! that only reads and answers (`peers/raw.rs`); searches have `rg`. CPU is counted by the kernel for each process, so other load disturbs it
//! little; where time is measured, it is the median of many short turns that alternate with the peer's.
// A bench has nobody to report an error to: it says what was expected and stops.
#![allow(clippy::expect_used)]

mod child;
mod client;
mod document;
mod edit;
mod editor;
mod peers;
mod report;
mod review;
mod roundtrip;
mod search;
mod start;
mod tree;
mod typing;

use report::Report;

/// A name and what it measures.
type Part = (&'static str, fn(&mut Report));

/// What is measured, in this order; those named as arguments, or all.
const PARTS: [Part; 7] = [
    ("typing", typing::measure),
    ("start", start::measure),
    ("roundtrip", roundtrip::measure),
    ("search", search::measure),
    ("edit", edit::measure),
    ("review", review::measure),
    ("tree", tree::measure),
];

fn main() {
    // Cargo adds an argument of its own, `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(peer) = arguments
        .iter()
        .find_map(|it| peers::Peer::from_argument(it))
    {
        peer.serve();
        return;
    }
    let names: Vec<&String> = arguments.iter().filter(|it| !it.starts_with('-')).collect();
    let mut report = Report::default();
    for (name, measure) in PARTS {
        if names.is_empty() || names.iter().any(|it| *it == name) {
            measure(&mut report);
        }
    }
    println!("\n{report}");
}
