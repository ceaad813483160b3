//! The wire form comes back exactly, and an incremental change is the same as the whole text sent anew.

use super::*;
use crate::position::{Column, LineIndex, Position, PositionEncoding};
use crate::testing::{encodings, insertions, wire_texts};
use alloc::string::ToString;
use proptest::prelude::*;

fn at(line: usize, column: u32) -> Position {
    Position {
        line: LineIndex(line),
        column: Column(column),
    }
}

#[test]
fn logical_text_is_what_the_definition_says() {
    for (wire, logical, final_newline) in [
        ("", "\n", false),
        ("\n", "\n", true),
        ("a", "a\n", false),
        ("a\r\nb\r\n", "a\nb\n", true),
        ("a\rb\n", "a\rb\n", true),
        ("a\r\r\n", "a\r\n", true),
        ("a\r", "a\n", false),
        ("\u{feff}\u{feff}a\n", "\u{feff}a\n", true),
    ] {
        let text = Text::decode(wire);
        assert_eq!(text.rope().to_string(), logical, "{wire:?}");
        assert_eq!(text.final_newline(), final_newline, "{wire:?}");
        assert_eq!(text.wire(), wire);
    }
}

#[test]
fn one_hash_for_one_logical_text() {
    let hash = Snapshot::decode("a\nb\n").hash();
    for wire in ["a\nb", "a\r\nb\r\n", "a\r\nb", "\u{feff}a\nb\n"] {
        assert_eq!(Snapshot::decode(wire).hash(), hash, "{wire:?}");
    }
    assert_ne!(Snapshot::decode("a\nb\n\n").hash(), hash);
}

/// Applies `new` over a range of `wire` and expects a wire form.
fn check(wire: &str, range: ((usize, u32), (usize, u32)), new: &str, expected: &str) {
    let mut text = Text::decode(wire);
    let ((line, column), (end_line, end_column)) = range;
    text.apply_change(
        at(line, column)..at(end_line, end_column),
        new,
        PositionEncoding::Utf16,
    )
    .unwrap();
    assert_eq!(text.wire(), expected);
    assert_eq!(text, Text::decode(expected));
}

#[test]
fn changes_at_carriage_returns_and_ends() {
    check("a\r\nb\r\n", ((0, 1), (0, 1)), "x", "ax\r\nb\r\n");
    check("a\r\nb\n", ((0, 2), (0, 2)), "x", "a\rx\nb\n");
    check("a\r\nb\n", ((0, 1), (0, 2)), "", "a\nb\n");
    check("a\nb\n", ((0, 1), (0, 1)), "\r", "a\r\nb\n");
    check("a\r\nb\r\n", ((0, 1), (1, 0)), "", "ab\r\n");
    check("a\r\nb\r\n", ((0, 99), (0, 99)), "x", "ax\r\nb\r\n");
    check("a\nb\n", ((2, 0), (2, 0)), "c", "a\nb\nc");
    check("a\nb", ((2, 0), (2, 0)), "c", "a\nbc");
    check("a\nb\n", ((1, 1), (2, 0)), "", "a\nb");
    check("a\nb\n", ((1, 0), (2, 0)), "", "a\n");
    check("a\nb", ((0, 1), (1, 1)), "", "a");
    check("a\n", ((0, 0), (1, 0)), "", "");
    check("", ((0, 0), (0, 0)), "a\r\n", "a\r\n");
    check("a\r", ((0, 2), (0, 2)), "\n", "a\r\n");
    check("\u{feff}a\n", ((0, 1), (0, 2)), "b", "\u{feff}b\n");
    check("\u{feff}a\n", ((0, 0), (0, 1)), "", "a\n");
    check("\u{feff}a\n", ((0, 0), (0, 0)), "x", "x\u{feff}a\n");
    check("a\n", ((0, 0), (0, 0)), "\u{feff}", "\u{feff}a\n");
    check("a\u{feff}b\n", ((0, 0), (0, 1)), "", "\u{feff}b\n");
}

#[test]
fn a_reversed_range_is_refused_and_changes_nothing() {
    let mut text = Text::decode("a\nb\n");
    let error = text
        .apply_change(at(1, 0)..at(0, 1), "x", PositionEncoding::Utf8)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "a change ends at line 0, column 1 before it starts at line 1, column 0"
    );
    assert_eq!(text.wire(), "a\nb\n");
}

/// The byte of a position in a wire text, by the letter of the protocol, with a CR that can be pointed at.
fn offset(wire: &str, position: Position, encoding: PositionEncoding) -> usize {
    let mut start = 0;
    for _ in 0..position.line.0 {
        match wire[start..].find('\n') {
            Some(at) => start += at + 1,
            None => return wire.len(),
        }
    }
    let rest = &wire[start..];
    let line = rest.split('\n').next().unwrap();
    let mut units = 0;
    for (at, char) in line.char_indices() {
        units += match encoding {
            PositionEncoding::Utf8 => char.len_utf8(),
            PositionEncoding::Utf16 => char.len_utf16(),
            PositionEncoding::Utf32 => 1,
        };
        if units > position.column.0 as usize {
            return start + at;
        }
    }
    let past = units < position.column.0 as usize && line.len() < rest.len();
    start + line.len() - usize::from(past && line.ends_with('\r'))
}

proptest! {
    #[test]
    fn the_wire_form_comes_back(wire in wire_texts()) {
        let text = Text::decode(&wire);
        prop_assert_eq!(text.wire_pieces().collect::<String>(), text.wire());
        prop_assert_eq!(text.wire(), wire);
        prop_assert!(text.rope().to_string().ends_with('\n'));
        if let LineEndings::Mixed(marks) = text.endings() {
            prop_assert_eq!(marks.len_bytes(), text.line_count());
        }
    }

    #[test]
    fn a_change_is_the_same_as_the_whole_text_anew(
        wire in wire_texts(),
        changes in prop::collection::vec(((0..9usize, 0..9u32), (0..9usize, 0..9u32), insertions()), 1..5),
        encoding in encodings(),
    ) {
        let mut buffer = wire.clone();
        let mut text = Text::decode(&wire);
        for ((line, column), (end_line, end_column), new) in changes {
            let (one, other) = (at(line, column), at(end_line, end_column));
            let range = one.min(other)..one.max(other);
            let start = offset(&buffer, range.start, encoding);
            let end = offset(&buffer, range.end, encoding).max(start);
            buffer.replace_range(start..end, &new);
            text.apply_change(range, &new, encoding).unwrap();
            prop_assert_eq!(text.wire(), buffer.clone());
            let anew = Text::decode(&buffer);
            prop_assert_eq!(text.bom(), anew.bom());
            prop_assert_eq!(text.rope(), anew.rope());
            prop_assert_eq!(text.final_newline(), anew.final_newline());
            for line in 0..anew.line_count() {
                if line + 1 < anew.line_count() || anew.final_newline() {
                    prop_assert_eq!(text.ending(line), anew.ending(line));
                }
            }
        }
    }
}
