//! The command line over the real binary: exit statuses, messages, what is written and what is not.

mod kills;
mod permissions;
mod scene;
mod trust;

use std::fs;
use std::process::Stdio;

use serde_json::json;

use scene::Scene;

#[test]
fn call_prints_one_result_and_its_status_is_the_results() {
    let scene = Scene::new();
    scene.write("work/a.txt", "one\ntwo\n");

    let read = scene.run(&["call", "read_file", r#"{"path": "a.txt"}"#]);
    assert_eq!((read.status, read.stderr.as_str()), (0, ""));
    assert_eq!(read.json()["status"], "ok");
    assert!(read.json()["content"].as_str().unwrap().contains("two"));

    // No earlier read is needed, and the arguments may come by stdin.
    let edit = json!({ "path": "a.txt", "old_string": "two", "new_string": "2" });
    let edited = scene.run_with(&["call", "edit_file"], &edit.to_string());
    assert_eq!((edited.status, edited.stderr.as_str()), (0, ""));
    assert_eq!(edited.json()["files"][0]["path"], "a.txt");
    assert_eq!(scene.read("work/a.txt"), "one\n2\n");

    let again = scene.run_with(&["call", "edit_file"], &edit.to_string());
    assert_eq!(again.status, 1);
    assert_eq!(
        (&again.json()["status"], &again.json()["error"]["kind"]),
        (&json!("failed"), &json!("no_match"))
    );
    assert_eq!(scene.read("work/a.txt"), "one\n2\n");
}

#[test]
fn commands_of_several_calls_at_once_do_not_get_into_each_others_way() {
    let scene = Scene::new();
    let start = |number: usize| {
        let line = format!("eval 'seq 3000; echo {number} > {number}'");
        scene
            .command(&["call", "bash", &json!({ "command": line }).to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let callers: Vec<_> = (0..12).map(start).collect();
    for caller in callers {
        let output = caller.wait_with_output().unwrap();
        let told = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{told}");
    }
    assert_eq!(fs::read_dir(scene.work()).unwrap().count(), 12);
}

#[test]
fn call_works_in_its_root_and_not_outside() {
    let scene = Scene::new();
    scene.write("work/inner/b.txt", "inside\n");
    scene.write("home/secret.txt", "outside\n");

    let inside = scene.run(&[
        "call",
        "read_file",
        r#"{"path": "b.txt"}"#,
        "--root",
        "inner",
    ]);
    assert_eq!(inside.status, 0);
    assert!(
        inside.json()["content"]
            .as_str()
            .unwrap()
            .contains("inside")
    );

    for path in ["../home/secret.txt", "inner/../../home/secret.txt"] {
        let arguments = json!({ "path": path, "content": "mine\n" }).to_string();
        let outside = scene.run(&["call", "write_file", &arguments]);
        assert_eq!(outside.status, 1);
        assert_eq!(outside.json()["error"]["kind"], "outside_workspace");
    }
    assert_eq!(scene.read("home/secret.txt"), "outside\n");
}

#[test]
fn arguments_that_do_not_fit_are_a_result_with_status_2() {
    let scene = Scene::new();
    for arguments in ["{}", r#"{"path": 1}"#, r#"{"path": "a", "pth": "b"}"#] {
        let ended = scene.run(&["call", "read_file", arguments]);
        assert_eq!(
            (ended.status, ended.stderr.as_str()),
            (2, ""),
            "{arguments}"
        );
        assert_eq!(
            ended.json()["error"]["kind"],
            "invalid_arguments",
            "{arguments}"
        );
    }
    // Absent arguments are `{}`.
    assert_eq!(
        scene.run(&["call", "read_file"]).json()["error"]["kind"],
        "invalid_arguments"
    );
}

#[test]
fn misuse_of_call_is_one_sentence() {
    let scene = Scene::new();
    scene.write("work/a.txt", "one\n");
    let call =
        |arguments: &[&str], stdin: &str| scene.misuse(&[&["call"], arguments].concat(), stdin);
    insta::assert_snapshot!(call(&[], ""), @"mewcode: the following required arguments were not provided: <TOOL> (see `mewcode call --help`)");
    insta::assert_snapshot!(call(&["read_fil"], "{}"), @"mewcode: there is no tool `read_fil`; did you mean `read_file`?");
    insta::assert_snapshot!(call(&["launch"], "{}"), @"mewcode: there is no tool `launch`; the tools are read_file, edit_file, write_file, apply_patch, glob, grep, find_symbol, outline, bash, process_output, process_input, process_stop, process_list, web_fetch, update_plan, ask_user");
    insta::assert_snapshot!(call(&["read_file", "{"], ""), @"mewcode: the argument is not one JSON object: EOF while parsing an object at line 1 column 1");
    insta::assert_snapshot!(call(&["read_file"], "path: a.txt"), @"mewcode: stdin is not one JSON object: expected value at line 1 column 1");
    insta::assert_snapshot!(call(&["read_file"], "[\"a.txt\"]"), @"mewcode: stdin must be one JSON object of arguments, not a list");
    insta::assert_snapshot!(call(&["read_file"], "{\"path\": \"a.txt\"} {}"), @"mewcode: stdin is not one JSON object: trailing characters at line 1 column 19");
    insta::assert_snapshot!(call(&["read_file", "{}", "--root", "nowhere"], ""), @"mewcode: --root nowhere: No such file or directory (os error 2)");
    insta::assert_snapshot!(call(&["read_file", "{}", "--root", "a.txt"], ""), @"mewcode: --root a.txt: is not a folder");
    insta::assert_snapshot!(call(&["read_file", "{}", "more"], ""), @"mewcode: unexpected argument 'more' found (see `mewcode call --help`)");
    insta::assert_snapshot!(call(&["read_file", "{}", "--rot", "."], ""), @"mewcode: unexpected argument '--rot' found; tip: a similar argument exists: '--root' (see `mewcode call --help`)");
}

#[test]
fn misuse_of_the_command_line_is_one_sentence() {
    let scene = Scene::new();
    insta::assert_snapshot!(scene.misuse(&["rnu"], ""), @"mewcode: unrecognized subcommand 'rnu' (see `mewcode --help`)");
    insta::assert_snapshot!(scene.misuse(&["run"], ""), @"mewcode: the following required arguments were not provided: <PROMPT> (see `mewcode run --help`)");
    insta::assert_snapshot!(scene.misuse(&["run", "hello", "--mode", "default"], ""), @"mewcode: invalid value 'default' for '--mode <MODE>' [possible values: dont_ask, accept_edits, plan, bypass] (see `mewcode run --help`)");
    insta::assert_snapshot!(scene.misuse(&["lsp", "--mode", "yolo"], ""), @"mewcode: invalid value 'yolo' for '--mode <MODE>' [possible values: bypass, accept_edits, default, dont_ask, plan] (see `mewcode lsp --help`)");
    insta::assert_snapshot!(scene.misuse(&["lsp", "--provider", "openai"], ""), @"mewcode: invalid value 'openai' for '--provider <PROVIDER>' [possible values: scripted, anthropic] (see `mewcode lsp --help`)");
    insta::assert_snapshot!(scene.misuse(&["run", "hello", "--max-turns", "many"], ""), @"mewcode: invalid value 'many' for '--max-turns <NUMBER>': invalid digit found in string (see `mewcode run --help`)");
    insta::assert_snapshot!(scene.misuse(&["run", "hello", "--max-turns", "0"], ""), @"mewcode: --max-turns: `max_turns` must be a whole number, 1 or more, not 0");
    for arguments in [["--help"], ["--version"]] {
        assert_eq!(scene.run(&arguments).status, 0);
    }
}

/// Reads a file, changes it, ends.
const TURNS: &str = r#"turns:
  - text: I look at it.
    calls: [{ tool: read_file, args: { path: a.txt } }]
    expect: [{ status: ok, contains: one }]
  - calls: [{ tool: edit_file, args: { path: a.txt, old_string: one, new_string: eins } }]
  - text: That is all.
"#;

#[test]
fn a_run_plays_on_the_disk_and_is_readable() {
    let scene = Scene::new();
    scene.write("work/a.txt", "one\n");
    scene.write("work/turns.yaml", TURNS);
    let ended = scene.run(&[
        "run",
        "translate",
        "--script",
        "turns.yaml",
        "--mode",
        "accept_edits",
    ]);
    assert_eq!((ended.status, ended.stderr.as_str()), (0, ""));
    assert_eq!(scene.read("work/a.txt"), "eins\n");
    insta::assert_snapshot!(ended.stdout, @"
    I look at it.
    ✓ read_file a.txt: a.txt: 1 line, sha256 2c8b08da5ce6, utf-8, lf
    ✓ edit_file a.txt: a.txt +1 −1
        @@ -1,1 +1,1 @@
        -one
        +eins
    That is all.
    ");
}

#[test]
fn a_run_denies_what_would_ask() {
    let scene = Scene::new();
    scene.write("work/a.txt", "one\n");
    scene.write("work/turns.yaml", TURNS);
    let ended = scene.run(&["run", "translate", "--script", "turns.yaml"]);
    assert_eq!(
        ended.status, 0,
        "the model ended its turn: {}",
        ended.stderr
    );
    assert!(ended.stdout.contains("dont_ask"), "{}", ended.stdout);
    assert_eq!(scene.read("work/a.txt"), "one\n");

    // What runs or configures something later asks in every mode, and nobody is there.
    let write = "turns:\n  - calls: [{ tool: write_file, args: { path: .envrc, content: evil } }]\n    \
                 expect: [{ status: denied }]\n  - text: denied\n";
    scene.write("work/turns.yaml", write);
    for mode in ["accept_edits", "bypass"] {
        let ended = scene.run(&["run", "plant", "--script", "turns.yaml", "--mode", mode]);
        assert_eq!(ended.status, 0, "{}", ended.stderr);
        assert!(!scene.work().join(".envrc").exists());
    }
}

#[test]
fn a_run_that_is_not_done_ends_with_status_1_and_the_reason() {
    let failed = |turns: &str| {
        let scene = Scene::new();
        scene.write("work/turns.yaml", turns);
        let ended = scene.run(&["run", "go", "--script", "turns.yaml", "--max-turns", "2"]);
        assert_eq!(ended.status, 1, "{}", ended.stdout);
        ended.stderr
    };
    let read = "calls: [{ tool: read_file, args: { path: a.txt } }]";
    insta::assert_snapshot!(failed(&format!("turns:\n  - {read}\n    expect: [{{ status: ok }}]\n")), @"
    mewcode: the run failed: work/turns.yaml: turn 1, call 1 (read_file): expected status ok; got status failed, error kind not_found, with the text:
    not_found: `a.txt` does not exist. Check the path.
    ");
    insta::assert_snapshot!(failed(&format!("turns:\n  - {read}\n")), @"mewcode: the run failed: work/turns.yaml: turn 2 was asked for, but the script ends with turn 1. Add turns to it, or start a new session, which begins with turn 1.");
    insta::assert_snapshot!(failed(&format!("turns:\n  - {read}\n  - {read}\n  - {read}\n")), @"mewcode: The run was stopped after 2 model turns, its limit (`max_turns`). Prompt again to go on.");
}

#[test]
fn bad_scripts_end_before_anything_begins() {
    let scene = Scene::new();
    let run = |turns: &str| {
        scene.write("work/turns.yaml", turns);
        scene.misuse(&["run", "go", "--script", "turns.yaml"], "")
    };
    insta::assert_snapshot!(run("turns:\n  - txt: hello\n"), @"mewcode: --script: work/turns.yaml:2:5: unknown field `txt`, expected one of text, calls, expect");
    insta::assert_snapshot!(run("turns: []\n"), @"mewcode: --script: work/turns.yaml:1:8: a script needs at least one turn");
    insta::assert_snapshot!(run("turns:\n  - text: a\n    expect: [{ status: ok }]\n"), @"mewcode: --script: work/turns.yaml:3:14: turn 1 expects 1 results, but makes 0 calls; each entry of `expect` judges one call");
    insta::assert_snapshot!(run("turns:\n  - calls: [{ tool: read_file }]\n    expect: [{ status: fine }]\n"), @"mewcode: --script: work/turns.yaml:3:24: unknown variant `fine`, expected one of ok, failed, denied, interrupted, unknown_outcome");
    insta::assert_snapshot!(run("- hello\n"), @"mewcode: --script: work/turns.yaml:1:1: expected mapping start");
    insta::assert_snapshot!(scene.misuse(&["run", "go", "--script", "none.yaml"], ""), @"mewcode: --script: The script work/none.yaml cannot be read: No such file or directory (os error 2). Check `script` in the configuration; a relative path starts at the folder of the configuration file.");
    insta::assert_snapshot!(scene.misuse(&["run", "go", "--script", "."], ""), @"mewcode: --script: The script work cannot be read: Is a directory (os error 21). Check `script` in the configuration; a relative path starts at the folder of the configuration file.");
}

#[test]
fn bad_configurations_end_before_anything_begins() {
    let scene = Scene::new();
    let user = |text: &str| {
        scene.write("home/.mewcode/config.yaml", text);
        scene.misuse(&["run", "go"], "")
    };
    insta::assert_snapshot!(user("provider: anthropic\nmodle: x\n"), @"mewcode: home/.mewcode/config.yaml:2: unknown key `modle`; did you mean `mode` or `model`?");
    insta::assert_snapshot!(user("provider: anthropic\n"), @"mewcode: home/.mewcode/config.yaml:1: The provider `anthropic` needs `model`, for instance `model: claude-sonnet-4-5`.");
    insta::assert_snapshot!(user("provider: scripted\n"), @"mewcode: home/.mewcode/config.yaml:1: The provider `scripted` needs `script`, for instance `script: demo.yaml`.");
    insta::assert_snapshot!(user("script: none.yaml\n"), @"mewcode: home/.mewcode/config.yaml:1: The script home/.mewcode/none.yaml cannot be read: No such file or directory (os error 2). Check `script` in the configuration; a relative path starts at the folder of the configuration file.");
    insta::assert_snapshot!(user("provider: anthropic\nmodel: m\nthinking_budget: 10\n"), @"mewcode: home/.mewcode/config.yaml:3: `thinking_budget: 10` is out of range: it must be at least 1024 and below max_tokens, which is 16384.");
    scene.write("home/.mewcode/config.yaml", "");
    scene.write("work/.mewcode.yaml", "model: [a]\n");
    insta::assert_snapshot!(scene.misuse(&["run", "go"], ""), @"mewcode: work/.mewcode.yaml:1: `model` must be text, not a list");
}

#[test]
fn a_projects_file_plays_its_script_and_grants_itself_nothing() {
    let scene = Scene::new();
    scene.write("work/turns.yaml", "turns: [{ text: played }]\n");
    scene.write(
        "work/.mewcode.yaml",
        "script: turns.yaml\nmode: bypass\napi_key_command: touch planted\n",
    );
    let ended = scene.run(&["run", "go"]);
    assert_eq!((ended.status, ended.stdout.as_str()), (0, "played\n"));
    insta::assert_snapshot!(ended.stderr, @"
    mewcode: work/.mewcode.yaml:2: `mode` is ignored until you trust the workspace (`mewcode trust`): it would loosen the mode to `bypass`.
    mewcode: work/.mewcode.yaml:3: `api_key_command` is ignored until you trust the workspace (`mewcode trust`): it would run the command `touch planted` to get your key.
    ");
    assert!(!scene.work().join("planted").exists());
}

#[test]
fn tools_are_described_in_full() {
    let scene = Scene::new();
    let listed = scene.run(&["tools", "--json"]);
    assert_eq!(listed.status, 0);
    let tools = listed.json();
    let names: Vec<_> = tools
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert!(
        [
            "read_file",
            "edit_file",
            "write_file",
            "apply_patch",
            "glob",
            "grep",
            "find_symbol",
            "outline",
            "bash",
            "process_output",
            "process_input",
            "process_stop",
            "process_list",
            "web_fetch",
            "update_plan",
            "ask_user"
        ]
        .iter()
        .all(|name| names.contains(name)),
        "{names:?}"
    );
    let text = scene.run(&["tools"]).stdout;
    for tool in tools.as_array().unwrap() {
        assert_eq!(tool["parameters"]["additionalProperties"], false);
        for part in [
            "effect_bound",
            "idempotency",
            "risk",
            "limits",
            "recovery",
            "version",
        ] {
            assert!(!tool[part].is_null(), "{} has no {part}", tool["name"]);
        }
        for part in ["name", "description"] {
            assert!(
                text.contains(tool[part].as_str().unwrap().trim()),
                "{}",
                tool["name"]
            );
        }
    }
    assert!(!text.contains('\x1b'), "colour without a terminal");
}

#[test]
fn doctor_tells_what_is_there_and_shows_no_key() {
    let scene = Scene::new();
    scene.write(
        "home/.mewcode/config.yaml",
        "provider: anthropic\nmodel: m\n",
    );
    scene.write("work/.mewcode.yaml", "base_url: https://elsewhere\n");
    let rules = r#"{"permissions": {"deny": ["Bash(rm:*)"]}}"#;
    scene.write("work/.claude/settings.json", rules);
    let before = scene.paths();

    let without = scene.run(&["doctor"]);
    assert_eq!(without.status, 1);
    assert!(
        without
            .stdout
            .contains("✗ the environment variable ANTHROPIC_API_KEY holds no key"),
        "{}",
        without.stdout
    );
    assert!(
        without
            .stdout
            .contains("model: m (home/.mewcode/config.yaml:2)"),
        "{}",
        without.stdout
    );
    for line in [
        "! work/.mewcode.yaml:1: `base_url` is ignored",
        "✓ the rules of work/.claude/settings.json are read",
        "✓ mode default; 0 rules that allow, 0 that ask, 1 that deny",
        "! the workspace is not trusted",
        "sandbox: ",
        "✓ commands are run by /bin/",
    ] {
        assert!(without.stdout.contains(line), "{line}: {}", without.stdout);
    }

    let mut command = scene.command(&["doctor"]);
    command.env("ANTHROPIC_API_KEY", "sk-secret");
    let with = scene.end(command, "");
    assert_eq!(with.status, 0, "{}", with.stdout);
    assert!(
        with.stdout
            .contains("✓ the key is in the environment variable ANTHROPIC_API_KEY"),
        "{}",
        with.stdout
    );
    assert!(!with.stdout.contains("sk-secret") && !with.stderr.contains("sk-secret"));
    assert_eq!(scene.paths(), before, "doctor wrote something");
}

#[test]
fn doctor_names_a_fault_of_the_configuration_and_goes_on() {
    let scene = Scene::new();
    scene.write("work/.mewcode.yaml", "\nmodle: x\n");
    let ended = scene.run(&["doctor"]);
    assert_eq!(ended.status, 1);
    assert!(
        ended
            .stdout
            .contains("✗ work/.mewcode.yaml:2: unknown key `modle`"),
        "{}",
        ended.stdout
    );
    assert!(ended.stdout.contains("sessions"), "{}", ended.stdout);
}

#[test]
fn the_demo_holds_and_leaves_nothing_behind() {
    let scene = Scene::new();
    // A configuration that would spoil it, were it read.
    scene.write("home/.mewcode/config.yaml", "mode: plan\nbroken\n");
    let temporary = scene.folder.path().join("temporary");
    fs::create_dir(&temporary).unwrap();
    let before = scene.paths();
    let mut command = scene.command(&["demo"]);
    command.env("TMPDIR", &temporary);
    let ended = scene.end(command, "");
    assert_eq!(
        (ended.status, ended.stderr.as_str()),
        (0, ""),
        "{}",
        ended.stdout
    );
    assert!(
        !ended.stdout.contains('✗') && ended.stdout.contains("All 12 checks held"),
        "{}",
        ended.stdout
    );
    assert!(!ended.stdout.contains('\x1b'), "colour without a terminal");
    assert_eq!(scene.paths(), before);
}
