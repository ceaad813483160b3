//! Folders as they are, and as they are not any more.

use std::fs;
use std::os::unix::fs::symlink;

use tempfile::TempDir;

use super::unix::testing::walk_only;
use super::*;

fn scene() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap();
    fs::create_dir_all(real.join("a/b")).unwrap();
    fs::write(real.join("a/b/file"), "text").unwrap();
    symlink("a", real.join("link")).unwrap();
    symlink("nowhere", real.join("dangling")).unwrap();
    (folder, real)
}

/// What a way to open a folder says of a path.
fn said(opened: io::Result<Folder>) -> &'static str {
    match opened {
        Ok(_) => "open",
        Err(error) if is_link(&error) => "link",
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound => "absent",
            io::ErrorKind::NotADirectory => "no folder",
            _ => "error",
        },
    }
}

#[test]
fn both_ways_to_a_folder_refuse_links_and_say_the_same() {
    let (_folder, real) = scene();
    for (path, expected) in [
        ("", "open"),
        ("a", "open"),
        ("a/b", "open"),
        ("link", "link"),
        ("link/b", "link"),
        ("dangling", "link"),
        ("dangling/x", "link"),
        ("none", "absent"),
        ("none/x", "absent"),
        ("a/b/file", "no folder"),
        ("a/b/file/x", "no folder"),
    ] {
        let path = real.join(path);
        assert_eq!(said(Folder::open(&path)), expected, "{path:?} at once");
        assert_eq!(said(walk_only(&path)), expected, "{path:?} name by name");
    }
}

#[test]
fn what_is_missing_is_announced_before_it_is_made() {
    let (_folder, real) = scene();
    let mut announced = Vec::new();
    let place = Place::make(&real.join("a/new/er/file"), &mut |folder| {
        assert!(!folder.exists());
        announced.push(folder.strip_prefix(&real).unwrap().to_owned());
        Ok(())
    })
    .unwrap();
    assert_eq!(announced, [Path::new("a/new"), Path::new("a/new/er")]);
    place.folder.create(&place.name, 0o600).unwrap();
    assert!(real.join("a/new/er/file").exists());
    let refused = Place::make(&real.join("b/file"), &mut |_| {
        Err(io::ErrorKind::Other.into())
    });
    assert!(refused.is_err() && !real.join("b").exists());
    for path in ["link/new/file", "dangling/file"] {
        let refused = Place::make(&real.join(path), &mut |_| panic!("nothing is made"));
        assert!(refused.is_err_and(|error| is_link(&error)), "{path}");
    }
    assert!(!real.join("nowhere").exists());
}

#[test]
fn an_open_place_stays_where_it_was_opened() {
    let (_folder, real) = scene();
    let place = Place::open(&real.join("a/b/file")).unwrap();
    fs::rename(real.join("a"), real.join("elsewhere")).unwrap();
    fs::create_dir_all(real.join("secret/b")).unwrap();
    fs::write(real.join("secret/b/file"), "secret").unwrap();
    symlink("secret", real.join("a")).unwrap();
    let text = io::read_to_string(place.read().unwrap()).unwrap();
    assert_eq!(text, "text");
    place.remove().unwrap();
    assert!(real.join("secret/b/file").exists());
    assert!(!real.join("elsewhere/b/file").exists());
}

#[test]
fn a_link_in_the_place_of_a_file_is_not_followed() {
    let (_folder, real) = scene();
    symlink("a/b/file", real.join("file")).unwrap();
    let place = Place::open(&real.join("file")).unwrap();
    for opened in [place.read(), place.folder.write(&place.name)] {
        assert!(opened.is_err_and(|error| is_link(&error)));
    }
    let made = place.folder.create(&place.name, 0o600).unwrap_err();
    assert_eq!(made.kind(), io::ErrorKind::AlreadyExists);
}

#[test]
fn a_name_that_is_taken_stays_whose_it_is() {
    let (_folder, real) = scene();
    let place = Place::open(&real.join("a/b/file")).unwrap();
    fs::write(real.join("a/b/other"), "other").unwrap();
    let other = place.name.clone().into_string().unwrap();
    let refused = place
        .folder
        .rename_new("other".as_ref(), &place.folder, other.as_ref())
        .unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
    assert_eq!(fs::read_to_string(real.join("a/b/file")).unwrap(), "text");
}
