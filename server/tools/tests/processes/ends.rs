//! How commands end, and what is told of it.

use std::time::Duration;

use mewcode_tools::process::{Cause, Exit, Launcher, Processes, StartError, Status, Stop};
use tokio_util::sync::CancellationToken;

use crate::scene::{PATIENCE, Scene, printed, text, text_of};

#[tokio::test(flavor = "multi_thread")]
async fn the_exit_of_the_shell_is_told() {
    for (line, exit) in [
        ("true", Exit::Code(0)),
        ("false", Exit::Code(1)),
        ("exit 255", Exit::Code(255)),
        ("no-such-program", Exit::Code(127)),
        ("/dev/null", Exit::Code(126)),
        ("kill -9 $$", Exit::Signal(9)),
        ("kill -SEGV $$", Exit::Signal(11)),
        ("bash -c 'kill -9 $$'; exit $?", Exit::Code(137)),
        ("if then", Exit::Code(2)),
        // What a program was started to ignore would be told otherwise.
        (
            "yes | head -n 1 > /dev/null; exit ${PIPESTATUS[0]}",
            Exit::Code(141),
        ),
        ("", Exit::Code(0)),
    ] {
        let scene = Scene::new();
        let (_, ending) = scene.run(scene.spec(line)).await;
        assert_eq!(ending.cause, Cause::Exited, "{line}");
        assert_eq!(ending.exit, Some(exit), "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_time_out_ends_it_with_the_output_so_far() {
    let scene = Scene::new();
    let mut spec = scene.spec("echo before; setsid --fork sleep 1000; sleep 1000; echo after");
    let limit = Duration::from_millis(1500);
    spec.timeout = Some(limit);
    let (running, ending) = scene.run(spec).await;
    assert_eq!(ending.cause, Cause::TimedOut(limit));
    assert!(ending.duration >= limit);
    assert_eq!(text(&running), "before\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_printed_while_it_is_being_ended_is_kept() {
    let scene = Scene::new();
    let line = "trap 'echo tidied; exit 5' TERM; sleep 1000 & echo ready; wait";
    let running = scene.start(scene.spec(line)).await;
    printed(&running, "ready").await;
    running.stop(Stop::Stopped);
    let ending = scene.end(&running).await;
    assert_eq!(ending.exit, Some(Exit::Code(5)), "it had its time");
    assert_eq!(text(&running), "ready\ntidied\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn silence_ends_it_and_output_puts_that_off() {
    let scene = Scene::new();
    let limit = Duration::from_secs(2);
    let mut spec = scene.spec("for i in 1 2 3 4 5 6; do echo $i; sleep 0.5; done; sleep 1000");
    spec.silence = Some(limit);
    let (running, ending) = scene.run(spec).await;
    assert_eq!(ending.cause, Cause::Silent(limit));
    assert_eq!(text(&running), "1\n2\n3\n4\n5\n6\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_reason_counts() {
    let scene = Scene::new();
    let running = scene.start(scene.spec("echo ready; sleep 1000")).await;
    printed(&running, "ready").await;
    running.stop(Stop::Cancelled);
    running.stop(Stop::Stopped);
    assert_eq!(scene.end(&running).await.cause, Cause::Cancelled);
    assert_eq!(running.status(), Status::Ended);
    // Of one that has ended nothing more is wanted.
    running.stop(Stop::Stopped);
    running.move_to_background();
    assert_eq!(running.wait().await.cause, Cause::Cancelled);
}

#[tokio::test(flavor = "multi_thread")]
async fn in_the_background_what_it_started_goes_on() {
    let scene = Scene::new();
    let mut spec = scene.spec("(while :; do echo tick; sleep 0.1; done) & exit 4");
    spec.background = true;
    spec.timeout = Some(Duration::from_millis(1));
    let running = scene.start(spec).await;
    let left = async {
        while running.status() == Status::Running {
            let seen = running.output().bytes;
            running.changed(seen).await;
        }
    };
    tokio::time::timeout(PATIENCE, left).await.unwrap();
    assert_eq!(running.status(), Status::Left(Exit::Code(4)));
    let seen = running.output().bytes;
    assert!(!running.changed(seen + 15).await.closed, "it goes on");
    running.stop(Stop::Stopped);
    let ending = scene.end(&running).await;
    assert_eq!(ending.exit, Some(Exit::Code(4)));
    assert!(ending.ended.iter().any(|left| left.name == "bash"));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_is_moved_to_the_background_is_no_longer_waited_for() {
    let scene = Scene::new();
    let mut spec = scene.spec("echo ready; sleep 2.5; echo over");
    spec.timeout = Some(Duration::from_secs(2));
    let running = scene.start(spec).await;
    printed(&running, "ready").await;
    assert!(!running.is_background());
    let cancel = CancellationToken::new();
    let (ending, ()) = tokio::join!(running.attended(&cancel), async {
        running.move_to_background();
    });
    assert_eq!(ending, None);
    assert!(running.is_background());
    let ending = scene.end(&running).await;
    assert_eq!(ending.cause, Cause::Exited, "its time-out no longer holds");
    assert_eq!(text(&running), "ready\nover\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_started_is_refused_with_the_reason() {
    let scene = Scene::new();
    let long = "x".repeat(200 * 1024);
    let file = scene.folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let spec = |line: &str| scene.spec(line);
    let mut nowhere = spec("true");
    nowhere.workdir = scene.folder.path().join("absent");
    let mut in_file = spec("true");
    in_file.workdir.clone_from(&file);
    let mut taken = spec("true");
    taken.artifact = Some(file);
    for (spec, part) in [
        (spec(&long), "204800 bytes"),
        (spec("a\0b"), "zero byte"),
        (nowhere, "absent`: No such file"),
        (in_file, "file`: not a directory"),
        (taken, "file`, cannot be made: File exists"),
    ] {
        let error = scene.processes.start(spec).await.unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    scene.nothing_is_left();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_supervisor_that_is_none_is_told_from_a_command() {
    let scene = Scene::new();
    for (program, matches) in [
        ("/no/such/program", "could not be started"),
        ("/bin/false", "ended before it began (exit status: 1)"),
        ("/bin/echo", "ended before it began"),
    ] {
        let processes = Processes::new(Launcher::new(program));
        let error = processes.start(scene.spec("true")).await.unwrap_err();
        assert!(error.to_string().contains(matches), "{error}");
    }
    // Whatever it has started ends with it.
    let script = scene.folder.path().join("script");
    std::fs::write(&script, "#!/bin/sh\nsetsid sleep 1000 &\nexit 3\n").unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let processes = Processes::new(Launcher::new(script));
    let error = processes.start(scene.spec("true")).await.unwrap_err();
    assert!(error.to_string().contains("exit status: 3"), "{error}");
    scene.nothing_is_left();

    let none = Processes::default();
    let error = none.start(scene.spec("true")).await.unwrap_err();
    assert!(matches!(error, StartError::Unavailable));
}

#[tokio::test(flavor = "multi_thread")]
async fn both_outputs_are_told_apart() {
    use mewcode_tools::process::Source;
    let scene = Scene::new();
    let (running, _) = scene.run(scene.spec("echo out; echo err >&2")).await;
    assert_eq!(text_of(&running, Source::Output), "out\n");
    assert_eq!(text_of(&running, Source::Error), "err\n");
    assert_eq!(running.output().error_bytes, 4);
    assert_eq!(running.output().lines, 2);
}
