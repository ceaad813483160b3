//! A workspace, places outside of it, and the ways in which a command is confined.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use mewcode_tools::sandbox::{Mechanism, Policy, Profile, refusal};
use tempfile::TempDir;

/// Who takes root's place where another user is needed.
pub const NOBODY: u32 = 65534;

/// By what means a command is confined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// As the user who runs the tests.
    Own,
    /// As another user than root.
    User,
    /// Without the right to any namespace.
    Landlock,
}

impl Way {
    pub const WITH_NAMESPACES: [Way; 2] = [Way::Own, Way::User];
    pub const ALL: [Way; 3] = [Way::Own, Way::User, Way::Landlock];

    /// Those of the ways that this system has.
    pub fn tried(ways: &[Way]) -> Vec<Way> {
        let (tried, not): (Vec<Way>, Vec<Way>) = ways.iter().partition(|way| way.is_here());
        if !not.is_empty() {
            eprintln!("this system has no way to try {not:?}");
        }
        assert!(!tried.is_empty() || mewcode_tools::sandbox::available().is_err());
        tried
    }

    fn is_here(self) -> bool {
        let support = mewcode_tools::sandbox::available();
        match self {
            Way::Own => support.is_ok_and(|support| support.mechanism == Mechanism::Namespaces),
            Way::User | Way::Landlock => {
                let mut command = as_user(self, "unshare");
                let output = command.args(["--user", "--map-root-user", "true"]).output();
                support.is_ok() && output.is_ok_and(|output| output.status.success())
            }
        }
    }

    fn is_nobody(self) -> bool {
        self != Way::Own && rustix::process::geteuid().is_root()
    }
}

/// `outside/file`, `state/key`, `home/.ssh/id_ed25519`, and the workspace in `place/workspace`: outside of all temporary
/// folders, which are written.
pub struct Scene {
    pub way: Way,
    pub policy: Policy,
    /// What root mounts before a command, for it and its supervisor alone.
    pub mounts: Option<String>,
    folder: TempDir,
}

/// What came of a command.
#[derive(Debug)]
pub struct Outcome {
    pub output: String,
    pub code: i32,
    /// What `finish` said.
    pub finished: serde_json::Value,
}

impl Scene {
    pub fn new(way: Way) -> Scene {
        let base = if rustix::process::geteuid().is_root() {
            PathBuf::from("/var/cache")
        } else {
            std::env::home_dir().unwrap()
        };
        let folder = tempfile::Builder::new()
            .prefix("mewcode-sandbox-")
            .tempdir_in(base.canonicalize().unwrap())
            .unwrap();
        let scene = Scene {
            way,
            mounts: None,
            policy: Policy {
                profile: Profile::WorkspaceWrite,
                roots: vec![folder.path().join("place/workspace")],
                closed: vec![folder.path().join("state")],
                home: Some(folder.path().join("home")),
                notes: folder.path().join("state/notes"),
                ..Policy::default()
            },
            folder,
        };
        for (path, text) in [
            ("outside/file", "outside"),
            ("outside/folder/file", "outside"),
            ("state/key", "a key of MewCode"),
            ("home/.ssh/id_ed25519", "a key of the user"),
            ("home/.netrc", "a password"),
            (
                "home/.gitconfig",
                "[user]\nname = A\nemail = a@b\n[init]\ndefaultBranch = main\n",
            ),
            ("place/workspace/src/a", "a\n"),
        ] {
            scene.write(path, text);
        }
        scene.hand_over();
        scene
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// A path in the workspace.
    pub fn inside(&self, path: &str) -> PathBuf {
        self.policy.roots[0].join(path)
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Gives everything to the user who the commands run as.
    pub fn hand_over(&self) {
        if self.way.is_nobody() {
            let owner = format!("{NOBODY}:{NOBODY}");
            let status = Command::new("chown")
                .args(["-hR", &owner])
                .arg(self.folder.path())
                .status();
            assert!(status.unwrap().success());
        }
    }

    /// Runs a command unconfined, as the same user.
    pub fn freely(&self, line: &str) -> String {
        let mut command = self.user("bash");
        let output = command.args(["-c", line]).output().unwrap();
        let shown = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}: {shown}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// A program that runs as the user, in the workspace.
    fn user(&self, program: &str) -> Command {
        let mut command = as_user(self.way, program);
        let others = std::env::var("PATH").unwrap_or_default();
        command
            .current_dir(&self.policy.roots[0])
            .env_clear()
            .env(
                "PATH",
                format!("/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:{others}"),
            )
            .env("HOME", self.path("home"))
            .env("LC_ALL", "C")
            .stdin(Stdio::null());
        command
    }

    /// The program that confines a command: a copy of it where its own place is closed to the user.
    fn program(&self) -> PathBuf {
        let program = PathBuf::from(env!("CARGO_BIN_EXE_mewcode-confined"));
        let copy = self.path("mewcode-confined");
        if copy.exists() {
            return copy;
        }
        let mut test = as_user(self.way, "test");
        if test.arg("-x").arg(&program).status().unwrap().success() {
            return program;
        }
        std::fs::copy(&program, &copy).unwrap();
        copy
    }

    fn confined(&self, line: &str) -> Command {
        let policy = serde_json::to_string(&self.policy).unwrap();
        let mut command = if self.way == Way::Landlock {
            // In a namespace of users whose root may make no more of them, and has given up the rest of its rights.
            const WITHOUT: &str = "echo 0 > /proc/sys/user/max_user_namespaces && \
                exec setpriv --bounding-set=-all --inh-caps=-all \"$@\"";
            let mut command = self.user("unshare");
            command.args(["--user", "--map-root-user", "sh", "-c", WITHOUT, "-"]);
            command.arg(self.program());
            command
        } else if let Some(mounts) = &self.mounts {
            let mut command = self.user("unshare");
            let line = format!("{mounts} && exec \"$@\"");
            command.args(["--mount", "sh", "-c", &line, "-"]);
            command.arg(self.program());
            command
        } else {
            self.user(self.program().to_str().unwrap())
        };
        command.arg(policy).arg(&self.policy.roots[0]).arg(line);
        command
    }

    /// Runs a command as confined as the policy says.
    pub fn run(&self, line: &str) -> Outcome {
        let output = self
            .confined(line)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        let (before, last) = errors
            .trim_end()
            .rsplit_once('\n')
            .unwrap_or(("", errors.trim_end()));
        let finished = serde_json::from_str(last);
        let shown = if finished.is_ok() { before } else { &errors };
        Outcome {
            output: format!("{}{shown}", String::from_utf8_lossy(&output.stdout)),
            code: output.status.code().unwrap(),
            finished: finished.unwrap_or_default(),
        }
    }

    /// The command does what it is to do.
    #[track_caller]
    pub fn works(&self, line: &str) -> String {
        let outcome = self.run(line);
        assert_eq!(outcome.code, 0, "{:?}: {line}: {outcome:?}", self.way);
        outcome.output
    }

    /// The system refuses it with one of these words, and that it was for the sandbox's sake is recognised.
    #[track_caller]
    pub fn is_refused(&self, line: &str, words: &[&str]) {
        let outcome = self.run(line);
        let context = format!("{:?}: {line}: {outcome:?}", self.way);
        assert_ne!(outcome.code, 0, "{context}");
        assert!(
            words.iter().any(|words| outcome.output.contains(words)),
            "{context}"
        );
        // What is recognised depends on the system's own mechanism, which is not this one there.
        let recognised = refusal(&outcome.output, Some(outcome.code), &self.policy).is_some();
        assert!(recognised || self.way == Way::Landlock, "{context}");
    }

    /// The system refuses it, in whatever words.
    #[track_caller]
    pub fn is_refused_by_the_system(&self, line: &str) {
        const WORDS: &[&str] = &[
            "Read-only file system",
            "Permission denied",
            "busy",
            "File exists",
            "Is a directory",
        ];
        let outcome = self.run(line);
        let context = format!("{:?}: {line}: {outcome:?}", self.way);
        assert_ne!(outcome.code, 0, "{context}");
        assert!(
            WORDS.iter().any(|words| outcome.output.contains(words)),
            "{context}"
        );
    }

    /// Starts a command that prints `ready` when it is as far as it is to be watched.
    pub fn start(&self, line: &str) -> Started {
        let mut command = self.confined(line);
        let mut child = command
            .process_group(0)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut text = String::new();
        while !text.ends_with("ready\n") {
            assert_ne!(output.read_line(&mut text).unwrap(), 0, "{line}: {text}");
        }
        Started { child, output }
    }
}

/// A command that runs; with the test it is killed, with all that it started.
pub struct Started {
    child: Child,
    output: BufReader<std::process::ChildStdout>,
}

impl Started {
    /// Kills the command and who supervises it, without a chance to put anything in order.
    pub fn kill(mut self) {
        self.kill_all();
        // All of them are gone when nobody holds the pipe any more.
        self.output.read_to_string(&mut String::new()).unwrap();
    }

    pub fn wait(mut self) {
        self.output.read_to_string(&mut String::new()).unwrap();
        assert!(self.child.wait().unwrap().success());
    }

    fn kill_all(&mut self) {
        let group = rustix::process::Pid::from_child(&self.child);
        // It may have ended.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        self.child.wait().unwrap();
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        self.kill_all();
    }
}

/// A program that runs as the user of a way.
fn as_user(way: Way, program: &str) -> Command {
    if !way.is_nobody() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command
        .arg(format!("--reuid={NOBODY}"))
        .arg(format!("--regid={NOBODY}"));
    command.args(["--clear-groups", program]);
    command
}

/// Does something once for each way.
pub fn each(ways: &[Way], attempt: impl Fn(Scene)) {
    for way in Way::tried(ways) {
        attempt(Scene::new(way));
    }
}
