//! Edits on their way to an editor that is played here: what it sends comes at the very moment that matters.

use super::*;
use mewcode_core::edit::Replacement;
use mewcode_core::position::ByteRange;

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

fn tell(documents: &Documents, method: &str, params: serde_json::Value) {
    let params = serde_json::value::RawValue::from_string(params.to_string()).unwrap();
    documents.dispatch(method, None, Some(&params));
}

/// An open document with the text `a`.
fn open() -> (Arc<Documents>, Applier, DocumentView) {
    let (out, _sent) = tokio::sync::mpsc::unbounded_channel();
    let documents = Arc::<Documents>::default();
    let applier = Applier::new(Arc::clone(&documents), Arc::new(Peer::new(out)));
    let document = serde_json::json!({"uri": URI, "version": 0, "text": "a\n"});
    let params = serde_json::json!({"textDocument": document});
    tell(&documents, "textDocument/didOpen", params);
    let base = documents.by_uri(URI).unwrap();
    (documents, applier, base)
}

fn change(documents: &Documents, text: &str) {
    let changes = serde_json::json!([{"text": text}]);
    let params = serde_json::json!({"textDocument": {"uri": URI}, "contentChanges": changes});
    tell(documents, "textDocument/didChange", params);
}

#[tokio::test]
async fn an_edit_for_a_text_that_has_moved_on_is_not_sent() {
    let (documents, applier, base) = open();
    let mut events = documents.observe(Path::new("/nowhere/a.txt"));
    change(&documents, "b\n");
    let edit = Edit::new(&base.snapshot, Vec::new()).unwrap();
    let request = futures::future::lazy(|_| panic!("it is sent")).boxed();
    let outcome = applier.watch(request, &mut events, &edit, &base).await;
    assert!(matches!(outcome, Ok(Sent::Overtaken)));
}

/// The text and the reply come together, after the look at the texts and before the look at the reply.
#[tokio::test(start_paused = true)]
async fn a_text_that_comes_with_the_reply_is_from_before_it() {
    let insertion = Replacement {
        range: ByteRange::new(0, 0),
        text: "new ".into(),
    };
    let stale = ApplyEditResult {
        reason: Some("stale".to_owned()),
        ..declined(String::new())
    };
    let timed_out = RequestError::TimedOut {
        method: "mewcode/applyEdit",
        after: REPLY_TIMEOUT,
    };
    for (reply, text, expected) in [
        (Ok(stale), "a typed\n", "Ok(Overtaken)"),
        (Err(timed_out), "new a\n", "Ok(Landed"),
    ] {
        let (documents, applier, base) = open();
        let edit = Edit::new(&base.snapshot, vec![insertion.clone()]).unwrap();
        let mut events = documents.observe(Path::new("/nowhere/a.txt"));
        let request = futures::future::lazy(|_| {
            change(&documents, text);
            reply
        });
        let before = Instant::now();
        let outcome = applier
            .watch(request.boxed(), &mut events, &edit, &base)
            .await;
        assert!(format!("{outcome:?}").starts_with(expected), "{outcome:?}");
        assert_eq!(before.elapsed(), Duration::ZERO, "nothing is waited for");
    }
}
