//! What must hold for any input, as functions that a fuzzer and the property tests call alike. They panic where it
//! does not hold.
//!
//! Used by nothing else.

use crate::edit::Edit;
use crate::find::{self, Match};
use crate::patch::{Operation, Patch, place};
use crate::position::{
    ByteOffset, ByteRange, Column, LineIndex, LineRange, Position, PositionEncoding, offset_of,
    position_of,
};
use crate::text::{Snapshot, Text};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ropey::Rope;

/// Parts of an input are separated so.
const SEPARATOR: char = '\u{1f}';

/// A text in wire form, then needles and new texts in turn: each needle that has one place is replaced. What comes of it
/// is an edit that leads there, and back to the same bytes.
pub fn edit_matcher(input: &str) {
    let mut parts = input.split(SEPARATOR);
    let base = Snapshot::decode(parts.next().unwrap_or_default());
    let mut rope = base.rope().clone();
    while let (Some(needle), Some(new)) = (parts.next(), parts.next()) {
        let new = new.replace("\r\n", "\n");
        whole_lines(&rope, needle);
        if let Ok(found) = find::find_unique(&rope, needle)
            && let Some(fitted) = found.fitted(&new)
        {
            check_match(&rope, &found);
            put(&mut rope, &found.range, &fitted);
        }
        for range in find::find_all(&rope, needle).iter().rev() {
            put(&mut rope, range, &new);
        }
    }
    let length = rope.len_chars();
    if length == 0 || rope.char(length - 1) != '\n' {
        rope.insert_char(length, '\n');
    }
    there_and_back(&base, &rope);
}

/// The edit that makes `target` of a text, applied and taken back.
fn there_and_back(base: &Snapshot, target: &Rope) {
    let Ok(edit) = Edit::between(base, target) else {
        panic!("there is an edit between any two texts");
    };
    back_again(base, &edit);
}

/// An edit of a text, applied and taken back.
fn back_again(base: &Snapshot, edit: &Edit) {
    let Ok(after) = edit.apply(base) else {
        panic!("an edit fits its base");
    };
    assert_eq!(after.hash(), edit.expected());
    let Ok(inverse) = edit.invert(base) else {
        panic!("an edit of its base can be taken back");
    };
    let Ok(back) = inverse.apply(&after) else {
        panic!("an inverse fits what came of the edit");
    };
    assert_eq!(back.text().wire(), base.text().wire());
}

fn check_match(rope: &Rope, found: &Match) {
    let range = found.range.to_range();
    assert!(range.end <= rope.len_bytes() && range.start < range.end);
    for end in [range.start, range.end] {
        assert_eq!(rope.char_to_byte(rope.byte_to_char(end)), end);
    }
}

fn whole_lines(rope: &Rope, needle: &str) {
    let lines: Vec<&str> = needle.lines().collect();
    if let Ok(found) = find::find_lines(rope, &lines, LineRange::new(0, rope.len_lines())) {
        assert_eq!(found.lines.len(), lines.len());
        assert!(found.lines.end.0 <= rope.len_lines());
    }
}

fn put(rope: &mut Rope, range: &ByteRange, text: &str) {
    let start = rope.byte_to_char(range.start.0);
    rope.remove(start..rope.byte_to_char(range.end.0));
    rope.insert(start, text);
}

/// A text in wire form, and a new text for the range between two positions of it: every offset leads to a position and
/// back, and a change from an editor leaves a text whose wire form is the same when it is read again.
pub fn range_conversion(text: &str, new: &str, start: (u32, u32), end: (u32, u32)) {
    let at = |(line, column): (u32, u32)| Position {
        line: LineIndex(line as usize),
        column: Column(column),
    };
    for encoding in [
        PositionEncoding::Utf8,
        PositionEncoding::Utf16,
        PositionEncoding::Utf32,
    ] {
        let decoded = Text::decode(text);
        assert_eq!(decoded.wire(), text);
        let rope = decoded.rope();
        for (offset, _) in String::from(rope).char_indices() {
            let position = position_of(rope, ByteOffset(offset), encoding);
            assert_eq!(offset_of(rope, position, encoding), ByteOffset(offset));
        }
        let inside = offset_of(rope, at(start), encoding);
        assert!(inside.0 <= rope.len_bytes());
        let mut changed = decoded.clone();
        if changed
            .apply_change(at(start)..at(end), new, encoding)
            .is_ok()
        {
            let again = Text::decode(&changed.wire());
            assert_eq!(again.wire(), changed.wire());
            assert_eq!(again.rope(), changed.rope());
        } else {
            assert_eq!(changed, decoded);
        }
    }
}

/// A patch, and a text in wire form for its hunks: what is read is written and read again alike, and what is placed is an
/// edit that leads back to the same bytes.
pub fn patch_parser(patch: &str, text: &str) {
    let Ok(patch) = Patch::parse(patch) else {
        return;
    };
    let written = patch.to_string();
    let Ok(again) = Patch::parse(&written) else {
        panic!("what is written is read again");
    };
    assert_eq!(again.to_string(), written);
    let base = Snapshot::decode(text);
    for section in &patch.sections {
        if let Operation::Update { hunks, .. } = &section.operation
            && let Ok(placed) = place(&base, hunks)
        {
            assert_eq!(placed.hunks.len(), hunks.len());
            back_again(&base, &placed.edit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{insertions, logical_texts, wire_texts};
    use alloc::format;
    use proptest::prelude::*;

    /// Needles that stand in texts like these, as they are or nearly.
    fn needles() -> impl Strategy<Value = String> {
        (
            logical_texts(),
            prop::sample::select(alloc::vec!["", " ", "\t", "\n"]),
            0..3usize,
        )
            .prop_map(|(text, before, cut)| {
                let lines: Vec<&str> = text.split_inclusive('\n').take(2).collect();
                let text = format!("{before}{}", lines.concat());
                text.chars()
                    .take(text.chars().count() - cut.min(1))
                    .collect()
            })
    }

    proptest! {
        #[test]
        fn replaced_places_lead_there_and_back(
            text in wire_texts(),
            edits in prop::collection::vec((needles(), insertions()), 0..4),
        ) {
            let mut input = text;
            for (needle, new) in edits {
                input += &format!("{SEPARATOR}{needle}{SEPARATOR}{new}");
            }
            edit_matcher(&input);
        }

        #[test]
        fn any_text_leads_there_and_back(input in "(\\PC|[\r\n\t \u{1f}\u{feff}])*") {
            edit_matcher(&input);
        }

        #[test]
        fn positions_are_converted(text in wire_texts(), new in insertions(), start in (0..9u32, 0..9u32), end in (0..9u32, 0..9u32)) {
            range_conversion(&text, &new, start, end);
        }
    }
}
