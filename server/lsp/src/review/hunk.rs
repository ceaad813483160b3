//! One hunk under review: a run of whole lines, where it stands now, and what may still become of it. Pure.

use super::whole::Whole;
use mewcode_core::carry::carry_lines;
use mewcode_core::diff::{LineChange, equal, replacements};
use mewcode_core::edit::Replacement;
use mewcode_core::merge::take_back;
use mewcode_core::position::{ByteRange, LineRange};
use mewcode_core::text::Snapshot;
use ropey::Rope;
use std::sync::Arc;

/// When the user looks at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum When {
    /// Before it is in the text.
    Before,
    /// It is in the text already.
    After,
}

/// What may still become of a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Not in the text; the lines that it replaces stand there.
    Proposed,
    /// Not in the text; the user changed the lines that it replaces.
    Conflicted,
    /// In the text, to be kept or reverted.
    Applied,
    /// A decision of the user is being carried out.
    Deciding,
}

/// A hunk that waits for its decision.
#[derive(Debug, Clone)]
pub struct Hunk {
    /// Unique in the life of the server.
    pub id: String,
    /// The proposal that it belongs to.
    pub proposal: String,
    /// When it is reviewed.
    pub when: When,
    /// What may become of it.
    pub state: State,
    /// The lines that the agent replaces, each with its LF.
    pub old: String,
    /// The lines that it puts there, each with its LF.
    pub new: String,
    /// The text that the proposal was made for.
    pub base: Snapshot,
    /// Where it stands in the text that was last looked at.
    pub lines: LineRange,
    /// Set if it is about its file as a whole: then it covers every line and has neither old nor new ones of its own.
    pub whole: Option<Arc<Whole>>,
    /// Set if it comes from an earlier server and nobody has looked at a text since.
    pub restored: Option<Restored>,
}

/// What is to be known of a hunk of an earlier server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restored {
    /// Where it stood in `base`.
    pub lines: LineRange,
    /// Its edit was on its way into the text when the server ended.
    pub in_doubt: bool,
}

impl Hunk {
    /// Follows a change of the text, taken apart by [`line_by_line`]; `text` is the text after it.
    pub fn follow(&mut self, changes: &[LineChange], text: &Snapshot) {
        match &self.whole {
            Some(_) => self.settle(text),
            None => self.carry(changes, text.rope()),
        }
    }

    fn carry(&mut self, changes: &[LineChange], text: &Rope) {
        self.lines = if self.lines.is_empty() {
            // A line that is changed in its place neither moves the place beside it nor makes it another.
            let moving = changes.iter().filter(|it| it.old.len() != it.new.len());
            carry_lines(self.lines, &moving.copied().collect::<Vec<_>>()).range
        } else {
            carry_lines(self.lines, changes).range
        };
        self.shrink(text);
        self.judge(self.stands(&self.old, text));
    }

    /// A place that grew with a change around it comes back to the hunk's own lines if they stand in it, once.
    fn shrink(&mut self, text: &Rope) {
        let own = match self.when {
            When::Before => &self.old,
            When::After => &self.new,
        };
        if own.is_empty() || self.lines.bytes(text).len() <= own.len() {
            return;
        }
        let present = self.present(text);
        let mut places = present
            .match_indices(own.as_str())
            .filter(|(at, _)| *at == 0 || present.as_bytes()[at - 1] == b'\n');
        if let (Some((at, _)), None) = (places.next(), places.next()) {
            let first = self.lines.start.0 + present[..at].matches('\n').count();
            self.lines = LineRange::new(first, first + own.matches('\n').count());
        }
    }

    /// Finds the state that the text gives it; a hunk in decision is left alone.
    pub fn settle(&mut self, text: &Snapshot) {
        let clean = match &self.whole {
            None => self.stands(&self.old, text.rope()),
            Some(whole) => {
                self.lines = LineRange::new(0, text.text().line_count());
                whole.fits(text)
            }
        };
        self.judge(clean);
    }

    fn judge(&mut self, clean: bool) {
        if matches!(self.state, State::Proposed | State::Conflicted) {
            self.state = if clean {
                State::Proposed
            } else {
                State::Conflicted
            };
        }
    }

    /// Whether an applied hunk has been undone by the user: its old lines stand there again, the removed file is there
    /// again.
    pub fn is_undone(&self, text: &Rope) -> bool {
        self.state == State::Applied
            && match &self.whole {
                None => self.stands(&self.old, text),
                Some(whole) => whole.to.is_none() && equal(whole.base.rope(), text),
            }
    }

    /// Whether the lines that it replaces stand there untouched.
    pub fn is_clean(&self, text: &Rope) -> bool {
        self.stands(&self.old, text)
    }

    /// Whether its new lines stand there already, by whatever hand.
    pub fn is_there(&self, text: &Rope) -> bool {
        self.stands(&self.new, text)
    }

    fn stands(&self, expected: &str, text: &Rope) -> bool {
        let range = self.lines.bytes(text);
        range.len() == expected.len() && text.byte_slice(range.to_range()) == *expected
    }

    /// What the buffer holds in its place.
    pub fn present(&self, text: &Rope) -> String {
        let range = self.lines.bytes(text);
        text.byte_slice(range.to_range()).to_string()
    }

    /// The change that puts `target` in its place, as small as it can be.
    pub fn replace_with(&self, target: &str, text: &Rope) -> Vec<Replacement> {
        let range = self.lines.bytes(text);
        let present = text.byte_slice(range.to_range());
        replacements(&Rope::from(present), &Rope::from_str(target))
            .into_iter()
            .map(|replacement| Replacement {
                range: ByteRange::new(
                    range.start.0 + replacement.range.start.0,
                    range.start.0 + replacement.range.end.0,
                ),
                text: replacement.text,
            })
            .collect()
    }

    /// What stands in its place after it was taken back: the old lines, and whatever the user typed in the new ones.
    pub fn reverted(&self, text: &Rope) -> String {
        take_back(&self.new, &self.old, &self.present(text))
    }

    /// Lines added and removed.
    pub fn counts(&self) -> (usize, usize) {
        if let Some(whole) = &self.whole {
            return whole.counts();
        }
        (
            self.new.matches('\n').count(),
            self.old.matches('\n').count(),
        )
    }

    /// Whether lines `first..=last` meet it. A hunk without lines of its own is met by the lines around its place.
    pub fn meets(&self, first: usize, last: usize) -> bool {
        if self.whole.is_some() {
            return true;
        }
        let (start, end) = (self.lines.start.0, self.lines.end.0);
        if start == end {
            first <= start && start <= last + 1
        } else {
            first < end && start <= last
        }
    }
}

/// The changes from one text to another, runs of equally many lines line by line: who changes three lines in their places
/// has not changed the middle one twice.
pub fn line_by_line(old: &Rope, new: &Rope) -> Vec<LineChange> {
    let changes = mewcode_core::diff::line_changes(old, new);
    let mut apart = Vec::with_capacity(changes.len());
    for change in changes {
        if change.old.len() != change.new.len() {
            apart.push(change);
            continue;
        }
        apart.extend((0..change.old.len()).map(|line| {
            let (old, new) = (change.old.start.0 + line, change.new.start.0 + line);
            LineChange {
                old: LineRange::new(old, old + 1),
                new: LineRange::new(new, new + 1),
            }
        }));
    }
    apart
}

/// The hunks of a change from one text to another: the changed runs of lines with their old and new text.
pub fn split(old: &Rope, new: &Rope) -> Vec<(LineRange, LineRange, String, String)> {
    let text = |lines: LineRange, rope: &Rope| {
        let range = lines.bytes(rope);
        rope.byte_slice(range.to_range()).to_string()
    };
    mewcode_core::diff::line_changes(old, new)
        .into_iter()
        .map(|change| {
            (
                change.old,
                change.new,
                text(change.old, old),
                text(change.new, new),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    fn hunk(old: &str, new: &str, start: usize, end: usize) -> Hunk {
        Hunk {
            id: "h1".into(),
            proposal: "p1".into(),
            when: When::Before,
            state: State::Proposed,
            old: old.into(),
            new: new.into(),
            base: Snapshot::decode(""),
            lines: LineRange::new(start, end),
            whole: None,
            restored: None,
        }
    }

    /// Carries a hunk for line `b` of `a b c` over the user's change to `after`.
    fn check(after: &str, state: State, lines: (usize, usize)) {
        let before = Rope::from_str("a\nb\nc\n");
        let after = Rope::from_str(after);
        let mut hunk = hunk("b\n", "B\n", 1, 2);
        hunk.carry(&line_by_line(&before, &after), &after);
        assert_eq!(
            (hunk.state, hunk.lines.start.0, hunk.lines.end.0),
            (state, lines.0, lines.1),
            "{after:?}"
        );
    }

    #[test]
    fn a_hunk_follows_the_users_changes_elsewhere() {
        check("x\ny\na\nb\nc\n", State::Proposed, (3, 4));
        check("a\nb\nc2\n", State::Proposed, (1, 2));
        check("a2\nb\nc\n", State::Proposed, (1, 2));
        check("b\nc\n", State::Proposed, (0, 1));
    }

    #[test]
    fn a_change_of_the_lines_around_it_does_not_make_them_its_own() {
        check("A2\nb2\nc2\n", State::Conflicted, (1, 2));
        check("x\ny\nb2\nz\nc\n", State::Conflicted, (0, 4));
    }

    #[test]
    fn a_text_that_was_emptied_and_restored_has_the_hunk_where_it_was() {
        let text = Rope::from_str("a\nb\nc\n");
        let empty = Rope::from_str("\n");
        for (when, own) in [(When::Before, "b\n"), (When::After, "b\n")] {
            let mut hunk = hunk(own, own, 1, 2);
            hunk.when = when;
            hunk.carry(&line_by_line(&text, &empty), &empty);
            hunk.carry(&line_by_line(&empty, &text), &text);
            assert_eq!(hunk.lines, LineRange::new(1, 2), "{when:?}");
            assert_eq!(hunk.state, State::Proposed);
        }
    }

    #[test]
    fn a_change_of_its_lines_is_a_conflict_until_it_is_undone() {
        check("a\nb!\nc\n", State::Conflicted, (1, 2));
        let first = Rope::from_str("a\nb\nc\n");
        let second = Rope::from_str("a\nb!\nc\n");
        let mut hunk = hunk("b\n", "B\n", 1, 2);
        hunk.carry(&line_by_line(&first, &second), &second);
        hunk.carry(&line_by_line(&second, &first), &first);
        assert_eq!(hunk.state, State::Proposed);
    }

    #[test]
    fn an_insertion_conflicts_with_one_at_the_same_boundary() {
        let before = Rope::from_str("a\nc\n");
        for (after, state) in [
            ("a\nmine\nc\n", State::Conflicted),
            ("mine\na\nc\n", State::Proposed),
            ("a\nc\nmine\n", State::Proposed),
            ("a typed\nc\n", State::Proposed),
            ("a\nc typed\n", State::Proposed),
        ] {
            let after = Rope::from_str(after);
            let mut hunk = hunk("", "b\n", 1, 1);
            hunk.carry(&line_by_line(&before, &after), &after);
            assert_eq!(hunk.state, state, "{after:?}");
        }
    }

    #[test]
    fn reverting_leaves_what_the_user_typed_in_it() {
        let text = Rope::from_str("a\nB mine\nc\n");
        let mut hunk = hunk("b\n", "B\n", 1, 2);
        hunk.state = State::Applied;
        assert_eq!(hunk.reverted(&text), "b mine\n");
        assert!(!hunk.is_undone(&text));
        assert!(hunk.is_undone(&Rope::from_str("a\nb\nc\n")));
    }

    #[test]
    fn a_range_meets_an_insertion_from_both_sides() {
        let insertion = hunk("", "b\n", 2, 2);
        assert!(!insertion.meets(0, 0));
        assert!(insertion.meets(1, 1));
        assert!(insertion.meets(2, 2));
        assert!(!insertion.meets(3, 9));
        let lines = hunk("b\n", "B\n", 2, 4);
        assert!(!lines.meets(0, 1));
        assert!(lines.meets(3, 3));
        assert!(!lines.meets(4, 4));
    }
}
