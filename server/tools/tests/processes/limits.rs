//! What a command may use, and what happens beyond.

use mewcode_tools::process::{Cause, LimitHit};

use crate::scene::{Scene, text};

const MEGABYTE: u64 = 1 << 20;

#[tokio::test(flavor = "multi_thread")]
async fn too_much_memory_of_all_processes_together_ends_it() {
    let scene = Scene::new();
    let one = "python3 -c 'import time; x = b\"x\" * (60 << 20); time.sleep(1000)'";
    let mut spec = scene.spec(&format!("{one} & {one} & {one}; wait"));
    spec.limits.memory = Some(150 * MEGABYTE);
    let (_, ending) = scene.run(spec).await;
    assert!(
        matches!(ending.cause, Cause::Limit(LimitHit::Memory { used, .. }) if used > 150 * MEGABYTE),
        "{ending:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_that_processes_share_counts_once() {
    let scene = Scene::new();
    // 60 MB that five processes have in common, for longer than it takes to look twice.
    let line = "python3 -c '
import os, time
x = b\"x\" * (60 << 20)
for _ in range(4):
    if os.fork() == 0:
        break
time.sleep(1)
'";
    let mut spec = scene.spec(line);
    spec.limits.memory = Some(150 * MEGABYTE);
    let (running, ending) = scene.run(spec).await;
    assert_eq!(ending.cause, Cause::Exited, "{}", text(&running));
}

#[tokio::test(flavor = "multi_thread")]
async fn too_large_a_file_ends_it() {
    let scene = Scene::new();
    for line in [
        "head -c 10M /dev/zero > large",
        "head -c 10M /dev/zero > large; exit $?",
        "exec head -c 10M /dev/zero > large",
    ] {
        let mut spec = scene.spec(line);
        spec.limits.file_size = Some(MEGABYTE);
        let (running, ending) = scene.run(spec).await;
        assert_eq!(
            ending.cause,
            Cause::Limit(LimitHit::FileSize { limit: MEGABYTE }),
            "{line}: {}",
            text(&running)
        );
        let written = std::fs::metadata(scene.folder.path().join("large")).unwrap();
        assert_eq!(written.len(), MEGABYTE);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_stays_below_its_limits_is_left_alone() {
    let scene = Scene::new();
    let mut spec = scene
        .spec("for i in 1 2 3 4; do sleep 0.3 & done; wait; head -c 1M /dev/zero > f; echo $?");
    spec.limits.memory = Some(1024 * MEGABYTE);
    spec.limits.processes = Some(10);
    spec.limits.file_size = Some(MEGABYTE);
    let (running, ending) = scene.run(spec).await;
    assert_eq!(ending.cause, Cause::Exited);
    assert_eq!(text(&running), "0\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_system_without_memory_ends_the_command_first() {
    let scene = Scene::new();
    let line = "cat /proc/self/oom_score_adj /proc/$PPID/oom_score_adj";
    let (running, _) = scene.run(scene.spec(line)).await;
    let own = std::fs::read_to_string("/proc/self/oom_score_adj").unwrap();
    assert_eq!(text(&running), format!("500\n{own}"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_crashes_leaves_no_image_of_its_memory() {
    let scene = Scene::new();
    let (running, _) = scene.run(scene.spec("ulimit -Hc; ulimit -Sc")).await;
    assert_eq!(text(&running), "0\n0\n");
}
