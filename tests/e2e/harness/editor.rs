//! An editor without a screen: it starts the server, keeps what the server tells it, answers what the server asks, and refuses
//! whatever a client of its kind would not understand. Everything happens on the test's own thread, when the test waits.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::approvals::Asked;
use super::handshake::shake;
use super::progress::Progress;
use super::server::{ResponseError, outcome};
use super::uri::uri;
use super::{Buffer, Client, Encoding, PATIENCE, Script, Server, Sync, Workspace};

/// How long a test that waits for the server looks at nothing else.
const GLANCE: Duration = Duration::from_millis(20);

/// A request of the server that the test answers by hand.
#[derive(Clone, Debug)]
pub struct Apply {
    /// The request's id.
    pub id: Value,
    /// `workspace/applyEdit` or `mewcode/applyEdit`.
    pub method: String,
    /// Its parameters.
    pub params: Value,
}

/// One event of the agent.
#[derive(Clone, Debug)]
pub struct Event {
    /// `{session, run, sequence, time, event}`.
    pub envelope: Value,
    /// Has the test taken it?
    pub read: bool,
}

/// The editor. Dropping it ends the server and fails the test if that is not clean or something was said that nobody took.
pub struct Editor {
    /// The server.
    pub server: Server,
    /// The files.
    pub workspace: Workspace,
    /// What this editor is like. May be changed on the way.
    pub client: Client,
    /// The negotiated encoding.
    pub encoding: Encoding,
    /// The negotiated synchronisation.
    pub sync: Sync,
    /// What the server said that it can do.
    pub capabilities: Value,
    /// The options that the server got.
    pub(super) options: Value,
    /// What a formatter makes of a text on save.
    pub formatter: Option<fn(&str) -> String>,
    /// What the person types at the top of a file between a save and the answer that tells of it.
    pub typed_after_save: Option<(String, String)>,
    /// What its other language servers answer, for a client with the feature `query`.
    pub servers: Option<fn(&Value) -> Value>,
    /// What they were asked.
    pub queries: Vec<Value>,
    pub(super) buffers: BTreeMap<PathBuf, Buffer>,
    pub(super) diagnostics: BTreeMap<PathBuf, Vec<Value>>,
    pub(super) reviews: BTreeMap<PathBuf, Vec<Value>>,
    pub(super) events: Vec<Event>,
    pub(super) applies: VecDeque<Apply>,
    /// Edit requests seen, answered or not.
    pub applies_seen: usize,
    /// Saves that were carried out.
    pub saves: usize,
    /// How often the person was told that nothing here can save.
    pub told_about_saving: usize,
    /// How often the person was told that what they accepted was not applied.
    pub told_about_failure: usize,
    /// The last status.
    pub status: Value,
    /// Registrations (`client/registerCapability`), by method.
    pub registered: BTreeSet<String>,
    /// Message requests that the test answers by hand; no more than one at a time.
    pub(super) asked: Option<Asked>,
    /// The id of the last one, answered or not, or of a question to language servers that has no answer.
    pub(super) last_asked: Value,
    /// The questions that wait, as the server told them last.
    pub(super) approvals: Vec<Value>,
    /// How often such a request was withdrawn, answered or not.
    pub withdrawn: usize,
    shown: VecDeque<Value>,
    pub(super) progress: BTreeMap<String, Progress>,
    pub(super) unread: Vec<Value>,
    responses: BTreeMap<i64, Result<Value, ResponseError>>,
    sequences: BTreeMap<String, i64>,
}

fn says(params: &Value, part: &str) -> bool {
    params["message"]
        .as_str()
        .is_some_and(|message| message.contains(part))
}

fn is_about_saving(params: &Value) -> bool {
    says(params, "cannot save in this editor")
}

fn is_about_failure(params: &Value) -> bool {
    says(params, "what you accepted in ")
}

/// The options that most tests give.
pub fn options(workspace: &Workspace, script: &Script, mode: &str) -> Value {
    let path = workspace.home().join("script.yaml");
    fs::write(&path, script.yaml()).expect("the script can be written");
    json!({"provider": "scripted", "script": path, "mode": mode, "max_turns": 1000})
}

impl Editor {
    /// An editor whose server plays `script`, in a mode of permission.
    pub fn start(workspace: Workspace, client: Client, script: &Script, mode: &str) -> Self {
        let options = options(&workspace, script, mode);
        let server = Server::start(&workspace);
        Self::connect(server, workspace, client, options, std::process::id())
    }

    /// The same with any options and any parent process.
    pub fn connect(
        mut server: Server,
        workspace: Workspace,
        client: Client,
        options: Value,
        parent: u32,
    ) -> Self {
        let hands = shake(&mut server, &workspace, &client, &options, parent);
        Self {
            server,
            workspace,
            client,
            encoding: hands.encoding,
            sync: hands.sync,
            capabilities: hands.capabilities,
            options,
            formatter: None,
            typed_after_save: None,
            servers: None,
            queries: Vec::new(),
            buffers: BTreeMap::new(),
            diagnostics: BTreeMap::new(),
            reviews: BTreeMap::new(),
            events: Vec::new(),
            applies: VecDeque::new(),
            applies_seen: 0,
            saves: 0,
            told_about_saving: 0,
            told_about_failure: 0,
            status: Value::Null,
            registered: BTreeSet::new(),
            asked: None,
            last_asked: Value::Null,
            approvals: Vec::new(),
            withdrawn: 0,
            shown: VecDeque::new(),
            progress: BTreeMap::new(),
            unread: Vec::new(),
            responses: BTreeMap::new(),
            sequences: BTreeMap::new(),
        }
    }

    /// The URI of a file of the workspace.
    pub fn uri(&self, path: &str) -> String {
        uri(&self.workspace.path(path))
    }

    /// Takes in messages until `done` answers. It is asked after each message, and now and then without one: a file that
    /// something writes sends none.
    pub fn until<T>(&mut self, what: &str, mut done: impl FnMut(&mut Self) -> Option<T>) -> T {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(answer) = done(self) {
                return answer;
            }
            let glance = deadline.min(Instant::now() + GLANCE);
            match self.server.receive(glance) {
                Some(message) => self.take(message),
                // Before that, the server's output has ended.
                None if Instant::now() >= glance && glance < deadline => {}
                None => panic!("waited in vain for {what}; {}", self.state()),
            }
        }
    }

    /// Makes a round trip, so that everything which the server did at once for earlier messages has been seen.
    pub fn settle(&mut self) {
        let answer = self.call("mewcode/pending", json!({}));
        assert!(answer.is_ok(), "{answer:?}");
    }

    /// Sends a request and waits for the response, taking in everything else.
    pub fn call(&mut self, method: &str, params: Value) -> Result<Value, ResponseError> {
        let id = self.server.request(method, params);
        self.answer(id)
    }

    /// Waits for the response to a request sent earlier.
    pub fn answer(&mut self, id: i64) -> Result<Value, ResponseError> {
        self.until("a response", |editor| editor.responses.remove(&id))
    }

    /// Runs a command of the server.
    pub fn execute(&mut self, command: &str, argument: Value) -> Result<Value, ResponseError> {
        self.call(
            "workspace/executeCommand",
            json!({"command": command, "arguments": [argument]}),
        )
    }

    /// Waits for an edit request that the test answers by hand (`Reply::ByHand`).
    pub fn await_apply(&mut self) -> Apply {
        self.until("an edit request", |editor| editor.applies.pop_front())
    }

    /// Waits for `window/showDocument` and returns what was to be shown.
    pub fn await_shown(&mut self) -> Value {
        self.until("a document to show", |editor| editor.shown.pop_front())
    }

    /// Whether there is a message to the person that the test has not taken.
    pub fn has_message(&self, part: &str) -> bool {
        self.unread
            .iter()
            .any(|message| says(&message["params"], part))
    }

    /// Takes all messages to the person and warnings in the log so far, for tests to which it is all the same whether there are any.
    pub fn forget_messages(&mut self) {
        self.unread.retain(|message| {
            !matches!(
                message["method"].as_str(),
                Some("window/showMessage" | "window/logMessage")
            )
        });
    }

    /// All events so far, taken or not.
    pub fn events(&self) -> Vec<&Value> {
        self.events.iter().map(|event| &event.envelope).collect()
    }

    /// Forgets what was on its way from a server that is no more.
    pub(super) fn forget_answers(&mut self) {
        self.asked = None;
        self.shown.clear();
        self.responses.clear();
        self.sequences.clear();
    }

    /// What is known, for the message of a failing test.
    fn state(&self) -> String {
        let events: Vec<String> = self
            .events
            .iter()
            .map(|event| event.envelope["event"]["kind"].to_string())
            .collect();
        format!(
            "diagnostics: {:?}; events: {}; unread: {:?}; unanswered: {:?}",
            self.diagnostics,
            events.join(" "),
            self.unread,
            self.server.unanswered()
        )
    }

    /// Takes in one message.
    pub(super) fn take(&mut self, message: Value) {
        let method = message["method"].as_str().map(str::to_owned);
        match (method, message.get("id")) {
            (None, _) => {
                let id = message["id"]
                    .as_i64()
                    .unwrap_or_else(|| panic!("an error about a message of ours: {message}"));
                self.responses.insert(id, outcome(message));
            }
            (Some(method), Some(id)) => {
                let id = id.clone();
                self.take_request(&method, id, message["params"].clone());
            }
            (Some(method), None) => self.take_notification(&method, message),
        }
    }

    fn take_request(&mut self, method: &str, id: Value, params: Value) {
        match method {
            "workspace/applyEdit" => self.take_apply(Apply {
                id,
                method: method.to_owned(),
                params,
            }),
            "mewcode/applyEdit" if self.client.has("applyEdit") => {
                self.take_apply(Apply {
                    id,
                    method: method.to_owned(),
                    params,
                });
            }
            "mewcode/save" if self.client.has("save") => self.take_save(&id, &params),
            "mewcode/query" if self.client.has("query") => {
                let answer = self
                    .servers
                    .map_or_else(|| json!({}), |servers| servers(&params));
                self.queries.push(params);
                // Null stands for a server that thinks on.
                match answer.is_null() {
                    true => self.last_asked = id,
                    false => self.server.respond(&id, answer),
                }
            }
            "window/workDoneProgress/create" => {
                self.take_token(&params);
                self.server.respond(&id, Value::Null);
            }
            "client/registerCapability" => {
                for registration in params["registrations"].as_array().expect("registrations") {
                    let method = registration["method"].as_str().expect("a method");
                    assert_eq!(
                        method, "workspace/didChangeWatchedFiles",
                        "the only thing that may be registered dynamically"
                    );
                    self.registered.insert(method.to_owned());
                }
                self.server.respond(&id, Value::Null);
            }
            "workspace/codeLens/refresh" if self.client.refreshes => {
                self.server.respond(&id, Value::Null)
            }
            "window/showMessageRequest" => self.take_asked(id, params),
            "window/showDocument" => {
                self.shown.push_back(params);
                self.server.respond(&id, json!({"success": true}));
            }
            _ => {
                self.server.refuse(&id, -32601, "not known here");
                panic!(
                    "the server asked {method}, which this client never said it knows: {params}"
                );
            }
        }
    }

    fn take_notification(&mut self, method: &str, message: Value) {
        let params = &message["params"];
        match method {
            "textDocument/publishDiagnostics" => self.take_diagnostics(params),
            "mewcode/review" if self.client.has("review") => self.take_review(params),
            "mewcode/status" if self.client.has("status") => self.take_status(params),
            "mewcode/event" if self.client.has("event") => self.take_event(params),
            "$/progress" => self.take_progress(params),
            "mewcode/approval" if self.client.has("approvals") => self.take_approvals(params),
            "$/cancelRequest" => self.take_withdrawal(&params["id"]),
            // Types 3 to 5 are information; a warning or an error must be expected.
            "window/logMessage" if params["type"].as_u64() >= Some(3) => {}
            "window/showMessage" if is_about_saving(params) && !self.client.has("save") => {
                self.told_about_saving += 1;
            }
            "window/showMessage" if is_about_failure(params) => self.told_about_failure += 1,
            "window/logMessage" | "window/showMessage" => self.unread.push(message),
            _ => {
                panic!("the server sent {method}, which this client never said it knows: {params}")
            }
        }
    }

    fn take_event(&mut self, envelope: &Value) {
        let session = envelope["session"]
            .as_str()
            .unwrap_or_else(|| panic!("an event without session: {envelope}"));
        let sequence = envelope["sequence"]
            .as_i64()
            .unwrap_or_else(|| panic!("an event without sequence: {envelope}"));
        assert!(
            envelope["event"]["kind"].is_string(),
            "an event without kind: {envelope}"
        );
        if let Some(before) = self.sequences.insert(session.to_owned(), sequence) {
            assert!(
                before < sequence,
                "events out of order: {envelope} after {before}"
            );
        }
        self.events.push(Event {
            envelope: envelope.clone(),
            read: false,
        });
    }

    /// Messages of the server that the test had to take and did not.
    fn untaken(&self) -> Vec<Value> {
        let mut left = self.unread.clone();
        left.extend(self.shown.iter().cloned());
        left.extend(self.asked.iter().map(|asked| asked.params.clone()));
        left.extend(self.applies.iter().map(|apply| apply.params.clone()));
        left.extend(
            self.responses
                .iter()
                .map(|(id, response)| json!({"id": id, "response": format!("{response:?}")})),
        );
        left.extend(
            self.events
                .iter()
                .filter(|event| !event.read && must_be_taken(event))
                .map(|event| event.envelope.clone()),
        );
        left
    }

    /// Ends the server in the ordinary way and judges everything. Happens on drop too.
    pub fn finish(&mut self) {
        while let Some(message) = self.server.receive(Instant::now()) {
            self.take(message);
        }
        let left = self.untaken();
        assert!(left.is_empty(), "messages that nobody took: {left:#?}");
        // A run ends with an event first and its progress a little later.
        let running = self.count("run_started") > self.count("run_ended");
        if !running {
            self.until("the end of all progress", |editor| {
                editor.open_progress().is_empty().then_some(())
            });
        }
        for message in self.server.finish() {
            let method = message["method"]
                .as_str()
                .unwrap_or_else(|| panic!("a response after shutdown: {message}"));
            match method {
                "$/progress" => self.take_progress(&message["params"]),
                "mewcode/event"
                | "mewcode/review"
                | "mewcode/status"
                | "mewcode/approval"
                | "textDocument/publishDiagnostics" => {}
                "window/logMessage" | "$/cancelRequest" | "workspace/codeLens/refresh" => {}
                _ => panic!("said while shutting down: {message}"),
            }
        }
    }

    fn count(&self, kind: &str) -> usize {
        self.events
            .iter()
            .filter(|event| event.envelope["event"]["kind"] == kind)
            .count()
    }
}

/// How a call and a run ended is what tests are about; the rest of the stream may pass by.
fn must_be_taken(event: &Event) -> bool {
    matches!(
        event.envelope["event"]["kind"].as_str(),
        Some("call_ended" | "run_ended")
    )
}

impl Drop for Editor {
    fn drop(&mut self) {
        if !std::thread::panicking() && !self.server.has_ended() {
            self.finish();
        }
    }
}
