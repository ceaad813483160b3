//! Edits follow changes elsewhere and refuse changes of their own lines.

use super::*;
use crate::position::LineIndex;
use crate::testing::{insertions, logical_texts};
use alloc::string::{String, ToString};
use proptest::prelude::*;

mod standing;

pub(super) fn snapshot(text: &str) -> Snapshot {
    Snapshot::decode(text)
}

pub(super) fn edit(base: &str, replacements: &[(usize, usize, &str)]) -> Edit {
    let replacements = replacements.iter().map(|(start, end, text)| Replacement {
        range: ByteRange::new(*start, *end),
        text: String::from(*text),
    });
    Edit::new(&snapshot(base), replacements.collect()).unwrap()
}

/// The edit of the first occurrence of a text.
pub(super) fn replacing(base: &str, old: &str, new: &str) -> Edit {
    let start = base.find(old).unwrap();
    edit(base, &[(start, start + old.len(), new)])
}

fn change(old: (usize, usize), new: (usize, usize)) -> LineChange {
    LineChange {
        old: LineRange::new(old.0, old.1),
        new: LineRange::new(new.0, new.1),
    }
}

fn carried(range: (usize, usize), changes: &[LineChange]) -> (usize, usize, bool) {
    let carried = carry_lines(LineRange::new(range.0, range.1), changes);
    (carried.range.start.0, carried.range.end.0, carried.touched)
}

#[test]
fn lines_move_with_what_changes_above() {
    let changes = [change((0, 1), (0, 3)), change((9, 11), (11, 11))];
    assert_eq!(carried((1, 3), &changes), (3, 5, false));
    assert_eq!(carried((5, 5), &changes), (7, 7, false));
    assert_eq!(carried((11, 12), &changes), (11, 12, false));
    assert_eq!(carried((20, 20), &changes), (20, 20, false));
    assert_eq!(carried((4, 5), &[]), (4, 5, false));
}

#[test]
fn an_insertion_beside_lines_does_not_touch_them() {
    assert_eq!(carried((2, 4), &[change((2, 2), (2, 5))]), (5, 7, false));
    assert_eq!(carried((2, 4), &[change((4, 4), (4, 5))]), (2, 4, false));
    assert_eq!(carried((2, 4), &[change((3, 3), (3, 5))]), (2, 6, true));
}

#[test]
fn a_place_between_lines_is_touched_by_what_comes_or_goes_there() {
    assert_eq!(carried((2, 2), &[change((2, 2), (2, 5))]), (2, 5, true));
    assert_eq!(carried((2, 2), &[change((0, 2), (0, 1))]), (0, 1, true));
    assert_eq!(carried((2, 2), &[change((2, 3), (2, 2))]), (2, 2, true));
    assert_eq!(carried((2, 2), &[change((1, 4), (1, 2))]), (1, 2, true));
    assert_eq!(
        carried((2, 2), &[change((0, 1), (0, 0)), change((3, 4), (2, 3))]),
        (1, 1, false)
    );
}

#[test]
fn touched_lines_grow_to_the_changes_that_touch_them() {
    assert_eq!(carried((2, 4), &[change((1, 3), (1, 9))]), (1, 10, true));
    assert_eq!(carried((2, 4), &[change((3, 6), (3, 4))]), (2, 4, true));
    assert_eq!(carried((2, 6), &[change((3, 4), (3, 3))]), (2, 5, true));
    let both = [
        change((0, 1), (0, 2)),
        change((1, 3), (2, 2)),
        change((5, 7), (4, 8)),
    ];
    assert_eq!(carried((2, 6), &both), (2, 8, true));
}

fn carry_to(edit: &Edit, base: &str, current: &str) -> Result<String, CarryConflict> {
    let current = snapshot(current);
    let carried = carry(edit, &snapshot(base), &current)?;
    assert_eq!(carried.base(), current.hash());
    Ok(carried.apply(&current).unwrap().rope().to_string())
}

#[test]
fn an_edit_follows_its_lines() {
    let base = "a\nb\nc\n";
    let edit = replacing(base, "b", "B");
    assert_eq!(
        carry_to(&edit, base, "x\na\nb\nc\n").unwrap(),
        "x\na\nB\nc\n"
    );
    assert_eq!(carry_to(&edit, base, "b\nc\n").unwrap(), "B\nc\n");
    assert_eq!(carry_to(&edit, base, "aa\nb\ncc\n").unwrap(), "aa\nB\ncc\n");
    assert_eq!(carry_to(&edit, base, base).unwrap(), "a\nB\nc\n");
}

#[test]
fn a_changed_line_is_a_conflict_with_both_places() {
    let base = "a\nb\nc\nd\n";
    let edit = edit(base, &[(2, 3, "B"), (6, 7, "D")]);
    let conflict = carry_to(&edit, base, "x\na\nb2\nb3\nc\nd\n").unwrap_err();
    assert_eq!(conflict.base_lines, [LineRange::new(1, 2)]);
    assert_eq!(conflict.current_lines, [LineRange::new(2, 4)]);
}

#[test]
fn an_edit_of_another_base_is_not_carried() {
    let edit = replacing("a\n", "a", "b");
    assert!(carry(&edit, &snapshot("c\n"), &snapshot("a\n")).is_err());
}

#[test]
fn inserted_lines_need_an_untouched_place() {
    let base = "a\nb\nc\n";
    for insertion in [
        edit(base, &[(2, 2, "new\n")]),
        edit(base, &[(1, 1, "\nnew")]),
    ] {
        assert_eq!(
            carry_to(&insertion, base, "a2\nb\nc\n").map_err(|it| it.base_lines),
            Err([LineRange::new(1, 1)].into())
        );
        assert_eq!(
            carry_to(&insertion, base, "x\na\nb\nc2\n").unwrap(),
            "x\na\nnew\nb\nc2\n"
        );
        assert!(
            carry_to(&insertion, base, "a\nx\nb\nc\n").is_err(),
            "inserted at the same place"
        );
        assert!(
            carry_to(&insertion, base, "a\nc\n").is_err(),
            "removed behind it"
        );
        assert!(
            carry_to(&insertion, base, "b\nc\n").is_err(),
            "removed before it"
        );
    }
}

#[test]
fn removed_lines_are_the_same_from_either_end() {
    let base = "a\nb\nc\n";
    for removal in [edit(base, &[(2, 4, "")]), edit(base, &[(1, 3, "")])] {
        assert_eq!(carry_to(&removal, base, "a2\nb\nc2\n").unwrap(), "a2\nc2\n");
        assert!(carry_to(&removal, base, "a\nb2\nc\n").is_err());
    }
}

#[test]
fn joined_lines_are_both_touched() {
    let base = "a\nb\nc\n";
    let join = edit(base, &[(1, 2, "")]);
    assert!(carry_to(&join, base, "a\nb2\nc\n").is_err());
    assert!(carry_to(&join, base, "a2\nb\nc\n").is_err());
    assert_eq!(carry_to(&join, base, "a\nb\nc2\n").unwrap(), "ab\nc2\n");
}

#[test]
fn the_start_and_the_end_of_the_text_are_places_too() {
    let base = "a\nb\n";
    let first = edit(base, &[(0, 0, "new\n")]);
    assert_eq!(carry_to(&first, base, "a\nb2\n").unwrap(), "new\na\nb2\n");
    assert!(carry_to(&first, base, "x\na\nb\n").is_err());
    let last = edit(base, &[(4, 4, "new\n")]);
    assert_eq!(carry_to(&last, base, "a2\nb\n").unwrap(), "a2\nb\nnew\n");
    assert!(carry_to(&last, base, "a\nb\nx\n").is_err());
}

#[test]
fn a_change_among_equal_lines_touches_all_of_them() {
    let base = "a\nx\nx\nx\nb\n";
    for start in [2, 4, 6] {
        let edit = edit(base, &[(start, start + 1, "y")]);
        assert!(
            carry_to(&edit, base, "a\nx\nx\nb\n").is_err(),
            "one deleted"
        );
        assert!(
            carry_to(&edit, base, "a\nx\nx\nx\nx\nb\n").is_err(),
            "one added"
        );
    }
    let beside = replacing(base, "b", "B");
    assert_eq!(
        carry_to(&beside, base, "a\nx\nx\nb\n").unwrap(),
        "a\nx\nx\nB\n"
    );
    // Of the two blocks, which one is new?
    let block = "f {\n}\n\n";
    let twice = "f {\n}\n\nf {\n}\n\n";
    assert!(carry_to(&replacing(block, "f", "g"), block, twice).is_err());
}

/// Lines that are all different, so that a change tells its place.
fn distinct_lines() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(
        prop::sample::select(alloc::vec!["a", "é", "😀", "e\u{301}", ""]),
        2..12,
    )
    .prop_map(|lines| {
        lines
            .iter()
            .enumerate()
            .map(|(n, line)| alloc::format!("{line}{n}\n"))
            .collect()
    })
}

proptest! {
    /// The agent edits one part, the user another: in either order the same text comes out.
    #[test]
    fn carrying_commutes_with_disjoint_changes(
        lines in distinct_lines(),
        split in any::<prop::sample::Index>(),
        agent in insertions(),
        user in insertions(),
        swapped in any::<bool>(),
    ) {
        // A line between the two parts stays as it is.
        let middle = split.index(lines.len() - 1).max(1).min(lines.len() - 1);
        let above: String = lines[..middle].concat();
        let below: String = lines[middle + 1..].concat();
        let between = &lines[middle];
        let changed = |part: &str, text: &str| {
            let text = text.replace('\r', "");
            let cut = part.len() / 2;
            let cut = (0..=cut).rev().find(|at| part.is_char_boundary(*at)).unwrap();
            alloc::format!("{}{text}{}", &part[..cut], &part[cut..])
        };
        let (mut one, mut other) = (changed(&above, &agent), changed(&below, &user));
        for text in [&mut one, &mut other] {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
        }
        let base = [&above, between, &below].map(String::as_str).concat();
        let first = [&one, between, &below].map(String::as_str).concat();
        let second = [&above, between, &other].map(String::as_str).concat();
        let both = [&one, between, &other].map(String::as_str).concat();
        let (target, current) = if swapped { (second, first) } else { (first, second) };
        let edit = Edit::between(&snapshot(&base), &Rope::from_str(&target)).unwrap();
        prop_assert_eq!(carry_to(&edit, &base, &current).unwrap(), both);
    }

    /// Whatever changed: what comes of a carried edit holds every line of the user's change, and every new text.
    #[test]
    fn carrying_never_drops_what_the_user_changed(
        base in logical_texts(),
        current in logical_texts(),
        target in logical_texts(),
    ) {
        let edit = Edit::between(&snapshot(&base), &Rope::from_str(&target)).unwrap();
        let Ok(merged) = carry_to(&edit, &base, &current) else { return Ok(()) };
        let changes = line_changes(&Rope::from_str(&base), &Rope::from_str(&current));
        let current: Vec<&str> = current.split_inclusive('\n').collect();
        for change in changes {
            let lines: String = current[change.new.start.0..change.new.end.0].concat();
            prop_assert!(merged.contains(&lines));
        }
        for replacement in edit.replacements() {
            prop_assert!(merged.contains(&replacement.text));
        }
    }

    /// A range is touched exactly if one of its lines, or something at its place, changed.
    #[test]
    fn untouched_lines_are_the_same_lines(
        base in logical_texts(),
        current in logical_texts(),
        (a, b) in (0..10usize, 0..10usize),
    ) {
        let (base, current) = (Rope::from_str(&base), Rope::from_str(&current));
        let count = line_count(&base);
        let (start, end) = (a.min(b).min(count), a.max(b).min(count));
        let changes = line_changes(&base, &current);
        let carried = carry_lines(LineRange::new(start, end), &changes);
        let CarriedLines { range, touched } = carried;
        prop_assert!(range.start <= range.end && range.end.0 <= line_count(&current));
        if !touched {
            prop_assert_eq!(range.len(), end - start);
            prop_assert_eq!(
                diff::lines_text(&base, start..end),
                diff::lines_text(&current, range.start.0..range.end.0)
            );
        }
        let meets = |it: &LineChange| if start == end {
            it.old.start <= LineIndex(start) && LineIndex(start) <= it.old.end
        } else {
            it.old.start < LineIndex(end) && LineIndex(start) < it.old.end
        };
        prop_assert_eq!(touched, changes.iter().any(meets));
    }
}
