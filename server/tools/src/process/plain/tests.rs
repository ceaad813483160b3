//! Tests of what is seen of an output.

use proptest::prelude::*;

use super::*;

#[test]
fn what_is_seen() {
    for (bytes, seen) in [
        (&b""[..], ""),
        (b"one\ntwo", "one\ntwo"),
        (b"\n\n", "\n\n"),
        (b"tab\tstop\n", "tab\tstop\n"),
        ("grün ✓ 漢字\n".as_bytes(), "grün ✓ 漢字\n"),
        // Colours, titles, links, modes.
        (b"\x1b[1;31merror\x1b[0m: x\n", "error: x\n"),
        (b"\x1b[38;5;196mred\x1b[m", "red"),
        (b"\x1b]0;title\x07text", "text"),
        (b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        (b"\x1b[?25lhidden\x1b[?25h", "hidden"),
        (b"\x1b(Btext", "text"),
        // Progress.
        (b" 10%\r 50%\r100%\n", "100%\n"),
        (b"downloading 5 MB\rdone\x1b[K\n", "done\n"),
        (b"downloading\r           \rdone\n", "done\n"),
        (b"abc\rX\n", "Xbc\n"),
        (b"50%\x08\x08\x0860%", "60%"),
        (b"\x1b[2K\x1b[1Gstep 2", "step 2"),
        (b"aXc\x1b[2Db\n", "abc\n"),
        (b"a\x1b[3Cb", "a   b"),
        (b"a\x1b[1K\rb", "b"),
        // Ends of lines.
        (b"one\r\ntwo\r\n", "one\ntwo\n"),
        (b"kept \n", "kept \n"),
        // Not text.
        (b"a\xffb\xc3\n", "a\u{fffd}b\u{fffd}\n"),
        (
            b"bell\x07 null\0 delete\x7f \xc2\x85next",
            "bell null delete next",
        ),
        // What is never ended hides its own line at most.
        (b"\x1b]0;never\nnext\n", "\nnext\n"),
        (b"\x1b[\nnext\n", "\nnext\n"),
        (b"a\x1b", "a"),
    ] {
        assert_eq!(plain(bytes), seen, "{}", bytes.escape_ascii());
    }
}

#[test]
fn a_cursor_that_is_sent_far_away_costs_nothing() {
    assert!(plain(b"\x1b[65535Cx\x1b[65535Cy").len() <= COLUMNS + 2);
}

#[test]
fn lines_stay_whole_when_both_write_at_once() {
    let piece = |source, bytes: &[u8]| Piece {
        source,
        bytes: bytes.to_vec(),
    };
    let shown = lines(&[
        piece(Source::Output, b"begun "),
        piece(Source::Error, b"\x1b[33mwarning\x1b[0m\n"),
        piece(Source::Output, b"\xe2\x9c"),
        piece(Source::Error, b"open"),
        piece(Source::Output, b"\x93\nlast\n"),
    ]);
    let shown: Vec<_> = shown
        .iter()
        .map(|line| (line.source, line.text.as_str()))
        .collect();
    assert_eq!(
        shown,
        [
            (Source::Output, "begun ✓"),
            (Source::Error, "warning"),
            (Source::Error, "open"),
            (Source::Output, "last"),
        ]
    );
}

/// Bytes with a liking for what terminals are told.
fn noise() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        any::<u8>().prop_map(|byte| vec![byte]),
        "[ -~]{0,8}".prop_map(String::into_bytes),
        "\\PC{0,4}".prop_map(String::into_bytes),
        prop::sample::select(vec![
            &b"\x1b["[..],
            b"\x1b]",
            b"\x1bP",
            b"\x1b[2K",
            b"\x1b[5C",
            b"\x1b[1K",
            b"\r",
            b"\n",
            b"\x08",
            b"\t",
            b"\x9b",
        ])
        .prop_map(<[u8]>::to_vec),
    ];
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn only_text_is_left(bytes in noise()) {
        let text = plain(&bytes);
        prop_assert!(text.chars().all(|char| matches!(char, '\t' | '\n') || !char.is_control()), "{:?}", text);
        let breaks = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte == b'\n').count();
        prop_assert_eq!(breaks(text.as_bytes()), breaks(&bytes));
        prop_assert_eq!(plain(text.as_bytes()), text);
    }

    #[test]
    fn text_stays_as_it_is(text in "(\\PC|\t|\n){0,200}") {
        prop_assert_eq!(plain(text.as_bytes()), text);
    }

    #[test]
    fn lines_are_the_plain_text_however_it_came(bytes in noise(), cuts in prop::collection::vec(0..200_usize, 0..6)) {
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let pieces: Vec<Piece> = cuts
            .windows(2)
            .map(|pair| Piece { source: Source::Output, bytes: bytes[pair[0]..pair[1]].to_vec() })
            .collect();
        let shown: Vec<String> = lines(&pieces).into_iter().map(|line| line.text).collect();
        let whole = plain(&bytes);
        let expected: Vec<&str> = whole.split('\n').collect();
        // An empty line that was not ended is none.
        let ended = &expected[..expected.len() - usize::from(bytes.is_empty() || bytes.ends_with(b"\n"))];
        prop_assert_eq!(shown, ended);
    }
}
