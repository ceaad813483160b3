//! Patterns of commands: `cargo test:*` and `cargo test *` are `cargo test` with any arguments, a `*` elsewhere is any
//! text, `\*` is a star, and anything else is that very command. Knows no shell: it is given what a shell would run.

use crate::command::{Analysis, Part};

use super::Fault;

/// How far a command is what a pattern says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::permission) enum Fit {
    /// It is not.
    No,
    /// It is, if what is not known of it comes out so.
    Perhaps,
    /// It is.
    Yes,
}

/// A pattern of commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::permission) struct CommandPattern {
    /// The text between the stars.
    pieces: Vec<String>,
    /// Whether arguments may follow.
    open: bool,
}

/// White space inside a word, which separates no words.
const INSIDE: char = '\u{1}';

impl CommandPattern {
    pub(super) fn read(text: &str) -> Result<CommandPattern, Fault> {
        if let Some(place) = text
            .find(":*")
            .filter(|place| place + 2 < text.trim_end().len())
        {
            return Err(Fault::at(
                text[..place].chars().count() + 1,
                "`:*` is expected at the end only; ` *` or `*` may stand elsewhere",
            ));
        }
        if let Some(place) = text.chars().position(char::is_control) {
            return Err(Fault::at(
                place + 1,
                "one line without control characters is expected",
            ));
        }
        let text = words_of(text);
        let (body, open) = match text.strip_suffix(":*").or_else(|| text.strip_suffix(" *")) {
            Some(body) => (body.trim_end(), true),
            None => (text.as_str(), false),
        };
        if body.is_empty() {
            return Err(Fault::at(1, "a command is expected before `:*`"));
        }
        Ok(CommandPattern {
            pieces: split_at_stars(body),
            open,
        })
    }

    /// Whether the pattern allows this simple command: surely, whatever its unknown words are.
    pub(in crate::permission) fn allows(&self, part: &Part) -> bool {
        let known = part.words.iter().take_while(|word| word.known).count();
        let front = joined(part, known);
        if known == part.words.len() {
            return self.matches(&front);
        }
        self.open && self.matches(&front)
    }

    /// Whether the pattern is this line, letter by letter.
    pub(in crate::permission) fn is_line(&self, line: &str) -> bool {
        matches!(self.pieces.as_slice(), [only] if !self.open && only == line.trim())
    }

    /// Whether this simple command is, or may be, one that the pattern forbids.
    pub(in crate::permission) fn forbids(&self, part: &Part) -> Fit {
        let known = part.words.iter().take_while(|word| word.known).count();
        let words: Vec<&str> = part.words.iter().map(|word| word.text.as_str()).collect();
        let named = by_name(&words);
        let forms = [part.text.clone(), words.join(" "), named.join(" ")];
        if forms.iter().any(|form| self.matches(&words_of(form)))
            || self.matches_past_options(&named)
        {
            return Fit::Yes;
        }
        let is_code = named.first().is_some_and(|program| is_interpreter(program));
        let in_code = is_code && words[1..].iter().any(|word| self.is_in(&words_of(word)));
        if in_code || known < words.len() && self.may_begin_with(&named[..known]) {
            Fit::Perhaps
        } else {
            Fit::No
        }
    }

    /// Whether a command that begins with these words can go on so that it is what the pattern says.
    fn may_begin_with(&self, words: &[&str]) -> bool {
        let plain: Vec<&str> = words
            .iter()
            .copied()
            .filter(|word| !word.starts_with('-'))
            .collect();
        let front = words_of(&plain.join(" "));
        let lead = self.pieces[0].as_str();
        if self.pieces.len() > 1 {
            return front.starts_with(lead.trim_end()) || lead.starts_with(front.as_str());
        }
        let rest = lead.strip_prefix(front.as_str());
        front.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    }

    /// Whether the whole line is what the pattern forbids, or, where it is not understood, any piece of it.
    pub(in crate::permission) fn forbids_text(&self, line: &str, analysis: &Analysis) -> bool {
        let whole = words_of(line);
        if self.matches(&whole) {
            return true;
        }
        !analysis.doubts.is_empty() && self.is_in(&whole)
    }

    /// Whether the beginning of what the pattern says stands anywhere in a text, as words of their own.
    fn is_in(&self, text: &str) -> bool {
        let plain: String = text
            .chars()
            .filter(|letter| !"'\"\\".contains(*letter))
            .collect();
        let lead = self.pieces[0].trim_end();
        let in_word = |letter: char| letter.is_alphanumeric() || "_-".contains(letter);
        let mut found = plain.match_indices(lead);
        !lead.is_empty()
            && found.any(|(at, _)| {
                let before = plain[..at].chars().next_back().is_some_and(in_word);
                let after = plain[at + lead.len()..].chars().next().is_some_and(in_word);
                !before && (!after || self.pieces.len() > 1)
            })
    }

    /// Options between the words of the pattern count for nothing: `git -C . push` is a `git push`.
    fn matches_past_options(&self, words: &[&str]) -> bool {
        let [only] = self.pieces.as_slice() else {
            return false;
        };
        let mut wanted = only.split(' ').peekable();
        let mut words = words.iter().peekable();
        let mut is_first = true;
        while let Some(want) = wanted.peek() {
            match words.next() {
                None => return false,
                Some(word) if word == want => {
                    wanted.next();
                    is_first = false;
                }
                Some(option) if option.starts_with('-') && !is_first => {
                    // Its argument, if it is none of the words that are wanted.
                    let takes =
                        !option.contains('=') && words.peek().is_some_and(|next| *next != want);
                    if takes && words.peek().is_some_and(|next| !next.starts_with('-')) {
                        words.next();
                    }
                }
                Some(_) => return false,
            }
        }
        self.open || words.next().is_none()
    }

    fn matches(&self, text: &str) -> bool {
        if !self.open {
            return matches_pieces(&self.pieces, text);
        }
        // A blank behind both is the end of the last word, wherever arguments follow or not.
        let mut pieces = self.pieces.clone();
        if let Some(last) = pieces.last_mut() {
            last.push(' ');
        }
        pieces.push(String::new());
        matches_pieces(&pieces, &format!("{text} "))
    }
}

/// Whether the text is these pieces with any text between them.
pub(super) fn matches_pieces(pieces: &[String], text: &str) -> bool {
    let (Some((first, rest)), Some(last)) = (pieces.split_first(), pieces.last()) else {
        return text.is_empty();
    };
    if rest.is_empty() {
        return text == first;
    }
    let Some(mut text) = text.strip_prefix(first.as_str()) else {
        return false;
    };
    for piece in &rest[..rest.len() - 1] {
        match text.find(piece.as_str()) {
            Some(at) => text = &text[at + piece.len()..],
            None => return false,
        }
    }
    text.ends_with(last.as_str())
}

/// The pieces between stars that are not escaped.
fn split_at_stars(text: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_escaped = letter == '\\' && letters.peek() == Some(&'*');
        match letter {
            '\\' if is_escaped => {
                letters.next();
                // There is one at least, from the beginning.
                if let Some(piece) = pieces.last_mut() {
                    piece.push('*');
                }
            }
            '*' => pieces.push(String::new()),
            letter => {
                if let Some(piece) = pieces.last_mut() {
                    piece.push(letter);
                }
            }
        }
    }
    pieces
}

/// Words with one blank between them.
fn words_of(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first words of a command, in a form in which a word with blanks is no two words.
fn joined(part: &Part, count: usize) -> String {
    let words = part.words[..count].iter();
    let words: Vec<String> = words
        .map(|word| word.text.replace(char::is_whitespace, &INSIDE.to_string()))
        .collect();
    words.join(" ")
}

/// Whether the arguments of a program may be code that runs commands.
fn is_interpreter(program: &str) -> bool {
    const NAMES: &[&str] = &[
        "python",
        "pypy",
        "perl",
        "ruby",
        "node",
        "nodejs",
        "deno",
        "bun",
        "php",
        "lua",
        "luajit",
        "rscript",
        "osascript",
        "tclsh",
        "expect",
        "julia",
        "guile",
        "emacs",
        "irb",
        "pwsh",
    ];
    let name = program.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    NAMES.contains(&name.to_lowercase().as_str())
}

/// The words with the program by its name: `/bin/rm` is `rm`.
fn by_name<'a>(words: &[&'a str]) -> Vec<&'a str> {
    let mut words = words.to_vec();
    if let Some(first) = words.first_mut() {
        *first = first.rsplit(['/', '\\']).next().unwrap_or(first);
    }
    words
}
