//! Walks through the steps of a script as a shell would, without running anything, and gathers what is found: each
//! command, what it reads and writes, what is not understood, what is dangerous. Knows programs only by asking the
//! tables.

mod builtin;
mod file;
mod found;
mod invoke;
mod redirect;

use std::ops::Range;
use std::rc::Rc;

use super::grammar::{Agreement, Grammar};
use super::lex::Operator;
use super::scope::Scope;
use super::stream::{Stream, describe};
use super::syntax::{Group, Script, Simple, Step};
use super::word::{self, Shell, Value, Variable};
use super::{Danger, Doubt, Surroundings, danger};
pub(super) use found::Found;

/// Scripts within scripts are followed so deep.
const MAX_DEPTH: usize = 24;

/// More steps than this are not looked at, those counted that are looked at again with other values.
const MAX_WORK: usize = 40_000;

/// More words of one command are not looked at.
const MAX_WORDS: usize = 4096;

/// A loop through more words than this is looked at once.
const MAX_ROUNDS: usize = 32;

pub(super) struct Walker<'s> {
    surroundings: &'s Surroundings,
    grammar: Grammar,
    pub found: Found,
    scope: Scope,
    via: Vec<String>,
    /// Above zero: only dangers are gathered, for what is walked through is a guess or was seen before.
    quiet: usize,
    /// Above zero: a wrapper around it needs a rule that covers all that it runs.
    covered: usize,
    /// Above zero: a group around it writes its output to a file.
    written: usize,
    depth: usize,
    /// How deep the expansion is within others that is worked out.
    expansions: usize,
    work: usize,
    /// What the commands of the group read.
    input: Stream,
}

impl Shell for Walker<'_> {
    fn variable(&self, name: &str) -> Variable {
        self.scope.variable(name)
    }

    fn origin(&self, name: &str) -> Stream {
        self.scope.origin(name)
    }

    fn home(&self) -> Option<String> {
        match self.scope.variable("HOME") {
            Variable::Fixed(home) => Some(home),
            _ => None,
        }
    }

    fn folder(&self) -> Option<String> {
        match self.scope.variable("PWD") {
            Variable::Fixed(folder) => Some(folder),
            _ => None,
        }
    }

    fn enter(&mut self) -> bool {
        self.expansions += 1;
        let fits = self.expansions <= MAX_DEPTH;
        if !fits {
            self.misread("the command", "is nested too deep to be followed");
        }
        fits
    }

    fn leave(&mut self) {
        self.expansions -= 1;
    }

    fn run(&mut self, script: &str) -> Stream {
        self.unprove("It has a substitution.");
        let scope = self.scope.clone();
        let stream = self.nested(script, false);
        self.scope = scope;
        stream
    }

    fn doubt(&mut self, text: &str, why: &str) {
        if self.quiet > 0 {
            return;
        }
        let doubt = Doubt {
            text: self.in_words(text),
            why: why.to_owned(),
        };
        if !self.found.doubts.contains(&doubt) {
            self.found.doubts.push(doubt);
        }
    }

    fn assign(&mut self, name: &str, value: Variable) {
        self.scope.assign(name, value, Stream::default());
    }
}

impl<'s> Walker<'s> {
    pub fn new(surroundings: &'s Surroundings) -> Walker<'s> {
        Walker {
            surroundings,
            grammar: Grammar::new(),
            found: Found::default(),
            scope: Scope::new(surroundings),
            via: Vec::new(),
            quiet: 0,
            covered: 0,
            written: 0,
            depth: 0,
            expansions: 0,
            work: 0,
            input: Stream::default(),
        }
    }

    /// Leaves a text unread.
    pub fn give_up(&mut self, why: &str) {
        self.misread("the command", why);
    }

    /// Doubts that a text is read as it looks.
    pub fn misread(&mut self, text: &str, why: &str) {
        self.found.unread = true;
        self.doubt(text, why);
    }

    /// Walks through a script that somebody else than the line's own shell reads, or the line itself.
    pub fn script(&mut self, text: &str) -> Stream {
        self.nested(text, true)
    }

    fn nested(&mut self, text: &str, of_its_own: bool) -> Stream {
        if self.depth >= MAX_DEPTH || self.work >= MAX_WORK {
            self.found.unread = true;
            self.doubt(text, "is nested too deep to be followed");
            return Stream::default();
        }
        let script = Rc::new(Script::read(text));
        for fault in &script.faults {
            self.found.unread |= self.quiet == 0;
            self.doubt(describe(fault, text), fault.why);
        }
        if of_its_own && self.quiet == 0 {
            // The line's grammar has seen its substitutions; no grammar has seen this.
            match self.grammar.compare(text) {
                Agreement::Same => {}
                Agreement::Differs(at, why) => {
                    self.found.unread = true;
                    let shown = text
                        .get(at)
                        .filter(|text| !text.trim().is_empty())
                        .unwrap_or(text);
                    self.doubt(shown, why);
                }
            }
        }
        self.depth += 1;
        let end = script.steps.len();
        let stream = self.walk(&script, 0..end);
        self.depth -= 1;
        stream
    }

    pub(super) fn unprove(&mut self, why: impl Into<String>) {
        if self.quiet == 0 && self.found.unproven.is_none() {
            self.found.unproven = Some(why.into());
        }
    }

    /// A text as people are told of it. What is not known has no words of its own: then what runs it is named.
    fn in_words(&self, text: &str) -> String {
        let is_known = !text.replace(word::OPAQUE, "").trim().is_empty();
        let shown = match self.via.last() {
            Some(runner) if !is_known => runner,
            _ => text,
        };
        shown.replace(word::OPAQUE, "…")
    }

    pub(super) fn danger(&mut self, text: &str, why: impl Into<String>) {
        let danger = Danger {
            text: self.in_words(text),
            why: why.into(),
        };
        if !self
            .found
            .dangers
            .iter()
            .any(|known| known.why == danger.why)
        {
            self.found.dangers.push(danger);
        }
    }

    /// Walks through steps; gives what they print.
    fn walk(&mut self, script: &Rc<Script>, range: Range<usize>) -> Stream {
        let mut printed = Stream::of("");
        let mut last = Stream::of("");
        let mut incoming: Option<Stream> = None;
        let mut at = range.start;
        while at < range.end {
            let step = &script.steps[at];
            self.work += 1;
            if self.work > MAX_WORK {
                self.misread("the command", "has too many parts");
                break;
            }
            let end = match step {
                Step::Open(_) => script.close_of(at + 1).min(range.end),
                _ => at,
            };
            let to_pipe = matches!(
                script.steps.get(end + 1),
                Some(Step::Operator(Operator::Pipe))
            );
            let piped = incoming.is_some() || to_pipe;
            let (folder, likely, moved) = (
                self.scope.folder.clone(),
                self.scope.likely.clone(),
                self.scope.moved,
            );
            match step {
                Step::Operator(operator) => {
                    let after_operator = at > range.start
                        && matches!(
                            script.steps[at - 1],
                            Step::Operator(Operator::Pipe | Operator::And | Operator::Or)
                        );
                    match operator {
                        Operator::Next if after_operator => {}
                        Operator::Pipe => incoming = Some(std::mem::take(&mut last)),
                        Operator::And => {
                            printed.append(std::mem::replace(&mut last, Stream::of("")))
                        }
                        operator => {
                            printed.append(std::mem::replace(&mut last, Stream::of("")));
                            incoming = None;
                            self.scope.settle();
                            if *operator == Operator::Background {
                                self.unprove("It runs something in the background.");
                            }
                        }
                    }
                    at += 1;
                    continue;
                }
                Step::Command(simple) => last = self.simple(script, simple, incoming.take()),
                Step::Condition(inside) => last = self.condition(&script.text[inside.clone()]),
                Step::Arithmetic(inside) => {
                    let text = &script.text[inside.clone()];
                    self.unprove("It has arithmetic.");
                    self.doubt(text, "is arithmetic, whose values may run commands");
                    word::run_all(text, self);
                }
                Step::Bind(name, words) => self.bind(script, name, words, at + 1..range.end),
                Step::Subject(raw) => {
                    word::expand_whole(&script.text[raw.clone()], self);
                }
                Step::Open(group) => {
                    last = self.group(script, group, at + 1..end, incoming.take());
                }
                Step::Close(_) => {}
            }
            if piped {
                // It runs in a shell of its own.
                self.scope.folder = folder;
                self.scope.likely = likely;
                self.scope.moved = moved;
            }
            at = end + 1;
        }
        printed.append(last);
        printed
    }

    fn group(
        &mut self,
        script: &Rc<Script>,
        group: &Group,
        body: Range<usize>,
        incoming: Option<Stream>,
    ) -> Stream {
        self.unprove("It has a group, a condition, a loop or a function.");
        if self.depth >= MAX_DEPTH {
            self.found.unread = true;
            self.doubt("the command", "is nested too deep to be followed");
            return Stream::default();
        }
        self.depth += 1;
        let redirects = match script.steps.get(body.end) {
            Some(Step::Close(redirects)) => redirects.as_slice(),
            _ => &[],
        };
        let outside = self.input.clone();
        if let Some(incoming) = incoming {
            self.input = incoming;
        }
        let io = self.redirects(script, redirects);
        if let Some(input) = &io.input {
            self.input = input.clone();
        }
        self.written += usize::from(io.writes);
        let mut printed = match group {
            Group::Subshell => {
                let scope = self.scope.clone();
                let printed = self.walk(script, body);
                self.scope = scope;
                printed
            }
            Group::Function(name) => {
                self.define(script, name, body);
                Stream::of("")
            }
            Group::Braces => self.walk(script, body),
            Group::Compound => {
                let before = self.scope.likely.clone();
                let mut printed = self.walk(script, body);
                if self.scope.likely != before || self.scope.moved {
                    self.scope.moved = false;
                    self.scope.folder = None;
                }
                printed.text = None;
                printed
            }
        };
        self.written -= usize::from(io.writes);
        self.input = outside;
        self.depth -= 1;
        self.keep(&io, &mut printed);
        printed
    }

    fn define(&mut self, script: &Rc<Script>, name: &Range<usize>, body: Range<usize>) {
        let name = &script.text[name.clone()];
        if danger::is_fork_bomb(script, name, body.clone()) {
            self.danger(
                name,
                "It starts copies of itself without end, until the machine stands still.",
            );
        }
        self.scope
            .functions
            .insert(name.to_owned(), (Rc::clone(script), body.clone()));
        let scope = self.scope.clone();
        self.scope.positional = None;
        // Nobody knows where and how often it is called.
        self.scope.folder = None;
        self.walk(script, body);
        self.scope = scope;
    }

    /// Goes through the rest of a loop with each word that its variable gets.
    fn bind(
        &mut self,
        script: &Rc<Script>,
        name: &Range<usize>,
        words: &[Range<usize>],
        body: Range<usize>,
    ) {
        let name = script.text[name.clone()].to_owned();
        self.influence(&name);
        let mut guesses = Vec::new();
        for word in words {
            guesses.extend(word::expand(&script.text[word.clone()], self).guesses);
        }
        if guesses.len() <= MAX_ROUNDS && self.depth < MAX_DEPTH {
            self.depth += 1;
            self.quiet += 1;
            for guess in &guesses {
                if self.work >= MAX_WORK {
                    break;
                }
                let scope = self.scope.clone();
                let value = Variable::Known(guess.text.clone());
                self.scope.assign(&name, value, guess.stream.clone());
                self.walk(script, body.clone());
                self.scope = scope;
            }
            self.quiet -= 1;
            self.depth -= 1;
        }
        let mut origin = Stream::default();
        for guess in &guesses {
            origin.merge(&guess.stream);
        }
        self.scope.assign(&name, Variable::Assigned, origin);
    }

    fn condition(&mut self, text: &str) -> Stream {
        self.unprove("It has a condition.");
        const ARITHMETIC: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v", "-R"];
        let is_number = |word: &str| word.parse::<i64>().is_ok();
        let words: Vec<&str> = text.split_whitespace().collect();
        for (at, word) in words.iter().enumerate() {
            let operands = [at.checked_sub(1), Some(at + 1)];
            let mut operands = operands.iter().flatten().filter_map(|at| words.get(*at));
            if ARITHMETIC.contains(word) && !operands.all(|word| is_number(word)) {
                self.doubt(text, "compares values that may run commands");
            }
        }
        word::run_all(text, self);
        Stream::of("")
    }

    /// One simple command, with what is piped into it.
    fn simple(&mut self, script: &Rc<Script>, simple: &Simple, incoming: Option<Stream>) -> Stream {
        let io = self.redirects(script, &simple.redirects);
        let input = io
            .input
            .clone()
            .or(incoming)
            .unwrap_or_else(|| self.input.clone());
        let mut words = simple
            .words
            .iter()
            .map(|word| &script.text[word.clone()])
            .peekable();
        let mut assignments = Vec::new();
        while let Some((name, value)) = words.peek().and_then(|word| super::assignment(word)) {
            assignments.push(self.assignment(name, value));
            words.next();
        }
        let (mut values, mut guesses) = (Vec::<Value>::new(), Vec::<Value>::new());
        for word in words {
            if guesses.len() > MAX_WORDS {
                self.misread(word, "comes after too many words");
                break;
            }
            let expansion = word::expand(word, self);
            values.extend(expansion.values);
            guesses.extend(expansion.guesses);
        }
        let mut printed = if values.is_empty() {
            self.assign_all(assignments, &io)
        } else {
            self.written += usize::from(io.writes);
            let differs = values
                .iter()
                .map(|word| &word.text)
                .ne(guesses.iter().map(|word| &word.text));
            let mut printed = Stream::default();
            let mut likely = None;
            if differs && !guesses.is_empty() {
                self.quiet += 1;
                let scope = self.scope.clone();
                self.work += guesses.len() / 8;
                printed = self.invoke(guesses, &[], &input);
                likely = Some(std::mem::replace(&mut self.scope, scope).likely);
                self.quiet -= 1;
            }
            let assignments: Vec<_> = assignments
                .into_iter()
                .map(|(assignment, _)| assignment)
                .collect();
            let shown = self.invoke(values, &assignments, &input);
            if !differs {
                printed = shown;
            }
            if let Some(likely) = likely {
                self.scope.likely = likely;
            }
            self.written -= usize::from(io.writes);
            printed
        };
        self.keep(&io, &mut printed);
        printed
    }
}
