//! Finds the place of each hunk in one text and makes one edit of all of them.
//!
//! Every hunk is placed in the text as it is before the patch, so their order does not matter. Lines of the file that a
//! hunk keeps stay as the file has them, whatever the patch's version of them.
//!
//! A hunk whose lines all come has no lines to be found by: it goes directly below its anchor, or, without one or tied to
//! the end, at the end of the file.

use super::anchor::{self, Anchor};
use super::search::{self, Found, Unfound};
use super::{Hunk, HunkLine};
use crate::diff;
use crate::edit::{Edit, EditError, Replacement};
use crate::find::{Nearest, Rung};
use crate::position::{ByteRange, LineIndex, LineRange};
use crate::text::Snapshot;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use ropey::Rope;

/// What the hunks of a section make of a text.
#[derive(Debug, Clone)]
pub struct Placed {
    /// The change, for that text.
    pub edit: Edit,
    /// Whether the file ends in a newline afterwards: as it did, but for an empty one, which gains it with its first
    /// line, and for one that becomes empty.
    pub final_newline: bool,
    /// Where each hunk was found, in the order of the hunks.
    pub hunks: Vec<Located>,
}

/// Where a hunk was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Located {
    /// The 1-based line of the patch on which the hunk starts.
    pub hunk: usize,
    /// The lines of the text that the hunk names; none, a place between lines, if it only brings new ones.
    pub lines: LineRange,
    /// How they match.
    pub rung: Rung,
    /// Whether its context lines matched only as lines without the leading space.
    pub unmarked: bool,
}

/// A hunk has no single place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the hunk on line {hunk} of the patch {fault}")]
pub struct PlaceError {
    /// The 1-based line of the patch on which the hunk starts.
    pub hunk: usize,
    /// Why.
    pub fault: PlaceFault,
}

/// Why a hunk has no single place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlaceFault {
    /// An anchor stands nowhere, or not below the one before it.
    #[error(
        "is anchored to `{anchor}`, with which no line of the file begins, or none below the anchor before it"
    )]
    NoAnchor {
        /// The anchor.
        anchor: String,
        /// The line that was perhaps meant.
        like: Option<(LineIndex, String)>,
    },
    /// Its old lines stand nowhere, or only where its anchor or its end of file does not let it look.
    #[error("fits nowhere")]
    NoMatch {
        /// What comes closest.
        nearest: Option<Nearest>,
        /// Where the old lines start that stand before the anchor or not at the end of the file.
        elsewhere: Vec<LineIndex>,
    },
    /// It could stand in several places.
    #[error("fits in {} places", lines.len())]
    Ambiguous {
        /// Where each starts.
        lines: Vec<LineIndex>,
    },
    /// It changes lines that another hunk names, or inserts where another one does.
    #[error("meets the hunk on line {other} of the patch")]
    Overlap {
        /// The 1-based line of the patch on which the other hunk starts.
        other: usize,
        /// The lines of the text that this hunk names.
        lines: LineRange,
    },
    /// Its old lines stand at another depth in the text, and a new one has less indentation than would have to go.
    #[error("stands deeper than in the file, and not all of its new lines can be moved along")]
    Uneven {
        /// Where the old lines start.
        start: LineIndex,
    },
    /// The places make no edit.
    #[error("makes no edit: {0}")]
    NoEdit(#[from] EditError),
}

/// New lines in the place of old ones.
#[derive(Debug)]
struct Run {
    /// The lines of the text that go.
    lines: Range<usize>,
    /// What comes, each line with its line break.
    text: String,
}

/// A hunk at its place.
struct Footprint {
    located: Located,
    runs: Vec<Run>,
}

/// Places the hunks of one section in the text of its file. Without hunks nothing changes.
///
/// # Errors
/// [`PlaceError`], for the first hunk that has no single place, or that meets another one.
pub fn place(text: &Snapshot, hunks: &[Hunk<'_>]) -> Result<Placed, PlaceError> {
    let rope = text.rope();
    let total = line_count(text);
    let mut footprints = Vec::with_capacity(hunks.len());
    for hunk in hunks {
        let located = locate(rope, total, hunk).map_err(|fault| PlaceError {
            hunk: hunk.line,
            fault,
        });
        footprints.push(located?);
    }
    let hunks: Vec<Located> = footprints.iter().map(|it| it.located).collect();
    footprints.sort_by_key(|it| (it.located.lines.start, it.located.lines.end));
    check_overlaps(&footprints)?;
    let runs = footprints.into_iter().flat_map(|it| it.runs).collect();
    let runs = joined(runs);
    let gone: usize = runs.iter().map(|run| run.lines.len()).sum();
    let comes = runs.iter().any(|run| !run.text.is_empty());
    let final_newline = if comes {
        total == 0 || text.text().final_newline()
    } else {
        gone < total && text.text().final_newline()
    };
    let replacements = runs.iter().flat_map(|run| replacements(rope, total, run));
    let edit = Edit::new(text, replacements.collect()).map_err(|error| PlaceError {
        hunk: hunks.first().map_or(0, |it| it.hunk),
        fault: error.into(),
    })?;
    Ok(Placed {
        edit,
        final_newline,
        hunks,
    })
}

/// The lines of the file; an empty one has none, although its logical text has one.
fn line_count(text: &Snapshot) -> usize {
    if text.rope().len_bytes() <= 1 && !text.text().final_newline() {
        0
    } else {
        text.text().line_count()
    }
}

fn locate(rope: &Rope, total: usize, hunk: &Hunk<'_>) -> Result<Footprint, PlaceFault> {
    let anchors = anchor::find(rope, &hunk.anchors, total)?;
    let found = if hunk.lines.iter().all(|line| line.old().is_none()) {
        insertion(hunk, anchors.as_deref(), total)?
    } else {
        matched(rope, total, hunk, anchors.as_deref())?
    };
    let located = Located {
        hunk: hunk.line,
        lines: LineRange::new(found.start, found.start + found.height),
        rung: found.rung,
        unmarked: found.unmarked,
    };
    let runs = runs(hunk, &found)?;
    Ok(Footprint { located, runs })
}

/// The place of new lines that stand beside no old ones.
fn insertion(
    hunk: &Hunk<'_>,
    anchors: Option<&[Anchor]>,
    total: usize,
) -> Result<Found, PlaceFault> {
    match anchors {
        Some([only]) if !hunk.end_of_file => Ok(Found::between_lines(only.line + 1)),
        Some(several) if !hunk.end_of_file => Err(PlaceFault::Ambiguous {
            lines: several.iter().map(|it| LineIndex(it.line)).collect(),
        }),
        _ => Ok(Found::between_lines(total)),
    }
}

/// The place at which the old lines of a hunk stand.
fn matched(
    rope: &Rope,
    total: usize,
    hunk: &Hunk<'_>,
    anchors: Option<&[Anchor]>,
) -> Result<Found, PlaceFault> {
    let needle = search::Needle::of(hunk);
    let mut nearest = None;
    for starts in anchor::stages(anchors, total) {
        match needle.find(rope, total, &starts) {
            Ok(found) => return Ok(found),
            Err(Unfound::Several(lines)) => return Err(PlaceFault::Ambiguous { lines }),
            // The last stage looks at most of the file.
            Err(Unfound::Nowhere(region)) => nearest = region.or(nearest),
        }
    }
    let narrowed = anchors.is_some() || hunk.end_of_file;
    let elsewhere = if narrowed {
        needle.exact_anywhere(rope, total)
    } else {
        Vec::new()
    };
    Err(PlaceFault::NoMatch { nearest, elsewhere })
}

/// What a hunk changes where it was found.
fn runs(hunk: &Hunk<'_>, found: &Found) -> Result<Vec<Run>, PlaceFault> {
    let new = new_lines(hunk, found)?;
    let mut new = new.split('\n');
    let mut runs = Vec::new();
    let mut at = found.start;
    let mut run = Run {
        lines: at..at,
        text: String::new(),
    };
    let finished = |run: &Run| !run.lines.is_empty() || !run.text.is_empty();
    for line in &hunk.lines {
        match line {
            HunkLine::Removed(_) => {
                at += 1;
                run.lines.end = at;
            }
            HunkLine::Added(_) => {
                run.text.push_str(new.next().unwrap_or_default());
                run.text.push('\n');
            }
            HunkLine::Context(_) | HunkLine::Bare(_) => {
                // Blank lines at the end of the hunk may have matched nothing; nothing comes after them.
                new.next();
                at += 1;
                let next = Run {
                    lines: at..at,
                    text: String::new(),
                };
                let before = core::mem::replace(&mut run, next);
                runs.extend(finished(&before).then_some(before));
            }
        }
    }
    runs.extend(finished(&run).then_some(run));
    Ok(runs)
}

/// The lines of the hunk that stand in the text afterwards, kept ones included, at the depth of the lines there. The
/// kept ones show how deep the new ones are meant to stand.
fn new_lines(hunk: &Hunk<'_>, found: &Found) -> Result<String, PlaceFault> {
    let text = |line: &HunkLine<'_>| match *line {
        HunkLine::Context(text) | HunkLine::Bare(text) | HunkLine::Added(text) => {
            Some(alloc::format!("{text}\n"))
        }
        HunkLine::Removed(_) => None,
    };
    let lines: String = hunk.lines.iter().filter_map(text).collect();
    match found.fitted(&lines) {
        Some(fitted) => Ok(fitted.into_owned()),
        None => Err(PlaceFault::Uneven {
            start: LineIndex(found.start),
        }),
    }
}

/// Two hunks may share lines that both keep. `footprints` ascend.
fn check_overlaps(footprints: &[Footprint]) -> Result<(), PlaceError> {
    for (index, first) in footprints.iter().enumerate() {
        let end = first.located.lines.end;
        let near = footprints[index + 1..]
            .iter()
            .take_while(|it| it.located.lines.start <= end);
        for second in near {
            if meet(first, second) {
                return Err(PlaceError {
                    hunk: first.located.hunk.max(second.located.hunk),
                    fault: PlaceFault::Overlap {
                        other: first.located.hunk.min(second.located.hunk),
                        lines: second.located.lines,
                    },
                });
            }
        }
    }
    Ok(())
}

fn meet(first: &Footprint, second: &Footprint) -> bool {
    let changes_in = |changing: &Footprint, named: &Footprint| {
        let named = named.located.lines;
        changing
            .runs
            .iter()
            .any(|run| run.lines.start < named.end.0 && named.start.0 < run.lines.end)
    };
    let same_gap = |run: &Run| {
        run.lines.is_empty() && second.runs.iter().any(|other| other.lines == run.lines)
    };
    changes_in(first, second) || changes_in(second, first) || first.runs.iter().any(same_gap)
}

/// Runs that touch become one, so that their replacements stay disjoint when they are made small.
fn joined(mut runs: Vec<Run>) -> Vec<Run> {
    runs.sort_by_key(|run| (run.lines.start, run.lines.end));
    let mut joined: Vec<Run> = Vec::with_capacity(runs.len());
    for run in runs {
        match joined.last_mut() {
            Some(last) if last.lines.end == run.lines.start => {
                last.lines.end = run.lines.end;
                last.text.push_str(&run.text);
            }
            _ => joined.push(run),
        }
    }
    joined
}

/// The smallest replacements that do what a run does, none outside its lines.
fn replacements(rope: &Rope, total: usize, run: &Run) -> Vec<Replacement> {
    let bytes = if total == 0 {
        // The line of an empty file is none.
        0..rope.len_bytes()
    } else {
        LineRange::new(run.lines.start, run.lines.end)
            .bytes(rope)
            .to_range()
    };
    if bytes.is_empty() || run.text.is_empty() {
        return Vec::from([Replacement {
            range: ByteRange::new(bytes.start, bytes.end),
            text: run.text.clone(),
        }]);
    }
    let old = Rope::from(rope.byte_slice(bytes.clone()));
    let mut smallest = diff::replacements(&old, &Rope::from_str(&run.text));
    for replacement in &mut smallest {
        replacement.range.start.0 += bytes.start;
        replacement.range.end.0 += bytes.start;
    }
    smallest
}
