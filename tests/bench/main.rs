//! Speed, measured and printed: `cargo bench -p mewcode`. Nothing here fails for being slow.
//!
//! Every figure is a ratio to a peer that runs in the same minutes on the same machine. The peers are this program
//! itself, started again with an argument: the bare tower-lsp-server with a rope (`peers/bare.rs`) and the loop that
//! only reads and answers (`peers/raw.rs`). CPU is counted by the kernel for each process, so other load disturbs it
//! little; where time is measured, it is the median of many short turns that alternate with the peer's.
// A bench has nobody to report an error to: it says what was expected and stops.
#![allow(clippy::expect_used)]

mod child;
mod client;
mod document;
mod editor;
mod peers;
mod report;
mod review;
mod roundtrip;
mod search;
mod start;
mod typing;

use report::Report;

fn main() {
    let argument = std::env::args().nth(1);
    if let Some(peer) = argument.as_deref().and_then(peers::Peer::from_argument) {
        peer.serve();
        return;
    }
    let mut report = Report::default();
    typing::measure(&mut report);
    start::measure(&mut report);
    roundtrip::measure(&mut report);
    search::measure(&mut report);
    review::measure(&mut report);
    println!("{report}");
}
