//! `mewcode demo`: the main job on a sample workspace, over the real protocol, with nothing of the user's touched.
//!
//! Makes a temporary folder with the sample, starts this very binary as the server with that folder as its home, and
//! lets `story` play. Status 0 only if every check of the story held.

mod buffer;
mod client;
mod evidence;
mod narrator;
mod story;

use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context as _;

use super::terminal::Terminal;
use super::{FAILED, Misuse};
use narrator::Narrator;

/// A machine under heavy load is slow; a demo that takes longer than this hangs.
const AT_MOST: Duration = Duration::from_secs(60);

/// The file that the user has open and the agent changes.
const SAMPLE: (&str, &str) = ("cat.py", include_str!("demo/sample/cat.py"));
/// What the model does.
const SCRIPT: (&str, &str) = ("turns.yaml", include_str!("demo/sample/turns.yaml"));

/// Plays the demo.
pub fn run() -> Result<ExitCode, Misuse> {
    let started = Instant::now();
    let mut narrator = Narrator::new(Terminal::stdout());
    narrator.title(
        "MewCode: a model's edit becomes a reviewed, hash-checked change of the live buffer",
        "A sample workspace, a scripted model and the real language server. No key, no network.",
    );
    if let Err(error) = play(&mut narrator) {
        narrator.check(false, &format!("{error:#}"));
    }
    let well = narrator.end(started.elapsed().as_secs_f64());
    Ok(if well {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FAILED)
    })
}

fn play(narrator: &mut Narrator) -> anyhow::Result<()> {
    let folder = tempfile::Builder::new().prefix("mewcode-demo-").tempdir()?;
    let stage = Stage::set(folder.path())?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let played = runtime.block_on(async {
        let playing = tokio::time::timeout(AT_MOST, story::play(narrator, &stage));
        playing
            .await
            .unwrap_or_else(|_| Err(anyhow::anyhow!("the demo took longer than {AT_MOST:?}")))
    });
    let complaint = std::fs::read_to_string(&stage.complaints).unwrap_or_default();
    match complaint.trim() {
        "" => played,
        words => played.with_context(|| format!("the server wrote on stderr: {words}")),
    }
}

/// The folders and files of one demo.
struct Stage {
    /// Home of the server, and of its state.
    home: PathBuf,
    /// The workspace.
    root: PathBuf,
    /// The script of the model.
    script: PathBuf,
    /// What the server writes on stderr.
    complaints: PathBuf,
}

impl Stage {
    fn set(folder: &Path) -> anyhow::Result<Stage> {
        // Real, as the server will see it: a temporary folder may be a link.
        let folder = folder.canonicalize()?;
        let (home, root) = (folder.join("home"), folder.join("workspace"));
        std::fs::create_dir(&home)?;
        std::fs::create_dir(&root)?;
        std::fs::write(root.join(SAMPLE.0), SAMPLE.1)?;
        let script = home.join(SCRIPT.0);
        std::fs::write(&script, SCRIPT.1)?;
        Ok(Stage {
            complaints: home.join("stderr"),
            home,
            root,
            script,
        })
    }

    /// This binary as a server whose home and state are on the stage, so that neither a configuration of the user's
    /// decides what is shown, nor is anything left behind.
    fn server(&self) -> anyhow::Result<tokio::process::Command> {
        let mut command = tokio::process::Command::new(std::env::current_exe()?);
        command
            .arg("lsp")
            .env("HOME", &self.home)
            .stderr(Stdio::from(std::fs::File::create(&self.complaints)?));
        for variable in [
            "XDG_STATE_HOME",
            "XDG_DATA_HOME",
            "XDG_CONFIG_HOME",
            "XDG_CACHE_HOME",
        ] {
            command.env(variable, self.home.join(variable.to_lowercase()));
        }
        Ok(command)
    }
}
