//! Paths in records: as text where they are text, else as their bytes, so that each comes back as it was.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Form<Text> {
    Text(Text),
    Bytes(Vec<u8>),
}

/// Writes a path.
pub(in crate::disk) fn serialize<S: Serializer>(
    path: &Path,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let form = match path.to_str() {
        Some(text) => Form::Text(text),
        None => Form::Bytes(path.as_os_str().as_encoded_bytes().to_vec()),
    };
    form.serialize(serializer)
}

/// Reads a path.
pub(in crate::disk) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<PathBuf, D::Error> {
    match Form::<String>::deserialize(deserializer)? {
        Form::Text(text) => Ok(PathBuf::from(text)),
        Form::Bytes(bytes) => of_bytes(&bytes)
            .map(PathBuf::from)
            .ok_or_else(|| D::Error::custom("no path of this system")),
    }
}

#[cfg(unix)]
fn of_bytes(bytes: &[u8]) -> Option<&OsStr> {
    Some(std::os::unix::ffi::OsStrExt::from_bytes(bytes))
}

#[cfg(not(unix))]
fn of_bytes(bytes: &[u8]) -> Option<&OsStr> {
    std::str::from_utf8(bytes).ok().map(OsStr::new)
}
