//! Outlines of files before they are asked for: who looked for one name in a folder will soon look for another. One
//! thread, for a time, within the bound of memory; it ends with the workspace.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;
use tree_sitter::Parser;

use super::Symbols;
use super::closed;
use crate::search::Listing;

/// So long after each search.
const MAX_TIME: Duration = Duration::from_secs(180);

/// Whether a thread is at work.
#[derive(Default)]
pub(super) struct Learning(AtomicBool);

impl Learning {
    pub(super) fn is_going_on(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Learns the outlines of these files of a listing, unless others are being learnt.
pub(crate) fn learn(symbols: &Arc<Symbols>, listing: &Arc<Listing>, files: Vec<usize>) {
    if files.is_empty() || symbols.learning.0.swap(true, Ordering::AcqRel) {
        return;
    }
    let (weak, listing) = (Arc::downgrade(symbols), Arc::clone(listing));
    let thread = std::thread::Builder::new().name("symbols".to_owned());
    // Without a thread the next search parses what it needs, as this one did.
    if thread.spawn(move || work(&weak, &listing, &files)).is_err() {
        symbols.learning.0.store(false, Ordering::Release);
    }
}

fn work(symbols: &Weak<Symbols>, listing: &Listing, files: &[usize]) {
    let until = Instant::now() + MAX_TIME;
    let (mut buffer, mut parser) = (Vec::new(), Parser::new());
    let cancel = CancellationToken::new();
    for index in files {
        let Some(symbols) = symbols.upgrade() else {
            return;
        };
        if Instant::now() > until || symbols.closed.is_full() {
            break;
        }
        let path = listing.file(*index).real();
        if let Ok(stamp) = closed::read_into(&path, &mut buffer) {
            // Why one has no outline is told to who asks for it.
            let _ = symbols
                .closed
                .take(&path, stamp, &buffer, &mut parser, &cancel);
        }
    }
    if let Some(symbols) = symbols.upgrade() {
        symbols.learning.0.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests;
