//! What is told of a file that was read: a line about the whole, the page, and how to go on.

use std::fmt::Write;

use mewcode_core::hash::ContentHash;
use mewcode_core::text::{LineEnding, LineEndings, Snapshot, Text};

use super::page::Page;
use crate::disk::{Encoding, Format, Loss};
use crate::result::{Rest, ToolResult, Truncation};

/// A page, and what the first line of the answer tells of the whole.
pub(super) struct Read {
    pub(super) page: Page,
    pub(super) hash: ContentHash,
    /// The text, where it is kept.
    pub(super) text: Option<Snapshot>,
    pub(super) encoding: Encoding,
    pub(super) bom: bool,
    pub(super) ending: &'static str,
    pub(super) final_newline: bool,
    pub(super) unsaved: bool,
    /// Where the file would not be written back as it is.
    pub(super) loss: Option<Loss>,
    /// What it is, if it is not written by hand.
    pub(super) nature: Option<&'static str>,
}

impl Read {
    /// For who has the page in front of it already.
    pub(super) fn unchanged(&self, display: &str) -> ToolResult {
        ToolResult::ok(format!(
            "`{display}`: unchanged since you read these lines ({}-{} of {}), sha256 {}.\n",
            self.page.lines.start + 1,
            self.page.lines.end,
            self.page.total_lines,
            self.hash.short(),
        ))
    }

    pub(super) fn answer(self, display: &str) -> ToolResult {
        let mut content = self.head(display);
        if self.is_empty() {
            return ToolResult::ok(content);
        }
        let page = self.page;
        content.push_str(&page.text);
        let truncation = page.next.map(|(line, byte)| Truncation {
            shown_lines: page.lines.len(),
            shown_bytes: page.text.len(),
            total_lines: page.total_lines,
            total_bytes: page.total_bytes,
            rest: Rest::Next {
                offset: line + 1,
                byte_offset: Some(byte).filter(|byte| *byte > 0),
            },
        });
        if let Some((line, byte)) = page.next {
            let _ = match byte {
                0 => writeln!(
                    content,
                    "[{}; go on with offset {}]",
                    more_lines(page.total_lines - line),
                    line + 1
                ),
                byte => writeln!(
                    content,
                    "[line {0} is longer; go on with offset {0}, byte_offset {byte}]",
                    line + 1
                ),
            };
        }
        ToolResult {
            truncation,
            ..ToolResult::ok(content)
        }
    }

    fn is_empty(&self) -> bool {
        self.page.total_bytes == 1 && !self.final_newline
    }

    fn head(&self, display: &str) -> String {
        let mut head = match self.page.total_lines {
            _ if self.is_empty() => format!("{display}: empty"),
            1 => format!("{display}: 1 line"),
            lines => format!("{display}: {lines} lines"),
        };
        let _ = write!(head, ", sha256 {}, {}", self.hash.short(), self.encoding);
        if self.bom {
            head.push_str(" with BOM");
        }
        if !self.is_empty() {
            let _ = write!(head, ", {}", self.ending);
            if !self.final_newline {
                head.push_str(", no final newline");
            }
        }
        if self.unsaved {
            head.push_str(", unsaved");
        }
        if let Some(nature) = self.nature {
            let _ = write!(head, ", {nature}");
        }
        if let Some(Loss { line }) = self.loss {
            let _ = write!(
                head,
                "; not editable: bytes that mean nothing in this encoding, or that it writes otherwise, the first on \
                 line {line}"
            );
        }
        head.push('\n');
        head
    }
}

fn more_lines(count: usize) -> String {
    if count == 1 {
        "1 more line".to_owned()
    } else {
        format!("{count} more lines")
    }
}

pub(super) fn ending_of(text: &Text) -> &'static str {
    match text.endings() {
        LineEndings::Uniform(LineEnding::Lf) => "lf",
        LineEndings::Uniform(LineEnding::CrLf) => "crlf",
        LineEndings::Mixed(_) => "mixed line endings",
    }
}

pub(super) fn ending_of_format(format: &Format) -> &'static str {
    match (format.lf, format.crlf) {
        (_, 0) => "lf",
        (0, _) => "crlf",
        _ => "mixed line endings",
    }
}
