//! Names as file systems that do not tell them apart compare them. Knows no list of names.

use std::borrow::Cow;
use std::ffi::OsStr;

/// A name in the one form in which names are compared that some file system takes for the same.
///
/// Letters lose their case (`.GIT`; the long s of `.vſcode`, which macOS takes for an s). Characters that HFS+ ignores
/// are dropped. Dots and spaces at the end and what follows a colon (a stream of the file) go, as on Windows. No other
/// canonical form has to be thought of: nothing that is compared with holds more than ASCII.
pub(crate) fn folded(name: &OsStr) -> Cow<'_, str> {
    let name = name.to_string_lossy();
    let plain = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase() && byte != b':';
    if name.bytes().all(plain) && !name.ends_with(['.', ' ']) {
        return name;
    }
    let shown: String = name.chars().filter(|letter| !is_ignored(*letter)).collect();
    let stem = shown.split(':').next().unwrap_or_default();
    // By way of the upper case, which is what letters have in common that are written differently in lower case.
    Cow::Owned(
        stem.trim_end_matches(['.', ' '])
            .to_uppercase()
            .to_lowercase(),
    )
}

/// Whether a folded name is one of these, which are written in lower case.
pub(crate) fn is_one_of(folded: &str, names: &[&str]) -> bool {
    names.contains(&folded)
}

/// Joiners, direction marks and the like: HFS+ compares names as if they were not there.
fn is_ignored(letter: char) -> bool {
    matches!(letter, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_some_file_system_takes_for_the_same_are_the_same() {
        for name in [
            ".git",
            ".GIT",
            ".Git",
            ".g\u{200c}it",
            "\u{feff}.git",
            ".git.",
            ".git . .",
            ".git::$INDEX_ALLOCATION",
        ] {
            assert_eq!(folded(OsStr::new(name)), ".git", "{name:?}");
        }
        assert_eq!(folded(OsStr::new(".v\u{17f}code")), ".vscode");
        assert_eq!(folded(OsStr::new("\u{212a}EY")), "key", "the Kelvin sign");
    }

    #[test]
    fn other_names_stay_other_names() {
        for name in [".gitignore", "git", "..git", ".git x", "a..go", ".gït"] {
            assert_ne!(folded(OsStr::new(name)), ".git", "{name:?}");
        }
    }
}
