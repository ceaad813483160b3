//! One place, none, or several: each told rightly, as `str` would find them.

mod ladder;
mod whole_lines;

use super::*;
use crate::testing::logical_texts;
use alloc::string::ToString;
use proptest::prelude::*;

fn rope(text: &str) -> Rope {
    Rope::from_str(text)
}

fn found(text: &str, needle: &str) -> Result<(usize, usize), FindError> {
    let found = find_unique(&rope(text), needle)?;
    assert_eq!(found.rung, Rung::Exact);
    Ok((found.range.start.0, found.range.end.0))
}

fn ambiguous_lines(text: &str, needle: &str) -> Vec<usize> {
    match find_unique(&rope(text), needle) {
        Err(FindError::Ambiguous { lines }) => lines.into_iter().map(|line| line.0).collect(),
        other => panic!("{other:?}"),
    }
}

fn nearest(text: &str, needle: &str) -> Option<Nearest> {
    match find_unique(&rope(text), needle) {
        Err(FindError::NoMatch { nearest }) => nearest,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_single_occurrence_is_found() {
    assert_eq!(found("a\nb\nc\n", "b"), Ok((2, 3)));
    assert_eq!(found("a\nb\nc\n", "b\nc\n"), Ok((2, 6)));
    assert_eq!(found("a\n😀é\n", "é"), Ok((6, 8)));
    assert_eq!(found("x\n", "x\n"), Ok((0, 2)));
}

#[test]
fn a_needle_with_crlf_is_logical_text() {
    assert_eq!(found("a\nb\nc\n", "a\r\nb\r\n"), Ok((0, 4)));
    assert_eq!(find_all(&rope("a\nb\na\nb\n"), "a\r\nb").len(), 2);
    assert_eq!(
        found("a\rb\n", "a\rb"),
        Ok((0, 3)),
        "a CR alone is a character"
    );
}

#[test]
fn every_occurrence_makes_a_needle_ambiguous() {
    assert_eq!(ambiguous_lines("a\nb\na\na b a\n", "a"), [0, 2, 3, 3]);
    assert_eq!(ambiguous_lines("aba\nx\nababa\n", "aba"), [0, 2, 2]);
    assert_eq!(ambiguous_lines("}\n}\n}\n", "}\n}\n"), [0, 1]);
    let error = find_unique(&rope("a a\n"), "a").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the text to be found is in the file 2 times; give more of the text around it"
    );
}

#[test]
fn many_occurrences_are_not_all_listed() {
    let text = "a".repeat(100_000) + "\n";
    assert_eq!(ambiguous_lines(&text, "aaa").len(), MAX_OCCURRENCES);
    let error = find_unique(&rope(&text), "a").unwrap_err();
    assert!(error.to_string().contains("1000 or more times"));
    assert_eq!(find_all(&rope(&text), "aaa").len(), 33_333);
}

#[test]
fn an_empty_needle_stands_nowhere() {
    assert_eq!(found("a\n", ""), Err(FindError::NoMatch { nearest: None }));
    assert!(find_all(&rope("a\n"), "").is_empty());
}

#[test]
fn needles_across_chunks_and_windows_are_found() {
    let text: String = (0..40_000).map(|n| alloc::format!("line {n}\n")).collect();
    for number in [0, 10, 5_000, 6_500, 39_000] {
        for height in [1, 2, 90, 900] {
            let needle: String = (number..number + height)
                .map(|n| alloc::format!("line {n}\n"))
                .collect();
            let start = text.find(&needle).unwrap();
            assert_eq!(found(&text, &needle), Ok((start, start + needle.len())));
        }
    }
    assert_eq!(found(&text, &text), Ok((0, text.len())));
    assert_eq!(found(&text, &text[1..]), Ok((1, text.len())));
}

#[test]
fn the_nearest_lines_are_those_with_most_in_common() {
    let text = "fn a() {\n    x();\n}\n\nfn b() {\n    x();\n    y(1);\n}\n";
    let near = nearest(text, "fn b() {\n    x();\n    y(2);\n}\n").unwrap();
    assert_eq!(near.lines, LineRange::new(4, 8));
    assert_eq!(near.text, "fn b() {\n    x();\n    y(1);\n}\n");
    assert_eq!(
        near.differs,
        "line 7 is `    y(1);`, the text to be found has `    y(2);`"
    );
}

#[test]
fn the_kind_of_difference_is_named() {
    let differs = |text, needle| nearest(text, needle).unwrap().differs;
    assert_eq!(
        differs("a\n\tfoo(bar);\n", "    foo( bar);\n"),
        "line 2 is `\\tfoo(bar);`, the text to be found has `    foo( bar);` (only white space differs)"
    );
    assert_eq!(
        differs("a\nlet Name = 1;\n", "let name = 1;"),
        "line 2 is `let Name = 1;`, the text to be found has `let name = 1;` (only upper and lower case differ)"
    );
    assert_eq!(
        differs("a\nlast\n", "last\nmore\n"),
        "the file ends with line 2, the text to be found goes on"
    );
}

#[test]
fn words_help_where_no_line_is_in_common() {
    let near = nearest(
        "one\ntwo\n  let total_count = first + second;\nthree\n",
        "let total_count = first - second;",
    )
    .unwrap();
    assert_eq!(near.lines, LineRange::new(2, 3));
    assert!(near.text.contains("first + second"));
}

#[test]
fn nothing_in_common_has_nothing_near() {
    assert_eq!(nearest("one\ntwo\n", "something else"), None);
    assert_eq!(nearest("one\ntwo\n", "\n\n\n"), None);
    assert_eq!(nearest("\n", "x"), None);
}

#[test]
fn a_long_line_is_cut_for_show() {
    let near = nearest(
        "x\nword word word\n",
        &("word word ".to_string() + &"z".repeat(1000)),
    )
    .unwrap();
    assert!(near.differs.contains("…`"));
}

proptest! {
    #[test]
    fn all_matches_agree_with_the_standard_search(
        text in logical_texts(),
        a in any::<prop::sample::Index>(),
        length in 1..6usize,
    ) {
        let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let from = a.index(starts.len() - 1);
        let needle = &text[starts[from]..starts[(from + length).min(starts.len() - 1)]];
        let expected: Vec<usize> = text.match_indices(needle).map(|(at, _)| at).collect();
        let all: Vec<usize> = find_all(&rope(&text), needle).into_iter().map(|it| it.start.0).collect();
        prop_assert_eq!(&all, &expected);
        // Overlapping ones count, too.
        let overlapping: Vec<usize> = (0..text.len())
            .filter(|at| text.as_bytes()[*at..].starts_with(needle.as_bytes()))
            .collect();
        match find_unique(&rope(&text), needle) {
            Ok(found) => prop_assert_eq!(&[found.range.start.0], &overlapping[..]),
            Err(FindError::Ambiguous { lines }) => {
                let starts = overlapping.iter().map(|at| LineIndex(rope(&text).byte_to_line(*at)));
                prop_assert_eq!(lines, starts.collect::<Vec<_>>());
                prop_assert!(overlapping.len() > 1);
            }
            Err(error) => prop_assert!(false, "{}", error),
        }
    }

    #[test]
    fn what_is_near_are_lines_of_the_text(text in logical_texts(), needle in logical_texts()) {
        let count = text.matches('\n').count();
        if let Err(FindError::NoMatch { nearest: Some(near) }) = find_unique(&rope(&text), &needle) {
            prop_assert!(near.lines.end.0 <= count && !near.lines.is_empty());
            prop_assert!(text.contains(&near.text));
            prop_assert!(!near.differs.is_empty());
        }
    }
}
