//! What is shown fits the version that it is told for, and is kept.

use super::*;
use crate::review::book::{NewFile, Origin, Selection};
use crate::review::landing::Target;
use mewcode_core::position::LineRange;
use mewcode_core::text::Snapshot;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::time::Instant;
use tokio::sync::mpsc::UnboundedReceiver;

/// Who shows what is in a book, to a client that takes hunks, and what the client gets.
struct Scene {
    book: Arc<Book>,
    documents: Arc<Documents>,
    publisher: Publisher,
    sent: UnboundedReceiver<Vec<u8>>,
}

impl Scene {
    fn new(kept: Option<&Path>, root: &Path) -> Self {
        let (out, sent) = tokio::sync::mpsc::unbounded_channel();
        let (book, documents) = (Arc::<Book>::default(), Arc::<Documents>::default());
        let client = json!({"capabilities": {"experimental": {"mewcode": {"review": true}}}});
        let client = serde_json::from_value(client).unwrap();
        let keeper = Keeper::new(kept.map(Path::to_owned), Arc::clone(&book));
        keeper.set_roots(vec![root.to_owned()]);
        let publisher = Publisher::new(
            Arc::clone(&book),
            Arc::new(keeper),
            Arc::clone(&documents),
            Arc::new(Peer::new(out)),
            Arc::new(OnceLock::from(Profile::new(&client))),
        );
        Self {
            book,
            documents,
            publisher,
            sent,
        }
    }

    /// Enters a hunk that makes the one line of a file another.
    fn enter(&self, path: &Path, when: When) {
        let (old, new) = (Snapshot::decode("a\n"), Snapshot::decode("A\n"));
        let file = NewFile {
            target: Target {
                path: path.to_owned(),
                display: "a.txt".into(),
                existed: true,
                final_newline: true,
                destination: Default::default(),
            },
            text: match when {
                When::Before => old.clone(),
                When::After => new,
            },
            base: old,
            whole: None,
            hunks: vec![(LineRange::new(0, 1), "a\n".into(), "A\n".into())],
        };
        let origin = Origin {
            session: "s".into(),
            call: "call_1".into(),
            tool: "edit_file".into(),
            reason: String::new(),
        };
        drop(self.book.enter(origin, when, vec![file]));
    }

    fn tell(&self, method: &str, params: &Value) {
        let params = RawValue::from_string(params.to_string()).unwrap();
        self.documents.dispatch(method, None, Some(&params));
    }

    /// The parameters of the next message.
    fn shown(&mut self) -> Value {
        let frame = String::from_utf8(self.sent.try_recv().unwrap()).unwrap();
        let mut message: Value =
            serde_json::from_str(frame.split_once("\r\n\r\n").unwrap().1).unwrap();
        message["params"].take()
    }
}

#[test]
fn lines_are_those_of_the_version_and_a_hunk_in_decision_keeps_its_state() {
    let path = Path::new("/nowhere/a.txt");
    let mut scene = Scene::new(None, Path::new("/nowhere"));
    let uri = "file:///nowhere/a.txt";
    let document = json!({"uri": uri, "languageId": "text", "version": 0, "text": "A\n"});
    scene.tell("textDocument/didOpen", &json!({"textDocument": document}));
    scene.enter(path, When::After);
    scene.book.take(&Selection::All);
    let document = json!({"uri": uri, "version": 7});
    let changes = json!([{"text": "above\nA\n"}]);
    scene.tell(
        "textDocument/didChange",
        &json!({"textDocument": document, "contentChanges": changes}),
    );
    scene.publisher.publish(path);
    let shown = scene.shown();
    let hunk = &shown["hunks"][0];
    assert_eq!(
        (&shown["version"], &hunk["startLine"], &hunk["state"]),
        (&json!(7), &json!(1), &json!("applied"))
    );
}

/// What is kept in a folder.
fn texts(kept: &Path) -> String {
    let entries = kept.read_dir().into_iter().flatten();
    let files = entries.map(|entry| entry.unwrap().path());
    files
        .filter(|file| file.extension().is_some_and(|it| it == "json"))
        .map(|file| std::fs::read_to_string(file).unwrap())
        .collect()
}

#[test]
fn a_hunk_that_comes_while_another_is_about_to_be_shown_is_kept_before_it_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let (path, kept) = (root.join("a.txt"), root.join("kept"));
    let mut scene = Scene::new(Some(&kept), &root);
    scene.enter(&path, When::Before);
    std::thread::scope(|scope| {
        // Another file is being shown.
        let shown = scene.publisher.shown.lock().unwrap();
        scope.spawn(|| scene.publisher.publish(&path));
        // Until the first hunk is kept, should that come before the turn to show it.
        let limit = Instant::now() + Duration::from_millis(100);
        while texts(&kept).is_empty() && Instant::now() < limit {
            std::thread::yield_now();
        }
        scene.enter(&path, When::Before);
        drop(shown);
    });
    let kept = texts(&kept);
    let shown = scene.shown();
    let ids: Vec<_> = (shown["hunks"].as_array().unwrap().iter())
        .map(|hunk| hunk["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), 2);
    for id in ids {
        assert!(kept.contains(&format!("\"{id}\"")), "{id} in {kept}");
    }
}
