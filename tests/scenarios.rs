//! Scenarios as data: each folder of `tests/scenarios` is a tree, calls of tools, and what must come of them. Its
//! README tells the format. Knows the tools by their names only.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use mewcode_core::text::Snapshot;
use mewcode_tools::builtin;
use mewcode_tools::error::ToolError;
use mewcode_tools::guard::Places;
use mewcode_tools::headless::DiskEditor;
use mewcode_tools::host::Host;
use mewcode_tools::ledger::Ledger;
use mewcode_tools::notice::Notices;
use mewcode_tools::overlay::Workspace;
use mewcode_tools::permission::{Mode, Policy, PolicySettings};
use mewcode_tools::port::{
    BoxFuture, ChangeOutcome, ChangeRequest, Destination, Editor, FileEdit, Review,
};
use mewcode_tools::process::{Launcher, Processes};
use mewcode_tools::registry::Registry;
use mewcode_tools::result::{FileChange, ToolResult};
use mewcode_tools::runtime::{CallContext, Runtime};
use mewcode_tools::sandbox::Profile;
use serde::Deserialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

#[path = "tree.rs"]
mod tree;

use tree::{Entry, copy, folders, tree};

/// Text by path, as `request.json` and `expect.json` have it.
type Texts = BTreeMap<String, String>;

/// `request.json`.
#[derive(Deserialize)]
#[serde(untagged)]
enum Request {
    Steps(Vec<Step>),
    Scene(Scene),
    One(Step),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scene {
    steps: Vec<Step>,
    #[serde(default)]
    buffers: Texts,
    #[serde(default)]
    agent: bool,
    /// How commands are confined.
    #[serde(default)]
    sandbox: Profile,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Step {
    Call(Call),
    User(User),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    tool: String,
    arguments: Value,
    /// Parts of the result's text.
    #[serde(default)]
    expect: Vec<String>,
    /// What is not in the result's text.
    #[serde(default)]
    lacks: Vec<String>,
    /// The kind of the error. The last call's is in `refuse.json`.
    refused: Option<String>,
}

/// The user writes files or types into buffers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct User {
    user: BTreeMap<String, Option<String>>,
}

/// `refuse.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Refusal {
    kind: String,
    #[serde(default)]
    message_contains: Vec<String>,
    #[serde(default)]
    message_lacks: Vec<String>,
    /// The line numbers of an ambiguous match, or first and last of the nearest region.
    lines: Option<Value>,
    /// Any other fact, by its name.
    #[serde(default)]
    details: BTreeMap<String, Value>,
}

/// `expect.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expectation {
    buffers: Texts,
}

/// An editor in which some files are open. It takes every change at once; what is not open goes to the disk.
#[derive(Default)]
struct OpenDocuments(Mutex<BTreeMap<PathBuf, Snapshot>>);

impl OpenDocuments {
    fn change_one(&self, file: &FileEdit) -> Option<FileChange> {
        let mut open = self.0.lock().unwrap();
        let before = open.remove(&file.path)?;
        let after = file.edit.apply(&before).expect("the edit is for this text");
        let mut change = FileChange::between(&file.display, Some(&before), Some(&after));
        match &file.destination {
            Destination::Same => drop(open.insert(file.path.clone(), after)),
            Destination::Removed => {
                change = FileChange::between(&file.display, Some(&before), None);
                if file.path.exists() {
                    fs::remove_file(&file.path).unwrap();
                }
            }
            Destination::Moved { path, display } => {
                change.moved_to = Some(display.clone());
                open.insert(path.clone(), after);
                if file.path.exists() {
                    fs::create_dir_all(path.parent().unwrap()).unwrap();
                    fs::rename(&file.path, path).unwrap();
                }
            }
        }
        Some(change)
    }
}

impl Editor for OpenDocuments {
    fn buffer(&self, path: &Path) -> Option<Result<Snapshot, ToolError>> {
        self.0.lock().unwrap().get(path).cloned().map(Ok)
    }

    fn buffers(&self) -> Vec<PathBuf> {
        self.0.lock().unwrap().keys().cloned().collect()
    }

    fn change<'a>(&'a self, request: ChangeRequest) -> BoxFuture<'a, ChangeOutcome> {
        Box::pin(async move {
            let (open, closed): (Vec<FileEdit>, Vec<FileEdit>) = request
                .files
                .iter()
                .cloned()
                .partition(|file| self.buffer(&file.path).is_some());
            let on_disk = ChangeRequest {
                files: closed,
                review: Review::After,
                ..request
            };
            let mut outcome = DiskEditor::default().change(on_disk).await;
            if outcome.error.is_none() {
                let changes = open.iter().filter_map(|file| self.change_one(file));
                outcome.files.extend(changes);
            }
            outcome
        })
    }
}

/// A scenario on its way.
struct Play {
    folder: PathBuf,
    root: tempfile::TempDir,
    editor: Arc<OpenDocuments>,
    runtime: Runtime,
    policy: Arc<Policy>,
    processes: Arc<Processes>,
    context: CallContext,
    /// The buffers as they were at first.
    opened: Texts,
    /// What is not as it must be.
    findings: Vec<String>,
}

impl Play {
    fn begin(folder: &Path, registry: &Arc<Registry>) -> Play {
        let root = tempfile::tempdir().unwrap();
        copy(&folder.join("before"), root.path());
        let editor = Arc::new(OpenDocuments::default());
        let roots = [root.path().canonicalize().unwrap()];
        let workspace = Workspace::new(&roots, Places::default(), editor.clone());
        let launcher = Launcher::new(env!("CARGO_BIN_EXE_mewcode"));
        let host = Host {
            processes: Arc::new(Processes::new(launcher)),
            ..Host::default()
        };
        Play {
            folder: folder.to_owned(),
            root,
            editor,
            policy: Arc::clone(&host.policy),
            processes: Arc::clone(&host.processes),
            runtime: Runtime::new(Arc::clone(registry), workspace).with_host(host),
            context: CallContext {
                session: "scenario".to_owned(),
                call: "call".to_owned(),
                mode: Mode::Bypass,
                ledger: None,
                cancel: CancellationToken::new(),
                reason: String::new(),
                notices: Notices::default(),
            },
            opened: Texts::new(),
            findings: Vec::new(),
        }
    }

    fn real(&self, path: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(path)
    }

    fn finding(&mut self, finding: impl Into<String>) {
        self.findings.push(finding.into());
    }

    /// A file of the scenario, if it is there.
    fn read<T: for<'de> Deserialize<'de>>(&self, name: &str) -> Option<T> {
        let text = fs::read(self.folder.join(name)).ok()?;
        let read = serde_json::from_slice(&text);
        Some(read.unwrap_or_else(|error| panic!("{}/{name}: {error}", self.folder.display())))
    }

    async fn act(&mut self) {
        let request: Request = self.read("request.json").expect("request.json");
        let of_steps = |steps| Scene {
            steps,
            buffers: Texts::new(),
            agent: false,
            sandbox: Profile::default(),
        };
        let scene = match request {
            Request::Scene(scene) => scene,
            Request::One(step) => of_steps(vec![step]),
            Request::Steps(steps) => of_steps(steps),
        };
        for (path, text) in &scene.buffers {
            let mut open = self.editor.0.lock().unwrap();
            open.insert(self.real(path), Snapshot::decode(text));
        }
        self.opened = scene.buffers;
        let settings = PolicySettings {
            sandbox: scene.sandbox,
            ..PolicySettings::default()
        };
        self.policy.replace(settings).unwrap();
        if scene.agent {
            self.context.ledger = Some(Arc::new(Ledger::new()));
        }
        let refusal: Option<Refusal> = self.read("refuse.json");
        let last = scene.steps.len() - 1;
        for (index, step) in scene.steps.into_iter().enumerate() {
            let call = match step {
                Step::User(user) => {
                    self.user(user);
                    continue;
                }
                Step::Call(call) => call,
            };
            self.context.call = index.to_string();
            let arguments = call.arguments.clone();
            let result = self.runtime.call(&self.context, &call.tool, arguments);
            let result = result.await;
            match (&refusal, &call.refused) {
                (Some(refusal), _) if index == last => self.compare_refusal(&result, refusal),
                (_, refused) => {
                    let kind = result.error.as_ref().map(|error| error.kind.as_str());
                    if kind != refused.as_deref() || result.is_ok() != refused.is_none() {
                        self.finding(format!(
                            "call {index} ends unexpectedly: {}",
                            result.content
                        ));
                    }
                }
            }
            for part in &call.expect {
                if !result.content.contains(part) {
                    self.finding(format!("{part:?} is not in the result: {}", result.content));
                }
            }
            for part in &call.lacks {
                if result.content.contains(part) {
                    self.finding(format!("{part:?} is in the result: {}", result.content));
                }
            }
        }
    }

    fn user(&self, user: User) {
        for (path, text) in user.user {
            let real = self.real(&path);
            let mut open = self.editor.0.lock().unwrap();
            match text {
                Some(text) if open.contains_key(&real) => {
                    open.insert(real, Snapshot::decode(&text));
                }
                Some(text) => fs::write(real, text).unwrap(),
                None => fs::remove_file(real).unwrap(),
            }
        }
    }

    fn compare_refusal(&mut self, result: &ToolResult, refusal: &Refusal) {
        let Some(error) = &result.error else {
            return self.finding(format!("it is not refused: {}", result.content));
        };
        if error.kind.as_str() != refusal.kind {
            self.finding(format!("the refusal is of another kind: {error}"));
        }
        let message = error.to_string();
        for part in &refusal.message_contains {
            if !message.contains(part) {
                self.finding(format!("{part:?} is not in the refusal: {message}"));
            }
        }
        for part in &refusal.message_lacks {
            if message.contains(part) {
                self.finding(format!("{part:?} is in the refusal: {message}"));
            }
        }
        if let Some(lines) = &refusal.lines {
            let details = &error.details;
            let nearest = details.get("nearest").and_then(|near| near.get("lines"));
            if details.get("lines").or(nearest) != Some(lines) {
                let details = Value::Object(details.clone());
                self.finding(format!("the lines are not {lines}: {details}"));
            }
        }
        for (name, value) in &refusal.details {
            if error.details.get(name) != Some(value) {
                let found = error.details.get(name);
                self.finding(format!("{name} is not {value}: {found:?}"));
            }
        }
    }

    fn compare_files(&mut self) {
        let (before, after) = (self.folder.join("before"), self.folder.join("after"));
        let refused = self.folder.join("refuse.json").exists();
        if !refused && !after.exists() {
            self.finding("neither after/ nor refuse.json is there");
        }
        let expected = tree(if after.exists() { &after } else { &before });
        let found = tree(self.root.path());
        let paths: BTreeSet<&PathBuf> = expected.keys().chain(found.keys()).collect();
        for path in paths {
            let (expected, found) = (expected.get(path), found.get(path));
            if expected != found {
                let (expected, found) = (shown(expected), shown(found));
                let path = path.display();
                self.finding(format!("{path} is {found}, not {expected}"));
            }
        }
        let known: BTreeSet<PathBuf> = folders(&before)
            .into_iter()
            .chain(folders(&after))
            .collect();
        for folder in folders(self.root.path()).difference(&known) {
            self.finding(format!("the folder {} is new", folder.display()));
        }
    }

    /// Without `expect.json` the buffers must be as they were opened.
    fn compare_buffers(&mut self) {
        let expectation: Option<Expectation> = self.read("expect.json");
        let expected = expectation.map_or(self.opened.clone(), |it| it.buffers);
        let expected: BTreeMap<PathBuf, String> = expected
            .into_iter()
            .map(|(path, text)| (self.real(&path), text))
            .collect();
        let open = self.editor.0.lock().unwrap().clone();
        let found: BTreeMap<PathBuf, String> = open
            .iter()
            .map(|(path, text)| (path.clone(), text.text().wire()))
            .collect();
        if found != expected {
            self.finding(format!("the buffers are {found:?}, not {expected:?}"));
        }
    }
}

fn shown(entry: Option<&Entry>) -> String {
    match entry {
        None => "absent".to_owned(),
        Some(Entry::Link(to)) => format!("a link to {}", to.display()),
        Some(Entry::File(bytes)) if bytes.len() > 2000 => format!("{} bytes", bytes.len()),
        Some(Entry::File(bytes)) => format!("{:?}", String::from_utf8_lossy(bytes)),
    }
}

async fn play(folder: &Path, registry: &Arc<Registry>) -> Vec<String> {
    let mut play = Play::begin(folder, registry);
    play.act().await;
    play.processes.end_all().await;
    play.compare_files();
    play.compare_buffers();
    play.findings
}

/// The scenarios, or those whose name holds `MEWCODE_SCENARIO`.
fn scenarios() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/scenarios");
    let wanted = std::env::var("MEWCODE_SCENARIO").unwrap_or_default();
    let mut folders: Vec<PathBuf> = fs::read_dir(&root)
        .unwrap_or_else(|error| panic!("{}: {error}", root.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .filter(|path| {
            path.file_name()
                .unwrap()
                .to_string_lossy()
                .contains(&wanted)
        })
        .collect();
    folders.sort();
    folders
}

#[test]
fn every_scenario_comes_out_as_it_says() {
    let registry = Arc::new(builtin::registry());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let scenarios = scenarios();
    assert!(!scenarios.is_empty(), "there are scenarios");
    let mut report = String::new();
    let mut failed = 0;
    for folder in &scenarios {
        let findings = runtime.block_on(play(folder, &registry));
        failed += usize::from(!findings.is_empty());
        let name = folder.file_name().unwrap().to_string_lossy();
        for finding in findings {
            let _ = writeln!(report, "{name}: {}", finding.trim_end());
        }
    }
    let total = scenarios.len();
    assert!(failed == 0, "{failed} of {total} scenarios fail:\n{report}");
}
