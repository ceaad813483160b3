//! Definitions by name over many files. What is known is taken as it is; of the rest, files are read, and parsed only
//! if the name stands in them. Knows no tool, and no order of files but that of the list.
//!
//! A name that only has the letters of what is asked for in their order can be told from none by a search for the
//! name. So such names are looked for last, if the better ones are not enough, and only for a time.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use mewcode_core::outline::{Definition, Kind, Outline, Pattern, Rank};
use tokio_util::sync::CancellationToken;
use tree_sitter::Parser;

use super::Symbols;
use super::closed::{self, Known, Probes};
use super::language::{Language, may_be_script};
use super::parse::{MAX_BYTES, Unparsed};
use super::words::has_word_with;
use crate::permission::Unread;
use crate::search::{File, Listing, Problem, SearchError, in_parts_with};

/// Files that are looked up between two looks at whether to go on.
const FILES_PER_PART: usize = 256;

/// Files that are read and perhaps parsed between two such looks.
const READS_PER_PART: usize = 16;

/// How long names that only have the letters are looked for in files that are not known yet: when nothing better was
/// found, and when something was.
const LAST_RESORT: Duration = Duration::from_secs(20);
const AFTERTHOUGHT: Duration = Duration::from_secs(2);

/// What is looked for.
pub(crate) struct Wanted {
    /// The name as a whole, and what it is if it is qualified.
    plain: Pattern,
    qualified: Option<Pattern>,
    kind: Option<Kind>,
    /// How many definitions must be known, the best first.
    pub(crate) count: usize,
}

impl Wanted {
    pub(crate) fn new(name: &str, kind: Option<Kind>, count: usize) -> Wanted {
        let qualified = Pattern::qualified(name);
        Wanted {
            plain: Pattern::plain(name),
            qualified: (qualified.name() != name).then_some(qualified),
            kind,
            count,
        }
    }

    /// What the definition is called, without what qualifies it.
    fn last_name(&self) -> &Pattern {
        self.qualified.as_ref().unwrap_or(&self.plain)
    }

    /// The definitions of an outline that fit, and how well.
    pub(super) fn among<'a>(
        &'a self,
        outline: &'a Outline,
        path: &'a str,
    ) -> impl Iterator<Item = (Definition<'a>, Rank)> {
        let qualified = self.qualified.iter().flat_map(move |pattern| {
            let fitting = outline.ranked(pattern);
            fitting.filter(move |(definition, _)| pattern.fits_place(definition, path))
        });
        let kind = move |(definition, _): &(Definition<'_>, Rank)| {
            self.kind.is_none_or(|kind| definition.kind() == kind)
        };
        outline.ranked(&self.plain).chain(qualified).filter(kind)
    }
}

/// A definition that was found.
#[derive(Clone, Debug)]
pub(crate) struct Hit {
    /// The index of its file in the listing.
    pub(crate) file: usize,
    /// Its place in its outline.
    pub(crate) definition: usize,
    pub(crate) rank: Rank,
}

/// What was found.
#[derive(Default)]
pub(crate) struct Finds {
    /// Per file with hits, in the order of the listing: its index, its outline, and its hits.
    pub(crate) files: Vec<(usize, Arc<Outline>, Vec<Hit>)>,
    /// How many files have a language that is known.
    pub(crate) looked_at: usize,
    /// Files that may hold more.
    pub(crate) problems: Vec<Problem>,
    /// In how many files names that only have the letters were not looked for.
    pub(crate) not_searched: usize,
    /// Files that are not known yet.
    unknown: Vec<usize>,
}

/// What one part of the work found.
#[derive(Default)]
struct Part {
    files: Vec<(usize, Arc<Outline>, Vec<Hit>)>,
    looked_at: usize,
    problems: Vec<Problem>,
    unknown: Vec<usize>,
    /// Files for which there was no time.
    late: usize,
}

impl Symbols {
    /// Finds the definitions that fit in the files of a listing.
    ///
    /// # Errors
    ///
    /// `Cancelled` soon after `cancel` is triggered.
    pub(crate) fn find(
        &self,
        listing: &Listing,
        wanted: &Wanted,
        unread: &Unread,
        threads: usize,
        cancel: &CancellationToken,
    ) -> Result<Finds, SearchError> {
        self.closed.begin_search();
        let job = Job {
            symbols: self,
            listing,
            wanted,
            unread,
            threads,
            cancel,
        };
        let mut finds = Finds::default();
        finds.add(job.look_up_all()?);
        let literal = literal(wanted.last_name().name())?;
        let holds_it = |bytes: &[u8], _: &Path| literal.is_match(bytes).unwrap_or(true);
        let unknown = std::mem::take(&mut finds.unknown);
        finds.add(job.read_all(&unknown, None, &holds_it)?);
        let direct = finds.count_direct();
        if direct >= wanted.count {
            finds.drop_subsequences();
            return Ok(finds);
        }
        let time = if direct == 0 {
            LAST_RESORT
        } else {
            AFTERTHOUGHT
        };
        let lower = wanted.last_name().lower();
        let has_letters = |bytes: &[u8], path: &Path| {
            let words = Language::of_name(path).is_none_or(Language::names_are_words);
            has_word_with(bytes, lower, words)
        };
        let unknown = std::mem::take(&mut finds.unknown);
        finds.add(job.read_all(&unknown, Some(Instant::now() + time), &has_letters)?);
        Ok(finds)
    }
}

/// One search.
struct Job<'a> {
    symbols: &'a Symbols,
    listing: &'a Listing,
    wanted: &'a Wanted,
    unread: &'a Unread,
    threads: usize,
    cancel: &'a CancellationToken,
}

/// What a thread uses again and again.
#[derive(Default)]
struct Reader {
    buffer: Vec<u8>,
    parser: Parser,
}

/// Whether the bytes of the file at a path may hold what is looked for.
type Fits<'a> = &'a (dyn Fn(&[u8], &Path) -> bool + Sync);

impl Job<'_> {
    /// Takes what is known of all files.
    fn look_up_all(&self) -> Result<Vec<Part>, SearchError> {
        let count = self.listing.len();
        in_parts_with(
            count,
            FILES_PER_PART,
            self.threads,
            self.cancel,
            Probes::default,
            |probes, range| {
                let mut part = Part::default();
                for index in range {
                    self.look_up(index, probes, &mut part);
                }
                part
            },
        )
    }

    fn look_up(&self, index: usize, probes: &mut Probes, part: &mut Part) {
        let file = self.listing.file(index);
        let path = file.real();
        let language = Language::of_name(&path);
        if language.is_none() && !may_be_script(&path) || self.unread.contains(&path) {
            return;
        }
        part.looked_at += usize::from(language.is_some());
        let outline = match file.buffer() {
            Some(Ok(snapshot)) => self.symbols.outline(&path, snapshot, self.cancel),
            Some(Err(error)) => Err(Unparsed::Unreadable(error.message.clone())),
            None => {
                // Else it was removed since it was listed.
                let Some(stamp) = probes.stamp(&file, &path) else {
                    return;
                };
                match self.symbols.closed.known(&path, &stamp) {
                    Known::Outline(outline) => outline,
                    Known::Nothing if stamp.size() > MAX_BYTES as u64 => Err(Unparsed::TooLarge),
                    Known::Nothing => {
                        part.unknown.push(index);
                        return;
                    }
                }
            }
        };
        part.take(outline, file, index, self.wanted);
    }

    /// Reads files that are not known, and parses those that fit, as long as there is time.
    fn read_all(
        &self,
        files: &[usize],
        until: Option<Instant>,
        fits: Fits<'_>,
    ) -> Result<Vec<Part>, SearchError> {
        let count = files.len();
        in_parts_with(
            count,
            READS_PER_PART,
            self.threads,
            self.cancel,
            Reader::default,
            |reader, range| {
                let mut part = Part::default();
                for index in &files[range] {
                    if self.cancel.is_cancelled() {
                        break;
                    }
                    if until.is_some_and(|until| Instant::now() > until) {
                        part.unknown.push(*index);
                        part.late += 1;
                    } else {
                        self.read(*index, reader, fits, &mut part);
                    }
                }
                part
            },
        )
    }

    /// Whether the name would stand in these bytes as it is written.
    fn stands_in(&self, bytes: &[u8]) -> bool {
        let wide = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
        let ascii = self.wanted.last_name().name().is_ascii();
        !wide && (ascii || std::str::from_utf8(bytes).is_ok())
    }

    fn read(&self, index: usize, reader: &mut Reader, fits: Fits<'_>, part: &mut Part) {
        let file = self.listing.file(index);
        let path = file.real();
        let Reader { buffer, parser } = reader;
        let outline = match closed::read_into(&path, buffer) {
            Ok(_) if self.stands_in(buffer) && !fits(buffer, &path) => {
                part.unknown.push(index);
                return;
            }
            Ok(stamp) => self
                .symbols
                .closed
                .take(&path, stamp, buffer, parser, self.cancel),
            Err(unparsed) => Err(unparsed),
        };
        part.take(outline, file, index, self.wanted);
    }
}

impl Part {
    fn take(
        &mut self,
        outline: Result<Arc<Outline>, Unparsed>,
        file: File<'_>,
        index: usize,
        wanted: &Wanted,
    ) {
        match outline {
            Ok(outline) => {
                let path = match wanted.qualified {
                    Some(_) => file.display(),
                    None => String::new(),
                };
                let hit = |(definition, rank): (Definition<'_>, Rank)| Hit {
                    file: index,
                    definition: definition.index(),
                    rank,
                };
                let mut hits: Vec<Hit> = wanted.among(&outline, &path).map(hit).collect();
                // A definition may be what is asked for as a whole and as a qualified name.
                hits.sort_by_key(|hit| (hit.definition, hit.rank));
                hits.dedup_by_key(|hit| hit.definition);
                if !hits.is_empty() {
                    self.files.push((index, outline, hits));
                }
            }
            // A file without a known language is none that was looked for.
            Err(Unparsed::UnknownLanguage | Unparsed::NotText | Unparsed::Cancelled) => {}
            Err(unparsed) => {
                self.problems.push(Problem {
                    display: file.display(),
                    reason: unparsed.to_string(),
                });
            }
        }
    }
}

impl Finds {
    fn add(&mut self, parts: Vec<Part>) {
        for part in parts {
            self.files.extend(part.files);
            self.looked_at += part.looked_at;
            self.problems.extend(part.problems);
            self.unknown.extend(part.unknown);
            self.not_searched += part.late;
        }
        self.files.sort_by_key(|(index, ..)| *index);
    }

    /// The files of the listing that could not be told from what is known, nor had to be parsed.
    pub(crate) fn into_unknown(self) -> Vec<usize> {
        self.unknown
    }

    /// How many hits hold the name itself.
    fn count_direct(&self) -> usize {
        let hits = self.files.iter().flat_map(|(.., hits)| hits);
        hits.filter(|hit| hit.rank <= Rank::Part).count()
    }

    /// Leaves those out that only have the letters: they were not looked for everywhere.
    fn drop_subsequences(&mut self) {
        for (.., hits) in &mut self.files {
            hits.retain(|hit| hit.rank <= Rank::Part);
        }
        self.files.retain(|(.., hits)| !hits.is_empty());
    }
}

/// What finds a name in a file's bytes, in whatever case it stands there. Of several words the longest: there may be
/// more than a blank between them.
fn literal(name: &str) -> Result<RegexMatcher, SearchError> {
    let word = name
        .split_whitespace()
        .max_by_key(|word| word.len())
        .unwrap_or(name);
    RegexMatcherBuilder::new()
        .case_insensitive(true)
        .fixed_strings(true)
        .build(word)
        .map_err(|error| {
            let message = format!("the name cannot be searched for: {error}");
            SearchError::Failed(crate::ToolError::invalid_arguments(message))
        })
}
