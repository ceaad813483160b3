//! `read_file`: a page of a text file, with what an edit needs to know of it.

use std::fmt::Write;

use mewcode_core::hash::ContentHash;
use mewcode_core::text::{LineEnding, LineEndings, Snapshot, Text};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use crate::contract::{
    CallScope, Idempotency, Limits, Plan, Recovery, Risk, Run, Tool, ToolContract, Work,
};
use crate::disk::{self, Format};
use crate::effect::{Effect, EffectBound, EffectKind};
use crate::error::ToolError;
use crate::guard::{Access, ResolvedPath};
use crate::ledger::{self, Version};
use crate::overlay::Source;
use crate::port::BoxFuture;
use crate::result::{Rest, ToolResult, Truncation};
use crate::schema::{self, Parameters};
use crate::truncate::Bound;

mod page;

use page::{Page, Pager, Start};

const DESCRIPTION: &str = "\
Reads a text file and returns its lines, each after its number and a tab. The first line of the answer tells the number of lines, the \
sha256, the encoding and the line ending. If the file is open in the editor you get the editor's text, unsaved changes included. \
Read a file before you edit it. Read the whole of a file that is not large; use `offset` and `limit` for parts of large ones. \
The numbers are not part of the file: leave them out when you edit. Changes nothing.";

const DEFAULT_LINES: usize = 2000;
const MAX_BYTES: usize = 256 * 1024;

/// Space for the first and the last line of the answer, beside the path in them.
const FRAME_BYTES: usize = 512;

/// Files up to this size are kept by the ledger, so that later changes of them can be told apart from the agent's
/// own.
const KEPT_BYTES: u64 = 2 * 1024 * 1024;

/// See the module.
pub(super) struct ReadFile {
    contract: ToolContract,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The file, relative to the workspace or absolute.
    path: String,
    /// The line to begin with, counted from 1. A negative number counts from the end: -20 shows the last 20 lines.
    /// Default: 1.
    offset: Option<i64>,
    /// How many lines to show at most. Default: 2000. An answer never has more than 256 KiB.
    limit: Option<i64>,
    /// How many bytes of the first line to leave out: to go on in a line that is longer than an answer.
    byte_offset: Option<i64>,
}

impl ReadFile {
    pub(super) fn new() -> ReadFile {
        let contract = ToolContract {
            name: "read_file".to_owned(),
            description: DESCRIPTION.to_owned(),
            parameters: Parameters::of::<Arguments>().alias("file_path", "path"),
            effect_bound: EffectBound::new([EffectKind::Read]),
            idempotency: Idempotency::Pure,
            risk: Risk::Low,
            limits: Limits {
                bytes: MAX_BYTES,
                lines: None,
                default_timeout_ms: 60_000,
                maximum_timeout_ms: 60_000,
            },
            recovery: Recovery::Rerun,
            version: 1,
        };
        ReadFile { contract }
    }
}

impl Tool for ReadFile {
    fn contract(&self) -> &ToolContract {
        &self.contract
    }

    fn plan(&self, arguments: Value, scope: &CallScope) -> Result<Plan, ToolError> {
        let arguments: Arguments = schema::parse(arguments)?;
        let start = match arguments.offset {
            None => Start::Line(0),
            Some(0) => {
                return Err(ToolError::invalid_arguments(
                    "`offset` counts from 1; 0 is no line.",
                ));
            }
            Some(line @ 1..) => Start::Line(line as usize - 1),
            Some(from_end) => Start::FromEnd(from_end.unsigned_abs() as usize),
        };
        let lines = match arguments.limit {
            None => DEFAULT_LINES,
            Some(lines @ 1..) => lines as usize,
            Some(_) => return Err(ToolError::invalid_arguments("`limit` must be at least 1.")),
        };
        let from_byte = usize::try_from(arguments.byte_offset.unwrap_or(0))
            .map_err(|_| ToolError::invalid_arguments("`byte_offset` must not be negative."))?;
        let path = scope.workspace.resolve(&arguments.path, Access::Read)?;
        let effects = vec![Effect::Read(vec![path.real.clone()])];
        Ok(Plan {
            effects,
            timeout: None,
            work: Work::Run(Box::new(Reading {
                path,
                start,
                lines,
                from_byte,
            })),
        })
    }
}

/// A planned call.
#[derive(Clone)]
struct Reading {
    path: ResolvedPath,
    start: Start,
    lines: usize,
    from_byte: usize,
}

impl Run for Reading {
    fn run(self: Box<Self>, scope: CallScope) -> BoxFuture<'static, ToolResult> {
        Box::pin(async move {
            let reading = tokio::task::spawn_blocking(move || self.read(&scope)).await;
            reading
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
                .into()
        })
    }
}

/// A page, and what the first line of the answer tells of the whole.
struct Read {
    page: Page,
    hash: ContentHash,
    /// The text, where it is kept.
    text: Option<Snapshot>,
    bom: bool,
    ending: &'static str,
    final_newline: bool,
    unsaved: bool,
}

impl Reading {
    fn read(&self, scope: &CallScope) -> Result<ToolResult, ToolError> {
        let read = match scope.workspace.buffer(&self.path)? {
            Some(buffer) => self.read_text(&buffer.snapshot, buffer.source),
            None => match disk::probe(&self.path.real, &self.path.display)? {
                Some(metadata) if metadata.len() > KEPT_BYTES => self.read_stream(&scope.cancel)?,
                _ => {
                    let text = scope.workspace.text(&self.path)?;
                    self.read_text(&text.snapshot, text.source)
                }
            },
        };
        let Some(read) = read else {
            return Ok(ToolResult::interrupted("The call was cancelled."));
        };
        self.check_page(&read.page)?;
        let version = Version {
            hash: read.hash,
            text: read.text.as_ref(),
        };
        let shown = ledger::Page {
            lines: read.page.lines.clone(),
            from_byte: self.from_byte,
            to_byte: read
                .page
                .next
                .and_then(|(_, byte)| Some(byte).filter(|byte| *byte > 0)),
        };
        let known = scope
            .ledger
            .as_ref()
            .is_some_and(|ledger| ledger.show(&self.path.real, version, shown));
        if known {
            let hash = read.hash.short();
            let last = read.page.lines.end;
            return Ok(ToolResult::ok(format!(
                "`{}`: unchanged since you read these lines ({}-{last} of {}), sha256 {hash}.\n",
                self.path.display,
                read.page.lines.start + 1,
                read.page.total_lines
            )));
        }
        Ok(self.answer(read))
    }

    /// Pages a text that is held.
    fn read_text(&self, text: &Snapshot, source: Source) -> Option<Read> {
        let total = text.text().line_count();
        let mut pager = self.pager(self.start.line(total));
        text.rope().chunks().for_each(|chunk| pager.push(chunk));
        Some(Read {
            page: pager.finish(),
            hash: text.hash(),
            text: Some(text.clone()),
            bom: text.text().bom(),
            ending: ending_of(text.text()),
            final_newline: text.text().final_newline(),
            unsaved: source == Source::Buffer { unsaved: true },
        })
    }

    /// Pages a file that is too large to be held. None: the call is to end.
    fn read_stream(&self, cancel: &CancellationToken) -> Result<Option<Read>, ToolError> {
        let first = match self.start {
            Start::Line(line) => line,
            // A first pass counts the lines; a second one reads all of it again, so that page and hash are of one
            // text.
            Start::FromEnd(_) => match self.stream(usize::MAX, cancel)? {
                Some(counted) => self.start.line(counted.page.total_lines),
                None => return Ok(None),
            },
        };
        self.stream(first, cancel)
    }

    fn stream(&self, first: usize, cancel: &CancellationToken) -> Result<Option<Read>, ToolError> {
        let display = &self.path.display;
        let file = disk::open(&self.path.real, display)?.ok_or_else(|| {
            ToolError::not_found(format!("`{display}` was removed while it was read."))
        })?;
        let mut hasher = Sha256::new();
        let mut pager = self.pager(first);
        let format = disk::stream_file(file, display, cancel, &mut |text| {
            hasher.update(text);
            pager.push(text);
        })?;
        Ok(format.map(|format| Read {
            page: pager.finish(),
            hash: disk::content_hash(hasher),
            text: None,
            bom: format.bom,
            ending: ending_of_format(&format),
            final_newline: format.final_newline,
            unsaved: false,
        }))
    }

    fn pager(&self, first: usize) -> Pager {
        let bytes = MAX_BYTES - FRAME_BYTES - 2 * self.path.display.len().min(MAX_BYTES / 4);
        Pager::new(
            first,
            self.from_byte,
            Bound {
                lines: self.lines,
                bytes,
            },
        )
    }

    fn check_page(&self, page: &Page) -> Result<(), ToolError> {
        let display = &self.path.display;
        if let Start::Line(line) = self.start
            && line >= page.total_lines
        {
            let message = format!(
                "`{display}` has only {} lines; line {} is not there.",
                page.total_lines,
                line + 1
            );
            return Err(ToolError::invalid_arguments(message).with("total_lines", page.total_lines));
        }
        if let Some(length) = page.first_line_ended_at {
            let message = format!(
                "The line has only {length} bytes, fewer than `byte_offset` {}.",
                self.from_byte
            );
            return Err(ToolError::invalid_arguments(message).with("line_bytes", length));
        }
        Ok(())
    }

    fn answer(&self, read: Read) -> ToolResult {
        let page = read.page;
        let empty = page.total_bytes == 1 && !read.final_newline;
        let mut content = format!("{}: ", self.path.display);
        match page.total_lines {
            _ if empty => content.push_str("empty"),
            1 => content.push_str("1 line"),
            lines => {
                let _ = write!(content, "{lines} lines");
            }
        }
        let _ = write!(
            content,
            ", sha256 {}, utf-8{}",
            read.hash.short(),
            if read.bom { " with BOM" } else { "" }
        );
        if !empty {
            let _ = write!(content, ", {}", read.ending);
        }
        if !read.final_newline && !empty {
            content.push_str(", no final newline");
        }
        if read.unsaved {
            content.push_str(", unsaved");
        }
        content.push('\n');
        if empty {
            return ToolResult::ok(content);
        }
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
}

fn more_lines(count: usize) -> String {
    if count == 1 {
        "1 more line".to_owned()
    } else {
        format!("{count} more lines")
    }
}

fn ending_of(text: &Text) -> &'static str {
    match text.endings() {
        LineEndings::Uniform(LineEnding::Lf) => "lf",
        LineEndings::Uniform(LineEnding::CrLf) => "crlf",
        LineEndings::Mixed(_) => "mixed line endings",
    }
}

fn ending_of_format(format: &Format) -> &'static str {
    match (format.lf, format.crlf) {
        (_, 0) => "lf",
        (0, _) => "crlf",
        _ => "mixed line endings",
    }
}

#[cfg(test)]
mod tests;
