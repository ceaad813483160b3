//! Commands that run other commands, and what they run. Knows no danger.

mod indirect;
mod language;
mod shell;
mod table;
mod terminal;

use super::program::Program;
use super::stream::Stream;
use super::word::Value;

/// What a wrapper runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Runs {
    /// A command with these words.
    Words(Vec<Value>),
    /// Perhaps a command with these words: it is searched for danger only.
    Guess(Vec<Value>),
    /// A command on another machine or in a container.
    Elsewhere(Vec<Value>),
    /// A script of the shell.
    Script {
        text: Value,
        /// `$0` and those after it.
        positional: Vec<String>,
    },
    /// A script in a file.
    File(Value),
    /// A program in another language.
    Code(Value),
}

/// How a command runs others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Wrapped {
    pub runs: Vec<Runs>,
    /// It adds nothing to what it runs: it needs no rule of its own.
    pub harmless: bool,
    /// A rule for it covers what it runs: that is not run as it would be here.
    pub covers: bool,
    pub doubt: Option<&'static str>,
}

impl Wrapped {
    fn words(words: &[Value]) -> Wrapped {
        Wrapped {
            runs: vec![Runs::Words(words.to_vec())],
            ..Wrapped::default()
        }
    }

    fn script(text: Value) -> Wrapped {
        Wrapped {
            runs: vec![Runs::Script {
                text,
                positional: Vec::new(),
            }],
            ..Wrapped::default()
        }
    }

    fn code(text: Value) -> Wrapped {
        Wrapped {
            runs: vec![Runs::Code(text)],
            ..Wrapped::default()
        }
    }

    fn doubtful(why: &'static str) -> Wrapped {
        Wrapped {
            doubt: Some(why),
            ..Wrapped::default()
        }
    }
}

/// What a command runs in turn; absent if it is no wrapper, or does not run anything here.
pub(super) fn unwrap(program: &Program, arguments: &[Value], input: &Stream) -> Option<Wrapped> {
    let wrapped = table::prefix(program, arguments)
        .or_else(|| shell::unwrap(program, arguments, input))
        .or_else(|| indirect::unwrap(program, arguments, input))
        .or_else(|| terminal::unwrap(program, arguments))?;
    Some(Wrapped {
        // What only pretends to be the wrapper may do anything.
        harmless: wrapped.harmless && program.is_trusted,
        ..wrapped
    })
}

/// Words as one text, as a program joins its arguments.
fn joined(words: &[Value]) -> Value {
    let mut whole = Value::literal("");
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            whole.text.push(' ');
        }
        whole.text.push_str(&word.text);
        whole.known &= word.known;
        whole.expanded |= word.expanded;
        whole.stream.merge(&word.stream);
    }
    whole
}

/// The rest of a word, with all that is known of it.
fn rest_of(word: &Value, from: usize) -> Value {
    Value {
        text: word.text.get(from..).unwrap_or_default().to_owned(),
        ..word.clone()
    }
}

/// The values of an option, `--option value` and `--option=value`.
fn values_of(arguments: &[Value], option: &str) -> Vec<Value> {
    let mut values = Vec::new();
    for (index, word) in arguments.iter().enumerate() {
        if word.text == option {
            values.extend(arguments.get(index + 1).cloned());
        } else if let Some(rest) = word.text.strip_prefix(option) {
            let is_long = option.starts_with("--");
            if let Some(value) = rest.strip_prefix('=').or((!is_long).then_some(rest)) {
                values.push(rest_of(word, word.text.len() - value.len()));
            }
        }
    }
    values
}

fn script(text: Value) -> Runs {
    Runs::Script {
        text,
        positional: Vec::new(),
    }
}
