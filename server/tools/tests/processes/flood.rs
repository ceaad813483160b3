//! Far more output than memory may be used for it.

use std::fs::{self, File};
use std::io::Read;

use crate::scene::{Scene, bytes};

const TOTAL: u64 = 2 << 30;
const LINE: &[u8] = b"0123456789 abcdefghijklmnopqrstuvwxyz\n";

/// The most memory that a process has held, in bytes; none: there is no such process.
fn peak(process: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = peak?.split_whitespace().next()?;
    Some(kilobytes.parse::<u64>().unwrap() * 1024)
}

#[tokio::test(flavor = "multi_thread")]
async fn two_gigabytes_come_through_whole_in_little_memory() {
    let scene = Scene::new();
    let artifact = scene.folder.path().join("artifact");
    let line = str::from_utf8(LINE).unwrap().trim_end();
    let mut spec = scene.spec(&format!("yes '{line}' | head -c {TOTAL}"));
    spec.artifact = Some(artifact.clone());
    let before = peak("self").unwrap();
    let running = scene.start(spec).await;
    let mut supervisor = 0;
    while !running
        .changed(running.output().bytes + (64 << 20))
        .await
        .closed
    {
        // It was started first.
        if let Some((pid, _)) = scene.left().first() {
            supervisor = supervisor.max(peak(&pid.to_string()).unwrap_or(0));
        }
    }
    scene.end(&running).await;
    let grown = peak("self").unwrap() - before;
    assert!(grown < 64 << 20, "{grown} bytes more");
    assert!(
        0 < supervisor && supervisor < 64 << 20,
        "{supervisor} bytes"
    );

    let output = running.output();
    assert_eq!((output.bytes, output.artifact_bytes), (TOTAL, TOTAL));
    assert_eq!(output.lines, TOTAL.div_ceil(LINE.len() as u64));
    assert_eq!(output.head.len() + output.tail.len(), 2);
    let expected = |at: u64, length: usize| -> Vec<u8> {
        let skip = (at % LINE.len() as u64) as usize;
        LINE.iter()
            .copied()
            .cycle()
            .skip(skip)
            .take(length)
            .collect()
    };
    let (head, tail) = (&output.head[0].bytes, &output.tail[0].bytes);
    assert!(*head == expected(0, 64 * 1024));
    assert!(*tail == expected(TOTAL - (256 << 10), 256 << 10));

    // The artifact, in parts of whole lines.
    let part = expected(0, LINE.len() * 8192);
    let mut file = File::open(&artifact).unwrap();
    let mut buffer = vec![0; part.len()];
    let mut left = TOTAL;
    while left > 0 {
        let length = left.min(part.len() as u64) as usize;
        file.read_exact(&mut buffer[..length]).unwrap();
        assert!(buffer[..length] == part[..length]);
        left -= length as u64;
    }
    assert_eq!(file.read(&mut buffer).unwrap(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_an_artifact_head_and_tail_are_right_all_the_same() {
    let scene = Scene::new();
    let (running, _) = scene.run(scene.spec("seq 1 10")).await;
    assert_eq!(bytes(&running), b"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n");
    let (running, _) = scene.run(scene.spec("seq 1 1000000")).await;
    let output = running.output();
    assert_eq!(output.lines, 1_000_000);
    assert!(output.head[0].bytes.starts_with(b"1\n2\n"));
    assert!(output.tail[0].bytes.ends_with(b"\n999999\n1000000\n"));
    assert_eq!(output.artifact_bytes, 0);
}
