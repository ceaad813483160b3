//! Questions to the user's own language servers, which the editor puts to them, and their answers. Knows no protocol and no
//! server; what comes back is other programs' word.

use std::path::PathBuf;

use mewcode_core::position::{ByteOffset, Position, PositionEncoding};
use mewcode_core::text::Snapshot;

/// What is asked.
#[derive(Clone, Debug)]
pub enum Query {
    /// What is wrong, as far as the servers know now: in one file, or everywhere.
    Diagnostics(Option<PathBuf>),
    /// Where what stands at this place is defined.
    Definition(Place),
    /// Where what stands at this place is used or defined.
    References(Place),
    /// What the servers tell of what stands at this place.
    Hover(Place),
    /// What renaming what stands at this place would change. Changes nothing.
    Rename(Place, String),
}

/// A place in a file.
#[derive(Clone, Debug)]
pub struct Place {
    /// The real path.
    pub path: PathBuf,
    /// The text of the file for which the place is meant.
    pub text: Snapshot,
    /// The place.
    pub offset: ByteOffset,
}

/// What the servers answer: of its parts those that were asked for.
#[derive(Clone, Debug)]
pub struct QueryAnswer {
    /// The unit of the columns in its edits.
    pub encoding: PositionEncoding,
    /// What is wrong, file by file.
    pub diagnostics: Vec<FileDiagnostics>,
    /// Places, in no order; some of them may be there twice.
    pub locations: Vec<Location>,
    /// How many places are in no file: in a packed library, or in what the editor makes up.
    pub elsewhere: usize,
    /// What is told, one text a server. Markdown, perhaps.
    pub hovers: Vec<String>,
    /// What a renaming would change.
    pub edits: Vec<RenamedFile>,
    /// How much more there is: an answer is not longer than the editor was asked for.
    pub left_out: usize,
}

impl QueryAnswer {
    /// An answer without anything in it.
    pub fn nothing(encoding: PositionEncoding) -> QueryAnswer {
        QueryAnswer {
            encoding,
            diagnostics: Vec::new(),
            locations: Vec::new(),
            elsewhere: 0,
            hovers: Vec::new(),
            edits: Vec::new(),
            left_out: 0,
        }
    }
}

/// What is wrong in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDiagnostics {
    /// The real path.
    pub path: PathBuf,
    /// In no order.
    pub diagnostics: Vec<Diagnostic>,
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Diagnostic {
    /// The line on which it begins, from 0.
    pub line: usize,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// Who says so.
    pub source: Option<String>,
    /// By what it can be looked up.
    pub code: Option<String>,
}

/// How bad something is, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// It does not work so.
    Error,
    /// It may not be meant so.
    Warning,
    /// Something to know.
    Information,
    /// Something to do better.
    Hint,
}

impl Severity {
    /// Every severity, the worst first.
    pub const ALL: [Severity; 4] = [
        Severity::Error,
        Severity::Warning,
        Severity::Information,
        Severity::Hint,
    ];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Information => "information",
            Severity::Hint => "hint",
        }
    }

    /// The severity of this name.
    pub fn parse(name: &str) -> Option<Severity> {
        Severity::ALL.into_iter().find(|it| it.as_str() == name)
    }
}

/// A place in a file that need not be in the workspace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// The real path.
    pub path: PathBuf,
    /// The line on which it begins, from 0.
    pub line: usize,
}

/// What a renaming would change in one file.
#[derive(Clone, Debug)]
pub struct RenamedFile {
    /// The real path.
    pub path: PathBuf,
    /// The text for which the edits are meant, if the file is open; else they are for what is on disk.
    pub text: Option<Snapshot>,
    /// Start, end, and the text that comes there.
    pub edits: Vec<(Position, Position, String)>,
}
