//! The scenarios in `editors/`, each played in a real Neovim with the plugin by `neovim/scenario.lua`. VS Code plays the same files
//! (`editors/vscode/test/host/scenarios.test.ts`).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::harness::{Script, Workspace};
use crate::neovim;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/e2e/editors")
        .canonicalize()
        .expect("the scenarios")
}

fn script(scenario: &Value) -> Script {
    let turns = scenario["turns"].as_array().expect("turns of the model");
    turns
        .iter()
        .cloned()
        .fold(Script::new(), |script, turn| script.turn(turn))
}

/// Plays a scenario; whether it succeeded, and what Neovim printed.
fn play(path: &Path) -> (bool, String) {
    let text = std::fs::read_to_string(path).expect("a scenario can be read");
    let scenario: Value = serde_json::from_str(&text).expect("a scenario is JSON");
    neovim::run(
        "scenario.lua",
        true,
        &Workspace::new(),
        &script(&scenario),
        scenario["mode"].as_str().unwrap_or("default"),
        &[("MEWCODE_TEST_SCENARIO", path.display().to_string())],
    )
}

macro_rules! scenarios {
    ($($name:ident)*) => {
        const NAMES: &[&str] = &[$(stringify!($name)),*];

        $(
            #[test]
            fn $name() {
                let (succeeded, output) = play(&folder().join(concat!(stringify!($name), ".json")));
                println!("{output}");
                assert!(succeeded, "the promise does not hold in Neovim");
            }
        )*
    };
}

scenarios! {
    a_hundred_thousand_lines
    accept_a_file_and_all
    auto_save
    changed_by_a_command
    changed_on_disk
    changed_on_disk_while_dirty
    command_allowed_once
    command_denied
    crlf_without_a_final_newline
    dirty_file
    dirty_file_is_read_as_it_is
    emoji_columns
    format_on_save
    main_job
    moved_file
    new_file
    one_of_two_hunks
    patch_over_several_files
    question_of_the_model
    reject_with_a_word
    rejected_new_file
    removed_file
    removed_file_comes_back
    revert_keeps_typing
    revert_one_hunk
    server_killed
    stopped_run
    typing_around_a_hunk
    typing_inside_a_hunk
    typing_inside_a_hunk_and_rejecting
    typing_while_the_agent_edits
}

#[test]
fn every_scenario_is_played() {
    let files: BTreeSet<String> = std::fs::read_dir(folder())
        .expect("the folder can be read")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .map(|path| {
            path.file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    let played: BTreeSet<String> = NAMES.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(
        files, played,
        "each file in tests/e2e/editors has its line here"
    );
}

/// A scenario that says what its README does not know is no test that passes by doing nothing.
#[test]
fn what_no_driver_knows_is_refused() {
    let workspace = Workspace::new();
    let wrong = [
        (
            r#"{"promise": "", "files": {}, "turns": [], "steps": [{"opne": "a"}]}"#,
            "a step has no \"opne\"",
        ),
        (
            r#"{"promise": "", "files": {}, "turns": [], "steps": [{"expect": {"dirt": {}}}]}"#,
            "a state has no \"dirt\"",
        ),
        (
            r#"{"promise": "", "files": {}, "turns": [], "steps": [{"open": "a", "save": "a"}]}"#,
            "a step needs exactly one of",
        ),
        (
            r#"{"promise": "", "files": {"a": 1}, "turns": [], "steps": []}"#,
            "scenario.files.a is no lines",
        ),
        (
            r#"{"promise": "", "turns": [], "steps": []}"#,
            "a scenario needs \"files\"",
        ),
    ];
    for (text, problem) in wrong {
        workspace.write("wrong.json", text);
        let (succeeded, output) = play(&workspace.path("wrong.json"));
        assert!(
            !succeeded && output.contains(problem),
            "{problem} is not in {output}"
        );
    }
}
