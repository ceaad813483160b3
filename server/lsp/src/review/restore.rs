//! Taking over what earlier servers left undecided, and telling the user of it.

use super::keep::Adopted;
use crate::state::State;
use std::sync::Arc;
use std::time::Duration;
use tower_lsp::ls_types::notification::ShowMessage;
use tower_lsp::ls_types::{MessageType, ShowMessageParams};

/// How long an earlier server may take to end.
const END: Duration = Duration::from_secs(3);

/// So many files are named.
const MAX_NAMED: usize = 5;

impl State {
    /// Takes over the undecided hunks of servers that are no more, when the workspace is known.
    pub fn restore(self: &Arc<Self>) {
        if !self.keeper.has_others() {
            return;
        }
        // Now, so that whoever asks next is told of them.
        if self.adopt() {
            let state = Arc::clone(self);
            self.spawn(async move {
                tokio::time::sleep(END).await;
                state.adopt();
                state.show_status();
            });
        }
    }

    /// Tells whether another server has hunks of this workspace.
    fn adopt(self: &Arc<Self>) -> bool {
        let guard = self.sessions.runtime(self).workspace().guard();
        let adopted = self.keeper.adopt(&guard);
        for fault in &adopted.faults {
            self.publisher.warn(fault);
        }
        for path in &adopted.files {
            self.follow(path);
        }
        if adopted.hunks > 0 {
            let names: Vec<_> = (adopted.shown.iter())
                .map(|path| guard.display(path))
                .collect();
            self.inform(&found(&adopted, &names));
        }
        adopted.busy
    }

    /// Tells what became of restored hunks without a decision.
    pub fn tell_restored(&self) {
        for told in self.book.take_told() {
            self.inform(&told);
        }
    }

    fn inform(&self, message: &str) {
        self.peer.notify::<ShowMessage>(&ShowMessageParams {
            typ: MessageType::INFO,
            message: format!("MewCode: {message}"),
        });
    }
}

fn found(adopted: &Adopted, names: &[String]) -> String {
    let (changes, wait) = match adopted.hunks {
        1 => ("1 change".to_owned(), "waits"),
        hunks => (format!("{hunks} changes"), "wait"),
    };
    let mut named = names[..names.len().min(MAX_NAMED)].join(", ");
    if let more @ 1.. = names.len().saturating_sub(MAX_NAMED) {
        named.push_str(&format!(" and {more} more files"));
    }
    let runs = match adopted.waiting {
        true => " The run that proposed it has ended: the agent is not told what you decide.",
        false => "",
    };
    format!("{changes} from before the restart {wait} for your decision: {named}.{runs}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_is_told_in_a_sentence() {
        let told = |hunks, waiting, files: usize| {
            let adopted = Adopted {
                hunks,
                waiting,
                ..Adopted::default()
            };
            let names: Vec<_> = (0..files).map(|number| format!("{number}.txt")).collect();
            found(&adopted, &names)
        };
        insta::assert_snapshot!(told(1, true, 1), @"1 change from before the restart waits for your decision: 0.txt. The run that proposed it has ended: the agent is not told what you decide.");
        insta::assert_snapshot!(told(9, false, 7), @"9 changes from before the restart wait for your decision: 0.txt, 1.txt, 2.txt, 3.txt, 4.txt and 2 more files.");
    }
}
