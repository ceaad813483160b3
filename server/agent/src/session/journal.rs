//! Where a session tells what happens: at once to whoever watches, and lastingly to the event log.
//!
//! Must not know why anything happens.

use std::io;
use std::sync::Arc;

use crate::event::{Envelope, Event, Events};
use crate::log::{Entry, EventLog};
use crate::time;

/// The two ears of a session.
pub(super) struct Journal {
    session: String,
    run: String,
    sequence: u64,
    events: Arc<dyn Events>,
    log: EventLog,
}

impl Journal {
    pub(super) fn new(session: String, events: Arc<dyn Events>, log: EventLog) -> Self {
        Self {
            session,
            run: String::new(),
            sequence: 0,
            events,
            log,
        }
    }

    pub(super) fn log(&self) -> &EventLog {
        &self.log
    }

    pub(super) fn begin_run(&mut self, run: &str) {
        self.run = run.into();
        self.log.begin_run(run);
    }

    /// Tells whoever watches.
    pub(super) fn emit(&mut self, event: Event) {
        self.sequence += 1;
        self.events.emit(&Envelope {
            session: self.session.clone(),
            run: self.run.clone(),
            sequence: self.sequence,
            time: time::now(),
            event,
        });
    }

    /// Keeps it.
    pub(super) fn record(&mut self, entry: Entry) {
        self.log.append(entry);
    }

    /// Returns when everything kept so far is on the disk.
    pub(super) async fn flush(&mut self) -> io::Result<()> {
        self.log.flush().await
    }
}
