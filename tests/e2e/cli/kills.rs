//! `mewcode call` is killed (SIGKILL) at random moments of a change. The next call puts things in order and says so: each
//! file is whole, old or new, a patch is there or not, nothing is left beside the files, and nothing but the result is on
//! standard output.

use std::collections::BTreeMap;
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::scene::Scene;

const KILLS: usize = 150;

#[test]
fn a_killed_write_leaves_the_old_file_or_the_new_one() {
    let content = |state: usize| format!("state {state}\n").repeat(2000 + state * 500);
    kill_calls(
        "write_file",
        |state| BTreeMap::from([("a.txt".to_owned(), content(state))]),
        |to| json!({ "path": "a.txt", "content": content(to) }),
    );
}

#[test]
fn a_killed_patch_is_there_or_not() {
    let line = |state: usize| if state == 0 { "old" } else { "new" };
    let body = "context\n".repeat(500);
    let files = |state: usize| {
        let mut files = BTreeMap::new();
        for name in ["a.txt", "b.txt", "c.txt"] {
            files.insert(name.to_owned(), format!("{}\n{body}", line(state)));
        }
        let (come, moved) = if state == 0 {
            ("here.txt", "from.txt")
        } else {
            ("sub/there.txt", "sub/to.txt")
        };
        files.insert(come.to_owned(), "made\n".to_owned());
        files.insert(moved.to_owned(), format!("{}\n{body}", line(state)));
        files
    };
    kill_calls("apply_patch", files, |to| {
        let (old, new) = (line(1 - to), line(to));
        let mut patch = "*** Begin Patch\n".to_owned();
        for name in ["a.txt", "b.txt", "c.txt"] {
            patch += &format!("*** Update File: {name}\n@@\n-{old}\n+{new}\n");
        }
        let (gone, made, from, moved) = if to == 1 {
            ("here.txt", "sub/there.txt", "from.txt", "sub/to.txt")
        } else {
            ("sub/there.txt", "here.txt", "sub/to.txt", "from.txt")
        };
        patch += &format!("*** Add File: {made}\n+made\n*** Delete File: {gone}\n");
        patch += &format!("*** Update File: {from}\n*** Move to: {moved}\n@@\n-{old}\n+{new}\n");
        patch += "*** End Patch\n";
        json!({ "patch": patch })
    });
}

/// The supervisor of a command is killed, and before the caller can see to it, the caller too.
#[test]
fn what_stood_in_for_something_in_a_sandbox_is_removed_by_the_next_call() {
    use rustix::process::{Pid, Signal, kill_process};
    let scene = Scene::new();
    let command =
        json!({ "command": "echo $PPID > number; mv number supervisor; exec sleep 1000" });
    let mut caller = scene
        .command(&["call", "bash", &command.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    let number = scene.work().join("supervisor");
    while !number.exists() {
        assert!(Instant::now() < deadline, "the command runs");
        std::thread::sleep(Duration::from_millis(1));
    }
    let supervisor: i32 = fs::read_to_string(&number).unwrap().trim().parse().unwrap();
    kill_process(Pid::from_child(&caller), Signal::STOP).unwrap();
    kill_process(Pid::from_raw(supervisor).unwrap(), Signal::KILL).unwrap();
    caller.kill().unwrap();
    caller.wait().unwrap();
    fs::remove_file(number).unwrap();
    let names = || fs::read_dir(scene.work()).unwrap().count();
    assert_ne!(names(), 0, "folders that stood in for others");

    let next = scene.run(&["call", "glob", r#"{"pattern": "*"}"#]);
    assert_eq!((next.status, next.stderr.as_str()), (0, ""));
    assert_eq!(names(), 0);
}

#[test]
fn what_a_call_left_is_put_in_order_by_the_next_one_which_says_so() {
    let scene = Scene::new();
    scene.write("work/a.txt", "one\n");
    scene.write("work/new.txt", "half of a change\n");
    scene.write("work/.mewcode-0000000000000001.tmp", "half of");
    let path = |name: &str| scene.work().canonicalize().unwrap().join(name);
    let sha256: String = Sha256::digest("half of a change\n")
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let lines = [
        json!({ "begin": { "version": 1, "several": true } }).to_string(),
        json!({ "step": {
            "step": { "create": { "path": path("new.txt"), "new": sha256 } },
            "bytes": 0,
        } })
        .to_string(),
        // The bytes of the step: none.
        String::new(),
        json!({ "temporary": path(".mewcode-0000000000000001.tmp") }).to_string(),
        // The process ended while it wrote this.
        "{\"temporary\":".to_owned(),
    ];
    scene.write(
        "home/.local/state/mewcode/changes/0000000000000001.record",
        &lines.join("\n"),
    );
    let read = scene.run(&["call", "read_file", r#"{"path": "a.txt"}"#]);
    assert_eq!(read.json()["status"], "ok");
    insta::assert_snapshot!(read.stderr, @"
    mewcode: A change was broken off when the process ended, and was taken back: `work/new.txt` is as before it.
    mewcode: A temporary file of a change that was broken off was removed: work/.mewcode-0000000000000001.tmp.
    ");
    assert_eq!(present(&scene).into_keys().collect::<Vec<_>>(), ["a.txt"]);
    let again = scene.run(&["call", "read_file", r#"{"path": "a.txt"}"#]);
    assert_eq!(again.stderr, "");
}

/// Goes from one state of the files to the other and back, killed on the way, again and again.
fn kill_calls(
    tool: &str,
    files: impl Fn(usize) -> BTreeMap<String, String>,
    arguments: impl Fn(usize) -> Value,
) {
    let scene = Scene::new();
    for (name, content) in files(0) {
        scene.write(&format!("work/{name}"), &content);
    }
    let started = Instant::now();
    let first = scene.run_with(&["call", tool], &arguments(1).to_string());
    assert_eq!(first.status, 0, "{}{}", first.stdout, first.stderr);
    let mut duration = started.elapsed();
    let (mut state, mut changed, mut told) = (1, 0, 0);
    let mut random = std::process::id() | 1;
    let seed = random;
    for kill in 0..KILLS {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        let mut child = scene
            .command(&["call", tool, &arguments(1 - state).to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Not waiting for anything: the moment itself is what is tried.
        let moment = duration.mul_f64(f64::from(random) / f64::from(u32::MAX) * 1.6);
        std::thread::sleep(moment);
        child.kill().unwrap();
        child.wait().unwrap();
        let next = scene.run(&["call", "read_file", r#"{"path": "a.txt"}"#]);
        let place = format!(
            "kill {kill}, seed {seed}, after {moment:?}: {}",
            next.stderr
        );
        assert_eq!(next.json()["status"], "ok", "{place}");
        told += usize::from(!next.stderr.is_empty());
        let present = present(&scene);
        let found = [0, 1].into_iter().find(|state| files(*state) == present);
        let names: Vec<_> = present.keys().collect();
        let found = found.unwrap_or_else(|| panic!("{place}\n{names:?}"));
        // However long a change takes by now: some kills come before its end, and some after it.
        duration = duration.mul_f64(if found == state { 1.1 } else { 0.9 });
        changed += usize::from(found != state);
        state = found;
        let state_folder = scene.home().join(".local/state/mewcode/changes");
        let records = fs::read_dir(state_folder).map_or(0, Iterator::count);
        assert_eq!(records, 0, "{place}");
    }
    // A test whose kills all came too early or too late would prove nothing.
    eprintln!("{tool}: {changed} changes came to their end, {told} were put in order, of {KILLS}");
    assert!(changed > 0 && changed < KILLS, "{changed} of {KILLS}");
}

/// Every file in the workspace with its content.
fn present(scene: &Scene) -> BTreeMap<String, String> {
    let work = scene.work();
    let files = scene.paths().into_iter().filter(|path| path.is_file());
    files
        .filter_map(|path| {
            let name = path.strip_prefix(&work).ok()?.to_str().unwrap().to_owned();
            let content = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            Some((name, content))
        })
        .collect()
}
