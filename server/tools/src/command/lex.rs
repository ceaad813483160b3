//! From characters to tokens, as the shell does it: words, operators, redirections, here-documents. Never gives up: what
//! is not closed reaches to the end, and is told as a fault. Knows no command.

use std::ops::Range;

/// Substitutions and quotes within one another are followed so deep.
pub(super) const MAX_DEPTH: usize = 40;

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
        if !self.rest().starts_with('(') {
            return None;
        }
        let start = self.at + 1;
        let mut skip = Skip::new(self.text);
        let inner = skip.parentheses(start, 0)?;
        if !self.text[inner..].starts_with("))") {
            return None;
        }
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
                self.fault(start..end, "has a here-document without its end");
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
        if end == start && !self.rest().is_empty() {
            let first = self.rest().chars().next().map_or(0, char::len_utf8);
            if !"\n;&|<>()".contains(&self.rest()[..first]) {
                self.at += first;
            }
        }
        start..end
    }
}

/// Finds where something ends.
pub(super) struct Skip<'a> {
    text: &'a str,
    pub faults: Vec<Fault>,
}

impl<'a> Skip<'a> {
    pub fn new(text: &'a str) -> Skip<'a> {
        Skip {
            text,
            faults: Vec::new(),
        }
    }

    fn fault(&mut self, start: usize, why: &'static str) {
        let at = start..self.text.len();
        self.faults.push(Fault { at, why });
    }

    fn at(&self, at: usize) -> &'a str {
        self.text.get(at..).unwrap_or_default()
    }

    fn word(&mut self, start: usize) -> usize {
        let mut at = start;
        while let Some(first) = self.at(at).chars().next() {
            let rest = self.at(at);
            if rest.starts_with("<(") || rest.starts_with(">(") {
                if at > start {
                    return at;
                }
                at = self.substitution(at + 2, 0);
                continue;
            }
            match first {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | ')' => return at,
                '(' if at > start && self.text[start..at].ends_with('=') => {
                    // The values of an array.
                    at = self
                        .parentheses(at + 1, 0)
                        .map_or(self.text.len(), |end| end + 1);
                }
                '(' => {
                    if at > start && self.text[start..at].ends_with(['?', '*', '+', '@', '!']) {
                        self.faults.push(Fault {
                            at: start..at + 1,
                            why: "has an extended pattern",
                        });
                    }
                    return at;
                }
                _ => at = self.piece(at, 0),
            }
        }
        at
    }

    /// Past one character, or past the quotes or the expansion that begins here.
    fn piece(&mut self, at: usize, depth: usize) -> usize {
        let rest = self.at(at);
        if depth > MAX_DEPTH {
            self.fault(at, "is nested too deep");
            return self.text.len();
        }
        if rest.starts_with("$'") {
            return self.escaped(at + 2);
        }
        match rest.as_bytes().first() {
            Some(b'\\') => {
                let next = rest.chars().nth(1);
                if next.is_none() {
                    self.fault(at, "ends with a backslash");
                } else if next == Some('\n') {
                    self.faults.push(Fault {
                        at: at..at + 2,
                        why: "joins two lines within a token",
                    });
                }
                at + 1 + next.map_or(0, char::len_utf8)
            }
            Some(b'\'') => match rest[1..].find('\'') {
                Some(end) => at + end + 2,
                None => {
                    self.fault(at, "has a quote that is not closed");
                    self.text.len()
                }
            },
            Some(b'"') => self.quoted(at + 1, depth + 1),
            Some(b'`') => self.backticks(at + 1),
            Some(b'$') => self.dollar(at, depth + 1),
            Some(_) => at + rest.chars().next().map_or(1, char::len_utf8),
            None => at,
        }
    }

    fn escaped(&mut self, start: usize) -> usize {
        let mut characters = self.at(start).char_indices();
        while let Some((index, character)) = characters.next() {
            match character {
                '\\' => {
                    characters.next();
                }
                '\'' => return start + index + 1,
                _ => {}
            }
        }
        self.fault(start, "has a quote that is not closed");
        self.text.len()
    }

    fn quoted(&mut self, start: usize, depth: usize) -> usize {
        let mut at = start;
        while let Some(first) = self.at(at).chars().next() {
            match first {
                '"' => return at + 1,
                '\\' => at += 1 + self.at(at).chars().nth(1).map_or(0, char::len_utf8),
                '`' => at = self.backticks(at + 1),
                '$' if self.at(at).starts_with("$'") => at += 1,
                '$' if self.at(at).starts_with("$\"") => at += 1,
                '$' => at = self.dollar(at, depth + 1),
                _ => at += first.len_utf8(),
            }
        }
        self.fault(start, "has a quote that is not closed");
        self.text.len()
    }

    fn backticks(&mut self, start: usize) -> usize {
        let mut characters = self.at(start).char_indices();
        while let Some((index, character)) = characters.next() {
            match character {
                '\\' => {
                    characters.next();
                }
                '`' => return start + index + 1,
                _ => {}
            }
        }
        self.fault(start, "has a backtick that is not closed");
        self.text.len()
    }

    fn dollar(&mut self, at: usize, depth: usize) -> usize {
        let rest = self.at(at);
        if depth > MAX_DEPTH {
            self.fault(at, "is nested too deep");
            return self.text.len();
        }
        if rest.starts_with("$(") {
            self.substitution(at + 2, depth)
        } else if rest.starts_with("${") {
            self.braces(at + 2, depth, '}')
        } else if rest.starts_with("$[") {
            self.braces(at + 2, depth, ']')
        } else if rest.starts_with("$\"") {
            self.quoted(at + 2, depth)
        } else {
            at + 1
        }
    }

    /// Past the closing parenthesis of a substitution whose inside begins here.
    fn substitution(&mut self, start: usize, depth: usize) -> usize {
        match self.parentheses(start, depth) {
            Some(end) => end + 1,
            None => {
                self.fault(start, "has a parenthesis that is not closed");
                self.text.len()
            }
        }
    }

    /// Where the parenthesis stands that closes what begins here.
    pub fn parentheses(&mut self, start: usize, depth: usize) -> Option<usize> {
        let mut at = start;
        let mut open = 0usize;
        let mut in_word = false;
        while let Some(first) = self.at(at).chars().next() {
            match first {
                ')' if open == 0 => return Some(at),
                ')' => open -= 1,
                '(' => open += 1,
                '#' if !in_word => {
                    at += self.at(at).find('\n')?;
                    continue;
                }
                '\\' | '\'' | '"' | '`' | '$' => {
                    at = self.piece(at, depth + 1);
                    in_word = true;
                    continue;
                }
                _ => {}
            }
            in_word = !" \t\n;&|<>()".contains(first);
            at += first.len_utf8();
        }
        None
    }

    fn braces(&mut self, start: usize, depth: usize, close: char) -> usize {
        let mut at = start;
        while let Some(first) = self.at(at).chars().next() {
            if first == close {
                return at + 1;
            }
            at = self.piece(at, depth + 1);
        }
        self.fault(start, "has a brace that is not closed");
        self.text.len()
    }
}

/// Where what begins at the start of a text ends: `$(…)`, `${…}`, quotes.
pub(super) fn piece_end(text: &str) -> usize {
    Skip::new(text).piece(0, 0)
}

/// The matching parenthesis of what begins at the start of a text, just after the opening one.
pub(super) fn closing(text: &str) -> Option<usize> {
    Skip::new(text).parentheses(0, 0)
}
