//! One uniform shift of indentation: how the lines of a needle stand deeper or less deep than the lines that they
//! match, and what that makes of new lines.
//!
//! Knows indentation only: the spaces and tabs at a line's start.

use alloc::borrow::{Cow, ToOwned};
use alloc::format;
use alloc::string::String;

/// Widths that a tab may have.
const WIDTHS: [usize; 4] = [2, 3, 4, 8];

/// A shift that is the same on every line that is not blank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shift {
    kind: Kind,
    /// The depth of the first line, of the last, and of the one that is least deep.
    depths: [Depth; 3],
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    /// The file has this before what the needle has.
    Added(String),
    /// The needle has this before what the file has.
    Removed(String),
    /// The file has a tab for so many spaces of the needle.
    ToTabs(usize),
    /// The file has so many spaces for a tab of the needle.
    ToSpaces(usize),
}

/// The indentation of one line on both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Depth {
    needle: String,
    file: String,
}

impl Shift {
    /// The shift between the lines of a needle and those of a file, in pairs that are equal but for their indentation.
    /// None if they are not shifted alike, or not at all.
    pub(super) fn between<'a>(
        pairs: impl Iterator<Item = (&'a str, &'a str)> + Clone,
    ) -> Option<Self> {
        let depths = pairs
            .filter(|(needle, _)| !is_blank(needle))
            .map(|(needle, file)| (indentation(needle), indentation(file)));
        let differing = depths.clone().find(|(needle, file)| needle != file)?;
        let kind = Kind::of(differing.0, differing.1)?;
        if !depths
            .clone()
            .all(|(needle, file)| kind.leads(needle, file))
        {
            return None;
        }
        let owned = |(needle, file): (&str, &str)| Depth {
            needle: needle.to_owned(),
            file: file.to_owned(),
        };
        let shallowest = depths.clone().min_by_key(|(needle, _)| needle.len())?;
        Some(Self {
            kind,
            depths: [
                owned(depths.clone().next()?),
                owned(depths.last()?),
                owned(shallowest),
            ],
        })
    }

    /// A line of new text at the file's depth, if it is given at the needle's. Blank lines stay as they are. None if
    /// it has less indentation than would have to go.
    pub fn line<'a>(&self, line: &'a str) -> Option<Cow<'a, str>> {
        if is_blank(line) {
            return Some(Cow::Borrowed(line));
        }
        let indentation = indentation(line);
        let rest = &line[indentation.len()..];
        match &self.kind {
            Kind::Added(prefix) => Some(Cow::Owned(prefix.clone() + line)),
            Kind::Removed(prefix) => line.strip_prefix(prefix.as_str()).map(Cow::Borrowed),
            Kind::ToTabs(width) => Some(Cow::Owned(to_tabs(indentation, *width) + rest)),
            Kind::ToSpaces(width) => Some(Cow::Owned(to_spaces(indentation, *width) + rest)),
        }
    }

    /// New text at the file's depth. It is shifted as the needle is, unless it already stands there: that is told by
    /// its first line, else by its last, else by the one that is least deep. None if a line has less indentation
    /// than would have to go.
    pub fn text<'a>(&self, new: &'a str) -> Option<Cow<'a, str>> {
        if self.stands_in_place(new) {
            return Some(Cow::Borrowed(new));
        }
        let mut shifted = String::with_capacity(new.len());
        for line in new.split_inclusive('\n') {
            shifted.push_str(&self.line(line)?);
        }
        Some(Cow::Owned(shifted))
    }

    fn stands_in_place(&self, new: &str) -> bool {
        let depths = (new.split('\n').filter(|line| !is_blank(line))).map(indentation);
        let (first, last) = (depths.clone().next(), depths.clone().next_back());
        let shallowest = depths.min_by_key(|depth| depth.len());
        for (depth, known) in [first, last, shallowest].into_iter().zip(&self.depths) {
            match depth {
                _ if known.file == known.needle => {}
                Some(depth) if *depth == known.file => return true,
                Some(depth) if *depth == known.needle => return false,
                _ => {}
            }
        }
        false
    }
}

impl Kind {
    /// What makes a file's indentation of a needle's, which differs.
    fn of(needle: &str, file: &str) -> Option<Self> {
        if let Some(prefix) = file.strip_suffix(needle) {
            return Some(Self::Added(prefix.to_owned()));
        }
        if let Some(prefix) = needle.strip_suffix(file) {
            return Some(Self::Removed(prefix.to_owned()));
        }
        if let Some(width) = tab_width(file, needle) {
            return Some(Self::ToTabs(width));
        }
        tab_width(needle, file).map(Self::ToSpaces)
    }

    fn leads(&self, needle: &str, file: &str) -> bool {
        match self {
            Self::Added(prefix) => file.strip_suffix(needle) == Some(prefix),
            Self::Removed(prefix) => needle.strip_suffix(file) == Some(prefix),
            Self::ToTabs(width) => to_tabs(needle, *width) == file,
            Self::ToSpaces(width) => to_spaces(needle, *width) == file,
        }
    }
}

/// How many spaces stand for a tab, if the one indentation has tabs and the other spaces in their place.
fn tab_width(tabs: &str, spaces: &str) -> Option<usize> {
    let rest = tabs.trim_start_matches('\t');
    let count = tabs.len() - rest.len();
    if count == 0 || rest.contains('\t') || spaces.contains('\t') {
        return None;
    }
    let width = spaces.len().checked_sub(rest.len())? / count;
    (WIDTHS.contains(&width) && width * count + rest.len() == spaces.len()).then_some(width)
}

/// Indentation of spaces with tabs in their place; any other stays.
fn to_tabs(indentation: &str, width: usize) -> String {
    if indentation.contains('\t') {
        return indentation.to_owned();
    }
    let mut tabs = "\t".repeat(indentation.len() / width);
    tabs.push_str(&indentation[..indentation.len() % width]);
    tabs
}

fn to_spaces(indentation: &str, width: usize) -> String {
    indentation.replace('\t', &" ".repeat(width))
}

/// The spaces and tabs at a line's start.
fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// A line without its indentation and the white space at its end. Other white space at its start, such as a no-break
/// space or a form feed, is text: it would be lost with a shift.
pub(super) fn without_indentation(line: &str) -> &str {
    line[indentation(line).len()..].trim_end()
}

/// Whether a line holds white space only.
pub(super) fn is_blank(line: &str) -> bool {
    line.trim_start().is_empty()
}

/// The indentation of a line in words.
pub(super) fn depth(line: &str) -> String {
    let indentation = indentation(line);
    let tabs = indentation.matches('\t').count();
    let spaces = indentation.len() - tabs;
    let count = |count: usize, one: &str| match count {
        1 => format!("1 {one}"),
        _ => format!("{count} {one}s"),
    };
    match (tabs, spaces) {
        (0, 0) => String::from("nothing"),
        (0, _) => count(spaces, "space"),
        (_, 0) => count(tabs, "tab"),
        _ => format!("{} and {}", count(tabs, "tab"), count(spaces, "space")),
    }
}
