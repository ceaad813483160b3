//! The files that are changed while the process is killed: two states of them, and the changes that lead from one to
//! the other and back.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use mewcode_core::edit::{Edit, Replacement};
use mewcode_core::position::ByteRange;
use mewcode_core::text::Snapshot;
use mewcode_tools::disk::Journal;
use mewcode_tools::headless::DiskEditor;
use mewcode_tools::port::{ChangeRequest, Destination, Editor, FileEdit, Review};
use mewcode_tools::result::Status;
use tokio_util::sync::CancellationToken;

/// What the process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// One file after the other is written, each for itself.
    Single,
    /// All files are changed together: edited, created, removed, moved.
    Several,
}

impl fmt::Display for Work {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, formatter)
    }
}

impl FromStr for Work {
    type Err = String;

    fn from_str(name: &str) -> Result<Work, String> {
        let all = [Work::Single, Work::Several];
        all.into_iter()
            .find(|work| work.to_string() == name)
            .ok_or_else(|| name.to_owned())
    }
}

/// The files by name, with their bytes.
type Files = BTreeMap<String, String>;

/// A folder with `work/`, which holds the files, and `state/`.
pub struct Scene {
    folder: PathBuf,
}

/// Changes that are made one after the other, round and round.
pub struct Changes {
    disk: DiskEditor,
    runtime: tokio::runtime::Runtime,
    /// The files of each.
    steps: Vec<Vec<FileEdit>>,
    next: usize,
}

impl Changes {
    /// Makes the next one.
    pub fn next(&mut self) {
        let request = ChangeRequest {
            session: String::new(),
            call: String::new(),
            tool: String::new(),
            reason: String::new(),
            review: Review::After,
            files: self.steps[self.next].clone(),
            cancel: CancellationToken::new(),
        };
        let outcome = self.runtime.block_on(self.disk.change(request));
        assert_eq!(outcome.status, Status::Ok, "{outcome:?}");
        self.next = (self.next + 1) % self.steps.len();
    }
}

/// A text of which each line names the state, long enough that writing it takes its time.
fn text(name: &str, state: usize, ending: &str) -> String {
    let lines = 60 + 25 * state;
    let line = |number| format!("{name} in state {state}, line {number}{ending}");
    (0..lines).map(line).collect()
}

/// All files as they are in a state.
fn files(state: usize) -> Files {
    let mut files = Files::new();
    let mut add = |name: &str, text: String| {
        files.insert(name.to_owned(), text);
    };
    add(
        "edited",
        format!("\u{feff}{}end", text("edited", state, "\r\n")),
    );
    // Two names of one file, which is therefore written in place.
    add("linked", text("linked", state, "\n"));
    add("other-name", text("linked", state, "\n"));
    if state == 0 {
        add("moved", text("moved", 0, "\n"));
        add("removed", text("removed", 0, "\r\n"));
    } else {
        add("folder/moved", text("moved", 1, "\n"));
        add("folder/deep/created", text("created", 1, "\n"));
    }
    files
}

/// The edit that puts one text in the place of another: no time goes into finding a smaller one.
fn whole(base: &Snapshot, target: &Snapshot) -> Edit {
    let range = ByteRange::new(0, base.rope().len_bytes());
    let text = target.rope().to_string();
    Edit::new(base, vec![Replacement { range, text }]).unwrap()
}

impl Scene {
    pub fn at(folder: PathBuf) -> Scene {
        Scene { folder }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn journal(&self) -> Journal {
        super::journal_of(&self.folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join("work").join(name)
    }

    /// Makes the files in the first state.
    pub fn begin(&self) {
        fs::create_dir(self.folder.join("work")).unwrap();
        for (name, content) in files(0) {
            if name == "other-name" {
                fs::hard_link(self.path("linked"), self.path(&name)).unwrap();
            } else {
                fs::write(self.path(&name), content).unwrap();
            }
        }
    }

    /// The changes that the process makes, from the state in which the files are.
    pub fn changes(&self, work: Work) -> Changes {
        let present = self.present();
        let (steps, first) = match work {
            Work::Several => {
                let first = usize::from(present == files(1));
                ([0, 1].map(|from| self.all(from)).to_vec(), first)
            }
            Work::Single => {
                let created = text("created", 1, "\n");
                let mut steps = Vec::new();
                let mut settled = Vec::new();
                for name in ["edited", "linked"] {
                    let both = [(0, 1), (1, 0)].map(|(from, to)| self.edit(name, from, to));
                    let first = usize::from(present[name] == files(1)[name]);
                    settled.push((both, first));
                }
                let both = [
                    self.creation("created", &created),
                    self.removal("created", &created),
                ];
                settled.push((both, usize::from(present.contains_key("created"))));
                for round in 0..2 {
                    for (both, first) in &settled {
                        steps.push(vec![both[(first + round) % 2].clone()]);
                    }
                }
                (steps, 0)
            }
        };
        Changes {
            disk: DiskEditor::new(self.journal()),
            runtime: tokio::runtime::Builder::new_current_thread()
                .build()
                .unwrap(),
            steps,
            next: first,
        }
    }

    /// The whole change from a state to the other one.
    fn all(&self, from: usize) -> Vec<FileEdit> {
        let to = 1 - from;
        let (here, there) = (files(from), files(to));
        let (source, target) = match from {
            0 => ("moved", "folder/moved"),
            _ => ("folder/moved", "moved"),
        };
        let (gone, new) = match from {
            0 => ("removed", "folder/deep/created"),
            _ => ("folder/deep/created", "removed"),
        };
        vec![
            self.edit("edited", from, to),
            self.creation(new, &there[new]),
            FileEdit {
                destination: Destination::Moved {
                    path: self.path(target),
                    display: target.to_owned(),
                },
                ..self.file(source, Some(&here[source]), &there[target])
            },
            self.edit("linked", from, to),
            self.removal(gone, &here[gone]),
        ]
    }

    fn edit(&self, name: &str, from: usize, to: usize) -> FileEdit {
        self.file(name, Some(&files(from)[name]), &files(to)[name])
    }

    fn creation(&self, name: &str, content: &str) -> FileEdit {
        self.file(name, None, content)
    }

    fn removal(&self, name: &str, content: &str) -> FileEdit {
        FileEdit {
            destination: Destination::Removed,
            ..self.file(name, Some(content), "")
        }
    }

    fn file(&self, name: &str, base: Option<&str>, target: &str) -> FileEdit {
        let target = Snapshot::decode(target);
        let ending = if target.text().wire().contains("\r\n") {
            "\r\n"
        } else {
            "\n"
        };
        let base_text = match base {
            Some(base) => Snapshot::decode(base),
            // An empty text with the line ending of the new one.
            None => Snapshot::new(
                Snapshot::decode(ending)
                    .text()
                    .clone()
                    .with_final_newline(false),
            ),
        };
        FileEdit {
            path: self.path(name),
            display: name.to_owned(),
            edit: whole(&base_text, &target),
            base: base_text,
            existed: base.is_some(),
            final_newline: target.text().final_newline(),
            destination: Destination::Same,
        }
    }

    /// Every file in `work/`.
    fn present(&self) -> Files {
        fn collect(folder: &Path, root: &Path, files: &mut Files) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    collect(&path, root, files);
                } else {
                    let name = path.strip_prefix(root).unwrap().to_str().unwrap();
                    let content = fs::read(&path).unwrap();
                    let content = String::from_utf8_lossy(&content).into_owned();
                    files.insert(name.to_owned(), content);
                }
            }
        }
        let root = self.folder.join("work");
        let mut files = Files::new();
        collect(&root, &root, &mut files);
        files
    }

    /// The names of what is there and is none of the files.
    pub fn temporaries(&self) -> Vec<String> {
        let names = self.present().into_keys();
        names.filter(|name| name.contains(".mewcode-")).collect()
    }

    pub fn records(&self) -> usize {
        fs::read_dir(self.folder.join("state/changes")).map_or(0, Iterator::count)
    }

    /// Each file is in one of its states; after a change of several files, all are in the same one.
    pub fn assert_whole(&self, work: Work, place: &str) {
        let present = self.present();
        let short = |files: &Files| -> Vec<String> {
            let shown = |(name, text): (&String, &String)| {
                format!("{name}: {} bytes, {:.40}…", text.len(), text)
            };
            files.iter().map(shown).collect()
        };
        match work {
            Work::Several => {
                let whole = [files(0), files(1)].contains(&present);
                assert!(whole, "{place}\n{:#?}", short(&present));
            }
            Work::Single => {
                for (name, text) in &present {
                    let known = name == "created" && *text == self::text("created", 1, "\n")
                        || [files(0), files(1)]
                            .iter()
                            .any(|files| files.get(name) == Some(text));
                    assert!(known, "{place}\n{name} in {:#?}", short(&present));
                }
                assert_eq!(present["linked"], present["other-name"], "{place}");
            }
        }
    }
}
