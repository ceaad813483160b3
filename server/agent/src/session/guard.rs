//! Notices when a run goes nowhere: too many turns, calls of tools that do not exist, the same call again and again.
//!
//! Must not know what any tool does.

/// As many rounds of nothing but unknown tools as a run survives.
const MOST_UNKNOWN_ROUNDS: u32 = 3;
/// The repetition from which the model is warned.
const WARN_AT: u32 = 3;
/// The repetition at which the run is stopped.
const STOP_AT: u32 = 5;
/// A call that waited so long may well be made again, in milliseconds: what it waits for goes on.
const WAITED_MS: u64 = 1000;

/// Watches over one run.
#[derive(Debug)]
pub(super) struct Guard {
    max_turns: u32,
    turns: u32,
    unknown_rounds: u32,
    last_call: String,
    repetitions: u32,
}

/// How a call stands to the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repetition {
    /// Another one, or repeated within reason.
    Fine,
    /// The same so many times over: it may run, but the model is told.
    Warn(u32),
    /// The same so many times over that it must not run.
    Stop(u32),
}

impl Guard {
    pub(super) fn new(max_turns: u32) -> Self {
        Self {
            max_turns,
            turns: 0,
            unknown_rounds: 0,
            last_call: String::new(),
            repetitions: 0,
        }
    }

    /// A turn is about to begin. `Err`: it must not.
    pub(super) fn turn(&mut self) -> Result<(), String> {
        if self.turns == self.max_turns {
            return Err(format!(
                "The run was stopped after {} model turns, its limit (`max_turns`). Prompt again to go on.",
                self.max_turns
            ));
        }
        self.turns += 1;
        Ok(())
    }

    /// A call is about to be made; equal calls have equal fingerprints.
    pub(super) fn call(&mut self, fingerprint: &str) -> Repetition {
        if self.last_call == fingerprint {
            self.repetitions += 1;
        } else {
            self.last_call = fingerprint.to_string();
            self.repetitions = 1;
        }
        match self.repetitions {
            times if times >= STOP_AT => Repetition::Stop(times),
            times if times >= WARN_AT => Repetition::Warn(times),
            _ => Repetition::Fine,
        }
    }

    /// The last call has waited so many milliseconds.
    pub(super) fn waited(&mut self, milliseconds: u64) {
        if milliseconds >= WAITED_MS {
            self.repetitions = 0;
        }
    }

    /// A round of calls is over; `any_known`: any of the tools exists. `Err`: it was one round too many of nothing but tools
    /// that do not.
    pub(super) fn round(&mut self, any_known: bool) -> Result<(), String> {
        if any_known {
            self.unknown_rounds = 0;
            return Ok(());
        }
        self.unknown_rounds += 1;
        if self.unknown_rounds < MOST_UNKNOWN_ROUNDS {
            return Ok(());
        }
        Err(format!(
            "The run was stopped: in {MOST_UNKNOWN_ROUNDS} rounds the model called nothing but tools that do not exist."
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_counted() {
        let mut guard = Guard::new(2);
        assert_eq!((guard.turn(), guard.turn()), (Ok(()), Ok(())));
        assert!(
            guard
                .turn()
                .is_err_and(|message| message.contains("2 model turns"))
        );
    }

    #[test]
    fn repetitions_are_counted_in_a_row() {
        use Repetition::*;
        let mut guard = Guard::new(1);
        let seen: Vec<Repetition> = ["a", "a", "b", "a", "a", "a", "a", "a", "a"]
            .map(|call| guard.call(call))
            .into();
        assert_eq!(
            seen,
            [
                Fine,
                Fine,
                Fine,
                Fine,
                Fine,
                Warn(3),
                Warn(4),
                Stop(5),
                Stop(6)
            ]
        );
    }

    #[test]
    fn what_waited_is_no_repetition() {
        let mut guard = Guard::new(1);
        let mut seen = |waited: u64| {
            let repetition = guard.call("a");
            guard.waited(waited);
            repetition
        };
        use Repetition::*;
        assert!((0..9).all(|_| seen(WAITED_MS) == Fine));
        let hasty: Vec<Repetition> = (0..5).map(|_| seen(WAITED_MS - 1)).collect();
        assert_eq!(hasty, [Fine, Fine, Warn(3), Warn(4), Stop(5)]);
    }

    #[test]
    fn three_rounds_of_unknown_tools_in_a_row_are_too_many() {
        let mut guard = Guard::new(1);
        let seen: Vec<bool> = [false, false, true, false, false, false]
            .map(|known| guard.round(known).is_ok())
            .into();
        assert_eq!(seen, [true, true, true, true, true, false]);
    }
}
