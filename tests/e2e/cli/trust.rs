//! `mewcode trust`, and what a workspace's files do before and after.

use super::scene::Scene;

const PROJECT: &str = "mode: plan\nmax_turns: 1000\npermissions:\n  allow:\n    - bash(make:*)\n  deny:\n    - web_fetch\n";

fn scene() -> Scene {
    let scene = Scene::new();
    scene.write("work/.mewcode.yaml", PROJECT);
    scene
}

#[test]
fn what_would_be_granted_is_shown_and_nothing_is_remembered_unasked() {
    let scene = scene();
    let before = scene.paths();
    let shown = scene.run(&["trust", "--show"]);
    assert_eq!((shown.status, shown.stderr.as_str()), (1, ""));
    insta::assert_snapshot!(shown.stdout, @"
    work: not trusted
    Not in force, its files would:
      raise `max_turns` to 1000 (work/.mewcode.yaml:2)
      allow `bash(make:*)` without a question (work/.mewcode.yaml:5)
    ");

    // Nobody is at a terminal here.
    let asked = scene.run_with(&["trust"], "y\n");
    assert_eq!(asked.status, 1);
    insta::assert_snapshot!(asked.stderr, @"mewcode: nobody is there to be asked; `mewcode trust --yes` trusts it.");
    assert_eq!(scene.paths(), before, "something was written");
}

#[test]
fn a_trusted_workspace_grants_what_was_shown_until_it_is_revoked() {
    let scene = scene();
    let trusted = scene.run(&["trust", "--yes"]);
    assert_eq!((trusted.status, trusted.stderr.as_str()), (0, ""));
    let shown = scene.run(&["trust", "--show"]);
    assert_eq!(shown.status, 0);
    insta::assert_snapshot!(shown.stdout, @"
    work: trusted
    In force:
      raise `max_turns` to 1000 (work/.mewcode.yaml:2)
      allow `bash(make:*)` without a question (work/.mewcode.yaml:5)
    ");

    // More is not in force with it.
    scene.write("work/.mewcode.yaml", &PROJECT.replace("1000", "2000"));
    let changed = scene.run(&["trust", "--show"]);
    assert_eq!(changed.status, 1);
    insta::assert_snapshot!(changed.stdout, @"
    work: trusted, but its files would grant more by now
    In force:
      allow `bash(make:*)` without a question (work/.mewcode.yaml:5)
    Not in force, its files would:
      raise `max_turns` to 2000 (work/.mewcode.yaml:2)
    ");

    insta::assert_snapshot!(scene.run(&["trust", "--revoke"]).stdout, @"work is not trusted any more.");
    insta::assert_snapshot!(scene.run(&["trust", "--revoke"]).stdout, @"work was not trusted.");
    assert_eq!(scene.run(&["trust", "--show"]).status, 1);
}

#[test]
fn a_command_of_the_agent_cannot_give_trust() {
    let scene = scene();
    let mut command = scene.command(&["trust", "--yes"]);
    command.env("MEWCODE_COMMAND", "mark");
    let ended = scene.end(command, "");
    assert_eq!(ended.status, 2);
    insta::assert_snapshot!(ended.stderr, @"mewcode: a command that MewCode runs cannot trust a workspace; do it in a terminal of your own");
    assert_eq!(scene.run(&["trust", "--show"]).status, 1);
}

#[test]
fn where_there_is_nothing_to_trust_it_says_so() {
    let scene = Scene::new();
    let empty = scene.run(&["trust"]);
    assert_eq!(empty.status, 0);
    insta::assert_snapshot!(empty.stdout, @"work: nothing to trust");

    scene.write("home/.mewcode.yaml", "mode: bypass\n");
    let home = scene.run(&["trust", "--yes", "--root", "../home"]);
    assert_eq!(home.status, 1);
    insta::assert_snapshot!(home.stdout, @"
    home: cannot be trusted: it is your home folder, or holds it
    Not in force, its files would:
      loosen the mode to `bypass` (home/.mewcode.yaml:1)
    ");

    insta::assert_snapshot!(scene.misuse(&["trust", "--yes", "--revoke"], ""), @"mewcode: the argument '--yes' cannot be used with '--revoke' (see `mewcode trust --help`)");
    scene.write("work/.mewcode.yaml", "mode: yolo\n");
    insta::assert_snapshot!(scene.misuse(&["trust", "--yes"], ""), @"mewcode: work/.mewcode.yaml:1: `mode` must be one of `bypass`, `accept_edits`, `default`, `dont_ask`, `plan`, not `yolo`");
}

#[test]
fn a_workspace_that_holds_the_state_folder_cannot_bring_its_trust_along() {
    let scene = scene();
    assert_eq!(scene.run(&["trust", "--yes"]).status, 0);
    // The record of this very folder, in a state folder inside of it.
    let state = scene.home().join(".local/state/mewcode/trust");
    let inside = scene.work().join(".state/mewcode/trust");
    std::fs::create_dir_all(inside.parent().unwrap()).unwrap();
    std::fs::rename(state, inside).unwrap();
    let mut command = scene.command(&["trust", "--show"]);
    command.env("XDG_STATE_HOME", scene.work().join(".state"));
    let shown = scene.end(command, "");
    assert_eq!(shown.status, 1, "{}", shown.stdout);
    assert!(
        shown.stdout.contains("cannot be trusted"),
        "{}",
        shown.stdout
    );
}
