//! A workspace on disk, a session in it, and what can be seen of them.

use std::collections::VecDeque;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use futures::stream::{self, BoxStream};
use mewcode_agent::config::{Model, ProviderConfig};
use mewcode_agent::conversation::fault;
use mewcode_agent::event::{Envelope, Event, Events};
use mewcode_agent::log::{self, Entry, Record};
use mewcode_agent::message::{Block, Message};
use mewcode_agent::prompt::{News, Prompt};
use mewcode_agent::provider::{Provider, ProviderError, ProviderEvent, Request, ToolSpec};
use mewcode_agent::session::{RetryPolicy, RunOutcome, Session, SessionSetup, SharedMode};
use mewcode_tools::builtin;
use mewcode_tools::contract::{
    CallScope, Idempotency, Limits, Plan, Recovery, Risk, Run, Tool, ToolContract, Work,
};
use mewcode_tools::effect::{Effect, EffectBound, EffectKind};
use mewcode_tools::error::ToolError;
use mewcode_tools::guard::Places;
use mewcode_tools::headless::DiskEditor;
use mewcode_tools::overlay::Workspace;
use mewcode_tools::permission::Mode;
use mewcode_tools::port::BoxFuture;
use mewcode_tools::result::ToolResult;
use mewcode_tools::runtime::Runtime;
use mewcode_tools::schema::Parameters;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// A workspace with a state folder beside it.
pub struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("work")).unwrap();
        Self { folder }
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    pub fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    pub fn write(&self, path: &str, text: &str) -> &Self {
        fs::write(self.root().join(path), text).unwrap();
        self
    }

    pub fn text(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap()
    }

    /// A model that plays this script.
    pub fn script(&self, yaml: &str) -> Model {
        let script = self.folder.path().join("script.yaml");
        fs::write(&script, yaml).unwrap();
        let config = ProviderConfig {
            script: Some(script),
            ..ProviderConfig::default()
        };
        config.open().unwrap()
    }

    pub fn runtime(&self) -> Arc<Runtime> {
        let registry = builtin::registry();
        registry.register(Arc::new(Wait::new())).unwrap();
        let workspace = Workspace::new(
            &[self.root()],
            Places::default(),
            Arc::new(DiskEditor::default()),
        );
        Arc::new(Runtime::new(registry, workspace))
    }

    pub fn session(&self, model: Model) -> (Session, Arc<Recorder>) {
        self.session_with(model, Vec::new())
    }

    /// A session with further tools.
    pub fn session_with(
        &self,
        model: Model,
        tools: Vec<Arc<dyn Tool>>,
    ) -> (Session, Arc<Recorder>) {
        let events = Arc::new(Recorder::default());
        let runtime = self.runtime();
        for tool in tools {
            runtime.registry().register(tool).unwrap();
        }
        let setup = SessionSetup {
            state: self.state(),
            runtime,
            model,
            events: events.clone(),
            news: events.clone(),
            mode: SharedMode::new(Mode::AcceptEdits),
            retry: quick(),
        };
        (Session::start(setup).unwrap(), events)
    }
}

/// Retries that cost no time.
pub fn quick() -> RetryPolicy {
    RetryPolicy {
        retries: 3,
        first_delay: Duration::from_millis(1),
        ..RetryPolicy::default()
    }
}

/// Runs a prompt to its end and checks what must hold after every run.
pub async fn run(session: &mut Session, text: &str) -> RunOutcome {
    run_until(session, text, CancellationToken::new()).await
}

pub async fn run_until(session: &mut Session, text: &str, cancel: CancellationToken) -> RunOutcome {
    let outcome = session.run(Prompt::new(text), cancel).await;
    check(session);
    outcome
}

/// The conversation is valid, and the log tells of each call its intent, if it was made, and exactly one result before
/// the next request. Calls of one turn end in any order.
pub fn check(session: &Session) {
    assert_eq!(fault(session.conversation().messages()), None);
    let records = records(session.log_path());
    let mut asked: Vec<String> = Vec::new();
    let mut answered: Vec<String> = Vec::new();
    let same = |asked: &[String], answered: &[String]| {
        let sorted = |ids: &[String]| {
            let mut ids = ids.to_vec();
            ids.sort();
            ids
        };
        assert_eq!(sorted(asked), sorted(answered), "one result for each call");
    };
    for record in &records {
        match &record.entry {
            Entry::Answer { content, stop, .. }
                if *stop != mewcode_agent::provider::StopReason::Refusal =>
            {
                asked.extend(content.iter().filter_map(|block| match block {
                    Block::ToolUse { id, .. } => Some(id.clone()),
                    _ => None,
                }));
            }
            Entry::CallIntended { call, .. } => {
                assert!(!answered.contains(call), "{call}: intent after its result")
            }
            Entry::CallEnded { call, .. } => answered.push(call.clone()),
            Entry::Request { .. } => same(&asked, &answered),
            _ => {}
        }
    }
    same(&asked, &answered);
}

pub fn records(path: &Path) -> Vec<Record> {
    let log = log::read(path).unwrap();
    assert_eq!((log.skipped, log.torn), (vec![], false));
    log.records
}

/// Returns once the file is there.
pub async fn appears(path: &Path) {
    fills(path, 0).await;
}

/// Returns once the file is there and holds so many bytes.
pub async fn fills(path: &Path, bytes: u64) {
    let begun = std::time::Instant::now();
    while fs::metadata(path).map_or(true, |metadata| metadata.len() < bytes) {
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "{} does not appear",
            path.display()
        );
        tokio::task::yield_now().await;
    }
}

/// What the conversation holds, in short.
pub fn told(messages: &[Message]) -> Vec<String> {
    messages
        .iter()
        .flat_map(|message| &message.content)
        .map(|block| match block {
            Block::Text { text } if text.starts_with("<environment>") => "environment".into(),
            Block::Text { text } => text.clone(),
            Block::Thinking { text, signature } => format!("thinking {text} [{signature}]"),
            Block::RedactedThinking { data } => format!("redacted {data}"),
            Block::ToolUse { id, name, input } => format!("{id} {name} {input}"),
            Block::ToolResult {
                id,
                content,
                is_error,
            } => {
                format!("{id} {}: {content}", if *is_error { "error" } else { "ok" })
            }
        })
        .collect()
}

/// Keeps the events, and lets a test act on them.
#[derive(Default)]
pub struct Recorder {
    envelopes: Mutex<Vec<Envelope>>,
    #[expect(clippy::type_complexity, reason = "said once")]
    hook: Mutex<Option<Box<dyn Fn(&Event) + Send>>>,
    /// What the user did that the model has not been told.
    pub news: Mutex<Vec<String>>,
}

impl Recorder {
    pub fn on_event(&self, hook: impl Fn(&Event) + Send + 'static) {
        *self.hook.lock().unwrap() = Some(Box::new(hook));
    }

    pub fn envelopes(&self) -> Vec<Envelope> {
        self.envelopes.lock().unwrap().clone()
    }

    pub fn events(&self) -> Vec<Event> {
        self.envelopes()
            .into_iter()
            .map(|envelope| envelope.event)
            .collect()
    }

    /// The kinds of the events, text that came in pieces as one.
    pub fn kinds(&self) -> Vec<String> {
        let kind = |event: &Event| {
            serde_json::to_value(event).unwrap()["kind"]
                .as_str()
                .unwrap()
                .to_string()
        };
        let mut kinds: Vec<String> = self.events().iter().map(kind).collect();
        kinds.dedup_by(|one, other| one == other && (one == "text" || one == "thinking"));
        kinds
    }
}

impl Events for Recorder {
    fn emit(&self, envelope: &Envelope) {
        self.envelopes.lock().unwrap().push(envelope.clone());
        if let Some(hook) = &*self.hook.lock().unwrap() {
            hook(&envelope.event);
        }
    }
}

impl News for Recorder {
    fn take(&self, _session: &str) -> Vec<String> {
        std::mem::take(&mut *self.news.lock().unwrap())
    }
}

/// What a request held.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    pub turn: usize,
    pub system: String,
    pub tools: Vec<ToolSpec>,
    pub messages: Vec<Message>,
}

/// Answers each request with the next of its turns.
pub struct Fake {
    turns: Mutex<VecDeque<Vec<Result<ProviderEvent, ProviderError>>>>,
    pub seen: Mutex<Vec<Seen>>,
}

impl Fake {
    pub fn new(turns: Vec<Vec<Result<ProviderEvent, ProviderError>>>) -> Arc<Self> {
        Arc::new(Self {
            turns: Mutex::new(turns.into()),
            seen: Mutex::default(),
        })
    }

    pub fn model(self: &Arc<Self>) -> Model {
        Model {
            provider: self.clone(),
            name: "fake".into(),
            max_tokens: 1000,
            thinking_budget: None,
            max_turns: 20,
        }
    }

    pub fn requests(&self) -> usize {
        self.seen.lock().unwrap().len()
    }
}

impl Provider for Fake {
    fn name(&self) -> &str {
        "fake"
    }

    fn stream<'a>(
        &'a self,
        request: &'a Request<'a>,
    ) -> BoxStream<'a, Result<ProviderEvent, ProviderError>> {
        assert_eq!(fault(request.messages), None);
        self.seen.lock().unwrap().push(Seen {
            turn: request.turn,
            system: request.system.into(),
            tools: request.tools.into(),
            messages: request.messages.into(),
        });
        let turn = self
            .turns
            .lock()
            .unwrap()
            .pop_front()
            .expect("a request too many");
        stream::iter(turn).boxed()
    }
}

/// The events of a call.
pub fn call(
    index: usize,
    name: &str,
    arguments: Value,
) -> Vec<Result<ProviderEvent, ProviderError>> {
    vec![
        Ok(ProviderEvent::CallBegin {
            index,
            name: name.into(),
        }),
        Ok(ProviderEvent::CallArguments {
            index,
            json: arguments.to_string(),
        }),
        Ok(ProviderEvent::CallEnd { index }),
    ]
}

/// The names of the tools that a session of a [`Place`] has, in order.
pub fn tool_names() -> Vec<String> {
    let registry = builtin::registry();
    let names = registry.snapshot();
    let names = names.iter().map(|tool| tool.contract().name.clone());
    names.chain(["wait".to_string()]).collect()
}

/// A tool that waits until it is told to stop, then says so. The bytes of a file `waiting` tell how many run.
struct Wait {
    contract: ToolContract,
}

impl Wait {
    fn new() -> Self {
        let parameters = Parameters::from_schema(
            json!({"type": "object", "properties": {}, "additionalProperties": false}),
        );
        Self {
            contract: ToolContract {
                name: "wait".into(),
                description: "Waits.".into(),
                parameters,
                effect_bound: EffectBound::new([EffectKind::Read]),
                idempotency: Idempotency::Pure,
                risk: Risk::Low,
                limits: Limits {
                    bytes: 1000,
                    lines: None,
                    default_timeout_ms: 600_000,
                    maximum_timeout_ms: 600_000,
                },
                recovery: Recovery::Rerun,
                version: 1,
            },
        }
    }
}

impl Tool for Wait {
    fn contract(&self) -> &ToolContract {
        &self.contract
    }

    fn plan(&self, _arguments: Value, _context: &CallScope) -> Result<Plan, ToolError> {
        Ok(Plan {
            effects: vec![Effect::Read(vec![])],
            timeout: None,
            work: Work::Run(Box::new(Waiting)),
        })
    }
}

struct Waiting;

impl Run for Waiting {
    fn run(self: Box<Self>, scope: CallScope) -> BoxFuture<'static, ToolResult> {
        Box::pin(async move {
            let waiting = scope.workspace.guard().roots()[0].join("waiting");
            let mut options = fs::OpenOptions::new();
            let mut file = options.append(true).create(true).open(waiting).unwrap();
            file.write_all(b".").unwrap();
            scope.cancel.cancelled().await;
            ToolResult::interrupted("The waiting was cleaned up.")
        })
    }
}
