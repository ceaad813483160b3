//! Whatever a tool does, a call ends in one result, in time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

use serde_json::json;

use super::*;
use crate::error::ErrorKind;
use crate::port::{ChangeOutcome, Destination};
use crate::testing::{FakeTool, Scene, run};

/// Calls a tool that plans as told.
async fn call(
    scene: &Scene,
    planning: impl Fn(Value, &CallScope) -> Result<Plan, ToolError> + Send + Sync + 'static,
) -> ToolResult {
    call_tool(scene, FakeTool::planning("fake", planning)).await
}

/// The plan with little time for the work in it.
fn briefly(plan: Plan) -> Result<Plan, ToolError> {
    let timeout = Some(Duration::from_millis(50));
    Ok(Plan { timeout, ..plan })
}

async fn call_tool(scene: &Scene, tool: FakeTool) -> ToolResult {
    scene.runtime.registry().register(Arc::new(tool)).unwrap();
    scene.call("fake", json!({})).await
}

fn kind(result: &ToolResult) -> Option<ErrorKind> {
    result.error.as_ref().map(|error| error.kind)
}

#[tokio::test]
async fn a_result_is_measured() {
    let result = call(&Scene::new(), |_, _| {
        Ok(run(vec![], |_| async { ToolResult::ok("four") }))
    })
    .await;
    assert_eq!(
        (result.status, result.metrics.output_bytes),
        (Status::Ok, 4)
    );
}

#[tokio::test]
async fn an_unknown_tool_is_refused_with_close_names() {
    let scene = Scene::new();
    insta::assert_snapshot!(scene.call("ReadFile", json!({})).await.content, @"not_found: There is no tool `ReadFile`. Did you mean `read_file`?");
    insta::assert_snapshot!(scene.call("deploy", json!({})).await.content, @"not_found: There is no tool `deploy`. The tools are: read_file, edit_file, write_file, apply_patch, glob, grep, find_symbol, outline, bash, process_output, process_input, process_stop, process_list, web_fetch, update_plan, ask_user, diagnostics, definition, references, hover, rename_symbol.");
}

#[tokio::test]
async fn absent_arguments_are_no_arguments() {
    let result = call(&Scene::new(), |arguments, _| {
        assert_eq!(arguments, json!({}));
        Ok(run(vec![], |_| async { ToolResult::ok("done") }))
    })
    .await;
    assert!(result.is_ok());
    let result = Scene::new().call("read_file", Value::Null).await;
    insta::assert_snapshot!(result.content, @r#"invalid_arguments: "path" is a required property. The arguments are `byte_offset`, `limit`, `offset`, `path` (required), `symbol`. Correct them and call again."#);
}

#[tokio::test]
async fn a_panic_becomes_a_result_wherever_it_happens() {
    let scene = Scene::new();
    let planning = call(&scene, |_, _| panic!("in the plan")).await;
    insta::assert_snapshot!(planning.content, @"internal: `fake` broke off: in the plan. This is a fault of MewCode: try another way, and tell the user.");
    let reading = call(&scene, |_, _| {
        Ok(run(vec![Effect::Read(vec![])], |_| async {
            panic!("while reading")
        }))
    })
    .await;
    assert_eq!(
        (reading.status, kind(&reading)),
        (Status::Failed, Some(ErrorKind::Internal))
    );
    let writing = call(&scene, |_, _| {
        Ok(run(vec![Effect::Write(vec![])], |_| async {
            panic!("{} broke", 1)
        }))
    })
    .await;
    assert_eq!(
        writing.status,
        Status::UnknownOutcome,
        "nobody knows what was written"
    );
    insta::assert_snapshot!(writing.content, @"internal: `fake` broke off: 1 broke. This is a fault of MewCode: try another way, and tell the user.");
}

#[tokio::test]
async fn a_panic_of_the_editor_leaves_the_outcome_open() {
    struct Broken;
    impl crate::port::Editor for Broken {
        fn buffer(
            &self,
            _: &std::path::Path,
        ) -> Option<Result<mewcode_core::text::Snapshot, ToolError>> {
            None
        }
        fn buffers(&self) -> Vec<std::path::PathBuf> {
            Vec::new()
        }
        fn change<'a>(&'a self, _: ChangeRequest) -> crate::port::BoxFuture<'a, ChangeOutcome> {
            Box::pin(async { panic!("in the editor") })
        }
    }
    let scene = Scene::new();
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::new(
        &[folder.path().to_owned()],
        crate::Places::default(),
        Arc::new(Broken),
    );
    let runtime = Runtime::new(crate::builtin::registry(), workspace);
    let result = runtime
        .call(
            &scene.context,
            "write_file",
            json!({"path": "a", "content": "x"}),
        )
        .await;
    assert_eq!(result.status, Status::UnknownOutcome);
    insta::assert_snapshot!(result.content, @"internal: Applying the change of `a` broke off. Read the files again to see whether the change is there before you go on.");
}

#[tokio::test]
async fn the_time_out_ends_a_plan_that_hangs_and_tells_it() {
    let (release, hang) = mpsc::channel::<()>();
    let (tell, told) = mpsc::channel();
    let hang = std::sync::Mutex::new(hang);
    let tool = FakeTool::planning("fake", move |_, scope| {
        let _ = hang.lock().unwrap().recv();
        tell.send(scope.cancel.is_cancelled()).unwrap();
        Err(ToolError::internal("too late"))
    });
    let result = call_tool(&Scene::new(), tool.within_ms(50)).await;
    insta::assert_snapshot!(result.content, @"timed_out: `fake` did not end within 50 ms. Make the work smaller, or try once more.");
    drop(release);
    assert_eq!(told.recv(), Ok(true));
}

#[tokio::test]
async fn the_time_out_ends_work_and_keeps_what_it_had() {
    let result = call(&Scene::new(), |_, _| {
        briefly(run(vec![Effect::Write(vec![])], |scope| async move {
            scope.cancel.cancelled().await;
            ToolResult::interrupted("half of it")
        }))
    })
    .await;
    assert_eq!(
        (result.status, kind(&result)),
        (Status::Failed, Some(ErrorKind::TimedOut))
    );
    assert!(result.content.ends_with("half of it"), "{}", result.content);
    assert!(result.metrics.duration_ms < GRACE.as_millis() as u64);
}

#[tokio::test]
async fn a_call_may_ask_for_less_time_than_the_default() {
    let result = call(&Scene::new(), |_, _| {
        briefly(run(vec![], |scope| async move {
            scope.cancel.cancelled().await;
            ToolResult::interrupted("")
        }))
    })
    .await;
    assert_eq!(kind(&result), Some(ErrorKind::TimedOut));
}

#[tokio::test]
async fn work_that_does_not_end_when_told_is_dropped() {
    let dropped = Arc::new(AtomicBool::new(false));
    struct Guard(Arc<AtomicBool>);
    impl Drop for Guard {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }
    let guarded = Arc::clone(&dropped);
    let mut scene = Scene::new();
    scene.runtime = scene.runtime.with_grace(Duration::from_millis(20));
    let result = call(&scene, move |_, _| {
        let guard = Guard(Arc::clone(&guarded));
        briefly(run(vec![Effect::Read(vec![])], |_| async move {
            let _guard = guard;
            std::future::pending().await
        }))
    })
    .await;
    assert_eq!(kind(&result), Some(ErrorKind::TimedOut));
    assert!(dropped.load(Ordering::SeqCst));
}

#[tokio::test]
async fn a_write_that_does_not_end_when_told_leaves_its_outcome_open() {
    let mut scene = Scene::new();
    scene.runtime = scene.runtime.with_grace(Duration::from_millis(20));
    for effects in [vec![Effect::Write(vec![])], vec![Effect::Read(vec![])]] {
        scene.context.cancel = CancellationToken::new();
        let cancel = scene.context.cancel.clone();
        let planned = effects.clone();
        let result = call(&scene, move |_, _| {
            let cancel = cancel.clone();
            Ok(run(planned.clone(), |_| async move {
                cancel.cancel();
                std::future::pending().await
            }))
        })
        .await;
        let reads = matches!(effects[0], Effect::Read(_));
        let expected = if reads {
            Status::Interrupted
        } else {
            Status::UnknownOutcome
        };
        assert_eq!(result.status, expected, "{effects:?}");
    }
}

#[tokio::test]
async fn cancelling_reaches_plans_and_work_and_waits_for_their_end() {
    let scene = Scene::new();
    let cancel = scene.context.cancel.clone();
    let cleaned_up = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&cleaned_up);
    let result = call(&scene, move |_, _| {
        let (cancel, flag) = (cancel.clone(), Arc::clone(&flag));
        Ok(run(vec![Effect::Write(vec![])], |scope| async move {
            cancel.cancel();
            scope.cancel.cancelled().await;
            tokio::task::yield_now().await;
            flag.store(true, Ordering::SeqCst);
            ToolResult::interrupted("stopped")
        }))
    })
    .await;
    assert_eq!(
        (result.status, result.content.as_str()),
        (Status::Interrupted, "stopped")
    );
    assert!(cleaned_up.load(Ordering::SeqCst));
    let planned = call(&scene, |_, _| panic!("not planned")).await;
    assert_eq!(
        planned.status,
        Status::Interrupted,
        "the context is cancelled already"
    );
}

#[tokio::test]
async fn the_mode_decides_before_anything_happens() {
    let mut scene = Scene::without_ledger();
    scene.write("a.txt", "one\n");
    let arguments = json!({"path": "a.txt", "old_string": "one", "new_string": "two"});
    for mode in [Mode::Plan, Mode::DontAsk] {
        scene.context.mode = mode;
        let result = scene.call("edit_file", arguments.clone()).await;
        assert_eq!(
            (result.status, kind(&result)),
            (Status::Denied, Some(ErrorKind::DeniedByPolicy))
        );
        assert!(
            scene
                .call("read_file", json!({"path": "a.txt"}))
                .await
                .is_ok(),
            "{mode}"
        );
    }
    assert_eq!(scene.read("a.txt"), "one\n");
    for (mode, review) in [
        (Mode::Default, Review::Before),
        (Mode::AcceptEdits, Review::After),
        (Mode::Bypass, Review::After),
    ] {
        scene.write("a.txt", "one\n");
        scene.context.mode = mode;
        assert!(scene.call("edit_file", arguments.clone()).await.is_ok());
        assert_eq!(
            scene.editor.requests.lock().unwrap().pop().unwrap().review,
            review,
            "{mode}"
        );
    }
}

#[tokio::test]
async fn a_tool_that_the_mode_does_not_offer_is_not_even_planned() {
    let mut scene = Scene::new();
    scene.context.mode = Mode::Plan;
    let result = call(&scene, |_, _| panic!("planned")).await;
    insta::assert_snapshot!(result.content, @"denied_by_policy: The mode `plan` allows no call of `fake`: it changes things. Do not look for a way around it; do what is allowed and tell the user what is not.");
}

#[tokio::test]
async fn work_that_needs_consent_is_denied_where_nobody_can_be_asked() {
    let mut scene = Scene::new();
    scene.context.mode = Mode::Default;
    let result = call(&scene, |_, _| {
        Ok(run(vec![Effect::Write(vec![])], |_| async {
            panic!("not run")
        }))
    })
    .await;
    insta::assert_snapshot!(result.content, @"denied_by_policy: `fake` needs the user's consent, and there is nobody to ask here. Do not look for a way around it; do what is allowed and tell the user what is not.");
}

#[tokio::test]
async fn what_may_hold_secrets_is_read_for_nobody_but_the_person_who_calls() {
    let mut scene = Scene::new();
    scene.write(".env", "KEY=1\n");
    scene.context.mode = Mode::Bypass;
    let result = scene.call("read_file", json!({"path": ".env"})).await;
    assert_eq!(result.status, Status::Denied);
    let content = result
        .content
        .replace(scene.path("").to_str().unwrap(), "/T/");
    insta::assert_snapshot!(content, @"denied_by_policy: `/T/.env` may hold secrets: `read_file` needs the user's consent, and there is nobody to ask here. Do not look for a way around it; do what is allowed and tell the user what is not.");
    scene.context.ledger = None;
    let result = scene.call("read_file", json!({"path": ".env"})).await;
    assert!(result.content.contains("KEY=1"), "{}", result.content);
}

#[tokio::test]
async fn a_plan_beyond_what_the_tool_declares_is_not_run() {
    let result = call(&Scene::new(), |_, _| {
        Ok(run(
            vec![Effect::Network(vec!["example.org".to_owned()])],
            |_| async { panic!("not run") },
        ))
    })
    .await;
    insta::assert_snapshot!(result.content, @"internal: `fake` plans more than it declares; it was not run. This is a fault of MewCode: try another way, and tell the user.");
}

#[tokio::test]
async fn a_change_of_a_file_that_the_effects_do_not_name_is_not_made() {
    let scene = Scene::new();
    let path = scene.write("a.txt", "one\n");
    let named = scene.path("other.txt");
    let result = call(&scene, move |_, _| {
        let base = mewcode_core::text::Snapshot::decode("one\n");
        let target = mewcode_core::text::Text::decode("two\n");
        let file = crate::port::FileEdit {
            path: path.clone(),
            display: "a.txt".to_owned(),
            edit: mewcode_core::edit::Edit::between(&base, target.rope()).unwrap(),
            base,
            existed: true,
            final_newline: true,
            destination: Destination::Same,
        };
        let change = Change {
            files: vec![file],
            notes: Vec::new(),
        };
        Ok(Plan {
            effects: vec![Effect::Write(vec![named.clone()])],
            timeout: None,
            work: Work::Change(change),
        })
    })
    .await;
    assert_eq!(kind(&result), Some(ErrorKind::Internal));
    assert_eq!(scene.read("a.txt"), "one\n");
}

#[tokio::test]
async fn a_result_beyond_the_limits_is_cut_and_says_so() {
    let result = call(&Scene::new(), |_, _| {
        Ok(run(vec![], |_| async {
            ToolResult::ok("line\n".repeat(12))
        }))
    })
    .await;
    assert_eq!(result.content.lines().count(), 11);
    assert_eq!(result.truncation.unwrap().total_lines, 12);
    let result = call(&Scene::new(), |_, _| {
        Ok(run(vec![], |_| async {
            ToolResult::ok("line\n".repeat(10))
        }))
    })
    .await;
    assert_eq!(result.truncation, None);
}

#[tokio::test]
async fn the_editor_is_told_whose_change_it_is() {
    let mut scene = Scene::new();
    scene.context.reason = "because".to_owned();
    scene
        .call("write_file", json!({"path": "a", "content": "x\n"}))
        .await;
    let request = scene.editor.requests.lock().unwrap().pop().unwrap();
    let told = (
        request.session.as_str(),
        request.call.as_str(),
        request.tool.as_str(),
        request.reason.as_str(),
    );
    assert_eq!(told, ("session", "call", "write_file", "because"));
}
