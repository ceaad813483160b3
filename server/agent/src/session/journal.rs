//! Where a session tells what happens: at once to whoever watches, and lastingly to the event log.
//!
//! Must not know why anything happens. All that it tells and keeps goes through `Secrets`.

use std::io;
use std::sync::Arc;

use super::secrets::Secrets;
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
    secrets: Secrets,
}

impl Journal {
    pub(super) fn new(
        session: String,
        events: Arc<dyn Events>,
        log: EventLog,
        secrets: Secrets,
    ) -> Self {
        Self {
            session,
            run: String::new(),
            sequence: 0,
            events,
            log,
            secrets,
        }
    }

    pub(super) fn log(&self) -> &EventLog {
        &self.log
    }

    pub(super) fn begin_run(&mut self, run: &str) {
        // Of a run that was broken off.
        if let Some(rest) = self.secrets.rest() {
            self.send(rest);
        }
        self.run = run.into();
        self.log.begin_run(run);
    }

    /// Tells whoever watches.
    pub(super) fn emit(&mut self, event: Event) {
        for event in self.secrets.told(event) {
            self.send(event);
        }
    }

    fn send(&mut self, event: Event) {
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
        self.log.append(self.secrets.kept(entry));
    }

    /// Returns when everything kept so far is on the disk.
    pub(super) async fn flush(&mut self) -> io::Result<()> {
        self.log.flush().await
    }
}
