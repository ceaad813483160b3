//! What a command line would run, told from its text alone: a strict proof that it is safe, and a permissive search for
//! danger. Runs nothing, reads no file.
//!
//! Two readings of the line must agree: our own, which never gives up and is what everything here is told from, and that
//! of tree-sitter's grammar. Where they differ, or either fails, there is a [`Doubt`]: then no proof counts and no rule
//! may allow, but danger is searched for all the same.

use std::path::PathBuf;

mod code;
mod danger;
mod files;
mod git;
mod grammar;
mod lex;
mod program;
mod rule;
mod safe;
mod scope;
mod stream;
mod syntax;
#[cfg(test)]
mod tests;
mod variables;
mod walk;
mod word;
mod wrapper;

pub use git::Shown;
pub use rule::{rule_for, rules_for};

use crate::unseen::is_invisible;
use walk::Walker;

/// Longer command lines are not understood; they are still searched for danger.
pub const MAX_BYTES: usize = 64 * 1024;

/// Where a command line starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surroundings {
    /// The real path of the folder that it runs in.
    pub workdir: PathBuf,
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// Whether the folder is a root of the workspace. Any other may be, or be in, a repository of its own, and what git
    /// runs then is up to that one's configuration.
    pub is_root: bool,
}

/// What is known of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// Every simple command that would run, wherever it stands: in lists, pipes, groups, conditions, loops,
    /// substitutions, bodies of functions; and what wrappers would run, right after the wrapper.
    pub parts: Vec<Part>,
    /// What redirections and known arguments write.
    pub writes: Vec<Target>,
    /// Those of them that redirections write: no rule for the command says anything about them.
    pub redirected: Vec<Target>,
    /// What redirections and known arguments read.
    pub reads: Vec<Target>,
    /// Words that may be files, absolute, links not resolved, the last name perhaps a pattern: those of programs that are
    /// not known better.
    pub mentions: Vec<PathBuf>,
    /// What is not understood. Any doubt means that no allow rule and no proof counts.
    pub doubts: Vec<Doubt>,
    /// What must not run in any mode.
    pub dangers: Vec<Danger>,
    /// Whether it is proven to do nothing but read.
    pub safety: Safety,
    /// Whether it may write git's index, references or working tree by git.
    pub repository: bool,
    /// Git commands that lose something or publish it: they are asked for whatever rule allows them.
    pub discards: Vec<Discard>,
    /// What git commands may show of the contents of files that nobody named.
    pub shown: Vec<Shown>,
    /// Whether a known command of it talks to the network.
    pub network: bool,
}

/// One simple command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The name and the arguments.
    pub words: Vec<Word>,
    /// What a rule sees: the words with one space between, quotes resolved, without assignments in front.
    pub text: String,
    /// Assignments in front of it. Those that may change what runs are a [`Doubt`] too.
    pub assignments: Vec<Assignment>,
    /// The wrappers that it was found through, outermost first.
    pub via: Vec<String>,
    /// False: it needs no allow rule. It is proven to only read, and not whole folders, or is a wrapper that adds nothing to what it runs. Rules
    /// that ask or deny see it all the same.
    pub needs_rule: bool,
}

/// One word of a simple command, after quotes and what is known of expansions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The text; where it is not known, as it is written.
    pub text: String,
    /// Whether the program gets exactly this text. Else it may be any text, any number of words.
    pub known: bool,
}

/// `NAME=value` in front of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The variable.
    pub name: String,
    /// What it gets.
    pub value: Word,
}

/// A file or folder that a command names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Absolute, `..` and links not resolved; absent: not known.
    pub path: Option<PathBuf>,
    /// As it is written.
    pub text: String,
}

/// Something that is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// The text.
    pub text: String,
    /// Why, as the end of a sentence that begins with the text.
    pub why: String,
}

/// Something that must not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Danger {
    /// The command.
    pub text: String,
    /// What it would do: a whole sentence.
    pub why: String,
}

/// A git command that loses something or publishes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discard {
    /// The command.
    pub text: String,
    /// What it would do: a whole sentence.
    pub why: String,
}

/// Whether a command line is proven to do nothing but read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Safety {
    /// It is, and names these files and folders; absolute, links not resolved.
    Proven {
        /// What it names.
        reads: Vec<PathBuf>,
        /// Whether it reads the text of all that is in these folders, so of files too that it does not name.
        searches: bool,
    },
    /// It is not.
    Unproven {
        /// Why: a whole sentence.
        why: String,
    },
}

/// Tells what a command line would run. Takes bounded time, whatever the line is.
pub fn analyse(line: &str, surroundings: &Surroundings) -> Analysis {
    let mut walker = Walker::new(surroundings);
    let place = walker.place();
    if line.len() > MAX_BYTES {
        walker.give_up("is too long to be understood");
    } else {
        for (strange, why) in strange_characters(line) {
            walker.misread(&strange, why);
        }
        walker.script(line);
    }
    let mut found = walker.found;
    if found.unread {
        for why in danger::search(line, &place) {
            let known = found.dangers.iter().any(|danger| danger.why == why);
            if !known {
                let text = line.chars().take(MAX_SHOWN).collect();
                found.dangers.push(Danger { text, why });
            }
        }
    }
    let unproven = match (found.doubts.first(), found.unproven) {
        (Some(doubt), _) => Some(format!("`{}` {}.", doubt.text, doubt.why)),
        (None, Some(why)) => Some(why),
        (None, None) if found.parts.is_empty() => Some("It runs nothing.".to_owned()),
        (None, None) => None,
    };
    Analysis {
        parts: found.parts,
        writes: found.writes,
        redirected: found.redirected,
        reads: found.reads,
        mentions: found.mentions,
        doubts: found.doubts,
        dangers: found.dangers,
        safety: match unproven {
            Some(why) => Safety::Unproven { why },
            None => Safety::Proven {
                reads: found.proven,
                searches: found.searches,
            },
        },
        repository: found.repository,
        discards: found.discards,
        shown: found.shown,
        network: found.network,
    }
}

impl Analysis {
    /// Takes into account that the line may be another: any command may run.
    pub fn may_be_another(&mut self, line: &str, why: &str) {
        let text: String = line.trim().chars().take(MAX_SHOWN).collect();
        self.parts.push(Part {
            words: vec![Word {
                text: text.clone(),
                known: false,
            }],
            text: text.clone(),
            assignments: Vec::new(),
            via: Vec::new(),
            needs_rule: true,
        });
        self.safety = Safety::Unproven {
            why: format!("`{text}` {why}."),
        };
        let why = why.to_owned();
        self.doubts.push(Doubt { text, why });
    }
}

/// Whether a shell that has been given these lines reads the next one as the rest of a word: a line end is escaped, or a
/// quote, a parenthesis or a here-document not closed.
pub fn goes_on(lines: &str) -> bool {
    let text = lines.strip_suffix('\n').unwrap_or(lines);
    let backslashes = text.len() - text.trim_end_matches('\\').len();
    let script = syntax::Script::read(lines);
    // What is not closed reaches to the end. Of groups and loops, whose words are whole in each line, only the end is told.
    let mut faults = script.faults.iter();
    let is_open = |fault: &lex::Fault| {
        let reaches = !fault.at.is_empty() && fault.at.end == lines.len();
        reaches || fault.why == lex::OPEN_DOCUMENT
    };
    backslashes % 2 == 1 || faults.any(is_open)
}

/// So many characters of a line are shown in a message.
const MAX_SHOWN: usize = 200;

/// Characters that a reader does not see, or takes for others.
fn strange_characters(line: &str) -> Vec<(String, &'static str)> {
    let mut found = Vec::new();
    for character in line.chars() {
        let why = match character {
            '\0' => "is a character that ends the line for some programs, and for others not",
            '\r' => "is a character that hides what stands before it",
            '\n' | '\t' => continue,
            _ if character.is_control() => "is a character that a terminal acts upon",
            // It makes a picture of the sign before it, and stands in many a message.
            '\u{fe0f}' => continue,
            _ if is_invisible(character) => "is a character that cannot be seen",
            _ if character.is_whitespace() && character != ' ' => "looks like a space and is none",
            _ => continue,
        };
        let shown = character.escape_unicode().to_string();
        if !found.iter().any(|(known, _)| *known == shown) {
            found.push((shown, why));
        }
    }
    found
}

/// The name and the value of a word that is an assignment: `NAME=value`, `NAME+=value`, `NAME[index]=value`.
fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    let plain = name.split('[').next().unwrap_or(name);
    let is_name = !plain.is_empty()
        && !plain.starts_with(|c: char| c.is_ascii_digit())
        && plain.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let whole = plain.len() == name.len() || name.ends_with(']');
    (is_name && whole).then_some((name, value))
}
