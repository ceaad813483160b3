//! The server as a child process: frames in and out, every message recorded, a clean end asserted. Knows the base protocol and
//! JSON-RPC, nothing of documents or of MewCode.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufReader, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::frames::{self, Frame};
use super::{END_WITHIN, PATIENCE, Workspace};

/// A running server. When it is dropped without a panic, it must end cleanly and must not have said anything that nobody expected.
pub struct Server {
    input: Option<Sender<Vec<u8>>>,
    output: Receiver<Option<Frame>>,
    exit: Receiver<ExitStatus>,
    status: Option<ExitStatus>,
    process: u32,
    errors: Arc<Mutex<Vec<u8>>>,
    conversation: Vec<String>,
    started: Instant,
    next_id: i64,
    /// Requests without a response yet, by id.
    asked: BTreeMap<i64, String>,
    /// Messages that came while another one was waited for.
    inbox: VecDeque<Value>,
    ended: bool,
    killed: bool,
    /// The test fails if the server complains on stderr about a panic, unless it wants one.
    pub panics_allowed: bool,
    /// The test sends requests with ids of its own, which are strings.
    pub strings_allowed: bool,
}

/// A JSON-RPC error.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseError {
    /// The code.
    pub code: i64,
    /// The sentence.
    pub message: String,
}

impl Server {
    /// Starts `mewcode` without arguments.
    pub fn start(workspace: &Workspace) -> Self {
        let mut command = workspace.command();
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Self::adopt(command.spawn().expect("the built server starts"))
    }

    /// Takes over a child whose three streams are pipes.
    pub fn adopt(mut child: Child) -> Self {
        let mut stdin = child.stdin.take().expect("piped");
        let stdout = child.stdout.take().expect("piped");
        let mut stderr = child.stderr.take().expect("piped");
        let process = child.id();
        let (input, to_write) = mpsc::channel::<Vec<u8>>();
        // A thread of its own, so that a server that does not read cannot hang the test before its deadline.
        thread::spawn(move || {
            for bytes in to_write {
                if stdin
                    .write_all(&bytes)
                    .and_then(|()| stdin.flush())
                    .is_err()
                {
                    return;
                }
            }
        });
        let (sender, output) = mpsc::channel();
        thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            loop {
                let frame = match frames::read(&mut stdout) {
                    Ok(Some(frame)) => Some(frame),
                    Ok(None) => None,
                    Err(error) => Some(Frame::Garbage(error.to_string())),
                };
                let last = !matches!(frame, Some(Frame::Message(_)));
                if sender.send(frame).is_err() || last {
                    return;
                }
            }
        });
        let errors = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&errors);
        thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(count @ 1..) = stderr.read(&mut chunk) {
                kept.lock()
                    .expect("nobody panics with it")
                    .extend_from_slice(&chunk[..count]);
            }
        });
        let (ended, exit) = mpsc::channel();
        thread::spawn(move || {
            if let Ok(status) = child.wait() {
                let _ = ended.send(status);
            }
        });
        Self {
            input: Some(input),
            output,
            exit,
            status: None,
            process,
            errors,
            conversation: Vec::new(),
            started: Instant::now(),
            next_id: 1,
            asked: BTreeMap::new(),
            inbox: VecDeque::new(),
            ended: false,
            killed: false,
            panics_allowed: false,
            strings_allowed: false,
        }
    }

    /// Sends any bytes.
    pub fn send_raw(&mut self, bytes: Vec<u8>) {
        self.record("→ raw", &String::from_utf8_lossy(&bytes));
        self.write(bytes);
    }

    /// Sends any message.
    pub fn send(&mut self, message: &Value) {
        self.record("→", &message.to_string());
        self.write(frames::encode(message));
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request and returns its id.
    pub fn request(&mut self, method: &str, params: Value) -> i64 {
        let id = self.next_id;
        self.next_id += 1;
        self.asked.insert(id, method.to_owned());
        let mut message = json!({"jsonrpc": "2.0", "id": id, "method": method});
        // `shutdown` has no parameters, not parameters that are null.
        if !params.is_null() {
            message["params"] = params;
        }
        self.send(&message);
        id
    }

    /// Answers a request of the server.
    pub fn respond(&mut self, id: &Value, result: Value) {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }

    /// Refuses a request of the server.
    pub fn refuse(&mut self, id: &Value, code: i64, message: &str) {
        self.send(
            &json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}),
        );
    }

    /// The next message, in the order in which they came; `None` at the deadline or the end of the output.
    pub fn receive(&mut self, deadline: Instant) -> Option<Value> {
        if let Some(message) = self.inbox.pop_front() {
            return Some(message);
        }
        self.receive_new(deadline)
    }

    fn receive_new(&mut self, deadline: Instant) -> Option<Value> {
        let left = deadline.saturating_duration_since(Instant::now());
        match self.output.recv_timeout(left) {
            Ok(Some(Frame::Message(message))) => {
                self.record("←", &message.to_string());
                self.judge(&message);
                Some(message)
            }
            // A message that was on its way when the server was killed.
            Ok(Some(Frame::Garbage(_))) if self.killed => None,
            Ok(Some(Frame::Garbage(what))) => {
                self.record("← garbage", &what);
                panic!("the server wrote something that is no message: {what}");
            }
            Ok(None) | Err(RecvTimeoutError::Disconnected | RecvTimeoutError::Timeout) => None,
        }
    }

    /// What holds for every message: it is JSON-RPC, and a response answers a request that has none yet.
    fn judge(&mut self, message: &Value) {
        assert_eq!(message["jsonrpc"], "2.0", "not JSON-RPC: {message}");
        if message.get("method").is_some() {
            return;
        }
        let failed = message.get("error").is_some();
        assert!(
            failed != message.get("result").is_some(),
            "a response has a result or an error: {message}"
        );
        // A message whose id could not be read is answered with the id null.
        if failed && message["id"].is_null() {
            return;
        }
        if self.strings_allowed && message["id"].is_string() {
            return;
        }
        let id = message["id"]
            .as_i64()
            .unwrap_or_else(|| panic!("a response to nobody: {message}"));
        assert!(
            self.asked.remove(&id).is_some(),
            "a second response, or one to a request never sent: {message}"
        );
    }

    /// Waits for the response to a request; everything else that comes is kept in its order.
    pub fn response(&mut self, id: i64) -> Result<Value, ResponseError> {
        self.response_before(id, Instant::now() + PATIENCE)
    }

    /// The same with a deadline.
    pub fn response_before(&mut self, id: i64, deadline: Instant) -> Result<Value, ResponseError> {
        if let Some(at) = self
            .inbox
            .iter()
            .position(|message| is_response_to(message, id))
        {
            return outcome(self.inbox.remove(at).expect("just found"));
        }
        loop {
            let Some(message) = self.receive_new(deadline) else {
                panic!(
                    "no response to request {id} ({:?}) in time",
                    self.asked.get(&id)
                );
            };
            if is_response_to(&message, id) {
                return outcome(message);
            }
            self.inbox.push_back(message);
        }
    }

    /// Sends a request and waits for its response.
    pub fn call(&mut self, method: &str, params: Value) -> Result<Value, ResponseError> {
        let id = self.request(method, params);
        self.response(id)
    }

    /// Methods of requests that have no response yet.
    pub fn unanswered(&self) -> Vec<&str> {
        self.asked.values().map(String::as_str).collect()
    }

    /// Closes the server's input, as a client that vanishes does.
    pub fn close_input(&mut self) {
        self.record("→", "(end of input)");
        self.input = None;
    }

    /// Kills it (SIGKILL), in the midst of whatever it does.
    pub fn kill(&mut self) {
        self.record("#", "killed");
        self.killed = true;
        self.send_kill();
        // Not before the disk lets go of it.
        self.exit_within(PATIENCE);
    }

    fn send_kill(&self) {
        if let Some(process) = rustix::process::Pid::from_raw(self.process as i32) {
            let _ = rustix::process::kill_process(process, rustix::process::Signal::KILL);
        }
    }

    /// Waits for the process to end by itself. It is not asked for anything more afterwards.
    pub fn exit_within(&mut self, limit: Duration) -> ExitStatus {
        self.ended = true;
        if let Some(status) = self.status {
            return status;
        }
        let Ok(status) = self.exit.recv_timeout(limit) else {
            panic!("the server still runs after {limit:?}");
        };
        self.status = Some(status);
        status
    }

    /// Ends it as the protocol says: `shutdown`, its response, `exit`, status 0 in time. Returns what it said meanwhile.
    pub fn finish(&mut self) -> Vec<Value> {
        let id = self.request("shutdown", Value::Null);
        assert_eq!(self.response(id), Ok(Value::Null), "shutdown succeeds");
        self.send(&json!({"jsonrpc": "2.0", "method": "exit"}));
        let status = self.exit_within(END_WITHIN);
        assert!(status.success(), "the server ended with {status}");
        let mut said = Vec::new();
        while let Some(message) = self.receive(Instant::now() + PATIENCE) {
            said.push(message);
        }
        assert!(
            self.asked.is_empty(),
            "requests without a response: {:?}",
            self.asked
        );
        let errors = self.errors();
        assert!(
            self.panics_allowed || !errors.contains("panicked at"),
            "the server panicked: {errors}"
        );
        said
    }

    /// Has the test seen to its end already?
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// The last messages, one a line.
    pub fn conversation(&self) -> String {
        let from = self.conversation.len().saturating_sub(150);
        self.conversation[from..].join("\n")
    }

    /// What it wrote to stderr.
    pub fn errors(&self) -> String {
        String::from_utf8_lossy(&self.errors.lock().expect("nobody panics with it")).into_owned()
    }

    /// A line of the test's own in the record.
    pub fn note(&mut self, what: &str) {
        self.record("#", what);
    }

    fn write(&mut self, bytes: Vec<u8>) {
        // A server that has ended does not read; the test finds out by waiting for it.
        if let Some(input) = &self.input {
            let _ = input.send(bytes);
        }
    }

    fn record(&mut self, direction: &str, text: &str) {
        let mut text = text.to_owned();
        if let Some((cut, _)) = text.char_indices().nth(1500) {
            let whole = text.len();
            text.truncate(cut);
            text.push_str(&format!(" … ({whole} bytes)"));
        }
        self.conversation.push(format!(
            "{:8.3} {direction} {text}",
            self.started.elapsed().as_secs_f64()
        ));
    }
}

fn is_response_to(message: &Value, id: i64) -> bool {
    message.get("method").is_none() && message["id"] == id
}

/// The result or the error of a response.
pub fn outcome(mut message: Value) -> Result<Value, ResponseError> {
    match message.get_mut("error") {
        Some(error) => Err(ResponseError {
            code: error["code"].as_i64().unwrap_or_default(),
            message: error["message"].as_str().unwrap_or_default().to_owned(),
        }),
        None => Ok(message["result"].take()),
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let mut fault = None;
        if !thread::panicking() && !self.ended {
            fault = catch_unwind(AssertUnwindSafe(|| {
                let said = self.finish();
                assert!(said.is_empty(), "messages that nobody expected: {said:#?}");
            }))
            .err();
        }
        if fault.is_some() || thread::panicking() {
            let from = self.conversation.len().saturating_sub(150);
            eprintln!(
                "the conversation ({from} earlier messages left out):\n{}",
                self.conversation()
            );
            eprintln!("its stderr:\n{}", self.errors());
        }
        // Only a process that has not been waited for yet, so the id is still its own.
        if self.status.is_none() && self.exit.try_recv().is_err() {
            self.input = None;
            self.send_kill();
        }
        if let Some(fault) = fault {
            resume_unwind(fault);
        }
    }
}
