//! Parsing from what changed gives what parsing the whole gives.

use proptest::prelude::*;

use super::*;

const TEXT: &str = "/// Döc.\nstruct Point {\n    x: u8,\n}\n\nimpl Point {\n    fn área(&self) -> u8 {\n        self.x\n    }\n}\n\nfn main() {\n    let text = \"😀\";\n}\n";

fn outline_of(texts: &OpenTexts, text: &str) -> Arc<Outline> {
    texts
        .outline(
            Path::new("a.rs"),
            &Snapshot::decode(text),
            &CancellationToken::new(),
        )
        .unwrap()
}

#[test]
fn an_equal_text_is_not_parsed_again() {
    let texts = OpenTexts::default();
    let first = outline_of(&texts, TEXT);
    assert!(Arc::ptr_eq(&first, &outline_of(&texts, TEXT)));
    assert!(!Arc::ptr_eq(&first, &outline_of(&texts, "fn other() {}\n")));
}

#[test]
fn a_file_that_becomes_another_language_is_parsed_as_that() {
    let texts = OpenTexts::default();
    let outline = |text: &str| {
        let snapshot = Snapshot::decode(text);
        let outline = texts.outline(Path::new("tool"), &snapshot, &CancellationToken::new());
        outline.map(|outline| {
            outline
                .definitions()
                .map(|it| it.name().to_owned())
                .collect::<Vec<_>>()
        })
    };
    assert_eq!(outline("#!/bin/sh\nf() { :; }\n").unwrap(), ["f"]);
    assert_eq!(
        outline("#!/usr/bin/python\ndef g(): pass\n").unwrap(),
        ["g"]
    );
    assert_eq!(outline("plain\n"), Err(Unparsed::UnknownLanguage));
}

#[test]
fn trees_are_bounded_in_number_and_bytes() {
    let texts = OpenTexts::default();
    let cancel = CancellationToken::new();
    for file in 0..MAX_TREES + 5 {
        let path = format!("{file}.rs");
        texts
            .outline(Path::new(&path), &Snapshot::decode(TEXT), &cancel)
            .unwrap();
    }
    assert_eq!(texts.lock().texts.len(), MAX_TREES);
    assert!(
        !texts.lock().texts.contains_key(Path::new("0.rs")),
        "the oldest went"
    );
    let texts = OpenTexts::within(2000);
    let large = Snapshot::decode(&"fn a() {}\n".repeat(90));
    for file in ["x.rs", "y.rs", "z.rs"] {
        texts.outline(Path::new(file), &large, &cancel).unwrap();
        let state = texts.lock();
        let bytes: usize = state
            .texts
            .values()
            .map(|kept| kept.parsed.snapshot.rope().len_bytes())
            .sum();
        assert!(bytes <= 2000, "{bytes}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn edits_lead_to_the_outline_of_the_whole(
        edits in prop::collection::vec(
            (0.0..1.0f64, 0usize..30, prop::sample::select(vec![
                "", "x", "\n", "fn new() {}\n", "struct É;\n", "{", "}", "/*", "*/", "\"", "😀", "impl A {\n", "// c\n",
            ])),
            1..8,
        ),
    ) {
        let texts = OpenTexts::default();
        let mut text = TEXT.to_owned();
        outline_of(&texts, &text);
        for (place, length, new) in edits {
            let chars: Vec<char> = text.chars().collect();
            let start = (place * chars.len() as f64) as usize;
            let end = (start + length).min(chars.len());
            text = chars[..start].iter().chain(&new.chars().collect::<Vec<_>>()).chain(&chars[end..]).collect();
            let (whole, incremental) = (outline_of(&OpenTexts::default(), &text), outline_of(&texts, &text));
            // Where a text does not parse, recovery may take another way from an earlier tree.
            if !whole.is_incomplete() {
                prop_assert_eq!(&*incremental, &*whole, "{}", text);
            }
        }
    }

    #[test]
    fn the_edit_between_two_texts_is_in_both(old in "[aé😀\n]{0,20}", new in "[aé😀\n]{0,20}") {
        let (old, new) = (Rope::from_str(&old), Rope::from_str(&new));
        match edit_between(&old, &new) {
            None => prop_assert_eq!(old, new),
            Some(edit) => {
                let mut made = old.clone();
                let chars = |rope: &Rope, byte| rope.byte_to_char(byte);
                made.remove(chars(&old, edit.start_byte)..chars(&old, edit.old_end_byte));
                let came = new.byte_slice(edit.start_byte..edit.new_end_byte).to_string();
                made.insert(chars(&old, edit.start_byte), &came);
                prop_assert_eq!(made, new);
            }
        }
    }
}
