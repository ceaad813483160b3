//! Each rung of the ladder: what it forgives, what it does not, and what becomes of new text.

use super::*;

/// The matched text, its rung, and what `new` becomes there.
fn climbed(text: &str, needle: &str, new: &str) -> (String, Rung, Option<String>) {
    let found = find_unique(&rope(text), needle)
        .unwrap_or_else(|error| panic!("{needle:?} in {text:?}: {error:?}"));
    (
        text[found.range.to_range()].to_string(),
        found.rung,
        found.fitted(new).map(Cow::into_owned),
    )
}

fn check(text: &str, needle: &str, rung: Rung, matched: &str) {
    let (range, found, _) = climbed(text, needle, "");
    assert_eq!(
        (range.as_str(), found),
        (matched, rung),
        "{needle:?} in {text:?}"
    );
}

fn nowhere(text: &str, needle: &str) -> Option<Nearest> {
    nearest(text, needle)
}

#[test]
fn white_space_at_line_ends_is_forgiven() {
    let rung = Rung::TrailingSpace;
    check("a  \nb\t\nc\n", "a\nb\n", rung, "a  \nb\t\n");
    check("a\nb\nc\n", "a  \nb\t\nc\n", rung, "a\nb\nc\n");
    check("x(a  \n  b)\n", "(a\n  b", rung, "(a  \n  b");
    check("foo();\n", "foo();  ", rung, "foo();");
    check("foo(); \n", "foo();\t", rung, "foo(); ");
    check("a\n  \nb\n", "a\n\nb\n", rung, "a\n  \nb\n");
    check("a\n\nb\n", "a\n    \nb\n", rung, "a\n\nb\n");
    check("a\nb\n", "a \nb ", rung, "a\nb");
    // What goes on behind it is not an end of line.
    assert!(nowhere("foo(); bar();\n", "foo();   \nbar();").is_some());
    assert!(nowhere("foo();x\n", "foo(); ").is_some());
    // White space inside of lines counts.
    assert!(nowhere("a  b\nc\n", "a b\nc").is_some());
}

#[test]
fn blank_lines_around_whole_lines_are_forgiven() {
    let rung = Rung::TrailingSpace;
    check("a\nb\n", "\na\n", rung, "a\n");
    check("x\na\nb\n", "\n\na\n", rung, "a\n");
    check("x\na\nb\n", "a\n\n", rung, "a\n");
    check("x\na\nb\n", "\n\n\na\n\n\n", rung, "a\n");
    check("x\n\na\n\nb\n", "\n\n\na\n\n\n", rung, "\na\n\n");
    check("x\na  \nb\n", "\n\na", rung, "a  ");
    // Parts of lines are no whole lines.
    assert!(nowhere("x\n  a b\ny\n", "\n\na\n").is_none());
    // Nor are blank lines inside forgiven.
    assert!(nowhere("a\n\nb\n", "a\nb\n").is_some());
    assert!(nowhere("a\nb\n", "a\n\nb\n").is_some());
}

#[test]
fn new_text_loses_the_blank_lines_that_only_the_needle_has() {
    let becomes = |text, needle, new| climbed(text, needle, new).2.unwrap();
    assert_eq!(becomes("x\na\ny\n", "\n\na\n\n", "\n\nb\n\n"), "b\n");
    assert_eq!(becomes("x\na\ny\n", "\n\na\n", "b\n"), "b\n");
    assert_eq!(becomes("x\n\na\ny\n", "\n\n\na\n", "\n\n\nb\n"), "\nb\n");
    assert_eq!(becomes("x\na\ny\n", "\n\na\n", ""), "");
}

#[test]
fn one_uniform_shift_of_indentation_is_forgiven() {
    let text = "fn a() {\n    if x {\n        y();\n\n    }\n}\n";
    for needle in [
        "if x {\n    y();\n\n}\n",
        "  if x {\n      y();\n  \n  }\n",
        "        if x {\n            y();\n\n        }\n",
        "\t    if x {\n\t        y();\n\n\t    }\n",
    ] {
        check(
            text,
            needle,
            Rung::Indentation,
            "    if x {\n        y();\n\n    }\n",
        );
    }
    check(
        "\ta();\n\t\tb();\n",
        "a();\n\tb();",
        Rung::Indentation,
        "\ta();\n\t\tb();",
    );
    // A single line with less indentation stands there just so.
    check("    a();\n", "  a();\n", Rung::Exact, "  a();\n");
    check("  a();\n", "    a();\n", Rung::Indentation, "  a();\n");
}

#[test]
fn tabs_stand_for_spaces() {
    let tabs = "a {\n\tb {\n\t\tc\n\t}\n}\n";
    for width in [2, 3, 4, 8] {
        let spaces = tabs.replace('\t', &" ".repeat(width));
        check(tabs, &spaces, Rung::Indentation, tabs);
        check(&spaces, tabs, Rung::Indentation, &spaces);
        assert_eq!(climbed(tabs, &spaces, &spaces).2.unwrap(), tabs);
        assert_eq!(climbed(&spaces, tabs, tabs).2.unwrap(), spaces);
    }
    let new = "a {\n    b {\n        if c {\n            d\n        }\n    }\n}\n";
    let shifted = "a {\n\tb {\n\t\tif c {\n\t\t\td\n\t\t}\n\t}\n}\n";
    assert_eq!(
        climbed(tabs, &tabs.replace('\t', "    "), new).2.unwrap(),
        shifted
    );
    // A remark that is aligned under tabs keeps its space.
    assert_eq!(
        climbed(
            "\t/*\n\t * a\n\t */\n",
            "    /*\n     * a\n     */\n",
            "    /*\n     * b\n     */\n"
        )
        .2
        .unwrap(),
        "\t/*\n\t * b\n\t */\n"
    );
    // Of one space for a tab nobody knows how deep new lines are.
    assert!(nowhere("\ta\n\t\tb\n", " a\n  b\n").is_some());
}

#[test]
fn an_uneven_shift_is_refused_and_named() {
    let near = nowhere("if x:\n    a()\n    b()\n", "  a()\n      b()\n").unwrap();
    assert_eq!(near.lines, LineRange::new(1, 3));
    assert_eq!(
        near.differs,
        "only the indentation differs, but not alike on every line: line 2 is indented by 4 spaces, the text to be \
         found by 2 spaces; line 3 is indented by 4 spaces, the text to be found by 6 spaces"
    );
    for (text, needle) in [
        ("a\n    b\n", "a\n  b\n"),
        ("\ta\n    b\n", "    a\n    b\n"),
        ("    a\n\tb\n", "a\nb\n"),
        ("\ta\n\t\tb\n", "    a\n       b\n"),
    ] {
        let near = nowhere(text, needle).unwrap();
        assert!(
            near.differs.contains("not alike on every line"),
            "{text:?} {needle:?} {near:?}"
        );
    }
}

#[test]
fn white_space_that_is_no_indentation_is_text() {
    let spaced = "if x:\n\u{a0}\u{a0}y()\n\u{a0}\u{a0}z()\n";
    check(spaced, "  y()", Rung::Typography, "\u{a0}\u{a0}y()");
    let lines = "\u{a0}\u{a0}y()\n\u{a0}\u{a0}z()\n";
    check(spaced, "  y()\n  z()\n", Rung::Typography, lines);
    for (text, needle) in [
        (spaced, "    y()\n    z()\n"),
        ("\u{c}y()\n", "  y()"),
        ("y()\n", "\u{c}y()\n"),
        ("y()\nz()\n", "  y()\n  \u{a0}z()\n"),
    ] {
        nowhere(text, needle);
    }
}

#[test]
fn indentation_counts_for_whole_lines_only() {
    assert!(nowhere("  a {\n    b(c);\n", "    a {\n      b(\n").is_some());
    assert!(nowhere("  x; a {\n    b\n", "    a {\n      b\n").is_some());
}

#[test]
fn new_text_is_shifted_unless_it_stands_at_the_depth_of_the_file() {
    let becomes = |text, needle, new| climbed(text, needle, new).2;
    let deeper = "    if x {\n        y();\n    }\n";
    let needle = "if x {\n    y();\n}\n";
    let cases = [
        ("if z {\n    y();\n}\n", "    if z {\n        y();\n    }\n"),
        (
            "    if z {\n        y();\n    }\n",
            "    if z {\n        y();\n    }\n",
        ),
        (
            "loop {\n    if x {\n        y();\n    }\n}\n",
            "    loop {\n        if x {\n            y();\n        }\n    }\n",
        ),
        ("a();\n\n  \nb();\n", "    a();\n\n  \n    b();\n"),
        ("", ""),
        ("a();", "    a();"),
    ];
    for (new, expected) in cases {
        assert_eq!(becomes(deeper, needle, new).unwrap(), expected, "{new:?}");
    }
    let needle = "        if x {\n            y();\n        }\n";
    assert_eq!(
        becomes(deeper, needle, "        z();\n").unwrap(),
        "    z();\n"
    );
    assert_eq!(becomes(deeper, needle, "    z();\n").unwrap(), "    z();\n");
    assert_eq!(
        becomes(deeper, needle, "        z {\n  y\n        }\n"),
        None
    );
}

#[test]
fn typography_and_composition_are_forgiven() {
    let rung = Rung::Typography;
    check("say(“it’s”);\n", "say(\"it's\");", rung, "say(“it’s”);");
    check("say(\"it's\");\n", "“it’s”", rung, "\"it's\"");
    check("a – b — c\n", "a - b - c", rung, "a – b — c");
    check(
        "1\u{a0}000\u{202f}€\n",
        "1 000 €",
        rung,
        "1\u{a0}000\u{202f}€",
    );
    check("wait…\n", "wait...", rung, "wait…");
    check("cafe\u{301}s\n", "café", rung, "cafe\u{301}");
    check("cafés\n", "cafe\u{301}", rung, "café");
    check("x  \n“a”\nb\n", "x\n\"a\"\nb", rung, "x  \n“a”\nb");
    check("a\nx “b” y\n", "“b\"", rung, "“b”");
    // Half of what folds to one is no match.
    assert!(nowhere("wait…\n", "wait..").is_some());
    assert!(nowhere("cafe\u{301}\n", "é\u{301}").is_none());
    assert_eq!(climbed("“a”\n", "\"a\"", "$1 \"b\"").2.unwrap(), "$1 \"b\"");
    // Letter case and look-alikes are not typography.
    assert!(nowhere("the Name\n", "the name").is_some());
    assert!(nowhere("ﬁle here\n", "file here").is_some());
}

#[test]
fn two_candidates_of_a_rung_are_ambiguous() {
    assert_eq!(ambiguous_lines("a  \nb\nx\na\t\nb\n", "a\nb\n"), [0, 3]);
    assert_eq!(
        ambiguous_lines("x\n  a\n  b\nx\n    a\n    b\n", "a\nb\n"),
        [1, 4]
    );
    assert_eq!(ambiguous_lines("“a” ‘b’ “a”\n", "\"a\""), [0, 0]);
    assert_eq!(ambiguous_lines("x\na\ny\na\n", "\n\na\n"), [1, 3]);
}

#[test]
fn the_lower_rung_counts() {
    // Exact beside trailing white space, that beside indentation, that beside typography.
    check("a\nb\nx\na  \nb\n", "a\nb\n", Rung::Exact, "a\nb\n");
    check(
        "a  \nb\nx\n  a\n  b\n",
        "a\nb\n",
        Rung::TrailingSpace,
        "a  \nb\n",
    );
    check(
        "“a”\nx\nx\n    \"a\"\n",
        "      \"a\"\n",
        Rung::Indentation,
        "    \"a\"\n",
    );
}

#[test]
fn a_needle_that_repeats_without_end_is_refused_soon() {
    let text = "x\n".repeat(20_000);
    let needle = "  x\n    x\n".repeat(300);
    assert!(nowhere(&text, &needle).is_some());
    // One place would fit, but behind more places than are looked at.
    let one = text.clone() + "y\n" + &"  x\n".repeat(600) + &"x\n".repeat(2);
    let needle = "    x\n".repeat(600);
    assert!(find_unique(&rope(&one), &needle).is_err());
}

/// White space at line ends, indentation and typography aside.
fn bare(text: &str) -> Vec<String> {
    let lines = text.trim().split('\n');
    lines
        .map(|line| fold::fold(line.trim()).into_owned())
        .collect()
}

fn lines_of_code() -> impl Strategy<Value = String> {
    let line = (
        0..4usize,
        prop::sample::select(alloc::vec![
            "a", "b {", "}", "“c”", "\"c\"", "", "e\u{301}", "é"
        ]),
        prop::sample::select(alloc::vec!["", "", " ", "\t"]),
    );
    let unit = prop::sample::select(alloc::vec!["\t", "    ", "  "]);
    (unit, prop::collection::vec(line, 1..8)).prop_map(|(unit, lines)| {
        let mut text = String::new();
        for (depth, line, end) in lines {
            text += &unit.repeat(depth);
            text += line;
            text += end;
            text.push('\n');
        }
        text
    })
}

proptest! {
    #[test]
    fn an_exact_unique_needle_is_found_exactly(text in logical_texts(), from in any::<prop::sample::Index>(), length in 1..20usize) {
        let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let from = from.index(starts.len() - 1);
        let range = starts[from]..starts[(from + length).min(starts.len() - 1)];
        let needle = &text[range.clone()];
        let count = (0..text.len()).filter(|at| text.as_bytes()[*at..].starts_with(needle.as_bytes())).count();
        if count == 1 {
            let found = find_unique(&rope(&text), needle).unwrap();
            prop_assert_eq!(found.rung, Rung::Exact);
            prop_assert_eq!(found.range.to_range(), range);
            prop_assert_eq!(found.fitted("$1\n  x").unwrap(), "$1\n  x");
        }
    }

    #[test]
    fn what_matches_is_the_needle_but_for_what_is_forgiven(text in lines_of_code(), needle in lines_of_code(), cut in 0..3usize) {
        let length = needle.char_indices().rev().take(cut).last().map_or(needle.len(), |(at, _)| at);
        let needle = &needle[..length];
        if let Ok(found) = find_unique(&rope(&text), needle) {
            let matched = &text[found.range.to_range()];
            prop_assert_eq!(bare(matched), bare(needle));
            match found.rung {
                Rung::Exact => prop_assert_eq!(matched, needle),
                Rung::TrailingSpace => {
                    let ends = |text: &str| -> Vec<String> {
                        text.trim_matches('\n').split('\n').map(|line| line.trim_end().to_string()).filter(|line| !line.is_empty()).collect()
                    };
                    prop_assert_eq!(ends(matched), ends(needle));
                }
                Rung::Indentation => {
                    let fitted = found.fitted(needle).unwrap();
                    let ends = |text: &str| -> Vec<String> { text.split('\n').map(|line| line.trim_end().to_string()).collect() };
                    prop_assert_eq!(ends(&fitted), ends(matched));
                    prop_assert_eq!(found.fitted(matched).unwrap(), matched, "it stands there already");
                }
                Rung::Typography => prop_assert_eq!(found.fitted(needle).unwrap(), needle),
            }
        }
    }

    #[test]
    fn shifted_code_is_found_and_shifted_back(text in lines_of_code(), depth in 1..3usize) {
        let unit = if text.contains('\t') { "\t" } else { "  " };
        let shift = unit.repeat(depth);
        let deeper: String = text.split_inclusive('\n')
            .map(|line| if line.trim().is_empty() { line.to_string() } else { shift.clone() + line })
            .collect();
        // One line alone may stand in the other text as it is.
        let height = text.lines().filter(|line| !line.trim().is_empty()).count();
        for (file, needle) in [(&text, &deeper), (&deeper, &text)].into_iter().filter(|_| height > 1) {
            let found = find_unique(&rope(file), needle).unwrap();
            prop_assert_eq!(found.rung, Rung::Indentation);
            prop_assert_eq!(found.range, ByteRange::new(0, file.len()));
            prop_assert_eq!(&found.fitted(needle).unwrap(), file);
            prop_assert_eq!(&found.fitted(file).unwrap(), file);
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in any::<String>(), needle in any::<String>()) {
        let _ = find_unique(&rope(&text), &needle);
        let parts: Vec<&str> = needle.split('\n').collect();
        let _ = find_lines(&rope(&text), &parts, LineRange::new(0, usize::MAX / 2));
    }
}
