//! What a pattern finds, in which order, how much of it, and what is never found.

use std::fs;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::error::ErrorKind;
use crate::result::{Rest, Status};
use crate::testing::Scene;

async fn answer(scene: &Scene, arguments: Value) -> String {
    let result = scene.call("glob", arguments).await;
    assert_eq!(result.status, Status::Ok, "{}", result.content);
    result.content
}

async fn found(scene: &Scene, arguments: Value) -> Vec<String> {
    answer(scene, arguments)
        .await
        .lines()
        .map(str::to_owned)
        .collect()
}

fn small_tree() -> Scene {
    let scene = Scene::new();
    scene.write(".git/HEAD", "");
    scene.write(".gitignore", "target/\n");
    for path in [
        "src/main.rs",
        "src/lib/mod.rs",
        "README.md",
        "target/out.rs",
        ".github/ci.yml",
        ".env.rs",
    ] {
        scene.write(path, "text\n");
    }
    scene
}

#[tokio::test]
async fn names_fit_at_any_depth_and_paths_from_the_folder() {
    let scene = small_tree();
    assert_eq!(
        found(&scene, json!({"pattern": "*.rs"})).await,
        ["src/lib/mod.rs", "src/main.rs"]
    );
    assert_eq!(
        found(&scene, json!({"pattern": "src/*.rs"})).await,
        ["src/main.rs"]
    );
    assert_eq!(
        found(&scene, json!({"pattern": "lib/*.rs", "path": "src"})).await,
        ["src/lib/mod.rs"]
    );
    assert_eq!(
        found(&scene, json!({"pattern": "{main,mod}.rs", "path": "src"})).await,
        ["src/lib/mod.rs", "src/main.rs"]
    );
    assert_eq!(
        found(&scene, json!({"pattern": "*", "path": "README.md"})).await,
        ["README.md"]
    );
}

#[tokio::test]
async fn hidden_and_ignored_files_are_asked_for() {
    let scene = small_tree();
    assert_eq!(
        found(&scene, json!({"pattern": "*.rs", "ignored": true}))
            .await
            .len(),
        3
    );
    assert_eq!(
        found(
            &scene,
            json!({"pattern": "*.rs", "ignored": true, "hidden": true})
        )
        .await,
        [".env.rs", "src/lib/mod.rs", "src/main.rs", "target/out.rs"]
    );
    assert_eq!(
        found(&scene, json!({"pattern": ".github/*"})).await,
        [".github/ci.yml"]
    );
}

#[tokio::test]
async fn nothing_found_says_where_it_was_looked_for() {
    let scene = small_tree();
    insta::assert_snapshot!(answer(&scene, json!({"pattern": "*.py"})).await, @"No file fits `*.py` in the workspace: 3 files looked at, hidden and ignored ones left out.");
    insta::assert_snapshot!(answer(&scene, json!({"pattern": "*.py", "path": "src", "hidden": true, "ignored": true})).await, @"No file fits `*.py` in `src`: 2 files looked at.");
}

#[tokio::test]
async fn just_the_limit_is_not_marked_and_one_more_is() {
    let scene = Scene::new();
    for number in 0..100 {
        scene.write(&format!("{number:03}.txt"), "");
    }
    let result = scene.call("glob", json!({"pattern": "*.txt"})).await;
    assert_eq!(result.content.lines().count(), 100);
    assert_eq!(result.truncation, None);
    scene.write("100.txt", "");
    let result = scene.call("glob", json!({"pattern": "*.txt"})).await;
    assert_eq!(
        result.content.lines().last(),
        Some("[1 more file; go on with offset 100]")
    );
    let truncation = result.truncation.unwrap();
    assert_eq!((truncation.shown_lines, truncation.total_lines), (100, 101));
    assert_eq!(
        truncation.shown_bytes + "100.txt\n".len(),
        truncation.total_bytes
    );
    let next = Rest::Next {
        offset: 100,
        byte_offset: None,
    };
    assert_eq!(truncation.rest, next);
    assert_eq!(
        found(&scene, json!({"pattern": "*.txt", "offset": 100})).await,
        ["100.txt"]
    );
    insta::assert_snapshot!(answer(&scene, json!({"pattern": "*.txt", "offset": 101})).await, @"Only 101 files fit: there are none from offset 101 on.");
}

#[tokio::test]
async fn pages_cover_all_without_gaps() {
    let scene = Scene::new();
    for number in 0..40 {
        scene.write(&format!("{}/{number}.txt", number % 7), "");
    }
    let whole = found(&scene, json!({"pattern": "*.txt"})).await;
    for limit in [1, 3, 7, 39, 40] {
        let mut paged = Vec::new();
        let mut offset = Some(0);
        while let Some(from) = offset {
            let result = scene
                .call(
                    "glob",
                    json!({"pattern": "*.txt", "limit": limit, "offset": from}),
                )
                .await;
            paged.extend(
                result
                    .content
                    .lines()
                    .filter(|line| !line.starts_with('['))
                    .map(str::to_owned),
            );
            offset = result.truncation.map(|truncation| match truncation.rest {
                Rest::Next { offset, .. } => offset,
                rest => panic!("{rest:?}"),
            });
        }
        assert_eq!(paged, whole, "limit {limit}");
    }
}

#[tokio::test]
async fn long_paths_are_bounded_by_bytes_and_paged_too() {
    let scene = Scene::new();
    for number in 0..400 {
        scene.write(&format!("{number:03}{}", "x".repeat(240)), "");
    }
    let result = scene
        .call("glob", json!({"pattern": "*", "limit": 1000}))
        .await;
    assert!(result.content.len() <= super::MAX_BYTES);
    let truncation = result.truncation.unwrap();
    let shown = truncation.shown_lines;
    assert!(shown > 200 && shown < 400, "{shown}");
    let rest = found(
        &scene,
        json!({"pattern": "*", "limit": 1000, "offset": shown}),
    )
    .await;
    assert_eq!(rest.len(), 400 - shown);
}

#[tokio::test]
async fn the_newest_come_first_if_asked() {
    let scene = Scene::new();
    let now = SystemTime::now();
    for (age, path) in [(30, "a"), (10, "b"), (20, "c"), (10, "d")] {
        let file = fs::File::create(scene.write(path, "")).unwrap();
        file.set_modified(now - Duration::from_secs(age)).unwrap();
    }
    scene.editor.open(&scene.path("only-a-buffer"), "text\n");
    assert_eq!(
        found(&scene, json!({"pattern": "*", "sort": "modified"})).await,
        ["only-a-buffer", "b", "d", "c", "a"]
    );
    assert_eq!(
        found(&scene, json!({"pattern": "*", "sort": "path"}))
            .await
            .len(),
        5
    );
}

#[tokio::test]
async fn a_removed_file_is_not_found_and_a_buffer_is() {
    let scene = Scene::new();
    let path = scene.write("a.txt", "");
    scene.editor.open(&scene.path("new.txt"), "text\n");
    assert_eq!(
        found(&scene, json!({"pattern": "*.txt"})).await,
        ["a.txt", "new.txt"]
    );
    fs::remove_file(path).unwrap();
    scene.editor.close(&scene.path("new.txt"));
    scene.write("b.txt", "");
    assert_eq!(found(&scene, json!({"pattern": "*.txt"})).await, ["b.txt"]);
}

#[cfg(unix)]
#[tokio::test]
async fn hard_names_are_listed_one_a_line() {
    use std::os::unix::ffi::OsStrExt;
    let scene = Scene::new();
    for name in ["a..go", "-dash", "line\nbreak", "blank s"] {
        scene.write(name, "");
    }
    scene.write(&"n".repeat(255), "");
    fs::write(
        scene
            .path("")
            .join(std::ffi::OsStr::from_bytes(b"latin\xe9")),
        "",
    )
    .unwrap();
    let expected = [
        "-dash",
        "a..go",
        "blank s",
        "latin\u{fffd}",
        "line\\nbreak",
        &"n".repeat(255),
    ];
    assert_eq!(found(&scene, json!({"pattern": "*"})).await, expected);
}

#[tokio::test]
async fn what_cannot_be_asked_is_refused() {
    let scene = small_tree();
    for (arguments, kind) in [
        (json!({"pattern": "[a"}), ErrorKind::InvalidPattern),
        (
            json!({"pattern": "*", "path": "/etc"}),
            ErrorKind::OutsideWorkspace,
        ),
        (
            json!({"pattern": "*", "path": "../.."}),
            ErrorKind::OutsideWorkspace,
        ),
        (json!({"pattern": "../*"}), ErrorKind::InvalidPattern),
        (
            json!({"pattern": "*", "path": "nowhere"}),
            ErrorKind::NotFound,
        ),
        (
            json!({"pattern": "*", "limit": 0}),
            ErrorKind::InvalidArguments,
        ),
        (
            json!({"pattern": "*", "offset": -1}),
            ErrorKind::InvalidArguments,
        ),
        (
            json!({"pattern": "*", "sort": "size"}),
            ErrorKind::InvalidArguments,
        ),
        (
            json!({"pattern": "*", "path": ".mewcode"}),
            ErrorKind::ForbiddenPath,
        ),
    ] {
        let result = scene.call("glob", arguments.clone()).await;
        assert_eq!(
            result.error.map(|error| error.kind),
            Some(kind),
            "{arguments}: {}",
            result.content
        );
    }
}

#[tokio::test]
async fn a_cancelled_call_is_interrupted() {
    let scene = small_tree();
    scene.context.cancel.cancel();
    let result = scene.call("glob", json!({"pattern": "*"})).await;
    assert_eq!(result.status, Status::Interrupted);
}
