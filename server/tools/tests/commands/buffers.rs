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

#[tokio::test]
async fn what_changes_in_the_background_is_brought_into_the_editor() {
    let scene = Scene::new();
    let path = scene.write("a.txt", "one\n");
    scene.editor.open(&path, "one\n");
    let arguments = json!({"command": "echo two > a.txt", "background": true});
    let result = scene.call("bash", arguments).await;
    assert_eq!(result.metrics.exit_code, Some(0), "{}", result.content);
    assert_eq!(scene.editor.text(&path), "two\n", "it ended at once");
    let line = "read l; echo 3 > a.txt; echo three; read l; echo 4 > a.txt; echo four; read l; echo 5 > a.txt";
    let id = scene.started(json!({"command": line})).await;
    scene.went_on(&id, "three").await;
    scene.call("process_output", json!({"id": id})).await;
    assert_eq!(scene.editor.text(&path), "3\n", "somebody looked at it");
    scene.went_on(&id, "four").await;
    let result = scene.bash("cat a.txt").await;
    insta::assert_snapshot!(untimed(&result.content), @"
    Exit code 0 after SOME TIME.
    4
    ");
    assert_eq!(scene.editor.text(&path), "4\n", "another command ran");
    scene.ended(&id).await;
    assert_eq!(scene.editor.text(&path), "5\n", "it ended");
}

#[tokio::test]
async fn what_a_background_command_changed_is_in_the_editor_when_it_ends_or_is_stopped() {
    let scene = Scene::new();
    let path = scene.write("a.txt", "one\n");
    scene.editor.open(&path, "one\n");
    let line = "read l; echo two > a.txt";
    let id = scene.started(json!({"command": line})).await;
    let command = scene.host.processes.get("session", &id).unwrap();
    command.close_input().unwrap();
    // Nobody asks.
    scene.editor.reloaded().await;
    assert_eq!(scene.editor.text(&path), "two\n");
    let line = "read l; echo three > a.txt; echo done; sleep 1000";
    let id = scene.started(json!({"command": line})).await;
    scene.went_on(&id, "done").await;
    scene.call("process_stop", json!({"id": id})).await;
    assert_eq!(scene.editor.text(&path), "three\n");
}

#[tokio::test]
async fn what_a_moved_command_changes_is_brought_into_the_editor() {
    let mut scene = Scene::new();
    let path = scene.write("a.txt", "one\n");
    scene.editor.open(&path, "one\n");
    let line =
        "echo two > a.txt; echo begun; until [ -e go ]; do sleep 0.05; done; echo three > a.txt";
    let result = scene.moved(line, "begun").await;
    assert!(
        result.content.contains("it goes on as `cmd_1`"),
        "{}",
        result.content
    );
    assert_eq!(scene.editor.text(&path), "two\n");
    scene.write("go", "");
    scene.ended("cmd_1").await;
    assert_eq!(scene.editor.text(&path), "three\n");
}

#[tokio::test]
async fn unsaved_changes_over_what_a_background_command_changed_are_told_once() {
    let scene = Scene::new();
    let typed = scene.write("typed.txt", "disk\n");
    let saved = scene.write("saved.txt", "disk\n");
    scene.editor.open(&typed, "typed\n");
    scene.editor.open(&saved, "disk\n");
    let line = "read l; echo new > typed.txt; echo done; sleep 1000";
    let id = scene.started(json!({"command": line})).await;
    // What the user saves meanwhile is no work of the command.
    scene.editor.open(&saved, "saved by the user\n");
    scene.write("saved.txt", "saved by the user\n");
    scene.went_on(&id, "done").await;
    let told = "`typed.txt` was changed on disk and has unsaved changes in the editor";
    let first = scene.call("process_output", json!({"id": id})).await;
    assert!(first.content.contains(told), "{}", first.content);
    assert!(!first.content.contains("saved.txt"), "{}", first.content);
    let paged = json!({"id": id, "offset": 0});
    let second = scene.call("process_output", paged).await;
    assert!(!second.content.contains(told), "{}", second.content);
    assert_eq!(scene.editor.text(&typed), "typed\n");
    assert_eq!(scene.editor.text(&saved), "saved by the user\n");
    scene.host.processes.end_all().await;
}
