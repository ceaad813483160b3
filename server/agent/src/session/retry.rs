//! How often and how soon a failed request is made again.
//!
//! Must not know what failed.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// When to try again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryPolicy {
    /// How many times at most.
    pub retries: u32,
    /// The wait before the first retry; doubled for each further one.
    pub first_delay: Duration,
    /// The longest wait of our own choice.
    pub longest_delay: Duration,
    /// The longest wait that a server may ask for. If it asks for more, the user is told instead.
    pub longest_asked: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            retries: 5,
            first_delay: Duration::from_millis(500),
            longest_delay: Duration::from_secs(30),
            longest_asked: Duration::from_secs(120),
        }
    }
}

impl RetryPolicy {
    /// How long to wait before retry `attempt` (from 1), if the server asked for `asked`; `None`: do not retry.
    pub(super) fn delay(&self, attempt: u32, asked: Option<Duration>) -> Option<Duration> {
        if attempt > self.retries || asked.is_some_and(|asked| asked > self.longest_asked) {
            return None;
        }
        let own = self
            .first_delay
            .saturating_mul(1 << (attempt - 1).min(16))
            .min(self.longest_delay);
        Some(match asked {
            // Never sooner than asked, but not all clients at the same moment. Who asks for no wait at all is not to be
            // asked again and again at once.
            Some(asked) => asked.max(own / 2) + jitter(self.first_delay / 2),
            None => own / 2 + jitter(own / 2),
        })
    }
}

/// A random time from nothing to `most`.
fn jitter(most: Duration) -> Duration {
    // Each `RandomState` has random keys; that is all the randomness that is needed here.
    let random = RandomState::new().hash_one(0u8) >> 11;
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    most.mul_f64(random as f64 / (1u64 << 53) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn waits_grow_to_a_bound_and_are_never_all_the_same() {
        let policy = RetryPolicy {
            retries: 40,
            ..RetryPolicy::default()
        };
        for (attempt, longest) in [(1, 500), (2, 1000), (3, 2000), (7, 30_000), (40, 30_000)] {
            let delays: Vec<Duration> = (0..50)
                .filter_map(|_| policy.delay(attempt, None))
                .collect();
            assert!(
                delays
                    .iter()
                    .all(|delay| (MS(longest / 2)..=MS(longest)).contains(delay)),
                "{delays:?}"
            );
            assert!(delays.iter().any(|delay| *delay != delays[0]), "{delays:?}");
        }
    }

    #[test]
    fn what_the_server_asks_for_is_the_least() {
        let policy = RetryPolicy::default();
        for _ in 0..50 {
            let delay = policy.delay(1, Some(MS(7000))).unwrap();
            assert!((MS(7000)..=MS(7250)).contains(&delay), "{delay:?}");
        }
        assert_eq!(
            policy.delay(1, Some(MS(120_001))),
            None,
            "so long nobody wants to look at nothing"
        );
    }

    #[test]
    fn a_server_that_asks_for_no_wait_is_given_time_all_the_same() {
        let policy = RetryPolicy::default();
        let asked = Some(Duration::ZERO);
        let all: Option<Duration> = (1..=5).map(|attempt| policy.delay(attempt, asked)).sum();
        assert!(all.is_some_and(|all| all >= MS(7000)), "{all:?}");
    }

    #[test]
    fn retries_are_bounded() {
        let policy = RetryPolicy::default();
        assert!(policy.delay(5, None).is_some());
        assert_eq!(policy.delay(6, None), None);
    }
}
