//! What a person does with the agent in this editor: prompting, looking at hunks, accepting and rejecting; and what a test wants to
//! know of it.

use serde_json::{Value, json};

use super::editor::Editor;
use super::server::ResponseError;
use super::uri::path_of;

/// A hunk as an editor without MewCode's own methods sees it: its hint diagnostic.
#[derive(Clone, Debug, PartialEq)]
pub struct Hunk {
    /// Its id.
    pub id: String,
    /// The lines of the buffer that it covers, first and last of its range.
    pub lines: (u64, u64),
    /// What the hint says.
    pub message: String,
}

/// A started run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Its session.
    pub session: String,
    /// Its id.
    pub run: String,
}

/// How a call ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The event `call_ended`.
    pub event: Value,
}

impl Ended {
    /// `status`, with the kind of error after a slash if there is one.
    pub fn status(&self) -> String {
        let status = self.event["status"]
            .as_str()
            .unwrap_or_else(|| panic!("no status: {}", self.event));
        match self.event["error_kind"].as_str() {
            Some(kind) => format!("{status}/{kind}"),
            None => status.to_owned(),
        }
    }

    /// What changed in a file, by its relative path.
    pub fn file(&self, path: &str) -> &Value {
        let files = self.event["files"]
            .as_array()
            .unwrap_or_else(|| panic!("no files: {}", self.event));
        files
            .iter()
            .find(|file| file["path"] == path)
            .unwrap_or_else(|| panic!("{path} is not among {files:?}"))
    }

    /// How many files changed.
    pub fn files(&self) -> usize {
        self.event["files"].as_array().map_or(0, Vec::len)
    }
}

impl Editor {
    pub(super) fn take_diagnostics(&mut self, params: &Value) {
        let list = params["diagnostics"]
            .as_array()
            .unwrap_or_else(|| panic!("no diagnostics: {params}"))
            .clone();
        for diagnostic in &list {
            assert_eq!(diagnostic["source"], "mewcode", "{diagnostic}");
            assert_eq!(diagnostic["severity"], 4, "a hint: {diagnostic}");
            assert!(
                diagnostic["code"].is_string(),
                "the code is the hunk: {diagnostic}"
            );
            assert_eq!(
                diagnostic["data"]["hunk"], diagnostic["code"],
                "{diagnostic}"
            );
        }
        self.diagnostics.insert(path_of(&params["uri"]), list);
    }

    pub(super) fn take_review(&mut self, params: &Value) {
        let hunks = params["hunks"]
            .as_array()
            .unwrap_or_else(|| panic!("no hunks: {params}"))
            .clone();
        for hunk in &hunks {
            for name in ["id", "proposal", "session", "call", "tool", "reason"] {
                assert!(hunk[name].is_string(), "{name} is missing in {hunk}");
            }
            assert!(
                ["before", "after"].contains(&hunk["review"].as_str().unwrap_or_default()),
                "{hunk}"
            );
            assert!(
                ["proposed", "conflicted", "applied"]
                    .contains(&hunk["state"].as_str().unwrap_or_default()),
                "{hunk}"
            );
            assert_eq!(
                hunk["file"].is_string(),
                hunk["title"].is_string(),
                "what is about a whole file says so: {hunk}"
            );
            assert!(
                hunk["startLine"].as_u64() <= hunk["endLine"].as_u64(),
                "{hunk}"
            );
            for (lines, count) in [("oldLines", "removed"), ("newLines", "added")] {
                let length = hunk[lines]
                    .as_array()
                    .unwrap_or_else(|| panic!("{lines} is missing in {hunk}"))
                    .len() as u64;
                assert!(
                    hunk["file"].is_string()
                        || hunk[count].as_u64().is_some_and(|count| count <= length),
                    "{count} of {length} in {hunk}"
                );
            }
        }
        self.reviews.insert(path_of(&params["uri"]), hunks);
    }

    /// Prompts the agent in the default session.
    pub fn prompt(&mut self, text: &str) -> Run {
        self.prompt_with(json!({"text": text}))
    }

    /// Prompts the agent.
    pub fn prompt_with(&mut self, argument: Value) -> Run {
        let answer = self
            .execute("mewcode.prompt", argument)
            .expect("a prompt is taken");
        let name = |key: &str| {
            answer[key]
                .as_str()
                .unwrap_or_else(|| panic!("{key} is missing in {answer}"))
                .to_owned()
        };
        Run {
            session: name("session"),
            run: name("run"),
        }
    }

    /// Takes the next event of a kind that `wanted` accepts and that was not taken yet.
    pub fn await_event(&mut self, kind: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        self.until(kind, |editor| {
            let event = editor.events.iter_mut().find(|event| {
                !event.read && event.envelope["event"]["kind"] == kind && wanted(&event.envelope)
            })?;
            event.read = true;
            Some(event.envelope.clone())
        })
    }

    /// Waits for the end of the next call of a tool and takes it.
    pub fn await_call(&mut self, tool: &str) -> Ended {
        let envelope = self.await_event("call_ended", |envelope| envelope["event"]["tool"] == tool);
        Ended {
            event: envelope["event"].clone(),
        }
    }

    /// Waits for the end of a run, takes it, and returns `{outcome, message}`.
    pub fn await_run(&mut self, run: &Run) -> Value {
        self.await_event("run_ended", |envelope| envelope["run"] == *run.run)["event"].clone()
    }

    /// Waits for the end of a run that must go well: every expectation of its script was met.
    pub fn await_done(&mut self, run: &Run) {
        let ended = self.await_run(run);
        assert_eq!(ended["outcome"], "done", "{ended}");
    }

    /// Waits for a message to the person that contains these words, and takes it.
    pub fn await_message(&mut self, part: &str) -> String {
        let message = self.until(part, |editor| {
            let at = editor.unread.iter().position(|message| {
                message["method"] == "window/showMessage"
                    && message["params"]["message"]
                        .as_str()
                        .is_some_and(|words| words.contains(part))
            })?;
            Some(editor.unread.remove(at))
        });
        message["params"]["message"]
            .as_str()
            .expect("it has words")
            .to_owned()
    }

    /// Takes all that is left of a run that must go well, calls included.
    pub fn finish_run(&mut self, run: &Run) {
        self.await_done(run);
        for event in &mut self.events {
            event.read |= event.envelope["run"] == *run.run;
        }
    }

    /// Takes the ends of all calls so far, for tests that have judged those which they are about.
    pub fn finish_run_calls(&mut self) {
        for event in &mut self.events {
            event.read |= event.envelope["event"]["kind"] == "call_ended";
        }
    }

    /// The hunks of a file as published last.
    pub fn hunks(&self, path: &str) -> Vec<Hunk> {
        let list = self
            .diagnostics
            .get(&self.workspace.path(path))
            .map_or(&[][..], Vec::as_slice);
        list.iter()
            .map(|hint| Hunk {
                id: hint["code"].as_str().expect("judged before").to_owned(),
                lines: (
                    hint["range"]["start"]["line"].as_u64().expect("a line"),
                    hint["range"]["end"]["line"].as_u64().expect("a line"),
                ),
                message: hint["message"].as_str().expect("a message").to_owned(),
            })
            .collect()
    }

    /// The hunks of a file as a plugin gets them.
    pub fn review(&self, path: &str) -> Vec<Value> {
        self.reviews
            .get(&self.workspace.path(path))
            .cloned()
            .unwrap_or_default()
    }

    /// Waits until a file has so many hunks, in both ways of showing them where the client has both.
    pub fn await_hunks(&mut self, path: &str, count: usize) -> Vec<Hunk> {
        self.until(&format!("{count} hunks in {path}"), |editor| {
            let hunks = editor.hunks(path);
            let review = editor.review(path).len();
            (hunks.len() == count && (!editor.client.has("review") || review == count))
                .then_some(hunks)
        })
    }

    /// Waits for the next hunk of a file that had this one, which was decided. Between the two there may be none, or not.
    pub fn await_next_hunk(&mut self, path: &str, decided: &Hunk) -> Hunk {
        self.until(&format!("the next hunk in {path}"), |editor| {
            let mut hunks = editor.hunks(path);
            hunks.retain(|hunk| hunk.id != decided.id);
            hunks.pop()
        })
    }

    /// Waits until a hunk of a file is in a state (seen by a plugin).
    pub fn await_state(&mut self, path: &str, state: &str) -> Value {
        self.until(&format!("a hunk that is {state} in {path}"), |editor| {
            editor
                .review(path)
                .into_iter()
                .find(|hunk| hunk["state"] == state)
        })
    }

    /// All pending hunks, by asking.
    pub fn pending(&mut self) -> Vec<Value> {
        let answer = self
            .call("mewcode/pending", json!({}))
            .expect("pending hunks are told");
        answer["hunks"]
            .as_array()
            .unwrap_or_else(|| panic!("no hunks in {answer}"))
            .clone()
    }

    /// Accepts one hunk.
    pub fn accept(&mut self, hunk: &Hunk) {
        self.execute("mewcode.review.accept", json!({"hunk": hunk.id}))
            .expect("a hunk is accepted");
    }

    /// Rejects one hunk.
    pub fn reject(&mut self, hunk: &Hunk) {
        self.execute("mewcode.review.reject", json!({"hunk": hunk.id}))
            .expect("a hunk is rejected");
    }

    /// Accepts what is proposed in a file.
    pub fn accept_file(&mut self, path: &str) -> Result<Value, ResponseError> {
        let uri = self.uri(path);
        self.execute("mewcode.review.accept", json!({"uri": uri}))
    }

    /// The code actions at a place.
    pub fn code_actions(&mut self, path: &str, line: u64, only: Option<&[&str]>) -> Vec<Value> {
        let hints = self
            .diagnostics
            .get(&self.workspace.path(path))
            .cloned()
            .unwrap_or_default();
        let here: Vec<Value> = hints
            .into_iter()
            .filter(|hint| {
                hint["range"]["start"]["line"].as_u64() <= Some(line)
                    && Some(line) <= hint["range"]["end"]["line"].as_u64()
            })
            .collect();
        let mut context = json!({"diagnostics": here, "triggerKind": 1});
        if let Some(only) = only {
            context["only"] = json!(only);
        }
        let place = json!({"line": line, "character": 0});
        let uri = self.uri(path);
        let answer = self.call(
            "textDocument/codeAction",
            json!({"textDocument": {"uri": uri}, "range": {"start": place, "end": place}, "context": context}),
        );
        match answer.expect("code actions are answered") {
            Value::Null => Vec::new(),
            Value::Array(actions) => actions,
            other => panic!("not a list of code actions: {other}"),
        }
    }

    /// Chooses a code action as a client does: resolves it if it has no command yet, then runs the command.
    pub fn choose(&mut self, action: &Value) -> Result<Value, ResponseError> {
        assert!(
            action.get("edit").is_none(),
            "an edit in a code action is not validated by clients: {action}"
        );
        let mut action = action.clone();
        if action.get("command").is_none() {
            action = self.call("codeAction/resolve", action)?;
        }
        assert!(
            action.get("edit").is_none(),
            "an edit in a code action is not validated by clients: {action}"
        );
        self.run_command(&action["command"])
    }

    /// Runs a command as an action or a lens holds it.
    pub fn run_command(&mut self, command: &Value) -> Result<Value, ResponseError> {
        assert!(
            command["title"].is_string(),
            "a command without a title: {command}"
        );
        let name = command["command"]
            .as_str()
            .unwrap_or_else(|| panic!("no command: {command}"));
        let known = self.capabilities["executeCommandProvider"]["commands"]
            .as_array()
            .expect("commands are advertised");
        assert!(
            known.iter().any(|known| known == name),
            "{name} is not advertised"
        );
        self.call(
            "workspace/executeCommand",
            json!({"command": name, "arguments": command["arguments"]}),
        )
    }

    /// The lenses of a file, resolved.
    pub fn lenses(&mut self, path: &str) -> Vec<Value> {
        let uri = self.uri(path);
        let answer = self
            .call(
                "textDocument/codeLens",
                json!({"textDocument": {"uri": uri}}),
            )
            .expect("lenses are answered");
        let lenses = answer.as_array().cloned().unwrap_or_default();
        lenses
            .into_iter()
            .map(|lens| {
                if lens.get("command").is_some() {
                    lens
                } else {
                    self.call("codeLens/resolve", lens)
                        .expect("a lens is resolved")
                }
            })
            .collect()
    }
}
