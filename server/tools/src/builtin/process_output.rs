//! `process_output`: what a command has printed, from a place on, or once it printed what is waited for.

use std::time::Duration;

use regex::bytes::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::bash::{MAX_OUTPUT_BYTES, MAX_OUTPUT_LINES, Output, duration, measured, text_of, told};
use super::command::{Standing, contract, end_of_silenced, find, looked_at};
use super::printed;
use crate::blocking::on_a_thread;
use crate::contract::{CallScope, Plan, Run, Tool, ToolContract, Work};
use crate::error::ToolError;
use crate::port::BoxFuture;
use crate::process::{Chunk, Piece, Running, Watch};
use crate::result::{Rest, ToolResult, Truncation};
use crate::schema::{self, Parameters};
use crate::truncate::count_lines;

const DESCRIPTION: &str = "\
Shows what a command of this session has printed, also when it has ended: all of it if it is short, else its beginning and its end (of \
tests and compilers: what failed). With `offset` a page from that byte on; the answer tells where to go on. With `until` it waits \
until the command prints what fits the pattern, with `wait_ms` alone until it prints anything, and in any case until it ends or the \
time is over: wait once and long rather than often. Changes nothing.";

/// The longest that a call waits, in milliseconds.
const MAX_WAIT_MS: i64 = 300_000;

/// How long a pattern is waited for when the call does not say.
const DEFAULT_WAIT_MS: i64 = 30_000;

/// What a call takes beyond the time that it waits.
const AROUND: Duration = Duration::from_secs(10);

/// Space for the lines around a page, beside the notes.
const FRAME_BYTES: usize = 512;
const FRAME_LINES: usize = 3;

/// As much of a page is left to notes.
const MAX_NOTED_BYTES: usize = MAX_OUTPUT_BYTES / 2;

/// See the module.
pub(super) struct ProcessOutput {
    contract: ToolContract,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The id of the command, as bash gave it: `cmd_1`.
    id: String,
    /// The byte of the output to begin with: to go on where an answer ended. Default: the whole output in short.
    offset: Option<i64>,
    /// A regular expression to wait for, looked for from `offset` on.
    until: Option<String>,
    /// How long to wait, in milliseconds, at most 300000. Default: 30000 with `until`, else 0.
    wait_ms: Option<i64>,
}

impl ProcessOutput {
    pub(super) fn new() -> ProcessOutput {
        let parameters = Parameters::of::<Arguments>();
        let timeout = MAX_WAIT_MS.unsigned_abs() + AROUND.as_secs() * 1000;
        ProcessOutput {
            contract: contract("process_output", DESCRIPTION, parameters, timeout),
        }
    }
}

impl Tool for ProcessOutput {
    fn contract(&self) -> &ToolContract {
        &self.contract
    }

    fn printed<'a>(&self, result: &'a ToolResult) -> Option<&'a str> {
        printed::below_first_line(result)
    }

    fn plan(&self, arguments: Value, scope: &CallScope) -> Result<Plan, ToolError> {
        let arguments: Arguments = schema::parse(arguments)?;
        let offset = arguments
            .offset
            .map(|offset| {
                u64::try_from(offset).map_err(|_| {
                    ToolError::invalid_arguments("`offset` counts bytes and must not be negative.")
                })
            })
            .transpose()?;
        let until = arguments.until.as_deref().map(pattern).transpose()?;
        let default = if until.is_some() { DEFAULT_WAIT_MS } else { 0 };
        let wait = arguments.wait_ms.unwrap_or(default);
        if !(0..=MAX_WAIT_MS).contains(&wait) {
            return Err(ToolError::invalid_arguments(format!(
                "`wait_ms` must be from 0 to {MAX_WAIT_MS}, not {wait}."
            )));
        }
        let wait = Duration::from_millis(wait.unsigned_abs());
        let running = find(&arguments.id, scope)?;
        Ok(Plan {
            effects: looked_at(&running),
            timeout: Some(wait + AROUND),
            work: Work::Run(Box::new(Looking {
                running,
                offset,
                until,
                wait,
            })),
        })
    }
}

fn pattern(pattern: &str) -> Result<Regex, ToolError> {
    RegexBuilder::new(pattern)
        .multi_line(true)
        .build()
        .map_err(|error| {
            ToolError::invalid_pattern(format!("`until` is no regular expression: {error}"))
        })
}

/// A planned call.
struct Looking {
    running: Running,
    offset: Option<u64>,
    until: Option<Regex>,
    wait: Duration,
}

impl Run for Looking {
    fn run(self: Box<Self>, scope: CallScope) -> BoxFuture<'static, ToolResult> {
        Box::pin(async move { self.look(scope).await.into() })
    }
}

impl Looking {
    async fn look(self, scope: CallScope) -> Result<ToolResult, ToolError> {
        let begun = tokio::time::Instant::now();
        let waited = tokio::select! {
            waited = self.waited_for_end() => waited?,
            // What there is so far is shown.
            () = scope.cancel.cancelled() => Some("The call was cancelled while it waited.".to_owned()),
        };
        let waited_ms = begun.elapsed().as_millis() as u64;
        let cancelled = scope.cancel.is_cancelled();
        let Looking {
            running, offset, ..
        } = self;
        check(offset, running.output().bytes)?;
        let Standing {
            state,
            ending,
            mut news,
        } = Standing::of(&running).await;
        news.extend(waited);
        let mut result = on_a_thread(move || {
            let first = format!("`{}`: {state}.", running.id());
            match offset {
                None => Ok(told(&first, &news, &Output::of(&running, &scope))),
                Some(offset) => page(&running, offset, &first, &news, &scope),
            }
        })
        .await?;
        if let Some(ending) = ending {
            result.metrics = measured(result.metrics, &ending);
        }
        result.metrics.waited_ms = waited_ms;
        Ok(match cancelled {
            true => ToolResult {
                metrics: result.metrics,
                ..ToolResult::interrupted(result.content)
            },
            false => result,
        })
    }

    /// Waits as the call says, and for the end if that is near. Returns what came of it.
    async fn waited_for_end(&self) -> Result<Option<String>, ToolError> {
        let waited = self.waited().await;
        end_of_silenced(&self.running).await;
        waited
    }

    /// Waits as the call says. Returns what came of it.
    async fn waited(&self) -> Result<Option<String>, ToolError> {
        let within = duration(self.wait);
        let Some(until) = &self.until else {
            if self.wait.is_zero() {
                return Ok(None);
            }
            let seen = self.offset.unwrap_or_else(|| self.running.output().bytes);
            let more = tokio::time::timeout(self.wait, self.running.changed(seen)).await;
            return Ok(match more {
                Ok(_) => None,
                Err(_) => Some(format!("It printed nothing more within {within}.")),
            });
        };
        let from = self.offset.unwrap_or(0);
        let watch = self.running.watch(from, until, self.wait).await;
        Ok(Some(match watch.map_err(unreadable)? {
            Watch::Found { offset } => format!("What fits `{until}` is at byte {offset}."),
            Watch::Ended => format!("It will print nothing more, and nothing fits `{until}`."),
            Watch::TimedOut => format!("Nothing fits `{until}` within {within}."),
        }))
    }
}

/// Refuses a page that begins where nothing is: before anything is told that is told only once.
fn check(offset: Option<u64>, total: u64) -> Result<(), ToolError> {
    match offset {
        Some(offset) if offset > total => Err(ToolError::invalid_arguments(format!(
            "The output has only {total} bytes; `offset` {offset} is past them."
        ))),
        _ => Ok(()),
    }
}

/// A page of an output, of whole lines as far as there are any.
fn page(
    running: &Running,
    offset: u64,
    first: &str,
    notes: &[String],
    scope: &CallScope,
) -> Result<ToolResult, ToolError> {
    let noted: usize = notes.iter().map(|note| note.len() + 1).sum();
    let room = MAX_OUTPUT_BYTES - FRAME_BYTES - noted.min(MAX_NOTED_BYTES);
    let Chunk {
        offset: start,
        pieces,
        total,
        ..
    } = running.read(offset, room).map_err(unreadable)?;
    let lines = MAX_OUTPUT_LINES - FRAME_LINES - notes.len().min(MAX_OUTPUT_LINES / 2);
    let (pieces, bytes) = whole_lines(pieces, total - start, lines);
    let next = start + bytes;
    let text = text_of(running, &pieces, start..next, scope).map_err(unreadable)?;
    let mut content = format!("{first}\n");
    for note in notes {
        content += &format!("{note}\n");
    }
    if start > offset {
        content += &format!("[bytes {offset} to {start} were not kept]\n");
    }
    content += match text.is_empty() {
        true => "Nothing more was printed.\n",
        false => &text,
    };
    let more = total - next;
    content += &match more {
        0 => format!("[that is all so far; go on with offset {next}]\n"),
        more => format!("[{more} more bytes; go on with offset {next}]\n"),
    };
    let truncation = (more > 0).then(|| Truncation {
        shown_lines: count_lines(&text),
        shown_bytes: text.len(),
        total_lines: usize::try_from(running.output().lines).unwrap_or(usize::MAX),
        total_bytes: usize::try_from(total).unwrap_or(usize::MAX),
        rest: Rest::Next {
            offset: usize::try_from(next).unwrap_or(usize::MAX),
            byte_offset: None,
        },
    });
    Ok(ToolResult {
        truncation,
        ..ToolResult::ok(content)
    })
}

/// At most so many whole lines of the pieces; a part of a line only where not even one is whole. `there` is how many
/// bytes there are from their beginning on. Returns the number of bytes too.
fn whole_lines(pieces: Vec<Piece>, there: u64, lines: usize) -> (Vec<Piece>, u64) {
    let bytes: Vec<u8> = pieces
        .iter()
        .flat_map(|piece| piece.bytes.iter().copied())
        .collect();
    let breaks = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let ends: Vec<usize> = breaks.map(|(index, _)| index + 1).collect();
    let is_all = bytes.len() as u64 == there;
    let end = match ends.get(lines - 1) {
        Some(end) => *end,
        None if is_all => bytes.len(),
        None => ends.last().copied().unwrap_or(bytes.len()),
    };
    let mut left = end;
    let mut taken = Vec::new();
    for mut piece in pieces {
        piece.bytes.truncate(left);
        left -= piece.bytes.len();
        if !piece.bytes.is_empty() {
            taken.push(piece);
        }
    }
    (taken, end as u64)
}

fn unreadable(error: std::io::Error) -> ToolError {
    ToolError::unavailable(format!("The output cannot be read: {error}."))
        .suggest("Call without `offset` and `until`: the beginning and the end are kept.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Source;

    fn piece(source: Source, text: &str) -> Piece {
        Piece {
            source,
            bytes: text.as_bytes().to_vec(),
        }
    }

    #[test]
    fn a_page_has_whole_lines() {
        let pieces = || {
            vec![
                piece(Source::Output, "one\ntw"),
                piece(Source::Error, "o\nthree"),
            ]
        };
        let taken = |pieces, there| {
            let (pieces, bytes) = whole_lines(pieces, there, 196);
            let text: Vec<u8> = pieces.into_iter().flat_map(|piece| piece.bytes).collect();
            (String::from_utf8(text).unwrap(), bytes)
        };
        assert_eq!(taken(pieces(), 13), ("one\ntwo\nthree".to_owned(), 13));
        assert_eq!(taken(pieces(), 99), ("one\ntwo\n".to_owned(), 8));
        let unended = vec![piece(Source::Output, "unended")];
        assert_eq!(taken(unended, 99), ("unended".to_owned(), 7));
        let many = vec![piece(Source::Output, &"x\n".repeat(1000))];
        assert_eq!(taken(many, 2000).1, 2 * 196);
    }

    #[test]
    fn a_pattern_is_matched_line_by_line() {
        assert!(pattern("^ready$").unwrap().is_match(b"a\nready\n"));
        assert!(
            pattern("(")
                .unwrap_err()
                .message
                .starts_with("`until` is no regular expression: ")
        );
    }
}
