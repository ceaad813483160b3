//! The folders of MewCode's own on this machine, and what they mean for the boundary of a workspace.

use std::path::{Path, PathBuf};

use mewcode_tools::disk::Journal;
use mewcode_tools::guard::Places;
use mewcode_tools::sandbox;

/// The configuration file of the user.
pub fn user_file(home: &Path) -> PathBuf {
    home.join(".mewcode").join("config.yaml")
}

/// The configuration file of a workspace.
pub fn project_file(root: &Path) -> PathBuf {
    root.join(".mewcode.yaml")
}

/// The user's own configuration file for a workspace, which is not committed.
pub fn local_file(root: &Path) -> PathBuf {
    root.join(".mewcode").join("settings.local.yaml")
}

/// The files of a workspace in which Claude Code keeps its settings.
pub fn claude_files(root: &Path) -> [PathBuf; 2] {
    ["settings.json", "settings.local.json"].map(|name| root.join(".claude").join(name))
}

/// The folder that holds sessions and logs. `None`: the user has no home.
pub fn state_folder() -> Option<PathBuf> {
    let folders = directories::ProjectDirs::from("", "", "mewcode")?;
    // Only Linux has a place for state that is not data.
    Some(
        folders
            .state_dir()
            .unwrap_or_else(|| folders.data_local_dir())
            .to_owned(),
    )
}

/// Where changes of files are recorded while they are under way.
pub fn journal() -> Journal {
    state_folder().map_or_else(Journal::default, |state| {
        Journal::new(state.join("changes"))
    })
}

/// Where hunks are kept that the user has not decided about.
pub fn hunks() -> Option<PathBuf> {
    state_folder().map(|state| state.join("review"))
}

/// Where it is noted what is made for the sandboxes of commands.
pub fn sandbox_notes() -> Option<PathBuf> {
    state_folder().map(|state| state.join("sandbox"))
}

/// Puts in order what a process that is no more left: changes of files half done, and what was made for sandboxes. Gives
/// what there is to say of it, a sentence each.
pub fn recover() -> Vec<String> {
    let mut told = journal().recover();
    told.extend(
        sandbox_notes()
            .iter()
            .flat_map(|notes| sandbox::sweep(notes)),
    );
    told
}

/// What the boundary of a workspace depends on: MewCode's own state and configuration are closed to every tool.
pub fn places() -> Places {
    let home = std::env::home_dir();
    let state = state_folder();
    let own = home.as_ref().map(|home| home.join(".mewcode"));
    Places {
        scratch: state.as_ref().map(|state| state.join("scratch")),
        closed: own.into_iter().chain(state).collect(),
        home,
    }
}
