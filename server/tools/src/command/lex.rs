//! From characters to tokens, as the shell does it: words, operators, redirections, here-documents. Never gives up: what
//! is not closed reaches to the end, and is told as a fault. Knows no command.

use std::ops::Range;

mod skip;

use skip::Skip;
pub(super) use skip::{closing, piece_end};

/// Substitutions and quotes within one another are followed so deep.
pub(super) const MAX_DEPTH: usize = 40;

/// The fault of a here-document that goes on behind the text.
pub(super) const OPEN_DOCUMENT: &str = "has a here-document without its end";

/// More often than this it is not looked whether two parentheses are arithmetic.
const MAX_FAILED: usize = 100;

/// What stands between words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    /// `;` or the end of a line.
    Next,
    /// `&`
    Background,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `|` and `|&`
    Pipe,
    /// `(`
    Open,
    /// `)`
    Close,
    /// `;;`, `;&` and `;;&`
    CaseEnd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// `<`
    Read,
    /// `>`, `>>`, `>|`, `&>`, `&>>`
    Write,
    /// `<>`
    Both,
    /// `>&` and `<&`: a descriptor, or a file that is written.
    Duplicate,
    /// `<<<`
    Text,
    /// `<<` and `<<-`
    Document,
}

/// A redirection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Redirect {
    pub direction: Direction,
    /// Standard output is meant, or standard input: no other descriptor is named.
    pub standard: bool,
    /// The word after it; of a here-document, its text.
    pub target: Range<usize>,
    /// Of a here-document: nothing in it is expanded.
    pub literal: bool,
    /// Which token it is.
    token: usize,
}

impl Redirect {
    /// Gives a here-document its text, which is read only at the end of the line.
    pub fn complete(&mut self, documents: &[(usize, Range<usize>)]) {
        let own = documents.iter().find(|(token, _)| *token == self.token);
        if let Some((_, text)) = own
            && self.direction == Direction::Document
        {
            self.target = text.clone();
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Word(Range<usize>),
    Operator(Operator),
    Redirect(Redirect),
}

/// Something that the shell would not take, or that is too rare to be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub at: Range<usize>,
    pub why: &'static str,
}

/// Reads tokens one by one, since what is a token depends on where it stands.
pub(super) struct Lexer<'a> {
    pub text: &'a str,
    at: usize,
    pub faults: Vec<Fault>,
    /// Here-documents whose text begins at the next line: where their token is among those given, the delimiter,
    /// whether tabs are dropped.
    waiting: Vec<(usize, String, bool)>,
    /// Texts of here-documents, for tokens that have been given already.
    pub documents: Vec<(usize, Range<usize>)>,
    given: usize,
    /// How often something looked like arithmetic and was none.
    failed: usize,
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Lexer<'a> {
        Lexer {
            text,
            at: 0,
            faults: Vec::new(),
            waiting: Vec::new(),
            documents: Vec::new(),
            given: 0,
            failed: 0,
        }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn fault(&mut self, at: Range<usize>, why: &'static str) {
        self.faults.push(Fault { at, why });
    }

    /// The next token; absent at the end.
    pub fn next(&mut self) -> Option<Token> {
        self.skip_blanks();
        let rest = self.rest();
        let token = match rest.as_bytes().first()? {
            b'\n' => {
                self.at += 1;
                self.read_documents();
                Token::Operator(Operator::Next)
            }
            _ => match self.operator(rest) {
                Some(operator) => Token::Operator(operator),
                None => match self.redirect() {
                    Some(redirect) => Token::Redirect(redirect),
                    None => Token::Word(self.word()),
                },
            },
        };
        self.given += 1;
        Some(token)
    }

    /// Whether the next token is this character.
    pub fn is_next(&mut self, character: char) -> bool {
        self.skip_blanks();
        self.rest().starts_with(character)
    }

    /// Whether something comes next that is no command with words: a group, a condition, a loop, an assignment. Skips
    /// the option of `time` in front of it.
    pub fn is_before_compound(&mut self) -> bool {
        const WORDS: &[&str] = &[
            "{", "!", "if", "while", "until", "for", "select", "case", "[[", "function", "time",
        ];
        self.skip_blanks();
        let rest = self.rest();
        let option = ["-p ", "-- ", "-p\t"]
            .iter()
            .find(|option| rest.starts_with(**option))
            .map_or(0, |option| option.len());
        let after = rest[option..].trim_start_matches([' ', '\t']);
        let first = after
            .split(|c: char| c.is_ascii_whitespace() || ";&|<>()".contains(c))
            .next()
            .unwrap_or_default();
        let is_compound = after.starts_with('(')
            || WORDS.contains(&first)
            || crate::command::assignment(first).is_some();
        if is_compound {
            self.at += option;
        }
        is_compound
    }

    /// Skips a condition after its `[[`, and gives what stands between.
    pub fn condition(&mut self) -> Range<usize> {
        let start = self.at;
        loop {
            self.skip_blanks();
            let from = self.at;
            let Some(first) = self.rest().chars().next() else {
                self.fault(start..self.at, "has a `[[` without its `]]`");
                return start..self.at;
            };
            if "\n;&|<>()".contains(first) && !self.rest().starts_with("<(") {
                self.at += 1;
                continue;
            }
            let word = self.word();
            if &self.text[word] == "]]" {
                return start..from;
            }
        }
    }

    /// If an arithmetic command begins here, just after its first parenthesis, skips it and gives what stands between.
    pub fn arithmetic(&mut self) -> Option<Range<usize>> {
        if !self.rest().starts_with('(') || self.failed >= MAX_FAILED {
            return None;
        }
        let start = self.at + 1;
        let inner = Skip::new(self.text).parentheses(start, 0);
        let Some(inner) = inner.filter(|inner| self.text[*inner..].starts_with("))")) else {
            // Each of these looks at all that follows, so there must not be many.
            self.failed += 1;
            if self.failed == MAX_FAILED {
                self.fault(self.at..self.text.len(), "has too many parentheses");
            }
            return None;
        };
        self.at = inner + 2;
        Some(start..inner)
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            if blanks > 0 {
                self.at += blanks;
            } else if rest.starts_with("\\\n") {
                let before = self.text[..self.at].chars().next_back();
                if before.is_some_and(|before| !before.is_ascii_whitespace()) {
                    self.fault(self.at..self.at + 2, "joins two lines within a token");
                }
                self.at += 2;
            } else if rest.starts_with('#') {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else {
                return;
            }
        }
    }

    fn operator(&mut self, rest: &str) -> Option<Operator> {
        const OPERATORS: &[(&str, Operator)] = &[
            (";;&", Operator::CaseEnd),
            (";;", Operator::CaseEnd),
            (";&", Operator::CaseEnd),
            (";", Operator::Next),
            ("&&", Operator::And),
            ("||", Operator::Or),
            ("|&", Operator::Pipe),
            ("|", Operator::Pipe),
            ("(", Operator::Open),
            (")", Operator::Close),
            ("&", Operator::Background),
        ];
        if rest.starts_with("&>") {
            return None;
        }
        let (sign, operator) = OPERATORS.iter().find(|(sign, _)| rest.starts_with(sign))?;
        self.at += sign.len();
        Some(*operator)
    }

    fn redirect(&mut self) -> Option<Redirect> {
        const SIGNS: &[(&str, Direction)] = &[
            ("&>>", Direction::Write),
            ("&>", Direction::Write),
            ("<<<", Direction::Text),
            ("<<-", Direction::Document),
            ("<<", Direction::Document),
            ("<&", Direction::Duplicate),
            ("<>", Direction::Both),
            (">>", Direction::Write),
            (">&", Direction::Duplicate),
            (">|", Direction::Write),
            (">", Direction::Write),
            ("<", Direction::Read),
        ];
        let start = self.at;
        let rest = self.rest();
        let descriptor =
            &rest[..rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len()];
        let after = &rest[descriptor.len()..];
        let (sign, direction) = SIGNS.iter().find(|(sign, _)| after.starts_with(sign))?;
        if !descriptor.is_empty() && sign.starts_with('&') {
            return None;
        }
        if descriptor.is_empty() && (after.starts_with("<(") || after.starts_with(">(")) {
            return None;
        }
        self.at += descriptor.len() + sign.len();
        let default = if sign.starts_with('<') { "0" } else { "1" };
        let standard = descriptor.is_empty() || descriptor == default;
        self.skip_blanks();
        let target = self.word();
        if target.is_empty() {
            self.fault(start..self.at, "has a redirection without its file");
        }
        let mut redirect = Redirect {
            direction: *direction,
            standard,
            target: target.clone(),
            literal: false,
            token: self.given,
        };
        if *direction == Direction::Document {
            let raw = &self.text[target.clone()];
            let delimiter: String = raw.chars().filter(|c| !"'\"\\".contains(*c)).collect();
            if raw.contains(['$', '`']) {
                self.fault(target, "has a here-document with a strange end");
            }
            redirect.literal = delimiter != raw;
            redirect.target = self.text.len()..self.text.len();
            self.waiting.push((self.given, delimiter, *sign == "<<-"));
        }
        Some(redirect)
    }

    fn read_documents(&mut self) {
        for (token, delimiter, tabs) in std::mem::take(&mut self.waiting) {
            let start = self.at;
            let mut end = self.text.len();
            let mut found = false;
            while self.at < self.text.len() {
                let rest = self.rest();
                let length = rest.find('\n').map_or(rest.len(), |newline| newline + 1);
                let line = rest[..length].trim_end_matches('\n');
                let line = if tabs {
                    line.trim_start_matches('\t')
                } else {
                    line
                };
                if line == delimiter {
                    end = self.at;
                    found = true;
                    // The end of its line ends the command, as well.
                    self.at += length;
                    break;
                }
                self.at += length;
            }
            if !found {
                self.fault(start..end, OPEN_DOCUMENT);
            }
            self.documents.push((token, start..end));
        }
    }

    /// The word that begins here, up to a blank or an operator. Empty if none begins here.
    fn word(&mut self) -> Range<usize> {
        let start = self.at;
        let mut skip = Skip::new(self.text);
        let end = skip.word(start);
        self.faults.append(&mut skip.faults);
        self.at = end;
        let names_variable = self.text[start..end]
            .strip_prefix('{')
            .and_then(|word| word.strip_suffix('}'))
            .is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'));
        if names_variable && self.rest().starts_with(['<', '>']) {
            self.fault(start..end, "is a variable that a redirection assigns");
        }
        if end == start && !self.rest().is_empty() {
            let first = self.rest().chars().next().map_or(0, char::len_utf8);
            if !"\n;&|<>()".contains(&self.rest()[..first]) {
                self.at += first;
            }
        }
        start..end
    }
}
