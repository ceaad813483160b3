//! From a text to its outline: parsing, within bounds, and reading what the queries capture. Knows no file.
//!
//! Captures of an outline query: `@definition.<kind>` is the whole, `@name` its name (several: from the first to the
//! last), `@scope` the type that it belongs to, `@above` what belongs to the definition below if it has its lines to
//! itself. A pattern may set `strip`, what its names begin with but for the name, and `level`: what it finds reaches
//! to the next of its level or of a lower number. Captures of a references query: `@reference.<kind>` with `@name`.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::{ControlFlow, Range};
use std::time::Duration;

use mewcode_core::outline::{Found, Kind, Lines, Outline};
use ropey::Rope;
use streaming_iterator::StreamingIterator;
use tokio_util::sync::CancellationToken;
use tree_sitter::{
    Node, ParseOptions, Parser, Point, Query, QueryCursor, QueryCursorOptions, QueryMatch,
    TextProvider, Tree,
};

use super::language::Language;

/// Larger texts are not parsed.
pub const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Parsing and reading a text may take so long, each: of the processor's time, for a busy machine makes no text slow.
const MAX_TIME: Duration = Duration::from_secs(2);

/// The cursor gives up matches beyond this many at a time; definitions need few.
const MATCH_LIMIT: u32 = 4096;

/// Why there is no outline of a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unparsed {
    /// No grammar is known for it.
    #[error("its language is not known")]
    UnknownLanguage,
    /// It is larger than [`MAX_BYTES`].
    #[error("it is larger than {} MiB", MAX_BYTES / 1024 / 1024)]
    TooLarge,
    /// It takes longer than the bound.
    #[error("parsing it takes longer than {} s", MAX_TIME.as_secs())]
    TooSlow,
    /// The call was cancelled.
    #[error("the call was cancelled")]
    Cancelled,
    /// It is no text.
    #[error("it is no text")]
    NotText,
    /// It cannot be read; why.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    /// A fault of MewCode.
    #[error("{0}")]
    Internal(String),
}

/// A text that can be parsed: whole, or in pieces.
pub(super) trait Source {
    fn len(&self) -> usize;
    /// What stands at an offset: some of it, at least a byte unless it is the end.
    fn piece(&self, offset: usize) -> &[u8];
    fn text(&self, range: Range<usize>) -> String;
}

impl Source for Rope {
    fn len(&self) -> usize {
        self.len_bytes()
    }

    fn piece(&self, offset: usize) -> &[u8] {
        if offset >= self.len_bytes() {
            return &[];
        }
        let (chunk, start, ..) = self.chunk_at_byte(offset);
        &chunk.as_bytes()[offset - start..]
    }

    fn text(&self, range: Range<usize>) -> String {
        let slice = self.get_byte_slice(range);
        slice.map_or_else(String::new, |slice| slice.to_string())
    }
}

impl Source for str {
    fn len(&self) -> usize {
        self.len()
    }

    fn piece(&self, offset: usize) -> &[u8] {
        self.as_bytes().get(offset..).unwrap_or_default()
    }

    fn text(&self, range: Range<usize>) -> String {
        self.get(range).unwrap_or_default().to_owned()
    }
}

/// A source as the queries' predicates read it.
struct Provider<'a, S: ?Sized>(&'a S);

impl<'a, S: Source + ?Sized> TextProvider<String> for Provider<'a, S> {
    type I = std::iter::Once<String>;

    fn text(&mut self, node: Node<'_>) -> Self::I {
        std::iter::once(self.0.text(node.byte_range()))
    }
}

/// When to stop: at the bound, or when the call ends.
struct Watch<'a> {
    until: Duration,
    cancel: &'a CancellationToken,
}

impl Watch<'_> {
    fn begin(cancel: &CancellationToken) -> Watch<'_> {
        Watch {
            until: spent() + MAX_TIME,
            cancel,
        }
    }

    fn go_on(&self) -> ControlFlow<()> {
        if self.cancel.is_cancelled() || spent() > self.until {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn stopped(&self) -> Unparsed {
        if self.cancel.is_cancelled() {
            Unparsed::Cancelled
        } else {
            Unparsed::TooSlow
        }
    }
}

/// How much of the processor's time this thread has had.
#[cfg(unix)]
pub(crate) fn spent() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ThreadCPUTime);
    // It counts from zero upwards.
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// How much time has gone by since this was first asked.
#[cfg(not(unix))]
pub(crate) fn spent() -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}

/// Parses a text, with what is known of an earlier one: its tree, edited to the places of this one.
pub(super) fn parse<S: Source + ?Sized>(
    parser: &mut Parser,
    language: &Language,
    source: &S,
    earlier: Option<&Tree>,
    cancel: &CancellationToken,
) -> Result<Tree, Unparsed> {
    if source.len() > MAX_BYTES {
        return Err(Unparsed::TooLarge);
    }
    parser.set_language(&language.grammar()).map_err(|error| {
        Unparsed::Internal(format!("the grammar of {}: {error}", language.name))
    })?;
    let watch = Watch::begin(cancel);
    let mut progress = |_: &tree_sitter::ParseState| watch.go_on();
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |offset: usize, _: Point| match language.scans_ascii_only() {
        true => Cow::Owned(super::language::ascii(source.piece(offset))),
        false => Cow::Borrowed(source.piece(offset)),
    };
    let tree = parser.parse_with_options(&mut read, earlier, Some(options));
    tree.ok_or_else(|| {
        // Else the next text would be taken for the rest of this one.
        parser.reset();
        watch.stopped()
    })
}

/// Reads the definitions of a parsed text.
pub(super) fn outline<S: Source + ?Sized>(
    tree: &Tree,
    language: &Language,
    source: &S,
    cancel: &CancellationToken,
) -> Result<Outline, Unparsed> {
    let queries = language.queries().map_err(Unparsed::Internal)?;
    outline_with(tree, &queries.outline, source, cancel)
}

/// [`outline`] with this query.
pub(super) fn outline_with<S: Source + ?Sized>(
    tree: &Tree,
    query: &Query,
    source: &S,
    cancel: &CancellationToken,
) -> Result<Outline, Unparsed> {
    let captures = Captures::of(query);
    let mut found = Vec::new();
    let mut above = Vec::new();
    each_match(tree, query, source, cancel, |matched| {
        captures.read(matched, source, &mut found, &mut above);
    })?;
    let root = tree.root_node();
    reach_to_next_of_level(&mut found, source, root.end_position().row);
    // Matches come in the order of the text; an earlier pattern of the query goes before a later one.
    found.sort_by_key(|it| it.pattern);
    let found = found.into_iter().map(|it| it.found).collect();
    Ok(Outline::build(found, &above, root.has_error()))
}

/// A use of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The name.
    pub name: String,
    /// `call`, `type`, `import`, …: the word of the query.
    pub kind: String,
    /// The line, from 0.
    pub line: usize,
}

/// Reads the uses of names in a parsed text, in its order. A name that is defined where it stands is no use.
pub(super) fn references<S: Source + ?Sized>(
    tree: &Tree,
    language: &Language,
    source: &S,
    cancel: &CancellationToken,
) -> Result<Vec<Reference>, Unparsed> {
    let queries = language.queries().map_err(Unparsed::Internal)?;
    match &queries.references {
        Some(query) => references_with(tree, &queries.outline, query, source, cancel),
        None => Ok(Vec::new()),
    }
}

/// [`references`] with these queries.
pub(super) fn references_with<S: Source + ?Sized>(
    tree: &Tree,
    outline: &Query,
    query: &Query,
    source: &S,
    cancel: &CancellationToken,
) -> Result<Vec<Reference>, Unparsed> {
    let captures = Captures::of(outline);
    let (mut defined, mut above) = (Vec::new(), Vec::new());
    each_match(tree, outline, source, cancel, |matched| {
        captures.read(matched, source, &mut defined, &mut above);
    })?;
    let mut taken: HashSet<usize> = defined
        .iter()
        .map(|it: &Captured| it.found.name_start)
        .collect();
    let names = query.capture_names();
    let mut found: Vec<(usize, Reference)> = Vec::new();
    each_match(tree, query, source, cancel, |matched| {
        let mut kind = None;
        let mut name = None;
        for capture in matched.captures() {
            match names[capture.index as usize].strip_prefix("reference.") {
                Some(word) => kind = Some(word),
                None if names[capture.index as usize] == "name" => name = Some(capture.node),
                None => {}
            }
        }
        if let (Some(kind), Some(node)) = (kind, name)
            && taken.insert(node.start_byte())
        {
            found.push((
                node.start_byte(),
                Reference {
                    name: unquoted(&source.text(node.byte_range())).to_owned(),
                    kind: kind.to_owned(),
                    line: node.start_position().row,
                },
            ));
        }
    })?;
    found.sort_by_key(|(start, _)| *start);
    Ok(found.into_iter().map(|(_, reference)| reference).collect())
}

fn each_match<S: Source + ?Sized>(
    tree: &Tree,
    query: &Query,
    source: &S,
    cancel: &CancellationToken,
    mut read: impl FnMut(&QueryMatch<'_, '_>),
) -> Result<(), Unparsed> {
    let watch = Watch::begin(cancel);
    let mut stopped = false;
    let mut progress = |_: &tree_sitter::QueryCursorState| {
        let flow = watch.go_on();
        stopped |= flow.is_break();
        flow
    };
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(MATCH_LIMIT);
    let options = QueryCursorOptions::new().progress_callback(&mut progress);
    let mut matches =
        cursor.matches_with_options(query, tree.root_node(), Provider(source), options);
    while let Some(matched) = matches.next() {
        read(matched);
    }
    drop(matches);
    if stopped {
        Err(watch.stopped())
    } else {
        Ok(())
    }
}

/// What each capture of an outline query means.
struct Captures<'a> {
    query: &'a Query,
    meanings: Vec<Meaning>,
}

#[derive(Clone, Copy)]
enum Meaning {
    Definition(Kind),
    Name,
    Scope,
    Above,
    /// A capture for predicates only.
    Other,
}

impl Captures<'_> {
    fn of(query: &Query) -> Captures<'_> {
        let meaning = |name: &&str| match *name {
            "name" => Meaning::Name,
            "scope" => Meaning::Scope,
            "above" => Meaning::Above,
            name => name
                .strip_prefix("definition.")
                .and_then(Kind::parse)
                .map_or(Meaning::Other, Meaning::Definition),
        };
        Captures {
            query,
            meanings: query.capture_names().iter().map(meaning).collect(),
        }
    }

    fn read<S: Source + ?Sized>(
        &self,
        matched: &QueryMatch<'_, '_>,
        source: &S,
        found: &mut Vec<Captured>,
        above: &mut Vec<Lines>,
    ) {
        let mut definition: Option<(Kind, Node<'_>)> = None;
        let mut name: Option<Range<usize>> = None;
        let (mut line, mut column) = (0, 0);
        let mut scope = None;
        for capture in matched.captures() {
            let node = capture.node;
            match self.meanings[capture.index as usize] {
                Meaning::Definition(kind) => definition = Some((kind, node)),
                Meaning::Name => {
                    let range = node.byte_range();
                    name = Some(match name {
                        None => {
                            (line, column) =
                                (node.start_position().row, node.start_position().column);
                            range
                        }
                        Some(before) => before.start..range.end,
                    });
                }
                Meaning::Scope => scope = Some(source.text(node.byte_range())),
                Meaning::Above => {
                    if first_in_line(source, node.start_byte(), node.start_position().column)
                        .is_none()
                    {
                        above.push(lines_of(node));
                    }
                }
                Meaning::Other => {}
            }
        }
        if let (Some((kind, node)), Some(name)) = (definition, name) {
            // After a body, as in C: `typedef struct { … } point;`.
            if first_in_line(source, name.start, column) == Some(b'}') {
                line = node.start_position().row;
            }
            let pattern = matched.pattern_index;
            let strip = self.setting(pattern, "strip");
            let text = source.text(name.clone());
            let text = unquoted(&text);
            let found_one = Found {
                kind,
                name: text
                    .strip_prefix(strip.unwrap_or_default())
                    .unwrap_or(text)
                    .to_owned(),
                scope,
                name_start: name.start,
                bytes: node.byte_range(),
                lines: lines_of(node),
                line,
            };
            found.push(Captured {
                pattern,
                level: self
                    .setting(pattern, "level")
                    .and_then(|level| level.parse().ok()),
                found: found_one,
            });
        }
    }

    /// What a pattern sets: `(#set! level 1)`.
    fn setting(&self, pattern: usize, key: &str) -> Option<&str> {
        let mut settings = self.query.property_settings(pattern).iter();
        settings.find(|it| &*it.key == key)?.value.as_deref()
    }
}

/// Lets each definition that has a level reach to the next one of its level or above, or to the end.
fn reach_to_next_of_level<S: Source + ?Sized>(
    found: &mut [Captured],
    source: &S,
    last_line: usize,
) {
    let mut leveled: Vec<&mut Captured> =
        found.iter_mut().filter(|it| it.level.is_some()).collect();
    leveled.sort_by_key(|it| it.found.bytes.start);
    // From the end: for each level, where the next of it or of one above begins.
    let mut next: Vec<(u8, usize, usize)> = Vec::new();
    for it in leveled.into_iter().rev() {
        let level = it.level.unwrap_or_default();
        let start = (it.found.bytes.start, it.found.lines.start);
        let end = (next.iter().rev())
            .find(|(other, ..)| *other <= level)
            .map_or((source.len(), last_line + 1), |(_, byte, line)| {
                (*byte, *line)
            });
        next.retain(|(other, ..)| *other < level);
        next.push((level, start.0, start.1));
        it.found.bytes.end = end.0.max(it.found.bytes.end);
        it.found.lines.end = end.1.max(it.found.lines.end);
    }
}

/// A definition, the place of the pattern that found it, and its level if the pattern gives it one.
struct Captured {
    pattern: usize,
    level: Option<u8>,
    found: Found,
}

/// The first byte that is no blank in the line of an offset at a column, if it stands before it.
fn first_in_line<S: Source + ?Sized>(source: &S, offset: usize, column: usize) -> Option<u8> {
    let start = offset - column.min(offset);
    let mut at = start;
    while at < offset {
        let piece = source.piece(at);
        let piece = &piece[..piece.len().min(offset - at)];
        if let Some(byte) = piece.iter().find(|byte| !byte.is_ascii_whitespace()) {
            return Some(*byte);
        }
        at += piece.len().max(1);
    }
    None
}

/// The lines that a node touches; a line break at its end does not count.
fn lines_of(node: Node<'_>) -> Lines {
    let start = node.start_position().row;
    let end = node.end_position();
    let last = if end.column == 0 && end.row > start {
        end.row
    } else {
        end.row + 1
    };
    start..last
}

/// A name without the quotes around it.
fn unquoted(name: &str) -> &str {
    ["\"", "'", "`"]
        .iter()
        .find_map(|quote| name.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(name)
}
