//! The limits that hold for all processes of a command together: looked after now and then, more often the faster they
//! multiply.

use std::time::Duration;

use super::super::ending::LimitHit;
use super::super::spec::Limits;
use super::super::system;
use super::super::tree::Tree;

/// How often is looked in the end.
const CALM: Duration = Duration::from_millis(200);
/// How often is looked at a command that is new, or may soon be at its limit.
const BUSY: Duration = Duration::from_millis(20);

/// Watches over the limits of a command.
pub(super) struct Watch {
    limits: Limits,
    interval: Duration,
}

impl Watch {
    pub fn new(limits: Limits) -> Watch {
        Watch {
            limits,
            interval: BUSY,
        }
    }

    /// How long to wait before the next look. Without limits there is none to speak of.
    pub fn interval(&self) -> Duration {
        match (self.limits.memory, self.limits.processes) {
            // Elsewhere nobody says when a process ends that went away from its parents.
            (None, None) if cfg!(target_os = "linux") => Duration::from_secs(3600),
            _ => self.interval,
        }
    }

    /// The limit that is exceeded now.
    pub fn look(&mut self, tree: &Tree) -> Option<LimitHit> {
        let processes = tree.processes();
        let count = processes.len() as u64;
        self.interval = match self.limits.processes {
            Some(limit) if count > limit / 8 => BUSY,
            _ => (self.interval * 2).min(CALM),
        };
        if let Some(limit) = self.limits.processes
            && count > limit
        {
            return Some(LimitHit::Processes { limit, count });
        }
        let limit = self.limits.memory?;
        let used = |exact| -> u64 {
            processes
                .iter()
                .map(|process| system::memory(process.pid, exact))
                .sum()
        };
        let roughly = used(false);
        if roughly > limit / 2 {
            self.interval = BUSY;
        }
        if roughly <= limit {
            return None;
        }
        // What many processes share was counted many times.
        let used = used(true);
        (used > limit).then_some(LimitHit::Memory { limit, used })
    }
}
