//! What a call searches for: a pattern that was understood, or why it was not. Reads no file.

use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};
use ignore::types::TypesBuilder;

use super::Arguments;
use crate::error::ToolError;
use crate::names;
use crate::search::PathPattern;

/// As much of a pattern as a message quotes.
const MAX_QUOTED: usize = 200;

/// The memory that an expression may take, and again so much for each thread that searches with it.
const MAX_SIZE: usize = 16 * 1024 * 1024;

/// A pattern that was understood, and what counts as a hit.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    pub(super) matcher: RegexMatcher,
    /// Whether lines that do not fit are wanted.
    pub(super) invert: bool,
    /// Whether a match may go over lines.
    pub(super) multiline: bool,
    /// Whether a line may end in CR LF for the matcher.
    pub(super) crlf: bool,
    /// As it was given, for messages.
    pub(super) given: String,
}

impl Pattern {
    pub(super) fn new(arguments: &Arguments) -> Result<Pattern, ToolError> {
        let given = &arguments.pattern;
        let is = |flag: Option<bool>| flag.unwrap_or(false);
        if given.is_empty() {
            return Err(ToolError::invalid_pattern(
                "The pattern is empty: it would fit every line.",
            )
            .suggest("Use glob to list files, read_file to read one."));
        }
        let (fixed, multiline) = (is(arguments.fixed), is(arguments.multiline));
        if multiline && is(arguments.invert) {
            return Err(ToolError::invalid_arguments(
                "`invert` is about single lines and cannot be combined with `multiline`.",
            ));
        }
        // Where no end of a line is asked for, it need not be looked for.
        let crlf = !fixed && !multiline && given.contains(['$', '^']);
        let mut builder = RegexMatcherBuilder::new();
        builder
            .fixed_strings(fixed)
            .case_insensitive(is(arguments.ignore_case))
            .word(is(arguments.word))
            .size_limit(MAX_SIZE)
            .dfa_size_limit(MAX_SIZE)
            .multi_line(true);
        if crlf {
            builder.crlf(true);
        } else if !multiline {
            builder.line_terminator(Some(b'\n'));
        }
        let matcher = builder
            .build(given)
            .map_err(|error| explain(given, fixed, &error))?;
        Ok(Pattern {
            matcher,
            invert: is(arguments.invert),
            multiline,
            crlf,
            given: quoted(given),
        })
    }
}

/// The files of a type, as ripgrep names it.
pub(super) fn of_type(name: &str) -> Result<PathPattern, ToolError> {
    let definitions = TypesBuilder::new().add_defaults().definitions();
    match definitions
        .iter()
        .find(|definition| definition.name() == name)
    {
        Some(definition) => PathPattern::of_names(definition.globs()),
        None => {
            let known = definitions.iter().map(|definition| definition.name());
            let close = names::close(name, known);
            let error = ToolError::invalid_arguments(format!("There is no file type `{name}`."));
            Err(match close.is_empty() {
                true => error.suggest("Use `glob` instead, as in `*.ext`."),
                false => error.suggest(format!(
                    "Did you mean {}? Or use `glob`.",
                    names::either(&close)
                )),
            })
        }
    }
}

fn explain(given: &str, fixed: bool, error: &grep_regex::Error) -> ToolError {
    let quoted = quoted(given);
    let goes_over_lines = matches!(
        error.kind(),
        ErrorKind::NotAllowed(_) | ErrorKind::Banned(_)
    );
    if goes_over_lines {
        return ToolError::invalid_pattern(format!(
            "The pattern `{quoted}` asks for a line break, and lines are searched one by one."
        ))
        .suggest("Set `multiline: true`, or search for a part that stands on one line.");
    }
    let (reason, position) = match fixed {
        true => (error.to_string(), None),
        false => fault(given).unwrap_or_else(|| (error.to_string(), None)),
    };
    let place = position.map_or_else(String::new, |at| format!(" at character {at}"));
    let error = ToolError::invalid_pattern(format!(
        "The pattern `{quoted}` is not valid{place}: {}.",
        reason.trim_end_matches('.')
    ));
    let error = match fixed {
        true => error,
        false => error.suggest(
            "Set `fixed: true` to search for it as plain text, or put a backslash before what is meant literally.",
        ),
    };
    match position {
        Some(at) => error.with("position", at),
        None => error,
    }
}

/// What is wrong with an expression, and at which 1-based character. The matcher's own message is about the expression
/// as the matcher changed it.
fn fault(given: &str) -> Option<(String, Option<usize>)> {
    let (reason, offset) = match regex_syntax::Parser::new().parse(given).err()? {
        regex_syntax::Error::Parse(error) => (error.kind().to_string(), error.span().start.offset),
        regex_syntax::Error::Translate(error) => {
            (error.kind().to_string(), error.span().start.offset)
        }
        other => return Some((other.to_string(), None)),
    };
    let before = given.get(..offset)?;
    Some((reason, Some(before.chars().count() + 1)))
}

fn quoted(given: &str) -> String {
    if given.chars().count() <= MAX_QUOTED {
        return given.to_owned();
    }
    given.chars().take(MAX_QUOTED).chain(['…']).collect()
}
