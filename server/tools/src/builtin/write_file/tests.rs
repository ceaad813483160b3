//! Whole files: new ones, and others that are written anew.

use serde_json::json;

use super::*;
use crate::error::ErrorKind;
use crate::result::ToolResult;
use crate::testing::Scene;

async fn write(scene: &Scene, path: &str, content: &str) -> ToolResult {
    scene
        .call("write_file", json!({"path": path, "content": content}))
        .await
}

async fn read(scene: &Scene, path: &str) {
    assert!(scene.call("read_file", json!({"path": path})).await.is_ok());
}

fn kind(result: &ToolResult) -> Option<ErrorKind> {
    result.error.as_ref().map(|error| error.kind)
}

#[tokio::test]
async fn a_new_file_is_made_with_its_folders() {
    let scene = Scene::new();
    scene.write("src/lib.rs", "");
    insta::assert_snapshot!(write(&scene, "src/deep/er/new.rs", "fn a() {}\n").await.content, @"
    Created `src/deep/er/new.rs`: +1 −0, sha256 509a0a5b5ce4.
    The folders `src/deep` and `src/deep/er` were created for it.
    @@ -0,0 +1,1 @@
    +fn a() {}
    ");
    assert_eq!(scene.read("src/deep/er/new.rs"), "fn a() {}\n");
    insta::assert_snapshot!(write(&scene, "docs/a.md", "# A\n").await.content, @"
    Created `docs/a.md`: +1 −0, sha256 aa1237b773c3.
    The folder `docs` was created for it.
    @@ -0,0 +1,1 @@
    +# A
    ");
    let plain = write(&scene, "top.txt", "x\n").await;
    assert!(!plain.content.contains("folder"), "{}", plain.content);
}

#[tokio::test]
async fn a_new_file_is_written_as_its_content_is() {
    for content in [
        "a\nb\n",
        "a\nb",
        "a\r\nb\r\n",
        "a\r\nb",
        "\u{feff}a\n",
        "\u{feff}a\r\nb\r\n",
        "\n",
        "a\rb\n",
        "// ... existing code\n",
    ] {
        let scene = Scene::new();
        let result = write(&scene, "a.txt", content).await;
        assert!(result.is_ok(), "{content:?}: {}", result.content);
        assert_eq!(scene.read("a.txt"), content, "{content:?}");
        let file = &result.files[0];
        assert_eq!(file.sha256_before, None);
        assert_eq!(
            file.sha256_after,
            Some(Snapshot::decode(content).hash().to_string())
        );
    }
}

#[tokio::test]
async fn an_empty_file_is_made() {
    let scene = Scene::new();
    let result = write(&scene, "a/__init__.py", "").await;
    assert!(result.is_ok(), "{}", result.content);
    assert_eq!(scene.read("a/__init__.py"), "");
}

#[tokio::test]
async fn an_empty_file_is_filled_without_being_read() {
    for content in ["a\n", "a"] {
        let scene = Scene::new();
        scene.write("a.txt", "");
        let result = write(&scene, "a.txt", content).await;
        assert!(result.is_ok(), "{}", result.content);
        assert_eq!(scene.read("a.txt"), content);
    }
}

#[tokio::test]
async fn a_rewrite_keeps_how_the_file_is_written() {
    for (wire, content, expected) in [
        ("a\r\nb\r\n", "x\ny\nz\n", "x\r\ny\r\nz\r\n"),
        ("\u{feff}a\n", "x\n", "\u{feff}x\n"),
        ("a\nb\n", "x\r\ny\r\n", "x\ny\n"),
        ("a\nb", "x\n", "x\n"),
        ("a\nb", "x", "x"),
        ("a\n", "x", "x\n"),
    ] {
        let scene = Scene::new();
        scene.write("a.txt", wire);
        read(&scene, "a.txt").await;
        let result = write(&scene, "a.txt", content).await;
        assert!(result.is_ok(), "{}", result.content);
        assert_eq!(
            scene.read("a.txt"),
            expected,
            "{wire:?} rewritten with {content:?}"
        );
    }
}

#[tokio::test]
async fn a_rewrite_needs_that_the_whole_file_was_read() {
    let scene = Scene::new();
    scene.write("a.txt", "one\ntwo\nthree\nfour\n");
    insta::assert_snapshot!(write(&scene, "a.txt", "x\n").await.content, @"not_read: `a.txt` exists and has not been read in this session: a rewrite would drop what is in it. Read the whole of it with read_file, then call again; or change parts of it with edit_file.");
    scene
        .call("read_file", json!({"path": "a.txt", "limit": 2}))
        .await;
    insta::assert_snapshot!(write(&scene, "a.txt", "x\n").await.content, @"not_read: Of the 4 lines of `a.txt` you have seen lines 1-2: a rewrite would drop the rest unseen. Read the rest with read_file, then call again; or change parts of it with edit_file.");
    scene
        .call("read_file", json!({"path": "a.txt", "offset": 3}))
        .await;
    assert!(
        write(&scene, "a.txt", "x\n").await.is_ok(),
        "both parts together are the whole"
    );
}

#[tokio::test]
async fn a_rewrite_never_drops_what_the_user_wrote_since() {
    let scene = Scene::new();
    scene.write("a.txt", "one\ntwo\n");
    read(&scene, "a.txt").await;
    scene.write("a.txt", "one\ntwo\nby the user\n");
    let result = write(&scene, "a.txt", "x\n").await;
    assert_eq!(kind(&result), Some(ErrorKind::StaleFile));
    insta::assert_snapshot!(result.content, @"
    stale_file: `a.txt` has changed since it was read. Nothing was changed. The change meanwhile:
    @@ -1,2 +1,3 @@
     one
     two
    +by the user
    Read the file again and make the change for its present text.
    ");
    assert_eq!(scene.read("a.txt"), "one\ntwo\nby the user\n");
    scene
        .call(
            "read_file",
            json!({"path": "a.txt", "offset": 1, "limit": 2}),
        )
        .await;
    assert_eq!(
        kind(&write(&scene, "a.txt", "x\n").await),
        Some(ErrorKind::NotRead),
        "the new line is still unseen"
    );
    read(&scene, "a.txt").await;
    assert!(write(&scene, "a.txt", "x\n").await.is_ok());
}

#[tokio::test]
async fn a_rewrite_that_changes_nothing_or_leaves_code_out_is_refused() {
    let scene = Scene::without_ledger();
    scene.write("a.rs", "fn a() {}\nfn b() {}\n");
    insta::assert_snapshot!(write(&scene, "a.rs", "fn a() {}\nfn b() {}\n").await.content, @"no_change: `a.rs` has just this content already. If the file already is as it should be, go on; else say what is to change.");
    insta::assert_snapshot!(write(&scene, "a.rs", "fn c() {}\n// ... rest of the file unchanged\n").await.content, @"invalid_arguments: The content has `// ... rest of the file unchanged` in place of code; it would be written just so, and the code would be gone. Write out all of the content, or change parts of the file with edit_file.");
    assert_eq!(scene.read("a.rs"), "fn a() {}\nfn b() {}\n");
}

#[tokio::test]
async fn a_rewrite_keeps_the_encoding() {
    let wide = |text: &str| -> Vec<u8> {
        let units = text.encode_utf16();
        units.flat_map(u16::to_be_bytes).collect()
    };
    for (before, content, after) in [
        (
            wide("\u{feff}a\r\n"),
            "é😀\nb\n",
            wide("\u{feff}é😀\r\nb\r\n"),
        ),
        (
            b"caf\xe9\n".to_vec(),
            "cr\u{e8}me 1 €\n",
            b"cr\xe8me 1 \x80\n".to_vec(),
        ),
        (b"caf\xe9\n".to_vec(), "plain\n", b"plain\n".to_vec()),
    ] {
        let scene = Scene::new();
        let path = scene.write("a.txt", before);
        read(&scene, "a.txt").await;
        let result = write(&scene, "a.txt", content).await;
        assert!(result.is_ok(), "{}", result.content);
        assert_eq!(std::fs::read(&path).unwrap(), after, "{content}");
        // What was written is what is read again.
        assert_eq!(
            kind(&write(&scene, "a.txt", content).await),
            Some(ErrorKind::NoChange)
        );
    }
}

#[tokio::test]
async fn what_is_not_text_is_not_overwritten() {
    let scene = Scene::without_ledger();
    scene.write("logo.png", b"\x89PNG\r\n\x1a\n\0");
    scene.write("folder/x", "");
    assert_eq!(
        kind(&write(&scene, "logo.png", "x\n").await),
        Some(ErrorKind::BinaryFile)
    );
    assert_eq!(
        kind(&write(&scene, "folder", "x\n").await),
        Some(ErrorKind::IsDirectory)
    );
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_is_written_through_and_the_mode_is_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let scene = Scene::without_ledger();
    let script = scene.write("run.sh", "echo\n");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o751)).unwrap();
    symlink("run.sh", scene.path("link.sh")).unwrap();
    let result = write(&scene, "link.sh", "echo 1\n").await;
    assert_eq!(
        result.files[0].path, "run.sh",
        "the file that was really written is named"
    );
    assert_eq!(
        std::fs::metadata(&script).unwrap().permissions().mode() & 0o777,
        0o751
    );
    assert!(
        std::fs::symlink_metadata(scene.path("link.sh"))
            .unwrap()
            .is_symlink()
    );
    assert_eq!(scene.read("run.sh"), "echo 1\n");
}
