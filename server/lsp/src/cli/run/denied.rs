//! What a run was denied, and the flags that would allow it: nobody was there to be asked, so this is the question.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use mewcode_agent::event::{Envelope, Event, Events};
use mewcode_tools::permission::{Mode, Policy, Request, Verdict};
use mewcode_tools::result::{ErrorKind, Status};
use mewcode_tools::runtime::{CallContext, Runtime};
use serde_json::Value;

use crate::cli::by_hand;

/// At most this many are told.
const MAX_TOLD: usize = 5;

/// Passes a run's events on, and keeps the calls that were denied by a rule or the mode.
pub struct Denied<Next> {
    next: Next,
    calls: Mutex<Calls>,
}

#[derive(Default)]
struct Calls {
    under_way: HashMap<String, Value>,
    denied: Vec<(String, Value)>,
}

impl<Next> Denied<Next> {
    /// Passes them on to this one.
    pub fn new(next: Next) -> Denied<Next> {
        Denied {
            next,
            calls: Mutex::default(),
        }
    }

    /// One sentence for each call that was denied and that a flag could allow, in the order of the calls. In the mode
    /// `plan` none could.
    pub async fn hints(&self, tools: &Runtime, policy: &Policy, mode: Mode) -> Vec<String> {
        if mode == Mode::Plan {
            return Vec::new();
        }
        let context = by_hand();
        let denied = {
            let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut calls.denied)
        };
        let mut hints = Vec::new();
        for (tool, arguments) in denied {
            let Some(hint) = hint(tools, policy, &context, &tool, arguments).await else {
                continue;
            };
            if !hints.contains(&hint) {
                hints.push(hint);
            }
            if hints.len() == MAX_TOLD {
                break;
            }
        }
        hints
    }
}

/// What a person would have been asked, and which flags would have spared the question.
async fn hint(
    tools: &Runtime,
    policy: &Policy,
    context: &CallContext,
    tool: &str,
    arguments: Value,
) -> Option<String> {
    let planned = tools.prepare(context, tool, arguments).await.ok()?;
    let guard = tools.workspace().guard();
    let decide = |mode| {
        policy.decide(&Request {
            session: &context.session,
            tool,
            effects: planned.effects(),
            mode,
            roots: guard.roots(),
        })
    };
    let question = decide(Mode::Default).question?;
    let mut flags: Vec<_> = question
        .rules
        .iter()
        .map(|rule| format!("--allow '{}'", rule.replace('\'', r"'\''")))
        .collect();
    if flags.is_empty() {
        // No rule is proposed for an edit, which a person reviews.
        if !matches!(decide(Mode::AcceptEdits).verdict, Verdict::Allow(_)) {
            return None;
        }
        flags.push("--mode accept_edits".to_owned());
    }
    Some(format!(
        "not done: {}. To allow it: {}",
        question.title,
        flags.join(" ")
    ))
}

impl<Next: Events> Events for Denied<Next> {
    fn emit(&self, envelope: &Envelope) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        match &envelope.event {
            Event::CallStarted {
                call, arguments, ..
            } => {
                calls.under_way.insert(call.clone(), arguments.clone());
            }
            Event::CallEnded {
                call,
                tool,
                status,
                error_kind,
                ..
            } => {
                let arguments = calls.under_way.remove(call);
                let by_policy = *error_kind == Some(ErrorKind::DeniedByPolicy);
                if let (Status::Denied, true, Some(arguments)) = (status, by_policy, arguments) {
                    calls.denied.push((tool.clone(), arguments));
                }
            }
            _ => {}
        }
        drop(calls);
        self.next.emit(envelope);
    }
}
