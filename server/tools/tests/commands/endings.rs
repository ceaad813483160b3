//! How commands end, and what is told of it.

use std::sync::Arc;
use std::time::Duration;

use mewcode_tools::error::ErrorKind;
use mewcode_tools::host::{CommandSettings, Host};
use mewcode_tools::process::{Limits, Status as Stands};
use mewcode_tools::result::Status;
use serde_json::json;

use super::scene::{PATIENCE, Scene, StoppedClock, untimed};

#[tokio::test]
async fn a_command_gives_its_exit_code_and_output() {
    let scene = Scene::new();
    let result = scene.bash("echo one; echo two").await;
    assert_eq!(result.status, Status::Ok);
    assert_eq!(
        (result.metrics.exit_code, result.metrics.signal),
        (Some(0), None)
    );
    insta::assert_snapshot!(untimed(&result.content), @"
    Exit code 0 after SOME TIME.
    one
    two
    ");
    let result = scene.bash("echo 'no such thing' >&2; exit 3").await;
    assert_eq!(result.status, Status::Ok, "it has been run");
    assert_eq!(result.metrics.exit_code, Some(3));
    insta::assert_snapshot!(untimed(&result.content), @"
    Exit code 3 after SOME TIME.
    All of the output is standard error.
    no such thing
    ");
    let result = scene.bash("true").await;
    insta::assert_snapshot!(untimed(&result.content), @"
    Exit code 0 after SOME TIME.
    It printed nothing.
    ");
}

#[tokio::test]
async fn a_signal_is_named() {
    let scene = Scene::new();
    let result = scene.bash("echo here; kill -9 $$").await;
    assert_eq!(
        (result.metrics.exit_code, result.metrics.signal),
        (None, Some(9))
    );
    insta::assert_snapshot!(untimed(&result.content), @"
    Ended by SIGKILL after SOME TIME.
    here
    ");
}

#[tokio::test(start_paused = true)]
async fn the_time_out_is_in_force_and_the_output_so_far_is_told() {
    let (mut scene, clock) = (Scene::new(), StoppedClock::new());
    let call = json!({"command": "echo begun; sleep 1000 & sleep 1000", "timeout_ms": 300});
    let call = scene.begin("bash", call);
    scene.notice().await;
    clock.advance(Duration::from_millis(300)).await;
    let result = call.await.unwrap();
    assert_eq!(result.status, Status::Failed);
    assert_eq!(result.error.as_ref().unwrap().kind, ErrorKind::TimedOut);
    insta::assert_snapshot!(result.content, @"
    timed_out: The command did not end within 300 ms, and was ended with all that it had started. Give it more time with `timeout_ms` (at most 600000), or run it in the background.
    begun
    ");
    let left = scene.host.processes.list("session");
    assert!(left.iter().all(|command| command.status() == Stands::Ended));
}

#[tokio::test(start_paused = true)]
async fn silence_ends_a_command() {
    let (mut scene, clock) = (Scene::new(), StoppedClock::new());
    let call = json!({"command": "echo begun; sleep 1000", "silence_ms": 300});
    let call = scene.begin("bash", call);
    scene.notice().await;
    // The output was read on a thread, whose clock does not stand still.
    clock.advance(PATIENCE).await;
    let result = call.await.unwrap();
    let error = result.error.unwrap();
    assert_eq!(error.kind, ErrorKind::TimedOut);
    assert_eq!(error.details["silent"], true);
    insta::assert_snapshot!(result.content, @"
    timed_out: The command printed nothing for 300 ms, and was ended with all that it had started. Find out what it waits for, or give it more time with `silence_ms`.
    begun
    ");
}

#[tokio::test]
async fn a_cancelled_call_is_interrupted_with_the_output_so_far() {
    let mut scene = Scene::new();
    let call = scene.begin("bash", json!({"command": "echo begun; sleep 1000"}));
    scene.notice().await;
    scene.context.cancel.cancel();
    let result = call.await.unwrap();
    assert_eq!(result.status, Status::Interrupted);
    insta::assert_snapshot!(untimed(&result.content), @"
    The call was cancelled and the command ended after SOME TIME.
    begun
    ");
}

#[tokio::test]
async fn what_it_leaves_running_is_ended_and_named() {
    let scene = Scene::new();
    let result = scene.bash("sleep 1000 & echo done").await;
    assert_eq!(result.metrics.exit_code, Some(0));
    let note = result.content.lines().nth(1).unwrap();
    assert!(
        note.starts_with("What it had left running was ended: `sleep` (pid ")
            && note.ends_with("). To keep a process running start it with `background`."),
        "{note}"
    );
}

#[tokio::test]
async fn each_call_starts_in_its_folder_with_a_plain_environment() {
    let scene = Scene::new();
    scene.write("sub/a.txt", "");
    let call = json!({
        "command": "pwd; ls; echo $TERM $PAGER $NO_COLOR \"[$MY_TOKEN]\" \"[$CI]\"; cat",
        "workdir": "sub",
    });
    let result = scene.call("bash", call).await;
    let expected = format!("{}\na.txt\ndumb cat 1 [] []\n", scene.path("sub").display());
    assert!(result.content.ends_with(&expected), "{}", result.content);
}

#[tokio::test]
async fn what_cannot_be_run_is_refused() {
    let scene = Scene::new();
    scene.write("a.txt", "");
    for (arguments, kind) in [
        (json!({"command": " "}), ErrorKind::InvalidArguments),
        (
            json!({"command": "true", "timeout_ms": 0}),
            ErrorKind::InvalidArguments,
        ),
        (
            json!({"command": "true", "timeout_ms": 600_001}),
            ErrorKind::InvalidArguments,
        ),
        (
            json!({"command": "true", "silence_ms": 1}),
            ErrorKind::InvalidArguments,
        ),
        (
            json!({"command": "true", "timeout_ms": 5, "background": true}),
            ErrorKind::InvalidArguments,
        ),
        (
            json!({"command": "true", "sandbox": "workspace_write"}),
            ErrorKind::InvalidArguments,
        ),
        (
            json!({"command": "true", "workdir": "a.txt"}),
            ErrorKind::InvalidArguments,
        ),
        (
            json!({"command": "true", "workdir": "none"}),
            ErrorKind::NotFound,
        ),
        (
            json!({"command": "true", "workdir": "/"}),
            ErrorKind::OutsideWorkspace,
        ),
        (json!({"command": "x\0y"}), ErrorKind::InvalidArguments),
        (
            json!({"command": format!("true {}", "x".repeat(200_000))}),
            ErrorKind::InvalidArguments,
        ),
    ] {
        let result = scene.call("bash", arguments.clone()).await;
        assert_eq!(
            result.error.map(|error| error.kind),
            Some(kind),
            "{arguments}"
        );
    }
    assert_eq!(scene.host.processes.list("session").len(), 0);
}

#[tokio::test]
async fn a_host_without_a_way_to_run_commands_says_so() {
    let mut scene = Scene::new();
    scene.runtime = scene.runtime.with_host(Host::default());
    let result = scene.bash("true").await;
    insta::assert_snapshot!(result.content, @"unavailable: Commands cannot be run here: this host has no way to start them. Go on without commands, and tell the user what to run.");
}

#[tokio::test]
async fn a_limit_that_is_reached_is_named() {
    let mut scene = Scene::new();
    let host = Host {
        commands: Arc::new(CommandSettings {
            limits: Limits {
                file_size: Some(1 << 20),
                ..Limits::default()
            },
            ..CommandSettings::default()
        }),
        ..scene.host.clone()
    };
    scene.runtime = scene.runtime.with_host(host);
    let result = scene
        .bash("echo begun; head -c 2000000 /dev/zero > big")
        .await;
    assert_eq!(
        result.error.as_ref().map(|error| error.kind),
        Some(ErrorKind::Quota),
        "{}",
        result.content
    );
    insta::assert_snapshot!(result.content.lines().next().unwrap(), @"quota: It was ended: the command wrote a file beyond the 1.0 MiB that a file may have. Work on less at once, or ask the user to raise the limit in the settings.");
    assert!(result.content.contains("begun\n"), "{}", result.content);
}

/// A scene with these settings for commands.
fn with_settings(change: impl FnOnce(&mut CommandSettings)) -> Scene {
    let mut scene = Scene::new();
    let mut settings = CommandSettings::clone(&scene.host.commands);
    change(&mut settings);
    scene.host.commands = Arc::new(settings);
    scene.runtime = scene.runtime.with_host(scene.host.clone());
    scene
}

#[tokio::test]
async fn the_limit_of_a_file_is_named_where_the_command_goes_on() {
    let scene = with_settings(|settings| settings.limits.file_size = Some(1 << 20));
    let note = "It seems that the command wrote a file beyond the 1.0 MiB that a file may have: the setting \
                `limits.file_size_mib`.";
    for line in [
        "dd if=/dev/zero of=big bs=1M count=3; echo done",
        // A program that does not end at the signal is told by an error.
        "trap '' XFSZ; dd if=/dev/zero of=big bs=1M count=3; true",
    ] {
        let result = scene.bash(line).await;
        assert!(result.content.contains(note), "{line}: {}", result.content);
    }
    let result = scene.bash("echo 'big: small'; exit 1").await;
    assert!(!result.content.contains(note), "{}", result.content);
    let unlimited = with_settings(|settings| settings.limits.file_size = None);
    let result = unlimited.bash("echo 'write error: File too large'").await;
    assert!(!result.content.contains(note), "{}", result.content);
}

#[tokio::test]
async fn the_limit_of_an_output_is_named_when_it_is_reached() {
    let scene = with_settings(|settings| settings.artifact_bytes = 1 << 20);
    let result = scene.bash("yes | head -c 3000000").await;
    assert!(
        result
            .content
            .contains("Of its output the first 1.0 MiB are in /")
            && result.content.contains("`limits.output_mib`"),
        "{}",
        result.content
    );
    let result = scene.bash("yes | head -c 1000000").await;
    assert!(!result.content.contains("output_mib"), "{}", result.content);
}
