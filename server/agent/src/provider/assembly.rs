//! Folds the events of one model turn into its parts. Half a turn never leaves this module as a whole one.
//!
//! Must not know any wire format, nor what the calls mean.

use serde_json::{Map, Value};

use super::{ProviderError, ProviderErrorKind, ProviderEvent, StopReason, Usage};

/// No answer of a model is near this long; a server that never ends one must not fill the memory.
const LONGEST_ANSWER: usize = 64 << 20;

/// What an event counts besides its text: it may begin a part of its own.
const EVENT_SIZE: usize = 64;

/// A model turn that came whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// What was said, in order.
    pub parts: Vec<Part>,
    /// The tokens it took, if the provider told.
    pub usage: Option<Usage>,
    /// Why the model stopped.
    pub stop: StopReason,
}

/// One part of a model turn.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// Text that is not blank.
    Text(String),
    /// Thinking with its seal.
    Thinking {
        /// The thinking.
        text: String,
        /// The provider's seal.
        signature: String,
    },
    /// Thinking that only the provider can read.
    RedactedThinking(String),
    /// A call.
    Call(RequestedCall),
}

/// A call as the model asked for it.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestedCall {
    /// The tool's name, unchecked.
    pub name: String,
    /// The arguments, or why there are none to use.
    pub arguments: Result<Map<String, Value>, BadArguments>,
}

/// Why the arguments of a call cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadArguments {
    /// The output limit fell into the call.
    #[error("the call was cut off by the output limit")]
    CutOff,
    /// The text is not JSON.
    #[error("the arguments are not valid JSON: {0}")]
    NotJson(String),
    /// The JSON is something else than an object.
    #[error("the arguments are {0} instead of a JSON object")]
    NotAnObject(&'static str),
}

/// Collects the events of one model turn.
#[derive(Debug, Default)]
pub struct Assembly {
    pieces: Vec<Piece>,
    usage: Option<Usage>,
    stop: Option<StopReason>,
    size: usize,
}

#[derive(Debug)]
enum Piece {
    Text(String),
    Thinking {
        text: String,
        signature: Option<String>,
    },
    RedactedThinking(String),
    Call {
        index: usize,
        name: String,
        json: String,
        ended: bool,
    },
}

impl Assembly {
    /// An assembly without any event.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next event.
    ///
    /// # Errors
    ///
    /// The event belongs to a call that did not begin, or the answer grows beyond every sensible size.
    pub fn push(&mut self, event: ProviderEvent) -> Result<(), ProviderError> {
        self.size += EVENT_SIZE + text_of(&event).len();
        if self.size > LONGEST_ANSWER {
            return Err(ProviderError::new(
                ProviderErrorKind::Protocol,
                format!(
                    "The provider's answer does not end: it was given up after {} MiB. Check that `base_url` names the \
                     right server.",
                    LONGEST_ANSWER >> 20
                ),
            ));
        }
        match event {
            ProviderEvent::Text(delta) => match self.pieces.last_mut() {
                Some(Piece::Text(text)) => text.push_str(&delta),
                _ => self.pieces.push(Piece::Text(delta)),
            },
            ProviderEvent::Thinking(delta) => match self.pieces.last_mut() {
                Some(Piece::Thinking {
                    text,
                    signature: None,
                }) => text.push_str(&delta),
                _ => self.pieces.push(Piece::Thinking {
                    text: delta,
                    signature: None,
                }),
            },
            ProviderEvent::ThinkingEnd { signature: seal } => match self.pieces.last_mut() {
                Some(Piece::Thinking {
                    signature: signature @ None,
                    ..
                }) => *signature = Some(seal),
                _ => self.pieces.push(Piece::Thinking {
                    text: String::new(),
                    signature: Some(seal),
                }),
            },
            ProviderEvent::RedactedThinking { data } => {
                self.pieces.push(Piece::RedactedThinking(data))
            }
            ProviderEvent::CallBegin { index, name } => {
                self.pieces.push(Piece::Call {
                    index,
                    name,
                    json: String::new(),
                    ended: false,
                });
            }
            ProviderEvent::CallArguments { index, json: delta } => {
                self.open_call(index)?.0.push_str(&delta)
            }
            ProviderEvent::CallEnd { index } => *self.open_call(index)?.1 = true,
            ProviderEvent::Usage(usage) => self.usage = Some(usage),
            ProviderEvent::Stop(stop) => self.stop = Some(stop),
        }
        Ok(())
    }

    fn open_call(&mut self, wanted: usize) -> Result<(&mut String, &mut bool), ProviderError> {
        self.pieces
            .iter_mut()
            .rev()
            .find_map(|piece| match piece {
                Piece::Call { index, json, ended, .. } if *index == wanted && !*ended => Some((json, ended)),
                _ => None,
            })
            .ok_or_else(|| {
                ProviderError::new(
                    ProviderErrorKind::Protocol,
                    format!("The provider sent arguments for call {wanted} of this turn, which is not open."),
                )
            })
    }

    /// The whole turn.
    ///
    /// # Errors
    ///
    /// The turn did not come to its end; nothing of it is kept.
    pub fn finish(self) -> Result<Turn, ProviderError> {
        let Some(stop) = self.stop else {
            return Err(ProviderError::new(
                ProviderErrorKind::Dropped,
                "The provider's stream ended in the middle of the answer.",
            ));
        };
        let last = self.pieces.len().saturating_sub(1);
        let cut = stop == StopReason::MaxTokens;
        let mut parts: Vec<Part> = Vec::new();
        for (position, piece) in self.pieces.into_iter().enumerate() {
            match piece {
                Piece::Text(text) if text.trim().is_empty() => {}
                Piece::Text(text) => parts.push(Part::Text(text)),
                Piece::Thinking { text, signature } => {
                    let signature = signature.unwrap_or_default();
                    // A block of nothing is refused when it goes back, and with it every later request.
                    if !text.is_empty() || !signature.is_empty() {
                        parts.push(Part::Thinking { text, signature });
                    }
                }
                Piece::RedactedThinking(data) => parts.push(Part::RedactedThinking(data)),
                Piece::Call {
                    name, json, ended, ..
                } => {
                    // The limit falls into the last part, whether or not what came of it happens to parse.
                    let arguments = if cut && (position == last || !ended) {
                        Err(BadArguments::CutOff)
                    } else {
                        parse(&json)
                    };
                    parts.push(Part::Call(RequestedCall { name, arguments }));
                }
            }
        }
        // A message must not end in thinking; with nothing after it, it led to nothing.
        while matches!(
            parts.last(),
            Some(Part::Thinking { .. } | Part::RedactedThinking(_))
        ) {
            parts.pop();
        }
        Ok(Turn {
            parts,
            usage: self.usage,
            stop,
        })
    }
}

/// What an event brings into the answer.
fn text_of(event: &ProviderEvent) -> &str {
    match event {
        ProviderEvent::Text(text) | ProviderEvent::Thinking(text) => text,
        ProviderEvent::ThinkingEnd { signature } => signature,
        ProviderEvent::RedactedThinking { data } => data,
        ProviderEvent::CallBegin { name, .. } => name,
        ProviderEvent::CallArguments { json, .. } => json,
        ProviderEvent::CallEnd { .. } | ProviderEvent::Usage(_) | ProviderEvent::Stop(_) => "",
    }
}

fn parse(json: &str) -> Result<Map<String, Value>, BadArguments> {
    if json.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(json) {
        Ok(Value::Object(arguments)) => Ok(arguments),
        Ok(Value::Null) => Ok(Map::new()),
        Ok(Value::Array(_)) => Err(BadArguments::NotAnObject("an array")),
        Ok(Value::String(_)) => Err(BadArguments::NotAnObject("a string")),
        Ok(Value::Number(_)) => Err(BadArguments::NotAnObject("a number")),
        Ok(Value::Bool(_)) => Err(BadArguments::NotAnObject("true or false")),
        Err(error) => Err(BadArguments::NotJson(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ProviderEvent as E;
    use serde_json::json;

    fn assemble(events: Vec<ProviderEvent>) -> Result<Turn, ProviderError> {
        let mut assembly = Assembly::new();
        for event in events {
            assembly.push(event)?;
        }
        assembly.finish()
    }

    fn call(index: usize, name: &str, pieces: &[&str]) -> Vec<ProviderEvent> {
        let mut events = vec![E::CallBegin {
            index,
            name: name.into(),
        }];
        events.extend(pieces.iter().map(|json| E::CallArguments {
            index,
            json: (*json).into(),
        }));
        events.push(E::CallEnd { index });
        events
    }

    fn arguments(turn: &Turn) -> Vec<Result<Value, String>> {
        turn.parts
            .iter()
            .filter_map(|part| match part {
                Part::Call(call) => Some(
                    call.arguments
                        .clone()
                        .map(Value::Object)
                        .map_err(|error| error.to_string()),
                ),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn deltas_become_parts_in_order() {
        let mut events = vec![
            E::Thinking("I must ".into()),
            E::Thinking("read.".into()),
            E::ThinkingEnd {
                signature: "seal".into(),
            },
            E::RedactedThinking { data: "xyz".into() },
            E::ThinkingEnd {
                signature: "bare seal".into(),
            },
            E::Text("Let me ".into()),
            E::Text("look.".into()),
        ];
        events.extend(call(5, "read_file", &["{\"pa", "th\":\"a.rs\"}"]));
        events.push(E::Usage(Usage {
            input_tokens: 3,
            ..Usage::default()
        }));
        events.push(E::Stop(StopReason::ToolUse));
        let turn = assemble(events).unwrap();
        assert_eq!(
            turn.parts,
            [
                Part::Thinking {
                    text: "I must read.".into(),
                    signature: "seal".into()
                },
                Part::RedactedThinking("xyz".into()),
                Part::Thinking {
                    text: String::new(),
                    signature: "bare seal".into()
                },
                Part::Text("Let me look.".into()),
                Part::Call(RequestedCall {
                    name: "read_file".into(),
                    arguments: Ok(json!({"path": "a.rs"}).as_object().unwrap().clone()),
                }),
            ]
        );
        assert_eq!(turn.usage.map(|usage| usage.input_tokens), Some(3));
    }

    #[test]
    fn calls_may_interleave() {
        let turn = assemble(vec![
            E::CallBegin {
                index: 0,
                name: "a".into(),
            },
            E::CallBegin {
                index: 1,
                name: "b".into(),
            },
            E::CallArguments {
                index: 1,
                json: "{\"n\":".into(),
            },
            E::CallArguments {
                index: 0,
                json: "{\"n\":0}".into(),
            },
            E::CallArguments {
                index: 1,
                json: "1}".into(),
            },
            E::CallEnd { index: 0 },
            E::CallEnd { index: 1 },
            E::Stop(StopReason::ToolUse),
        ])
        .unwrap();
        assert_eq!(arguments(&turn), [Ok(json!({"n": 0})), Ok(json!({"n": 1}))]);
    }

    #[test]
    fn a_turn_without_a_stop_is_an_error() {
        let error = assemble(vec![E::Text("half an ans".into())]).unwrap_err();
        assert_eq!(error.kind, ProviderErrorKind::Dropped);
    }

    #[test]
    fn arguments_of_no_open_call_are_an_error() {
        let mut events = call(0, "a", &[]);
        events.push(E::CallArguments {
            index: 0,
            json: "{}".into(),
        });
        assert_eq!(
            assemble(events).unwrap_err().kind,
            ProviderErrorKind::Protocol
        );
    }

    #[test]
    fn an_answer_without_end_is_given_up_before_it_fills_the_memory() {
        let long = || E::Text("x".repeat(1 << 20));
        let empty = || E::CallBegin {
            index: 0,
            name: String::new(),
        };
        let endless: [(&dyn Fn() -> E, usize); 2] = [(&long, 64), (&empty, 1 << 20)];
        for (event, most) in endless {
            let mut assembly = Assembly::new();
            let pushed = (0..=most).find_map(|_| assembly.push(event()).err());
            let error = pushed.expect("it grows beyond every sensible size");
            assert_eq!(error.kind, ProviderErrorKind::Protocol);
        }
    }

    #[test]
    fn absent_arguments_are_an_empty_object_and_others_say_what_they_are() {
        for (json, expected) in [
            ("", Ok(json!({}))),
            ("null", Ok(json!({}))),
            ("{}", Ok(json!({}))),
            (
                "[1]",
                Err("the arguments are an array instead of a JSON object"),
            ),
            (
                "\"x\"",
                Err("the arguments are a string instead of a JSON object"),
            ),
            (
                "{\"a\":",
                Err(
                    "the arguments are not valid JSON: EOF while parsing a value at line 1 column 5",
                ),
            ),
        ] {
            let mut events = call(0, "a", &[json]);
            events.push(E::Stop(StopReason::ToolUse));
            assert_eq!(
                arguments(&assemble(events).unwrap()),
                [expected.map_err(str::to_string)],
                "{json}"
            );
        }
    }

    #[test]
    fn only_the_call_that_the_limit_fell_into_is_cut() {
        let mut events = call(0, "first", &["{\"n\":1}"]);
        // It parses, but nobody knows whether it was meant to end here.
        events.extend(call(1, "second", &[]));
        events.push(E::Stop(StopReason::MaxTokens));
        let cut = Err("the call was cut off by the output limit".to_string());
        assert_eq!(
            arguments(&assemble(events).unwrap()),
            [Ok(json!({"n": 1})), cut]
        );
    }

    #[test]
    fn thinking_of_nothing_is_dropped() {
        let turn = assemble(vec![
            E::ThinkingEnd {
                signature: String::new(),
            },
            E::Text("Hi.".into()),
            E::Stop(StopReason::EndTurn),
        ])
        .unwrap();
        assert_eq!(turn.parts, [Part::Text("Hi.".into())]);
    }

    #[test]
    fn blank_text_and_thinking_that_leads_nowhere_are_dropped() {
        let turn = assemble(vec![
            E::Text("\n\n".into()),
            E::Thinking("hm".into()),
            E::Stop(StopReason::MaxTokens),
        ])
        .unwrap();
        assert_eq!(turn.parts, []);
    }
}
