//! Who has seen what, and what follows from it.

use super::*;
use crate::error::ErrorKind;

const PATH: &str = "/w/a.txt";

fn path() -> &'static Path {
    Path::new(PATH)
}

fn text(wire: &str) -> Snapshot {
    Snapshot::decode(wire)
}

fn page(lines: Range<usize>) -> Page {
    Page {
        lines,
        from_byte: 0,
        to_byte: None,
    }
}

fn basis(ledger: &Ledger, current: &Snapshot) -> Result<Option<String>, ErrorKind> {
    match ledger.basis(path(), "a.txt", current, None) {
        Ok(Basis::Current) => Ok(None),
        Ok(Basis::Earlier(text)) => Ok(Some(text.rope().to_string())),
        Err(error) => Err(error.kind),
    }
}

fn may_change(ledger: &Ledger, current: &Snapshot, lines: Range<usize>) -> Result<(), ErrorKind> {
    ledger
        .check_lines(path(), "a.txt", current, &[lines])
        .map_err(|error| error.kind)
}

fn may_rewrite(ledger: &Ledger, current: &Snapshot) -> Result<(), ErrorKind> {
    ledger
        .check_rewrite(path(), "a.txt", current)
        .map_err(|error| error.kind)
}

#[test]
fn what_was_not_seen_is_not_edited() {
    let ledger = Ledger::new();
    let current = text("a\nb\n");
    assert_eq!(basis(&ledger, &current), Err(ErrorKind::NotRead));
    ledger.saw(path(), &current, 1..2);
    assert_eq!(basis(&ledger, &current), Ok(None));
    assert_eq!(may_rewrite(&ledger, &current), Err(ErrorKind::NotRead));
    ledger.saw(path(), &current, 0..1);
    assert_eq!(may_rewrite(&ledger, &current), Ok(()));
}

#[test]
fn a_part_of_a_line_is_something_seen_but_not_the_line() {
    let ledger = Ledger::new();
    let current = text("a long line\n");
    ledger.show(
        path(),
        (&current).into(),
        Page {
            lines: 0..1,
            from_byte: 0,
            to_byte: Some(3),
        },
    );
    assert_eq!(basis(&ledger, &current), Ok(None));
    assert_eq!(may_rewrite(&ledger, &current), Err(ErrorKind::NotRead));
    ledger.show(
        path(),
        (&current).into(),
        Page {
            lines: 0..1,
            from_byte: 3,
            to_byte: None,
        },
    );
    assert_eq!(may_rewrite(&ledger, &current), Ok(()));
}

#[test]
fn what_others_change_is_unseen_until_it_is_read() {
    let ledger = Ledger::new();
    let seen = text("a\nb\nc\n");
    ledger.saw(path(), &seen, 0..3);
    let current = text("new\na\nB\nc\n");
    assert_eq!(basis(&ledger, &current), Ok(Some("a\nb\nc\n".to_owned())));
    assert_eq!(may_change(&ledger, &current, 1..2), Ok(()));
    assert_eq!(
        may_change(&ledger, &current, 2..3),
        Err(ErrorKind::StaleFile)
    );
    assert_eq!(may_rewrite(&ledger, &current), Err(ErrorKind::StaleFile));
    ledger.saw(path(), &current, 2..3);
    assert_eq!(may_change(&ledger, &current, 2..3), Ok(()));
    assert_eq!(
        may_change(&ledger, &current, 0..1),
        Err(ErrorKind::StaleFile)
    );
    assert_eq!(
        may_rewrite(&ledger, &current),
        Err(ErrorKind::NotRead),
        "the first line is still unseen"
    );
    ledger.saw(path(), &current, 0..1);
    assert_eq!(may_rewrite(&ledger, &current), Ok(()));
}

#[test]
fn asking_is_not_seeing() {
    let ledger = Ledger::new();
    ledger.saw(path(), &text("a\nb\n"), 0..2);
    let current = text("a\nB\n");
    for _ in 0..2 {
        assert_eq!(
            may_change(&ledger, &current, 1..2),
            Err(ErrorKind::StaleFile)
        );
    }
    assert_eq!(basis(&ledger, &current), Ok(Some("a\nb\n".to_owned())));
}

#[test]
fn what_the_agent_writes_it_has_seen() {
    let ledger = Ledger::new();
    let before = text("a\nb\nc\n");
    ledger.saw(path(), &before, 0..3);
    let after = text("a\nB\nC\nc\n");
    ledger.wrote(path(), &before, &after);
    assert_eq!(basis(&ledger, &after), Ok(None));
    assert_eq!(may_rewrite(&ledger, &after), Ok(()));
    let created = text("new\n");
    ledger.created(path(), &created);
    assert_eq!(may_rewrite(&ledger, &created), Ok(()));
}

#[test]
fn an_own_change_does_not_make_changes_of_others_seen() {
    let ledger = Ledger::new();
    ledger.saw(path(), &text("a\nb\nc\n"), 0..3);
    let before = text("a\nb\nby others\n");
    let after = text("A\nA\nb\nby others\n");
    ledger.wrote(path(), &before, &after);
    assert_eq!(may_change(&ledger, &after, 0..2), Ok(()));
    assert_eq!(may_change(&ledger, &after, 3..4), Err(ErrorKind::StaleFile));
}

#[test]
fn the_base_hash_may_be_any_text_from_which_only_the_agent_led_on() {
    let ledger = Ledger::new();
    let (first, second, third) = (text("1\n"), text("2\n"), text("3\n"));
    ledger.saw(path(), &first, 0..1);
    ledger.wrote(path(), &first, &second);
    let basis = |current: &Snapshot, digits: &str| {
        ledger
            .basis(path(), "a.txt", current, Some(digits))
            .map_err(|error| error.kind)
    };
    assert!(basis(&second, &first.hash().short()).is_ok());
    assert!(basis(&second, &second.hash().to_string()).is_ok());
    assert_eq!(
        basis(&second, &third.hash().short()).unwrap_err(),
        ErrorKind::StaleFile
    );
    ledger.saw(path(), &third, 0..1);
    assert_eq!(
        basis(&third, &first.hash().short()).unwrap_err(),
        ErrorKind::StaleFile,
        "others changed it since"
    );
}

#[test]
fn a_page_is_known_while_it_stands_in_the_context() {
    let ledger = Ledger::new();
    let current = text("a\nb\n");
    let show = |text: &Snapshot| ledger.show(path(), text.into(), page(0..2));
    assert!(!show(&current) && show(&current));
    assert!(
        !ledger.show(path(), (&current).into(), page(0..1)),
        "another page"
    );
    ledger.context_dropped();
    assert!(!show(&current) && show(&current));
    ledger.wrote(path(), &current, &current);
    assert!(!show(&current), "the agent wrote it since");
    let changed = text("a\nB\n");
    assert!(!show(&changed) && show(&changed) && !show(&current));
}

#[test]
fn a_fork_goes_its_own_way() {
    let ledger = Ledger::new();
    let current = text("a\nb\n");
    ledger.saw(path(), &current, 0..1);
    let fork = ledger.fork();
    fork.saw(path(), &current, 0..2);
    assert_eq!(may_rewrite(&fork, &current), Ok(()));
    assert_eq!(may_rewrite(&ledger, &current), Err(ErrorKind::NotRead));
    assert_eq!(basis(&fork, &current), Ok(None));
}

#[test]
fn a_text_that_was_not_kept_must_be_read_again_once_it_changed() {
    let ledger = Ledger::new();
    let seen = text("a\n");
    ledger.saw(
        path(),
        Version {
            hash: seen.hash(),
            text: None,
        },
        0..1,
    );
    assert_eq!(basis(&ledger, &seen), Ok(None));
    assert_eq!(basis(&ledger, &text("b\n")), Err(ErrorKind::StaleFile));
    assert_eq!(
        may_rewrite(&ledger, &text("b\n")),
        Err(ErrorKind::StaleFile)
    );
}

#[test]
fn the_texts_longest_not_used_are_let_go_of_first() {
    let ledger = Ledger::new();
    let large = text(&"x".repeat(MAX_KEPT_BYTES / 3));
    for name in ["/1", "/2", "/1", "/3"] {
        ledger.saw(Path::new(name), &large, 0..1);
    }
    let state = ledger.lock();
    let kept = |name: &str| state.files[Path::new(name)].text.is_some();
    assert!(kept("/1") && kept("/3") && !kept("/2"));
    assert_eq!(state.files.len(), 3, "that they were seen is still known");
}

#[test]
fn a_hit_in_a_text_that_is_not_held_hides_no_change_of_others() {
    let ledger = Ledger::new();
    let (seen, current) = (text("a\nb\nc\n"), text("a\nby the user\nc\n"));
    ledger.saw(path(), &seen, 0..3);
    let hit = Version {
        hash: current.hash(),
        text: None,
    };
    ledger.saw(path(), hit, 2..3);
    assert_eq!(may_change(&ledger, &current, 2..3), Ok(()));
    assert_eq!(
        may_change(&ledger, &current, 1..2),
        Err(ErrorKind::StaleFile)
    );
    ledger.saw(path(), &current, 1..2);
    assert_eq!(
        may_change(&ledger, &current, 1..2),
        Ok(()),
        "now it was seen"
    );
}
