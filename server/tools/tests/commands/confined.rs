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

/// Whatever the program is that reaches them: nothing is known of these from their words.
#[tokio::test]
async fn what_rules_deny_is_kept_from_every_command() {
    let scene = scene();
    let deny = |rule: &str| RuleSource::new(Layer::User, Action::Deny, rule, "config");
    let settings = PolicySettings {
        sandbox: Profile::WorkspaceWrite,
        rules: vec![
            deny("read_file(secrets/**)"),
            deny("read_file(*.vault)"),
            deny("edit_file(gen/**)"),
            deny("edit_file(/lock.json)"),
        ],
        ..PolicySettings::default()
    };
    scene.host.policy.replace(settings).unwrap();
    for path in ["secrets/x", "secrets/deep/y", "sub/a.vault"] {
        scene.write(path, "echo needle\n");
    }
    for path in ["gen/a", "lock.json", "src/a"] {
        scene.write(path, "old\n");
    }
    for line in [
        "mv secrets y; find . -type f | tail -n +1 | xargs cat",
        "tar cf - . | tar xOf -",
        "d=sec; for f in ${d}rets/*; do sh $f; done",
        "python3 -c \"print(open('secr' + 'ets/x').read())\"",
        "python3 -c \"import glob; print(open(glob.glob('sub/*')[0]).read())\"",
    ] {
        let result = scene.bash(line).await;
        assert!(
            !result.content.contains("needle"),
            "{line}: {}",
            result.content
        );
    }
    for line in [
        "python3 -c \"open('ge' + 'n/a', 'w').write('new')\"",
        "python3 -c \"open('ge' + 'n/new', 'w').write('new')\"",
        "python3 -c \"open('lock' + '.json', 'w').write('new')\"",
        "python3 -c \"import os; os.rename('g' + 'en', 'other')\"",
    ] {
        let result = scene.bash(line).await;
        assert_eq!(
            result.metrics.exit_code,
            Some(1),
            "{line}: {}",
            result.content
        );
    }
    assert_eq!(scene.read("gen/a"), "old\n");
    assert_eq!(scene.read("lock.json"), "old\n");
    assert!(!scene.path("gen/new").exists() && scene.path("secrets/x").exists());
    let line = "python3 -c \"open('src/a', 'w').write(open('gen/a').read() + 'new')\"";
    let result = scene.bash(line).await;
    assert_eq!(result.metrics.exit_code, Some(0), "{}", result.content);
    assert_eq!(scene.read("src/a"), "old\nnew");
}

#[tokio::test]
async fn what_is_to_be_known_of_a_background_command_is_told_once_at_its_end() {
    let scene = scene();
    let line = "read l; mkdir sub && git -C sub init -q; touch /usr/refused";
    let repository = format!("`{}`", scene.path("sub/.git").display());
    let notes = [
        repository.as_str(),
        "`/usr/refused` was refused by the sandbox",
    ];
    let id = scene.started(json!({"command": line})).await;
    let result = scene.ended(&id).await;
    for note in notes {
        assert!(result.content.contains(note), "{}", result.content);
    }
    let again = scene
        .call("process_output", json!({"id": id, "offset": 0}))
        .await;
    for note in notes {
        assert!(!again.content.contains(note), "{}", again.content);
    }
}

#[tokio::test]
async fn what_is_to_be_known_of_a_command_is_told_by_whoever_stops_it() {
    let scene = scene();
    let line = "read l; mkdir sub && git -C sub init -q; echo made; sleep 1000";
    let id = scene.started(json!({"command": line})).await;
    scene.went_on(&id, "made").await;
    let result = scene.call("process_stop", json!({"id": id})).await;
    let repository = format!("`{}`", scene.path("sub/.git").display());
    assert!(result.content.contains(&repository), "{}", result.content);
}

#[tokio::test]
async fn a_refusal_is_told_of_a_moved_command_once() {
    let mut scene = scene();
    let refused = "was refused by the sandbox";
    let wait = "until [ -e go ]; do sleep 0.05; done";
    let moved = scene
        .moved(&format!("echo begun; {wait}; touch /usr/one"), "begun")
        .await;
    assert!(!moved.content.contains(refused), "{}", moved.content);
    scene.write("go", "");
    let result = scene.ended("cmd_1").await;
    assert!(result.content.contains(refused), "{}", result.content);
    std::fs::remove_file(scene.path("go")).unwrap();
    let moved = scene
        .moved(
            &format!("touch /usr/two; {wait}; exit 1"),
            "Read-only file system",
        )
        .await;
    assert!(moved.content.contains(refused), "{}", moved.content);
    scene.write("go", "");
    let result = scene.ended("cmd_2").await;
    assert!(!result.content.contains(refused), "{}", result.content);
}
