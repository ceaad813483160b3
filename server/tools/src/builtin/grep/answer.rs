//! What a search says: the lines by file, or the files, and what was not looked at.

use std::fmt::Write;

use super::hits::{Hit, Line};
use super::seen;
use super::worker::{Tally, Worker};
use super::{Grepping, MAX_BYTES, NAME, Output};
use crate::builtin::found;
use crate::contract::CallScope;
use crate::result::{Rest, ToolResult, Truncation};
use crate::search::{Listing, SearchError};

/// Space for what is said after the hits.
const FRAME_BYTES: usize = 4096;

impl Grepping {
    pub(super) fn answer(
        &self,
        listing: &Listing,
        mut tally: Tally,
        scope: &CallScope,
    ) -> Result<ToolResult, SearchError> {
        let total = match self.output {
            Output::Content => tally.counts.iter().map(|count| count.hits as usize).sum(),
            Output::Files | Output::Count => tally.counts.len(),
        };
        let mut content = String::new();
        let offset = self.window.offset;
        if total == 0 {
            self.tell_nothing(&mut content, &tally);
        } else if offset >= total {
            let all = self.count(total);
            let _ = writeln!(
                content,
                "Only {all} found: there are none from offset {offset} on."
            );
        }
        let shown = match self.output {
            Output::Content => self.show_lines(&mut content, listing, &mut tally, scope)?,
            Output::Files | Output::Count => self.show_files(&mut content, listing, &tally),
        };
        let next = offset + shown;
        let truncation = (shown > 0 && next < total).then_some(Truncation {
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
            let more = self.more(total - next);
            let _ = writeln!(content, "[{more}; go on with offset {next}]");
        }
        tell_skipped(&mut content, &tally);
        found::tell_problems(&mut content, &tally.problems);
        Ok(ToolResult {
            truncation,
            ..ToolResult::ok(content)
        })
    }

    /// Adds the lines, and tells the ledger of them. Returns the number of hits.
    fn show_lines(
        &self,
        content: &mut String,
        listing: &Listing,
        tally: &mut Tally,
        scope: &CallScope,
    ) -> Result<usize, SearchError> {
        let unread = scope.unread(NAME);
        let mut worker = Worker::new(self, listing, &unread, &scope.cancel);
        let mut left_out = self.window.offset as u64;
        let mut shown = 0;
        for count in &tally.counts {
            if scope.cancel.is_cancelled() {
                return Err(SearchError::Cancelled);
            }
            let wanted = self.window.limit - shown;
            let room = MAX_BYTES.saturating_sub(content.len() + FRAME_BYTES);
            if wanted == 0 || room == 0 {
                break;
            }
            if count.hits <= left_out {
                left_out -= count.hits;
                continue;
            }
            let skip = std::mem::take(&mut left_out);
            let hits = worker.show(count.key.index(), skip, wanted, room);
            let fitting = match shown {
                // An answer shows something, however long its lines are.
                0 => fitting(&hits, room).max(1).min(hits.len()),
                _ => fitting(&hits, room),
            };
            if fitting > 0 {
                let file = listing.file(count.key.index());
                if !content.is_empty() {
                    content.push('\n');
                }
                let _ = writeln!(content, "{}", found::on_one_line(&file.display()));
                let with_breaks = self.before + self.after > 0;
                let lines = show_hits(content, &hits[..fitting], with_breaks);
                seen::record(scope, &file, &lines);
            }
            let bytes: usize = hits.iter().map(Hit::bytes).sum();
            if fitting < hits.len() || bytes >= room {
                shown += fitting;
                break;
            }
            // The file may have fewer hits by now than were counted; the next page begins after those that were.
            shown += (count.hits - skip).min(wanted as u64) as usize;
        }
        tally.problems.append(&mut worker.tally.problems);
        Ok(shown)
    }

    fn show_files(&self, content: &mut String, listing: &Listing, tally: &Tally) -> usize {
        let counts = tally.counts.iter();
        let mut shown = 0;
        for count in counts.skip(self.window.offset).take(self.window.limit) {
            let path = found::on_one_line(&listing.file(count.key.index()).display());
            if shown > 0 && content.len() + path.len() + FRAME_BYTES > MAX_BYTES {
                break;
            }
            let _ = match self.output {
                Output::Count => writeln!(content, "{path}: {}", count.hits),
                Output::Files | Output::Content => writeln!(content, "{path}"),
            };
            shown += 1;
        }
        shown
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
    fn count(&self, count: usize) -> String {
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
            "[{} skipped that may hold secrets or that rules close; searched only if named as `path`]",
            found::files(tally.sensitive)
        );
    }
}

/// How many of the hits are sure to fit into so many bytes.
fn fitting(hits: &[Hit], room: usize) -> usize {
    let mut left = room;
    hits.iter()
        .take_while(|hit| {
            let bytes = hit.bytes();
            let fits = bytes <= left;
            left = left.saturating_sub(bytes);
            fits
        })
        .count()
}

/// Adds the lines of hits of one file; between those that do not follow each other a break, if there is context.
fn show_hits<'a>(content: &mut String, hits: &'a [Hit], with_breaks: bool) -> Vec<&'a Line> {
    let mut shown: Vec<&Line> = Vec::new();
    for (line, is_hit) in hits.iter().flat_map(Hit::all) {
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
