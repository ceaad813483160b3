//! Patches over the files and the open buffers of a workspace.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use super::*;
use crate::error::ErrorKind;
use crate::result::ToolResult;
use crate::testing::Scene;

mod knowing;

fn patch_of(body: &str) -> String {
    format!("*** Begin Patch\n{body}*** End Patch\n")
}

/// The answer to a patch of this body.
async fn apply(scene: &Scene, body: &str) -> ToolResult {
    let arguments = json!({ "patch": patch_of(body) });
    scene.call("apply_patch", arguments).await
}

async fn read(scene: &Scene, path: &str) {
    assert!(scene.call("read_file", json!({"path": path})).await.is_ok());
}

fn kind(result: &ToolResult) -> Option<ErrorKind> {
    result.error.as_ref().map(|error| error.kind)
}

/// The refusal of a patch of this body, after which everything is as before.
async fn refused(scene: &Scene, body: &str) -> (ErrorKind, String) {
    let before = tree(scene);
    let result = apply(scene, body).await;
    assert_eq!(tree(scene), before, "{}", result.content);
    assert!(scene.editor.requests.lock().unwrap().is_empty());
    (kind(&result).unwrap(), result.content)
}

/// Every file of the workspace with its content.
fn tree(scene: &Scene) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    let mut folders = vec![scene.path("")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push((path.clone(), fs::read(path).unwrap_or_default()));
            }
        }
    }
    files.sort();
    files
}

#[tokio::test]
async fn the_example_of_the_description_works() {
    let start = DESCRIPTION.find("*** Begin Patch").unwrap();
    let end = DESCRIPTION.find("\n\nOne section").unwrap();
    let scene = Scene::without_ledger();
    scene.write(
        "src/shop.py",
        "class Shop:\n    def price(self):\n        total = self.sum()\n        return total\n",
    );
    scene.write("src/util.py", "x = 1\n");
    scene.write("old.py", "y = 1\n");
    let arguments = json!({ "patch": DESCRIPTION[start..end] });
    let result = scene.call("apply_patch", arguments).await;
    assert!(result.is_ok(), "{}", result.content);
    assert!(
        scene
            .read("src/shop.py")
            .contains("        return round(total, 2)\n")
    );
    assert_eq!(scene.read("src/lib/util.py"), "x = 1\n");
    assert_eq!(scene.read("docs/note.md"), "# Note\n");
    assert_eq!(scene.entries(), ["docs", "src"]);
}

#[tokio::test]
async fn files_are_edited_added_moved_and_deleted_together() {
    let scene = Scene::without_ledger();
    scene.write("src/a.rs", "fn a() {\n    1\n}\n");
    scene.write("b.txt", "one\ntwo\n");
    scene.write("c.txt", "stays\n");
    scene.write("d.txt", "x\ny\n");
    let result = apply(
        &scene,
        "*** Update File: src/a.rs\n@@ fn a() {\n-    1\n+    2\n*** Add File: new/deep/e.txt\n+hello\n+\n\
         *** Update File: b.txt\n*** Move to: new/b.txt\n one\n-two\n+2\n*** Update File: c.txt\n*** Move to: new/c.txt\n\
         *** Delete File: d.txt\n",
    )
    .await;
    insta::assert_snapshot!(result.content, @"
    Edited `src/a.rs`: +1 −1, sha256 c8f413205aee.
    Created `new/deep/e.txt`: +2 −0, sha256 50adea61fa4e.
    Moved `b.txt` to `new/b.txt` and edited it: +1 −1, sha256 b8c083898d90.
    Moved `c.txt` to `new/c.txt`, sha256 88068bdc4f1c.
    Removed `d.txt`: +0 −2.
    The folders `new` and `new/deep` were created for them.
    src/a.rs:
    @@ -1,3 +1,3 @@
     fn a() {
    -    1
    +    2
     }
    new/deep/e.txt:
    @@ -0,0 +1,2 @@
    +hello
    +
    new/b.txt:
    @@ -1,2 +1,2 @@
     one
    -two
    +2
    ");
    assert_eq!(scene.read("src/a.rs"), "fn a() {\n    2\n}\n");
    assert_eq!(scene.read("new/deep/e.txt"), "hello\n\n");
    assert_eq!(scene.read("new/b.txt"), "one\n2\n");
    assert_eq!(scene.read("new/c.txt"), "stays\n");
    assert_eq!(scene.entries(), ["new", "src"]);
}

#[tokio::test]
async fn what_the_permission_looks_at_names_every_path() {
    let scene = Scene::without_ledger();
    scene.write("a.txt", "a\n");
    scene.write("b.txt", "b\n");
    scene.write("c.txt", "c\n");
    let patch = patch_of(
        "*** Add File: d.txt\n+x\n*** Delete File: a.txt\n*** Update File: b.txt\n-b\n+B\n*** Update File: c.txt\n\
         *** Move to: e/f.txt\n",
    );
    let plan = ApplyPatch::new()
        .plan(json!({ "patch": patch }), &scene.scope())
        .unwrap();
    let paths = ["d.txt", "a.txt", "b.txt", "c.txt", "e/f.txt"];
    let paths = paths.map(|path| scene.path(path)).to_vec();
    assert_eq!(plan.effects, [Effect::Write(paths)]);
    assert!(!scene.path("e").exists());
}

#[tokio::test]
async fn when_one_file_fails_none_is_touched() {
    let scene = Scene::without_ledger();
    scene.write("a.txt", "a\n");
    scene.write("b.txt", "b\n");
    let body = "*** Update File: a.txt\n-a\n+A\n*** Add File: new.txt\n+x\n*** Update File: b.txt\n-c\n+C\n";
    let (kind, said) = refused(&scene, body).await;
    assert_eq!(kind, ErrorKind::NoMatch);
    assert!(
        said.contains("`b.txt`: the hunk on line 8 of the patch"),
        "{said}"
    );
}

#[tokio::test]
async fn a_refusal_says_which_hunk_and_why() {
    let scene = Scene::without_ledger();
    scene.write(
        "a.py",
        "class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self, x):\n        return 1\n",
    );
    let update = |hunks: &str| format!("*** Update File: a.py\n{hunks}");
    let said = |hunks: &str| {
        let (scene, body) = (&scene, update(hunks));
        async move { refused(scene, &body).await.1 }
    };
    insta::assert_snapshot!(said("@@\n-        return 1\n+        return 2\n").await, @"ambiguous_match: `a.py`: the hunk on line 3 of the patch fits in 2 places: on lines 3 and 7. Nothing was changed: correct the patch and send the whole of it again. Show more lines around the change, or put `@@ ` and a line above it, such as the head of its function, before the hunk.");
    insta::assert_snapshot!(said("@@ class B:\n     def f(self):\n-        return 1\n").await, @"no_match: `a.py`: the hunk on line 3 of the patch stands on line 2, but not below its `@@` line. Nothing was changed: correct the patch and send the whole of it again. Give a line above it after `@@`, or leave that out.");
    insta::assert_snapshot!(said("@@ f(self, x):\n-        return 1\n").await, @"no_match: `a.py`: the hunk on line 3 of the patch has `@@ f(self, x):`, but no line of the file begins so, or none below the `@@` line before it. Line 6 is `    def f(self, x):`. Nothing was changed: correct the patch and send the whole of it again. Give the whole line after `@@`, or leave it out.");
    insta::assert_snapshot!(said(" class A:\n     def g(self):\n-        return 1\n").await, @"
    no_match: `a.py`: the hunk on line 3 of the patch does not stand in the file. What comes closest is lines 1-3:
    class A:
        def f(self):
            return 1
    Difference: line 2 is `    def f(self):`, the text to be found has `    def g(self):`.
    Nothing was changed: correct the patch and send the whole of it again. Copy the lines exactly as they stand in the file; read it again if you are not sure.
    ");
    insta::assert_snapshot!(said("-class A:\n     def f(self):\n@@\n-    def f(self):\n").await, @"patch_invalid: `a.py`: the hunk on line 5 of the patch meets the hunk on line 3 at line 2: one changes what the other shows. Nothing was changed: correct the patch and send the whole of it again. Make one hunk of the two.");
    insta::assert_snapshot!(said(" class A:\n-     def f(self):\n+    def g(self):\n-         return 1\n").await, @"
    no_match: `a.py`: the hunk on line 3 of the patch does not stand in the file. What comes closest is lines 1-3:
    class A:
        def f(self):
            return 1
    Difference: only the indentation differs, but not alike on every line: line 2 is indented by 4 spaces, the text to be found by 5 spaces; line 3 is indented by 8 spaces, the text to be found by 9 spaces.
    Nothing was changed: correct the patch and send the whole of it again. Copy the lines exactly as they stand in the file; read it again if you are not sure.
    ");
    insta::assert_snapshot!(said("         def f(self):\n-            return 1\n+  x\n").await, @"no_match: `a.py`: the hunk on line 3 of the patch stands on line 2 with less indentation, and one of its new lines has less than would have to go. Nothing was changed: correct the patch and send the whole of it again. Copy the indentation as it stands in the file.");
    insta::assert_snapshot!(said("-        return 1\n*** End of File\n@@\n-class A:\n*** End of File\n").await, @"no_match: `a.py`: the hunk on line 5 of the patch stands on line 1, but not at the end of the file, where `*** End of File` ties it. Nothing was changed: correct the patch and send the whole of it again. Leave out `*** End of File`, or show the last lines of the file.");
    insta::assert_snapshot!(said("-class A:\n+class A:\n").await, @"no_change: `a.py` would be the same as before: its hunks put back what they take away. Nothing was changed: correct the patch and send the whole of it again.");
    insta::assert_snapshot!(said(" class A:\n-    def f(self):\n+    # ... existing code\n").await, @"patch_invalid: `a.py`: the hunk on line 3 of the patch has `# ... existing code` in place of code; it would be written just so. Nothing was changed. Write out all new lines, leave out what stays, and send the whole patch again.");
    insta::assert_snapshot!(said("@@ -1,2 +1,2 @@\n-class A:\n").await, @"patch_invalid: Line 3 of the patch: expected `@@` alone, or `@@ ` and a line of the file above the change; line numbers have no meaning here, found `@@ -1,2 +1,2 @@`. Nothing was changed. Correct the patch and send the whole of it again.");
    let cut = json!({"patch": "*** Begin Patch\n*** Update File: a.py\n-class A:\n"});
    insta::assert_snapshot!(scene.call("apply_patch", cut).await.content, @"patch_invalid: Line 3 of the patch: expected `*** End Patch` as the last line; without it the patch may have been cut off. Nothing was changed. Correct the patch and send the whole of it again.");
}

#[tokio::test]
async fn what_is_not_matched_to_the_letter_is_named() {
    let scene = Scene::without_ledger();
    scene.write(
        "a.py",
        "def f():\n    x = 1   \n    y = “2”\n\n\nif True:\n        z = 3\n",
    );
    let result = apply(
        &scene,
        "*** Update File: a.py\n@@\n     x = 1\n+    w = 0\n@@\ndef f():\n+    \"\"\"F.\"\"\"\n@@\n if True:\n@@\n-    z = 3\n+    z = 4\n",
    )
    .await;
    assert_eq!(
        kind(&result),
        Some(ErrorKind::PatchInvalid),
        "{}",
        result.content
    );
    let result = apply(
        &scene,
        "*** Update File: a.py\n@@\n     x = 1\n+    w = 0\n@@\n-    y = \"2\"\n+    y = 2\n@@\n-    z = 3\n+    z = 4\n",
    )
    .await;
    insta::assert_snapshot!(result.content, @"
    Edited `a.py`: +3 −2, sha256 c940aef1c677.
    `a.py`, line 2 (hunk on line 3 of the patch): matched: trailing_space.
    `a.py`, line 3 (hunk on line 6 of the patch): matched: typography.
    `a.py`, line 7 (hunk on line 9 of the patch): matched: indentation.
    @@ -1,7 +1,8 @@
     def f():
         x = 1   
    -    y = “2”
    +    w = 0
    +    y = 2
     
     
     if True:
    -        z = 3
    +        z = 4
    ");
    assert_eq!(
        scene.read("a.py"),
        "def f():\n    x = 1   \n    w = 0\n    y = 2\n\n\nif True:\n        z = 4\n"
    );
}

#[tokio::test]
async fn nothing_is_added_or_moved_onto_something() {
    let scene = Scene::without_ledger();
    scene.write("a.txt", "a\n");
    scene.write("b.txt", "b\n");
    scene.write("binary", [0, 1, 2]);
    scene.write("folder/x", "x\n");
    scene
        .editor
        .open(&scene.path("open.txt"), "only a buffer\n");
    for (body, expected) in [
        ("*** Add File: a.txt\n+x\n", ErrorKind::Conflict),
        ("*** Add File: binary\n+x\n", ErrorKind::Conflict),
        ("*** Add File: open.txt\n+x\n", ErrorKind::Conflict),
        ("*** Add File: folder\n+x\n", ErrorKind::IsDirectory),
        (
            "*** Update File: a.txt\n*** Move to: b.txt\n",
            ErrorKind::Conflict,
        ),
        (
            "*** Update File: a.txt\n*** Move to: open.txt\n",
            ErrorKind::Conflict,
        ),
        (
            "*** Update File: a.txt\n*** Move to: folder\n",
            ErrorKind::IsDirectory,
        ),
        (
            "*** Update File: a.txt\n*** Move to: ./a.txt\n",
            ErrorKind::PatchInvalid,
        ),
    ] {
        assert_eq!(refused(&scene, body).await.0, expected, "{body}");
    }
    let said = refused(
        &scene,
        "*** Update File: a.txt\n*** Move to: b.txt\n-a\n+A\n",
    )
    .await
    .1;
    insta::assert_snapshot!(said, @"conflict: `b.txt` exists already, so `a.txt` cannot be moved there. Nothing was changed. Move it to a path where nothing is.");
    let said = refused(&scene, "*** Add File: a.txt\n+x\n").await.1;
    insta::assert_snapshot!(said, @"conflict: `a.txt` exists already, so it cannot be added. Nothing was changed. Use `*** Update File: a.txt` to change it.");
}

#[tokio::test]
async fn what_is_not_there_or_no_text_is_not_changed() {
    let scene = Scene::without_ledger();
    scene.write("main.rs", "x\n");
    scene.write("binary", [0, 1, 2]);
    scene.write("folder/x", "x\n");
    for (body, expected) in [
        ("*** Delete File: mian.rs\n", ErrorKind::NotFound),
        ("*** Update File: mian.rs\n-x\n", ErrorKind::NotFound),
        (
            "*** Update File: mian.rs\n*** Move to: y\n",
            ErrorKind::NotFound,
        ),
        ("*** Delete File: folder\n", ErrorKind::IsDirectory),
        ("*** Delete File: binary\n", ErrorKind::BinaryFile),
        (
            "*** Update File: binary\n*** Move to: y\n",
            ErrorKind::BinaryFile,
        ),
        ("*** Delete File: ../x\n", ErrorKind::OutsideWorkspace),
        (
            "*** Update File: main.rs\n*** Move to: ../x\n",
            ErrorKind::OutsideWorkspace,
        ),
        (
            "*** Update File: main.rs\n*** Move to: .git/x\n",
            ErrorKind::ForbiddenPath,
        ),
        ("*** Add File: .mewcode/x\n+x\n", ErrorKind::ForbiddenPath),
    ] {
        assert_eq!(refused(&scene, body).await.0, expected, "{body}");
    }
    let said = refused(&scene, "*** Delete File: mian.rs\n").await.1;
    assert!(said.contains("main.rs"), "{said}");
}

#[tokio::test]
async fn a_patch_names_each_file_once() {
    let scene = Scene::without_ledger();
    scene.write("a.txt", "a\n");
    scene.write("b.txt", "b\n");
    for body in [
        "*** Update File: a.txt\n-a\n+A\n*** Delete File: ./a.txt\n",
        "*** Update File: a.txt\n*** Move to: c.txt\n*** Add File: x/../c.txt\n+x\n",
        "*** Update File: a.txt\n*** Move to: c.txt\n*** Update File: b.txt\n*** Move to: c.txt\n",
        "*** Add File: x\n+x\n*** Add File: x/y\n+y\n",
        "*** Delete File: a.txt\n*** Add File: c/d\n+y\n*** Update File: b.txt\n*** Move to: c\n",
    ] {
        assert_eq!(
            refused(&scene, body).await.0,
            ErrorKind::PatchInvalid,
            "{body}"
        );
    }
    let said = refused(
        &scene,
        "*** Delete File: a.txt\n*** Update File: b.txt\n*** Move to: ./a.txt\n",
    )
    .await
    .1;
    insta::assert_snapshot!(said, @"patch_invalid: The sections on lines 2 and 3 of the patch name the same file, `a.txt`. Nothing was changed: correct the patch and send the whole of it again. Each file has one section.");
}

#[cfg(unix)]
#[tokio::test]
async fn links_are_seen_through() {
    let scene = Scene::without_ledger();
    scene.write("a.txt", "a\n");
    std::os::unix::fs::symlink("a.txt", scene.path("link")).unwrap();
    let twice = "*** Update File: a.txt\n-a\n+A\n*** Update File: link\n-a\n+B\n";
    assert_eq!(refused(&scene, twice).await.0, ErrorKind::PatchInvalid);
    for body in [
        "*** Delete File: link\n",
        "*** Update File: link\n*** Move to: b.txt\n",
        "*** Add File: link\n+x\n",
    ] {
        assert_eq!(refused(&scene, body).await.0, ErrorKind::Conflict, "{body}");
    }
    let result = apply(&scene, "*** Update File: link\n-a\n+A\n").await;
    assert!(result.is_ok(), "{}", result.content);
    assert_eq!(scene.read("a.txt"), "A\n");
    assert!(scene.path("link").symlink_metadata().unwrap().is_symlink());
}

#[tokio::test]
async fn each_file_keeps_its_form() {
    for (before, body, after) in [
        ("a\r\nb\r\n", "-b\n+B\n+c\n", "a\r\nB\r\nc\r\n"),
        ("\u{feff}a\r\nb", " a\n-b\n+B\n", "\u{feff}a\r\nB"),
        ("a\nb\r\nc\n", "-b\n+B\n", "a\nB\r\nc\n"),
        ("a\n", "-a\n", ""),
        ("", "+a\n", "a\n"),
    ] {
        let scene = Scene::without_ledger();
        scene.write("a.txt", before);
        let result = apply(&scene, &format!("*** Update File: a.txt\n{body}")).await;
        assert!(result.is_ok(), "{before:?}: {}", result.content);
        assert_eq!(scene.read("a.txt"), after, "{before:?}");
    }
    let scene = Scene::without_ledger();
    let result = apply(
        &scene,
        "*** Add File: empty\n*** Add File: bom\n+\u{feff}x\n",
    )
    .await;
    assert!(result.is_ok(), "{}", result.content);
    assert_eq!(
        (scene.read("empty"), scene.read("bom")),
        (String::new(), "\u{feff}x\n".to_owned())
    );
}

#[tokio::test]
async fn a_patch_spans_buffers_and_disk() {
    let scene = Scene::without_ledger();
    let open = scene.write("open.txt", "old\n");
    scene.editor.open(&open, "typed\nunsaved\n");
    scene.write("closed.txt", "closed\n");
    let only = scene.path("only.txt");
    scene.editor.open(&only, "buffer\n");
    let result = apply(
        &scene,
        "*** Update File: open.txt\n typed\n-unsaved\n+patched\n*** Update File: closed.txt\n-closed\n+patched\n\
         *** Update File: only.txt\n+more\n",
    )
    .await;
    assert!(result.is_ok(), "{}", result.content);
    let requests = scene.editor.requests.lock().unwrap().clone();
    assert_eq!(requests.len(), 1, "one proposal");
    assert_eq!(requests[0].files.len(), 3);
    assert_eq!(
        scene.editor.text(&open),
        Some("typed\npatched\n".to_owned())
    );
    assert_eq!(scene.editor.text(&only), Some("buffer\nmore\n".to_owned()));
    assert_eq!(scene.read("closed.txt"), "patched\n");
    assert_eq!(
        scene.read("open.txt"),
        "old\n",
        "the buffer is the editor's to save"
    );
}

#[tokio::test]
async fn a_buffer_is_moved_and_removed_as_it_is() {
    let scene = Scene::without_ledger();
    let moved = scene.write("moved.txt", "old\n");
    scene.editor.open(&moved, "typed\n");
    let gone = scene.write("gone.txt", "old\n");
    scene.editor.open(&gone, "typed\n");
    let result = apply(
        &scene,
        "*** Update File: moved.txt\n*** Move to: to/here.txt\n-typed\n+patched\n*** Delete File: gone.txt\n",
    )
    .await;
    assert!(result.is_ok(), "{}", result.content);
    assert_eq!(scene.editor.text(&moved), None);
    assert_eq!(scene.editor.text(&gone), None);
    assert_eq!(
        scene.editor.text(&scene.path("to/here.txt")),
        Some("patched\n".to_owned())
    );
}
