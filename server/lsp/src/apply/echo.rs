//! What the editor's texts tell about an edit that is on its way to it. Pure: no clock, no wire.
//!
//! A reply proves nothing by itself: clients answer `applied: true` for edits that they skipped, and answer before or
//! after the `didChange` that shows the edit. What counts is where the edit's old and new text stand in the texts that
//! the editor sends. A verdict that something is *missing* must wait until the text that shows it was sent after the
//! reply, and until no further part of it is on its way; a verdict that the edit is *there* need not wait for anything.

use mewcode_core::carry::{Standing, standing};
use mewcode_core::edit::Edit;
use mewcode_core::text::Snapshot;
use std::time::Duration;

/// How long an editor may hold back its changes after it answered. Neovim sends them up to 150 ms later, eglot 500 ms.
pub(super) const QUIET: Duration = Duration::from_millis(1000);
/// How long the rest of a change may take that arrived in part.
const PARTS: Duration = Duration::from_millis(400);
/// How long a change that follows a keystroke may take when both were sent one after the other.
const FOLLOW_UP: Duration = Duration::from_millis(30);

/// The client's answer to the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    /// None yet.
    Pending,
    /// It says that the edit is in the buffer.
    Applied,
    /// It says that it is not.
    Declined,
    /// It met another text by its hash, and so did nothing.
    Stale,
}

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The edit is in the text, for good.
    Landed,
    /// Nothing can be said before the reply.
    AwaitReply,
    /// The edit met another text and is nowhere on its way: send it again for the present text, at once.
    Overtaken,
    /// If nothing else arrives in this time, then…
    Settle(Duration, Settled),
}

/// The verdict that stands when nothing else arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// The edit was skipped because the user typed meanwhile: send it again for the present text.
    Overtaken,
    /// Nothing changed at all, whatever the client answered.
    Ignored,
    /// The client declined, and nothing changed.
    Declined,
    /// The user changed the very place.
    Stale,
    /// Some of the edit is in the text and some is not.
    Partial,
}

/// An edit on its way.
#[derive(Debug)]
pub struct Flight<'a> {
    edit: &'a Edit,
    base: &'a Snapshot,
    reply: Reply,
    /// Where the edit stands in the newest text.
    standing: Standing,
    /// The newest text differs from the base.
    moved: bool,
    /// The newest text arrived after the reply.
    fresh: bool,
}

impl<'a> Flight<'a> {
    /// The edit, about to be sent for `base`.
    pub fn new(edit: &'a Edit, base: &'a Snapshot) -> Self {
        Self {
            edit,
            base,
            reply: Reply::Pending,
            standing: Standing::NotLanded,
            moved: false,
            fresh: false,
        }
    }

    /// The editor sent a text.
    pub fn text(&mut self, text: &Snapshot) -> Verdict {
        self.moved =
            !text.ptr_eq(self.base) && !mewcode_core::diff::equal(text.rope(), self.base.rope());
        self.standing = standing(self.edit, self.base, text.rope());
        self.fresh = self.reply != Reply::Pending;
        self.verdict()
    }

    /// The client answered.
    pub fn reply(&mut self, reply: Reply) -> Verdict {
        self.reply = reply;
        self.verdict()
    }

    /// Whether any text but the base was seen.
    pub fn moved(&self) -> bool {
        self.moved
    }

    fn verdict(&self) -> Verdict {
        use Settled::{Declined, Ignored, Overtaken, Partial, Stale};
        let applied = match (self.standing, self.reply) {
            (Standing::Landed, _) => return Verdict::Landed,
            (_, Reply::Pending) => return Verdict::AwaitReply,
            // The next key must not prolong the wait.
            (_, Reply::Stale) if self.moved => return Verdict::Overtaken,
            (_, reply) => reply == Reply::Applied,
        };
        let (patience, settled) = match self.standing {
            Standing::NotLanded if !self.moved && applied => (QUIET, Ignored),
            Standing::NotLanded if !self.moved => (PARTS, Declined),
            // A text from before the reply cannot tell what the reply's edit did.
            Standing::NotLanded if self.fresh || !applied => (FOLLOW_UP, Overtaken),
            Standing::NotLanded => (QUIET, Overtaken),
            Standing::Partial => (PARTS, Partial),
            Standing::Neither => (PARTS, Stale),
            Standing::Landed => return Verdict::Landed,
        };
        Verdict::Settle(patience, settled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mewcode_core::edit::Replacement;
    use mewcode_core::position::ByteRange;

    /// What happens to the flight of `one\ntwo\nthree\n` with `two` → `TWO` and `three` → `THREE`.
    enum Step {
        Text(&'static str),
        Reply(Reply),
    }
    use Step::{Reply as Answer, Text};

    fn check(steps: &[Step], expected: Verdict) {
        let base = Snapshot::decode("one\ntwo\nthree\n");
        let replace = |start, end, text: &str| Replacement {
            range: ByteRange::new(start, end),
            text: text.into(),
        };
        let edit = Edit::new(&base, vec![replace(4, 7, "TWO"), replace(8, 13, "THREE")]).unwrap();
        let mut flight = Flight::new(&edit, &base);
        let mut verdict = Verdict::AwaitReply;
        for step in steps {
            verdict = match step {
                Text(text) => flight.text(&Snapshot::decode(text)),
                Answer(reply) => flight.reply(*reply),
            };
        }
        assert_eq!(verdict, expected);
    }

    #[test]
    fn the_text_proves_the_edit_before_and_after_the_reply() {
        check(&[Text("one\nTWO\nTHREE\n")], Verdict::Landed);
        check(
            &[Answer(Reply::Applied), Text("one\nTWO\nTHREE\n")],
            Verdict::Landed,
        );
        check(
            &[Answer(Reply::Declined), Text("one\nTWO\nTHREE\n")],
            Verdict::Landed,
        );
    }

    #[test]
    fn typing_in_the_same_message_does_not_hide_the_edit() {
        check(&[Text("zero\none x\nTWO\nTHREE y\n")], Verdict::Landed);
    }

    #[test]
    fn nothing_is_missing_before_the_reply() {
        check(&[Text("one x\ntwo\nthree\n")], Verdict::AwaitReply);
        check(&[Text("one\nTWO\nthree\n")], Verdict::AwaitReply);
    }

    #[test]
    fn a_reply_alone_proves_nothing() {
        check(
            &[Answer(Reply::Applied)],
            Verdict::Settle(QUIET, Settled::Ignored),
        );
        check(
            &[Answer(Reply::Declined)],
            Verdict::Settle(PARTS, Settled::Declined),
        );
    }

    #[test]
    fn an_edit_that_typing_overtook_is_sent_again() {
        check(
            &[Answer(Reply::Applied), Text("one x\ntwo\nthree\n")],
            Verdict::Settle(FOLLOW_UP, Settled::Overtaken),
        );
        // The text came before the reply: the edit may still follow.
        check(
            &[Text("one x\ntwo\nthree\n"), Answer(Reply::Applied)],
            Verdict::Settle(QUIET, Settled::Overtaken),
        );
        check(
            &[Text("one x\ntwo\nthree\n"), Answer(Reply::Declined)],
            Verdict::Settle(FOLLOW_UP, Settled::Overtaken),
        );
    }

    #[test]
    fn a_stale_edit_is_sent_again_at_once() {
        let moved = Text("one x\ntwo\nthree\n");
        check(&[moved, Answer(Reply::Stale)], Verdict::Overtaken);
        check(
            &[Answer(Reply::Stale), Text("one x\ntwo\nthree\n")],
            Verdict::Overtaken,
        );
        check(
            &[Answer(Reply::Stale)],
            Verdict::Settle(PARTS, Settled::Declined),
        );
    }

    #[test]
    fn a_change_in_parts_is_waited_for() {
        check(
            &[Answer(Reply::Applied), Text("one\nTWO\nthree\n")],
            Verdict::Settle(PARTS, Settled::Partial),
        );
        check(
            &[
                Answer(Reply::Applied),
                Text("one\nTWO\nthree\n"),
                Text("one\nTWO\nTHREE\n"),
            ],
            Verdict::Landed,
        );
    }

    #[test]
    fn a_change_of_the_same_place_is_stale() {
        check(
            &[Answer(Reply::Applied), Text("one\nmine\nours\n")],
            Verdict::Settle(PARTS, Settled::Stale),
        );
    }
}
