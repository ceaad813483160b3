//! Documents that are closed while an edit or a removal is on its way to them.

use super::*;
use mewcode_core::edit::Replacement;
use mewcode_core::position::ByteRange;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tower_lsp::jsonrpc::{Id, Response};

/// A file that is open in an editor, and the way into it.
struct Scene {
    _folder: tempfile::TempDir,
    target: Target,
    uri: String,
    documents: Arc<Documents>,
    peer: Arc<Peer>,
    lander: Lander,
}

impl Scene {
    /// Gives what the editor is sent too.
    fn new(text: &str, existed: bool) -> (Self, UnboundedReceiver<Vec<u8>>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("a.txt");
        std::fs::write(&path, text).unwrap();
        let (out, sent) = unbounded_channel();
        let (documents, peer) = (Arc::<Documents>::default(), Arc::new(Peer::new(out)));
        let scene = Self {
            _folder: folder,
            uri: crate::uri::uri_of(&path).unwrap().as_str().to_owned(),
            target: Target {
                path,
                display: "a.txt".into(),
                existed,
                final_newline: true,
                destination: Destination::Same,
            },
            lander: Lander::new(
                Arc::clone(&documents),
                Arc::clone(&peer),
                Default::default(),
                Default::default(),
            ),
            documents,
            peer,
        };
        let document = json!({"uri": scene.uri, "version": 1, "text": text});
        scene.tell("textDocument/didOpen", json!({"textDocument": document}));
        (scene, sent)
    }

    fn tell(&self, method: &str, params: Value) {
        let params = RawValue::from_string(params.to_string()).unwrap();
        self.documents.dispatch(method, None, Some(&params));
    }

    /// The user changes the text, saves it or not, and closes the document.
    fn close_with(&self, text: &str, saved: bool) {
        let document = json!({"uri": self.uri, "version": 2});
        let changes = json!([{"text": text}]);
        let changed = json!({"textDocument": document, "contentChanges": changes});
        self.tell("textDocument/didChange", changed);
        if saved {
            std::fs::write(&self.target.path, text).unwrap();
        }
        self.tell("textDocument/didClose", json!({"textDocument": document}));
    }

    fn answer(&self, result: Value) {
        self.peer.resolve(Response::from_ok(Id::Number(1), result));
    }

    fn disk(&self) -> String {
        std::fs::read_to_string(&self.target.path).unwrap()
    }
}

fn profile(capabilities: Value) -> Profile {
    let params = json!({"capabilities": capabilities});
    Profile::new(&serde_json::from_value(params).unwrap())
}

/// Before anybody looks: the edit, its reply, and the end of the document, which is saved or not.
#[tokio::test]
async fn an_edit_whose_document_is_closed_at_once_is_on_disk_once() {
    for saved in [true, false] {
        let (scene, mut sent) = Scene::new("a\nb\n", true);
        let base = scene.documents.by_uri(&scene.uri).unwrap().snapshot;
        let replacement = Replacement {
            range: ByteRange::new(0, 1),
            text: "A".into(),
        };
        let edit = Edit::new(&base, vec![replacement]).unwrap();
        let profile = profile(json!({"workspace": {"applyEdit": true}}));
        let editor = async {
            sent.recv().await.unwrap();
            scene.close_with("A\nb\n", saved);
            scene.answer(json!({"applied": true}));
        };
        let landing = scene.lander.land(&profile, &scene.target, &edit, &base, "");
        let (landing, ()) = tokio::join!(landing, editor);
        let landing = landing.unwrap_or_else(|error| panic!("saved: {saved}: {error}"));
        assert_eq!(landing.after.rope().to_string(), "A\nb\n");
        assert_eq!(scene.disk(), "A\nb\n");
    }
}

/// The user writes into an empty file, saves and closes it while the editor is asked to remove it.
#[tokio::test]
async fn a_file_that_is_empty_no_more_stays() {
    let (scene, mut sent) = Scene::new("", false);
    let profile = profile(json!({"experimental": {"mewcode": {"applyEdit": true, "files": true}}}));
    let editor = async {
        sent.recv().await.unwrap();
        scene.close_with("mine\n", true);
        scene.answer(json!({"applied": false, "reason": "not_open"}));
    };
    let removal = scene.lander.remove_if_empty(&profile, &scene.target);
    let (removed, ()) = tokio::join!(removal, editor);
    assert!(removed.is_ok(), "{removed:?}");
    assert_eq!(scene.disk(), "mine\n");
}
