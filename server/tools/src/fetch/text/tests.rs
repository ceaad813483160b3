//! Kinds, encodings, and characters that nobody sees.

use super::*;

fn url() -> Url {
    Url::parse("https://docs.example.org/").unwrap()
}

/// The text, or what it is instead.
fn text(content_type: &str, bytes: &[u8]) -> String {
    let body = Body {
        bytes: bytes.to_vec(),
        is_cut: false,
    };
    let page = check_kind(&url(), content_type)
        .and_then(|()| decode(url(), content_type, body, &CancellationToken::new()));
    match page {
        Ok(page) => page.text,
        Err(FetchError::Kind { what, .. }) => format!("({what})"),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn kinds_are_known_by_what_the_host_says() {
    for (content_type, expected) in [
        ("text/plain", "<p>x</p>"),
        ("", "<p>x</p>"),
        ("text/markdown; charset=utf-8", "<p>x</p>"),
        ("application/json", "<p>x</p>"),
        ("Application/Problem+JSON", "<p>x</p>"),
        ("application/rss+xml", "<p>x</p>"),
        ("application/x-yaml", "<p>x</p>"),
        ("image/svg+xml", "<p>x</p>"),
        ("TEXT/HTML", "x\n"),
        ("application/xhtml+xml", "x\n"),
        ("application/pdf", "(a PDF document)"),
        ("image/png", "(an image)"),
        ("video/mp4", "(a video)"),
        ("application/zip", "(an archive)"),
        ("application/octet-stream", "(a binary file)"),
        (
            "application/vnd.ms-excel",
            "(of the kind `application/vnd.ms-excel`)",
        ),
    ] {
        assert_eq!(text(content_type, b"<p>x</p>"), expected, "{content_type}");
    }
}

#[test]
fn words_of_a_host_stay_short_and_are_no_media_type() {
    for words in [
        "text/ignore what was said",
        &format!("text/{}", "x".repeat(200)),
        "text/a\u{202e}b",
    ] {
        assert_eq!(media_type(words), "", "{words}");
    }
    assert_eq!(media_type(" Text/HTML ; charset=x"), "text/html");
    assert_eq!(quoted("soon\n\u{202e}\u{1b}[31mnow"), "soon [31mnow");
    assert_eq!(quoted(&"é".repeat(150)), format!("{}…", "é".repeat(100)));
}

#[test]
fn bytes_tell_what_the_host_does_not() {
    assert_eq!(text("", b"\n<!DOCTYPE html><p>x</p>"), "x\n");
    assert_eq!(text("text/plain", b"a\0b"), "(a binary file)");
}

#[test]
fn encodings_by_mark_by_host_by_page_and_by_looks() {
    for (content_type, bytes, expected) in [
        ("text/plain", "grün".as_bytes(), "grün"),
        ("text/plain; charset=iso-8859-1", b"gr\xfcn", "grün"),
        (
            "text/plain; charset=\"Shift_JIS\"",
            b"\x93\xfa\x96\x7b",
            "日本",
        ),
        ("text/plain; charset=unknown", "grün".as_bytes(), "grün"),
        ("text/plain", b"gr\xfcn und sch\xf6n", "grün und schön"),
        (
            "text/plain; charset=iso-8859-1",
            b"\xef\xbb\xbfgr\xc3\xbcn",
            "grün",
        ),
        ("text/plain", b"\xff\xfeg\0r\0", "gr"),
        ("text/html", b"<meta charset=koi8-r><p>\xf2", "Р\n"),
        (
            "text/html",
            b"<META http-equiv=Content-Type content='text/html; charset=windows-1251'><p>\xd0",
            "Р\n",
        ),
        (
            "text/html; charset=utf-8",
            "<meta charset=koi8-r><p>Р".as_bytes(),
            "Р\n",
        ),
        ("text/plain", b"bad \xff\xfe\xc3 end", "bad ÿþÃ end"),
    ] {
        assert_eq!(
            text(content_type, bytes),
            expected,
            "{content_type} {bytes:?}"
        );
    }
}

#[test]
fn what_nobody_sees_is_left_out() {
    assert_eq!(
        without_unseen(
            "a\r\nb\rc\u{1b}[31m\u{7}\u{202e}d\u{200b}\u{feff}\u{e0041}\u{e0100}\u{2066}\u{3164}\u{34f}\te\u{ad}"
        ),
        "a\nb\nc[31md\te"
    );
    assert_eq!(
        without_unseen("👩\u{200d}💻 ❤\u{fe0f} می\u{200c}خواهم"),
        "👩\u{200d}💻 ❤\u{fe0f} می\u{200c}خواهم"
    );
    assert_eq!(
        without_unseen("a\u{2028}b\u{2029}c\u{85}d\u{34f}e\u{3164}\u{115f}f"),
        "a\nb\nc\ndef"
    );
    // Bits as a row of joiners or selectors.
    assert_eq!(
        without_unseen(
            "\u{200d}a\u{200c}\u{200d}\u{200c}\u{200c}b\u{fe00}\u{fe01}\u{fe0f}c\u{200d}\u{fe00}d"
        ),
        "a\u{200c}b\u{fe00}c\u{200d}d"
    );
    assert_eq!(without_unseen("❤\u{fe0f}\u{200d}🔥"), "❤\u{fe0f}\u{200d}🔥");
}
