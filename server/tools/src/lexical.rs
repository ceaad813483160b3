//! Paths by their text alone. Looks at no file.

use std::path::{Component, Path, PathBuf};

/// A path without `.`, `..` and doubled slashes. Where a part of it is a link, it may lead elsewhere than the path.
pub(crate) fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}
