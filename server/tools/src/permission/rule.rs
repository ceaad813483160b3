//! Rules as people write them: `tool` or `tool(pattern)`, in Claude Code's syntax, read with errors that are exact to
//! the column. Decides nothing.
//!
//! `edit_file` stands for every change of files and `read_file` for every reading of their content, by whatever tool.

use serde::Serialize;

use super::policy::{Action, RuleSource};
use crate::names;

mod command;
mod example;
mod host;
mod path;
mod tool;

pub(super) use command::{CommandPattern, Fit};
pub(super) use host::{HostPattern, canonical_host};
pub(super) use path::PathPattern;
pub(super) use tool::BASH;
use tool::{Kind, Names};

/// A rule that does not say what it should, with the exact place of the fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{place}: the rule `{text}` is wrong at column {column}: {message}")]
pub struct RuleError {
    /// Which of [`PolicySettings::rules`](super::PolicySettings::rules); none: it is none of them.
    pub index: Option<usize>,
    /// The rule, or the pattern of a sensitive name.
    pub text: String,
    /// Where it is written.
    pub place: String,
    /// Characters from 1 in its text.
    pub column: usize,
    /// What is wrong there, and what was expected.
    pub message: String,
}

/// A rule that says what it should but means nothing here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuleWarning {
    /// Which of the rules.
    pub index: usize,
    /// The rule.
    pub text: String,
    /// Where it is written.
    pub place: String,
    /// Characters from 1 in its text.
    pub column: usize,
    /// What is odd there.
    pub message: String,
}

/// What is wrong with a text, at a column from 1.
#[derive(Debug)]
pub(super) struct Fault {
    column: usize,
    message: String,
}

impl Fault {
    fn at(column: usize, message: impl Into<String>) -> Fault {
        Fault {
            column,
            message: message.into(),
        }
    }

    pub(super) fn of(self, source: &RuleSource, index: Option<usize>) -> RuleError {
        RuleError {
            index,
            text: source.text.clone(),
            place: source.place.clone(),
            column: self.column,
            message: self.message,
        }
    }
}

/// A rule that can be applied.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) source: RuleSource,
    names: Names,
    pub(super) pattern: Pattern,
}

/// What of a tool's calls a rule is about.
#[derive(Debug)]
pub(super) enum Pattern {
    /// All.
    Whole,
    /// Commands.
    Command(CommandPattern),
    /// Paths.
    Path(Box<PathPattern>),
    /// Hosts.
    Host(HostPattern),
    /// Nobody knows: the tool is none of ours. To be strict, all that is denied or asked for, and nothing that is
    /// allowed.
    Unknown,
}

impl Rule {
    /// Reads a rule and checks its examples.
    pub(super) fn read(source: RuleSource, home: Option<&std::path::Path>) -> Result<Rule, Fault> {
        let (names, pattern) = read(&source.text, home)?;
        let rule = Rule {
            source,
            names,
            pattern,
        };
        example::check(&rule, home)?;
        Ok(rule)
    }

    pub(super) fn action(&self) -> Action {
        self.source.action
    }

    /// Whether the rule is about this tool's calls.
    pub(super) fn is_about(&self, tool: &str) -> bool {
        self.names.cover(tool)
    }

    /// Whether the rule is about what is changed, by whatever tool.
    pub(super) fn is_about_changes(&self) -> bool {
        self.names.have(tool::EDIT)
    }

    /// Whether the rule is about what is read, by whatever tool.
    pub(super) fn is_about_reading(&self) -> bool {
        self.names.have(tool::READ)
    }

    /// Whether the rule is about what is fetched, by whatever tool.
    pub(super) fn is_about_hosts(&self) -> bool {
        self.names.have(tool::FETCH)
    }
}

fn read(text: &str, home: Option<&std::path::Path>) -> Result<(Names, Pattern), Fault> {
    let column = |byte: usize| text[..byte].chars().count() + 1;
    let open = text.find('(');
    if let (None, Some(close)) = (open, text.find(')')) {
        return Err(Fault::at(column(close), "there is no `(` to this `)`"));
    }
    let names = Names::read(&text[..open.unwrap_or(text.len())])?;
    let Some(open) = open else {
        return Ok((names, Pattern::Whole));
    };
    let end = text.trim_end().len();
    let Some(inner) = text[..end]
        .strip_suffix(')')
        .and_then(|text| text.get(open + 1..))
    else {
        return Err(Fault::at(
            column(end),
            "a `)` is expected at the end of the rule",
        ));
    };
    let start = column(open + 1);
    if inner.trim().is_empty() {
        return Err(Fault::at(
            start,
            "a pattern is expected; a rule for all calls of the tool has no parentheses",
        ));
    }
    // Columns of patterns count from their own beginning.
    let within = |fault: Fault| Fault::at(start + fault.column - 1, fault.message);
    let pattern = match names
        .kind()
        .map_err(|fault| Fault::at(fault.column, fault.message))?
    {
        _ if inner.trim() == "*" => Pattern::Whole,
        Kind::Commands => Pattern::Command(CommandPattern::read(inner).map_err(within)?),
        Kind::Paths => {
            let pattern = PathPattern::read(inner, home).map_err(within)?;
            Pattern::Path(Box::new(pattern))
        }
        Kind::Hosts => Pattern::Host(HostPattern::read(inner).map_err(within)?),
        Kind::Nothing => {
            return Err(Fault::at(
                column(open),
                format!("no pattern is expected: a rule for {names} is about all its calls"),
            ));
        }
        Kind::Unknown => Pattern::Unknown,
    };
    Ok((names, pattern))
}

/// Names in rules that match none of these tools. Tools of MCP servers come and go: they are never warned of.
pub fn warnings(rules: &[RuleSource], known: &[&str]) -> Vec<RuleWarning> {
    let mut warnings = Vec::new();
    for (index, source) in rules.iter().enumerate() {
        let head = source.text.split('(').next().unwrap_or_default();
        let Ok(names) = Names::read(head) else {
            continue;
        };
        for (column, name) in names.unmatched(known) {
            let close = names::close(name, known.iter().copied());
            let hint = match close.as_slice() {
                [] => String::new(),
                close => format!("; did you mean {}?", names::either(close)),
            };
            warnings.push(RuleWarning {
                index,
                text: source.text.clone(),
                place: source.place.clone(),
                column,
                message: format!("there is no tool `{name}`{hint}"),
            });
        }
    }
    warnings
}

#[cfg(test)]
mod tests;
