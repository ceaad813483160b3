//! Whatever is answered, and whatever happens meanwhile: nothing runs that nobody allowed, and no call waits for ever.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::effect::Command;
use crate::error::ErrorKind;
use crate::host::Host;
use crate::notice::Notices;
use crate::permission::{Action, Layer, Mode, Policy, PolicySettings, RuleSource};
use crate::port::{Asker, BoxFuture, RuleKeeper};
use crate::result::Status;
use crate::testing::{FakeTool, Scene, run};

type Asked = (Question, CancellationToken, oneshot::Sender<Answer>);

/// Hands every question to the test.
struct Desk(mpsc::UnboundedSender<Asked>);

impl Asker for Desk {
    fn is_attended(&self) -> bool {
        true
    }

    fn ask(&self, question: Question, cancel: CancellationToken) -> BoxFuture<'_, Answer> {
        let (answer, answered) = oneshot::channel();
        self.0.send((question, cancel, answer)).unwrap();
        Box::pin(async move { answered.await.unwrap_or(Answer::Withdrawn) })
    }
}

#[derive(Default)]
struct Keeper {
    kept: Mutex<Vec<String>>,
    fault: Option<String>,
}

impl RuleKeeper for Keeper {
    fn place(&self) -> String {
        "local.yaml".to_owned()
    }

    fn keep(&self, rules: &[String]) -> Result<String, String> {
        match &self.fault {
            Some(fault) => Err(fault.clone()),
            None => {
                self.kept.lock().unwrap().extend_from_slice(rules);
                Ok("local.yaml:3".to_owned())
            }
        }
    }
}

/// A session with somebody to ask and the tool `web_fetch`, which counts how often it ran.
struct Asking {
    scene: Scene,
    questions: mpsc::UnboundedReceiver<Asked>,
    notices: mpsc::UnboundedReceiver<(String, Notice)>,
    policy: Arc<Policy>,
    keeper: Arc<Keeper>,
    ran: Arc<AtomicUsize>,
}

const RULE: &str = "web_fetch(domain:docs.rs)";

impl Asking {
    fn new() -> Asking {
        Asking::with_keeper(Keeper::default())
    }

    fn with_keeper(keeper: Keeper) -> Asking {
        let (sender, questions) = mpsc::unbounded_channel();
        Asking::with(Arc::new(Desk(sender)), questions, keeper)
    }

    fn with(
        asker: Arc<dyn Asker>,
        questions: mpsc::UnboundedReceiver<Asked>,
        keeper: Keeper,
    ) -> Asking {
        let mut scene = Scene::new();
        let (sender, notices) = mpsc::unbounded_channel();
        scene.context.mode = Mode::Default;
        scene.context.notices = Notices::new("call", sender);
        let keeper = Arc::new(keeper);
        let host = Host {
            asker,
            keeper: Some(Arc::clone(&keeper) as _),
            ..Host::default()
        };
        let policy = Arc::clone(&host.policy);
        scene.runtime = scene.runtime.clone().with_host(host);
        let ran = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&ran);
        let tool = FakeTool::planning("web_fetch", move |arguments, _| {
            let host = arguments["host"].as_str().unwrap_or("docs.rs").to_owned();
            let count = Arc::clone(&count);
            Ok(run(
                vec![Effect::Network(vec![host])],
                move |_| async move {
                    count.fetch_add(1, Ordering::SeqCst);
                    ToolResult::ok("fetched")
                },
            ))
        });
        let tool = tool.within(&[crate::effect::EffectKind::Network]);
        scene.runtime.registry().register(Arc::new(tool)).unwrap();
        Asking {
            scene,
            questions,
            notices,
            policy,
            keeper,
            ran,
        }
    }

    /// The call of the tool, made when it is polled.
    fn call(&self) -> BoxFuture<'static, ToolResult> {
        self.call_to("docs.rs")
    }

    fn call_to(&self, host: &str) -> BoxFuture<'static, ToolResult> {
        let runtime = self.scene.runtime.clone();
        let context = self.scene.context.clone();
        let arguments = json!({ "host": host });
        Box::pin(async move { runtime.call(&context, "web_fetch", arguments).await })
    }

    /// Makes the call and answers its question.
    async fn answered(&mut self, answer: Answer) -> (ToolResult, Permission) {
        let call = tokio::spawn(self.call());
        let (question, _, reply) = self.questions.recv().await.unwrap();
        reply.send(answer).unwrap();
        (call.await.unwrap(), permission(question))
    }

    fn ran(&self) -> usize {
        self.ran.load(Ordering::SeqCst)
    }

    /// What was told so far.
    fn told(&mut self) -> Vec<Notice> {
        let mut told = Vec::new();
        while let Ok((_, notice)) = self.notices.try_recv() {
            told.push(notice);
        }
        told
    }
}

fn permission(question: Question) -> Permission {
    match question.subject {
        Subject::Permission(permission) => permission,
        Subject::Choice(_) => panic!("a choice"),
    }
}

fn deny(rule: &str) -> PolicySettings {
    PolicySettings {
        rules: vec![RuleSource::new(
            Layer::User,
            Action::Deny,
            rule,
            "config.yaml:1",
        )],
        ..PolicySettings::default()
    }
}

fn kind(result: &ToolResult) -> Option<ErrorKind> {
    result.error.as_ref().map(|error| error.kind)
}

#[tokio::test]
async fn a_question_shows_what_happens_and_an_answer_once_holds_once() {
    let mut asking = Asking::new();
    asking.scene.context.reason = "to read the documentation".to_owned();
    let call = tokio::spawn(asking.call());
    let (question, _, reply) = asking.questions.recv().await.unwrap();
    assert_eq!(asking.ran(), 0, "not before the answer");
    assert_eq!(
        (
            question.session.as_str(),
            question.call.as_str(),
            question.tool.as_str()
        ),
        ("session", "call", "web_fetch")
    );
    assert_eq!(question.reason, "to read the documentation");
    assert_eq!(
        permission(question),
        Permission {
            title: "Let `web_fetch` talk to `docs.rs`".to_owned(),
            details: vec!["Talks to docs.rs".to_owned()],
            because: vec!["The mode `default` asks for all that is not allowed.".to_owned()],
            rules: vec![RULE.to_owned()],
            place: Some("local.yaml".to_owned()),
        }
    );
    reply.send(Answer::AllowOnce).unwrap();
    let result = call.await.unwrap();
    assert_eq!(
        (result.status, result.content.as_str()),
        (Status::Ok, "fetched")
    );
    let title = "Let `web_fetch` talk to `docs.rs`".to_owned();
    assert_eq!(
        asking.told(),
        [
            Notice::Asked {
                title: title.clone()
            },
            Notice::Answered {
                title,
                answer: "allowed once".to_owned()
            }
        ]
    );
    asking.answered(Answer::AllowOnce).await;
    assert_eq!(asking.ran(), 2, "asked and run again");
}

#[tokio::test]
async fn an_answer_for_the_session_holds_for_what_its_rule_covers() {
    let mut asking = Asking::new();
    let (result, _) = asking.answered(Answer::AllowSession).await;
    assert!(result.is_ok());
    assert!(asking.told().contains(&Notice::RuleAdded {
        rule: RULE.to_owned(),
        place: None
    }));
    assert!(asking.call().await.is_ok(), "unasked");
    assert!(asking.keeper.kept.lock().unwrap().is_empty());
    let other = tokio::spawn(asking.call_to("docs.rs.evil.com"));
    let (question, ..) = asking.questions.recv().await.unwrap();
    assert_eq!(
        permission(question).rules,
        ["web_fetch(domain:docs.rs.evil.com)"]
    );
    assert_eq!(
        other.await.unwrap().status,
        Status::Interrupted,
        "withdrawn"
    );
    asking.policy.end_session("session");
    asking.answered(Answer::AllowOnce).await;
    assert_eq!(asking.ran(), 3);
}

#[tokio::test]
async fn an_answer_for_ever_is_written_down_and_holds_at_once() {
    let mut asking = Asking::new();
    let (result, _) = asking.answered(Answer::AllowAlways).await;
    assert_eq!(result.content, "fetched");
    assert_eq!(*asking.keeper.kept.lock().unwrap(), [RULE]);
    assert!(asking.told().contains(&Notice::RuleAdded {
        rule: RULE.to_owned(),
        place: Some("local.yaml:3".to_owned())
    }));
    assert!(asking.call().await.is_ok(), "unasked");
}

#[tokio::test]
async fn a_rule_that_cannot_be_written_holds_for_the_session_and_the_result_says_so() {
    let mut asking = Asking::with_keeper(Keeper {
        fault: Some("The disk is full.".to_owned()),
        ..Keeper::default()
    });
    let (result, _) = asking.answered(Answer::AllowAlways).await;
    insta::assert_snapshot!(result.content, @"
    The user allowed this for ever, but the rules `web_fetch(domain:docs.rs)` could not be written and hold for this session only: The disk is full.
    fetched
    ");
    assert!(asking.call().await.is_ok(), "unasked");
}

#[tokio::test]
async fn no_is_a_result_with_the_word_of_the_user() {
    let mut asking = Asking::new();
    let feedback = Some("use the vendored copy".to_owned());
    let (result, _) = asking.answered(Answer::Deny { feedback }).await;
    assert_eq!(
        (result.status, kind(&result)),
        (Status::Denied, Some(ErrorKind::RejectedByUser))
    );
    insta::assert_snapshot!(result.content, @r#"rejected_by_user: The user said no to "Let `web_fetch` talk to `docs.rs`": use the vendored copy. Do not try it in another way; follow what the user said, or ask."#);
    let (result, _) = asking.answered(Answer::Deny { feedback: None }).await;
    assert_eq!(kind(&result), Some(ErrorKind::RejectedByUser));
    assert_eq!(asking.ran(), 0);
}

#[tokio::test]
async fn an_answer_that_is_none_runs_nothing() {
    for (answer, status) in [
        (Answer::Withdrawn, Status::Interrupted),
        (Answer::Unattended, Status::Denied),
        (Answer::Chosen("yes".to_owned()), Status::Failed),
    ] {
        let mut asking = Asking::new();
        let (result, _) = asking.answered(answer.clone()).await;
        assert_eq!((result.status, asking.ran()), (status, 0), "{answer:?}");
    }
}

#[tokio::test]
async fn an_asker_that_breaks_off_has_allowed_nothing() {
    struct Broken;
    impl Asker for Broken {
        fn is_attended(&self) -> bool {
            true
        }
        fn ask(&self, _: Question, _: CancellationToken) -> BoxFuture<'_, Answer> {
            Box::pin(async { panic!("while asking") })
        }
    }
    let (_, questions) = mpsc::unbounded_channel();
    let asking = Asking::with(Arc::new(Broken), questions, Keeper::default());
    let result = asking.call().await;
    assert_eq!((result.status, asking.ran()), (Status::Denied, 0));
}

#[tokio::test]
async fn a_cancelled_call_withdraws_its_question_even_if_the_asker_does_not_listen() {
    let mut asking = Asking::new();
    let call = tokio::spawn(asking.call());
    let (_, cancel, reply) = asking.questions.recv().await.unwrap();
    asking.scene.context.cancel.cancel();
    let result = call.await.unwrap();
    assert_eq!((result.status, asking.ran()), (Status::Interrupted, 0));
    assert!(cancel.is_cancelled());
    assert_eq!(
        reply.send(Answer::AllowOnce),
        Err(Answer::AllowOnce),
        "nobody waits any more"
    );
}

#[tokio::test]
async fn a_question_waits_longer_than_the_tool_may_take() {
    let mut asking = Asking::new();
    let call = tokio::spawn(asking.call());
    let (_, _, reply) = asking.questions.recv().await.unwrap();
    tokio::time::pause();
    tokio::time::advance(std::time::Duration::from_secs(100_000)).await;
    assert!(!call.is_finished());
    reply.send(Answer::AllowOnce).unwrap();
    assert!(call.await.unwrap().is_ok());
}

#[tokio::test]
async fn a_deny_rule_that_comes_meanwhile_beats_the_answer() {
    let mut asking = Asking::new();
    let call = tokio::spawn(asking.call());
    let (_, _, reply) = asking.questions.recv().await.unwrap();
    // Both at once: the answer is there when the rules change.
    reply.send(Answer::AllowOnce).unwrap();
    asking.policy.replace(deny(RULE)).unwrap();
    let result = call.await.unwrap();
    assert_eq!(
        (kind(&result), asking.ran()),
        (Some(ErrorKind::DeniedByPolicy), 0)
    );

    let mut asking = Asking::new();
    let call = tokio::spawn(asking.call());
    let (_, _, reply) = asking.questions.recv().await.unwrap();
    asking.policy.replace(deny("web_fetch")).unwrap();
    let result = call.await.unwrap();
    insta::assert_snapshot!(result.content, @"denied_by_policy: The rule `web_fetch` (config.yaml:1) denies `web_fetch`. Do not look for a way around it; do what is allowed and tell the user what is not.");
    assert!(reply.is_closed(), "the question is withdrawn");
}

#[tokio::test]
async fn an_answer_for_the_session_answers_the_others_that_its_rule_covers() {
    let mut asking = Asking::new();
    let one = tokio::spawn(asking.call());
    let (_, _, first) = asking.questions.recv().await.unwrap();
    let two = tokio::spawn(asking.call());
    let (_, _, second) = asking.questions.recv().await.unwrap();
    let other = tokio::spawn(asking.call_to("crates.io"));
    let (_, _, third) = asking.questions.recv().await.unwrap();
    first.send(Answer::AllowSession).unwrap();
    assert!(one.await.unwrap().is_ok() && two.await.unwrap().is_ok());
    assert!(second.is_closed(), "withdrawn");
    assert!(!third.is_closed(), "still asked");
    third.send(Answer::Deny { feedback: None }).unwrap();
    assert_eq!(other.await.unwrap().status, Status::Denied);
    assert_eq!(asking.ran(), 2);
}

#[tokio::test]
async fn rules_are_offered_only_where_they_would_help() {
    let mut asking = Asking::new();
    asking
        .policy
        .replace(PolicySettings {
            rules: vec![RuleSource::new(
                Layer::User,
                Action::Ask,
                "WebFetch",
                "config.yaml:1",
            )],
            ..PolicySettings::default()
        })
        .unwrap();
    // What was not offered is no more than this once.
    let (result, permission) = asking.answered(Answer::AllowAlways).await;
    assert!(result.is_ok());
    assert_eq!((permission.rules.len(), permission.place), (0, None));
    assert_eq!(
        permission.because,
        ["The rule `WebFetch` (config.yaml:1) asks for `web_fetch`."]
    );
    assert!(asking.keeper.kept.lock().unwrap().is_empty());
    assert!(asking.policy.session_rules("session").is_empty());
}

#[tokio::test]
async fn a_command_that_nobody_can_be_asked_for_is_denied_with_the_reason() {
    let scene = Scene::new();
    let tool = FakeTool::planning("fake", |_, _| {
        let command = Command {
            line: "rm notes".to_owned(),
            ..Command::default()
        };
        Ok(run(vec![Effect::Process(command)], |_| async {
            panic!("not run")
        }))
    });
    let tool = tool.within(&[crate::effect::EffectKind::Process]);
    scene.runtime.registry().register(Arc::new(tool)).unwrap();
    let result = scene.call("fake", json!({})).await;
    assert_eq!(kind(&result), Some(ErrorKind::DeniedByPolicy));
    let planned = scene
        .runtime
        .prepare(&scene.context, "fake", json!({}))
        .await;
    let decision = scene.runtime.decide(&scene.context, &planned.ok().unwrap());
    assert_eq!(decision.verdict, Verdict::Ask(crate::port::Review::Before));
}
