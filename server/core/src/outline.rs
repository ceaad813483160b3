//! The definitions of one text: names, kinds, lines, and what stands in what. Compact, for many are kept at once.
//!
//! Knows no grammar and no language: what is found in a text is given to [`Outline::build`], which nests it by its
//! bytes. Knows no file either.

mod build;
mod kind;
mod rank;
mod render;

pub use build::{Found, Lines};
pub use kind::Kind;
pub use rank::{Pattern, Rank};
pub use render::{render, signature};

use crate::position::{LineIndex, LineRange};
use alloc::string::String;
use alloc::vec::Vec;
use core::mem::size_of;

/// The definitions of a text, in the order in which they stand there; each one before what it contains.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outline {
    /// All names and scopes, one after the other.
    names: String,
    entries: Vec<Entry>,
    /// The letters of each name, see [`rank::letters`]: most names are told from what is asked for by these alone.
    letters: Vec<u32>,
    incomplete: bool,
}

/// One definition. Offsets are into `Outline::names`; lines count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    name: Span,
    scope: Span,
    first: u32,
    end: u32,
    line: u32,
    parent: u32,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Span {
    start: u32,
    length: u16,
}

/// The parent of what stands in nothing.
const NONE: u32 = u32::MAX;

/// One definition of an outline.
#[derive(Debug, Clone, Copy)]
pub struct Definition<'a> {
    outline: &'a Outline,
    index: u32,
}

impl Outline {
    /// Whether parts of the text do not parse, so that definitions may be missing.
    pub fn is_incomplete(&self) -> bool {
        self.incomplete
    }

    /// How many definitions there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The definitions, in the order of the text.
    pub fn definitions(&self) -> impl ExactSizeIterator<Item = Definition<'_>> {
        (0..self.entries.len() as u32).map(|index| self.definition(index))
    }

    /// The definition at a place in that order, if there is one.
    pub fn get(&self, index: usize) -> Option<Definition<'_>> {
        (index < self.entries.len()).then(|| self.definition(index as u32))
    }

    /// The definitions whose names fit a pattern, wherever they stand, and how well; in the order of the text.
    pub fn ranked<'a>(&'a self, pattern: &Pattern) -> impl Iterator<Item = (Definition<'a>, Rank)> {
        let candidates = self.letters.iter().enumerate();
        let candidates = candidates.filter(|(_, letters)| pattern.may_fit(**letters));
        candidates.filter_map(|(index, _)| {
            let definition = self.definition(index as u32);
            Some((definition, pattern.rank(definition.name())?))
        })
    }

    /// The innermost definition around a line that a reader would name as the place: a function, a type, a heading;
    /// not a field or a variable.
    pub fn enclosing(&self, line: LineIndex) -> Option<Definition<'_>> {
        let around = |definition: &Definition<'_>| {
            let lines = definition.lines();
            lines.start <= line && line < lines.end && definition.kind().is_scope()
        };
        // Later ones stand deeper or further down.
        self.definitions().filter(around).last()
    }

    /// About how many bytes of memory it holds.
    pub fn memory(&self) -> usize {
        size_of::<Self>()
            + self.names.capacity()
            + self.entries.capacity() * size_of::<Entry>()
            + self.letters.capacity() * size_of::<u32>()
    }

    fn definition(&self, index: u32) -> Definition<'_> {
        Definition {
            outline: self,
            index,
        }
    }

    fn text(&self, span: Span) -> &str {
        let start = span.start as usize;
        &self.names[start..start + usize::from(span.length)]
    }
}

impl<'a> Definition<'a> {
    fn entry(&self) -> &'a Entry {
        &self.outline.entries[self.index as usize]
    }

    /// Its place among the definitions of its outline.
    pub fn index(&self) -> usize {
        self.index as usize
    }

    /// Its name, never qualified.
    pub fn name(&self) -> &'a str {
        self.outline.text(self.entry().name)
    }

    /// What it is.
    pub fn kind(&self) -> Kind {
        self.entry().kind
    }

    /// All its lines, with the comments and attributes directly above it.
    pub fn lines(&self) -> LineRange {
        let entry = self.entry();
        LineRange::new(entry.first as usize, entry.end as usize)
    }

    /// The line of its name.
    pub fn line(&self) -> LineIndex {
        LineIndex(self.entry().line as usize)
    }

    /// What it stands in.
    pub fn container(&self) -> Option<Definition<'a>> {
        let parent = self.entry().parent;
        (parent != NONE).then(|| self.outline.definition(parent))
    }

    /// How many definitions it stands in.
    pub fn depth(&self) -> usize {
        self.containers().count()
    }

    /// What it stands in, innermost first.
    pub fn containers(&self) -> impl Iterator<Item = Definition<'a>> + use<'a> {
        core::iter::successors(self.container(), Definition::container)
    }

    /// The type that it belongs to without standing in it (the receiver of a Go method), or, of an implementation,
    /// the type that it is for.
    pub fn scope(&self) -> Option<&'a str> {
        let scope = self.entry().scope;
        (scope.length > 0).then(|| self.outline.text(scope))
    }

    /// The names that qualify it, innermost first: those of its containers, an implementation by its type.
    pub fn qualifiers(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let own = self.scope().filter(|_| self.kind() != Kind::Implementation);
        own.into_iter()
            .chain(self.containers().map(|container| match container.kind() {
                Kind::Implementation => container.scope().unwrap_or(container.name()),
                _ => container.name(),
            }))
    }

    /// Its container as it is shown, outermost first: `geometry::Point`. Empty at the top.
    pub fn container_name(&self) -> String {
        let mut names: Vec<&str> = self.qualifiers().collect();
        names.reverse();
        names.join("::")
    }

    /// Its name with what qualifies it: `geometry::Point::area`.
    pub fn qualified_name(&self) -> String {
        let mut name = self.container_name();
        if !name.is_empty() {
            name.push_str("::");
        }
        name.push_str(self.name());
        name
    }
}

#[cfg(test)]
mod tests;
