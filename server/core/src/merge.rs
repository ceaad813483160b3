//! Takes back what the agent wrote and keeps what the user typed into it.
//!
//! Knows three strings and nothing of documents, hunks or positions.
//!
//! A three-way merge with the agent's text as the common ancestor: one side is the text before the agent, the other what
//! stands there now. Where only one side changed words, its change is taken. Where both changed the same words, the old
//! text comes first and the words that the user put in follow: text that a person typed is never dropped.

use alloc::string::String;
use alloc::vec::Vec;

use crate::diff::Change;
use crate::diff::words::{self, is_word};

/// Gives the text in which the agent's change (`written` in place of `replaced`) is taken back, and each insertion of the
/// user, who made `written` into `current`, is kept exactly once.
pub fn take_back(written: &str, replaced: &str, current: &str) -> String {
    if current == written {
        return String::from(replaced);
    }
    let back = words::changes(written, replaced);
    let user = words::changes(written, current);
    let mut output = String::new();
    let mut position = 0;
    let (mut b, mut u) = (0, 0);
    // One step for each group of changes that meet.
    while b < back.len() || u < user.len() {
        let user_first = match (back.get(b), user.get(u)) {
            (Some(back), Some(user)) => before(user, back),
            (None, Some(_)) => true,
            _ => false,
        };
        if user_first {
            let (from, to) = &user[u];
            output.push_str(&written[position.min(from.start)..from.start]);
            output.push_str(&current[to.clone()]);
            position = from.end;
            u += 1;
            continue;
        }
        let Some((from, to)) = back.get(b) else { break };
        output.push_str(&written[position.min(from.start)..from.start]);
        output.push_str(&replaced[to.clone()]);
        position = position.max(from.end);
        b += 1;
        let mut typed: Vec<&str> = Vec::new();
        while let Some((from, to)) = user
            .get(u)
            .filter(|user| user.0.start < position || user.0.start == position && user.0.is_empty())
        {
            typed.push(&current[to.clone()]);
            position = position.max(from.end);
            u += 1;
        }
        for text in typed {
            push_apart(&mut output, text);
        }
    }
    output.push_str(&written[position..]);
    output
}

/// Whether the user's change lies wholly before the agent's.
fn before(user: &Change, back: &Change) -> bool {
    user.0.end < back.0.start || user.0.end == back.0.start && user.0.start < back.0.end
}

fn push_apart(output: &mut String, text: &str) {
    let glued =
        output.chars().next_back().is_some_and(is_word) && text.chars().next().is_some_and(is_word);
    if glued {
        output.push(' ');
    }
    output.push_str(text);
}

#[cfg(test)]
mod tests;
