//! What matters in the output of tests and compilers: which lines are about failures, which tell the outcome. Told from the
//! text alone; formats are a table. Knows no command and cuts nothing itself.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};

use crate::truncate::Preferred;

mod formats;

use formats::{FORMATS, Format};

/// As many lines as are taken of one failure.
const MAX_BLOCK: usize = 60;

/// Ranks of lines.
const OUTCOME: u8 = 3;
const FAILURE: u8 = 2;
const WARNING: u8 = 1;

/// What an output is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Digest {
    /// The programs that printed it: `cargo test`, `pytest`.
    pub formats: Vec<&'static str>,
    /// The line of each that tells most of the outcome, as it was printed.
    pub outcomes: Vec<String>,
    /// The lines that matter.
    pub lines: Vec<Preferred>,
    /// Whether a program printed it whose other lines are noise; else it may be any text with such lines in it.
    pub is_sure: bool,
}

impl Digest {
    /// In one line: who printed it, and what came of it.
    pub fn headline(&self) -> String {
        let formats = self.formats.join(", ");
        if self.outcomes.is_empty() {
            return formats;
        }
        format!("{formats}: {}", self.outcomes.join("; "))
    }
}

/// The formats, ready to be looked for.
struct Compiled {
    format: &'static Format,
    sign: Regex,
    failure: RegexSet,
    warning: RegexSet,
    outcome: RegexSet,
    end: RegexSet,
    noise: RegexSet,
    before: RegexSet,
}

/// None never comes: the table is tested. If it did, no format would be known.
static COMPILED: LazyLock<Option<Vec<Compiled>>> = LazyLock::new(|| {
    let compiled = FORMATS.iter().map(|format| {
        let all = |patterns: &[&str]| RegexSet::new(patterns).ok();
        Some(Compiled {
            format,
            sign: Regex::new(&format!("(?m){}", format.sign)).ok()?,
            failure: all(format.failure)?,
            warning: all(format.warning)?,
            outcome: all(format.outcome)?,
            end: all(format.end)?,
            noise: all(format.noise)?,
            before: all(format.before)?,
        })
    });
    compiled.collect()
});

/// What matters in an output; none if no format is known in it.
pub fn digest(text: &str) -> Option<Digest> {
    let formats = COMPILED.as_ref()?;
    let lines: Vec<&str> = text.lines().collect();
    let mut ranks = vec![0; lines.len()];
    let mut digest = Digest::default();
    for format in formats.iter().filter(|format| format.sign.is_match(text)) {
        digest.formats.push(format.format.name);
        digest.is_sure |= format.format.is_sure;
        let outcome = format.rank(&lines, &mut ranks);
        digest.outcomes.extend(outcome);
    }
    if digest.formats.is_empty() {
        return None;
    }
    digest.outcomes.dedup();
    digest.lines = ranges(&ranks);
    Some(digest)
}

/// What stands around the line that is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Nothing,
    /// A failure or a warning that began so many lines ago.
    Block {
        rank: u8,
        lines: usize,
    },
}

impl Compiled {
    /// Raises the ranks of the lines that matter. Returns the one that tells most of the outcome; of several the last.
    fn rank(&self, lines: &[&str], ranks: &mut [u8]) -> Option<String> {
        let mut within = Within::Nothing;
        let mut before = None;
        let mut telling: Option<(usize, usize)> = None;
        for (index, line) in lines.iter().enumerate() {
            let mut raise = |index: usize, rank: u8| ranks[index] = ranks[index].max(rank);
            if let Some(pattern) = self.outcome.matches(line).into_iter().next() {
                within = Within::Nothing;
                raise(index, OUTCOME);
                if telling.is_none_or(|(best, _)| pattern <= best) {
                    telling = Some((pattern, index));
                }
                continue;
            }
            let starts = if self.failure.is_match(line) {
                Some(FAILURE)
            } else if self.warning.is_match(line) {
                Some(WARNING)
            } else {
                None
            };
            if let Some(rank) = starts {
                // What was printed before the failure was known, or the file that it is in.
                if let Some(first) = before.take() {
                    (first..index)
                        .rev()
                        .take(MAX_BLOCK)
                        .for_each(|index| raise(index, rank));
                }
                raise(index, rank);
                within = Within::Block { rank, lines: 1 };
                continue;
            }
            if self.before.is_match(line) {
                before = Some(index);
            }
            let Within::Block { rank, lines } = within else {
                continue;
            };
            if self.end.is_match(line) || lines == MAX_BLOCK {
                within = Within::Nothing;
            } else if !self.noise.is_match(line) {
                raise(index, rank);
                within = Within::Block {
                    rank,
                    lines: lines + 1,
                };
            }
        }
        telling.map(|(_, index)| plain_outcome(lines[index]))
    }
}

/// A line that tells the outcome, without its frame.
fn plain_outcome(line: &str) -> String {
    let frame = |character: char| character == '=' || character.is_whitespace();
    line.trim_matches(frame).to_owned()
}

/// Neighbours of the same rank together.
fn ranges(ranks: &[u8]) -> Vec<Preferred> {
    let mut ranges: Vec<Preferred> = Vec::new();
    for (index, rank) in ranks.iter().copied().enumerate() {
        match ranges.last_mut() {
            Some(last) if last.lines.end == index && last.rank == rank => last.lines.end += 1,
            _ if rank > 0 => ranges.push(Preferred {
                lines: index..index + 1,
                rank,
            }),
            _ => {}
        }
    }
    ranges
}

#[cfg(test)]
mod tests;
