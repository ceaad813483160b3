//! The edit is on its way, the user types: did it arrive?

use super::super::standing::{Standing, standing};
use super::*;
use Standing::{Landed, Neither, NotLanded, Partial};

fn standing_of(edit: &Edit, base: &str, current: &str) -> Standing {
    standing(edit, &snapshot(base), &Rope::from_str(current))
}

#[test]
fn equal_texts_are_clear() {
    let base = "let a = 1;\n";
    let edit = replacing(base, "1", "2");
    assert_eq!(standing_of(&edit, base, "let a = 2;\n"), Landed);
    assert_eq!(standing_of(&edit, base, base), NotLanded);
    assert_eq!(
        standing_of(&super::edit(base, &[]), base, base),
        Landed,
        "nothing to do"
    );
    assert_eq!(
        standing_of(&super::edit(base, &[]), base, "let a = 1; //\n"),
        Landed
    );
    assert_eq!(
        standing_of(&edit, "another\n", "let a = 2;\n"),
        Neither,
        "another base"
    );
}

#[test]
fn typing_elsewhere_leaves_both_clear() {
    let base = "a\nlet a = 1;\nb\n";
    let edit = replacing(base, "1", "2");
    for (before, behind) in [
        ("x", ""),
        ("", "x"),
        ("x", "x"),
        ("x\n", "\nx"),
        ("😀", "e\u{301}"),
    ] {
        let landed = alloc::format!("{before}a\nlet a = 2;\nb{behind}\n");
        assert_eq!(standing_of(&edit, base, &landed), Landed);
        let not_landed = alloc::format!("{before}a\nlet a = 1;\nb{behind}\n");
        assert_eq!(standing_of(&edit, base, &not_landed), NotLanded);
    }
}

#[test]
fn typing_on_the_same_line_leaves_both_clear() {
    let base = "let a = one;\n";
    let edit = replacing(base, "one", "two");
    for (current, expected) in [
        ("let ab = two;\n", Landed),
        ("let a = twox;\n", Landed),
        ("let a = xtwo;\n", Landed),
        ("xlet a =y two;z\n", Landed),
        ("let ab = one;\n", NotLanded),
        ("let a = onex;\n", NotLanded),
        ("xlet a =y one;z\n", NotLanded),
        ("let a = twxo;\n", Neither),
        ("let a = oxne;\n", Neither),
        ("let a = three;\n", Neither),
        ("\n", Neither),
    ] {
        assert_eq!(standing_of(&edit, base, current), expected, "{current}");
    }
}

#[test]
fn deleting_elsewhere_leaves_both_clear() {
    let base = "first word\nlet a = one;\nlast word\n";
    let edit = replacing(base, "one", "two");
    for (current, expected) in [
        ("word\nlet a = two;\nlast word\n", Landed),
        ("let a = two;\nlast\n", Landed),
        ("first word\n= two\nlast word\n", Landed),
        ("word\nlet a = one;\nlast word\n", NotLanded),
        ("let a = one;\nlast\n", NotLanded),
        ("first word\n= one\nlast word\n", NotLanded),
        ("first word\nlast word\n", Neither),
        ("first word\nlet a = ;\nlast word\n", Neither),
    ] {
        assert_eq!(standing_of(&edit, base, current), expected, "{current}");
    }
}

#[test]
fn unchanged_parts_of_a_replaced_text_are_the_users_to_type_in() {
    let base = "fn f(a, b) {\n    g(a);\n}\n";
    let edit = replacing(base, base, "fn f(a, b, c) {\n    g(a);\n    h(c);\n}\n");
    assert_eq!(
        standing_of(
            &edit,
            base,
            "fn f(xa, b, c) {\n    g(ya);\n    h(c);\n}\nz\n"
        ),
        Landed
    );
    assert_eq!(
        standing_of(&edit, base, "fn f(xa, b) {\n    yg(a);\n}\nz\n"),
        NotLanded
    );
}

#[test]
fn inserted_text_like_its_neighbours() {
    let base = "foo bar\n";
    for edit in [
        edit(base, &[(0, 0, "foo ")]),
        edit(base, &[(4, 4, "foo ")]),
        edit(base, &[(3, 3, " foo")]),
    ] {
        assert_eq!(standing_of(&edit, base, "foo foo barx\n"), Landed);
        assert_eq!(standing_of(&edit, base, "xfoo foo bar\n"), Landed);
        assert_eq!(standing_of(&edit, base, "foo barx\n"), NotLanded);
        assert_eq!(
            standing_of(&edit, base, "foo foo ba\n"),
            Landed,
            "with a deletion"
        );
        assert_eq!(
            standing_of(&edit, base, "foo ba\n"),
            NotLanded,
            "with a deletion"
        );
    }
}

#[test]
fn an_inserted_line_like_its_neighbours() {
    let base = "a\nx\nx\nb\n";
    for at in [2, 4, 6] {
        let edit = edit(base, &[(at, at, "x\n")]);
        assert_eq!(standing_of(&edit, base, "a\nx\nx\nx\nbb\n"), Landed);
        assert_eq!(standing_of(&edit, base, "aa\nx\nx\nx\nb\n"), Landed);
        assert_eq!(standing_of(&edit, base, "a\nx\nx\nbb\n"), NotLanded);
        assert_eq!(
            standing_of(&edit, base, "x\nx\nx\nb\n"),
            Landed,
            "with a deletion"
        );
        let beside = if at == 2 { Neither } else { NotLanded };
        assert_eq!(
            standing_of(&edit, base, "x\nx\nb\n"),
            beside,
            "with a deletion"
        );
    }
}

#[test]
fn one_of_several_equal_lines_deleted() {
    let base = "a\nx\nx\nx\nb\n";
    for at in [2, 4, 6] {
        let edit = edit(base, &[(at, at + 2, "")]);
        assert_eq!(standing_of(&edit, base, "a\nx\nx\nbb\n"), Landed);
        assert_eq!(standing_of(&edit, base, "aa\nx\nx\nb\n"), Landed);
        assert_eq!(standing_of(&edit, base, "aa\nx\nx\nx\nb\n"), NotLanded);
        assert_eq!(standing_of(&edit, base, "a\nx\nx\nx\nbb\n"), NotLanded);
        assert_eq!(
            standing_of(&edit, base, "x\nx\nb\n"),
            Landed,
            "with a deletion"
        );
        let written_over = standing_of(&edit, base, "x\nx\nx\nb\n");
        assert_eq!(written_over, Neither, "`a` deleted, or made an `x`?");
    }
}

#[test]
fn a_deletion_leaves_its_place_to_the_user() {
    let base = "one two three\n";
    let edit = replacing(base, "two ", "");
    for (current, expected) in [
        ("one xthree\n", Landed),
        ("one  three\n", Landed),
        ("one threex\n", Landed),
        ("one two threex\n", NotLanded),
        ("xone two three\n", NotLanded),
        ("one tXwo three\n", Neither),
        ("one two xthree\n", Neither),
        ("one xtwo three\n", Neither),
    ] {
        assert_eq!(standing_of(&edit, base, current), expected, "{current}");
    }
}

#[test]
fn an_insertion_at_the_users_cursor_is_doubtful() {
    let base = "ab\n";
    let edit = edit(base, &[(1, 1, "new")]);
    assert_eq!(standing_of(&edit, base, "axb\n"), Neither);
    assert_eq!(standing_of(&edit, base, "axnewyb\n"), Landed);
    assert_eq!(standing_of(&edit, base, "anexwb\n"), Neither);
    assert_eq!(standing_of(&edit, base, "abx\n"), NotLanded);
}

#[test]
fn at_the_start_and_the_end_of_the_text() {
    let base = "a\n";
    let first = edit(base, &[(0, 0, "new\n")]);
    assert_eq!(standing_of(&first, base, "xnew\na\n"), Landed);
    assert_eq!(standing_of(&first, base, "new\nxa\n"), Landed);
    assert_eq!(standing_of(&first, base, "ax\n"), NotLanded);
    assert_eq!(
        standing_of(&first, base, "xa\n"),
        Neither,
        "typed where it was to go"
    );
    let last = edit(base, &[(2, 2, "new\n")]);
    assert_eq!(standing_of(&last, base, "ax\nnew\n"), Landed);
    assert_eq!(standing_of(&last, base, "a\nnew\nx\n"), Landed);
    assert_eq!(standing_of(&last, base, "xa\n"), NotLanded);
    assert_eq!(
        standing_of(&last, base, "a\nx\n"),
        Neither,
        "typed where it was to go"
    );
    let gone = edit("a\nb\n", &[(2, 4, "")]);
    assert_eq!(standing_of(&gone, "a\nb\n", "xa\n"), Landed);
    assert_eq!(standing_of(&gone, "a\nb\n", "xa\nb\n"), NotLanded);
    assert_eq!(
        standing_of(&gone, "a\nb\n", "a\nb\nx\n"),
        Neither,
        "typed beside what was to go"
    );
    let all = edit("a\n", &[(0, 1, "")]);
    assert_eq!(standing_of(&all, "a\n", "x\n"), Landed);
    assert_eq!(standing_of(&all, "a\n", "x\na\n"), Neither);
}

#[test]
fn replacements_with_the_users_text_between() {
    let base = "(a, b)\n";
    let edit = edit(base, &[(1, 2, "c"), (4, 5, "d")]);
    assert_eq!(standing_of(&edit, base, "(c, x, d)\n"), Landed);
    assert_eq!(standing_of(&edit, base, "(a, x, b)\n"), NotLanded);
    assert_eq!(standing_of(&edit, base, "(c, x, b)\n"), Partial);
    assert_eq!(standing_of(&edit, base, "(a, x, d)\n"), Partial);
    assert_eq!(standing_of(&edit, base, "(c, x, e)\n"), Neither);
}

#[test]
fn a_replacement_typed_against_its_old_text_is_doubtful() {
    let base = "x = 1\n";
    let edit = replacing(base, "x", "y");
    assert_eq!(standing_of(&edit, base, "my x = 1\n"), Neither);
    assert_eq!(standing_of(&edit, base, "mx x = 1\n"), NotLanded);
    assert_eq!(standing_of(&edit, base, "my = 1\n"), Landed);
}

#[test]
fn moved_text() {
    let base = "A\nB\n";
    let edit = edit(base, &[(0, 2, ""), (4, 4, "A\n")]);
    assert_eq!(standing_of(&edit, base, "B\nA\nx\n"), Landed);
    assert_eq!(standing_of(&edit, base, "xB\nA\n"), Landed);
    assert_eq!(standing_of(&edit, base, "A\nBx\n"), NotLanded);
    assert_eq!(
        standing_of(&edit, base, "A\nxB\n"),
        Neither,
        "typed beside what was to go"
    );
}

#[test]
fn a_wholesale_change_by_the_user_settles_nothing() {
    let base = "alpha beta\ngamma\n";
    let edit = replacing(base, "beta", "delta");
    assert_eq!(standing_of(&edit, base, "quite another text\n"), Neither);
    assert_eq!(standing_of(&edit, base, "\n"), Neither);
}

#[test]
fn far_apart_typing_in_a_long_text() {
    let base: String = (0..2000).map(|n| alloc::format!("line {n} }}\n")).collect();
    let edit = replacing(&base, "line 1000 }\n", "");
    let after = base.replace("line 1000 }\n", "");
    let typed = |text: &str| {
        text.replace("line 3", "xline 3")
            .replace("line 1990", "line x1990")
    };
    assert_eq!(standing_of(&edit, &base, &typed(&after)), Landed);
    assert_eq!(standing_of(&edit, &base, &typed(&base)), NotLanded);
    let many = Edit::between(&snapshot(&base), &Rope::from_str(&base.replace(" }", ""))).unwrap();
    assert_eq!(
        standing_of(&many, &base, &typed(&base.replace(" }", ""))),
        Landed
    );
    assert_eq!(standing_of(&many, &base, &typed(&base)), NotLanded);
}

/// An edit that changes its base, which is one of these.
fn edits(bases: impl Strategy<Value = String>) -> impl Strategy<Value = (String, Edit)> {
    let place = (any::<prop::sample::Index>(), 0..4usize, insertions());
    let places = prop::collection::vec(place, 1..4);
    let edits = (bases, places, any::<bool>()).prop_map(|(base, mut places, minimal)| {
        let ends = base.char_indices().map(|(at, _)| at).chain([base.len()]);
        let ends: Vec<usize> = ends.collect();
        places.sort_by_key(|(place, ..)| place.index(ends.len()));
        let mut replacements: Vec<Replacement> = Vec::new();
        for (place, length, text) in places {
            let from = place.index(ends.len());
            let range = ByteRange::new(ends[from], ends[(from + length).min(ends.len() - 1)]);
            if replacements
                .last()
                .is_none_or(|last| last.range.end < range.start)
            {
                replacements.push(Replacement { range, text });
            }
        }
        let snapshot = snapshot(&base);
        let edit = Edit::new(&snapshot, replacements).unwrap();
        let after = edit.apply(&snapshot).unwrap();
        let smallest = Edit::between(&snapshot, after.rope()).unwrap();
        (base, if minimal { smallest } else { edit })
    });
    edits.prop_filter("changes nothing", |(_, edit)| {
        edit.expected() != edit.base()
    })
}

/// The bytes of the new texts in the edited text.
fn new_ranges(edit: &Edit) -> Vec<(usize, usize)> {
    let (mut removed, mut added) = (0, 0);
    (edit.replacements().iter())
        .map(|it| {
            let start = it.range.start.0 + added - removed;
            added += it.text.len();
            removed += it.range.len();
            (start, start + it.text.len())
        })
        .collect()
}

/// Puts texts in at those of the `places` that are allowed.
fn with_typing(
    text: &str,
    typing: &[(prop::sample::Index, String)],
    allowed: impl Fn(usize) -> bool,
) -> String {
    // Before the last LF: a logical text ends in one.
    let bounds: Vec<usize> = text
        .char_indices()
        .map(|(at, _)| at)
        .filter(|at| allowed(*at))
        .collect();
    let mut typed: Vec<(usize, &str)> = Vec::new();
    if !bounds.is_empty() {
        typed = typing
            .iter()
            .map(|(place, text)| (bounds[place.index(bounds.len())], text.as_str()))
            .collect();
    }
    typed.sort_by_key(|it| core::cmp::Reverse(it.0));
    let mut text = String::from(text);
    for (at, token) in typed {
        text.insert_str(at, token);
    }
    text
}

type Typing = Vec<(prop::sample::Index, String)>;

fn typing_of(tokens: &[&'static str]) -> impl Strategy<Value = Typing> + use<> {
    let token = prop::sample::select(tokens.to_vec()).prop_map(String::from);
    prop::collection::vec((any::<prop::sample::Index>(), token), 1..4)
}

/// Texts of characters that no other text holds.
fn unique() -> impl Strategy<Value = Typing> {
    typing_of(&["X", "«Y»", "Ж", "🦀"])
}

/// Texts with new lines and blanks.
fn tokens() -> impl Strategy<Value = Typing> {
    typing_of(&["X", "Z\nZ", "Ж", "W W"])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn typing_outside_the_new_text_leaves_it_landed((base, edit) in edits(logical_texts()), typing in unique()) {
        let after = edit.apply(&snapshot(&base)).unwrap().rope().to_string();
        let news = new_ranges(&edit);
        let current = with_typing(&after, &typing, |at| {
            news.iter().all(|(start, end)| at <= *start || *end <= at)
        });
        prop_assert_eq!(standing_of(&edit, &base, &current), Landed);
    }

    /// Among distinct lines. Repeated text leaves doubt, see below.
    #[test]
    fn typing_far_from_the_old_text_leaves_it_not_landed(
        (base, edit) in edits(distinct_lines().prop_map(|lines| lines.concat())),
        typing in unique(),
    ) {
        let rope = Rope::from_str(&base);
        let lines = (edit.replacements().iter())
            .map(|it| (rope.byte_to_line(it.range.start.0), rope.byte_to_line(it.range.end.0)));
        let lines: Vec<_> = lines.collect();
        let current = with_typing(&base, &typing, |at| {
            let line = rope.byte_to_line(at);
            lines.iter().all(|(first, last)| line + 1 < *first || last + 1 < line)
        });
        prop_assert_eq!(standing_of(&edit, &base, &current), NotLanded);
    }

    /// Typing anywhere, inside the new text too, never makes a landed edit look as if it were not there.
    #[test]
    fn typing_anywhere_never_has_an_edit_applied_twice((base, edit) in edits(logical_texts()), typing in tokens()) {
        let after = edit.apply(&snapshot(&base)).unwrap().rope().to_string();
        let current = with_typing(&after, &typing, |_| true);
        prop_assert_ne!(standing_of(&edit, &base, &current), NotLanded);
    }

    /// Typing anywhere, inside the old text too, never makes an edit look landed that is not there.
    #[test]
    fn typing_anywhere_never_loses_an_edit((base, edit) in edits(logical_texts()), typing in unique()) {
        let current = with_typing(&base, &typing, |_| true);
        prop_assert_ne!(standing_of(&edit, &base, &current), Landed);
    }

    /// Any other text at all has an answer; it is not the edited text if it lacks what the edit brings.
    #[test]
    fn any_text_has_an_answer((base, edit) in edits(logical_texts()), other in logical_texts()) {
        let answer = standing_of(&edit, &base, &other);
        // Deleting all around a word does not bring the word: what an edit brings was not in what it replaced.
        let brought = edit.replacements().iter().flat_map(|it| {
            let replaced = &base[it.range.to_range()];
            it.text.chars().filter(|char| !replaced.contains(*char))
        });
        let lacks = brought.into_iter().any(|it| !other.contains(it));
        prop_assert!(answer != Landed || !lacks);
    }

    #[test]
    fn without_typing_it_is_certain((base, edit) in edits(logical_texts())) {
        let after = edit.apply(&snapshot(&base)).unwrap().rope().to_string();
        prop_assert_eq!(standing_of(&edit, &base, &after), Landed);
            prop_assert_eq!(standing_of(&edit, &base, &base), NotLanded);
    }
}
