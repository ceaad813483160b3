//! Records as they are written, broken off, and read again.

use mewcode_core::text::Snapshot;
use tempfile::TempDir;

use super::*;
use crate::disk::step::Digest;
use crate::disk::{Expected, move_recorded, remove_recorded, write_recorded};

/// A folder with files, and beside it one of records.
struct Scene {
    _folder: TempDir,
    real: PathBuf,
    journal: Journal,
}

impl Scene {
    fn new(files: &[(&str, &str)]) -> Scene {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        fs::create_dir(real.join("project")).unwrap();
        let scene = Scene {
            journal: Journal::new(real.join("state/changes")),
            _folder: folder,
            real,
        };
        for (name, content) in files {
            fs::write(scene.path(name), content).unwrap();
        }
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.real.join("project").join(name)
    }

    fn records(&self) -> usize {
        fs::read_dir(self.real.join("state/changes")).map_or(0, Iterator::count)
    }

    /// Every file and folder with its bytes, sorted.
    fn shown(&self) -> Vec<String> {
        let mut shown = Vec::new();
        let mut ahead = vec![self.real.join("project")];
        while let Some(folder) = ahead.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(self.real.join("project")).unwrap();
                if path.is_dir() {
                    shown.push(format!("{}/", name.display()));
                    ahead.push(path);
                } else {
                    let content = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
                    shown.push(format!("{}: {content:?}", name.display()));
                }
            }
        }
        shown.sort();
        shown
    }

    fn told(&self) -> String {
        let told = self.journal.recover().join("\n");
        told.replace(self.real.to_str().unwrap(), "/T")
    }
}

fn text(wire: &str) -> Expected<'static> {
    Expected::Text(Snapshot::decode(wire).hash())
}

/// The whole of what can happen to files: one is changed, one made in a new folder, one removed, one moved and changed.
fn change_all(scene: &Scene, record: &mut Record) {
    write_recorded(&scene.path("a"), b"A\n", text("a\r\n"), record).unwrap();
    write_recorded(&scene.path("new/b"), b"b\n", Expected::Absent, record).unwrap();
    remove_recorded(&scene.path("c"), Snapshot::decode("c").hash(), record).unwrap();
    let d = Snapshot::decode("d\n").hash();
    move_recorded(&scene.path("d"), &scene.path("x/y/d"), d, record).unwrap();
    write_recorded(&scene.path("x/y/d"), b"D\n", text("d\n"), record).unwrap();
}

const BEFORE: &[(&str, &str)] = &[("a", "a\r\n"), ("c", "\u{feff}c"), ("d", "d\n")];

#[test]
fn a_change_that_came_to_its_end_leaves_no_record() {
    let scene = Scene::new(BEFORE);
    let mut record = scene.journal.begin(Scope::Several);
    change_all(&scene, &mut record);
    assert_eq!(scene.records(), 1);
    record.finish().unwrap();
    assert_eq!(scene.records(), 0);
    assert_eq!(scene.told(), "");
    assert_eq!(
        scene.shown(),
        [
            "a: \"A\\n\"",
            "new/",
            "new/b: \"b\\n\"",
            "x/",
            "x/y/",
            "x/y/d: \"D\\n\""
        ]
    );
}

#[test]
fn a_change_that_was_broken_off_is_taken_back_byte_by_byte() {
    let scene = Scene::new(BEFORE);
    let before = scene.shown();
    let mut record = scene.journal.begin(Scope::Several);
    change_all(&scene, &mut record);
    assert_eq!(scene.told(), "", "its process lives");
    drop(record);
    insta::assert_snapshot!(scene.told(), @"A change was broken off when the process ended, and was taken back: `/T/project/a`, `/T/project/new/b`, `/T/project/c`, `/T/project/d` and `/T/project/x/y/d` are as before it.");
    assert_eq!(scene.shown(), before);
    assert_eq!(scene.records(), 0);
    assert_eq!(scene.told(), "");
}

#[test]
fn files_that_somebody_else_was_to_change_are_named() {
    let scene = Scene::new(&[]);
    let (one, two) = (scene.path("one"), scene.path("two"));
    let begin = || {
        let mut record = scene.journal.begin(Scope::Several);
        record.elsewhere(&[]).unwrap();
        record.elsewhere(&[one.clone(), two.clone()]).unwrap();
        record
    };
    drop(begin());
    insta::assert_snapshot!(scene.told(), @"A change was broken off when the process ended. What of it was on its way to files that were open in the editor may stand there; look at them: `/T/project/one` and `/T/project/two`.");
    begin().finish().unwrap();
    assert_eq!(scene.told(), "", "it came to its end");
    Journal::default()
        .begin(Scope::Several)
        .elsewhere(&[one])
        .unwrap();
}

#[test]
fn a_change_is_taken_back_by_its_own_process_too() {
    let scene = Scene::new(BEFORE);
    let before = scene.shown();
    for journal in [&scene.journal, &Journal::default()] {
        let mut record = journal.begin(Scope::Several);
        change_all(&scene, &mut record);
        assert_eq!(record.take_back(), []);
        record.finish().unwrap();
        assert_eq!(scene.shown(), before);
    }
}

#[test]
fn what_somebody_changed_since_is_named_and_left_when_a_change_is_taken_back() {
    let scene = Scene::new(BEFORE);
    let mut record = scene.journal.begin(Scope::Several);
    change_all(&scene, &mut record);
    fs::write(scene.path("a"), "somebody's\n").unwrap();
    let faults = record.take_back();
    let fault = (scene.path("a"), "it was changed since".to_owned());
    assert_eq!(faults, [fault]);
    record.finish().unwrap();
    assert_eq!(fs::read(scene.path("a")).unwrap(), b"somebody's\n");
    assert!(scene.path("c").exists() && !scene.path("new").exists());
}

/// Wherever the process ends, and wherever the record does: all of it is taken back, or all of it stands.
#[test]
fn a_record_that_ends_anywhere_puts_all_in_order() {
    let scene = Scene::new(BEFORE);
    let before = scene.shown();
    let mut record = scene.journal.begin(Scope::Several);
    let log = record.log.as_ref().unwrap().path.clone();
    change_all(&scene, &mut record);
    let whole = fs::read(&log).unwrap();
    record.take_back();
    record.finish().unwrap();
    // At each line's end, and in its middle.
    let ends = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let lengths = ends.flat_map(|(end, _)| [end - 7, end, end + 1]);
    for length in [0]
        .into_iter()
        .chain(lengths)
        .filter(|length| *length < whole.len())
    {
        let cut = &whole[..length];
        // Take the steps that the cut record knows of, for real; the last one is the one that did not happen.
        let read = line::read(cut);
        let mut record = scene.journal.begin(Scope::Several);
        apply(&scene, read.steps.len().saturating_sub(1), &mut record);
        let path = record.log.as_ref().unwrap().path.clone();
        fs::write(&path, cut).unwrap();
        drop(record);
        scene.told();
        assert_eq!(scene.shown(), before, "a record of {length} bytes");
        assert_eq!(scene.records(), 0, "a record of {length} bytes");
    }
}

/// The first steps of [`change_all`], as they are counted in its record.
fn apply(scene: &Scene, steps: usize, record: &mut Record) {
    let d = Snapshot::decode("d\n").hash();
    if steps >= 1 {
        write_recorded(&scene.path("a"), b"A\n", text("a\r\n"), record).unwrap();
    }
    if steps >= 2 {
        fs::create_dir(scene.path("new")).unwrap();
    }
    if steps >= 3 {
        write_recorded(&scene.path("new/b"), b"b\n", Expected::Absent, record).unwrap();
    }
    if steps >= 4 {
        remove_recorded(&scene.path("c"), Snapshot::decode("c").hash(), record).unwrap();
    }
    if steps >= 5 {
        fs::create_dir(scene.path("x")).unwrap();
    }
    if steps >= 6 {
        fs::create_dir(scene.path("x/y")).unwrap();
    }
    if steps >= 7 {
        move_recorded(&scene.path("d"), &scene.path("x/y/d"), d, record).unwrap();
    }
    if steps >= 8 {
        write_recorded(&scene.path("x/y/d"), b"D\n", text("d\n"), record).unwrap();
    }
}

#[test]
fn what_somebody_changed_since_is_left_alone_and_named() {
    let scene = Scene::new(BEFORE);
    let mut record = scene.journal.begin(Scope::Several);
    change_all(&scene, &mut record);
    drop(record);
    fs::write(scene.path("a"), "mine\n").unwrap();
    fs::write(scene.path("c"), "mine too\n").unwrap();
    insta::assert_snapshot!(scene.told(), @"
    A change was broken off when the process ended, and was taken back: `/T/project/new/b`, `/T/project/d` and `/T/project/x/y/d` are as before it.
    A change was broken off when the process ended, and these files were left as they are now; look at them: `/T/project/a`: it was changed since; `/T/project/c`: it was changed since.
    ");
    assert_eq!(
        scene.shown(),
        ["a: \"mine\\n\"", "c: \"mine too\\n\"", "d: \"d\\n\""]
    );
    assert_eq!(scene.told(), "", "told once");
}

#[test]
fn a_change_whose_end_is_recorded_stands() {
    let scene = Scene::new(BEFORE);
    let mut record = scene.journal.begin(Scope::Several);
    change_all(&scene, &mut record);
    let after = scene.shown();
    record
        .log
        .as_mut()
        .unwrap()
        .write(&Line::Done, &[])
        .unwrap();
    drop(record);
    assert_eq!(scene.told(), "");
    assert_eq!(scene.shown(), after);
    assert_eq!(scene.records(), 0);
}

#[test]
fn temporary_files_of_a_process_that_is_no_more_are_removed_and_nothing_else_is() {
    let scene = Scene::new(&[
        ("a", "a\n"),
        (".mewcode-1.tmp", "half"),
        ("notes.tmp", "mine"),
    ]);
    let mut record = scene.journal.begin(Scope::One);
    for name in [".mewcode-1.tmp", "notes.tmp", ".mewcode-2.tmp"] {
        record.temporary(&scene.path(name)).unwrap();
    }
    drop(record);
    insta::assert_snapshot!(scene.told(), @"A temporary file of a change that was broken off was removed: /T/project/.mewcode-1.tmp.");
    assert_eq!(scene.shown(), ["a: \"a\\n\"", "notes.tmp: \"mine\""]);
}

#[cfg(unix)]
#[test]
fn a_file_with_several_names_that_was_half_written_gets_its_old_text() {
    let (old, new) = ("the old text of it\n", "a new one that is longer than it\n");
    for (scope, cut) in [Scope::One, Scope::Several]
        .into_iter()
        .flat_map(|scope| (0..=new.len()).map(move |cut| (scope, cut)))
    {
        let scene = Scene::new(&[("a", old), (".mewcode-1.tmp", new)]);
        fs::hard_link(scene.path("a"), scene.path("b")).unwrap();
        let mut record = scene.journal.begin(scope);
        record.temporary(&scene.path(".mewcode-1.tmp")).unwrap();
        record
            .step(Step::Replace {
                path: scene.path("a"),
                old: old.into(),
                new: Digest::of(new.as_bytes()),
                in_place: true,
            })
            .unwrap();
        let mut torn = new.as_bytes()[..cut].to_vec();
        torn.extend(old.as_bytes().iter().skip(cut));
        fs::write(scene.path("a"), &torn).unwrap();
        drop(record);
        scene.told();
        // One that was written to its end is a whole one.
        let expected = if scope == Scope::One && cut == new.len() {
            new
        } else {
            old
        };
        assert_eq!(
            scene.shown(),
            [format!("a: {expected:?}"), format!("b: {expected:?}")],
            "{scope:?}, {cut} bytes"
        );
    }
}

#[test]
fn a_record_of_another_version_is_left_to_it() {
    let scene = Scene::new(&[]);
    let record = scene.journal.begin(Scope::Several);
    let path = record.log.as_ref().unwrap().path.clone();
    drop(record);
    fs::write(&path, "{\"begin\":{\"version\":2,\"several\":true}}\n").unwrap();
    let told = scene
        .told()
        .replace(path.file_name().unwrap().to_str().unwrap(), "R");
    insta::assert_snapshot!(told, @"/T/state/changes/R is the record of a change that another version of MewCode began; it is left to that.");
    assert!(path.exists());
}

#[cfg(unix)]
#[test]
fn names_that_are_no_text_are_recorded_as_they_are() {
    use std::os::unix::ffi::OsStrExt;
    let path = Path::new(std::ffi::OsStr::from_bytes(b"/a/\xff\n.txt"));
    let step = Step::Remove {
        path: path.to_owned(),
        old: b"\n{}\n".to_vec(),
        owner: crate::disk::step::Owner::of(&fs::metadata("/").unwrap()),
    };
    let mut bytes = Line::of(&step).encode(step.bytes()).unwrap();
    bytes.extend(Line::Temporary(path.to_owned().into()).encode(&[]).unwrap());
    let read = line::read(&bytes);
    assert_eq!(read.steps, [step]);
    assert_eq!(read.temporaries, [path]);
    assert!(!read.foreign);
}

#[cfg(unix)]
#[test]
fn records_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let scene = Scene::new(&[]);
    let record = scene.journal.begin(Scope::One);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let path = &record.log.as_ref().unwrap().path;
    assert_eq!((mode(path), mode(path.parent().unwrap())), (0o600, 0o700));
}

#[test]
fn a_change_goes_on_where_no_record_can_be_made() {
    let scene = Scene::new(BEFORE);
    // A file stands where the folder of records would be.
    let journal = Journal::new(scene.path("a/changes"));
    let mut record = journal.begin(Scope::Several);
    assert!(record.fault().is_some());
    change_all(&scene, &mut record);
    record.finish().unwrap();
    assert!(scene.shown().contains(&"a: \"A\\n\"".to_owned()));
}
