//! One command with its words: what it is, what it runs in turn, what it does. Asks every table.

use std::rc::Rc;

use super::{MAX_DEPTH, Walker};
use crate::command::danger::{self, Place};
use crate::command::program::{self, Program};
use crate::command::stream::{FETCHERS, Stream, output};
use crate::command::variables::{Influence, influence, is_command};
use crate::command::word::{Glob, Shell, Value, Variable};
use crate::command::wrapper::{self, Runs};
use crate::command::{Assignment, Discard, Part, Shown, Word, code, files, git, safe};

/// More words than this are not looked at as names of files.
const MAX_MENTIONS: usize = 256;

impl Walker<'_> {
    pub(in crate::command) fn place(&self) -> Place {
        Place {
            home: self.surroundings.home.clone(),
            workdir: self.surroundings.workdir.clone(),
            folder: self.scope.likely.clone(),
        }
    }

    /// One command; gives what it prints.
    pub(super) fn invoke(
        &mut self,
        words: Vec<Value>,
        assignments: &[Assignment],
        input: &Stream,
    ) -> Stream {
        let Some(first) = words.first() else {
            return Stream::default();
        };
        self.work += 1 + words.len() / 8;
        if self.work > super::MAX_WORK || self.depth >= MAX_DEPTH {
            self.found.unread = true;
            self.doubt(&first.text, "is nested too deep to be followed");
            return Stream::default();
        }
        let program = Program::of(first, self.quiet > 0);
        let text = text_of(&words);
        let index = self.found.parts.len();
        if self.quiet == 0 {
            self.found.parts.push(Part {
                words: words.iter().map(word_of).collect(),
                text: text.clone(),
                assignments: assignments.to_vec(),
                via: self.via.clone(),
                needs_rule: true,
            });
        }
        self.doubt_name(first);
        self.doubt_assignments(assignments);
        let arguments = &words[1..];
        for why in danger::command(&program, &words, input, &self.place()) {
            self.danger(&text, why);
        }
        self.look_at_files(&program, arguments);
        self.look_at_copies(&program, arguments, input);
        if !program.is_bare {
            self.run_file(first);
        }
        let (mut proof, mut printed) = self.effect(&program, &words, input);
        let wrapped = wrapper::unwrap(&program, arguments, input);
        if let Some(wrapped) = &wrapped {
            if let Some(why) = wrapped.doubt {
                self.doubt(&text, why);
            }
            proof = match wrapped.harmless {
                true => Ok(false),
                false => Err("runs another command"),
            };
            let covered = usize::from(wrapped.covers);
            self.covered += covered;
            self.via.push(program.name.clone());
            for runs in &wrapped.runs {
                let outer = self.depth;
                self.depth += 1;
                if let Some(stream) = self.run_wrapped(runs, input) {
                    printed = stream;
                }
                self.depth = outer;
            }
            self.via.pop();
            self.covered -= covered;
            // What runs on another machine prints what that gives.
            if FETCHERS.contains(&program.name.as_str()) {
                printed = Stream::from_network();
            }
        }
        for argument in arguments.iter().filter(|argument| argument.is_process) {
            if let Some(script) = argument.text.strip_prefix(">(") {
                let script = script.strip_suffix(')').unwrap_or(script).to_owned();
                self.feed(&script, &printed);
            }
        }
        if proof.is_err() {
            self.mention(&program, arguments);
        }
        if let Err(why) = proof {
            self.unprove(format!("`{}` {why}.", program.shown()));
        } else if !assignments.is_empty() {
            self.unprove("It assigns a variable.");
        }
        // A search of whole folders finds what nobody named: it is free only where all of the line is proven, for then it
        // is kept from secrets.
        let free = (proof == Ok(false) && self.written == 0) || self.covered > 0;
        if let Some(part) = self.found.parts.get_mut(index).filter(|_| self.quiet == 0) {
            part.needs_rule = !free;
        }
        printed
    }

    /// What a command does to the shell or by itself: whether it is proven to only read, and then whether it searches whole
    /// folders; and what it prints.
    fn effect(
        &mut self,
        program: &Program,
        words: &[Value],
        input: &Stream,
    ) -> (Result<bool, &'static str>, Stream) {
        let arguments = &words[1..];
        if let Some((script, body)) = self.scope.functions.get(&program.name).cloned()
            && program.is_bare
        {
            self.unprove("It calls a function of its own.");
            let printed = self.call(&script, body, arguments, input);
            return (Err("is a function of its own"), printed);
        }
        if program.is("git") {
            self.look_at_git(words);
        }
        self.found.network |= self.quiet == 0 && program::talks_to_network(program, arguments);
        let mut printed = output(&program.name, arguments, input);
        if program.is("pwd") {
            printed = Stream::of(format!("{}\n", self.scope.likely.display()));
        }
        if let Some(proof) = self.builtin(program, arguments, input) {
            return (proof.map(|()| false), printed);
        }
        let folder = self.scope.folder.as_deref();
        let proof = match safe::prove(program, arguments, folder, self.scope.strayed) {
            Ok(proof) => {
                if self.quiet == 0 {
                    self.found.proven.extend(proof.reads);
                    self.found.searches |= proof.searches;
                }
                Ok(proof.searches)
            }
            Err(why) => Err(why),
        };
        (proof, printed)
    }

    fn call(
        &mut self,
        script: &Rc<crate::command::syntax::Script>,
        body: std::ops::Range<usize>,
        arguments: &[Value],
        input: &Stream,
    ) -> Stream {
        if self.depth + 1 >= MAX_DEPTH {
            return Stream::default();
        }
        let positional = arguments.iter().map(|word| word.text.clone()).collect();
        let positional = self.scope.positional.replace(positional);
        let outside = std::mem::replace(&mut self.input, input.clone());
        self.depth += 4;
        self.quiet += 1;
        let printed = self.walk(script, body);
        self.quiet -= 1;
        self.depth -= 4;
        self.input = outside;
        self.scope.positional = positional;
        printed
    }

    fn doubt_name(&mut self, name: &Value) {
        let strange = |c: char| {
            c.is_whitespace() || c.is_control() || !c.is_ascii() || "\"'\\$`;&|<>(){}".contains(c)
        };
        if !name.known {
            let why = match name.glob {
                Glob::None => "is a command that is not known before it runs",
                _ => "is a command that depends on the names of files",
            };
            self.doubt(&name.text, why);
        } else if name.text.is_empty() || name.text.chars().any(strange) {
            self.doubt(&name.text, "is a strange name for a command");
        }
    }

    fn doubt_assignments(&mut self, assignments: &[Assignment]) {
        for assignment in assignments {
            let name = &assignment.name;
            if influence(name) != Influence::Harmless {
                self.doubt(
                    &format!("{name}=…"),
                    "in front of a command may change what it does",
                );
            }
            if is_command(name) {
                self.quietly(&assignment.value.text);
            }
        }
    }

    /// Searches a script for danger only.
    pub(super) fn quietly(&mut self, script: &str) {
        let scope = self.scope.clone();
        self.quiet += 1;
        self.nested(script, false);
        self.quiet -= 1;
        self.scope = scope;
    }

    fn look_at_files(&mut self, program: &Program, arguments: &[Value]) {
        let place = self.place();
        for (value, writes) in files::named(program, arguments) {
            let target = self.target(&value);
            if writes && let Some(why) = danger::write(&value, &place) {
                self.danger(&format!("{} {}", program.name, value.text), why);
            }
            self.record(target, writes);
        }
        // What is fetched into a file may be run from there.
        for name in files::fetched(program, arguments) {
            let path = crate::lexical::normal(&self.scope.likely.join(name));
            self.scope.files.insert(path, Stream::from_network());
        }
        if FETCHERS.contains(&program.name.as_str()) || program.is("tee") {
            for (value, _) in files::named(program, arguments)
                .into_iter()
                .filter(|(_, writes)| *writes)
            {
                let path = crate::lexical::normal(&self.scope.likely.join(&value.text));
                self.scope.files.insert(path, Stream::from_network());
            }
        }
    }

    /// Keeps which files a command may mean that nobody knows better.
    fn mention(&mut self, program: &Program, arguments: &[Value]) {
        if self.quiet > 0 {
            return;
        }
        let folder = self.scope.folder.as_ref().unwrap_or(&self.scope.likely);
        for word in files::mentioned(program, arguments) {
            let path = folder.join(&word.text);
            if self.found.mentions.len() < MAX_MENTIONS && !self.found.mentions.contains(&path) {
                self.found.mentions.push(path);
            }
        }
    }

    fn look_at_git(&mut self, words: &[Value]) {
        let seen = git::look(&words[1..]);
        let text = text_of(words);
        for script in &seen.scripts {
            self.quietly(script);
        }
        if self.quiet > 0 {
            return;
        }
        self.found.repository |= seen.writes;
        if let Some(shown) = seen.shown {
            let folder = self.scope.likely.clone();
            self.found.shown.push(Shown { folder, ..shown });
        }
        self.found.network |= seen.network;
        if let Some(why) = seen.discards {
            let why = why.to_owned();
            self.found.discards.push(Discard {
                text: text.clone(),
                why,
            });
        }
        if let Some(why) = seen.doubt {
            self.doubt(&text, why);
        }
        if self.scope.strayed {
            self.doubt(
                &text,
                "follows the configuration of another folder's repository",
            );
        }
    }

    fn run_wrapped(&mut self, runs: &Runs, input: &Stream) -> Option<Stream> {
        match runs {
            Runs::Words(words) => {
                let folder = self.scope.folder.clone();
                let printed = self.invoke(words.clone(), &[], input);
                // What a program runs does not change the shell's folder.
                if self.scope.folder != folder {
                    self.scope.folder = None;
                }
                Some(printed)
            }
            Runs::Guess(words) => {
                let scope = self.scope.clone();
                self.quiet += 1;
                self.invoke(words.clone(), &[], input);
                self.quiet -= 1;
                self.scope = scope;
                None
            }
            Runs::Elsewhere(words) => {
                if self.quiet == 0 {
                    self.found.parts.push(Part {
                        words: words.iter().map(word_of).collect(),
                        text: text_of(words),
                        assignments: Vec::new(),
                        via: self.via.clone(),
                        needs_rule: false,
                    });
                }
                None
            }
            Runs::Script { text, positional } => {
                let known = text.known && !text.stream.guessed;
                if text.stream.network {
                    self.danger(&text.text, danger::NETWORK_INTO_SHELL);
                } else if text.stream.decoded {
                    self.danger(&text.text, danger::DECODED_INTO_SHELL);
                }
                if !known {
                    self.doubt(&text.text, "is a script that is not known before it runs");
                    self.unprove("It runs a script that is not known.");
                }
                let scope = self.scope.clone();
                self.scope.name = positional.first().cloned();
                self.scope.positional = Some(positional.iter().skip(1).cloned().collect());
                let outside = std::mem::replace(&mut self.input, input.clone());
                self.quiet += usize::from(!known);
                let printed = self.script(&text.text);
                self.quiet -= usize::from(!known);
                self.input = outside;
                self.scope = scope;
                Some(printed)
            }
            Runs::File(value) => {
                self.run_file(value);
                None
            }
            Runs::Code(value) => {
                if value.stream.network {
                    self.danger(&value.text, danger::NETWORK_INTO_SHELL);
                }
                let seen = code::look(&value.text, &self.place());
                for why in seen.dangers {
                    self.danger(&value.text, why);
                }
                for script in seen.scripts {
                    self.quietly(&script);
                }
                None
            }
        }
    }

    /// What `eval`, `trap` and the like run in this shell.
    pub(super) fn run_here(&mut self, name: &str, text: &Value) {
        self.via.push(name.to_owned());
        if text.stream.network {
            self.danger(&text.text, danger::NETWORK_INTO_SHELL);
        } else if text.stream.decoded {
            self.danger(&text.text, danger::DECODED_INTO_SHELL);
        }
        if !text.known {
            self.doubt(&text.text, "is a script that is not known before it runs");
        }
        if text.known || self.quiet > 0 {
            self.script(&text.text);
        }
        self.via.pop();
    }

    /// A variable gets something that nobody knows.
    pub(super) fn overwrite(&mut self, name: &Value, origin: &Stream) {
        if !name.known {
            self.doubt(&name.text, "names a variable that is not known");
        }
        self.influence(&name.text);
        let value = match &origin.text {
            Some(text) => Variable::Known(text.trim_end_matches('\n').to_owned()),
            None => Variable::Assigned,
        };
        self.scope.assign(&name.text, value, origin.clone());
    }
}

pub(super) fn word_of(value: &Value) -> Word {
    Word {
        text: value.text.clone(),
        known: value.known,
    }
}

fn text_of(words: &[Value]) -> String {
    let words: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    words.join(" ")
}
