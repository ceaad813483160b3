//! Places in a logical text: bytes, lines, and columns in the code units of an agreed encoding.
//!
//! Different units are different types; only the functions here convert between them.

use core::ops::Range;
use ropey::Rope;

/// A byte offset into a logical text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ByteOffset(pub usize);

/// A line of a logical text, from 0. Lines end in LF and nowhere else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct LineIndex(pub usize);

/// A column in code units of the encoding that is named beside it, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Column(pub u32);

/// A line and a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Position {
    /// The line.
    pub line: LineIndex,
    /// The column in it.
    pub column: Column,
}

/// A half-open run of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ByteRange {
    /// The first byte.
    pub start: ByteOffset,
    /// The byte after the last.
    pub end: ByteOffset,
}

impl ByteRange {
    /// The range `start..end`, in bytes.
    pub fn new(start: usize, end: usize) -> Self {
        Self {
            start: ByteOffset(start),
            end: ByteOffset(end),
        }
    }

    /// Its length in bytes.
    pub fn len(&self) -> usize {
        self.end.0.saturating_sub(self.start.0)
    }

    /// Whether it holds no byte.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// As a range of numbers, to index with.
    pub fn to_range(self) -> Range<usize> {
        self.start.0..self.end.0
    }
}

/// A half-open run of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct LineRange {
    /// The first line.
    pub start: LineIndex,
    /// The line after the last.
    pub end: LineIndex,
}

impl LineRange {
    /// The range `start..end`, in lines.
    pub fn new(start: usize, end: usize) -> Self {
        Self {
            start: LineIndex(start),
            end: LineIndex(end),
        }
    }

    /// How many lines it holds.
    pub fn len(&self) -> usize {
        self.end.0.saturating_sub(self.start.0)
    }

    /// Whether it holds no line, but stands between two.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of these lines, LFs included. Lines past the end hold none.
    pub fn bytes(&self, rope: &Rope) -> ByteRange {
        let offset = |line: LineIndex| rope.line_to_byte(line.0.min(rope.len_lines()));
        let start = offset(self.start);
        ByteRange::new(start, offset(self.end).max(start))
    }
}

/// The unit of columns, as the protocol negotiates it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PositionEncoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units.
    Utf16,
    /// Characters.
    Utf32,
}

/// The position of a byte offset. One past the end is the end; one inside a character is its start.
pub fn position_of(rope: &Rope, offset: ByteOffset, encoding: PositionEncoding) -> Position {
    let offset = offset.0.min(rope.len_bytes());
    let line = rope.byte_to_line(offset);
    let start = rope.line_to_byte(line);
    let slice = rope.line(line);
    let char = slice.byte_to_char(offset - start);
    let column = match encoding {
        PositionEncoding::Utf8 => slice.char_to_byte(char),
        PositionEncoding::Utf16 => slice.char_to_utf16_cu(char),
        PositionEncoding::Utf32 => char,
    };
    Position {
        line: LineIndex(line),
        column: Column(u32::try_from(column).unwrap_or(u32::MAX)),
    }
}

/// The byte offset of a position in a logical text. A column past the line's end is the end, before the LF; a line
/// past the last is the end of the text; a column inside a character is its start.
pub fn offset_of(rope: &Rope, position: Position, encoding: PositionEncoding) -> ByteOffset {
    locate(rope, position, encoding).0
}

/// [`offset_of`], and whether the column was past the line's end.
pub(crate) fn locate(
    rope: &Rope,
    position: Position,
    encoding: PositionEncoding,
) -> (ByteOffset, bool) {
    let line = position.line.0;
    if line >= rope.len_lines() {
        return (ByteOffset(rope.len_bytes()), true);
    }
    let start = rope.line_to_byte(line);
    let slice = rope.line(line);
    let mut content = slice.len_bytes();
    if content > 0 && slice.byte(content - 1) == b'\n' {
        content -= 1;
    }
    let column = position.column.0 as usize;
    let units = match encoding {
        PositionEncoding::Utf8 => content,
        PositionEncoding::Utf16 => slice.char_to_utf16_cu(slice.byte_to_char(content)),
        PositionEncoding::Utf32 => slice.byte_to_char(content),
    };
    if column >= units {
        return (ByteOffset(start + content), column > units);
    }
    let char = match encoding {
        PositionEncoding::Utf8 => slice.byte_to_char(column),
        PositionEncoding::Utf16 => slice.utf16_cu_to_char(column),
        PositionEncoding::Utf32 => column,
    };
    (ByteOffset(start + slice.char_to_byte(char)), false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{encodings, logical_texts};
    use proptest::prelude::*;

    fn at(line: usize, column: u32) -> Position {
        Position {
            line: LineIndex(line),
            column: Column(column),
        }
    }

    #[test]
    fn columns_count_the_units_of_their_encoding() {
        let rope = Rope::from_str("a😀é\nz\n");
        for (encoding, column) in [
            (PositionEncoding::Utf8, 7),
            (PositionEncoding::Utf16, 4),
            (PositionEncoding::Utf32, 3),
        ] {
            assert_eq!(position_of(&rope, ByteOffset(7), encoding), at(0, column));
            assert_eq!(offset_of(&rope, at(0, column), encoding), ByteOffset(7));
            assert_eq!(
                offset_of(&rope, at(0, 99), encoding),
                ByteOffset(7),
                "past the line"
            );
            assert_eq!(
                offset_of(&rope, at(9, 0), encoding),
                ByteOffset(10),
                "past the text"
            );
        }
        assert_eq!(
            offset_of(&rope, at(0, 2), PositionEncoding::Utf16),
            ByteOffset(1),
            "inside a surrogate pair"
        );
        assert_eq!(
            offset_of(&rope, at(0, 3), PositionEncoding::Utf8),
            ByteOffset(1),
            "inside a character"
        );
    }

    proptest! {
        #[test]
        fn a_position_and_back_is_itself(text in logical_texts(), encoding in encodings()) {
            let rope = Rope::from_str(&text);
            for (offset, _) in text.char_indices() {
                let position = position_of(&rope, ByteOffset(offset), encoding);
                prop_assert_eq!(offset_of(&rope, position, encoding), ByteOffset(offset));
            }
        }
    }
}
