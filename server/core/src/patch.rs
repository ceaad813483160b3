//! Patches in the V4A format: several files in one text, each place named by its lines instead of by numbers.
//!
//! Knows texts only: nothing of files, of the workspace, or of what a path leads to. [`Patch::parse`] reads the format,
//! [`place`] finds the place of each hunk in one text and makes the edit.
//!
//! # Grammar
//!
//! Lines end in LF or CRLF. `PATH`, `ANCHOR` and `TEXT` are the rest of their line; white space around a `PATH` and
//! behind an `ANCHOR` or a keyword does not count.
//!
//! ```text
//! patch    = [ heredoc ] [ "*** Begin Patch" ] section { section } "*** End Patch" [ WORD ]
//! heredoc  = [ "apply_patch" ] "<<" ( WORD | "'" WORD "'" | '"' WORD '"' )
//! section  = add | delete | update
//! add      = "*** Add File: " PATH { "+" TEXT }
//! delete   = "*** Delete File: " PATH
//! update   = "*** Update File: " PATH [ "*** Move to: " PATH ] { hunk }
//! hunk     = { anchor } { line } [ "*** End of File" ]
//! anchor   = "@@" [ " " ANCHOR ]
//! line     = " " TEXT            context: stands there and stays
//!          | "-" TEXT            goes
//!          | "+" TEXT            comes
//!          | TEXT                context without its leading space
//! ```
//!
//! - An anchor begins a hunk, so only the first hunk of a section may have none. Anchors on lines that follow each other
//!   are nested: the next one is looked for below the one before.
//! - An update has a hunk unless it moves the file, and a hunk has a line that goes or comes.
//! - An added file may have no lines; it is then empty.
//! - Each file has one section.
//! - Blank lines around the whole, between sections, and between hunks separate. Inside a hunk a blank line is a context
//!   line without its leading space.
//!
//! # What is tolerated
//!
//! - A missing `*** Begin Patch`, and the heredoc in which a shell would be given the patch. The closing word of the
//!   heredoc may be missing, as the patch's own end stands before it.
//! - A missing `*** End Patch` is not: the patch may have been cut off.
//! - An anchor without the end of its line, `fn main()` for `fn main() {`, if no line is the anchor as a whole.
//! - Context lines without the leading space, if each stands in the text just so; a line that begins with a space is
//!   read with and without it.
//! - Blank lines at the end of a hunk, which separate if they do not stand in the text.

mod anchor;
mod parse;
mod place;
mod search;

pub use parse::{ParseError, ParseFault};
pub use place::{Located, PlaceError, PlaceFault, Placed, place};

use alloc::vec::Vec;
use core::fmt;

/// A patch, read but not yet placed. It borrows the text that it was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch<'a> {
    /// One a file; at least one.
    pub sections: Vec<Section<'a>>,
}

/// What a patch does with one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section<'a> {
    /// The 1-based line of the patch on which it starts.
    pub line: usize,
    /// The file, as the patch names it.
    pub path: &'a str,
    /// What is done with it.
    pub operation: Operation<'a>,
}

/// What is done with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation<'a> {
    /// It is new and has these lines.
    Add(Vec<&'a str>),
    /// It is removed.
    Delete,
    /// It is changed, moved, or both.
    Update {
        /// Where its text is afterwards; none: where it was.
        move_to: Option<&'a str>,
        /// Its changes, in the order in which they are written.
        hunks: Vec<Hunk<'a>>,
    },
}

/// Lines of a file that change, and the lines around them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk<'a> {
    /// The 1-based line of the patch on which it starts.
    pub line: usize,
    /// Lines of the file below which it stands, outermost first.
    pub anchors: Vec<&'a str>,
    /// Its lines.
    pub lines: Vec<HunkLine<'a>>,
    /// Whether its last line is the last of the file.
    pub end_of_file: bool,
}

/// A line of a hunk, without its mark and its line break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HunkLine<'a> {
    /// Stands in the file and stays.
    Context(&'a str),
    /// The same, written without the leading space.
    Bare(&'a str),
    /// Stands in the file and goes.
    Removed(&'a str),
    /// Comes.
    Added(&'a str),
}

impl<'a> HunkLine<'a> {
    /// The line as it stands in the file before the patch; none, if it is new.
    pub fn old(&self) -> Option<&'a str> {
        match *self {
            Self::Context(text) | Self::Bare(text) | Self::Removed(text) => Some(text),
            Self::Added(_) => None,
        }
    }

    /// Whether it separates unless it stands in the file.
    fn is_blank_separator(&self) -> bool {
        matches!(self, Self::Bare(text) if text.trim().is_empty())
    }
}

/// The patch as it is written.
impl fmt::Display for Patch<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}", parse::BEGIN)?;
        for section in &self.sections {
            section.fmt(formatter)?;
        }
        writeln!(formatter, "{}", parse::END)
    }
}

impl fmt::Display for Section<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path;
        match &self.operation {
            Operation::Add(lines) => {
                writeln!(formatter, "{} {path}", parse::ADD)?;
                lines
                    .iter()
                    .try_for_each(|line| writeln!(formatter, "+{line}"))
            }
            Operation::Delete => writeln!(formatter, "{} {path}", parse::DELETE),
            Operation::Update { move_to, hunks } => {
                writeln!(formatter, "{} {path}", parse::UPDATE)?;
                if let Some(path) = move_to {
                    writeln!(formatter, "{} {path}", parse::MOVE)?;
                }
                hunks.iter().try_for_each(|hunk| hunk.fmt(formatter))
            }
        }
    }
}

impl fmt::Display for Hunk<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.anchors.is_empty() {
            writeln!(formatter, "@@")?;
        }
        for anchor in &self.anchors {
            writeln!(formatter, "@@ {anchor}")?;
        }
        for line in &self.lines {
            match line {
                HunkLine::Context(text) => writeln!(formatter, " {text}")?,
                HunkLine::Bare(text) => writeln!(formatter, "{text}")?,
                HunkLine::Removed(text) => writeln!(formatter, "-{text}")?,
                HunkLine::Added(text) => writeln!(formatter, "+{text}")?,
            }
        }
        if self.end_of_file {
            writeln!(formatter, "{}", parse::END_OF_FILE)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
