//! What is told of command lines: tables of verdicts, of what is understood, of rules that are offered, and floods of text.

use std::fmt::Write as _;

use super::*;

mod properties;

fn surroundings() -> Surroundings {
    Surroundings {
        workdir: "/home/u/project".into(),
        home: Some("/home/u".into()),
        is_root: true,
    }
}

fn look(line: &str) -> Analysis {
    analyse(line, &surroundings())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Safe,
    Asks,
    Denied,
}

fn verdict(line: &str) -> Verdict {
    let analysis = look(line);
    match analysis.safety {
        _ if !analysis.dangers.is_empty() => Verdict::Denied,
        Safety::Proven { .. } => Verdict::Safe,
        Safety::Unproven { .. } => Verdict::Asks,
    }
}

/// The lines of the table and their verdicts.
fn table() -> Vec<(Verdict, String)> {
    let rows = include_str!("tests/lines.txt").lines();
    rows.filter(|row| !row.is_empty() && !row.starts_with("# ") && *row != "#")
        .map(|row| {
            let (verdict, line) = row
                .split_once('\t')
                .unwrap_or_else(|| panic!("no tab: {row}"));
            let verdict = match verdict {
                "safe" => Verdict::Safe,
                "asks" => Verdict::Asks,
                "denied" => Verdict::Denied,
                other => panic!("no verdict: {other}"),
            };
            (verdict, unescaped(line))
        })
        .collect()
}

fn unescaped(line: &str) -> String {
    let line = line
        .replace('␊', "\n")
        .replace('␉', "\t")
        .replace('␍', "\r")
        .replace('␀', "\0");
    let mut plain = String::new();
    let mut rest = line.as_str();
    while let Some((before, after)) = rest.split_once('‹') {
        let (number, after) = after.split_once('›').expect("a closing mark");
        let character = u32::from_str_radix(number, 16)
            .ok()
            .and_then(char::from_u32);
        plain.push_str(before);
        plain.push(character.expect("a character"));
        rest = after;
    }
    plain + rest
}

#[test]
fn every_line_of_the_table_has_its_verdict() {
    let table = table();
    assert!(table.len() >= 300, "{} lines", table.len());
    let mut wrong = String::new();
    for (expected, line) in &table {
        let found = verdict(line);
        if found != *expected {
            let analysis = look(line);
            let _ = writeln!(
                wrong,
                "{line:?}: {found:?}, not {expected:?}: {:?} {:?} {:?}",
                analysis.safety, analysis.doubts, analysis.dangers
            );
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn what_is_dangerous_or_doubtful_is_named_in_words_that_a_person_can_see() {
    let seen = |text: &str| !text.trim().is_empty() && !text.contains(word::OPAQUE);
    let mut wrong = String::new();
    for (_, line) in table() {
        let analysis = look(&line);
        for danger in analysis.dangers.iter().filter(|danger| !seen(&danger.text)) {
            let _ = writeln!(wrong, "{line:?}: {danger:?}");
        }
        let doubts = analysis.doubts.iter();
        for doubt in doubts.filter(|doubt| doubt.text.contains(word::OPAQUE)) {
            let _ = writeln!(wrong, "{line:?}: {doubt:?}");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// The rows of a table with one line and what is expected of it, apart by tabs.
fn rows(table: &'static str) -> impl Iterator<Item = (String, Vec<&'static str>)> {
    let rows = table
        .lines()
        .filter(|row| !row.is_empty() && !row.starts_with("# "));
    rows.map(|row| {
        let mut cells = row.split('\t');
        let line = unescaped(cells.next().unwrap_or_default());
        (line, cells.filter(|cell| !cell.is_empty()).collect())
    })
}

#[test]
fn what_is_understood_has_no_doubts_and_these_parts() {
    let mut wrong = String::new();
    for (line, expected) in rows(include_str!("tests/understood.txt")) {
        let analysis = look(&line);
        let parts: Vec<String> = analysis
            .parts
            .iter()
            .map(|part| format!("{}{}", if part.needs_rule { '+' } else { '-' }, part.text))
            .collect();
        if parts != expected || !analysis.doubts.is_empty() || !analysis.dangers.is_empty() {
            let _ = writeln!(
                wrong,
                "{line:?}: {parts:?} {:?} {:?}",
                analysis.doubts, analysis.dangers
            );
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn rules_are_narrow_or_there_are_none() {
    let mut wrong = String::new();
    for (line, expected) in rows(include_str!("tests/rules.txt")) {
        let rules = rules_for(&look(&line));
        let found = rules.unwrap_or_else(|| vec!["none".to_owned()]);
        if found != expected {
            let _ = writeln!(wrong, "{line:?}: {found:?}, not {expected:?}");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// What a line writes and reads: `path`, or `?text` where the path is not known.
fn targets(targets: &[Target]) -> Vec<String> {
    let shown = targets.iter().map(|target| match &target.path {
        Some(path) => path.display().to_string(),
        None => format!("?{}", target.text),
    });
    shown.collect()
}

#[test]
fn files_are_told_from_where_they_are_named() {
    for (line, writes, reads) in [
        ("echo a > b", vec!["/home/u/project/b"], vec![]),
        ("echo a >> ../b", vec!["/home/u/project/../b"], vec![]),
        (
            "cd src && echo a > b",
            vec!["/home/u/project/src/b"],
            vec!["/home/u/project/src"],
        ),
        (
            "cd src; echo a > b",
            vec!["?b"],
            vec!["/home/u/project/src"],
        ),
        (
            "(cd src && true); echo a > b",
            vec!["/home/u/project/b"],
            vec!["/home/u/project/src"],
        ),
        ("echo a > $x", vec!["?$x"], vec![]),
        ("echo a > ~/b", vec!["/home/u/b"], vec![]),
        ("echo a > /dev/null 2>&1", vec![], vec![]),
        (
            "cp a b",
            vec!["/home/u/project/b"],
            vec!["/home/u/project/a"],
        ),
        (
            "mv a b",
            vec!["/home/u/project/a", "/home/u/project/b"],
            vec![],
        ),
        (
            "cp -t d a",
            vec!["/home/u/project/d", "/home/u/project/a"],
            vec!["/home/u/project/d"],
        ),
        ("sed -i s/a/b/ f", vec!["/home/u/project/f"], vec![]),
        (
            "curl -so f https://example.com",
            vec!["/home/u/project/f"],
            vec![],
        ),
        (
            "dd if=a of=b",
            vec!["/home/u/project/b"],
            vec!["/home/u/project/a"],
        ),
        (
            "sudo tee /etc/x < a",
            vec!["/etc/x"],
            vec!["/home/u/project/a"],
        ),
        ("bash -c 'echo a > b'", vec!["/home/u/project/b"], vec![]),
        ("cat .env", vec![], vec!["/home/u/project/.env"]),
        (
            "ls | tee a b",
            vec!["/home/u/project/a", "/home/u/project/b"],
            vec![],
        ),
    ] {
        let analysis = look(line);
        assert_eq!(targets(&analysis.writes), writes, "{line}");
        assert_eq!(targets(&analysis.reads), reads, "{line}");
    }
}

#[test]
fn what_is_proven_names_what_it_reads() {
    for (line, expected) in [
        (
            "cat a ../b /etc/c",
            vec!["/home/u/project/a", "/home/u/project/../b", "/etc/c"],
        ),
        (
            "cd src && cat a",
            vec!["/home/u/project/src", "/home/u/project/src/a"],
        ),
        ("ls src/*.rs", vec!["/home/u/project/src/"]),
        ("grep -r x src", vec!["/home/u/project/src"]),
        (
            "git show HEAD:.env",
            vec!["/home/u/project/.env", "/home/u/project/."],
        ),
        ("grep -rn x", vec!["/home/u/project/."]),
        (
            "cd src && rg x",
            vec!["/home/u/project/src", "/home/u/project/src/."],
        ),
        (
            "git log -p -- id_rsa",
            vec!["/home/u/project/id_rsa", "/home/u/project/."],
        ),
        (
            "git log -L1,5:.env",
            vec!["/home/u/project/.env", "/home/u/project/."],
        ),
        (
            "git log -L 1,5:.env",
            vec!["/home/u/project/.env", "/home/u/project/."],
        ),
        (
            "git diff-tree -p HEAD .env",
            vec![
                "/home/u/project/HEAD",
                "/home/u/project/.env",
                "/home/u/project/.",
            ],
        ),
        (
            "git stash show -p stash@{0} -- .env",
            vec![
                "/home/u/project/show",
                "/home/u/project/stash@{0}",
                "/home/u/project/.env",
                "/home/u/project/.",
            ],
        ),
        ("find /etc -name x", vec!["/etc"]),
        ("[ -f a ]", vec!["/home/u/project/a"]),
        ("echo /etc/shadow", vec![]),
    ] {
        match look(line).safety {
            Safety::Proven { reads, .. } => {
                let reads: Vec<_> = reads.iter().filter_map(|path| path.to_str()).collect();
                assert_eq!(reads, expected, "{line}");
            }
            Safety::Unproven { why } => panic!("{line}: {why}"),
        }
    }
}

#[test]
fn what_reads_files_that_it_does_not_name_is_told_and_needs_a_rule_beside_what_is_not_proven() {
    for (line, expected) in [
        ("grep -r x .", true),
        ("grep --recursive x", true),
        ("grep -inr x src", true),
        ("rg x", true),
        ("rg x src", true),
        ("diff a b", true),
        ("ls && timeout 5 rg x | head", true),
        ("grep x a", false),
        ("ls -R | grep x", false),
        ("find . -name x", false),
        ("git diff", false),
    ] {
        match look(line).safety {
            Safety::Proven { searches, .. } => assert_eq!(searches, expected, "{line}"),
            Safety::Unproven { why } => panic!("{line}: {why}"),
        }
        let analysis = look(&format!("make; {line}"));
        let parts = analysis.parts.iter().filter(|part| part.needs_rule);
        assert_eq!(parts.count(), 1 + usize::from(expected), "{line}");
    }
}

#[test]
fn git_is_asked_for_where_the_folder_is_no_root() {
    let elsewhere = Surroundings {
        is_root: false,
        ..surroundings()
    };
    for line in [
        "git status",
        "git log | head",
        "timeout 5 git diff",
        "cd .. && git show",
    ] {
        let analysis = analyse(line, &elsewhere);
        let unproven = matches!(analysis.safety, Safety::Unproven { .. });
        assert!(unproven && !analysis.doubts.is_empty(), "{line}");
    }
    for line in ["ls", "cat a"] {
        assert_eq!(analyse(line, &elsewhere), look(line), "{line}");
    }
}

#[test]
fn what_git_loses_or_publishes_and_who_talks_to_the_network_is_told() {
    for (line, repository, discards, network) in [
        ("git status", false, false, false),
        ("git add .", true, false, false),
        ("git commit -m x", true, true, false),
        ("sudo git push", true, true, true),
        ("git fetch", true, false, true),
        ("git stash list", false, false, false),
        ("bash -c 'git reset --hard'", true, true, false),
        ("git remote -v update", true, true, true),
        ("cargo test", false, false, false),
        ("cargo install x", false, false, true),
        ("curl https://example.com", false, false, true),
        ("cat < /dev/tcp/example.com/80", false, false, true),
    ] {
        let analysis = look(line);
        assert_eq!(analysis.repository, repository, "{line}");
        assert_eq!(!analysis.discards.is_empty(), discards, "{line}");
        assert_eq!(analysis.network, network, "{line}");
    }
}

#[test]
fn a_piece_that_is_not_closed_may_end_in_any_character() {
    for line in [
        "`aé", "`é", "${aé", "$[é", "${é", "$(é", "\"`é", "x=`\\é", "$((é", "<(é",
    ] {
        assert!(!look(line).doubts.is_empty(), "{line}");
    }
}
