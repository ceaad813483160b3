//! A folder and a mark: commands that run there, and what is left of them.

use std::fs;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mewcode_tools::process::{
    CommandSpec, Ending, Launcher, Piece, Processes, Running, Source, Watch, plain,
};
use regex::bytes::Regex;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use tempfile::TempDir;

/// Longer than anything here takes on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The variable that marks the commands of a scene.
const MARK: &str = "SCENE";

pub struct Scene {
    pub folder: TempDir,
    pub processes: Arc<Processes>,
    pub mark: String,
}

impl Scene {
    pub fn new() -> Scene {
        let folder = TempDir::new().unwrap();
        let mark = folder
            .path()
            .file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned();
        Scene::marked(folder, mark)
    }

    pub fn marked(folder: TempDir, mark: String) -> Scene {
        let launcher = Launcher::new(env!("CARGO_BIN_EXE_mewcode-supervise"));
        Scene {
            folder,
            processes: Arc::new(Processes::new(launcher)),
            mark,
        }
    }

    /// A foreground command of the session `s`, with nothing but a path and the mark in its environment.
    pub fn spec(&self, line: &str) -> CommandSpec {
        let mut spec = CommandSpec::new("s", line, self.folder.path());
        spec.environment = [("PATH", "/usr/local/bin:/usr/bin:/bin"), (MARK, &self.mark)]
            .map(|(name, value)| (name.into(), value.into()))
            .to_vec();
        spec
    }

    pub async fn start(&self, spec: CommandSpec) -> Running {
        self.processes.start(spec).await.unwrap()
    }

    /// Runs a command to its end; nothing of it is left then.
    pub async fn run(&self, spec: CommandSpec) -> (Running, Ending) {
        let running = self.start(spec).await;
        let ending = self.end(&running).await;
        (running, ending)
    }

    /// Waits for the end of a command; nothing of the scene is left then.
    pub async fn end(&self, running: &Running) -> Ending {
        let ending = tokio::time::timeout(PATIENCE, running.wait())
            .await
            .expect("it ends");
        self.nothing_is_left();
        assert_eq!(ending.remaining, []);
        ending
    }

    /// The living processes of the scene: number and command line.
    pub fn left(&self) -> Vec<(i32, String)> {
        marked(&self.mark)
    }

    /// Waits until so many run, and gives them. One that is just becoming another program is not seen.
    pub fn present(&self, count: usize) -> Vec<(i32, String)> {
        present(&self.mark, count)
    }

    pub fn nothing_is_left(&self) {
        assert_eq!(self.left(), []);
    }
}

/// The living processes with this mark.
pub fn marked(mark: &str) -> Vec<(i32, String)> {
    let variable = format!("{MARK}={mark}");
    fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| {
            let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
            // A process that has ended has no environment any longer.
            let environment = fs::read(entry.path().join("environ")).ok()?;
            let is_marked = environment
                .split(|&byte| byte == 0)
                .any(|one| one == variable.as_bytes());
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            is_marked.then_some((pid, line))
        })
        .collect()
}

/// Waits until so many processes with this mark run, and gives them.
pub fn present(mark: &str, count: usize) -> Vec<(i32, String)> {
    let begun = Instant::now();
    loop {
        let found = marked(mark);
        if found.len() >= count {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE, "{count} are awaited: {found:?}");
        std::thread::yield_now();
    }
}

/// Waits until a process has ended, by the system's own word.
pub fn gone(pid: i32) {
    let Ok(handle) = pidfd_open(Pid::from_raw(pid).unwrap(), PidfdFlags::empty()) else {
        return;
    };
    assert!(readable(&handle, PATIENCE), "process {pid} is still there");
}

pub fn readable(descriptor: &OwnedFd, patience: Duration) -> bool {
    let mut ends = [PollFd::new(descriptor, PollFlags::IN)];
    let patience = Timespec::try_from(patience).unwrap();
    poll(&mut ends, Some(&patience)).unwrap() == 1
}

/// Waits until a command has printed what matches.
pub async fn printed(running: &Running, pattern: &str) {
    let pattern = Regex::new(pattern).unwrap();
    let watch = running.watch(0, &pattern, PATIENCE).await.unwrap();
    assert!(
        matches!(watch, Watch::Found { .. }),
        "{watch:?}: {pattern} in {:?}",
        text(running)
    );
}

/// All that a command printed.
pub fn text(running: &Running) -> String {
    plain::plain(&bytes(running))
}

pub fn bytes(running: &Running) -> Vec<u8> {
    pieces(running)
        .into_iter()
        .flat_map(|piece| piece.bytes)
        .collect()
}

/// What a command printed to one of its outputs.
pub fn text_of(running: &Running, source: Source) -> String {
    let pieces = pieces(running).into_iter();
    let bytes = pieces.filter(|piece| piece.source == source);
    plain::plain(&bytes.flat_map(|piece| piece.bytes).collect::<Vec<u8>>())
}

pub fn pieces(running: &Running) -> Vec<Piece> {
    let captured = running.output();
    assert_eq!(captured.omitted, 0);
    [captured.head, captured.tail].concat()
}
