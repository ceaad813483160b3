//! What a file is that is not UTF-8 text, by its first bytes. Only names: whether a file is text is decided by all of
//! its bytes.

use crate::error::ToolError;

/// As many of the first bytes as are looked at.
pub(crate) const HEAD_BYTES: usize = 512;

/// Why bytes are not UTF-8 text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A NUL.
    Nul,
    /// A byte that no UTF-8 text has there.
    NotUtf8 {
        /// Where, in the file.
        offset: usize,
        /// The 1-based line.
        line: usize,
    },
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

/// The refusal of a file, from its first bytes and why it is no text.
pub(crate) fn refusal(display: &str, head: &[u8], fault: Fault) -> ToolError {
    // Before the signatures of two bytes: the mark of UTF-32 begins with that of UTF-16.
    let encoding = match head {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => Some("UTF-32"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some("UTF-16"),
        _ => None,
    };
    if let Some(encoding) = encoding {
        return not_utf8(display, &format!("is text in {encoding}"));
    }
    let fits = |(offset, bytes, _): &&(usize, &[u8], &str)| {
        head.get(*offset..)
            .is_some_and(|head| head.starts_with(bytes))
    };
    match (SIGNATURES.iter().find(fits), fault) {
        (Some((_, _, what)), _) => ToolError::binary_file(display, what),
        (None, Fault::Nul) => ToolError::binary_file(display, "binary data"),
        (None, Fault::NotUtf8 { offset, line }) => not_utf8(
            display,
            &format!("is not UTF-8 (the first wrong byte is on line {line}, at byte {offset})"),
        ),
    }
}

fn not_utf8(display: &str, what: &str) -> ToolError {
    let mut error =
        ToolError::unavailable(format!("`{display}` {what}, and only UTF-8 is supported."))
            .suggest("Leave the file as it is, or ask the user to convert it to UTF-8.");
    error.retryable = false;
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_by_their_first_bytes() {
        insta::assert_snapshot!(refusal("logo.png", b"\x89PNG\r\n\x1a\n\0\0", Fault::Nul), @"binary_file: `logo.png` is a PNG image, not text. Do not read or edit it as text; ask the user if its content matters.");
        insta::assert_snapshot!(refusal("a.zip", b"PK\x03\x04\x14\0", Fault::Nul), @"binary_file: `a.zip` is a ZIP archive (or a document in one: docx, xlsx, jar, …), not text. Do not read or edit it as text; ask the user if its content matters.");
        insta::assert_snapshot!(refusal("data", b"abc\0", Fault::Nul), @"binary_file: `data` is binary data, not text. Do not read or edit it as text; ask the user if its content matters.");
        insta::assert_snapshot!(refusal("a.txt", b"\xff\xfea\0", Fault::Nul), @"unavailable: `a.txt` is text in UTF-16, and only UTF-8 is supported. Leave the file as it is, or ask the user to convert it to UTF-8.");
        insta::assert_snapshot!(refusal("a.txt", b"caf\xe9", Fault::NotUtf8 { offset: 3, line: 1 }), @"unavailable: `a.txt` is not UTF-8 (the first wrong byte is on line 1, at byte 3), and only UTF-8 is supported. Leave the file as it is, or ask the user to convert it to UTF-8.");
    }

    #[test]
    fn a_short_head_names_nothing_that_it_does_not_show() {
        let error = refusal("x", b"\0", Fault::Nul);
        assert!(error.message.contains("binary data"), "{error}");
    }
}
