//! What becomes of the output of a command.

use std::time::Duration;

use mewcode_tools::process::{Cause, Stop, Watch};
use regex::bytes::Regex;

use crate::scene::{PATIENCE, Scene, bytes, text};

#[tokio::test(flavor = "multi_thread")]
async fn every_byte_is_kept_as_it_was_written() {
    let scene = Scene::new();
    let mut spec = scene.spec(r"printf '\377\376a\0b\r\n\033[31m\xc3'");
    let artifact = scene.folder.path().join("artifact");
    spec.artifact = Some(artifact.clone());
    let (running, _) = scene.run(spec).await;
    let written = b"\xff\xfea\0b\r\n\x1b[31m\xc3";
    assert_eq!(bytes(&running), written);
    assert_eq!(std::fs::read(artifact).unwrap(), written);
    assert_eq!(text(&running), "\u{fffd}\u{fffd}ab\n\u{fffd}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pattern_is_waited_for_wherever_the_output_is_cut() {
    let scene = Scene::new();
    let line = "head -c 300000 /dev/zero; printf 'Serv'; sleep 0.2; echo 'ing on 8080'; sleep 1000";
    let mut spec = scene.spec(line);
    spec.artifact = Some(scene.folder.path().join("artifact"));
    spec.background = true;
    let running = scene.start(spec).await;
    let pattern = Regex::new(r"Serving on (\d+)").unwrap();
    let watch = running.watch(0, &pattern, PATIENCE).await.unwrap();
    assert_eq!(watch, Watch::Found { offset: 300_000 });
    // From behind it there is none.
    let watch = running
        .watch(300_001, &pattern, Duration::from_millis(50))
        .await;
    assert_eq!(watch.unwrap(), Watch::TimedOut);
    let (watch, ()) = tokio::join!(running.watch(300_001, &pattern, PATIENCE), async {
        running.stop(Stop::Stopped);
    });
    assert_eq!(watch.unwrap(), Watch::Ended);
    scene.end(&running).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reading_on_while_it_prints_gives_every_byte_once() {
    let scene = Scene::new();
    let mut spec = scene.spec("seq 1 200000");
    spec.artifact = Some(scene.folder.path().join("artifact"));
    let running = scene.start(spec).await;
    let mut read = Vec::new();
    loop {
        let progress = running.changed(read.len() as u64).await;
        let chunk = running.read(read.len() as u64, 50_000).unwrap();
        assert_eq!(chunk.offset, read.len() as u64);
        read.extend(chunk.pieces.into_iter().flat_map(|piece| piece.bytes));
        if progress.closed && chunk.next == chunk.total {
            break;
        }
    }
    scene.end(&running).await;
    let expected: String = (1..=200_000).map(|number| format!("{number}\n")).collect();
    assert!(read == expected.as_bytes(), "{} bytes", read.len());
    assert_eq!(running.output().lines, 200_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_artifact_has_a_largest_size() {
    let scene = Scene::new();
    let mut spec = scene.spec("seq 1 200000");
    let artifact = scene.folder.path().join("artifact");
    spec.artifact = Some(artifact.clone());
    spec.artifact_limit = 100_000;
    let (running, ending) = scene.run(spec).await;
    assert_eq!(
        ending.cause,
        Cause::Exited,
        "the command is not kept from writing"
    );
    let output = running.output();
    assert_eq!(output.artifact_bytes, 100_000);
    assert_eq!(output.bytes, 1_288_895);
    assert_eq!(std::fs::metadata(artifact).unwrap().len(), 100_000);
    let tail = output.tail.last().unwrap();
    assert!(tail.bytes.ends_with(b"\n199999\n200000\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stranger_that_holds_the_output_keeps_nobody_waiting() {
    let scene = Scene::new();
    // This process, which is none of the command's, opens its output.
    let running = scene
        .start(scene.spec("mkfifo go; echo ready; read x < go; true"))
        .await;
    crate::scene::printed(&running, "ready").await;
    let shell = scene
        .left()
        .into_iter()
        .find(|(_, line)| line.starts_with("/bin/bash"))
        .unwrap();
    let held = std::fs::File::options()
        .write(true)
        .open(format!("/proc/{}/fd/1", shell.0))
        .unwrap();
    running.stop(Stop::Stopped);
    scene.end(&running).await;
    drop(held);
}
