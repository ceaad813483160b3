//! Options of a program, read strictly: one that is not in its table is refused.

use super::table::Spec;
use super::{EXPANDED, OPTION, Unproven};
use crate::command::word::{Glob, Value};

/// The arguments of a program, taken apart.
pub(super) struct Parsed {
    pub operands: Vec<Value>,
    /// The options that are given, short ones by their letter.
    pub given: Vec<&'static str>,
}

pub(super) fn parse(spec: &Spec, arguments: &[Value]) -> Result<Parsed, Unproven> {
    let mut parsed = Parsed {
        operands: Vec::new(),
        given: Vec::new(),
    };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        if word.glob == Glob::Leading || !word.known && word.glob == Glob::None {
            return Err(EXPANDED);
        }
        if text == "--" {
            parsed.operands.extend(words.by_ref().cloned());
            break;
        }
        if !text.starts_with('-') || text == "-" {
            parsed.operands.push(word.clone());
            continue;
        }
        if !word.known {
            return Err(EXPANDED);
        }
        let takes_next = match text.strip_prefix("--") {
            Some(_) => long(spec, text, &mut parsed)?,
            None => short(spec, &text[1..], &mut parsed)?,
        };
        if takes_next && !words.next().is_some_and(is_value) {
            return Err(EXPANDED);
        }
    }
    Ok(parsed)
}

/// What can be the value of an option, and is no option, should the table be wrong about that.
fn is_value(word: &Value) -> bool {
    let number = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    word.known && word.text.strip_prefix('-').is_none_or(number)
}

/// Whether its value is the next word. What may have a value but need not has it behind an equals sign.
fn long(spec: &Spec, text: &str, parsed: &mut Parsed) -> Result<bool, Unproven> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (text, None),
    };
    if let Some(option) = spec.long_valued.iter().find(|option| **option == name) {
        parsed.given.push(option);
        let optional = spec.long.contains(option);
        return Ok(value.is_none() && !optional);
    }
    let Some(option) = spec.long.iter().find(|option| **option == name) else {
        return Err(OPTION);
    };
    parsed.given.push(option);
    Ok(false)
}

fn short(spec: &Spec, flags: &str, parsed: &mut Parsed) -> Result<bool, Unproven> {
    if spec.numbers && flags.chars().all(|c| c.is_ascii_digit()) {
        return Ok(false);
    }
    for (at, flag) in flags.char_indices() {
        let letter = |letters: &'static str| {
            letters
                .find(flag)
                .and_then(|at| letters.get(at..at + flag.len_utf8()))
        };
        if let Some(option) = letter(spec.valued) {
            parsed.given.push(option);
            return Ok(at + flag.len_utf8() == flags.len());
        }
        let Some(option) = letter(spec.flags) else {
            return Err(OPTION);
        };
        parsed.given.push(option);
    }
    Ok(false)
}
