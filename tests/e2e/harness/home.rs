//! Folders of a test's own: a workspace with files, and a home beside it, so that neither the person's configuration is read nor
//! anything of theirs written.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use tempfile::TempDir;

/// A temporary folder with `work/` (the workspace) and `home/` (everything that the server may keep). A clone is the same one,
/// for a second editor.
#[derive(Clone)]
pub struct Workspace {
    folder: Arc<TempDir>,
    root: PathBuf,
    home: PathBuf,
}

impl Workspace {
    /// An empty workspace.
    pub fn new() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("mewcode-e2e-")
            .tempdir()
            .expect("a temporary folder");
        // Made real, for the server names real paths and the folder may lie behind a link.
        let real = folder.path().canonicalize().expect("the folder exists");
        let (root, home) = (real.join("work"), real.join("home"));
        for folder in [&root, &home, &real.join("tmp"), &real.join("run")] {
            fs::create_dir(folder).expect("a fresh folder");
        }
        Self {
            folder: Arc::new(folder),
            root,
            home,
        }
    }

    /// A workspace with these files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let workspace = Self::new();
        for (path, text) in files {
            workspace.write(path, text);
        }
        workspace
    }

    /// The root, a real path.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where the server keeps its own things.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The real path of a file of the workspace.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// Writes a file behind everybody's back.
    pub fn write(&self, relative: &str, text: impl AsRef<[u8]>) {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().expect("a file has a folder"))
            .expect("folders can be made");
        fs::write(path, text).expect("the file can be written");
    }

    /// What the disk holds.
    pub fn disk(&self, relative: &str) -> String {
        String::from_utf8(
            fs::read(self.path(relative))
                .unwrap_or_else(|error| panic!("reading {relative}: {error}")),
        )
        .expect("test files are UTF-8")
    }

    /// Is there such a file?
    pub fn exists(&self, relative: &str) -> bool {
        self.path(relative).exists()
    }

    /// All files below the root, relative, sorted.
    pub fn files(&self) -> Vec<String> {
        fn walk(folder: &Path, root: &Path, found: &mut Vec<String>) {
            for entry in fs::read_dir(folder).expect("a folder can be read") {
                let path = entry.expect("an entry can be read").path();
                if path.is_dir() {
                    walk(&path, root, found);
                } else {
                    found.push(
                        path.strip_prefix(root)
                            .expect("below the root")
                            .to_string_lossy()
                            .into_owned(),
                    );
                }
            }
        }
        let mut found = Vec::new();
        walk(&self.root, &self.root, &mut found);
        found.sort();
        found
    }

    /// The files in which servers keep undecided hunks, by their names.
    pub fn kept(&self) -> Vec<String> {
        let Ok(folder) = fs::read_dir(self.review()) else {
            return Vec::new();
        };
        let names = folder.map(|entry| entry.expect("an entry can be read").file_name());
        let mut names: Vec<_> = names
            .map(|name| name.to_string_lossy().into_owned())
            .filter(|name| name != "lock")
            .collect();
        names.sort();
        names
    }

    /// The folder of these files.
    pub fn review(&self) -> PathBuf {
        self.home.join(".local/state/mewcode/review")
    }

    /// Everything that the server wrote to event logs (`*.jsonl` anywhere in the home), for tests that judge what was recorded.
    pub fn logs(&self) -> String {
        fn walk(folder: &Path, found: &mut String) {
            let Ok(entries) = fs::read_dir(folder) else {
                return;
            };
            for path in entries.flatten().map(|entry| entry.path()) {
                if path.is_dir() {
                    walk(&path, found);
                } else if path
                    .extension()
                    .is_some_and(|extension| extension == "jsonl")
                {
                    found.push_str(&fs::read_to_string(&path).unwrap_or_default());
                }
            }
        }
        let mut found = String::new();
        walk(&self.home, &mut found);
        found
    }

    /// The built binary with an environment in which every known place for configuration, state and temporary files is ours.
    pub fn command(&self) -> Command {
        self.seal(Command::new(env!("CARGO_BIN_EXE_mewcode")))
    }

    /// Gives any command that environment.
    pub fn seal(&self, mut command: Command) -> Command {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let beside = self
            .folder
            .path()
            .canonicalize()
            .expect("the folder exists");
        command
            .env_clear()
            .env("PATH", path)
            .env("LANG", "C.UTF-8")
            .env("HOME", &self.home)
            .env("XDG_CONFIG_HOME", self.home.join(".config"))
            .env("XDG_STATE_HOME", self.home.join(".local/state"))
            .env("XDG_DATA_HOME", self.home.join(".local/share"))
            .env("XDG_CACHE_HOME", self.home.join(".cache"))
            .env("XDG_RUNTIME_DIR", beside.join("run"))
            .env("TMPDIR", beside.join("tmp"))
            .env("RUST_BACKTRACE", "1")
            .current_dir(&self.root);
        command
    }
}
