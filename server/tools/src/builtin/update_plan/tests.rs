//! The whole list each time, and one step at a time.

use serde_json::json;
use tokio::sync::mpsc;

use super::*;
use crate::notice::Notices;
use crate::permission::Mode;
use crate::testing::Scene;

async fn call(steps: Value) -> (ToolResult, Vec<(String, Notice)>) {
    let mut scene = Scene::new();
    scene.context.mode = Mode::Plan;
    let (sender, mut told) = mpsc::unbounded_channel();
    scene.context.notices = Notices::new("call", sender);
    let result = scene.call("update_plan", json!({"steps": steps})).await;
    drop(scene);
    let mut notices = Vec::new();
    while let Some(notice) = told.recv().await {
        notices.push(notice);
    }
    (result, notices)
}

fn step(step: &str, status: StepStatus) -> PlanStep {
    PlanStep {
        step: step.to_owned(),
        status,
    }
}

#[tokio::test]
async fn the_plan_is_told_and_counted_in_plan_mode_too() {
    let (result, notices) = call(json!([
        {"step": "Read", "status": "completed"},
        {"step": "Change", "status": "in_progress"},
        {"step": "Test", "status": "pending"},
        {"step": "Tell", "status": "pending"},
    ]))
    .await;
    assert!(result.is_ok());
    insta::assert_snapshot!(result.content, @"The user sees the plan: 1 of 4 done, 1 in progress, 2 to do.");
    let steps = vec![
        step("Read", StepStatus::Completed),
        step("Change", StepStatus::InProgress),
        step("Test", StepStatus::Pending),
        step("Tell", StepStatus::Pending),
    ];
    assert_eq!(notices, [("call".to_owned(), Notice::Plan { steps })]);
    let (result, notices) = call(json!([])).await;
    assert_eq!(result.content, "The plan is taken away.");
    assert_eq!(
        notices,
        [("call".to_owned(), Notice::Plan { steps: Vec::new() })]
    );
}

#[tokio::test]
async fn what_is_no_plan_is_refused_and_not_told() {
    let many: Vec<Value> = (0..51)
        .map(|_| json!({"step": "x", "status": "pending"}))
        .collect();
    for (steps, part) in [
        (
            json!([{"step": "a", "status": "in_progress"}, {"step": "b", "status": "pending"}, {"step": "c", "status": "in_progress"}]),
            "At most one step is in progress, not 2: the steps 1, 3 are.",
        ),
        (
            json!([{"step": "a", "status": "pending"}, {"step": " ", "status": "pending"}]),
            "Step 2 says nothing.",
        ),
        (
            json!([{"step": "x".repeat(501), "status": "pending"}]),
            "Step 1 has more than 500 bytes",
        ),
        (json!(many), "at most 50 steps, this one 51"),
        (json!([{"step": "a", "status": "done"}]), "in_progress"),
        (json!([{"step": "a"}]), "status"),
        (
            json!([{"step": "a", "status": "pending", "note": "x"}]),
            "note",
        ),
        (json!("a"), "array"),
    ] {
        let (result, notices) = call(steps).await;
        assert_eq!(
            result.error.as_ref().unwrap().kind,
            crate::ErrorKind::InvalidArguments,
            "{part}"
        );
        assert!(result.content.contains(part), "{}", result.content);
        assert_eq!(notices, []);
    }
}
