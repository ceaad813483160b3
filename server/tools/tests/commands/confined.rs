//! Commands in a sandbox, and the way out of it.

use mewcode_tools::sandbox::Profile;
use serde_json::json;

use super::scene::{Documents, Scene};

fn scene() -> Scene {
    Scene::with(Documents::default(), Profile::WorkspaceWrite)
}

#[tokio::test]
async fn a_command_writes_in_the_workspace_and_nowhere_else() {
    let scene = scene();
    let result = scene.bash("echo one > a.txt && cat a.txt").await;
    assert_eq!(result.metrics.exit_code, Some(0), "{}", result.content);
    assert_eq!(scene.read("a.txt"), "one\n");
    let result = scene.bash("echo one > /usr/mewcode-was-here").await;
    assert_eq!(result.metrics.exit_code, Some(1), "{}", result.content);
    assert!(!std::path::Path::new("/usr/mewcode-was-here").exists());
    assert!(
        result.content.contains("sandbox") && result.content.contains("sandbox: \"off\""),
        "{}",
        result.content
    );
}

#[tokio::test]
async fn a_refusal_is_told_where_another_command_hides_the_exit_code() {
    let scene = scene();
    for line in [
        "touch /usr/refused 2>&1 | tail -1",
        "touch /usr/refused || true",
    ] {
        let result = scene.bash(line).await;
        assert_eq!(result.metrics.exit_code, Some(0));
        assert!(
            result
                .content
                .contains("`/usr/refused` was refused by the sandbox"),
            "{}",
            result.content
        );
    }
    for line in [
        "touch a.txt 2>&1 | tail -1",
        // Read, not refused.
        "echo 'x: Read-only file system' > b.txt",
        "grep -h system b.txt | head -1",
    ] {
        let result = scene.bash(line).await;
        assert!(!result.content.contains("refused"), "{}", result.content);
    }
}

#[tokio::test]
async fn the_repository_is_read_and_not_written() {
    let scene = scene();
    scene.write(".git/config", "[core]\n");
    let result = scene.bash("cat .git/config && echo x >> .git/config").await;
    assert_ne!(result.metrics.exit_code, Some(0), "{}", result.content);
    assert_eq!(scene.read(".git/config"), "[core]\n");
}

#[tokio::test]
async fn outside_the_sandbox_it_writes_everywhere() {
    let scene = scene();
    let elsewhere = tempfile::tempdir_in("/var/lib").unwrap();
    let command = format!("echo one > {}/a.txt", elsewhere.path().display());
    let refused = scene.bash(&command).await;
    assert_ne!(refused.metrics.exit_code, Some(0), "{}", refused.content);
    let call = json!({"command": command, "sandbox": "off"});
    let result = scene.call("bash", call).await;
    assert_eq!(result.metrics.exit_code, Some(0), "{}", result.content);
    assert!(elsewhere.path().join("a.txt").exists());
}

#[tokio::test]
async fn a_repository_that_it_makes_is_named() {
    let scene = scene();
    let result = scene.bash("mkdir sub && git -C sub init -q; true").await;
    assert!(
        result
            .content
            .contains(&format!("`{}`", scene.path("sub/.git").display())),
        "{}",
        result.content
    );
}
