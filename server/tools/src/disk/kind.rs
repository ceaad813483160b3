//! What a file is that is no text, by its first bytes, and what counts as text at all. Knows no files.

use crate::error::ToolError;

/// As many of the first bytes as are looked at.
pub(crate) const HEAD_BYTES: usize = 512;

/// Text has at most one control character in so many.
const CHARACTERS_PER_CONTROL: usize = 50;

/// Why bytes are no text that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// No text.
    Binary,
    /// Text in UTF-32.
    Utf32,
}

/// First bytes and what they tell, with its article. The first entry that fits counts.
const SIGNATURES: &[(usize, &[u8], &str)] = &[
    (0, b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (0, b"\xff\xd8\xff", "a JPEG image"),
    (0, b"GIF8", "a GIF image"),
    (8, b"WEBP", "a WebP image"),
    (0, b"II*\0", "a TIFF image"),
    (0, b"MM\0*", "a TIFF image"),
    (0, b"\0\0\x01\0", "an icon"),
    (0, b"8BPS", "a Photoshop image"),
    (4, b"ftypavif", "an AVIF image"),
    (4, b"ftypheic", "a HEIC image"),
    (0, b"%PDF-", "a PDF document"),
    (
        0,
        b"PK\x03\x04",
        "a ZIP archive (or a document in one: docx, xlsx, jar, …)",
    ),
    (0, b"PK\x05\x06", "an empty ZIP archive"),
    (0, b"\x1f\x8b", "a gzip archive"),
    (0, b"BZh", "a bzip2 archive"),
    (0, b"\xfd7zXZ\0", "an xz archive"),
    (0, b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (0, b"Rar!\x1a\x07", "a RAR archive"),
    (257, b"ustar", "a tar archive"),
    (
        0,
        b"!<arch>\n",
        "an ar archive (a static library or a Debian package)",
    ),
    (0, b"\x7fELF", "an ELF program or library"),
    (0, b"\xfe\xed\xfa\xce", "a Mach-O program or library"),
    (0, b"\xfe\xed\xfa\xcf", "a Mach-O program or library"),
    (0, b"\xce\xfa\xed\xfe", "a Mach-O program or library"),
    (0, b"\xcf\xfa\xed\xfe", "a Mach-O program or library"),
    (0, b"\xca\xfe\xba\xbe", "a Java class or a Mach-O program"),
    (0, b"MZ", "a Windows program or library"),
    (0, b"\0asm", "a WebAssembly module"),
    (0, b"SQLite format 3\0", "an SQLite database"),
    (0, b"wOFF", "a font"),
    (0, b"wOF2", "a font"),
    (0, b"OTTO", "a font"),
    (0, b"\0\x01\0\0", "a font"),
    (0, b"OggS", "an Ogg audio or video file"),
    (0, b"ID3", "an MP3 audio file"),
    (0, b"fLaC", "a FLAC audio file"),
    (8, b"WAVE", "a WAV audio file"),
    (8, b"AVI ", "an AVI video"),
    (4, b"ftyp", "an MP4 video"),
    (0, b"\x1a\x45\xdf\xa3", "a Matroska or WebM video"),
    (0, b"BM", "a BMP image"),
];

fn signature(head: &[u8]) -> Option<&'static (usize, &'static [u8], &'static str)> {
    SIGNATURES.iter().find(|(offset, bytes, _)| {
        head.get(*offset..)
            .is_some_and(|head| head.starts_with(bytes))
    })
}

/// Whether the first bytes are those of a known kind of file, and not two or three letters with which any text may
/// begin. Asked only of what is not UTF-8.
pub(crate) fn is_surely_no_text(head: &[u8]) -> bool {
    signature(head).is_some_and(|(_, bytes, _)| {
        bytes.len() >= 4 || bytes.iter().any(|byte| !byte.is_ascii_alphanumeric())
    })
}

/// Whether so many of the characters are control characters that it was not text that was decoded.
pub(crate) fn has_control_characters(text: &str) -> bool {
    // A terminal's escapes, page breaks, and the line break of EBCDIC's heirs are found in text.
    let is_control = |it: &char| {
        it.is_control()
            && !matches!(
                it,
                '\t' | '\n' | '\r' | '\u{8}' | '\u{c}' | '\u{1b}' | '\u{85}'
            )
    };
    let controls = text.chars().filter(is_control).count();
    controls * CHARACTERS_PER_CONTROL > text.len()
}

/// The refusal of a file, from its first bytes and why it is no text.
pub(crate) fn refusal(display: &str, head: &[u8], fault: Fault) -> ToolError {
    match (fault, signature(head)) {
        (Fault::Utf32, _) => {
            let message = format!("`{display}` is text in UTF-32, which cannot be read.");
            let mut error = ToolError::unavailable(message)
                .suggest("Leave the file as it is, or ask the user to convert it to UTF-8.");
            error.retryable = false;
            error
        }
        (Fault::Binary, Some((_, _, what))) => ToolError::binary_file(display, what),
        (Fault::Binary, None) => ToolError::binary_file(display, "binary data"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_by_their_first_bytes() {
        insta::assert_snapshot!(refusal("logo.png", b"\x89PNG\r\n\x1a\n\0\0", Fault::Binary), @"binary_file: `logo.png` is a PNG image, not text. Do not read or edit it as text; ask the user if its content matters.");
        insta::assert_snapshot!(refusal("a.zip", b"PK\x03\x04\x14\0", Fault::Binary), @"binary_file: `a.zip` is a ZIP archive (or a document in one: docx, xlsx, jar, …), not text. Do not read or edit it as text; ask the user if its content matters.");
        insta::assert_snapshot!(refusal("data", b"abc\0", Fault::Binary), @"binary_file: `data` is binary data, not text. Do not read or edit it as text; ask the user if its content matters.");
        insta::assert_snapshot!(refusal("a.txt", b"\xff\xfe\0\0a\0\0\0", Fault::Utf32), @"unavailable: `a.txt` is text in UTF-32, which cannot be read. Leave the file as it is, or ask the user to convert it to UTF-8.");
    }

    #[test]
    fn a_short_head_names_nothing_that_it_does_not_show() {
        let error = refusal("x", b"\0", Fault::Binary);
        assert!(error.message.contains("binary data"), "{error}");
    }

    #[test]
    fn letters_with_which_a_text_may_begin_prove_nothing() {
        assert!(!is_surely_no_text(b"BMW f\xe4hrt"));
        assert!(!is_surely_no_text(b"MZ\xe9"));
        assert!(is_surely_no_text(b"\x89PNG\r\n\x1a\n"));
        assert!(is_surely_no_text(b"%PDF-1.7\n\xe2\xe3"));
        assert!(is_surely_no_text(b"\x1f\x8b\x08"));
    }

    #[test]
    fn some_control_characters_are_found_in_text() {
        assert!(!has_control_characters(
            "\u{1b}[31mred\u{1b}[0m\r\n\tand a page break\u{c}\n"
        ));
        assert!(!has_control_characters(""));
        assert!(has_control_characters("ab\u{1}cd"));
        assert!(has_control_characters("a\u{81}\u{8d}b"));
    }
}
