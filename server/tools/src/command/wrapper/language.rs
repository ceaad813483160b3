//! Programs with a language of their own that may run commands: awk, sed, editors, pagers, debuggers, databases.

use super::{Runs, Wrapped, rest_of, script, values_of};
use crate::command::word::Value;

pub(super) fn awk(arguments: &[Value]) -> Wrapped {
    let mut at = 0;
    let mut runs = Vec::new();
    while let Some(word) = arguments
        .get(at)
        .filter(|word| word.text.starts_with('-') && word.text.len() > 1)
    {
        let text = word.text.as_str();
        at += if ["-F", "-v", "-f", "-e", "-i", "-E"].contains(&text) {
            2
        } else {
            1
        };
        if text == "-e" {
            runs.extend(arguments.get(at - 1).cloned().map(Runs::Code));
        }
        if text == "--" {
            break;
        }
    }
    if let Some(program) = arguments.get(at).filter(|_| runs.is_empty()) {
        runs.push(Runs::Code(program.clone()));
    }
    let may_run = runs.iter().any(|runs| match runs {
        Runs::Code(code) => {
            !code.known
                || code.text.contains("system")
                || code.text.contains(['|', '@', '>'])
                || code.text.contains("getline")
        }
        _ => false,
    });
    Wrapped {
        runs,
        doubt: may_run.then_some("has a program that may run commands or write files"),
        ..Wrapped::default()
    }
}

/// `e` of GNU sed runs a command; what is behind it on its line is taken for one.
pub(super) fn sed(arguments: &[Value]) -> Option<Wrapped> {
    let mut wrapped = Wrapped::default();
    for word in arguments.iter().filter(|word| !word.text.starts_with("--")) {
        for command in word.text.split(['\n', ';', '{', '}']) {
            let command =
                command.trim_start_matches(|c: char| c.is_ascii_digit() || "$,!~+ ".contains(c));
            if let Some(command) = command.strip_prefix("e ") {
                wrapped.runs.push(script(Value::literal(command.trim())));
            }
        }
        let flags = word
            .text
            .rsplit(['/', '|', '#', ','])
            .next()
            .unwrap_or_default();
        let substitutes =
            word.text.starts_with('s') || word.text.contains(";s") || word.text.contains(" s");
        let evaluates = flags.len() <= 4
            && flags.contains('e')
            && flags.chars().all(|c| "gepiIMm0123456789".contains(c));
        if substitutes && evaluates && word.text.matches(['/', '|', '#', ',']).count() >= 3 {
            if let Some(text) = word.text.split(['/', '|', '#', ',']).nth(2) {
                wrapped.runs.push(script(Value::literal(text)));
            }
            wrapped.doubt = Some("has a script that runs what it makes");
        }
    }
    (!wrapped.runs.is_empty()).then_some(wrapped)
}

/// `-c '!command'` and `+!command` of editors and pagers.
pub(super) fn editor(arguments: &[Value]) -> Option<Wrapped> {
    let mut wrapped = Wrapped::default();
    let commands = values_of(arguments, "-c")
        .into_iter()
        .chain(values_of(arguments, "--cmd"));
    let plus = arguments
        .iter()
        .filter(|word| word.text.starts_with('+'))
        .map(|word| rest_of(word, 1));
    for command in commands.chain(plus) {
        if let Some(at) = command.text.find('!') {
            wrapped.runs.push(script(rest_of(&command, at + 1)));
        } else if command.text.contains("system") || command.text.contains("execute") {
            wrapped.runs.push(Runs::Code(command));
        }
        wrapped.doubt = Some("has a command for the program that may run others");
    }
    (!wrapped.runs.is_empty() || wrapped.doubt.is_some()).then_some(wrapped)
}

pub(super) fn debugger(arguments: &[Value]) -> Option<Wrapped> {
    let mut wrapped = Wrapped::doubtful("may run anything in the program that it looks at");
    for command in values_of(arguments, "-ex")
        .into_iter()
        .chain(values_of(arguments, "-o"))
    {
        let text = command
            .text
            .trim_start_matches("shell ")
            .trim_start_matches('!')
            .trim();
        wrapped.runs.push(script(Value::literal(text)));
    }
    if let Some(at) = arguments
        .iter()
        .position(|word| word.text == "--args" || word.text == "--")
    {
        let command = &arguments[at + 1..];
        if !command.is_empty() {
            wrapped.runs.push(Runs::Words(command.to_vec()));
        }
    }
    Some(wrapped)
}

pub(super) fn database(arguments: &[Value]) -> Option<Wrapped> {
    let mut wrapped = Wrapped::default();
    for word in arguments {
        for start in [".shell ", ".system ", "\\! ", "system "] {
            if let Some(at) = word.text.find(start) {
                wrapped.runs.push(script(rest_of(word, at + start.len())));
            }
        }
    }
    (!wrapped.runs.is_empty()).then_some(wrapped)
}
