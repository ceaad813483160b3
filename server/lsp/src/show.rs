//! Showing texts that are no documents of the workspace: diffs and transcripts.
//!
//! By `window/showDocument` of a file in the state directory, where no plugin shows them itself. Never takes the focus
//! without being asked: both are shown only by a command of the user.

use crate::review::book::{FileView, Selection};
use crate::review::hunk::{Hunk, When};
use crate::review::whole::Whole;
use crate::state::State;
use crate::uri::uri_of;
use mewcode_core::diff::unified;
use mewcode_core::edit::{Edit, EditError, Replacement};
use mewcode_core::text::Snapshot;
use mewcode_tools::private;
use ropey::Rope;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tower_lsp::ls_types::ShowDocumentParams;
use tower_lsp::ls_types::request::ShowDocument;

/// How long a client may take to show a document.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Shows hunks as a unified diff.
pub fn diff(state: &Arc<State>, selection: Selection) {
    present(state, "proposal.diff", move |state| {
        let paths = match &selection {
            Selection::Hunk(id) => state
                .book
                .find(id)
                .map(|(path, _)| path)
                .into_iter()
                .collect(),
            Selection::File(path) => vec![path.clone()],
            Selection::All => state.book.paths(),
        };
        let mut text = String::new();
        for path in paths {
            state.look(&path);
            let only = match &selection {
                Selection::Hunk(id) => Some(id.as_str()),
                _ => None,
            };
            if let Some(file) = state.book.file(&path) {
                text.push_str(&file_diff(&file, only));
            }
        }
        text
    });
}

/// Shows a transcript.
pub fn transcript(state: &Arc<State>, markdown: String) {
    present(state, "transcript.md", |_| markdown);
}

/// Shows a question in full.
pub fn question(state: &Arc<State>, text: String) {
    present(state, "question.txt", |_| text);
}

/// A file's hunks, or one of them, as a unified diff with file header.
fn file_diff(file: &FileView, only: Option<&str>) -> String {
    let hunks: Vec<&Hunk> = file
        .hunks
        .iter()
        .map(|(hunk, _)| hunk)
        .filter(|hunk| only.is_none_or(|id| id == hunk.id))
        .collect();
    let (wholes, hunks): (Vec<&Hunk>, Vec<&Hunk>) =
        hunks.into_iter().partition(|hunk| hunk.whole.is_some());
    let mut text: String = wholes
        .iter()
        .filter_map(|hunk| hunk.whole.as_deref())
        .map(whole_diff)
        .collect();
    if hunks.is_empty() {
        return text;
    }
    let diff = hunks_diff(&file.text, &hunks).unwrap_or_else(|_| {
        // The user's change has joined some of them.
        let each = hunks
            .iter()
            .map(|hunk| hunks_diff(&file.text, &[hunk]).unwrap_or_default());
        each.collect()
    });
    let name = &file.target.display;
    text.push_str(&format!("--- a/{name}\n+++ b/{name}\n{diff}"));
    text
}

/// What becomes of a file as a whole, in the words of git.
fn whole_diff(whole: &Whole) -> String {
    let from = &whole.from.display;
    let nothing = Rope::new();
    let after = whole.edit.apply(&whole.base);
    let old = match whole.base.rope() {
        rope if rope.len_bytes() <= 1 => &nothing,
        rope => rope,
    };
    match (&whole.to, &after) {
        (Some(to), Ok(after)) => {
            let to = &to.display;
            let renamed = format!("rename from {from}\nrename to {to}\n");
            match unified(whole.base.rope(), after.rope(), 3) {
                diff if diff.is_empty() => renamed,
                diff => format!("{renamed}--- a/{from}\n+++ b/{to}\n{diff}"),
            }
        }
        _ => format!(
            "deleted file\n--- a/{from}\n+++ /dev/null\n{}",
            unified(old, &nothing, 3)
        ),
    }
}

/// From the text without these hunks to the text with them, whichever of them it has already.
fn hunks_diff(text: &Snapshot, hunks: &[&Hunk]) -> Result<String, EditError> {
    let rope = text.rope();
    let side = |when: When| {
        let there = hunks.iter().filter(|hunk| hunk.when == when);
        let replacements = there.map(|hunk| Replacement {
            range: hunk.lines.bytes(rope),
            text: match when {
                When::Before => hunk.new.clone(),
                When::After => hunk.reverted(rope),
            },
        });
        Edit::new(text, replacements.collect())?.apply(text)
    };
    let (without, with) = (side(When::After)?, side(When::Before)?);
    Ok(unified(without.rope(), with.rope(), 3))
}

/// Writes a text to a file of its own and asks the client to show it. Where it cannot, the user is told where the file is.
fn present(state: &Arc<State>, name: &str, text: impl FnOnce(&State) -> String + Send + 'static) {
    let state = Arc::clone(state);
    let name = name.to_owned();
    state.clone().spawn(async move {
        let path = match write(&state.sessions.state_folder(), &name, &text(&state)) {
            Ok(path) => path,
            Err(error) => {
                state
                    .publisher
                    .warn(&format!("{name} cannot be written to be shown: {error}"));
                return;
            }
        };
        if !state.profile().show_document {
            let path = path.display();
            state.publisher.warn(&format!(
                "this editor cannot be asked to show a document; open {path}"
            ));
            return;
        }
        let Some(uri) = uri_of(&path) else { return };
        let params = ShowDocumentParams {
            uri,
            external: Some(false),
            take_focus: Some(true),
            selection: None,
        };
        match state.peer.request::<ShowDocument>(params, TIMEOUT).await {
            Ok(shown) if shown.success => {}
            Ok(_) => state
                .publisher
                .warn(&format!("the editor did not show {}", path.display())),
            Err(error) => state.publisher.warn(&error.to_string()),
        }
    });
}

fn write(folder: &Path, name: &str, text: &str) -> std::io::Result<PathBuf> {
    let folder = folder.join("shown");
    private::make_folders(&folder)?;
    let path = folder.join(format!("{}-{name}", std::process::id()));
    // At once: two may be shown at the same time. Only its owner may read it, for it holds source text.
    let mut temporary = tempfile::NamedTempFile::new_in(&folder)?;
    temporary.write_all(text.as_bytes())?;
    temporary.persist(&path)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::hunk::State as HunkState;
    use crate::review::whole::Place;
    use mewcode_core::position::LineRange;
    use mewcode_tools::port::Destination;

    fn hunk(when: When, old: &str, new: &str, lines: (usize, usize)) -> Hunk {
        Hunk {
            id: "h".into(),
            proposal: "p".into(),
            when,
            state: HunkState::Proposed,
            old: old.into(),
            new: new.into(),
            base: Snapshot::decode(""),
            lines: LineRange::new(lines.0, lines.1),
            whole: None,
            restored: None,
        }
    }

    #[test]
    fn applied_and_proposed_hunks_are_read_the_same_way() {
        let text = Snapshot::decode("A\nb\n");
        let applied = hunk(When::After, "a\n", "A\n", (0, 1));
        let proposed = hunk(When::Before, "b\n", "B\n", (1, 2));
        let diff = hunks_diff(&text, &[&applied, &proposed]).unwrap();
        assert_eq!(diff, "@@ -1,2 +1,2 @@\n-a\n-b\n+A\n+B\n");
    }

    #[test]
    fn a_removal_and_a_move_read_as_git_writes_them() {
        let base = Snapshot::decode("a\nb\n");
        let diff = |destination, after: &str| {
            let from = Place {
                path: "/w/a.txt".into(),
                display: "a.txt".into(),
            };
            let edit = Edit::between(&base, Snapshot::decode(after).rope()).unwrap();
            whole_diff(
                &Whole::new(from, &destination, &base, &edit)
                    .unwrap()
                    .unwrap(),
            )
        };
        let moved = || Destination::Moved {
            path: "/w/b.txt".into(),
            display: "b.txt".into(),
        };
        insta::assert_snapshot!(diff(Destination::Removed, ""), @"
        deleted file
        --- a/a.txt
        +++ /dev/null
        @@ -1,2 +0,0 @@
        -a
        -b
        ");
        insta::assert_snapshot!(diff(moved(), "a\nB\n"), @"
        rename from a.txt
        rename to b.txt
        --- a/a.txt
        +++ b/b.txt
        @@ -1,2 +1,2 @@
         a
        -b
        +B
        ");
        insta::assert_snapshot!(diff(moved(), "a\nb\n"), @"
        rename from a.txt
        rename to b.txt
        ");
    }

    #[test]
    fn hunks_that_overlap_are_no_diff_of_everything() {
        let text = Snapshot::decode("mine\nc\n");
        let first = hunk(When::Before, "a\n", "A\n", (0, 1));
        let second = hunk(When::Before, "b\n", "B\n", (0, 1));
        assert!(hunks_diff(&text, &[&first, &second]).is_err());
    }

    #[test]
    fn of_two_texts_that_are_shown_at_once_one_is_whole() {
        let state = tempfile::tempdir().unwrap();
        let texts = ["short".to_owned(), "long".repeat(10_000)];
        for _ in 0..100 {
            let paths = std::thread::scope(|scope| {
                let writing = texts
                    .each_ref()
                    .map(|text| scope.spawn(|| write(state.path(), "a.diff", text).unwrap()));
                writing.map(|thread| thread.join().unwrap())
            });
            let shown = std::fs::read_to_string(&paths[0]).unwrap();
            assert!(texts.contains(&shown), "{} bytes", shown.len());
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_is_shown_is_for_its_owner_only() {
        use std::os::unix::fs::PermissionsExt;
        let state = tempfile::tempdir().unwrap();
        let path = write(&state.path().join("mewcode"), "a.md", "secret, and long").unwrap();
        assert_eq!(
            write(&state.path().join("mewcode"), "a.md", "short").unwrap(),
            path
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "short");
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        let folders: Vec<u32> = path.ancestors().skip(1).take(2).map(mode).collect();
        assert_eq!(folders, [0o700, 0o700]);
    }
}
