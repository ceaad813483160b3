//! The records of trust: one file a workspace, for its owner only, written whole, by one process at a time. Knows no
//! grant, only digests.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use mewcode_core::hash::ContentHash;
use mewcode_tools::private;
use serde::{Deserialize, Serialize};

/// What is remembered of one workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stored {
    /// The real path, for people who look into the file.
    pub root: String,
    /// Whether the user trusted the workspace, and not only single rules.
    pub trusted: bool,
    /// The digests of what is in force.
    pub grants: BTreeSet<String>,
}

/// The folder of the records.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

impl Store {
    pub fn new(folder: PathBuf) -> Store {
        Store { folder }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What is remembered of a real path; nothing, if there is no record.
    ///
    /// # Errors
    /// The record cannot be read, or somebody else may have written it: a sentence.
    pub fn read(&self, root: &Path) -> Result<Stored, String> {
        let path = self.path(root);
        let ignored = |reason: String| {
            format!(
                "{}: what was trusted does not count: {reason}. Trust the workspace again (`mewcode trust`).",
                path.display()
            )
        };
        match open(&path).and_then(|file| file.map(read_whole).transpose()) {
            Ok(None) => Ok(Stored::default()),
            Ok(Some((text, true))) => match serde_json::from_str::<Stored>(&text) {
                // A digest of the path is the file's name, so this is only a copy under another name.
                Ok(stored) if stored.root != shown(root) => {
                    Err(ignored("it is the record of another folder".to_owned()))
                }
                Ok(stored) => Ok(stored),
                Err(error) => Err(ignored(format!("the record is damaged ({error})"))),
            },
            Ok(Some((_, false))) => Err(ignored("others than you may write the record".to_owned())),
            Err(error) => Err(ignored(format!("the record cannot be read ({error})"))),
        }
    }

    /// Changes what is remembered of a real path. A record that does not count is begun anew.
    pub fn change(&self, root: &Path, change: impl FnOnce(&mut Stored)) -> io::Result<()> {
        let _lock = self.lock()?;
        let mut stored = self.read(root).unwrap_or_default();
        stored.root = shown(root);
        change(&mut stored);
        let mut text = serde_json::to_string_pretty(&stored)?;
        text.push('\n');
        let mut temporary = tempfile::NamedTempFile::new_in(&self.folder)?;
        temporary.write_all(text.as_bytes())?;
        temporary.as_file().sync_all()?;
        temporary.persist(self.path(root))?;
        Ok(())
    }

    /// Removes the record of a real path. Tells whether there was one.
    pub fn remove(&self, root: &Path) -> io::Result<bool> {
        if !self.folder.exists() {
            return Ok(false);
        }
        let _lock = self.lock()?;
        match fs::remove_file(self.path(root)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Waits until no other process changes a record. Held until it is dropped.
    pub fn lock(&self) -> io::Result<File> {
        private::make_folders(&self.folder)?;
        let file = private::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(self.folder.join("lock"))?;
        file.lock()?;
        Ok(file)
    }

    /// By a digest of the path, for a path need not be a file's name, nor even Unicode.
    fn path(&self, root: &Path) -> PathBuf {
        let digest = ContentHash::of(root.as_os_str().as_encoded_bytes());
        self.folder.join(format!("{digest}.json"))
    }
}

fn shown(root: &Path) -> String {
    root.to_string_lossy().into_owned()
}

fn open(path: &Path) -> io::Result<Option<File>> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The text, and whether nobody else can have written it.
fn read_whole(mut file: File) -> io::Result<(String, bool)> {
    let is_private = is_private(&file.metadata()?);
    let mut text = String::new();
    io::Read::read_to_string(&mut file, &mut text)?;
    Ok((text, is_private))
}

#[cfg(unix)]
fn is_private(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.mode() & 0o022 == 0
}

#[cfg(not(unix))]
fn is_private(_: &fs::Metadata) -> bool {
    true
}
