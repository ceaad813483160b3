//! What one agent has seen of which file, so that it changes nothing that it has not read or that somebody else has
//! changed since. Remembers and judges; reads and writes no file.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mewcode_core::diff::{self, LineChange};
use mewcode_core::hash::ContentHash;
use mewcode_core::position::LineRange;
use mewcode_core::text::Snapshot;

use crate::error::ToolError;
use crate::staleness;

mod lines;

use lines::Lines;

/// As many bytes of text as are kept to compare later texts with. Beyond it, a changed file must be read again.
const MAX_KEPT_BYTES: usize = 64 * 1024 * 1024;

/// What one agent has seen. A fork gets a copy.
#[derive(Debug, Default)]
pub struct Ledger {
    state: Mutex<State>,
}

#[derive(Clone, Debug, Default)]
struct State {
    files: HashMap<PathBuf, Entry>,
    uses: u64,
}

/// What was seen of one file. Lines are those of the text that was seen last.
#[derive(Clone, Debug)]
struct Entry {
    hash: ContentHash,
    /// The text; none if it was too large to keep.
    text: Option<Snapshot>,
    /// Lines that the agent has seen as they are.
    seen: Lines,
    /// Whether it has seen a part of a line.
    seen_in_part: bool,
    /// Lines that somebody else changed and that the agent has not seen since.
    changed: Lines,
    /// Pages that still stand in the agent's context.
    shown: Vec<Page>,
    /// Earlier texts from which only the agent's own changes lead to this one.
    own: Vec<ContentHash>,
    last_use: u64,
}

/// A text that is seen: by its hash, and itself if it is held.
#[derive(Clone, Copy, Debug)]
pub struct Version<'a> {
    /// Its hash.
    pub hash: ContentHash,
    /// The text; none if it is too large to be held.
    pub text: Option<&'a Snapshot>,
}

impl<'a> From<&'a Snapshot> for Version<'a> {
    fn from(text: &'a Snapshot) -> Version<'a> {
        Version {
            hash: text.hash(),
            text: Some(text),
        }
    }
}

/// A part of a file as it was shown: whole lines, or a part of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// 0-based; a line of which a part was shown is among them.
    pub(crate) lines: Range<usize>,
    /// How many bytes of the first line stand before what was shown.
    pub(crate) from_byte: usize,
    /// Where in the last line it ended, if before the line did.
    pub(crate) to_byte: Option<usize>,
}

impl Page {
    fn ends_inside_line(&self) -> bool {
        self.to_byte.is_some()
    }
}

/// The text for which an agent's edit is meant.
#[derive(Clone, Debug)]
pub(crate) enum Basis {
    /// The text of the file now.
    Current,
    /// An earlier one, from which the edit must be carried over.
    Earlier(Snapshot),
}

impl Ledger {
    /// Nothing seen.
    pub fn new() -> Ledger {
        Ledger::default()
    }

    /// A copy that goes its own way.
    pub fn fork(&self) -> Ledger {
        Ledger {
            state: Mutex::new(self.lock().clone()),
        }
    }

    /// The agent has seen these 0-based lines of the file's present text: a read, an attachment, a search hit.
    pub fn saw<'a>(&self, path: &Path, version: impl Into<Version<'a>>, lines: Range<usize>) {
        let version = version.into();
        let mut state = self.lock();
        if state.knows_more(path, version) {
            return;
        }
        let entry = state.entry(path, version);
        entry.seen.insert(lines.clone());
        entry.changed.remove(lines);
        state.forget_excess();
    }

    /// The agent itself made `after` of `before`: it knows what it wrote.
    pub fn wrote(&self, path: &Path, before: &Snapshot, after: &Snapshot) {
        let mut state = self.lock();
        let entry = state.entry(path, before.into());
        entry.move_by_own_change(before, after);
        state.forget_excess();
    }

    /// The file is new and of the agent's own making.
    pub fn created(&self, path: &Path, text: &Snapshot) {
        self.lock().files.remove(path);
        self.saw(path, text, 0..text.text().line_count());
    }

    /// The file is gone.
    pub fn removed(&self, path: &Path) {
        self.lock().files.remove(path);
    }

    /// The file is at another path now, where nothing was. What is known of it is known there.
    pub fn moved(&self, from: &Path, to: &Path) {
        let mut state = self.lock();
        state.files.remove(to);
        if let Some(entry) = state.files.remove(from) {
            state.files.insert(to.to_owned(), entry);
        }
    }

    /// Earlier text was dropped from the agent's context: what was shown there is no longer in front of it. That it
    /// was seen stays.
    pub fn context_dropped(&self) {
        self.lock()
            .files
            .values_mut()
            .for_each(|entry| entry.shown.clear());
    }

    /// The page is shown. Whether just this page of just this text still stands in the agent's context from before.
    pub(crate) fn show(&self, path: &Path, version: Version<'_>, page: Page) -> bool {
        let mut state = self.lock();
        let entry = state.entry(path, version);
        // A line that was shown up to its end counts as seen: what came before it was shown by an earlier call.
        let whole = page.lines.start..page.lines.end - usize::from(page.ends_inside_line());
        entry.seen_in_part |= whole.is_empty();
        entry.seen.insert(whole.clone());
        entry.changed.remove(whole);
        let known = entry.shown.contains(&page);
        if !known {
            entry.shown.push(page);
        }
        state.forget_excess();
        known
    }

    /// For which text an edit of the file is meant. `base_hash` is what the caller says about that.
    pub(crate) fn basis(
        &self,
        path: &Path,
        display: &str,
        current: &Snapshot,
        base_hash: Option<&str>,
    ) -> Result<Basis, ToolError> {
        let state = self.lock();
        let entry = state.files.get(path).filter(|entry| entry.saw_something());
        let Some(entry) = entry else {
            return Err(ToolError::not_read(format!(
                "`{display}` has not been read in this session."
            )));
        };
        if let Some(digits) = base_hash {
            let known = |hash: &ContentHash| hash_has_digits(hash, digits);
            if !known(&current.hash()) && !known(&entry.hash) && !entry.own.iter().any(known) {
                return Err(wrong_base(display, digits, current));
            }
        }
        if entry.hash == current.hash() {
            return Ok(Basis::Current);
        }
        match &entry.text {
            Some(text) => Ok(Basis::Earlier(text.clone())),
            None => Err(ToolError::stale_file(
                format!("`{display}` has changed since it was read. Nothing was changed."),
                Some(&entry.hash.to_string()),
                Some(&current.hash().to_string()),
            )),
        }
    }

    /// Whether a change of these 0-based lines of the present text would go over what somebody else changed unseen.
    pub(crate) fn check_lines(
        &self,
        path: &Path,
        display: &str,
        current: &Snapshot,
        lines: &[Range<usize>],
    ) -> Result<(), ToolError> {
        // A copy: nothing was seen by asking.
        let Some(mut entry) = self.lock().files.get(path).cloned() else {
            return Ok(());
        };
        let before = entry.text.clone();
        entry.move_to(current.into());
        let met: Vec<LineRange> = lines
            .iter()
            .flat_map(|lines| entry.changed.met_by(lines))
            .map(|range| LineRange::new(range.start, range.end))
            .collect();
        if met.is_empty() {
            return Ok(());
        }
        Err(staleness::stale_lines(
            display,
            before.as_ref().unwrap_or(current),
            current,
            &met,
        ))
    }

    /// Whether the agent may replace the whole of a text: only if it has seen the whole of just this text.
    pub(crate) fn check_rewrite(
        &self,
        path: &Path,
        display: &str,
        current: &Snapshot,
    ) -> Result<(), ToolError> {
        let total = current.text().line_count();
        let state = self.lock();
        let Some(entry) = state.files.get(path) else {
            return Err(ToolError::not_read(format!(
                "`{display}` exists and has not been read in this session: a rewrite would drop what is in it."
            ))
            .suggest("Read the whole of it with read_file, then call again; or change parts of it with edit_file."));
        };
        if entry.hash != current.hash() {
            return Err(match &entry.text {
                Some(text) => staleness::stale_text(display, text, current),
                None => ToolError::stale_file(
                    format!("`{display}` has changed since it was read. Nothing was changed."),
                    Some(&entry.hash.to_string()),
                    Some(&current.hash().to_string()),
                ),
            });
        }
        if entry.seen.contains(&(0..total)) {
            return Ok(());
        }
        let seen: Vec<LineRange> = entry
            .seen
            .ranges()
            .iter()
            .map(|range| LineRange::new(range.start, range.end))
            .collect();
        let seen = if seen.is_empty() {
            "nothing".to_owned()
        } else {
            staleness::describe_lines(&seen)
        };
        Err(ToolError::not_read(format!(
            "Of the {total} lines of `{display}` you have seen {seen}: a rewrite would drop the rest unseen."
        ))
        .suggest("Read the rest with read_file, then call again; or change parts of it with edit_file."))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Whether what is kept of an earlier text, by which others' changes are told, is worth more than some lines of a
    /// text of which nothing but the hash is known.
    fn knows_more(&self, path: &Path, version: Version<'_>) -> bool {
        let kept = self.files.get(path).filter(|entry| entry.text.is_some());
        version.text.is_none() && kept.is_some_and(|entry| entry.hash != version.hash)
    }

    /// The entry of a file, brought to this text of it.
    fn entry(&mut self, path: &Path, version: Version<'_>) -> &mut Entry {
        self.uses += 1;
        let last_use = self.uses;
        let entry = self.files.entry(path.to_owned()).or_insert_with(|| Entry {
            hash: version.hash,
            text: version.text.cloned(),
            seen: Lines::default(),
            seen_in_part: false,
            changed: Lines::default(),
            shown: Vec::new(),
            own: Vec::new(),
            last_use,
        });
        entry.last_use = last_use;
        entry.move_to(version);
        entry
    }

    /// Lets go of the texts that were longest not used when too much is kept.
    fn forget_excess(&mut self) {
        let size = |entry: &Entry| {
            entry
                .text
                .as_ref()
                .map_or(0, |text| text.rope().len_bytes())
        };
        let mut kept: usize = self.files.values().map(size).sum();
        while kept > MAX_KEPT_BYTES {
            let holders = self.files.values_mut().filter(|entry| entry.text.is_some());
            let Some(oldest) = holders.min_by_key(|entry| entry.last_use) else {
                return;
            };
            kept -= size(oldest);
            oldest.text = None;
        }
    }
}

impl Entry {
    /// Lines that have changed since count: the edit is then judged by what changed.
    fn saw_something(&self) -> bool {
        self.seen_in_part || !self.seen.is_empty() || !self.changed.is_empty()
    }

    /// The text is this one now, by somebody else's doing if it is another.
    fn move_to(&mut self, version: Version<'_>) {
        if self.hash != version.hash {
            match (&self.text, version.text) {
                (Some(old), Some(new)) => {
                    let changes = diff::line_changes(old.rope(), new.rope());
                    self.seen = self.seen.carried(&changes);
                    self.changed = self.changed.carried(&changes);
                    new_lines(&changes).for_each(|lines| self.changed.insert(lines));
                }
                _ => {
                    self.seen = Lines::default();
                    self.seen_in_part = false;
                    self.changed = Lines::default();
                }
            }
            self.shown.clear();
            self.own.clear();
            self.hash = version.hash;
            self.text = None;
        }
        if self.text.is_none() {
            self.text = version.text.cloned();
        }
    }

    fn move_by_own_change(&mut self, before: &Snapshot, after: &Snapshot) {
        let changes = diff::line_changes(before.rope(), after.rope());
        self.seen = self.seen.carried(&changes);
        self.changed = self.changed.carried(&changes);
        new_lines(&changes).for_each(|lines| self.seen.insert(lines));
        self.shown.clear();
        self.own.push(before.hash());
        self.hash = after.hash();
        self.text = Some(after.clone());
    }
}

fn new_lines(changes: &[LineChange]) -> impl Iterator<Item = Range<usize>> + '_ {
    changes
        .iter()
        .map(|change| change.new.start.0..change.new.end.0)
}

/// Whether the digits, 12 or 64 of them, are those of the hash.
pub(crate) fn hash_has_digits(hash: &ContentHash, digits: &str) -> bool {
    hash.to_string().starts_with(&digits.to_ascii_lowercase())
}

/// The refusal of an edit that is meant for a text that nobody knows.
pub(crate) fn wrong_base(display: &str, digits: &str, current: &Snapshot) -> ToolError {
    let actual = current.hash();
    let message = format!(
        "`{display}` is not the text {digits} that the edit is meant for: it is {} now.",
        actual.short()
    );
    ToolError::stale_file(message, Some(digits), Some(&actual.to_string()))
}

#[cfg(test)]
mod tests;
