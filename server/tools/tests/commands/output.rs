//! What is shown of an output, and where the whole of it is.

use mewcode_tools::error::ErrorKind;
use mewcode_tools::notice::Notice;
use mewcode_tools::result::Rest;
use serde_json::json;

use super::scene::{Scene, untimed};

#[tokio::test]
async fn standard_error_is_marked_where_there_is_other_output() {
    let mut scene = Scene::new();
    // Each line is printed when the one before it has been seen, for they come by two pipes.
    let seen = |line: &str| format!("until [ -e {line}.seen ]; do sleep 0.01; done");
    let (one, two) = (seen("one"), seen("two"));
    let call = json!({"command": format!("echo one; {one}; echo two >&2; {two}; printf three")});
    let call = scene.begin("bash", call);
    for line in ["one", "two"] {
        while !matches!(scene.notice().await, Notice::Output { tail } if tail.contains(line)) {}
        scene.write(&format!("{line}.seen"), "");
    }
    let result = call.await.unwrap();
    insta::assert_snapshot!(untimed(&result.content), @"
    Exit code 0 after SOME TIME.
    one
    stderr: two
    three
    ");
}

#[tokio::test]
async fn output_is_plain() {
    let scene = Scene::new();
    let result = scene
        .bash(r"printf '\033[31mred\033[0m\n10%%\r100%%\nbad \377\n'")
        .await;
    insta::assert_snapshot!(untimed(&result.content), @"
    Exit code 0 after SOME TIME.
    red
    100%
    bad �
    ");
}

#[tokio::test]
async fn of_a_long_output_both_ends_are_shown_and_the_whole_is_kept_for_the_session() {
    let mut scene = Scene::new();
    let result = scene.bash("seq 100000; exit 1").await;
    assert!(result.content.len() <= 8 * 1024, "{}", result.content.len());
    assert!(result.content.len() > 512 && result.content.lines().count() <= 200);
    assert!(result.content.contains("\n1\n2\n") && result.content.ends_with("\n99999\n100000\n"));
    let truncation = result.truncation.unwrap();
    assert_eq!(
        (truncation.total_lines, truncation.total_bytes),
        (100_000, 588_895)
    );
    let Rest::Artifact { path } = truncation.rest else {
        panic!("{:?}", truncation.rest);
    };
    assert!(result.content.contains(&path));
    let read = json!({"path": path, "offset": 50_000, "limit": 1});
    let page = scene.call("read_file", read.clone()).await;
    assert!(page.content.contains("\t50000\n"), "{}", page.content);
    scene.context.session = "other".to_owned();
    let refused = scene.call("read_file", read).await;
    assert_eq!(refused.error.unwrap().kind, ErrorKind::OutsideWorkspace);
}

#[tokio::test]
async fn an_output_that_is_shown_in_full_is_not_kept() {
    let scene = Scene::new();
    scene.bash("echo one").await;
    let command = &scene.host.processes.list("session")[0];
    assert!(!command.artifact().unwrap().exists());
}

#[tokio::test]
async fn of_a_test_run_the_failures_are_shown() {
    let scene = Scene::new();
    let result = scene
        .bash(
            "echo 'running 3000 tests'
            for i in $(seq 3000); do
                if [ $i = 1500 ]; then echo \"test t$i ... FAILED\"; else echo \"test t$i ... ok\"; fi
            done
            printf '\\nfailures:\\n\\n---- t1500 stdout ----\\nthread t1500 panicked at src/a.rs:1:2:\\nboom\\n\\n\\nfailures:\\n    t1500\\n\\n'
            echo 'test result: FAILED. 2999 passed; 1 failed; 0 ignored'; exit 101",
        )
        .await;
    let Some(truncation) = &result.truncation else {
        panic!("{}", result.content);
    };
    let Rest::Artifact { path } = &truncation.rest else {
        panic!("{:?}", truncation.rest);
    };
    insta::assert_snapshot!(untimed(&result.content.replace(path, "ARTIFACT")), @"
    Exit code 101 after SOME TIME.
    [cargo test: test result: FAILED. 2999 passed; 1 failed; 0 ignored; 3003 lines (52906 bytes) not shown; the whole is in ARTIFACT]
    [… 1500 lines]
    test t1500 ... FAILED
    [… 1503 lines]
    ---- t1500 stdout ----
    thread t1500 panicked at src/a.rs:1:2:
    boom


    failures:
        t1500

    test result: FAILED. 2999 passed; 1 failed; 0 ignored
    ");
}

#[tokio::test]
async fn secrets_are_taken_out_and_not_given_to_commands() {
    let scene = Scene::new().of_an_agent();
    let key = ["ghp", "_", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5"].concat();
    scene.write("a.txt", &format!("token = {key}\n"));
    let mut scene = scene;
    scene.context.ledger = None;
    let result = scene.bash("cat a.txt; sleep 0.4; echo more").await;
    insta::assert_snapshot!(untimed(&result.content), @"
    Exit code 0 after SOME TIME.
    token = ‹redacted: github token 1›
    more
    ");
    let told = scene.notices();
    assert!(
        !told.is_empty()
            && told
                .iter()
                .all(|notice| !format!("{notice:?}").contains(&key))
    );
    let result = scene.bash("echo ‹redacted: github token 1›").await;
    insta::assert_snapshot!(result.content, @"invalid_arguments: A mark `‹redacted: …›` stands for a secret that you were not shown; commands do not get it. Nothing was run. Let the command take the secret from where it is: a file, or a variable.");
}

#[tokio::test]
async fn the_newest_lines_are_told_while_a_command_runs() {
    let mut scene = Scene::new();
    let call = json!({"command": "for i in $(seq 40); do echo line $i; sleep 0.05; done"});
    scene.call("bash", call).await;
    let told = scene.notices();
    let tails: Vec<&str> = told
        .iter()
        .map(|notice| match notice {
            Notice::Output { tail } => tail.as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    // Two seconds, at most four a second; a busy machine takes longer.
    assert!(!tails.is_empty() && tails.len() < 40, "{}", tails.len());
    assert!(
        tails
            .iter()
            .all(|tail| tail.lines().count() <= 5 && tail.starts_with("line "))
    );
}

#[tokio::test]
async fn the_declared_limits_hold_for_lines_and_bytes() {
    let scene = Scene::new();
    for command in [
        "yes | head -n 100000",
        "head -c 1000000 /dev/zero | tr '\\0' x",
        "for i in $(seq 300); do echo $i >&2; done; echo end",
        "seq 1500000",
    ] {
        let result = scene.bash(command).await;
        assert!(result.is_ok() && result.truncation.is_some(), "{command}");
        assert!(result.content.len() <= 8 * 1024, "{command}");
        assert!(result.content.lines().count() <= 200, "{command}");
        assert!(
            result.content.contains("not shown; the whole is in /"),
            "{}",
            result.content
        );
    }
}

#[tokio::test]
async fn half_a_secret_is_not_shown_either() {
    let scene = Scene::new();
    let key = ["ghp", "_", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5"].concat();
    let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
    let dashes = "-----";
    let text = format!(
        "token = {key} end\n{dashes}BEGIN PRIVATE KEY{dashes}\n{line}\n{line}\n{dashes}END PRIVATE KEY{dashes}\n"
    );
    scene.write("a.txt", &text);
    let arguments = json!({"command": "cat a.txt; sleep 1000", "background": true});
    let started = scene.call("bash", arguments).await;
    assert!(started.is_ok(), "{}", started.content);
    for offset in 0..text.len() {
        let arguments = json!({
            "id": "cmd_1",
            "offset": offset,
            "until": "END PRIVATE KEY.....$|^END|^.{0,5}PRIVATE KEY|^$|-",
        });
        let page = scene.call("process_output", arguments).await;
        assert!(page.is_ok(), "{}", page.content);
        for secret in [&key[20..], &key[..20], &line[..20], &line[40..]] {
            assert!(!page.content.contains(secret), "{offset}: {}", page.content);
        }
    }
    for (offset, byte) in (1..=4).flat_map(|line| [(line, 0), (line, 12), (line, 30)]) {
        let arguments = json!({"path": "a.txt", "offset": offset, "byte_offset": byte});
        let page = scene.call("read_file", arguments).await;
        for secret in [&key[25..], &line[40..]] {
            assert!(
                !page.content.contains(secret),
                "{offset}, {byte}: {}",
                page.content
            );
        }
    }
}
