//! Whatever a command starts, and however it is ended: nothing is left.

use std::time::Duration;

use mewcode_tools::process::{Cause, Exit, LimitHit, Running, Stop};
use tokio_util::sync::CancellationToken;

use crate::scene::{PATIENCE, Scene, printed};

/// Commands that start what would outlive them, print `ready` when it runs, and go on themselves. With each, how many
/// processes there are then besides the supervisor.
const STARTERS: [(&str, &str, usize); 11] = [
    (
        "a child in the background",
        "sleep 1000 & echo ready; wait",
        2,
    ),
    (
        "a double fork",
        "( ( sleep 1000 & ) & ); echo ready; sleep 1000",
        2,
    ),
    (
        "a session of its own",
        "setsid sleep 1000 & echo ready; sleep 1000",
        2,
    ),
    (
        "a session of its own that was forked away",
        "setsid --fork sleep 1000; echo ready; sleep 1000",
        2,
    ),
    (
        "nohup",
        "nohup sleep 1000 >/dev/null 2>&1 & disown; echo ready; sleep 1000",
        2,
    ),
    (
        "a shell that ignores what asks it to end",
        "trap '' TERM HUP INT; echo ready; while :; do sleep 1000; done",
        2,
    ),
    (
        "children that ignore what asks them to end",
        "bash -c 'trap \"\" TERM; echo ready; while :; do sleep 1000; done' & wait",
        3,
    ),
    (
        "a stopped child",
        "sleep 1000 & kill -STOP $!; echo ready; wait",
        2,
    ),
    (
        "a stopped shell",
        "sleep 1000 & echo ready; kill -STOP $$; wait",
        2,
    ),
    (
        "a daemon as the book has it",
        "python3 -c '
import os, time
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
os.chdir(\"/\")
for fd in (0, 1, 2): os.close(fd)
open(\"'$PWD'/up\", \"w\").close()
time.sleep(1000)
'; until [ -e up ]; do sleep 0.01; done; echo ready; sleep 1000",
        2,
    ),
    (
        "a child that starts another when it is asked to end",
        "bash -c 'trap \"setsid sleep 1000 & exit\" TERM; echo ready; while :; do sleep 0.1; done' & wait",
        2,
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_of_a_command_that_is_stopped() {
    check(|running, _| running.stop(Stop::Stopped), &Cause::Stopped).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_of_a_command_whose_session_ends() {
    check(
        |_, scene| {
            let processes = scene.processes.clone();
            tokio::spawn(async move { processes.end_session("s").await });
        },
        &Cause::Stopped,
    )
    .await;
}

async fn check(end: impl Fn(&Running, &Scene), cause: &Cause) {
    for (what, line, count) in STARTERS {
        let scene = Scene::new();
        let running = scene.start(scene.spec(line)).await;
        printed(&running, "ready").await;
        // The supervisor has the mark too.
        scene.present(count + 1);
        end(&running, &scene);
        let ending = scene.end(&running).await;
        assert_eq!(&ending.cause, cause, "{what}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_outlives_the_shell_is_ended_and_named() {
    for (line, names) in [
        ("sleep 1000 & exit 3", vec!["sleep"]),
        ("setsid --fork sleep 1000; exit 3", vec!["sleep"]),
        ("sleep 1000 >/dev/null 2>&1 & exit 3", vec!["sleep"]),
        (
            "sleep 1000 & tail -f /dev/null & exit 3",
            vec!["sleep", "tail"],
        ),
        // It never falls silent.
        ("yes & exit 3", vec!["yes"]),
        ("exit 3", vec![]),
        ("sleep 0.01 & exit 3", vec![]),
    ] {
        let scene = Scene::new();
        let (_, ending) = scene.run(scene.spec(line)).await;
        assert_eq!(ending.cause, Cause::Exited, "{line}");
        assert_eq!(ending.exit, Some(Exit::Code(3)), "{line}");
        let mut ended: Vec<_> = ending.ended.iter().map(|left| left.name.as_str()).collect();
        ended.sort_unstable();
        assert_eq!(ended, names, "{line}");
        assert!(ending.duration < PATIENCE, "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_commands_are_cancelled_at_once() {
    let scene = Scene::new();
    let cancel = CancellationToken::new();
    let mut waiting = Vec::new();
    for _ in 0..100 {
        let line = "sleep 1000 & setsid --fork sleep 1000; echo ready; wait";
        let running = scene.start(scene.spec(line)).await;
        let cancel = cancel.clone();
        let handle = running.clone();
        let attended = tokio::spawn(async move { handle.attended(&cancel).await });
        waiting.push((running, attended));
    }
    for (running, _) in &waiting {
        printed(running, "ready").await;
    }
    scene.present(400);
    cancel.cancel();
    for (_, attended) in waiting {
        let ending = attended.await.unwrap().expect("it was not moved");
        assert_eq!(ending.cause, Cause::Cancelled);
    }
    scene.nothing_is_left();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_that_is_dropped_ends_the_command() {
    let scene = Scene::new();
    let running = scene.start(scene.spec("sleep 1000")).await;
    let cancel = CancellationToken::new();
    let dropped = tokio::time::timeout(Duration::from_millis(10), running.attended(&cancel)).await;
    assert!(dropped.is_err());
    assert_eq!(scene.end(&running).await.cause, Cause::Cancelled);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_that_is_dropped_leaves_nothing() {
    let scene = Scene::new();
    for wait in 0..20 {
        let spec = scene.spec("setsid sleep 1000 & sleep 1000");
        // At any moment of the start.
        let wait = Duration::from_millis(wait);
        let started = tokio::time::timeout(wait, scene.processes.start(spec)).await;
        if let Ok(running) = started {
            let running = running.unwrap();
            running.stop(Stop::Stopped);
            running.wait().await;
        }
    }
    for (pid, _) in scene.left() {
        crate::scene::gone(pid);
    }
    scene.nothing_is_left();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_kills_its_supervisor_is_ended_all_the_same() {
    let scene = Scene::new();
    let line = "sleep 1000 & setsid --fork sleep 1000; (trap '' TERM; sleep 1000) &
        echo before; kill -9 $PPID; sleep 1000";
    let (running, ending) = scene.run(scene.spec(line)).await;
    assert_eq!(ending.cause, Cause::Lost);
    assert_eq!(crate::scene::text(&running), "before\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_stops_its_supervisor_is_ended_all_the_same() {
    let scene = Scene::new();
    let line = "kill -STOP $PPID; setsid --fork sleep 1000; echo ready; sleep 1000";
    let running = scene.start(scene.spec(line)).await;
    printed(&running, "ready").await;
    running.stop(Stop::Stopped);
    let ending = scene.end(&running).await;
    assert_eq!(ending.cause, Cause::Stopped);
    assert_eq!(ending.exit.unwrap().signal_name(), Some("SIGTERM"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_supervisor_that_is_asked_to_end_ends_its_command_first() {
    let scene = Scene::new();
    let line = "setsid --fork sleep 1000; kill $PPID; sleep 1000";
    let (_, ending) = scene.run(scene.spec(line)).await;
    assert_eq!(ending.exit.unwrap().signal_name(), Some("SIGTERM"));
}

/// Commands that multiply as fast as they can: up to some hundred processes, should they not be ended.
const STORMS: [&str; 2] = [
    "f() { [ $1 -gt 0 ] && { f $(($1 - 1)) | f $(($1 - 1)) & }; sleep 1000; }; f 8",
    // Each in a session of its own.
    "python3 -c '
import os, time
n = 9
while n:
    n -= 1
    if os.fork() == 0: os.setsid()
time.sleep(1000)
'",
];

#[tokio::test(flavor = "multi_thread")]
async fn a_storm_of_processes_is_ended_at_its_limit() {
    for line in STORMS {
        let scene = Scene::new();
        let mut spec = scene.spec(line);
        spec.limits.processes = Some(60);
        let (_, ending) = scene.run(spec).await;
        let hit = ending.cause;
        assert!(
            matches!(&hit, Cause::Limit(LimitHit::Processes { limit: 60, count }) if *count > 60),
            "{hit:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_storm_of_processes_is_ended_when_it_is_stopped() {
    for line in STORMS {
        let scene = Scene::new();
        let running = scene.start(scene.spec(line)).await;
        // In the middle of it.
        scene.present(100);
        running.stop(Stop::Stopped);
        assert_eq!(scene.end(&running).await.cause, Cause::Stopped);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_storm_of_processes_that_killed_its_supervisor_is_ended() {
    for line in STORMS {
        let scene = Scene::new();
        // Away from the shell, which dies with its supervisor.
        let line = format!("setsid bash -c '{}'", line.replace('\'', "'\\''"));
        let mut spec = scene.spec(&line);
        spec.background = true;
        let running = scene.start(spec).await;
        scene.present(100);
        let supervisor = scene
            .left()
            .into_iter()
            .find(|(_, line)| line.ends_with("supervise "))
            .unwrap();
        let supervisor = rustix::process::Pid::from_raw(supervisor.0).unwrap();
        rustix::process::kill_process(supervisor, rustix::process::Signal::KILL).unwrap();
        assert_eq!(scene.end(&running).await.cause, Cause::Lost);
    }
}
