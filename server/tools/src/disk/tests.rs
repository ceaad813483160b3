//! Real files: what is read of them, and what stays of them when they are written.

use std::fs;
use std::path::PathBuf;

use mewcode_core::text::Snapshot;
use tempfile::TempDir;

use super::*;
use crate::error::ErrorKind;

fn folder() -> TempDir {
    // Where the system's folder for such things is a link, its target.
    tempfile::tempdir_in(std::env::temp_dir().canonicalize().unwrap()).unwrap()
}

fn file(folder: &TempDir, content: &str) -> PathBuf {
    let path = folder.path().join("a.txt");
    fs::write(&path, content).unwrap();
    path
}

fn text_hash(wire: &str) -> ContentHash {
    Snapshot::decode(wire).hash()
}

fn names(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

#[test]
fn text_is_read_in_logical_form() {
    let folder = folder();
    let path = file(&folder, "\u{feff}a\r\nb");
    let text = read(&path, "a.txt").unwrap().unwrap();
    assert_eq!(text.rope().to_string(), "a\nb\n");
    assert_eq!(text.wire(), "\u{feff}a\r\nb");
    assert_eq!(read(&folder.path().join("none"), "none").unwrap(), None);
    assert_eq!(read(&path.join("below"), "below").unwrap(), None);
}

#[test]
fn a_file_holds_a_text_whatever_its_line_endings_are() {
    let folder = folder();
    let long = "0123456789é\r\n".repeat(20_000);
    for wire in ["", "a\r\nb", "\u{feff}a\n", &long] {
        let path = file(&folder, wire);
        let text = Snapshot::decode(wire).rope().clone();
        assert!(holds(&path, &text), "{wire:?}");
        let (mut longer, mut other) = (text.clone(), text.clone());
        longer.insert(text.len_chars(), "\n");
        other.remove(0..1);
        other.insert(0, "x");
        assert!(!holds(&path, &longer), "{wire:?} and a line");
        assert!(!holds(&path, &other), "{wire:?} but for its start");
        file(&folder, &format!("{wire}\n\n"));
        assert!(
            !holds(&path, &text),
            "{wire:?} without the file's last lines"
        );
    }
    fs::write(folder.path().join("a.txt"), b"a\xff\n").unwrap();
    let unreadable = ["a.txt", "none", ""];
    for path in unreadable.map(|name| folder.path().join(name)) {
        assert!(!holds(&path, Snapshot::decode("a\n").rope()), "{path:?}");
    }
}

#[test]
fn a_file_holds_a_text_whatever_it_is_written_in() {
    let folder = folder();
    let path = folder.path().join("a.txt");
    let text = |wire: &str| Snapshot::decode(wire).rope().clone();
    let wide: Vec<u8> = "\u{feff}é\r\n😀"
        .encode_utf16()
        .flat_map(u16::to_be_bytes)
        .collect();
    fs::write(&path, wide).unwrap();
    assert!(holds(&path, &text("é\n😀")));
    assert!(!holds(&path, &text("é\n")));
    fs::write(&path, b"caf\xe9 \x80\r\n").unwrap();
    assert!(holds(&path, &text("café €\n")), "as we read it");
    assert!(holds(&path, &text("café \u{80}\n")), "as Latin-1");
    assert!(!holds(&path, &text("cafe €\n")));
    fs::write(&path, b"caf\xc3\xa9 \xff\n").unwrap();
    assert!(
        !holds(&path, &text("café \u{fffd}\n")),
        "it holds another byte"
    );
}

#[test]
fn a_file_that_would_not_come_back_is_looked_at_and_not_edited() {
    let folder = folder();
    let path = folder.path().join("a.txt");
    fs::write(&path, b"caf\xc3\xa9\n\xff\n").unwrap();
    let decoded = look(&path, "a.txt").unwrap().unwrap();
    assert_eq!(decoded.text.rope().to_string(), "café\n\u{fffd}\n");
    let error = read(&path, "a.txt").unwrap_err();
    assert_eq!(
        (error.kind, error.retryable),
        (ErrorKind::Unavailable, false)
    );
    insta::assert_snapshot!(error, @"unavailable: `a.txt` was taken for utf-8, but has bytes that would not be written back as they are (the first on line 2), so it can be read but not edited. Leave the file as it is, or ask the user to convert it to UTF-8.");
}

#[test]
fn a_file_too_large_to_edit_is_refused_unread() {
    let folder = folder();
    let path = folder.path().join("a.txt");
    // Sparse: it has the size without the bytes.
    File::create(&path)
        .unwrap()
        .set_len(MAX_TEXT_BYTES + 1)
        .unwrap();
    let error = read(&path, "a.txt").unwrap_err();
    assert_eq!(error.kind, ErrorKind::TooLarge);
    insta::assert_snapshot!(error, @"too_large: `a.txt` is larger than 32 MiB, more than can be edited. Read parts of it with read_file, or change it with a command.");
}

#[test]
fn a_write_replaces_the_file_and_leaves_nothing_beside_it() {
    let folder = folder();
    let path = file(&folder, "old\r\n");
    write_atomic(&path, b"new\r\n", Expected::Text(text_hash("old\n"))).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "new\r\n");
    assert_eq!(names(&folder), ["a.txt"]);
}

#[test]
fn a_file_is_the_one_that_was_read_only_byte_by_byte() {
    let folder = folder();
    // More than one piece of what is read at a time, and more than one chunk of a rope.
    let long = format!("{}\n", "0123456789 é\n".repeat(20_000));
    for wire in ["", "one\n", "one\r\ntwo\n", "\u{feff}one", long.as_str()] {
        let path = file(&folder, wire);
        let known = Snapshot::decode(wire);
        let read = read_known(&path, "a.txt", &known).unwrap().unwrap();
        assert!(
            read.text.ptr_eq(&known),
            "nothing is decoded anew: {wire:?}"
        );
        write_atomic(&path, wire.as_bytes(), Expected::Read(&read)).unwrap();
        for other in [
            format!("{wire}x"),
            format!("x{wire}"),
            wire.replace('\n', "\r\n"),
            wire.chars().skip(1).collect(),
        ] {
            if other == wire {
                continue;
            }
            fs::write(&path, &other).unwrap();
            let refused = write_atomic(&path, b"new\n", Expected::Read(&read));
            assert!(
                matches!(refused, Err(WriteError::Changed(Some(_)))),
                "{other:?}"
            );
            assert_eq!(fs::read_to_string(&path).unwrap(), other);
            let read = read_known(&path, "a.txt", &known).unwrap().unwrap();
            assert!(!read.text.ptr_eq(&known), "{other:?}");
            write_atomic(&path, b"new\n", Expected::Read(&read)).unwrap();
        }
    }
}

#[test]
fn a_write_over_something_else_is_refused() {
    let folder = folder();
    let path = file(&folder, "by the user\n");
    let refused = write_atomic(&path, b"new\n", Expected::Text(text_hash("old\n")));
    assert!(
        matches!(refused, Err(WriteError::Changed(Some(hash))) if hash == text_hash("by the user\n")),
        "{refused:?}"
    );
    let refused = write_atomic(&path, b"new\n", Expected::Absent);
    assert!(
        matches!(refused, Err(WriteError::Changed(Some(_)))),
        "{refused:?}"
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), "by the user\n");
    assert_eq!(names(&folder), ["a.txt"]);
    fs::remove_file(&path).unwrap();
    let refused = write_atomic(&path, b"new\n", Expected::Text(text_hash("old\n")));
    assert!(
        matches!(refused, Err(WriteError::Changed(None))),
        "{refused:?}"
    );
    assert_eq!(names(&folder), Vec::<String>::new());
}

#[test]
fn a_new_file_gets_its_folders() {
    let folder = folder();
    let path = folder.path().join("x/y/a.txt");
    assert_eq!(
        missing_folders(&path),
        [folder.path().join("x"), folder.path().join("x/y")]
    );
    write_atomic(&path, b"new", Expected::Absent).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    assert_eq!(missing_folders(&path), Vec::<PathBuf>::new());
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn mode_and_owner_are_kept() {
        let folder = folder();
        let path = file(&folder, "old\n");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        // Only root can give a file away; everybody else's files stay their own in any case.
        let given_away = std::os::unix::fs::chown(&path, Some(12_345), Some(12_345)).is_ok();
        write_atomic(&path, b"new\n", Expected::Text(text_hash("old\n"))).unwrap();
        assert_eq!(mode(&path), 0o640);
        if given_away {
            let metadata = fs::metadata(&path).unwrap();
            assert_eq!((metadata.uid(), metadata.gid()), (12_345, 12_345));
        }
    }

    #[test]
    fn a_new_file_has_the_mode_of_any_new_file() {
        let folder = folder();
        let (ours, theirs) = (folder.path().join("ours"), folder.path().join("theirs"));
        write_atomic(&ours, b"x", Expected::Absent).unwrap();
        fs::write(&theirs, "x").unwrap();
        assert_eq!(mode(&ours), mode(&theirs));
    }

    #[test]
    fn a_path_that_leads_elsewhere_by_now_is_not_written() {
        let folder = folder();
        let path = file(&folder, "old\n");
        let (link, folder_link) = (folder.path().join("link"), folder.path().join("folder"));
        symlink("a.txt", &link).unwrap();
        symlink(".", &folder_link).unwrap();
        let old = Expected::Text(text_hash("old\n"));
        for (path, expected) in [
            (link.clone(), old),
            (folder_link.join("a.txt"), old),
            (folder_link.join("new.txt"), Expected::Absent),
            (folder_link.join("new/new.txt"), Expected::Absent),
        ] {
            let refused = write_atomic(&path, b"new\n", expected);
            assert!(
                matches!(refused, Err(WriteError::Moved)),
                "{path:?}: {refused:?}"
            );
        }
        symlink("nowhere", folder.path().join("dangling")).unwrap();
        let refused = write_atomic(&folder.path().join("dangling"), b"x", Expected::Absent);
        assert!(matches!(refused, Err(WriteError::Moved)), "{refused:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "old\n");
        assert_eq!(names(&folder).len(), 4);
    }

    #[test]
    fn all_names_of_a_file_get_the_new_text() {
        let folder = folder();
        let path = file(&folder, "a longer old text\n");
        let other = folder.path().join("other");
        fs::hard_link(&path, &other).unwrap();
        write_atomic(
            &path,
            b"new\n",
            Expected::Text(text_hash("a longer old text\n")),
        )
        .unwrap();
        assert_eq!(fs::read_to_string(&other).unwrap(), "new\n");
        assert_eq!(fs::metadata(&path).unwrap().nlink(), 2);
        assert_eq!(names(&folder).len(), 2);
    }

    #[test]
    fn a_read_only_file_is_not_replaced() {
        let folder = folder();
        let path = file(&folder, "old\n");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        let refused = write_atomic(&path, b"new\n", Expected::Text(text_hash("old\n")));
        assert!(matches!(refused, Err(WriteError::ReadOnly)), "{refused:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "old\n");
    }
}
