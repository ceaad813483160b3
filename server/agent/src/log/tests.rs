//! The log comes back whole from the disk, and up to the last good line when it was cut.

use std::fs::{self, OpenOptions};

use mewcode_tools::result::ToolError;
use serde_json::json;

use super::read::parse;
use super::*;

fn entries() -> Vec<Entry> {
    vec![
        Entry::UserMessage {
            content: vec![Block::text("Räume auf 🚀\nund\u{2028}so")],
        },
        Entry::PromptPrefix {
            system: "You are".into(),
            tools: vec![ToolSpec {
                name: "a".into(),
                description: "b".into(),
                schema: json!({"type": "object"}),
            }],
        },
        Entry::Request {
            turn: 0,
            provider: "scripted".into(),
            model: "m".into(),
            mode: Mode::Default,
            messages: 1,
        },
        Entry::Retry {
            attempt: 1,
            delay_ms: 5,
            error_kind: ProviderErrorKind::Overloaded,
            reason: "busy".into(),
        },
        Entry::Answer {
            content: vec![
                Block::Thinking {
                    text: "hm".into(),
                    signature: "seal".into(),
                },
                Block::RedactedThinking { data: "xyz".into() },
                Block::ToolUse {
                    id: "call_1".into(),
                    name: "a".into(),
                    input: json!({"n": 1.5}),
                },
            ],
            stop: StopReason::Other("odd".into()),
            usage: Some(Usage {
                input_tokens: 1,
                output_tokens: 2,
                cache_read_tokens: 3,
                cache_write_tokens: 4,
            }),
        },
        Entry::CallIntended {
            call: "call_1".into(),
            tool: "a".into(),
            arguments: json!({"n": 1.5}),
            fingerprint: "f".into(),
        },
        Entry::CallEnded {
            call: "call_1".into(),
            tool: "a".into(),
            result: ToolResult::error(ToolError::not_found("no `a`.")),
        },
        Entry::RunEnded {
            outcome: Outcome::Done,
            message: None,
        },
    ]
}

async fn written(state: &Path) -> PathBuf {
    let mut log = EventLog::create(state, Path::new("/home/u/my project"), "session").unwrap();
    log.begin_run("run");
    for entry in entries() {
        log.append(entry);
    }
    log.flush().await.unwrap();
    log.path().to_path_buf()
}

#[tokio::test]
async fn what_is_written_is_read_back() {
    let state = tempfile::tempdir().unwrap();
    let read = read(&written(state.path()).await).unwrap();
    assert_eq!((read.skipped.len(), read.torn), (0, false));
    let sequences: Vec<u64> = read.records.iter().map(|record| record.sequence).collect();
    assert_eq!(sequences, (1..=10).collect::<Vec<_>>());
    assert_eq!(
        (
            &*read.records[0].run,
            &*read.records[1].run,
            &*read.records[9].run
        ),
        ("", "run", "run")
    );
    let start = Entry::SessionStarted {
        version: 1,
        session: "session".into(),
        root: "/home/u/my project".into(),
    };
    let expected: Vec<Entry> = [start, Entry::RunStarted {}]
        .into_iter()
        .chain(entries())
        .collect();
    assert_eq!(
        read.records
            .into_iter()
            .map(|record| record.entry)
            .collect::<Vec<_>>(),
        expected
    );
}

#[tokio::test]
async fn a_log_cut_at_any_byte_keeps_its_whole_lines() {
    let state = tempfile::tempdir().unwrap();
    let bytes = fs::read(written(state.path()).await).unwrap();
    for cut in 0..=bytes.len() {
        let log = parse(&bytes[..cut]);
        let whole = bytes[..cut].iter().filter(|byte| **byte == b'\n').count();
        assert_eq!(
            (log.records.len(), log.skipped.len()),
            (whole, 0),
            "cut at {cut}"
        );
        assert_eq!(log.torn, cut > 0 && bytes[cut - 1] != b'\n', "cut at {cut}");
    }
}

#[tokio::test]
async fn bad_lines_in_the_middle_are_skipped_and_named() {
    let state = tempfile::tempdir().unwrap();
    let bytes = fs::read(written(state.path()).await).unwrap();
    let mut damaged = Vec::new();
    for (index, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        match index {
            2 => damaged.extend(b"\xff\xfe{\n"),
            5 => damaged.extend(
                br#"{"sequence":6,"time":1,"run":"r","kind":"from_the_future","x":1}"#
                    .iter()
                    .chain(b"\n"),
            ),
            _ => damaged.extend(line),
        }
    }
    let log = parse(&damaged);
    assert_eq!((log.skipped, log.records.len()), (vec![3, 6], 8));
}

#[tokio::test]
async fn nothing_is_in_the_file_before_a_flush_and_everything_after() {
    let state = tempfile::tempdir().unwrap();
    let mut log = EventLog::create(state.path(), Path::new("/w"), "s").unwrap();
    let count = |log: &EventLog| read(log.path()).unwrap().records.len();
    log.flush().await.unwrap();
    log.begin_run("r");
    assert_eq!(count(&log), 1);
    log.flush().await.unwrap();
    assert_eq!(count(&log), 2);
    log.append(Entry::RunEnded {
        outcome: Outcome::Done,
        message: None,
    });
    let path = log.path().to_path_buf();
    drop(log);
    assert_eq!(
        read(&path).unwrap().records.len(),
        3,
        "what waits is written at the end"
    );
}

#[tokio::test]
async fn a_log_whose_flush_was_dropped_keeps_everything_in_order() {
    let state = tempfile::tempdir().unwrap();
    let mut log = EventLog::create(state.path(), Path::new("/w"), "s").unwrap();
    {
        let mut flush = Box::pin(log.flush());
        // Polled once, so that the writing is on its way, and then given up.
        let _ = futures::poll!(&mut flush);
    }
    log.append(Entry::RunEnded {
        outcome: Outcome::Done,
        message: None,
    });
    log.flush().await.unwrap();
    let sequences: Vec<u64> = read(log.path())
        .unwrap()
        .records
        .iter()
        .map(|record| record.sequence)
        .collect();
    assert_eq!(sequences, [1, 2]);
}

#[tokio::test]
async fn what_the_disk_refuses_waits_for_the_next_flush() {
    let state = tempfile::tempdir().unwrap();
    let mut log = EventLog::create(state.path(), Path::new("/w"), "s").unwrap();
    log.flush().await.unwrap();
    log.begin_run("r");
    log.breaker()();
    let error = log.flush().await.unwrap_err().to_string();
    assert!(error.contains("s.jsonl cannot be written: "), "{error}");
    *log.lines.file.lock().unwrap() = OpenOptions::new().append(true).open(log.path()).unwrap();
    log.append(Entry::RunEnded {
        outcome: Outcome::Done,
        message: None,
    });
    log.flush().await.unwrap();
    let sequences: Vec<u64> = read(log.path())
        .unwrap()
        .records
        .iter()
        .map(|record| record.sequence)
        .collect();
    assert_eq!(sequences, [1, 2, 3]);
}

#[test]
fn a_log_is_never_begun_twice() {
    let state = tempfile::tempdir().unwrap();
    let first = EventLog::create(state.path(), Path::new("/w"), "s").unwrap();
    let error = EventLog::create(state.path(), Path::new("/w"), "s").unwrap_err();
    assert!(
        error
            .to_string()
            .contains(&first.path().display().to_string()),
        "{error}"
    );
}

#[cfg(unix)]
#[test]
fn a_log_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let state = tempfile::tempdir().unwrap();
    let log = EventLog::create(state.path(), Path::new("/w"), "s").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(log.path()), 0o600);
    assert_eq!(mode(log.path().parent().unwrap()), 0o700);
}

#[test]
fn workspaces_with_one_name_have_keys_of_their_own() {
    let key = |root: &str| workspace_key(Path::new(root));
    assert!(
        key("/home/u/my project.rs").starts_with("my_project_rs-"),
        "{}",
        key("/home/u/my project.rs")
    );
    assert_ne!(key("/home/u/x"), key("/home/v/x"));
    assert_eq!(key("/home/u/x"), key("/home/u/x"));
    assert!(key("/").starts_with("root-"), "{}", key("/"));
    assert!(key(&format!("/{}", "ü".repeat(300))).len() < 60);
}
