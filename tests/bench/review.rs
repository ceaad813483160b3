//! Review in the large document: code actions with a thousand hunks pending, and from accepting one to its receipt.

use crate::document::{self, MARK, UNIQUE};
use crate::editor::{Editor, FILE};
use crate::report::{Goal, Report, Row, Unit, median};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const HUNKS: usize = document::LINES / document::MARK_EVERY;
const REQUESTS: usize = 200;
const KEYS: usize = 20;
const ACCEPTED: usize = 9;
/// Longer than the server gathers changes before it shows the hunks anew.
const QUIET: Duration = Duration::from_millis(150);
/// Until the server's threads sleep, and less than it gathers changes.
const AFTERWORK: Duration = Duration::from_millis(20);

/// Measures and reports.
pub fn measure(report: &mut Report) {
    let text = document::large();
    pending(report, &text);
    single(report, &text);
}

/// A thousand hunks.
fn pending(report: &mut Report, text: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let edit = json!({"path": FILE, "old_string": MARK, "new_string": format!("{MARK}, twice"), "replace_all": true});
    let mut editor = Editor::start(folder.path(), text, &script(&edit));
    editor.execute("mewcode.prompt", &json!({"text": "go"}));
    let mut hunks = editor.hunks(|count| count == HUNKS);

    let line = hunks[HUNKS / 2]["startLine"].clone();
    let mut times = Vec::new();
    let cpu = editor.client.child.cpu();
    for _ in 0..REQUESTS {
        let started = Instant::now();
        code_actions(&mut editor, &line);
        times.push(milliseconds(started.elapsed()));
    }
    let cpu = milliseconds(editor.client.child.cpu() - cpu);
    let row = |what: &str, ours, goal| Row {
        what: format!("{what}, {HUNKS} hunks pending"),
        unit: Unit::Milliseconds,
        ours,
        peer: None,
        goal,
    };
    let requests = f64::from(u32::try_from(REQUESTS).expect("few requests"));
    report.add(row("code actions", median(times), Goal::Under(5.0)));
    report.add(row("code actions: CPU", cpu / requests, Goal::Under(5.0)));

    let (mut times, mut cpus) = (Vec::new(), Vec::new());
    for key in 0..KEYS {
        editor.client.settle();
        let cpu = editor.client.child.cpu();
        let started = Instant::now();
        editor.type_at(key * 1_000);
        code_actions(&mut editor, &line);
        times.push(milliseconds(started.elapsed()));
        std::thread::sleep(QUIET);
        hunks = editor.hunks(|_| true);
        cpus.push(milliseconds(editor.client.child.cpu() - cpu));
    }
    report.add(row(
        "key, then code actions",
        median(times),
        Goal::Under(5.0),
    ));
    report.add(row(
        "all CPU of that and of showing the hunks again",
        median(cpus),
        Goal::None,
    ));
    accepted(report, &mut editor, hunks);
}

/// Accepts some of many hunks, one by one.
fn accepted(report: &mut Report, editor: &mut Editor, mut hunks: Vec<Value>) {
    let mut figures = Vec::new();
    for _ in 0..ACCEPTED {
        let accepted = accept(editor, &hunks[hunks.len() / 2]);
        hunks.clone_from(&accepted.left);
        figures.push(accepted);
        std::thread::sleep(QUIET);
    }
    report_accepts(report, &figures, &format!("one of {HUNKS} hunks"));
}

/// Proposals of one hunk each, in servers of their own.
fn single(report: &mut Report, text: &str) {
    let edit =
        json!({"path": FILE, "old_string": UNIQUE, "new_string": UNIQUE.replace("only", "last")});
    let script = script(&edit);
    let accepted = (0..ACCEPTED).map(|_| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut editor = Editor::start(folder.path(), text, &script);
        editor.execute("mewcode.prompt", &json!({"text": "go"}));
        let hunks = editor.hunks(|count| count == 1);
        accept(&mut editor, &hunks[0])
    });
    report_accepts(report, &accepted.collect::<Vec<_>>(), "the only hunk");
}

/// What accepting a hunk took.
struct Accepted {
    /// Server CPU, milliseconds, with what follows the receipt: the call's result and the run's end.
    cpu: f64,
    /// From the command to the hunk's disappearance, without the editor's own work, milliseconds.
    time: f64,
    /// The hunks that remain.
    left: Vec<Value>,
}

/// Accepts a hunk and waits for the receipt, which takes it off the list.
fn accept(editor: &mut Editor, hunk: &Value) -> Accepted {
    editor.client.settle();
    editor.busy = Duration::ZERO;
    let cpu = editor.client.child.cpu();
    let started = Instant::now();
    let id = &hunk["id"];
    editor.execute("mewcode.review.accept", &json!({"hunk": id}));
    let left = loop {
        let hunks = editor.hunks(|_| true);
        if hunks.iter().all(|hunk| hunk["id"] != *id) {
            break hunks;
        }
    };
    let time = milliseconds(started.elapsed() - editor.busy);
    std::thread::sleep(AFTERWORK);
    Accepted {
        cpu: milliseconds(editor.client.child.cpu() - cpu),
        time,
        left,
    }
}

fn report_accepts(report: &mut Report, accepted: &[Accepted], which: &str) {
    let row = |what, ours, goal| Row {
        what: format!("accept {which} to its receipt: {what}"),
        unit: Unit::Milliseconds,
        ours,
        peer: None,
        goal,
    };
    let cpu = accepted.iter().map(|it| it.cpu).collect();
    let time = accepted.iter().map(|it| it.time).collect();
    report.add(row("server CPU", median(cpu), Goal::Under(30.0)));
    report.add(row("time less the editor's", median(time), Goal::None));
}

fn code_actions(editor: &mut Editor, line: &Value) {
    let at = json!({"line": line, "character": 0});
    let params = json!({
        "textDocument": {"uri": editor.uri},
        "range": {"start": at, "end": at},
        "context": {"diagnostics": []},
    });
    let answer = editor.client.request("textDocument/codeAction", &params);
    let actions = answer["result"].as_array().map_or(0, Vec::len);
    assert!(actions > 3, "actions on a hunk: {answer}");
}

/// A script that reads the file and makes an edit.
fn script(edit: &Value) -> String {
    let call =
        |tool: &str, arguments: &Value| json!({"calls": [{"tool": tool, "args": arguments}]});
    let turns = [
        call("read_file", &json!({"path": FILE, "limit": 10})),
        call("edit_file", edit),
        json!({"text": "Done."}),
    ];
    // YAML is a superset of JSON.
    json!({"turns": turns}).to_string()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
