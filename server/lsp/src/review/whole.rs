//! What a hunk is that is about its file as a whole: the file goes, or moves to another path, with or without a change
//! on the way. It is decided as one. Pure.

use super::hunk::When;
use super::landing::Kept;
use mewcode_core::carry::carry;
use mewcode_core::diff::{self, LineCounts, equal};
use mewcode_core::edit::{Edit, EditError};
use mewcode_core::text::Snapshot;
use mewcode_tools::port::Destination;
use std::path::PathBuf;

/// What happens to the file.
#[derive(Debug, Clone)]
pub struct Whole {
    /// Where the file is before.
    pub from: Place,
    /// Where it goes; none: it is removed.
    pub to: Option<Place>,
    /// The text that the change was made for, or landed on.
    pub base: Snapshot,
    /// The change of that text. Of a removal it takes all of it away.
    pub edit: Edit,
    /// Of a file that has been removed: what the disk held.
    pub kept: Option<Kept>,
    /// Lines that come and go.
    counts: LineCounts,
}

/// A file's path, real and as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The real path.
    pub path: PathBuf,
    /// The path as the model and the user know it.
    pub display: String,
}

impl Whole {
    /// What a change with this destination does to its file; none if it changes lines only.
    ///
    /// # Errors
    /// The edit is not for `base`.
    pub fn new(
        from: Place,
        destination: &Destination,
        base: &Snapshot,
        edit: &Edit,
    ) -> Result<Option<Self>, EditError> {
        let to = match destination {
            Destination::Same => return Ok(None),
            Destination::Removed => None,
            Destination::Moved { path, display } => Some(Place {
                path: path.clone(),
                display: display.clone(),
            }),
        };
        Self::between(from, to, base, edit).map(Some)
    }

    /// The change that takes a file from one place to another, or away.
    ///
    /// # Errors
    /// The edit is not for `base`.
    pub fn between(
        from: Place,
        to: Option<Place>,
        base: &Snapshot,
        edit: &Edit,
    ) -> Result<Self, EditError> {
        let counts = match &to {
            // An empty file has no lines, though an empty text has one.
            None if base.rope().len_bytes() <= 1 => LineCounts::default(),
            None => LineCounts {
                added: 0,
                removed: base.text().line_count(),
            },
            Some(_) => {
                let after = edit.apply(base)?;
                diff::counts(&diff::line_changes(base.rope(), after.rope()))
            }
        };
        Ok(Self {
            from,
            to,
            base: base.clone(),
            edit: edit.clone(),
            kept: None,
            counts,
        })
    }

    /// Where the text is afterwards.
    pub fn destination(&self) -> Destination {
        match &self.to {
            None => Destination::Removed,
            Some(place) => Destination::Moved {
                path: place.path.clone(),
                display: place.display.clone(),
            },
        }
    }

    /// Whether the change can still be made when the file holds `text`. A removal needs the very text that it was
    /// made for; a move takes what the user typed elsewhere along.
    pub fn fits(&self, text: &Snapshot) -> bool {
        match self.to {
            None => equal(self.base.rope(), text.rope()),
            Some(_) => carry(&self.edit, &self.base, text).is_ok(),
        }
    }

    /// Lines added and removed.
    pub fn counts(&self) -> (usize, usize) {
        (self.counts.added, self.counts.removed)
    }

    /// What happens, or has happened: "Remove this file (−42)", "Moved from src/a.rs (+2 −1)".
    pub fn title(&self, when: When) -> String {
        let size = self.size();
        match (when, &self.to) {
            (When::Before, None) => format!("Remove this file{size}"),
            (When::Before, Some(to)) => format!("Move to {}{size}", to.display),
            (When::After, None) => format!("Removed this file{size}"),
            (When::After, Some(_)) => format!("Moved from {}{size}", self.from.display),
        }
    }

    /// The two decisions in words: yes, and no.
    pub fn answers(&self, when: When) -> (String, String) {
        let (yes, no) = match (when, &self.to) {
            (When::Before, None) => (self.title(when), "Keep this file".to_owned()),
            (When::Before, Some(_)) => (self.title(when), "Leave this file where it is".to_owned()),
            (When::After, None) => (
                "Keep this file removed".to_owned(),
                "Bring this file back".to_owned(),
            ),
            (When::After, Some(_)) => (
                "Keep this file here".to_owned(),
                format!("Move back to {}", self.from.display),
            ),
        };
        (yes, no)
    }

    /// What it is to the one who proposed it: "src/a.rs (its removal)".
    pub fn name(&self) -> String {
        match &self.to {
            None => format!("{} (its removal)", self.from.display),
            Some(to) => format!("{} (its move to {})", self.from.display, to.display),
        }
    }

    fn size(&self) -> String {
        let (added, removed) = self.counts();
        match (&self.to, added, removed) {
            (_, 0, 0) => String::new(),
            (None, _, removed) => format!(" (−{removed})"),
            (Some(_), added, removed) => format!(" (+{added} −{removed})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(base: &str, after: Option<&str>) -> Whole {
        let base = Snapshot::decode(base);
        let destination = match after {
            None => Destination::Removed,
            Some(_) => Destination::Moved {
                path: "/w/src/b.rs".into(),
                display: "src/b.rs".into(),
            },
        };
        let target = Snapshot::decode(after.unwrap_or_default());
        let edit = Edit::between(&base, target.rope()).unwrap();
        let from = Place {
            path: "/w/src/a.rs".into(),
            display: "src/a.rs".into(),
        };
        Whole::new(from, &destination, &base, &edit)
            .unwrap()
            .unwrap()
    }

    fn words(whole: &Whole) -> String {
        [When::Before, When::After]
            .map(|when| {
                let (yes, no) = whole.answers(when);
                format!("{} | {yes} | {no}", whole.title(when))
            })
            .join("\n")
    }

    #[test]
    fn words_for_a_removal_and_a_move() {
        insta::assert_snapshot!(words(&whole("a\nb\n", None)), @"
        Remove this file (−2) | Remove this file (−2) | Keep this file
        Removed this file (−2) | Keep this file removed | Bring this file back
        ");
        insta::assert_snapshot!(words(&whole("a\nb\n", Some("a\nB\nc\n"))), @"
        Move to src/b.rs (+2 −1) | Move to src/b.rs (+2 −1) | Leave this file where it is
        Moved from src/a.rs (+2 −1) | Keep this file here | Move back to src/a.rs
        ");
        insta::assert_snapshot!(words(&whole("a\n", Some("a\n"))), @"
        Move to src/b.rs | Move to src/b.rs | Leave this file where it is
        Moved from src/a.rs | Keep this file here | Move back to src/a.rs
        ");
        assert_eq!(whole("", None).title(When::Before), "Remove this file");
    }

    #[test]
    fn a_removal_fits_its_own_text_only_and_a_move_what_it_can_be_carried_to() {
        let removal = whole("a\nb\n", None);
        assert!(removal.fits(&Snapshot::decode("a\r\nb\r\n")));
        assert!(!removal.fits(&Snapshot::decode("a\nb\nmine\n")));
        let moved = whole("a\nb\n", Some("a\nB\n"));
        assert!(moved.fits(&Snapshot::decode("mine\na\nb\n")));
        assert!(!moved.fits(&Snapshot::decode("a\nb mine\n")));
        assert!(whole("a\n", Some("a\n")).fits(&Snapshot::decode("anything\n")));
    }
}
