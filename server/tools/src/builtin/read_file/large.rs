//! A page of a file that is too large to be held: only what is shown is read, and what must be counted to find it.

use std::fmt::Write;

use tokio_util::sync::CancellationToken;

use super::page::Start;
use super::{MAX_BYTES, Reading};
use crate::disk::{self, Found, Large, LargeFile, LineEnd, MAX_TEXT_BYTES, Stop};
use crate::error::ToolError;
use crate::result::{Rest, ToolResult, Truncation};

/// Space for the first and the last line of the answer, beside the path in them.
const FRAME_BYTES: usize = 1024;

/// A page.
struct Shown {
    /// The numbered lines.
    text: String,
    lines: usize,
    lf: usize,
    crlf: usize,
    /// Lines after the first, and the byte of that line, to go on with; none: the page reaches the end.
    next: Option<(u64, u64)>,
}

/// How lines are counted: from the beginning, or, where nobody counted those before them, from the end.
#[derive(Clone, Copy)]
enum Numbers {
    /// The page begins with this 0-based line.
    From(u64),
    /// The page begins so many lines before the end.
    Left(u64),
}

impl Numbers {
    /// The number of a line of the page, as `offset` takes it.
    fn of(self, line: u64) -> i64 {
        match self {
            Numbers::From(first) => (first + line + 1) as i64,
            Numbers::Left(left) => line as i64 - left as i64,
        }
    }
}

impl Reading {
    /// None: the call is to end.
    pub(super) fn read_large(
        &self,
        cancel: &CancellationToken,
    ) -> Result<Option<ToolResult>, ToolError> {
        let display = &self.path.display;
        let Some(large) = disk::open_large(&self.path.real, display, cancel)? else {
            return Err(self.removed());
        };
        match self.page_of(large) {
            Ok(answer) => answer.map(Some),
            Err(Stop::Cancelled) => Ok(None),
            Err(Stop::Io(error)) => Err(disk::io_failure(display, "read", &error)),
        }
    }

    fn page_of(&self, large: Large<'_>) -> Result<Result<ToolResult, ToolError>, Stop> {
        let Large { mut file, encoding } = large;
        let (found, numbers) = match self.start {
            Start::Line(line) => (file.line_start(line as u64)?, Numbers::From(line as u64)),
            Start::FromEnd(lines) => {
                let found = file.line_from_end(lines as u64)?;
                let left = match found {
                    Found::At { counted, .. } => counted,
                    Found::Missing { lines } => lines,
                };
                (found, Numbers::Left(left))
            }
        };
        let line_start = match found {
            Found::At { position, .. } => position,
            Found::Missing { lines } => return Ok(Err(self.missing_line(lines as usize))),
        };
        let from = line_start + self.from_byte as u64;
        if self.from_byte > 0
            && let Some(end) = file.line_end_before(line_start, from)?
        {
            return Ok(Err(self.short_line((end - line_start) as usize)));
        }
        let from = file.character_at(from)?;
        let shown = self.show(&mut file, line_start, from, numbers)?;
        let mut content = format!(
            "{}: {} bytes, {encoding}, {}; larger than {} MiB, so its lines are not counted, it has no sha256 and cannot \
             be edited{}\n",
            self.path.display,
            file.length(),
            match (shown.lf, shown.crlf) {
                (_, 0) => "lf",
                (0, _) => "crlf",
                _ => "mixed line endings",
            },
            MAX_TEXT_BYTES / 1024 / 1024,
            match numbers {
                Numbers::From(_) => "",
                Numbers::Left(_) => "; they are numbered from the end",
            },
        );
        content.push_str(&shown.text);
        let truncation = shown.next.map(|(line, byte)| {
            let offset = numbers.of(line);
            let _ = match byte {
                0 => writeln!(content, "[more lines follow; go on with offset {offset}]"),
                byte => writeln!(
                    content,
                    "[line {offset} is longer; go on with offset {offset}, byte_offset {byte}]"
                ),
            };
            Truncation {
                shown_lines: shown.lines,
                shown_bytes: shown.text.len(),
                total_lines: usize::try_from(offset).unwrap_or(shown.lines + 1),
                total_bytes: file.length() as usize,
                rest: usize::try_from(offset).map_or(Rest::NotKept, |offset| Rest::Next {
                    offset,
                    byte_offset: Some(byte as usize).filter(|byte| *byte > 0),
                }),
            }
        });
        Ok(Ok(ToolResult {
            truncation,
            ..ToolResult::ok(content)
        }))
    }

    fn show(
        &self,
        file: &mut LargeFile<'_>,
        line_start: u64,
        from: u64,
        numbers: Numbers,
    ) -> Result<Shown, Stop> {
        let room = MAX_BYTES - FRAME_BYTES - 2 * self.path.display.len().min(MAX_BYTES / 4);
        let mut shown = Shown {
            text: String::new(),
            lines: 0,
            lf: 0,
            crlf: 0,
            next: None,
        };
        let (mut line_start, mut at) = (line_start, from);
        while at < file.length() {
            let number = shown.lines as u64;
            let label = format!("{:6}\t", numbers.of(number));
            // The line break is shown too.
            let left = room.saturating_sub(shown.text.len() + label.len() + 1);
            if shown.lines == self.lines || left == 0 {
                shown.next = Some((number, 0));
                break;
            }
            let line = file.show_line(at, left)?;
            if line.end == LineEnd::Cut && shown.lines > 0 {
                shown.next = Some((number, 0));
                break;
            }
            shown.text.push_str(&label);
            shown.text.push_str(&line.text);
            shown.text.push('\n');
            shown.lines += 1;
            at += line.consumed;
            match line.end {
                LineEnd::Lf => shown.lf += 1,
                LineEnd::CrLf => shown.crlf += 1,
                LineEnd::File => {}
                LineEnd::Cut => {
                    shown.next = Some((number, at - line_start));
                    break;
                }
            }
            line_start = at;
        }
        Ok(shown)
    }
}

#[cfg(test)]
mod tests;
