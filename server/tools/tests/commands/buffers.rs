//! Open documents around commands, which see the disk alone.

use mewcode_tools::sandbox::Profile;
use serde_json::json;

use super::scene::{Documents, Scene, untimed};

#[tokio::test]
async fn unsaved_changes_are_named() {
    let scene = Scene::new();
    for name in ["a.txt", "b.txt", "c.txt"] {
        let path = scene.write(name, "disk\n");
        scene
            .editor
            .open(&path, if name == "b.txt" { "disk\n" } else { "typed\n" });
    }
    let result = scene.bash("cat a.txt").await;
    insta::assert_snapshot!(untimed(&result.content), @"
    Exit code 0 after SOME TIME.
    The command did not see unsaved changes of: `a.txt` and `c.txt`.
    disk
    ");
}

#[tokio::test]
async fn what_a_command_changes_is_brought_into_the_editor() {
    let scene = Scene::new();
    let path = scene.write("a.txt", "one\n");
    scene.editor.open(&path, "one\n");
    let result = scene.bash("echo two >> a.txt").await;
    insta::assert_snapshot!(untimed(&result.content), @"
    Exit code 0 after SOME TIME.
    It printed nothing.
    ");
    assert_eq!(scene.editor.text(&path), "one\ntwo\n");
}

#[tokio::test]
async fn what_cannot_be_brought_into_the_editor_is_named() {
    let scene = Scene::with(Documents::deaf(), Profile::Off);
    for name in [
        "changed.txt",
        "removed.txt",
        "same.txt",
        "typed.txt",
        "typed-alone.txt",
    ] {
        let path = scene.write(name, "disk\n");
        scene.editor.open(
            &path,
            if name.starts_with("typed") {
                "typed\n"
            } else {
                "disk\n"
            },
        );
    }
    let result = scene
        .bash("for f in changed typed; do echo new > $f.txt; done; rm removed.txt; touch same.txt")
        .await;
    insta::assert_snapshot!(untimed(&result.content), @"
    Exit code 0 after SOME TIME.
    The command did not see unsaved changes of: `typed-alone.txt` and `typed.txt`.
    `changed.txt` was changed on disk, and the editor still has the earlier text, which tools see: The editor cannot be told. Ask the user to reload it before you edit it.
    `removed.txt` was removed, and is still open in the editor: tools see the editor's text.
    `typed.txt` was changed on disk and has unsaved changes in the editor: tools see the editor's text. Ask the user which of them counts.
    It printed nothing.
    ");
    assert_eq!(scene.editor.text(&scene.path("changed.txt")), "disk\n");
}

#[tokio::test]
async fn an_edit_after_a_command_is_made_in_what_the_disk_has() {
    let mut scene = Scene::new().of_an_agent();
    scene.write("a.txt", "one\ntwo\nthree\n");
    scene.call("read_file", json!({"path": "a.txt"})).await;
    let ledger = scene.context.ledger.take();
    scene.bash("sed -i 's/one/1/' a.txt").await;
    scene.context.ledger = ledger;
    let edit = json!({"path": "a.txt", "old_string": "one", "new_string": "uno"});
    let refused = scene.call("edit_file", edit).await;
    assert!(!refused.is_ok(), "the line is another by now");
    let edit = json!({"path": "a.txt", "old_string": "three", "new_string": "3"});
    let landed = scene.call("edit_file", edit).await;
    assert!(landed.is_ok(), "{}", landed.content);
    assert_eq!(scene.read("a.txt"), "1\ntwo\n3\n");
}
