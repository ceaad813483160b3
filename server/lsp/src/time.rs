//! The time of day, as the protocol tells it.

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    // A clock that stands before 1970 is no reason to do nothing.
    since.map_or(0, |since| since.as_millis().try_into().unwrap_or(u64::MAX))
}
