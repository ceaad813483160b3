//! A workspace with an editor, in which commands run.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mewcode_core::text::Snapshot;
use mewcode_tools::builtin;
use mewcode_tools::environment::Environment;
use mewcode_tools::error::ToolError;
use mewcode_tools::guard::Places;
use mewcode_tools::headless::DiskEditor;
use mewcode_tools::host::Host;
use mewcode_tools::ledger::Ledger;
use mewcode_tools::notice::{Notice, Notices};
use mewcode_tools::overlay::Workspace;
use mewcode_tools::permission::{Mode, Policy, PolicySettings};
use mewcode_tools::port::{BoxFuture, ChangeOutcome, ChangeRequest, Editor};
use mewcode_tools::process::{Launcher, Processes, Watch};
use mewcode_tools::result::ToolResult;
use mewcode_tools::runtime::{CallContext, Runtime};
use mewcode_tools::sandbox::Profile;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Longer than anything here takes on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// An editor with open documents. What is changed goes to the disk.
#[derive(Default)]
pub struct Documents {
    open: Mutex<HashMap<PathBuf, Snapshot>>,
    /// Whether it cannot be told that the disk has another text.
    deaf: bool,
    /// Told whenever it was.
    reloaded: Notify,
}

impl Documents {
    pub fn deaf() -> Documents {
        Documents {
            deaf: true,
            ..Documents::default()
        }
    }

    pub fn open(&self, path: &Path, text: &str) {
        let mut open = self.open.lock().unwrap();
        open.insert(path.to_owned(), Snapshot::decode(text));
    }

    /// Waits until a document is brought to what the disk has.
    pub async fn reloaded(&self) {
        let reloaded = tokio::time::timeout(PATIENCE, self.reloaded.notified());
        reloaded.await.expect("it is told");
    }

    pub fn text(&self, path: &Path) -> String {
        self.open.lock().unwrap()[path].text().wire()
    }
}

impl Editor for Documents {
    fn buffer(&self, path: &Path) -> Option<Result<Snapshot, ToolError>> {
        self.open.lock().unwrap().get(path).cloned().map(Ok)
    }

    fn buffers(&self) -> Vec<PathBuf> {
        self.open.lock().unwrap().keys().cloned().collect()
    }

    fn change<'a>(&'a self, request: ChangeRequest) -> BoxFuture<'a, ChangeOutcome> {
        Box::pin(async move { DiskEditor::default().change(request).await })
    }

    fn reload<'a>(
        &'a self,
        path: &'a Path,
        from: Snapshot,
        to: Snapshot,
    ) -> BoxFuture<'a, Result<(), ToolError>> {
        Box::pin(async move {
            if self.deaf {
                return Err(ToolError::unavailable("The editor cannot be told."));
            }
            let mut open = self.open.lock().unwrap();
            let present = open.get_mut(path).expect("it is open");
            if present.hash() != from.hash() {
                return Err(ToolError::conflict("It was typed in meanwhile."));
            }
            *present = to;
            self.reloaded.notify_one();
            Ok(())
        })
    }
}

pub struct Scene {
    folder: TempDir,
    pub editor: Arc<Documents>,
    pub host: Host,
    pub runtime: Runtime,
    pub context: CallContext,
    notices: mpsc::UnboundedReceiver<(String, Notice)>,
}

impl Scene {
    /// A person's calls, which are not asked for.
    pub fn new() -> Scene {
        Scene::with(Documents::default(), Profile::Off)
    }

    pub fn with(editor: Documents, sandbox: Profile) -> Scene {
        let folder = TempDir::new().unwrap();
        let editor = Arc::new(editor);
        let roots = [folder.path().canonicalize().unwrap()];
        let workspace = Workspace::new(&roots, Places::default(), editor.clone());
        let policy = Policy::new(PolicySettings {
            sandbox,
            ..PolicySettings::default()
        });
        let variables = [
            ("PATH", "/usr/local/bin:/usr/bin:/bin"),
            ("HOME", "/nowhere"),
            ("MY_TOKEN", "not for commands"),
        ];
        let variables = variables.map(|(name, value)| (name.into(), value.into()));
        let host = Host {
            policy: Arc::new(policy.unwrap()),
            processes: Arc::new(Processes::new(Launcher::new(env!(
                "CARGO_BIN_EXE_mewcode-supervise"
            )))),
            environment: Arc::new(Environment::of(variables, &[])),
            ..Host::default()
        };
        let (sender, notices) = mpsc::unbounded_channel();
        let context = CallContext {
            session: "session".to_owned(),
            call: "call".to_owned(),
            mode: Mode::Bypass,
            ledger: None,
            cancel: CancellationToken::new(),
            reason: String::new(),
            notices: Notices::new("call", sender),
        };
        Scene {
            folder,
            editor,
            runtime: Runtime::new(builtin::registry(), workspace).with_host(host.clone()),
            host,
            context,
            notices,
        }
    }

    /// The same for an agent.
    pub fn of_an_agent(mut self) -> Scene {
        self.context.ledger = Some(Arc::new(Ledger::new()));
        self
    }

    pub fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(relative)
    }

    pub fn write(&self, relative: &str, content: &str) -> PathBuf {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub fn read(&self, relative: &str) -> String {
        fs::read_to_string(self.path(relative)).unwrap()
    }

    pub async fn call(&self, tool: &str, arguments: Value) -> ToolResult {
        let call = self.runtime.call(&self.context, tool, arguments);
        tokio::time::timeout(PATIENCE, call).await.expect("it ends")
    }

    /// Begins a call, to look at what it tells meanwhile.
    pub fn begin(&self, tool: &'static str, arguments: Value) -> JoinHandle<ToolResult> {
        let (runtime, context) = (self.runtime.clone(), self.context.clone());
        tokio::spawn(async move { runtime.call(&context, tool, arguments).await })
    }

    /// Begins a command in the foreground, and moves it to the background when it has printed this.
    pub async fn moved(&mut self, command: &str, printed: &str) -> ToolResult {
        let call = self.begin("bash", json!({"command": command}));
        // A program may write a line in pieces.
        while !matches!(self.notice().await, Notice::Output { tail } if tail.contains(printed)) {}
        let commands = self.host.processes.list("session");
        commands.last().expect("it runs").move_to_background();
        let moved = tokio::time::timeout(PATIENCE, call).await;
        moved.expect("it is moved").unwrap()
    }

    /// Starts a command in the background and returns its id.
    pub async fn started(&self, arguments: Value) -> String {
        let mut arguments = arguments;
        arguments["background"] = json!(true);
        let result = self.call("bash", arguments).await;
        assert!(result.is_ok(), "{}", result.content);
        let id = result.content.split('`').nth(1).expect("an id is told");
        id.to_owned()
    }

    /// Gives a command an empty line, which it waits for, and waits until it has printed this.
    pub async fn went_on(&self, id: &str, printed: &str) {
        let command = self.host.processes.get("session", id).unwrap();
        command.input(b"\n".to_vec()).unwrap();
        let printed = regex::bytes::Regex::new(printed).unwrap();
        let watch = command.watch(0, &printed, PATIENCE).await;
        assert!(matches!(watch, Ok(Watch::Found { .. })), "{watch:?}");
    }

    /// Waits for the end of a command that waits for input, and returns what process_output tells then.
    pub async fn ended(&self, id: &str) -> ToolResult {
        // One without input ends by itself.
        let command = self.host.processes.get("session", id).unwrap();
        let _ = command.close_input();
        let wait = json!({"id": id, "until": "never printed", "wait_ms": 60_000});
        self.call("process_output", wait).await
    }

    pub async fn bash(&self, command: &str) -> ToolResult {
        self.call("bash", json!({"command": command})).await
    }

    /// What was told while calls ran.
    pub fn notices(&mut self) -> Vec<Notice> {
        std::iter::from_fn(|| self.notices.try_recv().ok())
            .map(|(_, notice)| notice)
            .collect()
    }

    pub async fn notice(&mut self) -> Notice {
        let notice = tokio::time::timeout(PATIENCE, self.notices.recv()).await;
        notice.expect("it is told").expect("it is told").1
    }
}

/// The clock of a test that was started with it paused stands still as long as this lives: time passes by `advance` alone, however
/// slow the machine is. (Tokio would let it run on whenever nothing but timers is waited for, and does not know of commands.)
pub struct StoppedClock {
    _release: std::sync::mpsc::Sender<()>,
}

impl StoppedClock {
    pub fn new() -> StoppedClock {
        let (release, released) = std::sync::mpsc::channel();
        // It does not run on beside blocking work. This ends when the other end is dropped.
        tokio::task::spawn_blocking(move || released.recv());
        StoppedClock { _release: release }
    }

    pub async fn advance(&self, time: Duration) {
        tokio::time::advance(time).await;
    }
}

/// The text without the time that it took.
pub fn untimed(content: &str) -> String {
    let (first, rest) = content.split_once('\n').unwrap_or((content, ""));
    let first = match first.rsplit_once(" after ") {
        Some((before, _)) => format!("{before} after SOME TIME."),
        None => first.to_owned(),
    };
    format!("{first}\n{rest}")
}
