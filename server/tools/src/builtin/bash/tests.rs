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
