//! What an agent must have seen before it patches a file, and what it knows afterwards.

use super::*;

#[tokio::test]
async fn a_file_must_have_been_read_before_it_is_changed_moved_or_deleted() {
    let scene = Scene::new();
    scene.write("a.txt", "a\n");
    for body in [
        "*** Update File: a.txt\n-a\n+A\n",
        "*** Delete File: a.txt\n",
        "*** Update File: a.txt\n*** Move to: b.txt\n",
    ] {
        assert_eq!(refused(&scene, body).await.0, ErrorKind::NotRead, "{body}");
    }
    read(&scene, "a.txt").await;
    let result = apply(
        &scene,
        "*** Update File: a.txt\n*** Move to: b.txt\n-a\n+A\n",
    )
    .await;
    assert!(result.is_ok(), "{}", result.content);
}

#[tokio::test]
async fn an_edit_is_carried_past_what_the_user_changed() {
    let scene = Scene::new();
    scene.write("a.txt", "one\ntwo\nthree\nfour\nfive\n");
    read(&scene, "a.txt").await;
    scene.write("a.txt", "zero\none\ntwo\nthree\nfour\nfive\n");
    let result = apply(&scene, "*** Update File: a.txt\n four\n-five\n+5\n").await;
    assert!(result.is_ok(), "{}", result.content);
    assert_eq!(scene.read("a.txt"), "zero\none\ntwo\nthree\nfour\n5\n");
    scene.write("a.txt", "zero\none\n2\nthree\nfour\n5\n");
    let (kind, said) = {
        scene.editor.requests.lock().unwrap().clear();
        refused(&scene, "*** Update File: a.txt\n one\n-two\n+zwei\n").await
    };
    assert_eq!(kind, ErrorKind::StaleFile, "{said}");
}

#[tokio::test]
async fn what_the_user_changed_unseen_is_neither_deleted_nor_moved() {
    for body in [
        "*** Delete File: a.txt\n",
        "*** Update File: a.txt\n*** Move to: b.txt\n",
        "*** Update File: a.txt\n*** Move to: b.txt\n-one\n+1\n",
    ] {
        let scene = Scene::new();
        scene.write("a.txt", "one\ntwo\nthree\n");
        read(&scene, "a.txt").await;
        scene.write("a.txt", "one\ntwo\nthree\nmine\n");
        let (kind, said) = refused(&scene, body).await;
        assert_eq!(kind, ErrorKind::StaleFile, "{body}");
        assert!(said.contains("+mine"), "{said}");
        // A part that was read since is not the part that was changed.
        scene
            .call(
                "read_file",
                json!({"path": "a.txt", "offset": 1, "limit": 1}),
            )
            .await;
        assert_eq!(
            refused(&scene, body).await.0,
            ErrorKind::StaleFile,
            "{body}"
        );
        read(&scene, "a.txt").await;
        let result = apply(&scene, body).await;
        assert!(result.is_ok(), "{}", result.content);
    }
}

#[tokio::test]
async fn the_agent_knows_a_file_where_it_moved_it_and_not_what_is_there_later() {
    let scene = Scene::new();
    scene.write("a.txt", "one\ntwo\n");
    read(&scene, "a.txt").await;
    apply(
        &scene,
        "*** Update File: a.txt\n*** Move to: b.txt\n-one\n+1\n",
    )
    .await;
    let edit = json!({"path": "b.txt", "old_string": "two", "new_string": "2"});
    let edit = scene.call("edit_file", edit).await;
    assert!(edit.is_ok(), "{}", edit.content);
    scene.write("a.txt", "another\n");
    let unseen = apply(&scene, "*** Delete File: a.txt\n").await;
    assert_eq!(kind(&unseen), Some(ErrorKind::NotRead));
    apply(&scene, "*** Delete File: b.txt\n").await;
    assert!(!scene.path("b.txt").exists());
    scene.write("b.txt", "another\n");
    let unseen = apply(&scene, "*** Update File: b.txt\n-another\n+x\n").await;
    assert_eq!(kind(&unseen), Some(ErrorKind::NotRead));
}

#[tokio::test]
async fn the_agent_knows_what_it_added() {
    let scene = Scene::new();
    apply(&scene, "*** Add File: a.txt\n+one\n+two\n").await;
    let result = apply(&scene, "*** Update File: a.txt\n-two\n+2\n").await;
    assert!(result.is_ok(), "{}", result.content);
    let result = apply(&scene, "*** Delete File: a.txt\n").await;
    assert!(result.is_ok(), "{}", result.content);
    assert_eq!(scene.entries(), Vec::<String>::new());
}
