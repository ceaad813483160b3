//! Reads the format. The grammar stands in the module above.

use super::{Hunk, HunkLine, Operation, Patch, Section};
use alloc::string::String;
use alloc::vec::Vec;

pub(super) const BEGIN: &str = "*** Begin Patch";
pub(super) const END: &str = "*** End Patch";
pub(super) const ADD: &str = "*** Add File:";
pub(super) const DELETE: &str = "*** Delete File:";
pub(super) const UPDATE: &str = "*** Update File:";
pub(super) const MOVE: &str = "*** Move to:";
pub(super) const END_OF_FILE: &str = "*** End of File";

/// As many characters of a faulty line as a message shows.
const MAX_SHOWN: usize = 80;

/// Why a text is no patch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the patch: {fault}")]
pub struct ParseError {
    /// The 1-based line of the patch.
    pub line: usize,
    /// What is wrong there.
    pub fault: ParseFault,
}

/// What is wrong with a patch, and what was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseFault {
    /// There is nothing in it.
    #[error(
        "the patch is empty; expected `*** Add File: `, `*** Update File: ` or `*** Delete File: ` and a path"
    )]
    Empty,
    /// There is no end.
    #[error(
        "expected `*** End Patch` as the last line; without it the patch may have been cut off"
    )]
    MissingEnd,
    /// Something follows the end.
    #[error("expected nothing after `*** End Patch`, found `{found}`")]
    AfterEnd {
        /// The line.
        found: String,
    },
    /// No section starts here although one must.
    #[error(
        "expected `*** Add File: `, `*** Update File: ` or `*** Delete File: ` and a path, or `*** End Patch`, found `{found}`"
    )]
    NoSection {
        /// The line.
        found: String,
    },
    /// The path of a section or of a move is missing.
    #[error("expected a path after `{keyword}`")]
    NoPath {
        /// What stands before it.
        keyword: &'static str,
    },
    /// The file has a section already.
    #[error(
        "`{path}` has a section on line {first} already; expected all changes of a file in one section"
    )]
    Duplicate {
        /// The file.
        path: String,
        /// The 1-based line of its first section.
        first: usize,
    },
    /// A line of an added file without its mark.
    #[error("expected `+` before each line of an added file, found `{found}`")]
    NotAdded {
        /// The line.
        found: String,
    },
    /// A line of a hunk that has no meaning there.
    #[error(
        "expected a line of a hunk, which begins with a space, `-`, `+` or `@@`, or a section, found `{found}`"
    )]
    NoHunkLine {
        /// The line.
        found: String,
    },
    /// A move that does not follow the head of its section.
    #[error("expected `*** Move to:` directly after `*** Update File:`")]
    LateMove,
    /// An update that changes nothing.
    #[error(
        "expected lines that change in `{path}`: they begin with `-` or `+`, the lines around them with a space"
    )]
    NoHunks {
        /// The file.
        path: String,
    },
    /// A hunk in which no line goes or comes.
    #[error(
        "expected a line that begins with `-` or `+` in the hunk that starts here; it changes nothing"
    )]
    NothingChanges,
    /// A hunk header with line numbers, as unified diffs have them.
    #[error(
        "expected `@@` alone, or `@@ ` and a line of the file above the change; line numbers have no meaning here, found `{found}`"
    )]
    LineNumbers {
        /// The line.
        found: String,
    },
    /// A hunk goes on after it said that the file ends.
    #[error("expected `@@` or a section after `*** End of File`, found `{found}`")]
    AfterEndOfFile {
        /// The line.
        found: String,
    },
}

impl<'a> Patch<'a> {
    /// Reads a patch.
    ///
    /// # Errors
    /// [`ParseError`], for the first line that is not as the grammar says; a missing end comes first.
    pub fn parse(text: &'a str) -> Result<Self, ParseError> {
        let lines: Vec<&str> = text
            .split('\n')
            .map(|line| line.trim_end_matches('\r'))
            .collect();
        Parser { lines, next: 0 }.patch()
    }
}

/// Stands before a line of the patch.
struct Parser<'a> {
    lines: Vec<&'a str>,
    /// 0-based.
    next: usize,
}

impl<'a> Parser<'a> {
    fn patch(mut self) -> Result<Patch<'a>, ParseError> {
        self.skip_blank();
        if self.peek().is_none() {
            self.next = 0;
            return Err(self.fault(ParseFault::Empty));
        }
        let word = self.peek().and_then(heredoc_word);
        self.next += usize::from(word.is_some());
        self.skip_blank();
        if self.at(BEGIN) {
            self.next += 1;
        }
        let Some(end) = self.lines.iter().position(|line| line.trim_end() == END) else {
            self.next = self.lines.len() - 1;
            while self.next > 0 && self.lines[self.next].trim().is_empty() {
                self.next -= 1;
            }
            return Err(self.fault(ParseFault::MissingEnd));
        };
        self.check_after(end, word)?;
        self.lines.truncate(end);
        let mut sections: Vec<Section<'a>> = Vec::new();
        self.skip_blank();
        while self.next < end {
            let section = self.section()?;
            if let Some(first) = sections.iter().find(|first| first.path == section.path) {
                self.next = section.line - 1;
                return Err(self.fault(ParseFault::Duplicate {
                    path: section.path.into(),
                    first: first.line,
                }));
            }
            sections.push(section);
            self.skip_blank();
        }
        if sections.is_empty() {
            self.next = end;
            return Err(self.fault(ParseFault::Empty));
        }
        Ok(Patch { sections })
    }

    /// After the end only the word may stand that ends the heredoc.
    fn check_after(&self, end: usize, word: Option<&str>) -> Result<(), ParseError> {
        let mut after = (self.lines.iter().enumerate().skip(end + 1))
            .filter(|(_, line)| !line.trim().is_empty())
            .peekable();
        after.next_if(|(_, line)| word == Some(line.trim()));
        match after.next() {
            Some((index, line)) => Err(ParseError {
                line: index + 1,
                fault: ParseFault::AfterEnd { found: shown(line) },
            }),
            None => Ok(()),
        }
    }

    fn section(&mut self) -> Result<Section<'a>, ParseError> {
        let line = self.next + 1;
        let (path, operation) = if let Some(path) = self.keyword(ADD)? {
            (path, Operation::Add(self.added_lines()?))
        } else if let Some(path) = self.keyword(DELETE)? {
            (path, Operation::Delete)
        } else if let Some(path) = self.keyword(UPDATE)? {
            let move_to = self.keyword(MOVE)?;
            let hunks = self.hunks()?;
            if hunks.is_empty() && move_to.is_none() {
                return Err(ParseError {
                    line,
                    fault: ParseFault::NoHunks { path: path.into() },
                });
            }
            (path, Operation::Update { move_to, hunks })
        } else if self.starts_with(MOVE) {
            return Err(self.fault(ParseFault::LateMove));
        } else {
            let found = self.found();
            return Err(self.fault(ParseFault::NoSection { found }));
        };
        Ok(Section {
            line,
            path,
            operation,
        })
    }

    /// The path after a keyword, if the line begins with it.
    fn keyword(&mut self, keyword: &'static str) -> Result<Option<&'a str>, ParseError> {
        let Some(path) = self.peek().and_then(|line| line.strip_prefix(keyword)) else {
            return Ok(None);
        };
        let path = path.trim();
        if path.is_empty() {
            return Err(self.fault(ParseFault::NoPath { keyword }));
        }
        self.next += 1;
        Ok(Some(path))
    }

    fn added_lines(&mut self) -> Result<Vec<&'a str>, ParseError> {
        let mut added = Vec::new();
        while let Some(line) = self.peek() {
            if let Some(text) = line.strip_prefix('+') {
                added.push(text);
                self.next += 1;
            } else if self.section_follows() {
                break;
            } else {
                let found = self.found();
                return Err(self.fault(ParseFault::NotAdded { found }));
            }
        }
        Ok(added)
    }

    /// Whether nothing but blank lines stands before the next section or the end.
    fn section_follows(&self) -> bool {
        let next = (self.lines.iter().skip(self.next)).find(|line| !line.trim().is_empty());
        next.is_none_or(|line| is_section(line))
    }

    fn hunks(&mut self) -> Result<Vec<Hunk<'a>>, ParseError> {
        let mut hunks = Vec::new();
        self.skip_blank();
        while self.peek().is_some_and(|line| !is_section(line)) {
            hunks.push(self.hunk()?);
            self.skip_blank();
        }
        Ok(hunks)
    }

    fn hunk(&mut self) -> Result<Hunk<'a>, ParseError> {
        let start = self.next;
        let anchors = self.anchors()?;
        let mut lines = Vec::new();
        while let Some(line) = self.peek() {
            if is_section(line) || is_anchor(line) || self.at(END_OF_FILE) {
                break;
            }
            lines.push(self.hunk_line(line)?);
            self.next += 1;
        }
        drop_separators(&mut lines);
        let end_of_file = self.at(END_OF_FILE);
        if end_of_file {
            self.next += 1;
            self.skip_blank();
            if self
                .peek()
                .is_some_and(|line| !is_section(line) && !is_anchor(line))
            {
                let found = self.found();
                return Err(self.fault(ParseFault::AfterEndOfFile { found }));
            }
        }
        let changes =
            |line: &HunkLine<'_>| matches!(line, HunkLine::Removed(_) | HunkLine::Added(_));
        if !lines.iter().any(changes) {
            self.next = start;
            return Err(self.fault(ParseFault::NothingChanges));
        }
        Ok(Hunk {
            line: start + 1,
            anchors,
            lines,
            end_of_file,
        })
    }

    fn anchors(&mut self) -> Result<Vec<&'a str>, ParseError> {
        let mut anchors = Vec::new();
        while let Some(line) = self.peek().filter(|line| is_anchor(line)) {
            let anchor = line[2..].strip_prefix(' ').unwrap_or_default().trim_end();
            if is_line_numbers(anchor) {
                let found = self.found();
                return Err(self.fault(ParseFault::LineNumbers { found }));
            }
            if !anchor.is_empty() {
                anchors.push(anchor);
            }
            self.next += 1;
        }
        Ok(anchors)
    }

    fn hunk_line(&self, line: &'a str) -> Result<HunkLine<'a>, ParseError> {
        if line.starts_with("*** ") {
            let found = self.found();
            return Err(self.fault(if line.starts_with(MOVE) {
                ParseFault::LateMove
            } else {
                ParseFault::NoHunkLine { found }
            }));
        }
        Ok(match line.as_bytes().first() {
            Some(b' ') => HunkLine::Context(&line[1..]),
            Some(b'-') => HunkLine::Removed(&line[1..]),
            Some(b'+') => HunkLine::Added(&line[1..]),
            _ => HunkLine::Bare(line),
        })
    }

    fn peek(&self) -> Option<&'a str> {
        self.lines.get(self.next).copied()
    }

    fn at(&self, keyword: &str) -> bool {
        self.peek().is_some_and(|line| line.trim_end() == keyword)
    }

    fn starts_with(&self, keyword: &str) -> bool {
        self.peek().is_some_and(|line| line.starts_with(keyword))
    }

    fn skip_blank(&mut self) {
        while self.peek().is_some_and(|line| line.trim().is_empty()) {
            self.next += 1;
        }
    }

    fn found(&self) -> String {
        self.peek().map(shown).unwrap_or_default()
    }

    /// A fault of the line before which the parser stands.
    fn fault(&self, fault: ParseFault) -> ParseError {
        ParseError {
            line: self.next + 1,
            fault,
        }
    }
}

fn is_section(line: &str) -> bool {
    [ADD, DELETE, UPDATE]
        .iter()
        .any(|keyword| line.starts_with(keyword))
}

/// `@@` with more behind it than a space is code: `@@count` is a variable in Ruby.
fn is_anchor(line: &str) -> bool {
    line.strip_prefix("@@")
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// `-1,3 +1,4 @@`, as a unified diff has it.
fn is_line_numbers(anchor: &str) -> bool {
    let is_range = |word: Option<&str>, mark: char| {
        word.and_then(|word| word.strip_prefix(mark))
            .is_some_and(|numbers| {
                numbers.starts_with(|it: char| it.is_ascii_digit())
                    && numbers.chars().all(|it| it.is_ascii_digit() || it == ',')
            })
    };
    let mut words = anchor.split(' ');
    is_range(words.next(), '-')
        && is_range(words.next(), '+')
        && words.next().is_none_or(|word| word == "@@")
}

/// Blank lines at the end that are the only old lines of a hunk name no place: they separate.
fn drop_separators(lines: &mut Vec<HunkLine<'_>>) {
    let kept = lines.iter().rposition(|line| !line.is_blank_separator());
    let kept = kept.map_or(0, |last| last + 1);
    if lines[..kept].iter().all(|line| line.old().is_none()) {
        lines.truncate(kept);
    }
}

/// The word that ends the heredoc which this line begins.
fn heredoc_word(line: &str) -> Option<&str> {
    let line = line.trim();
    let line = line
        .strip_prefix("apply_patch")
        .map_or(line, str::trim_start);
    let word = line.strip_prefix("<<")?;
    let bare = ['\'', '"']
        .iter()
        .find_map(|quote| word.strip_prefix(*quote)?.strip_suffix(*quote))
        .unwrap_or(word);
    let fits = |it: char| it.is_ascii_alphanumeric() || it == '_';
    (!bare.is_empty() && bare.chars().all(fits)).then_some(bare)
}

/// A line for a message, cut if it is long.
fn shown(line: &str) -> String {
    match line.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => alloc::format!("{}…", &line[..end]),
        None => line.into(),
    }
}
