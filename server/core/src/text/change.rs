//! One incremental change of a text, as the Language Server Protocol tells it: addressed to the wire form.

use super::{BOM, End, LineEnding, LineEndings, Piece, PieceEndings, Text};
use crate::position::{ByteOffset, Column, Position, PositionEncoding, locate};
use alloc::string::String;
use core::ops::Range;
use ropey::Rope;

/// A change that cannot be applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ChangeError {
    /// The range ends before it starts.
    #[error(
        "a change ends at line {}, column {} before it starts at line {}, column {}",
        end.line.0, end.column.0, start.line.0, start.column.0
    )]
    Reversed {
        /// Where it starts.
        start: Position,
        /// Where it ends.
        end: Position,
    },
}

impl Text {
    /// Replaces `range` of the wire form by `new`. Columns may point at the CR of a CRLF or behind it; the empty line
    /// after a final newline has an address; a BOM that the client sent counts in the columns of the first line; what lies past a line or past the text is its end.
    ///
    /// Costs what is touched, never what the text holds.
    ///
    /// # Errors
    /// [`ChangeError::Reversed`]; the text is unchanged then.
    pub fn apply_change(
        &mut self,
        range: Range<Position>,
        new: &str,
        encoding: PositionEncoding,
    ) -> Result<(), ChangeError> {
        if range.start > range.end {
            return Err(ChangeError::Reversed {
                start: range.start,
                end: range.end,
            });
        }
        if self.concerns_bom(&range, new, encoding) {
            // Rare enough for the whole text to be read again.
            let mut wire = self.wire();
            let start = wire_offset(&wire, range.start, 0, encoding);
            let end = wire_offset(&wire, range.end, 0, encoding).max(start);
            wire.replace_range(start..end, new);
            *self = Self::decode(&wire);
            return Ok(());
        }
        let range = self.without_bom(range.start, encoding)..self.without_bom(range.end, encoding);
        match self.plain_range(&range, new, encoding) {
            Some(bytes) => {
                let start = self.rope.byte_to_char(bytes.start);
                if bytes.end > bytes.start {
                    let end = self.rope.byte_to_char(bytes.end);
                    self.rope.remove(start..end);
                }
                if !new.is_empty() {
                    self.rope.insert(start, new);
                }
            }
            None => self.change_wire_lines(&range, new, encoding),
        }
        Ok(())
    }

    /// Whether a change takes the BOM away, moves it, or makes one.
    fn concerns_bom(&self, range: &Range<Position>, new: &str, encoding: PositionEncoding) -> bool {
        let Position { line, column } = range.start;
        let at_start = match self.bom_units(line, encoding) {
            0 => line.0 == 0 && locate(&self.rope, range.start, encoding).0 == ByteOffset(0),
            units => column.0 < units,
        };
        if !at_start {
            return false;
        }
        let uncovers = || {
            let (ByteOffset(end), _) = locate(&self.rope, range.end, encoding);
            self.rope.byte_slice(end..).chars().next() == Some(BOM)
        };
        self.bom || new.starts_with(BOM) || (new.is_empty() && uncovers())
    }

    /// A position of the wire form, whose first line begins with the BOM, in the logical text.
    fn without_bom(&self, position: Position, encoding: PositionEncoding) -> Position {
        let column = position
            .column
            .0
            .saturating_sub(self.bom_units(position.line, encoding));
        Position {
            line: position.line,
            column: Column(column),
        }
    }

    /// The bytes to replace, if the change concerns neither a CR nor the end of the text, so that wire form and
    /// logical text change alike.
    fn plain_range(
        &self,
        range: &Range<Position>,
        new: &str,
        encoding: PositionEncoding,
    ) -> Option<Range<usize>> {
        let LineEndings::Uniform(ending) = self.endings else {
            return None;
        };
        let one_line = range.start.line == range.end.line;
        // A last line without newline may come to be empty, and is none then.
        let lines = self.line_count() - usize::from(self.end != End::Newline);
        if memchr::memchr(b'\r', new.as_bytes()).is_some() || range.end.line.0 >= lines {
            return None;
        }
        let (ByteOffset(start), past_start) = locate(&self.rope, range.start, encoding);
        let (ByteOffset(end), past_end) = locate(&self.rope, range.end, encoding);
        let within = match ending {
            LineEnding::Lf => true,
            LineEnding::CrLf => one_line && !past_start && !past_end && !new.contains('\n'),
        };
        let after_cr = start > 0 && self.rope.byte(start - 1) == b'\r';
        // The line break that the logical text adds is no character that could be replaced.
        let last = self.rope.len_bytes() - 1;
        (within && !after_cr && end <= last && start <= end).then_some(start..end)
    }

    /// Rebuilds the wire form of the touched lines, changes it, and reads it again.
    fn change_wire_lines(
        &mut self,
        range: &Range<Position>,
        new: &str,
        encoding: PositionEncoding,
    ) {
        let count = self.line_count();
        let first = range.start.line.0.min(count - 1);
        let last = range.end.line.0.min(count - 1);
        let mut wire = String::new();
        self.push_wire_lines(first, last + 1, &mut wire);
        let start = wire_offset(&wire, range.start, first, encoding);
        let end = wire_offset(&wire, range.end, first, encoding).max(start);
        wire.replace_range(start..end, new);

        let default = self.ending(first.saturating_sub(1));
        let at_end = last + 1 == count;
        let lines_start = self.rope.line_to_char(first);
        let lines_end = self.rope.line_to_char(last + 1);
        if at_end && wire.is_empty() && first > 0 {
            // The line before, with its newline, is the last one now.
            self.rope.remove(lines_start..);
            self.splice_endings(first, last + 1, None);
            self.end = End::Newline;
            return;
        }
        let piece = Piece::decode(&wire, default);
        self.rope.remove(lines_start..lines_end);
        self.rope.insert(lines_start, &piece.logical);
        self.splice_endings(first, last + 1, Some((&piece, count)));
        if at_end {
            self.end = piece.end;
        }
    }

    /// Puts a piece's endings in the place of those of the lines `first..last`. The rope has changed already; `count`
    /// is the number of lines before.
    fn splice_endings(&mut self, first: usize, last: usize, piece: Option<(&Piece, usize)>) {
        let Some((piece, count)) = piece else {
            if let LineEndings::Mixed(marks) = &mut self.endings {
                marks.remove(first..last);
                self.simplify_endings();
            }
            return;
        };
        let whole = first == 0 && last == count;
        if let LineEndings::Uniform(old) = self.endings {
            match piece.endings {
                PieceEndings::Uniform(new) if new == old => return,
                PieceEndings::Uniform(new) if whole => {
                    self.endings = LineEndings::Uniform(new);
                    return;
                }
                _ => self.endings = LineEndings::Mixed(marks_of(old, count)),
            }
        }
        let lines = piece.logical.bytes().filter(|byte| *byte == b'\n').count();
        if let LineEndings::Mixed(marks) = &mut self.endings {
            marks.remove(first..last);
            match &piece.endings {
                PieceEndings::Uniform(ending) => marks.insert(
                    first,
                    &core::iter::repeat_n(ending.mark(), lines).collect::<String>(),
                ),
                PieceEndings::Mixed(new) => marks.insert(first, new),
            }
        }
        self.simplify_endings();
    }

    /// A mixed text whose lines have come to end alike is uniform again.
    fn simplify_endings(&mut self) {
        if let LineEndings::Mixed(marks) = &self.endings {
            let mark = marks.byte(0);
            if marks
                .chunks()
                .all(|chunk| chunk.bytes().all(|it| it == mark))
            {
                self.endings = LineEndings::Uniform(LineEnding::of_mark(mark));
            }
        }
    }
}

/// The marks of `count` lines that end alike.
fn marks_of(ending: LineEnding, count: usize) -> Rope {
    Rope::from_str(&core::iter::repeat_n(ending.mark(), count).collect::<String>())
}

/// The byte of a position in a piece of wire text whose first line is line `first` of the document.
fn wire_offset(wire: &str, position: Position, first: usize, encoding: PositionEncoding) -> usize {
    let mut start = 0;
    for _ in first..position.line.0 {
        match memchr::memchr(b'\n', &wire.as_bytes()[start..]) {
            Some(at) => start += at + 1,
            // A line past the last: the end of the text.
            None => return wire.len(),
        }
    }
    let rest = &wire[start..];
    let line = &rest[..memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len())];
    let column = position.column.0 as usize;
    let mut units = 0;
    for (at, char) in line.char_indices() {
        let width = match encoding {
            PositionEncoding::Utf8 => char.len_utf8(),
            PositionEncoding::Utf16 => char.len_utf16(),
            PositionEncoding::Utf32 => 1,
        };
        if units + width > column {
            return start + at;
        }
        units += width;
    }
    // A column past the line is its end, which is before its line ending and not inside it.
    let ends_in_crlf = line.len() < rest.len() && line.ends_with('\r');
    start + line.len() - usize::from(ends_in_crlf && column > units)
}
