//! How a question shows what is typed into a command that runs. Decides nothing.

use super::{in_one_line, marked};
use crate::effect::Typed;
use crate::unseen::visible;

/// More keys than this are counted in a title; the details name all.
const KEYS: usize = 6;

/// What is done to which command: "Type `y` and Enter into `cmd_1`".
pub(super) fn title(typed: &Typed) -> String {
    let into = visible(&typed.into);
    let mut pieces = Vec::new();
    let text = typed.text.strip_suffix('\n');
    let shown = text.unwrap_or(&typed.text);
    if !shown.is_empty() {
        pieces.push(in_one_line(shown));
    }
    pieces.extend(text.map(|_| "Enter".to_owned()));
    pieces.extend(typed.keys.iter().take(KEYS).map(|key| name(key)));
    let missing = typed.keys.len().saturating_sub(KEYS);
    if missing > 0 {
        pieces.push(format!("{missing} more keys"));
    }
    let end = if typed.closes {
        " and end its input"
    } else {
        ""
    };
    match pieces.as_slice() {
        [] => format!("End the input of `{into}`"),
        [only] => format!("Type {only} into `{into}`{end}"),
        [first @ .., last] => format!("Type {} and {last} into `{into}`{end}", first.join(", ")),
    }
}

/// What it is typed into, then all that is typed.
pub(super) fn lines(typed: &Typed) -> Vec<String> {
    let mut lines = marked(
        &format!("Into `{}`, which runs: ", visible(&typed.into)),
        &typed.program,
    );
    if let Some(printed) = &typed.printed {
        lines.push(format!("It printed last: {}", visible(printed)));
    }
    if !typed.before.is_empty() {
        lines.extend(marked("Typed before: ", &typed.before));
    }
    if !typed.text.is_empty() {
        let text = typed.text.strip_suffix('\n').unwrap_or(&typed.text);
        lines.extend(marked("Types: ", text));
    }
    let mut keys: Vec<String> = typed.keys.iter().map(|key| name(key)).collect();
    if typed.text.ends_with('\n') {
        keys.insert(0, "Enter".to_owned());
    }
    if !keys.is_empty() {
        lines.push(format!("Presses: {}", keys.join(", ")));
    }
    if typed.closes {
        lines.push("Ends its input".to_owned());
    }
    lines
}

/// A key as people write it: `ctrl-c` is "Ctrl-C".
fn name(key: &str) -> String {
    let parts = key.split(['-', '_']).map(|part| {
        let mut letters = part.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first
            .into_iter()
            .chain(letters.map(|l| l.to_ascii_lowercase()))
            .collect::<String>()
    });
    visible(&parts.collect::<Vec<_>>().join("-"))
}
