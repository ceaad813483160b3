//! Runs whose log fails: what cannot be recorded is not done.

use std::sync::Mutex;

use mewcode_tools::builtin;
use mewcode_tools::guard::Places;
use mewcode_tools::headless::DiskEditor;
use mewcode_tools::overlay::Workspace;
use mewcode_tools::result::Status;

use super::*;
use crate::config::ProviderConfig;
use crate::event::Envelope;
use crate::prompt::NoNews;

/// Breaks the log at the first event of a kind, and keeps how calls end.
#[derive(Default)]
struct Breaking {
    at: Option<&'static str>,
    breaker: Mutex<Option<Box<dyn Fn() + Send>>>,
    ended: Mutex<Vec<Status>>,
}

impl Events for Breaking {
    fn emit(&self, envelope: &Envelope) {
        if let Event::CallEnded { status, .. } = &envelope.event {
            self.ended.lock().unwrap().push(*status);
        }
        let kind = serde_json::to_value(&envelope.event).unwrap()["kind"].take();
        if self.at.is_some_and(|at| kind == at) {
            (self.breaker.lock().unwrap().as_ref().unwrap())();
        }
    }
}

async fn run_broken_at(at: &'static str) -> (RunOutcome, Vec<Status>, bool) {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.yaml");
    let yaml = "turns: [{text: x, calls: [{tool: write_file, args: {path: a.txt, content: x}}, {tool: b}]}, {text: y}]";
    std::fs::write(&script, yaml).unwrap();
    let events = Arc::new(Breaking {
        at: Some(at),
        ..Breaking::default()
    });
    let workspace = Workspace::new(
        &[folder.path().to_path_buf()],
        Places::default(),
        Arc::new(DiskEditor::default()),
    );
    let setup = SessionSetup {
        state: folder.path().join("state"),
        runtime: Arc::new(Runtime::new(builtin::registry(), workspace)),
        model: ProviderConfig {
            script: Some(script),
            ..ProviderConfig::default()
        }
        .open()
        .unwrap(),
        events: events.clone(),
        news: Arc::new(NoNews),
        mode: SharedMode::new(Mode::Bypass),
        retry: RetryPolicy::default(),
    };
    let mut session = Session::start(setup).unwrap();
    *events.breaker.lock().unwrap() = Some(Box::new(session.journal.log().breaker()));
    let outcome = session
        .run(Prompt::new("go"), CancellationToken::new())
        .await;
    assert_eq!(conversation::fault(session.conversation().messages()), None);
    let ended = events.ended.lock().unwrap().clone();
    (outcome, ended, folder.path().join("a.txt").exists())
}

#[tokio::test]
async fn without_a_record_of_the_intent_there_is_no_call() {
    let (outcome, ended, is_written) = run_broken_at("call_started").await;
    assert!(
        matches!(outcome, RunOutcome::Failed(message) if message.contains("cannot be written"))
    );
    assert_eq!(
        (ended, is_written),
        (vec![Status::Interrupted, Status::Interrupted], false)
    );
}

#[tokio::test]
async fn without_a_record_of_what_was_said_there_is_no_request() {
    let (outcome, ended, _) = run_broken_at("run_started").await;
    assert!(
        matches!(outcome, RunOutcome::Failed(message) if message.contains("cannot be written"))
    );
    assert_eq!(ended, []);
}
