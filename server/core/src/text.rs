//! Logical text: what an editor's buffer and a file on disk have in common, with the wire form kept beside it.
//!
//! The logical text of a wire text is: one leading U+FEFF dropped; an LF appended if it does not end in one (so that
//! `""` becomes `"\n"`); each CRLF replaced by LF in one pass. Any other CR is an ordinary character. Hashes, matches
//! and edits speak of logical text only; the BOM, each line's own ending and the missing final newline are remembered,
//! so that the wire form comes back exactly.

mod change;

pub use change::ChangeError;

use crate::edit::Replacement;
use crate::hash::ContentHash;
use crate::position::{ByteRange, LineIndex, PositionEncoding};
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use core::fmt;
use once_cell::race::OnceBox;
use ropey::Rope;

const BOM: char = '\u{feff}';

/// How a line ends in the wire form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineEnding {
    /// `\n`
    Lf,
    /// `\r\n`
    CrLf,
}

impl LineEnding {
    /// As text.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
        }
    }

    /// Its mark in [`LineEndings::Mixed`].
    fn mark(self) -> char {
        match self {
            Self::Lf => 'l',
            Self::CrLf => 'c',
        }
    }

    fn of_mark(mark: u8) -> Self {
        if mark == b'c' { Self::CrLf } else { Self::Lf }
    }
}

/// The line endings of a text.
#[derive(Debug, Clone, PartialEq)]
pub enum LineEndings {
    /// Every line ends so.
    Uniform(LineEnding),
    /// Each line has its own: one ASCII byte a line, `l` for LF, `c` for CRLF.
    Mixed(Rope),
}

/// How the wire form ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// With the last line's ending.
    Newline,
    /// Without one.
    Missing,
    /// With a CR to which the logical text adds its LF.
    MissingAfterCr,
}

/// A logical text with what its wire form needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    /// Always ends in LF.
    rope: Rope,
    endings: LineEndings,
    bom: bool,
    end: End,
}

/// A piece of wire text in logical form.
struct Piece {
    logical: String,
    endings: PieceEndings,
    end: End,
}

/// The endings of a piece: all of one kind, or a mark for each line.
enum PieceEndings {
    Uniform(LineEnding),
    Mixed(String),
}

impl Text {
    /// Reads the wire form.
    pub fn decode(wire: &str) -> Self {
        let text = wire.strip_prefix(BOM).unwrap_or(wire);
        let bom = text.len() != wire.len();
        if memchr::memchr(b'\r', text.as_bytes()).is_none() && text.ends_with('\n') {
            return Self {
                rope: Rope::from_str(text),
                endings: LineEndings::Uniform(LineEnding::Lf),
                bom,
                end: End::Newline,
            };
        }
        let piece = Piece::decode(text, LineEnding::Lf);
        Self {
            rope: Rope::from_str(&piece.logical),
            endings: match piece.endings {
                PieceEndings::Uniform(ending) => LineEndings::Uniform(ending),
                PieceEndings::Mixed(marks) => LineEndings::Mixed(Rope::from_str(&marks)),
            },
            bom,
            end: piece.end,
        }
    }

    /// The wire form.
    pub fn wire(&self) -> String {
        let mut wire = String::with_capacity(self.rope.len_bytes() + 3);
        if self.bom {
            wire.push(BOM);
        }
        if self.is_wire_but_for_bom() {
            wire.extend(self.rope.chunks());
        } else {
            self.push_wire_lines(0, self.line_count(), &mut wire);
        }
        wire
    }

    /// The wire form in pieces, one after the other. Of a text without BOM whose lines end in LF, nothing is copied.
    pub fn wire_pieces(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let whole = self.bom || !self.is_wire_but_for_bom();
        let copied = whole.then(|| Cow::Owned(self.wire()));
        let chunks = (!whole).then(|| self.rope.chunks().map(Cow::Borrowed));
        copied.into_iter().chain(chunks.into_iter().flatten())
    }

    fn is_wire_but_for_bom(&self) -> bool {
        self.end == End::Newline && matches!(self.endings, LineEndings::Uniform(LineEnding::Lf))
    }

    /// The logical text.
    pub fn rope(&self) -> &Rope {
        &self.rope
    }

    /// How its lines end in the wire form.
    pub fn endings(&self) -> &LineEndings {
        &self.endings
    }

    /// How one line ends in the wire form. The last line has one even where the wire form lacks it.
    pub fn ending(&self, line: usize) -> LineEnding {
        match &self.endings {
            LineEndings::Uniform(ending) => *ending,
            LineEndings::Mixed(marks) if line < marks.len_bytes() => {
                LineEnding::of_mark(marks.byte(line))
            }
            LineEndings::Mixed(_) => LineEnding::Lf,
        }
    }

    /// Whether the wire form begins with U+FEFF.
    pub fn bom(&self) -> bool {
        self.bom
    }

    /// By how many code units the BOM shifts the columns of a line in the wire form.
    pub(crate) fn bom_units(&self, line: LineIndex, encoding: PositionEncoding) -> u32 {
        match encoding {
            _ if !self.bom || line.0 > 0 => 0,
            PositionEncoding::Utf8 => 3,
            PositionEncoding::Utf16 | PositionEncoding::Utf32 => 1,
        }
    }

    /// Whether the wire form ends in a newline.
    pub fn final_newline(&self) -> bool {
        self.end == End::Newline
    }

    /// The same text with or without a newline at the end of its wire form.
    pub fn with_final_newline(mut self, final_newline: bool) -> Self {
        self.end = match (final_newline, self.end) {
            (true, _) => End::Newline,
            (false, End::Newline) => End::Missing,
            (false, end) => end,
        };
        self.settle_end();
        self
    }

    /// Without a final newline the last line cannot be empty, for its absence would be the newline of the line before;
    /// and a CR at its end would be read as a part of the newline that is not there, so it has another behind it.
    fn settle_end(&mut self) {
        if self.end != End::Missing {
            return;
        }
        let count = self.line_count();
        let last = self.rope.line(count - 1);
        let length = last.len_bytes();
        if length == 1 && count > 1 {
            self.end = End::Newline;
        } else if length > 1 && last.byte(length - 2) == b'\r' {
            self.end = End::MissingAfterCr;
        }
    }

    /// How many lines it has; at least one.
    pub fn line_count(&self) -> usize {
        self.rope.len_lines() - 1
    }

    /// The text after replacements that are sorted, disjoint, in bounds, and leave an LF at the end. Untouched lines
    /// keep their endings, new lines get the ending of the line that they follow.
    pub(crate) fn replaced(&self, replacements: &[Replacement]) -> Self {
        let mut text = self.clone();
        for Replacement { range, text: new } in replacements.iter().rev() {
            let start = text.rope.byte_to_char(range.start.0);
            let end = text.rope.byte_to_char(range.end.0);
            let mark = text.ending_of_new_lines(range).mark();
            if let LineEndings::Mixed(marks) = &mut text.endings {
                let at = text.rope.char_to_line(start);
                let gone = text.rope.char_to_line(end) - at;
                let came: String = new.chars().filter(|it| *it == '\n').map(|_| mark).collect();
                marks.remove(at..(at + gone).min(marks.len_chars()));
                marks.insert(at.min(marks.len_chars()), &came);
            }
            text.rope.remove(start..end);
            text.rope.insert(start, new);
        }
        text.settle_end();
        text
    }

    /// How lines end in the wire form that a replacement of `range` brings: like the line that they follow, or like the
    /// one that they replace.
    pub(crate) fn ending_of_new_lines(&self, range: &ByteRange) -> LineEnding {
        let line = self.rope.byte_to_line(range.start.0);
        let follows = range.is_empty() && self.rope.line_to_byte(line) == range.start.0;
        self.ending(line - usize::from(follows && line > 0))
    }

    /// Appends the wire form of the lines `first..last`.
    fn push_wire_lines(&self, first: usize, last: usize, wire: &mut String) {
        let count = self.line_count();
        for line in first..last {
            let slice = self.rope.line(line);
            wire.extend(slice.byte_slice(..slice.len_bytes() - 1).chunks());
            wire.push_str(if line + 1 == count {
                self.tail()
            } else {
                self.ending(line).as_str()
            });
        }
    }

    /// What stands in the wire form for the last LF.
    pub(crate) fn tail(&self) -> &'static str {
        match self.end {
            End::Newline => self.ending(self.line_count() - 1).as_str(),
            End::Missing => "",
            End::MissingAfterCr => "\r",
        }
    }
}

impl Piece {
    /// Reads a piece of wire text that begins at a line's start. A last line without newline counts as ending like
    /// the line before it, or like `default`.
    fn decode(wire: &str, default: LineEnding) -> Self {
        let mut logical = String::with_capacity(wire.len() + 1);
        let mut marks = String::new();
        let mut crlf = 0;
        let mut rest = wire;
        while let Some(at) = memchr::memchr(b'\n', rest.as_bytes()) {
            let line = &rest[..at];
            rest = &rest[at + 1..];
            let ending = match line.strip_suffix('\r') {
                Some(line) => {
                    crlf += 1;
                    logical.push_str(line);
                    LineEnding::CrLf
                }
                None => {
                    logical.push_str(line);
                    LineEnding::Lf
                }
            };
            logical.push('\n');
            marks.push(ending.mark());
        }
        let mut lines = marks.len();
        let end = if rest.is_empty() && lines > 0 {
            End::Newline
        } else {
            let line = rest.strip_suffix('\r').unwrap_or(rest);
            logical.push_str(line);
            logical.push('\n');
            if line.len() == rest.len() {
                let last = marks.bytes().next_back();
                marks.push(last.map_or(default, LineEnding::of_mark).mark());
                End::Missing
            } else {
                // The CR is half of the line break that is missing.
                marks.push(LineEnding::CrLf.mark());
                lines += 1;
                crlf += 1;
                End::MissingAfterCr
            }
        };
        let endings = match (lines, crlf) {
            (0, _) => PieceEndings::Uniform(default),
            (_, 0) => PieceEndings::Uniform(LineEnding::Lf),
            (lines, crlf) if lines == crlf => PieceEndings::Uniform(LineEnding::CrLf),
            _ => PieceEndings::Mixed(marks),
        };
        Self {
            logical,
            endings,
            end,
        }
    }
}

/// An immutable text: cheap to clone, and hashed at most once.
#[derive(Clone)]
pub struct Snapshot(Arc<Shared>);

struct Shared {
    text: Text,
    hash: OnceBox<ContentHash>,
}

impl Snapshot {
    /// A snapshot of a text.
    pub fn new(text: Text) -> Self {
        Self(Arc::new(Shared {
            text,
            hash: OnceBox::new(),
        }))
    }

    /// A snapshot of a text in wire form.
    pub fn decode(wire: &str) -> Self {
        Self::new(Text::decode(wire))
    }

    /// The text.
    pub fn text(&self) -> &Text {
        &self.0.text
    }

    /// The logical text.
    pub fn rope(&self) -> &Rope {
        self.0.text.rope()
    }

    /// The hash of the logical text; computed when it is first asked for.
    pub fn hash(&self) -> ContentHash {
        *self
            .0
            .hash
            .get_or_init(|| Box::new(ContentHash::of_rope(self.rope())))
    }

    /// Whether both are clones of one snapshot; two others may still hold equal texts.
    pub fn ptr_eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Snapshot")
            .field("lines", &self.0.text.line_count())
            .field("bytes", &self.rope().len_bytes())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
