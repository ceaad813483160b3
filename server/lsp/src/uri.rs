//! Document URIs and file paths: converted once, here, at the border.
//!
//! A `file:` URI names a path on a host. Of hosts, only this machine counts, by whatever name: none, `localhost`, and
//! the name under which Windows knows the distribution of WSL that the server runs in (`\\wsl$\Debian`). A path on
//! another host is none of ours; taking it for a local one would open another file.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use tower_lsp::ls_types::Uri;

/// No file has a longer path: systems refuse it.
const MAX_PATH_BYTES: usize = if cfg!(windows) { 32 * 1024 } else { 4096 };

/// The real path (symlinks and `..` resolved) of a `file:` URI; `None` for other schemes and for other hosts.
pub fn path_of(uri: &str) -> Option<PathBuf> {
    let distribution = std::env::var("WSL_DISTRO_NAME").ok();
    plain_path_of(uri, distribution.as_deref())
        .filter(|path| path.as_os_str().len() <= MAX_PATH_BYTES)
        .map(|path| real_path(&path))
}

/// The `file:` URI of an absolute path.
pub fn uri_of(path: &Path) -> Option<Uri> {
    if path.to_str().is_some() {
        return Uri::from_file_path(path);
    }
    // A name that is no text: byte by byte.
    use std::fmt::Write;
    let mut uri = "file://".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => {
                uri.push(char::from(*byte));
            }
            // Writing to a string does not fail.
            _ => drop(write!(uri, "%{byte:02X}")),
        }
    }
    Uri::from_str(&uri).ok()
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

/// The path as it stands in the URI.
fn plain_path_of(uri: &str, distribution: Option<&str>) -> Option<PathBuf> {
    let uri = Uri::from_str(uri).ok()?;
    if !uri.scheme().as_str().eq_ignore_ascii_case("file") {
        return None;
    }
    let host = uri.authority().map_or("", |authority| authority.host());
    let path = uri.path().decode().to_bytes();
    if path.contains(&0) {
        return None;
    }
    if cfg!(windows) {
        windows_path(host, std::str::from_utf8(&path).ok()?).map(PathBuf::from)
    } else {
        unix_path(host, &path, distribution).and_then(|path| path_of_bytes(&path))
    }
}

/// The path on this machine. In WSL, an editor on Windows speaks of the distribution by a host of its own.
fn unix_path<'path>(
    host: &str,
    path: &'path [u8],
    distribution: Option<&str>,
) -> Option<Cow<'path, [u8]>> {
    if !path.starts_with(b"/") {
        return None;
    }
    if host.is_empty() || host.eq_ignore_ascii_case("localhost") {
        return Some(match (distribution, drive_of(path)) {
            // Windows' drives are mounted there.
            (Some(_), Some((drive, rest))) => {
                let mut mounted = format!("/mnt/{}", drive.to_ascii_lowercase()).into_bytes();
                mounted.extend_from_slice(rest);
                Cow::Owned(mounted)
            }
            _ => Cow::Borrowed(path),
        });
    }
    let is_wsl = ["wsl$", "wsl%24", "wsl.localhost"]
        .iter()
        .any(|name| host.eq_ignore_ascii_case(name));
    let end = path[1..].iter().position(|byte| *byte == b'/')?;
    let (named, rest) = path[1..].split_at(end);
    (is_wsl && distribution.is_some_and(|own| named.eq_ignore_ascii_case(own.as_bytes())))
        .then_some(Cow::Borrowed(rest))
}

/// The path with a drive, or that of a share.
fn windows_path(host: &str, path: &str) -> Option<String> {
    let slashes = |path: &str| path.replace('/', "\\");
    if host.is_empty() || host.eq_ignore_ascii_case("localhost") {
        let (drive, rest) = drive_of(path.as_bytes())?;
        let rest = std::str::from_utf8(rest).ok()?;
        let rest = if rest.is_empty() { "/" } else { rest };
        return Some(format!("{}:{}", drive.to_ascii_uppercase(), slashes(rest)));
    }
    path.starts_with('/')
        .then(|| format!("\\\\{}{}", host.replace("%24", "$"), slashes(path)))
}

/// The drive's letter and what follows it in `/c:/folder`.
fn drive_of(path: &[u8]) -> Option<(char, &[u8])> {
    match path {
        [b'/', letter, b':', rest @ ..]
            if letter.is_ascii_alphabetic() && (rest.is_empty() || rest.starts_with(b"/")) =>
        {
            Some((char::from(*letter), rest))
        }
        _ => None,
    }
}

#[cfg(unix)]
fn path_of_bytes(bytes: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    Some(PathBuf::from(std::ffi::OsStr::from_bytes(bytes)))
}

#[cfg(not(unix))]
fn path_of_bytes(bytes: &[u8]) -> Option<PathBuf> {
    std::str::from_utf8(bytes).ok().map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_no_file_can_have_is_none() {
        let deep = |folders: usize| format!("file:///{}x.rs", "no/".repeat(folders));
        assert_eq!(
            path_of(&deep(1000)),
            Some(PathBuf::from(&deep(1000)["file://".len()..]))
        );
        assert_eq!(path_of(&deep(200_000)), None);
    }

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

    #[test]
    fn a_uri_names_one_path_or_none() {
        for (uri, path) in [
            ("file:///a/b.rs", Some("/a/b.rs")),
            ("FILE:///a/b.rs", Some("/a/b.rs")),
            ("file:/a/b.rs", Some("/a/b.rs")),
            ("file://localhost/a", Some("/a")),
            ("file:///a%20b", Some("/a b")),
            ("file:///a+b", Some("/a+b")),
            ("file:///a%2Fb", Some("/a/b")),
            ("file:///a%2520b", Some("/a%20b")),
            ("file:///%E4%BD%A0.rs", Some("/你.rs")),
            ("file:///a%23b%3Fc", Some("/a#b?c")),
            ("file:///a#L3", Some("/a")),
            ("file:///a%0Ab", Some("/a\nb")),
            ("file:///c%3A/x", Some("/c:/x")),
            ("file:///a%00b", None),
            ("file://host/share/a", None),
            ("file://wsl$/Debian/home/a", None),
            ("file://wsl%24/Debian/home/a", None),
            ("file:a", None),
            ("file://", None),
            ("http://localhost/a", None),
            ("/a", None),
            ("", None),
        ] {
            assert_eq!(plain_path_of(uri, None), path.map(PathBuf::from), "{uri}");
        }
    }

    #[test]
    fn inside_a_distribution_of_wsl_its_name_on_windows_is_this_machine() {
        for (uri, path) in [
            ("file://wsl$/Debian/home/a%20b", Some("/home/a b")),
            ("file://wsl%24/Debian/home/a", Some("/home/a")),
            ("file://wsl.localhost/debian/home/a", Some("/home/a")),
            ("file://wsl$/Ubuntu/home/a", None),
            ("file://wsl$/Debian", None),
            ("file://server/Debian/home/a", None),
            ("file:///c%3A/Users/a", Some("/mnt/c/Users/a")),
            ("file:///C:/Users/a", Some("/mnt/c/Users/a")),
            ("file:///home/a", Some("/home/a")),
            ("file:///cc:/a", Some("/cc:/a")),
        ] {
            let plain = plain_path_of(uri, Some("Debian"));
            assert_eq!(plain, path.map(PathBuf::from), "{uri}");
        }
    }

    #[test]
    fn on_windows_there_are_drives_and_shares() {
        for (host, path, expected) in [
            ("", "/c:/Users/a b", Some("C:\\Users\\a b")),
            ("localhost", "/C:/x", Some("C:\\x")),
            ("", "/c:", Some("C:\\")),
            ("", "/home/a", None),
            ("server", "/share/a", Some("\\\\server\\share\\a")),
            ("wsl$", "/Debian/home/a", Some("\\\\wsl$\\Debian\\home\\a")),
            ("server", "", None),
        ] {
            assert_eq!(
                windows_path(host, path).as_deref(),
                expected,
                "{host} {path}"
            );
        }
    }

    #[test]
    fn every_path_comes_back_from_its_uri() {
        use std::os::unix::ffi::OsStrExt;
        for path in ["/a b/%20/ü/#?.rs", "/a\nb", "/a..go", "/-x", "/a:b"] {
            let uri = uri_of(Path::new(path)).unwrap();
            assert_eq!(
                plain_path_of(uri.as_str(), None),
                Some(path.into()),
                "{path}"
            );
        }
        let path = Path::new(std::ffi::OsStr::from_bytes(b"/a b/\xff%\xfe.rs"));
        let uri = uri_of(path).unwrap();
        assert_eq!(uri.as_str(), "file:///a%20b/%FF%25%FE.rs");
        assert_eq!(plain_path_of(uri.as_str(), None).unwrap(), path);
    }
}
