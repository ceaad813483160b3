//! What is kept of files on disk, and for how long.

use super::*;

struct Scene {
    folder: tempfile::TempDir,
    closed: Closed,
}

impl Scene {
    fn new(max_memory: usize) -> Scene {
        Scene {
            folder: tempfile::tempdir().unwrap(),
            closed: Closed::within(max_memory),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        path
    }

    /// Takes a file as often as it may still change unseen.
    fn take_settled(&self, path: &Path) -> Arc<Outline> {
        loop {
            let outline = self.take(path).unwrap();
            if self.known(path).is_some() {
                return outline;
            }
        }
    }

    fn take(&self, path: &Path) -> Result<Arc<Outline>, Unparsed> {
        let mut bytes = Vec::new();
        let identity = read_into(path, &mut bytes)?;
        self.closed.take(
            path,
            identity,
            &bytes,
            &mut Parser::new(),
            &CancellationToken::new(),
        )
    }

    fn holds(&self, name: &str) -> bool {
        self.closed.read().files.contains_key(&self.path(name))
    }

    fn known(&self, path: &Path) -> Option<Result<Arc<Outline>, Unparsed>> {
        match self.closed.known(path, &stamp(path)?) {
            Known::Outline(outline) => Some(outline),
            Known::Nothing => None,
        }
    }
}

#[test]
fn an_outline_is_known_until_the_file_is_another() {
    let scene = Scene::new(MAX_MEMORY);
    let path = scene.write("a.rs", "fn a() {}\n");
    assert!(scene.known(&path).is_none());
    let first = scene.take_settled(&path);
    assert!(Arc::ptr_eq(&first, &scene.known(&path).unwrap().unwrap()));
    scene.write("a.rs", "fn b() {}\n");
    assert!(scene.known(&path).is_none(), "same length, other content");
    assert_eq!(scene.take(&path).unwrap().get(0).unwrap().name(), "b");
}

#[test]
fn a_file_that_was_written_just_now_is_compared_by_content() {
    let scene = Scene::new(MAX_MEMORY);
    let path = scene.path("a.rs");
    fs::write(&path, "fn a() {}\n").unwrap();
    let first = scene.take(&path).unwrap();
    assert!(
        scene.known(&path).is_none(),
        "it could be written again within the clock's tick"
    );
    assert!(
        Arc::ptr_eq(&first, &scene.take(&path).unwrap()),
        "but it is not parsed again"
    );
}

#[test]
fn why_there_is_no_outline_is_known_too() {
    let scene = Scene::new(MAX_MEMORY);
    let path = scene.write("a.rs", "fn a\0() {}\n");
    while scene.known(&path).is_none() {
        assert_eq!(scene.take(&path), Err(Unparsed::NotText));
    }
    assert_eq!(scene.known(&path), Some(Err(Unparsed::NotText)));
    let large = scene.write("b.rs", &" ".repeat(MAX_BYTES + 1));
    assert_eq!(scene.take(&large), Err(Unparsed::TooLarge));
}

#[test]
fn other_encodings_are_read_as_text() {
    let scene = Scene::new(MAX_MEMORY);
    let latin = scene.path("a.c");
    fs::write(
        &latin,
        b"/* Gr\xfc\xdfe aus K\xf6ln */\nint f(void) { return 1; }\n",
    )
    .unwrap();
    assert_eq!(scene.take(&latin).unwrap().get(0).unwrap().name(), "f");
    let wide = scene.path("b.py");
    let units = "\u{feff}def gr\u{f6}\u{df}e():\n    pass\n".encode_utf16();
    fs::write(&wide, units.flat_map(u16::to_le_bytes).collect::<Vec<u8>>()).unwrap();
    assert_eq!(
        scene.take(&wide).unwrap().get(0).unwrap().name(),
        "gr\u{f6}\u{df}e"
    );
}

#[test]
fn memory_is_bounded_and_what_the_last_search_used_stays() {
    let text = "fn name_of_some_length() {}\n".repeat(100);
    let scene = Scene::new(20_000);
    scene.closed.begin_search();
    let old = scene.write("old.rs", &text);
    scene.take(&old).unwrap();
    scene.closed.begin_search();
    for file in 0..20 {
        scene
            .take(&scene.write(&format!("{file}.rs"), &text))
            .unwrap();
        assert!(scene.closed.memory() <= 20_000, "{}", scene.closed.memory());
    }
    assert!(!scene.holds("old.rs"), "the earlier search's went");
    assert!(scene.holds("0.rs"), "this search's stayed");
    let sum: usize = scene
        .closed
        .read()
        .files
        .iter()
        .map(|(path, kept)| size(path, kept))
        .sum();
    assert_eq!(scene.closed.memory(), sum);
}
