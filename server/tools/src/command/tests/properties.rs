use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

/// Rows of the table that mean the same wherever they stand: nothing is open, nothing is left for what comes after.
fn closed() -> Vec<(Verdict, String)> {
    let leaves = |line: &str| {
        let words = [
            "cd", "pushd", "exec", "alias", "export", "read", "set", "PATH", "IFS", "trap", "EOF",
            "X=", "()", "function",
        ];
        words.iter().any(|word| line.contains(word))
            || line.contains(['#', '\r', '\0'])
            || line.ends_with('\n')
    };
    let rows = table().into_iter().filter(|(_, line)| !leaves(line));
    rows.filter(|(_, line)| look(line).doubts.is_empty())
        .collect()
}

/// Rows of the table without quotes and the like, and without reserved words, which mean nothing in quotes.
fn bare() -> Vec<(Verdict, String)> {
    let is_bare = |line: &str| {
        let reserved = [
            "coproc ",
            "function ",
            "if ",
            "for ",
            "while ",
            "case ",
            "time ",
        ];
        !line.contains(['\'', '"', '$', '\\', '`', '#', '<', '\0', '\r'])
            && !reserved.iter().any(|word| line.starts_with(word))
            && line.contains(|c: char| c.is_ascii_lowercase())
    };
    table()
        .into_iter()
        .filter(|(_, line)| is_bare(line))
        .collect()
}

fn one_of(rows: Vec<(Verdict, String)>) -> impl Strategy<Value = (Verdict, String)> {
    assert!(rows.len() > 100, "{} rows", rows.len());
    prop::sample::select(rows)
}

/// A row with some characters lost, doubled, changed or put in.
fn mutated() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        prop::sample::select(
            "'\"\\`$(){}[]<>|&;#!*?~=\n\t -/e"
                .chars()
                .collect::<Vec<_>>()
        ),
        any::<char>()
    ];
    let changes = prop::collection::vec((any::<prop::sample::Index>(), 0..4u8, character), 1..6);
    (one_of(table()), changes).prop_map(|((_, line), changes)| {
        let mut line: Vec<char> = line.chars().collect();
        for (at, kind, character) in changes {
            let at = at.index(line.len() + 1);
            match kind {
                0 if at < line.len() => drop(line.remove(at)),
                1 if at < line.len() => line.insert(at, line[at]),
                2 if at < line.len() => line[at] = character,
                _ => line.insert(at, character),
            }
        }
        line.into_iter().collect()
    })
}

proptest! {
    #[test]
    fn the_verdict_of_a_chain_is_the_strictest_of_its_parts(
        (first, one) in one_of(closed()),
        (second, other) in one_of(closed()),
        (third, last) in one_of(closed()),
        operator in prop::sample::select(vec!["\n", ";", " ; ", " && ", " || ", " &&\n"]),
    ) {
        let line = [one, other, last].join(operator);
        prop_assert_eq!(verdict(&line), first.max(second).max(third), "{:?}", line);
    }

    #[test]
    fn a_pipe_is_no_safer_than_its_parts((first, one) in one_of(closed()), (second, other) in one_of(closed())) {
        let line = format!("{one} | {other}");
        prop_assert!(verdict(&line) >= first.max(second), "{line:?}");
    }

    #[test]
    fn what_is_around_it_makes_nothing_safer(
        (expected, line) in one_of(closed()),
        (before, after) in prop::sample::select(vec![
            ("", " # comment"), ("# it's\n", ""), ("( ", "\n)"), ("{ ", "\n}"), ("if true; then ", "\nfi"), ("! ", ""),
            ("true && ", ""), ("while true; do ", "\ndone"), ("f() { ", "\n}; f"), ("echo \"$(", "\n)\""), ("X=$(", "\n)"), ("cat <(", "\n)"),
            ("time ", ""), ("\n\n", "\n\n"), ("ls &\n", ""), ("case x in x) ", ";; esac"),
        ]),
    ) {
        let whole = format!("{before}{line}{after}");
        prop_assert!(verdict(&whole) >= expected, "{whole:?}");
    }

    #[test]
    fn wrapped_in_a_shell_nothing_is_safer(
        (expected, line) in one_of(closed()),
        wrapper in prop::sample::select(vec!["bash -c ", "eval ", "env bash -c ", "sudo sh -c ", "timeout 5 bash -c ", "trap "]),
    ) {
        let tail = if wrapper == "trap " { " EXIT" } else { "" };
        let whole = format!("{wrapper}'{}'{tail}", line.replace('\'', "'\\''"));
        prop_assert!(verdict(&whole) >= expected, "{whole:?}");
    }

    #[test]
    fn quotes_make_nothing_safer(
        (expected, line) in one_of(bare()),
        at in any::<prop::sample::Index>(),
        quotes in prop::sample::select(vec!["''", "\"\""]),
    ) {
        let letters = line.char_indices().filter(|(_, c)| c.is_ascii_lowercase()).map(|(at, _)| at);
        let letters: Vec<usize> = letters.collect();
        let at = letters[at.index(letters.len())];
        let whole = format!("{}{quotes}{}", &line[..at], &line[at..]);
        prop_assert!(verdict(&whole) >= expected, "{whole:?}");
    }

    #[test]
    fn no_text_is_too_much(line in any::<String>(), bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        look(&line);
        look(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn no_change_to_a_line_is_too_much(line in mutated()) {
        let analysis = look(&line);
        if let Safety::Proven { searches, .. } = analysis.safety {
            prop_assert!(analysis.doubts.is_empty() && analysis.writes.is_empty() && analysis.discards.is_empty());
            prop_assert!(searches || analysis.parts.iter().all(|part| !part.needs_rule), "{analysis:?}");
        }
    }

    #[test]
    fn signs_in_any_order_are_not_too_much(line in "[a-c'\"\\\\`$(){}<>|&;#!*?~=\n -]{0,60}") {
        look(&line);
    }
}

#[test]
fn sixty_parts_are_as_strict_as_the_last() {
    let chain = |last: &str| format!("{}{last}", "ls && ".repeat(59));
    assert_eq!(verdict(&chain("ls")), Verdict::Safe);
    assert_eq!(verdict(&chain("touch x")), Verdict::Asks);
    assert_eq!(verdict(&chain("rm -rf /")), Verdict::Denied);
    let lines = format!("{}rm -rf /", "ls\n".repeat(3000));
    assert_eq!(verdict(&lines), Verdict::Denied);
}

/// Nothing that is nested deep, long or multiplies itself takes long, is taken for safe, or hides what is in it.
#[test]
fn whatever_is_too_much_is_not_understood_in_time() {
    let nested = |open: &str, inside: &str, close: &str, times: usize| {
        format!("{}{inside}{}", open.repeat(times), close.repeat(times))
    };
    let mut lines = vec![
        format!("ls {}", "a".repeat(MAX_BYTES)),
        format!("{} rm -rf /", "{a,b}".repeat(40)),
        format!(
            "rm -rf / {}",
            "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b} ".repeat(1500)
        ),
        "'".repeat(60_000),
        "\\".repeat(60_001),
        "| ".repeat(30_000),
        "a=b;".repeat(15_000),
        "x=$x$x; ".repeat(5_000),
        "cat <<A\n".repeat(8_000),
        "f() { f; }; f; ".repeat(3_000),
        "for x in a b c d e f g h; do ".repeat(40) + "rm -rf /",
        "bash -c \"$(echo ls)\"; ".repeat(2_500),
        "if ".repeat(20_000),
        "[[ ".repeat(20_000),
        "(( ".repeat(20_000),
        "case x in x) ".repeat(4_000),
    ];
    for times in [3, 30, 100, 8000] {
        for (open, close) in [
            ("$(", ")"),
            ("(", ")"),
            ("{ ", "; }"),
            ("${x:-", "}"),
            ("\"$(", ")\""),
            ("<(", ")"),
            ("$((", "))"),
            ("`", "`"),
            ("\"", "\""),
            ("eval ", ""),
            ("sudo ", ""),
            ("env ", ""),
            ("if ", "; then ls; fi"),
            ("! ", ""),
            ("xargs ", ""),
            ("a[", "]"),
            ("x=$(", ")"),
            ("bash -c ", ""),
            ("find . -exec ", " \\;"),
        ] {
            lines.push(nested(open, " rm -rf / ", close, times));
        }
    }
    for line in lines {
        let begin = Instant::now();
        let found = verdict(&line);
        let took = begin.elapsed();
        let shown: String = line.chars().take(60).collect();
        assert!(took < Duration::from_secs(10), "{shown}: {took:?}");
        assert!(found > Verdict::Safe, "{shown}: {found:?}");
        // In these it is a text, or an argument of a script that does not look at it.
        let hides = line.contains("rm -rf /")
            && !["\"\"\"", "bash -c bash"]
                .iter()
                .any(|start| line.starts_with(start));
        assert!(!hides || found == Verdict::Denied, "{shown}: {found:?}");
    }
}
