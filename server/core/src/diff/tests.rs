//! Diffs make the new text of the old one, and are as small as they can be.

use super::*;
use crate::testing::{insertions, logical_texts};
use alloc::string::ToString;
use proptest::prelude::*;

fn rope(text: &str) -> Rope {
    Rope::from_str(text)
}

/// The same text in chunks of other sizes, as typing leaves them.
fn typed(text: &str) -> Rope {
    let mut rope = Rope::new();
    for (index, character) in text.chars().rev().enumerate() {
        rope.insert_char(0, character);
        if index % 3 == 0 {
            rope.insert(0, "xxxxxxxx");
            rope.remove(0..8);
        }
    }
    rope
}

fn change(old: Range<usize>, new: Range<usize>) -> LineChange {
    LineChange {
        old: LineRange::new(old.start, old.end),
        new: LineRange::new(new.start, new.end),
    }
}

fn changed(old: &str, new: &str) -> Vec<LineChange> {
    line_changes(&rope(old), &rope(new))
}

fn replaced(old: &Rope, replacements: &[Replacement]) -> String {
    let mut text = old.to_string();
    for Replacement { range, text: new } in replacements.iter().rev() {
        text.replace_range(range.to_range(), new);
    }
    text
}

#[test]
fn equal_texts_have_no_changes() {
    for text in ["\n", "a\n", "a\nb\n", "😀\n\n\n"] {
        assert!(equal(&rope(text), &typed(text)));
        assert_eq!(changed(text, text), []);
        assert!(replacements(&rope(text), &typed(text)).is_empty());
        assert_eq!(unified(&rope(text), &typed(text), 3), "");
    }
    assert!(!equal(&rope("a\n"), &rope("b\n")));
    assert!(!equal(&rope("a\n"), &rope("a\n\n")));
}

#[test]
fn a_change_is_told_by_whole_lines() {
    assert_eq!(changed("a\nb\nc\n", "a\nx\nc\n"), [change(1..2, 1..2)]);
    assert_eq!(changed("a\nb\n", "a\nx\nb\n"), [change(1..1, 1..2)]);
    assert_eq!(changed("a\nb\nc\n", "a\nc\n"), [change(1..2, 1..1)]);
    assert_eq!(changed("a\n", "a\nb\n"), [change(1..1, 1..2)]);
    assert_eq!(changed("a\nb\n", "b\n"), [change(0..1, 0..0)]);
    assert_eq!(
        changed("a\nb\nc\nd\n", "x\nb\nc\ny\n"),
        [change(0..1, 0..1), change(3..4, 3..4)]
    );
}

#[test]
fn a_line_with_the_end_of_another_is_another_line() {
    assert_eq!(changed("a\n", "xa\n"), [change(0..1, 0..1)]);
    assert_eq!(changed("a\nb\n", "a\nxb\n"), [change(1..2, 1..2)]);
    assert_eq!(changed("ab\n", "a\n"), [change(0..1, 0..1)]);
    assert_eq!(changed("\n", "a\n\n"), [change(0..0, 0..1)]);
}

#[test]
fn an_added_block_starts_where_a_person_would_say() {
    let old = "fn a() {\n    x\n}\n\nfn c() {\n    x\n}\n";
    let new = "fn a() {\n    x\n}\n\nfn b() {\n    x\n}\n\nfn c() {\n    x\n}\n";
    assert_eq!(changed(old, new), [change(4..4, 4..8)]);
    assert_eq!(changed(new, old), [change(4..8, 4..4)]);
    let call = "    if a {\n        x();\n    }\n    y();\n";
    let twice = "    if a {\n        x();\n    }\n    if b {\n        x();\n    }\n    y();\n";
    assert_eq!(changed(call, twice), [change(3..3, 3..6)]);
}

#[test]
fn replacements_are_no_larger_than_what_changed() {
    let only = |old: &str, new: &str| {
        let replacements = replacements(&rope(old), &rope(new));
        let parts: Vec<_> = replacements
            .into_iter()
            .map(|it| (it.range.to_range(), it.text))
            .collect();
        parts
    };
    let text = String::from;
    assert_eq!(
        only("let a = foo(b);\n", "let a = bar(b);\n"),
        [(8..11, text("bar"))]
    );
    assert_eq!(
        only("let a = b;\n", "let mut a = b;\n"),
        [(4..4, text("mut "))]
    );
    assert_eq!(only("name\n", "names\n"), [(4..4, text("s"))]);
    assert_eq!(
        only("a + b\n", "c + d\n"),
        [(0..1, text("c")), (4..5, text("d"))]
    );
    assert_eq!(only("a\nb\nc\n", "a\nc\n"), [(2..4, text(""))]);
    assert_eq!(only("a\n", "a\nb\n"), [(2..2, text("b\n"))]);
    assert_eq!(
        only("é\n", "è\n"),
        [(0..2, text("è"))],
        "never inside a character"
    );
}

#[test]
fn a_unified_diff_names_its_lines() {
    let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    let new = "1\n2\nx\n4\n5\n6\n7\n8\n9\nz\n";
    assert_eq!(
        unified(&rope(old), &rope(new), 1),
        "@@ -2,3 +2,3 @@\n 2\n-3\n+x\n 4\n@@ -9,1 +9,2 @@\n 9\n+z\n"
    );
    assert_eq!(
        unified(&rope(old), &rope(new), 3),
        "@@ -1,9 +1,10 @@\n 1\n 2\n-3\n+x\n 4\n 5\n 6\n 7\n 8\n 9\n+z\n"
    );
    assert_eq!(
        unified(&rope("a\n"), &rope("b\na\n"), 0),
        "@@ -0,0 +1,1 @@\n+b\n"
    );
    assert_eq!(
        unified(&rope("b\na\n"), &rope("a\n"), 0),
        "@@ -1,1 +0,0 @@\n-b\n"
    );
}

#[test]
fn lines_are_counted() {
    let changes = changed("a\nb\nc\n", "x\ny\nb\n");
    assert_eq!(
        counts(&changes),
        LineCounts {
            added: 2,
            removed: 2
        }
    );
    assert_eq!(counts(&[]), LineCounts::default());
}

#[test]
fn texts_without_a_last_line_feed_are_no_trouble() {
    for (old, new) in [
        ("", "a\n"),
        ("a", "a\n"),
        ("a\nb", "b"),
        ("", "\n"),
        ("a\nb", "a\nb\n"),
        ("b", "ab"),
    ] {
        for (old, new) in [(old, new), (new, old)] {
            assert_eq!(
                replaced(&rope(old), &replacements(&rope(old), &rope(new))),
                new,
                "{old:?} {new:?}"
            );
            assert_eq!(applied_by_lines(old, new), new, "{old:?} {new:?}");
        }
    }
}

#[test]
fn far_too_many_lines_are_one_change() {
    let half = 2 * lines::BOUNDS.max_window;
    let old: String = "a\n".repeat(half) + "b\n";
    let new: String = String::from("c\n") + &"d\n".repeat(half);
    assert_eq!(changed(&old, &new), [change(0..half + 1, 0..half + 1)]);
}

#[test]
fn few_changes_in_a_large_text_are_found_each() {
    let numbers: Vec<String> = (0..100_000).map(|n| alloc::format!("line {n}\n")).collect();
    let old = numbers.concat();
    let mut lines = numbers.clone();
    lines[10].push_str("more\n");
    lines[500] = String::from("other\n");
    lines.splice(20_000..25_000, core::iter::empty());
    lines.insert(60_000, "new\n".repeat(20_000));
    lines[94_000] = String::new();
    let expected = [
        change(11..11, 11..12),
        change(500..501, 501..502),
        change(20_000..25_000, 20_001..20_001),
        change(65_000..65_000, 60_001..80_001),
        change(98_999..99_000, 114_000..114_000),
    ];
    assert_eq!(changed(&old, &lines.concat()), expected);
    assert_eq!(applied_by_lines(&old, &lines.concat()), lines.concat());
}

/// The old text with the changes taken as whole lines.
fn applied_by_lines(old: &str, new: &str) -> String {
    let changes = line_changes(&rope(old), &rope(new));
    let changes = changes
        .iter()
        .map(|it| (it.old.start.0..it.old.end.0, it.new.start.0..it.new.end.0));
    with_changes(old, new, changes)
}

fn with_changes(old: &str, new: &str, changes: impl IntoIterator<Item = Change>) -> String {
    let old_lines: Vec<&str> = old.split_inclusive('\n').collect();
    let new_lines: Vec<&str> = new.split_inclusive('\n').collect();
    let mut next = 0;
    let mut text = String::new();
    for (from, to) in changes {
        text.extend(old_lines[next..from.start].iter().copied());
        text.extend(new_lines[to].iter().copied());
        next = from.end;
    }
    text.extend(old_lines[next..].iter().copied());
    text
}

fn assert_apart(changes: &[Change], old: &str, new: &str) {
    let old_lines: Vec<&str> = old.split_inclusive('\n').collect();
    let new_lines: Vec<&str> = new.split_inclusive('\n').collect();
    for pair in changes.windows(2) {
        assert!(pair[0].0.end < pair[1].0.start && pair[0].1.end < pair[1].1.start);
    }
    for (from, to) in changes {
        let (from, to) = (&old_lines[from.clone()], &new_lines[to.clone()]);
        assert!(!from.is_empty() || !to.is_empty());
        assert!(from.is_empty() || to.is_empty() || from.first() != to.first());
        assert!(from.is_empty() || to.is_empty() || from.last() != to.last());
    }
}

/// A text and a variation of it: pieces put in and taken out.
fn pairs() -> impl Strategy<Value = (String, String)> {
    let edits = prop::collection::vec(
        (any::<prop::sample::Index>(), 0..6usize, insertions()),
        0..4,
    );
    (logical_texts(), edits).prop_map(|(old, edits)| {
        let mut new = old.clone();
        for (place, removed, text) in edits {
            let places: Vec<usize> = new
                .char_indices()
                .map(|(at, _)| at)
                .chain([new.len()])
                .collect();
            let from = place.index(places.len());
            let to = (from + removed).min(places.len() - 1);
            new.replace_range(places[from]..places[to], &text);
        }
        while new.contains("\r\n") {
            new = new.replace("\r\n", "\n");
        }
        if !new.ends_with('\n') {
            new.push('\n');
        }
        (old, new)
    })
}

proptest! {
    #[test]
    fn line_changes_make_the_new_text((old, new) in pairs(), (other, _) in pairs()) {
        for new in [&new, &other] {
            prop_assert_eq!(&applied_by_lines(&old, new), new);
        }
    }

    #[test]
    fn line_changes_are_apart_and_have_no_common_ends((old, new) in pairs()) {
        let changes = line_changes(&rope(&old), &typed(&new));
        let changes = changes.iter().map(|it| (it.old.start.0..it.old.end.0, it.new.start.0..it.new.end.0));
        assert_apart(&changes.collect::<Vec<_>>(), &old, &new);
    }

    /// The same with bounds so narrow that each of them is met.
    #[test]
    fn narrow_bounds_change_nothing_but_the_size(
        (old, new) in pairs(),
        (other, _) in pairs(),
        (window, settling_run, max_window) in (1..4usize, 1..3usize, 1..8usize),
    ) {
        let bounds = lines::Bounds { window, settling_run, max_window };
        for new in [&new, &other] {
            let changes = lines::changes(&typed(&old), &rope(new), &bounds);
            assert_apart(&changes, &old, new);
            prop_assert_eq!(&with_changes(&old, new, changes), new);
        }
    }

    #[test]
    fn replacements_make_the_new_text((old, new) in pairs(), (other, _) in pairs()) {
        for new in [&new, &other] {
            let replacements = replacements(&typed(&old), &rope(new));
            for pair in replacements.windows(2) {
                prop_assert!(pair[0].range.end < pair[1].range.start);
            }
            prop_assert_eq!(&replaced(&rope(&old), &replacements), new);
        }
    }

    #[test]
    fn a_unified_diff_can_be_applied((old, new) in pairs(), context in 0..4usize) {
        let diff = unified(&rope(&old), &rope(&new), context);
        prop_assert_eq!(patched(&old, &diff), new);
    }

    #[test]
    fn common_ends_are_those_of_the_bytes((old, new) in pairs()) {
        let (a, b) = (typed(&old), rope(&new));
        let same = |(a, b): &(u8, u8)| a == b;
        let prefix = old.bytes().zip(new.bytes()).take_while(same).count();
        let suffix = old.bytes().rev().zip(new.bytes().rev()).take_while(same).count();
        prop_assert_eq!(ends::common_prefix(a.slice(..), b.slice(..)), prefix);
        prop_assert_eq!(ends::common_suffix(a.slice(..), b.slice(..)), suffix);
    }

    #[test]
    fn equality_is_that_of_the_text((old, new) in pairs()) {
        prop_assert_eq!(equal(&typed(&old), &rope(&new)), old == new);
    }
}

/// A plain reader of unified diffs, which believes the line numbers.
fn patched(old: &str, diff: &str) -> String {
    let old_lines: Vec<&str> = old.split_inclusive('\n').collect();
    let mut text = String::new();
    let mut next = 0;
    for line in diff.split_inclusive('\n') {
        let (mark, content) = line.split_at(1);
        match mark {
            "@" => {
                let numbers = line.split(['-', ',', ' ']).nth(2).unwrap();
                let length: usize = line.split(['-', ',', ' ']).nth(3).unwrap().parse().unwrap();
                let start = numbers.parse::<usize>().unwrap() - usize::from(length > 0);
                text.extend(old_lines[next..start].iter().copied());
                next = start;
            }
            " " => {
                assert_eq!(old_lines[next], content);
                text.push_str(content);
                next += 1;
            }
            "-" => {
                assert_eq!(old_lines[next], content);
                next += 1;
            }
            _ => text.push_str(content),
        }
    }
    text.extend(old_lines[next..].iter().copied());
    text
}
