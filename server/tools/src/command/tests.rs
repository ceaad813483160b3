use std::fmt::Write as _;

use super::*;

mod properties;

fn surroundings() -> Surroundings {
    Surroundings {
        workdir: "/home/u/project".into(),
        home: Some("/home/u".into()),
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
