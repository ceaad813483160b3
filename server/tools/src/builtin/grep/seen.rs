//! Tells the agent's ledger of the lines that an answer shows, so that an edit may follow without another read.

use std::path::Path;

use mewcode_core::text::Snapshot;

use super::hits::Line;
use crate::contract::CallScope;
use crate::guard::ResolvedPath;
use crate::ledger::{Ledger, Version};
use crate::search::File;

/// Texts up to this size are kept by the ledger, so that later changes of them can be told apart from the agent's own.
const KEPT_BYTES: usize = 2 * 1024 * 1024;

/// Records lines of a file that are shown as they stand in it.
pub(super) fn record(scope: &CallScope, file: &File<'_>, lines: &[&Line]) {
    let Some(ledger) = &scope.ledger else { return };
    let path = ResolvedPath {
        real: file.real(),
        display: file.display(),
    };
    // What cannot be read as a text cannot be edited, and says so then.
    let Ok(Some(text)) = scope.workspace.find_text(&path) else {
        return;
    };
    record_in(ledger, &path.real, &text.snapshot, lines);
}

/// The file may have changed since it was searched: a line counts only if it is still what is shown.
fn record_in(ledger: &Ledger, path: &Path, text: &Snapshot, lines: &[&Line]) {
    let rope = text.rope();
    let stands = |line: &&&Line| {
        let index = (line.number as usize).checked_sub(1);
        let present = index.and_then(|index| rope.get_line(index));
        present.is_some_and(|present| {
            let present = present.to_string();
            !line.is_cut && present.strip_suffix('\n').unwrap_or(&present) == line.text
        })
    };
    let version = Version {
        hash: text.hash(),
        text: Some(text).filter(|text| text.rope().len_bytes() <= KEPT_BYTES),
    };
    for line in lines.iter().filter(stands) {
        let index = line.number as usize - 1;
        ledger.saw(path, version, index..index + 1);
    }
}
