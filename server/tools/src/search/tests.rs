//! Lists of real trees: what is left out, what a later look finds, and that a kept list is the same as a fresh one.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use super::*;
use crate::error::ErrorKind;
use crate::guard::{Access, Places};
use crate::testing::{FakeEditor, Scene};

const HIDDEN: Options = Options {
    hidden: true,
    ignored: false,
};
const IGNORED: Options = Options {
    hidden: false,
    ignored: true,
};
const ALL: Options = Options {
    hidden: true,
    ignored: true,
};

fn listing(workspace: &Workspace, path: Option<&str>, options: Options) -> Listing {
    let path = path.map(|path| workspace.resolve(path, Access::Read).unwrap());
    workspace
        .files(path.as_ref(), options, &CancellationToken::new())
        .unwrap()
}

fn shown(listing: &Listing) -> Vec<String> {
    listing.iter().map(|file| file.display()).collect()
}

fn list(scene: &Scene, options: Options) -> Vec<String> {
    shown(&listing(scene.runtime.workspace(), None, options))
}

fn list_in(scene: &Scene, path: &str) -> Vec<String> {
    shown(&listing(
        scene.runtime.workspace(),
        Some(path),
        Options::default(),
    ))
}

fn write_all(scene: &Scene, paths: &[&str]) {
    for path in paths {
        scene.write(path, "text\n");
    }
}

#[test]
fn files_stand_in_the_order_of_their_paths() {
    let scene = Scene::new();
    let mut paths = ["a/x", "a.b", "a-b/x", "a0", "a/b/c", "a/b.c", "Z", "é", "b"];
    write_all(&scene, &paths);
    paths.sort_unstable();
    assert_eq!(list(&scene, ALL), paths);
    for file in listing(scene.runtime.workspace(), None, ALL).iter() {
        assert_eq!(file.real(), scene.path(&file.display()));
    }
}

#[test]
fn ignore_files_are_nested_and_negated() {
    let scene = Scene::new();
    scene.write(".gitignore", "*.log\n/build/\n!keep.log\n");
    scene.write("sub/.gitignore", "!*.log\nnot.me\n");
    scene.write("sub/deep/.ignore", "*.log\n");
    scene.write("both/.gitignore", "x\n");
    scene.write("both/.ignore", "!x\n");
    write_all(
        &scene,
        &[
            "a.log",
            "keep.log",
            "build/out",
            "sub/build/out",
            "sub/b.log",
            "sub/not.me",
            "sub/deep/c.log",
            "sub/deep/d",
            "both/x",
        ],
    );
    assert_eq!(
        list(&scene, Options::default()),
        [
            "both/x",
            "keep.log",
            "sub/b.log",
            "sub/build/out",
            "sub/deep/d"
        ]
    );
    assert_eq!(
        list(&scene, IGNORED),
        [
            "a.log",
            "both/x",
            "build/out",
            "keep.log",
            "sub/b.log",
            "sub/build/out",
            "sub/deep/c.log",
            "sub/deep/d",
            "sub/not.me"
        ]
    );
}

#[test]
fn a_repository_in_another_has_its_own_rules() {
    let scene = Scene::new();
    scene.write(".git/HEAD", "");
    scene.write(".git/info/exclude", "secret\n");
    scene.write(".gitignore", "*.o\n");
    scene.write("module/.git/HEAD", "");
    write_all(
        &scene,
        &["a.o", "secret", "module/a.o", "module/secret", "sub/secret"],
    );
    assert_eq!(
        list(&scene, Options::default()),
        ["module/a.o", "module/secret"]
    );
    scene.write(".git/info/exclude", "nothing\n");
    assert_eq!(
        list(&scene, Options::default()),
        ["module/a.o", "module/secret", "secret", "sub/secret"]
    );
}

#[test]
fn rules_above_a_folder_count_when_it_is_searched_alone() {
    let scene = Scene::new();
    scene.write(".gitignore", "*.o\nvendor/\n");
    write_all(&scene, &["src/a.o", "src/a.c", "vendor/v.c", "vendor/v.o"]);
    assert_eq!(list_in(&scene, "src"), ["src/a.c"]);
    // Named, so searched; what is in it is judged as ever.
    assert_eq!(list_in(&scene, "vendor"), ["vendor/v.c"]);
    assert_eq!(list_in(&scene, "vendor/v.o"), ["vendor/v.o"]);
    scene.write(".gitignore", "*.c\n");
    assert_eq!(list_in(&scene, "src"), ["src/a.o"]);
    assert_eq!(list_in(&scene, "vendor"), ["vendor/v.o"]);
}

#[test]
fn hidden_files_are_asked_for_and_closed_folders_are_not_there() {
    let scene = Scene::new();
    write_all(
        &scene,
        &[
            ".env",
            ".github/a.yml",
            "a/.hidden",
            "a/b",
            ".git/config",
            "a/.git/config",
            ".mewcode/x",
            "a/.MewCode/x",
        ],
    );
    assert_eq!(list(&scene, Options::default()), ["a/b"]);
    let expected = [".env", ".github/a.yml", "a/.hidden", "a/b"];
    assert_eq!(list(&scene, HIDDEN), expected);
    assert_eq!(list(&scene, ALL), expected);
    scene.write(".gitignore", "!.env\n");
    assert_eq!(
        list(&scene, Options::default()),
        [".env", "a/b"],
        "a rule that keeps it"
    );
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    let scene = Scene::new();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "").unwrap();
    scene.write("a/b", "");
    for (target, link) in [
        (outside.path(), "folder"),
        (&outside.path().join("secret"), "file"),
        (Path::new("a"), "inside"),
        (Path::new("nowhere"), "dangling"),
        (Path::new("loop"), "loop"),
        (Path::new("/"), "a/root"),
    ] {
        std::os::unix::fs::symlink(target, scene.path(link)).unwrap();
    }
    assert_eq!(list(&scene, ALL), ["a/b"]);
    let given = outside.path().to_str().unwrap();
    let error = scene
        .runtime
        .workspace()
        .resolve(given, Access::Read)
        .unwrap_err();
    assert_eq!(error.kind, ErrorKind::OutsideWorkspace);
}

#[cfg(unix)]
#[test]
fn a_folder_that_becomes_a_link_is_not_followed_either() {
    let scene = Scene::new();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "").unwrap();
    write_all(&scene, &["a/b", "c"]);
    assert_eq!(list(&scene, ALL), ["a/b", "c"]);
    fs::rename(scene.path("a"), outside.path().join("a")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("a"), scene.path("a")).unwrap();
    assert_eq!(list(&scene, ALL), ["c"]);
}

#[test]
fn what_was_made_a_moment_ago_is_found() {
    let scene = Scene::new();
    let mut expected: Vec<String> = Vec::new();
    for number in 100..300 {
        let path = format!("folder{}/file{number}", number % 3);
        scene.write(&path, "");
        expected.push(path);
        expected.sort();
        assert_eq!(list(&scene, Options::default()), expected);
    }
    for number in 100..300 {
        let path = format!("folder{}/file{number}", number % 3);
        fs::remove_file(scene.path(&path)).unwrap();
        expected.retain(|other| *other != path);
        assert_eq!(list(&scene, Options::default()), expected);
    }
}

#[test]
fn a_rule_that_changes_in_place_counts_at_once() {
    let scene = Scene::new();
    write_all(&scene, &["sub/a", "sub/b", "sub/deep/a", "sub/deep/b"]);
    for round in 0..50 {
        let (ignored, kept) = if round % 2 == 0 {
            ("a", "b")
        } else {
            ("b", "a")
        };
        scene.write("sub/.gitignore", format!("{ignored}\n"));
        let expected = [format!("sub/{kept}"), format!("sub/deep/{kept}")];
        assert_eq!(list(&scene, Options::default()), expected);
    }
    fs::remove_file(scene.path("sub/.gitignore")).unwrap();
    assert_eq!(list(&scene, Options::default()).len(), 4);
}

#[test]
fn renamed_and_swapped_entries_are_seen() {
    let scene = Scene::new();
    write_all(&scene, &["one/x/y", "two/z", "file"]);
    assert_eq!(list(&scene, ALL), ["file", "one/x/y", "two/z"]);
    fs::rename(scene.path("one"), scene.path("three")).unwrap();
    assert_eq!(list(&scene, ALL), ["file", "three/x/y", "two/z"]);
    fs::rename(scene.path("two"), scene.path("one")).unwrap();
    fs::rename(scene.path("three"), scene.path("two")).unwrap();
    assert_eq!(list(&scene, ALL), ["file", "one/z", "two/x/y"]);
    fs::remove_file(scene.path("file")).unwrap();
    scene.write("file/inside", "");
    assert_eq!(list(&scene, ALL), ["file/inside", "one/z", "two/x/y"]);
    fs::remove_dir_all(scene.path("file")).unwrap();
    scene.write("file", "");
    assert_eq!(list(&scene, ALL), ["file", "one/z", "two/x/y"]);
    // Another folder with the same content of the first level.
    fs::rename(scene.path("two"), scene.path("old")).unwrap();
    write_all(&scene, &["two/x/other"]);
    fs::remove_dir_all(scene.path("old")).unwrap();
    assert_eq!(list(&scene, ALL), ["file", "one/z", "two/x/other"]);
}

#[test]
fn a_part_is_taken_from_the_list_of_the_whole() {
    let scene = Scene::new();
    write_all(&scene, &["a/x", "b/y", "b/c/z", "d"]);
    let search = scene.runtime.workspace().search();
    assert_eq!(list_in(&scene, "b"), ["b/c/z", "b/y"]);
    assert_eq!(list(&scene, Options::default()).len(), 4);
    assert_eq!(
        search.kept.lock().unwrap().len(),
        1,
        "the list of `b` is in it"
    );
    assert_eq!(list_in(&scene, "b/c"), ["b/c/z"]);
    assert_eq!(search.kept.lock().unwrap().len(), 1);
    assert!(search.memory() > 0);
    for number in 0..20 {
        scene.write(&format!("e/{number}/x"), "");
        listing(
            scene.runtime.workspace(),
            Some(&format!("e/{number}")),
            IGNORED,
        );
    }
    assert_eq!(search.kept.lock().unwrap().len(), MAX_LISTS);
}

#[test]
fn files_that_exist_only_as_buffers_are_listed_unless_they_are_left_out() {
    let scene = Scene::new();
    scene.write(".gitignore", "*.log\nbuild/\n");
    write_all(&scene, &["a", "src/c", "open", "x.log"]);
    for path in [
        "open",
        "src/b",
        "new/deep/file",
        "build/x",
        "b.log",
        ".hidden",
        "x.log",
        ".git/config",
        ".mewcode/a",
    ] {
        scene.editor.open(&scene.path(path), "buffer\n");
    }
    let workspace = scene.runtime.workspace();
    let listing = listing(workspace, None, Options::default());
    assert_eq!(
        shown(&listing),
        ["a", "new/deep/file", "open", "src/b", "src/c"]
    );
    let open: Vec<String> = listing
        .iter()
        .filter(|file| file.buffer().is_some())
        .map(|file| file.display())
        .collect();
    assert_eq!(open, ["new/deep/file", "open", "src/b"]);
    fs::remove_file(scene.path("open")).unwrap();
    assert_eq!(
        list(&scene, Options::default()),
        ["a", "new/deep/file", "open", "src/b", "src/c"]
    );
    assert_eq!(
        list(&scene, ALL),
        [
            ".gitignore",
            ".hidden",
            "a",
            "b.log",
            "build/x",
            "new/deep/file",
            "open",
            "src/b",
            "src/c",
            "x.log"
        ]
    );
    assert_eq!(
        list_in(&scene, "new"),
        ["new/deep/file"],
        "a folder that is not on disk"
    );
    assert_eq!(list_in(&scene, "open"), ["open"]);
    assert_eq!(list_in(&scene, "src/b"), ["src/b"]);
}

#[test]
fn nothing_at_a_path_is_not_found() {
    let scene = Scene::new();
    scene.write("src/main.rs", "");
    let workspace = scene.runtime.workspace();
    let path = workspace.resolve("src/mian.rs", Access::Read).unwrap();
    let error = workspace
        .files(Some(&path), ALL, &CancellationToken::new())
        .unwrap_err();
    insta::assert_snapshot!(error, @"not_found: `src/mian.rs` does not exist. Did you mean `src/main.rs`?");
}

#[test]
fn all_roots_are_searched_and_none_twice() {
    let scene = Scene::new();
    write_all(&scene, &["a", "inner/b"]);
    let other = tempfile::tempdir().unwrap();
    let other_path = other.path().canonicalize().unwrap();
    fs::write(other_path.join("c"), "").unwrap();
    let workspace = scene.runtime.workspace();
    workspace.set_roots(&[scene.path(""), other_path.clone(), scene.path("inner")]);
    let c = other_path.join("c").display().to_string();
    assert_eq!(list(&scene, ALL), ["a", "inner/b", c.as_str()]);
    assert_eq!(list_in(&scene, other_path.to_str().unwrap()), [c]);
}

#[test]
fn what_belongs_to_mewcode_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for path in ["state/log", "a/config.yaml", "a/b"] {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), "").unwrap();
    }
    let places = Places {
        closed: vec![root.join("state"), root.join("a/config.yaml")],
        ..Places::default()
    };
    let editor = Arc::new(FakeEditor::default());
    editor.open(&root.join("state/new"), "");
    let workspace = Workspace::new(std::slice::from_ref(&root), places, editor);
    assert_eq!(shown(&listing(&workspace, None, ALL)), ["a/b"]);
}

/// A chain of folders whose path is longer than the system takes.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_read_is_named() {
    use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
    let scene = Scene::new();
    scene.write("a", "");
    let open = |at: std::os::fd::BorrowedFd<'_>, name: &Path| {
        openat(at, name, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).unwrap()
    };
    let name = "d".repeat(255);
    let mut folder = open(CWD, &scene.path(""));
    for _ in 0..17 {
        mkdirat(&folder, name.as_str(), Mode::RWXU).unwrap();
        folder = open(std::os::fd::AsFd::as_fd(&folder), Path::new(&name));
    }
    for _ in 0..2 {
        let listing = listing(scene.runtime.workspace(), None, Options::default());
        assert_eq!(shown(&listing), ["a"]);
        let [problem] = listing.problems() else {
            panic!("{:?}", listing.problems())
        };
        assert!(problem.display.starts_with("ddd"), "{problem:?}");
        assert_eq!(problem.reason, "File name too long (os error 36)");
    }
}

#[test]
fn a_line_that_is_no_pattern_is_named() {
    let scene = Scene::new();
    scene.write("sub/.gitignore", "a\n{b\n");
    write_all(&scene, &["sub/a", "sub/c"]);
    let listing = listing(scene.runtime.workspace(), None, Options::default());
    assert_eq!(shown(&listing), ["sub/c"]);
    let expected = Problem {
        display: "sub".to_owned(),
        reason: "line 2 of .gitignore is no valid pattern".to_owned(),
    };
    assert_eq!(listing.problems(), [expected]);
}

/// No stack may overflow.
#[test]
fn a_very_deep_tree_is_listed_as_far_as_is_reasonable() {
    let scene = Scene::new();
    let depth = 400;
    scene.write(&format!("{}x", "a/".repeat(200)), "");
    scene.write(&format!("{}x", "a/".repeat(depth)), "");
    for _ in 0..2 {
        let listing = listing(scene.runtime.workspace(), None, Options::default());
        assert_eq!(shown(&listing), [format!("{}x", "a/".repeat(200))]);
        assert_eq!(listing.problems().len(), 1);
        assert_eq!(
            listing.problems()[0].reason,
            "it is more than 256 folders deep"
        );
    }
    let last = "a/".repeat(depth);
    assert_eq!(
        list_in(&scene, &last),
        Vec::<String>::new(),
        "not even if it is named"
    );
    fs::remove_dir_all(scene.path("a/a")).unwrap();
    assert_eq!(list(&scene, Options::default()), Vec::<String>::new());
}

#[test]
fn a_named_folder_is_searched_when_rules_begin_to_leave_it_out() {
    let scene = Scene::new();
    write_all(&scene, &["a/x", "b/y"]);
    assert_eq!(list(&scene, Options::default()), ["a/x", "b/y"]);
    scene.write(".gitignore", "a/\n");
    assert_eq!(list_in(&scene, "a"), ["a/x"]);
    assert_eq!(list(&scene, Options::default()), ["b/y"]);
}

/// Pseudo-random numbers that a seed repeats.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }

    fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

/// What the walk of the `ignore` crate lists.
fn reference(root: &Path, options: Options) -> Vec<String> {
    let walk = ignore::WalkBuilder::new(root)
        .hidden(!options.hidden)
        .ignore(!options.ignored)
        .git_ignore(!options.ignored)
        .git_exclude(!options.ignored)
        .git_global(!options.ignored)
        .parents(!options.ignored)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    let mut paths: Vec<String> = walk
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .map(|entry| {
            entry
                .path()
                .strip_prefix(root)
                .unwrap()
                .display()
                .to_string()
        })
        .collect();
    paths.sort();
    paths
}

fn change_something(root: &Path, random: &mut Random) {
    const NAMES: &[&str] = &["a", "b", ".h", "c.o", "keep.o", "build"];
    const RULES: &[&str] = &[
        "*.o", "!keep.o", "build/", "/a", "b/*", "**/c.o", "# x", ".h", "!.h", "a/b", "!build",
        "build/**", "\\!x",
    ];
    let depth = random.below(4);
    let path = (0..depth).fold(root.to_owned(), |path, _| path.join(random.of(NAMES)));
    let target = path.join(random.of(NAMES));
    // What cannot be done in this state is not done.
    let _ = match random.below(8) {
        0 | 1 => fs::create_dir_all(&path).and_then(|()| fs::write(&target, "")),
        2 => fs::create_dir_all(&target),
        3 => fs::remove_file(&target).or_else(|_| fs::remove_dir_all(&target)),
        4 => fs::rename(&target, root.join(random.of(NAMES))),
        5 | 6 => {
            let lines: Vec<&str> = (0..random.below(4)).map(|_| random.of(RULES)).collect();
            let name = random.of(&[".gitignore", ".ignore"]);
            fs::create_dir_all(&path).and_then(|()| fs::write(path.join(name), lines.join("\n")))
        }
        _ if path != root && random.below(3) == 0 => fs::create_dir_all(path.join(".git")),
        _ => fs::remove_file(path.join(".gitignore")),
    };
}

#[test]
fn a_kept_list_is_always_that_of_a_fresh_walk() {
    for seed in 0..4 {
        let scene = Scene::new();
        let root = scene.path("");
        fs::create_dir(root.join(".git")).unwrap();
        let mut random = Random(seed);
        for step in 0..40 {
            for _ in 0..=random.below(3) {
                change_something(&root, &mut random);
            }
            for options in [Options::default(), HIDDEN, ALL] {
                let kept = list(&scene, options);
                assert_eq!(
                    kept,
                    reference(&root, options),
                    "seed {seed}, step {step}, {options:?}"
                );
            }
        }
    }
}

#[test]
fn cancelling_ends_a_walk_at_once() {
    let scene = Scene::new();
    for folder in 0..100 {
        for file in 0..50 {
            scene.write(&format!("{folder}/{file}"), "");
        }
    }
    let workspace = scene.runtime.workspace();
    // The least of several: another process may have the processor in one of them.
    let took = (0..5).map(|_| {
        workspace.search().forget();
        let cancel = CancellationToken::new();
        std::thread::scope(|scope| {
            let walk = scope.spawn(|| {
                workspace
                    .files(None, Options::default(), &cancel)
                    .map(|_| Instant::now())
            });
            cancel.cancel();
            let cancelled = Instant::now();
            match walk.join().unwrap() {
                Err(SearchError::Cancelled) => cancelled.elapsed(),
                Err(SearchError::Failed(error)) => panic!("{error}"),
                // It was done before.
                Ok(ended) => ended.saturating_duration_since(cancelled),
            }
        })
    });
    let least = took.min().unwrap();
    assert!(least < Duration::from_millis(50), "{least:?}");
}
