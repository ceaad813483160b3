//! What the tests of this crate share: a workspace in a temporary folder, an editor with buffers, and tools that do
//! as they are told.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use mewcode_core::position::{Column, Position, PositionEncoding};
use mewcode_core::text::Snapshot;
use mewcode_core::wire::wire_position;
use serde_json::Value;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::builtin;
use crate::contract::{
    CallScope, Idempotency, Limits, Plan, Recovery, Risk, Run, Tool, ToolContract, Work,
};
use crate::effect::{Effect, EffectBound, EffectKind};
use crate::error::ToolError;
use crate::guard::{Access, Places, ResolvedPath};
use crate::headless::DiskEditor;
use crate::ledger::Ledger;
use crate::notice::Notices;
use crate::overlay::Workspace;
use crate::permission::Mode;
use crate::port::{
    BoxFuture, ChangeOutcome, ChangeRequest, Destination, Diagnostic, Editor, FileDiagnostics,
    FileEdit, Location, Place, Query, QueryAnswer, RenamedFile, Severity,
};
use crate::result::{FileChange, ToolResult};
use crate::runtime::{CallContext, Runtime};
use crate::schema::Parameters;

/// An editor that has some documents open and applies every change to them at once; all else goes to the disk.
#[derive(Default)]
pub(crate) struct FakeEditor {
    buffers: Mutex<HashMap<PathBuf, Snapshot>>,
    /// The open document whose text it has lost.
    pub(crate) lost: Mutex<Option<PathBuf>>,
    /// What it was asked for.
    pub(crate) requests: Mutex<Vec<ChangeRequest>>,
    /// The files of which it was asked whether they are open, one after the other.
    pub(crate) looked_at: Mutex<Vec<PathBuf>>,
    /// What it answers in place of applying the change.
    answer: Mutex<Option<Answer>>,
    /// What its language servers say.
    servers: Mutex<Option<Servers>>,
}

type Servers = Box<dyn Fn(Query) -> BoxFuture<'static, Result<QueryAnswer, ToolError>> + Send>;

type Answer = Box<dyn FnOnce() -> ChangeOutcome + Send>;

impl FakeEditor {
    /// The next change is answered so, instead of being applied.
    pub(crate) fn answer(&self, answer: impl FnOnce() -> ChangeOutcome + Send + 'static) {
        *self.answer.lock().unwrap() = Some(Box::new(answer));
    }

    /// Gives it language servers, which answer so.
    pub(crate) fn serve<R>(&self, answer: impl Fn(Query) -> R + Send + 'static)
    where
        R: Future<Output = Result<QueryAnswer, ToolError>> + Send + 'static,
    {
        let servers: Servers = Box::new(move |query| Box::pin(answer(query)));
        *self.servers.lock().unwrap() = Some(servers);
    }

    pub(crate) fn open(&self, path: &Path, text: &str) {
        self.buffers
            .lock()
            .unwrap()
            .insert(path.to_owned(), Snapshot::decode(text));
    }

    pub(crate) fn close(&self, path: &Path) {
        self.buffers.lock().unwrap().remove(path);
    }

    /// The text of an open document in its wire form.
    pub(crate) fn text(&self, path: &Path) -> Option<String> {
        let buffers = self.buffers.lock().unwrap();
        buffers.get(path).map(|buffer| buffer.text().wire())
    }

    /// Changes an open document. What is on disk stays as it is.
    fn land(&self, file: &FileEdit) -> FileChange {
        let mut buffers = self.buffers.lock().unwrap();
        buffers.remove(&file.path);
        let after = file.edit.apply(&file.base).unwrap();
        let mut change = FileChange::between(&file.display, Some(&file.base), Some(&after));
        match &file.destination {
            Destination::Same => drop(buffers.insert(file.path.clone(), after)),
            Destination::Removed => {
                change = FileChange::between(&file.display, Some(&file.base), None);
            }
            Destination::Moved { path, display } => {
                change.moved_to = Some(display.clone());
                buffers.insert(path.clone(), after);
            }
        }
        change
    }
}

impl Editor for FakeEditor {
    fn buffer(&self, path: &Path) -> Option<Result<Snapshot, ToolError>> {
        self.looked_at.lock().unwrap().push(path.to_owned());
        if self.lost.lock().unwrap().as_deref() == Some(path) {
            return Some(Err(ToolError::unavailable(
                "The document is being read anew.",
            )));
        }
        self.buffers.lock().unwrap().get(path).cloned().map(Ok)
    }

    fn buffers(&self) -> Vec<PathBuf> {
        self.buffers.lock().unwrap().keys().cloned().collect()
    }

    fn change<'a>(&'a self, request: ChangeRequest) -> BoxFuture<'a, ChangeOutcome> {
        Box::pin(async move {
            self.requests.lock().unwrap().push(request.clone());
            let answer = self.answer.lock().unwrap().take();
            if let Some(answer) = answer {
                return answer();
            }
            let (open, closed): (Vec<FileEdit>, Vec<FileEdit>) = request
                .files
                .iter()
                .cloned()
                .partition(|file| self.buffer(&file.path).is_some());
            let mut outcome = ChangeOutcome::landed(Vec::new());
            if !closed.is_empty() {
                let files = closed;
                let on_disk = ChangeRequest { files, ..request };
                outcome = DiskEditor::default().change(on_disk).await;
            }
            if outcome.error.is_none() {
                outcome
                    .files
                    .extend(open.iter().map(|file| self.land(file)));
            }
            outcome
        })
    }

    fn query<'a>(&'a self, query: Query) -> BoxFuture<'a, Result<QueryAnswer, ToolError>> {
        match &*self.servers.lock().unwrap() {
            Some(servers) => servers(query),
            None => Box::pin(async { Err(ToolError::unavailable("No language server answers.")) }),
        }
    }
}

/// What a server answers that knows the word at a place, there and nowhere else.
pub(crate) fn word_server(query: Query) -> QueryAnswer {
    let mut answer = QueryAnswer::nothing(PositionEncoding::Utf8);
    let at = |place: &Place| {
        let position = wire_position(place.text.text(), place.offset, PositionEncoding::Utf8);
        let rest = place.text.rope().to_string()[place.offset.0..].to_owned();
        let is_part = |char: char| char.is_alphanumeric() || char == '_';
        let word: String = rest.chars().take_while(|char| is_part(*char)).collect();
        (position, word)
    };
    match query {
        Query::Diagnostics(path) => {
            answer.diagnostics.extend(path.map(|path| FileDiagnostics {
                path,
                diagnostics: vec![Diagnostic {
                    line: 0,
                    severity: Severity::Error,
                    message: "wrong".to_owned(),
                    source: Some("words".to_owned()),
                    code: None,
                }],
            }));
        }
        Query::Definition(place) | Query::References(place) => {
            let (position, _) = at(&place);
            answer.locations.push(Location {
                path: place.path,
                line: position.line.0,
            });
        }
        Query::Hover(place) => answer.hovers.push(at(&place).1),
        Query::Rename(place, new_name) => {
            let (start, word) = at(&place);
            let end = Position {
                column: Column(start.column.0 + word.len() as u32),
                ..start
            };
            answer.edits.push(RenamedFile {
                path: place.path,
                text: None,
                edits: vec![(start, end, new_name)],
            });
        }
    }
    answer
}

/// A workspace in a temporary folder, with the built-in tools and an agent's ledger.
pub(crate) struct Scene {
    folder: TempDir,
    pub(crate) editor: Arc<FakeEditor>,
    pub(crate) runtime: Runtime,
    pub(crate) context: CallContext,
}

impl Scene {
    pub(crate) fn new() -> Scene {
        let folder = tempfile::tempdir().unwrap();
        let editor = Arc::new(FakeEditor::default());
        let workspace = Workspace::new(
            &[folder.path().to_owned()],
            Places::default(),
            editor.clone(),
        );
        let runtime = Runtime::new(builtin::registry_with_servers(), workspace);
        let context = CallContext {
            session: "session".to_owned(),
            call: "call".to_owned(),
            mode: Mode::AcceptEdits,
            ledger: Some(Arc::new(Ledger::new())),
            cancel: CancellationToken::new(),
            reason: String::new(),
            notices: Notices::default(),
        };
        Scene {
            folder,
            editor,
            runtime,
            context,
        }
    }

    /// For a caller that is no agent.
    pub(crate) fn without_ledger() -> Scene {
        let mut scene = Scene::new();
        scene.context.ledger = None;
        scene
    }

    /// With a server that knows the word at a place, and calls by a caller that is no agent.
    pub(crate) fn with_server() -> Scene {
        let scene = Scene::without_ledger();
        scene
            .editor
            .serve(|query| std::future::ready(Ok(word_server(query))));
        scene
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(relative)
    }

    pub(crate) fn resolved(&self, relative: &str) -> ResolvedPath {
        self.runtime
            .workspace()
            .resolve(relative, Access::Write)
            .unwrap()
    }

    pub(crate) fn write(&self, relative: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn read(&self, relative: &str) -> String {
        fs::read_to_string(self.path(relative)).unwrap()
    }

    /// Names of everything in the workspace folder.
    pub(crate) fn entries(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    pub(crate) fn ledger(&self) -> &Ledger {
        self.context.ledger.as_deref().unwrap()
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> ToolResult {
        self.runtime.call(&self.context, tool, arguments).await
    }

    pub(crate) fn scope(&self) -> CallScope {
        self.runtime.scope(&self.context)
    }
}

type Planning = Box<dyn Fn(Value, &CallScope) -> Result<Plan, ToolError> + Send + Sync>;

/// A tool that plans as it is told.
pub(crate) struct FakeTool {
    contract: ToolContract,
    planning: Planning,
}

impl FakeTool {
    /// A tool whose calls do nothing.
    pub(crate) fn named(name: &str) -> Arc<FakeTool> {
        Arc::new(FakeTool::planning(name, |_, _| {
            Ok(run(vec![], |_| async { ToolResult::ok("done") }))
        }))
    }

    pub(crate) fn planning(
        name: &str,
        planning: impl Fn(Value, &CallScope) -> Result<Plan, ToolError> + Send + Sync + 'static,
    ) -> FakeTool {
        let contract = ToolContract {
            name: name.to_owned(),
            description: "Does as it is told.".to_owned(),
            parameters: Parameters::from_schema(serde_json::json!({"type": "object"})),
            effect_bound: EffectBound::new([EffectKind::Read, EffectKind::Write]),
            idempotency: Idempotency::None,
            risk: Risk::Low,
            limits: Limits {
                bytes: 1000,
                lines: Some(10),
                default_timeout_ms: 600_000,
                maximum_timeout_ms: 600_000,
            },
            recovery: Recovery::AskUser,
            version: 1,
        };
        FakeTool {
            contract,
            planning: Box::new(planning),
        }
    }

    /// The same with so little time.
    pub(crate) fn within_ms(mut self, timeout_ms: u64) -> FakeTool {
        self.contract.limits.default_timeout_ms = timeout_ms;
        self
    }

    /// The same with another bound of its effects.
    pub(crate) fn within(mut self, kinds: &[EffectKind]) -> FakeTool {
        self.contract.effect_bound = EffectBound::new(kinds.iter().copied());
        self
    }

    /// The same with these limits.
    pub(crate) fn with_limits(mut self, limits: Limits) -> FakeTool {
        self.contract.limits = limits;
        self
    }

    pub(crate) fn with_schema(self: Arc<Self>, schema: Value) -> Arc<FakeTool> {
        let Ok(mut tool) = Arc::try_unwrap(self) else {
            panic!("the tool is in use")
        };
        tool.contract.parameters = Parameters::from_schema(schema);
        Arc::new(tool)
    }
}

impl Tool for FakeTool {
    fn contract(&self) -> &ToolContract {
        &self.contract
    }

    fn plan(&self, arguments: Value, scope: &CallScope) -> Result<Plan, ToolError> {
        (self.planning)(arguments, scope)
    }
}

struct Running<F>(F);

impl<F, R> Run for Running<F>
where
    F: FnOnce(CallScope) -> R + Send,
    R: Future<Output = ToolResult> + Send + 'static,
{
    fn run(self: Box<Self>, scope: CallScope) -> BoxFuture<'static, ToolResult> {
        Box::pin((self.0)(scope))
    }
}

/// A plan that runs this.
pub(crate) fn run<F, R>(effects: Vec<Effect>, work: F) -> Plan
where
    F: FnOnce(CallScope) -> R + Send + 'static,
    R: Future<Output = ToolResult> + Send + 'static,
{
    Plan {
        effects,
        timeout: None,
        work: Work::Run(Box::new(Running(work))),
    }
}
