//! What language servers say is wrong, in words for the model: one diagnostic, and what has changed between two moments.
//! Other programs' word: cleaned of what nobody sees, and bounded. Asks nobody.

use std::collections::HashMap;
use std::fmt::Write;

use crate::port::{Diagnostic, Review, Severity};
use crate::truncate::floor_boundary;
use crate::unseen::is_invisible;

/// More of a message is not shown.
const MAX_MESSAGE_BYTES: usize = 2000;

/// More of a word is not shown: who says it, and by what it can be looked up.
const MAX_WORD_BYTES: usize = 200;

/// So many that came are told, and so many that went.
const MAX_NEW: usize = 10;
const MAX_GONE: usize = 5;

/// What another program says, without characters that nobody sees.
pub(crate) fn cleaned(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let is_seen =
        |char: &char| matches!(char, '\n' | '\t') || !(char.is_control() || is_invisible(*char));
    text.chars().filter(is_seen).collect()
}

/// The beginning of it on one line.
pub fn in_short(text: &str, bytes: usize) -> String {
    shortened(cleaned(text).trim().replace('\n', " "), bytes)
}

fn shortened(mut text: String, bytes: usize) -> String {
    if text.len() > bytes {
        text.truncate(floor_boundary(&text, bytes));
        text.push('…');
    }
    text
}

/// `12: error: mismatched types [rustc E0308]`, further lines of the message indented.
pub(crate) fn line(diagnostic: &Diagnostic) -> String {
    let message = cleaned(&diagnostic.message).trim().to_owned();
    let message = shortened(message, MAX_MESSAGE_BYTES);
    let mut line = format!(
        "{}: {}: {}",
        diagnostic.line.saturating_add(1),
        diagnostic.severity.as_str(),
        message.replace('\n', "\n    ")
    );
    let by: Vec<String> = [&diagnostic.source, &diagnostic.code]
        .into_iter()
        .flatten()
        .map(|word| in_short(word, MAX_WORD_BYTES))
        .collect();
    if !by.is_empty() {
        let _ = write!(line, " [{}]", by.join(" "));
    }
    line.push('\n');
    line
}

/// What is said of a file since an edit, or since it was proposed, and what is no longer said, of errors and warnings; none
/// if that is nothing. A line that has only moved is no change.
pub fn since_edit(
    display: &str,
    review: Review,
    before: &[Diagnostic],
    after: &[Diagnostic],
    waited: &str,
) -> Option<String> {
    let (new, gone) = (missing(after, before), missing(before, after));
    if new.is_empty() && gone.is_empty() {
        return None;
    }
    let since = match review {
        // Others may have changed the file until it was decided.
        Review::Before => "Since this edit was proposed,",
        Review::After => "Since this edit",
    };
    let mut note = format!(
        "{since} the editor's language servers report in `{display}`, waited for {waited} at most:\n"
    );
    for (word, list, most) in [("new", new, MAX_NEW), ("gone", gone, MAX_GONE)] {
        for diagnostic in list.iter().take(most) {
            let _ = write!(note, "{word}: {}", line(diagnostic));
        }
        if list.len() > most {
            let _ = writeln!(note, "{word}: {} more", list.len() - most);
        }
    }
    Some(note.trim_end().to_owned())
}

/// Errors and warnings of the one list that the other does not have, whatever their lines, the worst first.
fn missing<'a>(list: &'a [Diagnostic], other: &[Diagnostic]) -> Vec<&'a Diagnostic> {
    let mut known: HashMap<_, usize> = HashMap::new();
    for diagnostic in other {
        *known.entry(identity(diagnostic)).or_default() += 1;
    }
    let mut missing: Vec<&Diagnostic> = list
        .iter()
        .filter(|it| it.severity <= Severity::Warning)
        .filter(|it| match known.get_mut(&identity(it)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        })
        .collect();
    missing.sort_by_key(|it| (it.severity, it.line));
    missing
}

/// What makes a diagnostic the same in another line.
fn identity(diagnostic: &Diagnostic) -> (Severity, &str, Option<&str>, Option<&str>) {
    let Diagnostic {
        severity,
        message,
        source,
        code,
        line: _,
    } = diagnostic;
    (*severity, message, source.as_deref(), code.as_deref())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagnostic(line: usize, severity: Severity, message: &str) -> Diagnostic {
        Diagnostic {
            line,
            severity,
            message: message.to_owned(),
            source: Some("ruff".to_owned()),
            code: None,
        }
    }

    #[test]
    fn what_came_and_what_went_is_told_and_what_moved_is_not() {
        let before = [
            diagnostic(0, Severity::Error, "undefined a"),
            diagnostic(4, Severity::Error, "undefined b"),
            diagnostic(5, Severity::Hint, "shorter"),
        ];
        let after = [
            diagnostic(9, Severity::Error, "undefined b"),
            diagnostic(8, Severity::Warning, "unused"),
            diagnostic(7, Severity::Error, "undefined b"),
            diagnostic(3, Severity::Information, "see there"),
        ];
        insta::assert_snapshot!(since_edit("a.py", Review::After, &before, &after, "1 s").unwrap(), @r"
        Since this edit the editor's language servers report in `a.py`, waited for 1 s at most:
        new: 8: error: undefined b [ruff]
        new: 9: warning: unused [ruff]
        gone: 1: error: undefined a [ruff]
        ");
        assert_eq!(
            since_edit("a.py", Review::After, &before, &before, "1 s"),
            None
        );
        assert_eq!(
            since_edit("a.py", Review::After, &[], &before[2..], "1 s"),
            None
        );
    }

    #[test]
    fn of_many_the_first_are_told() {
        let many: Vec<Diagnostic> = (0..12)
            .map(|line| diagnostic(line, Severity::Error, &format!("wrong {line}")))
            .collect();
        let note = since_edit("a.py", Review::After, &[], &many, "1 s").unwrap();
        assert_eq!(note.lines().count(), 12);
        assert!(note.ends_with("new: 2 more"), "{note}");
    }

    #[test]
    fn other_programs_hide_nothing_in_their_words() {
        assert_eq!(cleaned("a\u{200b}\tb\r\nc\u{1b}"), "a\tb\nc");
        let long = diagnostic(0, Severity::Error, &"ü".repeat(2000));
        assert!(line(&long).len() < 2100);
        assert_eq!(
            line(&diagnostic(0, Severity::Error, "one\ntwo")),
            "1: error: one\n    two [ruff]\n"
        );
    }
}
