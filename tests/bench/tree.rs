//! Searching a large tree: `find_symbol`, and `glob` and `grep` in process against `rg --files` and `rg` started as processes, with as many
//! threads; a first search and later ones of the same workspace. `MEWCODE_BENCH_TREE` names the tree, of 50 000 files or
//! more (Debian's linux-source is one); without it nothing is measured. `MEWCODE_BENCH_RG` names another `rg`. With
//! `MEWCODE_BENCH_COLD` set, and as root, a first grep is measured with nothing of the tree in memory.

use crate::report::{Goal, Report, Row, Unit, median};
use mewcode_tools::notice::Notices;
use mewcode_tools::permission::Mode;
use mewcode_tools::{CallContext, DiskEditor, Places, Runtime, Workspace, builtin};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

const ROUNDS: usize = 15;
const COLD_ROUNDS: usize = 3;
const LEAST_FILES: usize = 50_000;

/// Both sides get so many.
const THREADS: usize = 2;

/// Against cold disks, ours.
const COLD_THREADS: usize = 8;

/// A name and the arguments: rare and common text, and an expression that no single text stands for.
const PATTERNS: [(&str, &str); 3] = [
    ("rare text", "kmem_cache_create_usercopy"),
    ("common text", "EXPORT_SYMBOL_GPL"),
    ("expression", r"struct \w+_ops\s*="),
];

/// Measures and reports.
pub fn measure(report: &mut Report) {
    let Some(root) = std::env::var_os("MEWCODE_BENCH_TREE").map(PathBuf::from) else {
        eprintln!("tree: not measured, MEWCODE_BENCH_TREE is not set");
        return;
    };
    let rg = Peer::new(root.clone());
    let files = rg.run(&["--files"]).lines;
    assert!(
        files >= LEAST_FILES,
        "a tree of {LEAST_FILES} files or more, not {files}"
    );
    glob(report, &root, &rg);
    for (name, pattern) in PATTERNS {
        grep(report, &root, &rg, name, pattern);
    }
    if std::env::var_os("MEWCODE_BENCH_COLD").is_some() {
        cold(report, &root, &rg);
    }
    memory(report, &root);
    symbols(report, &root);
}

fn glob(report: &mut Report, root: &Path, rg: &Peer) {
    let arguments = json!({"pattern": "*.c"});
    let [mut first, mut later, mut peer] = [(); 3].map(|()| Figures::default());
    for _ in 0..ROUNDS {
        let search = Search::new(root, THREADS);
        first.add(|| search.call("glob", &arguments));
        later.add(|| search.call("glob", &arguments));
        peer.add_process(|| rg.run(&["--files"]));
    }
    for (what, ours, goal) in [("glob, first", first, 0.8), ("glob, later", later, 0.2)] {
        ours.report(report, what, &peer, "rg --files", Goal::Times(goal));
    }
}

fn grep(report: &mut Report, root: &Path, rg: &Peer, name: &str, pattern: &str) {
    let arguments = json!({"pattern": pattern});
    let [mut first, mut later, mut peer] = [(); 3].map(|()| Figures::default());
    for _ in 0..ROUNDS {
        let search = Search::new(root, THREADS);
        first.add(|| search.call("grep", &arguments));
        later.add(|| search.call("grep", &arguments));
        peer.add_process(|| rg.run(&["-n", "-e", pattern]));
    }
    for (when, ours, goal) in [("first", first, 0.9), ("later", later, 0.7)] {
        let what = format!("grep, {name}, {when}");
        ours.report(report, &what, &peer, "rg", Goal::Times(goal));
    }
}

fn cold(report: &mut Report, root: &Path, rg: &Peer) {
    let arguments = json!({"pattern": PATTERNS[0].1});
    let [mut ours, mut peer] = [(); 2].map(|()| Figures::default());
    for _ in 0..COLD_ROUNDS {
        drop_caches();
        let search = Search::new(root, COLD_THREADS);
        ours.add(|| search.call("grep", &arguments));
        drop_caches();
        peer.add_process(|| rg.run(&["-n", "-e", PATTERNS[0].1]));
    }
    ours.report(
        report,
        "grep, first, cold, 8 threads",
        &peer,
        "rg -j2",
        Goal::Times(0.7),
    );
}

/// `find_symbol`: the first search of a tree, and later ones once its files have been learnt, or as many as are kept.
fn symbols(report: &mut Report, root: &Path) {
    let search = Search::new(root, THREADS);
    let find = |name: &str| search.call("find_symbol", &json!({"name": name}));
    let [mut first, mut later] = [(); 2].map(|()| Figures::default());
    first.add(|| find("kmem_cache_create_usercopy"));
    let symbols = search.runtime.workspace().symbols();
    let started = Instant::now();
    while symbols.is_learning() {
        std::thread::sleep(Duration::from_millis(100));
    }
    eprintln!("find_symbol: learning took {:?}", started.elapsed());
    for _ in 0..ROUNDS {
        later.add(|| find("kmem_cache_alloc_bulk"));
    }
    for (what, figures, goal) in [
        ("find_symbol, first", first, Goal::None),
        ("find_symbol, later", later, Goal::Under(100.0)),
    ] {
        report.add(Row {
            what: format!("{what}: time"),
            unit: Unit::Milliseconds,
            ours: median(figures.clock),
            peer: None,
            goal,
        });
    }
    report.add(Row {
        what: "memory: the kept outlines".to_owned(),
        unit: Unit::Megabytes,
        ours: symbols.memory() as f64 / 1024.0 / 1024.0,
        peer: None,
        goal: Goal::None,
    });
}

fn drop_caches() {
    let synced = Command::new("sync").status();
    assert!(
        synced.expect("sync starts").success(),
        "what is to be written is written"
    );
    std::fs::write("/proc/sys/vm/drop_caches", "3").expect("the right to drop caches");
}

fn memory(report: &mut Report, root: &Path) {
    let search = Search::new(root, THREADS);
    search.call("glob", &json!({"pattern": "*.c"}));
    let kept = search.runtime.workspace().search().memory();
    let status = std::fs::read_to_string("/proc/self/status").expect("the state of this process");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.and_then(|rest| rest.trim().strip_suffix(" kB")?.parse::<f64>().ok());
    for (what, megabytes) in [
        ("the kept list", kept as f64 / 1024.0 / 1024.0),
        (
            "this process at its peak",
            peak.expect("a figure in kB") / 1024.0,
        ),
    ] {
        report.add(Row {
            what: format!("memory: {what}"),
            unit: Unit::Megabytes,
            ours: megabytes,
            peer: None,
            goal: Goal::None,
        });
    }
}

/// Milliseconds of each turn: by the clock, and of CPU.
#[derive(Default)]
struct Figures {
    clock: Vec<f64>,
    cpu: Vec<f64>,
}

impl Figures {
    fn add(&mut self, work: impl FnOnce()) {
        let (started, cpu) = (Instant::now(), own_cpu());
        work();
        self.clock.push(started.elapsed().as_secs_f64() * 1e3);
        self.cpu.push(own_cpu() - cpu);
    }

    fn add_process(&mut self, work: impl FnOnce() -> Ran) {
        let started = Instant::now();
        let ran = work();
        self.clock.push(started.elapsed().as_secs_f64() * 1e3);
        self.cpu.push(ran.cpu);
    }

    fn report(
        self,
        report: &mut Report,
        what: &str,
        peer: &Figures,
        name: &'static str,
        goal: Goal,
    ) {
        let mean = |figures: &[f64]| figures.iter().sum::<f64>() / figures.len() as f64;
        report.add(Row {
            what: format!("{what}: time"),
            unit: Unit::Milliseconds,
            ours: median(self.clock),
            peer: Some((name, median(peer.clock.clone()))),
            goal,
        });
        // The CPU of a process that has ended is told in hundredths of a second: the mean evens that out.
        report.add(Row {
            what: format!("{what}: CPU"),
            unit: Unit::Milliseconds,
            ours: mean(&self.cpu),
            peer: Some((name, mean(&peer.cpu))),
            goal: Goal::None,
        });
    }
}

fn own_cpu() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

/// A workspace of which nothing is known yet.
struct Search {
    runtime: Runtime,
    tokio: tokio::runtime::Runtime,
}

impl Search {
    fn new(root: &Path, threads: usize) -> Self {
        let workspace = Workspace::new(
            &[root.to_owned()],
            Places::default(),
            Arc::new(DiskEditor::default()),
        );
        workspace.search().set_threads(threads);
        let tokio = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build();
        Self {
            runtime: Runtime::new(builtin::registry(), workspace),
            tokio: tokio.expect("a runtime"),
        }
    }

    fn call(&self, tool: &str, arguments: &Value) {
        let context = CallContext {
            session: "bench".to_owned(),
            call: "call".to_owned(),
            mode: Mode::Default,
            ledger: None,
            cancel: CancellationToken::new(),
            reason: String::new(),
            notices: Notices::default(),
        };
        let result = self
            .tokio
            .block_on(self.runtime.call(&context, tool, arguments.clone()));
        assert!(result.is_ok(), "{}", result.content);
    }
}

/// `rg` for one tree.
struct Peer {
    program: OsString,
    root: PathBuf,
}

/// What a run of it gave and cost.
struct Ran {
    lines: usize,
    /// Milliseconds, to a hundredth of a second.
    cpu: f64,
}

impl Peer {
    fn new(root: PathBuf) -> Self {
        let program = std::env::var_os("MEWCODE_BENCH_RG").unwrap_or_else(|| "rg".into());
        Self { program, root }
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let before = children_cpu();
        let output = Command::new(&self.program)
            .arg(format!("-j{THREADS}"))
            .args(arguments)
            .arg(".")
            .current_dir(&self.root)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .expect("rg starts");
        Ran {
            lines: output.stdout.iter().filter(|byte| **byte == b'\n').count(),
            cpu: children_cpu() - before,
        }
    }
}

/// CPU of the processes that this one has started and that have ended, in milliseconds.
fn children_cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("the state of this process");
    // The name, in parentheses, may hold blanks. The 14th and 15th fields after it are those of ended children.
    let fields = stat.rsplit_once(')').expect("a name").1.split_whitespace();
    let ticks: u64 = fields
        .skip(13)
        .take(2)
        .filter_map(|field| field.parse::<u64>().ok())
        .sum();
    ticks as f64 * 10.0
}
