//! What `edit_file` costs on a file that no editor has open: within a process, and as a whole process; against what
//! codex and aider do with the same file.
//!
//! Measured in memory (`/dev/shm`), where fsync costs nothing, since neither peer calls it; then once more on the
//! disk, which tells what it adds. The peers are programs of others and are looked for where the environment says:
//! `MEWCODE_BENCH_CODEX` names the codex program, `MEWCODE_BENCH_AIDER` a Python that has aider.

use crate::document::{LINES, UNIQUE, large, text};
use crate::report::{Goal, Report, Row, Unit, median, milliseconds};
use mewcode_tools::headless::DiskEditor;
use mewcode_tools::notice::Notices;
use mewcode_tools::result::{ErrorKind, ToolResult};
use mewcode_tools::{CallContext, Mode, Places, Runtime, Workspace, builtin};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

const ROUNDS: usize = 25;
/// Lines of a document of 1 MB.
const ONE_MEGABYTE: usize = LINES / 10;
const FILE: &str = "large.rs";
/// What stands nowhere, but nearly: its place is to be shown.
const NEARLY: &str = "fn the_only_ones(seed: u64) -> u64 {\n";

/// The part of aider that replaces text in a file; it has no command for it alone.
const AIDER: &str = r#"
import sys, time
from aider.coders import editblock_coder as coder
path, old, new, rounds = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
original = open(path, encoding="utf-8").read()
for _ in range(rounds):
    open(path, "w", encoding="utf-8").write(original)
    started = time.perf_counter()
    content = open(path, encoding="utf-8").read()
    try:
        changed = coder.do_replace(path, content, old, new, ("```", "```"))
        if changed is None:
            coder.find_similar_lines(old, content)
        else:
            open(path, "w", encoding="utf-8").write(changed)
    except ValueError:
        pass
    print((time.perf_counter() - started) * 1000)
"#;

/// Measures and reports.
pub fn measure(report: &mut Report) {
    let one = text(ONE_MEGABYTE);
    let aider = peer("MEWCODE_BENCH_AIDER");
    let codex = peer("MEWCODE_BENCH_CODEX");
    let memory = folder(Some(Path::new("/dev/shm")));
    let disk = folder(None);

    report.add(Row {
        what: "edit_file, closed file of 1 MB, no fsync: time".to_owned(),
        unit: Unit::Milliseconds,
        ours: in_process(memory.path(), &one, UNIQUE, None),
        peer: (aider.as_ref()).map(|python| {
            (
                "aider",
                replaced_by_aider(python, memory.path(), &one, UNIQUE),
            )
        }),
        goal: Goal::Times(0.25),
    });
    report.add(Row {
        what: "the same on the disk, with fsync".to_owned(),
        unit: Unit::Milliseconds,
        ours: in_process(disk.path(), &one, UNIQUE, None),
        peer: None,
        goal: Goal::None,
    });
    report.add(Row {
        what: "mewcode call edit_file, 1 MB, no fsync, the whole process: time".to_owned(),
        unit: Unit::Milliseconds,
        ours: whole_process(memory.path(), &one, |root| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_mewcode"));
            let call = arguments(UNIQUE).to_string();
            // Its own state, which has no part in what is measured, stays out of the user's.
            let state = root.join("state");
            command
                .args(["call", "edit_file", &call])
                .env("XDG_STATE_HOME", state);
            command
        }),
        peer: codex.as_ref().map(|program| {
            let patch = format!(
                "*** Begin Patch\n*** Update File: {FILE}\n@@\n-{UNIQUE}\n+{}\n*** End Patch\n",
                replaced()
            );
            let time = whole_process(memory.path(), &one, |_| {
                let mut command = Command::new(program);
                command.args(["--codex-run-as-apply-patch", &patch]);
                command
            });
            ("codex apply_patch", time)
        }),
        goal: Goal::Times(0.25),
    });
    report.add(Row {
        what: "edit_file without a match at 10 MB, with the nearest region: time".to_owned(),
        unit: Unit::Milliseconds,
        ours: in_process(memory.path(), &large(), NEARLY, Some(ErrorKind::NoMatch)),
        peer: (aider.as_ref()).map(|python| {
            (
                "aider",
                replaced_by_aider(python, memory.path(), &large(), NEARLY),
            )
        }),
        goal: Goal::Under(100.0),
    });
}

/// Where a peer is, if the environment says so.
fn peer(variable: &str) -> Option<OsString> {
    let program = std::env::var_os(variable);
    if program.is_none() {
        eprintln!("{variable} is not set: that peer is not measured");
    }
    program
}

fn folder(parent: Option<&Path>) -> TempDir {
    match parent.filter(|parent| parent.is_dir()) {
        Some(parent) => tempfile::tempdir_in(parent).expect("a writable folder"),
        None => tempfile::tempdir().expect("a temporary folder"),
    }
}

fn replaced() -> String {
    UNIQUE.replace("only", "last")
}

fn arguments(old: &str) -> Value {
    json!({"path": FILE, "old_string": old, "new_string": replaced()})
}

fn filled(root: &Path, text: &str) -> PathBuf {
    let file = root.join(FILE);
    std::fs::write(&file, text).expect("a writable folder");
    file
}

fn in_process(root: &Path, text: &str, old: &str, refused: Option<ErrorKind>) -> f64 {
    let threads = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let threads = threads.expect("a runtime");
    let workspace = Workspace::new(
        &[root.to_owned()],
        Places::default(),
        Arc::new(DiskEditor::default()),
    );
    let tools = Runtime::new(builtin::registry(), workspace);
    let times = (0..ROUNDS).map(|round| {
        filled(root, text);
        let context = CallContext {
            session: "bench".to_owned(),
            call: round.to_string(),
            mode: Mode::Bypass,
            ledger: None,
            cancel: CancellationToken::new(),
            reason: String::new(),
            notices: Notices::default(),
        };
        let mut result = ToolResult::ok("");
        let time = milliseconds(|| {
            result = threads.block_on(tools.call(&context, "edit_file", arguments(old)));
        });
        assert_eq!(result.error.map(|error| error.kind), refused);
        time
    });
    median(times.collect())
}

fn whole_process(root: &Path, text: &str, command: impl Fn(&Path) -> Command) -> f64 {
    let times = (0..ROUNDS).map(|_| {
        let file = filled(root, text);
        let mut command = command(root);
        command.current_dir(root).stdout(Stdio::null());
        let time = milliseconds(|| {
            let status = command.status().expect("the program starts");
            assert!(status.success(), "the edit lands");
        });
        let after = std::fs::read_to_string(file).expect("the file is there");
        assert!(after.contains(&replaced()), "the edit landed");
        time
    });
    median(times.collect())
}

fn replaced_by_aider(python: &OsString, root: &Path, text: &str, old: &str) -> f64 {
    let file = filled(root, text);
    // Its search for similar lines takes long, and the median of a few tells enough.
    let rounds = if old == UNIQUE { ROUNDS } else { 3 };
    let output = Command::new(python)
        .args(["-c", AIDER])
        .arg(file)
        .args([old, &replaced(), &rounds.to_string()])
        .output()
        .expect("Python starts");
    let said = String::from_utf8_lossy(&output.stdout);
    let times: Vec<f64> = said.lines().filter_map(|line| line.parse().ok()).collect();
    assert_eq!(
        times.len(),
        rounds,
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    median(times)
}
