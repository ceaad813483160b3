//! Random texts for the property tests: emoji, combining marks, every kind of line ending, repeated lines.

use crate::position::PositionEncoding;
use alloc::string::String;
use alloc::vec::Vec;
use proptest::prelude::*;

/// Pieces of lines: plain, repeated, of several units, and with a carriage return of their own.
fn pieces() -> impl Strategy<Value = &'static str> {
    prop::sample::select(alloc::vec![
        "",
        "a",
        "b",
        "ab",
        " ",
        "\t",
        "word",
        "}",
        "é",
        "e\u{301}",
        "😀",
        "👩‍👩‍👧",
        "$1",
        "日本",
    ])
}

/// A text in wire form, with any line endings, perhaps a BOM, perhaps without final newline.
pub fn wire_texts() -> impl Strategy<Value = String> {
    let ending = prop::sample::select(alloc::vec!["\n", "\n", "\r\n", "\r", "\r\r\n", ""]);
    let line = (prop::collection::vec(pieces(), 0..4), ending);
    (any::<bool>(), prop::collection::vec(line, 0..8)).prop_map(|(bom, lines)| {
        let mut text = String::new();
        if bom {
            text.push('\u{feff}');
        }
        for (pieces, ending) in lines {
            text.extend(pieces);
            text.push_str(ending);
        }
        text
    })
}

/// A logical text: ends in LF, holds no CRLF.
pub fn logical_texts() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::collection::vec(pieces(), 0..4), 1..10).prop_map(|lines| {
        let mut text = String::new();
        for line in lines {
            text.extend(line);
            text.push('\n');
        }
        text
    })
}

/// Any of the three.
pub fn encodings() -> impl Strategy<Value = PositionEncoding> {
    prop::sample::select(alloc::vec![
        PositionEncoding::Utf8,
        PositionEncoding::Utf16,
        PositionEncoding::Utf32,
    ])
}

/// Texts to put somewhere, line breaks included.
pub fn insertions() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => pieces(),
        2 => prop::sample::select(alloc::vec!["\n", "\r\n", "\r", "x\ny"]),
    ];
    prop::collection::vec(piece, 0..4).prop_map(|pieces: Vec<&str>| pieces.concat())
}
