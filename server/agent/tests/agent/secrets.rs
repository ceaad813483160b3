//! Known secrets in what the user and the model write: in the conversation as they were written, nowhere else.

use std::fs;
use std::sync::Arc;

use mewcode_agent::session::{RunOutcome, Session, SessionSetup, SharedMode};
use mewcode_agent::transcript;
use mewcode_tools::host::Host;
use mewcode_tools::permission::Mode;
use mewcode_tools::redact::Redactor;

use crate::support::{Place, Recorder, quick, run, told};

const SECRET: &str = "supersecretvalue123";

const SCRIPT: &str = "
turns:
  - text: Writing supersecretvalue123.
    calls:
      - tool: write_file
        args: {path: a.txt, content: \"token: supersecretvalue123\\n\"}
      - tool: grep
        args: {pattern: supersecretvalue123, path: a.txt}
  - text: It is supersecretvalue123
";

#[tokio::test]
async fn what_the_user_and_the_model_write_is_told_and_kept_without_known_secrets() {
    let place = Place::new();
    let events = Arc::new(Recorder::default());
    let known = ("MY_API_TOKEN".to_owned(), SECRET.to_owned());
    let host = Host {
        redactor: Arc::new(Redactor::new([known])),
        ..Host::default()
    };
    let setup = SessionSetup {
        state: place.state(),
        runtime: Arc::new((*place.runtime()).clone().with_host(host)),
        model: place.script(SCRIPT),
        events: events.clone(),
        news: events.clone(),
        mode: SharedMode::new(Mode::AcceptEdits),
        retry: quick(),
    };
    let mut session = Session::start(setup).unwrap();
    let prompt = format!("Put {SECRET} into a.txt.");
    assert_eq!(run(&mut session, &prompt).await, RunOutcome::Done);

    let log = fs::read_to_string(session.log_path()).unwrap();
    let envelopes = events.envelopes();
    let told_events = serde_json::to_string(&envelopes).unwrap();
    let markdown = transcript::markdown(session.id(), &envelopes);
    for text in [&log, &told_events, &markdown] {
        assert!(!text.contains(SECRET), "{text}");
        assert!(text.contains("‹redacted: MY_API_TOKEN"), "{text}");
    }
    // The model is told what was said, and the file has what it wrote.
    assert_eq!(place.text("a.txt"), format!("token: {SECRET}\n"));
    let told = told(session.conversation().messages());
    assert_eq!(told[1..3], [prompt, format!("Writing {SECRET}.")]);
}
