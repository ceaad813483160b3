//! From what was found in a text to its outline: one definition a name, nested, with what belongs above it.

use super::rank::letters;
use super::{Entry, Kind, NONE, Outline, Span};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::ops::Range;

/// Names are cut to so many bytes.
const MAX_NAME_BYTES: usize = 200;

/// What stands in more definitions than this is left out: nobody names it, and each of them costs a look at all it
/// stands in.
const MAX_DEPTH: usize = 64;

/// Lines of a text, from 0, half open.
pub type Lines = Range<usize>;

/// A definition as it is found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What it is.
    pub kind: Kind,
    /// Its name as it stands there.
    pub name: String,
    /// See [`super::Definition::scope`].
    pub scope: Option<String>,
    /// Where the name begins: what is found twice with one name is one definition.
    pub name_start: usize,
    /// All its bytes.
    pub bytes: Range<usize>,
    /// All its lines.
    pub lines: Lines,
    /// The line of its name.
    pub line: usize,
}

impl Outline {
    /// The outline of what was found, in any order. Where several of one name start were found, the first says what
    /// it is and the widest how far it goes. `above` are the lines of comments and attributes that have their lines
    /// to themselves: they belong to what begins directly below them.
    pub fn build(found: Vec<Found>, above: &[Lines], incomplete: bool) -> Self {
        let found = nested(without_doubles(found));
        let above: BTreeMap<usize, usize> =
            above.iter().map(|lines| (lines.end, lines.start)).collect();
        let mut outline = Self {
            incomplete,
            ..Self::default()
        };
        for (definition, parent) in found {
            let name = outline.push_name(&definition.name);
            let scope = outline.push_name(definition.scope.as_deref().unwrap_or_default());
            let mut first = definition.lines.start;
            while let Some(start) = above.get(&first).filter(|start| **start < first) {
                first = *start;
            }
            if first < definition.lines.start {
                outline.end_before(first, parent);
            }
            outline.letters.push(letters(outline.text(name)));
            outline.entries.push(Entry {
                name,
                scope,
                first: number(first),
                end: number(definition.lines.end),
                line: number(definition.line),
                parent,
                kind: definition.kind,
            });
        }
        outline.names.shrink_to_fit();
        outline.entries.shrink_to_fit();
        outline.letters.shrink_to_fit();
        outline
    }

    /// What came last in a container, and all in it, ends before a line: a grammar may count a comment to what stands
    /// before it.
    fn end_before(&mut self, line: usize, container: u32) {
        let mut index = number(self.entries.len()).wrapping_sub(1);
        while index != container && index != NONE {
            let entry = &mut self.entries[index as usize];
            entry.end = entry.end.min(number(line)).max(entry.first + 1);
            index = entry.parent;
        }
    }

    /// Keeps a name: white space in it becomes single blanks.
    fn push_name(&mut self, name: &str) -> Span {
        let start = self.names.len();
        for word in name.split_whitespace() {
            if self.names.len() > start {
                self.names.push(' ');
            }
            self.names.push_str(word);
        }
        let mut end = self.names.len().min(start + MAX_NAME_BYTES);
        while !self.names.is_char_boundary(end) {
            end -= 1;
        }
        self.names.truncate(end);
        Span {
            start: number(start),
            // At most the bound above.
            length: (end - start) as u16,
        }
    }
}

/// Texts that are parsed are much smaller than this can hold.
fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(NONE - 1)
}

/// One definition for each start of a name.
fn without_doubles(found: Vec<Found>) -> Vec<Found> {
    let mut by_name: BTreeMap<usize, Found> = BTreeMap::new();
    for definition in found {
        if definition.name.trim().is_empty() {
            continue;
        }
        match by_name.get_mut(&definition.name_start) {
            None => {
                by_name.insert(definition.name_start, definition);
            }
            Some(known) => {
                known.bytes.start = known.bytes.start.min(definition.bytes.start);
                known.bytes.end = known.bytes.end.max(definition.bytes.end);
                known.lines.start = known.lines.start.min(definition.lines.start);
                known.lines.end = known.lines.end.max(definition.lines.end);
                known.scope = known.scope.take().or(definition.scope);
            }
        }
    }
    by_name.into_values().collect()
}

/// In the order of the text, each with the place of what contains it.
fn nested(mut found: Vec<Found>) -> Vec<(Found, u32)> {
    found.sort_by_key(|it| (it.bytes.start, Reverse(it.bytes.end), it.name_start));
    let mut nested: Vec<(Found, u32)> = Vec::with_capacity(found.len());
    let mut open: Vec<u32> = Vec::new();
    // What is assigned twice is defined once.
    let mut variables: BTreeSet<(u32, String)> = BTreeSet::new();
    for mut definition in found {
        let mut doubled = false;
        while let Some(top) = open.last() {
            let top = &nested[*top as usize].0;
            let same = top.bytes == definition.bytes;
            // An element by its tag and by its id.
            doubled |= same && definition.kind == Kind::Element;
            if top.bytes.end >= definition.bytes.end && !same {
                break;
            }
            open.pop();
        }
        let parent = open.last().copied();
        let local = definition.kind.is_local_in_functions()
            && open.iter().any(|container| {
                let kind = nested[*container as usize].0.kind;
                matches!(kind, Kind::Function | Kind::Method | Kind::Test)
            });
        let again = definition.kind == Kind::Variable
            && !variables.insert((parent.unwrap_or(NONE), definition.name.clone()));
        if local || again || doubled || open.len() >= MAX_DEPTH {
            continue;
        }
        if let Some(parent) = parent {
            let container = &mut nested[parent as usize].0;
            // `typedef struct point { … } point;` defines one thing.
            if container.kind == Kind::Type && container.name == definition.name {
                container.kind = definition.kind;
                container.line = definition.line;
                continue;
            }
            if definition.kind == Kind::Function && container.kind.is_type() {
                definition.kind = Kind::Method;
            }
        }
        if definition.kind == Kind::Function && definition.scope.is_some() {
            definition.kind = Kind::Method;
        }
        open.push(number(nested.len()));
        nested.push((definition, parent.unwrap_or(NONE)));
    }
    nested
}
