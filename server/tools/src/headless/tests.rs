//! Changes that land on real files, and those that must not.

use mewcode_core::text::Text;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::error::ErrorKind;
use crate::port::{Destination, Review};

/// A change of a file in `folder` from one text to another.
fn edit(folder: &TempDir, name: &str, base: Option<&str>, target: &str) -> FileEdit {
    let snapshot = Snapshot::decode(base.unwrap_or(""));
    let target = Text::decode(target);
    FileEdit {
        path: folder.path().join(name),
        display: name.to_owned(),
        edit: Edit::between(&snapshot, target.rope()).unwrap(),
        base: snapshot,
        existed: base.is_some(),
        final_newline: target.final_newline(),
        destination: Destination::Same,
    }
}

fn scene(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir_in(std::env::temp_dir().canonicalize().unwrap()).unwrap();
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

fn content(folder: &TempDir, name: &str) -> Option<String> {
    std::fs::read_to_string(folder.path().join(name)).ok()
}

fn told(error: &ToolError, folder: &TempDir) -> String {
    error
        .to_string()
        .replace(folder.path().to_str().unwrap(), "/T")
}

async fn change(files: Vec<FileEdit>) -> ChangeOutcome {
    let request = ChangeRequest {
        session: String::new(),
        call: String::new(),
        tool: String::new(),
        reason: String::new(),
        review: Review::Before,
        files,
        cancel: CancellationToken::new(),
    };
    DiskEditor.change(request).await
}

#[test]
fn an_edit_lands_on_its_base() {
    let folder = scene(&[("a", "one\r\ntwo\r\n")]);
    let change = land(&edit(&folder, "a", Some("one\r\ntwo\r\n"), "1\ntwo\n"))
        .unwrap()
        .change;
    assert_eq!(content(&folder, "a").unwrap(), "1\r\ntwo\r\n");
    assert_eq!((change.added, change.removed), (1, 1));
}

#[test]
fn an_edit_is_carried_to_a_text_that_moved_on_elsewhere() {
    let folder = scene(&[("a", "zero\none\ntwo\nthree\nfour\n")]);
    let change = land(&edit(
        &folder,
        "a",
        Some("one\ntwo\nthree\n"),
        "one\n2\nthree\n",
    ))
    .unwrap()
    .change;
    assert_eq!(
        content(&folder, "a").unwrap(),
        "zero\none\n2\nthree\nfour\n"
    );
    insta::assert_snapshot!(change.diff, @"
    @@ -1,5 +1,5 @@
     zero
     one
    -two
    +2
     three
     four
    ");
    let before = Snapshot::decode("zero\none\ntwo\nthree\nfour\n");
    assert_eq!(
        change.sha256_before,
        Some(before.hash().to_string()),
        "what was really there before"
    );
}

#[test]
fn an_edit_of_what_was_changed_meanwhile_is_refused() {
    let folder = scene(&[("a", "one\nmine\nthree\n")]);
    let error = land(&edit(
        &folder,
        "a",
        Some("one\ntwo\nthree\n"),
        "one\n2\nthree\n",
    ))
    .unwrap_err();
    assert_eq!(error.kind, ErrorKind::StaleFile);
    insta::assert_snapshot!(error, @"
    stale_file: `a` has changed since it was read, in line 2, where this change would go. Nothing was changed. The change meanwhile:
    @@ -1,3 +1,3 @@
     one
    -two
    +mine
     three
    Read line 2 again and make the change for the present text.
    ");
    assert_eq!(content(&folder, "a").unwrap(), "one\nmine\nthree\n");
}

#[test]
fn the_line_endings_that_are_there_now_are_kept() {
    let folder = scene(&[("a", "one\r\ntwo\r\n")]);
    land(&edit(&folder, "a", Some("one\ntwo\n"), "1\ntwo\n")).unwrap();
    assert_eq!(content(&folder, "a").unwrap(), "1\r\ntwo\r\n");
}

#[test]
fn the_end_of_the_file_is_as_the_edit_says() {
    let folder = scene(&[("a", "one\n"), ("b", "one")]);
    land(&edit(&folder, "a", Some("one\n"), "1")).unwrap();
    land(&edit(&folder, "b", Some("one"), "1\n")).unwrap();
    assert_eq!(content(&folder, "a").unwrap(), "1");
    assert_eq!(content(&folder, "b").unwrap(), "1\n");
}

#[test]
fn files_that_came_or_went_meanwhile_are_left_alone() {
    let folder = scene(&[("a", "by the user\n")]);
    let error = land(&edit(&folder, "a", None, "mine\n")).unwrap_err();
    assert_eq!(error.kind, ErrorKind::StaleFile);
    insta::assert_snapshot!(error, @"stale_file: `a` was created by somebody else meanwhile. Nothing was changed. Read the file again and make the change for its present text.");
    let error = land(&edit(&folder, "gone", Some("one\n"), "1\n")).unwrap_err();
    assert_eq!(error.kind, ErrorKind::StaleFile);
    insta::assert_snapshot!(error, @"stale_file: `gone` was removed since it was read. Nothing was changed. Find out why it is gone before you write it anew.");
    assert_eq!(content(&folder, "a").unwrap(), "by the user\n");
    assert_eq!(content(&folder, "gone"), None);
}

#[cfg(unix)]
#[test]
fn what_the_system_refuses_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let folder = scene(&[("a", "one\n")]);
    std::fs::set_permissions(
        folder.path().join("a"),
        std::fs::Permissions::from_mode(0o444),
    )
    .unwrap();
    let error = land(&edit(&folder, "a", Some("one\n"), "1\n")).unwrap_err();
    insta::assert_snapshot!(told(&error, &folder), @"unavailable: `a` cannot be written: the file is read-only. Tell the user if it is needed.");
}

#[tokio::test]
async fn several_files_land_together() {
    let folder = scene(&[("a", "one\n")]);
    let files = vec![
        edit(&folder, "a", Some("one\n"), "1\n"),
        edit(&folder, "new/b", None, "b"),
    ];
    let outcome = change(files).await;
    assert_eq!((outcome.status, outcome.files.len()), (Status::Ok, 2));
    assert_eq!(content(&folder, "a").unwrap(), "1\n");
    assert_eq!(content(&folder, "new/b").unwrap(), "b");
}

#[tokio::test]
async fn several_files_land_not_at_all_if_one_cannot() {
    let folder = scene(&[("a", "one\r\n"), ("c", "changed\n")]);
    let files = vec![
        edit(&folder, "a", Some("one\r\n"), "1\n"),
        edit(&folder, "b", None, "b\n"),
        edit(&folder, "c", Some("c\n"), "C\n"),
    ];
    let outcome = change(files).await;
    assert_eq!(
        (outcome.status, outcome.files.as_slice()),
        (Status::Failed, [].as_slice())
    );
    assert_eq!(outcome.error.unwrap().kind, ErrorKind::StaleFile);
    assert_eq!(content(&folder, "a").unwrap(), "one\r\n");
    assert_eq!(content(&folder, "b"), None);
    insta::assert_snapshot!(outcome.notes.join("\n"), @"
    The change of `b` was taken back.
    The change of `a` was taken back.
    ");
}

#[test]
fn what_the_user_changed_after_the_landing_is_not_taken_back() {
    let folder = scene(&[("a", "one\n")]);
    let file = edit(&folder, "a", Some("one\n"), "1\n");
    let created = edit(&folder, "b", None, "b\n");
    let landed = vec![
        (&file, land(&file).unwrap()),
        (&created, land(&created).unwrap()),
    ];
    std::fs::write(folder.path().join("a"), "1\nmine\n").unwrap();
    std::fs::write(folder.path().join("b"), "b\nmine\n").unwrap();
    let outcome = take_back(landed, Some(ToolError::conflict("x")));
    assert_eq!(outcome.files.len(), 2, "both still stand");
    assert_eq!(content(&folder, "a").unwrap(), "1\nmine\n");
    assert_eq!(content(&folder, "b").unwrap(), "b\nmine\n");
}

#[tokio::test]
async fn a_cancelled_change_does_not_begin() {
    let folder = scene(&[("a", "one\n")]);
    let cancel = CancellationToken::new();
    cancel.cancel();
    let request = ChangeRequest {
        session: String::new(),
        call: String::new(),
        tool: String::new(),
        reason: String::new(),
        review: Review::After,
        files: vec![edit(&folder, "a", Some("one\n"), "1\n")],
        cancel,
    };
    let outcome = DiskEditor.change(request).await;
    assert_eq!((outcome.status, outcome.error), (Status::Interrupted, None));
    assert_eq!(content(&folder, "a").unwrap(), "one\n");
}

#[tokio::test]
async fn the_encoding_is_kept_when_a_file_lands_and_when_it_is_taken_back() {
    let folder = scene(&[("b.txt", "b\n")]);
    let latin = b"caf\xe9\none\n";
    let path = folder.path().join("a.txt");
    std::fs::write(&path, latin).unwrap();
    let first = || edit(&folder, "a.txt", Some("café\none\n"), "café\ntwo ü\n");
    let outcome = change(vec![first()]).await;
    assert_eq!(outcome.status, Status::Ok, "{outcome:?}");
    assert_eq!(std::fs::read(&path).unwrap(), b"caf\xe9\ntwo \xfc\n");
    std::fs::write(&path, latin).unwrap();
    let stale = edit(&folder, "b.txt", Some("other\n"), "x\n");
    let outcome = change(vec![first(), stale]).await;
    assert_eq!(outcome.status, Status::Failed);
    assert_eq!(std::fs::read(&path).unwrap(), latin);
    let arrow = edit(&folder, "a.txt", Some("café\none\n"), "café\n→\n");
    let outcome = change(vec![arrow]).await;
    let error = outcome.error.unwrap();
    assert!(error.message.contains("line 2 has `→`"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), latin);
}
