//! The output of a command as a result shows it: plain text without secrets, lines of standard error marked, and of a long
//! one what matters. Runs nothing.

use std::io;
use std::ops::Range;

use crate::contract::CallScope;
use crate::process::{Captured, Piece, Running, Source, plain};
use crate::result::Rest;
use crate::summary::{self, Digest};
use crate::truncate::{self, Bound, Cut, Keep, Others};

/// As much as a result has of an output, in bytes and lines.
pub(in crate::builtin) const MAX_OUTPUT_BYTES: usize = 8 * 1024;
pub(in crate::builtin) const MAX_OUTPUT_LINES: usize = 200;

/// What stands before a line of standard error, where there is another output too.
const ERROR_MARK: &str = "stderr: ";

/// Outputs up to this size are looked through as a whole for what matters, in bytes.
const MAX_DIGESTED: u64 = 4 << 20;

/// As much as is read of an artifact at once, in bytes.
const READ_BYTES: usize = 1 << 20;

/// So much before and after a page is looked at too: a secret may begin or end there. A private key has less.
const AROUND_BYTES: u64 = 8 * 1024;

/// As much of the newest output as is told while a command runs.
const NEWEST_LINES: usize = 5;
const NEWEST_BYTES: usize = 400;

/// What is at hand of an output.
pub(super) enum Kept {
    /// All of it.
    Whole(Vec<Piece>),
    /// Its beginning and its end.
    Ends {
        /// The beginning.
        head: Vec<Piece>,
        /// The end.
        tail: Vec<Piece>,
    },
}

/// The output of a command, ready to be shown.
pub(in crate::builtin) struct Output {
    text: Text,
    rest: Rest,
    /// All of the text that is at hand, without marks and secrets.
    pub(super) plain: String,
    /// Whether all of it is standard error.
    pub(super) only_errors: bool,
}

/// The text, with marks.
enum Text {
    Whole {
        text: String,
        digest: Option<Digest>,
    },
    Ends {
        head: String,
        tail: String,
        total: Bound,
    },
}

impl Kept {
    /// What is in memory of the output of a command.
    pub(super) fn ends_of(running: &Running) -> Kept {
        ends(running.output())
    }

    /// The whole of it where it is not too large and still there. Blocks.
    fn whole_of(running: &Running) -> Kept {
        let captured = running.output();
        let is_in_artifact = captured.artifact_bytes == captured.bytes;
        if captured.omitted == 0 || captured.bytes > MAX_DIGESTED || !is_in_artifact {
            return ends(captured);
        }
        let mut pieces = Vec::new();
        let mut offset = 0;
        while offset < captured.bytes {
            match running.read(offset, READ_BYTES) {
                Ok(chunk) if chunk.offset == offset && chunk.next > offset => {
                    offset = chunk.next;
                    pieces.extend(chunk.pieces);
                }
                // Somebody removed the file: both ends are there still.
                _ => return ends(captured),
            }
        }
        Kept::Whole(pieces)
    }
}

fn ends(captured: Captured) -> Kept {
    let Captured {
        mut head,
        omitted,
        tail,
        ..
    } = captured;
    if omitted == 0 {
        head.extend(tail);
        return Kept::Whole(head);
    }
    Kept::Ends { head, tail }
}

/// A text line by line, with the source of each.
struct Lines {
    text: String,
    /// None: secrets were taken out that went over several lines.
    sources: Option<Vec<Source>>,
}

impl Lines {
    fn of(pieces: &[Piece], scope: &CallScope) -> Lines {
        let lines = plain::lines(pieces);
        let text: String = lines.iter().flat_map(|line| [&line.text, "\n"]).collect();
        let text = scope
            .host
            .redactor
            .redact(&scope.session, &text)
            .into_owned();
        let sources: Vec<Source> = lines.iter().map(|line| line.source).collect();
        let sources = Some(sources).filter(|sources| sources.len() == text.lines().count());
        Lines { text, sources }
    }

    /// The text with marks before the lines of standard error.
    fn marked(&self) -> String {
        let Some(sources) = &self.sources else {
            return self.text.clone();
        };
        let lines = self.text.split_inclusive('\n').zip(sources);
        lines
            .flat_map(|(line, source)| match source {
                Source::Error => [ERROR_MARK, line],
                Source::Output => ["", line],
            })
            .collect()
    }
}

impl Output {
    /// What a command has printed so far. Blocks.
    pub(in crate::builtin) fn of(running: &Running, scope: &CallScope) -> Output {
        let captured = running.output();
        let (errors, bytes) = (captured.error_bytes, captured.bytes);
        let mixed = errors > 0 && errors < bytes;
        let rest = match running.artifact() {
            Some(artifact) if captured.artifact_bytes == bytes => Rest::Artifact {
                path: artifact.display().to_string(),
            },
            _ => Rest::NotKept,
        };
        let marked = |lines: &Lines| match mixed {
            true => lines.marked(),
            false => lines.text.clone(),
        };
        let (text, plain) = match Kept::whole_of(running) {
            Kept::Whole(pieces) => {
                let lines = Lines::of(&pieces, scope);
                let text = Text::Whole {
                    text: marked(&lines),
                    // Told from the bare lines; a mark before a line moves none.
                    digest: summary::digest(&lines.text),
                };
                (text, lines.text)
            }
            Kept::Ends { head, tail } => {
                let (head, tail) = (Lines::of(&head, scope), Lines::of(&tail, scope));
                let text = Text::Ends {
                    head: marked(&head),
                    tail: marked(&tail),
                    total: Bound {
                        lines: usize::try_from(captured.lines).unwrap_or(usize::MAX),
                        bytes: usize::try_from(bytes).unwrap_or(usize::MAX),
                    },
                };
                (text, head.text + &tail.text)
            }
        };
        Output {
            text,
            rest,
            plain,
            only_errors: errors > 0 && errors == bytes,
        }
    }

    /// What is shown of it within a bound: of tests and compilers the lines that matter, else both ends.
    pub(in crate::builtin) fn within(&self, bound: Bound) -> Cut {
        let rest = self.rest.clone();
        match &self.text {
            Text::Whole {
                text,
                digest: Some(digest),
            } => {
                let others = match digest.is_sure {
                    true => Others::LeftOut,
                    false => Others::WhereThereIsRoom,
                };
                let headline = digest.headline();
                truncate::excerpt(text, bound, &digest.lines, others, &headline, rest)
            }
            Text::Whole { text, digest: None } => {
                truncate::cut(text, bound, Keep::HeadAndTail, rest)
            }
            Text::Ends { head, tail, total } => truncate::cut_ends(head, tail, *total, bound, rest),
        }
    }
}

/// Pieces of an output, from a byte to another, as plain text without secrets, line by line. What came before them and
/// after them is not shown, but tells of a secret that goes beyond them. Blocks.
pub(in crate::builtin) fn text_of(
    running: &Running,
    pieces: &[Piece],
    place: Range<u64>,
    scope: &CallScope,
) -> io::Result<String> {
    let before = printed(
        running,
        place.start.saturating_sub(AROUND_BYTES)..place.start,
    )?;
    let after = printed(running, place.end..place.end.saturating_add(AROUND_BYTES))?;
    let until_end = [&before, pieces].concat();
    let all = plain_text(&[until_end.as_slice(), &after].concat());
    let start = shared(&plain_text(&before), &all);
    let end = shared(&plain_text(&until_end), &all).max(start);
    let redactor = &scope.host.redactor;
    let text = redactor.redact_part(&scope.session, &all, start..end);
    Ok(match text.is_empty() || text.ends_with('\n') {
        true => text.into_owned(),
        false => format!("{text}\n"),
    })
}

/// What was printed from a byte to another, as far as it was kept right up to there.
fn printed(running: &Running, place: Range<u64>) -> io::Result<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut offset = place.start;
    while offset < place.end {
        let limit = usize::try_from(place.end - offset).unwrap_or(usize::MAX);
        let chunk = running.read(offset, limit)?;
        if chunk.offset > offset {
            pieces.clear();
        }
        if chunk.offset >= place.end || chunk.next <= offset {
            break;
        }
        offset = chunk.next;
        pieces.extend(chunk.pieces);
    }
    Ok(pieces)
}

fn plain_text(pieces: &[Piece]) -> String {
    let lines = plain::lines(pieces);
    lines.iter().flat_map(|line| [&line.text, "\n"]).collect()
}

/// How many bytes of a text are the beginning of another, which goes on in its last line perhaps.
fn shared(beginning: &str, all: &str) -> usize {
    if all.starts_with(beginning) {
        return beginning.len();
    }
    let bytes = beginning.bytes().zip(all.bytes());
    let same = bytes.take_while(|(one, other)| one == other).count();
    truncate::floor_boundary(all, same)
}

/// The last line that a command printed, or its end, without secrets; none: it printed none.
pub(in crate::builtin) fn last_line(running: &Running, scope: &CallScope) -> Option<String> {
    let newest = newest(&Kept::ends_of(running), scope);
    let mut lines = newest.lines().rev().map(str::trim);
    lines.find(|line| !line.is_empty()).map(str::to_owned)
}

/// The newest lines of an output, a few, without secrets: also one of which they hold only the end.
pub(super) fn newest(kept: &Kept, scope: &CallScope) -> String {
    let pieces = match kept {
        Kept::Whole(pieces) => pieces,
        Kept::Ends { tail, .. } => tail,
    };
    let text = Lines::of(pieces, scope).text;
    let lines: Vec<&str> = text.lines().collect();
    let text = lines[lines.len().saturating_sub(NEWEST_LINES)..].join("\n");
    let start = truncate::ceil_boundary(&text, text.len().saturating_sub(NEWEST_BYTES));
    text[start..].to_owned()
}
