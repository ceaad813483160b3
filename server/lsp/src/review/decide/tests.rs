//! Decisions over files that are not open, and what a decision leaves behind that breaks off.

use super::*;
use crate::documents::Documents;
use crate::peer::Peer;
use crate::review::book::{NewFile, Origin, Outcome};
use crate::review::hunk::{State, split};
use crate::review::keep::Keeper;
use crate::review::landing::Target;
use futures::FutureExt;
use std::path::PathBuf;
use std::pin::pin;
use tokio::sync::oneshot;

/// A file on disk with a proposal, and who decides about it.
struct Scene {
    _folder: tempfile::TempDir,
    path: PathBuf,
    decider: Decider,
    outcome: oneshot::Receiver<Outcome>,
}

impl Scene {
    fn new(when: When, base: &str, after: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("a.txt");
        let (base, after) = (Snapshot::decode(base), Snapshot::decode(after));
        let text = match when {
            When::Before => &base,
            When::After => &after,
        };
        std::fs::write(&path, text.text().wire()).unwrap();
        let (out, _) = tokio::sync::mpsc::unbounded_channel();
        let (documents, peer, book) = (
            Arc::<Documents>::default(),
            Arc::new(Peer::new(out)),
            Arc::<Book>::default(),
        );
        let publisher = Publisher::new(
            Arc::clone(&book),
            Arc::new(Keeper::new(None, Arc::clone(&book))),
            Arc::clone(&documents),
            Arc::clone(&peer),
            Arc::default(),
        );
        let file = NewFile {
            target: Target {
                path: path.clone(),
                display: "a.txt".into(),
                existed: true,
                final_newline: true,
                destination: Default::default(),
            },
            base: base.clone(),
            text: text.clone(),
            whole: None,
            hunks: split(base.rope(), after.rope())
                .into_iter()
                .map(|(before, behind, old, new)| match when {
                    When::Before => (before, old, new),
                    When::After => (behind, old, new),
                })
                .collect(),
        };
        let origin = Origin {
            session: "s".into(),
            call: "call_1".into(),
            tool: "edit_file".into(),
            reason: String::new(),
        };
        let (_, outcome) = book.enter(origin, when, vec![file]);
        Self {
            _folder: folder,
            path,
            decider: Decider {
                book,
                lander: Lander::new(documents, peer, Default::default(), Default::default()),
                publisher: Arc::new(publisher),
                news: News::default(),
            },
            outcome,
        }
    }

    /// Reverts with words to the model, and gives what it is told.
    async fn revert_saying(&self, words: &str) -> Vec<String> {
        let (mut decision, taken) = self.taken(false, None);
        decision.feedback = Some(words.to_owned());
        let session = taken[0].session.clone();
        let profile = Profile::new(&Default::default());
        self.decider.carry_out(&profile, &decision, taken).await;
        self.decider.news.take(&session)
    }

    async fn decide(&self, accept: bool, take: Option<Take>) {
        let (decision, taken) = self.taken(accept, take);
        let profile = Profile::new(&Default::default());
        self.decider.carry_out(&profile, &decision, taken).await;
    }

    fn taken(&self, accept: bool, take: Option<Take>) -> (Decision, Vec<Taken>) {
        let decision = Decision {
            selection: Selection::All,
            accept,
            take,
            feedback: None,
        };
        let taken = self.decider.book.take(&decision.selection);
        (decision, taken)
    }

    fn disk(&self) -> String {
        std::fs::read_to_string(&self.path).unwrap()
    }
}

#[tokio::test]
async fn mine_stays_mine_where_the_conflict_is_gone() {
    let mut scene = Scene::new(When::Before, "a\nb\n", "a\nB\n");
    scene.decide(true, Some(Take::Mine)).await;
    assert_eq!(scene.disk(), "a\nb\n");
    assert_eq!(scene.outcome.try_recv().unwrap().rejected.len(), 1);
}

#[tokio::test]
async fn a_file_that_is_gone_is_named_as_gone() {
    let mut scene = Scene::new(When::Before, "b\n", "a\nb\n");
    std::fs::remove_file(&scene.path).unwrap();
    scene.decide(true, None).await;
    let outcome = scene.outcome.try_recv().unwrap();
    assert!(outcome.faults[0].1.is_stale());
    let words = outcome.faults[0].1.to_string();
    assert!(words.contains("`a.txt` was removed"), "{words}");
}

#[tokio::test]
async fn a_decision_follows_a_file_that_was_renamed_meanwhile() {
    let mut scene = Scene::new(When::Before, "a\nb\n", "a\nB\n");
    let (decision, taken) = scene.taken(true, None);
    let to = scene.path.with_file_name("b.txt");
    std::fs::rename(&scene.path, &to).unwrap();
    let target = Target {
        path: to.clone(),
        display: "b.txt".into(),
        ..taken[0].target.clone()
    };
    scene.decider.book.rename(&scene.path, target);
    let profile = Profile::new(&Default::default());
    scene.decider.carry_out(&profile, &decision, taken).await;
    let outcome = scene.outcome.try_recv().unwrap();
    assert!(outcome.faults.is_empty(), "{:?}", outcome.faults);
    assert_eq!(std::fs::read_to_string(to).unwrap(), "a\nB\n");
}

#[tokio::test]
async fn hunks_that_the_user_joined_are_left_to_be_decided_one_by_one() {
    let mut scene = Scene::new(When::Before, "a\n-\nc\n", "A\n-\nC\n");
    std::fs::write(&scene.path, "mine\n").unwrap();
    scene.decide(true, Some(Take::Agent)).await;
    assert_eq!(
        (scene.disk().as_str(), scene.decider.book.count()),
        ("mine\n", 2)
    );
    assert!(scene.outcome.try_recv().is_err(), "the call waits on");
    let file = scene.decider.book.file(&scene.path).unwrap();
    assert!(
        file.hunks
            .iter()
            .all(|(hunk, _)| hunk.state == State::Conflicted)
    );
}

#[tokio::test]
async fn what_the_user_joined_is_taken_back_together_where_that_can_be() {
    let scene = Scene::new(When::After, "a\n-\nc\n", "A1\n-\nC1\n");
    std::fs::write(&scene.path, "A1 mine\n+\nC1 ours\n").unwrap();
    scene.decide(false, None).await;
    assert_eq!(scene.decider.book.count(), 0);
    let text = scene.disk();
    assert!(text.contains("mine") && text.contains("ours"), "{text:?}");
    assert!(!text.contains("A1") && !text.contains("C1"), "{text:?}");
}

#[tokio::test]
async fn a_decision_that_breaks_off_gives_its_hunks_back() {
    let scene = Scene::new(When::Before, "a\nb\n", "a\nB\n");
    let (decision, taken) = scene.taken(true, None);
    let _turn = scene.decider.lander.applier.turn(&scene.path).await;
    let profile = Profile::new(&Default::default());
    let ended = scene
        .decider
        .carry_out(&profile, &decision, taken)
        .now_or_never();
    assert!(
        ended.is_none(),
        "it waits for its turn, and is dropped there"
    );
    let file = scene.decider.book.file(&scene.path).unwrap();
    assert_eq!(file.hunks[0].0.state, State::Proposed);
}

/// What one decision has given back and the user has decided anew is not given back once more when the first one ends.
#[tokio::test]
async fn a_decision_leaves_hunks_alone_that_are_in_another_one_by_now() {
    let mut scene = Scene::new(When::After, "a\n", "A\n");
    let other = Scene::new(When::After, "b\n", "B\n");
    let file = other.decider.book.file(&other.path).unwrap();
    let hunk = &file.hunks[0].0;
    let file = NewFile {
        target: file.target,
        base: hunk.base.clone(),
        text: file.text,
        whole: None,
        hunks: vec![(hunk.lines, hunk.old.clone(), hunk.new.clone())],
    };
    let origin = Origin {
        session: "s".into(),
        call: "call_2".into(),
        tool: "edit_file".into(),
        reason: String::new(),
    };
    let book = Arc::clone(&scene.decider.book);
    drop(book.enter(origin, When::After, vec![file]));
    // The later one is reverted first, and cannot be.
    std::fs::remove_file(&other.path).unwrap();
    let (decision, taken) = scene.taken(false, None);
    let turn = scene.decider.lander.applier.turn(&scene.path).await;
    let profile = Profile::new(&Default::default());
    {
        let mut first = pin!(scene.decider.carry_out(&profile, &decision, taken));
        assert!(first.as_mut().now_or_never().is_none(), "one is left");
        let selection = Selection::File(other.path.clone());
        assert_eq!(book.take(&selection).len(), 1, "it is given back");
        drop(turn);
        first.await;
    }
    assert!(scene.outcome.try_recv().is_ok());
    let file = book.file(&other.path).unwrap();
    assert_eq!(file.hunks[0].0.state, State::Deciding);
}

#[tokio::test]
async fn words_about_a_change_that_had_landed_reach_the_model() {
    let scene = Scene::new(When::After, "a\nb\n", "a\nB\n");
    let news = scene.revert_saying("tabs, please").await;
    assert_eq!(news.len(), 2, "{news:?}");
    assert!(
        news[0].contains("reverted your change of a.txt"),
        "{news:?}"
    );
    assert_eq!(
        news[1],
        "The user said of your change of a.txt: tabs, please"
    );
}
