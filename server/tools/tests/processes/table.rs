//! The commands of sessions.

use mewcode_tools::process::{StartError, Status, Stop};

use crate::scene::Scene;

#[tokio::test(flavor = "multi_thread")]
async fn a_session_has_its_own_commands() {
    let scene = Scene::new();
    let ids = |session: &str| -> Vec<String> {
        let commands = scene.processes.list(session);
        commands
            .iter()
            .map(|command| command.id().to_owned())
            .collect()
    };
    let mut other = scene.spec("sleep 1000");
    other.session = "other".to_owned();
    let first = scene.start(scene.spec("sleep 1000")).await;
    scene.start(scene.spec("sleep 1000")).await;
    let other = scene.start(other).await;
    assert_eq!(ids("s"), ["cmd_1", "cmd_2"]);
    assert_eq!(ids("other"), ["cmd_1"]);
    assert_eq!(scene.processes.count(), 3);
    assert!(scene.processes.get("s", "cmd_2").is_some());
    assert!(scene.processes.get("other", "cmd_2").is_none());
    assert!(scene.processes.get("nobody", "cmd_1").is_none());

    scene.processes.end_session("s").await;
    assert_eq!(first.status(), Status::Ended);
    assert_eq!(ids("s"), <[&str; 0]>::default());
    assert_eq!(other.status(), Status::Running);
    scene.processes.end_all().await;
    scene.nothing_is_left();
    let late = scene.processes.start(scene.spec("true")).await;
    assert!(matches!(late, Err(StartError::SessionEnded)));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_newest_that_have_ended_are_kept_and_all_that_run() {
    let scene = Scene::new();
    let running = scene.start(scene.spec("sleep 1000")).await;
    for _ in 0..20 {
        scene.start(scene.spec("echo text")).await.wait().await;
    }
    let last = scene.start(scene.spec("true")).await;
    last.wait().await;
    let ids: Vec<String> = scene
        .processes
        .list("s")
        .iter()
        .map(|command| command.id().to_owned())
        .collect();
    let mut expected = vec!["cmd_1".to_owned()];
    // The last one ran when the others were counted.
    expected.extend((6..=22).map(|number| format!("cmd_{number}")));
    assert_eq!(ids, expected);
    running.stop(Stop::Stopped);
    running.wait().await;
    scene.nothing_is_left();
}
