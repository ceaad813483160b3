//! After a search for one name, the files that it could pass over are known.

use serde_json::json;

use super::*;
use crate::testing::Scene;

/// Bytes that are known once a search for a name of `a.rs` has ended, and all that it began.
async fn memory_after_search(files: &[(&str, &str)]) -> usize {
    let scene = Scene::new();
    for (path, text) in files {
        scene.write(path, text);
    }
    let result = scene
        .call("find_symbol", json!({"name": "wanted", "limit": 1}))
        .await;
    assert!(
        result.content.starts_with("a.rs:1 function wanted"),
        "{}",
        result.content
    );
    let symbols = scene.runtime.workspace().symbols();
    while symbols.learning.0.load(Ordering::Acquire) {
        tokio::task::yield_now().await;
    }
    symbols.memory()
}

#[tokio::test]
async fn what_a_search_passed_over_is_learnt() {
    let wanted = ("a.rs", "fn wanted() {}\n");
    let alone = memory_after_search(&[wanted]).await;
    let more = memory_after_search(&[wanted, ("b.rs", "fn other() {}\n")]).await;
    assert!(alone > 0);
    assert!(more > alone, "{more} > {alone}");
}

#[tokio::test]
async fn it_ends_with_the_workspace() {
    let scene = Scene::new();
    scene.write("a.rs", "fn wanted() {}\n");
    for file in 0..50 {
        scene.write(&format!("{file}.rs"), "fn other() {}\n".repeat(500));
    }
    assert!(
        scene
            .call("find_symbol", json!({"name": "wanted", "limit": 1}))
            .await
            .is_ok()
    );
    let symbols = Arc::downgrade(scene.runtime.workspace().symbols());
    drop(scene);
    while symbols.strong_count() > 0 {
        tokio::task::yield_now().await;
    }
}
