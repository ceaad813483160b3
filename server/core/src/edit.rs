//! An edit is a value: the text that it is for, what it replaces there, and the text that must come of it.

use crate::diff::equal;
use crate::hash::ContentHash;
use crate::position::{ByteOffset, ByteRange};
use crate::text::Snapshot;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ropey::Rope;

/// New text for a run of bytes. Line breaks in it are LF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// The bytes that go.
    pub range: ByteRange,
    /// The text that comes.
    pub text: String,
}

/// Disjoint replacements of one text.
///
/// It fits its base and nothing else; see [`crate::carry`] for bringing it to a later text. It holds both texts, which
/// share what they have in common, so that they are hashed only if somebody asks.
#[derive(Debug, Clone)]
pub struct Edit {
    base: Snapshot,
    replacements: Vec<Replacement>,
    expected: Snapshot,
}

/// Why replacements are no edit, or an edit does not fit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// A replacement reaches past the end of the text.
    #[error("a replacement of the bytes {}..{} reaches past the text's {length} bytes", range.start.0, range.end.0)]
    OutOfBounds {
        /// The replacement's bytes.
        range: ByteRange,
        /// The text's bytes.
        length: usize,
    },
    /// A replacement starts or ends inside a character.
    #[error("a replacement of the bytes {}..{} cuts a character", range.start.0, range.end.0)]
    InsideCharacter {
        /// The replacement's bytes.
        range: ByteRange,
    },
    /// Two replacements share bytes, or insert at the same place.
    #[error("two replacements meet at byte {}", at.0)]
    Overlap {
        /// Where they meet.
        at: ByteOffset,
    },
    /// The edit was made for another text.
    #[error("the edit was made for the text {} and does not fit the text {}", expected.short(), actual.short())]
    WrongBase {
        /// The text that it was made for.
        expected: ContentHash,
        /// The text that it was to be applied to.
        actual: ContentHash,
    },
}

impl Edit {
    /// An edit of `base`. Replacements may come in any order; those that change nothing are dropped. CRLF in new text
    /// becomes LF, and an LF is added where the text would end without one.
    ///
    /// # Errors
    /// Every kind but [`EditError::WrongBase`].
    pub fn new(base: &Snapshot, replacements: Vec<Replacement>) -> Result<Self, EditError> {
        let rope = base.rope();
        let mut replacements = replacements;
        replacements.sort_by_key(|it| (it.range.start, it.range.end));
        check(&replacements, rope)?;
        keep_final_newline(&mut replacements, rope);
        let mut replacements = keep_logical(replacements, rope);
        replacements.retain(|it| {
            it.range.len() != it.text.len() || rope.byte_slice(it.range.to_range()) != *it.text
        });
        let expected = if replacements.is_empty() {
            base.clone()
        } else {
            Snapshot::new(base.text().replaced(&replacements))
        };
        Ok(Self {
            base: base.clone(),
            replacements,
            expected,
        })
    }

    /// The smallest edit that makes `target` of `base`: whole lines where lines come or go, words where lines change.
    ///
    /// # Errors
    /// None, if `target` is a logical text.
    pub fn between(base: &Snapshot, target: &Rope) -> Result<Self, EditError> {
        Self::new(base, crate::diff::replacements(base.rope(), target))
    }

    /// The text that it is for.
    pub fn base(&self) -> ContentHash {
        self.base.hash()
    }

    /// The text that comes of it.
    pub fn expected(&self) -> ContentHash {
        self.expected.hash()
    }

    /// Its replacements: ascending, disjoint, each a change.
    pub fn replacements(&self) -> &[Replacement] {
        &self.replacements
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.replacements.is_empty()
    }

    /// The text that comes of it. Untouched lines keep their line endings, new lines get the ending of the line that
    /// they follow.
    ///
    /// # Errors
    /// [`EditError::WrongBase`] for any text but its own.
    pub fn apply(&self, base: &Snapshot) -> Result<Snapshot, EditError> {
        self.check_base(base)?;
        if base.ptr_eq(&self.base) {
            return Ok(self.expected.clone());
        }
        // The same logical text may have other line endings.
        Ok(Snapshot::new(base.text().replaced(&self.replacements)))
    }

    /// The edit that takes this one back; it is for the text that comes of this one.
    ///
    /// # Errors
    /// [`EditError::WrongBase`] if `base` is not the text that this edit is for.
    pub fn invert(&self, base: &Snapshot) -> Result<Self, EditError> {
        self.check_base(base)?;
        let mut shift: isize = 0;
        let replacements = self
            .replacements
            .iter()
            .map(|it| {
                let start = it.range.start.0.wrapping_add_signed(shift);
                shift += it.text.len().cast_signed() - it.range.len().cast_signed();
                Replacement {
                    range: ByteRange::new(start, start + it.text.len()),
                    text: base.rope().byte_slice(it.range.to_range()).to_string(),
                }
            })
            .collect();
        Ok(Self {
            base: self.expected.clone(),
            replacements,
            expected: base.clone(),
        })
    }

    /// Whether it is for this text.
    pub(crate) fn fits(&self, base: &Snapshot) -> bool {
        base.ptr_eq(&self.base) || equal(base.rope(), self.base.rope())
    }

    fn check_base(&self, base: &Snapshot) -> Result<(), EditError> {
        if self.fits(base) {
            return Ok(());
        }
        Err(EditError::WrongBase {
            expected: self.base(),
            actual: base.hash(),
        })
    }
}

/// In bounds, on character boundaries, disjoint.
fn check(replacements: &[Replacement], rope: &Rope) -> Result<(), EditError> {
    let length = rope.len_bytes();
    for Replacement { range, .. } in replacements {
        if range.end.0 > length || range.start > range.end {
            return Err(EditError::OutOfBounds {
                range: *range,
                length,
            });
        }
        let cuts = |offset: usize| rope.char_to_byte(rope.byte_to_char(offset)) != offset;
        if cuts(range.start.0) || cuts(range.end.0) {
            return Err(EditError::InsideCharacter { range: *range });
        }
    }
    for pair in replacements.windows(2) {
        let meet = pair[1].range.start < pair[0].range.end
            || (pair[0].range.is_empty() && pair[0].range == pair[1].range);
        if meet {
            return Err(EditError::Overlap {
                at: pair[1].range.start,
            });
        }
    }
    Ok(())
}

/// Reading the editor's text again turns each CRLF into LF, so a replacement must not make one: a CR that would come
/// to stand before an LF goes. Replacements that touch become one on the way.
fn keep_logical(replacements: Vec<Replacement>, rope: &Rope) -> Vec<Replacement> {
    let mut kept: Vec<Replacement> = Vec::with_capacity(replacements.len());
    for mut replacement in replacements {
        loop {
            if let Some(before) = kept.pop_if(|it| it.range.end == replacement.range.start) {
                replacement.range.start = before.range.start;
                replacement.text.insert_str(0, &before.text);
            }
            if !drop_returns(&mut replacement, rope) {
                break;
            }
        }
        kept.push(replacement);
    }
    kept
}

/// Drops the CRs before LFs in and around a replacement; true if it reaches further back for it.
fn drop_returns(replacement: &mut Replacement, rope: &Rope) -> bool {
    let Replacement { range, text } = replacement;
    while text.contains("\r\n") {
        *text = text.replace("\r\n", "\n");
    }
    let next = (range.end.0 < rope.len_bytes()).then(|| rope.byte(range.end.0));
    while next == Some(b'\n') && text.ends_with('\r') {
        text.pop();
    }
    let first = text.bytes().next().or(next);
    let before_newline = first == Some(b'\n') && range.start.0 > 0;
    let reaches_back = before_newline && rope.byte(range.start.0 - 1) == b'\r';
    range.start.0 -= usize::from(reaches_back);
    reaches_back
}

/// A logical text ends in LF: if the last replacement would take it away, it puts one back.
fn keep_final_newline(replacements: &mut [Replacement], rope: &Rope) {
    let mut edge = rope.len_bytes();
    let mut ends_in_newline = None;
    // The last new text that reaches the end; without one, what stands before the bytes that go.
    for it in replacements.iter().rev() {
        if it.range.end.0 != edge || ends_in_newline.is_some() {
            break;
        }
        if !it.text.is_empty() {
            ends_in_newline = Some(it.text.ends_with('\n'));
        }
        edge = it.range.start.0;
    }
    let ends_in_newline =
        ends_in_newline.unwrap_or_else(|| edge > 0 && rope.byte(edge - 1) == b'\n');
    if !ends_in_newline && let Some(last) = replacements.last_mut() {
        last.text.push('\n');
    }
}

#[cfg(test)]
pub(crate) mod tests;
