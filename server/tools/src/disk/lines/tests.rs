//! Lines of real files, found from either end and shown in whatever room there is.

use std::io::{Seek, SeekFrom, Write};

use super::*;

fn file(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file
}

fn wide(text: &str, bytes: impl Fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes).collect()
}

/// The same text in every encoding that is read.
fn in_all(text: &str) -> Vec<(Encoding, Vec<u8>)> {
    let marked = format!("\u{feff}{text}");
    vec![
        (Encoding::Utf8, text.as_bytes().to_vec()),
        (Encoding::Utf8, marked.as_bytes().to_vec()),
        (Encoding::Utf16Le, wide(&marked, u16::to_le_bytes)),
        (Encoding::Utf16Be, wide(&marked, u16::to_be_bytes)),
        (
            Encoding::Legacy(encoding_rs::SHIFT_JIS),
            encoding_rs::SHIFT_JIS.encode(text).0.into_owned(),
        ),
    ]
}

/// The lines from a position to the end.
fn rest(large: &mut LargeFile<'_>, mut at: u64) -> Vec<String> {
    let mut lines = Vec::new();
    while at < large.length() {
        let line = large.show_line(at, 1_000_000).unwrap();
        assert_ne!(line.end, LineEnd::Cut);
        at += line.consumed;
        lines.push(line.text);
    }
    lines
}

#[test]
fn lines_are_found_from_either_end_in_every_encoding() {
    // A character of which a byte is that of a line break in UTF-16: U+0A0A, U+010A, U+0A00.
    let long = "ਊĊ".repeat(BLOCK_BYTES / 6);
    let plain = "x".repeat(BLOCK_BYTES - 3);
    for text in [
        "",
        "\n",
        "one",
        "one\ntwo\n",
        "one\r\ntwo\nthree",
        "\n\n\n",
        &format!("a\n{long}\nb\n{long}"),
        &format!("{plain}\n\nb\n{plain}{plain}\n"),
    ] {
        let lines: Vec<&str> = text
            .split_terminator('\n')
            .map(|line| line.trim_end_matches('\r'))
            .collect();
        for (encoding, bytes) in in_all(text) {
            let legacy = matches!(encoding, Encoding::Legacy(_));
            if legacy && !text.is_ascii() {
                continue;
            }
            let cancel = CancellationToken::new();
            let mut large = LargeFile::new(file(&bytes), encoding, &cancel).unwrap();
            for first in 0..lines.len() + 2 {
                let found = large.line_start(first as u64).unwrap();
                let shown = match found {
                    Found::At { position, .. } => rest(&mut large, position),
                    Found::Missing { lines: total } => {
                        assert_eq!(total, lines.len() as u64, "{encoding}");
                        assert!(first >= lines.len());
                        continue;
                    }
                };
                assert!(shown == lines[first..], "{encoding} from line {first}");
            }
            for last in 1..lines.len() + 2 {
                let Found::At { position, counted } = large.line_from_end(last as u64).unwrap()
                else {
                    panic!("there is always a last line");
                };
                assert_eq!(counted as usize, last.min(lines.len()), "{encoding}");
                let shown = rest(&mut large, position);
                assert!(
                    shown == lines[lines.len() - counted as usize..],
                    "{encoding}: the last {last}"
                );
            }
        }
    }
}

#[test]
fn a_line_is_shown_in_parts_that_make_up_the_whole() {
    let text = "aé😀漢x".repeat(50) + "\r\nnext\n";
    for (encoding, bytes) in in_all(&text) {
        if matches!(encoding, Encoding::Legacy(_)) {
            continue;
        }
        for room in 8..40 {
            let cancel = CancellationToken::new();
            let mut large = LargeFile::new(file(&bytes), encoding, &cancel).unwrap();
            let (mut at, mut together) = (large.text_start().unwrap(), String::new());
            loop {
                let part = large.show_line(at, room).unwrap();
                assert!(
                    part.text.len() <= room && part.consumed > 0,
                    "{encoding}, {room}: {part:?}"
                );
                together.push_str(&part.text);
                at += part.consumed;
                if part.end != LineEnd::Cut {
                    assert_eq!(part.end, LineEnd::CrLf, "{encoding}, {room}");
                    break;
                }
            }
            assert_eq!(together, text.lines().next().unwrap(), "{encoding}, {room}");
            assert_eq!(large.show_line(at, room).unwrap().text, "next");
        }
    }
}

#[test]
fn nul_bytes_are_told_and_holes_are_passed_over() {
    let hole = 8 * 1024 * 1024 * 1024_u64;
    let mut sparse = file(b"first\nbefore");
    sparse.seek(SeekFrom::Start(hole)).unwrap();
    sparse.write_all(b"behind\n\0last\n").unwrap();
    let cancel = CancellationToken::new();
    let mut large = LargeFile::new(sparse, Encoding::Utf8, &cancel).unwrap();
    let position = at(large.line_start(1).unwrap());
    assert_eq!(position, 6);
    let line = large.show_line(position, 100).unwrap();
    assert_eq!(line.text, format!("before[{} NUL bytes]behind", hole - 12));
    assert_eq!(large.line_end_before(6, u64::MAX).unwrap(), Some(hole + 6));
    assert_eq!(large.line_end_before(6, hole).unwrap(), None);
    let position = at(large.line_from_end(1).unwrap());
    assert_eq!(position, at(large.line_start(2).unwrap()));
    assert_eq!(
        large.show_line(position, 100).unwrap().text,
        "[1 NUL byte]last"
    );
    assert_eq!(large.line_start(3).unwrap(), Found::Missing { lines: 3 });
}

fn at(found: Found) -> u64 {
    match found {
        Found::At { position, .. } => position,
        Found::Missing { lines } => panic!("there are only {lines} lines"),
    }
}

#[test]
fn it_ends_when_it_is_told_to() {
    let cancel = CancellationToken::new();
    let mut large = LargeFile::new(file(b"a\nb\n"), Encoding::Utf8, &cancel).unwrap();
    cancel.cancel();
    assert!(matches!(large.line_start(1), Err(Stop::Cancelled)));
    assert!(matches!(large.line_from_end(1), Err(Stop::Cancelled)));
    assert!(matches!(large.show_line(0, 9), Err(Stop::Cancelled)));
}
