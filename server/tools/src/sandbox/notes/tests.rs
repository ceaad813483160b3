//! Stand-ins come and go with those who need them, and nothing of the user goes with them.

use std::os::unix::fs::symlink;

use tempfile::TempDir;

use super::*;

/// A root, and a folder for its notes.
struct Scene {
    folder: TempDir,
}

impl Scene {
    fn new() -> Scene {
        let scene = Scene {
            folder: tempfile::tempdir().unwrap(),
        };
        fs::create_dir(scene.path("root")).unwrap();
        scene
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn open(&self) -> Book {
        Book::open(&self.path("notes"), &self.path("root")).unwrap()
    }

    /// Makes stand-ins, a folder `a` and a file `b`, and lets others at the book.
    fn make(&self) -> Book {
        let mut book = self.open();
        for (name, kind) in [("a", StandIn::Folder), ("b", StandIn::File(".\n"))] {
            match book.make(&self.path("root").join(name), kind) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => made.unwrap(),
            }
        }
        book.close();
        book
    }

    fn names(&self, folder: &str) -> String {
        let entries = self.path(folder).read_dir().unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names.join(" ")
    }

    #[track_caller]
    fn assert_clean(&self) {
        assert_eq!(self.names("root"), "");
        assert_eq!(self.names("notes"), "");
    }
}

/// As a crash does: the locks go, and nothing is put in order.
fn crash(book: Book) {
    drop(book);
}

#[test]
fn the_last_user_removes_what_was_made() {
    let scene = Scene::new();
    let (first, second, third) = (scene.make(), scene.make(), scene.make());
    for book in [second, first] {
        assert_eq!(book.leave(), Vec::<String>::new());
        assert_eq!(scene.names("root"), "a b");
    }
    assert_eq!(third.leave(), Vec::<String>::new());
    scene.assert_clean();
}

#[test]
fn what_a_crash_left_is_removed_by_the_next_or_by_a_sweep() {
    let scene = Scene::new();
    crash(scene.make());
    assert_eq!(scene.names("root"), "a b");
    let book = scene.open();
    assert_eq!(scene.names("root"), "");
    assert!(book.leave().is_empty());
    scene.assert_clean();

    crash(scene.make());
    assert!(sweep(&scene.path("notes")).is_empty());
    scene.assert_clean();
    assert!(sweep(&scene.path("absent")).is_empty());
}

#[test]
fn a_sweep_leaves_what_is_used() {
    let scene = Scene::new();
    let book = scene.make();
    assert!(sweep(&scene.path("notes")).is_empty());
    assert_eq!(scene.names("root"), "a b");
    assert!(book.leave().is_empty());
    scene.assert_clean();
}

#[test]
fn what_somebody_put_there_is_not_removed() {
    type Change<'a> = &'a dyn Fn(&Scene);
    let table: [(&str, Change<'_>); 6] = [
        ("b", &|scene| fs::write(scene.path("root/b"), "..").unwrap()),
        ("a", &|scene| fs::write(scene.path("root/a/x"), "").unwrap()),
        ("a", &|scene| {
            fs::remove_dir(scene.path("root/a")).unwrap();
            fs::write(scene.path("root/a"), "").unwrap();
        }),
        ("a", &|scene| {
            fs::remove_dir(scene.path("root/a")).unwrap();
            symlink(".", scene.path("root/a")).unwrap();
        }),
        ("b", &|scene| {
            // The same content in another file.
            fs::write(scene.path("root/c"), ".\n").unwrap();
            fs::rename(scene.path("root/c"), scene.path("root/b")).unwrap();
        }),
        ("", &|scene| fs::remove_dir(scene.path("root/a")).unwrap()),
    ];
    for (kept, change) in table {
        let scene = Scene::new();
        let book = scene.make();
        change(&scene);
        assert!(book.leave().is_empty());
        assert_eq!(scene.names("root"), kept);
        assert_eq!(scene.names("notes"), "");
    }
}

#[test]
fn a_crash_between_the_note_and_the_making_removes_nothing_older() {
    let scene = Scene::new();
    let path = scene.path("root/a");
    fs::create_dir(&path).unwrap();
    std::thread::sleep(COARSENESS * 2);
    let book = scene.open();
    book.note(&path, &Kind::Folder, None).unwrap();
    crash(book);
    assert!(sweep(&scene.path("notes")).is_empty());
    assert_eq!(scene.names("root"), "a");

    fs::remove_dir(&path).unwrap();
    let book = scene.open();
    book.note(&path, &Kind::Folder, None).unwrap();
    fs::create_dir(&path).unwrap();
    crash(book);
    assert!(sweep(&scene.path("notes")).is_empty());
    scene.assert_clean();
}

#[test]
fn a_note_that_a_crash_cut_off_is_passed_over() {
    let scene = Scene::new();
    let book = scene.make();
    let mut notes = OpenOptions::new().append(true).open(&book.path).unwrap();
    notes.write_all(b"{\"path\":\"/").unwrap();
    crash(book);
    assert!(sweep(&scene.path("notes")).is_empty());
    scene.assert_clean();
}

#[test]
fn what_is_there_already_is_neither_taken_over_nor_removed() {
    let scene = Scene::new();
    fs::create_dir(scene.path("root/a")).unwrap();
    assert!(scene.make().leave().is_empty());
    assert_eq!(scene.names("root"), "a");
}

#[test]
fn many_users_at_once_agree() {
    let scene = Scene::new();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..50 {
                    let book = scene.make();
                    assert_eq!(scene.names("root"), "a b");
                    assert!(book.leave().is_empty());
                }
            });
        }
    });
    scene.assert_clean();
}

#[test]
fn a_temporary_folder_goes_with_all_in_it() {
    let scene = Scene::new();
    let path = scene.path("root/t");
    let book = scene.open();
    book.make_temporary(&path).unwrap();
    fs::write(path.join("x"), "").unwrap();
    assert!(book.leave().is_empty());
    scene.assert_clean();
}
