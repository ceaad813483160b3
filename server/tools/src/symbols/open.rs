//! Texts that are open in an editor: each parsed with what is known of the text before, so that a keystroke costs no
//! whole parse. Knows no disk.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mewcode_core::diff;
use mewcode_core::outline::Outline;
use mewcode_core::text::Snapshot;
use ropey::Rope;
use tokio_util::sync::CancellationToken;
use tree_sitter::{InputEdit, Parser, Point, Tree};

use super::language::{self, Language};
use super::parse::{self, Reference, Unparsed};

/// As many trees are kept.
const MAX_TREES: usize = 32;

/// Of texts that hold so many bytes together, or of one that holds more. A tree takes about ten times the bytes of its text.
const MAX_TREE_BYTES: usize = 2 * 1024 * 1024;

/// The open texts that were asked for.
pub(super) struct OpenTexts {
    // Held only to look and to put: parsing goes on outside.
    state: Mutex<State>,
    max_bytes: usize,
}

impl Default for OpenTexts {
    fn default() -> OpenTexts {
        OpenTexts::within(MAX_TREE_BYTES)
    }
}

#[derive(Default)]
struct State {
    texts: HashMap<PathBuf, Kept>,
    uses: u64,
}

struct Kept {
    parsed: Arc<Parsed>,
    last_use: u64,
}

/// A text with its tree and outline.
pub(super) struct Parsed {
    snapshot: Snapshot,
    language: &'static Language,
    tree: Tree,
    outline: Arc<Outline>,
}

impl OpenTexts {
    /// Trees of texts that together have no more than so many bytes, or of a single one.
    fn within(max_bytes: usize) -> OpenTexts {
        OpenTexts {
            state: Mutex::default(),
            max_bytes,
        }
    }

    /// The outline of a text of a file, parsed if it must be.
    pub(super) fn outline(
        &self,
        path: &Path,
        snapshot: &Snapshot,
        cancel: &CancellationToken,
    ) -> Result<Arc<Outline>, Unparsed> {
        self.parsed(path, snapshot, cancel)
            .map(|parsed| Arc::clone(&parsed.outline))
    }

    /// The uses of names in a text of a file.
    pub(super) fn references(
        &self,
        path: &Path,
        snapshot: &Snapshot,
        cancel: &CancellationToken,
    ) -> Result<Vec<Reference>, Unparsed> {
        let parsed = self.parsed(path, snapshot, cancel)?;
        parse::references(&parsed.tree, parsed.language, snapshot.rope(), cancel)
    }

    /// The outline of just this snapshot if it is known: never parses.
    pub(super) fn known(&self, path: &Path, snapshot: &Snapshot) -> Option<Arc<Outline>> {
        let state = self.lock();
        let parsed = &state.texts.get(path)?.parsed;
        (parsed.snapshot.ptr_eq(snapshot)).then(|| Arc::clone(&parsed.outline))
    }

    fn parsed(
        &self,
        path: &Path,
        snapshot: &Snapshot,
        cancel: &CancellationToken,
    ) -> Result<Arc<Parsed>, Unparsed> {
        let earlier = self.earlier(path);
        if let Some(earlier) = &earlier
            && earlier.snapshot.ptr_eq(snapshot)
        {
            return Ok(Arc::clone(earlier));
        }
        let rope = snapshot.rope();
        let language = language_of(path, rope).ok_or(Unparsed::UnknownLanguage)?;
        let earlier = earlier.filter(|earlier| std::ptr::eq(earlier.language, language));
        let parsed = Arc::new(parse_from(earlier.as_deref(), language, snapshot, cancel)?);
        self.keep(path, &parsed);
        Ok(parsed)
    }

    fn earlier(&self, path: &Path) -> Option<Arc<Parsed>> {
        let mut state = self.lock();
        state.uses += 1;
        let uses = state.uses;
        let kept = state.texts.get_mut(path)?;
        kept.last_use = uses;
        Some(Arc::clone(&kept.parsed))
    }

    fn keep(&self, path: &Path, parsed: &Arc<Parsed>) {
        let mut state = self.lock();
        state.uses += 1;
        let kept = Kept {
            parsed: Arc::clone(parsed),
            last_use: state.uses,
        };
        state.texts.insert(path.to_owned(), kept);
        let bytes = |state: &State| -> usize {
            let sizes = state.texts.values();
            sizes
                .map(|kept| kept.parsed.snapshot.rope().len_bytes())
                .sum()
        };
        while state.texts.len() > MAX_TREES
            || state.texts.len() > 1 && bytes(&state) > self.max_bytes
        {
            let oldest = state.texts.iter().min_by_key(|(_, kept)| kept.last_use);
            let Some(oldest) = oldest.map(|(path, _)| path.clone()) else {
                return;
            };
            state.texts.remove(&oldest);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The language of a text, by the name of its file or by how it begins.
pub(super) fn language_of(path: &Path, rope: &Rope) -> Option<&'static Language> {
    Language::of(path, language::head(rope).as_bytes())
}

fn parse_from(
    earlier: Option<&Parsed>,
    language: &'static Language,
    snapshot: &Snapshot,
    cancel: &CancellationToken,
) -> Result<Parsed, Unparsed> {
    let rope = snapshot.rope();
    let (mut tree, mut outline) = (None, None);
    if let Some(earlier) = earlier {
        match edit_between(earlier.snapshot.rope(), rope) {
            Some(edit) => {
                let mut edited = earlier.tree.clone();
                edited.edit(&edit);
                tree = Some(edited);
            }
            // The same text in another snapshot.
            None => outline = Some((earlier.tree.clone(), Arc::clone(&earlier.outline))),
        }
    }
    let (tree, outline) = match outline {
        Some(known) => known,
        None => {
            let tree = parse::parse(&mut Parser::new(), language, rope, tree.as_ref(), cancel)?;
            let outline = Arc::new(parse::outline(&tree, language, rope, cancel)?);
            (tree, outline)
        }
    };
    Ok(Parsed {
        snapshot: snapshot.clone(),
        language,
        tree,
        outline,
    })
}

/// The one edit that leads from a text to another; none: they are equal.
fn edit_between(old: &Rope, new: &Rope) -> Option<InputEdit> {
    let (before, after) = diff::changed_bytes(old, new)?;
    Some(InputEdit {
        start_byte: before.start.0,
        old_end_byte: before.end.0,
        new_end_byte: after.end.0,
        start_position: point(old, before.start.0),
        old_end_position: point(old, before.end.0),
        new_end_position: point(new, after.end.0),
    })
}

fn point(rope: &Rope, offset: usize) -> Point {
    let row = rope.byte_to_line(offset);
    Point {
        row,
        column: offset - rope.line_to_byte(row),
    }
}

#[cfg(test)]
mod tests;
