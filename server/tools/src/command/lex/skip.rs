//! Where words, quotes and expansions end. Never gives up: what is not closed reaches to the end, and is told as a fault.

use super::{Fault, MAX_DEPTH};

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

    pub fn word(&mut self, start: usize) -> usize {
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
pub(in crate::command) fn piece_end(text: &str) -> usize {
    Skip::new(text).piece(0, 0)
}

/// The matching parenthesis of what begins at the start of a text, just after the opening one.
pub(in crate::command) fn closing(text: &str) -> Option<usize> {
    Skip::new(text).parentheses(0, 0)
}
