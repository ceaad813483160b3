//! Document URIs and file paths: converted once, here, at the border.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use tower_lsp::ls_types::Uri;

/// The real path (symlinks and `..` resolved) of a `file:` URI; `None` for other schemes.
pub fn path_of(uri: &str) -> Option<PathBuf> {
    let uri = Uri::from_str(uri).ok()?;
    if !uri.scheme().as_str().eq_ignore_ascii_case("file") {
        return None;
    }
    Some(real_path(&uri.to_file_path()?))
}

/// The `file:` URI of an absolute path.
pub fn uri_of(path: &Path) -> Option<Uri> {
    Uri::from_file_path(path)
}

/// The path with symlinks resolved as far as it exists: a file that is still to be created is placed by its nearest
/// existing ancestor.
pub fn real_path(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => real_path(parent).join(name),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_encoding_and_symlinks_are_resolved() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::write(root.join("a b.rs"), "").unwrap();
        std::os::unix::fs::symlink(root.join("a b.rs"), root.join("link.rs")).unwrap();
        let uri = format!("file://{}/link.rs", root.display());
        assert_eq!(path_of(&uri), Some(root.join("a b.rs")));
        let uri = uri_of(&root.join("a b.rs")).unwrap();
        assert!(uri.as_str().ends_with("/a%20b.rs"));
        assert_eq!(path_of(uri.as_str()), Some(root.join("a b.rs")));
        let new = format!("file://{}/new/deep.rs", root.display());
        assert_eq!(path_of(&new), Some(root.join("new/deep.rs")));
        assert_eq!(path_of("untitled:Untitled-1"), None);
    }
}
