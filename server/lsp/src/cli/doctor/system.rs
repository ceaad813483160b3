//! What `mewcode doctor` looks for outside the configuration: programs, the plugin, the state folder.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use super::{Report, nearest_existing};
use crate::config::state_folder;

/// The oldest Neovim that the plugin works with.
const NEOVIM: (u32, u32) = (0, 11);

/// Looks at all of it.
pub fn look(report: &mut Report) {
    binary(report);
    neovim(report);
    plugin(report);
    git(report);
    state(report);
}

fn binary(report: &mut Report) {
    report.well(format!("mewcode {}", env!("CARGO_PKG_VERSION")));
    match find_program("mewcode") {
        Some(path) => report.well(format!("mewcode is on the PATH: {}", path.display())),
        None => {
            let here = std::env::current_exe()
                .map(|path| path.display().to_string())
                .unwrap_or_default();
            report.notice(format!(
                "mewcode is not on the PATH; give your editor the whole path: {here}"
            ));
        }
    }
}

fn neovim(report: &mut Report) {
    let Some(output) = first_line("nvim") else {
        return report.notice("Neovim is not found; any other LSP client works too");
    };
    match version(&output) {
        Some(found) if found >= NEOVIM => report.well(output),
        Some(_) => report.notice(format!(
            "{output} is too old for the plugin, which needs {}.{}",
            NEOVIM.0, NEOVIM.1
        )),
        None => report.notice(format!("nvim answers {output:?}, which names no version")),
    }
}

fn plugin(report: &mut Report) {
    let Ok(executable) = std::env::current_exe().and_then(|path| path.canonicalize()) else {
        return;
    };
    // A build in the source tree lies below it; an installed binary may have the editors beside it.
    let folders = executable.ancestors().skip(1);
    let found = folders
        .map(|folder| folder.join("editors/nvim"))
        .find(|folder| folder.join("lsp/mewcode.lua").is_file());
    match found {
        Some(folder) => report.well(format!("the Neovim plugin: {}", folder.display())),
        None => report.notice(
            "the Neovim plugin is not near this binary; it is `editors/nvim` in the sources",
        ),
    }
}

fn git(report: &mut Report) {
    match first_line("git") {
        Some(version) => report.well(version),
        None => report.notice("git is not found; the main job does not need it"),
    }
}

fn state(report: &mut Report) {
    let Some(folder) = state_folder() else {
        return report.broken("there is no home folder, so no place for sessions and logs");
    };
    let shown = folder.display();
    match nearest_existing(&folder) {
        Some(there) if !there.is_dir() => {
            report.broken(format!("sessions: {} is not a folder", there.display()))
        }
        Some(there) if is_writable(there) => report.well(format!("sessions are kept in {shown}")),
        _ => report.broken(format!(
            "sessions cannot be kept: {shown} cannot be written"
        )),
    }
}

#[cfg(unix)]
fn is_writable(folder: &Path) -> bool {
    rustix::fs::access(
        folder,
        rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK,
    )
    .is_ok()
}

#[cfg(not(unix))]
fn is_writable(folder: &Path) -> bool {
    folder
        .metadata()
        .is_ok_and(|metadata| !metadata.permissions().readonly())
}

fn find_program(name: &str) -> Option<PathBuf> {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(&name))
        .find(|path| path.is_file())
}

/// The first line that `PROGRAM --version` prints, within a bounded time.
fn first_line(program: &str) -> Option<String> {
    let mut command = Command::new(find_program(program)?);
    command
        .arg("--version")
        // Or Neovim begins a log in the user's state folder.
        .env(
            "NVIM_LOG_FILE",
            if cfg!(windows) { "NUL" } else { "/dev/null" },
        )
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let mut stdout = child.stdout.take()?;
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = String::new();
        // A program that hangs is ended below, which ends this read.
        let _ = std::io::Read::read_to_string(&mut stdout, &mut text);
        let _ = sender.send(text);
    });
    let answer = receiver.recv_timeout(Duration::from_secs(5)).ok();
    // Without an answer it hangs; with one it has ended or is about to.
    let _ = child.kill();
    let _ = child.wait();
    let line = answer?.lines().next()?.trim().to_owned();
    (!line.is_empty()).then_some(line)
}

/// Major and minor number of "NVIM v0.11.4".
fn version(line: &str) -> Option<(u32, u32)> {
    let numbers = line
        .split_whitespace()
        .find_map(|word| word.strip_prefix('v'))?;
    let mut parts = numbers.split('.').map(|part| part.parse().ok());
    Some((parts.next()??, parts.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_of_neovim_is_read() {
        assert_eq!(version("NVIM v0.11.4"), Some((0, 11)));
        assert_eq!(version("NVIM v0.12.0-dev-1234+gabc"), Some((0, 12)));
        assert_eq!(version("something else"), None);
        assert!(version("NVIM v0.9.5") < Some(NEOVIM));
    }
}
