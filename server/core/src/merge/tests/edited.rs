//! What the user edited in the agent's lines: lines and words replaced, removed and put in.

use super::*;
use alloc::collections::BTreeSet;
use alloc::format;
use proptest::sample::Index;

/// Shows the result below what led to it.
fn check(old: &str, new: &str, current: &str, expected: &str) {
    let result = take_back(new, old, current);
    assert_eq!(
        result, expected,
        "\n--- before the agent\n{old}--- the agent's\n{new}--- the user's\n{current}--- taken back\n{result}"
    );
}

const SUM: &str = "    return sum(items)\n";
const SUM_OR_ZERO: &str = "    if not items:
        return 0
    return sum(items) or 0
";

#[test]
fn a_line_that_the_user_edited_stays_whole() {
    check(
        SUM,
        SUM_OR_ZERO,
        "    if not items:
        return None
    return sum(items) or 0
",
        "        return None
    return sum(items)
",
    );
    check(
        SUM,
        SUM_OR_ZERO,
        "    if items is None:
        return 0
    return sum(items) or 0
",
        "    if items is None:
    return sum(items)
",
    );
    check(
        SUM,
        SUM_OR_ZERO,
        "    if not items:
        return 0
    return sum(items) or 0  # mine
",
        "    return sum(items)  # mine
",
    );
    check(
        "fn old() {}\n",
        "fn old() {\n    work();\n}\n",
        "fn old() {\n    other(1);\n}\n",
        "fn old() {}\n    other(1);\n",
    );
    check(
        "print(total)\n",
        "print(len(items))\nprint(items)\nprint(\"done\")\n",
        "for item in [1, 2]:\n    log(item)\n",
        "print(total)\nfor item in [1, 2]:\n    log(item)\n",
    );
    check(
        "print(\"a\")\n",
        "print(\"b\")\n",
        "for item in [1, 2]:\n    log(item)\n",
        "print(\"a\")\nfor item in [1, 2]:\n    log(item)\n",
    );
}

#[test]
fn a_line_that_the_user_cut_short_does_not_keep_the_old_one_away() {
    let (old, new) = ("    return total\n", "    return total or 0\n");
    check(old, new, "    return\n", "    return total\n    return\n");
    check(old, new, "\n", "    return total\n\n");
    check(old, new, "", old);
    check(old, new, "    total or 0\n", "    total\n");
}

#[test]
fn neighbouring_lines_that_the_user_edited_stay_together() {
    check(
        "for x in xs:\n    f(x)\n",
        "while a:\n    g()\n",
        "while b():\n    h()\n",
        "for x in xs:\n    f(x)\nwhile b():\n    h()\n",
    );
    check(
        "one 1\ntwo 2\nthree 3\n",
        "One 1\nTwo 2\nThree 3\n",
        "One 1\nMINE\nThree 3 too\n",
        "one 1\ntwo 2\nMINE\nthree 3 too\n",
    );
}

#[test]
fn what_the_user_took_back_by_hand_is_there_once() {
    check(
        SUM,
        SUM_OR_ZERO,
        "    if not items:
        raise ValueError(\"empty\")
    return sum(items)
",
        "        raise ValueError(\"empty\")
    return sum(items)
",
    );
    check("five\n", "FIVE\nFIVE2\n", "five\nsix\n", "five\nsix\n");
    check(
        "if a {\n    x\n}\n",
        "A\nB\nC\nD\n",
        "if a {\n    y\n}\n",
        "if a {\n    x\n}\n    y\n}\n",
    );
}

#[test]
fn another_number_is_not_merged() {
    check("x = 5\n", "x = 0\n", "x = 10\n", "x = 5\nx = 10\n");
    check(
        "return 5\n",
        "return 0\n",
        "return None\n",
        "return 5\nreturn None\n",
    );
    check("x = 5; y\n", "x = 0; y\n", "x = 0; y10\n", "x = 5; y10\n");
}

#[test]
fn a_line_is_merged_with_one_that_it_may_have_been_only() {
    check(
        "x = 1\n",
        "for item in items: log(item)\n",
        "for item in items: if ok: log(item)\n",
        "x = 1\nfor item in items: if ok: log(item)\n",
    );
    check("f(a, old)\n", "f(a, new)\n", "f(b, new)\n", "f(b, old)\n");
    check("b\n", "B and C\n", "B and C mine\nMINE\n", "b mine\nMINE\n");
}

#[test]
fn lines_of_the_agents_that_the_user_moved_go() {
    check("o\n", "a 1\nb 2\nc 3\n", "c 3\na 1\nb 2\n", "o\n");
    check(
        "o\n",
        "a 1\nb 2\n",
        "if it:\n    a 1\n    b 2\n",
        "o\nif it:\n    a 1\n    b 2\n",
    );
    check("o\n", "a {\n}\n", "a {\n}\nmine {\n}\n", "o\nmine {\n}\n");
}

#[test]
fn the_last_line_ends_as_it_did() {
    check("o", "a\nb", "a\nX", "o\nX");
    check("", "a\nb", "a\nb\nX", "X");
    check("o\n", "a", "a\nX", "o\nX\n");
    check("o", "a\n", "a\nX\n", "o\nX");
    check("o\n", "a\n", "a\nX", "o\nX");
    check("o\n", "", "X", "o\nX");
    check("o", "", "X\n", "o\nX\n");
    check("", "a\n", "", "");
    check("o\n", "a\n", "", "o\n");
}

/// A line with a number of its own behind each of its words, so that a word tells where it comes from.
fn line(words: &[&str], number: usize) -> String {
    let words: Vec<String> = words
        .iter()
        .map(|word| format!("{word}_{number}"))
        .collect();
    format!("    {}", words.join(" "))
}

#[derive(Debug, Clone, Copy)]
enum Change {
    Leave,
    Remove,
    Replace,
    Word,
    Add,
    Insert,
    Brace,
}

fn all_changes() -> impl Strategy<Value = Vec<(Change, Index)>> {
    use Change::{Add, Brace, Insert, Leave, Remove, Replace, Word};
    let change = prop::sample::select(alloc::vec![
        Leave, Leave, Leave, Remove, Replace, Word, Add, Insert, Brace
    ]);
    prop::collection::vec((change, any::<Index>()), 0..9)
}

/// Changes some lines; each word that comes in is another one.
fn changed(
    text: &[String],
    changes: &[(Change, Index)],
    who: &str,
    next: &mut usize,
) -> Vec<String> {
    let mut result = Vec::new();
    let mut serial = 0;
    let mut word = || {
        serial += 1;
        format!("{who}{serial}")
    };
    let mut fresh = |word: &str| {
        *next += 1;
        line(&[word, "same"], *next)
    };
    for (index, old) in text.iter().enumerate() {
        let Some((change, place)) = changes.get(index) else {
            result.push(old.clone());
            continue;
        };
        let mut words: Vec<String> = old.split_whitespace().map(String::from).collect();
        let number = words.first().and_then(|word| word.split_once('_'));
        let number = number.map(|(_, number)| String::from(number));
        match (*change, number) {
            (Change::Remove, _) => {}
            (Change::Replace, _) => result.push(fresh(&word())),
            (Change::Insert, _) => {
                result.push(fresh(&word()));
                result.push(old.clone());
            }
            (Change::Brace, _) => {
                result.push(old.clone());
                result.push(String::from("}"));
            }
            (Change::Word, Some(number)) => {
                let place = place.index(words.len());
                words[place] = format!("{}_{number}", word());
                result.push(format!("    {}", words.join(" ")));
            }
            (Change::Add, Some(number)) => {
                let place = place.index(words.len() + 1);
                words.insert(place, format!("{}_{number}", word()));
                result.push(format!("    {}", words.join(" ")));
            }
            (Change::Leave | Change::Word | Change::Add, _) => result.push(old.clone()),
        }
    }
    result
}

/// The text before the agent, the agent's, and what the user made of it.
fn texts() -> impl Strategy<Value = [Vec<String>; 3]> {
    (0..7_usize, all_changes(), all_changes()).prop_map(|(count, agents, users)| {
        let old: Vec<String> = (0..count).map(|it| line(&["a", "b", "c"], it)).collect();
        let mut next = count;
        let mut new = changed(&old, &agents, "agent", &mut next);
        if old.is_empty() {
            new = (0..3).map(|it| line(&["n", "m"], 100 + it)).collect();
        }
        let current = changed(&new, &users, "user", &mut next);
        [old, new, current]
    })
}

fn text(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn users_words(text: &str) -> Vec<&str> {
    text.split_whitespace()
        .filter(|word| word.starts_with("user"))
        .collect()
}

fn number(word: &str) -> Option<&str> {
    word.split_once('_').map(|(_, number)| number)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn whatever_the_user_edits_stays_and_stays_whole([old, new, current] in texts()) {
        let [before, written, present] = [&old, &new, &current].map(|lines| text(lines));
        let result = take_back(&written, &before, &present);

        prop_assert_eq!(users_words(&result), users_words(&present), "the user's words, in order: {}", result);
        for line in result.lines() {
            let words = line.split_whitespace().filter(|word| !word.starts_with("user"));
            let from: BTreeSet<&str> = words.filter_map(number).collect();
            prop_assert!(from.len() <= 1, "of one line only: {:?} in {}", line, result);
            let whole = old.iter().chain(&current).any(|it| it == line);
            prop_assert!(whole || line.contains("user"), "{:?} in {}", line, result);
        }
        let is_agents = |line: &&String| line.contains('_') && !old.contains(line);
        for line in new.iter().filter(is_agents) {
            prop_assert!(!result.lines().any(|it| it == line), "{:?} stayed in {}", line, result);
        }
        for line in old.iter().filter(|line| !new.contains(line)) {
            let left: Vec<&str> = (new.iter())
                .filter(|it| number_of(it) == number_of(line))
                .flat_map(|it| it.split_whitespace())
                .collect();
            let back: Vec<&str> = line.split_whitespace().filter(|it| !left.contains(it)).collect();
            let is_back = |it: &str| back.iter().all(|word| it.split_whitespace().any(|it| it == *word));
            prop_assert!(result.lines().any(is_back), "{:?} did not come back in {}", line, result);
        }
    }

    #[test]
    fn a_side_without_a_change_leaves_the_other([old, new, current] in texts()) {
        let [old, new, current] = [&old, &new, &current].map(|lines| text(lines));
        prop_assert_eq!(take_back(&new, &old, &new), &old[..]);
        prop_assert_eq!(take_back(&new, &new, &current), current);
    }
}

fn number_of(line: &str) -> Option<&str> {
    line.split_whitespace().next().and_then(number)
}
