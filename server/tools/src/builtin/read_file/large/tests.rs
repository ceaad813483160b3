//! Files of gigabytes, with the holes that make them small on the disk.

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::PathBuf;

use mewcode_core::text::Snapshot;
use serde_json::{Value, json};

use super::*;
use crate::disk::Encoding;
use crate::guard::ResolvedPath;
use crate::testing::Scene;

const SIZE: u64 = 10 * 1024 * 1024 * 1024;

/// A log of 10 GB: lines at the beginning, in the middle and at the end, and holes between them.
fn log(scene: &Scene) -> PathBuf {
    let path = scene.path("big.log");
    let mut file = File::create(&path).unwrap();
    let lines = |name: &str| -> String {
        (1..=3000)
            .map(|number| format!("{name} {number}\n"))
            .collect()
    };
    file.write_all(lines("begin").as_bytes()).unwrap();
    file.seek(SeekFrom::Start(SIZE / 2)).unwrap();
    file.write_all(format!("\n{}", lines("middle")).as_bytes())
        .unwrap();
    let end = format!("\n{}", lines("end"));
    file.seek(SeekFrom::Start(SIZE - end.len() as u64)).unwrap();
    file.write_all(end.as_bytes()).unwrap();
    path
}

async fn read(scene: &Scene, mut arguments: Value) -> ToolResult {
    arguments["path"] = json!("big.log");
    scene.call("read_file", arguments).await
}

#[tokio::test]
async fn a_part_of_ten_gigabytes_is_found_from_either_end() {
    let scene = Scene::new();
    log(&scene);
    insta::assert_snapshot!(read(&scene, json!({"limit": 2})).await.content, @"
    big.log: 10737418240 bytes, utf-8, lf; larger than 32 MiB, so its lines are not counted, it has no sha256 and cannot be edited
         1	begin 1
         2	begin 2
    [more lines follow; go on with offset 3]
    ");
    insta::assert_snapshot!(read(&scene, json!({"offset": 2999, "limit": 4})).await.content, @"
    big.log: 10737418240 bytes, utf-8, lf; larger than 32 MiB, so its lines are not counted, it has no sha256 and cannot be edited
      2999	begin 2999
      3000	begin 3000
      3001	[5368677227 NUL bytes]
      3002	middle 1
    [more lines follow; go on with offset 3003]
    ");
    insta::assert_snapshot!(read(&scene, json!({"offset": -2})).await.content, @"
    big.log: 10737418240 bytes, utf-8, lf; larger than 32 MiB, so its lines are not counted, it has no sha256 and cannot be edited; they are numbered from the end
        -2	end 2999
        -1	end 3000
    ");
    insta::assert_snapshot!(read(&scene, json!({"offset": -3001, "limit": 2})).await.content, @"
    big.log: 10737418240 bytes, utf-8, lf; larger than 32 MiB, so its lines are not counted, it has no sha256 and cannot be edited; they are numbered from the end
     -3001	[5368648332 NUL bytes]
     -3000	end 1
    [more lines follow; go on with offset -2999]
    ");
    insta::assert_snapshot!(read(&scene, json!({"offset": 9003})).await.content, @"invalid_arguments: `big.log` has only 9002 lines; line 9003 is not there. Correct the arguments and call again.");
    insta::assert_snapshot!(read(&scene, json!({"offset": 3, "byte_offset": 8})).await.content, @"invalid_arguments: The line has only 7 bytes, fewer than `byte_offset` 8. Correct the arguments and call again.");
    let again = read(&scene, json!({"limit": 2})).await.content;
    assert!(
        again.contains("begin 1"),
        "nothing vouches that it is unchanged: {again}"
    );
    let refused = scene
        .call(
            "edit_file",
            json!({"path": "big.log", "old_string": "end 1\n", "new_string": "x\n"}),
        )
        .await;
    insta::assert_snapshot!(refused.content, @"too_large: `big.log` is larger than 32 MiB, more than can be edited. Read parts of it with read_file, or change it with a command.");
}

#[tokio::test]
async fn the_mark_is_exact_and_tells_how_to_go_on() {
    let scene = Scene::new();
    log(&scene);
    let whole = read(&scene, json!({"offset": -2000})).await;
    assert_eq!(whole.truncation, None);
    assert!(whole.content.ends_with("    -1\tend 3000\n"));
    let part = read(&scene, json!({"offset": -2001})).await;
    assert!(
        part.content
            .ends_with("    -2\tend 2999\n[more lines follow; go on with offset -1]\n")
    );
    assert_eq!(part.truncation.unwrap().rest, Rest::NotKept);
    let part = read(&scene, json!({"offset": 1001}))
        .await
        .truncation
        .unwrap();
    assert_eq!(
        part.rest,
        Rest::Next {
            offset: 3001,
            byte_offset: None
        }
    );
}

#[tokio::test]
async fn a_line_of_megabytes_is_read_in_parts() {
    let scene = Scene::new();
    let path = scene.path("big.log");
    let line = "é😀x".repeat(100_000);
    let mut file = File::create(&path).unwrap();
    file.write_all(format!("first\n{line}\nlast\n").as_bytes())
        .unwrap();
    file.set_len(SIZE).unwrap();
    let mut arguments = json!({"offset": 2, "limit": 1});
    let mut together = String::new();
    loop {
        let part = read(&scene, arguments.clone()).await;
        assert!(part.content.len() <= MAX_BYTES);
        let shown = part.content.lines().nth(1).unwrap();
        together.push_str(shown.split_once('\t').unwrap().1);
        match part.truncation.unwrap().rest {
            Rest::Next {
                offset: 2,
                byte_offset: Some(byte),
            } => arguments["byte_offset"] = json!(byte),
            rest => {
                assert_eq!(
                    rest,
                    Rest::Next {
                        offset: 3,
                        byte_offset: None
                    }
                );
                break;
            }
        }
    }
    assert!(
        together == line,
        "{} of {} bytes",
        together.len(),
        line.len()
    );
}

/// The lines of an answer without their numbers, and how it goes on.
fn bare(answer: &ToolResult) -> (Vec<&str>, Option<&Rest>) {
    let lines = answer.content.lines().skip(1);
    let bare = lines.filter_map(|line| Some(line.split_once('\t')?.1));
    let rest = answer.truncation.as_ref().map(|it| &it.rest);
    (bare.collect(), rest)
}

#[test]
fn a_page_of_a_large_file_is_that_of_a_small_one() {
    let scene = Scene::without_ledger();
    let long = "x😀é".repeat(60_000);
    for wire in [
        "a\r\nb\n\nc\r\n".to_owned(),
        "\u{feff}one\ntwo\rhalf\nthe end".to_owned(),
        format!("a\n{long}\nb\n"),
        "line\n".repeat(60_000),
    ] {
        let path = ResolvedPath {
            real: scene.write("a.txt", &wire),
            display: "a.txt".to_owned(),
        };
        let text = Snapshot::decode(&wire);
        let total = text.text().line_count();
        for (start, lines, from_byte) in [
            (Start::Line(0), 2000, 0),
            (Start::Line(0), 100_000, 1),
            (Start::Line(1), 1, 1),
            (Start::Line(1), 3, 0),
            (Start::Line(total - 1), 1, 0),
            (Start::FromEnd(1), 5, 0),
            (Start::FromEnd(total), 100_000, 0),
        ] {
            let path = path.clone();
            let reading = Reading {
                path,
                start,
                lines,
                from_byte,
                symbol: None,
                place: None,
            };
            let held = reading.read_text(&text, Encoding::Utf8).answer("a.txt");
            let large = reading
                .read_large(&CancellationToken::new())
                .unwrap()
                .unwrap();
            let ((held, held_rest), (large, large_rest)) = (bare(&held), bare(&large));
            // The two frames have not the same length, so that pages may end at other bytes.
            let shorter = held.len().min(large.len());
            assert!(shorter > 0 && held.len().abs_diff(large.len()) < 100);
            for (held, large) in held.iter().zip(&large) {
                let common = held.len().min(large.len());
                assert!(
                    common > 0 || held == large,
                    "{start:?}: {held:?}, {large:?}"
                );
                assert!(
                    held.get(..common) == large.get(..common),
                    "{start:?}, {from_byte}"
                );
            }
            assert_eq!(
                held_rest.is_some(),
                large_rest.is_some(),
                "{start:?}, {lines}"
            );
        }
    }
}

#[tokio::test]
async fn the_first_bytes_decide_whether_it_is_text() {
    let scene = Scene::without_ledger();
    let path = scene.path("big.log");
    File::create(&path).unwrap().set_len(SIZE).unwrap();
    insta::assert_snapshot!(read(&scene, json!({})).await.content, @"binary_file: `big.log` is binary data, not text. Do not read or edit it as text; ask the user if its content matters.");
    fs::write(&path, b"\xff\xfea\0\n\0b\0\r\0\n\0").unwrap();
    File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(40 * 1024 * 1024)
        .unwrap();
    let wide = read(&scene, json!({"limit": 2})).await.content;
    assert!(
        wide.starts_with("big.log: 41943040 bytes, utf-16le, mixed line endings;"),
        "{wide}"
    );
    assert!(wide.contains("     1\ta\n     2\tb\n"), "{wide}");
}

/// The peak of a process of its own, which does nothing but read.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn ten_gigabytes_cost_no_more_memory_than_what_is_shown() {
    const MARK: &str = "MEWCODE_TEST_READS_ONLY";
    let reads = [
        json!({}),
        json!({"offset": 3003}),
        json!({"offset": 9000}),
        json!({"offset": -3001}),
        json!({"offset": -1}),
        json!({"offset": 20_000}),
    ];
    if std::env::var_os(MARK).is_some() {
        let scene = Scene::new();
        log(&scene);
        for arguments in reads {
            read(&scene, arguments).await;
        }
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let peak = status.lines().find(|line| line.starts_with("VmHWM:"));
        println!("\n{}", peak.unwrap());
        return;
    }
    let module = module_path!().split_once("::").unwrap().1;
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .arg(format!(
            "{module}::ten_gigabytes_cost_no_more_memory_than_what_is_shown"
        ))
        .args(["--exact", "--nocapture"])
        .env(MARK, "1")
        .output()
        .unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    let peak = output.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes: u64 = peak
        .unwrap()
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap();
    assert!(kilobytes < 64 * 1024, "{kilobytes} kB at the peak");
}
