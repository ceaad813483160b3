//! `ask_user`: a question of the model to the user. What is asked is planned here; the runtime asks it.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::contract::{
    CallScope, Idempotency, Limits, Plan, Recovery, Risk, Tool, ToolContract, Work,
};
use crate::effect::EffectBound;
use crate::error::ToolError;
use crate::port::Choice;
use crate::schema::{self, Parameters};

const DESCRIPTION: &str = "\
Asks the user a question and waits for the answer, which is the result. Ask when you cannot go on well without it: when there are several ways \
that only the user can choose between, or when what is wanted is unclear and a wrong guess would cost much. Do not ask what you can find out \
yourself, and never for permission: that is asked for by itself. Give `options` where the answer is one of a few; the user may answer \
with other words all the same. Ask one thing at a time.";

/// Bytes of a question.
const MAX_QUESTION_BYTES: usize = 4000;

/// Options that a person can choose between.
const MAX_OPTIONS: usize = 10;

/// Bytes of an option.
const MAX_OPTION_BYTES: usize = 300;

/// See the module.
pub(super) struct AskUser {
    contract: ToolContract,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The question, with what the user must know to answer it.
    question: String,
    /// Answers to choose from, at most 10, first the one that you would choose. Default: none; any words are an answer.
    options: Option<Vec<String>>,
}

impl AskUser {
    pub(super) fn new() -> AskUser {
        let contract = ToolContract {
            name: "ask_user".to_owned(),
            description: DESCRIPTION.to_owned(),
            parameters: Parameters::of::<Arguments>(),
            effect_bound: EffectBound::new([]),
            idempotency: Idempotency::None,
            risk: Risk::Low,
            limits: Limits {
                bytes: 16 * 1024,
                lines: None,
                default_timeout_ms: 10_000,
                maximum_timeout_ms: 10_000,
            },
            recovery: Recovery::Rerun,
            version: 1,
        };
        AskUser { contract }
    }
}

impl Tool for AskUser {
    fn contract(&self) -> &ToolContract {
        &self.contract
    }

    fn plan(&self, arguments: Value, _: &CallScope) -> Result<Plan, ToolError> {
        let arguments: Arguments = schema::parse(arguments)?;
        let choice = Choice {
            question: arguments.question.trim().to_owned(),
            options: arguments.options.unwrap_or_default(),
        };
        check(&choice)?;
        Ok(Plan {
            effects: Vec::new(),
            timeout: None,
            work: Work::Ask(choice),
        })
    }
}

fn check(choice: &Choice) -> Result<(), ToolError> {
    let refused = |message| Err(ToolError::invalid_arguments(message));
    if choice.question.is_empty() {
        return refused("`question` says nothing.".to_owned());
    }
    if choice.question.len() > MAX_QUESTION_BYTES {
        return refused(format!(
            "`question` has {} bytes; the limit is {MAX_QUESTION_BYTES}.",
            choice.question.len()
        ));
    }
    if choice.options.len() > MAX_OPTIONS {
        return refused(format!(
            "There are {} options; the limit is {MAX_OPTIONS}.",
            choice.options.len()
        ));
    }
    for (index, option) in choice.options.iter().enumerate() {
        if option.trim().is_empty() {
            return refused(format!("Option {} says nothing.", index + 1));
        }
        if option.len() > MAX_OPTION_BYTES {
            return refused(format!(
                "Option {} has more than {MAX_OPTION_BYTES} bytes.",
                index + 1
            ));
        }
        if choice.options[..index].contains(option) {
            return refused(format!("Option {} is there twice.", index + 1));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
