//! From the characters of a word to letters that know whether they were quoted, and from where they come.

use super::{Expansion, Letter, MAX_LETTERS, Shell, Value, parameter, unescape};
use crate::command::lex::{closing, piece_end};
use crate::command::stream::Stream;

/// Reads one word.
pub(super) struct Reader<'a, S: Shell> {
    pub shell: &'a mut S,
    /// What substitutions brought in.
    pub stream: Stream,
    written: usize,
    pub too_long: bool,
}

impl<'a, S: Shell> Reader<'a, S> {
    pub fn new(shell: &'a mut S) -> Reader<'a, S> {
        Reader {
            shell,
            stream: Stream::default(),
            written: 0,
            too_long: false,
        }
    }

    /// `<(…)` or `>(…)`.
    pub fn process(&mut self, raw: &str) -> Expansion {
        let end = closing(&raw[2..]).unwrap_or(raw.len() - 2);
        let stream = self.shell.run(&raw[2..2 + end]);
        let value = Value {
            text: raw.to_owned(),
            expanded: true,
            stream,
            is_process: true,
            ..Value::default()
        };
        Expansion {
            values: vec![value.clone()],
            guesses: vec![value],
        }
    }

    /// The letters of a word with quotes.
    pub fn letters(&mut self, raw: &str, inside: bool) -> Vec<Letter> {
        let mut letters = Vec::new();
        let mut rest = raw;
        while let Some(first) = rest.chars().next() {
            let length = piece_end(rest).clamp(first.len_utf8(), rest.len());
            let (piece, after) = rest.split_at(length);
            rest = after;
            match first {
                '\\' if piece == "\\\n" => {}
                '\\' => letters.push(Letter::Quoted(piece.chars().nth(1).unwrap_or('\\'))),
                '\'' => {
                    letters.push(Letter::Quotes);
                    letters.extend(inner(piece, 1).chars().map(Letter::Quoted));
                }
                '"' => {
                    letters.push(Letter::Quotes);
                    letters.extend(self.quoted(inner(piece, 1), false));
                }
                '$' if piece.starts_with("$'") => {
                    letters.push(Letter::Quotes);
                    letters.extend(escaped(piece));
                }
                '$' if piece.starts_with("$\"") => {
                    letters.push(Letter::Quotes);
                    letters.extend(self.quoted(inner(piece, 2), false));
                }
                '$' => {
                    let length = parameter::length(piece, rest);
                    let (name, after) = rest.split_at(length);
                    rest = after;
                    letters.extend(self.dollar(&format!("{piece}{name}"), inside));
                }
                '`' => letters.extend(self.backticks(piece, inside)),
                '<' | '>' if piece.len() == 1 && rest.starts_with('(') => {
                    let end = closing(&rest[1..]).unwrap_or(rest.len() - 1);
                    let stream = self.shell.run(&rest[1..1 + end]);
                    self.stream.merge(&stream);
                    letters.push(Letter::Unknown {
                        raw: piece.to_owned(),
                        guess: None,
                        quoted: true,
                    });
                    rest = &rest[(end + 2).min(rest.len())..];
                }
                _ => letters.extend(piece.chars().map(Letter::Plain)),
            }
            self.written = self.written.saturating_add(length);
            if letters.len() > MAX_LETTERS || self.written > MAX_LETTERS {
                self.too_long = true;
                break;
            }
        }
        letters
    }

    /// The letters of what stands in double quotes.
    pub fn quoted(&mut self, text: &str, document: bool) -> Vec<Letter> {
        let mut letters = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let next = rest.chars().nth(1);
            match first {
                '\\' => match next {
                    Some('\n') => rest = &rest[2..],
                    Some(next) if "$`\\".contains(next) || next == '"' && !document => {
                        letters.push(Letter::Quoted(next));
                        rest = &rest[2..];
                    }
                    _ => {
                        letters.push(Letter::Quoted('\\'));
                        rest = &rest[1..];
                    }
                },
                '$' if matches!(next, Some('\'' | '"')) => {
                    letters.push(Letter::Quoted('$'));
                    rest = &rest[1..];
                }
                '$' | '`' => {
                    let length = piece_end(rest).clamp(1, rest.len());
                    let (piece, after) = rest.split_at(length);
                    let length = if first == '$' {
                        parameter::length(piece, after)
                    } else {
                        0
                    };
                    let (name, after) = after.split_at(length);
                    rest = after;
                    letters.extend(match first {
                        '$' => self.dollar(&format!("{piece}{name}"), true),
                        _ => self.backticks(piece, true),
                    });
                }
                _ => {
                    letters.push(Letter::Quoted(first));
                    rest = &rest[first.len_utf8()..];
                }
            }
            if letters.len() > MAX_LETTERS {
                self.too_long = true;
                break;
            }
        }
        letters
    }

    fn backticks(&mut self, piece: &str, quoted: bool) -> Vec<Letter> {
        let mut script = String::new();
        let mut characters = inner(piece, 1).chars().peekable();
        while let Some(character) = characters.next() {
            match characters.peek() {
                Some(next) if character == '\\' && "$`\\".contains(*next) => {
                    self.shell.doubt(piece, "has a backslash within backticks");
                    script.push(*next);
                    characters.next();
                }
                _ => script.push(character),
            }
        }
        self.substitute(piece, &script, quoted)
    }

    fn substitute(&mut self, raw: &str, script: &str, quoted: bool) -> Vec<Letter> {
        let stream = self.shell.run(script);
        self.stream.merge(&stream);
        vec![Letter::Unknown {
            raw: raw.to_owned(),
            guess: stream
                .text
                .map(|text| text.trim_end_matches('\n').to_owned()),
            quoted,
        }]
    }

    /// `$…`: a variable, a substitution, arithmetic.
    fn dollar(&mut self, piece: &str, quoted: bool) -> Vec<Letter> {
        let letters = match self.shell.enter() {
            true => self.expansion(piece, quoted),
            false => vec![Letter::Unknown {
                raw: piece.to_owned(),
                guess: None,
                quoted,
            }],
        };
        self.shell.leave();
        letters
    }

    fn expansion(&mut self, piece: &str, quoted: bool) -> Vec<Letter> {
        if let Some(arithmetic) = piece
            .strip_prefix("$((")
            .and_then(|rest| rest.strip_suffix("))"))
        {
            return self.arithmetic(piece, arithmetic, quoted);
        }
        if let Some(script) = piece.strip_prefix("$(") {
            let script = script.strip_suffix(')').unwrap_or(script);
            return self.substitute(piece, script, quoted);
        }
        if let Some(arithmetic) = piece.strip_prefix("$[") {
            self.shell.doubt(piece, "is arithmetic of an old kind");
            return self.arithmetic(piece, arithmetic.trim_end_matches(']'), quoted);
        }
        parameter::expand(self, piece, quoted)
    }

    fn arithmetic(&mut self, raw: &str, inside: &str, quoted: bool) -> Vec<Letter> {
        let plain = |c: char| c.is_ascii_digit() || " +-*/%()<>=&|^!~?:,".contains(c);
        if !inside.chars().all(plain) {
            let letters = self.quoted(inside, true);
            let numbers = letters.iter().all(|letter| match letter {
                Letter::Quoted(c) | Letter::Inserted(c) => plain(*c),
                _ => false,
            });
            if !numbers {
                self.shell.doubt(
                    raw,
                    "is arithmetic with names, whose values may run commands",
                );
            }
        }
        vec![Letter::Unknown {
            raw: raw.to_owned(),
            guess: None,
            quoted,
        }]
    }
}

/// A piece without its first characters and its closing quote.
fn inner(piece: &str, opening: usize) -> &str {
    let close = &piece[opening - 1..opening];
    let rest = &piece[opening..];
    rest.strip_suffix(close).unwrap_or(rest)
}

/// The letters of `$'…'`. What its rarer escapes stand for differs from shell to shell, so that is a guess.
fn escaped(piece: &str) -> Vec<Letter> {
    let inside = inner(piece, 2);
    let mut escapes = inside.split('\\').skip(1);
    let common = |rest: &str| rest.is_empty() || rest.starts_with(['n', 't', '\'', '"']);
    let plain = unescape(inside);
    match escapes.all(common) {
        true => plain.chars().map(Letter::Quoted).collect(),
        false => vec![Letter::Unknown {
            raw: piece.to_owned(),
            guess: Some(plain),
            quoted: true,
        }],
    }
}
