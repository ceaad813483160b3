//! Whether a text is another one with nothing but insertions, and where its pieces then stand. Exact, and without a
//! diff.
//!
//! Knows two ropes and byte ranges: nothing of edits.
//!
//! Some pieces of the text, the *solid* ones, must stand unbroken; between them anything may have been inserted.
//! Matching everything at its earliest place finds a way whenever there is one, since an earlier end never rules out
//! what follows; matching from the end at the latest places likewise. What a piece can have around it lies between
//! these two.
//!
//! Common ends of the texts are passed over: their earliest (from the start) and latest (from the end) places are
//! their own.

use crate::diff::ends;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use ropey::Rope;

/// By how much the part that is looked at grows at first, in bytes.
const STEP: usize = 256;

/// A text between two marks that stand for its ends, so that a piece can hold on to the start or the end of the text.
pub(super) struct Framed<'a>(pub &'a Rope);

impl Framed<'_> {
    const FRAME: char = '\0';

    /// The framed bytes of some bytes of the text.
    pub(super) fn range(bytes: &Range<usize>) -> Range<usize> {
        bytes.start + 1..bytes.end + 1
    }

    /// The framed range with the character before it and the one behind; a range that cuts characters grows over them.
    pub(super) fn with_neighbours(&self, bytes: &Range<usize>) -> Range<usize> {
        let range = Self::range(bytes);
        self.floor(range.start - 1)..self.ceil(range.end + 1)
    }

    fn len(&self) -> usize {
        self.0.len_bytes() + 2
    }

    pub(super) fn text(&self, range: Range<usize>) -> String {
        let last = self.len() - 1;
        let mut text = String::with_capacity(range.len());
        if range.start == 0 && !range.is_empty() {
            text.push(Self::FRAME);
        }
        let inner = range.start.clamp(1, last) - 1..range.end.clamp(1, last) - 1;
        text.extend(self.0.byte_slice(inner).chunks());
        if range.end > last && range.start <= last {
            text.push(Self::FRAME);
        }
        text
    }

    /// The start of the character at this place.
    fn floor(&self, place: usize) -> usize {
        if place == 0 || place >= self.len() - 1 {
            return place;
        }
        self.0.char_to_byte(self.0.byte_to_char(place - 1)) + 1
    }

    /// The next place between characters.
    fn ceil(&self, place: usize) -> usize {
        match self.floor(place) {
            floor if floor == place => place,
            floor => self.0.char_to_byte(self.0.byte_to_char(floor - 1) + 1) + 1,
        }
    }
}

/// Two texts with what they have in common at their ends.
pub(super) struct Pair<'a> {
    pub text: Framed<'a>,
    pub current: Framed<'a>,
    /// In bytes; may cut characters, and may overlap the end.
    pub prefix: usize,
    /// The same for the end.
    pub suffix: usize,
}

impl<'a> Pair<'a> {
    pub(super) fn new(text: &'a Rope, current: &'a Rope) -> Self {
        let prefix = ends::common_prefix(text.slice(..), current.slice(..));
        let equal = prefix == text.len_bytes() && prefix == current.len_bytes();
        let suffix = if equal {
            prefix
        } else {
            ends::common_suffix(text.slice(..), current.slice(..))
        };
        Self {
            text: Framed(text),
            current: Framed(current),
            prefix,
            suffix,
        }
    }

    pub(super) fn equal(&self) -> bool {
        self.prefix == self.text.0.len_bytes() && self.prefix == self.current.0.len_bytes()
    }

    /// Whether `current` is `text` with nothing but insertions.
    pub(super) fn fits(&self) -> bool {
        self.places(&[]).is_some()
    }

    /// If `current` is `text` with nothing but insertions, none of them within a solid piece: for each piece the part
    /// of `current` that can belong to it, from the earliest end of what is before it to the latest start of what is
    /// behind.
    ///
    /// All ranges are framed; `solid` is ascending and disjoint, on `char` boundaries, and may hold empty ones.
    pub(super) fn places(&self, solid: &[Range<usize>]) -> Option<Vec<Range<usize>>> {
        let (text, current) = (&self.text, &self.current);
        let grown = current.len().checked_sub(text.len())?;
        // A place within a solid piece or a character is moved out of it.
        let cut = |place: usize| {
            let piece = solid.get(solid.partition_point(|piece| piece.end <= place));
            piece.filter(|piece| piece.start < place)
        };
        let lower = |place: usize| cut(place).map_or_else(|| text.floor(place), |it| it.start);
        let upper = |place: usize| cut(place).map_or_else(|| text.ceil(place), |it| it.end);
        let prefix = self.prefix + 1;
        let suffix = (self.suffix + 1).min(text.len() - prefix);
        let (mut low, mut high) = (lower(prefix), upper(text.len() - suffix));
        let mut step = STEP;
        loop {
            let first = solid.partition_point(|piece| piece.start < low);
            let count = solid[first..].iter().take_while(|piece| piece.end <= high);
            let behind = first + count.count();
            let pieces: Vec<Range<usize>> = (solid[first..behind].iter())
                .map(|piece| piece.start - low..piece.end - low)
                .collect();
            let (part, place) = (text.text(low..high), current.text(low..high + grown));
            let (starts, end) = earliest(&part, &place, &pieces)?;
            let (ends, start) = latest(&part, &place, &pieces)?;
            // What is outside stands at its own place alone, if both directions arrive there.
            let (down, up) = (start > 0 && low > 0, end < place.len() && high < text.len());
            if !down && !up {
                let before = solid[..first].iter().cloned();
                let found = starts.iter().zip(&ends);
                let found = found.map(|(start, end)| start + low..end + low);
                let behind = solid[behind..].iter();
                let behind = behind.map(|piece| piece.start + grown..piece.end + grown);
                return Some(before.chain(found).chain(behind).collect());
            }
            if down {
                low = lower(low.saturating_sub(step));
            }
            if up {
                high = upper((high + step).min(text.len()));
            }
            step *= 2;
        }
    }
}

/// Matches from the start. The places before each piece, and the place behind everything.
fn earliest(text: &str, current: &str, solid: &[Range<usize>]) -> Option<(Vec<usize>, usize)> {
    let mut starts = Vec::with_capacity(solid.len());
    let (mut from, mut at) = (0, 0);
    for piece in solid {
        at += loose_from_start(&text[from..piece.start], &current[at..])?;
        starts.push(at);
        let unbroken = &text[piece.clone()];
        at += current[at..].find(unbroken)? + unbroken.len();
        from = piece.end;
    }
    at += loose_from_start(&text[from..], &current[at..])?;
    Some((starts, at))
}

/// Matches from the end. The places behind each piece, and the place before everything.
fn latest(text: &str, current: &str, solid: &[Range<usize>]) -> Option<(Vec<usize>, usize)> {
    let mut ends = Vec::with_capacity(solid.len());
    let (mut to, mut at) = (text.len(), current.len());
    for piece in solid.iter().rev() {
        at = loose_from_end(&text[piece.end..to], &current[..at])?;
        ends.push(at);
        at = current[..at].rfind(&text[piece.clone()])?;
        to = piece.start;
    }
    at = loose_from_end(&text[..to], &current[..at])?;
    ends.reverse();
    Some((ends, at))
}

/// Whether all characters of `text` stand in `current` in their order.
pub(super) fn is_within(text: &str, current: &str) -> bool {
    loose_from_start(text, current).is_some()
}

/// The end of the earliest place of characters in their order.
fn loose_from_start(mut text: &str, current: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        // Each character of a common run is at its earliest place.
        let mut common = ends::common_prefix_of(text.as_bytes(), &current.as_bytes()[at..]);
        while !text.is_char_boundary(common) {
            common -= 1;
        }
        at += common;
        text = &text[common..];
        match text.chars().next() {
            Some(character) => at += current[at..].find(character)?,
            None => return Some(at),
        }
    }
}

/// The start of the latest place of characters in their order.
fn loose_from_end(mut text: &str, current: &str) -> Option<usize> {
    let mut at = current.len();
    loop {
        let common = ends::common_suffix_of(text.as_bytes(), &current.as_bytes()[..at]);
        let mut left = text.len() - common;
        while !text.is_char_boundary(left) {
            left += 1;
        }
        at -= text.len() - left;
        text = &text[..left];
        match text.chars().next_back() {
            Some(character) => at = current[..at].rfind(character)? + character.len_utf8(),
            None => return Some(at),
        }
    }
}
