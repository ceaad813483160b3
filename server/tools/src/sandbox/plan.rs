//! What the process that is to be confined has to know: plain data, found out before by who is not confined.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

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
    /// Whether it takes a namespace of users to have others.
    pub user_namespace: bool,
    /// Whether it has a network of its own.
    pub own_network: bool,
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

/// A path as JSON: a text, or its bytes where it is none.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Encoded<'a> {
    Text(Cow<'a, str>),
    Bytes(OsString),
}

impl<'a> From<&'a Path> for Encoded<'a> {
    fn from(path: &'a Path) -> Encoded<'a> {
        match path.to_str() {
            Some(text) => Encoded::Text(Cow::Borrowed(text)),
            None => Encoded::Bytes(path.as_os_str().to_owned()),
        }
    }
}

impl From<Encoded<'_>> for PathBuf {
    fn from(encoded: Encoded<'_>) -> PathBuf {
        match encoded {
            Encoded::Text(text) => PathBuf::from(text.into_owned()),
            Encoded::Bytes(bytes) => PathBuf::from(bytes),
        }
    }
}

/// For `#[serde(with)]` at a path.
pub(super) mod path {
    use super::*;

    pub(in crate::sandbox) fn serialize<S: Serializer>(
        path: &Path,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        Encoded::from(path).serialize(serializer)
    }

    pub(in crate::sandbox) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<PathBuf, D::Error> {
        Encoded::deserialize(deserializer).map(PathBuf::from)
    }
}

/// For `#[serde(with)]` at many paths.
mod paths {
    use super::*;

    pub(super) fn serialize<S: Serializer>(
        paths: &[PathBuf],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(paths.iter().map(|path| Encoded::from(path.as_path())))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<PathBuf>, D::Error> {
        let paths = Vec::<Encoded<'_>>::deserialize(deserializer)?;
        Ok(paths.into_iter().map(PathBuf::from).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_comes_back_from_json_whatever_its_paths() {
        let mut plan = Plan {
            profile: Profile::WorkspaceWrite,
            mechanism: Mechanism::Namespaces,
            writable: vec!["/w/ü".into()],
            ..Plan::default()
        };
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStringExt;
            plan.protected = vec![OsString::from_vec(b"/w/\xff/.git".to_vec()).into()];
        }
        let json = serde_json::to_string(&plan).unwrap();
        assert!(json.contains(r#""writable":["/w/ü"]"#), "{json}");
        assert_eq!(serde_json::from_str::<Plan>(&json).unwrap(), plan);
        plan.mechanism = Mechanism::Seatbelt;
        assert_eq!(
            plan.wrapper().unwrap()[..2],
            ["/usr/bin/sandbox-exec", "-p"]
        );
    }
}
