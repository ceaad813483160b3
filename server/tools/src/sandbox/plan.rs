//! What the process that is to be confined has to know: plain data, found out before by who is not confined.

use std::ffi::OsString;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Profile;

/// By what the system confines a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mechanism {
    /// By nothing: the profile is `off`.
    #[default]
    Nothing,
    /// Linux: mounts and a network of its own, Landlock, and a filter of system calls.
    Namespaces,
    /// Linux, where no namespaces can be had: Landlock and a filter of system calls. Nothing can be made or removed
    /// right in a folder that holds something protected, only below its other entries.
    Landlock,
    /// macOS.
    Seatbelt,
}

/// How a command is to be confined.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// How far.
    pub profile: Profile,
    /// By what.
    pub mechanism: Mechanism,
    /// Folders that are written, with all below.
    #[serde(with = "paths")]
    pub writable: Vec<PathBuf>,
    /// What is not written although it is in one of them. With [`Mechanism::Namespaces`] all of it exists.
    #[serde(with = "paths")]
    pub protected: Vec<PathBuf>,
    /// Folders in `writable` ones that are neither moved nor removed, so that what is protected in them stays where it
    /// is.
    #[serde(with = "paths")]
    pub held: Vec<PathBuf>,
    /// What is neither written nor read.
    #[serde(with = "paths")]
    pub closed: Vec<PathBuf>,
}

impl Plan {
    /// The program and its first arguments that confine what follows them, where a program does it (macOS): it is to be
    /// started in place of the command, and nothing is entered.
    pub fn wrapper(&self) -> Option<Vec<OsString>> {
        (self.mechanism == Mechanism::Seatbelt).then(|| {
            let profile = super::seatbelt::profile(self);
            ["/usr/bin/sandbox-exec", "-p", profile.as_str()]
                .map(OsString::from)
                .to_vec()
        })
    }
}

/// Paths as JSON, those that are not UTF-8 too.
pub(super) mod path {
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(in crate::sandbox) fn serialize<S: Serializer>(
        path: &Path,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        path.as_os_str().serialize(serializer)
    }

    pub(in crate::sandbox) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<PathBuf, D::Error> {
        OsString::deserialize(deserializer).map(PathBuf::from)
    }
}

/// Many paths as JSON, those that are not UTF-8 too.
mod paths {
    use std::ffi::OsString;
    use std::path::PathBuf;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        paths: &[PathBuf],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(paths.iter().map(|path| path.as_os_str()))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<PathBuf>, D::Error> {
        let paths = Vec::<OsString>::deserialize(deserializer)?;
        Ok(paths.into_iter().map(PathBuf::from).collect())
    }
}
