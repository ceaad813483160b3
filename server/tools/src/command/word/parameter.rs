//! `$name` and `${name…}`. What the operators of the second do is worked out where it is simple. Knows no command.

use super::{Letter, Reader, Shell, Variable};

/// How long the name of a variable is that follows a lone `$`.
pub(super) fn length(piece: &str, after: &str) -> usize {
    if piece != "$" {
        return 0;
    }
    match after.chars().next() {
        Some(first) if first.is_ascii_alphabetic() || first == '_' => name_length(after),
        Some(first) if "@*#?-$!0123456789".contains(first) => 1,
        _ => 0,
    }
}

fn name_length(text: &str) -> usize {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.find(|c| !is_name(c)).unwrap_or(text.len())
}

/// The letters of `$name` or `${…}`.
pub(super) fn expand<S: Shell>(
    reader: &mut Reader<'_, S>,
    piece: &str,
    quoted: bool,
) -> Vec<Letter> {
    let kind = if quoted {
        Letter::Inserted
    } else {
        Letter::Expanded
    };
    let known = |text: &str| text.chars().map(kind).collect::<Vec<_>>();
    let unknown = |guess: Option<String>| {
        vec![Letter::Unknown {
            raw: piece.to_owned(),
            guess,
            quoted,
        }]
    };
    let Some(inside) = piece.strip_prefix("${") else {
        let name = &piece[1..];
        if name.is_empty() {
            return vec![Letter::Quoted('$')];
        }
        let origin = reader.shell.origin(name);
        reader.stream.merge(&origin);
        return match reader.shell.variable(name) {
            Variable::Fixed(value) => known(&value),
            Variable::Known(value) => unknown(Some(value)),
            Variable::Assigned => unknown(None),
            Variable::Unset => unknown(Some(String::new())),
        };
    };
    let inside = inside.strip_suffix('}').unwrap_or(inside);
    if let Some(name) = inside.strip_prefix('!') {
        reader.shell.doubt(piece, "names a variable by another");
        let value = match reader.shell.variable(name) {
            Variable::Known(name) => reader.shell.variable(&name),
            other => other,
        };
        return unknown(value.guess());
    }
    if inside.len() > 1 && inside.starts_with('#') {
        super::run_all(inside, reader.shell);
        return unknown(None);
    }
    let special = inside
        .chars()
        .next()
        .is_some_and(|first| "@*#?-$!".contains(first));
    let length = if special { 1 } else { name_length(inside) };
    let (name, operator) = inside.split_at(length);
    let origin = reader.shell.origin(name);
    reader.stream.merge(&origin);
    let variable = match operator.chars().next() {
        // A value of an array.
        Some('[') => Variable::Assigned,
        _ => reader.shell.variable(name),
    };
    let value = variable.guess();
    if operator.is_empty() {
        return match variable {
            Variable::Fixed(value) => known(&value),
            _ => unknown(value),
        };
    }
    operate(reader, piece, name, operator, value)
        .map_or_else(|| unknown(None), |guess| unknown(Some(guess)))
}

/// What an operator makes of a value: a guess.
fn operate<S: Shell>(
    reader: &mut Reader<'_, S>,
    piece: &str,
    name: &str,
    operator: &str,
    value: Option<String>,
) -> Option<String> {
    let bare = operator.strip_prefix(':').unwrap_or(operator);
    let argument = bare.get(1..).unwrap_or_default();
    let empty = value.as_deref().is_none_or(str::is_empty);
    match bare.chars().next() {
        Some('-') => {
            let default = text(reader, argument);
            if empty { default } else { value }
        }
        Some('=') => {
            reader
                .shell
                .doubt(piece, "assigns a variable while it is read");
            let default = text(reader, argument);
            let known = default.clone().map_or(Variable::Assigned, Variable::Known);
            reader.shell.assign(name, known);
            if empty { default } else { value }
        }
        Some('+') => text(reader, argument),
        Some('?') => {
            text(reader, argument);
            // It is not empty, or the shell stops.
            value.filter(|value| !value.is_empty())
        }
        Some('@') => {
            reader
                .shell
                .doubt(piece, "transforms a variable, which may run commands");
            value
        }
        Some('^') => value.map(|value| value.to_uppercase()),
        Some(',') => value.map(|value| value.to_lowercase()),
        Some('/') => {
            let replaced = text(reader, argument)?;
            let all = replaced.strip_prefix('/');
            let (from, to) = all
                .unwrap_or(&replaced)
                .split_once('/')
                .unwrap_or((all.unwrap_or(&replaced), ""));
            let value = value?;
            Some(match all {
                Some(_) => value.replace(from, to),
                None => value.replacen(from, to, 1),
            })
        }
        Some(sign @ ('#' | '%')) => {
            let pattern = text(reader, argument)?;
            let value = value?;
            let pattern = pattern.trim_matches(sign).trim_matches('*');
            let cut = match sign {
                '#' => value.strip_prefix(pattern),
                _ => value.strip_suffix(pattern),
            };
            Some(cut.unwrap_or(&value).to_owned())
        }
        _ if operator.starts_with(':') => part(&value?, bare, reader, piece),
        _ => {
            super::run_all(operator, reader.shell);
            if operator.starts_with('[') && !is_certain_index(operator) {
                reader
                    .shell
                    .doubt(piece, "has an index that may run commands");
            }
            None
        }
    }
}

/// Whether an index, and what is done with the value, is no arithmetic with names and no transformation: these may run
/// what a variable holds.
fn is_certain_index(operator: &str) -> bool {
    let Some((index, after)) = operator[1..].split_once(']') else {
        return false;
    };
    let is_number = !index.is_empty() && index.chars().all(|c| c.is_ascii_digit());
    let is_plain = after.is_empty()
        || after.starts_with(['#', '%', '/', '^', ',', '-', '+'])
        || after.starts_with(":-")
        || after.starts_with(":+");
    (is_number || ["@", "*"].contains(&index)) && is_plain
}

/// `${name:offset:length}`
fn part<S: Shell>(
    value: &str,
    bounds: &str,
    reader: &mut Reader<'_, S>,
    piece: &str,
) -> Option<String> {
    let mut numbers = bounds
        .split(':')
        .map(|number| number.trim().parse::<usize>().ok());
    let (offset, length) = (numbers.next().flatten(), numbers.next());
    if offset.is_none() || length == Some(None) {
        super::run_all(bounds, reader.shell);
        reader.shell.doubt(
            piece,
            "is arithmetic with names, whose values may run commands",
        );
        return None;
    }
    let length = length.flatten().unwrap_or(usize::MAX);
    Some(value.chars().skip(offset?).take(length).collect())
}

/// The word of an operator, expanded.
fn text<S: Shell>(reader: &mut Reader<'_, S>, word: &str) -> Option<String> {
    let letters = reader.letters(word, true);
    let letters = super::tilde(letters, word, reader.shell);
    let mut text = String::new();
    for letter in super::guess(&letters) {
        match letter {
            Letter::Plain(c) | Letter::Quoted(c) | Letter::Expanded(c) | Letter::Inserted(c) => {
                text.push(c);
            }
            Letter::Quotes | Letter::Unknown { .. } => {}
        }
    }
    Some(text)
}
