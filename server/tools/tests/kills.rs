//! A process that changes files is killed (SIGKILL) at random moments, again and again. After each kill the next start
//! puts things in order: each file is whole, old or new; a change of several files is there or not; nothing of ours is
//! left beside them.

#![cfg(unix)]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

#[path = "kills/scene.rs"]
mod scene;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use mewcode_tools::disk::Journal;
use scene::{Scene, Work};
use tempfile::TempDir;

/// How often each kind of work is killed.
const KILLS: usize = 500;

/// What tells the test binary that it is the process to be killed, and where it works.
const FOLDER: &str = "MEWCODE_KILLS_FOLDER";
const WORK: &str = "MEWCODE_KILLS_WORK";

/// The process that is killed: the same binary, told by its environment. As a test of its own it does nothing.
#[test]
fn child() {
    let (Ok(folder), Ok(work)) = (std::env::var(FOLDER), std::env::var(WORK)) else {
        return;
    };
    let mut changes = Scene::at(folder.into()).changes(work.parse().unwrap());
    // The line tells the parent that changes begin.
    println!("\nready");
    for _ in 0..100_000 {
        changes.next();
    }
}

#[test]
fn single_writes_survive_kills() {
    kill_again_and_again(Work::Single);
}

#[test]
fn changes_of_several_files_survive_kills() {
    kill_again_and_again(Work::Several);
}

fn kill_again_and_again(work: Work) {
    let folder = folder();
    let scene = Scene::at(folder.path().canonicalize().unwrap());
    scene.begin();
    let duration = time_of_four_changes(&scene, work);
    let mut random = Random::new();
    let mut seen = Seen::default();
    for kill in 0..KILLS {
        let mut child = start(&scene, work);
        // Not waiting for anything: the moment itself is what is tried.
        std::thread::sleep(duration.mul_f64(random.fraction()));
        child.kill().unwrap();
        child.wait().unwrap();
        let left = scene.temporaries().len();
        let told = scene.journal().recover();
        let place = format!("kill {kill}, seed {}: {told:#?}", random.seed);
        scene.assert_whole(work, &place);
        assert_eq!(scene.temporaries(), [""; 0], "{place}");
        assert_eq!(scene.records(), 0, "{place}");
        assert!(
            !told.iter().any(|told| told.contains("left as they are")),
            "{place}"
        );
        seen.temporaries += left;
        seen.taken_back += usize::from(told.iter().any(|told| told.contains("taken back")));
    }
    // A test whose kills never hit would prove nothing.
    eprintln!("{work:?}: {duration:?} for four changes, {seen:?} in {KILLS} kills");
    assert!(seen.temporaries > 0, "{seen:?}");
    if work == Work::Several {
        assert!(seen.taken_back > 0, "{seen:?}");
    }
}

/// What the kills left for the next start.
#[derive(Debug, Default)]
struct Seen {
    temporaries: usize,
    taken_back: usize,
}

fn time_of_four_changes(scene: &Scene, work: Work) -> Duration {
    const CHANGES: u32 = 40;
    let mut changes = scene.changes(work);
    let started = Instant::now();
    for _ in 0..CHANGES {
        changes.next();
    }
    started.elapsed() * 4 / CHANGES
}

/// In memory where the system has a place for that: what a kill leaves does not depend on the disk, on which each
/// change would take a hundred times as long.
fn folder() -> TempDir {
    tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .unwrap()
}

/// Starts the process and waits until its changes begin.
fn start(scene: &Scene, work: Work) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["child", "--exact", "--nocapture", "--test-threads=1"])
        .env(FOLDER, scene.folder())
        .env(WORK, work.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(
        lines.map_while(Result::ok).any(|line| line == "ready"),
        "the process begins"
    );
    child
}

/// A small generator (xorshift) with a seed that is told and can be given: `MEWCODE_SEED`.
struct Random {
    seed: u64,
    state: u64,
}

impl Random {
    fn new() -> Random {
        let given = std::env::var("MEWCODE_SEED").ok();
        let seed = given.map_or_else(
            || u64::from(std::process::id()) << 20 | 1,
            |seed| seed.parse().expect("a number"),
        );
        Random { seed, state: seed }
    }

    /// Between 0 and 1.
    fn fraction(&mut self) -> f64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The journal's folder in a scene's.
fn journal_of(folder: &std::path::Path) -> Journal {
    Journal::new(folder.join("state/changes"))
}
