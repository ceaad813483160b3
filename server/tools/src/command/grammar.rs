//! The second reading of a script, by tree-sitter's grammar: what it takes for words of commands must be what our own
//! reading takes for them. Knows no command.

use std::ops::{ControlFlow, Range};
use std::time::Duration;

use tree_sitter::{Node, ParseOptions, Parser, Point};

use super::lex::{Direction, closing, piece_end};
use super::syntax::{Script, Simple, Step};
use crate::symbols::spent;

/// Reading one command line takes at most so long: of the processor's time.
const MAX_TIME: Duration = Duration::from_millis(50);

/// Larger trees are not compared.
const MAX_NODES: usize = 50_000;

/// Substitutions within substitutions are compared so deep.
const MAX_DEPTH: usize = 40;

/// What the comparison says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Agreement {
    Same,
    /// Where it differs, and why that matters.
    Differs(Range<usize>, &'static str),
}

/// The grammar, with what may still be spent on a command line.
pub(super) struct Grammar {
    parser: Option<Parser>,
    time: Duration,
    nodes: usize,
}

/// A word of a command: where it stands, and whether a command begins with it.
type Place = (usize, usize, bool);

impl Grammar {
    pub fn new() -> Grammar {
        let mut parser = Parser::new();
        let known = parser.set_language(&tree_sitter_bash::LANGUAGE.into());
        Grammar {
            parser: known.is_ok().then_some(parser),
            time: MAX_TIME,
            nodes: MAX_NODES,
        }
    }

    /// Compares the two readings of a script.
    pub fn compare(&mut self, text: &str) -> Agreement {
        let whole = 0..text.len();
        let begin = spent();
        let until = begin + self.time;
        let Some(parser) = &mut self.parser else {
            return Agreement::Differs(whole, "cannot be parsed here");
        };
        let mut progress = |_: &tree_sitter::ParseState| match spent() > until {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        // The grammar's scanner asks C's `isdigit` about any character, which reads past the end of its table for those
        // beyond ASCII and ends the process. To the shell, they are letters of words like any other.
        let plain: Vec<u8> = text
            .bytes()
            .map(|byte| if byte.is_ascii() { byte } else { b'x' })
            .collect();
        let mut read = |offset: usize, _: Point| plain.get(offset..).unwrap_or_default();
        let Some(tree) = parser.parse_with_options(&mut read, None, Some(options)) else {
            parser.reset();
            self.time = Duration::ZERO;
            return Agreement::Differs(whole, "takes too long to be parsed");
        };
        let mut theirs = Vec::new();
        let refused = self.gather(tree.root_node(), until, &mut theirs);
        self.time = until.saturating_sub(spent());
        if let Some((at, why)) = refused {
            return Agreement::Differs(at, why);
        }
        let mut ours = Vec::new();
        gather_script(text, 0, 0, &mut ours);
        ours.sort_unstable();
        theirs.sort_unstable();
        match ours
            .iter()
            .zip(&theirs)
            .find(|(ours, theirs)| ours != theirs)
        {
            Some((ours, _)) => Agreement::Differs(ours.0..ours.1, "can be read in two ways"),
            None if ours.len() != theirs.len() => {
                Agreement::Differs(whole, "can be read in two ways")
            }
            None => Agreement::Same,
        }
    }

    /// Gathers the words of commands in a tree; tells what the grammar does not take.
    fn gather<'tree>(
        &mut self,
        root: Node<'tree>,
        until: Duration,
        places: &mut Vec<Place>,
    ) -> Option<(Range<usize>, &'static str)> {
        let mut cursor = root.walk();
        // A node finds its parent only by a search from the root.
        let mut above: Vec<&'tree str> = Vec::new();
        loop {
            let node = cursor.node();
            let at = node.byte_range();
            if node.is_error() || node.is_missing() {
                return Some((at, "is not what the shell's grammar expects"));
            }
            let late = self.nodes.is_multiple_of(64) && spent() > until;
            if self.nodes == 0 || late {
                return Some((at, "has too many parts to be parsed"));
            }
            self.nodes -= 1;
            if node.is_named() && !KNOWN.contains(&node.kind()) {
                return Some((at, "is of a kind that is not understood"));
            }
            gather_node(node, above.last().copied(), places);
            if cursor.goto_first_child() {
                above.push(node.kind());
                continue;
            }
            while !cursor.goto_next_sibling() {
                above.pop();
                if !cursor.goto_parent() {
                    return None;
                }
            }
        }
    }
}

/// The kinds of nodes that are understood.
const KNOWN: &[&str] = &[
    "ansi_c_string",
    "arithmetic_expansion",
    "array",
    "binary_expression",
    "brace_expression",
    "case_item",
    "case_statement",
    "command",
    "command_name",
    "command_substitution",
    "comment",
    "compound_statement",
    "concatenation",
    "declaration_command",
    "do_group",
    "elif_clause",
    "else_clause",
    "expansion",
    "extglob_pattern",
    "file_descriptor",
    "file_redirect",
    "for_statement",
    "function_definition",
    "heredoc_body",
    "heredoc_content",
    "heredoc_end",
    "heredoc_redirect",
    "heredoc_start",
    "herestring_redirect",
    "if_statement",
    "list",
    "negated_command",
    "number",
    "parenthesized_expression",
    "pipeline",
    "postfix_expression",
    "process_substitution",
    "program",
    "raw_string",
    "redirected_statement",
    "regex",
    "simple_expansion",
    "special_variable_name",
    "string",
    "string_content",
    "subscript",
    "subshell",
    "ternary_expression",
    "test_command",
    "test_operator",
    "translated_string",
    "unary_expression",
    "unset_command",
    "variable_assignment",
    "variable_assignments",
    "variable_name",
    "while_statement",
    "word",
];

fn gather_node(node: Node<'_>, parent: Option<&str>, places: &mut Vec<Place>) {
    let at = node.byte_range();
    match node.kind() {
        "command" | "declaration_command" | "unset_command" => {
            let mut first = true;
            let mut cursor = node.walk();
            for child in node.children(&mut cursor) {
                if !child.kind().ends_with("redirect") && !child.byte_range().is_empty() {
                    places.push((child.start_byte(), child.end_byte(), first));
                    first = false;
                } else {
                    gather_redirect(child, places);
                }
            }
        }
        "variable_assignment"
            if !matches!(
                parent,
                Some("command" | "declaration_command" | "variable_assignments")
            ) =>
        {
            places.push((at.start, at.end, true));
        }
        "variable_assignments" => {
            let mut cursor = node.walk();
            for (index, child) in node.children(&mut cursor).enumerate() {
                places.push((child.start_byte(), child.end_byte(), index == 0));
            }
        }
        "test_command" => places.push((at.start, at.end, true)),
        "redirected_statement"
        | "heredoc_redirect"
        | "function_definition"
        | "compound_statement" => {
            let mut cursor = node.walk();
            for child in node.children(&mut cursor) {
                gather_redirect(child, places);
            }
        }
        _ => {}
    }
}

fn gather_redirect(node: Node<'_>, places: &mut Vec<Place>) {
    if !matches!(node.kind(), "file_redirect" | "herestring_redirect") {
        return;
    }
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        if child.is_named() && child.kind() != "file_descriptor" {
            places.push((child.start_byte(), child.end_byte(), false));
        }
    }
}

/// The same from our own reading, substitutions included.
fn gather_script(text: &str, base: usize, depth: usize, places: &mut Vec<Place>) {
    if depth > MAX_DEPTH {
        return;
    }
    let script = Script::read(text);
    let inside = |at: &Range<usize>, places: &mut Vec<Place>| {
        gather_substitutions(&text[at.clone()], base + at.start, depth, places);
    };
    for step in &script.steps {
        match step {
            Step::Command(simple) => gather_simple(text, simple, base, depth, places),
            Step::Condition(at) => {
                let (start, end) = bounds(text, at, "[[", "]]");
                places.push((base + start, base + end, true));
                inside(at, places);
            }
            Step::Arithmetic(at) => {
                let (start, end) = bounds(text, at, "((", "))");
                places.push((base + start, base + end, true));
                inside(at, places);
            }
            Step::Bind(_, words) => words.iter().for_each(|word| inside(word, places)),
            Step::Subject(word) => inside(word, places),
            Step::Close(redirects) => {
                for redirect in redirects {
                    gather_target(text, redirect, base, depth, places);
                }
            }
            Step::Open(_) | Step::Operator(_) => {}
        }
    }
}

/// From the sign before something to the sign after it.
fn bounds(text: &str, inside: &Range<usize>, open: &str, close: &str) -> (usize, usize) {
    let start = text[..inside.start].rfind(open).unwrap_or(inside.start);
    let end = text[inside.end..]
        .find(close)
        .map_or(inside.end, |at| inside.end + at + close.len());
    (start, end)
}

fn gather_simple(text: &str, simple: &Simple, base: usize, depth: usize, places: &mut Vec<Place>) {
    for redirect in &simple.redirects {
        gather_target(text, redirect, base, depth, places);
    }
    for word in &simple.words {
        gather_substitutions(&text[word.clone()], base + word.start, depth, places);
    }
    let (Some(first), Some(last)) = (simple.words.first(), simple.words.last()) else {
        return;
    };
    if &text[first.clone()] == "[" && &text[last.clone()] == "]" {
        places.push((base + first.start, base + last.end, true));
        return;
    }
    for (index, word) in simple.words.iter().enumerate() {
        places.push((base + word.start, base + word.end, index == 0));
    }
}

fn gather_target(
    text: &str,
    redirect: &super::lex::Redirect,
    base: usize,
    depth: usize,
    places: &mut Vec<Place>,
) {
    let at = &redirect.target;
    if redirect.direction == Direction::Document {
        if !redirect.literal {
            gather_substitutions(&text[at.clone()], base + at.start, depth, places);
        }
        return;
    }
    places.push((base + at.start, base + at.end, false));
    gather_substitutions(&text[at.clone()], base + at.start, depth, places);
}

/// What is in the substitutions of a word.
fn gather_substitutions(word: &str, base: usize, depth: usize, places: &mut Vec<Place>) {
    if depth > MAX_DEPTH {
        return;
    }
    let mut at = 0;
    let mut in_quotes = false;
    while let Some(first) = word[at..].chars().next() {
        let rest = &word[at..];
        let script = |opening: usize| closing(&rest[opening..]).map(|end| opening..opening + end);
        let found = match first {
            '"' => {
                in_quotes = !in_quotes;
                at += 1;
                continue;
            }
            '\\' => None,
            '\'' if in_quotes => {
                at += 1;
                continue;
            }
            '\'' => None,
            '$' if rest.starts_with("$'") && in_quotes => {
                at += 1;
                continue;
            }
            '$' if rest.starts_with("$'") => None,
            '$' if rest.starts_with("$\"") => {
                at += 1;
                continue;
            }
            '$' if rest.starts_with("$((")
                && rest[..piece_end(rest).min(rest.len())].ends_with("))") =>
            {
                let end = piece_end(rest).clamp(1, rest.len());
                gather_substitutions(
                    &rest[3..end.saturating_sub(2).max(3)],
                    base + at + 3,
                    depth + 1,
                    places,
                );
                at += end;
                continue;
            }
            '$' if rest.starts_with("$(") => script(2),
            '$' if rest.starts_with("${") || rest.starts_with("$[") => {
                let end = piece_end(rest).clamp(2, rest.len());
                gather_substitutions(
                    &rest[2..before_last(rest, end).max(2)],
                    base + at + 2,
                    depth + 1,
                    places,
                );
                at += end;
                continue;
            }
            '`' => {
                let end = piece_end(rest).clamp(1, rest.len());
                (end > 1).then(|| 1..before_last(rest, end).max(1))
            }
            '<' | '>' if !in_quotes && rest[1..].starts_with('(') => script(2),
            '(' if !in_quotes => {
                at += 1;
                continue;
            }
            _ => {
                at += first.len_utf8();
                continue;
            }
        };
        let length = match &found {
            Some(script) if first == '`' => piece_end(rest).max(script.end),
            Some(script) => script.end + 1,
            None => piece_end(rest),
        };
        if let Some(script) = found {
            gather_script(
                &rest[script.clone()],
                base + at + script.start,
                depth + 1,
                places,
            );
        }
        at += length.clamp(first.len_utf8(), rest.len());
    }
}

/// Where the last character before `end` begins: what closes a piece, or anything if nothing closes it.
fn before_last(text: &str, end: usize) -> usize {
    let last = text[..end].char_indices().next_back();
    last.map_or(0, |(at, _)| at)
}
