//! What is done for a command that goes on after its call: documents are brought up to date whose files it changes, and
//! what is to be known of it is kept until somebody asks. Starts no command and ends none.

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::buffers::Before;
use super::hindered;
use super::output::Output;
use super::report;
use crate::blocking::on_a_thread;
use crate::contract::CallScope;
use crate::notice::Notices;
use crate::process::{Ending, Question, Running};
use crate::sandbox::Policy;

/// What is known of a command when its call is over.
pub(super) struct Following {
    /// None: it is proven to change nothing.
    pub(super) documents: Option<Before>,
    /// How it is confined, as far as that may be told.
    pub(super) policy: Policy,
    /// What has been told of a refusal.
    pub(super) refusal: Option<String>,
}

impl Following {
    /// Goes on with this until nobody can ask for it any longer.
    pub(super) fn go_on(self, running: &Running, scope: &CallScope) {
        let Some(questions) = running.follow() else {
            return;
        };
        // Nothing of the call that is over.
        let scope = CallScope {
            notices: Notices::default(),
            cancel: CancellationToken::new(),
            ledger: None,
            ..scope.clone()
        };
        tokio::spawn(self.follow(running.clone(), scope, questions));
    }

    async fn follow(
        mut self,
        running: Running,
        scope: CallScope,
        mut questions: mpsc::UnboundedReceiver<Question>,
    ) {
        let mut notes = Vec::new();
        let ending = loop {
            tokio::select! {
                biased;
                ending = running.wait() => break ending,
                Some(question) = questions.recv() => {
                    self.put_in_order(&scope, &mut notes).await;
                    answer(question, &mut notes);
                }
            }
        };
        self.put_in_order(&scope, &mut notes).await;
        let mut at_end = self.at_end(&running, ending, &scope).await;
        // It is known only as long as somebody else knows it: then the questions end too.
        drop((running, scope));
        while let Some(question) = questions.recv().await {
            if question.knows_end {
                notes.append(&mut at_end);
            }
            answer(question, &mut notes);
        }
    }

    async fn put_in_order(&mut self, scope: &CallScope, notes: &mut Vec<String>) {
        if let Some(documents) = self.documents.take() {
            let (documents, more) = documents.brought_up_to_date(&scope.workspace).await;
            self.documents = Some(documents);
            notes.extend(more);
        }
    }

    /// What is to be known when it has ended.
    async fn at_end(&self, running: &Running, ending: Ending, scope: &CallScope) -> Vec<String> {
        let (running, scope, policy) = (running.clone(), scope.clone(), self.policy.clone());
        let (mut notes, refusal) = on_a_thread(move || {
            let output = Output::of(&running, &scope);
            let refusal = hindered::by_the_sandbox(&running, &output.plain, &policy);
            let mut notes = report::notes_of(&running, &ending);
            notes.extend(hindered::by_limits(&running, &output, &scope.host.commands));
            (notes, refusal.map(|refusal| refusal.to_string()))
        })
        .await;
        notes.extend(refusal.filter(|refusal| self.refusal.as_ref() != Some(refusal)));
        notes
    }
}

/// Gives all notes; keeps them when nobody waits for them any longer.
fn answer(question: Question, notes: &mut Vec<String>) {
    if let Err(untold) = question.answer.send(std::mem::take(notes)) {
        *notes = untold;
    }
}
