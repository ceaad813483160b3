//! The search for danger in a text that could not be read as the shell would: wherever a dangerous command might begin.
//! Finds too much rather than too little.

use super::{FORK_BOMB, NETWORK_INTO_SHELL, Place, command, write};
use crate::command::files;
use crate::command::program::Program;
use crate::command::stream::{FETCHERS, Stream};
use crate::command::word::{Glob, Value};

/// So much of a text is searched: it takes far less than what is understood.
const MAX_BYTES: usize = 16 * crate::command::MAX_BYTES;

/// So many words behind a name are taken for its arguments.
const MAX_WORDS: usize = 64;

/// Everything dangerous that a text might mean.
pub(in crate::command) fn search(text: &str, place: &Place) -> Vec<String> {
    let mut end = text.len().min(MAX_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let plain = simplify(&text[..end], place);
    let mut found = Vec::new();
    let mut fetched = false;
    for piece in plain.split(['\n', ';', '&', '(', ')', '{', '}', '`', '|']) {
        let words: Vec<Value> = piece.split_whitespace().map(value).collect();
        for at in 0..words.len() {
            let behind = &words[at..words.len().min(at + MAX_WORDS)];
            let program = Program::of(&words[at], true);
            found.extend(command(&program, behind, &Stream::default(), place));
            if fetched && at < 2 && is_shell(&program) {
                found.push(NETWORK_INTO_SHELL.to_owned());
            }
            fetched |= FETCHERS.contains(&program.name.as_str()) && program.name != "openssl";
            if program.is_one_of(&["dd", "tee", "cp", "shred"]) {
                let named = files::named(&program, &behind[1..]);
                found.extend(
                    named
                        .iter()
                        .filter(|(_, writes)| *writes)
                        .filter_map(|(value, _)| write(value, place)),
                );
            }
        }
    }
    for target in plain.split('>').skip(1) {
        let target = target.trim_start_matches(['|', '&', ' ']);
        let target = target
            .split(|c: char| c.is_whitespace() || ";|&)".contains(c))
            .next()
            .unwrap_or_default();
        if target.starts_with("/dev/") || target.starts_with("/proc/") {
            found.extend(write(&Value::literal(target), place));
        }
    }
    if is_fork_bomb(&plain) {
        found.push(FORK_BOMB.to_owned());
    }
    found.sort();
    found.dedup();
    found
}

fn is_shell(program: &Program) -> bool {
    [
        "sh", "bash", "dash", "zsh", "ksh", "python", "perl", "ruby", "node", "sudo",
    ]
    .contains(&program.family())
}

/// Without quotes, backslashes and lines that are joined; with what is known of variables.
fn simplify(text: &str, place: &Place) -> String {
    let home = place
        .home
        .as_ref()
        .and_then(|home| home.to_str())
        .unwrap_or("~");
    let text = text
        .replace("\\\n", "")
        .replace("${IFS}", " ")
        .replace("$IFS", " ");
    let text = text
        .replace("${HOME}", home)
        .replace("$HOME", home)
        .replace("$'", "'");
    let text = text.replace("$@", "").replace("$*", "");
    let plain: String = crate::command::word::unescape(&text)
        .chars()
        .filter(|c| !matches!(c, '\'' | '"' | '\\') && !crate::unseen::is_invisible(*c))
        .map(|c| if c == '\r' || c == '\0' { '\n' } else { c })
        .collect();
    let words =
        plain
            .split_inclusive(char::is_whitespace)
            .map(|word| match word.strip_prefix('~') {
                Some(rest) if rest.starts_with('/') || rest.trim().is_empty() => {
                    format!("{home}{rest}")
                }
                _ => word.to_owned(),
            });
    words.collect()
}

fn value(text: &str) -> Value {
    let glob = if text.contains(['*', '?', '[']) {
        Glob::Leading
    } else {
        Glob::None
    };
    Value {
        glob,
        ..Value::literal(text)
    }
}

/// `name(){name|name&}` with any name.
fn is_fork_bomb(text: &str) -> bool {
    let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    plain.match_indices("(){").any(|(at, sign)| {
        let before = &plain[..at];
        let start = before.rfind([';', '&', '|', '}']).map_or(0, |at| at + 1);
        let name = before[start..].trim_start_matches("function");
        let rest = &plain[at + sign.len()..];
        let body = &rest[..rest.find('}').unwrap_or(rest.len())];
        !name.is_empty() && body.contains(name) && body.contains(['|', '&'])
    })
}
