//! What a call searches for: a pattern that was understood, or why it was not. Reads no file.

use std::borrow::Cow;

use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};
use ignore::types::TypesBuilder;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, LookSet};

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
    /// Whether it could match a character that is not ASCII.
    pub(super) beyond_ascii: bool,
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
        // Where no end of a line can be met, it need not be looked for.
        let hir = (!fixed).then(|| parsed(given)).flatten();
        let crlf = !multiline && hir.as_ref().is_some_and(meets_cr);
        // Texts that are searched over lines have no CR before an LF, so neither has what is looked for.
        let sought = match (multiline, fixed) {
            (true, true) => Cow::Owned(given.replace("\r\n", "\n")),
            (true, false) => Cow::Owned(without_cr(given)),
            (false, _) => Cow::Borrowed(given.as_str()),
        };
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
            .build(&sought)
            .map_err(|error| explain(given, fixed, &error))?;
        Ok(Pattern {
            matcher,
            invert: is(arguments.invert),
            multiline,
            crlf,
            beyond_ascii: hir.map_or(!given.is_ascii(), |hir| goes_beyond_ascii(&hir)),
            given: quoted(given),
        })
    }
}

/// An expression as it is understood; none: it does not parse, which is told when it is built.
fn parsed(given: &str) -> Option<Hir> {
    ParserBuilder::new().utf8(false).build().parse(given).ok()
}

/// Whether an expression could match a CR that stands before an LF, where it does not name one: by an end of a line, or
/// by a class such as `.` or `\s`. The CR is no part of the line.
fn meets_cr(hir: &Hir) -> bool {
    fn meets(hir: &Hir) -> bool {
        match hir.kind() {
            HirKind::Look(look) => !LookSet::singleton(*look).contains_word(),
            HirKind::Class(Class::Unicode(class)) => {
                let mut ranges = class.ranges().iter();
                ranges.any(|it| it.start() <= '\r' && '\r' <= it.end())
            }
            HirKind::Class(Class::Bytes(class)) => {
                let mut ranges = class.ranges().iter();
                ranges.any(|it| it.start() <= b'\r' && b'\r' <= it.end())
            }
            kind => kind.subs().iter().any(meets),
        }
    }
    meets(hir) && !has_literal(hir, &|byte| byte == b'\r')
}

/// Whether an expression could match a character that is not ASCII.
fn goes_beyond_ascii(hir: &Hir) -> bool {
    fn goes(hir: &Hir) -> bool {
        match hir.kind() {
            HirKind::Class(class) => !class.is_utf8() || class.maximum_len() > Some(1),
            kind => kind.subs().iter().any(goes),
        }
    }
    goes(hir) || has_literal(hir, &|byte| !byte.is_ascii())
}

fn has_literal(hir: &Hir, wanted: &impl Fn(u8) -> bool) -> bool {
    match hir.kind() {
        HirKind::Literal(literal) => literal.0.iter().any(|byte| wanted(*byte)),
        kind => kind.subs().iter().any(|hir| has_literal(hir, wanted)),
    }
}

/// An expression in which each CR LF, escaped or not, is an LF.
fn without_cr(given: &str) -> String {
    let mut without = String::with_capacity(given.len());
    let mut rest = given;
    while let Some(first) = rest.chars().next() {
        if rest.starts_with("\r\n") || rest.starts_with("\\r\\n") {
            rest = &rest[if first == '\\' { 2 } else { 1 }..];
            continue;
        }
        // An escape is taken with what it escapes.
        let length = match first {
            '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            other => other.len_utf8(),
        };
        without.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    without
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
