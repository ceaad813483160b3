//! What is kept comes back equal, once, and only where it may.

use super::*;
use crate::review::book::{NewFile, Origin};
use crate::review::hunk::{When, split};
use crate::review::landing::Target;
use crate::review::whole::{Place, Whole};
use mewcode_core::edit::Edit;
use mewcode_core::text::Snapshot;
use mewcode_tools::guard::{PathGuard, Places};
use mewcode_tools::port::Destination;
use proptest::prelude::*;
use std::fs;
use std::time::{Duration, SystemTime};

const HOUR: Duration = Duration::from_secs(60 * 60);

/// A workspace and a folder for what is kept.
struct Scene {
    folder: tempfile::TempDir,
    root: PathBuf,
}

/// A server, as far as it keeps hunks. It is no more when it is dropped.
struct Server {
    book: Arc<Book>,
    keeper: Keeper,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("work");
        fs::create_dir(&root).unwrap();
        Self { folder, root }
    }

    fn kept(&self) -> PathBuf {
        self.folder.path().join("review")
    }

    fn guard(&self) -> PathGuard {
        let places = Places {
            home: None,
            scratch: None,
            closed: Vec::new(),
        };
        PathGuard::new(std::slice::from_ref(&self.root), &places)
    }

    fn server(&self, tag: &str) -> Server {
        let book = Arc::new(Book::tagged(tag.to_owned()));
        let keeper = Keeper::new(Some(self.kept()), Arc::clone(&book));
        keeper.set_roots(vec![self.root.clone()]);
        Server { book, keeper }
    }

    /// The names of what is kept, but for the lock of all.
    fn names(&self) -> usize {
        let names = fs::read_dir(self.kept()).unwrap();
        names
            .filter(|entry| entry.as_ref().unwrap().file_name() != "lock")
            .count()
    }

    fn target(&self, name: &str) -> Target {
        Target {
            path: self.root.join(name),
            display: name.to_owned(),
            existed: true,
            final_newline: true,
            destination: Destination::Same,
        }
    }

    /// A change of a file, from one wire text to another.
    fn file(&self, name: &str, when: When, base: &str, after: &str) -> NewFile {
        let (base, after) = (Snapshot::decode(base), Snapshot::decode(after));
        let hunks = split(base.rope(), after.rope()).into_iter();
        NewFile {
            target: self.target(name),
            hunks: hunks
                .map(|(before, behind, old, new)| match when {
                    When::Before => (before, old, new),
                    When::After => (behind, old, new),
                })
                .collect(),
            text: match when {
                When::Before => base.clone(),
                When::After => after,
            },
            base,
            whole: None,
        }
    }
}

impl Server {
    fn enter(&self, when: When, files: Vec<NewFile>) {
        let origin = Origin {
            session: "s".into(),
            call: "call_1".into(),
            tool: "edit_file".into(),
            reason: "because \"so\"\n".into(),
        };
        drop(self.book.enter(origin, when, files));
    }

    fn stored(&self) -> StoredBook {
        StoredBook::of(&self.book.contents().0)
    }

    /// The hunks of a file as `id state lines`.
    fn shown(&self, path: &Path) -> Vec<String> {
        let file = self.book.file(path);
        let hunks = file.iter().flat_map(|file| &file.hunks);
        hunks
            .map(|(hunk, _)| format!("{} {:?} {:?}", hunk.id, hunk.state, hunk.lines))
            .collect()
    }
}

fn lines() -> impl Strategy<Value = Vec<String>> {
    // Few different lines, so that they repeat; some with what is special in JSON and in texts.
    let line = prop::sample::select(vec!["a", "b", "c", "é \"q\"", "\t{", "", "\u{2028}"]);
    prop::collection::vec(line.prop_map(str::to_owned), 0..12)
}

/// A text in wire form: with line breaks of either kind, a mark at its front or none, and a last line that may be open.
fn wire() -> impl Strategy<Value = String> {
    let forms = (
        prop::sample::select(vec!["\n", "\r\n"]),
        any::<bool>(),
        any::<bool>(),
    );
    (lines(), forms).prop_map(|(lines, (ending, bom, closed))| {
        let bom = if bom { "\u{feff}" } else { "" };
        let end = if closed { ending } else { "" };
        format!("{bom}{}{end}", lines.join(ending))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Kept and taken in again it is the same, byte by byte, whatever the text moved to before that.
    #[test]
    fn what_is_kept_comes_back_equal(
        (base, after, typed) in (wire(), wire(), wire()),
        (other, other_after) in (wire(), wire()),
        after_the_fact in any::<bool>(),
    ) {
        let scene = Scene::new();
        let first = scene.server("1-");
        let when = if after_the_fact { When::After } else { When::Before };
        first.enter(when, vec![scene.file("a.txt", when, &base, &after), scene.file("b.txt", when, &other, &other_after)]);
        first.enter(When::Before, vec![scene.file("b.txt", When::Before, &other, &base)]);
        first.book.look(&scene.root.join("a.txt"), &Snapshot::decode(&typed));
        first.keeper.keep();
        let expected = first.stored();
        drop(first);
        let second = scene.server("2-");
        let adopted = second.keeper.adopt(&scene.guard());
        prop_assert_eq!(adopted.faults, Vec::<String>::new());
        prop_assert_eq!(second.stored(), expected);
        // And once more, from the second one's own file.
        let expected = second.stored();
        drop(second);
        let third = scene.server("3-");
        third.keeper.adopt(&scene.guard());
        prop_assert_eq!(third.stored(), expected);
    }

    /// A restart between two texts makes no difference to where hunks stand and what state they are in, unless an edit
    /// is found to be in the text already.
    #[test]
    fn a_restart_makes_no_difference((base, after, typed) in (wire(), wire(), wire()), after_the_fact in any::<bool>()) {
        let scene = Scene::new();
        let (path, typed) = (scene.root.join("a.txt"), Snapshot::decode(&typed));
        let when = if after_the_fact { When::After } else { When::Before };
        let first = scene.server("1-");
        first.enter(when, vec![scene.file("a.txt", when, &base, &after)]);
        first.keeper.keep();
        let second = scene.server("2-");
        let (contents, _) = first.book.contents();
        second.book.adopt(StoredBook::of(&contents).contents().unwrap());
        first.book.look(&path, &typed);
        second.book.look(&path, &typed);
        let landed = second.book.take_told().iter().any(|told| told.contains("came through"));
        let (one, two) = (first.shown(&path), second.shown(&path));
        if landed {
            prop_assert!(two.iter().all(|hunk| one.contains(hunk)));
        } else {
            prop_assert_eq!(one, two);
        }
    }
}

#[test]
fn a_living_server_is_left_alone_and_a_dead_one_adopted_once() {
    let scene = Scene::new();
    let servers: Vec<_> = (0..8)
        .map(|number| {
            let server = scene.server(&format!("{number}-"));
            let file = scene.file("a.txt", When::Before, "a\nb\n", "a\nB\n");
            server.enter(When::Before, vec![file]);
            assert_eq!(server.keeper.keep(), None);
            server
        })
        .collect();
    let next = scene.server("n-");
    assert!(next.keeper.adopt(&scene.guard()).busy);
    assert_eq!(next.book.count(), 0);
    drop(servers);
    let many: Vec<_> = (0..4).map(|it| scene.server(&format!("m{it}-"))).collect();
    std::thread::scope(|scope| {
        for server in &many {
            scope.spawn(|| server.keeper.adopt(&scene.guard()));
        }
    });
    let counts: Vec<_> = many.iter().map(|server| server.book.count()).collect();
    assert_eq!(counts.iter().sum::<usize>(), 8, "{counts:?}");
    assert_eq!(scene.names(), 2, "one file and its lock");
}

#[test]
fn a_hunk_in_two_files_is_taken_once() {
    let scene = Scene::new();
    let first = scene.server("1-");
    let file = scene.file("a.txt", When::Before, "a\nb\n", "A\nb\nc\n");
    first.enter(When::Before, vec![file]);
    first.keeper.keep();
    drop(first);
    let names = fs::read_dir(scene.kept()).unwrap();
    let paths = names.map(|entry| entry.unwrap().path());
    let file = paths
        .filter(|path| path.extension().is_some_and(|it| it == "json"))
        .last()
        .unwrap();
    // As if a server had ended between writing its own file and removing this one.
    fs::copy(&file, file.with_file_name("other.json")).unwrap();
    let second = scene.server("2-");
    let adopted = second.keeper.adopt(&scene.guard());
    assert_eq!((adopted.hunks, second.book.count()), (2, 2));
    assert_eq!(scene.names(), 2);
    second
        .book
        .finish("h1-2", crate::review::book::Fate::Rejected);
    second
        .book
        .finish("h1-3", crate::review::book::Fate::Rejected);
    assert_eq!((second.book.count(), second.keeper.keep()), (0, None));
    assert_eq!(
        scene.names(),
        0,
        "nothing is left when nothing is undecided"
    );
}

#[test]
fn nothing_is_kept_of_what_happens_after_the_end() {
    let scene = Scene::new();
    let first = scene.server("1-");
    let file = scene.file("a.txt", When::Before, "a\n", "b\n");
    first.enter(When::Before, vec![file]);
    first.keeper.close();
    // The run is stopped with its server.
    first.book.withdraw("p1-1");
    assert_eq!((first.book.count(), first.keeper.keep()), (0, None));
    drop(first);
    let second = scene.server("2-");
    assert_eq!(second.keeper.adopt(&scene.guard()).hunks, 1);
}

#[test]
fn another_workspace_waits_for_its_own_server() {
    let scene = Scene::new();
    let first = scene.server("1-");
    let file = scene.file("a.txt", When::After, "a\n", "b\n");
    first.enter(When::After, vec![file]);
    first.keeper.keep();
    drop(first);
    let other = scene.server("o-");
    let elsewhere = scene.folder.path().canonicalize().unwrap();
    other.keeper.set_roots(vec![elsewhere]);
    assert_eq!(other.keeper.adopt(&scene.guard()).hunks, 0);
    let both = scene.server("b-");
    both.keeper
        .set_roots(vec![scene.folder.path().to_owned(), scene.root.clone()]);
    assert_eq!(both.keeper.adopt(&scene.guard()).hunks, 1);
}

#[test]
fn what_is_too_large_is_left_out_and_told_once() {
    let scene = Scene::new();
    let mut first = scene.server("1-");
    first.keeper.room = 1000;
    let large = "x\n".repeat(1000);
    let files = vec![
        scene.file("large.txt", When::Before, &large, "y\n"),
        scene.file("small.txt", When::Before, "a\n", "b\n"),
    ];
    first.enter(When::Before, files);
    let told = first.keeper.keep().unwrap();
    assert!(told.contains("large.txt") && !told.contains("small.txt"));
    first.enter(
        When::Before,
        vec![scene.file("c.txt", When::Before, "a\n", "b\n")],
    );
    assert_eq!(first.keeper.keep(), None);
    drop(first);
    let second = scene.server("2-");
    let adopted = second.keeper.adopt(&scene.guard());
    let names: Vec<_> = adopted
        .files
        .iter()
        .filter_map(|it| it.file_name())
        .collect();
    assert_eq!(names, ["c.txt", "small.txt"]);
}

#[test]
fn a_whole_file_comes_back_with_what_the_disk_had_of_it() {
    let scene = Scene::new();
    let path = scene.root.join("gone.txt");
    let place = |name: &str| Place {
        path: scene.root.join(name),
        display: name.to_owned(),
    };
    let base = Snapshot::decode("a\r\nb");
    fs::write(&path, "a\r\nb").unwrap();
    let edit = Edit::between(&base, &ropey::Rope::from_str("\n")).unwrap();
    let mut removed = Whole::between(place("gone.txt"), None, &base, &edit).unwrap();
    // Bytes that are no text, as of another encoding.
    removed.kept = crate::review::landing::Kept::of_parts(vec![0xff, 0xfe, 0], 0o640, &base);
    let moved = Whole::between(place("from.txt"), Some(place("to.txt")), &base, &edit).unwrap();
    let server = scene.server("1-");
    let whole = |name: &str, whole: Whole| NewFile {
        whole: Some(whole),
        ..scene.file(name, When::After, "a\r\nb", "")
    };
    server.enter(
        When::After,
        vec![whole("gone.txt", removed), whole("to.txt", moved)],
    );
    server.keeper.keep();
    let (expected, _) = server.book.contents();
    drop(server);
    let next = scene.server("2-");
    assert_eq!(next.keeper.adopt(&scene.guard()).hunks, 2);
    assert_eq!(next.stored(), StoredBook::of(&expected));
    let (contents, _) = next.book.contents();
    for ((_, _, left), (_, _, right)) in contents.files.iter().zip(&expected.files) {
        let (left, right) = (left[0].whole.as_ref(), right[0].whole.as_ref());
        let words = |whole: Option<&Arc<Whole>>| {
            let whole = whole.unwrap();
            let parts = whole.kept.as_ref().and_then(|kept| kept.parts());
            let parts = parts.map(|(bytes, mode)| (bytes.to_owned(), mode));
            (whole.title(When::After), whole.base.hash(), parts)
        };
        assert_eq!(words(left), words(right));
    }
}

#[test]
fn leftovers_do_not_pile_up() {
    let scene = Scene::new();
    let living = scene.server("l-");
    let file = scene.file("a.txt", When::After, "a\n", "b\n");
    living.enter(When::After, vec![file]);
    living.keeper.keep();
    let old = SystemTime::now() - 200 * 24 * HOUR;
    let put = |name: &str, written: SystemTime| {
        let path = scene.kept().join(name);
        fs::write(&path, "{\"version\":1}\n").unwrap();
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(written).unwrap();
    };
    for entry in fs::read_dir(scene.kept()).unwrap() {
        let file = fs::File::options().write(true).open(entry.unwrap().path());
        file.unwrap().set_modified(old).unwrap();
    }
    for number in 0..40 {
        put(
            &format!("{number}.damaged"),
            SystemTime::now() - number * HOUR,
        );
    }
    put("new-a", SystemTime::now() - 2 * HOUR);
    put("new-b", SystemTime::now());
    put("x.json", old);
    put("x.lock", old);
    put("y.json", SystemTime::now() - 100 * 24 * HOUR);
    let next = scene.server("n-");
    assert!(next.keeper.has_others());
    let adopted = next.keeper.adopt(&scene.guard());
    assert!(adopted.busy && adopted.faults.is_empty(), "{adopted:?}");
    let mut names: Vec<_> = fs::read_dir(scene.kept())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let damaged = names.iter().filter(|name| name.ends_with(".damaged"));
    assert_eq!(damaged.count(), 16, "{names:?}");
    assert!(names.contains(&"0.damaged".to_owned()), "{names:?}");
    names.retain(|name| !name.ends_with(".damaged") && name.len() < 10);
    assert_eq!(names, ["lock", "new-b", "y.json"]);
    drop(living);
    assert_eq!(next.keeper.adopt(&scene.guard()).hunks, 1);
}

/// A pipe that nobody writes, a folder, a huge file, a device: said once and put away, and nobody waits for them.
#[cfg(unix)]
#[test]
fn what_is_no_file_of_ours_stops_nobody() {
    let scene = Scene::new();
    fs::create_dir(scene.kept()).unwrap();
    let at = |name: &str| scene.kept().join(name);
    let pipe = |name: &str| {
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(
            rustix::fs::CWD,
            at(name),
            rustix::fs::FileType::Fifo,
            mode,
            0,
        )
        .unwrap();
    };
    pipe("pipe.json");
    pipe("pipe.lock");
    pipe("alone.lock");
    fs::create_dir(at("folder.json")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", at("zero.json")).unwrap();
    std::os::unix::fs::symlink("nowhere", at("nowhere.json")).unwrap();
    fs::File::create(at("huge.json"))
        .unwrap()
        .set_len(1 << 40)
        .unwrap();
    let deep = format!(
        "{{\"version\":1,\"roots\":[{:?}]}}\n{}",
        scene.root,
        "[".repeat(1 << 20)
    );
    fs::write(at("deep.json"), deep).unwrap();
    let server = scene.server("n-");
    let adopted = server.keeper.adopt(&scene.guard());
    assert_eq!(adopted.faults.len(), 5, "{adopted:?}");
    let again = server.keeper.adopt(&scene.guard());
    assert!(again.faults.is_empty(), "{again:?}");
    let file = scene.file("a.txt", When::After, "a\n", "b\n");
    server.enter(When::After, vec![file]);
    assert_eq!(server.keeper.keep(), None);
    drop(server);
    let next = scene.server("m-");
    assert_eq!(next.keeper.adopt(&scene.guard()).hunks, 1);
}
