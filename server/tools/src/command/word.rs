//! From a word as it is written to the words that a program gets: quotes, variables, substitutions, braces, tilde,
//! splitting. Where a value is not known it is guessed, for the search for danger only. Knows no command.

mod brace;
mod parameter;
mod read;

use read::Reader;

use super::lex::closing;
use super::stream::Stream;

/// Stands in a guess for what cannot be guessed.
pub(super) const OPAQUE: char = '\u{fffc}';

/// A word with more characters than this is not expanded further.
const MAX_LETTERS: usize = 256 * 1024;

/// What is known of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Variable {
    /// It has this value and no other.
    Fixed(String),
    /// It was assigned this before, if that was run.
    Known(String),
    /// It was assigned, nobody knows what.
    Assigned,
    /// Nothing assigned it. The environment may; mostly it is empty.
    Unset,
}

impl Variable {
    /// What it most likely holds.
    fn guess(&self) -> Option<String> {
        match self {
            Variable::Fixed(value) | Variable::Known(value) => Some(value.clone()),
            Variable::Assigned => None,
            Variable::Unset => Some(String::new()),
        }
    }
}

/// What words are expanded in.
pub(super) trait Shell {
    fn variable(&self, name: &str) -> Variable;
    /// Where the value of a variable comes from.
    fn origin(&self, name: &str) -> Stream;
    fn home(&self) -> Option<String>;
    fn folder(&self) -> Option<String>;
    /// Runs a substitution.
    fn run(&mut self, script: &str) -> Stream;
    /// Goes into an expansion; false: it is too deep within others.
    fn enter(&mut self) -> bool;
    fn leave(&mut self);
    fn doubt(&mut self, text: &str, why: &str);
    fn assign(&mut self, name: &str, value: Variable);
}

/// Whether a word has wildcards that are not quoted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Glob {
    #[default]
    None,
    Inside,
    /// It begins with one, so that a file's name may be taken for an option.
    Leading,
}

/// A word that a program gets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Value {
    /// What is not known stands as it is written; in a guess, as [`OPAQUE`].
    pub text: String,
    pub known: bool,
    pub glob: Glob,
    /// Something of it was expanded, wildcards aside.
    pub expanded: bool,
    /// What a process substitution gives, or what substitutions brought in.
    pub stream: Stream,
    /// It is the name of a pipe to read from.
    pub is_process: bool,
}

impl Value {
    /// A word without anything to expand.
    pub fn literal(text: impl Into<String>) -> Value {
        Value {
            text: text.into(),
            known: true,
            ..Value::default()
        }
    }
}

/// The words that one word becomes.
#[derive(Clone, Debug, Default)]
pub(super) struct Expansion {
    pub values: Vec<Value>,
    /// The same, with guesses for what is not known.
    pub guesses: Vec<Value>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Letter {
    Plain(char),
    Quoted(char),
    /// From a variable that is not quoted: it is split.
    Expanded(char),
    /// From a variable that is quoted.
    Inserted(char),
    /// A pair of quotes: there is a word, be it empty.
    Quotes,
    Unknown {
        raw: String,
        /// Absent: it cannot be guessed.
        guess: Option<String>,
        quoted: bool,
    },
}

/// Expands a word.
pub(super) fn expand(raw: &str, shell: &mut impl Shell) -> Expansion {
    let mut reader = Reader::new(shell);
    if (raw.starts_with("<(") || raw.starts_with(">(")) && closing(&raw[2..]).is_some() {
        return reader.process(raw);
    }
    let letters = reader.letters(raw, false);
    let (stream, deep) = (std::mem::take(&mut reader.stream), reader.too_long);
    if deep {
        shell.doubt(raw, "is too long when it is expanded");
    }
    let Some(alternatives) = brace::expand(&letters) else {
        shell.doubt(raw, "stands for too many words");
        return finish(&[letters], raw, &stream, true, shell);
    };
    let braces = alternatives.len() > 1;
    finish(&alternatives, raw, &stream, braces, shell)
}

/// Expands what is assigned or redirected to: one word, without braces and splitting.
pub(super) fn expand_whole(raw: &str, shell: &mut impl Shell) -> (Value, Value) {
    let expansion = expand(raw, shell);
    let join = |values: Vec<Value>| {
        let mut joined = Value::literal("");
        for (index, value) in values.into_iter().enumerate() {
            if index > 0 {
                joined.text.push(' ');
            }
            joined.text.push_str(&value.text);
            joined.known &= value.known;
            joined.glob = joined.glob.max(value.glob);
            joined.expanded |= value.expanded;
            joined.is_process |= value.is_process;
            joined.stream.merge(&value.stream);
        }
        joined
    };
    (join(expansion.values), join(expansion.guesses))
}

/// Expands a text in which quotes mean nothing: a here-document.
pub(super) fn expand_text(text: &str, shell: &mut impl Shell) -> Stream {
    let mut reader = Reader::new(shell);
    let letters = reader.quoted(text, true);
    let mut stream = std::mem::take(&mut reader.stream);
    let mut known = String::new();
    for letter in &letters {
        match letter {
            Letter::Plain(c) | Letter::Quoted(c) | Letter::Expanded(c) | Letter::Inserted(c) => {
                known.push(*c);
            }
            Letter::Quotes => {}
            Letter::Unknown { guess, .. } => match guess {
                Some(guess) => known.push_str(guess),
                None => known.push(OPAQUE),
            },
        }
    }
    stream.text = Some(known);
    stream.guessed |= letters
        .iter()
        .any(|letter| matches!(letter, Letter::Unknown { .. }));
    stream
}

/// Runs every substitution in a text of which nothing else is known.
pub(super) fn run_all(text: &str, shell: &mut impl Shell) -> Stream {
    let mut reader = Reader::new(shell);
    reader.quoted(text, true);
    std::mem::take(&mut reader.stream)
}

fn finish(
    alternatives: &[Vec<Letter>],
    raw: &str,
    stream: &Stream,
    braces: bool,
    shell: &mut impl Shell,
) -> Expansion {
    let mut expansion = Expansion::default();
    for letters in alternatives {
        let letters = tilde(letters.clone(), raw, shell);
        let guessed = guess(&letters);
        expansion.values.extend(split(&letters, stream, braces));
        expansion.guesses.extend(split(&guessed, stream, braces));
    }
    expansion
}

fn guess(letters: &[Letter]) -> Vec<Letter> {
    let mut guessed = Vec::with_capacity(letters.len());
    for letter in letters {
        match letter {
            Letter::Unknown { guess, quoted, .. } => {
                let kind = if *quoted {
                    Letter::Inserted
                } else {
                    Letter::Expanded
                };
                match guess {
                    Some(guess) => guessed.extend(guess.chars().map(kind)),
                    None => guessed.push(kind(OPAQUE)),
                }
            }
            letter => guessed.push(letter.clone()),
        }
    }
    guessed
}

fn split(letters: &[Letter], stream: &Stream, braces: bool) -> Vec<Value> {
    let empty = || Value {
        known: true,
        expanded: braces,
        stream: stream.clone(),
        ..Value::default()
    };
    let mut values = Vec::new();
    let mut value = empty();
    let mut begun = false;
    for (index, letter) in letters.iter().enumerate() {
        let (character, wild) = match letter {
            Letter::Expanded(c) if " \t\n".contains(*c) => {
                if begun {
                    values.push(std::mem::replace(&mut value, empty()));
                }
                begun = false;
                continue;
            }
            Letter::Quotes => {
                begun = true;
                continue;
            }
            Letter::Unknown { raw, .. } => {
                value.text.push_str(raw);
                value.known = false;
                value.expanded = true;
                begun = true;
                continue;
            }
            Letter::Plain(c) => (*c, true),
            Letter::Quoted(c) => (*c, false),
            Letter::Expanded(c) => {
                value.expanded = true;
                (*c, true)
            }
            Letter::Inserted(c) => {
                value.expanded = true;
                (*c, false)
            }
        };
        let closes = |letter: &Letter| matches!(letter, Letter::Plain(']') | Letter::Expanded(']'));
        let is_set = character == '[' && letters[index + 1..].iter().any(closes);
        if wild && ("*?".contains(character) || is_set) {
            value.known = false;
            let leading = value.text.is_empty();
            let glob = if leading { Glob::Leading } else { Glob::Inside };
            value.glob = value.glob.max(glob);
        }
        value.text.push(character);
        begun = true;
    }
    if begun {
        values.push(value);
    }
    values
}

/// Replaces a tilde at the start by the home folder.
fn tilde(mut letters: Vec<Letter>, raw: &str, shell: &mut impl Shell) -> Vec<Letter> {
    if letters.first() != Some(&Letter::Plain('~')) {
        return letters;
    }
    let end = letters
        .iter()
        .position(|letter| *letter == Letter::Plain('/'))
        .unwrap_or(letters.len());
    let name: String = letters[1..end]
        .iter()
        .map(|letter| match letter {
            Letter::Plain(character) => *character,
            _ => OPAQUE,
        })
        .collect();
    let folder = match name.as_str() {
        "" => shell.home(),
        "+" => shell.folder(),
        _ => None,
    };
    let inserted: Vec<Letter> = match folder {
        Some(folder) => folder.chars().map(Letter::Inserted).collect(),
        None => {
            let guess = if name == "root" {
                "/root".to_owned()
            } else {
                format!("/home/{name}")
            };
            let raw = raw.chars().take(end).collect();
            vec![Letter::Unknown {
                raw,
                guess: Some(guess),
                quoted: true,
            }]
        }
    };
    letters.splice(..end, inserted);
    letters
}

/// What `$'…'` stands for; `printf` and `echo -e` take nearly the same.
pub(super) fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        rest = &rest[first.len_utf8()..];
        if first != '\\' {
            plain.push(first);
            continue;
        }
        let Some(kind) = rest.chars().next() else {
            plain.push('\\');
            break;
        };
        let after = &rest[kind.len_utf8()..];
        let number = |text: &str, base: u32, most: usize| {
            let digits = text
                .chars()
                .take(most)
                .take_while(|c| c.is_digit(base))
                .count();
            let value = u32::from_str_radix(&text[..digits], base).ok();
            (value.and_then(char::from_u32), digits)
        };
        let (character, length) = match kind {
            'x' => number(after, 16, 2),
            'u' => number(after, 16, 4),
            'U' => number(after, 16, 8),
            '0'..='7' => {
                let (character, digits) = number(rest, 8, if kind == '0' { 4 } else { 3 });
                (character, digits.saturating_sub(1))
            }
            'n' => (Some('\n'), 0),
            't' => (Some('\t'), 0),
            'r' => (Some('\r'), 0),
            'a' => (Some('\u{7}'), 0),
            'b' => (Some('\u{8}'), 0),
            'e' | 'E' => (Some('\u{1b}'), 0),
            'f' => (Some('\u{c}'), 0),
            'v' => (Some('\u{b}'), 0),
            '\\' | '\'' | '"' | '?' => (Some(kind), 0),
            _ => {
                plain.push('\\');
                (Some(kind), 0)
            }
        };
        plain.extend(character);
        rest = after.get(length..).unwrap_or_default();
    }
    plain
}
