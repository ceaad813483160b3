//! The artifacts of a session: whole outputs that a result shows only in part, as files of their own in the state
//! folder, bounded in age and size. Knows no tool and no content.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use crate::guard::ResolvedPath;
use crate::private::claim_folder;

/// What artifacts are called by their end.
const EXTENSION: &str = "log";

/// How long and how much is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArtifactLimits {
    /// Older ones are removed.
    pub max_age: Duration,
    /// Of all sessions together, in bytes; the oldest are removed first.
    pub max_bytes: u64,
    /// Of one session, in bytes; its oldest are removed first.
    pub max_session_bytes: u64,
}

impl Default for ArtifactLimits {
    fn default() -> ArtifactLimits {
        ArtifactLimits {
            max_age: Duration::from_secs(14 * 24 * 60 * 60),
            max_bytes: 8 << 30,
            max_session_bytes: 4 << 30,
        }
    }
}

/// The artifacts of all sessions.
#[derive(Debug, Default)]
pub struct Artifacts {
    /// None: a temporary folder that goes with this value.
    folder: Option<PathBuf>,
    temporary: Mutex<Option<TempDir>>,
    limits: ArtifactLimits,
}

/// A place for a new artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, which does not exist yet; its folder does, and only its owner enters it.
    pub path: PathBuf,
    /// What was removed for the sake of the limits, a sentence each.
    pub removed: Vec<String>,
}

/// An artifact that is there.
struct Kept {
    path: PathBuf,
    bytes: u64,
    modified: SystemTime,
}

impl Artifacts {
    /// Artifacts in this folder, which is made when it is needed.
    pub fn new(folder: PathBuf, limits: ArtifactLimits) -> Artifacts {
        Artifacts {
            folder: Some(folder),
            temporary: Mutex::default(),
            limits,
        }
    }

    /// A place for the output of a call. What is too old or too much is removed first, but never of `in_use`.
    /// Blocks.
    ///
    /// # Errors
    ///
    /// The folder cannot be made or looked at.
    pub fn place(&self, session: &str, call: &str, in_use: &[PathBuf]) -> io::Result<Place> {
        let root = self.root()?;
        let folder = root.join(file_name(session));
        claim_folder(&root)?;
        claim_folder(&folder)?;
        let removed = self.clean(&root, &folder, in_use)?;
        let call = file_name(call);
        let names = std::iter::once(format!("{call}.{EXTENSION}"))
            .chain((2..).map(|number| format!("{call}-{number}.{EXTENSION}")));
        let free = |path: &PathBuf| path.symlink_metadata().is_err();
        let path = names.map(|name| folder.join(name)).find(free);
        Ok(Place {
            // The numbers do not end.
            path: path.unwrap_or_else(|| folder.join(call)),
            removed,
        })
    }

    /// The artifact at an absolute path, if it was made for this session. Nobody else's is ever given.
    pub fn handed(&self, session: &str, path: &str) -> Option<ResolvedPath> {
        let path = Path::new(path);
        let folder = self
            .existing_root()?
            .join(file_name(session))
            .canonicalize()
            .ok()?;
        let real = path.canonicalize().ok()?;
        let own = path.is_absolute() && real.parent() == Some(&folder) && real.is_file();
        own.then(|| ResolvedPath {
            display: real.display().to_string(),
            real,
        })
    }

    /// A folder beside the artifacts for what else belongs to commands. Blocks.
    ///
    /// # Errors
    ///
    /// The folder cannot be made.
    pub fn beside(&self, name: &str) -> io::Result<PathBuf> {
        // No session is called so: a point becomes a line in the name of its folder.
        let folder = self.root()?.join(format!(".{name}"));
        claim_folder(&folder)?;
        Ok(folder)
    }

    fn root(&self) -> io::Result<PathBuf> {
        if let Some(folder) = &self.folder {
            return Ok(folder.clone());
        }
        let mut temporary = self
            .temporary
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let folder = match temporary.take() {
            Some(folder) => folder,
            None => tempfile::Builder::new().prefix("mewcode-").tempdir()?,
        };
        let path = folder.path().to_owned();
        *temporary = Some(folder);
        Ok(path)
    }

    fn existing_root(&self) -> Option<PathBuf> {
        if let Some(folder) = &self.folder {
            return Some(folder.clone());
        }
        let temporary = self
            .temporary
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        temporary.as_ref().map(|folder| folder.path().to_owned())
    }

    /// Removes what the limits do not allow, oldest first.
    fn clean(&self, root: &Path, own: &Path, in_use: &[PathBuf]) -> io::Result<Vec<String>> {
        let mut kept = Vec::new();
        for session in fs::read_dir(root)? {
            let session = session?.path();
            let hidden = session
                .file_name()
                .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
            if session.is_dir() && !hidden {
                kept.extend(artifacts_in(&session)?);
            }
        }
        kept.sort_by_key(|artifact| artifact.modified);
        let oldest = SystemTime::now().checked_sub(self.limits.max_age);
        let is_own = |artifact: &Kept| artifact.path.starts_with(own);
        let mut all: u64 = kept.iter().map(|artifact| artifact.bytes).sum();
        let own_bytes = |artifact: &Kept| if is_own(artifact) { artifact.bytes } else { 0 };
        let mut ours: u64 = kept.iter().map(own_bytes).sum();
        let mut removed = Vec::new();
        for artifact in &kept {
            let too_old = oldest.is_some_and(|oldest| artifact.modified < oldest);
            let too_much = all > self.limits.max_bytes
                || is_own(artifact) && ours > self.limits.max_session_bytes;
            if !too_old && !too_much || in_use.contains(&artifact.path) {
                continue;
            }
            match fs::remove_file(&artifact.path) {
                Ok(()) => {}
                // Another server was first.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
            all -= artifact.bytes;
            ours -= own_bytes(artifact);
            // Of another session, and of an age at which nobody reads it, nobody need be told.
            if is_own(artifact) {
                let why = if too_old { "old" } else { "much" };
                let path = artifact.path.display();
                removed.push(format!(
                    "The output in {path} was removed: it was too {why} to be kept."
                ));
            }
            if let Some(folder) = artifact.path.parent()
                && folder != own
            {
                // Only when it is empty.
                let _ = fs::remove_dir(folder);
            }
        }
        Ok(removed)
    }
}

fn artifacts_in(folder: &Path) -> io::Result<Vec<Kept>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut kept = Vec::new();
    for entry in entries {
        let entry = entry?;
        let Ok(metadata) = entry.metadata() else {
            continue;
        };
        if metadata.is_file() {
            kept.push(Kept {
                path: entry.path(),
                bytes: metadata.len(),
                modified: metadata.modified()?,
            });
        }
    }
    Ok(kept)
}

/// An id as a file name, whatever is in it.
fn file_name(id: &str) -> String {
    let plain = |character: char| {
        if character.is_ascii_alphanumeric() || matches!(character, '-' | '_') {
            character
        } else {
            '_'
        }
    };
    let name: String = id.chars().map(plain).take(100).collect();
    if name.is_empty() {
        "_".to_owned()
    } else {
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Scene {
        folder: TempDir,
        limits: ArtifactLimits,
    }

    impl Scene {
        fn new() -> Scene {
            Scene {
                folder: tempfile::tempdir().unwrap(),
                limits: ArtifactLimits::default(),
            }
        }

        fn artifacts(&self) -> Artifacts {
            Artifacts::new(self.folder.path().join("state/artifacts"), self.limits)
        }

        /// An artifact of so many bytes, so many days old.
        fn make(&self, session: &str, call: &str, bytes: usize, days: u64) -> PathBuf {
            let path = self.artifacts().place(session, call, &[]).unwrap().path;
            fs::write(&path, "x".repeat(bytes)).unwrap();
            let age = Duration::from_secs(days * 24 * 60 * 60);
            let file = fs::File::options().write(true).open(&path).unwrap();
            file.set_modified(SystemTime::now() - age).unwrap();
            path
        }
    }

    #[test]
    fn an_artifact_is_private_and_named_by_session_and_call() {
        use std::os::unix::fs::PermissionsExt;
        let scene = Scene::new();
        let path = scene.make("session", "call_1", 1, 0);
        assert!(path.ends_with("state/artifacts/session/call_1.log"));
        let mode = fs::metadata(path.parent().unwrap())
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o700);
        let again = scene.artifacts().place("session", "call_1", &[]).unwrap();
        assert!(again.path.ends_with("session/call_1-2.log"));
        let odd = scene.artifacts().place("../..", "a/b", &[]).unwrap();
        assert!(odd.path.ends_with("artifacts/_____/a_b.log"));
    }

    #[test]
    fn only_its_own_session_gets_an_artifact() {
        let scene = Scene::new();
        let path = scene.make("mine", "1", 1, 0);
        let artifacts = scene.artifacts();
        let name = path.to_str().unwrap();
        assert_eq!(
            artifacts.handed("mine", name).unwrap().real,
            path.canonicalize().unwrap()
        );
        assert_eq!(artifacts.handed("other", name), None);
        let around = format!("{}/../mine/1.log", path.parent().unwrap().display());
        assert!(artifacts.handed("mine", &around).is_some());
        let folder = path.parent().unwrap();
        fs::write(scene.folder.path().join("secret"), "").unwrap();
        std::os::unix::fs::symlink(scene.folder.path().join("secret"), folder.join("link"))
            .unwrap();
        for path in ["link", ".", "none.log", "../../../secret"] {
            let path = folder.join(path);
            assert_eq!(
                artifacts.handed("mine", path.to_str().unwrap()),
                None,
                "{path:?}"
            );
        }
        assert_eq!(artifacts.handed("mine", "1.log"), None);
        assert_eq!(Artifacts::default().handed("mine", name), None);
    }

    #[test]
    fn what_is_old_goes_first_and_is_named() {
        let mut scene = Scene::new();
        let old = scene.make("mine", "1", 10, 20);
        let foreign = scene.make("other", "1", 10, 20);
        // Made before the limits were looked at again.
        let old = if old.exists() {
            old
        } else {
            scene.make("mine", "1", 10, 20)
        };
        let place = scene.artifacts().place("mine", "2", &[]).unwrap();
        assert!(!old.exists() && !foreign.exists() && !foreign.parent().unwrap().exists());
        assert_eq!(place.removed.len(), 1, "{:?}", place.removed);
        assert!(place.removed[0].ends_with("1.log was removed: it was too old to be kept."));

        scene.limits.max_session_bytes = 25;
        let first = scene.make("mine", "3", 10, 3);
        let second = scene.make("mine", "4", 10, 2);
        let third = scene.make("mine", "5", 10, 1);
        let others = scene.make("other", "6", 10, 4);
        let place = scene.artifacts().place("mine", "7", &[]).unwrap();
        assert!(!first.exists() && second.exists() && third.exists() && others.exists());
        assert_eq!(place.removed.len(), 1);

        scene.limits.max_bytes = 15;
        let in_use = [second.clone()];
        scene.artifacts().place("mine", "8", &in_use).unwrap();
        assert!(second.exists() && !third.exists() && !others.exists());
    }

    #[test]
    fn without_a_folder_it_is_a_temporary_one() {
        let artifacts = Artifacts::default();
        let place = artifacts.place("s", "1", &[]).unwrap();
        fs::write(&place.path, "x").unwrap();
        assert!(
            artifacts
                .handed("s", place.path.to_str().unwrap())
                .is_some()
        );
        drop(artifacts);
        assert!(!place.path.exists());
    }
}
