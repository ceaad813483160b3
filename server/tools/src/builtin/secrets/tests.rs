//! Secrets on their way to the model and back, through the tools that read and change files.

use serde_json::json;

use crate::error::ErrorKind;
use crate::testing::Scene;

/// Made up, and of parts, so that no scanner takes this file for a leak.
fn key() -> String {
    ["ghp", "_", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5"].concat()
}

const MARK: &str = "‹redacted: github token 1›";

/// A workspace with a file that holds a key, which the agent has read.
async fn scene() -> Scene {
    let scene = Scene::new();
    scene.write("a.txt", format!("name = x\ntoken = {}\nend = y\n", key()));
    let read = scene.call("read_file", json!({"path": "a.txt"})).await;
    assert!(
        read.content.contains(&format!("\ttoken = {MARK}\n")),
        "{}",
        read.content
    );
    scene
}

#[tokio::test]
async fn an_edit_of_a_line_with_a_mark_is_made_in_the_real_text() {
    let scene = scene().await;
    let edit = json!({
        "path": "a.txt",
        "old_string": format!("token = {MARK}\nend"),
        "new_string": format!("secret = \"{MARK}\"\nend"),
    });
    let result = scene.call("edit_file", edit).await;
    assert!(result.is_ok(), "{}", result.content);
    assert_eq!(
        scene.read("a.txt"),
        format!("name = x\nsecret = \"{}\"\nend = y\n", key())
    );
    assert!(result.content.contains(MARK) && !result.content.contains(&key()));
    assert!(result.files[0].diff.contains(MARK) && !result.files[0].diff.contains(&key()));
}

#[tokio::test]
async fn a_rewrite_keeps_the_secret() {
    let scene = scene().await;
    let content = format!("token = {MARK}\n");
    let rewrite = json!({"path": "a.txt", "content": content});
    let result = scene.call("write_file", rewrite).await;
    assert!(result.is_ok(), "{}", result.content);
    assert_eq!(scene.read("a.txt"), format!("token = {}\n", key()));
}

#[tokio::test]
async fn a_patch_takes_each_mark_from_the_file_of_its_section() {
    let scene = scene().await;
    let patch = |second: &str| {
        format!(
            "*** Begin Patch\n*** Add File: b.txt\n+{second}\n*** Update File: a.txt\n@@\n name = x\n-token = {MARK}\n+key = {MARK}\n*** End Patch\n"
        )
    };
    let result = scene
        .call("apply_patch", json!({"patch": patch(MARK)}))
        .await;
    assert_eq!(result.error.unwrap().kind, ErrorKind::InvalidArguments);
    assert_eq!(scene.entries(), ["a.txt"]);
    let result = scene
        .call("apply_patch", json!({"patch": patch("text")}))
        .await;
    assert!(result.is_ok(), "{}", result.content);
    assert_eq!(
        scene.read("a.txt"),
        format!("name = x\nkey = {}\nend = y\n", key())
    );
}

#[tokio::test]
async fn a_secret_is_not_carried_into_another_file() {
    let scene = scene().await;
    let content = format!("token = {MARK}\n");
    let write = json!({"path": "b.txt", "content": content});
    let result = scene.call("write_file", write).await;
    insta::assert_snapshot!(result.content, @"invalid_arguments: `‹redacted: github token 1›` stands for a secret that `b.txt` does not hold; it is not written into other files. Nothing was changed. Leave the secret where it is, and refer to it as the program does; or ask the user to put it there.");
    assert_eq!(scene.entries(), ["a.txt"]);
}

#[tokio::test]
async fn what_an_error_shows_of_a_file_is_without_secrets_too() {
    let scene = scene().await;
    let edit = json!({"path": "a.txt", "old_string": "name = x\ntoken = ghp", "new_string": "x"});
    let result = scene.call("edit_file", edit).await;
    let all = serde_json::to_string(&result).unwrap();
    assert!(
        all.contains("redacted: github token") && !all.contains(&key()),
        "{all}"
    );
}

#[tokio::test]
async fn a_session_reads_its_own_artifacts_only() {
    let mut scene = Scene::new();
    let artifacts = scene.scope().host.artifacts;
    let place = artifacts.place("session", "1", &[]).unwrap();
    std::fs::write(&place.path, format!("whole {}\n", key())).unwrap();
    let read = json!({"path": place.path});
    let result = scene.call("read_file", read.clone()).await;
    assert!(result.is_ok(), "{}", result.content);
    assert!(result.content.contains(&format!("whole {MARK}")));
    for tool in ["edit_file", "write_file"] {
        let arguments = match tool {
            "edit_file" => json!({"path": place.path, "old_string": "whole", "new_string": ""}),
            _ => json!({"path": place.path, "content": ""}),
        };
        let result = scene.call(tool, arguments).await;
        assert_eq!(
            result.error.unwrap().kind,
            ErrorKind::OutsideWorkspace,
            "{tool}"
        );
    }
    scene.context.session = "other".to_owned();
    let result = scene.call("read_file", read).await;
    assert_eq!(result.error.unwrap().kind, ErrorKind::OutsideWorkspace);
}
