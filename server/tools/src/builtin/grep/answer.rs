//! What a search says: the lines by file, or the files, and what was not looked at.

use std::fmt::Write;

use super::hits::{Hit, InFile, Key, Line};
use super::seen;
use super::worker::Tally;
use super::{Found, Grepping, MAX_BYTES, Output};
use crate::builtin::found;
use crate::contract::CallScope;
use crate::result::{Rest, ToolResult, Truncation};
use crate::search::Listing;

/// Space for what is said after the hits.
const FRAME_BYTES: usize = 4096;

impl Grepping {
    pub(super) fn answer(&self, listing: &Listing, found: Found, scope: &CallScope) -> ToolResult {
        let kept = &found.hits;
        let total = match self.output {
            Output::Content => kept.total_hits as usize,
            Output::Files | Output::Count => kept.total_files,
        };
        let mut content = String::new();
        let offset = self.window.offset;
        if total == 0 {
            self.tell_nothing(&mut content, &found.tally);
        } else if offset >= total {
            let _ = writeln!(
                content,
                "Only {} found: there are none from offset {offset} on.",
                self.hits(total)
            );
        }
        let shown = match self.output {
            Output::Content => self.show_lines(&mut content, listing, &found, scope),
            Output::Files | Output::Count => self.show_files(&mut content, listing, &found),
        };
        let next = offset + shown;
        let truncation = (shown > 0 && next < total).then(|| Truncation {
            shown_lines: shown,
            shown_bytes: content.len(),
            total_lines: total,
            // Of what is not shown, the text was not kept.
            total_bytes: content.len(),
            rest: Rest::Next {
                offset: next,
                byte_offset: None,
            },
        });
        if truncation.is_some() {
            let _ = writeln!(
                content,
                "[{}; go on with offset {next}]",
                self.more(total - next)
            );
        }
        tell_skipped(&mut content, &found.tally);
        found::tell_problems(&mut content, &found.tally.problems);
        ToolResult {
            truncation,
            ..ToolResult::ok(content)
        }
    }

    /// Adds the lines, and tells the ledger of them. Returns the number of hits.
    fn show_lines(
        &self,
        content: &mut String,
        listing: &Listing,
        found: &Found,
        scope: &CallScope,
    ) -> usize {
        let mut left_out = self.window.offset;
        let mut shown = 0;
        for (key, file) in &found.hits.files {
            let skipped = left_out.min(file.hits.len());
            left_out -= skipped;
            let room = MAX_BYTES.saturating_sub(content.len() + FRAME_BYTES);
            let wanted = &file.hits[skipped..];
            let wanted = &wanted[..wanted.len().min(self.window.limit - shown)];
            let fitting = match shown {
                // An answer shows something, however long its lines are.
                0 => fitting(wanted, room).max(1).min(wanted.len()),
                _ => fitting(wanted, room),
            };
            if fitting == 0 && !wanted.is_empty() {
                break;
            }
            if fitting > 0 {
                let file = listing.file(key.index());
                if !content.is_empty() {
                    content.push('\n');
                }
                let _ = writeln!(content, "{}", found::on_one_line(&file.display()));
                let lines = show_hits(content, &wanted[..fitting], self.before + self.after > 0);
                seen::record(scope, &file, &lines);
                shown += fitting;
            }
            if fitting < wanted.len() || shown == self.window.limit {
                break;
            }
        }
        shown
    }

    fn show_files(&self, content: &mut String, listing: &Listing, found: &Found) -> usize {
        let files = found.hits.files.iter();
        let mut shown = 0;
        for (key, file) in files.skip(self.window.offset).take(self.window.limit) {
            let line = self.file_line(listing, *key, file);
            if shown > 0 && content.len() + line.len() + FRAME_BYTES > MAX_BYTES {
                break;
            }
            content.push_str(&line);
            shown += 1;
        }
        shown
    }

    fn file_line(&self, listing: &Listing, key: Key, file: &InFile) -> String {
        let path = found::on_one_line(&listing.file(key.index()).display());
        match self.output {
            Output::Count => format!("{path}: {}\n", file.count),
            Output::Files | Output::Content => format!("{path}\n"),
        }
    }

    fn tell_nothing(&self, content: &mut String, tally: &Tally) {
        let fits = match self.pattern.invert {
            true => "Every line fits",
            false => "No line fits",
        };
        let _ = writeln!(
            content,
            "{fits} `{}` in {}: {} searched{}.",
            self.pattern.given,
            self.place.describe(),
            found::files(tally.searched),
            self.place.describe_left_out()
        );
    }

    /// What is left.
    fn more(&self, count: usize) -> String {
        let (one, many) = match self.output {
            Output::Files | Output::Count => ("file", "files"),
            Output::Content => ("match", "matches"),
        };
        format!("{count} more {}", if count == 1 { one } else { many })
    }

    /// A number of what is counted.
    fn hits(&self, count: usize) -> String {
        match (self.output, count) {
            (Output::Files | Output::Count, count) => found::files(count),
            (Output::Content, 1) => "1 match".to_owned(),
            (Output::Content, count) => format!("{count} matches"),
        }
    }
}

fn tell_skipped(content: &mut String, tally: &Tally) {
    if tally.binary > 0 {
        let _ = writeln!(content, "[{} skipped: binary]", found::files(tally.binary));
    }
    if tally.sensitive > 0 {
        let _ = writeln!(
            content,
            "[{} skipped that may hold secrets; searched only if named as `path`]",
            found::files(tally.sensitive)
        );
    }
}

/// How many of the hits are sure to fit into so many bytes.
fn fitting(hits: &[Hit], room: usize) -> usize {
    // A number, its mark, and the break that may stand before it.
    const AROUND: usize = 32;
    let mut left = room;
    hits.iter()
        .take_while(|hit| {
            let bytes: usize = lines(hit).map(|(line, _)| line.text.len() + AROUND).sum();
            let fits = bytes <= left;
            left = left.saturating_sub(bytes);
            fits
        })
        .count()
}

/// All lines of a hit, and whether they are its own.
fn lines(hit: &Hit) -> impl Iterator<Item = (&Line, bool)> {
    let around = |lines: &'static bool| move |line| (line, *lines);
    hit.before
        .iter()
        .map(around(&false))
        .chain(hit.lines.iter().map(around(&true)))
        .chain(hit.after.iter().map(around(&false)))
}

/// Adds the lines of hits of one file; between those that do not follow each other a break, if there is context.
fn show_hits<'a>(content: &mut String, hits: &'a [Hit], with_breaks: bool) -> Vec<&'a Line> {
    let mut shown: Vec<&Line> = Vec::new();
    for (line, is_hit) in hits.iter().flat_map(lines) {
        let follows = shown
            .last()
            .is_none_or(|last| last.number + 1 == line.number);
        if with_breaks && !follows {
            content.push_str("--\n");
        }
        let mark = if is_hit { ':' } else { '-' };
        let _ = writeln!(content, "{}{mark} {}", line.number, line.text);
        shown.push(line);
    }
    shown
}
