//! Texts in every encoding: what they are taken for, and that they come back byte by byte.

use encoding_rs::{BIG5, EUC_JP, EUC_KR, KOI8_R, SHIFT_JIS, WINDOWS_1251};
use proptest::prelude::*;

use super::*;

fn bytes_in(encoding: &'static encoding_rs::Encoding, text: &str) -> Vec<u8> {
    encode_legacy(encoding, text).unwrap()
}

fn wide(text: &str, bytes: impl Fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes).collect()
}

/// The encoding, the text as it stands in the file, and the first line that would not come back.
fn told(bytes: &[u8]) -> (String, String, Option<usize>) {
    let decoded = decode(bytes.to_vec()).unwrap();
    (
        decoded.encoding.to_string(),
        decoded.text.wire(),
        decoded.loss.map(|loss| loss.line),
    )
}

const JAPANESE: &str = "これは日本語のテキストです。\r\n漢字とカタカナも書いてあります。\r\n";
const CHINESE: &str = "这是一个用来测试编码的中文文件。\n第二行也有一些汉字。\n";
const RUSSIAN: &str = "Это обычный русский текст для проверки.\nВторая строка файла.\n";
const FRENCH: &str = "Le garçon a mangé une crêpe à la crème brûlée.\nDéjà vu.\n";

#[test]
fn older_encodings_are_told_by_their_bytes_and_come_back() {
    let files = [
        (WINDOWS_1252, FRENCH, "windows-1252"),
        (WINDOWS_1252, "caf\u{e9}\n", "windows-1252"),
        (WINDOWS_1251, RUSSIAN, "windows-1251"),
        (KOI8_R, RUSSIAN, "koi8-u"),
        (SHIFT_JIS, JAPANESE, "shift_jis"),
        (EUC_JP, JAPANESE, "euc-jp"),
        (GBK, CHINESE, "gbk"),
        (
            BIG5,
            "這是一個用來測試編碼的中文檔案。\n第二行也有一些漢字。\n",
            "big5",
        ),
        (
            EUC_KR,
            "이것은 한국어로 쓴 시험용 글입니다.\n둘째 줄입니다.\n",
            "euc-kr",
        ),
    ];
    for (encoding, text, name) in files {
        let bytes = bytes_in(encoding, text);
        assert_eq!(told(&bytes), (name.to_owned(), text.to_owned(), None));
        let decoded = decode(bytes.clone()).unwrap();
        assert_eq!(decoded.encoding.encode(&decoded.text), Ok(bytes), "{name}");
    }
}

/// Most such files are source code with a name or a sign in a comment.
#[test]
fn a_single_letter_or_sign_among_ascii_is_western() {
    let mut wrong = Vec::new();
    for text in [
        "// Größe in Metern\nint size;\n",
        "# Copyright © 2004 by the authors\nx = 1\n",
        "/* José García */\n",
        "int t = 20; // 20 °C\n",
        "// 5 µs\n",
        "price = \"£5\"\n",
        "// siehe § 5\n",
        "naïve\n",
        "señor\n",
        "é\n",
        "“quoted” – dash…\n",
        "// Ångström\n",
        "// Øre og æble\n",
    ] {
        let told = told(&bytes_in(WINDOWS_1252, text));
        if told != ("windows-1252".to_owned(), text.to_owned(), None) {
            wrong.push(told);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_mark_tells_utf_16() {
    let text = "\u{feff}a\r\n😀\u{e9}\nlast";
    for (encoding, bytes) in [
        (Encoding::Utf16Le, wide(text, u16::to_le_bytes)),
        (Encoding::Utf16Be, wide(text, u16::to_be_bytes)),
    ] {
        assert_eq!(told(&bytes), (encoding.to_string(), text.to_owned(), None));
        assert_eq!(encoding.encode(&Text::decode(text)), Ok(bytes.clone()));
        let unmarked = Text::decode(text.trim_start_matches('\u{feff}'));
        assert_eq!(encoding.encode(&unmarked), Ok(bytes), "the mark is needed");
    }
    assert_eq!(
        told(b"\xff\xfe"),
        ("utf-16le".to_owned(), "\u{feff}".to_owned(), None)
    );
}

#[test]
fn what_would_not_come_back_is_told() {
    let lone = [wide("\u{feff}a\nb", u16::to_le_bytes), vec![0, 0xd8]].concat();
    assert_eq!(told(&lone).2, Some(2), "half of a surrogate pair");
    let odd = [wide("\u{feff}a\n", u16::to_le_bytes), vec![b'x']].concat();
    assert_eq!(told(&odd).2, Some(2), "half a code unit");
    let damaged = b"caf\xc3\xa9\nna\xc3\xafve\n\xff\n";
    assert_eq!(
        told(damaged),
        (
            "utf-8".to_owned(),
            "café\nnaïve\n\u{fffd}\n".to_owned(),
            Some(3)
        )
    );
    // The same character as by another code, which is the one that would be written.
    let mut twice = bytes_in(SHIFT_JIS, JAPANESE);
    twice.extend_from_slice(b"\xed\x40\n");
    assert_eq!(told(&twice).2, Some(3));
}

#[test]
fn what_only_the_wider_of_two_encodings_has_is_written_in_it() {
    let text = CHINESE.to_owned() + "㐀𠀀\n";
    let bytes = bytes_in(GB18030, &text);
    assert_eq!(told(&bytes), ("gb18030".to_owned(), text, None));
}

#[test]
fn what_is_no_text_is_no_text_in_any_encoding() {
    let noise = |seed: u64, length: usize| -> Vec<u8> {
        let mut state = seed;
        std::iter::repeat_with(|| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as u8
        })
        .filter(|byte| *byte != 0)
        .take(length)
        .collect()
    };
    for seed in 1..50 {
        assert_eq!(
            decode(noise(seed, 400)).unwrap_err(),
            Fault::Binary,
            "{seed}"
        );
    }
    for bytes in [
        b"a\0b".as_slice(),
        b"\xff\xfea\0\0\0b\0",
        b"%PDF-1.7\n\xe2\xe3\xcf\xd3 text",
        b"\x89PNG\r\n\x1a\n rest",
    ] {
        assert_eq!(
            decode(bytes.to_vec()).unwrap_err(),
            Fault::Binary,
            "{bytes:?}"
        );
    }
    for bytes in [b"\xff\xfe\0\0a\0\0\0".as_slice(), b"\0\0\xfe\xff\0\0\0a"] {
        assert_eq!(
            decode(bytes.to_vec()).unwrap_err(),
            Fault::Utf32,
            "{bytes:?}"
        );
    }
}

#[test]
fn a_character_that_the_encoding_lacks_is_named_with_its_line() {
    let encoding = Encoding::Legacy(WINDOWS_1252);
    let fault = encoding
        .encode(&Text::decode("é\nok\na → b\n"))
        .unwrap_err();
    insta::assert_snapshot!(fault, @"line 3 has `→` (U+2192), which windows-1252 does not have");
}

#[test]
fn what_would_make_a_file_binary_is_not_written() {
    let text = Text::decode("a\nb\0\n");
    for encoding in [Encoding::Utf8, Encoding::Utf16Le, Encoding::Legacy(GBK)] {
        assert_eq!(encoding.encode(&text), Err(Unencodable::Nul { line: 2 }));
    }
}

#[test]
fn bytes_that_would_be_read_as_something_else_are_not_written() {
    let encoding = Encoding::Legacy(WINDOWS_1252);
    let fault = encoding.encode(&Text::decode("Ã©Ã©\n")).unwrap_err();
    insta::assert_snapshot!(fault, @"written in windows-1252, the text would be taken for utf-8 when it is read again");
    let ascii = Text::decode("all plain\n");
    assert_eq!(
        encoding.encode(&ascii),
        Ok(b"all plain\n".to_vec()),
        "ASCII is the same in both"
    );
}

#[test]
fn a_head_is_enough_wherever_it_ends() {
    let wide = wide("\u{feff}ab", u16::to_be_bytes);
    let japanese = bytes_in(SHIFT_JIS, &JAPANESE.repeat(4));
    for end in 40..60 {
        let french = FRENCH.as_bytes();
        assert_eq!(of_head(&french[..end]), Ok(Encoding::Utf8), "{end}");
        let head = &japanese[..japanese.len() - end];
        assert_eq!(of_head(head), Ok(Encoding::Legacy(SHIFT_JIS)), "{end}");
    }
    assert_eq!(of_head(&wide), Ok(Encoding::Utf16Be));
    assert_eq!(of_head(b"text\0\0"), Err(Fault::Binary));
}

proptest! {
    /// Whatever the bytes are: what claims to come back byte by byte does.
    #[test]
    fn what_is_not_called_lossy_comes_back(bytes in prop_oneof![
        prop::collection::vec(any::<u8>(), 0..80),
        "[a-zà-ÿ \r\n]{0,60}".prop_map(|text| text.chars().map(|it| u32::from(it) as u8).collect()),
        "\u{feff}[a-z\r\n😀é]{0,30}".prop_map(|text| wide(&text, u16::to_le_bytes)),
    ]) {
        if let Ok(decoded) = decode(bytes.clone())
            && decoded.loss.is_none()
        {
            prop_assert_eq!(decoded.encoding.encode(&decoded.text), Ok(bytes));
        }
    }
}
