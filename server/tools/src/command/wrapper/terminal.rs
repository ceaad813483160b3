//! Programs that keep terminals in which commands go on, and what they run there. Knows no danger.

use super::{Wrapped, joined};
use crate::command::program::Program;
use crate::command::word::Value;

/// Commands of tmux that run a script of the shell, or type it into one.
const RUN: &[&str] = &[
    "new",
    "new-session",
    "neww",
    "new-window",
    "splitw",
    "split-window",
    "respawnp",
    "respawn-pane",
    "respawnw",
    "respawn-window",
    "run",
    "run-shell",
    "send",
    "send-keys",
    "display-popup",
    "popup",
];

pub(super) fn unwrap(program: &Program, arguments: &[Value]) -> Option<Wrapped> {
    let wrapped = match program.name.as_str() {
        "tmux" => {
            let at = arguments
                .iter()
                .position(|word| RUN.contains(&word.text.as_str()))?;
            let valued = ["-s", "-t", "-n", "-c", "-x", "-y", "-F", "-e", "-l", "-d"];
            let flags = if arguments[at].text.starts_with("run") {
                10
            } else {
                9
            };
            Wrapped::script(joined(behind(&arguments[at + 1..], &valued[..flags])?))
        }
        "screen" => Wrapped::words(behind(
            arguments,
            &["-S", "-dmS", "-c", "-e", "-h", "-p", "-s", "-t", "-T"],
        )?),
        _ => return None,
    };
    Some(Wrapped {
        covers: true,
        ..wrapped
    })
}

/// The words behind the options, of which these have a value.
fn behind<'a>(arguments: &'a [Value], valued: &[&str]) -> Option<&'a [Value]> {
    let mut at = 0;
    while let Some(word) = arguments.get(at).filter(|word| word.text.starts_with('-')) {
        at += match valued.contains(&word.text.as_str()) {
            true => 2,
            false => 1,
        };
    }
    arguments.get(at..).filter(|rest| !rest.is_empty())
}
