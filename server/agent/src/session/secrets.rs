//! Takes secrets out of what a session tells and keeps. The conversation with the model has them still: it is made of what
//! was said.
//!
//! Must not know why anything happens, nor what a secret looks like: the tools' redactor does.

use std::borrow::Cow;
use std::sync::Arc;

use mewcode_tools::notice::PlanStep;
use mewcode_tools::redact::Redactor;
use mewcode_tools::result::change_strings;

use crate::event::Event;
use crate::log::Entry;
use crate::message::Block;

/// What takes the secrets out of one session's words.
pub(super) struct Secrets {
    redactor: Arc<Redactor>,
    session: String,
    /// The end of the model's words so far that may be the beginning of a secret, told when it is clear.
    held: Option<(Voice, String)>,
}

/// What the model does with words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Voice {
    Says,
    Thinks,
}

impl Voice {
    fn event(self, delta: String) -> Event {
        match self {
            Self::Says => Event::Text { delta },
            Self::Thinks => Event::Thinking { delta },
        }
    }
}

impl Secrets {
    pub(super) fn new(redactor: Arc<Redactor>, session: String) -> Self {
        Self {
            redactor,
            session,
            held: None,
        }
    }

    /// What is told in place of an event, in order.
    pub(super) fn told(&mut self, mut event: Event) -> Vec<Event> {
        let (voice, delta) = match event {
            Event::Text { delta } => (Voice::Says, delta),
            Event::Thinking { delta } => (Voice::Thinks, delta),
            _ => {
                // Of a turn that is void nothing more is told.
                let rest = self
                    .rest()
                    .filter(|_| !matches!(event, Event::Retrying { .. }));
                self.clean_event(&mut event);
                return rest.into_iter().chain([event]).collect();
            }
        };
        let (mut told, mut text) = (Vec::new(), delta);
        match self.held.take() {
            Some((held, before)) if held == voice => text = before + &text,
            held => {
                self.held = held;
                told.extend(self.rest());
            }
        }
        let (clear, length) = self.redactor.conceal_beginning(&self.session, &text);
        if !clear.is_empty() {
            told.push(voice.event(clear.into_owned()));
        }
        text.drain(..length);
        if !text.is_empty() {
            self.held = Some((voice, text));
        }
        told
    }

    /// What was held back of words that do not go on.
    pub(super) fn rest(&mut self) -> Option<Event> {
        let (voice, text) = self.held.take()?;
        let clear = self.redactor.conceal_end(&self.session, &text);
        Some(voice.event(clear.into_owned()))
    }

    /// What is kept in place of an entry.
    pub(super) fn kept(&self, mut entry: Entry) -> Entry {
        let clean = |text: &mut String| self.clean(text);
        match &mut entry {
            Entry::UserMessage { content } | Entry::Answer { content, .. } => {
                content.iter_mut().for_each(|block| self.clean_block(block));
            }
            Entry::CallIntended { arguments, .. } => change_strings(arguments, &clean),
            Entry::ApprovalAsked { title, .. } => clean(title),
            Entry::ApprovalAnswered { title, answer, .. } => {
                clean(title);
                clean(answer);
            }
            Entry::RuleAdded { rule, .. } => clean(rule),
            Entry::Plan { steps, .. } => self.clean_steps(steps),
            Entry::CallEnded { result, .. } => result.change_texts(&clean),
            Entry::Retry { reason, .. } => clean(reason),
            Entry::RunEnded { message, .. } => message.iter_mut().for_each(clean),
            // None of these has words of a person, a model or a tool.
            Entry::SessionStarted { .. }
            | Entry::RunStarted {}
            | Entry::PromptPrefix { .. }
            | Entry::Request { .. } => {}
        }
        entry
    }

    fn clean_event(&self, event: &mut Event) {
        let clean = |text: &mut String| self.clean(text);
        match event {
            Event::RunStarted { prompt } => clean(prompt),
            Event::CallStarted {
                arguments,
                title,
                purpose,
                ..
            } => {
                change_strings(arguments, &clean);
                clean(title);
                purpose.iter_mut().for_each(clean);
            }
            Event::ApprovalAsked { title, .. } => clean(title),
            Event::ApprovalAnswered { title, answer, .. } => {
                clean(title);
                clean(answer);
            }
            Event::RuleAdded { rule, .. } => clean(rule),
            Event::Plan { steps, .. } => self.clean_steps(steps),
            Event::Output { tail, .. } => clean(tail),
            Event::CallEnded {
                summary,
                output,
                files,
                ..
            } => {
                clean(summary);
                output.iter_mut().for_each(clean);
                files.iter_mut().for_each(|file| clean(&mut file.diff));
            }
            Event::Retrying { reason, .. } => clean(reason),
            Event::RunEnded { message, .. } => message.iter_mut().for_each(clean),
            // The model's words come in pieces, which go through `told`.
            Event::Text { .. } | Event::Thinking { .. } | Event::Usage(_) => {}
        }
    }

    fn clean_block(&self, block: &mut Block) {
        match block {
            Block::Text { text } | Block::Thinking { text, .. } => self.clean(text),
            Block::ToolUse { input, .. } => change_strings(input, &|text| self.clean(text)),
            Block::ToolResult { content, .. } => self.clean(content),
            // Only its provider can read it.
            Block::RedactedThinking { .. } => {}
        }
    }

    fn clean_steps(&self, steps: &mut [PlanStep]) {
        steps.iter_mut().for_each(|step| self.clean(&mut step.step));
    }

    fn clean(&self, text: &mut String) {
        if let Cow::Owned(clean) = self.redactor.conceal(&self.session, text) {
            *text = clean;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets() -> Secrets {
        let known = ("MY_API_TOKEN".to_owned(), "supersecretvalue123".to_owned());
        let longer = (
            "OTHER_TOKEN".to_owned(),
            "supersecretvalue123-long".to_owned(),
        );
        let third = ("THIRD_TOKEN".to_owned(), "3-three-three".to_owned());
        Secrets::new(
            Arc::new(Redactor::new([known, longer, third])),
            "session".to_owned(),
        )
    }

    fn text(delta: &str) -> Event {
        Event::Text {
            delta: delta.to_owned(),
        }
    }

    /// The deltas that are told of these events, by voice.
    fn told(events: impl IntoIterator<Item = Event>) -> Vec<String> {
        let mut secrets = secrets();
        let told = events.into_iter().flat_map(|event| secrets.told(event));
        let told: Vec<Event> = told.collect();
        told.into_iter()
            .chain(secrets.rest())
            .map(|event| match event {
                Event::Text { delta } => delta,
                Event::Thinking { delta } => format!("({delta})"),
                Event::Retrying { .. } => "again".to_owned(),
                other => panic!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn a_secret_is_found_wherever_the_models_words_are_cut() {
        let words = "It is supersecretvalue123, ünd supersecretvalue123-long.";
        let expected = "It is ‹redacted: MY_API_TOKEN›, ünd ‹redacted: OTHER_TOKEN›.";
        for (at, _) in words.char_indices() {
            let pieces = [text(&words[..at]), text(&words[at..])];
            assert_eq!(told(pieces).concat(), expected, "cut at {at}");
        }
        let letters = words.chars().map(|letter| text(&letter.to_string()));
        assert_eq!(told(letters).concat(), expected);
    }

    #[test]
    fn words_that_begin_no_secret_are_told_at_once() {
        assert_eq!(told([text("one "), text("two")]), ["one ", "two"]);
        // What may go on is told with what shows that it does not.
        assert_eq!(told([text("the sup"), text("per")]), ["the ", "supper"]);
        assert_eq!(told([text("the sup")]), ["the ", "sup"]);
    }

    #[test]
    fn what_is_held_back_stays_with_its_voice_and_its_turn() {
        let thinking = Event::Thinking {
            delta: "super".to_owned(),
        };
        assert_eq!(
            told([thinking, text("secretvalue123")]),
            ["(super)", "secretvalue12", "3"]
        );
        let retrying = Event::Retrying {
            attempt: 1,
            attempts: 2,
            delay_ms: 0,
            reason: "busy".to_owned(),
        };
        assert_eq!(told([text("a super"), retrying]), ["a ", "again"]);
    }
}
