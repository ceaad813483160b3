//! Redirections and assignments: what they read, write and change.

use std::path::PathBuf;

use super::Walker;
use crate::command::lex::{Direction, Redirect};
use crate::command::stream::Stream;
use crate::command::syntax::Script;
use crate::command::variables::{Influence, influence};
use crate::command::word::{self, OPAQUE, Shell, Value, Variable};
use crate::command::{Assignment, Target, Word, danger};
use crate::lexical::normal;

/// More files than this are not told.
const MAX_TARGETS: usize = 1024;

/// What the redirections of a command do.
#[derive(Debug, Default)]
pub(super) struct Redirected {
    /// What it reads instead of what it would.
    pub input: Option<Stream>,
    /// It writes files.
    pub writes: bool,
    /// Its output does not go on.
    taken: bool,
    /// The files that get its output.
    files: Vec<PathBuf>,
    /// Scripts that get its output.
    scripts: Vec<String>,
}

impl Walker<'_> {
    pub(super) fn redirects(&mut self, script: &Script, redirects: &[Redirect]) -> Redirected {
        let mut io = Redirected::default();
        for redirect in redirects {
            let raw = &script.text[redirect.target.clone()];
            match redirect.direction {
                Direction::Document => {
                    self.unprove("It has a here-document.");
                    io.input = Some(match redirect.literal {
                        true => Stream::of(raw),
                        false => word::expand_text(raw, self),
                    });
                }
                Direction::Text => {
                    self.unprove("It has a here-string.");
                    let (_, guess) = word::expand_whole(raw, self);
                    let mut stream = Stream::of(guess.text + "\n");
                    stream.merge(&guess.stream);
                    stream.guessed |= guess.expanded;
                    io.input = Some(stream);
                }
                _ => self.redirect(redirect, raw, &mut io),
            }
        }
        io
    }

    fn redirect(&mut self, redirect: &Redirect, raw: &str, io: &mut Redirected) {
        let (value, guess) = word::expand_whole(raw, self);
        let number = |text: &str| {
            text == "-" || !text.is_empty() && text.chars().all(|c| c.is_ascii_digit())
        };
        if redirect.direction == Direction::Duplicate && value.known && number(&value.text) {
            return;
        }
        if value.known && value.text == "/dev/null" && !value.expanded {
            io.taken |= redirect.standard && redirect.direction == Direction::Write;
            return;
        }
        self.unprove(format!("It has a redirection: `{raw}`."));
        let reads = matches!(redirect.direction, Direction::Read | Direction::Both);
        if redirect.direction == Direction::Duplicate && !value.known {
            self.doubt(raw, "is a redirection to something that is not known");
        }
        if guess.text.starts_with("/dev/tcp/") || guess.text.starts_with("/dev/udp/") {
            self.found.network = true;
            io.input = Some(Stream::from_network());
            self.doubt(raw, "connects to the network");
            return;
        }
        if value.is_process {
            match raw.strip_prefix(">(") {
                Some(script) => io.scripts.push(script.trim_end_matches(')').to_owned()),
                None => io.input = Some(guess.stream),
            }
            return;
        }
        let path = normal(&self.scope.likely.join(&guess.text));
        if reads {
            let target = self.target(&value);
            self.record(target, false);
            let written = self.scope.files.get(&path).cloned();
            io.input = Some(written.unwrap_or(guess.stream.clone()));
        }
        if redirect.direction != Direction::Read {
            let standard =
                ["/dev/stdout", "/dev/stderr", "/dev/tty"].contains(&value.text.as_str());
            if !standard {
                io.writes = true;
                let target = self.target(&value);
                if self.quiet == 0 && !self.found.redirected.contains(&target) {
                    self.found.redirected.push(target.clone());
                }
                self.record(target, true);
            }
            if let Some(why) = danger::write(&guess, &self.place()) {
                self.danger(&format!("> {raw}"), why);
            }
            if redirect.standard {
                io.taken |= !standard;
                io.files.push(path);
            }
        }
    }

    /// Keeps the output of a command where its redirections send it.
    pub(super) fn keep(&mut self, io: &Redirected, printed: &mut Stream) {
        for path in &io.files {
            self.scope.files.insert(path.clone(), printed.clone());
        }
        for script in &io.scripts {
            self.feed(script, printed);
        }
        if io.taken {
            *printed = Stream::of("");
        }
    }

    /// Searches a script for what is dangerous with this input.
    pub(super) fn feed(&mut self, script: &str, input: &Stream) {
        let outside = std::mem::replace(&mut self.input, input.clone());
        let scope = self.scope.clone();
        self.quiet += 1;
        self.nested(script, false);
        self.quiet -= 1;
        self.scope = scope;
        self.input = outside;
    }

    /// A file that a command names.
    pub(super) fn target(&self, value: &Value) -> Target {
        let known = value.known && !value.text.is_empty();
        let path = PathBuf::from(&value.text);
        let path = match &self.scope.folder {
            _ if !known => None,
            _ if path.is_absolute() => Some(path),
            Some(folder) => Some(folder.join(path)),
            None => None,
        };
        Target {
            path,
            text: value.text.clone(),
        }
    }

    pub(super) fn record(&mut self, target: Target, writes: bool) {
        if self.quiet > 0 {
            return;
        }
        let targets = if writes {
            &mut self.found.writes
        } else {
            &mut self.found.reads
        };
        if targets.len() >= MAX_TARGETS {
            return self.doubt(&target.text, "comes after too many files");
        }
        if !targets.contains(&target) {
            targets.push(target);
        }
    }

    /// An assignment as a rule sees it, and what the variable most likely gets.
    pub(super) fn assignment(&mut self, name: &str, raw: &str) -> (Assignment, Value) {
        let (value, guess) = match raw.starts_with('(') {
            true => {
                let stream = word::run_all(raw, self);
                let value = Value {
                    text: raw.to_owned(),
                    stream,
                    ..Value::default()
                };
                (value.clone(), value)
            }
            false => word::expand_whole(raw, self),
        };
        let (name, index) = name.split_once('[').unwrap_or((name, ""));
        word::run_all(index, self);
        if index.contains(|c: char| !c.is_ascii_digit() && c != ']') {
            self.doubt(index, "is an index that may run commands");
        }
        let assignment = Assignment {
            name: name.to_owned(),
            value: Word {
                text: value.text,
                known: value.known,
            },
        };
        (assignment, guess)
    }

    /// Assignments without a command: they are for all that follows.
    pub(super) fn assign_all(
        &mut self,
        assignments: Vec<(Assignment, Value)>,
        io: &Redirected,
    ) -> Stream {
        let mut printed = Stream::of("");
        if !assignments.is_empty() {
            self.unprove("It assigns a variable.");
        }
        if io.writes && assignments.is_empty() {
            self.doubt("a redirection", "stands without a command");
        }
        for (assignment, guess) in assignments {
            self.influence(&assignment.name);
            printed.merge(&guess.stream);
            let value = match guess.text.contains(OPAQUE) && guess.text.chars().count() == 1 {
                true => Variable::Assigned,
                false => Variable::Known(guess.text),
            };
            self.scope.assign(&assignment.name, value, guess.stream);
        }
        printed
    }

    /// Doubts what changes a variable that later commands depend on.
    pub(super) fn influence(&mut self, name: &str) {
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !plain {
            self.doubt(name, "is no name of a variable");
        } else if influence(name) == Influence::Changes {
            self.doubt(name, "is a variable that changes what other commands do");
        }
    }
}
