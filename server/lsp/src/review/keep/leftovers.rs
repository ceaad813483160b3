//! What nobody will ask for any more: files whose servers were killed while they wrote them, damaged ones, and hunks of
//! workspaces that nobody opens again. Bounded by age and number, so that nothing piles up.

use super::file::{self, DAMAGED, HALF_WRITTEN, Name};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Nobody writes a file for so long.
const WRITING: Duration = Duration::from_secs(60 * 60);

/// So long a user may stay away from what waits for a decision.
const FORGOTTEN: Duration = Duration::from_secs(180 * 24 * 60 * 60);

/// So many damaged files are there for whoever wants to look at them.
const MAX_DAMAGED: usize = 16;

/// Removes it. Only for whoever has the right to adopt. What cannot be removed stays for the next server.
pub(super) fn sweep(folder: &Path, own: Option<&Name>, now: SystemTime) -> io::Result<()> {
    let mut damaged: Vec<(SystemTime, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (Ok(metadata), Ok(name)) = (entry.metadata(), entry.file_name().into_string()) else {
            continue;
        };
        let Ok(written) = metadata.modified() else {
            continue;
        };
        // A clock that went back makes nothing old.
        let age = now.duration_since(written).unwrap_or_default();
        if name.starts_with(HALF_WRITTEN) {
            if age > WRITING {
                let _ = fs::remove_file(entry.path());
            }
        } else if name.ends_with(DAMAGED) {
            damaged.push((written, entry.path()));
        } else if let Some(name) = Name::before(".json", &name).filter(|_| age > FORGOTTEN)
            && own != Some(&name)
            && let Ok(Some(lock)) = file::take(folder, &name)
            && file::remove(folder, &name).is_ok()
        {
            lock.remove();
        }
    }
    damaged.sort();
    let surplus = damaged.len().saturating_sub(MAX_DAMAGED);
    for (at, (written, path)) in damaged.into_iter().enumerate() {
        let age = now.duration_since(written).unwrap_or_default();
        if at < surplus || age > FORGOTTEN {
            let _ = fs::remove_file(path);
        }
    }
    Ok(())
}
