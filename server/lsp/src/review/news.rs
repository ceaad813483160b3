//! What the user did with changes that no call waits for any more: told to the model with the next request.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// News by session.
#[derive(Debug, Default)]
pub struct News(Mutex<HashMap<String, Vec<String>>>);

impl News {
    /// Keeps a piece of news until the session's next request.
    pub fn add(&self, session: &str, text: String) {
        self.lock()
            .entry(session.to_owned())
            .or_default()
            .push(text);
    }

    /// Takes a session's news.
    pub fn take(&self, session: &str) -> Vec<String> {
        self.lock().remove(session).unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Vec<String>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
