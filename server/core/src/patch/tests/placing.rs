//! Where hunks are placed, and what comes of them.

use super::*;
use crate::diff::line_changes;
use crate::find::Rung;
use crate::position::{LineIndex, LineRange};
use crate::testing::{logical_texts, wire_texts};
use crate::text::Snapshot;
use alloc::vec::Vec;

/// The hunks of this body, placed in a text given in wire form.
fn placed(text: &str, body: &str) -> Result<(String, Vec<Located>), PlaceError> {
    let patch = format!("*** Update File: a\n{body}*** End Patch");
    let patch = parse(&patch);
    let Operation::Update { hunks, .. } = &patch.sections[0].operation else {
        panic!("an update")
    };
    let base = Snapshot::decode(text);
    let placed = place(&base, hunks)?;
    let after = placed.edit.apply(&base).unwrap().text().clone();
    Ok((
        after.with_final_newline(placed.final_newline).wire(),
        placed.hunks,
    ))
}

#[track_caller]
fn check(text: &str, body: &str, expected: &str) -> Vec<Located> {
    match placed(text, body) {
        Ok((after, hunks)) => {
            assert_eq!(after, expected);
            hunks
        }
        Err(error) => panic!("{error:?}"),
    }
}

fn fault(text: &str, body: &str) -> PlaceFault {
    match placed(text, body) {
        Err(error) => error.fault,
        Ok((after, _)) => panic!("placed: {after:?}"),
    }
}

fn ambiguous(text: &str, body: &str) -> Vec<usize> {
    match fault(text, body) {
        PlaceFault::Ambiguous { lines } => lines.into_iter().map(|line| line.0).collect(),
        other => panic!("{other:?}"),
    }
}

fn no_match(text: &str, body: &str) -> Vec<usize> {
    match fault(text, body) {
        PlaceFault::NoMatch { elsewhere, .. } => elsewhere.into_iter().map(|line| line.0).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn lines_go_and_come_at_their_place() {
    check("a\nb\nc\n", " a\n-b\n+B\n+b2\n c\n", "a\nB\nb2\nc\n");
    check("a\nb\nc\n", "-a\n", "b\nc\n");
    check("a\nb\nc\n", " c\n+d\n", "a\nb\nc\nd\n");
    check("a\nb\nc\n", "+0\n a\n", "0\na\nb\nc\n");
    check("a\n\nb\n", " a\n\n-b\n+B\n", "a\n\nB\n");
    check("a\nb\nc\nd\n", " a\n-b\n+B\n c\n-d\n+D\n", "a\nB\nc\nD\n");
    let hunks = check("x\na\nb\n", " a\n-b\n", "x\na\n");
    assert_eq!(
        hunks,
        [Located {
            hunk: 2,
            lines: LineRange::new(1, 3),
            rung: Rung::Exact,
            unmarked: false
        }]
    );
}

#[test]
fn new_text_is_literal() {
    check("price\n", "-price\n+$1 \\1 $& %s\n", "$1 \\1 $& %s\n");
    check("a\n", "-a\n+😀é\u{301}\n", "😀é\u{301}\n");
}

#[test]
fn each_line_keeps_its_ending_and_the_file_its_end() {
    check(
        "a\r\nb\r\nc\r\n",
        " a\n-b\n+B\n+b\n",
        "a\r\nB\r\nb\r\nc\r\n",
    );
    check("a\r\nb\nc\r\n", "-b\n+B\n c\n", "a\r\nB\nc\r\n");
    check("\u{feff}a\nb\n", "-a\n+A\n", "\u{feff}A\nb\n");
    check("a\nb", "-b\n+B\n", "a\nB");
    check("a\nb", " b\n+c\n", "a\nb\nc");
    check("a\nb", "-b\n", "a");
    check("a\nb\n", "-b\n", "a\n");
}

#[test]
fn an_empty_file_has_no_lines() {
    check("", "+a\n+b\n", "a\nb\n");
    check("a\nb\n", "-a\n-b\n", "");
    check("a", "-a\n", "");
    check("\n", "-\n", "");
    check("\n", "+a\n", "\na\n");
    assert_eq!(no_match("", "-a\n"), [0; 0]);
    assert_eq!(no_match("", "-\n"), [0; 0]);
    assert_eq!(no_match("", "-\n*** End of File\n"), [0; 0]);
}

#[test]
fn the_order_of_hunks_does_not_matter() {
    check("a\nb\nc\nd\n", "-d\n+D\n@@\n-a\n+A\n", "A\nb\nc\nD\n");
    check("a\nb\nc\n", " b\n-c\n@@\n-a\n b\n", "b\n");
    check(
        "a\nb\nc\n",
        "-b\n+b1\n@@\n-a\n+a1\n@@\n-c\n+c1\n",
        "a1\nb1\nc1\n",
    );
    // New lines beside a line that another hunk changes.
    check("a\nb\n", " a\n+x\n@@\n-b\n+xb\n", "a\nx\nxb\n");
}

#[test]
fn hunks_that_meet_are_refused() {
    let meets = |text, body| match fault(text, body) {
        PlaceFault::Overlap { other, lines } => (other, lines.start.0, lines.end.0),
        other => panic!("{other:?}"),
    };
    assert_eq!(meets("a\nb\nc\n", "-a\n b\n@@\n-b\n c\n"), (2, 1, 3));
    assert_eq!(meets("a\nb\nc\n", "-b\n@@\n-b\n+x\n"), (2, 1, 2));
    assert_eq!(meets("a\nb\nc\n", "+x\n b\n@@\n a\n+y\n"), (2, 1, 2));
    assert_eq!(meets("a\nb\n", " a\n+x\n b\n@@\n a\n b\n+y\n"), (2, 0, 2));
    assert_eq!(meets("a\n", "+x\n@@\n+y\n"), (2, 1, 1));
}

#[test]
fn what_fits_several_places_or_none_is_refused() {
    assert_eq!(ambiguous("a\nb\na\n", "-a\n"), [0, 2]);
    assert_eq!(ambiguous("}\n}\n}\n", " }\n-}\n"), [0, 1]);
    assert_eq!(no_match("a\nb\n", "-c\n"), [0; 0]);
    assert_eq!(no_match("ab\n", "-a\n"), [0; 0]);
    assert_eq!(no_match("ab\n", "-b\n"), [0; 0]);
    let error = placed("a\na\n", "-a\n+b\n").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the hunk on line 2 of the patch fits in 2 places"
    );
}

const CLASSES: &str = "\
class A:
    def f(self):
        return 1

class B:
    def f(self):
        return 1

    def g(self):
        return 1
";

#[test]
fn an_anchor_says_which_of_several_places() {
    let change = "-        return 1\n+        return 2\n";
    assert_eq!(ambiguous(CLASSES, change), [2, 6, 9]);
    let changed = |index| {
        let mut lines: Vec<&str> = CLASSES.split_inclusive('\n').collect();
        lines[index] = "        return 2\n";
        lines.concat()
    };
    check(CLASSES, &format!("@@ class A:\n{change}"), &changed(2));
    check(
        CLASSES,
        &format!("@@ class B:\n@@     def f(self):\n{change}"),
        &changed(6),
    );
    check(
        CLASSES,
        &format!("@@ class B:\n@@ def f(self):\n{change}"),
        &changed(6),
    );
    check(CLASSES, &format!("@@ def g(self):\n{change}"), &changed(9));
    assert_eq!(
        ambiguous(CLASSES, &format!("@@ class B:\n{change}")),
        [6, 9]
    );
    assert_eq!(
        ambiguous(CLASSES, &format!("@@ def f(self):\n{change}")),
        [2, 6]
    );
}

#[test]
fn an_anchor_may_be_any_line_above() {
    check("x\ny\nx\n", "@@ y\n-x\n", "x\ny\n");
    assert_eq!(ambiguous("x\ny\nx\nx\n", "@@ y\n-x\n"), [2, 3]);
    // It may be repeated as the first line of the hunk.
    check(
        "x\nfn f() {\n    a\n}\n",
        "@@ fn f() {\n fn f() {\n-    a\n+    b\n }\n",
        "x\nfn f() {\n    b\n}\n",
    );
    // The block goes on over lines that close it and open it again.
    check(
        "fn f(\n    a: u8,\n) -> u8 {\n    a\n}\nfn g() {\n    a\n}\n",
        "@@ fn f(\n-    a\n+    b\n",
        "fn f(\n    a: u8,\n) -> u8 {\n    b\n}\nfn g() {\n    a\n}\n",
    );
}

#[test]
fn an_anchor_that_is_no_line_is_refused() {
    let PlaceFault::NoAnchor { anchor, like } = fault("fn f(a: u8) {\n}\n", "@@ f(a\n-}\n") else {
        panic!("no anchor")
    };
    assert_eq!(
        (anchor.as_str(), like),
        ("f(a", Some((LineIndex(0), "fn f(a: u8) {".to_string())))
    );
    // The inner one stands only above the outer one.
    let nested = fault("    g\nf\n    x\n", "@@ f\n@@ g\n-    x\n");
    assert!(matches!(nested, PlaceFault::NoAnchor { .. }), "{nested:?}");
    // What stands only above the anchor is told.
    assert_eq!(no_match("x\ny\n", "@@ y\n-x\n"), [0]);
}

#[test]
fn an_anchor_may_lack_the_end_of_its_line() {
    let two = "fn go() {\n    x\n}\nfn g() {\n    x\n}\n";
    let second = "fn go() {\n    x\n}\nfn g() {\n    y\n}\n";
    for anchor in ["fn g", "fn g()", "fn g() "] {
        check(two, &format!("@@ {anchor}\n-    x\n+    y\n"), second);
    }
    // Not in the middle of a word, and only where no whole line is the anchor.
    let fault = fault(two, "@@ fn\n@@ fn g() { }\n-    x\n");
    assert!(matches!(fault, PlaceFault::NoAnchor { .. }), "{fault:?}");
    check("a b\nx\na\nx\n", "@@ a\n-x\n", "a b\nx\na\n");
    // Of several heads the hunk itself must stand below one only.
    assert_eq!(ambiguous(two, "@@ fn\n-    x\n"), [1, 4]);
}

#[test]
fn an_exact_anchor_comes_before_one_at_another_depth() {
    check(
        "    f\n    x\nf\nx\n",
        "@@ f\n+y\n",
        "    f\n    x\nf\ny\nx\n",
    );
}

/// Were the work that of each pair of lines, none of these would come to an end.
#[test]
fn an_anchor_that_stands_on_very_many_lines_is_no_burden() {
    let many = |line: &str| format!("{line}\n").repeat(20_000);
    for line in ["}", "x", "    )", "a\n}"] {
        let text = many(line) + "last\n";
        let anchor = line.trim_start_matches("a\n");
        let expected = text.replace("last", "new");
        check(&text, &format!("@@ {anchor}\n-last\n+new\n"), &expected);
        assert!(no_match(&text, &format!("@@ {anchor}\n-absent\n+new\n")).is_empty());
    }
    let text = many("}\n{") + "last  \n";
    let expected = text.replace("last  ", "new");
    check(&text, "@@ }\n@@ {\n-last\n+new\n", &expected);
}

#[test]
fn the_end_of_the_file_ties_a_hunk() {
    check("a\nb\na\n", "-a\n+A\n*** End of File\n", "a\nb\nA\n");
    check("a\nb\na", " b\n-a\n+A\n*** End of File\n", "a\nb\nA");
    assert_eq!(no_match("a\nb\n", "-a\n*** End of File\n"), [0]);
    assert_eq!(no_match("a\n", " x\n y\n-z\n*** End of File\n"), [0; 0]);
}

#[test]
fn lines_that_only_come_go_below_the_anchor_or_to_the_end() {
    check("a\nb\n", "+c\n", "a\nb\nc\n");
    check("a\nb", "+c\n*** End of File\n", "a\nb\nc");
    check("a\nb\n", "@@ a\n+x\n", "a\nx\nb\n");
    check("a\nb\n", "@@ a\n+x\n\n", "a\nx\nb\n");
    check("a\nb\n", "@@ a\n+x\n*** End of File\n", "a\nb\nx\n");
    assert_eq!(ambiguous("a\nb\na\n", "@@ a\n+x\n"), [0, 2]);
}

#[test]
fn context_without_its_space_must_stand_there_just_so() {
    let hunks = check(
        "f:\n    a\n    b\n",
        "f:\n    a\n-    b\n+    c\n",
        "f:\n    a\n    c\n",
    );
    assert!(hunks[0].unmarked);
    let hunks = check("f:\n    a\n", "f:\n-    a\n+    c\n", "f:\n    c\n");
    assert!(!hunks[0].unmarked, "no line was read in another way");
    check("\ta\n\tb\n", "\ta\n-\tb\n+\tc\n", "\ta\n\tc\n");
    assert_eq!(no_match("F:\n    a\n", "f:\n-    a\n+    c\n"), [0; 0]);
    // As written goes before as it may have been meant.
    check("  a\nx\n a\nx\n", "  a\n-x\n", "  a\nx\n a\n");
}

#[test]
fn the_match_ladder_finds_what_does_not_stand_to_the_letter() {
    let rung = |hunks: Vec<Located>| hunks[0].rung;
    let trailing = check("a  \nb\n", " a\n-b\n+B\n", "a  \nB\n");
    assert_eq!(rung(trailing), Rung::TrailingSpace);
    let shifted = check(
        "    if x:\n        y\n",
        " if x:\n-    y\n+    z\n+        w\n",
        "    if x:\n        z\n            w\n",
    );
    assert_eq!(rung(shifted), Rung::Indentation);
    let tabs = check(
        "\tif x:\n\t\ty\n",
        "     if x:\n-        y\n+        z\n",
        "\tif x:\n\t\tz\n",
    );
    assert_eq!(rung(tabs), Rung::Indentation);
    let folded = check("a “b”\nc\n", " a \"b\"\n-c\n+\"d\"\n", "a “b”\n\"d\"\n");
    assert_eq!(rung(folded), Rung::Typography);
    // New lines that stand at the file's depth already.
    check("        y\n", "-    y\n+        z\n", "        z\n");
    let uneven = fault("x:\n    y\n", "     x:\n-        y\n+  z\n");
    assert!(
        matches!(
            uneven,
            PlaceFault::Uneven {
                start: LineIndex(0)
            }
        ),
        "{uneven:?}"
    );
    assert_eq!(no_match("x:\n    y\n", "     x:\n-       y\n"), [0; 0]);
    assert_eq!(ambiguous("    y\nx\n    y\n", "-  y\n"), [0, 2]);
}

#[test]
fn an_anchored_place_goes_before_a_better_match_elsewhere() {
    let text = "class A:\n        x\n    y\nclass B:\n    x\n    y\n";
    check(
        text,
        "@@ class A:\n-    x\n+    z\n",
        "class A:\n        z\n    y\nclass B:\n    x\n    y\n",
    );
}

#[test]
fn blank_lines_at_the_end_may_separate() {
    check("a\nb\nc\n", "-a\n+A\n\n@@\n-c\n+C\n\n", "A\nb\nC\n");
    check("a\n\nb\na\nb\n", "-a\n+A\n\n", "A\n\nb\na\nb\n");
}

/// A patch that makes `new` of `old`, with so many lines of context.
fn patch_between(old: &Snapshot, new: &Snapshot, context: usize, reverse: bool) -> String {
    let lines = |text: &Snapshot| -> Vec<String> {
        let text = text.rope().to_string();
        text.strip_suffix('\n')
            .unwrap()
            .split('\n')
            .map(String::from)
            .collect()
    };
    let changes = line_changes(old.rope(), new.rope());
    let (old, new) = (lines(old), lines(new));
    let mut hunks: Vec<String> = Vec::new();
    let mut shown_to = 0;
    for (index, change) in changes.iter().enumerate() {
        let (from, to) = (change.old.start.0, change.old.end.0);
        let above = from.saturating_sub(context).max(shown_to);
        let next = changes
            .get(index + 1)
            .map_or(old.len(), |next| next.old.start.0);
        let below = (to + context).min(next);
        let mut hunk = String::from("@@\n");
        old[above..from]
            .iter()
            .for_each(|line| hunk += &format!(" {line}\n"));
        old[from..to]
            .iter()
            .for_each(|line| hunk += &format!("-{line}\n"));
        new[change.new.start.0..change.new.end.0]
            .iter()
            .for_each(|line| hunk += &format!("+{line}\n"));
        old[to..below]
            .iter()
            .for_each(|line| hunk += &format!(" {line}\n"));
        if below == old.len() {
            hunk += "*** End of File\n";
        }
        hunks.push(hunk);
        shown_to = to;
    }
    if reverse {
        hunks.reverse();
    }
    format!("*** Update File: a\n{}*** End Patch", hunks.concat())
}

proptest! {
    #[test]
    fn the_patch_between_two_texts_makes_the_second_of_the_first_or_is_refused(
        old in wire_texts(),
        newline in any::<bool>(),
        new in logical_texts(),
        context in 1usize..4,
        reverse in any::<bool>(),
    ) {
        // A line that ends in a CR cannot be written in a patch, and an empty file has no line to be named.
        let mut old = old + if newline { "end\n" } else { "end" };
        while old.contains("\r\r\n") {
            old = old.replace("\r\r\n", "\r\n");
        }
        let (old, new) = (Snapshot::decode(&old), Snapshot::decode(&new));
        let text = patch_between(&old, &new, context, reverse);
        let patch = match Patch::parse(&text) {
            Ok(patch) => patch,
            Err(error) => {
                prop_assert!(line_changes(old.rope(), new.rope()).is_empty(), "{}", error);
                return Ok(());
            }
        };
        let Operation::Update { hunks, .. } = &patch.sections[0].operation else {
            return Err(TestCaseError::fail("no update"));
        };
        match place(&old, hunks) {
            Ok(placed) => {
                let after = placed.edit.apply(&old).unwrap();
                prop_assert_eq!(after.rope().to_string(), new.rope().to_string());
                let back = placed.edit.invert(&old).unwrap().apply(&after).unwrap();
                prop_assert_eq!(back.text().wire(), old.text().wire());
            }
            // Repeated lines: there is more than one place.
            Err(PlaceError { fault: PlaceFault::Ambiguous { lines }, .. }) => {
                prop_assert!(lines.len() > 1);
            }
            Err(error) => return Err(TestCaseError::fail(format!("{error:?}"))),
        }
    }

    #[test]
    fn the_patch_of_lines_that_are_all_different_is_never_refused(
        kept in prop::collection::vec(any::<bool>(), 1..12),
        new in prop::collection::vec(prop::option::of(0u8..3), 12),
        reverse in any::<bool>(),
    ) {
        let old: String = (0..kept.len()).map(|index| format!("line {index}\n")).collect();
        let mut target = String::new();
        for (index, kept) in kept.iter().enumerate() {
            (0..new[index].unwrap_or(0)).for_each(|number| target += &format!("new {index}.{number}\n"));
            if *kept {
                target += &format!("line {index}\n");
            }
        }
        prop_assume!(!target.is_empty() && target != old);
        let (old, target) = (Snapshot::decode(&old), Snapshot::decode(&target));
        let text = patch_between(&old, &target, 1, reverse);
        let patch = parse(&text);
        let Operation::Update { hunks, .. } = &patch.sections[0].operation else {
            return Err(TestCaseError::fail("no update"));
        };
        let placed = place(&old, hunks).map_err(|error| TestCaseError::fail(format!("{error:?}\n{text}")))?;
        prop_assert_eq!(placed.edit.apply(&old).unwrap().rope().to_string(), target.rope().to_string());
    }

    #[test]
    fn no_patch_makes_the_placer_panic(
        text in wire_texts(),
        lines in prop::collection::vec(
            prop_oneof![
                4 => ("[-+ ]", prop::sample::select(vec!["", "a", "ab", "}", "word", "\t", "é"])).prop_map(|(mark, text)| mark + text),
                1 => prop::sample::select(vec!["@@", "@@ a", "@@ }", "*** End of File", "", "a", "@@ ab"]).prop_map(String::from),
            ],
            0..8,
        )
    ) {
        let patch = format!("*** Update File: a\n{}\n*** End Patch", lines.join("\n"));
        crate::fuzzing::patch_parser(&patch, &text);
    }
}
