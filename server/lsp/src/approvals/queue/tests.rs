//! The queue: first answer wins, later ones are told so, and nothing is allowed that was not offered.

use super::*;
use crate::protocol::ApprovalAnswer;
use proptest::prelude::*;

fn question(id: &str, kind: ApprovalKind, answers: &[&str]) -> Approval {
    let answers = answers.iter().map(|answer| ApprovalAnswer {
        answer: (*answer).to_owned(),
        title: (*answer).to_owned(),
    });
    Approval {
        id: id.into(),
        kind,
        session: Some("s".into()),
        tool: Some("bash".into()),
        title: format!("Run `{id}`"),
        details: Vec::new(),
        because: Vec::new(),
        reason: String::new(),
        answers: answers.collect(),
        asked: 0,
    }
}

fn permission(id: &str) -> Approval {
    question(
        id,
        ApprovalKind::Permission,
        &["deny", "once", "session", "always"],
    )
}

fn ids(queue: &Queue) -> Vec<String> {
    let waiting = queue.waiting();
    waiting.iter().map(|it| it.id.clone()).collect()
}

#[test]
fn each_answer_has_its_meaning() {
    let check = |asked: Approval, answer: &str, feedback: Option<&str>| {
        let mut queue = Queue::default();
        let mut receiver = queue.put(asked);
        let outcome = queue.answer("q", answer, feedback.map(Into::into));
        let received = receiver.try_recv().ok();
        assert_eq!(
            outcome.is_ok(),
            received.is_some(),
            "told and delivered alike"
        );
        assert_eq!(
            outcome.is_ok(),
            queue.count() == 0,
            "what does not count changes nothing"
        );
        match (outcome, received) {
            (Ok(words), Some(answer)) => format!("{words} = {answer:?}"),
            (outcome, _) => outcome.unwrap_err().to_string(),
        }
    };
    let ruled = || permission("q");
    let plain = || question("q", ApprovalKind::Permission, &["deny", "once"]);
    let choice = || question("q", ApprovalKind::Choice, &["deny", "red", "once"]);
    let trust = || question("q", ApprovalKind::Trust, &["deny", "always"]);
    let table = [
        check(ruled(), "deny", None),
        check(ruled(), "deny", Some("use make")),
        check(ruled(), "once", None),
        check(ruled(), "session", None),
        check(ruled(), "always", None),
        check(ruled(), "once", Some("but slowly")),
        check(ruled(), "yes", None),
        check(ruled(), "", None),
        check(ruled(), "Once", None),
        check(plain(), "session", None),
        check(plain(), "always", None),
        check(choice(), "red", None),
        check(choice(), "once", None),
        check(choice(), "something else", None),
        check(choice(), " \n", None),
        check(choice(), "deny", Some("ask me later")),
        check(choice(), "red", Some("why")),
        check(trust(), "always", None),
        check(trust(), "deny", None),
        check(trust(), "once", None),
    ];
    insta::assert_snapshot!(table.join("\n"), @r#"
    denied = Deny { feedback: None }
    denied = Deny { feedback: Some("use make") }
    allowed once = AllowOnce
    allowed for this session = AllowSession
    always allowed = AllowAlways
    a word to the model (`feedback`) goes with the answer `deny` only
    `yes` was not offered as an answer to this question; the answers are `deny`, `once`, `session`, `always`
    `` was not offered as an answer to this question; the answers are `deny`, `once`, `session`, `always`
    `Once` was not offered as an answer to this question; the answers are `deny`, `once`, `session`, `always`
    `session` was not offered as an answer to this question; the answers are `deny`, `once`
    `always` was not offered as an answer to this question; the answers are `deny`, `once`
    “red” = Chosen("red")
    “once” = Chosen("once")
    “something else” = Chosen("something else")
    the answer is empty; write something, or answer `deny`
    declined = Deny { feedback: Some("ask me later") }
    a word to the model (`feedback`) goes with the answer `deny` only
    trusted = AllowAlways
    not trusted = Deny { feedback: None }
    `once` was not offered as an answer to this question; the answers are `deny`, `always`
    "#);
}

#[test]
fn the_first_answer_wins_and_every_later_one_is_told_which() {
    let mut queue = Queue::default();
    let mut receiver = queue.put(permission("q"));
    assert_eq!(queue.answer("q", "once", None), Ok("allowed once".into()));
    for late in ["once", "deny", "always", "nonsense"] {
        let error = queue.answer("q", late, None).unwrap_err();
        assert_eq!(
            error.to_string(),
            "this question was answered already: allowed once"
        );
    }
    assert_eq!(receiver.try_recv(), Ok(Answer::AllowOnce));
}

#[test]
fn what_was_withdrawn_or_never_asked_cannot_be_answered() {
    let mut queue = Queue::default();
    let mut receiver = queue.put(permission("withdrawn"));
    assert!(queue.withdraw("withdrawn"));
    assert!(!queue.withdraw("withdrawn"));
    assert_eq!(
        queue.answer("withdrawn", "once", None),
        Err(AnswerError::Withdrawn)
    );
    assert!(receiver.try_recv().is_err(), "no answer comes any more");
    assert_eq!(
        queue.answer("unknown", "once", None),
        Err(AnswerError::Unknown("unknown".into()))
    );
}

#[test]
fn an_answer_that_reaches_nobody_is_none() {
    let mut queue = Queue::default();
    drop(queue.put(permission("q")));
    for _ in 0..2 {
        assert_eq!(queue.answer("q", "once", None), Err(AnswerError::Withdrawn));
    }
    assert_eq!(queue.count(), 0);
}

#[test]
fn a_closed_queue_withdraws_what_waits_and_what_comes() {
    let mut queue = Queue::default();
    let mut before = queue.put(permission("before"));
    queue.close();
    let mut after = queue.put(permission("after"));
    assert!(before.try_recv().is_err() && after.try_recv().is_err());
    assert!(!queue.is_open() && queue.count() == 0);
    for id in ["before", "after"] {
        assert_eq!(queue.answer(id, "once", None), Err(AnswerError::Withdrawn));
    }
}

#[test]
fn a_session_takes_only_its_own_questions_with_it() {
    let mut queue = Queue::default();
    let of = |id: &str, session: Option<&str>| Approval {
        session: session.map(Into::into),
        ..permission(id)
    };
    let _receivers = [
        queue.put(of("a", Some("s"))),
        queue.put(of("b", Some("t"))),
        queue.put(of("c", None)),
        queue.put(of("d", Some("s"))),
    ];
    assert!(queue.withdraw_session("s"));
    assert_eq!(ids(&queue), ["b", "c"]);
    assert!(!queue.withdraw_session("s"));
    assert_eq!(queue.answer("a", "once", None), Err(AnswerError::Withdrawn));
}

#[test]
fn only_so_much_is_remembered() {
    let mut queue = Queue::default();
    for number in 0..=REMEMBERED {
        let id = number.to_string();
        let _receiver = queue.put(permission(&id));
        queue.answer(&id, "deny", None).unwrap();
    }
    assert_eq!(
        queue.answer("0", "once", None),
        Err(AnswerError::Unknown("0".into()))
    );
    assert_eq!(
        queue.answer("1", "once", None),
        Err(AnswerError::Answered("denied".into()))
    );
    assert_eq!(queue.settled.len(), REMEMBERED);
}

proptest! {
    /// Whatever happens in whatever order: each question ends at most once, with the first answer that counted, questions
    /// keep their order, and none is lost.
    #[test]
    fn questions_are_never_mixed_up(steps in proptest::collection::vec((0..3_u8, 0..8_usize, 0..3_usize), 0..60)) {
        const ANSWERS: [(&str, Answer); 3] = [
            ("once", Answer::AllowOnce),
            ("session", Answer::AllowSession),
            ("always", Answer::AllowAlways),
        ];
        let mut queue = Queue::default();
        let mut receivers: Vec<(String, oneshot::Receiver<Answer>)> = Vec::new();
        let mut expected: Vec<(String, Option<Answer>)> = Vec::new();
        for (step, which, answer) in steps {
            let (word, answer) = &ANSWERS[answer];
            let id = format!("q{which}");
            let waits = ids(&queue).contains(&id);
            match step {
                0 if receivers.iter().all(|(known, _)| *known != id) => {
                    receivers.push((id.clone(), queue.put(permission(&id))));
                }
                1 => {
                    prop_assert_eq!(queue.answer(&id, word, None).is_ok(), waits);
                    if waits {
                        expected.push((id, Some(answer.clone())));
                    }
                }
                2 => {
                    prop_assert_eq!(queue.withdraw(&id), waits);
                    if waits {
                        expected.push((id, None));
                    }
                }
                _ => {}
            }
            let left: Vec<String> = receivers
                .iter()
                .map(|(id, _)| id.clone())
                .filter(|id| expected.iter().all(|(ended, _)| ended != id))
                .collect();
            prop_assert_eq!(ids(&queue), left);
        }
        for (id, mut receiver) in receivers {
            let ended = expected.iter().find(|(ended, _)| *ended == id);
            let received = receiver.try_recv().ok();
            prop_assert_eq!(received, ended.and_then(|(_, answer)| answer.clone()));
        }
    }
}
