//! URIs of files, written and read without the server's help.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// A file's URI.
pub fn uri(path: &Path) -> String {
    let mut uri = "file://".to_owned();
    for byte in path.to_str().expect("test paths are UTF-8").bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

/// A URI's file.
pub fn path_of(uri: &Value) -> PathBuf {
    let uri = uri.as_str().unwrap_or_else(|| panic!("not a URI: {uri}"));
    let path = uri
        .strip_prefix("file://")
        .unwrap_or_else(|| panic!("not a file's URI: {uri}"));
    let mut bytes = Vec::new();
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [
                rest.next().expect("two digits"),
                rest.next().expect("two digits"),
            ];
            let digits = std::str::from_utf8(&digits).expect("two digits");
            bytes.push(u8::from_str_radix(digits, 16).expect("two digits"));
        } else {
            bytes.push(byte);
        }
    }
    PathBuf::from(String::from_utf8(bytes).expect("test paths are UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn uris_are_read_as_they_are_written() {
        let path = Path::new("/tmp/a b/é😀%#?.rs");
        assert_eq!(path_of(&json!(uri(path))), path);
        assert!(uri(path).starts_with("file:///tmp/a%20b/%C3%A9"));
    }
}
