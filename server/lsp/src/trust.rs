//! Which workspaces the user trusts, and with what: remembered in the state folder, by real path.
//!
//! Trust is not in a folder but in what its files grant at that moment: what they grant later has to be shown and
//! trusted again. Knows no setting: a [`Grant`] says in words what it is, and in a digest that it is the same as before.

mod record;

#[cfg(test)]
mod tests;

use std::fmt;
use std::path::{Path, PathBuf};

use mewcode_core::hash::ContentHash;

use record::{Store, Stored};

/// Something that a file of the workspace would grant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// Where it is written: "FILE:LINE".
    pub place: String,
    /// What it does then, to follow "it would": "allow `bash(cargo test:*)` without a question".
    pub words: String,
    /// Whether it does.
    pub in_force: bool,
    digest: Digest,
}

/// What tells a grant from every other one of a workspace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Digest(String);

impl Digest {
    /// Of the value that a file (by its name in the workspace) gives a key.
    pub fn of(file: &str, key: &str, value: &str) -> Digest {
        // As JSON, so that no part can run into the next one.
        let text = serde_json::json!([file, key, value]).to_string();
        Digest(ContentHash::of(text.as_bytes()).to_string())
    }
}

/// How a workspace stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrustState {
    /// Its files grant nothing that is not in force, and it was never trusted: there is nothing to ask.
    Nothing,
    /// Its files would grant something, and nobody trusted it.
    Untrusted,
    /// It is trusted, and what its files grant is in force.
    Trusted,
    /// It is trusted, but its files would grant more now. What is new is not in force.
    Changed,
    /// Its files would grant something, and it cannot be trusted, for this reason.
    Impossible(String),
}

impl TrustState {
    /// The name as it stands in JSON.
    pub fn as_str(&self) -> &'static str {
        match self {
            TrustState::Nothing => "nothing",
            TrustState::Untrusted => "untrusted",
            TrustState::Trusted => "trusted",
            TrustState::Changed => "changed",
            TrustState::Impossible(_) => "impossible",
        }
    }

    /// Whether the user trusts the workspace, be it not with all that it would grant now.
    pub fn is_trusted(&self) -> bool {
        matches!(self, TrustState::Trusted | TrustState::Changed)
    }
}

impl fmt::Display for TrustState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TrustState::Nothing => formatter.write_str("nothing to trust"),
            TrustState::Untrusted => formatter.write_str("not trusted"),
            TrustState::Trusted => formatter.write_str("trusted"),
            TrustState::Changed => {
                formatter.write_str("trusted, but its files would grant more by now")
            }
            TrustState::Impossible(reason) => write!(formatter, "cannot be trusted: {reason}"),
        }
    }
}

/// Why a workspace was not trusted, or its trust not taken back.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// It is not a folder that can be trusted.
    #[error("{root} cannot be trusted: {reason}")]
    Impossible {
        /// The folder.
        root: PathBuf,
        /// Why.
        reason: String,
    },
    /// It cannot be remembered.
    #[error("the trust in {root} cannot be written to {folder}: {error}")]
    Store {
        /// The workspace.
        root: PathBuf,
        /// Where it is remembered.
        folder: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
}

/// Where trust is remembered. Without a place for it (the default) nothing is trusted.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    folder: Option<PathBuf>,
    home: Option<PathBuf>,
}

impl Trust {
    /// Of the user who runs the process.
    pub fn of_user() -> Trust {
        Trust {
            folder: crate::config::state_folder().map(|state| state.join("trust")),
            home: std::env::home_dir(),
        }
    }

    /// Remembered in a folder, which is made when it is needed.
    #[cfg(test)]
    pub fn new(folder: PathBuf, home: PathBuf) -> Trust {
        Trust {
            folder: Some(folder),
            home: Some(home),
        }
    }

    /// What is remembered of a workspace.
    pub fn standing(&self, root: &Path) -> Standing {
        let checked = real(root).and_then(|root| self.check(&root).map(|store| (root, store)));
        let (stored, fault, impossible) = match checked {
            Err(reason) => (Stored::default(), None, Some(reason)),
            Ok((root, store)) => match store.read(&root) {
                Ok(stored) => (stored, None, None),
                // What cannot be read does not count.
                Err(fault) => (Stored::default(), Some(fault), None),
            },
        };
        Standing {
            stored,
            fault,
            impossible,
        }
    }

    /// Trusts a workspace with these grants, which the user has seen, and with those of before.
    ///
    /// # Errors
    /// See [`TrustError`].
    pub fn trust(&self, root: &Path, grants: &[Grant]) -> Result<(), TrustError> {
        self.change(root, |stored| {
            stored.trusted = true;
            stored
                .grants
                .extend(grants.iter().map(|grant| grant.digest.0.clone()));
        })
    }

    /// Puts grants into force that the user gave by an answer, which says nothing about the rest of the workspace.
    ///
    /// # Errors
    /// See [`TrustError`].
    pub fn keep(&self, root: &Path, grants: &[Digest]) -> Result<(), TrustError> {
        self.change(root, |stored| {
            stored
                .grants
                .extend(grants.iter().map(|digest| digest.0.clone()));
        })
    }

    /// Forgets all that was trusted in a workspace. Tells whether there was anything.
    ///
    /// # Errors
    /// See [`TrustError`].
    pub fn revoke(&self, root: &Path) -> Result<bool, TrustError> {
        let impossible = |reason| TrustError::Impossible {
            root: root.to_owned(),
            reason,
        };
        let real = real(root).map_err(impossible)?;
        let Some(folder) = &self.folder else {
            return Ok(false);
        };
        // Also of a folder that could not be trusted today.
        let store = Store::new(folder.clone());
        store.remove(&real).map_err(|error| TrustError::Store {
            root: real.clone(),
            folder: folder.clone(),
            error,
        })
    }

    fn change(&self, root: &Path, change: impl FnOnce(&mut Stored)) -> Result<(), TrustError> {
        let impossible = |reason| TrustError::Impossible {
            root: root.to_owned(),
            reason,
        };
        let real = real(root).map_err(impossible)?;
        let store = self.check(&real).map_err(impossible)?;
        store
            .change(&real, change)
            .map_err(|error| TrustError::Store {
                root: real.clone(),
                folder: store.folder().to_owned(),
                error,
            })
    }

    /// Where trust in the folder is remembered, if it can be trusted at all.
    fn check(&self, real_root: &Path) -> Result<Store, String> {
        let Some(folder) = &self.folder else {
            return Err("there is no home folder, so no place to remember it".to_owned());
        };
        if real_root.parent().is_none() {
            return Err("it is the root of the file system".to_owned());
        }
        let holds = |path: &Path| nearest_real(path).starts_with(real_root);
        if self.home.as_deref().is_some_and(holds) {
            return Err("it is your home folder, or holds it".to_owned());
        }
        // Else it could bring its own trust along.
        if holds(folder) {
            return Err(format!(
                "it holds {}, where trust is remembered",
                folder.display()
            ));
        }
        Ok(Store::new(folder.clone()))
    }
}

/// What is remembered of a workspace.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    stored: Stored,
    /// Why what is remembered does not count: a sentence.
    pub fault: Option<String>,
    /// Why the workspace cannot be trusted.
    pub impossible: Option<String>,
}

impl Standing {
    /// The grant, in force or not.
    pub fn grant(&self, place: String, words: String, digest: Digest) -> Grant {
        Grant {
            place,
            words,
            in_force: self.stored.grants.contains(&digest.0),
            digest,
        }
    }

    /// How the workspace stands whose files would grant this.
    pub fn state(&self, grants: &[Grant]) -> TrustState {
        let all_in_force = grants.iter().all(|grant| grant.in_force);
        match (&self.impossible, self.stored.trusted, all_in_force) {
            (_, true, true) => TrustState::Trusted,
            (_, false, true) => TrustState::Nothing,
            (Some(reason), _, false) => TrustState::Impossible(reason.clone()),
            (None, true, false) => TrustState::Changed,
            (None, false, false) => TrustState::Untrusted,
        }
    }
}

/// The folder that is meant, whatever link leads to it.
fn real(root: &Path) -> Result<PathBuf, String> {
    root.canonicalize()
        .map_err(|error| format!("its real path cannot be told ({error})"))
}

/// The path without links as far as it exists.
fn nearest_real(path: &Path) -> PathBuf {
    path.ancestors()
        .find_map(|ancestor| {
            let rest = path.strip_prefix(ancestor).ok()?;
            Some(ancestor.canonicalize().ok()?.join(rest))
        })
        .unwrap_or_else(|| path.to_owned())
}
