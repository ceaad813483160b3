//! What must not run in any mode: the table of commands that destroy the machine or the user's files, or hand it to the
//! network. Each finding is a sentence. Looks at words that are resolved, or guessed.

use std::ops::Range;
use std::path::PathBuf;

use super::lex::Operator;
use super::program::Program;
use super::stream::Stream;
use super::syntax::{Script, Step};
use super::word::Value;

mod paths;
mod raw;
mod remove;
mod system;

pub(super) use paths::{Ruin, ruin, write};
pub(super) use raw::search;

pub(super) const NETWORK_INTO_SHELL: &str = "It would run what the network gives.";
pub(super) const DECODED_INTO_SHELL: &str =
    "It would run what nobody can read before it is decoded.";
pub(super) const FORK_BOMB: &str =
    "It starts copies of itself without end, until the machine stands still.";

/// Where a command runs.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub home: Option<PathBuf>,
    /// Where the whole command line starts.
    pub workdir: PathBuf,
    /// Where this command most likely runs.
    pub folder: PathBuf,
}

/// What is dangerous about one command.
pub(super) fn command(
    program: &Program,
    words: &[Value],
    input: &Stream,
    place: &Place,
) -> Vec<String> {
    let arguments = words.get(1..).unwrap_or_default();
    let mut found = Vec::new();
    if let Some(name) = words.first()
        && !name.known
        && name.stream.network
    {
        found.push(NETWORK_INTO_SHELL.to_owned());
    }
    found.extend(remove::look(program, arguments, place));
    found.extend(system::look(program, arguments, place));
    if program.is("xargs") && input.network && arguments.iter().any(|word| is_shell(&word.text)) {
        found.push(NETWORK_INTO_SHELL.to_owned());
    }
    let shell = arguments.iter().any(|word| is_shell(&word.text));
    let runs_it = |word: &Value| {
        word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains(['e', 'c'])
            || word.text == "--exec"
            || word.text == "--sh-exec"
            || word.text.to_lowercase().starts_with("exec:")
            || word.text.to_lowercase().starts_with("system:")
    };
    let listens = program.is_one_of(&["nc", "ncat", "netcat", "socat"]);
    if listens
        && (shell && arguments.iter().any(runs_it)
            || arguments
                .iter()
                .any(|word| word.text.to_lowercase().starts_with("exec:")))
    {
        found.push("It would give the network a shell on this machine.".to_owned());
    }
    found
}

fn is_shell(text: &str) -> bool {
    let base = text.rsplit('/').next().unwrap_or(text);
    ["sh", "bash", "dash", "zsh", "ksh", "ash"].contains(&base)
}

/// Whether the body of a function starts the function itself, and goes on at the same time.
pub(super) fn is_fork_bomb(script: &Script, name: &str, body: Range<usize>) -> bool {
    let mut calls = 0;
    let mut at_once = false;
    for step in script.steps.get(body).unwrap_or_default() {
        match step {
            Step::Command(simple) => {
                let first = simple.words.first().map(|word| &script.text[word.clone()]);
                calls += usize::from(first == Some(name));
            }
            Step::Operator(Operator::Pipe | Operator::Background) => at_once = true,
            _ => {}
        }
    }
    calls > 0 && at_once
}
