//! What a command gets as its line from what is typed piece by piece, as far as that can be told from what is typed. Types
//! nothing, and knows nothing of rules.

use crate::command::{MAX_BYTES, goes_on};
use crate::process::Line;
use crate::truncate::ceil_boundary;

/// As much is kept of a line that is too long to be followed, in bytes.
const KEPT: usize = 1024;

const EDITED: &str = "may be another line: keys that edit it or choose another one were pressed";
const COMPLETED: &str = "may be another line: the program may complete it";
const RECALLED: &str = "may be another line: the program may take it from its history";
const INTERRUPTED: &str = "may be another line: what was typed before may have been thrown away";
const TOO_LONG: &str = "is too long to be followed";

/// What comes of typing something.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Followed {
    /// All that stands on the line, or the lines, then.
    pub line: String,
    /// Why the program may get others, as the end of a sentence that begins with the line.
    pub unknown: Option<&'static str>,
    /// What is typed on later.
    pub after: Line,
    /// Whether the program can do something at it.
    pub acts: bool,
}

/// Follows what is typed. At a terminal characters are keys.
pub(super) fn follow(before: &Line, typed: &str, terminal: bool) -> Followed {
    let mut line = before.text.clone();
    // Of all of it, and of what comes after the last line end.
    let (mut unknown, mut newest) = (before.unknown, before.unknown);
    let mut acts = false;
    let mut letters = typed.chars().peekable();
    while let Some(letter) = letters.next() {
        let why = match letter {
            '\n' => None,
            '\r' if terminal => None,
            '\t' if terminal => Some(COMPLETED),
            // They end a program or a line. Nobody knows whether it is so: a program may not listen.
            '\x03' | '\x04' if terminal => {
                if !line.is_empty() && !line.ends_with('\n') {
                    newest.get_or_insert(INTERRUPTED);
                    unknown.get_or_insert(INTERRUPTED);
                    // The end of the input is the end of a line.
                    acts |= letter == '\x04';
                }
                continue;
            }
            letter if terminal && letter.is_control() => Some(EDITED),
            letter => {
                line.push(letter);
                acts = true;
                continue;
            }
        };
        acts = true;
        match why {
            None => {
                line.push('\n');
                newest = None;
            }
            Some(why) => {
                newest.get_or_insert(why);
                unknown.get_or_insert(why);
            }
        }
        // What is likely, for danger is searched for in it.
        match letter {
            '\x7f' | '\x08' if !line.ends_with('\n') => {
                line.pop();
            }
            '\x1b' => {
                let in_sequence = letters.next_if(|next| matches!(next, '[' | 'O')).is_some();
                while in_sequence
                    && letters
                        .next_if(|next| matches!(next, '0'..='9' | ';'))
                        .is_some()
                {}
                if in_sequence {
                    letters.next();
                }
            }
            _ => {}
        }
    }
    if terminal && recalls(&line) {
        unknown.get_or_insert(RECALLED);
    }
    let end = line.rfind('\n').map_or(0, |end| end + 1);
    let mut after = if end > 0 && goes_on(&line[..end]) {
        let text = line.clone();
        Line { text, unknown }
    } else {
        let text = line[end..].to_owned();
        Line {
            text,
            unknown: newest,
        }
    };
    if after.text.len() > MAX_BYTES {
        let start = ceil_boundary(&after.text, after.text.len() - KEPT);
        after = Line {
            text: after.text[start..].to_owned(),
            unknown: Some(TOO_LONG),
        };
    }
    Followed {
        line,
        unknown,
        after,
        acts,
    }
}

/// Whether a shell would put something from its history in place of a part of it: `!touch`, `^old^new`.
fn recalls(text: &str) -> bool {
    let mut marks = text.match_indices('!');
    let is_mark = |(at, _): (usize, &str)| {
        let next = text[at + 1..].chars().next();
        next.is_some_and(|next| !" \t\n=(".contains(next))
    };
    marks.any(is_mark) || text.lines().any(|line| line.starts_with('^'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line, and what is left of it, after pieces are typed one after the other. A `?` before what is not known.
    fn typed(pieces: &[&str], terminal: bool) -> (String, String) {
        let mut line = Line::default();
        let mut whole = String::new();
        for piece in pieces {
            let followed = follow(&line, piece, terminal);
            let mark = if followed.unknown.is_some() { "?" } else { "" };
            whole = format!("{mark}{}", followed.line);
            line = followed.after;
        }
        let mark = if line.unknown.is_some() { "?" } else { "" };
        (whole, format!("{mark}{}", line.text))
    }

    #[test]
    fn pieces_of_a_line_are_one_line() {
        let escape = "\x1b[A";
        for (pieces, terminal, whole, left) in [
            (&["tou", "ch a\n"][..], false, "touch a\n", ""),
            (&["tou", "ch a"], false, "touch a", "touch a"),
            (&["touch a\nl", "s\n"], false, "ls\n", ""),
            (&["tou\\\n", "ch a\n"], false, "tou\\\nch a\n", ""),
            (
                &["eval $(echo 'git\n", "push')\n"],
                false,
                "eval $(echo 'git\npush')\n",
                "",
            ),
            (
                &["xargs git <<X\n", "push\n", "X\n"],
                false,
                "xargs git <<X\npush\nX\n",
                "",
            ),
            (&["echo a \\\\\n", "b\n"], false, "b\n", ""),
            (&["if true; then\n", "ls\n"], false, "ls\n", ""),
            // At a pipe a character is a character.
            (&["a\tb\r", "c\n"], false, "a\tb\rc\n", ""),
            (&["!x\n"], false, "!x\n", ""),
            // At a terminal it is a key.
            (&["y\r"], true, "y\n", ""),
            (&["y", "\r"], true, "y\n", ""),
            (&[escape, "\r"], true, "?\n", ""),
            (&[escape, "\r", "ls\r"], true, "ls\n", ""),
            (&["touc\t a\n"], true, "?touc a\n", ""),
            (&["ls /x\x7f\n"], true, "?ls /\n", ""),
            (&["\x12tou\r"], true, "?tou\n", ""),
            (&["tou", "\x03", "ch a\n"], true, "?touch a\n", ""),
            (&["\x03", "ls\n"], true, "ls\n", ""),
            (&["!tou\n"], true, "?!tou\n", ""),
            (&["ls\n^l^p\n"], true, "?ls\n^l^p\n", ""),
            (
                &["[ ! -e a ] && [ a != b ]\n"],
                true,
                "[ ! -e a ] && [ a != b ]\n",
                "",
            ),
        ] {
            let expected = (whole.to_owned(), left.to_owned());
            assert_eq!(typed(pieces, terminal), expected, "{pieces:?}");
        }
    }

    #[test]
    fn keys_that_end_something_do_nothing_else() {
        for key in ["\x03", "\x04"] {
            assert!(!follow(&Line::default(), key, true).acts);
        }
        for key in ["\r", "\t", "\x1b[A", "\x10", "y", "\x7f"] {
            assert!(follow(&Line::default(), key, true).acts, "{key:?}");
        }
    }

    #[test]
    fn a_line_without_end_is_not_kept_without_end() {
        let followed = follow(&Line::default(), &"x".repeat(MAX_BYTES + 1), false);
        assert_eq!(followed.after.text.len(), KEPT);
        assert_eq!(followed.after.unknown, Some(TOO_LONG));
    }
}
