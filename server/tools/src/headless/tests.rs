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
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
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
    DiskEditor::default().change(request).await
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
    // Else it is as the user left it meanwhile.
    for (base, present, target, expected) in [
        ("one\ntwo\n", "one\ntwo", "1\ntwo\n", "1\ntwo"),
        ("one\ntwo", "one\ntwo\n", "1\ntwo", "1\ntwo\n"),
        ("a\n", "a\n\nb", "1\n", "1\n\nb"),
        ("a\nb", "a\nb\nc\n", "1\nb", "1\nb\nc\n"),
    ] {
        std::fs::write(folder.path().join("a"), present).unwrap();
        land(&edit(&folder, "a", Some(base), target)).unwrap();
        assert_eq!(content(&folder, "a").unwrap(), expected, "{base:?}");
    }
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

#[test]
fn of_a_file_that_cannot_be_made_no_folder_stays() {
    let folder = scene(&[("here/a", "one\n")]);
    let name = "n".repeat(300);
    for above in ["new", "new/deep", "here", "here/new"] {
        let error = land(&edit(&folder, &format!("{above}/{name}"), None, "x\n")).unwrap_err();
        assert!(error.message.contains("cannot be written"), "{error}");
    }
    assert!(!folder.path().join("new").exists());
    let left = std::fs::read_dir(folder.path().join("here")).unwrap();
    assert_eq!(left.count(), 1);
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
    let mut record = Journal::default().begin(Scope::Several);
    let mut landed = Vec::new();
    for file in [
        edit(&folder, "a", Some("one\n"), "1\n"),
        edit(&folder, "b", None, "b\n"),
    ] {
        let mark = record.mark();
        landed.push((mark, land_recorded(&file, &mut record).unwrap().change));
    }
    std::fs::write(folder.path().join("a"), "1\nmine\n").unwrap();
    std::fs::write(folder.path().join("b"), "b\nmine\n").unwrap();
    let outcome = take_back(landed, Some(ToolError::conflict("x")), &mut record);
    assert_eq!(outcome.files.len(), 2, "both still stand");
    assert_eq!(content(&folder, "a").unwrap(), "1\nmine\n");
    assert_eq!(content(&folder, "b").unwrap(), "b\nmine\n");
    insta::assert_snapshot!(outcome.notes.join("\n"), @"
    The change of `b` could not be taken back: it was changed since.
    The change of `a` could not be taken back: it was changed since.
    ");
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
    let outcome = DiskEditor::default().change(request).await;
    assert_eq!((outcome.status, outcome.error), (Status::Interrupted, None));
    assert_eq!(content(&folder, "a").unwrap(), "one\n");
}

/// The removal of a file that has this text.
fn removal(folder: &TempDir, name: &str, base: &str) -> FileEdit {
    FileEdit {
        destination: Destination::Removed,
        ..edit(folder, name, Some(base), "")
    }
}

/// The move of a file that has this text, and another one afterwards.
fn moved(folder: &TempDir, name: &str, to: &str, base: &str, target: &str) -> FileEdit {
    FileEdit {
        destination: Destination::Moved {
            path: folder.path().join(to),
            display: to.to_owned(),
        },
        ..edit(folder, name, Some(base), target)
    }
}

#[test]
fn a_file_is_removed_with_the_text_that_it_had() {
    let folder = scene(&[("a", "one\r\ntwo")]);
    let landed = land(&removal(&folder, "a", "one\r\ntwo")).unwrap();
    assert_eq!(content(&folder, "a"), None);
    assert_eq!(landed.change.sha256_after, None);
    assert_eq!((landed.change.added, landed.change.removed), (0, 2));
    insta::assert_snapshot!(landed.change.diff, @"
    @@ -1,2 +0,0 @@
    -one
    -two
    ");
}

#[test]
fn a_file_that_was_changed_since_is_not_removed() {
    let folder = scene(&[("a", "one\nmine\n")]);
    let error = land(&removal(&folder, "a", "one\n")).unwrap_err();
    insta::assert_snapshot!(error, @"
    stale_file: `a` has changed since it was read. Nothing was changed. The change meanwhile:
    @@ -1,1 +1,2 @@
     one
    +mine
    Read the file again and make the change for its present text.
    ");
    assert_eq!(content(&folder, "a").unwrap(), "one\nmine\n");
    let error = land(&removal(&folder, "gone", "one\n")).unwrap_err();
    assert_eq!(error.kind, ErrorKind::StaleFile);
}

#[test]
fn a_file_is_moved_and_changed_on_the_way() {
    let folder = scene(&[("a", "\u{feff}one\r\ntwo\r\n"), ("c", "same\n")]);
    let change = land(&moved(&folder, "a", "x/y/b", "one\ntwo\n", "1\ntwo\n"))
        .unwrap()
        .change;
    assert_eq!(content(&folder, "a"), None);
    assert_eq!(content(&folder, "x/y/b").unwrap(), "\u{feff}1\r\ntwo\r\n");
    assert_eq!(
        (change.path.as_str(), change.moved_to.as_deref()),
        ("a", Some("x/y/b"))
    );
    assert_eq!((change.added, change.removed), (1, 1));
    let change = land(&moved(&folder, "c", "d", "same\n", "same\n"))
        .unwrap()
        .change;
    assert_eq!((change.added, change.removed), (0, 0));
    assert_eq!(content(&folder, "d").unwrap(), "same\n");
}

#[test]
fn a_move_is_carried_to_a_text_that_moved_on_elsewhere() {
    let folder = scene(&[("a", "zero\none\ntwo\n")]);
    land(&moved(&folder, "a", "b", "one\ntwo\n", "one\n2\n")).unwrap();
    assert_eq!(content(&folder, "b").unwrap(), "zero\none\n2\n");
    assert_eq!(content(&folder, "a"), None);
}

#[test]
fn nothing_is_moved_onto_a_file_that_is_there() {
    let folder = scene(&[("a", "one\n"), ("b", "mine\n")]);
    let error = land(&moved(&folder, "a", "b", "one\n", "1\n")).unwrap_err();
    insta::assert_snapshot!(error, @"conflict: `a` cannot be moved to `b`: something is there. Nothing was changed. Look at what is there now before you go on.");
    assert_eq!(content(&folder, "a").unwrap(), "one\n");
    assert_eq!(content(&folder, "b").unwrap(), "mine\n");
}

#[cfg(unix)]
#[test]
fn a_move_keeps_the_file_and_its_other_names() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let folder = scene(&[("a", "one\n")]);
    let path = |name: &str| folder.path().join(name);
    std::fs::hard_link(path("a"), path("other")).unwrap();
    std::fs::set_permissions(path("a"), std::fs::Permissions::from_mode(0o750)).unwrap();
    land(&moved(&folder, "a", "b", "one\n", "1\n")).unwrap();
    let metadata = std::fs::metadata(path("b")).unwrap();
    assert_eq!((metadata.mode() & 0o7777, metadata.nlink()), (0o750, 2));
    assert_eq!(content(&folder, "other").unwrap(), "1\n");
}

#[cfg(unix)]
#[test]
fn a_read_only_file_is_neither_removed_nor_changed_on_a_move() {
    use std::os::unix::fs::PermissionsExt;
    let folder = scene(&[("a", "one\n")]);
    let read_only = std::fs::Permissions::from_mode(0o444);
    std::fs::set_permissions(folder.path().join("a"), read_only).unwrap();
    let error = land(&removal(&folder, "a", "one\n")).unwrap_err();
    insta::assert_snapshot!(told(&error, &folder), @"unavailable: `a` cannot be removed: the file is read-only. Tell the user if it is needed.");
    land(&moved(&folder, "a", "x/b", "one\n", "1\n")).unwrap_err();
    assert_eq!(content(&folder, "a").unwrap(), "one\n");
    assert!(!folder.path().join("x").exists(), "the move was taken back");
}

#[tokio::test]
async fn removed_and_moved_files_are_taken_back_as_they_were() {
    let folder = scene(&[
        ("a", "\u{feff}one\r\ntwo\nthree"),
        ("b", "move\r\nme"),
        ("d", "changed\n"),
    ]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::Permissions::from_mode(0o741);
        std::fs::set_permissions(folder.path().join("a"), mode).unwrap();
    }
    let files = vec![
        removal(&folder, "a", "one\ntwo\nthree"),
        moved(&folder, "b", "new/c", "move\nme", "moved\nme"),
        edit(&folder, "d", Some("d\n"), "D\n"),
    ];
    let outcome = change(files).await;
    assert_eq!(
        (outcome.status, outcome.files.as_slice()),
        (Status::Failed, [].as_slice())
    );
    assert_eq!(content(&folder, "a").unwrap(), "\u{feff}one\r\ntwo\nthree");
    assert_eq!(content(&folder, "b").unwrap(), "move\r\nme");
    assert!(!folder.path().join("new").exists());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let metadata = std::fs::metadata(folder.path().join("a")).unwrap();
        assert_eq!(metadata.permissions().mode() & 0o7777, 0o741);
    }
    insta::assert_snapshot!(outcome.notes.join("\n"), @"
    The change of `b` was taken back.
    The change of `a` was taken back.
    ");
}

#[tokio::test]
async fn what_cannot_be_recorded_is_said_of_a_change_of_several_files() {
    let folder = scene(&[("a", "one\n"), ("b", "two\n"), ("state", "")]);
    let disk = DiskEditor::new(Journal::new(folder.path().join("state/changes")));
    let mut request = ChangeRequest {
        session: String::new(),
        call: String::new(),
        tool: String::new(),
        reason: String::new(),
        review: Review::After,
        files: vec![
            edit(&folder, "a", Some("one\n"), "1\n"),
            edit(&folder, "b", Some("two\n"), "2\n"),
        ],
        cancel: CancellationToken::new(),
    };
    let outcome = disk.change(request.clone()).await;
    assert_eq!(outcome.status, Status::Ok);
    insta::assert_snapshot!(outcome.notes.join("\n"), @"No record of this change could be kept in MewCode's state folder (Not a directory (os error 20)): had it been broken off, it would have been left half done.");
    request.files = vec![edit(&folder, "a", Some("1\n"), "one\n")];
    assert_eq!(disk.change(request).await.notes, [""; 0]);
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

#[test]
fn of_several_that_change_a_file_at_once_none_goes_over_another() {
    let line = |number: usize, word: &str| format!("{word} {number}\n--\n--\n");
    let text: String = (0..40).map(|number| line(number, "old")).collect();
    for names in [&["a"][..], &["a", "other"]] {
        let folder = scene(&[("a", &text)]);
        for name in &names[1..] {
            std::fs::hard_link(folder.path().join("a"), folder.path().join(name)).unwrap();
        }
        let lands = |number: &usize| {
            let target = text.replace(&line(*number, "old"), &line(*number, "new"));
            land(&edit(&folder, "a", Some(&text), &target)).is_ok()
        };
        let landed: Vec<usize> = std::thread::scope(|scope| {
            let own = |first| move || (first..40).step_by(4).filter(lands).collect::<Vec<_>>();
            let threads: Vec<_> = (0..4).map(|first| scope.spawn(own(first))).collect();
            let ended = threads.into_iter().map(|thread| thread.join().unwrap());
            ended.flatten().collect()
        });
        let after = content(&folder, "a").unwrap();
        let stands = |number: &usize| after.contains(&line(*number, "new"));
        assert!(!landed.is_empty());
        for number in 0..40 {
            assert_eq!(
                stands(&number),
                landed.contains(&number),
                "{number}: {after}"
            );
        }
    }
}
