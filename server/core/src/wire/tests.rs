//! A naive editor takes the outgoing edits; its text must be the expected one.

use super::*;
use crate::edit::Edit;
use crate::edit::tests::{edits_of, seeds};
use crate::position::{Column, LineIndex};
use crate::testing::{encodings, wire_texts};
use crate::text::Snapshot;
use alloc::string::ToString;
use alloc::vec;
use proptest::prelude::*;

/// The byte of a position in a wire text, by counting.
fn offset(wire: &str, position: Position, encoding: PositionEncoding) -> usize {
    let line: usize = wire
        .split_inclusive('\n')
        .take(position.line.0)
        .map(str::len)
        .sum();
    let mut units = 0;
    for (at, char) in wire[line..].char_indices() {
        if units == position.column.0 {
            return line + at;
        }
        units += match encoding {
            PositionEncoding::Utf8 => char.len_utf8() as u32,
            PositionEncoding::Utf16 => char.len_utf16() as u32,
            PositionEncoding::Utf32 => 1,
        };
    }
    wire.len()
}

/// Applies edits to the wire form, bottom up.
fn apply(text: &Text, edits: &[WireEdit], encoding: PositionEncoding) -> String {
    let mut buffer = text.wire();
    for edit in edits.iter().rev() {
        let start = offset(&buffer, edit.start, encoding);
        let end = offset(&buffer, edit.end, encoding);
        buffer.replace_range(start..end, &edit.text);
    }
    buffer
}

fn check(
    wire: &str,
    start: usize,
    end: usize,
    new: &str,
    expected: (usize, u32, usize, u32, &str),
) {
    let base = Snapshot::decode(wire);
    let replacement = Replacement {
        range: ByteRange::new(start, end),
        text: new.into(),
    };
    let edit = Edit::new(&base, vec![replacement]).unwrap();
    let edits = wire_edits(base.text(), edit.replacements(), PositionEncoding::Utf16);
    let at = |line, column| Position {
        line: LineIndex(line),
        column: Column(column),
    };
    let (line, column, end_line, end_column, text) = expected;
    assert_eq!(
        edits,
        [WireEdit {
            start: at(line, column),
            end: at(end_line, end_column),
            text: text.into(),
        }]
    );
}

#[test]
fn the_line_after_the_last_is_never_addressed() {
    check("a\nb\n", 4, 4, "c\n", (1, 1, 1, 1, "\nc"));
    check("a\nb", 4, 4, "c", (1, 1, 1, 1, "\nc"));
    check("a\nb\n", 2, 4, "", (0, 1, 1, 1, ""));
    check("a\nb\n", 0, 4, "x\n", (0, 0, 1, 1, "x"));
    check("a\r\nb\r\n", 4, 4, "c\n", (1, 1, 1, 1, "\r\nc"));
    check("a\r\nb\nc\n", 2, 2, "x\n", (1, 0, 1, 0, "x\r\n"));
    check("\u{feff}a\nb\n", 0, 1, "c", (0, 1, 0, 2, "c"));
}

#[test]
fn what_comes_into_an_empty_document_ends_in_a_newline() {
    check("", 0, 0, "x\ny", (0, 0, 0, 0, "x\ny\n"));
    check("", 0, 1, "x\n", (0, 0, 0, 0, "x\n"));
    check("", 0, 1, "x\n\n", (0, 0, 0, 0, "x\n\n"));
    check("\u{feff}", 0, 1, "x\n", (0, 1, 0, 1, "x\n"));
    // In these something stands.
    check("\n", 0, 1, "x\n", (0, 0, 0, 0, "x"));
    check("\r", 0, 0, "x", (0, 0, 0, 0, "x"));
}

proptest! {
    #[test]
    fn a_naive_editor_gets_the_expected_text(
        wire in wire_texts(), seeds in seeds(), encoding in encodings()
    ) {
        let base = Snapshot::decode(&wire);
        if let Ok(edit) = Edit::new(&base, edits_of(&base, &seeds)) {
            let edits = wire_edits(base.text(), edit.replacements(), encoding);
            for edit in &edits {
                prop_assert!(edit.end.line.0 < base.text().line_count());
            }
            let wire = apply(base.text(), &edits, encoding);
            let after = Snapshot::decode(&wire);
            prop_assert_eq!(after.rope().to_string(), edit.apply(&base).unwrap().rope().to_string());
            prop_assert_eq!(after.hash(), edit.expected());
        }
    }
}

#[test]
fn a_place_that_the_text_does_not_have_is_none() {
    let text = Text::decode("\u{feff}ab\r\nc");
    for (line, column, expected) in [
        (0, 1, Some(0)),
        (0, 3, Some(2)),
        (0, 4, None),
        (1, 1, Some(4)),
        (1, 2, None),
        (2, 0, Some(5)),
        (3, 0, None),
    ] {
        let position = Position {
            line: LineIndex(line),
            column: Column(column),
        };
        assert_eq!(
            logical_offset(&text, position, PositionEncoding::Utf16),
            expected.map(ByteOffset),
            "{line}:{column}"
        );
    }
}

proptest! {
    #[test]
    fn a_place_in_the_wire_form_and_back_is_itself(wire in wire_texts(), encoding in encodings()) {
        let text = Text::decode(&wire);
        let logical = text.rope().to_string();
        for (offset, _) in logical.char_indices() {
            let position = wire_position(&text, ByteOffset(offset), encoding);
            prop_assert_eq!(logical_offset(&text, position, encoding), Some(ByteOffset(offset)));
        }
    }
}
