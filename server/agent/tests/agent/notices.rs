//! What calls tell before they end: heard in order, before the result of the call, and kept in the log.

use std::sync::{Arc, Mutex};

use mewcode_agent::event::Event;
use mewcode_agent::log::Entry;
use mewcode_agent::session::RunOutcome;
use mewcode_tools::contract::{
    CallScope, Idempotency, Limits, Plan, Recovery, Risk, Run, Tool, ToolContract, Work,
};
use mewcode_tools::effect::{Effect, EffectBound, EffectKind};
use mewcode_tools::error::ToolError;
use mewcode_tools::notice::{Notice, Notices};
use mewcode_tools::port::BoxFuture;
use mewcode_tools::result::ToolResult;
use mewcode_tools::schema::Parameters;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{Place, records, run};

/// A tool whose calls tell what they are told to tell; what is told late is told by the next call in the name of this one.
struct Teller {
    contract: ToolContract,
    late: Arc<Mutex<Vec<(Notices, Notice)>>>,
}

#[derive(Deserialize)]
struct Telling {
    tells: Vec<Notice>,
    #[serde(default)]
    late: Vec<Notice>,
    #[serde(skip)]
    shared: Arc<Mutex<Vec<(Notices, Notice)>>>,
}

impl Tool for Teller {
    fn contract(&self) -> &ToolContract {
        &self.contract
    }

    fn plan(&self, arguments: Value, _: &CallScope) -> Result<Plan, ToolError> {
        let mut telling: Telling = mewcode_tools::schema::parse(arguments)?;
        telling.shared = Arc::clone(&self.late);
        Ok(Plan {
            // One after the other.
            effects: vec![Effect::Workspace],
            timeout: None,
            work: Work::Run(Box::new(telling)),
        })
    }
}

impl Run for Telling {
    fn run(self: Box<Self>, scope: CallScope) -> BoxFuture<'static, ToolResult> {
        Box::pin(async move {
            for (notices, notice) in self.shared.lock().unwrap().drain(..) {
                notices.tell(notice);
            }
            for notice in self.tells {
                scope.notices.tell(notice);
            }
            let late = self.late.into_iter();
            let late = late.map(|notice| (scope.notices.clone(), notice));
            self.shared.lock().unwrap().extend(late);
            ToolResult::ok("told")
        })
    }
}

fn teller() -> Arc<dyn Tool> {
    Arc::new(Teller {
        contract: ToolContract {
            name: "tell".into(),
            description: "Tells.".into(),
            parameters: Parameters::from_schema(json!({"type": "object"})),
            effect_bound: EffectBound::new([EffectKind::Workspace]),
            idempotency: Idempotency::None,
            risk: Risk::Low,
            limits: Limits {
                bytes: 1000,
                lines: None,
                default_timeout_ms: 60_000,
                maximum_timeout_ms: 60_000,
            },
            recovery: Recovery::AskUser,
            version: 1,
        },
        late: Arc::default(),
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn notices_are_heard_in_order_and_before_the_end_of_their_call() {
    let place = Place::new();
    let asked = json!({"kind": "asked", "title": "Run `a`"});
    let answered = json!({"kind": "answered", "title": "Run `a`", "answer": "allowed once"});
    let rule = json!({"kind": "rule_added", "rule": "bash(a)"});
    let plan = json!({"kind": "plan", "steps": [{"step": "look", "status": "pending"}]});
    let output = |tail: &str| json!({"kind": "output", "tail": tail});
    let calls = json!([
        {"tool": "tell", "args": {"tells": [asked, answered, rule, output("1")], "late": [output("too late")]}},
        {"tool": "tell", "args": {"tells": [plan, output("2")]}},
    ]);
    let script = json!({"turns": [{"calls": calls}, {"text": "Done."}]}).to_string();
    let (mut session, events) = place.session_with(place.script(&script), vec![teller()]);
    session.mode().set(mewcode_tools::permission::Mode::Bypass);
    assert_eq!(run(&mut session, "go").await, RunOutcome::Done);

    let told: Vec<String> = events
        .events()
        .iter()
        .filter_map(|event| match event {
            Event::ApprovalAsked { call, title } => Some(format!("{call} asked {title}")),
            Event::ApprovalAnswered { call, answer, .. } => Some(format!("{call} {answer}")),
            Event::RuleAdded { call, rule, place } => Some(format!("{call} {rule} {place:?}")),
            Event::Plan { call, steps } => Some(format!("{call} plan of {}", steps.len())),
            Event::Output { call, tail } => Some(format!("{call} output {tail}")),
            Event::CallEnded { call, .. } => Some(format!("{call} ended")),
            _ => None,
        })
        .collect();
    assert_eq!(
        told,
        [
            "call_1 asked Run `a`",
            "call_1 allowed once",
            "call_1 bash(a) None",
            "call_1 output 1",
            "call_1 ended",
            "call_2 plan of 1",
            "call_2 output 2",
            "call_2 ended",
        ]
    );

    let kept: Vec<String> = records(session.log_path())
        .into_iter()
        .filter_map(|record| match record.entry {
            Entry::CallIntended { call, .. } => Some(format!("{call} intended")),
            Entry::ApprovalAsked { call, title } => Some(format!("{call} asked {title}")),
            Entry::ApprovalAnswered { call, answer, .. } => Some(format!("{call} {answer}")),
            Entry::RuleAdded { call, rule, .. } => Some(format!("{call} {rule}")),
            Entry::Plan { call, .. } => Some(format!("{call} plan")),
            Entry::CallEnded { call, .. } => Some(format!("{call} ended")),
            _ => None,
        })
        .collect();
    assert_eq!(
        kept,
        [
            "call_1 intended",
            "call_1 asked Run `a`",
            "call_1 allowed once",
            "call_1 bash(a)",
            "call_1 ended",
            "call_2 intended",
            "call_2 plan",
            "call_2 ended",
        ]
    );
}
