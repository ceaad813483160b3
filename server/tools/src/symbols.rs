//! The definitions in the workspace's files, by tree-sitter and the queries in `queries/`: of open texts, parsed anew
//! from what changed, and of files on disk, kept as long as they stay as they are. Nothing is parsed before it is
//! asked for. Knows no tool.

use std::path::Path;
use std::sync::Arc;

use mewcode_core::outline::{Kind, Outline};
use mewcode_core::position::{LineIndex, LineRange};
use mewcode_core::text::Snapshot;
use tokio_util::sync::CancellationToken;

mod closed;
mod find;
mod language;
mod learn;
mod open;
mod parse;
mod words;

pub use closed::MAX_MEMORY;
pub use parse::{MAX_BYTES, Reference, Unparsed};

use closed::Closed;
pub(crate) use closed::read_text;
pub(crate) use find::{Finds, Hit, Wanted};
use language::Language;
pub(crate) use learn::learn;
use open::OpenTexts;
pub(crate) use parse::spent;

/// What is known of the definitions in files.
#[derive(Default)]
pub struct Symbols {
    open: OpenTexts,
    closed: Closed,
    learning: learn::Learning,
}

/// A definition around a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enclosing {
    /// What it is.
    pub kind: Kind,
    /// Its name with what qualifies it: `Point::area`.
    pub name: String,
    /// All its lines, with the comments and attributes directly above it.
    pub lines: LineRange,
}

impl Symbols {
    /// The definitions in a text of a file: that of an open document, or any that the caller holds. Later texts of
    /// the same file are parsed from what changed.
    pub fn outline(
        &self,
        path: &Path,
        snapshot: &Snapshot,
        cancel: &CancellationToken,
    ) -> Result<Arc<Outline>, Unparsed> {
        self.open.outline(path, snapshot, cancel)
    }

    /// The uses of names in a text of a file, in its order; names that are defined where they stand are left out.
    pub fn references(
        &self,
        path: &Path,
        snapshot: &Snapshot,
        cancel: &CancellationToken,
    ) -> Result<Vec<Reference>, Unparsed> {
        self.open.references(path, snapshot, cancel)
    }

    /// The innermost function, type or section around a line of a text. Parses if the text is not known yet: some
    /// milliseconds, so not for a thread that must not wait. None also where the text has no outline.
    pub fn enclosing(
        &self,
        path: &Path,
        snapshot: &Snapshot,
        line: LineIndex,
    ) -> Option<Enclosing> {
        let outline = self
            .outline(path, snapshot, &CancellationToken::new())
            .ok()?;
        enclosing(&outline, line)
    }

    /// [`Symbols::enclosing`] if just this snapshot has been parsed; never parses. The outer option: whether it has.
    pub fn known_enclosing(
        &self,
        path: &Path,
        snapshot: &Snapshot,
        line: LineIndex,
    ) -> Option<Option<Enclosing>> {
        let outline = self.open.known(path, snapshot)?;
        Some(enclosing(&outline, line))
    }

    /// The language of a text of a file, as it is told: `rust`. None: it is not known.
    pub fn language(path: &Path, snapshot: &Snapshot) -> Option<&'static str> {
        open::language_of(path, snapshot.rope()).map(|language| language.name)
    }

    /// All languages that are known, as they are told.
    pub fn languages() -> Vec<&'static str> {
        Language::names().collect()
    }

    /// Whether outlines are being learnt at this moment, before anybody asks for them.
    pub fn is_learning(&self) -> bool {
        self.learning.is_going_on()
    }

    /// About how many bytes the outlines of files on disk take; never more than [`MAX_MEMORY`].
    pub fn memory(&self) -> usize {
        self.closed.memory()
    }
}

fn enclosing(outline: &Outline, line: LineIndex) -> Option<Enclosing> {
    let definition = outline.enclosing(line)?;
    Some(Enclosing {
        kind: definition.kind(),
        name: definition.qualified_name(),
        lines: definition.lines(),
    })
}

#[cfg(test)]
mod tests;
