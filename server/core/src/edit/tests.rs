//! Laws of edits: what goes in comes out, and back again.

use super::*;
use crate::testing::{insertions, wire_texts};
use alloc::string::ToString;
use alloc::vec;
use proptest::prelude::*;

fn replace(start: usize, end: usize, text: &str) -> Replacement {
    Replacement {
        range: ByteRange::new(start, end),
        text: text.into(),
    }
}

/// Random replacements of a text, sorted and disjoint, on character boundaries.
pub fn edits_of(base: &Snapshot, seeds: &[(usize, usize, String)]) -> Vec<Replacement> {
    let rope = base.rope();
    let mut offsets: Vec<usize> = seeds
        .iter()
        .flat_map(|(start, end, _)| [*start, *end])
        .map(|seed| rope.char_to_byte(seed % (rope.len_chars() + 1)))
        .collect();
    offsets.sort_unstable();
    offsets
        .chunks_exact(2)
        .zip(seeds)
        .map(|(pair, (_, _, text))| replace(pair[0], pair[1], text))
        .collect()
}

pub fn seeds() -> impl Strategy<Value = Vec<(usize, usize, String)>> {
    prop::collection::vec((any::<usize>(), any::<usize>(), insertions()), 0..4)
}

fn check(base: &str, replacements: Vec<Replacement>, expected: &str) {
    let base = Snapshot::decode(base);
    let edit = Edit::new(&base, replacements).unwrap();
    let after = edit.apply(&base).unwrap();
    assert_eq!(after.text().wire(), expected);
    assert_eq!(after.hash(), edit.expected());
}

#[test]
fn replacements_land_where_they_say() {
    check(
        "one\ntwo\n",
        vec![replace(4, 7, "2"), replace(0, 3, "1")],
        "1\n2\n",
    );
    check("", vec![replace(0, 0, "x\ny")], "x\ny");
    check("a\n", vec![replace(0, 2, "")], "\n");
    check("a\n", vec![replace(0, 2, "b")], "b\n");
    check("a\nb", vec![replace(4, 4, "c")], "a\nb\nc");
    check("a\nb", vec![replace(3, 3, "\n")], "a\nb\n\n");
    check("a\nb\n", vec![replace(2, 4, "")], "a\n");
    check("a\r\r\nb", vec![replace(3, 5, "")], "a\r\r");
}

#[test]
fn lines_keep_their_endings_and_new_ones_follow() {
    check("a\r\nb\r\n", vec![replace(1, 1, "\nx")], "a\r\nx\r\nb\r\n");
    check(
        "a\r\nb\nc\n",
        vec![replace(1, 1, "\nx")],
        "a\r\nx\r\nb\nc\n",
    );
    check("a\nb\r\nc\n", vec![replace(0, 2, "")], "b\r\nc\n");
    check(
        "\u{feff}a\r\nb",
        vec![replace(3, 3, "\nc")],
        "\u{feff}a\r\nb\r\nc",
    );
    check("a\n", vec![replace(1, 1, "\r\nx")], "a\nx\n");
}

#[test]
fn faults_are_named() {
    let base = Snapshot::decode("aé\n");
    let fault = |replacements| Edit::new(&base, replacements).unwrap_err().to_string();
    assert_eq!(
        fault(vec![replace(0, 9, "")]),
        "a replacement of the bytes 0..9 reaches past the text's 4 bytes"
    );
    assert_eq!(
        fault(vec![replace(2, 3, "")]),
        "a replacement of the bytes 2..3 cuts a character"
    );
    assert_eq!(
        fault(vec![replace(0, 1, ""), replace(0, 3, "")]),
        "two replacements meet at byte 0"
    );
    assert_eq!(
        fault(vec![replace(1, 1, "x"), replace(1, 1, "y")]),
        "two replacements meet at byte 1"
    );
    let edit = Edit::new(&base, vec![replace(0, 1, "b")]).unwrap();
    assert!(matches!(
        edit.apply(&Snapshot::decode("other\n")),
        Err(EditError::WrongBase { .. })
    ));
}

proptest! {
    #[test]
    fn an_edit_and_its_inverse_are_nothing(wire in wire_texts(), seeds in seeds()) {
        let base = Snapshot::decode(&wire);
        if let Ok(edit) = Edit::new(&base, edits_of(&base, &seeds)) {
            let after = edit.apply(&base).unwrap();
            // The same text, read from elsewhere, is a base as good.
            let elsewhere = edit.apply(&Snapshot::decode(&wire)).unwrap();
            prop_assert_eq!(elsewhere.hash(), edit.expected());
            prop_assert_eq!(elsewhere.text(), after.text());
            let wire = after.text().wire();
            let read_again = Snapshot::decode(&wire);
            prop_assert_eq!(read_again.rope(), after.rope(), "{:?}", wire);
            prop_assert_eq!(after.text().line_count(), after.rope().len_lines() - 1);
            let back = edit.invert(&base).unwrap().apply(&after).unwrap();
            prop_assert_eq!(back.rope(), base.rope());
        }
    }

    #[test]
    fn the_edit_between_two_texts_makes_one_of_the_other(old in wire_texts(), new in wire_texts()) {
        let (old, new) = (Snapshot::decode(&old), Snapshot::decode(&new));
        // A CR that stands before its line break cannot be written by an edit, only by a whole new text.
        let new = Snapshot::decode(&new.rope().to_string().replace("\r", ""));
        let edit = Edit::between(&old, new.rope()).unwrap();
        let after = edit.apply(&old).unwrap();
        prop_assert_eq!(after.rope(), new.rope());
        prop_assert_eq!(edit.is_empty(), old.rope() == new.rope());
    }
}
