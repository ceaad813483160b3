//! Edits on their way to an editor that is played here: what it sends comes at the very moment that matters.

use super::*;
use mewcode_core::edit::Replacement;
use mewcode_core::position::ByteRange;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Id, Response};

#[tokio::test]
async fn turns_that_nobody_holds_are_forgotten() {
    let (out, _sent) = tokio::sync::mpsc::unbounded_channel();
    let applier = Applier::new(Arc::default(), Arc::new(Peer::new(out)));
    let held = applier.turn(Path::new("/held")).await;
    for number in 0..100 {
        drop(applier.turn(Path::new(&format!("/{number}"))).await);
    }
    assert!(applier.turns.lock().unwrap().len() <= 2);
    let again = applier.turn(Path::new("/held"));
    assert!(again.now_or_never().is_none(), "it is still held");
    drop(held);
}

const URI: &str = "file:///nowhere/a.txt";

/// An editor with one document open, whose text is `a`.
struct Scene {
    documents: Arc<Documents>,
    peer: Arc<Peer>,
    applier: Applier,
    /// What it is sent.
    sent: UnboundedReceiver<Vec<u8>>,
    base: DocumentView,
}

impl Scene {
    fn new() -> Self {
        let (out, sent) = tokio::sync::mpsc::unbounded_channel();
        let documents = Arc::<Documents>::default();
        let peer = Arc::new(Peer::new(out));
        let document = json!({"uri": URI, "version": 0, "text": "a\n"});
        tell(
            &documents,
            "textDocument/didOpen",
            json!({"textDocument": document}),
        );
        Self {
            applier: Applier::new(Arc::clone(&documents), Arc::clone(&peer)),
            base: documents.by_uri(URI).unwrap(),
            documents,
            peer,
            sent,
        }
    }

    /// The edit that puts `text` in the place of the letter.
    fn edit(&self, text: &str) -> Edit {
        let replacement = Replacement {
            range: ByteRange::new(0, 1),
            text: text.into(),
        };
        Edit::new(&self.base.snapshot, vec![replacement]).unwrap()
    }
}

fn path() -> &'static Path {
    Path::new("/nowhere/a.txt")
}

fn profile(capabilities: Value) -> Profile {
    let params = json!({"capabilities": capabilities});
    Profile::new(&serde_json::from_value(params).unwrap())
}

fn tell(documents: &Documents, method: &str, params: Value) {
    let params = RawValue::from_string(params.to_string()).unwrap();
    documents.dispatch(method, None, Some(&params));
}

fn change(documents: &Documents, text: &str) {
    let changes = json!([{"text": text}]);
    let params = json!({"textDocument": {"uri": URI}, "contentChanges": changes});
    tell(documents, "textDocument/didChange", params);
}

/// Waits for the next request, and gives its number.
async fn asked(sent: &mut UnboundedReceiver<Vec<u8>>) -> i64 {
    let frame = String::from_utf8(sent.recv().await.unwrap()).unwrap();
    let message: Value = serde_json::from_str(frame.split_once("\r\n\r\n").unwrap().1).unwrap();
    message["id"].as_i64().unwrap()
}

fn answer(peer: &Peer, id: i64, applied: bool) {
    let result = json!({"applied": applied});
    peer.resolve(Response::from_ok(Id::Number(id), result));
}

#[tokio::test]
async fn an_edit_for_a_text_that_has_moved_on_is_not_sent() {
    let scene = Scene::new();
    let mut events = scene.documents.observe(path());
    change(&scene.documents, "b\n");
    let edit = scene.edit("c");
    let request = futures::future::lazy(|_| panic!("it is sent")).boxed();
    let sending = scene
        .applier
        .watch(request, &mut events, &edit, &scene.base);
    assert!(matches!(sending.await, Ok(Sent::Overtaken)));
}

/// The texts and the reply come together, after the look at the texts and before the look at the reply.
#[tokio::test(start_paused = true)]
async fn texts_that_come_with_the_reply_are_from_before_it() {
    let stale = ApplyEditResult {
        reason: Some("stale".to_owned()),
        ..declined(String::new())
    };
    let applied = ApplyEditResult {
        applied: true,
        ..declined(String::new())
    };
    let timed_out = RequestError::TimedOut {
        method: "mewcode/applyEdit",
        after: REPLY_TIMEOUT,
    };
    for (reply, texts, expected) in [
        (Ok(stale), &["a typed\n"][..], "Ok(Overtaken)"),
        (Err(timed_out), &["new\n"], "Ok(Landed"),
        // Typed over the edit when it was there.
        (Ok(applied), &["new\n", "mine\n"], "Ok(Landed"),
    ] {
        let scene = Scene::new();
        let edit = scene.edit("new");
        let mut events = scene.documents.observe(path());
        let request = futures::future::lazy(|_| {
            for text in texts {
                change(&scene.documents, text);
            }
            reply
        });
        let before = Instant::now();
        let sending = scene
            .applier
            .watch(request.boxed(), &mut events, &edit, &scene.base);
        let outcome = sending.await;
        assert!(format!("{outcome:?}").starts_with(expected), "{outcome:?}");
        assert_eq!(before.elapsed(), Duration::ZERO, "nothing is waited for");
    }
}

#[tokio::test(start_paused = true)]
async fn an_edit_that_comes_after_it_was_given_up_is_neither_refused_nor_sent_again() {
    let mut scene = Scene::new();
    let profile = profile(json!({"workspace": {"applyEdit": true}}));
    let edit = scene.edit("new");
    let editor = async {
        let mut lines = String::new();
        for _ in 0..PAUSE_AFTER {
            let id = asked(&mut scene.sent).await;
            lines.push_str("typed\n");
            change(&scene.documents, &format!("a\n{lines}"));
            answer(&scene.peer, id, true);
        }
        // Now a pause is waited for.
        tokio::time::sleep(echo::QUIET + PAUSE / 2).await;
        change(&scene.documents, &format!("new\n{lines}"));
    };
    let applying = scene
        .applier
        .apply(&profile, path(), &edit, &scene.base.snapshot, "");
    let (outcome, ()) = tokio::join!(applying, editor);
    let shown = outcome.unwrap().document.snapshot;
    assert!(shown.rope().to_string().starts_with("new\ntyped\n"));
    assert!(scene.sent.try_recv().is_err(), "it was sent again");
}

#[tokio::test(start_paused = true)]
async fn one_of_several_that_is_typed_over_when_it_was_there_has_landed() {
    let mut scene = Scene::new();
    let profile = profile(json!({}));
    let edit = scene.edit("new");
    let editor = async {
        let id = asked(&mut scene.sent).await;
        change(&scene.documents, "new\n");
        change(&scene.documents, "mine\n");
        answer(&scene.peer, id, true);
    };
    let wanted = together::Wanted {
        path: path(),
        edit: &edit,
        base: &scene.base.snapshot,
        destination: &Default::default(),
    };
    let wanted = [wanted];
    let applying = scene.applier.together(&profile, &wanted, "");
    let (outcome, ()) = tokio::join!(applying, editor);
    let done = outcome.unwrap();
    assert!(matches!(done[..], [together::Done::Shown(_)]), "{done:?}");
}
