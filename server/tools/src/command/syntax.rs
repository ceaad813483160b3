//! From tokens to steps: the simple commands of a script in the order in which they stand, and what holds them together.
//! Never gives up: what the shell would not take is told as a fault. Knows no command.

use std::ops::Range;

use super::lex::{Fault, Lexer, Operator, Redirect, Token};

/// Words and redirections of one simple command. Assignments in front are words too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Simple {
    pub words: Vec<Range<usize>>,
    pub redirects: Vec<Redirect>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Group {
    /// `( … )`
    Subshell,
    /// `{ … }`
    Braces,
    /// A condition or a loop: what is in it may run, once or often.
    Compound,
    /// The body of the function with the name that stands there.
    Function(Range<usize>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Command(Simple),
    /// What stands between `[[` and `]]`.
    Condition(Range<usize>),
    /// What stands between `((` and `))`.
    Arithmetic(Range<usize>),
    /// The variable of a loop and the words that it goes through.
    Bind(Range<usize>, Vec<Range<usize>>),
    /// The word of a `case`, or one of its patterns.
    Subject(Range<usize>),
    Open(Group),
    Close(Vec<Redirect>),
    /// `;`, `&`, `&&`, `||` or `|`, and words that mean the same as `;`.
    Operator(Operator),
}

/// A script as steps.
#[derive(Debug)]
pub(super) struct Script {
    pub text: String,
    pub steps: Vec<Step>,
    pub faults: Vec<Fault>,
}

/// What is open at a place.
enum Frame {
    Parenthesis,
    Brace,
    If,
    Loop,
    Case { pattern: bool },
}

struct Reader<'a> {
    lexer: Lexer<'a>,
    steps: Vec<Step>,
    frames: Vec<Frame>,
    simple: Option<Simple>,
    /// The name of a function whose body comes next.
    function: Option<Range<usize>>,
}

impl Script {
    pub fn read(text: &str) -> Script {
        let mut reader = Reader {
            lexer: Lexer::new(text),
            steps: Vec::new(),
            frames: Vec::new(),
            simple: None,
            function: None,
        };
        while let Some(token) = reader.lexer.next() {
            reader.token(token);
        }
        reader.flush();
        let end = text.len();
        if !reader.frames.is_empty() || reader.function.is_some() {
            reader.fault(end..end, "has something that is not closed");
        }
        while reader.frames.pop().is_some() {
            reader.steps.push(Step::Close(Vec::new()));
        }
        let documents = std::mem::take(&mut reader.lexer.documents);
        for step in &mut reader.steps {
            let redirects = match step {
                Step::Command(simple) => &mut simple.redirects,
                Step::Close(redirects) => redirects,
                _ => continue,
            };
            for redirect in redirects {
                redirect.complete(&documents);
            }
        }
        Script {
            text: text.to_owned(),
            steps: reader.steps,
            faults: reader.lexer.faults,
        }
    }

    /// The step that closes the group that is open where these steps begin.
    pub fn close_of(&self, start: usize) -> usize {
        let mut open = 0usize;
        for (index, step) in self.steps.iter().enumerate().skip(start) {
            match step {
                Step::Open(_) => open += 1,
                Step::Close(_) if open == 0 => return index,
                Step::Close(_) => open -= 1,
                _ => {}
            }
        }
        self.steps.len()
    }
}

impl<'a> Reader<'a> {
    fn fault(&mut self, at: Range<usize>, why: &'static str) {
        self.lexer.faults.push(Fault { at, why });
    }

    fn raw(&self, range: &Range<usize>) -> &'a str {
        &self.lexer.text[range.clone()]
    }

    /// Ends the simple command that is being read.
    fn flush(&mut self) {
        if let Some(simple) = self.simple.take() {
            self.steps.push(Step::Command(simple));
        }
    }

    fn separate(&mut self, operator: Operator) {
        self.flush();
        self.steps.push(Step::Operator(operator));
    }

    fn token(&mut self, token: Token) {
        if let Some(Frame::Case { pattern: true }) = self.frames.last() {
            return self.pattern(token);
        }
        match token {
            Token::Word(word) if self.simple.is_none() && self.keyword(&word) => {}
            Token::Word(word) => {
                if matches!(self.steps.last(), Some(Step::Close(_))) && self.simple.is_none() {
                    self.fault(word.clone(), "stands where an operator should");
                }
                self.simple.get_or_insert_default().words.push(word);
            }
            Token::Redirect(redirect) => match (self.steps.last_mut(), &mut self.simple) {
                (Some(Step::Close(redirects)), None) => redirects.push(redirect),
                (_, simple) => simple.get_or_insert_default().redirects.push(redirect),
            },
            Token::Operator(Operator::Open) => self.open(),
            Token::Operator(Operator::Close) => {
                self.flush();
                self.close(|frame| matches!(frame, Frame::Parenthesis));
            }
            Token::Operator(Operator::CaseEnd) => {
                self.separate(Operator::Next);
                match self.frames.last_mut() {
                    Some(Frame::Case { pattern }) => *pattern = true,
                    _ => {
                        let end = self.lexer.text.len();
                        self.fault(end..end, "has a `;;` outside of a `case`");
                    }
                }
            }
            Token::Operator(operator) => self.separate(operator),
        }
    }

    /// In a `case`, where a pattern is expected.
    fn pattern(&mut self, token: Token) {
        match token {
            Token::Word(word) if self.raw(&word) == "esac" => {
                self.close(|frame| matches!(frame, Frame::Case { .. }));
            }
            Token::Word(word) => self.steps.push(Step::Subject(word)),
            Token::Operator(Operator::Close) => {
                if let Some(Frame::Case { pattern }) = self.frames.last_mut() {
                    *pattern = false;
                }
                self.steps.push(Step::Operator(Operator::Next));
            }
            Token::Operator(Operator::Open | Operator::Pipe | Operator::Next) => {}
            _ => {
                let end = self.lexer.text.len();
                self.fault(end..end, "has a `case` that cannot be read");
            }
        }
    }

    fn open(&mut self) {
        let name = match &self.simple {
            Some(simple) if simple.words.len() == 1 && simple.redirects.is_empty() => {
                Some(simple.words[0].clone())
            }
            _ => None,
        };
        match name {
            Some(name) if self.lexer.is_next(')') => {
                self.lexer.next();
                self.simple = None;
                self.function = Some(name);
                return;
            }
            None if self.simple.is_none() => {
                if let Some(inner) = self.lexer.arithmetic() {
                    self.steps.push(Step::Arithmetic(inner));
                    return;
                }
            }
            _ => {
                let end = self.lexer.text.len();
                self.fault(end..end, "has a parenthesis where none should be");
            }
        }
        self.flush();
        self.enter(Frame::Parenthesis, Group::Subshell);
    }

    fn enter(&mut self, frame: Frame, group: Group) {
        let group = match self.function.take() {
            Some(name) => Group::Function(name),
            None => group,
        };
        self.frames.push(frame);
        self.steps.push(Step::Open(group));
    }

    fn close(&mut self, fits: impl Fn(&Frame) -> bool) {
        match self.frames.last() {
            Some(frame) if fits(frame) => {
                self.frames.pop();
                self.steps.push(Step::Close(Vec::new()));
            }
            _ => {
                let end = self.lexer.text.len();
                self.fault(end..end, "closes something that is not open");
                self.steps.push(Step::Operator(Operator::Next));
            }
        }
    }

    /// Takes a reserved word where a command may begin.
    fn keyword(&mut self, word: &Range<usize>) -> bool {
        match self.raw(word) {
            "!" => {}
            "{" => self.enter(Frame::Brace, Group::Braces),
            "}" => self.close(|frame| matches!(frame, Frame::Brace)),
            "if" => self.enter(Frame::If, Group::Compound),
            "fi" => self.close(|frame| matches!(frame, Frame::If)),
            "while" | "until" => self.enter(Frame::Loop, Group::Compound),
            "done" => self.close(|frame| matches!(frame, Frame::Loop)),
            "then" | "else" | "elif" | "do" => self.steps.push(Step::Operator(Operator::Next)),
            "for" | "select" => self.loop_head(),
            "case" => self.case_head(),
            "esac" => self.close(|frame| matches!(frame, Frame::Case { .. })),
            "[[" => {
                let inner = self.lexer.condition();
                self.steps.push(Step::Condition(inner));
            }
            // Where it is no word of a command: in front of all that is none.
            "time" if self.lexer.is_before_compound() => {
                self.fault(word.clone(), "stands in front of more than a command");
            }
            "coproc" => self.fault(word.clone(), "runs something beside the shell"),
            "function" => match self.lexer.next() {
                Some(Token::Word(name)) => {
                    if self.lexer.is_next('(') {
                        self.lexer.next();
                        self.lexer.next();
                    }
                    self.function = Some(name);
                }
                _ => self.fault(word.clone(), "defines a function without a name"),
            },
            _ => return false,
        }
        true
    }

    fn loop_head(&mut self) {
        self.enter(Frame::Loop, Group::Compound);
        let Some(Token::Word(name)) = self.lexer.next() else {
            let end = self.lexer.text.len();
            return self.fault(end..end, "has a loop that cannot be read");
        };
        let mut words = Vec::new();
        let mut first = true;
        while let Some(token) = self.lexer.next() {
            match token {
                Token::Word(word) if first && self.raw(&word) == "in" => {}
                Token::Word(word) if first && self.raw(&word) == "do" => break,
                Token::Word(word) => words.push(word),
                Token::Operator(Operator::Next) => break,
                _ => {
                    let end = self.lexer.text.len();
                    self.fault(end..end, "has a loop that cannot be read");
                    break;
                }
            }
            first = false;
        }
        self.steps.push(Step::Bind(name, words));
    }

    fn case_head(&mut self) {
        self.enter(Frame::Case { pattern: true }, Group::Compound);
        let end = self.lexer.text.len();
        match self.lexer.next() {
            Some(Token::Word(word)) => self.steps.push(Step::Subject(word)),
            _ => self.fault(end..end, "has a `case` without its word"),
        }
        while self.lexer.is_next('\n') {
            self.lexer.next();
        }
        match self.lexer.next() {
            Some(Token::Word(word)) if self.raw(&word) == "in" => {}
            _ => self.fault(end..end, "has a `case` without its `in`"),
        }
    }
}
