//! What the server knows of the editor's texts: lost synchronisation is noticed, refuses edits, and heals; files come, go and change
//! their names.

use serde_json::{Value, json};

use crate::harness::buffer::sha256;
use crate::harness::script::{failed, ok};
use crate::harness::{Client, Editor, Script, Sync, Workspace};
use crate::main_job::{GREET, NEW, OLD, polite};

/// Breaks the synchronisation, has an edit refused, heals, and has the same edit applied.
fn check(client: Client, damage: impl Fn(&mut Editor), heal: impl Fn(&mut Editor)) {
    let script = Script::new()
        .read("greet.py")
        .say("Read.")
        .edit_expecting("greet.py", OLD, NEW, failed("unavailable"))
        .say("Refused.")
        .read("greet.py")
        .edit("greet.py", OLD, NEW)
        .say("Done.");
    let mut editor = Editor::start(
        Workspace::with(&[("greet.py", GREET)]),
        client,
        &script,
        "accept_edits",
    );
    editor.open("greet.py");
    let run = editor.prompt("read");
    editor.finish_run(&run);
    damage(&mut editor);
    let run = editor.prompt("edit");
    editor.finish_run(&run);
    assert_eq!(editor.applies_seen, 0);
    heal(&mut editor);
    let run = editor.prompt("edit again");
    editor.finish_run(&run);
    assert_eq!(editor.text("greet.py"), polite());
    assert!(editor.same("greet.py"));
    // What came of the warnings is the server's to decide.
    editor.forget_messages();
}

/// A change that no text can take: it ends before it begins.
fn backwards(editor: &mut Editor) {
    let uri = editor.uri("greet.py");
    let range = json!({"start": {"line": 2, "character": 0}, "end": {"line": 1, "character": 0}});
    editor.server.notify(
        "textDocument/didChange",
        json!({"textDocument": {"uri": uri, "version": 7}, "contentChanges": [{"range": range, "text": "X"}]}),
    );
    editor.renumber("greet.py", 7);
}

#[test]
fn a_backwards_range_heals_with_a_full_text() {
    check(Client::bare(), backwards, |editor| {
        editor.sync = Sync::Full;
        editor.insert_before("greet.py", "def", " ");
        editor.replace("greet.py", " def", "def");
        editor.sync = Sync::Incremental;
    });
}

#[test]
fn a_backwards_range_heals_by_opening_again() {
    check(Client::bare(), backwards, |editor| {
        editor.reload("greet.py")
    });
}

#[test]
fn a_backwards_range_heals_by_a_save_with_text() {
    check(Client::bare(), backwards, |editor| {
        let uri = editor.uri("greet.py");
        editor.server.notify(
            "textDocument/didSave",
            json!({"textDocument": {"uri": uri}, "text": GREET}),
        );
    });
}

#[test]
fn a_backwards_range_heals_by_a_checksum_with_text() {
    check(Client::full(), backwards, |editor| {
        let uri = editor.uri("greet.py");
        let params = json!({"uri": uri, "version": 7, "sha256": sha256(GREET), "text": GREET});
        assert_eq!(
            editor.call("mewcode/checksum", params),
            Ok(json!({"match": true}))
        );
    });
}

/// The two have drifted apart without anybody noticing, until hashes are compared.
#[test]
fn a_drift_is_found_by_the_checksum() {
    let mut editor = Editor::start(
        Workspace::with(&[("greet.py", GREET)]),
        Client::full(),
        &Script::new(),
        "default",
    );
    editor.open("greet.py");
    assert!(editor.same("greet.py"));
    let uri = editor.uri("greet.py");
    let theirs = format!("# lost\n{GREET}");
    let check = |editor: &mut Editor, text: Option<&str>| -> Value {
        let mut params = json!({"uri": uri, "version": 1, "sha256": sha256(&theirs)});
        if let Some(text) = text {
            params["text"] = json!(text);
        }
        editor
            .call("mewcode/checksum", params)
            .expect("a checksum is answered")["match"]
            .clone()
    };
    assert_eq!(check(&mut editor, None), false);
    assert_eq!(check(&mut editor, Some(&theirs)), true);
    assert_eq!(check(&mut editor, None), true);
    assert!(!editor.same("greet.py"), "the server took the text");
}

/// The checksum is answered in the order of the changes around it, not of some later moment.
#[test]
fn checksums_and_changes_keep_their_order() {
    let mut editor = Editor::start(
        Workspace::with(&[("a.txt", "0\n")]),
        Client::full(),
        &Script::new(),
        "default",
    );
    editor.open("a.txt");
    let uri = editor.uri("a.txt");
    let mut asked = Vec::new();
    for number in 1..=300 {
        let end = editor.text("a.txt").len();
        editor.change("a.txt", end..end, &format!("{number} 😀\n"));
        let params =
            json!({"uri": uri, "version": number + 1, "sha256": sha256(editor.text("a.txt"))});
        asked.push(editor.server.request("mewcode/checksum", params));
    }
    for id in asked {
        assert_eq!(editor.answer(id), Ok(json!({"match": true})));
    }
}

/// Neovim sends a change for a URI that it never opened (`:file new`). It must not hurt, and opening heals it.
#[test]
fn a_change_of_a_document_never_opened() {
    let script = Script::new()
        .read("new.txt")
        .edit("new.txt", "two", "2")
        .say("Done.");
    let mut editor = Editor::start(
        Workspace::with(&[("new.txt", "one\n")]),
        Client::neovim(),
        &script,
        "accept_edits",
    );
    editor.client.echo = crate::harness::Echo::Before;
    let uri = editor.uri("new.txt");
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}});
    editor.server.notify(
        "textDocument/didChange",
        json!({"textDocument": {"uri": uri, "version": 4}, "contentChanges": [{"range": range, "text": "X"}]}),
    );
    editor.settle();
    editor.forget_messages();
    editor.open_with("new.txt", "one\ntwo\n");
    let run = editor.prompt("edit");
    editor.finish_run(&run);
    assert_eq!(editor.text("new.txt"), "one\n2\n");
    editor.assert_same("new.txt");
}

/// An autoreload in Neovim: closed and opened again with the same version and another text.
#[test]
fn the_same_version_with_another_text() {
    let mut editor = Editor::start(
        Workspace::with(&[("a.txt", "one\n")]),
        Client::neovim(),
        &Script::new(),
        "default",
    );
    editor.open("a.txt");
    editor.workspace.write("a.txt", "two\n");
    editor.reload("a.txt");
    editor.assert_same("a.txt");
}

/// Neovim drifts with ranges, so it is told to send whole texts, unless the plugin is there to compare.
#[test]
fn neovim_is_synchronised_in_full_without_the_plugin() {
    let check = |client: Client, change: u64| {
        let editor = Editor::start(Workspace::new(), client, &Script::new(), "default");
        assert_eq!(editor.capabilities["textDocumentSync"]["change"], change);
    };
    check(Client::neovim(), 1);
    check(
        Client {
            own: vec!["checksum"],
            ..Client::neovim()
        },
        2,
    );
    check(Client::bare(), 2);
    check(Client::full(), 2);
}

/// Several buffers, URIs with unusual characters, a file outside the workspace: keyed by URI, none takes another's changes.
#[test]
fn documents_are_kept_apart() {
    let names = [
        "a b.txt",
        "a%20b.txt",
        "é😀.txt",
        "sub/a b.txt",
        "#?&=+.txt",
    ];
    let files: Vec<(&str, &str)> = names.iter().map(|name| (*name, *name)).collect();
    let mut script = Script::new();
    for name in names {
        script = script.read(name).edit(name, ".txt", ".md");
    }
    let script = script.say("Done.");
    for client in [Client::bare(), Client::full()] {
        let mut editor = Editor::start(Workspace::with(&files), client, &script, "accept_edits");
        for name in names {
            editor.open(name);
        }
        let run = editor.prompt("rename");
        editor.finish_run(&run);
        for name in names {
            assert_eq!(editor.text(name), name.replace(".txt", ".md"));
            editor.assert_same(name);
        }
    }
}

/// A close and an open in one breath, changes for a closed document, closing twice: nothing of it stops the server.
#[test]
fn a_confused_client() {
    let mut editor = Editor::start(
        Workspace::with(&[("a.txt", "one\n")]),
        Client::bare(),
        &Script::new(),
        "default",
    );
    let uri = editor.uri("a.txt");
    editor.open("a.txt");
    for (method, params) in [
        (
            "textDocument/didOpen",
            json!({"textDocument": {"uri": uri, "languageId": "", "version": 1, "text": "again\n"}}),
        ),
        (
            "textDocument/didClose",
            json!({"textDocument": {"uri": uri}}),
        ),
        (
            "textDocument/didClose",
            json!({"textDocument": {"uri": uri}}),
        ),
        (
            "textDocument/didSave",
            json!({"textDocument": {"uri": uri}}),
        ),
        (
            "textDocument/didChange",
            json!({"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": "x"}]}),
        ),
        (
            "textDocument/didOpen",
            json!({"textDocument": {"uri": "untitled:1", "languageId": "", "version": 1, "text": "x"}}),
        ),
        (
            "textDocument/didClose",
            json!({"textDocument": {"uri": "untitled:1"}}),
        ),
    ] {
        editor.server.notify(method, params);
    }
    editor.settle();
    editor.close("a.txt");
    editor.open("a.txt");
    editor.assert_same("a.txt");
    editor.forget_messages();
}

/// A new file that the editor shows, still empty, has nothing unsaved: it is saved.
#[test]
fn a_new_file_that_is_looked_at() {
    let script = Script::new().write("new.txt", "fresh\n", ok()).say("Done.");
    let mut editor = Editor::start(Workspace::new(), Client::full(), &script, "default");
    let run = editor.prompt("a new file");
    editor.await_hunks("new.txt", 1);
    editor.open_with("new.txt", "");
    let hunks = editor.await_hunks("new.txt", 1);
    editor.accept(&hunks[0]);
    editor.finish_run(&run);
    // The end of the last line of a text that was empty is the editor's affair.
    assert_eq!(editor.workspace.disk("new.txt").trim_end(), "fresh");
}
