//! Commands that are confined: under the same supervisor, which is not.

use std::fs;
use std::path::Path;

use mewcode_tools::process::{Cause, CommandSpec, Exit, Stop, TerminalSize};
use mewcode_tools::sandbox::{Policy, Profile};

use crate::scene::{Scene, printed, text};

fn confined(scene: &Scene, line: &str, profile: Profile) -> CommandSpec {
    let root = scene.folder.path().join("root");
    fs::create_dir_all(&root).unwrap();
    let root = root.canonicalize().unwrap();
    let mut spec = scene.spec(line);
    spec.workdir.clone_from(&root);
    spec.policy = Policy {
        profile,
        roots: vec![root],
        notes: scene.folder.path().join("notes"),
        ..Policy::default()
    };
    spec
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort_unstable();
    names
}

#[tokio::test(flavor = "multi_thread")]
async fn it_writes_what_it_may_and_nothing_of_the_sandbox_is_left() {
    let scene = Scene::new();
    let line = "echo in > inside; mkdir .vscode; ls; git init -q made; exit 0";
    let spec = confined(&scene, line, Profile::WorkspaceWrite);
    let root = spec.workdir.clone();
    let (running, ending) = scene.run(spec).await;
    assert_eq!(ending.exit, Some(Exit::Code(0)), "{}", text(&running));
    assert_eq!(names(&root), ["inside", "made"], "{}", text(&running));
    assert_eq!(ending.repositories, [root.join("made/.git")]);
    assert_eq!(ending.faults, <[String; 0]>::default());

    let spec = confined(&scene, "echo in > other", Profile::ReadOnly);
    let (running, ending) = scene.run(spec).await;
    assert_eq!(ending.exit, Some(Exit::Code(1)));
    assert!(text(&running).contains("other: "), "{}", text(&running));
    assert_eq!(names(&root), ["inside", "made"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_ended_like_any_other() {
    for terminal in [None, Some(TerminalSize::default())] {
        let scene = Scene::new();
        let line =
            "trap '' TERM HUP; (sleep 1000 &); setsid --fork sleep 1000; echo ready; sleep 1000";
        let mut spec = confined(&scene, line, Profile::WorkspaceWrite);
        spec.terminal = terminal;
        let root = spec.workdir.clone();
        let running = scene.start(spec).await;
        printed(&running, "ready").await;
        scene.present(4);
        running.stop(Stop::Stopped);
        assert_eq!(scene.end(&running).await.cause, Cause::Stopped);
        assert_eq!(names(&root), <[&str; 0]>::default());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn it_cannot_reach_its_supervisor() {
    let scene = Scene::new();
    let line = "kill -9 $PPID; echo $?; kill -STOP $PPID; echo $?; exit 4";
    let (running, ending) = scene
        .run(confined(&scene, line, Profile::WorkspaceWrite))
        .await;
    assert_eq!(ending.cause, Cause::Exited, "{}", text(&running));
    assert_eq!(ending.exit, Some(Exit::Code(4)), "{}", text(&running));
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_the_sandbox_is_left_when_its_supervisor_is_killed() {
    for profile in [Profile::WorkspaceWrite, Profile::ReadOnly] {
        let scene = Scene::new();
        let line = "echo supervisor $PPID in ${TMPDIR-nothing.}; sleep 1000";
        let spec = confined(&scene, line, profile);
        let (root, notes) = (spec.workdir.clone(), spec.policy.notes.clone());
        let running = scene.start(spec).await;
        printed(&running, "supervisor [0-9]+ in .*\n").await;
        let printed = text(&running);
        let words: Vec<&str> = printed.split_whitespace().collect();
        let [_, supervisor, _, temporary] = words.as_slice() else {
            panic!("{printed}");
        };
        let supervisor = rustix::process::Pid::from_raw(supervisor.parse().unwrap()).unwrap();
        rustix::process::kill_process(supervisor, rustix::process::Signal::KILL).unwrap();
        let ending = scene.end(&running).await;
        assert_eq!(ending.cause, Cause::Lost);
        assert_eq!(ending.faults, <[String; 0]>::default());
        assert_eq!(names(&root), <[&str; 0]>::default());
        assert_eq!(names(&notes), <[&str; 0]>::default());
        assert!(profile == Profile::WorkspaceWrite || !Path::new(temporary).exists());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_cannot_be_confined_is_not_run() {
    let scene = Scene::new();
    let mut spec = confined(&scene, "echo ran > ran", Profile::WorkspaceWrite);
    let root = spec.workdir.clone();
    // No folder can be made there.
    spec.policy.notes = "/proc/none".into();
    let error = scene.processes.start(spec).await.unwrap_err();
    assert!(
        error.to_string().contains("could not be confined"),
        "{error}"
    );
    assert_eq!(names(&root), <[&str; 0]>::default());
    scene.nothing_is_left();
}
