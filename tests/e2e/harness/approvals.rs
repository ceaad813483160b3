//! What a person sees of questions and does with them: message requests, the plugins' list, code actions.

use serde_json::{Value, json};

use super::client::Messages;
use super::editor::Editor;
use super::server::ResponseError;

/// A message request that the test answers.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The request's id.
    pub id: Value,
    /// Its parameters.
    pub params: Value,
}

impl Asked {
    /// The titles of its answers.
    pub fn titles(&self) -> Vec<&str> {
        let actions = self.params["actions"].as_array().expect("answers");
        let titles = actions.iter().map(|action| action["title"].as_str());
        titles.map(|title| title.expect("a title")).collect()
    }
}

impl Editor {
    pub(super) fn take_asked(&mut self, id: Value, params: Value) {
        assert!(
            !self.client.has("approvals"),
            "a client that shows questions itself is asked by a message: {params}"
        );
        assert_ne!(
            self.client.name, "Neovim",
            "it takes the keyboard: {params}"
        );
        assert!(
            self.asked.is_none(),
            "asked while another message is shown: {params}"
        );
        if self.client.messages == Messages::Unknown {
            self.server.refuse(&id, -32601, "not known here");
            return;
        }
        let asked = Asked { id, params };
        assert!(
            matches!(asked.titles()[0], "Deny" | "Do not answer" | "Do not trust"),
            "the safe answer comes first: {asked:?}"
        );
        self.last_asked = asked.id.clone();
        self.asked = Some(asked);
    }

    pub(super) fn take_withdrawal(&mut self, id: &Value) {
        if self.last_asked == *id {
            self.asked = None;
            self.withdrawn += 1;
        }
    }

    pub(super) fn take_status(&mut self, params: &Value) {
        let sandbox = params["sandbox"].as_str().unwrap_or_default();
        assert!(
            ["workspace_write", "read_only", "off", "none"].contains(&sandbox),
            "{params}"
        );
        assert!(params["trusted"].is_boolean(), "{params}");
        for count in ["running", "pendingHunks", "pendingApprovals"] {
            assert!(params[count].is_u64(), "{count} is missing in {params}");
        }
        self.status = params.clone();
    }

    pub(super) fn take_approvals(&mut self, params: &Value) {
        let approvals = params["approvals"]
            .as_array()
            .unwrap_or_else(|| panic!("no questions: {params}"))
            .clone();
        approvals.iter().for_each(check);
        self.approvals = approvals;
    }

    /// Waits for a message request about something, and leaves it to be answered.
    pub fn await_asked(&mut self, about: &str) -> Asked {
        self.until(&format!("a message that asks about {about}"), |editor| {
            let asked = editor.asked.clone()?;
            let words = asked.params["message"].as_str().expect("a message");
            words.contains(about).then_some(asked)
        })
    }

    /// Answers a message request: by the title of the answer, or not at all (the person closes it).
    pub fn reply(&mut self, asked: &Asked, title: Option<&str>) {
        let result = title.map_or(Value::Null, |title| json!({"title": title}));
        self.server.respond(&asked.id, result);
        self.asked = None;
    }

    /// Takes a message request that is never answered.
    pub fn ignore(&mut self, asked: &Asked) {
        self.asked.take_if(|open| open.id == asked.id);
    }

    /// Waits until so many questions wait, by the status, and gives them.
    pub fn await_approvals(&mut self, count: usize) -> Vec<Value> {
        assert!(self.client.has("status"), "the test waits for the status");
        self.until(&format!("{count} questions"), |editor| {
            let has_list = !editor.client.has("approvals") || editor.approvals.len() == count;
            (has_list && editor.status["pendingApprovals"] == count).then_some(())
        });
        let waiting = self.pending_approvals();
        if self.client.has("approvals") {
            assert_eq!(waiting, self.approvals, "told and asked for alike");
        }
        waiting
    }

    /// The questions that wait, as a plugin was told last.
    pub fn waiting(&self) -> &[Value] {
        &self.approvals
    }

    /// The questions that wait, by asking.
    pub fn pending_approvals(&mut self) -> Vec<Value> {
        let answer = self
            .call("mewcode/pending", json!({}))
            .expect("questions are told");
        let approvals = answer["approvals"].as_array().expect("questions").clone();
        approvals.iter().for_each(check);
        approvals
    }

    /// Answers a question.
    pub fn answer_approval(
        &mut self,
        approval: &Value,
        answer: &str,
    ) -> Result<Value, ResponseError> {
        let argument = json!({"id": approval["id"], "answer": answer});
        self.execute("mewcode.approval.answer", argument)
    }

    /// The code actions of a kind, anywhere.
    pub fn answers(&mut self, kind: &str) -> Vec<Value> {
        let actions = self.code_actions("anywhere.txt", 0, Some(&[kind]));
        for action in &actions {
            assert_eq!(action["kind"], kind, "{action}");
            assert_eq!(action.get("isPreferred"), None, "{action}");
        }
        actions
    }
}

/// A question has all that a plugin shows of it.
fn check(approval: &Value) {
    for name in ["id", "kind", "title", "reason"] {
        assert!(
            approval[name].is_string(),
            "{name} is missing in {approval}"
        );
    }
    for name in ["details", "because", "answers"] {
        assert!(approval[name].is_array(), "{name} is missing in {approval}");
    }
    assert_eq!(approval["answers"][0]["answer"], "deny", "{approval}");
    assert!(approval["asked"].as_u64() > Some(0), "{approval}");
}
