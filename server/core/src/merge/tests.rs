//! Taking the agent's change back leaves every word of the user's, once, and no line in pieces.

mod edited;

use super::*;
use crate::testing::{insertions, logical_texts};
use proptest::prelude::*;

#[test]
fn without_typing_the_old_text_comes_back() {
    for (written, replaced) in [
        ("new\n", "old\n"),
        ("", "old\n"),
        ("new\n", ""),
        ("a b\n", "a c\n"),
        ("x", "y"),
    ] {
        assert_eq!(take_back(written, replaced, written), replaced);
    }
}

#[test]
fn typing_beside_the_change_stays_where_it_is() {
    assert_eq!(
        take_back("let a = new;\n", "let a = old;\n", "let mut a = new;\n"),
        "let mut a = old;\n"
    );
    assert_eq!(take_back("new x\n", "old x\n", "Xnew x\n"), "Xold x\n");
    assert_eq!(take_back("new x\n", "old x\n", "newX x\n"), "oldX x\n");
    assert_eq!(
        take_back("a\nnew\nb\n", "a\nold\nb\n", "a\nX\nnew\nb\n"),
        "a\nX\nold\nb\n"
    );
    assert_eq!(
        take_back("a\nnew\nb\n", "a\nold\nb\n", "a\nnew\nX\nb\n"),
        "a\nold\nX\nb\n"
    );
}

#[test]
fn typing_into_the_change_follows_the_old_text() {
    assert_eq!(take_back("new x\n", "old x\n", "nXew x\n"), "old X x\n");
    assert_eq!(
        take_back("new x\n", "old x\n", "neat x\n"),
        "old x\nneat x\n",
        "another word is not typed into it"
    );
    assert_eq!(
        take_back("f(new)\n", "f(old)\n", "f(new + 1)\n"),
        "f(old + 1)\n"
    );
    assert_eq!(
        take_back("one two\n", "1 2\n", "one and two\n"),
        "1 and 2\n"
    );
}

#[test]
fn a_new_block_leaves_what_was_typed_into_it() {
    assert_eq!(take_back("a\nb\n", "", "a\nX\nb\n"), "X\n");
    assert_eq!(
        take_back("a\nb\n", "", "aX\nb\n"),
        "aX\n",
        "no line comes back that it could be merged with"
    );
    assert_eq!(take_back("a\n", "", "a\n"), "");
}

#[test]
fn lines_typed_between_lines_that_go_stay_lines() {
    for (current, expected) in [
        ("b1\nb2\nMINE\nb3\n", "b\nMINE\n"),
        ("b1\nMINE\nb2\nb3\n", "b\nMINE\n"),
        ("b1\nb2\nb3\nMINE\n", "b\nMINE\n"),
        ("MINE\nb1\nb2\nb3\n", "MINE\nb\n"),
        ("b1\nONE\nb2\nTWO\nb3\n", "b\nONE\nTWO\n"),
    ] {
        assert_eq!(
            take_back("b1\nb2\nb3\n", "b\n", current),
            expected,
            "{current:?}"
        );
    }
}

#[test]
fn a_deleted_block_comes_back_before_what_was_typed_in_its_place() {
    assert_eq!(take_back("", "old\n", "X\n"), "old\nX\n");
    assert_eq!(
        take_back("a\nb\n", "a\nold\nb\n", "a\nX\nb\n"),
        "a\nold\nX\nb\n"
    );
}

#[test]
fn what_the_user_deleted_beside_the_change_stays_deleted() {
    assert_eq!(take_back("a new b\n", "a old b\n", "new b\n"), "old b\n");
    assert_eq!(
        take_back("a\nnew\nb\n", "a\nold\nb\n", "new\nb\n"),
        "old\nb\n"
    );
    assert_eq!(
        take_back("a new b\n", "a old b\n", "a b\n"),
        "a old b\n",
        "the agent's own words"
    );
}

#[test]
fn what_the_user_took_back_is_not_taken_back_twice() {
    assert_eq!(take_back("new x\n", "old x\n", "old x\n"), "old x\n");
    assert_eq!(
        take_back("new x\nmore\n", "old x\n", "old x\nmore\n"),
        "old x\n"
    );
    assert_eq!(
        take_back(
            "a = new; b = new\n",
            "a = old; b = old\n",
            "a = old; b = newX\n"
        ),
        "a = old; b = oldX\n"
    );
}

/// A text, and one with some of its pieces replaced.
fn pairs() -> impl Strategy<Value = (String, String)> {
    let edits = prop::collection::vec(
        (any::<prop::sample::Index>(), 0..6usize, insertions()),
        0..3,
    );
    (logical_texts(), edits).prop_map(|(text, edits)| {
        let mut other = text.clone();
        for (place, length, new) in edits {
            let ends: Vec<usize> = other
                .char_indices()
                .map(|(at, _)| at)
                .chain([other.len()])
                .collect();
            let from = place.index(ends.len());
            let to = (from + length).min(ends.len() - 1);
            other.replace_range(ends[from]..ends[to], &new.replace('\r', ""));
        }
        (text, other)
    })
}

const TOKENS: [&str; 4] = ["«X»", "Y", "🦀", "Ж"];

/// Puts the first tokens in, each once.
fn typed(text: &str, places: &[prop::sample::Index]) -> String {
    let mut text = String::from(text);
    for (place, token) in places.iter().zip(TOKENS) {
        let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        let ends: Vec<usize> = ends.filter(|at| !splits_token(&text, *at)).collect();
        text.insert_str(ends[place.index(ends.len())], token);
    }
    text
}

fn splits_token(text: &str, at: usize) -> bool {
    let token = TOKENS[0];
    text.find(token)
        .is_some_and(|start| start < at && at < start + token.len())
}

fn places() -> impl Strategy<Value = Vec<prop::sample::Index>> {
    prop::collection::vec(any::<prop::sample::Index>(), 0..=TOKENS.len())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn everything_typed_is_kept_exactly_once((written, replaced) in pairs(), places in places()) {
        let result = take_back(&written, &replaced, &typed(&written, &places));
        for (index, token) in TOKENS.iter().enumerate() {
            let expected = usize::from(index < places.len());
            prop_assert_eq!(result.matches(token).count(), expected, "{} in {:?}", token, result);
        }
    }

    #[test]
    fn without_typing_it_is_the_replaced_text((written, replaced) in pairs(), (_, other) in pairs()) {
        prop_assert_eq!(take_back(&written, &replaced, &written), &replaced[..]);
        prop_assert_eq!(take_back(&written, &other, &written), other);
    }

    /// What the user typed on other lines leaves the agent's lines as they were before.
    #[test]
    fn typing_beside_the_change_does_not_disturb_it((written, replaced) in pairs(), above in any::<bool>()) {
        let framed = |text: &str| alloc::format!("above\n{text}\nbelow\n");
        let joined = |text: &str| if above {
            alloc::format!("X\n{}", framed(text))
        } else {
            alloc::format!("{}X\n", framed(text))
        };
        let result = take_back(&framed(&written), &framed(&replaced), &joined(&written));
        prop_assert_eq!(result, joined(&replaced));
    }

    /// Whatever the user did.
    #[test]
    fn whole_lines_stay_whole((written, replaced) in pairs(), (current, _) in pairs()) {
        let result = take_back(&written, &alloc::format!("{replaced}\n"), &current);
        prop_assert!(result.is_empty() || result.ends_with('\n'), "{:?}", result);
    }
}
