//! Commands in a sandbox, and the way out of it.

use mewcode_tools::permission::{Action, Layer, PolicySettings, RuleSource};
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
        "touch /usr/refused; echo \"exit: $?\"",
        "touch /usr/refused\necho done",
        "touch /usr/refused & wait",
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
        "ls; true",
        "touch a.txt; echo \"exit: $?\"",
    ] {
        let result = scene.bash(line).await;
        assert!(!result.content.contains("refused"), "{}", result.content);
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_command_that_needs_the_network_and_says_nothing_is_told_that_there_is_none() {
    use std::os::unix::fs::PermissionsExt;
    let scene = scene();
    for (program, text) in [
        ("curl", "#!/bin/sh\nexit 6\n"),
        ("wget", "#!/bin/sh\necho fetched\n"),
        ("quiet", "#!/bin/sh\nexit 6\n"),
    ] {
        let program = scene.write(program, text);
        std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let note = "there is no network in it";
    for line in [
        "./curl -s https://example.com",
        "./curl -s https://example.com | head -1",
    ] {
        let result = scene.bash(line).await;
        assert!(result.content.contains(note), "{line}: {}", result.content);
    }
    for line in [
        "./quiet",
        "./wget -q https://example.com",
        "./no-such-folder/curl https://example.com",
        "./quiet; true",
    ] {
        let result = scene.bash(line).await;
        assert!(!result.content.contains(note), "{line}: {}", result.content);
    }
    let call = json!({"command": "./curl -s https://example.com", "sandbox": "off"});
    let result = scene.call("bash", call).await;
    assert!(!result.content.contains(note), "{}", result.content);
}

#[tokio::test]
async fn the_repository_is_read_and_not_written() {
    let scene = scene();
    scene.write(".git/config", "[core]\n");
    let result = scene.bash("cat .git/config && echo x >> .git/config").await;
    assert_ne!(result.metrics.exit_code, Some(0), "{}", result.content);
    assert_eq!(scene.read(".git/config"), "[core]\n");
}

/// With links, hidden and ignored files, and those that the rules close.
#[tokio::test]
async fn a_search_that_nobody_was_asked_about_finds_no_secrets() {
    let scene = scene();
    let settings = PolicySettings {
        sandbox: Profile::WorkspaceWrite,
        sensitive: vec!["*.vault".to_owned()],
        rules: vec![
            RuleSource::new(Layer::User, Action::Deny, "read_file(private/**)", "config"),
            RuleSource::new(Layer::User, Action::Ask, "read_file(/notes.txt)", "config"),
        ],
        ..PolicySettings::default()
    };
    scene.host.policy.replace(settings).unwrap();
    let closed = [
        ".env",
        "sub/.hidden/.env.local",
        "ignored/server.key",
        "a.vault",
        "private/deep/a.txt",
        "notes.txt",
    ];
    for path in closed {
        scene.write(path, "needle of a secret\n");
    }
    scene.write(".gitignore", "ignored\n");
    scene.write("open/a.txt", "needle\n");
    std::os::unix::fs::symlink("../.env", scene.path("open/link")).unwrap();
    for line in [
        "grep -r needle .",
        "grep -rn needle",
        "cd sub && cat ../open/a.txt && grep -rh needle ..",
        "diff -r . open",
        "diff -rN open .",
        "timeout 20 grep -r needle | head -100",
    ] {
        let result = scene.bash(line).await;
        let content = &result.content;
        assert!(
            content.contains("needle") || line.starts_with("diff -r ."),
            "{line}: {content}"
        );
        assert!(
            !content.contains("secret\n") && !content.contains("of a secret"),
            "{line}: {content}"
        );
        assert!(
            content.contains("and 1 more. Name a file"),
            "{line}: {content}"
        );
        assert!(!content.contains("sandbox: \"off\""), "{line}: {content}");
    }
    // A smaller folder has less in it.
    let result = scene.bash("grep -r needle open").await;
    assert!(!result.content.contains("Closed"), "{}", result.content);
    // Nothing of this holds for what was asked about.
    let result = scene.bash("cat .env").await;
    assert!(result.content.contains("of a secret"), "{}", result.content);
}

/// A root that looks like a repository, made by file tools that never write `.git`.
#[tokio::test]
async fn git_that_nobody_was_asked_about_starts_no_monitor() {
    for repository in [".git/", ""] {
        let scene = scene();
        for folder in ["objects", "refs"] {
            std::fs::create_dir_all(scene.path(&format!("{repository}{folder}"))).unwrap();
        }
        scene.write(&format!("{repository}HEAD"), "ref: refs/heads/main\n");
        let config = "[core]\nrepositoryformatversion = 0\nbare = false\n";
        let monitor = "worktree = .\nfsmonitor = \"echo monitored >&2; false\"\n";
        let monitor = if repository.is_empty() {
            monitor
        } else {
            &monitor[13..]
        };
        scene.write(
            &format!("{repository}config"),
            &format!("{config}{monitor}"),
        );
        let asked = scene.bash("git status --short; true").await;
        let content = &asked.content;
        assert!(!content.contains("monitored"), "{content}");
        if repository.is_empty() {
            assert!(content.contains("safe.bareRepository"), "{content}");
            continue;
        }
        let allowed = scene.bash("git status --short; make -v >/dev/null").await;
        let content = &allowed.content;
        assert!(
            content.contains("monitored"),
            "else this tests nothing: {content}"
        );
    }
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
