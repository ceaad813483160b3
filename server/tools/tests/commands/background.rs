//! Commands in the background, and the tools about them.

use mewcode_tools::error::ErrorKind;
use mewcode_tools::result::{Rest, Status};
use serde_json::json;

use super::scene::{Scene, StoppedClock};

/// The text without times.
fn untimed(content: &str) -> String {
    let time = regex::Regex::new(r"\b(\d+ ms|\d+(\.\d)? s|\d+ min( \d+ s)?)\b").unwrap();
    time.replace_all(content, "SOME TIME").into_owned()
}

#[tokio::test]
async fn a_background_command_goes_on_and_its_output_is_read() {
    let scene = Scene::new();
    let arguments = json!({
        "command": "echo ready; read line; echo got $line; sleep 1000",
        "description": "wait for a line",
    });
    let id = scene.started(arguments).await;
    assert_eq!(id, "cmd_1");
    let waited = scene
        .call(
            "process_output",
            json!({"id": id, "until": "^ready$", "wait_ms": 30_000}),
        )
        .await;
    insta::assert_snapshot!(untimed(&waited.content), @"
    `cmd_1`: running for SOME TIME.
    What fits `^ready$` is at byte 0.
    ready
    ");
    let listed = scene.call("process_list", json!({})).await;
    insta::assert_snapshot!(untimed(&listed.content), @"cmd_1: running for SOME TIME, 6 bytes printed: `echo ready; read line; echo got $line; sleep 1000` (wait for a line)");
    let typed = scene
        .call("process_input", json!({"id": id, "text": "hello\n"}))
        .await;
    insta::assert_snapshot!(untimed(&typed.content), @"
    Typed into `cmd_1`: running for SOME TIME.
    got hello
    ");
    let stopped = scene.call("process_stop", json!({"id": id})).await;
    insta::assert_snapshot!(untimed(&stopped.content), @"
    `cmd_1`: stopped after SOME TIME.
    ready
    got hello
    ");
    let again = scene.call("process_stop", json!({"id": id})).await;
    assert!(
        again
            .content
            .starts_with("`cmd_1` had ended before: stopped after "),
        "{}",
        again.content
    );
    let typed = scene
        .call("process_input", json!({"id": id, "text": "x\n"}))
        .await;
    assert_eq!(typed.error.unwrap().kind, ErrorKind::Unavailable);
}

#[tokio::test(start_paused = true)]
async fn what_fails_at_once_is_told_at_once() {
    let (scene, _clock) = (Scene::new(), StoppedClock::new());
    let arguments = json!({"command": "echo no >&2; exit 7", "background": true});
    let result = scene.call("bash", arguments).await;
    assert_eq!(result.metrics.exit_code, Some(7));
    insta::assert_snapshot!(untimed(&result.content), @"
    Exit code 7 after SOME TIME.
    It was to run in the background, as `cmd_1`.
    All of the output is standard error.
    no
    ");
}

#[tokio::test]
async fn a_long_output_is_read_page_by_page() {
    let scene = Scene::new();
    let id = scene
        .started(json!({"command": "seq 5000; sleep 1000"}))
        .await;
    let wait = json!({"id": id, "until": "^5000$"});
    scene.call("process_output", wait).await;
    let (mut offset, mut read) = (0, String::new());
    for _ in 0..100 {
        let page = scene
            .call("process_output", json!({"id": id, "offset": offset}))
            .await;
        assert!(page.content.len() <= 8 * 1024 && page.content.lines().count() <= 200);
        let lines = page
            .content
            .lines()
            .filter(|line| line.parse::<u32>().is_ok());
        read.extend(lines.map(|line| format!("{line}\n")));
        match page.truncation.map(|truncation| truncation.rest) {
            Some(Rest::Next { offset: next, .. }) => offset = next,
            None => break,
            other => panic!("{other:?}"),
        }
    }
    let expected: String = (1..=5000).map(|number| format!("{number}\n")).collect();
    assert_eq!(read, expected);
    let past = scene
        .call("process_output", json!({"id": id, "offset": 1_000_000}))
        .await;
    assert_eq!(past.error.unwrap().kind, ErrorKind::InvalidArguments);
}

#[tokio::test]
async fn waiting_ends_with_the_time_and_with_the_command() {
    let scene = Scene::new();
    let id = scene
        .started(json!({"command": "echo one; read line; echo two"}))
        .await;
    let wait = json!({"id": id, "until": "never", "wait_ms": 50});
    let result = scene.call("process_output", wait).await;
    assert!(
        result
            .content
            .contains("\nNothing fits `never` within 50 ms.\n"),
        "{}",
        result.content
    );
    assert!(result.metrics.waited_ms >= 50, "{:?}", result.metrics);
    scene
        .call("process_input", json!({"id": id, "close": true}))
        .await;
    let wait = json!({"id": id, "until": "never", "wait_ms": 60_000});
    let result = scene.call("process_output", wait).await;
    assert!(
        result
            .content
            .contains("\nIt will print nothing more, and nothing fits `never`.\none\ntwo\n"),
        "{}",
        result.content
    );
}

#[tokio::test]
async fn a_wait_for_the_end_tells_how_it_ended() {
    let scene = Scene::new();
    let line = "read line; echo done; exit 3";
    let waits = [
        json!({"until": "never", "wait_ms": 60_000}),
        json!({"offset": 5, "wait_ms": 60_000}),
    ];
    for wait in waits {
        let id = scene.started(json!({"command": line})).await;
        let close = json!({"id": id, "close": true});
        scene.call("process_input", close).await;
        let mut wait = wait;
        wait["id"] = json!(id);
        let result = scene.call("process_output", wait).await;
        assert!(
            result
                .content
                .starts_with(&format!("`{id}`: exit code 3 after ")),
            "{}",
            result.content
        );
        assert_eq!(result.metrics.exit_code, Some(3));
    }
}

#[tokio::test]
async fn the_signal_that_ended_it_is_measured() {
    let scene = Scene::new();
    let id = scene.started(json!({"command": "exec sleep 1000"})).await;
    let stopped = scene.call("process_stop", json!({"id": id})).await;
    assert_eq!(
        (stopped.metrics.exit_code, stopped.metrics.signal),
        (None, Some(15)),
        "{}",
        stopped.content
    );
    let looked = scene.call("process_output", json!({"id": id})).await;
    assert_eq!(looked.metrics.signal, Some(15), "{}", looked.content);
}

/// Its output is closed, and it goes on.
#[tokio::test]
async fn what_goes_on_without_a_word_is_not_waited_for_long() {
    let scene = Scene::new();
    let line = "exec >/dev/null 2>&1; sleep 1000";
    let id = scene.started(json!({"command": line})).await;
    let wait = json!({"id": id, "until": "never", "wait_ms": 60_000});
    let result = scene.call("process_output", wait).await;
    assert!(
        result.content.starts_with(&format!("`{id}`: running for ")),
        "{}",
        result.content
    );
    assert_eq!(result.metrics.exit_code, None);
    scene.host.processes.end_all().await;
}

#[tokio::test]
async fn a_cancelled_wait_ends_and_the_command_goes_on() {
    let scene = Scene::new();
    let id = scene.started(json!({"command": "sleep 1000"})).await;
    let (runtime, mut context) = (scene.runtime.clone(), scene.context.clone());
    context.cancel = context.cancel.child_token();
    let cancel = context.cancel.clone();
    let wait = json!({"id": id, "until": "never", "wait_ms": 300_000});
    let call = tokio::spawn(async move { runtime.call(&context, "process_output", wait).await });
    tokio::task::yield_now().await;
    cancel.cancel();
    assert_eq!(call.await.unwrap().status, Status::Interrupted);
    let command = scene.host.processes.get("session", &id).unwrap();
    assert_eq!(command.ending(), None);
    scene.host.processes.end_session("session").await;
}

#[tokio::test]
async fn a_terminal_takes_keys() {
    let scene = Scene::new();
    let arguments = json!({
        "command": "trap 'echo interrupted' INT; tty >/dev/null && echo terminal; while true; do sleep 0.1; done",
        "pty": true,
    });
    let id = scene.started(arguments).await;
    scene
        .call("process_output", json!({"id": id, "until": "terminal"}))
        .await;
    scene
        .call("process_input", json!({"id": id, "keys": ["ctrl-c"]}))
        .await;
    let result = scene
        .call("process_output", json!({"id": id, "until": "interrupted"}))
        .await;
    assert!(
        result
            .content
            .contains("What fits `interrupted` is at byte "),
        "{}",
        result.content
    );
    let key = json!({"id": id, "keys": ["hyper-x"]});
    let unknown = scene.call("process_input", key).await;
    assert_eq!(unknown.error.unwrap().kind, ErrorKind::InvalidArguments);
    scene.call("process_stop", json!({"id": id})).await;
    let id = scene.started(json!({"command": "sleep 1000"})).await;
    let result = scene
        .call("process_input", json!({"id": id, "keys": ["ctrl-c"]}))
        .await;
    insta::assert_snapshot!(result.content, @"invalid_arguments: `cmd_2` has no terminal, so no keys can be pressed. End it with process_stop, or start it again with `pty`.");
    scene.host.processes.end_all().await;
}

#[tokio::test]
async fn commands_belong_to_their_session() {
    let mut scene = Scene::new();
    let id = scene.started(json!({"command": "sleep 1000"})).await;
    scene.context.session = "other".to_owned();
    for tool in ["process_output", "process_stop"] {
        let result = scene.call(tool, json!({"id": id})).await;
        insta::allow_duplicates! {
            insta::assert_snapshot!(result.content, @"not_found: There is no command `cmd_1` in this session. Start one with bash, setting `background`.");
        }
    }
    assert_eq!(
        scene.call("process_list", json!({})).await.content,
        "No command runs.\n"
    );
    scene.host.processes.end_session("session").await;
    scene.context.session = "session".to_owned();
    assert_eq!(
        scene.call("process_list", json!({})).await.content,
        "No command runs.\n"
    );
}

#[tokio::test]
async fn a_background_test_run_is_told_in_short_when_it_has_ended() {
    let scene = Scene::new();
    let arguments = json!({
        "command": "echo 'running 900 tests'; for i in $(seq 900); do echo \"test t$i ... ok\"; done; sleep 0.5; echo 'test result: ok. 900 passed; 0 failed'",
    });
    let id = scene.started(arguments).await;
    let result = scene
        .call("process_output", json!({"id": id, "until": "^test result"}))
        .await;
    assert!(
        result
            .content
            .contains("[cargo test: test result: ok. 900 passed; 0 failed; "),
        "{}",
        result.content
    );
}
