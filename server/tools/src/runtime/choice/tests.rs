//! A question waits for its answer, and for nothing else.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::error::ErrorKind;
use crate::host::Host;
use crate::notice::Notices;
use crate::port::{Asker, BoxFuture};
use crate::result::Status;
use crate::testing::Scene;

/// A person who answers when told to.
#[derive(Default)]
struct Person {
    asked: Mutex<Vec<Question>>,
    answer: Mutex<Option<oneshot::Receiver<Answer>>>,
}

impl Person {
    /// One who answers at once.
    fn saying(answer: Answer) -> Arc<Person> {
        let (sender, person) = Person::thinking();
        assert!(sender.send(answer).is_ok());
        person
    }

    fn thinking() -> (oneshot::Sender<Answer>, Arc<Person>) {
        let (sender, receiver) = oneshot::channel();
        let person = Person {
            answer: Mutex::new(Some(receiver)),
            ..Person::default()
        };
        (sender, Arc::new(person))
    }
}

impl Asker for Person {
    fn is_attended(&self) -> bool {
        true
    }

    fn ask(&self, question: Question, cancel: CancellationToken) -> BoxFuture<'_, Answer> {
        self.asked.lock().unwrap().push(question);
        let answer = self.answer.lock().unwrap().take().unwrap();
        Box::pin(async move {
            tokio::select! {
                answer = answer => answer.unwrap_or(Answer::Withdrawn),
                () = cancel.cancelled() => Answer::Withdrawn,
            }
        })
    }
}

/// A scene with this person in it, and what is told.
fn scene(asker: Arc<dyn Asker>) -> (Scene, mpsc::UnboundedReceiver<(String, Notice)>) {
    let mut scene = Scene::new();
    let host = Host {
        asker,
        ..Host::default()
    };
    scene.runtime = scene.runtime.clone().with_host(host);
    let (sender, told) = mpsc::unbounded_channel();
    scene.context.notices = Notices::new("call", sender);
    scene.context.reason = "to go on".to_owned();
    (scene, told)
}

async fn ask(asker: Arc<dyn Asker>, mode: Mode) -> (ToolResult, Vec<Notice>) {
    let (mut scene, mut told) = scene(asker);
    scene.context.mode = mode;
    let arguments =
        json!({"question": "Which one?\nThe first is quicker.", "options": ["first", "second"]});
    let result = scene.call("ask_user", arguments).await;
    drop(scene);
    let mut notices = Vec::new();
    while let Some((_, notice)) = told.recv().await {
        notices.push(notice);
    }
    (result, notices)
}

/// Asked, and then answered so.
fn exchange(answer: &str) -> Vec<Notice> {
    let title = "Which one? The first is quicker.".to_owned();
    vec![
        Notice::Asked {
            title: title.clone(),
        },
        Notice::Answered {
            title,
            answer: answer.to_owned(),
        },
    ]
}

#[tokio::test]
async fn the_answer_is_the_result_in_every_mode_that_asks() {
    for mode in [Mode::Default, Mode::AcceptEdits, Mode::Plan, Mode::Bypass] {
        let person = Person::saying(Answer::Chosen("neither:\ndo a third".to_owned()));
        let (result, notices) = ask(person.clone(), mode).await;
        assert_eq!(
            (result.status, result.content.as_str()),
            (Status::Ok, "neither:\ndo a third"),
            "{mode}"
        );
        assert_eq!(notices, exchange("answered: neither: do a third"));
        let question = Question {
            session: "session".to_owned(),
            call: "call".to_owned(),
            tool: "ask_user".to_owned(),
            reason: "to go on".to_owned(),
            subject: Subject::Choice(Choice {
                question: "Which one?\nThe first is quicker.".to_owned(),
                options: vec!["first".to_owned(), "second".to_owned()],
            }),
        };
        assert_eq!(*person.asked.lock().unwrap(), [question]);
    }
}

#[tokio::test]
async fn no_answer_is_told_as_what_it_is() {
    let (denied, notices) = ask(
        Person::saying(Answer::Deny {
            feedback: Some("not now".to_owned()),
        }),
        Mode::Default,
    )
    .await;
    insta::assert_snapshot!(denied.content, @"rejected_by_user: The user does not want to answer this. The user said: “not now” Do not ask the same again; go on without it, or stop.");
    assert_eq!(
        (denied.status, notices),
        (Status::Denied, exchange("not answered"))
    );
    let (withdrawn, notices) = ask(Person::saying(Answer::Withdrawn), Mode::Default).await;
    assert_eq!(
        (withdrawn.status, notices),
        (Status::Interrupted, exchange("withdrawn"))
    );
    let (left, notices) = ask(Person::saying(Answer::Unattended), Mode::Default).await;
    assert_eq!(left.error.unwrap().kind, ErrorKind::Unavailable);
    assert_eq!(notices, exchange("nobody is there to answer"));
    let (mixed_up, _) = ask(Person::saying(Answer::AllowAlways), Mode::Default).await;
    assert_eq!(mixed_up.error.unwrap().kind, ErrorKind::Internal);
}

#[tokio::test]
async fn where_nobody_can_be_asked_nobody_is() {
    let (nobody, notices) = ask(Arc::new(crate::port::Nobody), Mode::Default).await;
    insta::assert_snapshot!(nobody.content, @"unavailable: There is nobody here who could answer. Decide yourself by what you know, and tell the user what you took for granted.");
    assert!(notices.is_empty());
    let person = Person::saying(Answer::Chosen("first".to_owned()));
    let (silent, notices) = ask(person.clone(), Mode::DontAsk).await;
    insta::assert_snapshot!(silent.content, @"unavailable: The mode `dont_ask` asks the user nothing. Decide yourself by what you know, and tell the user what you took for granted.");
    assert!(notices.is_empty() && person.asked.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_person_may_think_for_as_long_as_it_takes() {
    let (answer, person) = Person::thinking();
    let asking = ask(person, Mode::Default);
    let thinking = async {
        tokio::time::sleep(Duration::from_secs(3 * 24 * 60 * 60)).await;
        answer.send(Answer::Chosen("first".to_owned())).unwrap();
    };
    let ((result, _), ()) = tokio::join!(asking, thinking);
    assert_eq!(
        (result.status, result.content.as_str()),
        (Status::Ok, "first")
    );
}

#[tokio::test]
async fn a_cancelled_call_asks_no_longer() {
    let (_answer, person) = Person::thinking();
    let (scene, mut told) = scene(person);
    let cancel = scene.context.cancel.clone();
    let asking = scene.call("ask_user", json!({"question": "Why?"}));
    let cancelling = async {
        assert!(matches!(told.recv().await, Some((_, Notice::Asked { .. }))));
        cancel.cancel();
    };
    let (result, ()) = tokio::join!(asking, cancelling);
    assert_eq!(result.status, Status::Interrupted);
}
