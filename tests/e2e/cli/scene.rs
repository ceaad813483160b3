//! A home and a workspace of their own for the command line, and what a command ended with.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// A home and a workspace of their own.
pub struct Scene {
    pub folder: tempfile::TempDir,
}

/// What a command ended with.
pub struct Ended {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Scene {
    pub fn new() -> Scene {
        let scene = Scene {
            folder: tempfile::tempdir().unwrap(),
        };
        for folder in [scene.home(), scene.work()] {
            fs::create_dir(folder).unwrap();
        }
        scene
    }

    pub fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// Writes a file; the path starts with `home/` or `work/`.
    pub fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.folder.path().join(path)).unwrap()
    }

    /// Every path below both folders, to show that nothing came.
    pub fn paths(&self) -> Vec<PathBuf> {
        fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    collect(&path, paths);
                }
                paths.push(path);
            }
        }
        let mut paths = Vec::new();
        collect(self.folder.path(), &mut paths);
        paths.sort();
        paths
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mewcode"));
        command
            .args(arguments)
            .current_dir(self.work())
            .env("HOME", self.home());
        for variable in [
            "ANTHROPIC_API_KEY",
            "XDG_STATE_HOME",
            "XDG_DATA_HOME",
            "XDG_CONFIG_HOME",
        ] {
            command.env_remove(variable);
        }
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ended {
        self.run_with(arguments, "")
    }

    pub fn run_with(&self, arguments: &[&str], stdin: &str) -> Ended {
        self.end(self.command(arguments), stdin)
    }

    pub fn end(&self, mut command: Command, stdin: &str) -> Ended {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A command that does not read its stdin may have ended already.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
        let output = child.wait_with_output().unwrap();
        let place = format!("{}/", self.folder.path().display());
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(&place, "");
        let status = output.status.code().expect("no command ends by a signal");
        Ended {
            status,
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// A misuse: status 2, nothing on stdout, one line on stderr, nothing written. Returns the line.
    pub fn misuse(&self, arguments: &[&str], stdin: &str) -> String {
        let before = self.paths();
        let ended = self.run_with(arguments, stdin);
        assert_eq!(
            (ended.status, ended.stdout.as_str()),
            (2, ""),
            "{}",
            ended.stderr
        );
        assert_eq!(self.paths(), before, "something was written");
        let line = ended.stderr.strip_suffix('\n').unwrap();
        assert!(!line.contains('\n'), "more than one line: {line}");
        line.to_owned()
    }
}

impl Ended {
    /// The one JSON value on stdout.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {:?}", self.stdout))
    }
}
