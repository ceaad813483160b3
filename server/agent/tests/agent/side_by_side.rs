//! The calls of one turn: which go on side by side, which wait, and what becomes of them when one of them panics, the
//! user stops the run, or the run is dropped.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mewcode_agent::event::Event;
use mewcode_agent::log::{Entry, Record};
use mewcode_agent::prompt::Prompt;
use mewcode_agent::session::{RunOutcome, Session};
use mewcode_tools::contract::{
    CallScope, Idempotency, Limits, Plan, Recovery, Risk, Run, Tool, ToolContract, Work,
};
use mewcode_tools::effect::{Effect, EffectBound, EffectKind};
use mewcode_tools::error::ToolError;
use mewcode_tools::port::BoxFuture;
use mewcode_tools::result::{Status, ToolResult};
use mewcode_tools::schema::Parameters;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::support::{Place, Recorder, check, records, run, told};

/// What the players did, in order: `begin a`, `end a`, `stopped a`.
#[derive(Clone)]
struct Stage(Arc<watch::Sender<Vec<String>>>);

impl Stage {
    fn new() -> Self {
        Self(Arc::new(watch::Sender::new(Vec::new())))
    }

    fn note(&self, what: &str, who: &str) {
        self.0
            .send_modify(|notes| notes.push(format!("{what} {who}")));
    }

    fn notes(&self) -> Vec<String> {
        self.0.borrow().clone()
    }

    async fn until(&self, met: impl FnMut(&Vec<String>) -> bool) {
        self.0.subscribe().wait_for(met).await.unwrap();
    }

    fn place(&self, note: &str) -> usize {
        let notes = self.notes();
        let place = notes.iter().position(|it| it == note);
        place.unwrap_or_else(|| panic!("{note} is not in {notes:?}"))
    }
}

/// A tool whose calls have a name, touch what they are told to touch, and end when they are told to.
struct Player {
    contract: ToolContract,
    stage: Stage,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Part {
    name: String,
    reads: Vec<PathBuf>,
    writes: Vec<PathBuf>,
    /// Goes on until all of these have happened.
    until: Vec<String>,
    panics: bool,
}

impl Player {
    fn on(stage: &Stage) -> Arc<dyn Tool> {
        let bound = [EffectKind::Read, EffectKind::Write];
        Arc::new(Self {
            contract: ToolContract {
                name: "play".into(),
                description: "Plays its part.".into(),
                parameters: Parameters::from_schema(json!({"type": "object"})),
                effect_bound: EffectBound::new(bound),
                idempotency: Idempotency::None,
                risk: Risk::Low,
                limits: Limits {
                    bytes: 1000,
                    lines: None,
                    default_timeout_ms: 600_000,
                    maximum_timeout_ms: 600_000,
                },
                recovery: Recovery::AskUser,
                version: 1,
            },
            stage: stage.clone(),
        })
    }
}

impl Tool for Player {
    fn contract(&self) -> &ToolContract {
        &self.contract
    }

    fn plan(&self, arguments: Value, scope: &CallScope) -> Result<Plan, ToolError> {
        let part: Part = mewcode_tools::schema::parse(arguments)?;
        let root = scope.workspace.guard().roots()[0].clone();
        let real = |paths: &[PathBuf]| paths.iter().map(|path| root.join(path)).collect();
        let effects = vec![
            Effect::Read(real(&part.reads)),
            Effect::Write(real(&part.writes)),
        ];
        let stage = self.stage.clone();
        Ok(Plan {
            effects,
            timeout: None,
            work: Work::Run(Box::new(Playing { part, stage })),
        })
    }
}

struct Playing {
    part: Part,
    stage: Stage,
}

impl Run for Playing {
    fn run(self: Box<Self>, scope: CallScope) -> BoxFuture<'static, ToolResult> {
        Box::pin(async move {
            let Playing { part, stage } = *self;
            let name = part.name;
            stage.note("begin", &name);
            let met = |notes: &Vec<String>| part.until.iter().all(|note| notes.contains(note));
            tokio::select! {
                () = stage.until(met) => {}
                () = scope.cancel.cancelled() => {
                    // Cleaning up takes a while.
                    tokio::task::yield_now().await;
                    stage.note("stopped", &name);
                    return ToolResult::interrupted(format!("{name} was cleaned up."));
                }
            }
            stage.note("end", &name);
            assert!(!part.panics, "{name} fell off the stage");
            ToolResult::ok(format!("{name} played."))
        })
    }
}

/// A session whose model makes these calls of `play` in one turn, then ends its own.
fn play(place: &Place, stage: &Stage, parts: &[Value]) -> (Session, Arc<Recorder>) {
    let calls: Vec<Value> = parts
        .iter()
        .map(|part| json!({"tool": "play", "args": part}))
        .collect();
    let script = json!({"turns": [{"calls": calls}, {"text": "Done."}]});
    let (session, events) =
        place.session_with(place.script(&script.to_string()), vec![Player::on(stage)]);
    session.mode().set(mewcode_tools::permission::Mode::Bypass);
    (session, events)
}

/// Runs to the end; a run that hangs has failed.
async fn ends(run: impl Future<Output = RunOutcome>) -> RunOutcome {
    tokio::time::timeout(Duration::from_secs(60), run)
        .await
        .expect("the calls wait for each other")
}

/// The results as the model gets them.
fn results(session: &Session) -> Vec<String> {
    let said = told(session.conversation().messages());
    let is_result = |said: &String| said.contains(" ok: ") || said.contains(" error: ");
    said.into_iter().filter(is_result).collect()
}

/// The calls in the order in which they ended.
fn ended(events: &Recorder) -> Vec<(String, Status)> {
    let ended = events.events().into_iter().filter_map(|event| match event {
        Event::CallEnded { call, status, .. } => Some((call, status)),
        _ => None,
    });
    ended.collect()
}

#[tokio::test]
async fn reads_go_on_side_by_side() {
    let (place, stage) = (Place::new(), Stage::new());
    let parts = [
        json!({"name": "a", "reads": ["f"], "until": ["begin b"]}),
        json!({"name": "b", "reads": ["f"], "until": ["begin a"]}),
    ];
    let (mut session, _) = play(&place, &stage, &parts);
    assert_eq!(ends(run(&mut session, "go")).await, RunOutcome::Done);
    assert_eq!(
        results(&session),
        ["call_1 ok: a played.", "call_2 ok: b played."]
    );
}

#[tokio::test]
async fn conflicting_calls_keep_their_order() {
    let (place, stage) = (Place::new(), Stage::new());
    let parts = [
        json!({"name": "a", "writes": ["src/f"]}),
        json!({"name": "b", "reads": ["src"]}),
        json!({"name": "c", "writes": ["src/f"]}),
    ];
    let (mut session, _) = play(&place, &stage, &parts);
    assert_eq!(ends(run(&mut session, "go")).await, RunOutcome::Done);
    let order = ["begin a", "end a", "begin b", "end b", "begin c", "end c"];
    assert_eq!(stage.notes(), order);
}

#[tokio::test]
async fn a_call_that_conflicts_with_nothing_overtakes_those_that_wait() {
    let (place, stage) = (Place::new(), Stage::new());
    let parts = [
        json!({"name": "a", "writes": ["src/f"], "until": ["end c"]}),
        json!({"name": "b", "reads": ["src"]}),
        json!({"name": "c", "writes": ["doc"], "until": ["begin a"]}),
    ];
    let (mut session, _) = play(&place, &stage, &parts);
    assert_eq!(ends(run(&mut session, "go")).await, RunOutcome::Done);
    assert!(stage.place("end a") < stage.place("begin b"));
}

#[tokio::test]
async fn results_come_in_the_order_of_the_calls_whichever_ends_first() {
    let (place, stage) = (Place::new(), Stage::new());
    let parts = [
        json!({"name": "a", "until": ["end b"]}),
        json!({"name": "b", "until": ["end c"]}),
        json!({"name": "c"}),
    ];
    let (mut session, events) = play(&place, &stage, &parts);
    assert_eq!(ends(run(&mut session, "go")).await, RunOutcome::Done);
    let order = |note: &str| stage.place(note);
    assert!(order("end c") < order("end b") && order("end b") < order("end a"));
    assert_eq!(
        results(&session),
        [
            "call_1 ok: a played.",
            "call_2 ok: b played.",
            "call_3 ok: c played."
        ]
    );
    let started: Vec<String> = events
        .events()
        .into_iter()
        .filter_map(|event| match event {
            Event::CallStarted { call, .. } => Some(call),
            _ => None,
        })
        .collect();
    assert_eq!(
        started,
        ["call_1", "call_2", "call_3"],
        "all of them are told at once"
    );
}

const CHAIN: &str = "
turns:
  - calls:
      - {tool: read_file, args: {path: a.txt}}
      - {tool: edit_file, args: {path: a.txt, old_string: one, new_string: two}}
      - {tool: edit_file, args: {path: a.txt, old_string: two, new_string: three}}
      - {tool: read_file, args: {path: a.txt}}
      - {tool: write_file, args: {path: new/b.txt, content: \"x\\n\"}}
      - {tool: edit_file, args: {path: new/b.txt, old_string: x, new_string: y}}
      - {tool: read_file, args: {path: new/b.txt}}
      - {tool: edit_file, args: {path: a.txt, old_string: one, new_string: four}}
    expect:
      - {status: ok, contains: one}
      - {status: ok, contains: +two}
      - {status: ok, contains: +three}
      - {status: ok, contains: three}
      - {status: ok}
      - {status: ok, contains: +y}
      - {status: ok, contains: y}
      - {status: failed, error_kind: no_match}
  - text: Done.
";

/// Each call builds on what the one before leaves, so each has to be planned after it.
#[tokio::test]
async fn calls_of_one_file_see_what_those_before_them_did() {
    for _ in 0..5 {
        let place = Place::new();
        place.write("a.txt", "one\n");
        let (mut session, _) = place.session(place.script(CHAIN));
        assert_eq!(ends(run(&mut session, "go")).await, RunOutcome::Done);
        assert_eq!(
            (place.text("a.txt"), place.text("new/b.txt")),
            ("three\n".into(), "y\n".into())
        );
    }
}

#[tokio::test]
async fn a_panic_in_one_call_leaves_the_others() {
    let (place, stage) = (Place::new(), Stage::new());
    let parts = [
        json!({"name": "a", "reads": ["f"], "until": ["end b"]}),
        json!({"name": "b", "reads": ["f"], "until": ["begin a"], "panics": true}),
        json!({"name": "c", "writes": ["f"]}),
    ];
    let (mut session, events) = play(&place, &stage, &parts);
    assert_eq!(ends(run(&mut session, "go")).await, RunOutcome::Done);
    let mut ended = ended(&events);
    ended.sort_by(|one, other| one.0.cmp(&other.0));
    let statuses: Vec<Status> = ended.into_iter().map(|(_, status)| status).collect();
    // It says that it writes, so nobody knows what it has written.
    assert_eq!(statuses, [Status::Ok, Status::UnknownOutcome, Status::Ok]);
}

#[tokio::test]
async fn stopping_reaches_every_running_call_and_waits_for_all_of_them() {
    let (place, stage) = (Place::new(), Stage::new());
    let parts = [
        json!({"name": "a", "writes": ["f"], "until": ["never"]}),
        json!({"name": "b", "reads": ["g"], "until": ["never"]}),
        json!({"name": "c", "reads": ["f"]}),
    ];
    let (mut session, events) = play(&place, &stage, &parts);
    let cancel = CancellationToken::new();
    let stop = async {
        stage.until(|notes| notes.len() == 2).await;
        cancel.cancel();
    };
    let running = session.run(Prompt::new("go"), cancel.clone());
    let (outcome, ()) = tokio::join!(ends(running), stop);
    assert_eq!(outcome, RunOutcome::Cancelled);
    check(&session);
    let mut notes = stage.notes();
    notes.sort();
    assert_eq!(notes, ["begin a", "begin b", "stopped a", "stopped b"]);
    assert_eq!(
        results(&session),
        [
            "call_1 error: a was cleaned up.",
            "call_2 error: b was cleaned up.",
            "call_3 error: The run was stopped before this call was made."
        ]
    );
    assert!(
        ended(&events)
            .iter()
            .all(|(_, status)| *status == Status::Interrupted)
    );
    assert!(!is_intended(&session, "call_3"), "it was not even begun");
}

fn is_intended(session: &Session, wanted: &str) -> bool {
    let intended = |record: &Record| match &record.entry {
        Entry::CallIntended { call, .. } => call == wanted,
        _ => false,
    };
    records(session.log_path()).iter().any(intended)
}

#[tokio::test]
async fn no_more_than_eight_go_on_at_once() {
    let (place, stage) = (Place::new(), Stage::new());
    let names: Vec<String> = (1..=20).map(|number| format!("p{number:02}")).collect();
    let first: Vec<String> = names[..8]
        .iter()
        .map(|name| format!("begin {name}"))
        .collect();
    let parts: Vec<Value> = names
        .iter()
        .map(|name| json!({"name": name, "reads": ["f"], "until": first}))
        .collect();
    let (mut session, _) = play(&place, &stage, &parts);
    assert_eq!(ends(run(&mut session, "go")).await, RunOutcome::Done);
    let (mut now, mut most) = (0_i32, 0);
    for note in stage.notes() {
        now += if note.starts_with("begin") { 1 } else { -1 };
        most = most.max(now);
    }
    assert_eq!((now, most, results(&session).len()), (0, 8, 20));
}

#[tokio::test]
async fn repetitions_count_in_the_order_of_the_calls() {
    let (place, stage) = (Place::new(), Stage::new());
    let same = json!({"name": "a", "reads": ["f"]});
    let parts = [
        same.clone(),
        same.clone(),
        same.clone(),
        same.clone(),
        same.clone(),
        same,
    ];
    let (mut session, _) = play(&place, &stage, &parts);
    let RunOutcome::Limit(message) = ends(run(&mut session, "go")).await else {
        panic!("the run goes on");
    };
    assert!(
        message.contains("the same call of play 5 times over"),
        "{message}"
    );
    let results = results(&session);
    let warned: Vec<bool> = results
        .iter()
        .map(|result| result.contains("(Warning:"))
        .collect();
    assert_eq!(
        warned,
        [false, false, true, true, false, false],
        "{results:?}"
    );
    assert!(results[4].contains("was not made again"), "{results:?}");
    assert!(
        results[5].contains("stopped before this call"),
        "{results:?}"
    );
    let begun = stage
        .notes()
        .iter()
        .filter(|note| *note == "begin a")
        .count();
    assert_eq!(begun, 4, "those before the stop are made");
}

#[tokio::test]
async fn a_dropped_run_leaves_each_call_with_the_result_it_has_come_to() {
    let (place, stage) = (Place::new(), Stage::new());
    let parts = [
        json!({"name": "a"}),
        json!({"name": "b", "writes": ["f"], "until": ["never"]}),
        json!({"name": "c", "reads": ["f"]}),
    ];
    let (mut session, events) = play(&place, &stage, &parts);
    let (tell, told_end) = tokio::sync::oneshot::channel();
    let tell = Mutex::new(Some(tell));
    events.on_event(move |event| {
        if let Event::CallEnded { .. } = event
            && let Some(tell) = tell.lock().unwrap().take()
        {
            let _ = tell.send(());
        }
    });
    {
        let broken = session.run(Prompt::new("go"), CancellationToken::new());
        let both = async {
            told_end.await.unwrap();
            stage
                .until(|notes| notes.contains(&"begin b".to_string()))
                .await;
        };
        tokio::select! {
            outcome = broken => panic!("{outcome:?}"),
            () = both => {}
        }
    }
    assert_eq!(ends(run(&mut session, "again")).await, RunOutcome::Done);
    let results = results(&session);
    assert_eq!(results[0], "call_1 ok: a played.", "its result was known");
    assert!(results[1].contains("nobody knows"), "{results:?}");
    assert!(
        results[2].contains("before this call was made"),
        "{results:?}"
    );
    let statuses: Vec<Status> = ended(&events)
        .into_iter()
        .map(|(_, status)| status)
        .collect();
    assert_eq!(
        statuses,
        [Status::Ok, Status::UnknownOutcome, Status::Interrupted]
    );
}
