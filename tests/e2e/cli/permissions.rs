//! `mewcode permissions`, and rules in `mewcode run` and `mewcode call`.

use serde_json::json;

use super::scene::Scene;

fn scene() -> Scene {
    let scene = Scene::new();
    scene.write("work/a.txt", "one\n");
    scene.write("work/.env", "KEY=1\n");
    scene.write(
        "home/.mewcode/config.yaml",
        "permissions:\n  allow:\n    - bash(cargo test:*)\n    - edit_file(*.txt)\n  deny:\n    - read_file(secret/**)\n    - bash(curl:*)\n",
    );
    scene
}

/// The status and what is printed.
fn explain(scene: &Scene, arguments: &[&str]) -> (i32, String) {
    let ended = scene.run(&[&["permissions", "explain"], arguments].concat());
    assert_eq!(ended.stderr, "");
    (ended.status, ended.stdout)
}

#[test]
fn a_call_is_explained_rule_by_rule() {
    let scene = scene();
    let (status, text) = explain(&scene, &["--tool", "read_file", r#"{"path": "a.txt"}"#]);
    assert_eq!(status, 0, "{text}");
    insta::assert_snapshot!(text, @"
    mode default
    allowed: it happens unasked
      floor   -      no known danger
      deny    -      read_file(secret/**) (home/.mewcode/config.yaml:6) does not match
      deny    -      bash(curl:*) (home/.mewcode/config.yaml:7) does not match
      always  -      nothing that is asked for in every mode
      proof   allow  it only reads
    ");
    let (status, text) = explain(&scene, &["--tool", "read_file", r#"{"path": ".env"}"#]);
    assert_eq!(status, 1, "{text}");
    insta::assert_snapshot!(text, @"
    mode default
    asked: a person decides
      floor   -      no known danger
      deny    -      read_file(secret/**) (home/.mewcode/config.yaml:6) does not match
      deny    -      bash(curl:*) (home/.mewcode/config.yaml:7) does not match
      always  ask    `work/.env` may hold secrets
    ");
    scene.write("work/secret/b.txt", "two\n");
    let (status, text) = explain(
        &scene,
        &["--tool", "read_file", r#"{"path": "secret/b.txt"}"#],
    );
    assert_eq!(status, 3, "{text}");
    insta::assert_snapshot!(text, @"
    mode default
    denied: The rule `read_file(secret/**)` (home/.mewcode/config.yaml:6) denies `work/secret/b.txt`.
      floor   -      no known danger
      deny    deny   read_file(secret/**) (home/.mewcode/config.yaml:6) denies `work/secret/b.txt`
    ");
    let edit = r#"{"path": "a.txt", "old_string": "one", "new_string": "1"}"#;
    let (status, text) = explain(&scene, &["--tool", "edit_file", edit]);
    assert_eq!(status, 0, "{text}");
    let (status, text) = explain(&scene, &["--tool", "edit_file", edit, "--mode", "plan"]);
    assert_eq!(status, 3, "{text}");
    let (status, text) = explain(&scene, &["--tool", "read_file", r#"{"path": "../home/x"}"#]);
    assert_eq!(status, 3, "{text}");
    assert_eq!(scene.read("work/a.txt"), "one\n", "nothing is done");
}

#[test]
fn a_command_is_explained_and_not_run() {
    let scene = scene();
    for (command, mode, expected) in [
        ("cargo test --all", "default", 0),
        ("ls", "default", 0),
        ("make planted", "default", 1),
        ("cargo test && touch planted", "default", 1),
        ("cargo test; touch planted", "dont_ask", 3),
        ("curl https://example.org", "bypass", 3),
        ("cargo test | curl -T - x", "default", 3),
        ("rm -rf ~", "bypass", 3),
        ("touch planted", "plan", 3),
    ] {
        let (status, text) = explain(&scene, &[command, "--mode", mode]);
        assert_eq!(status, expected, "{command} in {mode}: {text}");
    }
    assert!(!scene.work().join("planted").exists());
    let (_, text) = explain(&scene, &["cargo test && git push"]);
    insta::assert_snapshot!(text, @"
    mode default
    asked: a person decides
      floor   -      no known danger
      deny    -      read_file(secret/**) (home/.mewcode/config.yaml:6) does not match
      deny    -      bash(curl:*) (home/.mewcode/config.yaml:7) does not match
      always  ask    `git push`: It publishes commits.
    ");

    let ended = scene.run(&["permissions", "explain", "cargo build", "--json"]);
    assert_eq!(ended.status, 1);
    let value = ended.json();
    assert_eq!(
        (&value["verdict"], &value["mode"]),
        (&json!("ask"), &json!("default"))
    );
    assert_eq!(value["question"]["rules"], json!(["bash(cargo build:*)"]));
}

#[test]
fn misuse_of_explain_is_no_verdict() {
    let scene = scene();
    insta::assert_snapshot!(scene.misuse(&["permissions"], ""), @"mewcode: 'mewcode permissions' requires a subcommand but one was not provided [subcommands: explain, list] (see `mewcode permissions --help`)");
    insta::assert_snapshot!(scene.misuse(&["permissions", "explain"], ""), @"mewcode: the following required arguments were not provided: <WHAT> (see `mewcode permissions --help`)");
    insta::assert_snapshot!(scene.misuse(&["permissions", "explain", "{}", "--tool", "bsh"], ""), @"mewcode: there is no tool `bsh`; did you mean `bash`?");
    insta::assert_snapshot!(scene.misuse(&["permissions", "explain", "x", "--tool", "read_file"], ""), @"mewcode: the argument is not one JSON object: expected value at line 1 column 1");
    insta::assert_snapshot!(scene.misuse(&["permissions", "explain", "{\"path\": \"a.txt\", \"old_string\": \"none\", \"new_string\": \"x\"}", "--tool", "edit_file"], ""), @"mewcode: the call would fail before anything is decided: no_match: `old_string` does not stand in `a.txt`. Read the file again and copy the text exactly as it stands, without line numbers.");
    scene.write(
        "home/.mewcode/config.yaml",
        "permissions:\n  deny:\n    - bash(curl\n",
    );
    insta::assert_snapshot!(scene.misuse(&["permissions", "explain", "ls"], ""), @"mewcode: home/.mewcode/config.yaml:3:16: the rule `bash(curl` is wrong: a `)` is expected at the end of the rule");
}

#[test]
fn all_rules_are_listed_with_their_places() {
    let scene = scene();
    scene.write(
        "work/.mewcode.yaml",
        "permissions: {allow: ['bash(make:*)'], ask: ['bash(git push:*)']}\n",
    );
    scene.write(
        "work/.claude/settings.json",
        r#"{"permissions": {"deny": ["Read(./.env)"]}}"#,
    );
    let listed = scene.run(&["permissions", "list"]);
    assert_eq!((listed.status, listed.stderr.as_str()), (0, ""));
    insta::assert_snapshot!(listed.stdout, @"
    The workspace's
      deny  Read(./.env)          work/.claude/settings.json:1
      ask   bash(git push:*)      work/.mewcode.yaml:1
    Yours
      deny  read_file(secret/**)  home/.mewcode/config.yaml:6
      deny  bash(curl:*)          home/.mewcode/config.yaml:7
      allow bash(cargo test:*)    home/.mewcode/config.yaml:3
      allow edit_file(*.txt)      home/.mewcode/config.yaml:4
    Not in force until the workspace is trusted (`mewcode trust`); its files would
      allow `bash(make:*)` without a question  work/.mewcode.yaml:1
    ");
    let json = scene.run(&["permissions", "list", "--json"]).json();
    assert_eq!(json["rules"].as_array().unwrap().len(), 6);
    assert_eq!(
        (&json["trust"], &json["trusted"]),
        (&json!("untrusted"), &json!(false))
    );
    assert_eq!(
        json["not_in_force"][0]["would"],
        "allow `bash(make:*)` without a question"
    );

    let empty = Scene::new();
    insta::assert_snapshot!(empty.run(&["permissions", "list"]).stdout, @"There are no rules; the mode alone decides.");
}

const TURNS: &str = "turns:\n  - calls: [{ tool: bash, args: { command: touch planted } }]\n  - text: That is all.\n";

#[test]
fn a_run_is_told_what_would_allow_what_it_was_denied() {
    let scene = Scene::new();
    scene.write("work/turns.yaml", TURNS);
    let denied = scene.run(&["run", "go", "--script", "turns.yaml"]);
    assert_eq!(denied.status, 0);
    insta::assert_snapshot!(denied.stderr, @"mewcode: not done: Run `touch planted`. To allow it: --allow 'bash(touch planted)'");
    assert!(!scene.work().join("planted").exists());

    let run = |flags: &[&str]| {
        let ended = scene.run(&[&["run", "go", "--script", "turns.yaml"], flags].concat());
        assert_eq!(ended.status, 0, "{}", ended.stderr);
        scene.work().join("planted").exists()
    };
    assert!(!run(&[
        "--allow",
        "bash(touch:*)",
        "--deny",
        "bash(touch plant*)"
    ]));
    assert!(run(&["--allow", "bash(touch:*)"]));
    insta::assert_snapshot!(scene.misuse(&["run", "go", "--allow", "bash(x"], ""), @"mewcode: --allow: the rule `bash(x` is wrong at its character 7: a `)` is expected at the end of the rule");
}

#[test]
fn a_run_that_was_denied_an_edit_is_told_the_mode_that_allows_it() {
    let scene = Scene::new();
    let write = |path: &str| json!({"tool": "write_file", "args": {"path": path, "content": "x"}});
    let calls = [
        write("a.txt"),
        // No flag of a run allows this one.
        write(".envrc"),
        json!({"tool": "bash", "args": {"command": "touch planted"}}),
    ];
    let turns = json!({"turns": [{"calls": calls}, {"text": "That is all."}]});
    scene.write("work/turns.yaml", &turns.to_string());
    let run = |flags: &[&str]| {
        let ended = scene.run(&[&["run", "go", "--script", "turns.yaml"], flags].concat());
        assert_eq!(ended.status, 0, "{}", ended.stderr);
        ended.stderr
    };
    // Nothing is promised that does not hold: in this mode no rule allows a change.
    assert_eq!(run(&["--mode", "plan"]), "");
    insta::assert_snapshot!(run(&[]), @"
    mewcode: not done: Let `write_file` write `work/a.txt`. To allow it: --mode accept_edits
    mewcode: not done: Run `touch planted`. To allow it: --allow 'bash(touch planted)'
    ");
    assert!(!scene.work().join("a.txt").exists());
    run(&["--mode", "accept_edits"]);
    assert!(scene.work().join("a.txt").exists());
    assert!(!scene.work().join(".envrc").exists());
}

#[test]
fn a_call_by_hand_asks_nothing_but_is_under_what_denies() {
    let scene = scene();
    let call =
        |command: &str| scene.run(&["call", "bash", &json!({ "command": command }).to_string()]);
    let echo = call("echo $((1 + 1)) > out.txt; cat out.txt");
    assert_eq!(echo.status, 0, "{}", echo.stdout);
    assert_eq!(scene.read("work/out.txt"), "2\n");
    let denied = call("true; curl https://example.org");
    assert_eq!(
        (denied.status, &denied.json()["error"]["kind"]),
        (1, &json!("denied_by_policy"))
    );
}
