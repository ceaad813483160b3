//! Takes back what the agent wrote and keeps what the user made of it.
//!
//! Knows three strings: nothing of documents, hunks or positions.
//!
//! A three-way merge by lines with the agent's text as the common ancestor: one side is the text before the agent, the
//! other is what stands there now. A change that only one side made is taken. Where both changed the same lines, the
//! lines before the agent come back and the user's follow them, whole: a person's text is never dropped, and never
//! joined to another line. Only one line that is one line on all three sides is merged by words, where that is certain;
//! see `line`.

mod line;

use crate::diff::{self, words::is_word};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use ropey::Rope;

/// Takes the agent's change back, which put `written` in the place of `replaced`; the user then made `current` of it.
///
/// Every line of `current` that the agent did not write is in the result, in the same order: as it is, or merged with
/// the line that comes back in its place. Lines of the agent's that the user only moved are still the agent's, and what
/// the user took back by hand is there once.
///
/// The last line of the result ends in a line feed if those of `replaced` and `current` do.
pub fn take_back(written: &str, replaced: &str, current: &str) -> String {
    if current == written || current == replaced {
        return String::from(replaced);
    }
    let texts = [written, replaced, current].map(|text| text.split_terminator('\n').collect());
    let [base, old, now]: [Vec<&str>; 3] = texts;
    let pieces = pieces(&base, &old, &now);
    let mut moved = moved(&base, &pieces);

    let mut lines = Vec::with_capacity(old.len() + now.len());
    let mut conflict = Conflict::default();
    let mut next = 0;
    let mut rest = &pieces[..];
    while let Some(first) = rest.first() {
        let mut end = first.at.end;
        let others = rest[1..].iter().take_while(|piece| {
            let meets = piece.at.start < end || piece.at == first.at;
            end = end.max(piece.at.end);
            meets
        });
        let count = 1 + others.count();
        let (together, after) = rest.split_at(count);
        if next < first.at.start {
            conflict.end(&mut lines);
            lines.extend(base[next..first.at.start].iter().copied().map(String::from));
        }
        next = (together.iter()).fold(next, |end, piece| end.max(piece.at.end));
        match together {
            [piece] => {
                conflict.end(&mut lines);
                lines.extend(own(piece, &mut moved).into_iter().map(String::from));
            }
            _ => match merged(&base, together) {
                Some(line) => {
                    conflict.end(&mut lines);
                    lines.push(line);
                }
                None => conflict.add(together, &mut moved),
            },
        }
        rest = after;
    }
    conflict.end(&mut lines);
    lines.extend(base[next..].iter().copied().map(String::from));

    let mut result = lines.join("\n");
    if !lines.is_empty() && ends_line(written, replaced, current) {
        result.push('\n');
    }
    result
}

/// What one side has in the place of lines of the agent's text.
struct Piece<'a> {
    at: Range<usize>,
    by: By,
    lines: &'a [&'a str],
}

/// Whose lines come first at the same place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum By {
    /// The text before the agent.
    Back,
    User,
}

/// The pieces of both sides by their places, those between two lines before those of the second one.
fn pieces<'a>(base: &[&str], old: &'a [&'a str], now: &'a [&'a str]) -> Vec<Piece<'a>> {
    let side = |by, lines: &'a [&'a str]| {
        (changes(base, lines, by).into_iter()).map(move |(at, to)| Piece {
            at,
            by,
            lines: &lines[to],
        })
    };
    let mut pieces: Vec<Piece<'a>> = side(By::Back, old).chain(side(By::User, now)).collect();
    pieces.sort_by_key(|piece| (piece.at.start, !piece.at.is_empty(), piece.by));
    pieces
}

/// The changed runs of lines, with each line that became another one by itself. Of a run that the user made longer or
/// shorter only the first lines are paired: the others stay together.
fn changes(from: &[&str], to: &[&str], by: By) -> Vec<diff::Change> {
    let rope = |lines: &[&str]| {
        let mut text = lines.join("\n");
        if !lines.is_empty() {
            text.push('\n');
        }
        Rope::from(text)
    };
    let mut apart = Vec::new();
    for change in diff::line_changes(&rope(from), &rope(to)) {
        let mut old = change.old.start.0..change.old.end.0;
        let mut new = change.new.start.0..change.new.end.0;
        let pair = |old: usize, new: usize| (old..old + 1, new..new + 1);
        if old.len() == new.len() {
            apart.extend(old.zip(new).map(|(old, new)| pair(old, new)));
            continue;
        }
        while !old.is_empty() && !new.is_empty() && resemble(from[old.start], to[new.start]) {
            apart.push(pair(old.start, new.start));
            (old.start, new.start) = (old.start + 1, new.start + 1);
        }
        let mut last = Vec::new();
        while by == By::Back
            && !old.is_empty()
            && !new.is_empty()
            && resemble(from[old.end - 1], to[new.end - 1])
        {
            (old.end, new.end) = (old.end - 1, new.end - 1);
            last.push(pair(old.end, new.end));
        }
        if !old.is_empty() || !new.is_empty() {
            apart.push((old, new));
        }
        apart.extend(last.into_iter().rev());
    }
    apart
}

/// Whether one line may have become the other: they have at least half of their words in common.
fn resemble(a: &str, b: &str) -> bool {
    let words = |line| {
        let mut words: Vec<&str> = line::words(line).collect();
        words.sort_unstable();
        words
    };
    let (a, b) = (words(a), words(b));
    let mut rest = &b[..];
    let in_both = a.iter().filter(|word| {
        rest = &rest[rest.partition_point(|other| other < *word)..];
        let found = rest.first() == Some(word);
        rest = &rest[usize::from(found)..];
        found
    });
    let count = in_both.count();
    count > 0 && 2 * count >= a.len().max(b.len())
}

/// How often each line of the agent's that goes was taken from its place by the user. Such a line may stand elsewhere
/// among theirs. Lines without a word are no one's.
fn moved<'a>(base: &[&'a str], pieces: &[Piece<'_>]) -> BTreeMap<&'a str, usize> {
    let by = |by| pieces.iter().filter(move |piece| piece.by == by);
    let mut moved = BTreeMap::new();
    let mut back = by(By::Back).peekable();
    for index in by(By::User).flat_map(|piece| piece.at.clone()) {
        while back.next_if(|piece| piece.at.end <= index).is_some() {}
        let goes = back.peek().is_some_and(|piece| piece.at.contains(&index));
        if goes && base[index].contains(is_word) {
            *moved.entry(base[index]).or_default() += 1;
        }
    }
    moved
}

/// The lines of a piece, without those of the agent's that the user only moved.
fn own<'a>(piece: &Piece<'a>, moved: &mut BTreeMap<&'a str, usize>) -> Vec<&'a str> {
    let mut lines = piece.lines.to_vec();
    if piece.by == By::User {
        lines.retain(|line| match moved.get_mut(line) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        });
    }
    lines
}

/// The line that stands in the place of a line that both sides changed, if it is certain.
fn merged(base: &[&str], together: &[Piece<'_>]) -> Option<String> {
    let [back, user] = together else { return None };
    let ([written], [replaced], [current]) = (&base[back.at.clone()], back.lines, user.lines)
    else {
        return None;
    };
    let is_same_line = back.at == user.at;
    is_same_line.then(|| line::take_back(written, replaced, current))?
}

/// Neighbouring lines that both sides changed.
#[derive(Default)]
struct Conflict<'a> {
    old: Vec<&'a str>,
    users: Vec<&'a str>,
}

impl<'a> Conflict<'a> {
    fn add(&mut self, together: &[Piece<'a>], moved: &mut BTreeMap<&'a str, usize>) {
        for piece in together {
            let side = match piece.by {
                By::Back => &mut self.old,
                By::User => &mut self.users,
            };
            side.extend(own(piece, moved));
        }
    }

    /// Gives what stands in its place, and is empty again.
    fn end(&mut self, lines: &mut Vec<String>) {
        lines.extend(united(&self.old, &self.users));
        self.old.clear();
        self.users.clear();
    }
}

/// The lines before the agent, each run followed by the user's, with what the user took back by hand once.
fn united(old: &[&str], users: &[&str]) -> Vec<String> {
    let mut lines = Vec::with_capacity(old.len() + users.len());
    let (mut next_old, mut next_user) = (0, 0);
    let (mut same_old, mut same_user) = (0, 0);
    let end = (old.len()..old.len(), users.len()..users.len());
    for (from, to) in diff::search::changes(old, users).into_iter().chain([end]) {
        let same = &old[same_old..from.start];
        // Braces and blank lines are in every text: a run of them was not taken back.
        if same.iter().any(|line| line.contains(is_word)) {
            lines.extend_from_slice(&old[next_old..same_old]);
            lines.extend_from_slice(&users[next_user..same_user]);
            lines.extend_from_slice(same);
            (next_old, next_user) = (from.start, to.start);
        }
        (same_old, same_user) = (from.end, to.end);
    }
    lines.extend_from_slice(&old[next_old..]);
    lines.extend_from_slice(&users[next_user..]);
    lines.into_iter().map(String::from).collect()
}

/// Whether the last line ends in a line feed: as the side has it that changed that. A text without a line says nothing.
fn ends_line(written: &str, replaced: &str, current: &str) -> bool {
    let ends = |text: &str| (!text.is_empty()).then(|| text.ends_with('\n'));
    match (ends(written), ends(replaced), ends(current)) {
        (Some(written), Some(replaced), Some(current)) if current == written => replaced,
        (_, replaced, current) => current.or(replaced).unwrap_or(true),
    }
}

#[cfg(test)]
mod tests;
