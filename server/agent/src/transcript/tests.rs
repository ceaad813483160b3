//! Transcripts as people read them.

use mewcode_tools::notice::{PlanStep, StepStatus};
use mewcode_tools::result::ErrorKind;
use serde_json::json;

use super::*;
use crate::provider::Usage;

fn transcript(events: Vec<Event>) -> String {
    let envelopes: Vec<Envelope> = events
        .into_iter()
        .zip(1..)
        .map(|(event, sequence)| Envelope {
            session: "s1".into(),
            run: "r1".into(),
            sequence,
            time: 0,
            event,
        })
        .collect();
    markdown("s1", &envelopes)
}

fn prompt(text: &str) -> Event {
    Event::RunStarted {
        prompt: text.into(),
    }
}

fn text(delta: &str) -> Event {
    Event::Text {
        delta: delta.into(),
    }
}

fn started(call: &str, title: &str) -> Event {
    Event::CallStarted {
        call: call.into(),
        tool: "tool".into(),
        arguments: json!({}),
        title: title.into(),
        purpose: None,
    }
}

fn ended(
    call: &str,
    status: Status,
    error_kind: Option<ErrorKind>,
    summary: &str,
    diff: &str,
) -> Event {
    let file = FileChange {
        path: "src/a.rs".into(),
        moved_to: None,
        sha256_before: Some("a".into()),
        sha256_after: Some("b".into()),
        diff: diff.into(),
        added: 1,
        removed: 1,
    };
    let files = if diff.is_empty() { vec![] } else { vec![file] };
    Event::CallEnded {
        call: call.into(),
        tool: "tool".into(),
        status,
        error_kind,
        summary: summary.into(),
        output: None,
        files,
    }
}

/// The same of a command that has printed this.
fn printed(call: &str, status: Status, summary: &str, text: &str) -> Event {
    let mut event = ended(call, status, None, summary, "");
    if let Event::CallEnded { output, .. } = &mut event {
        *output = Some(text.into());
    }
    event
}

fn run_ended(outcome: Outcome, message: Option<&str>) -> Event {
    Event::RunEnded {
        outcome,
        message: message.map(Into::into),
    }
}

#[test]
fn a_session_reads_from_top_to_bottom() {
    let document = transcript(vec![
        prompt("Fix `a.rs`\n\nplease"),
        Event::Thinking {
            delta: "I must ".into(),
        },
        Event::Thinking {
            delta: "read.".into(),
        },
        text("I will "),
        text("look.\n"),
        Event::Usage(Usage::default()),
        started("call_1", "read_file src/a.rs"),
        ended("call_1", Status::Ok, None, "3 lines", ""),
        started("call_2", "read_file b.rs"),
        ended(
            "call_2",
            Status::Failed,
            Some(ErrorKind::NotFound),
            "`b.rs` does not exist.",
            "",
        ),
        started("call_3", "edit_file src/a.rs"),
        ended(
            "call_3",
            Status::Ok,
            None,
            "src/a.rs +1 −1",
            "@@ -1 +1 @@\n-old\n+new\n",
        ),
        started("call_4", "edit_file src/a.rs"),
        text("Done."),
        run_ended(Outcome::Done, None),
        prompt("More"),
        run_ended(Outcome::Failed, Some("The key is wrong.")),
    ]);
    insta::assert_snapshot!(document, @r"
    # Session s1

    ## Prompt

    > Fix `a.rs`
    >
    > please

    Thinking:

    > I must read.

    I will look.

    - ✓ `read_file src/a.rs`: 3 lines
    - ✗ failed, `read_file b.rs`: not_found: `b.rs` does not exist.
    - ✓ `edit_file src/a.rs`: src/a.rs +1 −1

    ```diff
    --- src/a.rs
    +++ src/a.rs
    @@ -1 +1 @@
    -old
    +new
    ```

    - … `edit_file src/a.rs`

    Done.

    ## Prompt

    > More

    *Failed: The key is wrong.*
    ");
}

#[test]
fn what_a_failed_turn_said_is_void() {
    let retrying = Event::Retrying {
        attempt: 1,
        attempts: 5,
        delay_ms: 10,
        reason: "The connection failed.".into(),
    };
    let document = transcript(vec![
        prompt("Go"),
        started("call_1", "list"),
        ended("call_1", Status::Ok, None, "2 files", ""),
        Event::Thinking {
            delta: "half".into(),
        },
        text("half an ans"),
        retrying,
        text("A whole answer."),
        run_ended(Outcome::Cancelled, None),
    ]);
    insta::assert_snapshot!(document, @r"
    # Session s1

    ## Prompt

    > Go

    - ✓ `list`: 2 files

    *Retry 1 of 5: The connection failed.*

    A whole answer.

    *Stopped by the user.*
    ");
}

#[test]
fn foreign_text_commands_nothing() {
    let document = transcript(vec![
        prompt("[x](command:y)"),
        text("```\nopen"),
        started("call_1", "read_file `](command:x)"),
        ended(
            "call_1",
            Status::Ok,
            None,
            "[x](command:y)\u{1b}[2J",
            "@@\n+```\n+[x](command:y)\n",
        ),
        ended(
            "call_9",
            Status::UnknownOutcome,
            Some(ErrorKind::Internal),
            "never begun",
            "",
        ),
        run_ended(Outcome::Limit, Some("<img src=x>")),
    ]);
    insta::assert_snapshot!(document, @r"
    # Session s1

    ## Prompt

    > [x]\(command:y)

    ```
    open
    ```

    - ✓ `` read_file `](command:x) ``: [x]\(command:y)[2J

    ````diff
    --- src/a.rs
    +++ src/a.rs
    @@
    +```
    +[x](command:y)
    ````

    - ? outcome unknown, `tool`: internal: never begun

    *Stopped by a limit: \<img src=x>*
    ");
}

#[test]
fn the_purpose_of_a_call_stands_behind_it() {
    let mut event = started("1", "bash cargo test");
    if let Event::CallStarted { purpose, .. } = &mut event {
        *purpose = Some("run [the tests](command:x)\u{202e}".into());
    }
    let ended = ended("1", Status::Ok, None, "Exit code 0 after 1 s.", "");
    insta::assert_snapshot!(transcript(vec![event.clone()]), @r"
    # Session s1

    - … `bash cargo test` (run [the tests]\(command:x))
    ");
    insta::assert_snapshot!(transcript(vec![event, ended]), @r"
    # Session s1

    - ✓ `bash cargo test` (run [the tests]\(command:x)): Exit code 0 after 1 s.
    ");
}

#[test]
fn what_a_command_printed_stands_below_its_line() {
    let document = transcript(vec![
        prompt("test"),
        started("1", "bash cargo test"),
        started("2", "bash cat README.md"),
        started("3", "bash true"),
        asked("1", "Run `cargo test`"),
        answered("1", "Run `cargo test`", "allowed once"),
        printed(
            "1",
            Status::Ok,
            "Exit code 101 after 1 s.",
            "running 1 test\n  left: 1\n right: 2\n",
        ),
        printed(
            "2",
            Status::Failed,
            "Timed out.",
            "```\n# Heading\n````\n[x](command:y)\u{1b}[2J",
        ),
        ended("3", Status::Ok, None, "Exit code 0 after 1 s.", ""),
        text("One fails."),
    ]);
    insta::assert_snapshot!(document, @r"
    # Session s1

    ## Prompt

    > test

    - ✓ `bash cargo test`: Exit code 101 after 1 s.
      - Run `cargo test`: allowed once

    ```output
    running 1 test
      left: 1
     right: 2
    ```

    - ✗ failed, `bash cat README.md`: Timed out.

    `````output
    ```
    # Heading
    ````
    [x](command:y)[2J
    `````

    - ✓ `bash true`: Exit code 0 after 1 s.

    One fails.
    ");
}

#[test]
fn a_moved_file_has_both_its_names_over_the_diff() {
    let mut event = ended("c1", Status::Ok, None, "moved", "@@ -1,1 +1,1 @@\n-a\n+b\n");
    if let Event::CallEnded { files, .. } = &mut event {
        files[0].moved_to = Some("src/b.rs".into());
    }
    let transcript = transcript(vec![event]);
    assert!(
        transcript.contains("--- src/a.rs\n+++ src/b.rs\n"),
        "{transcript}"
    );
}

fn asked(call: &str, title: &str) -> Event {
    Event::ApprovalAsked {
        call: call.into(),
        title: title.into(),
    }
}

fn answered(call: &str, title: &str, answer: &str) -> Event {
    Event::ApprovalAnswered {
        call: call.into(),
        title: title.into(),
        answer: answer.into(),
    }
}

#[test]
fn a_question_is_one_line_below_its_call() {
    let rule = |place: Option<&str>| Event::RuleAdded {
        call: "1".into(),
        rule: "bash(cargo test:*)".into(),
        place: place.map(Into::into),
    };
    let text = transcript(vec![
        prompt("test"),
        started("1", "bash cargo test"),
        started("2", "bash a"),
        started("3", "bash b"),
        asked("1", "Run `cargo test`"),
        asked("2", "Run `a`"),
        asked("3", "Run `[b](javascript:x)\u{202e}`"),
        answered("1", "Run `cargo test`", "always allowed"),
        rule(Some(".mewcode/settings.local.yaml")),
        rule(None),
        Event::Output {
            call: "1".into(),
            tail: "running 3 tests".into(),
        },
        ended("1", Status::Ok, None, "3 passed", ""),
        ended("2", Status::Interrupted, None, "stopped", ""),
    ]);
    insta::assert_snapshot!(text, @r"
    # Session s1

    ## Prompt

    > test

    - ✓ `bash cargo test`: 3 passed
      - Run `cargo test`: always allowed
      - rule added to .mewcode/settings.local.yaml: `bash(cargo test:*)`
      - rule added for this session: `bash(cargo test:*)`
    - ✗ interrupted, `bash a`: stopped
      - Run `a`: not answered
    - … `bash b`
      - Run `[b]\(javascript:x)`: **waits for your answer**
    ");
}

#[test]
fn the_plan_is_a_task_list_and_only_the_newest_of_a_run_stands() {
    let plan = |statuses: [StepStatus; 3]| {
        let steps = ["look", "change *it*", "test"].into_iter().zip(statuses);
        Event::Plan {
            call: "1".into(),
            steps: steps
                .map(|(step, status)| PlanStep {
                    step: step.into(),
                    status,
                })
                .collect(),
        }
    };
    use StepStatus::{Completed, InProgress, Pending};
    let text = transcript(vec![
        prompt("go"),
        plan([InProgress, Pending, Pending]),
        text("Looked."),
        plan([Completed, InProgress, Pending]),
        prompt("go on"),
        plan([Completed, Completed, InProgress]),
    ]);
    insta::assert_snapshot!(text, @"
    # Session s1

    ## Prompt

    > go

    Looked.

    - [x] look
    - [ ] → change *it*
    - [ ] test

    ## Prompt

    > go on

    - [x] look
    - [x] change *it*
    - [ ] → test
    ");
}
