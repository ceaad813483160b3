//! The folded form of text: typographic punctuation as ASCII, Unicode in NFC. Two texts that fold alike look alike.
//!
//! Knows single lines; what a likeness is good for is decided elsewhere.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::iter::once;
use unicode_normalization::char::{canonical_combining_class, compose};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// What stands in ASCII for a typographic character.
fn plain_form(character: char) -> Option<&'static str> {
    Some(match character {
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' | '\u{2032}' | '\u{2bc}' => "'",
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' | '\u{2033}' => "\"",
        '\u{2010}'..='\u{2015}' | '\u{2212}' => "-",
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => " ",
        '\u{2026}' => "...",
        _ => return None,
    })
}

/// Whether a character is its own folded form wherever it stands, by ranges that need no table. Many others are, too.
fn is_plain(character: char) -> bool {
    matches!(character,
        '\0'..='\u{9f}' | '\u{a1}'..='\u{2bb}' | '\u{2bd}'..='\u{2ff}'
        | '\u{388}'..='\u{482}' | '\u{48a}'..='\u{52f}'
        | '\u{3041}'..='\u{3096}' | '\u{309d}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}' | '\u{1f300}'..='\u{1faff}')
}

/// Whether nothing before the character can be composed with it.
fn begins_segment(character: char) -> bool {
    is_plain(character)
        || (canonical_combining_class(character) == 0
            && is_nfc_quick(once(character)) != IsNormalized::Maybe)
}

/// The runs of characters that are folded together, each with where it starts.
fn segments(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    core::iter::from_fn(move || {
        let rest = &line[start..];
        let end = (rest.char_indices().skip(1))
            .find(|(_, character)| begins_segment(*character))
            .map_or(rest.len(), |(at, _)| at);
        let segment = (start, &rest[..end]);
        start += end;
        (end > 0).then_some(segment)
    })
}

fn is_folded(line: &str) -> bool {
    line.is_ascii() || line.chars().all(is_plain)
}

fn push_segment(segment: &str, folded: &mut String) {
    let push = |folded: &mut String, character: char| match plain_form(character) {
        Some(plain) => folded.push_str(plain),
        None => folded.push(character),
    };
    let mut characters = segment.chars();
    match (characters.next(), characters.next(), characters.next()) {
        (Some(character), None, None) if plain_form(character).is_some() => {
            push(folded, character);
        }
        // The common case without the machinery: a letter and its accent.
        (Some(letter @ '\0'..='\x7f'), Some(mark @ '\u{300}'..='\u{33f}'), None) => {
            match compose(letter, mark) {
                Some(character) => folded.push(character),
                None => folded.push_str(segment),
            }
        }
        _ => segment.nfc().for_each(|character| push(folded, character)),
    }
}

/// Appends a line's folded form.
pub(super) fn push(line: &str, folded: &mut String) {
    if line.is_ascii() {
        folded.push_str(line);
        return;
    }
    // Up to here all is appended; from `segment` on, characters may be folded together.
    let (mut done, mut segment) = (0, 0);
    let mut characters = line.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        if is_plain(character) {
            segment = at;
            continue;
        }
        if begins_segment(character) {
            segment = at;
        }
        while characters
            .next_if(|(_, character)| !begins_segment(*character))
            .is_some()
        {}
        let end = characters.peek().map_or(line.len(), |(at, _)| *at);
        folded.push_str(&line[done..segment]);
        push_segment(&line[segment..end], folded);
        (done, segment) = (end, end);
    }
    folded.push_str(&line[done..]);
}

/// A line's folded form.
pub(super) fn fold(line: &str) -> Cow<'_, str> {
    if is_folded(line) {
        return Cow::Borrowed(line);
    }
    let mut folded = String::with_capacity(line.len());
    push(line, &mut folded);
    Cow::Owned(folded)
}

/// A line as it is compared, with the way back to the line as it stands.
pub(super) struct View<'a> {
    /// What is compared.
    pub(super) text: Cow<'a, str>,
    /// Where segments start: in the compared text, and in the line. None: both are the same text.
    boundaries: Option<Vec<(usize, usize)>>,
}

impl<'a> View<'a> {
    /// The line as it stands.
    pub(super) fn plain(line: &'a str) -> Self {
        Self {
            text: Cow::Borrowed(line),
            boundaries: None,
        }
    }

    /// The line folded.
    pub(super) fn folded(line: &'a str) -> Self {
        if is_folded(line) {
            return Self::plain(line);
        }
        let mut text = String::with_capacity(line.len());
        let mut boundaries = Vec::new();
        for (start, segment) in segments(line) {
            boundaries.push((text.len(), start));
            push_segment(segment, &mut text);
        }
        boundaries.push((text.len(), line.len()));
        Self {
            text: Cow::Owned(text),
            boundaries: Some(boundaries),
        }
    }

    /// Where an offset of the compared text is in the line; none if it is inside of what was folded together.
    pub(super) fn original(&self, offset: usize) -> Option<usize> {
        let Some(boundaries) = &self.boundaries else {
            return Some(offset);
        };
        let index = boundaries
            .binary_search_by_key(&offset, |(folded, _)| *folded)
            .ok()?;
        Some(boundaries[index].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn characters_without_a_table_are_their_own_folded_form() {
        for character in ('\0'..=char::MAX).filter(|character| is_plain(*character)) {
            assert_eq!(plain_form(character), None, "{character:?}");
            assert_eq!(canonical_combining_class(character), 0, "{character:?}");
            assert_eq!(
                is_nfc_quick(once(character)),
                IsNormalized::Yes,
                "{character:?}"
            );
        }
    }

    #[test]
    fn typography_and_composition_fold() {
        assert_eq!(fold("“it’s” — 1\u{a0}000…"), "\"it's\" - 1 000...");
        assert_eq!(fold("cafe\u{301} 한"), "café 한");
        assert_eq!(fold("\u{1112}\u{1161}\u{11ab}"), "한");
        assert_eq!(
            fold("a\u{323}\u{307} a\u{307}\u{323}"),
            fold("ạ\u{307} ạ\u{307}")
        );
        assert_eq!(fold("日本 😀"), "日本 😀");
        assert_eq!(fold("x\u{301} n\u{323}\u{303}"), "x\u{301} ṇ\u{303}");
        assert_eq!(fold("\u{2126}\u{212b}"), "Ωå".to_uppercase());
        assert_eq!(fold("\u{301}x"), "\u{301}x", "a mark without a letter");
    }

    proptest! {
        #[test]
        fn lines_and_views_of_them_fold_alike(line in "[a-e“–… \u{301}\u{323}\u{302}éÅ\u{1161}\u{1112}\u{11ab}日\u{340}\u{958}\u{2126}]{0,12}") {
            let nfc: String = line.nfc().collect();
            let expected: String = nfc.chars().map(|it| plain_form(it).map_or(String::from(it), String::from)).collect();
            prop_assert_eq!(&fold(&line), &expected);
            prop_assert_eq!(&View::folded(&line).text, &expected);
        }
    }

    #[test]
    fn offsets_lead_back_to_the_line() {
        let view = View::folded("a…e\u{301}”z");
        assert_eq!(view.text, "a...é\"z");
        let back: Vec<Option<usize>> = (0..=view.text.len()).map(|at| view.original(at)).collect();
        let expected = [
            Some(0),
            Some(1),
            None,
            None,
            Some(4),
            None,
            Some(7),
            Some(10),
            Some(11),
        ];
        assert_eq!(back, expected);
    }
}
