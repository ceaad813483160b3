//! A question of the model to a person: put by the runtime, outside every time-out. Knows no tool by name.

use super::{CallContext, Runtime};
use crate::contract::ToolContract;
use crate::error::ToolError;
use crate::notice::Notice;
use crate::permission::Mode;
use crate::port::{Answer, Choice, Question, Subject};
use crate::result::ToolResult;

/// What to do without an answer.
const DECIDE: &str =
    "Decide yourself by what you know, and tell the user what you took for granted.";

/// Characters of a question in a line about it.
const TITLE_CHARS: usize = 120;

impl Runtime {
    /// Asks, and waits as long as the person thinks.
    pub(super) async fn choose(
        &self,
        context: &CallContext,
        contract: &ToolContract,
        choice: Choice,
    ) -> ToolResult {
        if context.mode == Mode::DontAsk {
            return unasked("The mode `dont_ask` asks the user nothing.");
        }
        if !self.host.asker.is_attended() {
            return nobody();
        }
        let title = title(&choice.question);
        let question = Question {
            session: context.session.clone(),
            call: context.call.clone(),
            tool: contract.name.clone(),
            reason: context.reason.clone(),
            subject: Subject::Choice(choice),
        };
        context.notices.tell(Notice::Asked {
            title: title.clone(),
        });
        let answer = self
            .host
            .asker
            .ask(question, context.cancel.child_token())
            .await;
        let (words, result) = ended(answer);
        context.notices.tell(Notice::Answered {
            title,
            answer: words,
        });
        result
    }
}

/// The answer in a few words, and the result of the call.
fn ended(answer: Answer) -> (String, ToolResult) {
    match answer {
        Answer::Chosen(text) => (format!("answered: {}", title(&text)), ToolResult::ok(text)),
        Answer::Deny { feedback } => {
            let words =
                feedback.map_or_else(String::new, |words| format!(" The user said: “{words}”"));
            let error = ToolError::rejected_by_user(format!(
                "The user does not want to answer this.{words}"
            ))
            .suggest("Do not ask the same again; go on without it, or stop.");
            ("not answered".to_owned(), ToolResult::error(error))
        }
        Answer::Withdrawn => (
            "withdrawn".to_owned(),
            ToolResult::interrupted("The question was withdrawn before it was answered."),
        ),
        Answer::Unattended => ("nobody is there to answer".to_owned(), nobody()),
        // Yes to a question that is not about a permission: no words that could be handed on.
        Answer::AllowOnce | Answer::AllowSession | Answer::AllowAlways => {
            let error = ToolError::internal(
                "The question was answered as if it had been about a permission.",
            );
            ("not answered".to_owned(), ToolResult::error(error))
        }
    }
}

fn nobody() -> ToolResult {
    unasked("There is nobody here who could answer.")
}

fn unasked(reason: &str) -> ToolResult {
    let error = ToolError::unavailable(reason).suggest(DECIDE);
    ToolResult::error(ToolError {
        retryable: false,
        ..error
    })
}

/// A text in one line.
fn title(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(TITLE_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests;
