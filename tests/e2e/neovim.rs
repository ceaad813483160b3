//! A real Neovim, with the plugin and without: the main job, and ten thousand random edits typed while the agent edits the same
//! file. The tests themselves are Lua files in `neovim/`; here are their workspaces, scripts and deadlines.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::json;

use crate::harness::child::run_within;
use crate::harness::editor::options;
use crate::harness::script::{failed, ok, rejected};
use crate::harness::{Script, Workspace};
use crate::main_job::{GREET, NEW, OLD};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the repository")
}

fn neovim() -> PathBuf {
    let path = std::env::var_os("MEWCODE_NVIM")
        .expect("MEWCODE_NVIM names no Neovim 0.11; run tests/run, which provides one and sets it (tests/run --fast leaves editors out)");
    PathBuf::from(path)
}

/// Runs one of the Lua files in a headless Neovim, in a workspace, and wants it to succeed.
pub fn check(
    file: &str,
    plugin: bool,
    workspace: &Workspace,
    script: &Script,
    mode: &str,
    more: &[(&str, String)],
) {
    let (succeeded, output) = run(file, plugin, workspace, script, mode, more);
    println!("{output}");
    assert!(succeeded, "{file} failed");
}

/// Runs one of the Lua files; whether it succeeded, and what it printed.
pub fn run(
    file: &str,
    plugin: bool,
    workspace: &Workspace,
    script: &Script,
    mode: &str,
    more: &[(&str, String)],
) -> (bool, String) {
    let script = options(workspace, script, mode)["script"]
        .as_str()
        .expect("a path")
        .to_owned();
    let tests = repository().join("tests/e2e/neovim");
    let plugin = if plugin {
        repository().join("editors/nvim")
    } else {
        PathBuf::new()
    };
    let mut command = workspace.seal(Command::new(neovim()));
    command
        .args(["--headless", "--clean", "-u", "NONE", "-n", "-i", "NONE"])
        .arg("--cmd")
        .arg(format!(
            "lua package.path = '{}/?.lua;' .. package.path",
            tests.display()
        ))
        .arg("-c")
        .arg(format!("luafile {}/{file}", tests.display()))
        .env("MEWCODE_TEST_ROOT", workspace.root())
        .env("MEWCODE_TEST_BINARY", env!("CARGO_BIN_EXE_mewcode"))
        .env("MEWCODE_TEST_SCRIPT", script)
        .env("MEWCODE_TEST_PLUGIN", plugin)
        .env("MEWCODE_TEST_MODE", mode)
        .envs(more.iter().map(|(name, value)| (*name, value.as_str())))
        .stdin(Stdio::null());
    let (status, output) = run_within(command, Duration::from_secs(280));
    (status.success(), output)
}

fn main_job(plugin: bool) {
    let workspace = Workspace::with(&[("greet.py", GREET)]);
    let script = Script::new()
        .read("greet.py")
        .edit("greet.py", OLD, NEW)
        .say("Polite now.");
    check("main_job.lua", plugin, &workspace, &script, "default", &[]);
}

#[test]
fn main_job_with_the_plugin() {
    main_job(true);
}

#[test]
fn main_job_without_a_plugin() {
    main_job(false);
}

/// One patch over open files, a new one, a removed one and a moved one.
fn patch(mode: &str) {
    let files = [
        ("keep.txt", "one\ntwo\nthree\n"),
        ("gone.txt", "first\nsecond\n"),
        ("from.txt", "alpha\nbeta\ngamma\n"),
    ];
    let mut script = Script::new();
    for (path, _) in files {
        script = script.read(path);
    }
    let script = script.patch(
        &[
            "*** Update File: keep.txt",
            "@@",
            " one",
            "-two",
            "+TWO",
            "*** Add File: new.txt",
            "+fresh",
            "*** Delete File: gone.txt",
            "*** Update File: from.txt",
            "*** Move to: deep/to.txt",
            "@@",
            " alpha",
            "-beta",
            "+BETA",
        ],
        ok(),
    );
    let workspace = Workspace::with(&files);
    check(
        "patch.lua",
        true,
        &workspace,
        &script.say("Tidy now."),
        mode,
        &[],
    );
}

#[test]
fn a_patch_is_reviewed_as_one_proposal() {
    patch("default");
}

#[test]
fn a_patch_is_applied_at_once_and_taken_back() {
    patch("accept_edits");
}

/// A secret that may be read, a secret that may not, and a question of the model, each answered by a key in the float.
#[test]
fn questions_are_answered_in_the_float() {
    let workspace = Workspace::with(&[
        ("plain.txt", "plain\n"),
        (".env", "TOKEN=first\n"),
        ("b/.env", "TOKEN=second\n"),
    ]);
    let question = json!({"question": "Which one?\nThe first is quicker.", "options": ["the first", "the second"]});
    let script = Script::new()
        .call("read_file", json!({"path": ".env"}), ok())
        .call("read_file", json!({"path": "b/.env"}), rejected())
        .call("ask_user", question, ok())
        .say("Done.");
    check("approve.lua", true, &workspace, &script, "default", &[]);
}

/// The server is killed in the midst of a review: what was drawn goes, the user is told, and after `:MewRestart` the hunks
/// are back where their lines are by then.
#[test]
fn hunks_come_back_after_a_killed_server() {
    let workspace = Workspace::with(&[("greet.py", GREET)]);
    let script = Script::new()
        .read("greet.py")
        .edit("greet.py", OLD, NEW)
        .say("Polite now.");
    check("restart.lua", true, &workspace, &script, "default", &[]);
    assert_eq!(workspace.kept(), [""; 0]);
}

/// A command changes files that are open: the buffers have the new text, nobody is asked which one counts, and what the
/// person has typed stays.
#[test]
fn files_that_a_command_changes_are_brought_up_to_date() {
    let workspace = Workspace::with(&[
        ("keep.txt", "one\ntwo\nthree\n"),
        ("typed.txt", "alpha\nbeta\n"),
    ]);
    let command =
        "sed -i 's/two/TWO/' keep.txt && echo four >> keep.txt && sed -i 's/beta/BETA/' typed.txt";
    let script = Script::new()
        .call("bash", json!({"command": command}), ok())
        .read("keep.txt")
        .call(
            "edit_file",
            json!({"path": "keep.txt", "old_string": "TWO", "new_string": "2"}),
            ok(),
        )
        .say("Done.");
    check("reload.lua", true, &workspace, &script, "bypass", &[]);
}

/// A folder inside has a server of its own, which gets what is typed there. The server of the folder above does not, and must
/// not write the file behind Neovim.
#[test]
fn unsaved_text_that_only_another_server_gets_is_left_alone() {
    let workspace = Workspace::with(&[
        ("plain.txt", "plain\n"),
        ("inner/notes.txt", "first\n"),
        ("inner/.mewcode.yaml", ""),
    ]);
    let script = Script::new()
        .read("inner/notes.txt")
        .edit_expecting("inner/notes.txt", "first", "1st", failed("unavailable"))
        .say("Done.");
    check("held.lua", true, &workspace, &script, "accept_edits", &[]);
}

/// Another server of the buffer is asked through Neovim, in its own columns, and what it would rename is renamed.
#[test]
fn other_servers_are_asked() {
    let workspace = Workspace::with(&[
        ("shop.py", "# shop\né, def_ price(self):\n"),
        ("uses.py", "import shop\né = shop.price()\n"),
    ]);
    let place = json!({"path": "shop.py", "line": 2, "symbol": "price"});
    let mut renaming = place.clone();
    renaming["new_name"] = json!("cost");
    let contains = |text: &str| json!({"status": "ok", "contains": text});
    let script = Script::new()
        .call("hover", place, contains("at column 8"))
        .call("rename_symbol", renaming, contains("now in 2 files"))
        .say("Done.");
    check("query.lua", true, &workspace, &script, "accept_edits", &[]);
}

/// `edits` typed by the person and `calls` edits of the agent. `MEWCODE_SEED` replays a run's choices.
fn typing(plugin: bool, edits: usize, calls: usize) {
    let seed = std::env::var("MEWCODE_SEED").unwrap_or_else(|_| {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .expect("after 1970");
        now.subsec_nanos().to_string()
    });
    println!("MEWCODE_SEED={seed}");
    let mut text = String::new();
    let mut script = Script::new();
    for number in 0..calls {
        text.push_str(&format!(
            "line {number:05}: é some words, anchor-{number:05}. and 😀 more\n"
        ));
        text.push_str(&format!(
            "between {number:05}: words e\u{301} and more of them\n"
        ));
    }
    // In an order of its own, so that edits come above and below the places where the last ones were.
    for number in (0..calls).map(|number| number * 37 % calls) {
        script = script.turn(json!({
            "calls": [
                {"tool": "read_file", "args": {"path": "lines.txt", "limit": 1}},
                {"tool": "edit_file", "args": {
                    "path": "lines.txt",
                    "old_string": format!("anchor-{number:05}."),
                    "new_string": format!("agent-{number:05}."),
                }},
            ],
            "expect": [{"status": "ok"}, {"status": "ok"}],
        }));
    }
    let workspace = Workspace::with(&[("lines.txt", &text)]);
    let more = [
        ("MEWCODE_TEST_SEED", seed),
        ("MEWCODE_TEST_EDITS", edits.to_string()),
        ("MEWCODE_TEST_CALLS", calls.to_string()),
    ];
    check(
        "typing.lua",
        plugin,
        &workspace,
        &script.say("Done."),
        "accept_edits",
        &more,
    );
}

#[test]
fn ten_thousand_edits_with_the_plugin() {
    typing(true, 10_000, 200);
}

#[test]
fn ten_thousand_edits_without_a_plugin() {
    typing(false, 10_000, 200);
}
