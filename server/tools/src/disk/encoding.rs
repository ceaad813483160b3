//! How a text file is written as bytes: found out from its bytes, and kept when it is written. What would not come back
//! byte by byte is told. Pure: knows no files.

use std::fmt;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{EncoderResult, GB18030, GBK, UTF_16BE, UTF_16LE, WINDOWS_1252};
use mewcode_core::text::Text;

use super::kind::{self, Fault};

/// As much of a text as is looked at to find out its encoding, from its first line that is not ASCII.
const SAMPLE_BYTES: usize = 1024 * 1024;

/// With no more bytes than these that are not ASCII, nothing is told.
const FEW_BYTES: usize = 3;

/// How a text is written as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, with or without a byte order mark.
    Utf8,
    /// UTF-16, the lower byte first, with a byte order mark.
    Utf16Le,
    /// UTF-16, the higher byte first, with a byte order mark.
    Utf16Be,
    /// An older one, told from the bytes. Each of them writes ASCII as ASCII.
    Legacy(&'static encoding_rs::Encoding),
}

/// Why a text cannot be written in an encoding.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unencodable {
    /// The encoding has no such character.
    #[error("line {line} has {}, which {encoding} does not have", describe(*.character))]
    Character {
        /// The first one.
        character: char,
        /// Its 1-based line in the text.
        line: usize,
        /// The encoding.
        encoding: Encoding,
    },
    /// With a NUL no file is text.
    #[error("line {line} has a NUL character, which would make the file binary")]
    Nul {
        /// The 1-based line of the first.
        line: usize,
    },
    /// The bytes would be read as something else.
    #[error("written in {encoding}, the text would be taken for {taken_for} when it is read again")]
    Mistakable {
        /// The encoding.
        encoding: Encoding,
        /// What the bytes would be taken for.
        taken_for: String,
    },
}

/// A text and how it was written.
#[derive(Clone, Debug)]
pub(crate) struct Decoded {
    pub(crate) text: Text,
    pub(crate) encoding: Encoding,
    /// Where it would not be written back as it is; none: it comes back byte by byte.
    pub(crate) loss: Option<Loss>,
}

/// Bytes that mean nothing in the encoding, or that it writes otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Loss {
    /// The 1-based line of the first.
    pub(crate) line: usize,
}

impl Encoding {
    /// The bytes of a text, as [`decode`] reads them again.
    pub fn encode(self, text: &Text) -> Result<Vec<u8>, Unencodable> {
        let wire = text.wire();
        if let Some(at) = memchr::memchr(0, wire.as_bytes()) {
            let line = line_of(wire.as_bytes(), at);
            return Err(Unencodable::Nul { line });
        }
        let bytes = match self {
            Encoding::Utf8 => return Ok(wire.into_bytes()),
            Encoding::Utf16Le => utf16(text, &wire, u16::to_le_bytes),
            Encoding::Utf16Be => utf16(text, &wire, u16::to_be_bytes),
            Encoding::Legacy(encoding) => encode_legacy(encoding, &wire)?,
        };
        self.check_recognised(text, &bytes)?;
        Ok(bytes)
    }

    /// Which encoding it is can only be told from the bytes, and other bytes may tell something else.
    fn check_recognised(self, text: &Text, bytes: &[u8]) -> Result<(), Unencodable> {
        let taken_for = match decode(bytes.to_vec()) {
            Ok(decoded) if decoded.text.rope() == text.rope() => return Ok(()),
            Ok(decoded) => decoded.encoding.to_string(),
            Err(_) => "binary data".to_owned(),
        };
        Err(Unencodable::Mistakable {
            encoding: self,
            taken_for,
        })
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Encoding::Utf8 => formatter.write_str("utf-8"),
            Encoding::Utf16Le => formatter.write_str("utf-16le"),
            Encoding::Utf16Be => formatter.write_str("utf-16be"),
            Encoding::Legacy(encoding) => {
                formatter.write_str(&encoding.name().to_ascii_lowercase())
            }
        }
    }
}

fn describe(character: char) -> String {
    format!("`{character}` (U+{:04X})", u32::from(character))
}

/// Reads bytes as text, whatever they are written in.
pub(crate) fn decode(bytes: Vec<u8>) -> Result<Decoded, Fault> {
    match bytes.as_slice() {
        // Before the mark of UTF-16, with which it begins.
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => return Err(Fault::Utf32),
        [0xff, 0xfe, ..] => return decode_utf16(&bytes, Encoding::Utf16Le),
        [0xfe, 0xff, ..] => return decode_utf16(&bytes, Encoding::Utf16Be),
        _ if memchr::memchr(0, &bytes).is_some() => return Err(Fault::Binary),
        _ => {}
    }
    match String::from_utf8(bytes) {
        Ok(wire) => Ok(Decoded {
            text: Text::decode(&wire),
            encoding: Encoding::Utf8,
            loss: None,
        }),
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let bytes = error.into_bytes();
            if is_damaged_utf8(&bytes) {
                return Ok(decode_damaged(&bytes, valid));
            }
            decode_legacy(&bytes)
        }
    }
}

/// The encoding of bytes of which the end is missing: enough to read on in them.
pub(crate) fn of_head(head: &[u8]) -> Result<Encoding, Fault> {
    match head {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => Err(Fault::Utf32),
        [0xff, 0xfe, ..] => Ok(Encoding::Utf16Le),
        [0xfe, 0xff, ..] => Ok(Encoding::Utf16Be),
        _ => {
            // What is cut in two at the end is no fault.
            let end = memchr::memrchr(b'\n', head).map_or(head.len(), |at| at + 1);
            let whole = match std::str::from_utf8(head) {
                Err(error) if error.error_len().is_none() => &head[..error.valid_up_to()],
                Err(_) => &head[..end],
                Ok(_) => head,
            };
            decode(whole.to_vec()).map(|decoded| decoded.encoding)
        }
    }
}

fn decode_utf16(bytes: &[u8], encoding: Encoding) -> Result<Decoded, Fault> {
    let codec = match encoding {
        Encoding::Utf16Be => UTF_16BE,
        _ => UTF_16LE,
    };
    let (wire, malformed) = codec.decode_without_bom_handling(bytes);
    if wire.contains('\0') || kind::has_control_characters(&wire) {
        return Err(Fault::Binary);
    }
    Ok(Decoded {
        text: Text::decode(&wire),
        encoding,
        loss: malformed.then(|| first_replaced(&wire)),
    })
}

fn utf16(text: &Text, wire: &str, bytes: impl Fn(u16) -> [u8; 2]) -> Vec<u8> {
    // Without its mark it could not be told from binary data.
    let mark = (!text.bom()).then_some(0xfeff);
    mark.into_iter()
        .chain(wire.encode_utf16())
        .flat_map(bytes)
        .collect()
}

/// Whether bytes are UTF-8 but for some: characters of several bytes hardly ever come about by chance.
fn is_damaged_utf8(bytes: &[u8]) -> bool {
    let (mut several, mut wrong) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        several += chunk.valid().chars().filter(|it| !it.is_ascii()).count();
        wrong += usize::from(!chunk.invalid().is_empty());
    }
    several > 0 && several >= wrong
}

fn decode_damaged(bytes: &[u8], valid: usize) -> Decoded {
    Decoded {
        text: Text::decode(&String::from_utf8_lossy(bytes)),
        encoding: Encoding::Utf8,
        loss: Some(Loss {
            line: line_of(bytes, valid),
        }),
    }
}

fn decode_legacy(bytes: &[u8]) -> Result<Decoded, Fault> {
    if kind::is_surely_no_text(bytes) {
        return Err(Fault::Binary);
    }
    let guess = guess(bytes);
    let (wire, malformed) = guess.decode_without_bom_handling(bytes);
    if kind::has_control_characters(&wire) {
        return Err(Fault::Binary);
    }
    // Both are read alike, but only the wider one has all characters.
    let writers: &[&encoding_rs::Encoding] = if guess == GBK {
        &[GBK, GB18030]
    } else {
        &[guess]
    };
    let writer = writers
        .iter()
        .find(|writer| encode_legacy(writer, &wire).is_ok_and(|again| again == bytes));
    let encoding = writer.map_or(guess, |writer| writer);
    let loss = match writer {
        Some(_) => None,
        None if malformed => Some(first_replaced(&wire)),
        None => Some(first_difference(encoding, &wire, bytes)),
    };
    Ok(Decoded {
        text: Text::decode(&wire),
        encoding: Encoding::Legacy(encoding),
        loss,
    })
}

fn guess(bytes: &[u8]) -> &'static encoding_rs::Encoding {
    if is_hardly_evidence(bytes) {
        return WINDOWS_1252;
    }
    let first = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
    let start = memchr::memrchr(b'\n', &bytes[..first]).map_or(0, |at| at + 1);
    let sample = &bytes[start..bytes.len().min(start + SAMPLE_BYTES)];
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(sample, sample.len() == bytes.len() - start);
    detector.guess(None, Utf8Detection::Deny)
}

/// A few single bytes among ASCII: an accent in a name, a degree or a copyright sign. Any guess finds something in them.
fn is_hardly_evidence(bytes: &[u8]) -> bool {
    let alone = bytes
        .windows(2)
        .all(|pair| pair[0].is_ascii() || pair[1].is_ascii());
    let others = bytes.iter().filter(|byte| !byte.is_ascii());
    alone && others.take(FEW_BYTES + 1).count() <= FEW_BYTES
}

fn encode_legacy(
    encoding: &'static encoding_rs::Encoding,
    wire: &str,
) -> Result<Vec<u8>, Unencodable> {
    let mut encoder = encoding.new_encoder();
    let mut bytes = Vec::with_capacity(wire.len());
    let mut rest = wire;
    loop {
        let needed = encoder.max_buffer_length_from_utf8_without_replacement(rest.len());
        bytes.reserve(needed.unwrap_or(rest.len()));
        let (result, read) =
            encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut bytes, true);
        rest = &rest[read..];
        match result {
            EncoderResult::InputEmpty => return Ok(bytes),
            EncoderResult::OutputFull => {}
            EncoderResult::Unmappable(character) => {
                let before = &wire.as_bytes()[..wire.len() - rest.len()];
                return Err(Unencodable::Character {
                    character,
                    line: line_of(before, before.len() - character.len_utf8()),
                    encoding: Encoding::Legacy(encoding),
                });
            }
        }
    }
}

fn first_replaced(wire: &str) -> Loss {
    let at = wire.find(char::REPLACEMENT_CHARACTER).unwrap_or(wire.len());
    Loss {
        line: line_of(wire.as_bytes(), at),
    }
}

fn first_difference(encoding: &'static encoding_rs::Encoding, wire: &str, bytes: &[u8]) -> Loss {
    let line = match encode_legacy(encoding, wire) {
        Err(Unencodable::Character { line, .. }) => line,
        again => {
            let again = again.unwrap_or_default();
            let same = again.iter().zip(bytes).take_while(|(a, b)| a == b).count();
            line_of(bytes, same)
        }
    };
    Loss { line }
}

/// The 1-based line of a byte.
fn line_of(bytes: &[u8], at: usize) -> usize {
    1 + memchr::memchr_iter(b'\n', &bytes[..at]).count()
}

#[cfg(test)]
mod tests;
