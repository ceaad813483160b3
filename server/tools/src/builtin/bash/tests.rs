//! What of a command is decided before it runs. Commands that really run are in `tests/commands`.

use std::fmt::Write;

use serde_json::json;

use super::*;
use crate::effect::{Command, Effect};
use crate::host::Host;
use crate::permission::{Policy, PolicySettings};
use crate::sandbox::Profile;
use crate::testing::Scene;

/// What a command line touches in a workspace with some files, where commands are confined so.
fn touched(arguments: Value, sandbox: Profile) -> String {
    let scene = Scene::without_ledger();
    scene.write("a.txt", "");
    scene.write("sub/b.txt", "");
    scene.write(".env", "");
    let policy = Policy::new(PolicySettings {
        sandbox,
        ..PolicySettings::default()
    });
    let mut scope = scene.scope();
    scope.host = Host {
        policy: std::sync::Arc::new(policy.unwrap()),
        ..Host::default()
    };
    let root = scene.path("").display().to_string();
    let short = |path: &PathBuf| {
        let path = format!("{}/", path.display());
        let path = path.replace(&root, "");
        match path.trim_end_matches('/') {
            "" => ".".to_owned(),
            path => path.to_owned(),
        }
    };
    let plan = Bash::new().plan(arguments, &scope).unwrap();
    let mut told = String::new();
    for effect in &plan.effects {
        let _ = match effect {
            Effect::Process(Command {
                workdir,
                reads_only,
                sandbox,
                ..
            }) => write!(
                told,
                "in [{}] {}{}",
                short(workdir),
                sandbox.as_str(),
                if *reads_only { ", reads only" } else { "" }
            ),
            Effect::Read(paths) => {
                let paths: Vec<String> = paths.iter().map(short).collect();
                write!(told, "; reads {}", paths.join(" "))
            }
            Effect::Write(paths) => {
                let paths: Vec<String> = paths.iter().map(short).collect();
                write!(told, "; writes {}", paths.join(" "))
            }
            other => write!(told, "; {:?}", other.kind()),
        };
    }
    told
}

#[test]
fn what_a_command_touches_is_told_from_its_text() {
    for (command, expected) in [
        ("cat a.txt", "in [.] read_only, reads only; reads a.txt"),
        (
            "cat sub/../a.txt",
            "in [.] read_only, reads only; reads a.txt",
        ),
        ("cat .env", "in [.] workspace_write; reads .env"),
        (
            "cat /etc/passwd",
            "in [.] workspace_write; reads /etc/passwd",
        ),
        ("git status", "in [.] read_only, reads only; reads ."),
        ("grep -r x", "in [.] read_only, reads only; reads ."),
        ("make", "in [.] workspace_write"),
        (
            "echo x > sub/new.txt",
            "in [.] workspace_write; writes sub/new.txt",
        ),
        ("git commit -m x", "in [.] workspace_write; GitIndex"),
        ("curl https://example.com", "in [.] workspace_write"),
    ] {
        let arguments = json!({"command": command});
        assert_eq!(
            touched(arguments, Profile::WorkspaceWrite),
            expected,
            "{command}"
        );
    }
}

#[test]
fn nothing_is_proven_that_follows_another_repository_or_searches_without_a_sandbox() {
    let sandbox = Profile::WorkspaceWrite;
    let status = json!({"command": "git status", "workdir": "sub"});
    assert_eq!(touched(status, sandbox), "in [sub] workspace_write");
    let list = json!({"command": "ls", "workdir": "sub"});
    assert_eq!(touched(list, sandbox), "in [sub] read_only, reads only");
    let search = json!({"command": "rg x"});
    assert_eq!(touched(search, Profile::Off), "in [.] off; reads .");
    let search = json!({"command": "rg x", "sandbox": "off"});
    assert_eq!(touched(search, sandbox), "in [.] off; reads .");
}

#[test]
fn a_command_is_confined_as_the_settings_say_unless_it_asks_to_leave() {
    let read = || json!({"command": "cat a.txt"});
    let make = || json!({"command": "make", "workdir": "sub"});
    assert_eq!(touched(make(), Profile::ReadOnly), "in [sub] read_only");
    assert_eq!(touched(make(), Profile::Off), "in [sub] off");
    assert_eq!(
        touched(read(), Profile::Off),
        "in [.] off, reads only; reads a.txt"
    );
    let outside = |command: &str| json!({"command": command, "sandbox": "off"});
    assert_eq!(
        touched(outside("make"), Profile::WorkspaceWrite),
        "in [.] off"
    );
    assert_eq!(
        touched(outside("curl https://example.com"), Profile::WorkspaceWrite),
        "in [.] off; Network"
    );
}

#[test]
fn the_command_has_its_time_and_the_call_a_little_more() {
    let scene = Scene::new();
    let scope = scene.scope();
    for (arguments, seconds) in [
        (json!({"command": "true"}), 130),
        (json!({"command": "true", "timeout_ms": 5000}), 15),
        (json!({"command": "true", "background": true}), 10),
    ] {
        let plan = Bash::new().plan(arguments, &scope).unwrap();
        assert_eq!(plan.timeout, Some(Duration::from_secs(seconds)));
    }
}

#[test]
fn git_that_may_show_what_is_not_to_be_read_is_no_mere_reading() {
    let scene = Scene::without_ledger();
    for (path, text) in [
        (".env", "SECRET=1\n"),
        ("secrets/x", "top\n"),
        ("src/a.rs", "one\n"),
        ("free/b.rs", "one\n"),
    ] {
        scene.write(path, text);
    }
    let git = |arguments: &[&str]| {
        let mut git = std::process::Command::new("git");
        let author = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
        git.arg("-C").arg(scene.path("")).args(author);
        let output = git.args(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    let verdict = |command: &str, deny: &str| {
        let rules = vec![crate::permission::RuleSource::new(
            crate::permission::Layer::User,
            crate::permission::Action::Deny,
            deny,
            "config",
        )];
        let policy = Policy::new(PolicySettings {
            sandbox: Profile::WorkspaceWrite,
            rules,
            ..PolicySettings::default()
        });
        let mut scope = scene.scope();
        scope.host = Host {
            policy: std::sync::Arc::new(policy.unwrap()),
            ..Host::default()
        };
        let arguments = json!({"command": command});
        let plan = Bash::new().plan(arguments, &scope).unwrap();
        let Some(Effect::Process(command)) = plan.effects.first() else {
            panic!("{:?}", plan.effects);
        };
        match (command.reads_only, command.may_show.is_empty()) {
            (true, true) => "free",
            (false, true) => "unproven",
            (false, false) => "asks",
            (true, false) => "wrong",
        }
    };
    let check = |deny: &str, expected: &[(&str, &str)]| {
        for (verdict_expected, command) in expected {
            assert_eq!(verdict(command, deny), *verdict_expected, "{command}");
        }
    };
    git(&["init", "-q"]);
    std::fs::write(scene.path(".gitignore"), ".env\nsecrets\n").unwrap();
    git(&["add", "."]);
    git(&["commit", "-qm", "first"]);
    let nothing = "read_file(nothing/**)";
    // An ignored file is not in the index, and may be in history.
    check(
        nothing,
        &[
            ("free", "git status"),
            ("free", "git diff"),
            ("free", "git diff src/a.rs"),
            ("free", "git grep SECRET"),
            ("free", "git grep -n -A 2 SECRET -- src"),
            ("free", "git log --oneline"),
            ("free", "git log --stat -3"),
            ("free", "git show --stat HEAD"),
            ("free", "git show HEAD:src/a.rs"),
            ("free", "git diff --stat HEAD"),
            ("free", "git diff HEAD -- src"),
            ("free", "git log -p -- src free/b.rs"),
            ("free", "git blame src/a.rs"),
            ("free", "git ls-files"),
            ("unproven", "git show HEAD"),
            ("unproven", "git log -p"),
            ("unproven", "git diff HEAD"),
            ("unproven", "git grep SECRET HEAD"),
            ("unproven", "git log -p -- '*.rs'"),
        ],
    );
    git(&["add", "-f", ".env", "secrets"]);
    git(&["commit", "-qm", "second"]);
    let changed = std::time::SystemTime::now() - Duration::from_secs(100);
    for path in [".env", "secrets/x"] {
        let file = std::fs::File::options().write(true).open(scene.path(path));
        file.unwrap().set_modified(changed).unwrap();
    }
    git(&["update-index", "--refresh"]);
    check(
        nothing,
        &[
            ("free", "git status"),
            ("free", "git diff"),
            ("free", "git diff -- src"),
            ("free", "git log --oneline"),
            ("free", "git grep SECRET -- src"),
            ("free", "git show HEAD:src/a.rs"),
            ("free", "git blame src/a.rs"),
            ("free", "git log -p -- src"),
            ("asks", "git grep SECRET"),
            ("asks", "git grep SECRET HEAD"),
            ("asks", "git grep -e SECRET"),
            ("asks", "git diff HEAD~1"),
            ("asks", "git diff --cached"),
            ("asks", "git show"),
            ("asks", "git show HEAD --stat -p"),
            ("asks", "git log -p"),
            ("asks", "git log -3 -U2"),
            ("asks", "git log -p -- ."),
            ("asks", "git status -v"),
            ("asks", "git stash show -p"),
            ("asks", "git cat-file -p HEAD^"),
            ("asks", "git grep SECRET -- src ':(glob)*'"),
            ("asks", "git grep SECRET | head"),
            ("asks", "make; git grep SECRET"),
        ],
    );
    check(
        "read_file(secrets/**)",
        &[
            ("asks", "git grep top -- secrets"),
            ("asks", "git grep top secrets"),
            ("asks", "git blame secrets/x"),
            ("free", "git grep top -- free"),
        ],
    );
    scene.write(".env", "SECRET=2\n");
    check(
        nothing,
        &[
            ("asks", "git diff"),
            ("asks", "git diff -U0 -- ."),
            ("free", "git diff --stat"),
            ("free", "git diff -- src"),
        ],
    );
}
