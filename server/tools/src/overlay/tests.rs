//! Buffers before files, and roots that come and go.

use super::*;
use crate::error::ErrorKind;
use crate::testing::Scene;

#[test]
fn a_buffer_hides_the_disk() {
    let scene = Scene::new();
    let path = scene.write("a.txt", "disk\n");
    let workspace = scene.runtime.workspace();
    let text = workspace.text(&scene.resolved("a.txt")).unwrap();
    assert_eq!(
        (text.snapshot.rope().to_string().as_str(), text.source),
        ("disk\n", Source::Disk)
    );
    scene.editor.open(&path, "buffer\n");
    let text = workspace.text(&scene.resolved("a.txt")).unwrap();
    assert_eq!(
        (text.snapshot.rope().to_string().as_str(), text.source),
        ("buffer\n", Source::Buffer { unsaved: true })
    );
    scene.write("a.txt", "buffer\r\n");
    let text = workspace.text(&scene.resolved("a.txt")).unwrap();
    assert_eq!(
        text.source,
        Source::Buffer { unsaved: false },
        "the same logical text"
    );
}

#[cfg(unix)]
#[test]
fn a_document_is_found_through_a_link() {
    let scene = Scene::new();
    let path = scene.write("a.txt", "disk\n");
    scene.editor.open(&path, "buffer\n");
    std::os::unix::fs::symlink("a.txt", scene.path("link.txt")).unwrap();
    let text = scene
        .runtime
        .workspace()
        .text(&scene.resolved("link.txt"))
        .unwrap();
    assert_eq!(text.snapshot.rope().to_string(), "buffer\n");
}

#[test]
fn a_document_that_cannot_be_trusted_is_no_text() {
    struct Desynchronised;
    impl Editor for Desynchronised {
        fn buffer(&self, _: &Path) -> Option<Result<Snapshot, ToolError>> {
            Some(Err(ToolError::unavailable(
                "The document is being read anew.",
            )))
        }
        fn buffers(&self) -> Vec<PathBuf> {
            Vec::new()
        }
        fn change<'a>(
            &'a self,
            _: crate::ChangeRequest,
        ) -> crate::BoxFuture<'a, crate::ChangeOutcome> {
            unreachable!("nothing is changed here")
        }
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "disk\n").unwrap();
    let workspace = Workspace::new(
        &[folder.path().to_owned()],
        Places::default(),
        Arc::new(Desynchronised),
    );
    let path = workspace.resolve("a.txt", Access::Read).unwrap();
    assert_eq!(
        workspace.text(&path).unwrap_err().kind,
        ErrorKind::Unavailable
    );
}

#[test]
fn roots_come_and_go() {
    let scene = Scene::new();
    let workspace = scene.runtime.workspace();
    let other = tempfile::tempdir().unwrap();
    let file = other.path().canonicalize().unwrap().join("a.txt");
    let given = file.to_str().unwrap();
    assert_eq!(
        workspace.resolve(given, Access::Read).unwrap_err().kind,
        ErrorKind::OutsideWorkspace
    );
    workspace.set_roots(&[scene.path(""), other.path().to_owned()]);
    assert_eq!(workspace.resolve(given, Access::Read).unwrap().real, file);
    workspace.set_roots(&[other.path().to_owned()]);
    assert_eq!(workspace.resolve("a.txt", Access::Read).unwrap().real, file);
    let first = scene.path("a.txt");
    assert_eq!(
        workspace
            .resolve(first.to_str().unwrap(), Access::Read)
            .unwrap_err()
            .kind,
        ErrorKind::OutsideWorkspace
    );
}

#[test]
fn names_of_open_documents_are_offered_too() {
    let scene = Scene::new();
    scene.write("src/main.rs", "");
    scene
        .editor
        .open(&scene.path("src/mainly.rs"), "never saved\n");
    let error = scene
        .runtime
        .workspace()
        .text(&scene.resolved("src/mian.rs"))
        .unwrap_err();
    insta::assert_snapshot!(error, @"not_found: `src/mian.rs` does not exist. Did you mean `src/main.rs`?");
}
