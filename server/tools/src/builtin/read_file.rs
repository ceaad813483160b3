//! `read_file`: a page of a text file, with what an edit needs to know of it.

use std::fs;

use mewcode_core::text::{Snapshot, Text};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use crate::blocking::on_a_thread;
use crate::contract::{
    CallScope, Idempotency, Limits, Plan, Recovery, Risk, Run, Tool, ToolContract, Work,
};
use crate::disk::{self, Decoded, Encoding, Streamed, generated};
use crate::effect::{Effect, EffectBound, EffectKind};
use crate::error::{ErrorKind, ToolError};
use crate::guard::{Access, ResolvedPath};
use crate::ledger::{self, Version};
use crate::overlay::Source;
use crate::port::BoxFuture;
use crate::result::ToolResult;
use crate::schema::{self, Parameters};
use crate::truncate::{Bound, floor_boundary};

mod answer;
mod large;
mod page;
mod symbol;

use answer::{Read, ending_of, ending_of_format};
use page::{Page, Pager, Start};

const DESCRIPTION: &str = "\
Reads a text file and returns its lines, each after its number and a tab. The first line of the answer tells the number of lines, the \
sha256, the encoding (found out by itself; an edit keeps it) and the line ending. If the file is open in the editor you get the editor's text, unsaved changes included. \
Read a file before you edit it. Read the whole of a file that is not large; use `offset` and `limit` for parts of large ones, or `symbol` for one definition. \
The numbers are not part of the file: leave them out when you edit. Changes nothing.";

const DEFAULT_LINES: usize = 2000;
const MAX_BYTES: usize = 256 * 1024;

/// Space for the first and the last line of the answer, beside the path in them.
const FRAME_BYTES: usize = 512;

/// As many names of a folder's entries as are told to who takes it for a file.
const MAX_ENTRIES: usize = 20;

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
    /// How many lines to show at most. Default: 2000, or all of a `symbol`. An answer never has more than 256 KiB.
    limit: Option<i64>,
    /// How many bytes of the first line to leave out: to go on in a line that is longer than an answer.
    byte_offset: Option<i64>,
    /// In place of `offset`: the name of a definition in the file, to read just its lines, with the comments and
    /// attributes directly above. May be qualified (`Type::method`) or follow its kind (`impl Type`).
    symbol: Option<String>,
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
        if arguments.symbol.is_some()
            && (arguments.offset.is_some() || arguments.byte_offset.is_some())
        {
            return Err(ToolError::invalid_arguments(
                "`symbol` says where to begin; `offset` and `byte_offset` do not go with it.",
            ));
        }
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
            None if arguments.symbol.is_some() => usize::MAX,
            None => DEFAULT_LINES,
            Some(lines @ 1..) => lines as usize,
            Some(_) => return Err(ToolError::invalid_arguments("`limit` must be at least 1.")),
        };
        let from_byte = usize::try_from(arguments.byte_offset.unwrap_or(0))
            .map_err(|_| ToolError::invalid_arguments("`byte_offset` must not be negative."))?;
        // What was put aside for this session is open to it, although it lies among what is closed.
        let artifact = scope.host.artifacts.handed(&scope.session, &arguments.path);
        let (path, read) = match artifact {
            Some(path) => (path.clone(), vec![path.real]),
            None => {
                let path = scope.workspace.resolve(&arguments.path, Access::Read)?;
                let ways = scope.workspace.ways(&arguments.path, &path);
                (path, ways)
            }
        };
        let effects = vec![Effect::Read(read)];
        Ok(Plan {
            effects,
            timeout: None,
            work: Work::Run(Box::new(Reading {
                path,
                start,
                lines,
                from_byte,
                symbol: arguments.symbol,
                place: None,
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
    symbol: Option<String>,
    /// Where the symbol was found.
    place: Option<symbol::Place>,
}

impl Run for Reading {
    fn run(self: Box<Self>, scope: CallScope) -> BoxFuture<'static, ToolResult> {
        Box::pin(async move { on_a_thread(move || self.read(&scope)).await.into() })
    }
}

impl Reading {
    fn read(&self, scope: &CallScope) -> Result<ToolResult, ToolError> {
        if let (Some(name), None) = (&self.symbol, &self.place) {
            return match symbol::find(&self.path, name, scope)? {
                Some(place) => self.at(place).read(scope),
                None => Ok(cancelled()),
            };
        }
        let read = match scope.workspace.buffer(&self.path)? {
            Some(buffer) => Some(self.read_buffer(&buffer.snapshot, buffer.source)),
            None => match disk::probe(&self.path.real, &self.path.display)
                .map_err(|error| self.with_entries(error))?
            {
                None => return Err(scope.workspace.not_found(&self.path)),
                Some(metadata) if metadata.len() > disk::MAX_TEXT_BYTES => {
                    let page = self.read_large(&scope.cancel)?;
                    return Ok(page.unwrap_or_else(cancelled));
                }
                Some(metadata) if metadata.len() > KEPT_BYTES => self.read_stream(&scope.cancel)?,
                Some(_) => Some(self.read_whole()?),
            },
        };
        let Some(mut read) = read else {
            return Ok(cancelled());
        };
        if let Some(place) = &self.place {
            place.settle(&mut read, &self.path.display)?;
        }
        self.check_page(&read.page)?;
        if let Some(text) = &read.text {
            let (line, byte) = (read.page.lines.start, self.from_byte);
            super::secrets::look_around(text, (line, byte), &mut read.page.text, scope);
        }
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
        Ok(if known {
            read.unchanged(&self.path.display)
        } else {
            read.answer(&self.path.display)
        })
    }

    /// The same for just the lines of a definition.
    fn at(&self, place: symbol::Place) -> Reading {
        Reading {
            start: Start::Line(place.lines.start),
            lines: self.lines.min(place.lines.len()),
            place: Some(place),
            ..self.clone()
        }
    }

    /// Pages the text of an open document. How it is written, the file on disk tells.
    fn read_buffer(&self, text: &Snapshot, source: Source) -> Read {
        let encoding = disk::encoding(&self.path.real).unwrap_or(Encoding::Utf8);
        let mut read = self.read_text(text, encoding);
        read.unsaved = source == Source::Buffer { unsaved: true };
        read
    }

    /// Pages a file that is held.
    fn read_whole(&self) -> Result<Read, ToolError> {
        let Decoded {
            text,
            encoding,
            loss,
        } = disk::look(&self.path.real, &self.path.display)?.ok_or_else(|| self.removed())?;
        let mut read = self.read_text(&Snapshot::new(text), encoding);
        read.loss = loss;
        Ok(read)
    }

    fn read_text(&self, text: &Snapshot, encoding: Encoding) -> Read {
        let total = text.text().line_count();
        let mut pager = self.pager(self.start.line(total));
        text.rope().chunks().for_each(|chunk| pager.push(chunk));
        let page = pager.finish();
        Read {
            nature: self.nature(&head_of(text.text()), &page),
            page,
            hash: text.hash(),
            text: Some(text.clone()),
            encoding,
            bom: text.text().bom(),
            ending: ending_of(text.text()),
            final_newline: text.text().final_newline(),
            unsaved: false,
            loss: None,
        }
    }

    /// Pages a file that is too large to be kept. None: the call is to end.
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
        let file = disk::open(&self.path.real, display)?.ok_or_else(|| self.removed())?;
        let mut hasher = Sha256::new();
        let mut pager = self.pager(first);
        let mut head = String::new();
        let streamed = disk::stream_file(file, display, cancel, &mut |text| {
            hasher.update(text);
            pager.push(text);
            if head.len() < generated::HEAD_BYTES {
                head.push_str(&text[..floor_boundary(text, generated::HEAD_BYTES)]);
            }
        })?;
        let format = match streamed {
            Streamed::Whole(format) => format,
            Streamed::Stopped => return Ok(None),
            Streamed::NotUtf8 => {
                let read = self.read_whole()?;
                return Ok(Some(Read { text: None, ..read }));
            }
        };
        let page = pager.finish();
        Ok(Some(Read {
            nature: self.nature(&head, &page),
            page,
            hash: disk::content_hash(hasher),
            text: None,
            encoding: Encoding::Utf8,
            bom: format.bom,
            ending: ending_of_format(&format),
            final_newline: format.final_newline,
            unsaved: false,
            loss: None,
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

    fn nature(&self, head: &str, page: &Page) -> Option<&'static str> {
        let lines = Some(page.total_lines);
        generated::nature(&self.path.real, head, page.total_bytes, lines)
    }

    fn check_page(&self, page: &Page) -> Result<(), ToolError> {
        if let Start::Line(line) = self.start
            && line >= page.total_lines
        {
            return Err(self.missing_line(page.total_lines));
        }
        match page.first_line_ended_at {
            Some(length) => Err(self.short_line(length)),
            None => Ok(()),
        }
    }

    /// The refusal of a beginning that a file of so many lines does not have.
    fn missing_line(&self, total: usize) -> ToolError {
        let line = match self.start {
            Start::Line(line) => line + 1,
            Start::FromEnd(_) => 1,
        };
        let lines = if total == 1 { "line" } else { "lines" };
        let message = format!(
            "`{}` has only {total} {lines}; line {line} is not there.",
            self.path.display
        );
        ToolError::invalid_arguments(message).with("total_lines", total)
    }

    /// The refusal of a beginning behind the end of a line of so many bytes.
    fn short_line(&self, length: usize) -> ToolError {
        let message = format!(
            "The line has only {length} bytes, fewer than `byte_offset` {}.",
            self.from_byte
        );
        ToolError::invalid_arguments(message).with("line_bytes", length)
    }

    fn removed(&self) -> ToolError {
        ToolError::not_found(format!(
            "`{}` was removed while it was read.",
            self.path.display
        ))
    }

    /// Tells who takes a folder for a file what is in it.
    fn with_entries(&self, error: ToolError) -> ToolError {
        if error.kind != ErrorKind::IsDirectory {
            return error;
        }
        let Ok(entries) = fs::read_dir(&self.path.real) else {
            return error;
        };
        let mut names: Vec<String> = entries
            .flatten()
            .map(|entry| {
                let folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                let name = entry.file_name().to_string_lossy().into_owned();
                format!("`{name}{}`", if folder { "/" } else { "" })
            })
            .collect();
        names.sort();
        let more = match names.len() {
            0 => return error.suggest("It is empty. Name a file."),
            total if total > MAX_ENTRIES => format!(" and {} more", total - MAX_ENTRIES),
            _ => String::new(),
        };
        names.truncate(MAX_ENTRIES);
        error.suggest(format!(
            "Name a file in it. It holds {}{more}.",
            names.join(", ")
        ))
    }
}

fn cancelled() -> ToolResult {
    ToolResult::interrupted("The call was cancelled.")
}

/// The beginning of a text.
fn head_of(text: &Text) -> String {
    let mut head = String::new();
    for chunk in text.rope().chunks() {
        if head.len() >= generated::HEAD_BYTES {
            break;
        }
        head.push_str(chunk);
    }
    head
}

#[cfg(test)]
mod tests;
