//! The book's promises: each hunk is decided once, and the call that waits learns of it when all are.

use super::*;
use crate::apply::ApplyError;
use crate::review::hunk::split;
use mewcode_core::hash::ContentHash;

const BASE: &str = "one\ntwo\nthree\nfour\n";

fn target(path: &str) -> Target {
    Target {
        path: path.into(),
        display: path.trim_start_matches('/').into(),
        existed: true,
        final_newline: true,
        destination: Default::default(),
    }
}

fn origin() -> Origin {
    Origin {
        session: "s".into(),
        call: "call_1".into(),
        tool: "edit_file".into(),
        reason: String::new(),
    }
}

/// Enters a proposal that turns `base` into `after`.
fn enter(book: &Book, path: &str, base: &Snapshot, after: &str) -> oneshot::Receiver<Outcome> {
    let after = Snapshot::decode(after);
    let hunks = split(base.rope(), after.rope())
        .into_iter()
        .map(|(lines, _, old, new)| (lines, old, new))
        .collect();
    let file = NewFile {
        target: target(path),
        base: base.clone(),
        text: base.clone(),
        hunks,
        whole: None,
    };
    book.enter(origin(), When::Before, vec![file]).1
}

/// The hunks of a file as `id state first-line`.
fn shown(book: &Book, path: &str) -> Vec<String> {
    let file = book.file(Path::new(path));
    file.iter()
        .flat_map(|file| &file.hunks)
        .map(|(hunk, _)| format!("{} {:?} {}", hunk.id, hunk.state, hunk.lines.start.0))
        .collect()
}

#[test]
fn the_call_learns_the_outcome_with_the_last_hunk() {
    let book = Book::default();
    let base = Snapshot::decode(BASE);
    let mut outcome = enter(&book, "/a", &base, "ONE\ntwo\nthree\nFOUR\n");
    assert_eq!(shown(&book, "/a"), ["h2 Proposed 0", "h3 Proposed 3"]);
    book.finish("h2", Fate::Done);
    assert!(outcome.try_recv().is_err());
    let error = ApplyError::Stale {
        expected: ContentHash::of(b"a"),
        actual: ContentHash::of(b"b"),
        diff: String::new(),
    };
    book.finish("h3", Fate::Failed(error.into()));
    let outcome = outcome.try_recv().unwrap();
    assert_eq!(outcome.faults[0].0, "a:4-4");
    assert_eq!((book.count(), book.paths().len()), (0, 0));
}

#[test]
fn a_hunk_is_taken_once() {
    let book = Book::default();
    let base = Snapshot::decode(BASE);
    let _waiting = enter(&book, "/a", &base, "ONE\ntwo\nthree\nFOUR\n");
    let _other = enter(&book, "/b", &base, "one\ntwo\nthree\n");
    let first = book.take(&Selection::Hunk("h2".into()));
    assert_eq!(first[0].hunks, ["h2"]);
    assert!(book.take(&Selection::Hunk("h2".into())).is_empty());
    let rest = book.take(&Selection::File("/a".into()));
    assert_eq!(rest.len(), 1);
    assert_eq!(rest[0].hunks, ["h3"]);
    assert_eq!(book.take(&Selection::All)[0].target.path, Path::new("/b"));
    book.give_back("h2");
    assert_eq!(shown(&book, "/a"), ["h2 Proposed 0", "h3 Deciding 3"]);
}

#[test]
fn hunks_follow_the_text_and_conflict_with_the_users_change() {
    let book = Book::default();
    let base = Snapshot::decode(BASE);
    let _waiting = enter(&book, "/a", &base, "ONE\ntwo\nthree\nFOUR\n");
    assert!(!book.look(Path::new("/a"), &Snapshot::decode(BASE)));
    assert!(book.look(
        Path::new("/a"),
        &Snapshot::decode("new\none\ntwo\nthree\nfour!\n")
    ));
    assert_eq!(shown(&book, "/a"), ["h2 Proposed 1", "h3 Conflicted 4"]);
}

#[test]
fn two_proposals_for_one_file_stand_in_one_list() {
    let book = Book::default();
    let base = Snapshot::decode(BASE);
    let _first = enter(&book, "/a", &base, "one\ntwo\nthree\nFOUR\n");
    let moved = Snapshot::decode("zero\none\ntwo\nthree\nfour\n");
    book.look(Path::new("/a"), &moved);
    // Made for the older text, and entered after the newer one was seen.
    let _second = enter(&book, "/a", &base, "ONE\ntwo\nthree\nfour\n");
    assert_eq!(shown(&book, "/a"), ["h4 Proposed 1", "h2 Proposed 4"]);
}

#[test]
fn a_withdrawn_proposal_leaves_what_is_being_decided() {
    let book = Book::default();
    let base = Snapshot::decode(BASE);
    let mut outcome = enter(&book, "/a", &base, "ONE\ntwo\nthree\nFOUR\n");
    book.take(&Selection::Hunk("h2".into()));
    assert_eq!(book.withdraw("p1"), [Path::new("/a")]);
    assert_eq!(shown(&book, "/a"), ["h2 Deciding 0"]);
    assert!(outcome.try_recv().is_err());
    book.finish("h2", Fate::Done);
    assert!(outcome.try_recv().unwrap().rejected.is_empty());
}

#[test]
fn what_is_given_back_of_a_withdrawn_proposal_ends_it() {
    let book = Book::default();
    let base = Snapshot::decode(BASE);
    let mut outcome = enter(&book, "/a", &base, "ONE\ntwo\nthree\nFOUR\n");
    let mut other = enter(&book, "/a", &base, "one\nTWO\nthree\nfour\n");
    book.take(&Selection::All);
    book.withdraw("p1");
    for id in ["h2", "h3", "h5"] {
        book.give_back(id);
    }
    assert_eq!(shown(&book, "/a"), ["h5 Proposed 1"]);
    assert!(outcome.try_recv().unwrap().rejected.is_empty());
    assert!(other.try_recv().is_err(), "its call still waits");
}

/// Enters what has landed: lines `start..end` of `text`.
fn landed(book: &Book, text: &Snapshot, start: usize, end: usize) -> String {
    let file = NewFile {
        target: target("/a"),
        base: text.clone(),
        text: text.clone(),
        hunks: vec![(LineRange::new(start, end), "old\n".into(), "new\n".into())],
        whole: None,
    };
    drop(book.enter(origin(), When::After, vec![file]));
    format!("h{}", book.entered())
}

#[test]
fn a_later_change_of_the_same_lines_is_known() {
    let text = Snapshot::decode(BASE);
    for ((start, end), (other_start, other_end), expected) in [
        ((0, 2), (1, 2), true),
        ((1, 2), (0, 3), true),
        ((0, 2), (2, 3), false),
        ((2, 3), (0, 2), false),
        ((0, 2), (2, 2), true),
        ((0, 2), (0, 0), true),
        ((0, 2), (3, 3), false),
        ((1, 1), (1, 2), true),
    ] {
        let book = Book::default();
        let earlier = [landed(&book, &text, start, end)];
        let later = [landed(&book, &text, other_start, other_end)];
        let case = format!("{start}-{end} {other_start}-{other_end}");
        assert_eq!(book.is_built_upon(&earlier), expected, "{case}");
        assert!(!book.is_built_upon(&later), "{case}");
        book.finish(&later[0], Fate::Done);
        assert!(!book.is_built_upon(&earlier), "{case}, decided");
    }
}

#[test]
fn a_file_renamed_onto_another_keeps_the_hunks_of_both() {
    let book = Book::default();
    let base = Snapshot::decode(BASE);
    let mut first = enter(&book, "/a", &base, "ONE\ntwo\nthree\nfour\n");
    let mut second = enter(&book, "/b", &base, "one\ntwo\nthree\nFOUR\n");
    book.rename(Path::new("/a"), target("/b"));
    assert_eq!(shown(&book, "/b"), ["h2 Proposed 0", "h4 Proposed 3"]);
    book.finish("h2", Fate::Done);
    book.finish("h4", Fate::Done);
    assert!(first.try_recv().is_ok() && second.try_recv().is_ok());
}

#[test]
fn a_text_from_before_a_landing_does_not_undo_its_hunks() {
    let book = Book::default();
    let (base, landed) = (Snapshot::decode(BASE), Snapshot::decode("ONE\ntwo\n"));
    let since = book.entered();
    let file = |text: &Snapshot| NewFile {
        target: target("/a"),
        base: base.clone(),
        text: text.clone(),
        hunks: vec![(LineRange::new(0, 1), "one\n".into(), "ONE\n".into())],
        whole: None,
    };
    drop(book.enter(origin(), When::After, vec![file(&landed)]));
    assert!(!book.look_since(Path::new("/a"), &base, since));
    assert_eq!(shown(&book, "/a"), ["h2 Applied 0"]);
    assert!(book.look_since(Path::new("/a"), &base, book.entered()));
    assert_eq!(shown(&book, "/a"), [""; 0]);
}

#[test]
fn hunks_are_given_in_the_lines_of_the_text_that_was_asked_about() {
    let book = Book::default();
    let base = Snapshot::decode(BASE);
    let _waiting = enter(&book, "/a", &base, "one\ntwo\nthree\nFOUR\n");
    let newer = Snapshot::decode("zero\none\ntwo\nthree\nfour\n");
    book.look(Path::new("/a"), &newer);
    let ids = ["h2".to_owned()];
    let lines = |text| book.at(Path::new("/a"), text, &ids)[0].lines.start.0;
    assert_eq!((lines(&base), lines(&newer)), (3, 4));
}

#[test]
fn a_file_without_hunks_is_not_kept() {
    let book = Book::default();
    let base = Snapshot::decode(BASE);
    let mut outcome = enter(&book, "/a", &base, BASE);
    assert!(outcome.try_recv().is_ok());
    assert!(book.paths().is_empty());
}

#[test]
fn only_a_hunk_in_decision_is_given_back() {
    let book = Book::default();
    let base = Snapshot::decode(BASE);
    let _waiting = enter(&book, "/a", &base, "ONE\ntwo\nthree\nfour\n");
    book.look(
        Path::new("/a"),
        &Snapshot::decode("mine\ntwo\nthree\nfour\n"),
    );
    book.give_back("h2");
    assert_eq!(shown(&book, "/a"), ["h2 Conflicted 0"]);
}
