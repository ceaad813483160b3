//! One message request at a time, whatever the client does with it. The clock is the test's own.

use super::*;
use crate::protocol::{ApprovalAnswer, ApprovalKind};
use mewcode_tools::port::Answer;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tower_lsp::jsonrpc::{Error, Id, Response};

/// A client, as far as it sees what comes over the wire.
struct Scene {
    approvals: Arc<Approvals>,
    peer: Arc<Peer>,
    sent: mpsc::UnboundedReceiver<Vec<u8>>,
}

impl Scene {
    fn new() -> Self {
        let (out, sent) = mpsc::unbounded_channel();
        let (approvals, peer) = (Arc::<Approvals>::default(), Arc::new(Peer::new(out)));
        let (queue, wire) = (Arc::clone(&approvals), Arc::clone(&peer));
        tokio::spawn(async move { ask_one_at_a_time(&queue, &wire).await });
        Self {
            approvals,
            peer,
            sent,
        }
    }

    fn put(&self, id: &str) -> oneshot::Receiver<Answer> {
        let answer = |answer: &str, title: &str| ApprovalAnswer {
            answer: answer.into(),
            title: title.into(),
        };
        self.approvals.put(Approval {
            id: id.into(),
            kind: ApprovalKind::Permission,
            session: None,
            tool: None,
            title: format!("Run `{id}`"),
            details: Vec::new(),
            because: Vec::new(),
            reason: String::new(),
            answers: vec![answer("deny", "Deny"), answer("once", "Allow once")],
            asked: 0,
        })
    }

    /// The next message, in short: `1 asks a`, `withdraws 1`, `says …`.
    async fn next(&mut self) -> String {
        let frame = String::from_utf8(self.sent.recv().await.unwrap()).unwrap();
        let message: Value = serde_json::from_str(frame.split_once("\r\n\r\n").unwrap().1).unwrap();
        let params = &message["params"];
        match message["method"].as_str().unwrap() {
            "window/showMessageRequest" => {
                assert_eq!(
                    params["actions"][0]["title"], "Deny",
                    "the safe answer is first"
                );
                let words = params["message"].as_str().unwrap();
                let words = words.trim().trim_start_matches("MewCode asks: Run ");
                format!("{} asks {words}", message["id"])
            }
            "$/cancelRequest" => format!("withdraws {}", params["id"]),
            "window/showMessage" => format!("says {}", params["message"].as_str().unwrap()),
            other => panic!("{other}"),
        }
    }

    /// Whether nothing was sent, once everything has come to rest.
    async fn is_silent(&mut self) -> bool {
        tokio::time::sleep(Duration::from_millis(1)).await;
        self.sent.try_recv().is_err()
    }

    fn reply(&self, id: i64, result: Value) {
        self.peer.resolve(Response::from_ok(Id::Number(id), result));
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_goes_to_its_question_and_the_next_is_asked() {
    let mut scene = Scene::new();
    let (a, b) = (scene.put("a"), scene.put("b"));
    assert_eq!(scene.next().await, "1 asks `a`");
    assert!(scene.is_silent().await, "one at a time");
    scene.reply(1, json!({"title": "Allow once"}));
    assert_eq!(a.await, Ok(Answer::AllowOnce));
    assert_eq!(scene.next().await, "2 asks `b`");
    // The reply to a request that is over answers nothing, least of all the next one.
    scene.reply(1, json!({"title": "Allow once"}));
    scene.reply(2, json!({"title": "Deny"}));
    assert_eq!(b.await, Ok(Answer::Deny { feedback: None }));
    assert!(scene.is_silent().await);
}

#[tokio::test(start_paused = true)]
async fn what_is_decided_elsewhere_is_withdrawn_here() {
    let mut scene = Scene::new();
    let _a = scene.put("a");
    assert_eq!(scene.next().await, "1 asks `a`");
    scene.approvals.answer(Some("a"), "deny", None).unwrap();
    assert_eq!(scene.next().await, "withdraws 1");
    let _b = scene.put("b");
    assert_eq!(scene.next().await, "2 asks `b`");
    assert!(scene.approvals.withdraw("b"));
    assert_eq!(scene.next().await, "withdraws 2");
    assert!(scene.is_silent().await);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_never_replies_does_not_hold_up_the_others() {
    let mut scene = Scene::new();
    let _a = scene.put("a");
    assert_eq!(scene.next().await, "1 asks `a`");
    tokio::time::sleep(TURN * 10).await;
    assert!(
        scene.is_silent().await,
        "alone, it stays as long as it must"
    );
    let (_b, _c) = (scene.put("b"), scene.put("c"));
    for expected in [
        "withdraws 1",
        "2 asks `b`",
        "withdraws 2",
        "3 asks `c`",
        "withdraws 3",
        "4 asks `a`",
    ] {
        assert_eq!(scene.next().await, expected);
    }
    assert_eq!(scene.approvals.count(), 3, "nothing was decided by silence");
}

#[tokio::test(start_paused = true)]
async fn what_is_closed_unanswered_waits_on_and_is_not_asked_again() {
    let mut scene = Scene::new();
    let _a = scene.put("a");
    assert_eq!(scene.next().await, "1 asks `a`");
    scene.reply(1, Value::Null);
    insta::assert_snapshot!(scene.next().await, @"says MewCode asks: Run `a`. Answer by a code action anywhere, or by the command mewcode.approval.answer.");
    let _b = scene.put("b");
    assert_eq!(scene.next().await, "2 asks `b`");
    tokio::time::sleep(TURN * 10).await;
    assert!(scene.is_silent().await, "the closed one takes no turn");
    scene.reply(2, json!({"title": "Something else"}));
    assert!(scene.next().await.starts_with("says MewCode asks: Run `b`"));
    assert_eq!(scene.approvals.count(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_cannot_be_asked_is_told() {
    let mut scene = Scene::new();
    for (number, name) in (1..).zip(["a", "b"]) {
        let _answer = scene.put(name);
        assert_eq!(scene.next().await, format!("{number} asks `{name}`"));
        let error = Error::method_not_found();
        scene
            .peer
            .resolve(Response::from_error(Id::Number(number), error));
        let told = format!("says MewCode asks: Run `{name}`. Answer by a code action");
        assert!(scene.next().await.starts_with(&told));
    }
    assert_eq!(scene.approvals.count(), 2);
}

#[test]
fn what_cannot_be_shown_whole_can_only_be_refused() {
    let scene = |details: usize| {
        request(&Approval {
            id: "a".into(),
            kind: ApprovalKind::Permission,
            session: None,
            tool: None,
            title: "Run it".into(),
            details: vec!["x".repeat(details)],
            because: Vec::new(),
            reason: String::new(),
            answers: ["deny", "once"]
                .map(|answer| ApprovalAnswer {
                    answer: answer.into(),
                    title: answer.into(),
                })
                .into(),
            asked: 0,
        })
    };
    let titles = |params: ShowMessageRequestParams| -> Vec<String> {
        let actions = params.actions.unwrap().into_iter();
        actions.map(|action| action.title).collect()
    };
    assert_eq!(titles(scene(100)), ["deny", "once"]);
    let long = scene(LONGEST);
    assert!(long.message.ends_with(" characters)"));
    assert_eq!(titles(long), ["deny"]);
}

#[tokio::test]
async fn a_reply_that_comes_with_the_end_of_its_turn_counts() {
    let (reply, replied) = oneshot::channel();
    let end = async move { reply.send("yes").unwrap() };
    assert_eq!(reply_before(replied, end).await, Some(Ok("yes")));
}
