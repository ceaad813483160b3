//! Layers, sessions, sensitive names, and what a policy says of files, hosts and commands in each mode.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::table::{command, policy, request, word};
use crate::effect::{Command, Effect};
use crate::permission::{
    Action, Layer, Mode, Policy, PolicySettings, Request, RuleSource, Verdict,
};
use crate::port::Review;
use crate::sandbox::Profile;
use crate::testing::Scene;

fn verdict(policy: &Policy, tool: &str, mode: Mode, effects: &[Effect]) -> Verdict {
    let roots = [PathBuf::from("/w")];
    let request = Request {
        session: "session",
        tool,
        effects,
        mode,
        roots: &roots,
    };
    policy.decide(&request).verdict
}

fn write(paths: &[&str]) -> [Effect; 1] {
    [Effect::Write(paths.iter().map(PathBuf::from).collect())]
}

#[test]
fn a_deny_in_any_layer_wins_then_an_ask_then_an_allow() {
    use {Action::*, Layer::*};
    let effects = write(&["/w/src/a.rs"]);
    for (rules, expected) in [
        (vec![(User, Allow)], "allowed"),
        (vec![(Project, Allow), (User, Ask)], "asked"),
        (vec![(Local, Ask), (User, Allow)], "asked"),
        (vec![(Local, Allow), (Project, Ask), (User, Deny)], "denied"),
        (
            vec![(Project, Deny), (Local, Allow), (User, Allow)],
            "denied",
        ),
        (vec![(User, Allow), (Project, Deny), (Local, Ask)], "denied"),
    ] {
        let sources = rules
            .iter()
            .map(|(layer, action)| RuleSource::new(*layer, *action, "Edit(src/**)", "here"));
        let policy = Policy::new(PolicySettings {
            rules: sources.collect(),
            ..PolicySettings::default()
        })
        .unwrap();
        policy.allow_for_session("session", "edit_file").unwrap();
        for mode in [Mode::Default, Mode::AcceptEdits, Mode::Bypass] {
            let verdict = verdict(&policy, "edit_file", mode, &effects);
            assert_eq!(word(&verdict), expected, "{rules:?} {mode}");
        }
    }
}

#[test]
fn an_empty_list_of_rules_allows_nothing() {
    for line in ["make", "cargo test", "rm x"] {
        let effects = command(line, Profile::Off);
        let verdict = Policy::default()
            .decide(&request(&effects, Mode::Default))
            .verdict;
        assert_eq!(word(&verdict), "asked", "{line}");
    }
}

#[test]
fn files_are_allowed_each_by_some_rule() {
    let policy = policy("allow Edit(src/**) + allow Edit(docs/*.md) + deny Write(docs/**)");
    let check = |tool: &str, paths: &[&str]| verdict(&policy, tool, Mode::Default, &write(paths));
    let (allowed, asked) = (Verdict::Allow(Review::After), Verdict::Ask(Review::Before));
    assert_eq!(check("edit_file", &["/w/src/a.rs"]), allowed);
    assert_eq!(
        check("apply_patch", &["/w/src/a.rs", "/w/docs/b.md"]),
        allowed
    );
    assert_eq!(
        check("apply_patch", &["/w/src/a.rs", "/w/docs/b.txt"]),
        asked
    );
    assert_eq!(check("apply_patch", &["/w/src/a.rs", "/x/src/b.rs"]), asked);
    assert_eq!(check("edit_file", &[]), asked, "nobody knows where");
    assert_eq!(word(&check("write_file", &["/w/docs/b.md"])), "denied");
    assert_eq!(
        check("mcp__a__b", &["/w/src/a.rs"]),
        asked,
        "not the tool that is allowed"
    );
}

#[test]
fn no_rule_lifts_what_asks_in_every_mode() {
    let policy = policy("allow Edit + allow Read + allow bash + allow web_fetch");
    let configuration = write(&["/w/.vscode/tasks.json"]);
    let secret = [Effect::Read(vec!["/w/.env".into()])];
    let push = command("git push", Profile::Off);
    let redirection = command("make > .envrc", Profile::Off);
    for mode in Mode::ALL {
        let changes = match mode {
            Mode::Plan | Mode::DontAsk => "denied",
            _ => "asked",
        };
        let reading = if mode == Mode::DontAsk {
            "denied"
        } else {
            "asked"
        };
        let pushing = if mode == Mode::Bypass {
            "allowed"
        } else {
            changes
        };
        for (tool, effects, expected) in [
            ("edit_file", configuration.as_slice(), changes),
            ("read_file", &secret, reading),
            ("bash", &redirection, changes),
            ("bash", &push, pushing),
        ] {
            let verdict = verdict(&policy, tool, mode, effects);
            assert_eq!(word(&verdict), expected, "{mode}: {effects:?}");
        }
    }
}

#[test]
fn modes_and_sandboxes_decide_on_commands_without_rules() {
    let (off, confined) = (Profile::Off, Profile::WorkspaceWrite);
    // Mode, what the system confines to, what the command runs in, command, verdict.
    let table = [
        (Mode::Default, confined, confined, "make", "asked"),
        (Mode::AcceptEdits, confined, confined, "make", "allowed"),
        (Mode::AcceptEdits, off, off, "make", "asked"),
        (Mode::AcceptEdits, confined, off, "make", "asked"),
        (Mode::AcceptEdits, confined, confined, "git add x", "asked"),
        (
            Mode::AcceptEdits,
            confined,
            confined,
            "git commit -m x",
            "asked",
        ),
        (
            Mode::AcceptEdits,
            confined,
            confined,
            "make > .envrc",
            "asked",
        ),
        (
            Mode::AcceptEdits,
            confined,
            confined,
            "cat .env | make",
            "asked",
        ),
        (Mode::AcceptEdits, confined, confined, "make $(", "allowed"),
        (Mode::AcceptEdits, confined, confined, "rm -rf /", "denied"),
        (Mode::Bypass, confined, off, "make", "allowed"),
        (Mode::Bypass, off, off, "git push", "allowed"),
        (Mode::Bypass, off, off, "rm -rf /", "denied"),
        (Mode::DontAsk, confined, confined, "make", "denied"),
        (Mode::DontAsk, off, off, "ls", "allowed"),
        (Mode::Plan, confined, confined, "ls", "denied"),
        (Mode::Default, off, off, "ls src", "allowed"),
        (Mode::Default, confined, confined, "ls /", "asked"),
    ];
    for (mode, system, own, line, expected) in table {
        let policy = Policy::new(PolicySettings {
            sandbox: system,
            home: Some("/home/me".into()),
            ..PolicySettings::default()
        })
        .unwrap();
        let effects = command(line, own);
        let decision = policy.decide(&request(&effects, mode));
        assert_eq!(
            word(&decision.verdict),
            expected,
            "{mode}: {line} in {own:?}\n{}",
            decision.explain()
        );
    }
}

#[test]
fn an_allowed_command_that_leaves_the_sandbox_is_asked_for() {
    let policy = Policy::new(PolicySettings {
        rules: vec![RuleSource::new(
            Layer::User,
            Action::Allow,
            "bash(make:*)",
            "here",
        )],
        sandbox: Profile::WorkspaceWrite,
        ..PolicySettings::default()
    })
    .unwrap();
    let inside = command("make", Profile::WorkspaceWrite);
    assert_eq!(
        word(&policy.decide(&request(&inside, Mode::Default)).verdict),
        "allowed"
    );
    let outside = command("make", Profile::Off);
    let decision = policy.decide(&request(&outside, Mode::Default));
    let question = decision.question.unwrap();
    assert_eq!(question.because, ["It runs outside the sandbox."]);
    assert!(question.rules.is_empty(), "{:?}", question.rules);
}

#[test]
fn proof_needs_both_the_text_and_the_real_paths() {
    let named = |reads: &str| {
        let mut effects = command("cat a.txt", Profile::Off);
        effects.push(Effect::Read(vec![reads.into()]));
        word(
            &Policy::default()
                .decide(&request(&effects, Mode::Default))
                .verdict,
        )
    };
    assert_eq!(named("/w/a.txt"), "allowed");
    assert_eq!(named("/etc/passwd"), "asked", "a.txt is a link");
    assert_eq!(named("/w/.env"), "asked", "a.txt is a link");
    let allowed = |writes: &str| {
        let mut effects = command("make > out.txt", Profile::Off);
        effects.push(Effect::Write(vec![writes.into()]));
        word(
            &policy("allow bash(make:*) + allow edit_file(**)")
                .decide(&request(&effects, Mode::Default))
                .verdict,
        )
    };
    assert_eq!(allowed("/w/out.txt"), "allowed");
    assert_eq!(allowed("/home/me/.bashrc"), "asked", "out.txt is a link");
    assert_eq!(
        allowed("/w/.git/hooks/pre-commit"),
        "asked",
        "out.txt is a link"
    );
    let unproven = Command {
        line: "cat a.txt".to_owned(),
        workdir: "/w".into(),
        ..Command::default()
    };
    let effects = [Effect::Process(unproven)];
    assert_eq!(
        word(
            &Policy::default()
                .decide(&request(&effects, Mode::Default))
                .verdict
        ),
        "asked"
    );
}

#[test]
fn names_of_secrets_can_be_added_and_taken_off() {
    let policy = Policy::new(PolicySettings {
        home: Some("/home/[me]".into()),
        sensitive: [
            "*.vault",
            "deploy/keys/*",
            "!.env.test",
            "/srv/private/",
            "~/tokens",
        ]
        .map(str::to_owned)
        .into(),
        ..PolicySettings::default()
    })
    .unwrap();
    for path in [
        "/w/a.vault",
        "/w/A.VAULT",
        "/w/sub/deploy/keys/a",
        "/srv/private/a/b",
        "/home/[me]/tokens",
        "/w/.env",
        "/w/.env.production",
    ] {
        assert!(policy.is_sensitive(Path::new(path)), "{path}");
    }
    for path in [
        "/w/.env.test",
        "/home/m/tokens",
        "/w/tokens",
        "/w/vault",
        "/w/deploy/keys.md",
        "/w/srv/private/a",
    ] {
        assert!(!policy.is_sensitive(Path::new(path)), "{path}");
    }
    let reading = |path: &str| {
        let effects = [Effect::Read(vec![path.into()])];
        word(&verdict(&policy, "read_file", Mode::Default, &effects))
    };
    assert_eq!(
        (reading("/w/a.vault"), reading("/w/.env.test")),
        ("asked", "allowed")
    );
}

#[test]
fn rules_of_a_session_end_with_it_and_are_nobody_elses() {
    let policy = policy("deny bash(make clean:*)");
    let changes = policy.changes();
    let seen = *changes.borrow();
    policy.allow_for_session("session", "bash(make:*)").unwrap();
    policy.allow_for_session("session", "bash(make:*)").unwrap();
    assert_eq!(policy.session_rules("session"), ["bash(make:*)"]);
    assert!(*changes.borrow() > seen, "whoever waits is told");
    let decided = |session: &str, line: &str| {
        let effects = command(line, Profile::Off);
        let request = Request {
            session,
            ..request(&effects, Mode::Default)
        };
        word(&policy.decide(&request).verdict)
    };
    assert_eq!(decided("session", "make all"), "allowed");
    assert_eq!(decided("session", "make clean"), "denied");
    assert_eq!(decided("other", "make all"), "asked");
    policy.replace(PolicySettings::default()).unwrap();
    assert_eq!(
        decided("session", "make clean"),
        "allowed",
        "the settings are others now"
    );
    let wrong = PolicySettings {
        rules: vec![RuleSource::new(Layer::User, Action::Deny, "bash(", "here")],
        ..PolicySettings::default()
    };
    assert!(policy.replace(wrong).is_err());
    assert_eq!(
        decided("session", "make clean"),
        "allowed",
        "the old settings are in force"
    );
    policy.end_session("session");
    assert_eq!(decided("session", "make all"), "asked");
    let error = policy.allow_for_session("session", "bash(ls").unwrap_err();
    insta::assert_snapshot!(error, @"this session: the rule `bash(ls` is wrong at column 8: a `)` is expected at the end of the rule");
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_needs_both_its_own_path_and_its_files_allowed_and_one_of_them_denied() {
    let mut scene = Scene::without_ledger();
    scene.write("src/a.rs", "one\n");
    scene.write("secret/b.rs", "one\n");
    std::os::unix::fs::symlink("../secret/b.rs", scene.path("src/link.rs")).unwrap();
    std::os::unix::fs::symlink("../src", scene.path("secret/link")).unwrap();
    scene.context.mode = Mode::Default;
    let reviewed = async |scene: &mut Scene, rules: &str, path: &str| {
        let host = crate::Host {
            policy: policy(rules).into(),
            ..crate::Host::default()
        };
        scene.runtime = scene.runtime.clone().with_host(host);
        let text = scene.read(path);
        let old = text.trim();
        let arguments = json!({"path": path, "old_string": old, "new_string": format!("{old}x")});
        let result = scene.call("edit_file", arguments).await;
        let requests = std::mem::take(&mut *scene.editor.requests.lock().unwrap());
        match requests.first() {
            Some(request) => format!("{:?}", request.review),
            None => format!("{:?}", result.status),
        }
    };
    let src = "allow Edit(src/**)";
    assert_eq!(reviewed(&mut scene, src, "src/a.rs").await, "After");
    assert_eq!(
        reviewed(&mut scene, src, "src/link.rs").await,
        "Before",
        "its file is not"
    );
    assert_eq!(
        reviewed(&mut scene, src, "secret/link/a.rs").await,
        "Before",
        "it is not"
    );
    let both = "allow Edit(src/**) + allow Edit(secret/**)";
    assert_eq!(reviewed(&mut scene, both, "src/link.rs").await, "After");
    let denied = "allow Edit + deny Edit(secret/**)";
    assert_eq!(reviewed(&mut scene, denied, "src/a.rs").await, "After");
    assert_eq!(reviewed(&mut scene, denied, "src/link.rs").await, "Denied");
    assert_eq!(
        reviewed(&mut scene, denied, "secret/link/a.rs").await,
        "Denied"
    );
    let asked = "allow Edit + ask Edit(src/**)";
    scene.context.mode = Mode::AcceptEdits;
    assert_eq!(reviewed(&mut scene, asked, "src/a.rs").await, "Before");
}

#[tokio::test]
async fn searches_leave_out_what_is_not_to_be_read() {
    let mut scene = Scene::new();
    scene.write("a.rs", "fn needle() {}\n");
    scene.write("secret/b.rs", "fn needle() {}\n");
    let host = crate::Host {
        policy: policy("deny Read(secret/**)").into(),
        ..crate::Host::default()
    };
    scene.runtime = scene.runtime.clone().with_host(host);
    for (tool, arguments) in [
        ("grep", json!({"pattern": "needle"})),
        ("grep", json!({"pattern": "needle", "output": "files"})),
        ("find_symbol", json!({"name": "needle"})),
    ] {
        let content = scene.call(tool, arguments).await.content;
        assert!(
            content.contains("a.rs") && !content.contains("b.rs"),
            "{tool}: {content}"
        );
    }
    for (tool, arguments) in [
        ("read_file", json!({"path": "secret/b.rs"})),
        ("outline", json!({"path": "secret/b.rs"})),
        ("grep", json!({"pattern": "needle", "path": "secret/b.rs"})),
    ] {
        let result = scene.call(tool, arguments).await;
        assert_eq!(
            result.status,
            crate::Status::Denied,
            "{tool}: {}",
            result.content
        );
    }
}
