//! The conversation of one session, kept valid for every provider: roles alternate, and each call of the model is
//! answered in the very next message, whatever ended the run.
//!
//! Must not know providers, tools or events.

use serde_json::Value;

use crate::message::{Block, Message, Role};

/// The messages of a session so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Conversation {
    messages: Vec<Message>,
}

impl Conversation {
    /// An empty conversation.
    pub fn new() -> Self {
        Self::default()
    }

    /// The messages, oldest first.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Adds what the user's side says. Two things said in a row become one message, so that roles alternate; open
    /// calls must have been answered before.
    pub fn say(&mut self, blocks: Vec<Block>) {
        debug_assert!(
            self.open_calls().is_empty()
                || matches!(blocks.first(), Some(Block::ToolResult { .. })),
            "the user speaks only after the results"
        );
        self.push(Role::User, blocks);
    }

    /// Adds what the model answered. An empty answer adds nothing: providers refuse an empty message.
    pub fn answer(&mut self, blocks: Vec<Block>) {
        self.push(Role::Assistant, blocks);
    }

    fn push(&mut self, role: Role, blocks: Vec<Block>) {
        if blocks.is_empty() {
            return;
        }
        match self.messages.last_mut() {
            Some(last) if last.role == role => last.content.extend(blocks),
            _ => self.messages.push(Message {
                role,
                content: blocks,
            }),
        }
    }

    /// The calls of the model's last message that have no result yet, with their tools, in call order.
    pub fn open_calls(&self) -> Vec<(String, String)> {
        let Some(asked_at) = self
            .messages
            .iter()
            .rposition(|message| message.role == Role::Assistant)
        else {
            return Vec::new();
        };
        let answered: Vec<&str> = self.messages[asked_at + 1..]
            .iter()
            .flat_map(|message| &message.content)
            .filter_map(answered_id)
            .collect();
        self.messages[asked_at]
            .content
            .iter()
            .filter_map(|block| match block {
                Block::ToolUse { id, name, .. } if !answered.contains(&id.as_str()) => {
                    Some((id.clone(), name.clone()))
                }
                _ => None,
            })
            .collect()
    }

    /// What is wrong with the conversation for a provider, if anything. A conversation that was built by [`say`] and
    /// [`answer`] with every call answered has no fault.
    ///
    /// [`say`]: Conversation::say
    /// [`answer`]: Conversation::answer
    pub fn fault(&self) -> Option<String> {
        fault(&self.messages)
    }
}

fn answered_id(block: &Block) -> Option<&str> {
    match block {
        Block::ToolResult { id, .. } => Some(id),
        _ => None,
    }
}

/// What is wrong with these messages as a request to a model, if anything.
pub fn fault(messages: &[Message]) -> Option<String> {
    if messages
        .first()
        .is_none_or(|message| message.role != Role::User)
    {
        return Some("a conversation begins with the user".into());
    }
    let mut open: Vec<&str> = Vec::new();
    let mut expected = Role::User;
    for (index, message) in messages.iter().enumerate() {
        if message.role != expected {
            return Some(format!(
                "message {index}: two messages of one side in a row"
            ));
        }
        expected = if message.role == Role::User {
            Role::Assistant
        } else {
            Role::User
        };
        if message.content.is_empty() {
            return Some(format!("message {index} is empty"));
        }
        let answered: Vec<&str> = message.content.iter().filter_map(answered_id).collect();
        if answered != open {
            return Some(format!(
                "message {index} answers the calls {answered:?}, but {open:?} were asked"
            ));
        }
        if message
            .content
            .iter()
            .skip(open.len())
            .any(|block| answered_id(block).is_some())
        {
            return Some(format!(
                "message {index}: results come before anything else"
            ));
        }
        open.clear();
        for block in &message.content {
            match block {
                Block::Text { text } if text.trim().is_empty() => {
                    return Some(format!("message {index} has a blank text"));
                }
                Block::ToolUse { id, input, .. } => {
                    if !matches!(input, Value::Object(_)) {
                        return Some(format!(
                            "message {index}: the arguments of {id} are no object"
                        ));
                    }
                    open.push(id);
                }
                _ => {}
            }
        }
    }
    if open.is_empty() {
        None
    } else {
        Some(format!("the calls {open:?} have no result"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(id: &str) -> Block {
        Block::ToolUse {
            id: id.into(),
            name: "read_file".into(),
            input: json!({}),
        }
    }

    fn result(id: &str) -> Block {
        Block::ToolResult {
            id: id.into(),
            content: "ok".into(),
            is_error: false,
        }
    }

    #[test]
    fn roles_alternate_even_after_an_empty_answer() {
        let mut conversation = Conversation::new();
        conversation.say(vec![Block::text("one")]);
        conversation.answer(Vec::new());
        conversation.say(vec![Block::text("two")]);
        conversation.answer(vec![Block::text("three")]);
        assert_eq!(conversation.messages().len(), 2);
        assert_eq!(
            conversation.messages()[0].content,
            [Block::text("one"), Block::text("two")]
        );
        assert_eq!(conversation.fault(), None);
    }

    #[test]
    fn open_calls_are_those_of_the_last_answer_without_a_result() {
        let mut conversation = Conversation::new();
        assert!(conversation.open_calls().is_empty());
        conversation.say(vec![Block::text("go")]);
        conversation.answer(vec![call("call_1"), call("call_2")]);
        conversation.say(vec![result("call_1")]);
        assert_eq!(
            conversation.open_calls(),
            [("call_2".to_string(), "read_file".to_string())]
        );
        assert!(
            conversation
                .fault()
                .is_some_and(|fault| fault.contains("call_2"))
        );
        conversation.say(vec![result("call_2")]);
        assert!(conversation.open_calls().is_empty());
        assert_eq!(conversation.fault(), None);
    }

    #[test]
    fn each_fault_is_named() {
        let user = |content: Vec<Block>| Message {
            role: Role::User,
            content,
        };
        let model = |content: Vec<Block>| Message {
            role: Role::Assistant,
            content,
        };
        let go = || user(vec![Block::text("go")]);
        for (messages, named) in [
            (vec![], "begins with the user"),
            (vec![model(vec![Block::text("hi")])], "begins with the user"),
            (vec![go(), go()], "in a row"),
            (vec![go(), model(vec![])], "is empty"),
            (vec![user(vec![Block::text(" \n")])], "blank text"),
            (vec![go(), model(vec![call("a")])], "have no result"),
            (vec![go(), model(vec![call("a")]), go()], "were asked"),
            (
                vec![user(vec![Block::text("go"), result("a")])],
                "were asked",
            ),
            (
                vec![
                    go(),
                    model(vec![call("a")]),
                    user(vec![Block::text("go"), result("a")]),
                ],
                "before anything else",
            ),
            (
                vec![
                    go(),
                    model(vec![Block::ToolUse {
                        id: "a".into(),
                        name: "x".into(),
                        input: json!([]),
                    }]),
                ],
                "are no object",
            ),
        ] {
            let fault = fault(&messages).unwrap_or_default();
            assert!(fault.contains(named), "{fault:?} should name {named:?}");
        }
    }
}
